(** Attention with any kernel phi is close to what dominates: rule A of the softmax certificates, one query at a time.

    phi gives y the weight phi(f y), f the scores; softmax at inverse temperature beta is phi = exp(beta .).  All that
    is used of phi: weights are nonnegative, and outside T each is at most e y times that of a reference token r.  For
    softmax, e y = 2 ^ (- floor(10 beta0 gap / 7)) serves every beta >= beta0, since exp(7/10) > 2. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From Exactformer Require Import Semantics Basics Dynamics Limits Softmax.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Dominance.

Variables (R : realFieldType) (d : nat) (phi : R -> R).
Notation token := 'cV[R]_d.
Variables (f : token -> R) (s : seq token) (T : pred token) (r : token) (e : token -> R).

Hypothesis r_in : r \in s.
Hypothesis phi_ge0 : forall y, y \in s -> 0 <= phi (f y).
Hypothesis phi_r : 0 < phi (f r).
Hypothesis small : forall y, y \in s -> ~~ T y -> phi (f y) <= e y * phi (f r).

Let total : R := \sum_(y <- s) phi (f y).

(** The share of the weight outside T. *)
Definition mass_outside : R := (\sum_(y <- s | ~~ T y) phi (f y)) / total.

(** Its bound: the ratios of all tokens outside T, over the number of copies of r. *)
Definition mass_bound : R := (\sum_(y <- s | ~~ T y) e y) / (count_mem r s)%:R.

Lemma copies_gt0 : 0 < (count_mem r s)%:R :> R.
Proof. by rewrite ltr0n -has_count has_pred1. Qed.

Lemma total_ge : (count_mem r s)%:R * phi (f r) <= total.
Proof.
rewrite -sum_count mulr_suml /total !big_seq; apply: ler_sum => y ys.
by case: eqP => [-> | _]; rewrite ?mul1r // mul0r phi_ge0.
Qed.

Lemma total_gt0 : 0 < total.
Proof. by apply: lt_le_trans total_ge; rewrite mulr_gt0 ?copies_gt0. Qed.

Theorem dominance_mass : 0 <= mass_outside <= mass_bound.
Proof.
have t0 := total_gt0; have c0 := copies_gt0; apply/andP; split.
  by rewrite divr_ge0 ?(ltW t0) // big_seq_cond sumr_ge0 // => y /andP[/phi_ge0].
rewrite /mass_outside ler_pdivr_mulr //.
have S : \sum_(y <- s | ~~ T y) phi (f y) <= (\sum_(y <- s | ~~ T y) e y) * phi (f r).
  by rewrite mulr_suml [X in X <= _]big_seq_cond [X in _ <= X]big_seq_cond; apply: ler_sum => y /andP[ys /(small ys)].
have E0 : 0 <= \sum_(y <- s | ~~ T y) e y.
  rewrite big_seq_cond sumr_ge0 // => y /andP[ys Ty].
  by rewrite -(pmulr_lge0 _ phi_r); apply: le_trans (phi_ge0 ys) (small ys Ty).
apply: le_trans S _; rewrite /mass_bound -mulrA ler_wpmul2l // mulrC ler_pdivl_mulr // mulrC.
exact: total_ge.
Qed.

(** A bound of <h, .> on T and one outside give a bound for the mean: all coordinates of a box follow, from both sides. *)
Theorem dominance (h : token) (b c eps : R) :
  (forall y, y \in s -> T y -> inner h y <= b) -> (forall y, y \in s -> ~~ T y -> inner h y <= c) -> mass_bound <= eps ->
  inner h (weighted_mean phi f s) <= b + Num.max 0 (eps * (c - b)).
Proof.
move=> inT outT me; have t0 := total_gt0; have /andP[m0 mb] := dominance_mass.
have W : inner h (weighted_mean phi f s) <= b + mass_outside * (c - b).
  rewrite /weighted_mean innerZr inner_sumr -/total mulrC ler_pdivr_mulr // mulrDl /mass_outside.
  rewrite [_ / total * _]mulrAC mulfVK ?lt0r_neq0 // mulrC {1}/total (bigID T) /= [in X in _ <= X](bigID T) /=.
  have X1 : \sum_(y <- s | T y) inner h (phi (f y) *: y) <= (\sum_(y <- s | T y) phi (f y)) * b.
    rewrite mulr_suml [X in X <= _]big_seq_cond [X in _ <= X]big_seq_cond; apply: ler_sum => y /andP[ys Ty].
    by rewrite innerZr ler_wpmul2l ?phi_ge0 // inT.
  have X2 : \sum_(y <- s | ~~ T y) inner h (phi (f y) *: y) <= (\sum_(y <- s | ~~ T y) phi (f y)) * c.
    rewrite mulr_suml [X in X <= _]big_seq_cond [X in _ <= X]big_seq_cond; apply: ler_sum => y /andP[ys Ty].
    by rewrite innerZr ler_wpmul2l ?phi_ge0 // outT.
  move: (\sum_(y <- s | T y) phi (f y)) (\sum_(y <- s | ~~ T y) phi (f y)) X1 X2 => p q X1 X2.
  by apply: le_trans (ler_add X1 X2) _; rewrite le_eqVlt; apply/orP; left; apply/eqP; ring.
apply: le_trans W _; rewrite ler_add2l le_maxr; case: (leP 0 (c - b)) => cb.
  by rewrite ler_wpmul2r ?orbT // (le_trans mb).
by rewrite mulr_ge0_le0 // ltW.
Qed.

(** Hardmax is within the same bound, where nobody outside T is as good as r. *)
Theorem dominance_hardmax (h : token) (b c eps : R) : (forall y, y \in s -> ~~ T y -> f y < f r) ->
  (forall y, y \in s -> T y -> inner h y <= b) -> inner h (mean (argmax f s)) <= b + Num.max 0 (eps * (c - b)).
Proof.
move=> worse inT; have A0 : argmax f s != [::] by apply: argmax_neq0; case: (s) r_in.
apply: (@le_trans _ _ b); last by rewrite ler_addl le_maxr lexx.
have n0 : 0 < (size (argmax f s))%:R :> R by rewrite ltr0n lt0n size_eq0.
rewrite /mean innerZr inner_sumr mulrC ler_pdivr_mulr // mulrC -sum_const !big_seq.
apply: ler_sum => y /argmaxP[ys best]; apply: inT => //; apply: contraT => /(worse y ys).
by rewrite ltNge best.
Qed.

End Dominance.

(** ** Every temperature from one on *)

(** All that rule A uses of softmax at an inverse temperature beta >= b0, phi = exp(beta .): exp(7/10) > 2. *)
Definition steep (R : realFieldType) (b0 : R) (phi : R -> R) : Prop :=
  (forall s, 0 < phi s) /\ forall s t (m : nat), 7%:R * m%:R <= 10%:R * b0 * (t - s) -> 2%:R ^+ m * phi s <= phi t.

(** m y: the power of two by which the score of y, outside T, falls short of that of r. *)
Corollary dominance_steep (R : realFieldType) (d : nat) (b0 : R) (f : 'cV[R]_d -> R) (s : seq 'cV[R]_d)
    (T : pred 'cV[R]_d) (r : 'cV[R]_d) (m : 'cV[R]_d -> nat) (h : 'cV[R]_d) (b c eps : R) :
  r \in s -> (forall y, y \in s -> ~~ T y -> 7%:R * (m y)%:R <= 10%:R * b0 * (f r - f y)) ->
  (forall y, y \in s -> T y -> inner h y <= b) -> (forall y, y \in s -> ~~ T y -> inner h y <= c) ->
  (\sum_(y <- s | ~~ T y) (2%:R ^+ m y)^-1) / (count_mem r s)%:R <= eps ->
  forall phi, steep b0 phi -> inner h (weighted_mean phi f s) <= b + Num.max 0 (eps * (c - b)).
Proof.
move=> rs gap inT outT me phi [pos ratio]; have p0 y : y \in s -> 0 <= phi (f y) by move=> _; exact: ltW.
apply: (dominance (T := T) (r := r) (e := fun y => (2%:R ^+ m y)^-1)) => // y ys Ty.
by rewrite mulrC ler_pdivl_mulr ?exprn_gt0 ?ltr0n // mulrC; exact/ratio/gap.
Qed.
