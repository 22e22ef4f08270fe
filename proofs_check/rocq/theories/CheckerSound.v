(** The checker is sound: [check c = true -> claim c], whatever its integers. *)

From Coq Require Import ZArith QArith Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ssrZ zify ring.
From Exactformer Require Import Semantics Basics Certificate Checker CheckerNumbers.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Delimit Scope Z_scope with z.  (* %Z is taken by mathcomp's int *)

Section Sound.

Variables (I : integers) (R : realFieldType).

Notation O := (of_Z I Z0).
Notation one := (of_Z I (Zpos xH)).
Notation phi := (@phi I R).
Notation phi_gt0 := (@CheckerNumbers.phi_gt0 I R _).
Notation phi_neq0 := (@CheckerNumbers.phi_neq0 I R _).
Notation vec := (@vec I R).
Notation denote := (@denote I R).

(** ** Feed-forward *)

Definition hinge_value n d (h : hinge_literal) (x : 'cV[R]_n) : 'cV[R]_d :=
  Num.max 0 (inner (vector R n (hinge_u h)) x + value R (hinge_b h)) *: vector R d (hinge_w h).

Lemma pos_unit_e h : pos (unit_e (clear_hinge I h)).
Proof. by apply: pos_mul; exact: pos_common. Qed.

Lemma hinge_step n d e k h X y : pos k -> pos e -> divides (unit_e (clear_hinge I h)) e ->
  (size (hinge_u h) <= n)%N ->
  vec d (add_hinge k X (widen e (clear_hinge I h)) y) =
  (phi e * phi k) *: hinge_value d h ((phi k)^-1 *: vec n X) + vec d y.
Proof.
move=> k0 e0 he un; rewrite /add_hinge /widen /=.
set c := common I _; set cw := common I (hinge_w h); set t := add _ _.
have c0 : 0 < phi c by apply/phi_gt0/pos_common.
have cw0 : 0 < phi cw by apply/phi_gt0/pos_common.
have pk := phi_gt0 k0.
have Et : phi t = (phi c * phi k) * (inner (vector R n (hinge_u h)) ((phi k)^-1 *: vec n X) + value R (hinge_b h)).
  rewrite /t phiD phiM (phi_dot (n := n)) ?size_map // vec_clear; last by move=> i; exact: (dividing_common (hinge_b h :: hinge_u h) i.+1).
  rewrite phi_clear; last exact: (dividing_common (hinge_b h :: hinge_u h) 0%N).
  by rewrite innerZl innerZr; field; rewrite lt0r_neq0.
rewrite /hinge_value; set v := inner _ _ + _ in Et *.
have Ew : phi (div e (mul c cw)) = phi e / (phi c * phi cw).
  by rewrite phi_div ?phiM //; exact: pos_mul (pos_common _) (pos_common _).
case: ifP => [|/negbT].
  rewrite -(phi_le R) phi0 Et pmulr_rle0 ?mulr_gt0 // => v0.
  by rewrite (max_idPl v0) scale0r scaler0 add0r.
rewrite -(phi_le R) phi0 -ltNge Et pmulr_rgt0 ?mulr_gt0 // => v0.
rewrite (max_idPr (ltW v0)) vec_add !vec_scale vec_clear; last exact: dividing_common.
rewrite Et Ew !scalerA; congr (_ *: _ + _).
have cn := lt0r_neq0 c0; have cwn := lt0r_neq0 cw0.
by field; rewrite cn cwn.
Qed.


Lemma hingesP n d e k l X : pos k -> pos e ->
  (forall h, List.In h l -> divides (unit_e (clear_hinge I h)) e /\ (size (hinge_u h) <= n)%N) ->
  vec d (hinges k X (map (widen e) (map (@clear_hinge I) l))) =
  (phi e * phi k) *: \sum_(h <- l) hinge_value d h ((phi k)^-1 *: vec n X).
Proof.
move=> k0 e0; elim: l => [|h l IH] H /=; first by rewrite vec_nil big_nil scaler0.
have [he hn] := H h (or_introl erefl).
rewrite (@hinge_step n) // IH; last by move=> h' hl; apply: H; right.
by rewrite big_cons scalerDr.
Qed.

Lemma foldr_lcm_In (A : Type) (f : A -> I) (l : seq A) a : (forall a, pos (f a)) -> List.In a l ->
  divides (f a) (foldr (fun a => lcm (f a)) one l).
Proof.
move=> H; elim: l => //= c l IH; have [_ d1 d2] := lcmP (H c) (foldr_lcm l H).
by case=> [<- // | /IH al]; exact: Z.divide_trans al d2.
Qed.

Lemma In_mkseq (A : Type) (F : nat -> A) n a : List.In a (mkseq F n) -> exists i, a = F i.
Proof. by rewrite /mkseq; elim: (iota 0 n) => //= i s IH [<- | /IH //]; exists i. Qed.

Lemma big_mkseq (A : Type) (V : zmodType) (F : nat -> A) (G : A -> V) n :
  \sum_(a <- mkseq F n) G a = \sum_(i < n) G (F i).
Proof. by rewrite big_map -(big_mkord xpredT (fun i => G (F i))) /index_iota subn0. Qed.

Lemma vector_mkseq n (F : nat -> Q) (i : 'I_n) : vector R n (mkseq F n) i 0 = value R (F i).
Proof. by rewrite mxE nth_mkseq. Qed.

Definition projected d (f : ff_literal) (x : 'cV[R]_d) : 'cV[R]_(if lit_U f is Outer _ _ then 1 else d) :=
  match lit_U f as U return 'cV[R]_(if U is Outer _ _ then 1 else d) with
  | Outer _ r => \col_i inner (vector R d (mkseq (nth zero r) d)) x
  | _ => x
  end.

Lemma apply_ffE d f (x : 'cV[R]_d) :
  apply_ff (ff_of R d f) x =
  value R (lit_eta f) *: x + \sum_(h <- mkseq (hinge_of d f) (size (lit_b f))) hinge_value d h (projected f x).
Proof.
rewrite /apply_ff /=; congr (_ + _); rewrite big_mkseq; apply/colP=> j; rewrite mxE summxE.
apply: eq_bigr => i _; rewrite !mxE nth_mkseq // mulrC; congr (Num.max 0 (_ + _) * _).
rewrite /projected /hinge_of; case: (lit_U f) => [r | c r | c |] /=; try by apply: eq_bigr => k _; rewrite !mxE nth_mkseq.
rewrite [in RHS]/inner big_ord_recl big_ord0 addr0 !mxE /= /inner mulr_sumr.
by apply: eq_bigr => k _; rewrite !mxE nth_mkseq //= valueM mulrA.
Qed.

Lemma size_hinge_u d f i : (size (hinge_u (hinge_of d f i)) <= if lit_U f is Outer _ _ then 1 else d)%N.
Proof. by rewrite /hinge_of; case: (lit_U f) => *; rewrite /= ?size_mkseq. Qed.

Lemma run_ffP d f s : pos (over s) ->
  pos (over (run_ff (compile_ff I d f) s)) /\
  denote d (run_ff (compile_ff I d f) s) = map (apply_ff (ff_of R d f)) (denote d s).
Proof.
move=> k0; set fc := compile_ff I d f; set k := over s.
pose l := mkseq (hinge_of d f) (size (lit_b f)).
pose m := foldr (fun h => lcm (unit_e h)) one (map (@clear_hinge I) l).
have mE : m = foldr (fun h => lcm (unit_e (clear_hinge I h))) one l by rewrite /m foldr_map.
have [m0 md] : pos m /\ forall h, List.In h l -> divides (unit_e (clear_hinge I h)) m.
  by rewrite mE; split=> [|h]; [exact: foldr_lcm pos_unit_e | exact: foldr_lcm_In pos_unit_e].
have [e0 ed em] := lcmP (pos_den (lit_eta f)) m0; set e := lcm _ m in e0 ed em.
have el h : List.In h l ->
    divides (unit_e (clear_hinge I h)) e /\ (size (hinge_u h) <= if lit_U f is Outer _ _ then 1 else d)%N.
  move=> hl; split; first exact: Z.divide_trans (md h hl) em.
  by have [i ->] := In_mkseq hl; exact: size_hinge_u.
pose c := if ff_project fc is Some (c, _) then c else one.
have c0 : pos c by rewrite /c /fc /=; case: (lit_U f) => *; exact: pos1 || exact: pos_common.
have kn := phi_neq0 k0; have en := phi_neq0 e0; have cn := phi_neq0 c0.
have key X : (phi (mul e (mul c k)))^-1 *: vec d (addv (scale (mul (ff_scale fc) c) X) (eval_ff k fc X)) =
             apply_ff (ff_of R d f) ((phi k)^-1 *: vec d X).
  rewrite apply_ffE vec_add vec_scale scalerDr scalerA (phiM e) (phiM c) (phiM (ff_scale fc)).
  have -> : phi (ff_scale fc) = phi e * value R (lit_eta f) by exact: phi_clear.
  congr (_ + _).
    by rewrite scalerA; congr (_ *: _); field; rewrite kn en cn.
  rewrite /eval_ff /c /fc /=.
  move: cn el; rewrite /c /fc /projected /= -/l -/m -/e; case EU: (lit_U f) => [r | u r | q |] cn el;
    try by rewrite (hingesP (n := d)) // phi1 mul1r scalerA mulVf ?scale1r // mulf_neq0.
  set r' := mkseq _ _ in cn *; set cr := common I r' in cn *.
  have cr0 : pos cr by exact: pos_common.
  rewrite (hingesP (n := 1)) //; last exact: pos_mul.
  rewrite phiM scalerA mulVf ?mulf_neq0 // scale1r; apply: eq_bigr => h _; congr (hinge_value _ _ _).
  apply/colP=> i; rewrite !mxE ord1 /= (phi_dot (n := d)); last by rewrite size_map size_mkseq.
  rewrite vec_clear ?innerZl; last exact: dividing_common.
  by rewrite innerZr; field; rewrite kn cn.
split; first by do 2![apply: pos_mul => //].
rewrite /denote /run_ff /= -/k -/c -/l -/m -/e map_onceE => [|x y /(eqv_vec d) E].
  by rewrite -map_comp; apply: eq_map => X /=; rewrite -key.
by rewrite !key E.
Qed.


(** ** Attention *)

Lemma vec_apply_rows m n k M X : dividing k (flatten (rows_of m n M)) ->
  vec m (apply (map (map (clear k)) (rows_of m n M)) X) = phi k *: (matrix_of R m n M *m vec n X).
Proof.
move=> kM; rewrite (vec_apply (m := m) (n := n)).
  rewrite scalemxAl; congr (_ *m _); apply/matrixP=> i j; rewrite !mxE nth_map_clear nth_clear.
    by rewrite /rows_of !nth_mkseq.
  exact: dividing_flatten.
by rewrite /rows_of /mkseq !all_map; apply/allP=> i _ /=; rewrite size_map size_mkseq.
Qed.

Lemma largestP (x t : I) l : leb (foldl (fun m y => if leb m y then y else m) x l) t = leb x t && all (fun z => leb z t) l.
Proof.
elim: l x => [|y l IH] x /=; first by rewrite andbT.
rewrite IH; case: ifP => [xy | /negbT xy]; rewrite andbA; congr (_ && _); rewrite -!(phi_le R) in xy *.
  by case yt: (phi y <= _); rewrite ?andbF // (le_trans xy yt).
rewrite -ltNge in xy; case xt: (phi x <= _) => //=; symmetry; exact: le_trans (ltW xy) xt.
Qed.

Definition best (keys : seq (seq I * seq I)) (q : seq I) : seq (seq I) :=
  [seq p.2 | p <- keys & all (fun r => phi (dot q r.1) <= phi (dot q p.1)) keys].

Lemma poolE keys q : pool keys q = (sumv (best keys q), of_Z I (Z.of_nat (size (best keys q)))).
Proof.
rewrite /pool; set l := [seq p.2 | p <- _ & leb _ _]; suff -> : l = best keys q by [].
rewrite /l; case: keys {l} => // r keys; congr (map _ _); apply: eq_filter => p.
rewrite /largest [map _ _]/= largestP all_map /= phi_le; congr (_ && _).
by apply: eq_all => z /=; rewrite phi_le.
Qed.

Lemma eqv_dot x y z : eqv x y -> phi (dot x z) = phi (dot y z).
Proof.
elim: x y z => [|a x IH] [|c y] [|e z] //= /andP[/phi_eq E1 /IH E2].
by rewrite !phiD !phiM E1 E2.
Qed.

Lemma eqv_pool (keys : seq (seq I * seq I)) x y : eqv x y -> pool keys x = pool keys y.
Proof.
move=> E; rewrite !poolE; have -> // : best keys x = best keys y.
congr (map _ _); apply: eq_filter => p; apply: eq_all => r; by rewrite !(eqv_dot _ E).
Qed.

Lemma phi_nat n : phi (of_Z I (Z.of_nat n)) = n%:R.
Proof. by rewrite /phi of_ZK /phiZ -[Z.of_nat n]/(Z_of_int (Posz n)) Z_of_intK. Qed.

Lemma zip_map (A B C : Type) (f : A -> B) (g : A -> C) s : zip (map f s) (map g s) = [seq (f x, g x) | x <- s].
Proof. by elim: s => //= x s ->. Qed.

Section Attention.

Variables (d : nat) (a : sa_literal) (s : state I).
Hypothesis k0 : pos (over s).
Hypothesis s0 : vectors s <> [::].

Let k := over s.
Let vs := vectors s.
Let ac := compile_sa I d a.
Let keys := [seq (apply (sa_key ac) x, x) | x <- vs].
Let tok X : 'cV[R]_d := (phi k)^-1 *: vec d X.
Let fol X := followed (sa_of R d a) (map tok vs) (tok X).

Lemma score_scale : exists2 c : R, 0 < c & forall X Y,
  phi (dot (apply (sa_query ac) X) (apply (sa_key ac) Y)) =
  c * inner (sa_Q (sa_of R d a) *m tok X) (sa_K (sa_of R d a) *m tok Y).
Proof.
pose cq := common I (flatten (rows_of (lit_height a) d (lit_Q a))).
pose ck := common I (flatten (rows_of (lit_height a) d (lit_K a))).
exists (phi cq * phi ck * (phi k * phi k)); first by rewrite !mulr_gt0 // phi_gt0 //; exact: pos_common.
move=> X Y; rewrite (phi_dot (n := lit_height a)); last by rewrite !size_map size_iota.
rewrite /= !vec_apply_rows; try exact: dividing_common.
rewrite -/cq -/ck -!scalemxAr !innerZl !innerZr; set v := inner _ _.
by field; rewrite phi_neq0.
Qed.

Lemma best_followed X : map tok (best keys (apply (sa_query ac) X)) = fol X.
Proof.
have [c c0 H] := score_scale.
rewrite /best /fol /followed /argmax filter_map -map_comp filter_map -map_comp.
rewrite (eq_map (_ : _ =1 tok)) //; congr (map _ _); apply: eq_filter => Y /=.
rewrite !all_map; apply: eq_all => Z /=; by rewrite !H ler_pmul2l.
Qed.

Lemma fol_neq0 X : fol X != [::].
Proof. by apply: argmax_neq0; move: s0; rewrite /vs; case: (vectors s). Qed.

Lemma pos_pool X : pos (pool keys (apply (sa_query ac) X)).2.
Proof.
rewrite poolE /pos /= of_ZK; have := fol_neq0 X.
by rewrite -best_followed -size_eq0 size_map; case: (size _).
Qed.

Lemma vec_pool X : let p := pool keys (apply (sa_query ac) X) in
  vec d p.1 = phi p.2 *: (phi k *: mean (fol X)).
Proof.
rewrite poolE /= vec_sum phi_nat /mean -best_followed size_map big_map -scaler_sumr !scalerA.
have n0 : (size (best keys (apply (sa_query ac) X)))%:R != 0 :> R.
  by rewrite pnatr_eq0 -(size_map tok) best_followed size_eq0 fol_neq0.
set n := _%:R in n0 *.
by rewrite (_ : n * _ * _ * _ = 1) ?scale1r //; field; rewrite n0 phi_neq0.
Qed.

Lemma run_sa_some : pos (over (run_sa ac s)) /\ denote d (run_sa ac s) = apply_sa (sa_of R d a) (denote d s).
Proof.
pose g X := pool keys (apply (sa_query ac) X).
pose e := sa_over ac; pose l := foldr (fun X => lcm (g X).2) one vs.
have e0 : pos e by exact: pos_common.
have l0 : pos l by exact: (foldr_lcm _ pos_pool).
have pools : map_once (pool keys) (map (apply (sa_query ac)) vs) = map g vs.
  have := map_onceE id (pool keys) (map (apply (sa_query ac)) vs); rewrite map_id => -> //.
    by rewrite -map_comp.
  by move=> x y; exact: eqv_pool.
have ls : foldr (fun p : seq I * I => lcm p.2) one (map g vs) = l by rewrite foldr_map.
have E : run_sa ac s = State (mul e (mul l k))
    [seq addv (scale (mul (sa_keep ac) l) X) (apply (sa_value ac) (scale (div l (g X).2) (g X).1)) | X <- vs].
  rewrite /run_sa -/keys -/vs pools ls -[X in zip X _]map_id zip_map -map_comp; congr (State _ _).
rewrite E; split; first by do 2![apply: pos_mul => //].
have key i : (i < size vs)%N -> let X := nth [::] vs i in
  (phi (mul e (mul l k)))^-1 *:
    vec d (addv (scale (mul (sa_keep ac) l) X) (apply (sa_value ac) (scale (div l (g X).2) (g X).1))) =
  value R (lit_rho a) *: tok X + matrix_of R d d (lit_V a) *m mean (fol X).
  move=> il X; have Xl : divides (g X).2 l by apply: (foldr_lcm_nth [::] pos_pool).
  have kn := phi_neq0 k0; have en := phi_neq0 e0; have ln := phi_neq0 l0; have cn := phi_neq0 (pos_pool X).
  have Ev : sa_value ac = map (map (clear e)) (rows_of d d (lit_V a)) by [].
  have Er : phi (sa_keep ac) = phi e * value R (lit_rho a).
    by apply: phi_clear; exact: (dividing_common (lit_rho a :: _) 0%N).
  rewrite vec_add vec_scale (phiM (sa_keep ac)) Er Ev vec_apply_rows; last first.
    by have [] := @dividing_cat I e [:: lit_rho a] _ (dividing_common (lit_rho a :: _)).
  have Eg : vec d (g X).1 = phi (g X).2 *: (phi k *: mean (fol X)) := vec_pool X.
  rewrite vec_scale Eg phi_div //; last exact: pos_pool.
  move: (mean _) => mu; rewrite -!scalemxAr scalerDr !scalerA (phiM e) (phiM l); congr (_ *: _ + _).
    by field; rewrite kn en ln.
  rewrite -[RHS]scale1r; congr (_ *: _).
  by field; rewrite kn en ln cn.
rewrite /denote /apply_sa [over _]/= [vectors _]/=; apply: (@eq_from_nth _ 0); rewrite ?size_map // => i il.
by rewrite (nth_map [::]) ?size_map // (nth_map [::]) // key // (nth_map 0) ?size_map // (nth_map [::]).
Qed.

End Attention.

Lemma run_saP d a s : pos (over s) ->
  pos (over (run_sa (compile_sa I d a) s)) /\
  denote d (run_sa (compile_sa I d a) s) = apply_sa (sa_of R d a) (denote d s).
Proof.
move=> k0; case E: (vectors s) => [|x l]; last by apply: run_sa_some => //; rewrite E.
rewrite /run_sa /denote E /=; split=> //.
by apply: pos_mul; [exact: pos_common | apply: pos_mul => //; exact: pos1].
Qed.

(** ** Transformer and data *)

Lemma run_blockP d c s : pos (over s) ->
  pos (over (run_block s (compile I d c))) /\
  denote d (run_block s (compile I d c)) = apply_block (block_of R d c) (denote d s).
Proof.
move=> s0; have [k0 <-] := reduceP (R := R) d s0; rewrite /run_block; move: (reduce s) k0 => {s0}s k0.
case: c => [[f|] [g|]].
- have [k1 E1] := run_ffP d f k0; have [k2 E2] := run_saP d g k1.
  exact: (conj k2 (etrans E2 (congr1 (apply_sa _) E1))).
- exact: (run_ffP d f k0).
- exact: (run_saP d g k0).
- exact: (conj k0 erefl).
Qed.

Lemma runP d t s : pos (over s) ->
  pos (over (foldl (@run_block I) s (map (compile I d) t))) /\
  denote d (foldl (@run_block I) s (map (compile I d) t)) = run (map (block_of R d) t) (denote d s).
Proof.
elim: t s => //= c t IH s k0; have [k1 E] := run_blockP d c k0.
by have [k2 ->] := IH _ k1; rewrite E.
Qed.

Lemma all_has_sub (A B : Type) (T : eqType) (P : A -> B -> bool) (f : A -> T) (g : B -> T) xs ys :
  (forall x y, P x y -> f x = g y) -> all (fun x => has (P x) ys) xs -> {subset map f xs <= map g ys}.
Proof.
move=> H; elim: xs => //= x xs IH /andP[hx /IH S] v; rewrite inE => /orP[/eqP-> | /S //].
by elim: ys hx {IH S} => //= y ys IH /orP[/H -> | /IH E]; rewrite inE ?eqxx // E orbT.
Qed.

Lemma same_setP d s t : pos (over s) -> pos (over t) -> same_set s t -> denote d s =i denote d t.
Proof.
move=> s0 t0; rewrite /same_set !all_map => /andP[st ts].
have H x y : eqv (scale (over t) x) (scale (over s) y) -> (phi (over s))^-1 *: vec d x = (phi (over t))^-1 *: vec d y.
  move=> /(eqv_vec (R := R) d); rewrite !vec_scale => E.
  rewrite -[vec d x]scale1r -(mulVf (phi_neq0 t0)) -scalerA E !scalerA mulrCA mulVf ?mulr1 //; exact: phi_neq0.
move=> v; apply/idP/idP.
  apply: (all_has_sub H); by apply: sub_all st => x /=; rewrite has_map.
apply: (all_has_sub (P := fun y x => eqv (scale (over t) x) (scale (over s) y))) => [x y /H -> //|].
by apply: sub_all ts => y /=; rewrite has_map.
Qed.

Lemma check_sequenceP d t q : check_sequence (map (compile I d) t) q ->
  run (map (block_of R d) t) (map (vector R d) (tokens q)) =i map (vector R d) (targets q).
Proof.
have [k0 Ek] := clear_rowsP (R := R) (I := I) d (tokens q); have [y0 Ey] := clear_rowsP (R := R) (I := I) d (targets q).
by have [r0 Er] := runP d t k0; move/(same_setP r0 y0) => /(_ d); rewrite Er Ek Ey.
Qed.

End Sound.

Theorem check_sound (I : integers) (c : certificate) : check I c -> claim c.
Proof.
move=> /andP[cs H]; split=> // R xs ys.
elim: (sequences c) H => //= q l IH /andP[hq /IH hl].
by rewrite inE => /orP[/eqP[-> ->] | /hl //]; exact: check_sequenceP hq.
Qed.
