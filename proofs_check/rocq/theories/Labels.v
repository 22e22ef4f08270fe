(** Labels of a certificate of interpolation: equal labels have equal target sets, and different labels different ones.
    Executable, by sorting, with its proof. *)

From Coq Require Import ZArith QArith Qcanon Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ssrZ zify ring.
From Exactformer Require Import Semantics Basics Certificate CheckerNumbers.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Delimit Scope Z_scope with z.

(** ** Words in alphabetical order *)

Section Words.

Variables (T : eqType) (lt eq : T -> T -> bool).
Hypotheses (eqE : forall x y, eq x y = (x == y)) (lt_irr : irreflexive lt) (lt_trans : transitive lt).

Fixpoint word_lt (s t : seq T) : bool :=
  match s, t with
  | x :: s', y :: t' => lt x y || eq x y && word_lt s' t'
  | [::], _ :: _ => true
  | _, [::] => false
  end.

Fixpoint word_eq (s t : seq T) : bool :=
  match s, t with
  | x :: s', y :: t' => eq x y && word_eq s' t'
  | [::], [::] => true
  | _, _ => false
  end.

Lemma word_eqE s t : word_eq s t = (s == t).
Proof. by elim: s t => [|x s IH] [|y t] //=; rewrite eqE IH eqseq_cons. Qed.

Lemma word_irr : irreflexive word_lt.
Proof. by elim=> //= x s IH; rewrite lt_irr IH andbF. Qed.

Lemma word_trans : transitive word_lt.
Proof.
move=> t s; elim: t s => [|y t IH] [|x s] [|z u] //=; rewrite !eqE.
move=> /orP[xy | /andP[/eqP-> st]] /orP[yz | /andP[/eqP yz tu]].
- by rewrite (lt_trans xy yz).
- by rewrite -yz xy.
- by rewrite yz.
- by rewrite -yz eqxx (IH _ _ st tu) orbT.
Qed.

End Words.

(** ** Pairs that correspond: sorted by the first part, equal first parts have equal pairs *)

Section Pairs.

Variables (A B : eqType) (lt : rel A) (eq1 : A -> A -> bool) (eq2 : B -> B -> bool).
Hypotheses (eq1E : forall x y, eq1 x y = (x == y)) (eq2E : forall x y, eq2 x y = (x == y)).
Hypotheses (lt_irr : irreflexive lt) (lt_trans : transitive lt).

Definition rises (p q : A * B) : bool := lt p.1 q.1 || eq1 p.1 q.1 && eq2 p.2 q.2.

Definition functional (s : seq (A * B)) : bool := sorted rises (sort (fun p q => lt p.1 q.1) s).

Lemma functionalP s p q : functional s -> p \in s -> q \in s -> p.1 = q.1 -> p.2 = q.2.
Proof.
have rises_trans : transitive rises.
  move=> [y1 y2] [x1 x2] [z1 z2]; rewrite /rises /= !eq1E !eq2E.
  move=> /orP[xy | /andP[/eqP-> /eqP->]] /orP[yz | /andP[/eqP yz /eqP yz2]].
  - by rewrite (lt_trans xy yz).
  - by rewrite -yz xy.
  - by rewrite yz.
  - by rewrite yz yz2 !eqxx orbT.
rewrite /functional -(mem_sort (fun p q => lt p.1 q.1) s) -[q \in s](mem_sort (fun p q => lt p.1 q.1) s).
elim: (sort _ s) p q => // r l IH p q; rewrite /sorted -/(sorted _) => /= S.
have/allP lower := order_path_min rises_trans S.
have ends x : x \in l -> r.1 = x.1 -> r.2 = x.2.
  by move=> /lower; rewrite /rises eq1E eq2E => /orP[+ E | /andP[_ /eqP]//]; rewrite E lt_irr.
rewrite !inE => /orP[/eqP-> | pl] /orP[/eqP-> | ql] //.
- exact: ends.
- by move=> E; rewrite -(ends p pl) // E.
- by apply: IH => //; exact: path_sorted S.
Qed.

End Pairs.

(** ** Target sets as words *)

Definition lowest (q : Q) : bool := Z.eqb (Z.gcd (Qnum q) (Zpos (Qden q))) 1.

Definition point_word (x : seq Q) : seq Z := flatten [seq [:: Qnum q; Zpos (Qden q)] | q <- x].

Definition point_lt : rel (seq Z) := word_lt Z.ltb Z.eqb.
Definition set_word (l : seq (seq Q)) : seq (seq Z) := sort point_lt (map point_word l).
Definition set_lt : rel (seq (seq Z)) := word_lt point_lt (word_eq Z.eqb).
Definition set_eq : rel (seq (seq Z)) := word_eq (word_eq Z.eqb).

Definition label := seq nat.      (* the bytes of its text *)
Definition label_lt : rel label := word_lt Nat.ltb Nat.eqb.
Definition label_eq : rel label := word_eq Nat.eqb.

Definition check_targets (s : sequence_literal) : bool :=
  all (all lowest) (targets s) && sorted point_lt (set_word (targets s)).

Definition check_labels (labels : seq label) (l : seq sequence_literal) : bool :=
  let words := [seq set_word (targets s) | s <- l] in
  [&& size labels == size l, all check_targets l,
      functional label_lt label_eq set_eq (zip labels words) & functional set_lt set_eq label_eq (zip words labels)].

(** ** What they claim *)

Definition empty_sequence : sequence_literal := Sequence [::] [::].

Definition target_set (R : realFieldType) d (s : sequence_literal) : seq 'cV[R]_d := map (vector R d) (targets s).

Definition label_claim (labels : seq label) (c : certificate) : Prop :=
  size labels = size (sequences c) /\
  forall (R : realFieldType) i j, (i < size (sequences c))%N -> (j < size (sequences c))%N ->
  let sets i := target_set R (dim c) (nth empty_sequence (sequences c) i) in
  nth [::] labels i = nth [::] labels j <-> sets i =i sets j.

Lemma Q_eqP : Equality.axiom (fun p q : Q => (Qnum p == Qnum q) && (Zpos (Qden p) == Zpos (Qden q))).
Proof. by move=> [a b] [c d]; apply: (iffP andP) => /= [[/eqP-> /eqP[->]] // | [-> ->]]. Qed.
Canonical Q_eqType := EqType Q (EqMixin Q_eqP).

Section Sound.

Local Open Scope ring_scope.

Lemma Z_eqE (x y : Z) : Z.eqb x y = (x == y). Proof. by apply/idP/eqP => /Z.eqb_eq. Qed.
Lemma nat_eqE (x y : nat) : Nat.eqb x y = (x == y). Proof. by apply/idP/eqP => /PeanoNat.Nat.eqb_eq. Qed.
Lemma Z_irr : irreflexive Z.ltb. Proof. exact: Z.ltb_irrefl. Qed.
Lemma Z_trans : transitive Z.ltb.
Proof. by move=> y x z /Z.ltb_lt xy /Z.ltb_lt yz; apply/Z.ltb_lt; lia. Qed.
Lemma nat_irr : irreflexive Nat.ltb. Proof. exact: PeanoNat.Nat.ltb_irrefl. Qed.
Lemma nat_trans : transitive Nat.ltb.
Proof. by move=> y x z /PeanoNat.Nat.ltb_lt xy /PeanoNat.Nat.ltb_lt yz; apply/PeanoNat.Nat.ltb_lt; lia. Qed.

Lemma label_irr : irreflexive label_lt. Proof. exact: word_irr nat_irr. Qed.
Lemma label_trans : transitive label_lt. Proof. exact: word_trans nat_eqE nat_trans. Qed.
Lemma point_irr : irreflexive point_lt. Proof. exact: word_irr Z_irr. Qed.
Lemma point_trans : transitive point_lt. Proof. exact: word_trans Z_eqE Z_trans. Qed.
Lemma set_irr : irreflexive set_lt. Proof. exact: word_irr point_irr. Qed.
Lemma set_trans : transitive set_lt. Proof. exact: word_trans (word_eqE Z_eqE) point_trans. Qed.

Lemma point_word_inj : injective point_word.
Proof.
elim=> [|[p q] x IH] [|[p' q'] y] //; rewrite /point_word /= -!/(point_word _) => -[-> -> E].
by rewrite (IH y).
Qed.

Variable R : realFieldType.

Lemma value_inj p q : lowest p -> lowest q -> value R p = value R q -> p = q.
Proof.
move=> /Z.eqb_eq lp /Z.eqb_eq lq E.
rewrite -(Qred_identity p) // -(Qred_identity q) //; apply: Qred_complete.
rewrite /Qeq; apply: (can_inj int_of_ZK); rewrite !rmorphM /=.
apply: (@intr_inj R); rewrite !intrM.
have pos (n : positive) : (int_of_Z (Zpos n))%:~R != 0 :> R by rewrite intr_eq0; lia.
move: E; rewrite /value => /eqP; by rewrite eqr_div ?pos // => /eqP.
Qed.

Lemma vector_inj d x y : size x = d -> size y = d -> all lowest x -> all lowest y ->
  vector R d x = vector R d y -> x = y.
Proof.
move=> xd yd /(all_nthP zero) lx /(all_nthP zero) ly E; apply: (@eq_from_nth _ zero) => [|i ix]; first by rewrite xd.
have id : (i < d)%N by rewrite -xd.
apply: value_inj; [exact: lx | by apply: ly; rewrite yd | ].
by have := congr1 (fun v : 'cV_d => v (Ordinal id) 0) E; rewrite !mxE.
Qed.

Lemma set_wordP d s t : check_targets s -> check_targets t ->
  all (fun x => size x == d) (targets s) -> all (fun x => size x == d) (targets t) ->
  set_word (targets s) = set_word (targets t) <-> target_set R d s =i target_set R d t.
Proof.
move=> /andP[/allP ls ss] /andP[/allP lt st] /allP ds /allP dt.
have inner x u : (forall y, y \in targets u -> all lowest y) -> (forall y, y \in targets u -> size y == d) ->
    all lowest x -> size x == d -> (vector R d x \in target_set R d u) = (x \in targets u).
  move=> lu du lx /eqP dx; apply/mapP/idP => [[y yu E] | xu]; last by exists x.
  by rewrite (vector_inj dx _ lx (lu y yu) E) //; exact/eqP/du.
have words x u : (point_word x \in set_word (targets u)) = (x \in targets u).
  by rewrite mem_sort mem_map //; exact: point_word_inj.
split=> [E v | E].
  have same x : (x \in targets s) = (x \in targets t) by rewrite -!words E.
  by apply/mapP/mapP => -[x xs ->]; exists x; rewrite // ?same // -same.
apply: (irr_sorted_eq point_trans point_irr ss st) => w; rewrite !mem_sort.
by apply/mapP/mapP => -[x xs ->]; exists x => //;
  [rewrite -(inner x t lt dt (ls x xs) (ds x xs)) -E inner // ?ls ?ds
  |rewrite -(inner x s ls ds (lt x xs) (dt x xs)) E inner // ?lt ?dt].
Qed.

End Sound.

Theorem check_labels_sound labels c : shaped c -> check_labels labels (sequences c) -> label_claim labels c.
Proof.
move=> /and3P[_ _ /(all_nthP empty_sequence) dims] /and4P[/eqP sizes /(all_nthP empty_sequence) right to from].
split=> // R i j ic jc /=.
have sized k : (k < size (sequences c))%N -> all (fun x => size x == dim c) (targets (nth empty_sequence (sequences c) k)).
  by move=> /dims /andP[_ /andP[_]].
rewrite -(set_wordP R (right i ic) (right j jc) (sized i ic) (sized j jc)).
set words := [seq set_word (targets u) | u <- sequences c] in to from.
have size_words : size words = size (sequences c) by rewrite size_map.
have word k : (k < size (sequences c))%N -> nth [::] words k = set_word (targets (nth empty_sequence (sequences c) k)).
  by move=> kc; rewrite (nth_map empty_sequence).
have pair k : (k < size (sequences c))%N -> (nth [::] labels k, nth [::] words k) \in zip labels words.
  by move=> kc; rewrite -nth_zip ?sizes ?size_words // mem_nth // size_zip sizes size_words minnn.
have riap k : (k < size (sequences c))%N -> (nth [::] words k, nth [::] labels k) \in zip words labels.
  by move=> kc; rewrite -nth_zip ?sizes ?size_words // mem_nth // size_zip sizes size_words minnn.
rewrite -(word i ic) -(word j jc).
have sets_eqE : forall x y, set_eq x y = (x == y) by exact: word_eqE (word_eqE Z_eqE).
have labels_eqE : forall x y, label_eq x y = (x == y) by exact: word_eqE nat_eqE.
split=> E.
- exact: (functionalP labels_eqE sets_eqE label_irr label_trans to (pair i ic) (pair j jc) E).
- exact: (functionalP sets_eqE labels_eqE set_irr set_trans from (riap i ic) (riap j jc) E).
Qed.
