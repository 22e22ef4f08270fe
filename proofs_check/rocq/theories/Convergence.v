(** Every token converges: by induction on its limiting norm, from the largest down.

    Higher tokens are those whose norm ends up larger.  Where a token stops it is a leader, or its limit is a mean of
    the limits of higher tokens; between, it is close to a token of the same limiting norm and larger present norm. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From Exactformer Require Import Semantics Basics Dynamics Limits Metric Orbit.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Convergence.

Hypothesis EM : excluded_middle.
Variable R : realFieldType.
Hypothesis arch : archimedean R.
Variables (d : nat) (A : 'M[R]_d) (a : R).
Hypothesis A_sym : A^T = A.
Hypothesis A_pos : forall x : 'cV[R]_d, x != 0 -> 0 < inner (A *m x) x.
Hypothesis a_gt0 : 0 < a.
Hypothesis a_lt1 : a < 1.
Variable s : seq 'cV[R]_d.
Hypothesis distinct : uniq s.

Notation dotA := (dotA A).
Notation normA := (normA A).
Notation null := (null A).
Notation near := (near A).
Notation I := 'I_(size s).
Notation z := (token_at A a s).
Notation leads := (leads A a s).
Notation C := (C A a (s := s)).
Notation w := (w A a (s := s)).
Notation N k i := (normA (z k i)).
Implicit Types (i j g : I) (k : nat).

(** ** Increments vanish *)

Lemma norm_cauchy i eps : 0 < eps -> exists K, forall k, (K <= k)%N -> N k i < N K i + eps.
Proof.
have [b B] := norm_bounded A_sym A_pos a_gt0 a_lt1 s => e0.
by apply: monotone_cauchy e0; [exact: EM | exact: arch | exact: norm_nondecreasing | move=> k; exact: B].
Qed.

Lemma norm_up_to i k m : (k <= m)%N -> N k i <= N m i.
Proof. by apply: (monotone_le (f := fun k => N k i)); exact: norm_nondecreasing. Qed.

Lemma pull_vanishes i : null (fun k => w k i - z k i).
Proof.
move=> eps e0; have a2 : 0 < a ^+ 2 by rewrite exprn_gt0.
have [K H] := norm_cauchy i (mulr_gt0 a2 e0); exists K => k Kk.
have H1 := norm_up A_sym a_gt0 k i; have H2 := H k.+1 (leqW Kk); have H3 := norm_up_to i Kk.
by rewrite -(ltr_pmul2l a2); lin H1 H2 H3.
Qed.

Lemma steps_vanish i : null (fun k => z k.+1 i - z k i).
Proof.
have := @nullZ _ _ _ A_sym A_pos (fun=> a) `|a| _ (fun=> lexx _) (pull_vanishes i) => H eps /H.
by apply: eventually_mono => k; rewrite z_nextE addrAC subrr add0r.
Qed.

(** ** Higher tokens *)

Definition higher j i : Prop := exists2 e, 0 < e & eventually (fun k => N k i + e <= N k j).

Lemma not_higher j i : ~ higher j i -> forall eps, 0 < eps -> eventually (fun k => N k j < N k i + eps).
Proof.
move=> nh eps e0; pose e := eps / 3%:R; have e1 : 0 < e by exact: third.
have Ee : eps = e + e + e by rewrite /e; field.
have [K1 H1] := norm_cauchy i e1; have [K2 H2] := norm_cauchy j e1; pose K := maxn K1 K2.
have k1 : (K1 <= K)%N by rewrite leq_max leqnn.
have k2 : (K2 <= K)%N by rewrite leq_max leqnn orbT.
exists K => k Kk; have G1 := H1 k (leq_trans k1 Kk); have G2 := H2 k (leq_trans k2 Kk).
have U1 := norm_up_to i k1; have U2 := norm_up_to j k2; have V1 := norm_up_to i Kk.
case: (ltP (N K2 j) (N K1 i + e + e)) => [lt | ge]; first by rewrite Ee; lin G2 lt U1 V1.
case: nh; exists e => //; exists K => m Km.
have M1 := H1 m (leq_trans k1 Km); have M2 := norm_up_to j (leq_trans k2 Km).
by lin M1 M2 ge.
Qed.

Lemma higher_trans j i g : higher j i -> ~ higher g i -> higher j g.
Proof.
move=> [e e0 H] ng; pose f := e / 2%:R; have f0 : 0 < f by rewrite divr_gt0 ?ltr0n.
exists f => //; apply: eventually_mono (eventually_and H (not_higher ng f0)) => k [].
by have -> : e = f + f by [rewrite /f; field] => G L; lin G L.
Qed.

Lemma higher_asym j i : higher j i -> ~ higher i j.
Proof.
move=> [e e0 H] [f f0 G]; have [k [X Y]] := eventually_one (eventually_and H G).
by lin X Y e0 f0.
Qed.

Lemma higher_irr i : ~ higher i i.
Proof. by move=> ii; exact: (higher_asym ii ii). Qed.

Lemma higher_trans2 j i g : higher j i -> higher i g -> higher j g.
Proof. by move=> ji /higher_asym; exact: higher_trans. Qed.

Lemma followed_not_lower : eventually (fun k => forall i j, j \in C k i -> ~ higher i j).
Proof.
apply: eventually_all => i; apply: eventually_all => j.
have [[e e0 H] | nh] := EM (higher i j); last by apply: eventually_true.
apply: eventually_mono H => k H /(follow_norm A_sym) G _.
have G0 := normA_ge0 A_pos (z k j - z k i).
by lin H G G0 e0.
Qed.

Lemma higher_ind (P : I -> Prop) : (forall i, (forall j, higher j i -> P j) -> P i) -> forall i, P i.
Proof.
move=> H; have [h hP] := decide (fun p : I * I => higher p.1 p.2) EM.
move=> i; have [n] := ubnP #|[set j | h (j, i)]|; elim: n i => // n IH i ni.
apply: H => j ji; apply: IH; rewrite -ltnS; apply: leq_trans ni; rewrite ltnS.
apply: proper_card; apply/properP; split.
  by apply/subsetP => g; rewrite !inE !hP /= => gj; exact: higher_trans2 gj ji.
by exists j; rewrite inE; [exact/hP | apply/negP => /hP/higher_irr].
Qed.

(** ** Where a token can end up, once all higher tokens converge *)

Lemma leads_place k m i : leads k i -> leads m i -> z k i = z m i.
Proof.
move=> lk lm; have [_ <-] := leads_later a_gt0 a_lt1 lk (leq_maxl k m).
by have [_ <-] := leads_later a_gt0 a_lt1 lm (leq_maxr k m).
Qed.

(** The limit p is the place of a leader, or a mean of limits of higher tokens that are followed together after layer K. *)
Definition at_leader (p : 'cV[R]_d) : Prop := exists k g, leads k g /\ p = z k g.
Definition at_mean K (l : I -> 'cV[R]_d) i (p : 'cV[R]_d) : Prop :=
  exists H : {set I}, [/\ H != set0, forall j, j \in H -> higher j i,
    exists k g, (K <= k)%N /\ H \subset C k g & p = #|H|%:R^-1 *: \sum_(j in H) l j].

Section OneClass.

Variables (K : nat) (i : I) (l : I -> 'cV[R]_d) (h : pred (I * I)).
Hypothesis hP : forall p, h p <-> higher p.1 p.2.
Hypothesis l_near : forall j, higher j i -> near (fun k => z k j) (l j).

Definition above : {set I} := [set j | h (j, i)].

(** What is left of the pull on g, once higher tokens are replaced by their limits; [y] are the tokens as high as g. *)
Definition y g j k : 'cV[R]_d := if (j \in C k g) && ~~ h (j, g) then z k j - z k g else 0.
Definition rest g (H : {set I}) k : 'cV[R]_d :=
  \sum_(j in H) (l j - z k j) + #|C k g|%:R *: (w k g - z k g) - \sum_j y g j k.

Lemma y_vanishes g j : null (y g j).
Proof.
move=> eps e0; have [jg | nj] := EM (higher j g).
  by apply: eventually_true => k; rewrite /y (_ : h (j, g)) ?andbF ?normA0 //; exact/hP.
apply: eventually_mono (not_higher nj e0) => k lt; rewrite /y.
case: ifP => [/andP[jC _] | _]; last by rewrite normA0.
by have F := follow_norm A_sym jC; lin F lt.
Qed.

Lemma rest_vanishes g (H : {set I}) : H \subset above -> null (rest g H).
Proof.
move=> /subsetP Ha; apply: nullD => //; last first.
  by apply: nullN => //; apply: null_sum => // j _; exact: y_vanishes.
apply: nullD => //; last first.
  apply: (@nullZ _ _ _ A_sym A_pos _ (size s)%:R) => [k|]; last exact: pull_vanishes.
  by rewrite ger0_norm ?ler0n // ler_nat; have := max_card (mem (C k g)); rewrite card_ord.
apply: null_sum => // j /Ha; rewrite inE => /hP /= ji eps e0.
by apply: eventually_mono (l_near ji e0) => k; rewrite normABC.
Qed.

Lemma restE g k : (forall j, h (j, g) = h (j, i)) ->
  rest g (C k g :&: above) k = \sum_(j in C k g :&: above) (l j - z k g).
Proof.
move=> E; rewrite /rest scalerBr wE //.
have -> : #|C k g|%:R *: z k g = \sum_(j in C k g) z k g by rewrite sumr_const -scaler_nat.
rewrite -sumrB (bigID (fun j => h (j, i)) (fun j => j \in C k g)) /=.
have -> : \sum_j y g j k = \sum_(j in C k g | ~~ h (j, i)) (z k j - z k g).
  by rewrite [RHS]big_mkcond; apply: eq_bigr => j _; rewrite /y E.
rewrite -addrA addrK; have -> : \sum_(j in C k g | h (j, i)) (z k j - z k g) =
  \sum_(j in C k g :&: above) (z k j - z k g) by apply: eq_bigl => j; rewrite !inE.
by rewrite -big_split; apply: eq_bigr => j _; rewrite /= addrA subrK.
Qed.

Variable place : I -> 'cV[R]_d.
Hypothesis placeP : forall g, (exists k, leads k g) -> exists k, leads k g /\ place g = z k g.

Definition target (t : I + {set I}) : 'cV[R]_d :=
  match t with inl g => place g | inr H => #|H|%:R^-1 *: \sum_(j in H) l j end.
Definition ok (t : I + {set I}) : Prop :=
  match t with
  | inl g => exists k, leads k g
  | inr H => [/\ H != set0, H \subset above & exists k g, (K <= k)%N /\ H \subset C k g]
  end.

(** Layers at which all that vanishes is below eps, or e. *)
Definition late eps e k : Prop :=
  [/\ forall g j, j \in C k g -> ~ higher g j, forall g (H : {set I}), H \subset above -> normA (rest g H k) < eps,
      forall g j, ~ higher j g -> N k j < N k g + e & (K <= k)%N].

Lemma eventually_late eps e : 0 < eps -> 0 < e -> eventually (late eps e).
Proof.
move=> e0 e1; have H1 : eventually (fun k => forall g (H : {set I}), H \subset above -> normA (rest g H k) < eps).
  apply: eventually_all => g; apply: eventually_all => H.
  case: (boolP (H \subset above)) => Ha; last exact: eventually_true.
  by apply: eventually_mono (rest_vanishes g Ha e0).
have H2 : eventually (fun k => forall g j, ~ higher j g -> N k j < N k g + e).
  apply: eventually_all => g; apply: eventually_all => j.
  have [hj | nj] := EM (higher j g); first exact: eventually_true.
  by apply: eventually_mono (not_higher nj e1).
apply: eventually_mono (eventually_and (eventually_and followed_not_lower H1) (eventually_and H2 (eventually_le K))).
by move=> k [[? ?] [? ?]]; split.
Qed.

(** A token of the class is close to a target, or to a longer token of the class. *)
Lemma one_step eps e k g : late eps e k -> 0 < eps -> ~ higher g i -> ~ higher i g ->
  (exists2 t, ok t & normA (z k g - target t) < eps) \/
  exists g', [/\ ~ higher g' i, ~ higher i g', N k g < N k g' & normA (z k g - z k g') < e].
Proof.
move=> [lower small same Kk] e0 gi ig; case: (eqVneq (C k g) [set g]) => [Cg | Cg].
  have lg : leads k g by exact: leads_C.
  left; exists (inl g); first by exists k.
  have [m [lm E]] := placeP (ex_intro _ k lg).
  by rewrite /= E (leads_place lg lm) subrr normA0.
case: (eqVneq (C k g :&: above) set0) => [Hn | Hn]; [right | left].
  have [g' g'C g'g] : exists2 g', g' \in C k g & g' != g.
    apply/exists_inP; apply: contraT; rewrite negb_exists_in => /forall_inP H; case/negP: Cg.
    rewrite eqEsubset sub1set; have sub : C k g \subset [set g].
      by apply/subsetP => j /H; rewrite negbK inE.
    rewrite sub; have /set0Pn[j jC] := C_neq0 A a k g.
    by move: (subsetP sub j jC); rewrite inE => /eqP E; rewrite E in jC.
  have n1 : ~ higher g' i.
    by move=> /(proj2 (hP (g', i))) g'i; move/setP/(_ g'): Hn; rewrite !inE g'i andbT => /negP; apply; move: g'C; rewrite inE.
  exists g'; split=> //; first by move=> /higher_trans /(_ (lower _ _ g'C)).
    exact: follow_longer.
  have n2 : ~ higher g' g by move=> /higher_trans /(_ ig).
  by rewrite normABC //; have F := follow_norm A_sym g'C; have G := same g g' n2; lin F G.
pose H := C k g :&: above; exists (inr H).
  split=> //; first exact: subsetIr.
  by exists k, g; split=> //; exact: subsetIl.
have n0 : #|H|%:R != 0 :> R by rewrite pnatr_eq0 cards_eq0.
have E j : h (j, g) = h (j, i).
  by apply/idP/idP => /hP /= hj; apply/hP => /=; [exact: higher_trans hj ig | exact: higher_trans hj gi].
have -> : z k g - target (inr H) = (- #|H|%:R^-1) *: rest g H k.
  rewrite /H restE // -/H sumrB sumr_const -scaler_nat scaleNr scalerBr scalerA mulVf // scale1r.
  by rewrite opprB.
rewrite normAZ // sqrrN; apply: le_lt_trans (small g H (subsetIr _ _)).
rewrite ler_pimull ?normA_ge0 // exprn_ile1 ?invr_ge0 ?ler0n // invf_le1 ?ler1n ?ltr0n ?card_gt0 //.
Qed.

(** The walk: along tokens of the class and of growing norm, until one is close to a target. *)
Lemma walk m eps : 0 < eps -> eventually (fun k => forall g, ~ higher g i -> ~ higher i g ->
  (#|[set j : I | (N k g < N k j)%R]| < m)%N -> exists2 t, ok t & normA (z k g - target t) < eps).
Proof.
elim: m eps => [|m IH] eps e0; first exact: eventually_true.
pose e := eps / 4%:R; have e1 : 0 < e by rewrite divr_gt0 ?ltr0n.
have Ee : eps = 2%:R * e + 2%:R * e by rewrite /e; field.
apply: eventually_mono (eventually_and (IH e e1) (eventually_late e0 e1)) => k [IHk lt] g gi ig gm.
have [// | [g' [g'i ig' gg' gd]]] := one_step lt e0 gi ig.
have [|t okt dt] := IHk g' g'i ig'.
  rewrite -ltnS; apply: leq_trans gm; rewrite ltnS; apply: proper_card; apply/properP; split.
    by apply/subsetP => j; rewrite !inE; exact: lt_trans.
  by exists g'; rewrite inE ?ltxx.
exists t => //; have -> : z k g - target t = (z k g - z k g') + (z k g' - target t) by rewrite subrKA.
apply: le_lt_trans (normAD2 A_sym A_pos _ _) _.
by rewrite Ee ltr_add // ltr_pmul2l ?ltr0n.
Qed.

Lemma class_limit : exists2 p, near (fun k => z k i) p & at_leader p \/ at_mean K l i p.
Proof.
have [|t okt nt] := finite_limits A_sym A_pos (pt := target) (ok := ok) (steps_vanish i).
  move=> eps e0; apply: eventually_mono (walk (size s).+1 e0) => k W; apply: W; try exact: higher_irr.
  by rewrite ltnS; have := max_card (mem [set j : I | (N k i < N k j)%R]); rewrite card_ord.
exists (target t) => //; case: t okt {nt} => [g | H] /= okt; [left | right].
  by have [k [lk E]] := placeP okt; exists k, g.
by case: okt => H0 /subsetP Ha Hk; exists H; split=> // j /Ha; rewrite inE => /hP.
Qed.

End OneClass.

(** ** All tokens converge *)

Lemma limit_of K l i : (forall j, higher j i -> near (fun k => z k j) (l j)) ->
  exists2 p, near (fun k => z k i) p & at_leader p \/ at_mean K l i p.
Proof.
move=> H; have [h hP] := decide (fun p : I * I => higher p.1 p.2) EM.
have [|place placeP] := finite_choice 0 (P := fun g p => exists k, leads k g /\ p = z k g)
  (Q := fun g : I => exists k, leads k g) EM; first by move=> g [k lk]; exists (z k g), k.
exact: (class_limit K hP H placeP).
Qed.

Lemma convergence : exists l : I -> 'cV[R]_d, forall i, near (fun k => z k i) (l i).
Proof.
suff H : forall i, exists p, near (fun k => z k i) p.
  have [l L] := finite_choice 0 (P := fun i p => near (fun k => z k i) p) (Q := fun=> True) EM (fun i _ => H i).
  by exists l => i; exact: L.
apply: higher_ind => i IH; have [l L] := finite_choice 0 EM IH.
by have [p pn _] := limit_of 0 L; exists p.
Qed.

Lemma limits K l : (forall i, near (fun k => z k i) (l i)) -> forall i, at_leader (l i) \/ at_mean K l i (l i).
Proof.
move=> L i; have [p pn] := limit_of K (fun j (_ : higher j i) => L j).
by rewrite (near_unique A_sym A_pos (L i) pn).
Qed.

End Convergence.
