(** What a certificate of interpolation says: its literal numbers, and what they claim.

    The file written by [exactformer export-rocq] ends with a theorem [claim certificate],
    where [certificate] holds the numbers of the JSON lines one for one. *)

From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ssrZ.
From Exactformer Require Import Semantics.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** Literals: a number is p or p # q (the standard library's [Q], used as a notation only),
    a matrix has one of four forms *)

Inductive matrix :=
  | Dense of seq (seq Q)         (* [[row], [row], ...] *)
  | Outer of seq Q & seq Q       (* {"outer": [[column], [row]]} *)
  | Scalar of Q                  (* {"scalar": c}: c times the identity *)
  | Zero.                        (* {"zero": true} *)

Record ff_literal := FF { lit_eta : Q; lit_U : matrix; lit_b : seq Q; lit_W : matrix }.

(** [lit_height] is the common number of rows of Q and K. *)
Record sa_literal := SA { lit_rho : Q; lit_V : matrix; lit_height : nat; lit_Q : matrix; lit_K : matrix }.

Record block_literal := BlockLiteral { lit_ff : option ff_literal; lit_sa : option sa_literal }.

Record sequence_literal := Sequence { tokens : seq (seq Q); targets : seq (seq Q) }.

Record certificate := Certificate {
  dim : nat;
  blocks : seq block_literal;
  sequences : seq sequence_literal
}.

(** ** Meaning *)

Definition zero : Q := Qmake Z0 xH.

Definition entry (M : matrix) (i j : nat) : Q :=
  match M with
  | Dense r => nth zero (nth [::] r i) j
  | Outer c r => Qmult (nth zero c i) (nth zero r j)
  | Scalar c => if i == j then c else zero
  | Zero => zero
  end.

Section Meaning.

Variables (R : realFieldType) (d : nat).

(** p # q means p / q. *)
Definition value (q : Q) : R := (int_of_Z (Qnum q))%:~R / (int_of_Z (Zpos (Qden q)))%:~R.

Definition vector n (l : seq Q) : 'cV[R]_n := \col_i value (nth zero l i).

Definition matrix_of m n (M : matrix) : 'M[R]_(m, n) := \matrix_(i, j) value (entry M i j).

Definition ff_of (f : ff_literal) : feed_forward R d :=
  FeedForward (value (lit_eta f))
    (matrix_of (size (lit_b f)) d (lit_U f)) (vector _ (lit_b f)) (matrix_of d _ (lit_W f)).

Definition sa_of (a : sa_literal) : self_attention R d :=
  SelfAttention (value (lit_rho a)) (matrix_of d d (lit_V a))
    (matrix_of (lit_height a) d (lit_Q a)) (matrix_of _ d (lit_K a)).

Definition block_of (c : block_literal) : block R d :=
  Block (omap ff_of (lit_ff c)) (omap sa_of (lit_sa c)).

Definition sequence_of (s : sequence_literal) : seq 'cV[R]_d * seq 'cV[R]_d :=
  (map (vector d) (tokens s), map (vector d) (targets s)).

End Meaning.

(** ** Shapes: every list has exactly the length the dimensions ask for; nothing is empty *)

Definition shaped_matrix m n (M : matrix) : bool :=
  match M with
  | Dense r => (size r == m) && all (fun l => size l == n) r
  | Outer c r => (size c == m) && (size r == n)
  | Scalar _ => m == n
  | Zero => true
  end.

Definition shaped_ff d (f : ff_literal) : bool :=
  [&& (0 < size (lit_b f))%N, shaped_matrix (size (lit_b f)) d (lit_U f) & shaped_matrix d (size (lit_b f)) (lit_W f)].

Definition shaped_sa d (a : sa_literal) : bool :=
  [&& (0 < lit_height a)%N, shaped_matrix d d (lit_V a),
      shaped_matrix (lit_height a) d (lit_Q a) & shaped_matrix (lit_height a) d (lit_K a)].

Definition shaped_block d (c : block_literal) : bool :=
  (if lit_ff c is Some f then shaped_ff d f else true) && (if lit_sa c is Some a then shaped_sa d a else true).

Definition shaped_points d (l : seq (seq Q)) : bool := (0 < size l)%N && all (fun x => size x == d) l.

Definition shaped (c : certificate) : bool :=
  [&& (0 < dim c)%N, all (shaped_block (dim c)) (blocks c)
    & all (fun s => shaped_points (dim c) (tokens s) && shaped_points (dim c) (targets s)) (sequences c)].

(** ** The claim: over every ordered field, the transformer interpolates the data exactly *)

Definition claim (c : certificate) : Prop :=
  shaped c /\
  forall R : realFieldType,
    interpolates (map (block_of R (dim c)) (blocks c)) (map (sequence_of R (dim c)) (sequences c)).
