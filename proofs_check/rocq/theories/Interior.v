(** Interior points of a polytope conv L: what they are, an executable test (a combination, all weights > 0, of points that
    affinely span the space), and its proof. *)

From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ssrZ ring.
From Exactformer Require Import Semantics Basics Certificate Checker CheckerNumbers Dynamics Limits Metric Polytope PowerSums.
From Exactformer Require Import LimitChecker LimitTests Geometry.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** conv L contains all points near p. *)
Definition interior (R : realFieldType) (d : nat) (L : seq 'cV[R]_d) (p : 'cV[R]_d) : Prop :=
  exists2 eps : R, 0 < eps & forall q : 'cV[R]_d, (forall c, `|q c 0 - p c 0| < eps) -> hull L q.

Lemma interior_off_boundary (R : realFieldType) (d : nat) (L : seq 'cV[R]_d) p : interior L p -> ~ on_boundary L p.
Proof. by move=> [eps e0 near] [_ /(_ eps e0)[q /near]]. Qed.

(** ** Combinations of points that affinely span the space *)

Section Combination.

Variables (R : realFieldType) (d : nat) (L : seq 'cV[R]_d).
Variables (w0 : R) (p0 : 'cV[R]_d) (ps : seq (R * 'cV[R]_d)).
Notation e p := (p.2 - p0).
Implicit Types (p : R * 'cV[R]_d) (v y : 'cV[R]_d).
Hypothesis w0_gt0 : 0 < w0.
Hypothesis w_gt0 : all (fun p => 0 < p.1) ps.
Hypothesis p0_in : p0 \in L.
Hypothesis ps_in : all (fun p => p.2 \in L) ps.
Hypothesis sum1 : w0 + \sum_(p <- ps) p.1 = 1.
Hypothesis spans : forall y, y != 0 -> 0 < \sum_(p <- ps) inner (e p) y ^+ 2.

Let G : 'M[R]_d := \sum_(p <- ps) e p *m (e p)^T.

Lemma G_apply y : G *m y = \sum_(p <- ps) inner (e p) y *: e p.
Proof.
rewrite /G mulmx_suml; apply: eq_bigr => p _; rewrite -mulmxA -mul_mx_scalar; congr (_ *m _).
by apply/matrixP => i j; rewrite !ord1 !mxE eqxx mulr1n; apply: eq_bigr => c _; rewrite !mxE.
Qed.

Lemma G_unit : G \in unitmx.
Proof.
apply: A_unit => [|y /spans]; first by rewrite /G linear_sum; apply: eq_bigr => p _; rewrite /= trmx_mul trmxK.
rewrite G_apply innerC inner_sumr; congr (0 < _); apply: eq_bigr => p _.
by rewrite innerZr expr2 (innerC y).
Qed.

(** By how much the weight of p changes on the way to a point at this difference. *)
Let change (p : R * 'cV[R]_d) (v : 'cV[R]_d) : R := inner (e p) (invmx G *m v).
Let slope (p : R * 'cV[R]_d) : R := \sum_c `|((e p)^T *m invmx G) 0 c|.

Lemma change_small p v eps : (forall c, `|v c 0| < eps) -> `|change p v| <= slope p * eps.
Proof.
move=> small; have -> : change p v = ((e p)^T *m invmx G *m v) 0 0.
  by rewrite -mulmxA mxE; apply: eq_bigr => c _; rewrite [in RHS]mxE.
rewrite mxE mulr_suml; apply: le_trans (ler_norm_sum _ _ _) _; apply: ler_sum => c _.
by rewrite normrM ler_wpmul2l // ltW.
Qed.

Lemma reached v : \sum_(p <- ps) change p v *: e p = v.
Proof. by rewrite -G_apply mulmxA mulmxV ?G_unit // mul1mx. Qed.

Lemma combination_interior : interior L (w0 *: p0 + \sum_(p <- ps) p.1 *: p.2).
Proof.
have [m m0 least] := positive_min (w0 :: [seq p.1 | p <- ps]).
pose N := \sum_(p <- ps) slope p; have N0 : 0 <= N by rewrite sumr_ge0 // => p _; rewrite sumr_ge0.
have N1 : 0 < 1 + N by rewrite ltr_paddr ?ltr01.
exists (m / (1 + N)) => [|q near]; first by rewrite divr_gt0.
set x := _ + _ in near; pose v := q - x; pose t p := change p v.
have all_small : \sum_(p <- ps) `|t p| <= m.
  apply: (@le_trans _ _ (N * (m / (1 + N)))); last first.
    by rewrite mulrA ler_pdivr_mulr // mulrC ler_wpmul2l ?ler_addr ?ler01 // ltW.
  by rewrite /N mulr_suml; apply: ler_sum => p _; apply: change_small => c; rewrite /v mxE [(- x) c 0]mxE; exact: near.
pose parts := (w0 - \sum_(p <- ps) t p, p0) :: [seq (p.1 + t p, p.2) | p <- ps].
have -> : q = \sum_(p <- parts) p.1 *: p.2.
  rewrite big_cons big_map /= -[LHS](subrK x) -/v -(reached v) /x.
  have -> : \sum_(p <- ps) change p v *: e p = \sum_(p <- ps) t p *: p.2 - (\sum_(p <- ps) t p) *: p0.
    by rewrite scaler_suml -sumrB; apply: eq_bigr => p _; rewrite scalerBr.
  have -> : \sum_(p <- ps) (p.1 + t p) *: p.2 = \sum_(p <- ps) p.1 *: p.2 + \sum_(p <- ps) t p *: p.2.
    by rewrite -big_split; apply: eq_bigr => p _; rewrite scalerDl.
  by rewrite scalerBl addrC [X in _ + X = _]addrC addrACA.
have total1 : \sum_(p <- parts) p.1 = 1.
  by rewrite big_cons big_map /= big_split /= addrACA addNr addr0.
rewrite /hull -total1; apply: cone_parts; last by rewrite /= p0_in all_map; exact: ps_in.
rewrite /= subr_ge0 all_map; apply/andP; split.
  apply: le_trans (least w0 (mem_head _ _) w0_gt0); apply: le_trans all_small; apply: ler_sum => p _; exact: ler_norm.
apply/allP => p pin /=; rewrite -[t p]opprK subr_ge0.
apply: le_trans (least p.1 _ (allP w_gt0 p pin)); last by rewrite inE map_f ?orbT.
apply: le_trans all_small; rewrite (big_rem p) //= ler_paddr //; first by rewrite sumr_ge0.
by rewrite -normrN ler_norm.
Qed.

End Combination.

(** ** The test *)

Section Test.

Variable I : integers.
Notation O := (of_Z I Z0).

Definition edges (l : seq (seq I)) : seq (seq I) := [seq addv p (scale (of_Z I (Zneg xH)) (head [::] l)) | p <- behead l].

(** The Gram matrix of the coordinates of the edges is positive definite. *)
Definition spanning (d : nat) (l : seq (seq I)) : bool :=
  let es := edges l in
  let coordinates := [seq [seq nth O e i | e <- es] | i <- iota 0 d] in
  definite d [seq [seq dot x y | y <- coordinates] | x <- coordinates].

Definition check_interior (d : nat) (s : Checker.state I) (x : seq Q) (w : seq (nat * Q)) : bool :=
  let k := common I x in
  [&& check_weights w s, all (fun p => ~~ leb p.1 O) (shares w s),
      same d (scale (mul (share I w) (over s)) (map (clear k) x)) (scale k (combined w s))
    & spanning d [seq p.2 | p <- shares w s]].

End Test.

Section Sound.

Variables (I : integers) (R : realFieldType) (d : nat).
Notation O := (of_Z I Z0).
Notation phi := (@phi I R).
Notation vec := (@vec I R d).

Lemma vec_edge p q : vec (addv p (scale (of_Z I (Zneg xH)) q)) = vec p - vec q.
Proof. by rewrite vec_add vec_scale /CheckerNumbers.phi of_ZK scaleN1r. Qed.

Lemma spanningP (l : seq (seq I)) y : spanning d l -> y != 0 -> 0 < \sum_(p <- behead l) inner (vec p - vec (head [::] l)) y ^+ 2.
Proof.
pose es := edges l; pose X := [seq [seq nth O e i | e <- es] | i <- iota 0 d]; pose M := [seq [seq dot x y | y <- X] | x <- X].
rewrite /spanning -/es -/X -/M => def y0.
have entry i j : (i < d)%N -> (j < d)%N -> phi (nth O (nth [::] M i) j) = \sum_(e <- es) phi (nth O e i) * phi (nth O e j).
  move=> il jl; have sX : size X = d by rewrite size_map size_iota.
  rewrite (nth_map [::]) ?sX // (nth_map [::]) ?sX // !(nth_map 0%N) ?size_iota // !nth_iota // !add0n.
  rewrite (phi_dot (n := size es)) /inner; last by rewrite size_map.
  rewrite [RHS](big_nth [::]) big_mkord; apply: eq_bigr => e _.
  by rewrite !mxE !(nth_map [::] _ _ (ltn_ord e)).
have -> : \sum_(p <- behead l) inner (vec p - vec (head [::] l)) y ^+ 2 = \sum_(e <- es) inner (vec e) y ^+ 2.
  by rewrite /es /edges big_map; apply: eq_bigr => p _; rewrite vec_edge.
pose z i := if insub i is Some j then y j 0 else 0.
have zE (i : 'I_d) : z i = y i 0 by rewrite /z valK.
have -> : \sum_(e <- es) inner (vec e) y ^+ 2 = form d M z.
  rewrite /form; under [RHS]eq_bigr do under eq_bigr do rewrite entry // !mulr_suml.
  under [RHS]eq_bigr do rewrite exchange_big /=; rewrite [RHS]exchange_big /=; apply: eq_bigr => e _.
  rewrite expr2 /inner mulr_suml; apply: eq_bigr => i _; rewrite mulr_sumr; apply: eq_bigr => j _.
  by rewrite !mxE !zE mulrACA mulrA.
apply: definiteP def _ => [i j il jl|]; first by rewrite !entry //; apply: eq_bigr => e _; rewrite mulrC.
case: (boolP [exists i, y i 0 != 0]) => [/existsP[i yi] | /existsPn H]; first by exists i; rewrite ?zE.
by case/eqP: y0; apply/colP => i; rewrite mxE; apply/eqP; move: (H i); rewrite negbK.
Qed.

Lemma check_interiorP (s : Checker.state I) x w (L : seq 'cV[R]_d) : pos (over s) -> check_interior d s x w ->
  (forall p, p \in [seq (phi (over s))^-1 *: vec q.2 | q <- shares w s] -> p \in L) -> interior L (vector R d x).
Proof.
move=> s_pos /and4P[/and3P[_ _ /(phi_eq (R := R)) w1] w_pos E span] /allP; rewrite all_map => in_L.
have [o0 W0] := (phi_gt0 R s_pos, share_gt0 I R w); set W := phi (share I w) in W0 *.
set tok := fun X => (phi (over s))^-1 *: vec X.
have xE : vector R d x = \sum_(p <- shares w s) (phi p.1 / W) *: tok p.2.
  have k0 : 0 < phi (common I x) by exact: common_gt0.
  have -> : \sum_(p <- shares w s) (phi p.1 / W) *: tok p.2 = W^-1 *: tok (combined w s).
    rewrite /tok /combined vec_sum big_map !scaler_sumr; apply: eq_bigr => p _.
    by rewrite vec_scale !scalerA; congr (_ *: _); ring.
  move: E; rewrite (sameP R) !vec_scale vec_clear; last exact: dividing_common.
  rewrite phiM -/W => /eqP E; apply: (scalerI (lt0r_neq0 (mulr_gt0 (mulr_gt0 W0 o0) k0))).
  rewrite -[LHS]scalerA E !scalerA; congr (_ *: _); field; rewrite !lt0r_neq0 //.
rewrite phi_total big_map -/W in w1; rewrite xE.
case: (shares w s) w1 w_pos in_L span => [|[a p0] ps] w1 /=; first by move: W0; rewrite -w1 big_nil ltxx.
case/andP => a0 ps0 /andP[p0L psL] span; rewrite big_cons /=.
have gt0 b : ~~ leb b O -> 0 < phi b / W by rewrite -(phi_le R) phi0 -ltNge => b0; rewrite divr_gt0.
have := @combination_interior R d L (phi a / W) (tok p0) [seq (phi p.1 / W, tok p.2) | p <- ps].
rewrite !big_map /=; apply=> //; first exact: gt0.
- by rewrite all_map; apply: sub_all ps0 => p /=; exact: gt0.
- by rewrite all_map.
- by move: w1; rewrite big_cons -mulr_suml -mulrDl => ->; rewrite mulfV // lt0r_neq0.
move=> y y0; have := spanningP span y0; rewrite big_map big_map /=.
have o1 : 0 < (phi (over s))^-1 ^+ 2 by rewrite exprn_gt0 // invr_gt0.
rewrite -(pmulr_rgt0 _ o1) mulr_sumr; congr (0 < _); apply: eq_bigr => p _.
by rewrite -scalerBr innerZl exprMn.
Qed.

End Sound.
