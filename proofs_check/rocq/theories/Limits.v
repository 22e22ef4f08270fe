(** Limits over an archimedean ordered field, as far as the clustering theorem needs them.

    No completeness: the limits of the dynamics turn out to lie in the field itself. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From Exactformer Require Import Semantics Basics.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** Linear inequalities: [lin H1 .. Hn] proves the goal whose difference is the sum of those of the hypotheses *)

Section Lin.

Variable R : realFieldType.
Implicit Types s t u v : R.

Lemma lin_le s t u v : s <= t -> v - u = t - s -> u <= v.
Proof. by rewrite -subr_ge0 => H E; rewrite -subr_ge0 E. Qed.

Lemma lin_lt s t u v : s < t -> v - u = t - s -> u < v.
Proof. by rewrite -subr_gt0 => H E; rewrite -subr_gt0 E. Qed.

Lemma lin_ltW s t u v : s < t -> v - u = t - s -> u <= v.
Proof. by move=> /ltW; exact: lin_le. Qed.

Lemma lin_False s t : s <= t -> t - s = -1 -> False.
Proof. by rewrite -subr_ge0 => H E; move: H; rewrite E oppr_ge0 ler10. Qed.

Lemma lin_False0 s t : s < t -> t - s = 0 -> False.
Proof. by rewrite -subr_gt0 => H E; move: H; rewrite E ltxx. Qed.

End Lin.

Ltac lin_sum H1 H2 :=
  match constr:(Set) with
  | _ => constr:(ler_add H1 H2) | _ => constr:(ltr_le_add H1 H2)
  | _ => constr:(ler_lt_add H1 H2) | _ => constr:(ltr_add H1 H2)
  end.
Ltac lin_by H :=
  first [apply: (lin_le H) | apply: (lin_lt H) | apply: (lin_ltW H) | apply: (lin_False0 H) | apply: (lin_False H)];
  first [by ring | by field].

Tactic Notation "lin" constr(H1) := lin_by H1.
Tactic Notation "lin" constr(H1) constr(H2) := let H := lin_sum H1 H2 in lin_by H.
Tactic Notation "lin" constr(H1) constr(H2) constr(H3) :=
  let H := lin_sum H1 H2 in let H := lin_sum H H3 in lin_by H.
Tactic Notation "lin" constr(H1) constr(H2) constr(H3) constr(H4) :=
  let H := lin_sum H1 H2 in let H := lin_sum H H3 in let H := lin_sum H H4 in lin_by H.
Tactic Notation "lin" constr(H1) constr(H2) constr(H3) constr(H4) constr(H5) :=
  let H := lin_sum H1 H2 in let H := lin_sum H H3 in let H := lin_sum H H4 in let H := lin_sum H H5 in lin_by H.

(** ** Definitions *)

Definition excluded_middle : Prop := forall P : Prop, P \/ ~ P.

(** Rationals, real algebraic numbers and reals are archimedean. *)
Definition archimedean (R : realFieldType) : Prop := forall x : R, exists n : nat, x < n%:R.

(** [P] holds from some layer on. *)
Definition eventually (P : nat -> Prop) : Prop := exists K, forall k, (K <= k)%N -> P k.

(** Every coordinate of [u k] tends to that of [l]. *)
Definition tends (R : realFieldType) (d : nat) (u : nat -> 'cV[R]_d) (l : 'cV[R]_d) : Prop :=
  forall c eps, 0 < eps -> eventually (fun k => `|u k c 0 - l c 0| < eps).

(** ** Eventually *)

Lemma eventually_true (P : nat -> Prop) : (forall k, P k) -> eventually P.
Proof. by exists 0%N. Qed.

Lemma eventually_le K : eventually (fun k => (K <= k)%N).
Proof. by exists K. Qed.

Lemma eventually_mono (P Q : nat -> Prop) : (forall k, P k -> Q k) -> eventually P -> eventually Q.
Proof. by move=> PQ [K H]; exists K => k /H /PQ. Qed.

Lemma eventually_and (P Q : nat -> Prop) : eventually P -> eventually Q -> eventually (fun k => P k /\ Q k).
Proof. by move=> [K H] [L G]; exists (maxn K L) => k; rewrite geq_max => /andP[/H ? /G ?]. Qed.

Lemma eventually_all (I : finType) (P : I -> nat -> Prop) :
  (forall i, eventually (P i)) -> eventually (fun k => forall i, P i k).
Proof.
move=> H; suff : eventually (fun k => forall i, i \in enum I -> P i k).
  by apply: eventually_mono => k G i; apply: G; rewrite mem_enum.
elim: (enum I) => [|i s IH]; first exact: eventually_true.
by apply: eventually_mono (eventually_and (H i) IH) => k [? G] j; rewrite inE => /orP[/eqP-> | /G].
Qed.

Lemma eventually_one (P : nat -> Prop) : eventually P -> exists k, P k.
Proof. by move=> [K H]; exists K; exact: H. Qed.

Lemma eventually_next (P : nat -> Prop) : eventually P -> eventually (fun k => P k.+1).
Proof. by move=> [K H]; exists K => k /leqW /H. Qed.

(** ** Finite choice, and excluded middle on a finite type *)

Lemma finite_choice (I : finType) (T : Type) (t : T) (P : I -> T -> Prop) (Q : I -> Prop) :
  excluded_middle -> (forall i, Q i -> exists x, P i x) -> exists f : I -> T, forall i, Q i -> P i (f i).
Proof.
move=> EM H; suff [f F] : exists f : I -> T, forall i, i \in enum I -> Q i -> P i (f i).
  by exists f => i; apply: F; rewrite mem_enum.
elim: (enum I) => [|i s [f F]]; first by exists (fun=> t).
have [qi | nq] := EM (Q i); last first.
  by exists f => j; rewrite inE => /orP[/eqP-> | /F].
have [x px] := H i qi; exists (fun j => if j == i then x else f j) => j.
by rewrite inE; case: eqP => [-> // | _ /= /F].
Qed.

Lemma decide (I : finType) (Q : I -> Prop) : excluded_middle -> exists q : pred I, forall i, q i <-> Q i.
Proof.
move=> EM; have [] := @finite_choice I bool true (fun i b => b <-> Q i) (fun=> True) EM.
  by move=> i _; have [qi | nq] := EM (Q i); [exists true | exists false].
by move=> q H; exists q => i; exact: H.
Qed.

(** ** Numbers *)

Section Numbers.

Variable R : realFieldType.
Implicit Types (f g : nat -> R) (x y c e : R).

Definition tends_to f c : Prop := forall eps, 0 < eps -> eventually (fun k => `|f k - c| < eps).

Lemma third x : 0 < x -> 0 < x / 3%:R.
Proof. by move=> x0; rewrite divr_gt0 ?ltr0n. Qed.

Lemma tends_to_const c : tends_to (fun=> c) c.
Proof. by move=> eps e0; apply: eventually_true => k; rewrite subrr normr0. Qed.

Lemma tends_to_le f g c e : tends_to f c -> tends_to g e -> eventually (fun k => f k <= g k) -> c <= e.
Proof.
move=> Hf Hg H; rewrite leNgt; apply/negP => ec.
pose h := (c - e) / 3%:R; have h0 : 0 < h by rewrite third ?subr_gt0.
have Eh : c = e + 3%:R * h by rewrite /h; field.
have [k [[F G] fg]] := eventually_one (eventually_and (eventually_and (Hf _ h0) (Hg _ h0)) H).
move: F G; rewrite !ltr_norml => /andP[F _] /andP[_ G]; move: F G; rewrite Eh => F G; lin F G fg h0.
Qed.

Lemma tends_to_unique f c e : tends_to f c -> tends_to f e -> c = e.
Proof.
by move=> F G; apply/eqP; rewrite eq_le !(tends_to_le (f := f) (g := f)) //; apply: eventually_true.
Qed.

(** A positive lower bound of all positive members of a list. *)
Lemma positive_min (s : seq R) : exists2 r, 0 < r & forall x, x \in s -> 0 < x -> r <= x.
Proof.
elim: s => [|x s [r r0 H]]; first by exists 1.
case: (ltP 0 x) => x0; last first.
  exists r => // y; rewrite inE => /orP[/eqP -> | /H //]; by rewrite ltNge x0.
exists (Num.min r x) => [|y]; first by rewrite lt_minr r0 x0.
by rewrite inE le_minl => /orP[/eqP-> _ | ys /(H _ ys) ->]; rewrite ?lexx ?orbT.
Qed.

(** An upper bound of a list. *)
Lemma upper_bound (s : seq R) : exists2 b, 0 < b & forall x, x \in s -> x <= b.
Proof.
elim: s => [|x s [b b0 H]]; first by exists 1.
exists (Num.max b x) => [|y]; first by rewrite lt_maxr b0.
by rewrite inE le_maxr => /orP[/eqP-> | /H ->] //; rewrite lexx orbT.
Qed.

End Numbers.

Lemma tends_unique (R : realFieldType) (d : nat) (u : nat -> 'cV[R]_d) l m : tends u l -> tends u m -> l = m.
Proof. by move=> L M; apply/colP => c; apply: (tends_to_unique (L c) (M c)). Qed.

(** A bounded nondecreasing sequence is a Cauchy sequence. *)
Lemma monotone_cauchy (R : realFieldType) (f : nat -> R) (b : R) : excluded_middle -> archimedean R ->
  (forall k, f k <= f k.+1) -> (forall k, f k <= b) ->
  forall eps, 0 < eps -> exists K, forall k, (K <= k)%N -> f k < f K + eps.
Proof.
move=> EM arch up fb eps e0; have [// | N] := EM (exists K, forall k, (K <= k)%N -> f k < f K + eps).
exfalso; have jump K : exists k, f K + eps <= f k.
  have [// | M] := EM (exists k, f K + eps <= f k); case: N; exists K => k _.
  by rewrite ltNge; apply/negP => H; apply: M; exists k.
have far m : exists k, f 0%N + m%:R * eps <= f k.
  elim: m => [|m [k H]]; first by exists 0%N; rewrite mul0r addr0.
  have [j G] := jump k; exists j; rewrite -[m.+1]addn1 natrD; lin H G.
have [m] := arch ((b - f 0%N) / eps); rewrite ltr_pdivr_mulr // => B.
by have [k H] := far m; lin (fb k) H B.
Qed.

(** Nondecreasing sequences. *)
Lemma monotone_le (R : realFieldType) (f : nat -> R) k m : (forall k, f k <= f k.+1) -> (k <= m)%N -> f k <= f m.
Proof. by move=> up; elim: m => [|m IH]; rewrite leq_eqVlt => /orP[/eqP<- // | ] //= /IH /le_trans->. Qed.
