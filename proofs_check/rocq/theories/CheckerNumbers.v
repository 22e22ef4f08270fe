(** The checker's integers, vectors, common denominators and states, as elements of a field R. *)

From Coq Require Import ZArith QArith Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ssrZ zify ring.
From Exactformer Require Import Semantics Basics Certificate Checker.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Delimit Scope Z_scope with z.  (* %Z is taken by mathcomp's int *)

Arguments common : simpl never.

Section Numbers.

Variables (I : integers) (R : realFieldType).

Notation O := (of_Z I Z0).
Notation one := (of_Z I (Zpos xH)).

(** ** Integers as elements of R *)

Definition phiZ (z : Z) : R := (int_of_Z z)%:~R.
Definition phi (x : I) : R := phiZ (to_Z x).

Lemma phiZD x y : phiZ (x + y)%z = phiZ x + phiZ y.
Proof. by rewrite /phiZ -intrD; congr (_%:~R); rewrite -[RHS](rmorphD [rmorphism of int_of_Z]). Qed.

Lemma phiZM x y : phiZ (x * y)%z = phiZ x * phiZ y.
Proof. by rewrite /phiZ -intrM; congr (_%:~R); rewrite -[RHS](rmorphM [rmorphism of int_of_Z]). Qed.

Lemma phiZ_le x y : (phiZ x <= phiZ y) = (x <=? y)%z.
Proof. by rewrite /phiZ ler_int; lia. Qed.

Lemma phiZ_eq x y : (phiZ x == phiZ y) = (x =? y)%z.
Proof. by rewrite /phiZ eqr_int; lia. Qed.

Lemma phiZ_gt0 x : (0 < x)%z -> 0 < phiZ x.
Proof. by move=> x0; rewrite /phiZ ltr0z; lia. Qed.

Lemma phiD x y : phi (add x y) = phi x + phi y.
Proof. by rewrite /phi addE phiZD. Qed.

Lemma phiM x y : phi (mul x y) = phi x * phi y.
Proof. by rewrite /phi mulE phiZM. Qed.

Lemma phi0 : phi O = 0.
Proof. by rewrite /phi of_ZK. Qed.

Lemma phi1 : phi one = 1.
Proof. by rewrite /phi of_ZK. Qed.

Lemma phi_le x y : (phi x <= phi y) = leb x y.
Proof. by rewrite /phi phiZ_le lebE. Qed.

Lemma phi_eq x y : eqb x y -> phi x = phi y.
Proof. by rewrite eqbE -phiZ_eq => /eqP. Qed.

Definition pos (x : I) : Prop := (0 < to_Z x)%z.
Definition divides (x y : I) : Prop := Z.divide (to_Z x) (to_Z y).

Lemma phi_gt0 x : pos x -> 0 < phi x.
Proof. exact: phiZ_gt0. Qed.

Lemma phi_neq0 x : pos x -> phi x != 0.
Proof. by move=> /phi_gt0 /lt0r_neq0. Qed.

Lemma phi_div x y : pos y -> divides y x -> phi (div x y) = phi x / phi y.
Proof.
move=> y0 [z E]; rewrite /phi divE E Z.div_mul; last by rewrite /pos in y0; lia.
by rewrite phiZM mulfK // lt0r_neq0 // phiZ_gt0.
Qed.

Lemma pos1 : pos one.
Proof. by rewrite /pos of_ZK. Qed.

Lemma pos_mul x y : pos x -> pos y -> pos (mul x y).
Proof. by rewrite /pos mulE; lia. Qed.

Lemma pos_div x y : pos x -> pos y -> divides y x -> pos (div x y).
Proof.
rewrite /pos divE => x0 y0 [z E]; rewrite E Z.div_mul; last by lia.
by nia.
Qed.

Lemma lcmP x y : pos x -> pos y -> [/\ pos (lcm x y), divides x (lcm x y) & divides y (lcm x y)].
Proof.
rewrite /pos /divides /lcm mulE divE gcdE => x0 y0.
have g0 : (0 < Z.gcd (to_Z x) (to_Z y))%z.
  have := Z.gcd_nonneg (to_Z x) (to_Z y); have := Z.gcd_eq_0_l (to_Z x) (to_Z y); lia.
have [[u Eu] [v Ev]] := (Z.gcd_divide_l (to_Z x) (to_Z y), Z.gcd_divide_r (to_Z x) (to_Z y)).
set g := Z.gcd _ _ in g0 Eu Ev *.
have E : (to_Z y / g = v)%z by rewrite Ev Z.div_mul //; lia.
rewrite E; split; first by nia.
  by exists v; lia.
by exists u; rewrite Eu Ev; lia.
Qed.


(** ** Vectors *)

Definition vec n (x : seq I) : 'cV[R]_n := \col_i phi (nth O x i).

Lemma nth_addv x y i : phi (nth O (addv x y) i) = phi (nth O x i) + phi (nth O y i).
Proof.
elim: x y i => [|a x IH] [|c y] [|i] //=; rewrite ?nth_nil ?phi0 ?add0r ?addr0 ?phiD //.
Qed.

Lemma vec_add n x y : vec n (addv x y) = vec n x + vec n y.
Proof. by apply/colP=> i; rewrite !mxE nth_addv. Qed.

Lemma nth_scale a x i : phi (nth O (scale a x) i) = phi a * phi (nth O x i).
Proof. by elim: x i => [|c x IH] [|i] //=; rewrite ?nth_nil ?phi0 ?mulr0 ?phiM. Qed.

Lemma vec_scale n a x : vec n (scale a x) = phi a *: vec n x.
Proof. by apply/colP=> i; rewrite !mxE nth_scale. Qed.

Lemma vec_nil n : vec n [::] = 0.
Proof. by apply/colP=> i; rewrite !mxE nth_nil phi0. Qed.

Lemma phi_dot n x y : (size x <= n)%N -> phi (dot x y) = inner (vec n x) (vec n y).
Proof.
rewrite /inner; elim: n x y => [|n IH] [|a x] [|c y] // xn; rewrite ?phi0.
- by rewrite big_ord0.
- by rewrite big_ord0.
- by rewrite big1 // => i _; rewrite !mxE nth_nil phi0 mul0r.
- by rewrite big1 // => i _; rewrite !mxE nth_nil phi0 mul0r.
- by rewrite big1 // => i _; rewrite !mxE nth_nil phi0 mulr0.
rewrite /= phiD phiM (IH x y xn) big_ord_recl !mxE /=; congr (_ + _).
by apply: eq_bigr => i _; rewrite !mxE.
Qed.

Definition mat m n (M : seq (seq I)) : 'M[R]_(m, n) := \matrix_(i, j) phi (nth O (nth [::] M i) j).

Lemma vec_apply m n M x : all (fun r => size r <= n)%N M -> vec m (apply M x) = mat m n M *m vec n x.
Proof.
move=> Mn; apply/colP=> i; rewrite !mxE.
have -> : nth O (apply M x) i = dot (nth [::] M i) x.
  case: (ltnP i (size M)) => iM; first by rewrite (nth_map [::]).
  by rewrite !nth_default ?size_map.
rewrite (@phi_dot n); last first.
  case: (ltnP i (size M)) => iM; last by rewrite nth_default.
  by move/(all_nthP [::]): Mn; apply.
by apply: eq_bigr => j _; rewrite !mxE.
Qed.

Lemma eqv_vec n x y : eqv x y -> vec n x = vec n y.
Proof.
move=> E; apply/colP=> i; rewrite !mxE.
elim: x y (i : nat) E => [|a x IH] [|c y] [|k] //= /andP[/phi_eq E1 E2] //; exact: IH.
Qed.

Lemma vec_sum n s : vec n (sumv s) = \sum_(x <- s) vec n x.
Proof. by elim: s => [|x s IH] /=; rewrite ?big_nil ?vec_nil // big_cons vec_add IH. Qed.

Lemma map_onceE (A B : Type) (F : A -> B) (f : seq I -> A) s :
  (forall x y, eqv x y -> F (f x) = F (f y)) -> map F (map_once f s) = map (F \o f) s.
Proof.
move=> H; case: s => //= x s; congr (_ :: _).
elim: s x => //= y s IH x; case: ifP => /= [/H E | _]; last by rewrite IH.
by rewrite -E; congr (_ :: _); exact: IH.
Qed.

Lemma size_map_once (A : Type) (f : seq I -> A) s : size (map_once f s) = size s.
Proof.
case: s => //= x s; congr _.+1; move: (f x) => fx.
by elim: s x fx => //= y s IH x fx; case: ifP => _ /=; rewrite IH.
Qed.

(** ** Common denominators *)

Lemma pos_den q : pos (den I q).
Proof. by rewrite /pos of_ZK. Qed.

Lemma valueE q : value R q = phiZ (Qnum q) / phi (den I q).
Proof. by rewrite /phi of_ZK. Qed.

Lemma value0 : value R zero = 0.
Proof. by rewrite /value /= mul0r. Qed.

Lemma valueM p q : value R (Qmult p q) = value R p * value R q.
Proof.
rewrite /value /= mulrACA -invfM -!intrM; congr (_%:~R / _%:~R).
  by rewrite -[RHS](rmorphM [rmorphism of int_of_Z]).
by rewrite -[RHS](rmorphM [rmorphism of int_of_Z] (Zpos _) (Zpos _)).
Qed.

Lemma phi_clear k q : divides (den I q) k -> phi (clear k q) = phi k * value R q.
Proof.
by move=> kq; rewrite phiM phi_div //; [rewrite valueE {1}/phi of_ZK mulrCA mulrA -mulrA mulrCA | exact: pos_den].
Qed.

Lemma divides1 k : divides one k.
Proof. by rewrite /divides of_ZK; exact: Z.divide_1_l. Qed.

Lemma foldr_lcm (A : Type) (f : A -> I) (l : seq A) : (forall a, pos (f a)) ->
  pos (foldr (fun a => lcm (f a)) one l).
Proof. by move=> H; elim: l => [|a l IH] /=; [exact: pos1 | case: (lcmP (H a) IH)]. Qed.

Lemma foldr_lcm_nth (A : Type) (a0 : A) (f : A -> I) (l : seq A) i : (forall a, pos (f a)) -> (i < size l)%N ->
  divides (f (nth a0 l i)) (foldr (fun a => lcm (f a)) one l).
Proof.
move=> H; elim: l i => [|a l IH] [|i] //=; have [_ d1 d2] := lcmP (H a) (foldr_lcm l H) => // il.
exact: Z.divide_trans (IH i il) d2.
Qed.

Lemma pos_common l : pos (common I l).
Proof. exact: foldr_lcm pos_den. Qed.

(** [dividing k l]: [k] is a common denominator of [l]. *)
Definition dividing k l := forall i, divides (den I (nth zero l i)) k.

Lemma dividing_common l : dividing (common I l) l.
Proof.
move=> i; case: (ltnP i (size l)) => il; first exact: foldr_lcm_nth pos_den il.
by rewrite nth_default //; exact: divides1.
Qed.

Lemma dividing_cat k l1 l2 : dividing k (l1 ++ l2) -> dividing k l1 /\ dividing k l2.
Proof.
move=> H; split=> i; last by move: (H (size l1 + i)%N); rewrite nth_cat ltnNge leq_addr /= addKn.
case: (ltnP i (size l1)) => il; last by rewrite nth_default //; exact: divides1.
by move: (H i); rewrite nth_cat il.
Qed.

Lemma dividing_flatten k (l : seq (seq Q)) i : dividing k (flatten l) -> dividing k (nth [::] l i).
Proof.
elim: l i => [|r l IH] [|i] //=; try by rewrite nth_nil.
- by case/dividing_cat.
- by case/dividing_cat => _ /IH; apply.
Qed.

Lemma nth_clear k l i : dividing k l -> phi (nth O (map (clear k) l) i) = phi k * value R (nth zero l i).
Proof.
move=> kl; case: (ltnP i (size l)) => il; first by rewrite (nth_map zero) // phi_clear.
by rewrite !nth_default ?size_map // phi0 value0 mulr0.
Qed.

Lemma vec_clear n k l : dividing k l -> vec n (map (clear k) l) = phi k *: vector R n l.
Proof. by move=> kl; apply/colP=> i; rewrite !mxE nth_clear. Qed.

Lemma nth_map_clear (k : I) (l : seq (seq Q)) i : nth [::] (map (map (clear k)) l) i = map (clear k) (nth [::] l i).
Proof.
case: (ltnP i (size l)) => il; first by rewrite (nth_map [::]).
by rewrite !nth_default ?size_map.
Qed.

(** ** States *)

Definition denote n (s : state I) : seq 'cV[R]_n := [seq (phi (over s))^-1 *: vec n x | x <- vectors s].

Lemma clear_rowsP n l : pos (over (clear_rows I l)) /\ denote n (clear_rows I l) = map (vector R n) l.
Proof.
split; first exact: pos_common.
rewrite /denote /clear_rows /=; set k := common I _.
have k0 : phi k != 0 by apply/phi_neq0/pos_common.
have kl i : dividing k (nth [::] l i) by apply/dividing_flatten/dividing_common.
rewrite -map_comp; apply: (@eq_from_nth _ 0); rewrite ?size_map // => i il.
by rewrite !(nth_map [::]) //= vec_clear // scalerA mulVf // scale1r.
Qed.


Lemma contentP (s : state I) : pos (over s) ->
  [/\ pos (content s), divides (content s) (over s) & forall i, divides (content s) (nth O (flatten (vectors s)) i)].
Proof.
rewrite /content; move: (over s) (flatten _) => k l; elim: l k => [|x l IH] k k0 /=.
  by split=> //; [exact: Z.divide_refl | move=> i; rewrite nth_nil /divides of_ZK; exact: Z.divide_0_r].
set g := if _ then _ else _.
have [g0 gk gx] : [/\ pos g, divides g k & divides g x].
  rewrite /g; case: ifP => [|_].
    rewrite eqbE => /Z.eqb_eq E; rewrite /pos /divides E of_ZK; split=> //; exact: Z.divide_1_l.
  rewrite /pos /divides gcdE; split; [ | exact: Z.gcd_divide_l | exact: Z.gcd_divide_r].
  have := Z.gcd_nonneg (to_Z k) (to_Z x); have := Z.gcd_eq_0_l (to_Z k) (to_Z x).
  by rewrite /pos in k0; lia.
have [c0 cg cl] := IH g g0; split=> // [|[|i] /=]; [exact: Z.divide_trans cg gk | exact: Z.divide_trans cg gx | exact: cl].
Qed.

Lemma divides_flatten (l : seq (seq I)) g : (forall i, divides g (nth O (flatten l) i)) ->
  forall i j, divides g (nth O (nth [::] l i) j).
Proof.
elim: l => [|r l IH] H i j; first by rewrite !nth_nil /divides of_ZK; exact: Z.divide_0_r.
case: i => [|i] /=; last by apply: IH => k; move: (H (size r + k)%N); rewrite /= nth_cat ltnNge leq_addr /= addKn.
case: (ltnP j (size r)) => jr; last by rewrite nth_default // /divides of_ZK; exact: Z.divide_0_r.
by move: (H j); rewrite /= nth_cat jr.
Qed.

Lemma reduceP n s : pos (over s) -> pos (over (reduce s)) /\ denote n (reduce s) = denote n s.
Proof.
move=> k0; have [c0 ck cv] := contentP k0; rewrite /reduce; case: ifP => // _; split; first exact: pos_div.
have {}cv := divides_flatten cv.
rewrite /denote /= -map_comp; apply: (@eq_from_nth _ 0); rewrite ?size_map // => i il.
rewrite !(nth_map [::]) //=; apply/colP=> j; rewrite !mxE.
set x := nth [::] (vectors s) i.
have -> : phi (nth O [seq div y (content s) | y <- x] j) = phi (nth O x j) / phi (content s).
  case: (ltnP j (size x)) => jx; first by rewrite (nth_map O) // phi_div //; exact: cv.
  by rewrite !nth_default ?size_map // phi0 mul0r.
by rewrite phi_div //; field; rewrite !phi_neq0.
Qed.

End Numbers.

(* The field is never written out by those who use these. *)
Arguments phi_div {I R} [x y].
Arguments phiM {I R}.
Arguments phi_eq {I R} [x y].
Arguments phi_clear {I R} [k q].
Arguments phi_dot {I R} [n].
Arguments vec_clear {I R}.
Arguments vec_apply {I R} [m n].
Arguments eqv_vec {I R} n [x y].
Arguments map_onceE {I} [A B].
Arguments reduceP {I R} n [s].
Arguments clear_rowsP {I R} n l.
Arguments dividing_common {I} l.
Arguments pos_common {I} l.
Arguments pos_den {I} q.
Arguments foldr_lcm {I} [A f] l.
Arguments foldr_lcm_nth {I} [A] a0 [f l i].
