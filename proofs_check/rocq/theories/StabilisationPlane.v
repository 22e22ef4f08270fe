(** In dimension one or two there is no cluster of positive level: three directions would be orthogonal. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From Exactformer Require Import Semantics Basics Dynamics Limits Metric Lock Forever.
From Exactformer Require Import StabilisationGrowth StabilisationOrders StabilisationDecay StabilisationCluster.
From Exactformer Require Import StabilisationResidual.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Bessel.

Variables (R : realFieldType) (d : nat) (A : 'M[R]_d).
Hypothesis A_sym : A^T = A.
Hypothesis A_pos : forall x : 'cV[R]_d, x != 0 -> 0 < inner (A *m x) x.
Hypothesis d2 : (d <= 2)%N.
Notation dot := (dotA A).
Notation q := (normA A).
Implicit Types x y e : 'cV[R]_d.

Lemma no_third x y e : x != 0 -> y != 0 -> dot x y = 0 -> dot x e = 0 -> dot y e = 0 -> e = 0.
Proof.
move=> x0 y0 xy xe ye; apply/eqP; apply: contraT => e0.
pose v (j : 'I_3) := nth 0 [:: x; y; e] j; pose M := \matrix_(i < d, j < 3) v j i 0.
have G : M^T *m (A *m M) = diag_mx (\row_j q (v j)).
  apply/matrixP => j j'; rewrite mxE [RHS]mxE mxE.
  have -> : \sum_i M^T j i * (A *m M) i j' = dot (v j') (v j).
    apply: eq_bigr => i _; rewrite !mxE mulrC; congr (_ * _).
    by apply: eq_bigr => h _; rewrite mxE.
  case: eqP => [-> | ne]; first by rewrite mulr1n.
  rewrite mulr0n; move: ne; case: j => [[|[|[|//]]] jp]; case: j' => [[|[|[|//]]] jp'] ne;
    rewrite /v /= ?xy ?xe ?ye // 1?dotAC ?xy ?xe ?ye //; by case: ne; apply: val_inj.
have U : diag_mx (\row_j q (v j)) \in unitmx.
  rewrite unitmxE det_diag unitfE; apply/prodf_neq0 => j _; rewrite mxE gt_eqF // normA_gt0 //.
  by case: j => [[|[|[|//]]] jp].
have : (3 <= d)%N.
  by rewrite -(mxrank_unit U) -G; apply: leq_trans (mxrankM_maxr _ _) (leq_trans (mxrankM_maxr _ _) (rank_leq_row _)).
by rewrite leqNgt ltnS d2.
Qed.

Lemma bessel x y e : x != 0 -> y != 0 -> dot x y = 0 -> q e = dot e x ^+ 2 / q x + dot e y ^+ 2 / q y.
Proof.
move=> x0 y0 xy; have qx := lt0r_neq0 (normA_gt0 A_pos x0); have qy := lt0r_neq0 (normA_gt0 A_pos y0).
have z : e - (dot e x / q x) *: x - (dot e y / q y) *: y = 0.
  apply: (no_third x0 y0 xy); rewrite !dotABr !dotAZr ?(dotAC A_sym y x) xy -/(q x) -/(q y) !(dotAC A_sym _ e) divfK //; ring.
have E : e = (dot e x / q x) *: x + (dot e y / q y) *: y.
  by apply/eqP; rewrite -subr_eq0 opprD addrA z.
rewrite {1}E normAD // !normAZ // dotAZl // dotAZr xy; move: (dot e x) (dot e y) => s t; field; by rewrite qx qy.
Qed.

End Bessel.

Section Plane.

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

Lemma vanishing_tame (f : nat -> R) : tends_to f 0 -> tame f.
Proof.
move=> F b b0 b1; apply: tends_to_ext (tends_to0M (tame_const arch 1 b0 b1) F).
by apply: eventually_true => k; rewrite mulr1.
Qed.

Theorem stabilisation_no_residual_plane : (forall m, m \in H -> dot ell (p m) = 0) -> (d <= 2)%N -> False.
Proof.
move=> flat_p d2; have inside := stabilisation_inside arch A_sym A_pos r_gt0 r_lt1 facts G_neq0 delta_gt0 KK1 D0_balanced betaE beta_ge beta_up one_level tau0 small.
have [P P0 pmin] := positive_min [seq q (p m) | m <- enum I].
pose W k := `|beta k| + 2%:R * tau k + \sum_(m in H) `|dot ell (u m k)|.
have dots m : m \in H -> tame (fun k => dot ell (u m k)).
  move=> /(targets_poly facts)[n Pn]; apply: (poly_tame arch (q := n)).
  by apply: (poly_map (h := fun x => dot ell x) _ Pn) => x y; rewrite dotABr.
have tW : tame W.
  apply: tameD; last by apply: tame_sum => m /dots; exact: tame_abs.
  apply: tameD.
    have [DH _ _] := D0_balanced; have [n Pn] := level_poly EM facts DH.
    by apply: tame_abs; apply: (poly_tame arch (q := n)); apply: poly_eq Pn => k; rewrite betaE.
  have := tame_scale 2%:R (vanishing_tame tau0); move=> T b b0 b1; apply: tends_to_ext (T b b0 b1).
  by apply: eventually_true => k; rewrite [tau k * _]mulrC.
have W2 := tameM tW tW r_gt0 r_lt1.
have e1 : 0 < P * delta / 8%:R by rewrite !mulr_gt0 ?invr_gt0 ?ltr0n.
have e2 : 0 < delta / 2%:R by rewrite divr_gt0 ?ltr0n.
have /set0Pn[i0 i0G] := G_neq0.
have ell0 : ell != 0.
  apply: contraTneq (height_gt0 A_pos r_gt0 facts (leqnn K) i0G) => ->.
  by rewrite /StabilisationCluster.height dotA0l // oppr0 ltxx.
have ql := normA_gt0 A_pos ell0; have qh : 0 < q ell / 2%:R by rewrite divr_gt0 ?ltr0n.
have [B B0 HB] := nrm_dot A.
have flat i : eventually (fun k => i \in G -> r ^+ k * stretch A r u i k < q ell / 2%:R).
  case: (boolP (i \in G)) => iG; last exact: eventually_true.
  have ty := stabilisation_decay arch r_gt0 r_lt1 facts iG; have v0 := tiny_vanishes arch ty.
  have := tends_toZ B (tends_to0M v0 v0); rewrite mul0r => L; apply: eventually_mono (L _ qh) => k; rewrite subr0.
  move=> /ltr_normlP[_ lt] _; apply: le_lt_trans lt; rewrite /stretch /size_of.
  have := le_trans (ler_norm _) (HB (u i k) (u i k)); rewrite -/(q (u i k)) => le.
  have rr : 0 <= r ^+ k * r ^+ k by rewrite mulr_ge0 // ltW // exprn_gt0.
  have := ler_wpmul2l rr le; move: (q _) (nrm _) (r ^+ k) => x1 x2 x3 F; lin F.
have ev := eventually_and (eventually_and inside (W2 _ e1)) (eventually_and (eventually_and (tau0 e2) (eventually_all flat)) (eventually_le K1)).
have [k [[ins w2] [[t2 fl] Kk]]] := eventually_one ev; have Kk' := leq_trans KK1 Kk.
have [g lg] := longest facts Kk' G_neq0; have [gG _ only D1] := lg.
have T1 := tie_stretch facts delta_gt0 KK1 beta_ge one_level Kk lg (ins g gG).
have m0 := missing_pos facts Kk' gG; have h0 := height_gt0 A_pos r_gt0 facts Kk' gG.
have El := E_low A_sym facts KK1 D0_balanced betaE small Kk gG.
have Em := E_mid A_sym facts KK1 one_level small Kk gG D1; have bd := beta_ge Kk.
move: t2 w2; rewrite !subr0 => /ltr_normlP[_ t2] /ltr_normlP[_ w2].
have E0 : 0 < E k g by lin El bd t2 e2.
have /set0Pn[m] := D1; rewrite inE => /andP[mC mH]; pose y := stretch A r u g k; pose h := height g k.
have := excess_eq facts Kk' gG (_ : m \in G :|: H); rewrite inE mH orbT mC => /(_ isT)/esym/eqP XE.
have pm0 : p m != 0.
  apply: contraTneq E0 => pm; move: XE; rewrite /StabilisationCluster.excess (target_at_rest facts Kk' mH pm) pm !dotA0r.
  by rewrite mulr0 !addr0 => <-; rewrite ltxx.
have Pm : P <= q (p m) by apply: pmin; [apply/mapP; exists m; rewrite ?mem_enum | exact: (normA_gt0 A_pos)].
have qm : 0 < q (p m) := lt_le_trans P0 Pm.
have Bs := bessel A_sym A_pos d2 (u g k) ell0 pm0 (flat_p m mH).
have hE : dot (u g k) ell = - h by rewrite /h /StabilisationCluster.height opprK dotAC.
have hy : h = y - E k g.
  have T2 : missing g k = 2%:R * h - y by [].
  rewrite T1 -/y in T2; have n2 : 2%:R != 0 :> R by rewrite pnatr_eq0.
  apply: (mulfI n2); apply/eqP; rewrite -(inj_eq (addIr (- y))) -T2; apply/eqP; ring.
set X := dot (u g k) (p m) in Bs.
have rk : 0 < r ^+ k by rewrite exprn_gt0.
have XW : `|X| <= W k.
  have S := small k; case: S => tk S _ _; have Sm := S g m gG mH.
  have -> : X = E k g - dot ell (u m k) - r ^+ k * dot (u g k) (u m k) by rewrite -XE /StabilisationCluster.excess /X; ring.
  have Z : `|dot ell (u m k)| <= \sum_(m in H) `|dot ell (u m k)| by rewrite (bigD1 m) //= ler_addl sumr_ge0.
  apply: le_trans (ler_norm_sub _ _) _; apply: le_trans (ler_add (ler_norm_sub _ _) Sm) _.
  rewrite (ger0_norm (ltW E0)) /W; have bb := ler_norm (beta k).
  set x1 := \sum_(_ in _) _ in Z *; set x2 := `|dot ell (u m k)| in Z *; clearbody x1 x2; move: (`|beta k|) bb => x3 bb.
  lin Em bb Z.
have X2 : X ^+ 2 <= W k * W k by rewrite -[X ^+ 2]ger0_norm ?sqr_ge0 // normrX expr2 ler_pmul.
have Q2 : r ^+ k * (X ^+ 2 / q (p m)) <= delta / 8%:R.
  rewrite mulrA ler_pdivr_mulr //; apply: le_trans (ler_wpmul2l (ltW rk) X2) _; apply: le_trans (ltW w2) _.
  have -> : P * delta / 8%:R = delta / 8%:R * P by field.
  by apply: ler_wpmul2l => //; rewrite divr_ge0 ?ler0n // ltW.
have y0 : 0 <= y by exact: (stretch_ge0 A_pos r_gt0).
have Q1 : r ^+ k * (h ^+ 2 / q ell) <= y / 2%:R.
  have hle : h <= y by rewrite hy ler_subl_addr ler_addl ltW.
  have hh : h ^+ 2 <= y * y by rewrite expr2; apply: ler_pmul; rewrite ?(ltW h0).
  rewrite mulrA ler_pdivr_mulr //; apply: le_trans (ler_wpmul2l (ltW rk) hh) _; rewrite mulrA.
  have := ler_wpmul2r y0 (ltW (fl g gG)); rewrite -/y => F; apply: le_trans F _.
  by rewrite le_eqVlt; apply/orP; left; apply/eqP; field.
have yE : y = r ^+ k * (h ^+ 2 / q ell) + r ^+ k * (X ^+ 2 / q (p m)).
  by rewrite -mulrDr -[h ^+ 2]sqrrN -hE -Bs.
have y2 : y <= y / 2%:R + delta / 8%:R by rewrite {1}yE; exact: ler_add.
rewrite T1 -/y in m0; have yy : y = y / 2%:R + y / 2%:R by field.
have dd : delta = delta / 2%:R + delta / 2%:R by field.
have d8 : delta / 2%:R = 4%:R * (delta / 8%:R) by field.
have d80 : 0 < delta / 8%:R by rewrite divr_gt0 ?ltr0n.
rewrite {1}yy in y2; rewrite {1}yy in m0; move: bd t2; rewrite {1}dd d8 => bd t2.
move: (y / 2%:R) (delta / 8%:R) d80 y2 m0 bd t2 => a1 a2 d80 y2 m0 bd t2.
have E2 := ler_add El El; have B2 := ler_add bd bd; have T2 := ltr_add t2 t2; have Y2 := ler_add y2 y2.
have S := ltr_le_add m0 E2; have S' := ltr_add S T2.
have d82 : 0 < 6%:R * a2 by rewrite mulr_gt0 ?ltr0n.
by lin S' B2 Y2 d82.
Qed.

End Plane.
