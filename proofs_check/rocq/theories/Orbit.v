(** The tokens of an orbit, one by one: where token i is at layer k, whom it follows there, and how its norm grows. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From Exactformer Require Import Semantics Basics Dynamics Limits Metric.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Definitions.

Variables (R : realFieldType) (d : nat) (A : 'M[R]_d) (a : R) (s : seq 'cV[R]_d).

(** All tokens after k layers; token i after k layers; token i is a leader at layer k. *)
Definition state k : seq 'cV[R]_d := iter k (layer A a) s.
Definition token_at k i : 'cV[R]_d := nth 0 (state k) i.
Definition leads k i : bool := leader A (state k) (token_at k i).

End Definitions.

(** The state is the output of the pure-attention block, repeated. *)
Lemma run_blocks (R : realFieldType) (d : nat) (A : 'M[R]_d) (a : R) (s : seq 'cV[R]_d) k :
  run (nseq k (dynamics_block A a)) s = state A a s k.
Proof.
elim: k s => //= k IH s; rewrite /run /= -/(run _ _) dynamics_is_a_block IH.
by rewrite /state -iterSr.
Qed.

Section Orbit.

Variables (R : realFieldType) (d : nat) (A : 'M[R]_d) (a : R).
Hypothesis A_sym : A^T = A.
Hypothesis A_pos : forall x : 'cV[R]_d, x != 0 -> 0 < inner (A *m x) x.
Hypothesis a_gt0 : 0 < a.
Hypothesis a_lt1 : a < 1.
Variable s : seq 'cV[R]_d.
Hypothesis distinct : uniq s.

Notation dotA := (dotA A).
Notation normA := (normA A).
Notation I := 'I_(size s).
Notation state := (state A a s).
Notation z := (token_at A a s).
Notation leads := (leads A a s).
Implicit Types (i j g : I) (k : nat).

Lemma size_state k : size (state k) = size s.
Proof. by elim: k => //= k; rewrite size_map. Qed.

Lemma stateE k : state k = [seq z k (i : I) | i : I].
Proof.
apply: (@eq_from_nth _ 0) => [|i]; first by rewrite size_state size_image card_ord.
rewrite size_state => ik; by rewrite (nth_map (Ordinal ik)) ?size_enum_ord // nth_enum_ord.
Qed.

Lemma z_mem k i : z k i \in state k.
Proof. by rewrite mem_nth // size_state. Qed.

Lemma stateP k y : y \in state k -> exists i : I, y = z k i.
Proof. by rewrite stateE => /mapP[i _ ->]; exists i. Qed.

Lemma z_next k i : z k.+1 i = step A a (state k) (z k i).
Proof. by rewrite /token_at (nth_map 0) // size_state. Qed.

Lemma uniq_state k : uniq (state k).
Proof. by elim: k => //= k; exact: lemma0. Qed.

Lemma z_inj k : injective (fun i : I => z k i).
Proof. by move=> i j /eqP; rewrite nth_uniq ?size_state ?uniq_state // => /eqP/val_inj. Qed.

(** ** Whom token i follows at layer k, by index *)

Definition C k i : {set I} := [set j : I | z k j \in follows A (state k) (z k i)].
Definition w k i : 'cV[R]_d := mean (follows A (state k) (z k i)).

Lemma followsE k i : follows A (state k) (z k i) = [seq z k (j : I) | j in C k i].
Proof.
rewrite {1}/follows {1}/argmax [in LHS]stateE filter_map; congr map.
rewrite enumT; apply: eq_filter => j; rewrite !inE mem_filter z_mem andbT /= -stateE.
by [].
Qed.

Lemma C_neq0 k i : C k i != set0.
Proof.
have := follows_neq0 A (z_mem k i); rewrite followsE => H.
by apply: contra H => /eqP ->; rewrite /image_mem enum_set0.
Qed.

Lemma wE k i : #|C k i|%:R *: w k i = \sum_(j in C k i) z k (j : I).
Proof.
have n0 : #|C k i|%:R != 0 :> R by rewrite pnatr_eq0 cards_eq0 C_neq0.
by rewrite /w /mean followsE size_image scalerA mulfV // scale1r big_image.
Qed.

Lemma z_nextE k i : z k.+1 i = z k i + a *: (w k i - z k i).
Proof. exact: z_next. Qed.

Lemma C_max k i j m : j \in C k i -> dotA (z k i) (z k (m : I)) <= dotA (z k i) (z k j).
Proof. by rewrite inE => /follows_max; apply; exact: z_mem. Qed.

Lemma w_max k i m : dotA (z k i) (z k (m : I)) <= dotA (z k i) (w k i).
Proof. by apply: mean_follows; exact: z_mem. Qed.

Lemma leads_C k i : C k i = [set i] -> leads k i.
Proof. by move=> E; rewrite /leads /leader followsE E /image_mem enum_set1. Qed.

Lemma leads_later k m i : leads k i -> (k <= m)%N -> leads m i /\ z m i = z k i.
Proof.
move=> l /subnK <-; rewrite addnC; elim: (m - k)%N => [|p [IHl IHz]]; first by rewrite addn0.
rewrite addnS z_next (leader_step a IHl) IHz; split=> //; rewrite /leads -/(state _).
have -> : z (k + p).+1 i = z (k + p) i by rewrite z_next (leader_step a IHl).
exact: leader_next.
Qed.

(** ** Step 1 of the proof: norms grow, and are bounded; so increments vanish *)

Lemma norm_up k i : normA (z k i) + a ^+ 2 * normA (w k i - z k i) <= normA (z k.+1 i).
Proof.
have H : 0 <= dotA (z k i) (w k i - z k i) by rewrite dotABr subr_ge0 w_max.
rewrite z_nextE [X in _ <= X]normAD // normAZ // dotAZr.
have a2 : 0 <= 2%:R * a by rewrite mulr_ge0 ?ler0n // ltW.
have := mulr_ge0 a2 H => G; lin G.
Qed.

Lemma norm_nondecreasing i k : normA (z k i) <= normA (z k.+1 i).
Proof. by apply: le_trans (norm_up k i); rewrite ler_addl mulr_ge0 ?sqr_ge0 // normA_ge0. Qed.

(** What holds on one side of a hyperplane holds for all later layers. *)
Lemma halfspace_layer t v b : (forall y, y \in t -> dotA v y <= b) -> forall y, y \in layer A a t -> dotA v y <= b.
Proof.
move=> H _ /mapP[y yt ->]; have : dotA v (mean (follows A t y)) <= b.
  by apply: mean_le => [|x /follows_sub]; [exact: follows_neq0 | exact: H].
rewrite stepE; move: (mean _) => m /(ler_wpmul2l (ltW a_gt0)) H2; rewrite dotADr !dotAZr.
have r0 : 0 <= 1 - a by rewrite subr_ge0 ltW.
by have H1 := ler_wpmul2l r0 (H y yt); lin H1 H2.
Qed.

Lemma halfspace k m v b : (forall j, dotA v (z k j) <= b) -> (k <= m)%N -> forall j, dotA v (z m j) <= b.
Proof.
move=> H /subnK <-; have : forall y, y \in state k -> dotA v y <= b by move=> y /stateP[j ->].
rewrite addnC => {}H j; have := z_mem (k + (m - k)) j; move: (z _ j) => y.
elim: (m - k)%N y => [|p IH] y; first by rewrite addn0; exact: H.
by rewrite addnS; exact: halfspace_layer.
Qed.

Lemma norm_convex t b : (forall y, y \in t -> normA y <= b) -> forall y, y \in layer A a t -> normA y <= b.
Proof.
move=> H _ /mapP[y yt ->].
have avg (x v : 'cV[R]_d) : normA x <= b -> dotA v x + dotA v x <= normA v + b.
  move=> xb; have := normA_ge0 A_pos (v - x); rewrite normAB // => G; lin G xb.
have half v : dotA v v + dotA v v <= normA v + b -> normA v <= b by rewrite /Dynamics.normA => G; lin G.
have side v : (forall x, x \in t -> dotA v x + dotA v x <= normA v + b) ->
    dotA v (step A a t y) + dotA v (step A a t y) <= normA v + b.
  move=> G; have half2 (e : R) : e + e <= normA v + b -> e <= (normA v + b) / 2%:R.
    by move=> E; rewrite ler_pdivl_mulr ?ltr0n //; lin E.
  have := @halfspace_layer t v ((normA v + b) / 2%:R) (fun x xt => half2 _ (G x xt)) (step A a t y) (map_f _ yt).
  by rewrite ler_pdivl_mulr ?ltr0n // => E; lin E.
by apply/half/side => x /H; exact: avg.
Qed.

Lemma norm_bounded : exists b, forall k i, normA (z k i) <= b.
Proof.
have [b _ B] := upper_bound [seq normA y | y <- s].
exists b => k i; have := z_mem k i; move: (z k i) => y; elim: k y => [|k IH] y /=.
  by move=> ys; apply/B/map_f.
exact: norm_convex.
Qed.

(** ** Step 2: whom one follows is longer, by more than the squared distance *)

Lemma follow_norm k i j : j \in C k i -> normA (z k j - z k i) <= normA (z k j) - normA (z k i).
Proof.
by move=> /(C_max i); rewrite normAB // (dotAC A_sym (z k j)) => H; rewrite /Dynamics.normA; lin H H.
Qed.

Lemma follow_longer k i j : j \in C k i -> j != i -> normA (z k i) < normA (z k j).
Proof.
move=> ji ne; have := follow_norm ji; rewrite -subr_gt0; apply: lt_le_trans.
by rewrite normA_gt0 // subr_eq0; apply: contra ne => /eqP/z_inj ->.
Qed.

(** A token of largest norm leads. *)
Lemma longest_leads k i : (forall j, normA (z k j) <= normA (z k i)) -> leads k i.
Proof.
by move=> H; apply: lemma5 => //; [exact: uniq_state | exact: z_mem | move=> y /stateP[j ->]].
Qed.

End Orbit.
