(** The residual case: a cluster of positive level (Lemmas 5 to 7 of the page on stabilisation).

    Late every moving token follows a moving token; the one of largest norm is tied with itself and at least two targets.
    If such ties shrink it faster than the square root of r, which is so for alpha < 3, this is impossible. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From Exactformer Require Import Semantics Basics Dynamics Limits Metric Lock Forever.
From Exactformer Require Import StabilisationGrowth StabilisationOrders StabilisationDecay StabilisationCluster.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Residual.

Hypothesis EM : excluded_middle.
Variable R : realFieldType.
Hypothesis arch : archimedean R.
Variables (d : nat) (A : 'M[R]_d).
Hypothesis A_sym : A^T = A.
Hypothesis A_pos : forall x : 'cV[R]_d, x != 0 -> 0 < inner (A *m x) x.
Variable r : R.
Hypothesis r_gt0 : 0 < r.
Hypothesis r_lt1 : r < 1.
Variables (I : finType) (ell : 'cV[R]_d) (p : I -> 'cV[R]_d) (u : I -> nat -> 'cV[R]_d).
Variables (G H : {set I}) (C : nat -> I -> {set I}) (E : nat -> I -> R) (K : nat).
Hypothesis facts : cluster A r ell p u G H C E K.
Hypothesis G_neq0 : G != set0.

Notation V := 'cV[R]_d.
Notation dot := (dotA A).
Notation q := (normA A).
Notation centre := (centre u).
Notation excess := (excess A r ell p u).
Notation height := (height A ell u).
Notation missing := (missing A r ell u).

(** The level beta >= delta > 0, what is small, and the layer K1 from which on both are as they will be. *)
Variables (beta tau : nat -> R) (delta : R) (K1 : nat) (D0 : {set I}).
Hypothesis delta_gt0 : 0 < delta.
Hypothesis KK1 : (K <= K1)%N.
Hypothesis D0_balanced : balanced p H D0.
Hypothesis betaE : forall k, beta k = dot ell (centre D0 k).
Hypothesis beta_ge : forall k, (K1 <= k)%N -> delta <= beta k.
Hypothesis beta_up : forall k, (K1 <= k)%N -> beta k <= beta k.+1.
Hypothesis one_level : forall k i, (K1 <= k)%N -> i \in G -> C k i :&: H != set0 ->
  dot ell (centre (C k i :&: H) k) = beta k.
Hypothesis tau0 : tends_to tau 0.
Hypothesis small : forall k,
  [/\ 0 <= tau k,
      forall i m, i \in G -> m \in H -> `|r ^+ k * dot (u i k) (u m k)| <= tau k,
      forall i m, i \in G -> m \in H -> `|r ^+ k * dot (u i k.+1) (u m k)| <= tau k &
      forall m m', m \in H -> m' \in H -> `|r ^+ k * dot (u m k) (u m' k)| <= tau k].

Definition stretch i k : R := r ^+ k * q (u i k).

Lemma lateK k : (K1 <= k)%N -> (K <= k)%N. Proof. exact: leq_trans. Qed.
Lemma tau_ge0 k : 0 <= tau k. Proof. by case: (small k). Qed.
Lemma a_gt0 : 0 < 1 - r. Proof. by rewrite subr_gt0. Qed.
Lemma stretch_ge0 i k : 0 <= stretch i k.
Proof. by rewrite mulr_ge0 ?(normA_ge0 A_pos) // ltW // exprn_gt0. Qed.

Lemma small_centre k i (D : {set I}) : i \in G -> D \subset H -> D != set0 -> `|r ^+ k * dot (u i k) (centre D k)| <= tau k.
Proof.
move=> iG DH n0; rewrite -dotAZl //; apply: (dot_centre_abs A_sym n0) => m mD; rewrite dotAZl //.
by case: (small k) => _ S _ _; apply: S => //; exact: (subsetP DH).
Qed.

Lemma small_square k (D : {set I}) : D \subset H -> D != set0 -> r ^+ k * q (centre D k) <= tau k.
Proof.
move=> DH n0; rewrite /normA -dotAZl //; apply: (dot_centre_le n0) => m mD; rewrite dotAZl // dotAC //.
rewrite -dotAZl //; apply: (dot_centre_le n0) => m' m'D; rewrite dotAZl //; apply: le_trans (ler_norm _) _.
by case: (small k) => _ _ _; apply; exact: (subsetP DH).
Qed.

Lemma E_low k i : (K1 <= k)%N -> i \in G -> beta k - tau k <= E k i.
Proof.
move=> Kk iG; have [DH n0 _] := D0_balanced; have B := mean_excess facts D0_balanced (lateK Kk) iG.
have /ler_normlP[P _] := small_centre k iG DH n0; rewrite -betaE in B.
by move: (r ^+ k * _) P B => x P B; lin P B.
Qed.

Lemma E_mid k i : (K1 <= k)%N -> i \in G -> C k i :&: H != set0 -> E k i <= beta k + tau k.
Proof.
move=> Kk iG n0; have B := mean_excess_eq facts (lateK Kk) iG n0; rewrite one_level // in B.
have /ler_normlP[_ P] := small_centre k iG (subsetIr (C k i) H) n0.
by rewrite -B ler_add2l.
Qed.

Lemma excess_inside k i j : j \in G -> excess k i j = r ^+ k * dot (u i k) (u j k) - height j k.
Proof. by move=> jG; rewrite /StabilisationCluster.excess (p_inside facts jG) dotA0r /StabilisationCluster.height; ring. Qed.

(** ** The token of largest norm *)

Lemma centre_longest k g : (K <= k)%N -> g \in G -> C k g :&: G \subset [set g] -> C k g :&: H != set0 ->
  let t := #|C k g :&: H|%:R / #|C k g|%:R in
  [/\ 2%:R^-1 <= t, t <= 1 & centre (C k g) k = (1 - t) *: u g k + t *: centre (C k g :&: H) k].
Proof.
move=> Kk gG only D1 t; set D := C k g :&: H in D1 t *; have n0 := card_pos R D1.
have N0 : 0 < #|C k g|%:R :> R by exact: (card_pos R (followed_some facts k g)).
have cards : (#|C k g| = #|C k g :&: G| + #|D|)%N.
  by have := split_sum facts (fun=> 1%N : int) Kk gG; rewrite !sumr_const !natz -PoszD => -[].
have le1 : (#|C k g :&: G| <= 1)%N by rewrite -(cards1 g) subset_leq_card.
have D1' : (0 < #|D|)%N by rewrite card_gt0.
split.
- rewrite /t ler_pdivl_mulr // mulrC ler_pdivr_mulr ?ltr0n // -natrM ler_nat cards muln2 -addnn.
  by rewrite leq_add2r (leq_trans le1).
- by rewrite ler_pdivr_mulr // mul1r ler_nat cards leq_addl.
have Gsum : \sum_(j in C k g :&: G) u j k = #|C k g :&: G|%:R *: u g k.
  rewrite scaler_nat -sumr_const; apply: eq_bigr => j /(subsetP only); by rewrite inE => /eqP ->.
rewrite {1}/StabilisationCluster.centre (split_sum facts _ Kk gG) Gsum scalerDr scalerA; congr (_ + _).
  congr (_ *: _); rewrite /t cards natrD; move: N0; rewrite cards natrD => N0.
  by field; rewrite gt_eqF.
rewrite /StabilisationCluster.centre scalerA; congr (_ *: _); rewrite /t mulrAC mulfV ?mul1r // gt_eqF //.
Qed.

(** One layer of a token of G whose pull is a mean of itself (1 - t) and of a point c (t); s = a t. *)
Lemma one_layer k g t (c : V) : (K <= k)%N -> g \in G -> centre (C k g) k = (1 - t) *: u g k + t *: c ->
  let s := (1 - r) * t in
  [/\ r * height g k.+1 = (1 - s) * height g k - s * dot ell c &
      r * stretch g k.+1 = (1 - s) ^+ 2 * stretch g k + 2%:R * s * (1 - s) * (r ^+ k * dot (u g k) c)
        + s ^+ 2 * (r ^+ k * q c)].
Proof.
move=> Kk gG cE s; have ru : r *: u g k.+1 = (1 - s) *: u g k + s *: c.
  have L (x y : R) : r * (x + (1 - r) / r * ((1 - t) * x + t * y)) = (1 - s) * x + s * y.
    by rewrite /s; field; rewrite gt_eqF.
  by rewrite (u_step facts Kk gG) cE; apply/colP => j; have := L (u g k j 0) (c j 0); rewrite !mxE.
split.
  by rewrite /StabilisationCluster.height mulrN -dotAZr ru dotADr !dotAZr; ring.
have -> : r * stretch g k.+1 = r ^+ k * q (r *: u g k.+1) by rewrite /stretch normAZ // exprS; ring.
by rewrite ru normAD // !normAZ // dotAZl // dotAZr /stretch; ring.
Qed.

(** ** Lemma 5: what is missing is bounded below *)

Lemma stabilisation_missing : exists2 eps, 0 < eps & eventually (fun k => forall i, i \in G -> eps <= missing i k).
Proof.
have a0 := a_gt0; have a1 : 1 - r < 1 by rewrite ltr_subl_addr ltr_addl.
exists ((1 - r) ^+ 2 * delta / 8%:R); first by rewrite !(mulr_gt0, exprn_gt0, divr_gt0) ?invr_gt0 ?ltr0n.
have t0 : 0 < (1 - r) ^+ 2 * delta / 32%:R by rewrite !(mulr_gt0, exprn_gt0) ?invr_gt0 ?ltr0n.
apply: eventually_mono (eventually_and (tau0 t0) (eventually_le K1)) => k; rewrite subr0 => -[/ltr_normlP[_ /ltW tl] Kk] i iG.
have Kk' := lateK Kk; have [g [gG min only D1]] := longest facts Kk' G_neq0; apply: le_trans (min i iG).
have [tl1 tu cE] := centre_longest Kk' gG only D1; set t := _ / _ in tl1 tu cE.
have [hE sE] := one_layer Kk' gG cE; set s := (1 - r) * t in hE sE; set c := centre (C k g :&: H) k in cE hE sE.
have DH := subsetIr (C k g) H; have cl : dot ell c = beta k by exact: one_level.
have EE := mean_excess_eq facts Kk' gG D1; rewrite -/c cl in EE.
have /ler_normlP[_ mt] := small_centre k gG DH D1; have /ler_normlP[mt' _] := small_centre k gG DH D1.
have self := excess_le facts Kk' gG (_ : g \in G :|: H); move: self; rewrite inE gG => /(_ isT).
rewrite excess_inside // -/(normA A (u g k)) -/(stretch g k) => self.
have e0 := missing_pos facts Kk' gG; have e'0 := missing_pos facts (leqW Kk') gG.
have ME j l : missing j l = 2%:R * height j l - stretch j l by [].
apply: (@missing_bound R delta (1 - r) s (tau k) (beta k) (missing g k) (stretch g k) (r ^+ k * dot (u g k) c) (r ^+ k * q c)
  (E k g + missing g k / 2%:R - stretch g k / 2%:R) (r * missing g k.+1)) => //.
- by rewrite mulrC ler_wpmul2l // ltW.
- by rewrite /s ler_pimulr // ltW.
- exact: tau_ge0.
- exact: stretch_ge0.
- by rewrite mulr_ge0 ?(normA_ge0 A_pos) // ltW // exprn_gt0.
- have h2 : missing g k / 2%:R = height g k - stretch g k / 2%:R by rewrite ME; field.
  have y2 : stretch g k = stretch g k / 2%:R + stretch g k / 2%:R by field.
  by rewrite h2; move: self; rewrite {1}y2 => self; lin self.
- by have El := E_low Kk gG; lin El.
- exact: beta_ge.
- exact: mulr_gt0.
rewrite !ME -EE; have -> : r * (2%:R * height g k.+1 - stretch g k.+1) = 2%:R * (r * height g k.+1) - r * stretch g k.+1 by ring.
by rewrite hE sE cl; field.
Qed.

(** ** Lemma 6: late every token of G follows one of G *)

Lemma height_gt0 k i : (K <= k)%N -> i \in G -> 0 < height i k.
Proof.
move=> Kk iG; have := missing_pos facts Kk iG; rewrite /StabilisationCluster.missing -/(stretch i k) subr_gt0 => m0.
by rewrite -(pmulr_rgt0 _ (ltr0n R 2 : 0 < 2%:R)); exact: le_lt_trans (stretch_ge0 i k) m0.
Qed.

Lemma stays_outside k i h : (K1 <= k)%N -> i \in G -> C k i :&: G = set0 -> h \in G ->
  excess k.+1 i h <= beta k - (1 - r) * height h k.+1 + tau k / r.
Proof.
move=> Kk iG none hG; have Kk' := lateK Kk; pose a := 1 - r.
have DE : C k i :&: H = C k i.
  apply/setIidPl/subsetP => j jC; apply: contraT => jH; move/setP/(_ j): none.
  by rewrite !inE jC (inside_or_target facts Kk' iG jC jH).
have n0 : C k i :&: H != set0 by rewrite DE; exact: (followed_some facts).
have cl := one_level Kk iG n0; rewrite DE in cl; set c := centre (C k i) k in cl.
pose f (x : V) := r ^+ k.+1 * dot (u i k.+1) x + dot ell x.
have fD x y : f (x + y) = f x + f y by rewrite /f !dotADr; ring.
have fZ b x : f (b *: x) = b * f x by rewrite /f !dotAZr; ring.
have ui x : r ^+ k.+1 * dot (u i k.+1) x = r * (r ^+ k * dot (u i k) x) + a * (r ^+ k * dot c x).
  by rewrite (u_step facts Kk' iG) dotADl // dotAZl // -/c exprS /a; move: (dot c x) => y; field; rewrite gt_eqF.
have t0 := tau_ge0 k; have a0 := a_gt0; rewrite -/a in a0.
have inside j : j \in G -> f (u j k) <= r * beta k + tau k + a * dot ell (u j k).
  move=> jG; have X := excess_le facts Kk' iG (_ : j \in G :|: H); move: X; rewrite inE jG => /(_ isT).
  rewrite excess_inside // => X; have Y := E_mid Kk iG n0.
  have /ler_normlP[_ Z] := small_centre k jG (subsetIr (C k i) H) n0; rewrite DE -/c dotAC // in Z.
  have P := ler_wpmul2l (ltW r_gt0) (le_trans X Y); have Q := ler_wpmul2l (ltW a0) Z.
  rewrite /f ui; move: P; rewrite /StabilisationCluster.height.
  move: (r ^+ k * dot (u i k) _) (r ^+ k * dot c _) Q => x1 x2 Q P; move: Q; rewrite /a => Q; lin P Q.
have all : \sum_(j in C k h) f (u j k) <= \sum_(j in C k h) (r * beta k + tau k + a * dot ell (u j k)).
  rewrite (split_sum facts _ Kk' hG) [X in _ <= X](split_sum facts _ Kk' hG); apply: ler_add.
    by apply: ler_sum => m; rewrite inE => /andP[_ /inside].
  case: (eqVneq (C k h :&: H) set0) => [-> | m0]; first by rewrite !big_set0.
  have nD := card_pos R m0; have lv := one_level Kk hG m0; rewrite dot_centre in lv.
  have lv' : \sum_(m in C k h :&: H) dot ell (u m k) = #|C k h :&: H|%:R * beta k by rewrite -lv mulVKf ?gt_eqF.
  have S m : m \in C k h :&: H -> f (u m k) <= tau k + dot ell (u m k).
    rewrite inE => /andP[_ mH]; rewrite /f ler_add2r; have [_ _ S _] := small k.
    have /ler_normlP[_ Z] := S i m iG mH; have Q := ler_wpmul2l (ltW r_gt0) Z; rewrite exprS -mulrA.
    by apply: le_trans Q _; rewrite ler_pimull // ltW.
  apply: le_trans (ler_sum _ S) _; rewrite big_split [X in _ <= X]big_split /= -mulr_sumr lv' !sumr_const -(mulr_natl (tau k)) -(mulr_natl (r * beta k + tau k)).
  by rewrite le_eqVlt; apply/orP; left; apply/eqP; move: (#|_|%:R) => n; rewrite /a; ring.
have mean : f (centre (C k h) k) <= r * beta k + tau k + a * dot ell (centre (C k h) k).
  have nC := card_pos R (followed_some facts k h); rewrite -(ler_pmul2l nC).
  have E1 : #|C k h|%:R * f (centre (C k h) k) = \sum_(j in C k h) f (u j k).
    rewrite /StabilisationCluster.centre fZ mulVKf ?gt_eqF //; apply: (big_morph f fD).
    by rewrite /f !dotA0r mulr0 addr0.
  have E2 : #|C k h|%:R * (r * beta k + tau k + a * dot ell (centre (C k h) k)) =
      \sum_(j in C k h) (r * beta k + tau k + a * dot ell (u j k)).
    rewrite [RHS]big_split /= sumr_const -[X in _ = X + _]mulr_natl -mulr_sumr -dotA_sumr mulrDr; congr (_ + _).
    by rewrite mulrCA; congr (_ * _); rewrite /StabilisationCluster.centre dotAZr mulVKf // gt_eqF.
  by rewrite E1 E2.
have -> : excess k.+1 i h = f (u h k) + a / r * f (centre (C k h) k).
  rewrite /StabilisationCluster.excess (p_inside facts hG) dotA0r add0r addrC -/(f (u h k.+1)) (u_step facts Kk' hG).
  by rewrite fD fZ.
have ar : 0 <= a / r by rewrite divr_ge0 ?ltW.
have -> : - (a * height h k.+1) = a * dot ell (u h k) + a / r * (a * dot ell (centre (C k h) k)).
  by rewrite /StabilisationCluster.height (u_step facts Kk' hG) dotADr dotAZr /a; field; rewrite gt_eqF.
have F := ler_add (inside h hG) (ler_wpmul2l ar mean).
move: (f _) (f _) (dot _ _) (dot _ _) F => x1 x2 x3 x4 F; apply: le_trans F _.
by rewrite le_eqVlt; apply/orP; left; apply/eqP; rewrite /a; field; rewrite gt_eqF.
Qed.

Lemma stabilisation_inside : eventually (fun k => forall i, i \in G -> C k i :&: G != set0).
Proof.
have [eps e0 miss] := stabilisation_missing; have a0 := a_gt0.
pose w := (1 - r) * eps / 4%:R; have w0 : 0 < w by rewrite !mulr_gt0 ?invr_gt0 ?ltr0n.
have wr0 : 0 < w * r by rewrite mulr_gt0.
have ev := eventually_and (eventually_and (tau0 wr0) (eventually_next (tau0 w0)))
  (eventually_and (eventually_next miss) (eventually_le K1)).
have [L late] := ev; have step k i : (L <= k)%N -> i \in G -> C k i :&: G = set0 -> C k.+1 i :&: G = set0.
  move=> Lk iG none; have [[]] := late k Lk; rewrite !subr0 => /ltr_normlP[_ t1] /ltr_normlP[_ t2] [ms Kk].
  apply/eqP; apply: contraT => /set0Pn[h]; rewrite inE => /andP[hC hG].
  have Kk1 : (K1 <= k.+1)%N by exact: leqW.
  have := stays_outside Kk iG none hG; have := excess_eq facts (lateK Kk1) iG (_ : h \in G :|: H).
  rewrite inE hG hC => /(_ isT)/esym/eqP ->; have El := E_low Kk1 iG; have bu := beta_up Kk.
  have t1' : tau k / r < w by rewrite ltr_pdivr_mulr.
  have hh : eps <= 2%:R * height h k.+1.
    apply: le_trans (ms h hG) _; rewrite /StabilisationCluster.missing -/(stretch h k.+1) ler_subl_addr ler_addl.
    exact: stretch_ge0.
  have hh' := ler_wpmul2l (ltW a0) hh; have hh2 : (1 - r) * eps / 2%:R <= (1 - r) * height h k.+1.
    by rewrite ler_pdivr_mulr ?ltr0n //; lin hh'.
  have ww : w + w = (1 - r) * eps / 2%:R by rewrite /w; field.
  rewrite -ww in hh2; move: (tau k / r) t1' ((1 - r) * height h k.+1) hh2 => x1 t1' x2 hh2 X.
  by exfalso; have t12 := ltr_add t1' t2; lin t12 hh2 El bu X.
exists L => k Lk i iG; apply/negP => /eqP none.
have for_ever m : C (k + m) i :&: G = set0.
  by elim: m => [|m IH]; rewrite ?addn0 // addnS; apply: step => //; apply: leq_trans Lk (leq_addr _ _).
have [[_ _] [_ Kk]] := late k Lk; pose f m := - height i (k + m)%N.
have ar : 0 < (1 - r) / r * delta by rewrite mulr_gt0 // divr_gt0.
have := @grows R arch f _ 0 ar; case.
  apply: eventually_true => m; have Km : (K1 <= k + m)%N by apply: leq_trans Kk (leq_addr _ _).
  have DE : C (k + m) i :&: H = C (k + m) i.
    apply/setIidPl/subsetP => j jC; apply: contraT => jH; move/setP/(_ j): (for_ever m).
    by rewrite !inE jC (inside_or_target facts (lateK Km) iG jC jH).
  have n0 : C (k + m) i :&: H != set0 by rewrite DE; exact: (followed_some facts).
  have cl := one_level Km iG n0; rewrite DE in cl.
  rewrite /f addnS /StabilisationCluster.height (u_step facts (lateK Km) iG) dotADr dotAZr cl !opprK ler_add2l.
  by rewrite ler_wpmul2l ?beta_ge // divr_ge0 ?ltW.
move=> M /(_ M (leqnn M)); rewrite /f oppr_ge0 leNgt height_gt0 //.
by apply: lateK; apply: leq_trans Kk (leq_addr _ _).
Qed.
(** The token of largest norm follows itself and at least two targets. *)
Lemma largest_ties k g : (K1 <= k)%N -> g \in G -> C k g :&: G \subset [set g] -> C k g :&: H != set0 ->
  C k g :&: G != set0 -> g \in C k g /\ (2 < #|C k g|)%N.
Proof.
move=> Kk gG only D1 in0; have Kk' := lateK Kk.
have GE : C k g :&: G = [set g] by move: only; rewrite subset1 (negbTE in0) orbF => /eqP.
have gC : g \in C k g by move/setP/(_ g): GE; rewrite !inE eqxx => /andP[].
split=> //; have cards : (#|C k g| = 1 + #|C k g :&: H|)%N.
  by have := split_sum facts (fun=> 1%N : int) Kk' gG; rewrite !sumr_const !natz -PoszD GE cards1 => -[].
rewrite cards ltnS ltnNge; apply/negP => le1.
have /cards1P[m mE] : #|C k g :&: H| == 1%N by rewrite eqn_leq le1 card_gt0.
have mH : m \in H by have := subsetIr (C k g) H; rewrite mE sub1set.
have [_ _ p0] := targets_balanced facts Kk' gG D1; rewrite mE big_set1 in p0.
have := one_level Kk gG D1; rewrite mE /StabilisationCluster.centre big_set1 (target_at_rest facts Kk' mH p0) scaler0 dotA0r.
by move=> b0; have := beta_ge Kk; rewrite -b0 leNgt delta_gt0.
Qed.

(** ** Lemma 7 and the end: ties that shrink fast enough are impossible *)

Variable kappa : R.
Hypothesis kappa_gt0 : 0 < kappa.
Hypothesis kappa_lt1 : kappa < 1.
Hypothesis shrink : forall k g, (K1 <= k)%N -> g \in G -> g \in C k g -> (2 < #|C k g|)%N ->
  (r + (1 - r) / #|C k g|%:R) ^+ 2 <= kappa * r.

Definition largest g k : Prop := [/\ g \in G, forall j, j \in G -> missing g k <= missing j k,
  C k g :&: G \subset [set g] & C k g :&: H != set0].

Lemma tie_stretch k g : (K1 <= k)%N -> largest g k -> C k g :&: G != set0 -> missing g k = stretch g k - 2%:R * E k g.
Proof.
move=> Kk [gG _ only D1] in0; have [gC _] := largest_ties Kk gG only D1 in0.
have := excess_eq facts (lateK Kk) gG (_ : g \in G :|: H); rewrite inE gG gC => /(_ isT)/esym/eqP <-.
by rewrite excess_inside // /StabilisationCluster.missing -/(normA A (u g k)) -/(stretch g k); ring.
Qed.

Lemma shrinks k g : (K1 <= k)%N -> largest g k -> C k g :&: G != set0 ->
  stretch g k.+1 <= kappa * stretch g k + 3%:R * tau k / r.
Proof.
move=> Kk [gG _ only D1] in0; have Kk' := lateK Kk; have [gC N3] := largest_ties Kk gG only D1 in0.
have [_ tu cE] := centre_longest Kk' gG only D1; set t := _ / _ in tu cE.
have [_ sE] := one_layer Kk' gG cE; set s := (1 - r) * t in sE.
have N0 : 0 < #|C k g|%:R :> R by rewrite ltr0n (ltn_trans _ N3).
have rho : 1 - s = r + (1 - r) / #|C k g|%:R.
  have GE : C k g :&: G = [set g] by move: only; rewrite subset1 (negbTE in0) orbF => /eqP.
  have cards : #|C k g|%:R = 1 + #|C k g :&: H|%:R :> R.
    have := split_sum facts (fun=> 1 : R) Kk' gG; rewrite !sumr_const GE cards1.
    by [].
  rewrite /s /t cards; rewrite cards in N0; field; by rewrite gt_eqF.
have sh := shrink Kk gG gC N3; rewrite -rho in sh.
have t0 : 0 <= t by rewrite divr_ge0 ?ler0n.
have s0 : 0 <= s by rewrite mulr_ge0 // ltW ?a_gt0.
have s1 : s <= 1 by rewrite mulr_ile1 // ?(ltW a_gt0) // ler_subl_addr ler_addl ltW.
have s2 : 0 <= 1 - s by rewrite subr_ge0.
clearbody s.
have /ler_normlP[_ m1] := small_centre k gG (subsetIr (C k g) H) D1.
have n1 := small_square k (subsetIr (C k g) H) D1; have T0 := tau_ge0 k.
have A1 := ler_wpmul2r (stretch_ge0 g k) sh.
have A2 : 2%:R * s * (1 - s) * (r ^+ k * dot (u g k) (centre (C k g :&: H) k)) <= 2%:R * tau k.
  have c0 : 0 <= 2%:R * s * (1 - s) by rewrite !mulr_ge0 ?ler0n.
  apply: le_trans (ler_wpmul2l c0 m1) _; rewrite ler_wpmul2r // -[X in _ <= X]mulr1 -mulrA ler_wpmul2l ?ler0n //.
  by rewrite mulr_ile1 // ler_subl_addr ler_addl.
have A3 : s ^+ 2 * (r ^+ k * q (centre (C k g :&: H) k)) <= tau k.
  by apply: le_trans (ler_wpmul2l (sqr_ge0 s) n1) _; rewrite ler_pimull // exprn_ile1.
rewrite -(ler_pmul2l r_gt0) sE; have S := ler_add (ler_add A1 A2) A3; apply: le_trans S _.
by rewrite le_eqVlt; apply/orP; left; apply/eqP; move: (stretch g k) => y; field; rewrite gt_eqF.
Qed.

Theorem stabilisation_no_residual : False.
Proof.
have [L inside] := eventually_and stabilisation_inside (eventually_le K1).
have in0 k i : (L <= k)%N -> i \in G -> C k i :&: G != set0 by move=> /inside[H0 _]; exact: H0.
have late k : (L <= k)%N -> (K1 <= k)%N by move=> /inside[].
have top k : (L <= k)%N -> exists g, largest g k by move=> /late /lateK Kk; exact: (longest facts Kk G_neq0).
pose w n := 3%:R * tau n / r + 4%:R * tau n.+1.
have next k b : (L <= k)%N -> (exists2 g, largest g k & stretch g k <= b) ->
    exists2 g, largest g k.+1 & stretch g k.+1 <= kappa * b + w k.
  move=> Lk [g lg gb]; have Lk1 : (L <= k.+1)%N := leqW Lk; have [t lt] := top k.+1 Lk1; exists t => //.
  have [gG _ _ _] := lg; have [tG tmin _ tD] := lt; have Kk := late k Lk; have Kk1 := late _ Lk1.
  have S1 := shrinks Kk lg (in0 k g Lk gG); have S2 := ler_wpmul2l (ltW kappa_gt0) gb.
  have /set0Pn[j] := in0 k.+1 g Lk1 gG; rewrite inE => /andP[jC jG].
  have := excess_eq facts (lateK Kk1) gG (_ : j \in G :|: H); rewrite inE jG jC => /(_ isT)/esym/eqP.
  rewrite excess_inside // => X; have T1 := tie_stretch Kk1 lt (in0 _ _ Lk1 tG); have T2 := tmin j jG.
  have E1 := E_mid Kk1 tG tD; have E2 := E_low Kk1 gG.
  have Q : 0 <= r ^+ k.+1 * q (u g k.+1 - u j k.+1).
    by rewrite mulr_ge0 ?(normA_ge0 A_pos) // ltW // exprn_gt0.
  rewrite normAB // in Q; rewrite T1 /StabilisationCluster.missing -/(stretch j k.+1) in T2.
  have Q' : 0 <= stretch g k.+1 - 2%:R * (r ^+ k.+1 * dot (u g k.+1) (u j k.+1)) + stretch j k.+1 by rewrite /stretch; lin Q.
  have X' : 2%:R * (r ^+ k.+1 * dot (u g k.+1) (u j k.+1)) = 2%:R * E k.+1 g + 2%:R * height j k.+1 by rewrite -X; ring.
  rewrite X' in Q'; have EE := ler_add (ler_add E1 E1) (ler_add E2 E2); rewrite /w.
  have S := ler_add S1 S2; move: (3%:R * tau k / r) S => x S; lin S T2 Q' EE.
have [g0 lg0] := top L (leqnn L).
pose fix B n := if n is n'.+1 then kappa * B n' + w (L + n')%N else stretch g0 L.
have bounded n : exists2 g, largest g (L + n)%N & stretch g (L + n)%N <= B n.
  elim: n => [|n IH]; first by rewrite addn0; exists g0.
  by rewrite addnS; apply: next IH; exact: leq_addr.
have w0 : tends_to (fun n => w (L + n)%N) 0.
  have W : tends_to w 0.
    have T1 := tends_toZ (3%:R / r) tau0; have T2 := tends_toZ 4%:R (fun e e0 => eventually_next (tau0 e0)).
    have := tends_toD T1 T2; rewrite !mul0r addr0; apply: tends_to_ext; apply: eventually_true => k; rewrite /w; ring.
  move=> e e0; have [M HM] := W e e0; exists M => k Mk; apply: HM; exact: leq_trans Mk (leq_addl _ _).
have B0 := contraction arch kappa_gt0 kappa_lt1 (fun n => erefl (B n.+1)) w0.
pose h := delta / 2%:R; have h0 : 0 < h by rewrite divr_gt0 ?ltr0n.
have [N HN] := B0 h h0; have [P HP] := tau0 h0; pose n := maxn N P.
have := HN n (leq_maxl _ _); rewrite subr0 => /ltr_normlP[_ Bn].
have Pn : (P <= L + n)%N by apply: leq_trans (leq_maxr N P) (leq_addl _ _).
have := HP _ Pn; rewrite subr0 => /ltr_normlP[_ tn]; have [g lg gb] := bounded n.
have Ln : (L <= L + n)%N := leq_addr _ _; have [gG _ _ _] := lg; have Kn := late _ Ln.
have T1 := tie_stretch Kn lg (in0 _ _ Ln gG); have m0 := missing_pos facts (lateK Kn) gG.
have E2 := E_low Kn gG; have bd := beta_ge Kn; rewrite T1 in m0.
have dh : delta = h + h by rewrite /h; field.
rewrite dh in bd; have E4 := ler_add E2 E2; have bd2 := ler_add bd bd; have tn2 := ltr_add tn tn.
by have X := ltr_le_add m0 E4; have Y := ler_add bd2 gb; have Z := ltr_add tn2 Bn; lin X Y Z h0.
Qed.
End Residual.
