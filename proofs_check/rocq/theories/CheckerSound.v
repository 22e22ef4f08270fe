(** The checker is sound: [check c = true -> claim c], whatever its integers. *)

From Coq Require Import ZArith QArith Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ssrZ zify ring.
From Exactformer Require Import Semantics Basics Certificate Checker CheckerNumbers CheckerFeedForward.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Delimit Scope Z_scope with z.  (* %Z is taken by mathcomp's int *)

Opaque depth.

Section Sound.

Variables (I : integers) (R : realFieldType).

Notation O := (of_Z I Z0).
Notation one := (of_Z I (Zpos xH)).
Notation phi := (@phi I R).
Notation phi_gt0 := (@CheckerNumbers.phi_gt0 I R _).
Notation phi_neq0 := (@CheckerNumbers.phi_neq0 I R _).
Notation vec := (@vec I R).
Notation denote := (@denote I R).

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

Lemma winnersE keys q : winners keys q = best keys q.
Proof.
rewrite /winners; case: keys => // r keys; congr (map _ _); apply: eq_filter => p.
rewrite /largest [map _ _]/= largestP all_map /= phi_le; congr (_ && _).
by apply: eq_all => z /=; rewrite phi_le.
Qed.

Lemma poolE keys q : pool keys q = (sumv (best keys q), of_Z I (Z.of_nat (size (best keys q)))).
Proof. by rewrite /pool winnersE. Qed.

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

Lemma run_blockP d c s : shaped_block d c -> pos (over s) ->
  pos (over (run_block s (compile I d c))) /\
  denote d (run_block s (compile I d c)) = apply_block (block_of R d c) (denote d s).
Proof.
move=> cs s0; have [k0 <-] := reduceP (R := R) d s0; rewrite /run_block; move: (reduce s) k0 => {s0}s k0.
case: c cs => [[f|] [g|]] /andP[/= fs _].
- have [k1 E1] := run_ffP R fs k0; have [k2 E2] := run_saP d g k1.
  exact: (conj k2 (etrans E2 (congr1 (apply_sa _) E1))).
- exact: (run_ffP R fs k0).
- exact: (run_saP d g k0).
- exact: (conj k0 erefl).
Qed.

Lemma runP d t s : all (shaped_block d) t -> pos (over s) ->
  pos (over (foldl (@run_block I) s (map (compile I d) t))) /\
  denote d (foldl (@run_block I) s (map (compile I d) t)) = run (map (block_of R d) t) (denote d s).
Proof.
elim: t s => //= c t IH s /andP[cs ts] k0; have [k1 E] := run_blockP cs k0.
by have [k2 ->] := IH _ ts k1; rewrite E.
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

Lemma check_sequenceP d t q : all (shaped_block d) t -> check_sequence (map (compile I d) t) q ->
  run (map (block_of R d) t) (map (vector R d) (tokens q)) =i map (vector R d) (targets q).
Proof.
move=> ts; have [k0 Ek] := clear_rowsP (R := R) (I := I) d (tokens q); have [y0 Ey] := clear_rowsP (R := R) (I := I) d (targets q).
by have [r0 Er] := runP ts k0; move/(same_setP r0 y0) => /(_ d); rewrite Er Ek Ey.
Qed.

End Sound.

Theorem check_sound (I : integers) (c : certificate) : check I c -> claim c.
Proof.
move=> /andP[cs H]; split=> // R xs ys.
elim: (sequences c) H => //= q l IH /andP[hq /IH hl].
by rewrite inE => /orP[/eqP[-> ->] | /hl //]; apply: check_sequenceP hq; case/and3P: cs.
Qed.
