(** Softmax at every temperature, where the attention is uniform.

    Attention with a kernel phi gives y the weight phi(<Q x, K y>), normalised; softmax at inverse temperature beta
    is phi = exp(beta .).  If Q = 0 or K = 0, every such attention is the mean over all tokens, and so is hardmax. *)

From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ssrZ.
From Exactformer Require Import Semantics Basics Certificate Measure Shallow Instances.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Softmax.

Variables (R : realFieldType) (d : nat) (phi : R -> R).
Notation token := 'cV[R]_d.

(** ** Semantics *)

Definition weighted_mean (f : token -> R) (s : seq token) : token :=
  (\sum_(y <- s) phi (f y))^-1 *: \sum_(y <- s) phi (f y) *: y.

Definition apply_soft (a : self_attention R d) (s : seq token) : seq token :=
  [seq sa_rho a *: x + sa_V a *m weighted_mean (fun y => inner (sa_Q a *m x) (sa_K a *m y)) s | x <- s].

Definition apply_soft_block (c : block R d) (s : seq token) : seq token :=
  let s' := if block_ff c is Some f then map (apply_ff f) s else s in
  if block_sa c is Some a then apply_soft a s' else s'.

Definition run_soft (t : transformer R d) (s : seq token) : seq token :=
  foldl (fun s' c => apply_soft_block c s') s t.

Definition soft_interpolates (t : transformer R d) (data : dataset R d) : Prop :=
  forall xs ys, (xs, ys) \in data -> run_soft t xs =i ys.

(** ** Uniform attention *)

Definition uniform_block (c : block R d) : Prop :=
  if block_sa c is Some a then sa_Q a = 0 \/ sa_K a = 0 else True.

Fixpoint uniform (t : transformer R d) : Prop :=
  if t is c :: t' then uniform_block c /\ uniform t' else True.

Hypothesis phi0 : phi 0 != 0.

Lemma soft_is_hard_block c s : uniform_block c -> apply_soft_block c s = apply_block c s.
Proof.
rewrite /uniform_block /apply_soft_block /apply_block; case: (block_sa c) => // a u.
set s' := (X in apply_soft a X); apply: eq_map => x; congr (_ + _ *m _).
have E y : inner (sa_Q a *m x) (sa_K a *m y) = 0.
  by case: u => ->; rewrite mul0mx ?inner0l ?inner0r.
rewrite /followed argmax_const => [|y z]; last by rewrite !E.
rewrite /weighted_mean /mean (eq_bigr (fun _ => phi 0)) => [|y _]; last by rewrite E.
rewrite (eq_bigr (fun y => phi 0 *: y)) => [|y _]; last by rewrite E.
rewrite -scaler_sumr scalerA big_const_seq count_predT iter_addr_0 -[phi 0 *+ _]mulr_natl; congr (_ *: _).
by rewrite invfM -mulrA mulVf ?mulr1.
Qed.

Theorem soft_is_hard t s : uniform t -> run_soft t s = run t s.
Proof.
elim: t s => //= c t IH s [uc ut].
by rewrite /run_soft /run /= -/(run_soft t _) -/(run t _) soft_is_hard_block // IH.
Qed.

End Softmax.

(** The transformer of the shallow theorem works for softmax at every temperature, with the same weights. *)
Theorem shallow_softmax (R : realFieldType) (d : nat) (data : dataset R d.+1) : feasible data ->
  exists c1 c2 : block R d.+1,
    interpolates [:: c1; c2] data /\ forall phi : R -> R, phi 0 != 0 -> soft_interpolates phi [:: c1; c2] data.
Proof.
move=> /shallow[f1 [f2 [a [_ _ aQ H]]]]; exists (Block (Some f1) (Some a)), (Block (Some f2) None); split=> // phi p0.
by move=> xs ys xy y; rewrite soft_is_hard; [exact: H | exact: p0 | split=> //; left].
Qed.

(** ** Certificates with "attention": "softmax" *)

Definition zero_number (q : Q) : bool := if Qnum q is Z0 then true else false.

Definition zero_matrix (M : matrix) : bool :=
  match M with
  | Dense r => all (all zero_number) r
  | Outer c r => all zero_number c || all zero_number r
  | Scalar c => zero_number c
  | Zero => true
  end.

Definition uniform_literal (c : block_literal) : bool :=
  if lit_sa c is Some a then zero_matrix (lit_Q a) || zero_matrix (lit_K a) else true.

Definition softmax_claim (c : certificate) : Prop :=
  claim c /\
  forall (R : realFieldType) (phi : R -> R), phi 0 != 0 ->
    soft_interpolates phi (map (block_of R (dim c)) (blocks c)) (map (sequence_of R (dim c)) (sequences c)).

Lemma value_zero (R : realFieldType) q : zero_number q -> value R q = 0.
Proof. by case: q => [[|p|p] m] //= _; rewrite /value /= mul0r. Qed.

Lemma nth_zero l i : all zero_number l -> zero_number (nth zero l i).
Proof. by elim: l i => [|q l IH] [|i] //= /andP[q0 /IH]. Qed.

Lemma matrix_zero (R : realFieldType) m n M : zero_matrix M -> matrix_of R m n M = 0.
Proof.
move=> M0; apply/matrixP => i j; rewrite !mxE; apply: value_zero; case: M M0 => [r | c r | c |] //=.
- by move=> r0; apply: nth_zero; elim: r (i : nat) r0 => [|l r IH] [|k] //= /andP[l0 /IH].
- case/orP => [/(nth_zero i) | /(nth_zero j)]; rewrite /zero_number /=.
    by case: (Qnum (nth zero c i)).
  by case: (Qnum (nth zero r j)) => // _; rewrite Z.mul_0_r.
- by case: eqP.
Qed.

Lemma softmax_sound (c : certificate) : all uniform_literal (blocks c) -> claim c -> softmax_claim c.
Proof.
move=> uc cl; split=> // R phi p0 xs ys xy y; rewrite soft_is_hard //; first exact: (cl.2 R).
elim: (blocks c) uc => //= b l IH /andP[ub /IH]; split=> //; case: b ub => f [a|] //=.
by rewrite /uniform_block /=; case/orP => M0; [left | right]; exact: matrix_zero.
Qed.

Theorem check_Z_softmax_sound (c : certificate) :
  all uniform_literal (blocks c) && check_Z c = true -> softmax_claim c.
Proof. by case/andP => u /check_Z_sound; exact: softmax_sound. Qed.

Theorem check_bigZ_softmax_sound (c : certificate) :
  all uniform_literal (blocks c) && check_bigZ c = true -> softmax_claim c.
Proof. by case/andP => u /check_bigZ_sound; exact: softmax_sound. Qed.
