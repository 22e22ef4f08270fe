(** Certificates of infeasibility (FORMAT.md, section 3): what they say, an executable checker, and its proof. *)

From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ssrZ.
From Exactformer Require Import Semantics Certificate Labels Measure.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import GRing.Theory Num.Theory.

(** Two sequences of equal measure, or of equal sets, with different targets; or one with too many targets. *)
Inductive reason := SameMeasure of nat & nat | SameSet of nat & nat | TooMany of nat.

Record infeasible_certificate := InfeasibleCertificate {
  inf_dim : nat;
  inf_sequences : seq sequence_literal;      (* without targets: labels stand for them *)
  inf_labels : option (seq label);
  inf_targets : bool;                        (* whether there are targets *)
  inf_reason : reason
}.

Section Claim.

Variables (R : realFieldType) (c : infeasible_certificate).
Notation d := (inf_dim c).
Notation N := (size (inf_sequences c)).

Definition inf_sequence j : sequence_literal := nth empty_sequence (inf_sequences c) j.
Definition inf_label j : label := if inf_labels c is Some l then nth [::] l j else [::].
Definition inf_tokens j : seq 'cV[R]_d := map (vector R d) (tokens (inf_sequence j)).

(** The target sets T: those given; or one point for each label, different ones for different labels. *)
Definition stands_for (T : nat -> seq 'cV[R]_d) : Prop :=
  if inf_targets c then forall j, T j = target_set R d (inf_sequence j)
  else exists y : label -> 'cV[R]_d,
    {in [pred l | has (pred1 l) [seq inf_label j | j <- iota 0 N]] &, injective y} /\ forall j, T j = [:: y (inf_label j)].

(** The map takes every sequence onto its target set. *)
Definition serves (T : nat -> seq 'cV[R]_d) (F : seq 'cV[R]_d -> seq 'cV[R]_d) : Prop :=
  forall j, (j < N)%N -> F (inf_tokens j) =i T j.

(** No hardmax transformer; for equal sets, no map whose set of outputs depends on the set of tokens only. *)
Definition refuted (T : nat -> seq 'cV[R]_d) : Prop :=
  match inf_reason c with
  | SameSet _ _ => forall F, (forall s t, s =i t -> F s =i F t) -> ~ serves T F
  | _ => forall tr : transformer R d, ~ serves T (run tr)
  end.

End Claim.

Definition infeasible_claim (c : infeasible_certificate) : Prop :=
  forall (R : realFieldType) T, @stands_for R c T -> @refuted R c T.

(** ** The checker *)

Definition same_word : rel (seq Z) := word_eq Z.eqb.

Definition same_measure_words (s t : seq (seq Z)) : bool :=
  all (fun x => Nat.eqb (count (same_word x) s * size t)%N (count (same_word x) t * size s)%N) (s ++ t).

Definition same_set_words (s t : seq (seq Z)) : bool :=
  all (fun x => has (same_word x) t) s && all (fun x => has (same_word x) s) t.

Fixpoint distinct_words (s : seq (seq Z)) : nat :=
  if s is x :: s' then if has (same_word x) s' then distinct_words s' else (distinct_words s').+1 else 0.

Definition check_points (d : nat) (l : seq (seq Q)) : bool := shaped_points d l && all (all lowest) l.

Section Checker.

Variable c : infeasible_certificate.

Definition check_one (i : nat) : bool :=
  let s := inf_sequence c i in
  [&& (i < size (inf_sequences c))%N, check_points (inf_dim c) (tokens s)
    & inf_targets c ==> check_targets s && all (fun x => size x == inf_dim c) (targets s)].

Definition different (i j : nat) : bool :=
  if inf_targets c then ~~ set_eq (set_word (targets (inf_sequence c i))) (set_word (targets (inf_sequence c j)))
  else ~~ label_eq (inf_label c i) (inf_label c j).

Definition token_words (i : nat) : seq (seq Z) := map point_word (tokens (inf_sequence c i)).

Definition check_infeasible : bool :=
  match inf_reason c with
  | SameMeasure i j => [&& check_one i, check_one j, different i j & same_measure_words (token_words i) (token_words j)]
  | SameSet i j => [&& check_one i, check_one j, different i j & same_set_words (token_words i) (token_words j)]
  | TooMany i => [&& inf_targets c, check_one i & (distinct_words (token_words i) < size (targets (inf_sequence c i)))%N]
  end.

End Checker.

(** ** Its proof *)

Section Sound.

Variables (R : realFieldType) (c : infeasible_certificate).
Notation d := (inf_dim c).
Local Notation vec := (vector R d).

Lemma same_wordE s t : same_word s t = (s == t). Proof. exact: (word_eqE Z_eqE s t). Qed.

Lemma has_word s x : has (same_word x) s = (x \in s).
Proof. by rewrite -has_pred1; apply: eq_has => y; rewrite same_wordE eq_sym. Qed.

Lemma distinct_wordsE s : distinct_words s = size (undup s).
Proof. by elim: s => //= x s ->; rewrite has_word; case: ifP. Qed.

Lemma count_words s x : count (same_word x) s = count_mem x s.
Proof. by apply: eq_count => y; rewrite same_wordE eq_sym. Qed.

(** Points in lowest terms are equal if and only if their words are, and if and only if their values are. *)
Definition fine (l : seq (seq Q)) := forall x, x \in l -> all lowest x /\ size x = d.

Lemma check_points_fine l : check_points d l -> fine l /\ l != [::].
Proof.
case/andP => /andP[l0 /allP sizes] /allP low; split; last by rewrite -size_eq0 -lt0n.
by move=> x xl; split; [exact: low | exact/eqP/sizes].
Qed.

Lemma fine_map l : fine l -> {g : seq Z -> 'cV[R]_d | map vec l = map g (map point_word l)
  & {in map point_word l &, injective g}}.
Proof.
move=> f; pose back w := nth [::] l (index w (map point_word l)).
have backK x : x \in l -> back (point_word x) = x.
  move=> xl; rewrite /back index_map; last exact: point_word_inj.
  by rewrite nth_index.
exists (fun w => vec (back w)).
  by rewrite -map_comp; apply/eq_in_map => x xl /=; rewrite backK.
move=> _ _ /mapP[x xl ->] /mapP[y yl ->]; rewrite !backK // => E.
by have [[lx dx] [ly dy]] := (f x xl, f y yl); rewrite (vector_inj dx dy lx ly E).
Qed.

Lemma fine_cat l m : fine l -> fine m -> fine (l ++ m).
Proof. by move=> fl fm x; rewrite mem_cat => /orP[/fl | /fm]. Qed.

Lemma words_measure l m : fine l -> fine m -> same_measure_words (map point_word l) (map point_word m) ->
  same_measure (map vec l) (map vec m).
Proof.
move=> fl fm /allP H; have [g] := fine_map (fine_cat fl fm).
rewrite !map_cat => /eqP; rewrite eqseq_cat ?size_map // => /andP[/eqP-> /eqP->] _.
apply: same_measure_map; apply/same_measureP => x.
case: (boolP (x \in map point_word l ++ map point_word m)) => [/H | xn].
  by rewrite nat_eqE !count_words => /eqP.
by move: xn; rewrite mem_cat negb_or => /andP[/count_memPn-> /count_memPn->]; rewrite !mul0n.
Qed.

Lemma words_set l m : same_set_words (map point_word l) (map point_word m) -> map vec l =i map vec m.
Proof.
case/andP => /allP lm /allP ml v.
have into (l1 l2 : seq (seq Q)) : {in map point_word l1, forall x, has (same_word x) (map point_word l2)} ->
    v \in map vec l1 -> v \in map vec l2.
  move=> H /mapP[x x1 ->]; have := H _ (map_f point_word x1).
  by rewrite has_word => /mapP[y y2 E]; apply/mapP; exists y; rewrite // (point_word_inj E).
by apply/idP/idP; apply: into.
Qed.

Lemma distinct_image (T : eqType) (g : seq Z -> T) s : (size (undup (map g s)) <= distinct_words s)%N.
Proof.
rewrite distinct_wordsE -(size_map g (undup s)); apply: uniq_leq_size; first exact: undup_uniq.
by move=> y; rewrite mem_undup => /mapP[x xs ->]; rewrite map_f // mem_undup.
Qed.

Lemma targets_uniq s : check_targets s -> all (fun x => size x == d) (targets s) -> uniq (target_set R d s).
Proof.
case/andP => /allP low sorted_words /allP sizes.
have f : fine (targets s) by move=> x xs; split; [exact: low | exact/eqP/sizes].
have [g E inj] := fine_map f; rewrite /target_set E map_inj_in_uniq //.
by rewrite -(sort_uniq point_lt); exact: sorted_uniq point_trans point_irr _ sorted_words.
Qed.

Variable T : nat -> seq 'cV[R]_d.
Hypothesis T_stands : @stands_for R c T.

Lemma different_sets i j : check_one c i -> check_one c j -> different c i j -> ~ T i =i T j.
Proof.
case/and3P => iN _ oi /and3P[jN _ oj]; rewrite /different; move: T_stands; rewrite /stands_for.
case: (inf_targets c) oi oj => /= [/andP[ci di] /andP[cj dj] H | _ _ [y [inj H]]] diff E.
  case/negP: diff; rewrite /set_eq (word_eqE (word_eqE Z_eqE)); apply/eqP.
  by apply/(set_wordP R ci cj di dj) => v; rewrite -!H.
case/negP: diff; rewrite /label_eq (word_eqE nat_eqE); apply/eqP.
have listed k : (k < size (inf_sequences c))%N -> inf_label c k \in
    [pred l | has (pred1 l) [seq inf_label c j | j <- iota 0 (size (inf_sequences c))]].
  by move=> kN; rewrite inE has_pred1 map_f // mem_iota.
apply: inj; [exact: listed | exact: listed | ].
by have := E (y (inf_label c i)); rewrite !H !inE eqxx => /esym/eqP.
Qed.

Lemma check_oneP i : check_one c i -> [/\ (i < size (inf_sequences c))%N, fine (tokens (inf_sequence c i)) & inf_tokens R c i != [::]].
Proof.
case/and3P => iN /check_points_fine[f ne] _; split=> //.
by rewrite /inf_tokens; case: (tokens _) ne.
Qed.

Lemma check_infeasible_refutes : check_infeasible c -> @refuted R c T.
Proof.
rewrite /check_infeasible /refuted; case: (inf_reason c) => [i j | i j | i].
- case/and4P => ci cj diff same tr serve; have [[iN fi ni] [jN fj nj]] := (check_oneP ci, check_oneP cj).
  apply: (different_sets ci cj diff) => v; rewrite -(serve i iN v) -(serve j jN v).
  exact: never_separated (words_measure fi fj same) v.
- case/and4P => ci cj diff same F F_set serve; have [[iN _ _] [jN _ _]] := (check_oneP ci, check_oneP cj).
  apply: (different_sets ci cj diff) => v; rewrite -(serve i iN v) -(serve j jN v).
  exact: F_set (words_set same) v.
- case/and3P => has_targets ci few tr serve; have [iN fi ni] := check_oneP ci.
  case/and3P: ci => _ _; rewrite has_targets /= => /andP[ct dt].
  move: T_stands; rewrite /stands_for has_targets => H.
  have u := targets_uniq ct dt; move: few; rewrite ltnNge => /negP; apply.
  rewrite -[size (targets _)](size_map vec) -/(target_set R d _).
  have same : target_set R d (inf_sequence c i) =i run tr (inf_tokens R c i) by move=> v; rewrite (serve i iN v) H.
  have -> : size (target_set R d (inf_sequence c i)) = size (undup (run tr (inf_tokens R c i))).
    by apply/eqP; rewrite -uniq_size_uniq ?undup_uniq // => v; rewrite mem_undup same.
  apply: leq_trans (never_more tr ni) _.
  by have [g E _] := fine_map fi; rewrite /inf_tokens E; exact: distinct_image.
Qed.

End Sound.

Theorem check_infeasible_sound (c : infeasible_certificate) : check_infeasible c = true -> infeasible_claim c.
Proof. by move=> H R T stands; apply: check_infeasible_refutes. Qed.
