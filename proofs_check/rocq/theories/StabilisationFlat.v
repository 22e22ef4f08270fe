(** A cluster of level 0 (Lemma 4 of the page on stabilisation): late its tokens follow targets only, their sets are
    constant, and z_i = l_i + r^k times a polynomial. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From Exactformer Require Import Semantics Basics Dynamics Limits Metric Lock Forever.
From Exactformer Require Import StabilisationGrowth StabilisationOrders StabilisationDecay StabilisationCluster StabilisationGreedy.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** A sum of a polynomial and r^k times a polynomial vanishes at all late layers or at none. *)
Lemma vanishes_or_not (R : realFieldType) (r : R) q q' (f g : nat -> R) : archimedean R -> 0 < r -> r < 1 ->
  poly q f -> poly q' g -> exists b : bool, eventually (fun k => (f k + r ^+ k * g k == 0) = b).
Proof.
move=> arch r0 r1 F G; have small := poly_tame arch G r0 r1.
have rk k : r ^+ k != 0 by rewrite expf_neq0 // gt_eqF.
have far (s : R) e : `|s| = 1 -> 0 < e -> eventually (fun k => e <= s * f k) -> exists b : bool, eventually (fun k => (f k + r ^+ k * g k == 0) = b).
  move=> s1 e0 H; exists false; apply: eventually_mono (eventually_and H (small e e0)) => k [ge]; rewrite subr0 => lt.
  apply/negbTE; apply: contraTneq lt => E; rewrite -leNgt; have -> : r ^+ k * g k = - f k.
    by apply/eqP; rewrite -subr_eq0 opprK addrC E.
  by rewrite normrN; apply: le_trans ge _; apply: le_trans (ler_norm _) _; rewrite normrM s1 mul1r.
have [Z | [e e0 H] | [e e0 H]] := poly_sign arch F; last 2 first.
- by apply: (far 1 e) => //; [rewrite normr1 | apply: eventually_mono H => k; rewrite mul1r].
- by apply: (far (-1) e) => //; [rewrite normrN1 | apply: eventually_mono H => k; rewrite mulN1r].
have red k : f k = 0 -> (f k + r ^+ k * g k == 0) = (g k == 0) by move=> ->; rewrite add0r mulf_eq0 (negbTE (rk k)).
have [Z' | [e e0 H] | [e e0 H]] := poly_sign arch G; [exists true | exists false | exists false];
  apply: eventually_mono (eventually_and Z _) => [k [/red -> ?] | ]; try exact: Z'; try exact: H.
- by apply/eqP.
- by apply/gt_eqF; apply: lt_le_trans e0 _.
- by apply/lt_eqF; rewrite -oppr_gt0; apply: lt_le_trans e0 _.
Qed.

Section Flat.

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
Notation height := (height A ell u).
Notation size_of := (size_of r u).

Variables (D0 : {set I}) (K1 : nat).
Hypothesis KK1 : (K <= K1)%N.
Hypothesis D0_balanced : balanced p H D0.
Hypothesis flat0 : forall k, (K1 <= k)%N -> dot ell (centre D0 k) = 0.
Hypothesis flat : forall k i, (K1 <= k)%N -> i \in G -> C k i :&: H != set0 -> dot ell (centre (C k i :&: H) k) = 0.

Definition ratio : R := (1 - r) / r.
Lemma ratio_gt0 : 0 < ratio. Proof. by rewrite divr_gt0 ?subr_gt0. Qed.
Lemma late_K k : (K1 <= k)%N -> (K <= k)%N. Proof. exact: leq_trans. Qed.

Lemma height_pos k i : (K <= k)%N -> i \in G -> 0 < height i k.
Proof.
move=> Kk iG; have := missing_pos facts Kk iG; rewrite /missing subr_gt0 => m0.
rewrite -(pmulr_rgt0 _ (ltr0n R 2 : 0 < 2%:R)); apply: le_lt_trans m0.
by rewrite mulr_ge0 ?(normA_ge0 A_pos) // ltW // exprn_gt0.
Qed.

Lemma height_step k i : (K1 <= k)%N -> i \in G ->
  height i k.+1 = height i k + ratio * (#|C k i|%:R^-1 * (\sum_(j in C k i :&: G) height j k)).
Proof.
move=> Kk iG; rewrite {1}/StabilisationCluster.height (u_step facts (late_K Kk) iG) dotADr dotAZr opprD; congr (_ + _).
rewrite -mulrN; congr (_ * _); rewrite dot_centre // -mulrN; congr (_ * _).
rewrite (split_sum facts _ (late_K Kk) iG) opprD -sumrN [X in _ + X](_ : _ = 0) ?addr0 //.
case: (eqVneq (C k i :&: H) set0) => [-> | n0]; first by rewrite big_set0 oppr0.
have := flat Kk iG n0; rewrite dot_centre // => /eqP.
by rewrite mulf_eq0 invr_eq0 gt_eqF ?card_pos // => /eqP ->; rewrite oppr0.
Qed.

Lemma height_up k i : (K1 <= k)%N -> i \in G -> height i k <= height i k.+1.
Proof.
move=> Kk iG; rewrite height_step // ler_addl mulr_ge0 ?(ltW ratio_gt0) // mulr_ge0 ?invr_ge0 ?ler0n // sumr_ge0 // => j.
by rewrite inE => /andP[_ jG]; rewrite ltW // height_pos // late_K.
Qed.

Lemma height_low : exists2 e, 0 < e & forall k i, (K1 <= k)%N -> i \in G -> e <= height i k.
Proof.
have [e e0 H0] := positive_min [seq height i K1 | i <- enum G]; exists e => // k i Kk iG.
apply: (@le_trans _ _ (height i K1)); first by apply: H0; [apply/mapP; exists i; rewrite ?mem_enum | exact: height_pos].
rewrite -(subnKC Kk); elim: (k - K1)%N => [|n IH]; first by rewrite addn0.
by apply: le_trans IH _; rewrite addnS height_up // leq_addr.
Qed.

(** Positions are dominated by heights, up to a factor that grows slowly. *)
Lemma dominated : exists2 P, tame P & forall k i, (K1 <= k)%N -> i \in G -> 0 <= P k /\ nrm (u i k) <= P k * height i k.
Proof.
have [e e0 low] := height_low; pose cm k := \sum_(m in H) nrm (u m k).
have cm0 k : 0 <= cm k by rewrite sumr_ge0 // => m _; exact: nrm_ge0.
pose P0 := (\sum_(i in G) nrm (u i K1)) / e; pose P k := P0 + \sum_(n < k) ratio / e * cm n.
have re0 : 0 <= ratio / e by rewrite divr_ge0 ?(ltW e0) // ltW // ratio_gt0.
have PS k : P k.+1 = P k + ratio / e * cm k by rewrite /P big_ord_recr /= addrA.
have P00 : 0 <= P0 by rewrite divr_ge0 ?(ltW e0) // sumr_ge0 // => i _; exact: nrm_ge0.
have Pge k : P0 <= P k by rewrite ler_addl sumr_ge0 // => n _; exact: mulr_ge0.
have Ppos k : 0 <= P k by exact: le_trans P00 (Pge k).
have tm : tame cm by apply: tame_sum => m mH; exact: (targets_tame arch facts mH).
exists P.
  have T := tame_scale (ratio / e) tm.
  by apply: (tame_antidiff arch _ T); apply: eventually_true => k; rewrite PS [cm k * _]mulrC.
move=> k i Kk; rewrite -(subnKC Kk); move: (k - K1)%N => n {k Kk}; split; first exact: Ppos.
elim: n i H0 => [|n IH] i iG.
  rewrite addn0; apply: le_trans (_ : P0 * height i K1 <= _); last by rewrite ler_wpmul2r ?Pge // ltW // height_pos.
  apply: le_trans (_ : P0 * e <= _); last by rewrite ler_wpmul2l ?low.
  by rewrite divfK ?gt_eqF // (bigD1 i) //= ler_addl sumr_ge0 // => j _; exact: nrm_ge0.
rewrite addnS; have Kk : (K1 <= K1 + n)%N := leq_addr _ _; move: (K1 + n)%N IH Kk => k IH Kk.
have N0 := card_pos R (followed_some facts k i); have g0 := ltW ratio_gt0.
rewrite (u_step facts (late_K Kk) iG); apply: le_trans (nrmD _ _) _; rewrite nrmZ -/ratio (ger0_norm g0).
have mean : nrm (centre (C k i) k) <= P k * (#|C k i|%:R^-1 * (\sum_(j in C k i :&: G) height j k)) + cm k.
  rewrite /StabilisationCluster.centre nrmZ ger0_norm ?invr_ge0 ?ler0n //.
  have S : nrm (\sum_(j in C k i) u j k) <= P k * (\sum_(j in C k i :&: G) height j k) + cm k.
    apply: le_trans (nrm_sum _ _) _; rewrite (split_sum facts _ (late_K Kk) iG); apply: ler_add.
      by rewrite mulr_sumr; apply: ler_sum => j; rewrite inE => /andP[_ jG]; exact: IH.
    by rewrite /cm [X in _ <= X](big_setID (C k i)) /= setIC ler_addl sumr_ge0 // => j _; exact: nrm_ge0.
  apply: le_trans (ler_wpmul2l (_ : 0 <= #|C k i|%:R^-1) S) _; first by rewrite invr_ge0 ler0n.
  rewrite mulrDr mulrCA ler_add2l ler_pimull // invf_le1 ?ler1n ?card_gt0 ?(followed_some facts) //.
have IHi := IH i iG; have M := ler_wpmul2l g0 mean.
have low' := low k.+1 i (leqW Kk) iG; have C1 : 0 <= ratio / e * cm k by exact: mulr_ge0.
have C2 := ler_wpmul2l C1 low'; rewrite [_ * e]mulrAC divfK ?gt_eqF // in C2.
set x := _^-1 * _ in M; have PH : P k * height i k.+1 = P k * height i k + ratio * (P k * x).
  by rewrite (height_step Kk iG) -/x; clear M; clearbody x; move: (height i k) => y; ring.
rewrite PS mulrDl PH; clear PH low' mean; clearbody x; move: (ratio / e * _ * _) C2 => y C2.
by apply: le_trans (ler_add IHi M) _; lin C2.
Qed.

(** Late a token of G follows targets only. *)
Lemma targets_only : eventually (fun k => forall i, i \in G -> C k i :&: H = C k i).
Proof.
have [e e0 low] := height_low; have [P tP dom] := dominated; have [B B0 HB] := nrm_dot A.
have [tau t0 T] := small_products arch r_gt0 r_lt1 facts.
have near i : eventually (fun k => i \in G -> B * (size_of i k * P k) < 2%:R^-1).
  case: (boolP (i \in G)) => iG; last exact: eventually_true.
  have ty := stabilisation_decay arch r_gt0 r_lt1 facts iG.
  have := tends_toZ B (tiny_tame ty tP); rewrite mul0r => L; have h0 : 0 < 2%:R^-1 :> R by rewrite invr_gt0 ltr0n.
  by apply: eventually_mono (L _ h0) => k; rewrite subr0 => /ltr_normlP[_ lt] _; rewrite mulrC.
have h0 : 0 < e / 2%:R by rewrite divr_gt0 ?ltr0n.
have ev := eventually_and (eventually_and (eventually_all near) (t0 _ h0)) (eventually_le K1).
apply: eventually_mono ev => k [[nr]]; rewrite subr0 => /ltr_normlP[_ tk] Kk i iG; have Kk' := late_K Kk.
apply/setIidPl/subsetP => j jC; apply: contraT => jH; have jG := inside_or_target facts Kk' iG jC jH.
have := excess_eq facts Kk' iG (_ : j \in G :|: H); rewrite inE jG jC => /(_ isT)/esym/eqP.
rewrite /StabilisationCluster.excess (p_inside facts jG) dotA0r add0r => X.
have [DH n0 _] := D0_balanced; have M := mean_excess facts D0_balanced Kk' iG; rewrite flat0 // add0r -X in M.
have : `|r ^+ k * dot (u i k) (centre D0 k)| <= tau k.
  rewrite -dotAZl //; apply: (dot_centre_abs A_sym n0) => m mD; rewrite dotAZl //.
  by case: (T k) => _ S _ _; apply: S => //; exact: (subsetP DH).
move=> /ler_normlP[Y _]; have [Pk nj] := dom k j Kk jG.
have rk : 0 <= r ^+ k by rewrite ltW // exprn_gt0.
have Z1 : r ^+ k * dot (u i k) (u j k) <= B * (size_of i k * nrm (u j k)).
  apply: le_trans (ler_norm _) _; rewrite normrM (ger0_norm rk); apply: le_trans (ler_wpmul2l rk (HB _ _)) _.
  by rewrite mulrCA /StabilisationCluster.size_of !mulrA.
have s0 : 0 <= size_of i k by exact: size_ge0.
have Z2 : B * (size_of i k * nrm (u j k)) <= B * (size_of i k * P k) * height j k.
  by rewrite -[X in _ <= X]mulrA; apply: ler_wpmul2l; [exact: ltW | rewrite -[X in _ <= X]mulrA; exact: ler_wpmul2l].
have hj := height_pos Kk' jG; have Z3 : B * (size_of i k * P k) * height j k <= 2%:R^-1 * height j k.
  by rewrite ler_wpmul2r ?(ltW hj) // ltW // nr.
have lw := low k j Kk jG; have lw2 : e / 2%:R <= height j k / 2%:R by rewrite ler_pmul2r ?invr_gt0 ?ltr0n.
have hE : height j k = height j k / 2%:R + 2%:R^-1 * height j k by field.
have dE : dot ell (u j k) = - height j k by rewrite opprK.
rewrite dE hE in M; move: (r ^+ k * dot _ (centre _ _)) (height j k / _) (2%:R^-1 * _) M Y lw2 Z3 => x1 x2 x3 M Y lw2 Z3.
by exfalso; have Z := le_trans Z1 (le_trans Z2 Z3); have t2 := lt_le_trans tk lw2; lin Z M Y t2.
Qed.

(** ** Lemma 4 *)

Theorem stabilisation_flat i : i \in G -> (exists q, poly q (u i)) /\ exists S, eventually (fun k => C k i = S).
Proof.
move=> iG; have rec t : recurs (C ^~ i) t -> t :&: H = t /\ t != set0.
  move=> O; have [k _ [<- tH]] := often_and O targets_only 0%N.
  by split; [exact: tH | exact: (followed_some facts)].
have bal t : recurs (C ^~ i) t -> balanced p H (t :&: H).
  move=> O; have [tH t0] := rec t O; have [k Kk kt] := O K; rewrite -kt.
  by apply: (targets_balanced facts) => //; rewrite kt tH.
have zero t : eventually (fun k => recurs (C ^~ i) t -> dot ell (centre (t :&: H) k) = 0).
  have [O | no] := EM (recurs (C ^~ i) t); last exact: eventually_true.
  have [tH t0] := rec t O; have [q P] := level_poly EM facts (subsetIr t H).
  have at_t : often (fun k => dot ell (centre (t :&: H) k) = 0).
    apply: often_mono (often_and O (eventually_le K1)) => k [kt Kk]; rewrite -kt; apply: flat => //.
    by rewrite kt tH.
  have [Z | [e e0 P1] | [e e0 P1]] := poly_sign arch P; first by apply: eventually_mono Z.
    exfalso; have [k _ [z ge]] := often_and at_t P1 0%N; by rewrite z leNgt e0 in ge.
  exfalso; have [k _ [z ge]] := often_and at_t P1 0%N; by rewrite z oppr0 leNgt e0 in ge.
have [||t Ot same] := @stabilisation_greedy R d A _ (fun t => centre (t :&: H)) (C ^~ i) (u i) ratio EM arch A_sym A_pos
    ratio_gt0 (fun t => centre_poly EM facts (subsetIr t H)).
- apply: eventually_mono (eventually_and targets_only (eventually_le K1)) => k [tH Kk].
  by rewrite (u_step facts (late_K Kk) iG) tH.
- have ev := eventually_and (eventually_and targets_only (eventually_le K1)) (eventually_all zero).
  apply: eventually_mono ev => k [[tH Kk] z] t Ot; have Kk' := late_K Kk.
  have n0 : C k i :&: H != set0 by rewrite tH //; exact: (followed_some facts).
  have := mean_excess facts (bal t Ot) Kk' iG; rewrite z // add0r -(mean_excess_eq facts Kk' iG n0) flat // add0r.
  by rewrite ler_pmul2l // exprn_gt0.
have [q Pc] := centre_poly EM facts (subsetIr t H).
have Pu : poly q.+1 (u i).
  apply: (poly_antidiff (f := fun k => ratio *: centre (t :&: H) k)); last exact: polyZ.
  have ev := eventually_and (eventually_and targets_only same) (eventually_le K1).
  by apply: eventually_mono ev => k [[tH <-] Kk]; rewrite (u_step facts (late_K Kk) iG) tH.
split; first by exists q.+1.
have Bl y (x x' : V) : dot (x - x') y = dot x y - dot x' y by rewrite dotABl.
have Br (x y y' : V) : dot x (y - y') = dot x y - dot x y' by rewrite dotABr.
have member m : exists b : bool, eventually (fun k => (m \in C k i) = b).
  case: (boolP (m \in H)) => mH; last first.
    exists false; apply: eventually_mono targets_only => k tH.
    by apply: contraNF mH; rewrite -{1}(tH i iG) inE => /andP[].
  have [qm Pm] := targets_poly facts mH.
  have F1 : poly (q.+1 + 1) (fun k => dot (u i k) (p m)) by apply: (poly_mul Bl Br Pu (poly_const 0 (p m))).
  have F2 : poly qm (fun k => dot ell (u m k)) by apply: (poly_map (h := fun x => dot ell x) _ Pm) => x y; rewrite dotABr.
  have F : poly (maxn (q.+1 + 1) qm) (fun k => dot (u i k) (p m) + dot ell (u m k)).
    by apply: polyD; [apply: poly_le F1; exact: leq_maxl | apply: poly_le F2; exact: leq_maxr].
  have G1 : poly (q.+1 + maxn qm q) (fun k => dot (u i k) (u m k - centre (t :&: H) k)).
    apply: (poly_mul Bl Br Pu); apply: polyB; [apply: poly_le Pm; exact: leq_maxl | apply: poly_le Pc; exact: leq_maxr].
  have [b bP] := vanishes_or_not arch r_gt0 r_lt1 F G1; exists b.
  have ev := eventually_and (eventually_and targets_only same) (eventually_and (eventually_le K1) bP).
  apply: eventually_mono ev => k [[tH cE] [Kk <-]]; have Kk' := late_K Kk.
  have n0 : C k i :&: H != set0 by rewrite tH //; exact: (followed_some facts).
  rewrite (excess_eq facts Kk' iG) ?inE ?mH ?orbT // -(mean_excess_eq facts Kk' iG n0) flat // add0r cE.
  by rewrite -[LHS]subr_eq0 /StabilisationCluster.excess dotABr mulrBr addrA.
have [b bP] := finite_choice true EM (fun m (_ : True) => member m).
exists [set m | b m]; have all := eventually_all (fun m => bP m Logic.I).
by apply: eventually_mono all => k H0; apply/setP => m; rewrite inE H0.
Qed.
End Flat.
