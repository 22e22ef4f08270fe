(** Lemma 1 of the page on stabilisation: a cluster without a leader tends to its limit at an exponential rate.

    Abstractly: sizes v of the tokens of G, each at most a convex combination of the sizes of those it follows, and no
    set of tokens of G that follow only each other. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From Exactformer Require Import Semantics Basics Dynamics Limits Metric Lock Forever StabilisationGrowth StabilisationOrders.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** Exponentially small sequences *)

Section Tiny.

Variable R : realFieldType.
Hypothesis arch : archimedean R.
Implicit Types f g : nat -> R.

Definition tiny f : Prop := exists theta M, [/\ 0 < theta, theta < 1, 0 <= M & eventually (fun k => `|f k| <= M * theta ^+ k)].

Lemma tiny_tame f g : tiny f -> tame g -> tends_to (fun k => f k * g k) 0.
Proof.
move=> [t [M [t0 t1 M0 F]]] G; have H := tends_toZ M (G t t0 t1); rewrite mul0r in H.
apply: tends_to0_le H _; apply: eventually_mono F => k F.
have t0k : 0 <= t ^+ k by rewrite exprn_ge0 // ltW.
rewrite !normrM (ger0_norm M0) (ger0_norm t0k) mulrAC ler_wpmul2r //.
by rewrite mulrC.
Qed.

Lemma tiny_vanishes f : tiny f -> tends_to f 0.
Proof.
move=> F; apply: tends_to_ext (tiny_tame F (tame_const arch 1)).
by apply: eventually_true => k; rewrite mulr1.
Qed.

Lemma tame_tiny r g : 0 < r -> r < 1 -> tame g -> tiny (fun k => r ^+ k * g k).
Proof.
move=> r0 r1 G; pose t := (1 + r) / 2%:R.
have t0 : 0 < t by rewrite divr_gt0 ?addr_gt0 ?ltr01 ?ltr0n.
have t1 : t < 1 by rewrite ltr_pdivr_mulr ?ltr0n // mul1r (_ : 2%:R = 1 + 1) ?ltr_add2l //; ring.
have rt : r < t.
  by rewrite ltr_pdivl_mulr ?ltr0n // (_ : r * 2%:R = r + r) ?ltr_add2r //; ring.
clearbody t; have q0 : 0 < r / t by rewrite divr_gt0.
have q1 : r / t < 1 by rewrite ltr_pdivr_mulr // mul1r.
exists t, 1; split=> //; apply: eventually_mono (G _ q0 q1 1 ltr01) => k; rewrite subr0 mul1r => lt.
have tk : 0 < t ^+ k by rewrite exprn_gt0.
have E : r ^+ k = (r / t) ^+ k * t ^+ k by rewrite -exprMn divfK ?gt_eqF.
by rewrite E mulrAC normrM (gtr0_norm tk) -[X in _ <= X]mul1r ler_wpmul2r ?(ltW tk) // ltW.
Qed.

Lemma tiny_next f : tiny f -> tiny (fun k => f k.+1).
Proof.
move=> [t [M [t0 t1 M0 F]]]; exists t, M; split=> //; apply: eventually_mono (eventually_next F) => k /le_trans; apply.
by rewrite ler_wpmul2l // exprS ler_pimull ?exprn_ge0 ?ltW.
Qed.

Lemma tame_sum (I : finType) (P : pred I) (f : I -> nat -> R) :
  (forall i, P i -> tame (f i)) -> tame (fun k => \sum_(i | P i) f i k).
Proof.
move=> H b b0 b1; apply: tends_to_ext (tends_to0_sum (fun i Pi => H i Pi b b0 b1)).
by apply: eventually_true => k; rewrite mulr_sumr.
Qed.

Lemma poly_nrm_tame d q (f : nat -> 'cV[R]_d) : poly q f -> tame (fun k => nrm (f k)).
Proof.
move=> F; apply: tame_sum => c _; apply: tame_abs; apply: (@poly_tame _ arch q).
by apply: (poly_map (h := fun v : 'cV[R]_d => v c 0) _ F) => x y; rewrite !mxE.
Qed.

End Tiny.

(** ** Leaks *)

Section Leak.

Variable R : realFieldType.
Hypothesis arch : archimedean R.
Variables (r : R) (I : finType) (G H : {set I}) (C : nat -> I -> {set I}) (v : I -> nat -> R) (len : nat -> I -> R) (K : nat).
Hypothesis r_gt0 : 0 < r.
Hypothesis r_lt1 : r < 1.
Hypothesis C_neq0 : forall k i, C k i != set0.
Hypothesis C_sub : forall k i, (K <= k)%N -> i \in G -> C k i \subset G :|: H.
Hypothesis no_leader : forall k i, (K <= k)%N -> i \in G -> C k i != [set i].
Hypothesis longer : forall k i j, (K <= k)%N -> i \in G -> j \in G -> j \in C k i -> j != i -> len k i < len k j.
Hypothesis v_ge0 : forall i k, 0 <= v i k.
Definition average k i : R := #|C k i|%:R^-1 * (\sum_(j in C k i) v j k).
Hypothesis v_next : forall k i, (K <= k)%N -> i \in G -> v i k.+1 <= r * v i k + (1 - r) * average k i.

Definition share : R := Num.min r ((1 - r) / #|I|%:R).

Lemma share_gt0 (i : I) : 0 < share.
Proof.
rewrite lt_minr r_gt0 divr_gt0 ?subr_gt0 // ltr0n; apply/card_gt0P; by exists i.
Qed.

Lemma share_ge0 : 0 <= share.
Proof. by rewrite le_minr (ltW r_gt0) divr_ge0 ?ler0n // subr_ge0 ltW. Qed.

Lemma share_le1 : share <= 1. Proof. by rewrite le_minl (ltW r_lt1). Qed.

Lemma mean_bound k i b : (forall j, j \in C k i -> v j k <= b) -> average k i <= b.
Proof.
move=> Hb; have n0 : 0 < #|C k i|%:R :> R by rewrite ltr0n card_gt0.
rewrite /average mulrC ler_pdivr_mulr // mulr_natr -sumr_const; exact: ler_sum.
Qed.

Lemma mean_leak k i j b e : 0 <= e -> (forall j, j \in C k i -> v j k <= b) -> j \in C k i -> v j k <= b - e ->
  (1 - r) * average k i <= (1 - r) * b - share * e.
Proof.
move=> e0 Hb jC je; have n0 : 0 < #|C k i|%:R :> R by rewrite ltr0n card_gt0.
have S : \sum_(j in C k i) v j k <= #|C k i|%:R * b - e.
  rewrite (bigD1 j jC) /= (cardsD1 j) jC natrD mulrDl mul1r addrAC; apply: ler_add => //.
  rewrite mulr_natl -sumr_const; rewrite (eq_bigl (fun m => m \in C k i :\ j)); last by move=> m; rewrite !inE andbC.
  by apply: ler_sum => m; rewrite inE => /andP[_ /Hb].
have r1 : 0 <= 1 - r by rewrite subr_ge0 ltW.
have M : average k i <= b - e / #|C k i|%:R.
  by rewrite /average mulrC ler_pdivr_mulr // mulrBl divfK ?gt_eqF // [b * _]mulrC.
apply: le_trans (ler_wpmul2l r1 M) _; rewrite mulrBr ler_sub // mulrA mulrAC ler_wpmul2r //.
rewrite le_minl; apply/orP; right; rewrite ler_wpmul2l // lef_pinv ?posrE ?ltr0n ?card_gt0 //.
  by rewrite ler_nat max_card.
by apply/card_gt0P; exists i.
Qed.

(** u layers after k: a set S of at least u tokens of G, or all of G, has lost a part of m. *)
Lemma window k m nu u : (K <= k)%N -> 0 <= m -> 0 <= nu -> (forall i, i \in G -> v i k <= m + nu) ->
  (forall k' j, (k <= k')%N -> j \in H -> v j k' <= nu) ->
  (forall i, i \in G -> v i (k + u)%N <= m + nu) /\
  exists S : {set I}, [/\ S \subset G, (minn u #|G| <= #|S|)%N &
    forall i, i \in S -> v i (k + u)%N <= m + nu - share ^+ u * m].
Proof.
move=> Kk m0 nu0 start noise; elim: u => [|u [IH [S [SG Scard Sv]]]].
  by split=> [|]; [rewrite addn0 | exists set0; split=> [||i]; rewrite ?sub0set ?min0n ?inE].
have Ku : (K <= k + u)%N by apply: leq_trans Kk (leq_addr _ _).
have noise' j : j \in H -> v j (k + u)%N <= nu by apply: noise; exact: leq_addr.
have all_C i j : i \in G -> j \in C (k + u) i -> v j (k + u)%N <= m + nu.
  move=> iG /(subsetP (C_sub Ku iG)); rewrite inE => /orP[/IH // | /noise' le].
  by apply: le_trans le _; rewrite ler_addr.
have next i : i \in G -> v i (k + u).+1 <= m + nu.
  move=> iG; apply: le_trans (v_next Ku iG) _; have M := mean_bound (all_C i ^~ iG).
  have r1 : 0 <= 1 - r by rewrite subr_ge0 ltW.
  have := ler_add (ler_wpmul2l (ltW r_gt0) (IH i iG)) (ler_wpmul2l r1 M); move: (average _ _) => t F; lin F.
rewrite addnS; split=> //.
pose S' := S :|: [set i in G | C (k + u) i :&: (S :|: H) != set0].
have su0 : 0 <= share ^+ u by rewrite exprn_ge0 ?share_ge0.
have lost j : j \in S :|: H -> v j (k + u)%N <= m + nu - share ^+ u * m.
  rewrite inE => /orP[/Sv // | /noise' le]; apply: le_trans le _.
  rewrite addrAC ler_addr subr_ge0 ler_pimull // exprn_ile1 ?share_le1 ?share_ge0 //.
have e0 : 0 <= share ^+ u * m by exact: mulr_ge0.
exists S'; split.
- by apply/subsetP => i; rewrite !inE => /orP[/(subsetP SG) // | /andP[]].
- case: (eqVneq S G) => [SE | ne].
    by apply: leq_trans (geq_minr _ _) _; apply: subset_leq_card; rewrite -{1}SE; exact: subsetUl.
  have prop : S \proper S'.
    rewrite properE subsetUl /=; apply/negP => sub.
    have closed i : i \in G :\: S -> C (k + u) i \subset G :\: S.
      rewrite inE => /andP[iS iG]; have none : C (k + u) i :&: (S :|: H) == set0.
        apply: contraNT iS => some; apply: (subsetP sub); rewrite !inE iG; apply/orP; right.
        by apply: contra some => /eqP e; apply/eqP/setP => j; move/setP/(_ j): e; rewrite !inE.
      apply/subsetP => j jC; move/eqP/setP/(_ j): none; rewrite !inE jC /= => /negbT; rewrite negb_or => /andP[-> nH].
      by move: (subsetP (C_sub Ku iG) j jC); rewrite !inE (negbTE nH) orbF.
    have /set0Pn[g0 g0T] : G :\: S != set0 by rewrite setD_eq0; apply: contra ne => GS; rewrite eqEsubset SG.
    have Tn : enum (mem (G :\: S)) != [::] by rewrite -size_eq0 -cardE cards_eq0; apply/set0Pn; exists g0.
    have [g gT gmax] := exists_max (len (k + u)) Tn.
    rewrite mem_enum in gT; have gG : g \in G by move: gT; rewrite inE => /andP[].
    case/negP: (no_leader Ku gG); have only j : j \in C (k + u) g -> j = g.
      move=> jC; have jT := subsetP (closed g gT) j jC; have jG : j \in G by move: jT; rewrite inE => /andP[].
      by apply/eqP; apply: contraT => jg; have := longer Ku gG jG jC jg; rewrite ltNge gmax // mem_enum.
    have /set0Pn[j jC] := C_neq0 (k + u) g; apply/eqP/setP => m'; rewrite inE; apply/idP/eqP => [/only // | ->].
    by have := jC; rewrite {1}(only j jC).
  apply: leq_trans (_ : #|S|.+1 <= _)%N; last exact: proper_card.
  by rewrite (leq_trans _ (_ : (minn u #|G|).+1 <= _)%N) // -minnSS leq_min geq_minl (leq_trans (geq_minr _ _)).
- have bound i : i \in G -> i \in S' -> v i (k + u).+1 <= m + nu - share * (share ^+ u * m).
    move=> iG; rewrite !inE => /orP[iS | /andP[_ /set0Pn[j]]].
      apply: le_trans (v_next Ku iG) _; have M := mean_bound (all_C i ^~ iG).
      have r1 : 0 <= 1 - r by rewrite subr_ge0 ltW.
      have P := ler_add (ler_wpmul2l (ltW r_gt0) (Sv i iS)) (ler_wpmul2l r1 M).
      have s : share * (share ^+ u * m) <= r * (share ^+ u * m) by rewrite ler_wpmul2r // le_minl lexx.
      by move: (average _ _) P => t P; lin P s.
    rewrite inE => /andP[jC jSH]; apply: le_trans (v_next Ku iG) _.
    have M := mean_leak e0 (all_C i ^~ iG) jC (lost j jSH).
    have P := ler_wpmul2l (ltW r_gt0) (IH i iG).
    by lin P M.
  move=> i iS'; rewrite exprS -mulrA; apply: bound => //; move: iS'; rewrite !inE => /orP[/(subsetP SG) // | /andP[]//].
Qed.

Lemma bernoulli_down (x : R) n : 0 <= x -> x <= 1 -> 1 - n%:R * x <= (1 - x) ^+ n.
Proof.
move=> x0 x1; elim: n => [|n IH]; first by rewrite mul0r subr0 expr0.
have y0 : 0 <= 1 - x by rewrite subr_ge0.
have P := ler_wpmul2l y0 IH; have Q : 0 <= n%:R * x * x by rewrite !mulr_ge0 ?ler0n.
by rewrite exprS mulrSr; move: ((1 - x) ^+ n) P => q P; lin P Q.
Qed.

Hypothesis noise : tiny (fun k => \sum_(j in H) v j k).

Lemma decay i : i \in G -> tiny (v i).
Proof.
move=> iG; have [t [M [t0 t1 M0 [K' nz]]]] := noise; pose K1 := maxn K K'.
have KK1 : (K <= K1)%N by rewrite leq_max leqnn.
have hushed k j : (K1 <= k)%N -> j \in H -> v j k <= M * t ^+ k.
  move=> Kk jH; apply: le_trans (nz k _); last by apply: leq_trans Kk; rewrite leq_max leqnn orbT.
  by apply: le_trans (ler_norm _); rewrite (bigD1 j) //= ler_addl sumr_ge0.
pose N := #|G|; pose eps := share ^+ N; have e0 : 0 < eps by rewrite exprn_gt0 ?(share_gt0 i).
have e1 : eps <= 1 by rewrite exprn_ile1 ?share_ge0 ?share_le1.
pose x := eps / (2%:R * N.+1%:R); have d0 : 0 < 2%:R * N.+1%:R :> R by rewrite mulr_gt0 ?ltr0n.
have x0 : 0 < x by rewrite divr_gt0.
have x1 : x < 1.
  rewrite ltr_pdivr_mulr // mul1r; apply: le_lt_trans e1 _.
  by rewrite -natrM ltr1n mul2n -addnn addSn addnS.
have Nx : N%:R * x <= eps / 2%:R.
  rewrite /x invfM !mulrA ler_pdivr_mulr ?ltr0n // [N%:R * eps]mulrC -!mulrA ler_pmul2l // mulrC ler_pmul2l ?invr_gt0 ?ltr0n //.
  by rewrite ler_nat.
pose h := Num.max t (1 - x); have h1 : h < 1 by rewrite lt_maxl t1 ltr_subl_addr ltr_addl.
have h0 : 0 < h by rewrite lt_maxr t0.
have th : t <= h by rewrite le_maxr lexx.
have hN : 1 - eps / 2%:R <= h ^+ N.
  apply: le_trans (_ : 1 - N%:R * x <= _); first by rewrite ler_sub.
  apply: le_trans (bernoulli_down N (ltW x0) (ltW x1)) _; apply: ler_expn2r; rewrite ?nnegrE ?(ltW h0) ?subr_ge0 ?(ltW x1) //.
  by rewrite le_maxr lexx orbT.
have tk k : 0 <= M * t ^+ k by rewrite mulr_ge0 // exprn_ge0 // ltW.
have tdec k k' : (k <= k')%N -> M * t ^+ k' <= M * t ^+ k.
  by move=> kk'; rewrite ler_wpmul2l // ler_wiexpn2l // ltW.
pose m0 := \sum_(j in G) v j K1; have m00 : 0 <= m0 by rewrite sumr_ge0.
pose b := m0 + M * t ^+ K1; have b0 : 0 <= b by exact: addr_ge0.
have bounded k j : (K1 <= k)%N -> j \in G -> v j k <= b.
  move=> Kk jG; have [] := @window K1 m0 (M * t ^+ K1) (k - K1) KK1 m00 (tk _).
  - by move=> j' j'G; apply: ler_paddr => //; rewrite /m0 (bigD1 j') //= ler_addl sumr_ge0.
  - by move=> k' j' Kk' j'H; apply: le_trans (hushed k' j' Kk' j'H) (tdec _ _ Kk').
  by move=> /(_ j jG); rewrite subnKC.
pose M1 := b / h ^+ (K1 + N) + 2%:R * M / eps.
have p0 : 0 <= b / h ^+ (K1 + N) by rewrite divr_ge0 // exprn_ge0 // ltW.
have p1 : 0 <= 2%:R * M / eps by rewrite divr_ge0 ?(ltW e0) // mulr_ge0 ?ler0n.
have M10 : 0 <= M1 by exact: addr_ge0.
have main k : (K1 <= k)%N -> forall j, j \in G -> v j k <= M1 * h ^+ k.
  have [n] := ubnP k; elim: n k => // n IH k kn Kk j jG.
  case: (ltnP k (K1 + N)) => kN.
    apply: le_trans (bounded k j Kk jG) _; apply: le_trans (_ : M1 * h ^+ (K1 + N) <= _); last first.
      by rewrite ler_wpmul2l // ler_wiexpn2l ?(ltW h0) ?(ltW h1) // ltnW.
    have hK : 0 < h ^+ (K1 + N) by rewrite exprn_gt0.
    by rewrite -ler_pdivr_mulr // ler_addl.
  have G0 : (0 < N)%N by apply/card_gt0P; exists j.
  have Nk : (N <= k)%N by apply: leq_trans kN; rewrite leq_addl.
  have Kk' : (K1 <= k - N)%N by rewrite leq_subRL // addnC.
  have lt' : (k - N < n)%N by rewrite ltnS in kn; apply: leq_trans kn; rewrite ltn_subrL G0 (leq_trans G0 Nk).
  have m1 : 0 <= M1 * h ^+ (k - N) by rewrite mulr_ge0 // exprn_ge0 // ltW.
  have [] := @window (k - N) (M1 * h ^+ (k - N)) (M * t ^+ (k - N)) N (leq_trans KK1 Kk') m1 (tk _).
  - by move=> j' j'G; apply: ler_paddr => //; exact: IH.
  - by move=> k' j' kk' j'H; apply: le_trans (hushed k' j' (leq_trans Kk' kk') j'H) (tdec _ _ kk').
  move=> _ [S [SG Sc Sv]]; have SE : S = G by apply/eqP; rewrite eqEcard SG; rewrite /N minnn in Sc.
  have := Sv j; rewrite SE jG subnK // => /(_ isT) B; apply: le_trans B _; rewrite -/eps.
  have -> : h ^+ k = h ^+ (k - N) * h ^+ N by rewrite -exprD subnK.
  have T : t ^+ (k - N) <= h ^+ (k - N) by apply: ler_expn2r; rewrite ?nnegrE ?(ltW t0) ?(ltW h0).
  have T' := ler_wpmul2l M0 T; have hk : 0 <= h ^+ (k - N) by rewrite exprn_ge0 // ltW.
  have A1 : M * h ^+ (k - N) <= eps / 2%:R * M1 * h ^+ (k - N).
    rewrite ler_wpmul2r // /M1 mulrDr; apply: ler_paddl; first by rewrite mulr_ge0 // divr_ge0 ?ler0n ?ltW.
    by rewrite le_eqVlt; apply/orP; left; apply/eqP; field; rewrite gt_eqF.
  have A2 := ler_wpmul2l m1 hN.
  have conclude (c e u1 u2 u3 : R) : M * u2 <= M * u1 -> M * u1 <= e / 2%:R * c * u1 ->
      c * u1 * (1 - e / 2%:R) <= c * u1 * u3 -> c * u1 + M * u2 - e * (c * u1) <= c * (u1 * u3).
    by move=> B1 B2 B3; lin B1 B2 B3.
  exact: conclude T' A1 A2.
exists h, M1; split=> //; exists K1 => k Kk; rewrite ger0_norm //; exact: main.
Qed.

End Leak.
