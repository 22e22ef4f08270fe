(** What a hardmax transformer computes, over any ordered field.

    This file is the statement every other file is about: read it and agree with it.
    Nothing here is computed with; nothing here is proved. *)

From mathcomp Require Import all_ssreflect all_algebra.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Semantics.

Variable R : realFieldType.   (* the numbers: rationals, real algebraic numbers, reals *)
Variable d : nat.             (* the dimension *)

(** A token is a column vector; a sequence is a list of tokens. *)
Notation token := 'cV[R]_d.

(** ** Feed-forward:  x -> eta x + W relu(U x + b) *)

Record feed_forward := FeedForward {
  width  : nat;
  ff_eta : R;
  ff_U   : 'M[R]_(width, d);
  ff_b   : 'cV[R]_width;
  ff_W   : 'M[R]_(d, width)
}.

Definition relu p (x : 'cV[R]_p) : 'cV[R]_p := \col_i Num.max 0 (x i 0).

Definition apply_ff (f : feed_forward) (x : token) : token :=
  ff_eta f *: x + ff_W f *m relu (ff_U f *m x + ff_b f).

(** ** Hardmax attention:  x_i -> rho x_i + V mean_{j in C_i} x_j,  C_i = argmax_j <Q x_i, K x_j> *)

Definition inner h (x y : 'cV[R]_h) : R := \sum_i x i 0 * y i 0.

(** All members of [s] at which [f] is largest, each as often as it occurs in [s]. *)
Definition argmax (f : token -> R) (s : seq token) : seq token :=
  [seq y <- s | all (fun z => f z <= f y) s].

Definition mean (s : seq token) : token := (size s)%:R^-1 *: \sum_(y <- s) y.

Record self_attention := SelfAttention {
  height : nat;
  sa_rho : R;
  sa_V   : 'M[R]_d;
  sa_Q   : 'M[R]_(height, d);
  sa_K   : 'M[R]_(height, d)
}.

Definition followed (a : self_attention) (s : seq token) (x : token) : seq token :=
  argmax (fun y => inner (sa_Q a *m x) (sa_K a *m y)) s.

Definition apply_sa (a : self_attention) (s : seq token) : seq token :=
  [seq sa_rho a *: x + sa_V a *m mean (followed a s x) | x <- s].

(** ** Blocks and transformers: feed-forward, then self-attention; [None] is the identity *)

Record block := Block {
  block_ff : option feed_forward;
  block_sa : option self_attention
}.

Definition apply_block (c : block) (s : seq token) : seq token :=
  let s' := if block_ff c is Some f then map (apply_ff f) s else s in
  if block_sa c is Some a then apply_sa a s' else s'.

Definition transformer := seq block.

Definition run (t : transformer) (s : seq token) : seq token :=
  foldl (fun s' c => apply_block c s') s t.

(** ** Exact interpolation: for every (sequence, targets), the set of outputs is the set of targets *)

Definition dataset := seq (seq token * seq token).

Definition interpolates (t : transformer) (data : dataset) : Prop :=
  forall xs ys, (xs, ys) \in data -> run t xs =i ys.

End Semantics.
