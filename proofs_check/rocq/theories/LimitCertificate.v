(** What a certificate of limits says, where every token is locked: its literal numbers, and what they claim.

    The file written by [exactformer export-rocq] for such a certificate ends with a theorem
    [limit_claim the_certificate]. *)

From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ssrZ.
From Exactformer Require Import Semantics Certificate Dynamics Limits Orbit Polytope Lock.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** Token i: its limit, and whether its kind is "vertex" (otherwise "projection"). *)
Record place := Place { at_limit : seq Q; is_vertex : bool }.

Record limit_certificate := LimitCertificate {
  lim_dim : nat;
  lim_matrix : seq (seq Q);      (* A *)
  lim_alpha : Q;
  lim_tokens : seq (seq Q);
  lim_layer : nat;               (* K: from here on nothing changes *)
  lim_places : seq place;
  lim_leaders : seq nat
}.

Definition shaped_limit (c : limit_certificate) : bool :=
  [&& (0 < lim_dim c)%N, shaped_matrix (lim_dim c) (lim_dim c) (Dense (lim_matrix c)),
      shaped_points (lim_dim c) (lim_tokens c), size (lim_places c) == size (lim_tokens c),
      all (fun p => size (at_limit p) == lim_dim c) (lim_places c)
    & all (fun i => i < size (lim_tokens c))%N (lim_leaders c)].

Section Claim.

Variables (R : realFieldType) (c : limit_certificate).

Definition the_A : 'M[R]_(lim_dim c) := matrix_of R _ _ (Dense (lim_matrix c)).
Definition the_a : R := value R (lim_alpha c) / (1 + value R (lim_alpha c)).
Definition the_tokens : seq 'cV[R]_(lim_dim c) := map (vector R _) (lim_tokens c).
Definition the_place i : place := nth (Place [::] false) (lim_places c) i.
Definition the_limit i : 'cV[R]_(lim_dim c) := vector R _ (at_limit (the_place i)).

Notation z := (token_at the_A the_a the_tokens).
Notation state := (state the_A the_a the_tokens).

(** j is in C_i at layer k. *)
Definition follower_of k i j : bool := z k j \in follows the_A (state k) (z k i).

(** The leading positions of layer K. *)
Definition polytope : seq 'cV[R]_(lim_dim c) := [seq p <- state (lim_layer c) | leading the_A (state (lim_layer c)) p].

(** Token i, for ever: C_i does not change any more, the way is a geometric progression, the limit is the point of least
    norm of a face of the polytope of the leading positions, and one of these positions if it is called a vertex. *)
Record token_claim (i : nat) : Prop := TokenClaim {
  constant_set : forall k j, (lim_layer c <= k)%N -> (j < size the_tokens)%N -> follower_of k i j = follower_of (lim_layer c) i j;
  closed_form : forall k, z (lim_layer c + k) i = the_limit i + (1 - the_a) ^+ k *: (z (lim_layer c) i - the_limit i);
  converges : archimedean R -> tends (fun k => z k i) (the_limit i);
  leads_or_not : i \in lim_leaders c <-> exists k, leads the_A the_a the_tokens k i;
  vertex_or_not : the_limit i \in polytope = is_vertex (the_place i);
  on_a_face : least_norm_on_face the_A polytope (the_A *m the_limit i) (the_limit i)
}.

End Claim.

(** ** The claim, over every ordered field *)

Definition limit_claim (c : limit_certificate) : Prop :=
  shaped_limit c /\
  forall R : realFieldType,
  [/\ (the_A R c)^T = the_A R c, forall x, x != 0 -> 0 < inner (the_A R c *m x) x, 0 < the_a R c < 1
    & forall i, (i < size (lim_tokens c))%N -> token_claim R c i].
