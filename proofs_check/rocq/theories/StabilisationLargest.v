(** Who can become the token of largest norm: Lemma 11 of the page on stabilisation, exactly and at every layer. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From Exactformer Require Import Semantics Basics Dynamics Limits Metric Orbit.
From Exactformer Require Import StabilisationCluster StabilisationOrbit.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** Numbers: x = |z|^2, y = |c|^2, v = |w|^2, m = <z,c>, m' = <z,w>, n = <c,w>; t is the share of w in the pull *)

Definition square_after (R : realFieldType) (a t x y v m m' n : R) : R :=
  (1 - a) ^+ 2 * x + (a * (1 - t)) ^+ 2 * y + (a * t) ^+ 2 * v
    + 2%:R * ((1 - a) * (a * (1 - t))) * m + 2%:R * ((1 - a) * a) * (t * m') + 2%:R * (a ^+ 2 * (1 - t)) * (t * n).

Lemma square_after_le (R : realFieldType) (a t x y v m m' n b : R) : 0 <= a -> a <= 1 -> t <= 1 ->
  x <= b -> y <= b -> m <= b -> t * m' <= t * b -> t * n <= t * b ->
  square_after a t x y v m m' n <= b + (a * t) ^+ 2 * (v - b).
Proof.
move=> a0 a1 t1 xb yb mb mb' nb; have r0 : 0 <= 1 - a by rewrite subr_ge0.
have t0 : 0 <= 1 - t by rewrite subr_ge0.
have X := ler_wpmul2l (sqr_ge0 (1 - a)) xb; have Y := ler_wpmul2l (sqr_ge0 (a * (1 - t))) yb.
have c1 : 0 <= 2%:R * ((1 - a) * (a * (1 - t))) by rewrite !mulr_ge0 ?ler0n.
have c2 : 0 <= 2%:R * ((1 - a) * a) by rewrite !mulr_ge0 ?ler0n.
have c3 : 0 <= 2%:R * (a ^+ 2 * (1 - t)) by rewrite !mulr_ge0 ?ler0n ?exprn_ge0.
have M := ler_wpmul2l c1 mb; have M' := ler_wpmul2l c2 mb'; have N := ler_wpmul2l c3 nb.
have S := ler_add (ler_add X Y) (ler_add M (ler_add M' N)); rewrite /square_after.
by move: (t * m') (t * n) S => m2 n2 S; lin S.
Qed.

Section Largest.

Variables (R : realFieldType) (d : nat) (A : 'M[R]_d) (a : R).
Hypothesis A_sym : A^T = A.
Hypothesis A_pos : forall x : 'cV[R]_d, x != 0 -> 0 < inner (A *m x) x.
Hypothesis a_gt0 : 0 < a.
Hypothesis a_lt1 : a < 1.
Variable s : seq 'cV[R]_d.
Hypothesis distinct : uniq s.

Notation V := 'cV[R]_d.
Notation dot := (dotA A).
Notation q := (normA A).
Notation I := 'I_(size s).
Notation z := (token_at A a s).
Notation C := (C A a (s := s)).
Notation w := (w A a (s := s)).
Implicit Types (i j : I) (k : nat) (G D : {set I}).

(** The mean of the tokens of D at layer k; 0 where D is empty. *)
Definition middle D k : V := #|D|%:R^-1 *: \sum_(j in D) z k j.

Lemma dot_middle (y : V) D k b : D != set0 -> (forall j, j \in D -> dot y (z k j) = b) -> dot y (middle D k) = b.
Proof.
move=> D0 H; rewrite dotAZr dotA_sumr (eq_bigr (fun=> b)) // sumr_const -[b *+ _]mulr_natl mulKf //.
by rewrite pnatr_eq0 cards_eq0.
Qed.

Lemma dot_middle_le (y : V) D k b : D != set0 -> (forall j, j \in D -> dot y (z k j) <= b) -> dot y (middle D k) <= b.
Proof.
move=> D0 H; rewrite dotAZr dotA_sumr mulrC ler_pdivr_mulr ?ltr0n ?card_gt0 // mulr_natr -sumr_const; exact: ler_sum.
Qed.

(** Of the tokens of G everyone follows one of G, and g is one of largest norm. *)
Variables (k : nat) (G : {set I}) (g : I).
Hypothesis inside : forall i, i \in G -> C k i :&: G != set0.
Hypothesis gG : g \in G.
Hypothesis longest : forall j, j \in G -> q (z k j) <= q (z k g).

Lemma best_score i j : i \in G -> dot (z k i) (z k j) <= q (z k g).
Proof.
move=> iG; have /set0Pn[f] := inside iG; rewrite inE => /andP[fC fG]; apply: le_trans (C_max j fC) _.
have := normA_ge0 A_pos (z k i - z k f); rewrite (normAB A_sym) => Q; have S := ler_add (longest iG) (longest fG).
by rewrite -(ler_pmul2l (ltr0n R 2 : 0 < 2%:R)); lin Q S.
Qed.

Lemma mid_score i D : i \in G -> D != set0 -> dot (z k i) (middle D k) <= q (z k g).
Proof. by move=> iG D0; apply: dot_middle_le => // j _; exact: best_score. Qed.

Definition inner_part i : {set I} := C k i :&: G.
Definition outer_part i : {set I} := C k i :\: G.
Definition share i : R := #|outer_part i|%:R / #|C k i|%:R.

Lemma share_ge0 i : 0 <= share i. Proof. by rewrite divr_ge0 ?ler0n. Qed.

Lemma share_le1 i : share i <= 1.
Proof. by rewrite ler_pdivr_mulr ?ltr0n ?card_gt0 ?C_neq0 // mul1r ler_nat subset_leq_card // subsetDl. Qed.

Lemma pullE i : i \in G -> w k i = (1 - share i) *: middle (inner_part i) k + share i *: middle (outer_part i) k.
Proof.
move=> iG; have N0 : #|C k i|%:R != 0 :> R by rewrite pnatr_eq0 cards_eq0 C_neq0.
have n0 : #|inner_part i|%:R != 0 :> R by rewrite pnatr_eq0 cards_eq0 inside.
have cards : #|C k i|%:R = #|inner_part i|%:R + #|outer_part i|%:R :> R.
  by rewrite -natrD /inner_part /outer_part cardsID.
have sum : \sum_(j in C k i) z k j = \sum_(j in inner_part i) z k j + \sum_(j in outer_part i) z k j.
  rewrite (bigID (mem G)) /=; congr (_ + _); apply: eq_bigl => j; rewrite !inE //; exact: andbC.
have -> : w k i = #|C k i|%:R^-1 *: (#|C k i|%:R *: w k i) by rewrite scalerA mulVf // scale1r.
rewrite wE sum scalerDr /middle !scalerA; congr (_ *: _ + _).
  by rewrite /share; move: N0; rewrite cards => N0; field; rewrite N0 n0.
case: (eqVneq (outer_part i) set0) => [-> | D0]; first by rewrite big_set0 !scaler0.
by congr (_ *: _); rewrite /share mulrAC mulfV ?mul1r // pnatr_eq0 cards_eq0.
Qed.

Lemma square_next i : i \in G -> let c := middle (inner_part i) k in let v := middle (outer_part i) k in
  q (z k.+1 i) = square_after a (share i) (q (z k i)) (q c) (q v) (dot (z k i) c) (dot (z k i) v) (dot c v).
Proof.
move=> iG c v; rewrite z_nextE pullE // -/c -/v; move: (z k i) c v (share i) => x c v t.
have -> : x + a *: ((1 - t) *: c + t *: v - x) = (1 - a) *: x + (a * (1 - t)) *: c + (a * t) *: v.
  have L (e f h : R) : e + a * ((1 - t) * f + t * h - e) = (1 - a) * e + (a * (1 - t)) * f + (a * t) * h by ring.
  by apply/colP => j; have := L (x j 0) (c j 0) (v j 0); rewrite !mxE.
rewrite !(normAD A_sym) !(normAZ A_sym) (dotADl A_sym) !(dotAZl A_sym) !dotAZr /square_after.
by move: (q _) (q _) (q _) (dot _ _) (dot _ _) (dot _ _) => e1 e2 e3 e4 e5 e6; ring.
Qed.

(** Lemma 11: nobody gets further than the largest would with the same share and the same targets. *)
Theorem stabilisation_change i : i \in G ->
  q (z k.+1 i) <= q (z k g) + (a * share i) ^+ 2 * (q (middle (outer_part i) k) - q (z k g)).
Proof.
move=> iG; rewrite square_next //; have in0 := inside iG; set c := middle _ _; set v := middle _ _.
have cG y : (forall j, j \in G -> dot (z k j) y <= q (z k g)) -> dot c y <= q (z k g).
  move=> H; rewrite (dotAC A_sym); apply: dot_middle_le => // j; rewrite inE => /andP[_ jG].
  by rewrite (dotAC A_sym); exact: H.
have scaled y : (outer_part i != set0 -> y <= q (z k g)) -> share i * y <= share i * q (z k g).
  case: (eqVneq (outer_part i) set0) => [E _ | n0 H]; first by rewrite /share E cards0 !mul0r.
  by rewrite ler_wpmul2l ?share_ge0 // H.
apply: square_after_le; rewrite ?(ltW a_gt0) ?(ltW a_lt1) ?share_le1 ?longest //.
- by apply: cG => j jG; exact: mid_score.
- exact: mid_score.
- by apply: scaled => n0; exact: mid_score.
- by apply: scaled => n0; apply: cG => j jG; exact: mid_score.
Qed.

(** Which is what the largest itself does. *)
Theorem stabilisation_change_largest :
  q (z k.+1 g) = q (z k g) + (a * share g) ^+ 2 * (q (middle (outer_part g) k) - q (z k g)).
Proof.
have only : inner_part g = [set g].
  apply/eqP; rewrite eqEsubset; have S : inner_part g \subset [set g].
    apply/subsetP => j; rewrite in_setI in_set1 => /andP[jC jG]; apply: contraT => jg.
    by have := follow_longer A_sym A_pos a_gt0 a_lt1 distinct jC jg; rewrite ltNge longest.
  rewrite S /=; have := inside gG; rewrite -/(inner_part g) => n0.
  by move: S; rewrite subset1 (negbTE n0) orbF => /eqP ->.
have gC : g \in C k g by move/setP/(_ g): only; rewrite in_setI in_set1 eqxx => /andP[].
have cE : middle (inner_part g) k = z k g by rewrite /middle only cards1 invr1 scale1r big_set1.
have scaled : share g * dot (z k g) (middle (outer_part g) k) = share g * q (z k g).
  case: (eqVneq (outer_part g) set0) => [E | n0]; first by rewrite /share E cards0 !mul0r.
  congr (_ * _); apply: dot_middle => // j; rewrite in_setD => /andP[_ jC].
  by apply/eqP; rewrite eq_le (C_max j gC) (C_max g jC).
rewrite square_next // cE /square_after -/(q (z k g)) scaled.
by move: (q _) (q _) => e1 e2; ring.
Qed.

End Largest.
