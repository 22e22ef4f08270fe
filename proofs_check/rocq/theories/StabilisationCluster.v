(** A cluster: the tokens that tend to one limit l which is not the place of a leader, seen through a magnifying glass.

    u_i(k) = (z_i(k) - l_i) / r^k for every token, r = 1 - a.  G is the set of the moving tokens of the cluster, H the set of
    those others that it can follow late, p_m = l_m - l.  What the tokens of G do is the list of hypotheses of [Cluster];
    they are proved for the dynamics in [StabilisationTheorem].  Here: Lemmas 1 and 2 of the page on stabilisation. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From Exactformer Require Import Semantics Basics Dynamics Limits Metric Lock Forever.
From Exactformer Require Import StabilisationGrowth StabilisationOrders StabilisationDecay.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** Numbers: the inequality behind Lemma 5 *)

Lemma missing_bound (R : realFieldType) (delta a s t b e y m n P e' : R) : 0 < delta -> 0 < a -> a < 1 -> 2%:R^-1 * a <= s -> s <= a -> 0 <= t ->
  0 < e -> 0 <= y -> m <= t -> 0 <= n -> 0 <= P -> b - t + e / 2%:R - y / 2%:R <= P -> delta <= b ->
  0 < e' -> e - e' = 2%:R * s * P + s ^+ 2 * (y - 2%:R * m + n) ->
  t <= a ^+ 2 * delta / 32%:R -> a ^+ 2 * delta / 8%:R <= e.
Proof.
move=> delta_gt0 a0 a1 sl su t0 e0 y0 mt n0 P0 PE db e'0 Ee tl.
have s0 : 0 <= s by apply: le_trans sl; rewrite mulr_ge0 ?invr_ge0 ?ler0n // ltW.
have s1 : s <= 1 by apply: le_trans su (ltW a1).
have d0 := ltW delta_gt0; have b0 : 0 <= b by exact: le_trans db.
have ss1 : s ^+ 2 <= 1 by rewrite exprn_ile1.
have ss0 : 0 <= s ^+ 2 by exact: sqr_ge0.
have sq : a ^+ 2 / 4%:R <= s ^+ 2.
  have -> : a ^+ 2 / 4%:R = (2%:R^-1 * a) ^+ 2 by field.
  by apply: ler_expn2r; rewrite ?nnegrE // mulr_ge0 ?invr_ge0 ?ler0n // ltW.
have sqd : a ^+ 2 / 4%:R * delta <= s ^+ 2 * b by apply: ler_pmul; rewrite // divr_ge0 ?sqr_ge0 ?ler0n.
have base : s ^+ 2 * (y - 2%:R * t) <= s ^+ 2 * (y - 2%:R * m + n) by rewrite ler_wpmul2l //; lin mt mt n0.
have st : s ^+ 2 * (2%:R * t) <= 2%:R * t by rewrite ler_pimull // mulr_ge0 ?ler0n.
case: (leP y b) => yb.
  have Q : s * (b - 2%:R * t) <= 2%:R * s * P.
    have : b - 2%:R * t <= 2%:R * P by lin PE PE yb e0.
    by move=> /(ler_wpmul2l s0) Q; lin Q.
  have st1 : s * (2%:R * t) <= 2%:R * t by rewrite ler_pimull // mulr_ge0 ?ler0n.
  have sy : 0 <= s ^+ 2 * y by exact: mulr_ge0.
  have sb : s ^+ 2 * b <= s * b by rewrite ler_wpmul2r // expr2 ler_pimulr.
  have S1 := ler_add (ler_add Q base) (ler_add st st1).
  have S2 := ler_add (ler_add sqd sb) sy.
  have S3 : 4%:R * t <= 4%:R * (a ^+ 2 * delta / 32%:R) by rewrite ler_pmul2l ?ltr0n.
  have e1 : e = e' + (2%:R * s * P + s ^+ 2 * (y - 2%:R * m + n)) by rewrite -Ee; ring.
  rewrite e1; move: (s ^+ 2) S1 S2 => s2 S1 S2; lin S1 S2 S3 e'0.
have yb' : s ^+ 2 * b <= s ^+ 2 * y by rewrite ler_wpmul2l // ltW.
have sP : 0 <= 2%:R * s * P by rewrite !mulr_ge0 ?ler0n.
have S3 : 4%:R * t <= 4%:R * (a ^+ 2 * delta / 32%:R) by rewrite ler_pmul2l ?ltr0n.
have t2 : 0 <= 2%:R * t by rewrite mulr_ge0 ?ler0n.
have e1 : e = e' + (2%:R * s * P + s ^+ 2 * (y - 2%:R * m + n)) by rewrite -Ee; ring.
rewrite e1; have S1 := ler_add (ler_add yb' sP) (ler_add base st); have S2 := ler_add sqd t2.
by move: (s ^+ 2) S1 S2 => s2 S1 S2; lin S1 S2 S3 e'0.
Qed.

Section Definitions.

Variables (R : realFieldType) (d : nat) (A : 'M[R]_d) (r : R) (I : finType).
Variables (ell : 'cV[R]_d) (p : I -> 'cV[R]_d) (u : I -> nat -> 'cV[R]_d).

(** The mean of u over D; the score of j for i, in excess of that of l, divided by r^k; what is missing to the norm of l. *)
Definition centre (D : {set I}) k : 'cV[R]_d := #|D|%:R^-1 *: \sum_(j in D) u j k.
Definition excess k i j : R :=
  dotA A (u i k) (p j) + dotA A ell (u j k) + r ^+ k * dotA A (u i k) (u j k).
Definition height i k : R := - dotA A ell (u i k).
Definition missing i k : R := 2%:R * height i k - r ^+ k * normA A (u i k).

(** What is known of a cluster from layer K on; E k i is the largest excess. *)
Record cluster (G H : {set I}) (C : nat -> I -> {set I}) (E : nat -> I -> R) (K : nat) : Prop := ClusterFacts {
  followed_some : forall k i, C k i != set0;
  followed_late : forall k i, (K <= k)%N -> i \in G -> C k i \subset G :|: H;
  apart : forall j, j \in G -> j \notin H;
  p_inside : forall j, j \in G -> p j = 0;
  p_balance : forall k i, (K <= k)%N -> i \in G -> \sum_(j in C k i) p j = 0;
  u_step : forall k i, (K <= k)%N -> i \in G -> u i k.+1 = u i k + ((1 - r) / r) *: centre (C k i) k;
  excess_le : forall k i j, (K <= k)%N -> i \in G -> j \in G :|: H -> excess k i j <= E k i;
  excess_eq : forall k i j, (K <= k)%N -> i \in G -> j \in G :|: H -> (j \in C k i) = (excess k i j == E k i);
  E_nonneg : forall k i, (K <= k)%N -> i \in G -> 0 <= E k i;
  missing_pos : forall k i, (K <= k)%N -> i \in G -> 0 < missing i k;
  missing_less : forall k i j, (K <= k)%N -> i \in G -> j \in G -> j \in C k i -> j != i -> missing j k < missing i k;
  no_leader_inside : forall k i, (K <= k)%N -> i \in G -> C k i != [set i];
  targets_poly : forall j, j \in H -> exists q, poly q (u j);
  target_at_rest : forall k j, (K <= k)%N -> j \in H -> p j = 0 -> u j k = 0
}.

End Definitions.

Section Cluster.

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

Notation V := 'cV[R]_d.
Notation dot := (dotA A).
Notation centre := (centre u).
Notation excess := (excess A r ell p u).
Notation missing := (missing A r ell u).

Lemma rk_gt0 k : 0 < r ^+ k. Proof. exact: exprn_gt0. Qed.
Lemma card_pos (D : {set I}) : D != set0 -> 0 < #|D|%:R :> R. Proof. by rewrite ltr0n card_gt0. Qed.

Lemma dot_centre (y : V) D k : dot y (centre D k) = #|D|%:R^-1 * (\sum_(j in D) dot y (u j k)).
Proof. by rewrite dotAZr dotA_sumr. Qed.

Lemma dot_centre_le (y : V) D k t : D != set0 -> (forall j, j \in D -> dot y (u j k) <= t) -> dot y (centre D k) <= t.
Proof.
move=> D0 Ht; rewrite dot_centre mulrC ler_pdivr_mulr ?card_pos // mulr_natr -sumr_const; exact: ler_sum.
Qed.

Lemma dot_centre_abs (y : V) D k t : D != set0 -> (forall j, j \in D -> `|dot y (u j k)| <= t) -> `|dot y (centre D k)| <= t.
Proof.
move=> D0 Ht; rewrite ler_norml; apply/andP; split; last by apply: dot_centre_le => // j /Ht /ler_normlP[].
have := @dot_centre_le (- y) D k t D0; rewrite -[- y]scaleN1r dotAZl // mulN1r ler_oppl => -> // j /Ht /ler_normlP[+ _].
by rewrite dotAZl // mulN1r.
Qed.

(** ** Lemma 1: exponential decay *)

Definition size_of i k : R := r ^+ k * nrm (u i k).

Lemma size_ge0 i k : 0 <= size_of i k.
Proof. by rewrite mulr_ge0 ?nrm_ge0 // ltW ?rk_gt0. Qed.

Lemma targets_tame j : j \in H -> tame (fun k => nrm (u j k)).
Proof. by move=> /(targets_poly facts)[q]; exact: poly_nrm_tame. Qed.

Theorem stabilisation_decay i : i \in G -> tiny (size_of i).
Proof.
apply: (@decay R r I G H C size_of (fun k i => - missing i k) K r_gt0 r_lt1).
- exact: followed_some facts.
- by move=> k j; exact: (followed_late facts).
- by move=> k j; exact: (no_leader_inside facts).
- by move=> k j j' Kk jG j'G jC ne; rewrite ltr_opp2; exact: (missing_less facts).
- exact: size_ge0.
- move=> k j Kk jG; rewrite /size_of (u_step facts Kk jG) /average.
  have c0 : 0 <= (1 - r) / r by rewrite divr_ge0 ?subr_ge0 ?ltW.
  have B : nrm (centre (C k j) k) <= #|C k j|%:R^-1 * (\sum_(m in C k j) nrm (u m k)).
    by rewrite nrmZ ger0_norm ?invr_ge0 ?ler0n // ler_wpmul2l ?invr_ge0 ?ler0n // nrm_sum.
  set b := _^-1 * _ in B; have T : nrm (u j k + ((1 - r) / r) *: centre (C k j) k) <= nrm (u j k) + (1 - r) / r * b.
    by apply: le_trans (nrmD _ _) _; rewrite ler_add2l nrmZ (ger0_norm c0) ler_wpmul2l.
  have Eb : #|C k j|%:R^-1 * (\sum_(m in C k j) r ^+ k * nrm (u m k)) = r ^+ k * b by rewrite -mulr_sumr mulrCA.
  apply: le_trans (ler_wpmul2l (ltW (rk_gt0 k.+1)) T) _; rewrite Eb; clear B T Eb; clearbody b; move: (nrm _) => n.
  by rewrite exprS le_eqVlt; apply/orP; left; apply/eqP; move: (r ^+ k) => rk; field; rewrite gt_eqF.
- have T : tame (fun k => \sum_(j in H) nrm (u j k)) by apply: tame_sum => j /targets_tame.
  have [t [M [t0 t1 M0 F]]] := tame_tiny r_gt0 r_lt1 T; exists t, M; split=> //.
  by apply: eventually_mono F => k; rewrite mulr_sumr.
Qed.

(** ** What is small: one bound for all products *)

Lemma small_products : exists2 tau, tends_to tau 0 & forall k,
  [/\ 0 <= tau k,
      forall i m, i \in G -> m \in H -> `|r ^+ k * dot (u i k) (u m k)| <= tau k,
      forall i m, i \in G -> m \in H -> `|r ^+ k * dot (u i k.+1) (u m k)| <= tau k &
      forall m m', m \in H -> m' \in H -> `|r ^+ k * dot (u m k) (u m' k)| <= tau k].
Proof.
have [B B0 HB] := nrm_dot A.
pose t1 k := \sum_(i in G) \sum_(m in H) B * (size_of i k * nrm (u m k)).
pose t2 k := \sum_(i in G) \sum_(m in H) B / r * (size_of i k.+1 * nrm (u m k)).
pose t3 k := \sum_(m in H) \sum_(m' in H) B * (size_of m k * nrm (u m' k)).
have pos c i m k k' : 0 <= c -> 0 <= c * (size_of i k * nrm (u m k')).
  by move=> c0; apply: mulr_ge0 => //; apply: mulr_ge0; [exact: size_ge0 | exact: nrm_ge0].
have b0 := ltW B0; have br0 : 0 <= B / r by rewrite divr_ge0 // ltW.
have T1 k : 0 <= t1 k by rewrite sumr_ge0 // => i _; rewrite sumr_ge0 // => m _; exact: pos.
have T2 k : 0 <= t2 k by rewrite sumr_ge0 // => i _; rewrite sumr_ge0 // => m _; exact: pos.
have T3 k : 0 <= t3 k by rewrite sumr_ge0 // => i _; rewrite sumr_ge0 // => m _; exact: pos.
have lim c (f : nat -> R) m : m \in H -> tiny f -> tends_to (fun k => c * (f k * nrm (u m k))) 0.
  move=> mH tf; have := tends_toZ c (tiny_tame tf (targets_tame mH)); rewrite mul0r; apply: tends_to_ext.
  by apply: eventually_true => k; rewrite mulrC.
exists (fun k => t1 k + t2 k + t3 k).
  have L1 : tends_to t1 0.
    by apply: tends_to0_sum => i iG; apply: tends_to0_sum => m mH; apply: lim => //; exact: stabilisation_decay.
  have L2 : tends_to t2 0.
    apply: tends_to0_sum => i iG; apply: tends_to0_sum => m mH.
    by apply: (lim _ (fun k => size_of i k.+1)) => //; exact/tiny_next/stabilisation_decay.
  have L3 : tends_to t3 0.
    apply: tends_to0_sum => i iH; apply: tends_to0_sum => m mH; apply: lim => //.
    by apply: tame_tiny => //; exact: targets_tame.
  by have := tends_toD (tends_toD L1 L2) L3; rewrite !addr0.
have single (P Q : {set I}) (f : I -> I -> R) i m : i \in P -> m \in Q -> (forall i m, 0 <= f i m) ->
    f i m <= \sum_(i in P) \sum_(m in Q) f i m.
  move=> iP mQ f0; rewrite (bigD1 i) //= (bigD1 m) //= -addrA ler_addl addr_ge0 ?sumr_ge0 // => j _.
  by rewrite sumr_ge0.
have prod k x y : `|r ^+ k * dot x y| <= B * (r ^+ k * nrm x * nrm y).
  rewrite normrM (gtr0_norm (rk_gt0 k)); have := ler_wpmul2l (ltW (rk_gt0 k)) (HB x y).
  by move=> /le_trans; apply; rewrite mulrCA [r ^+ k * (_ * _)]mulrA.
move=> k; split=> [|i m iG mH|i m iG mH|i m iH mH]; first by rewrite !addr_ge0.
- apply: le_trans (prod _ _ _) _; rewrite -addrA; apply: ler_paddr; first exact: addr_ge0.
  by apply: (@single G H (fun i m => B * (size_of i k * nrm (u m k)))) => // *; exact: pos.
- apply: le_trans (prod _ _ _) _; rewrite addrAC; apply: ler_paddl; first exact: addr_ge0.
  apply: le_trans (_ : B / r * (size_of i k.+1 * nrm (u m k)) <= _); last first.
    by apply: (@single G H (fun i m => B / r * (size_of i k.+1 * nrm (u m k)))) => // *; exact: pos.
  rewrite /size_of exprS le_eqVlt; apply/orP; left; apply/eqP; field; by rewrite gt_eqF.
- apply: le_trans (prod _ _ _) _; apply: ler_paddl; first exact: addr_ge0.
  by apply: (@single H H (fun i m => B * (size_of i k * nrm (u m k)))) => // *; exact: pos.
Qed.

(** ** Lemma 2: one level *)

Definition balanced (D : {set I}) : Prop := [/\ D \subset H, D != set0 & \sum_(m in D) p m = 0].

Lemma inside_or_target k i j : (K <= k)%N -> i \in G -> j \in C k i -> j \notin H -> j \in G.
Proof. by move=> Kk iG /(subsetP (followed_late facts Kk iG)); rewrite inE => /orP[// | ->]. Qed.

Lemma split_sum k i (W : zmodType) (f : I -> W) : (K <= k)%N -> i \in G ->
  \sum_(j in C k i) f j = \sum_(j in C k i :&: G) f j + \sum_(j in C k i :&: H) f j.
Proof.
move=> Kk iG; rewrite (big_setID H) /= addrC; congr (_ + _); apply: eq_bigl => j; rewrite !inE.
case: (boolP (j \in C k i)) => jC; rewrite ?andbF // andbT /=; case: (boolP (j \in H)) => jH /=.
  by apply/esym/negbTE; apply: contraL jH; exact: (apart facts).
by apply/esym/(inside_or_target Kk iG jC).
Qed.

Lemma targets_balanced k i : (K <= k)%N -> i \in G -> C k i :&: H != set0 -> balanced (C k i :&: H).
Proof.
move=> Kk iG n0; split=> //; first exact: subsetIr.
have := p_balance facts Kk iG; rewrite (split_sum _ Kk iG) [X in X + _]big1 ?add0r // => j.
by rewrite inE => /andP[_ /(p_inside facts)].
Qed.

Lemma sum_excess D k i : D != set0 -> \sum_(m in D) p m = 0 ->
  #|D|%:R * (dot ell (centre D k) + r ^+ k * dot (u i k) (centre D k)) = \sum_(m in D) excess k i m.
Proof.
move=> D0 p0; have n0 : #|D|%:R != 0 :> R by rewrite gt_eqF ?card_pos.
rewrite /StabilisationCluster.excess !big_split /= -mulr_sumr -!dotA_sumr p0 dotA0r add0r /StabilisationCluster.centre !dotAZr mulrDr mulVKf //.
by rewrite mulrCA [_ * (_^-1 * _)]mulrA mulfV // mul1r.
Qed.

Lemma mean_excess D k i : balanced D -> (K <= k)%N -> i \in G ->
  dot ell (centre D k) + r ^+ k * dot (u i k) (centre D k) <= E k i.
Proof.
move=> [DH D0 p0] Kk iG; have n0 := card_pos D0.
rewrite -(ler_pmul2l n0) sum_excess // mulr_natl -sumr_const; apply: ler_sum => m mD.
by apply: (excess_le facts Kk iG); rewrite inE (subsetP DH) ?orbT.
Qed.

Lemma mean_excess_eq k i : (K <= k)%N -> i \in G -> C k i :&: H != set0 ->
  dot ell (centre (C k i :&: H) k) + r ^+ k * dot (u i k) (centre (C k i :&: H) k) = E k i.
Proof.
move=> Kk iG D0; have [_ _ p0] := targets_balanced Kk iG D0; have n0 := card_pos D0.
apply: (mulfI (lt0r_neq0 n0)); rewrite sum_excess // mulr_natl -sumr_const; apply: eq_bigr => m.
by rewrite inE => /andP[mC mH]; apply/eqP; rewrite -(excess_eq facts Kk iG) // inE mH orbT.
Qed.

Lemma centre_poly (D : {set I}) : D \subset H -> exists q, poly q (centre D).
Proof.
move=> DH; have [n nP] := finite_choice 0%N EM (fun j (jH : j \in H) => targets_poly facts jH).
exists (\max_j n j); apply: polyZ; apply: poly_sum => j jD.
by apply: poly_le (nP j (subsetP DH j jD)); apply: (leq_bigmax_cond (F := n)).
Qed.

Lemma level_poly (D : {set I}) : D \subset H -> exists q, poly q (fun k => dot ell (centre D k)).
Proof.
by move=> /centre_poly[q P]; exists q; apply: (poly_map (h := fun x => dot ell x) _ P) => x y; rewrite dotABr.
Qed.

Lemma often_balanced i (S : {set I}) : i \in G -> often (fun k => C k i = S) -> S :&: H != set0 -> balanced (S :&: H).
Proof. by move=> iG O n0; have [k Kk E0] := O K; rewrite -E0 in n0 *; exact: targets_balanced. Qed.

Lemma level_above tau i (S D : {set I}) : tends_to tau 0 ->
  (forall k i m, i \in G -> m \in H -> `|r ^+ k * dot (u i k) (u m k)| <= tau k) ->
  i \in G -> often (fun k => C k i = S) -> S :&: H != set0 -> balanced D ->
  ~ positive_late (fun k => dot ell (centre D k) - dot ell (centre (S :&: H) k)).
Proof.
move=> t0 small iG O S0 bD [e e0 pos]; pose h := e / 3%:R; have h0 : 0 < h by exact: third.
have Ee : e = h + h + h by rewrite /h; field.
have [k _ [kS [[ge lt] Kk]]] := often_and O (eventually_and (eventually_and pos (t0 h h0)) (eventually_le K)) 0%N.
have n0 : C k i :&: H != set0 by rewrite kS.
have EQ := mean_excess_eq Kk iG n0; have LE := mean_excess bD Kk iG; rewrite kS in EQ.
have prod (D' : {set I}) : D' \subset H -> D' != set0 -> `|r ^+ k * dot (u i k) (centre D' k)| <= tau k.
  move=> D'H D'0; rewrite -dotAZl //; apply: dot_centre_abs => // m mD; rewrite dotAZl //.
  by apply: small => //; exact: (subsetP D'H).
have [DH D0 _] := bD; have /ler_normlP[P1 _] := prod D DH D0; have /ler_normlP[_ P2] := prod _ (subsetIr S H) S0.
move: lt; rewrite subr0 => /ltr_normlP[_ lt].
move: (r ^+ k * _) P1 LE (r ^+ k * _) P2 EQ => x1 P1 LE x2 P2 EQ; rewrite -EQ Ee in LE ge; have P := ler_add P1 P2; have lt2 := ltr_add lt lt; lin P LE ge lt2 h0.
Qed.
(** The token of G of largest norm follows targets, and of G at most itself. *)
Lemma longest k : (K <= k)%N -> G != set0 -> exists g, [/\ g \in G, forall j, j \in G -> missing g k <= missing j k,
  C k g :&: G \subset [set g] & C k g :&: H != set0].
Proof.
move=> Kk /set0Pn[i0 i0G]; have n0 : enum G != [::] by rewrite -size_eq0 -cardE cards_eq0; apply/set0Pn; exists i0.
have [g gG gmax] := exists_max (fun i => - missing i k) n0; rewrite mem_enum in gG.
have min j : j \in G -> missing g k <= missing j k by move=> jG; rewrite -ler_opp2; apply: gmax; rewrite mem_enum.
have only : C k g :&: G \subset [set g].
  apply/subsetP => j; rewrite !inE => /andP[jC jG]; apply: contraT => jg.
  by have := missing_less facts Kk gG jG jC jg; rewrite ltNge min.
exists g; split=> //; apply/negP => /eqP none; case/negP: (no_leader_inside facts Kk gG).
have sub : C k g \subset [set g].
  apply/subsetP => j jC; apply: (subsetP only); rewrite inE jC; apply: (inside_or_target Kk gG jC).
  by move/setP/(_ j): none; rewrite !inE jC /= => ->.
by move: sub; rewrite subset1 => /orP[// | e0]; case/negP: (followed_some facts k g).
Qed.

Definition level (beta : nat -> R) : Prop :=
  [/\ exists2 D, balanced D & forall k, beta k = dot ell (centre D k),
      eventually (fun k => forall i, i \in G -> C k i :&: H != set0 -> dot ell (centre (C k i :&: H) k) = beta k) &
      eventually (fun k => beta k = 0) \/ positive_late beta /\ eventually (fun k => beta k <= beta k.+1)].

Theorem stabilisation_level : G != set0 -> exists beta, level beta.
Proof.
move=> G0; have [tau t0 T] := small_products.
have small k i m : i \in G -> m \in H -> `|r ^+ k * dot (u i k) (u m k)| <= tau k by case: (T k) => _ S _ _; exact: S.
have late := eventually_all (fun i => late_recurrent (C ^~ i) EM).
have [k0 [rec0 Kk0]] := eventually_one (eventually_and late (eventually_le K)).
have [g [gG _ _ D0]] := longest Kk0 G0; set S0 := C k0 g in D0; have O0 : often (fun k => C k g = S0) := rec0 g.
have b0 := often_balanced gG O0 D0; pose beta k := dot ell (centre (S0 :&: H) k); exists beta.
have poly2 (D D' : {set I}) : D \subset H -> D' \subset H ->
    exists q, poly q (fun k => dot ell (centre D k) - dot ell (centre D' k)).
  move=> /level_poly[q P] /level_poly[q' P']; exists (maxn q q').
  by apply: polyB; [apply: poly_le P; exact: leq_maxl | apply: poly_le P'; exact: leq_maxr].
have same i (S : {set I}) : eventually (fun k => i \in G -> often (fun m => C m i = S) -> S :&: H != set0 ->
    dot ell (centre (S :&: H) k) = beta k).
  have [[iG [O n0]] | no] := EM (i \in G /\ often (fun m => C m i = S) /\ S :&: H != set0); last first.
    by apply: eventually_true => k iG O n0; case: no.
  have bS := often_balanced iG O n0; have [q P] := poly2 _ _ (subsetIr S H) (subsetIr S0 H).
  have [Z | P1 | P2] := poly_sign arch P.
  - by apply: eventually_mono Z => k /eqP; rewrite subr_eq0 => /eqP.
  - by case: (level_above t0 small gG O0 D0 bS).
  - case: (level_above t0 small iG O n0 b0); case: P2 => e e0 H2; exists e => //.
    by apply: eventually_mono H2 => k; rewrite opprB.
split; first by exists (S0 :&: H).
  have all_same := eventually_all (fun i => eventually_all (same i)).
  by apply: eventually_mono (eventually_and late all_same) => k [rec all] i iG n0; exact: (all i (C k i) iG (rec i) n0).
have [q P] := level_poly (subsetIr S0 H); have [Z | P1 | [e e0 P2]] := poly_sign arch P; first by left.
  right; split=> //; apply: (poly_nondecreasing arch P); have [e e0 H1] := P1; exists 0.
  by apply: eventually_mono H1 => k; apply: le_trans; exact: ltW.
exfalso; have ev := eventually_and (eventually_and P2 (t0 e e0)) (eventually_le K).
have [k _ [kS [[ge lt] Kk]]] := often_and O0 ev 0%N.
have n0 : C k g :&: H != set0 by rewrite kS.
have := mean_excess_eq Kk gG n0; have := E_nonneg facts Kk gG => E0; rewrite kS => EQ; rewrite -EQ in E0.
have : `|r ^+ k * dot (u g k) (centre (S0 :&: H) k)| <= tau k.
  rewrite -dotAZl //; apply: dot_centre_abs => // m; rewrite inE dotAZl // => /andP[_ mH]; exact: small.
move=> /ler_normlP[_ P3]; move: lt; rewrite subr0 => /ltr_normlP[_ lt].
by move: (r ^+ k * _) P3 E0 ge => x P3 E0 ge; lin P3 E0 ge lt.
Qed.
End Cluster.
