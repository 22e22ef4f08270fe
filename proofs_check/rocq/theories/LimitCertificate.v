(** What a certificate of limits says: its literal numbers, and what they claim.

    The file written by [exactformer export-rocq] for such a certificate ends with a theorem
    [limit_claim the_certificate]. *)

From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ssrZ.
From Exactformer Require Import Semantics Certificate Dynamics Limits Orbit Polytope Lock Forever.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** Why token i goes where it goes: "lock", or "form" with terms (base, power, vector) and its k0. *)
Inductive evidence :=
  | Locked
  | Form of seq (Q * nat * seq Q) & nat.

Definition Term (base : Q) (power : nat) (v : seq Q) : Q * nat * seq Q := (base, power, v).
Definition Weight (token : nat) (w : Q) : nat * Q := (token, w).

(** Token i: its limit, its evidence, and its kind: "vertex", or "projection" onto the face with this normal. *)
Record place := Place {
  at_limit : seq Q;
  by_evidence : evidence;
  is_vertex : bool;
  normal : seq Q;                (* both empty for a vertex *)
  weights : seq (nat * Q)
}.

Record limit_certificate := LimitCertificate {
  lim_dim : nat;
  lim_matrix : seq (seq Q);      (* A *)
  lim_alpha : Q;
  lim_tokens : seq (seq Q);
  lim_layer : nat;               (* K: from here on no follower set changes *)
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
Definition the_place i : place := nth (Place [::] Locked true [::] [::]) (lim_places c) i.
Definition the_limit i : 'cV[R]_(lim_dim c) := vector R _ (at_limit (the_place i)).

Notation K := (lim_layer c).
Notation z := (token_at the_A the_a the_tokens).
Notation state := (state the_A the_a the_tokens).

(** j is in C_i at layer k. *)
Definition follower_of k i j : bool := z k j \in follows the_A (state k) (z k i).

(** The terms (b, m, v) of the closed form  sum v b^k binom(k,m);  a locked token has  l + (1-a)^k (z - l). *)
Definition the_terms i : seq (R * nat * 'cV[R]_(lim_dim c)) :=
  match by_evidence (the_place i) with
  | Locked => [:: (1, 0%N, the_limit i); (1 - the_a, 0%N, z K i - the_limit i)]
  | Form l _ => [seq (value R t.1.1, t.1.2, vector R _ t.2) | t <- l]
  end.

(** The leading positions of layer K. *)
Definition polytope : seq 'cV[R]_(lim_dim c) := [seq p <- state K | leading the_A (state K) p].

(** The face on which the limit is: exposed by A l for a vertex l, and by the normal stated for a projection. *)
Definition the_normal i : 'cV[R]_(lim_dim c) :=
  if is_vertex (the_place i) then the_A *m the_limit i else vector R _ (normal (the_place i)).

(** Token i, for ever: C_i does not change any more, the way is the closed form, the limit is the point of least
    norm of a face of the polytope of the leading positions, and one of these positions if it is called a vertex. *)
Record token_claim (i : nat) : Prop := TokenClaim {
  constant_set : forall k j, (K <= k)%N -> (j < size the_tokens)%N -> follower_of k i j = follower_of K i j;
  closed_form : forall k, z (K + k) i = form_at k (the_terms i);
  converges : archimedean R -> tends (fun k => z k i) (the_limit i);
  leads_or_not : i \in lim_leaders c <-> exists k, leads the_A the_a the_tokens k i;
  vertex_or_not : the_limit i \in polytope = is_vertex (the_place i);
  on_a_face : least_norm_on_face the_A polytope (the_normal i) (the_limit i)
}.

End Claim.

(** ** The claim, over every ordered field *)

Definition limit_claim (c : limit_certificate) : Prop :=
  shaped_limit c /\
  forall R : realFieldType,
  [/\ (the_A R c)^T = the_A R c, forall x, x != 0 -> 0 < inner (the_A R c *m x) x, 0 < the_a R c < 1
    & forall i, (i < size (lim_tokens c))%N -> token_claim R c i].
