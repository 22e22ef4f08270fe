(** The clustering theorem is not vacuous: the rationals and the tokens (-1,1), (1,1), (0,1/2) meet its hypotheses, with
    A = I and alpha = 1, and the third token tends to (0,1), which is no vertex of the polytope of limits. *)

From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ssrZ.
From Exactformer Require Import Semantics Basics Certificate Dynamics Limits Polytope Orbit Clustering.
From Exactformer Require Import LimitCertificate LimitInstances.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** Fields for which the theorem holds *)

Lemma archi_archimedean (R : archiFieldType) : archimedean R.
Proof. by move=> x; exists (Num.bound `|x|); apply: le_lt_trans (ler_norm x) (archi_boundP (normr_ge0 x)). Qed.

Corollary clustering_archi (R : archiFieldType) (d : nat) (A : 'M[R]_d) (a : R) (s : seq 'cV[R]_d) :
  excluded_middle -> A^T = A -> (forall x : 'cV[R]_d, x != 0 -> 0 < inner (A *m x) x) -> 0 < a -> a < 1 ->
  s != [::] -> uniq s -> 0 \notin s ->
  exists l : 'I_(size s) -> 'cV[R]_d,
    clusters A (fun k i => token_at A a s k i) (fun k i => leads A a s k i) l.
Proof. by move=> EM; apply: clustering EM _; exact: archi_archimedean. Qed.

(** ** Three tokens *)

Definition three_tokens : limit_certificate :=
  let whole z := Qmake z xH in
  let (one, half) := (whole (Zpos xH), Qmake (Zpos xH) (xO xH)) in
  let (zero, minus) := (whole Z0, whole (Zneg xH)) in
  LimitCertificate 2 [:: [:: one; zero]; [:: zero; one]] one [:: [:: minus; one]; [:: one; one]; [:: zero; half]] 0
    [:: Place [:: minus; one] Locked true [::] [::]; Place [:: one; one] Locked true [::] [::];
        Place [:: zero; one] Locked false [:: zero; one] [:: Weight 0 half; Weight 1 half]] [:: 0; 1]%N.

Lemma three_tokens_limits : limit_claim three_tokens.
Proof. by apply: check_limit_Z_sound; vm_compute. Qed.

Notation R := [realFieldType of rat].
Notation c := three_tokens.

Theorem clustering_is_not_vacuous : excluded_middle ->
  exists l : 'I_(size (the_tokens R c)) -> 'cV[R]_2,
    clusters (the_A R c) (fun k i => token_at (the_A R c) (the_a R c) (the_tokens R c) k i)
      (fun k i => leads (the_A R c) (the_a R c) (the_tokens R c) k i) l /\
    exists i, ~ vertex (codom l) (l i).
Proof.
move=> EM; have [_ /(_ R)[A_sym A_pos /andP[a0 a1] H]] := three_tokens_limits.
have [||l L] := @clustering_archi rat.archiType _ _ _ (the_tokens R c) EM A_sym A_pos a0 a1 isT.
- apply/and4P; split=> //; rewrite !inE ?negb_or; try apply/andP; do ?split; by apply/eqP => /colP/(_ 0)/eqP; rewrite !mxE.
- by rewrite !inE !negb_or; apply/and3P; split; apply/eqP => /colP/(_ (lift 0 0))/eqP; rewrite !mxE.
exists l; split=> //.
have limit (i : 'I_(size (the_tokens R c))) : l i = the_limit R c i.
  have T := converges (H i (ltn_ord i)) (@archi_archimedean rat.archiType).
  exact: tends_unique (every_token_converges L i) T.
have i2 : (2 < size (the_tokens R c))%N by [].
exists (Ordinal i2) => /(vertices_are_leaders L)[i [k [lk]]]; rewrite !limit => E.
have : (i : nat) \in lim_leaders c by apply/(leads_or_not (H i (ltn_ord i))); exists k.
by rewrite !inE => /orP[] /eqP i0; move/colP/(_ 0)/eqP: E; rewrite /the_limit i0 !mxE.
Qed.
