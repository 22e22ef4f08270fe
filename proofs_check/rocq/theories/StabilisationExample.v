(** The theorem on stabilisation over the rationals: the search for a constant follower graph ends.  It is not vacuous:
    the tokens (-1,1), (1,1), (0,1/2) with A = I and alpha = 1 meet its hypotheses, and the third one, which is tied at
    every layer, tends to a limit that is no vertex. *)

From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ssrZ.
From Exactformer Require Import Semantics Basics Certificate Dynamics Limits Polytope Orbit Clustering Forever.
From Exactformer Require Import LimitCertificate LimitInstances ClusteringExample StabilisationTheorem.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** The follower graph of layer k: for every token the indices of those that it follows. *)
Definition follower_graph (R : realFieldType) (d : nat) (A : 'M[R]_d) (a : R) (s : seq 'cV[R]_d) k : seq (seq nat) :=
  [seq index_set A a s k i | i <- iota 0 (size s)].

Lemma constant_graph (R : realFieldType) (d : nat) (A : 'M[R]_d) (a r : R) (s : seq 'cV[R]_d) l :
  stabilises r (fun k (i : 'I_(size s)) => token_at A a s k i) (fun k i => C A a k i) l ->
  exists K, forall k, (K <= k)%N -> follower_graph A a s k = follower_graph A a s K.
Proof.
move=> [_ [K same] _]; exists K => k Kk; apply/eq_in_map => i; rewrite mem_iota add0n => /= i_n; apply: eq_in_filter => j.
rewrite mem_iota add0n => /= j_n; have /setP/(_ (Ordinal j_n)) := same k (Ordinal i_n) Kk.
by rewrite !inE.
Qed.

(** The search ends for alpha < 3 in every dimension, and for every alpha in dimension one and two. *)
Corollary stabilisation_search_ends (d : nat) (A : 'M[rat]_d) (a : rat) (s : seq 'cV[rat]_d) :
  excluded_middle ->
  A^T = A -> (forall x : 'cV[rat]_d, x != 0 -> 0 < inner (A *m x) x) -> 0 < a -> a < 3%:R / 4%:R -> uniq s ->
  exists K, forall k, (K <= k)%N -> follower_graph A a s k = follower_graph A a s K.
Proof.
move=> EM A_sym A_pos a0 a34 us; have arch := @archi_archimedean rat.archiType.
by have [l /constant_graph] := stabilisation_alpha_below_3 EM arch A_sym A_pos a0 a34 us.
Qed.

Corollary stabilisation_search_ends_low_dimension (d : nat) (A : 'M[rat]_d) (a : rat) (s : seq 'cV[rat]_d) :
  excluded_middle ->
  A^T = A -> (forall x : 'cV[rat]_d, x != 0 -> 0 < inner (A *m x) x) -> 0 < a -> a < 1 -> uniq s -> (d <= 2)%N ->
  exists K, forall k, (K <= k)%N -> follower_graph A a s k = follower_graph A a s K.
Proof.
move=> EM A_sym A_pos a0 a1 us d2; have arch := @archi_archimedean rat.archiType.
by have [l /constant_graph] := stabilisation_low_dimension EM arch A_sym A_pos a0 a1 us d2.
Qed.

Notation R := [realFieldType of rat].
Notation c := three_tokens.

Theorem stabilisation_is_not_vacuous : excluded_middle ->
  exists l : 'I_(size (the_tokens R c)) -> 'cV[R]_2,
    stabilises (1 - the_a R c) (fun k (i : 'I_(size (the_tokens R c))) => token_at (the_A R c) (the_a R c) (the_tokens R c) k i)
      (fun k i => C (the_A R c) (the_a R c) k i) l /\
    exists i, ~ vertex (codom l) (l i).
Proof.
move=> EM; have [_ /(_ R)[A_sym A_pos /andP[a0 a1] _]] := three_tokens_limits.
have arch := @archi_archimedean rat.archiType.
have us : uniq (the_tokens R c).
  by apply/and4P; split=> //; rewrite !inE ?negb_or; try apply/andP; do ?split; by apply/eqP => /colP/(_ 0)/eqP; rewrite !mxE.
have a34 : the_a R c < 3%:R / 4%:R by vm_compute.
have [l S] := stabilisation_alpha_below_3 EM arch A_sym A_pos a0 a34 us; exists l; split=> //.
have [l' [L [i ni]]] := clustering_is_not_vacuous EM; exists i.
suff E j : l j = l' j by rewrite (eq_codom E) E.
exact: tends_unique (tokens_converge S j) (every_token_converges L j).
Qed.
