(** Orders of growth: powers of the layer's number, leading coefficients, and a norm that needs no square root. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From Exactformer Require Import Semantics Basics Dynamics Limits Metric StabilisationGrowth.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** The sum of the absolute values of the coordinates *)

Section Norm.

Variables (R : realFieldType) (d : nat).
Implicit Types x y : 'cV[R]_d.

Definition nrm x : R := \sum_c `|x c 0|.

Lemma nrm_ge0 x : 0 <= nrm x. Proof. by rewrite sumr_ge0. Qed.
Lemma nrm_abs x : `|nrm x| = nrm x. Proof. by rewrite ger0_norm ?nrm_ge0. Qed.
Lemma nrm0 : nrm 0 = 0. Proof. by rewrite /nrm big1 // => c _; rewrite mxE normr0. Qed.

Lemma nrmD x y : nrm (x + y) <= nrm x + nrm y.
Proof. by rewrite -big_split; apply: ler_sum => c _; rewrite mxE ler_norm_add. Qed.

Lemma nrmZ c x : nrm (c *: x) = `|c| * nrm x.
Proof. by rewrite /nrm mulr_sumr; apply: eq_bigr => i _; rewrite mxE normrM. Qed.

Lemma nrmN x : nrm (- x) = nrm x.
Proof. by rewrite -scaleN1r nrmZ normrN1 mul1r. Qed.

Lemma nrmB x y : nrm (x - y) <= nrm x + nrm y.
Proof. by rewrite -(nrmN y) nrmD. Qed.

Lemma nrm_sum (I : finType) (P : pred I) (f : I -> 'cV[R]_d) : nrm (\sum_(i | P i) f i) <= \sum_(i | P i) nrm (f i).
Proof.
elim/big_rec2: _ => [|i y x _ H]; first by rewrite nrm0.
by apply: le_trans (nrmD _ _) _; rewrite ler_add2l.
Qed.

Lemma nrm_dot (A : 'M[R]_d) : exists2 B, 0 < B & forall x y, `|dotA A x y| <= B * (nrm x * nrm y).
Proof.
exists (1 + \sum_i \sum_j `|A i j|) => [|x y].
  by rewrite ltr_spaddl ?ltr01 // sumr_ge0 // => i _; rewrite sumr_ge0.
have coord (v : 'cV[R]_d) c : `|v c 0| <= nrm v by rewrite /nrm (bigD1 c) //= ler_addl sumr_ge0.
have N0 : 0 <= nrm x * nrm y by rewrite mulr_ge0 ?nrm_ge0.
have H i j : `|x j 0| * `|y i 0| <= nrm x * nrm y by apply: ler_pmul.
move: (nrm x * nrm y) N0 H => N N0 H; rewrite mulrDl ler_paddl ?mul1r // mulr_suml.
apply: le_trans (ler_norm_sum _ _ _) _; apply: ler_sum => i _; rewrite mxE !mulr_suml.
apply: le_trans (ler_norm_sum _ _ _) _; apply: ler_sum => j _.
by rewrite !normrM -mulrA ler_wpmul2l.
Qed.

Lemma tends_nrm (u : nat -> 'cV[R]_d) l : tends u l -> tends_to (fun k => nrm (u k - l)) 0.
Proof.
move=> H; apply: (@tends_to_ext _ (fun k => \sum_c `|u k c 0 - l c 0|)).
  by apply: eventually_true => k; apply: eq_bigr => c _; rewrite !mxE.
apply: tends_to0_sum => c _ eps e0; apply: eventually_mono (H c eps e0) => k.
by rewrite subr0 normr_id.
Qed.

End Norm.

(** ** Big O of a power *)

Section Orders.

Variable R : realFieldType.
Implicit Types f g h : nat -> R.

Definition big j f : Prop := exists2 M, 0 <= M & eventually (fun k => `|f k| <= M * k%:R ^+ j).

Lemma big_le j f g : big j g -> eventually (fun k => `|f k| <= `|g k|) -> big j f.
Proof. by move=> [M M0 G] H; exists M => //; apply: eventually_mono (eventually_and G H) => k [x /le_trans]; apply. Qed.

Lemma big_eq j f g : (forall k, f k = g k) -> big j f -> big j g.
Proof. by move=> E F; apply: big_le F _; apply: eventually_true => k; rewrite E. Qed.

Lemma big_zero j f : eventually (fun k => f k = 0) -> big j f.
Proof. by move=> H; exists 0 => //; apply: eventually_mono H => k ->; rewrite normr0 mul0r. Qed.

Lemma bigD j f g : big j f -> big j g -> big j (fun k => f k + g k).
Proof.
move=> [M M0 F] [N N0 G]; exists (M + N); first exact: addr_ge0.
apply: eventually_mono (eventually_and F G) => k [x y]; apply: le_trans (ler_norm_add _ _) _.
by rewrite mulrDl ler_add.
Qed.

Lemma bigN j f : big j f -> big j (fun k => - f k).
Proof. by move=> /big_le; apply; apply: eventually_true => k; rewrite normrN. Qed.

Lemma bigM i j f g : big i f -> big j g -> big (i + j) (fun k => f k * g k).
Proof.
move=> [M M0 F] [N N0 G]; exists (M * N); first exact: mulr_ge0.
apply: eventually_mono (eventually_and F G) => k [x y]; rewrite normrM exprD mulrACA.
exact: ler_pmul.
Qed.

Lemma big_scale j f c : big j f -> big j (fun k => c * f k).
Proof.
move=> [M M0 F]; exists (`|c| * M); first exact: mulr_ge0.
by apply: eventually_mono F => k x; rewrite normrM -mulrA ler_wpmul2l.
Qed.

Lemma big_sum j (I : finType) (P : pred I) (f : I -> nat -> R) :
  (forall x, P x -> big j (f x)) -> big j (fun k => \sum_(x | P x) f x k).
Proof.
move=> H; suff G (r : seq I) : big j (fun k => \sum_(i <- r | P i) f i k) by exact: G.
elim: r => [|i r IH]; first by apply: big_zero; apply: eventually_true => k; rewrite big_nil.
case: (boolP (P i)) => Pi; last by apply: big_eq IH => k; rewrite big_cons (negbTE Pi).
by apply: big_eq (bigD (H i Pi) IH) => k; rewrite big_cons Pi.
Qed.

Lemma big_power j : big j (fun k => k%:R ^+ j).
Proof. by exists 1; [exact: ler01 | apply: eventually_true => k; rewrite mul1r ger0_norm ?exprn_ge0 ?ler0n]. Qed.

Lemma big_times j f : big j f -> big j.+1 (fun k => k%:R * f k).
Proof. by move=> F; have := bigM (big_power 1) F; apply: big_eq => k; rewrite expr1. Qed.

Lemma big_up i j f : (i <= j)%N -> big i f -> big j f.
Proof.
move=> ij [M M0 F]; exists M => //; apply: eventually_mono (eventually_and F (eventually_le 1)) => k [x k1].
by apply: le_trans x _; rewrite ler_wpmul2l //; apply: ler_weexpn2l => //; rewrite ler1n.
Qed.

Lemma big_divide j f : big j.+1 (fun k => k%:R * f k) -> big j f.
Proof.
move=> [M M0 F]; exists M => //; apply: eventually_mono (eventually_and F (eventually_le 1)) => k [x k1].
have k0 : 0 < k%:R :> R by rewrite ltr0n.
by move: x; rewrite normrM (gtr0_norm k0) exprS mulrCA ler_pmul2l.
Qed.

(** What grows by at most O(k^j) a layer is O(k^(j+1)). *)
Lemma big_antidiff j f g : big j g -> eventually (fun k => `|f k.+1| <= `|f k| + `|g k|) -> big j.+1 f.
Proof.
move=> [M M0 G] H; have [K L] := eventually_and (eventually_and G H) (eventually_le 1).
have K1 : (0 < K)%N by have [_] := L K (leqnn K).
exists (`|f K| + M); first exact: addr_ge0.
exists K => k /subnK <-; rewrite addnC; elim: (k - K)%N => [|n IH].
  rewrite addn0 mulrDl ler_paddr ?mulr_ge0 ?exprn_ge0 ?ler0n //; rewrite -[X in X <= _]mulr1 ler_wpmul2l //.
  by apply: exprn_ege1; rewrite ler1n.
have [[x y] z] := L (K + n)%N (leq_addr _ _); rewrite addnS; move: (K + n)%N IH x y z => m IH x y z.
apply: le_trans y _; apply: le_trans (ler_add IH x) _; rewrite !exprS.
have p : m%:R ^+ j <= m.+1%:R ^+ j :> R by apply: ler_expn2r; rewrite ?nnegrE ?ler0n // ler_nat.
have q0 : 0 <= m%:R ^+ j :> R by rewrite exprn_ge0 ?ler0n.
have fK : 0 <= `|f K| + M by exact: addr_ge0.
apply: le_trans (_ : (`|f K| + M) * (m.+1%:R * m%:R ^+ j) <= _); last first.
  by rewrite ler_wpmul2l // ler_wpmul2l ?ler0n.
have t0 : 0 <= `|f K| * m%:R ^+ j by exact: mulr_ge0.
by rewrite -[m.+1]addn1 natrD; move: (m%:R ^+ j) t0 => p0 t0; lin t0.
Qed.

Lemma big_bounded f : eventually (fun k => `|f k.+1| <= `|f k|) -> big 0 f.
Proof.
move=> [K H]; exists `|f K| => //; exists K => k /subnK <-; rewrite addnC mulr1.
by elim: (k - K)%N => [|n IH]; rewrite ?addn0 // addnS; apply: le_trans (H _ (leq_addr _ _)) IH.
Qed.

(** ** Leading coefficients: f = v k^j + O(k^(j-1)) *)

Definition lead j f v : Prop := big j (fun k => k%:R * (f k - v * k%:R ^+ j)).

Lemma lead_eq j f g v : (forall k, f k = g k) -> lead j f v -> lead j g v.
Proof. by move=> E; apply: big_eq => k; rewrite E. Qed.

Lemma lead_big j f v : lead j f v -> big j f.
Proof.
move=> L; have {}L : big j (fun k => f k - v * k%:R ^+ j) by apply: big_divide; apply: big_up L.
by apply: big_eq (bigD L (big_scale v (big_power j))) => k; rewrite subrK.
Qed.

Lemma leadD j f g v w : lead j f v -> lead j g w -> lead j (fun k => f k + g k) (v + w).
Proof. by move=> F G; apply: big_eq (bigD F G) => k; ring. Qed.

Lemma leadN j f v : lead j f v -> lead j (fun k => - f k) (- v).
Proof. by move=> F; apply: big_eq (bigN F) => k; ring. Qed.

Lemma lead_scale j f v c : lead j f v -> lead j (fun k => c * f k) (c * v).
Proof. by move=> F; apply: big_eq (big_scale c F) => k; ring. Qed.

Lemma leadM i j f g v w : lead i f v -> lead j g w -> lead (i + j) (fun k => f k * g k) (v * w).
Proof.
move=> F G; have H1 := bigM F (lead_big G).
have H2 := bigM (big_scale v (big_power i)) G.
by apply: big_eq (bigD H1 H2) => k; rewrite exprD; ring.
Qed.

Lemma lead_power j : lead j (fun k => k%:R ^+ j) 1.
Proof. by apply: big_zero; apply: eventually_true => k; rewrite mul1r subrr mulr0. Qed.

Lemma lead_low j f : big j (fun k => k%:R * f k) -> lead j f 0.
Proof. by apply: big_eq => k; rewrite mul0r subr0. Qed.

Lemma lead_ge0 j f v : archimedean R -> lead j f v -> often (fun k => 0 <= f k) -> 0 <= v.
Proof.
move=> arch [M M0 L] O; rewrite leNgt; apply/negP => v0; have w0 : 0 < - v by rewrite oppr_gt0.
have [n] := arch (M / - v); rewrite ltr_pdivr_mulr // => N.
have [k _ [f0 [x nk]]] := often_and O (eventually_and L (eventually_le n.+1)) 0%N.
have k0 : 0 < k%:R :> R by rewrite ltr0n; exact: leq_ltn_trans nk.
have p0 : 0 < k%:R ^+ j :> R by rewrite exprn_gt0.
have nk' : n%:R * - v <= k%:R * - v by rewrite ler_pmul2r // ler_nat ltnW.
have lt : M * k%:R ^+ j < k%:R * - v * k%:R ^+ j by rewrite ltr_pmul2r //; exact: lt_le_trans N nk'.
have ge : 0 <= k%:R * f k by rewrite mulr_ge0 // ltW.
have := le_trans (ler_norm _) x; move: (k%:R ^+ j) lt ge {x} => p lt ge x; lin lt ge x.
Qed.

End Orders.

(** ** Polynomial sequences have leading coefficients *)

Lemma diff0_const (V : zmodType) (f : nat -> V) :
  eventually (fun k => diff f k = 0) -> exists K, forall k, (K <= k)%N -> f k = f K.
Proof.
move=> [K H]; exists K => k /subnK <-; rewrite addnC; elim: (k - K)%N => [|n IH]; first by rewrite addn0.
by rewrite addnS -{}IH; apply/eqP; rewrite -subr_eq0 -/(diff f _) H ?leq_addr.
Qed.

Section Powers.

Variable R : realFieldType.

Lemma poly_times q (f : nat -> R) : poly q f -> poly q.+1 (fun k => k%:R * f k).
Proof.
elim: q f => [|q IH] f F.
  by apply: polyS; apply: eventually_mono F => k ->; rewrite mulr0.
have F' : poly q.+1 (fun k => f k.+1) by exact: poly_next.
apply: (poly_eq _ (polyD (IH _ F) F')) => k; rewrite /diff [k.+1%:R]mulrSr; ring.
Qed.

Definition power_rest j (k : nat) : R := k.+1%:R ^+ j.+1 - k%:R ^+ j.+1 - j.+1%:R * k%:R ^+ j.

Lemma power_poly j : poly j.+1 (fun k => k%:R ^+ j : R) /\ poly j (power_rest j).
Proof.
elim: j => [|j [IH1 IH2]].
  split; first by apply: poly_eq (poly_const 0 (1 : R)) => k; rewrite expr0.
  by apply: eventually_true => k; rewrite /power_rest !expr1 expr0 mulr1 -addn1 natrD addrAC addrK subrr.
have D : poly j.+1 (diff (fun k => k%:R ^+ j.+1 : R)).
  have Z : poly j.+1 (fun k => j.+1%:R * k%:R ^+ j : R) by apply: poly_map IH1 => x y; rewrite mulrBr.
  by apply: poly_eq (polyD (polyS IH2) Z) => k; rewrite /power_rest /diff subrK.
split; first exact: D.
apply: poly_eq (polyD (poly_times IH2) D) => k; rewrite /power_rest /diff.
rewrite [k.+1%:R ^+ j.+2]exprS [k%:R ^+ j.+2]exprS.
have -> : k%:R ^+ j.+1 = k%:R * k%:R ^+ j :> R by rewrite exprS.
have -> : j.+2%:R = j.+1%:R + 1 :> R by rewrite mulrSr.
have -> : k.+1%:R = k%:R + 1 :> R by rewrite mulrSr.
ring.
Qed.

(** The coefficient of k^j, and what is left. *)
Lemma poly_top (V : lmodType R) j (f : nat -> V) : poly j.+1 f ->
  exists e, poly j (fun k => f k - k%:R ^+ j *: e).
Proof.
elim: j f => [|j IH] f F.
  have [K C] := diff0_const F; exists (f K); exists K => k /C ->.
  by rewrite expr0 scale1r subrr.
have [e E] := IH _ F; exists (j.+1%:R^-1 *: e).
have [_ P] := power_poly j.
have P' : poly j (fun k => power_rest j k *: (j.+1%:R^-1 *: e)).
  by apply: (poly_map (h := fun c : R => c *: (j.+1%:R^-1 *: e)) _ P) => x y; rewrite scalerBl.
have G (u v t p q : V) : u - v - t - (p - q - t) = u - p - (v - q).
  by rewrite opprB addrA subrK !opprB addrACA [RHS]addrACA [- v - p]addrC.
apply: poly_eq (polyB E P') => k; rewrite /power_rest /diff !scalerBl [(_ * _) *: _]scalerA.
by rewrite [_ * k%:R ^+ j * _]mulrAC mulfV ?pnatr_eq0 // mul1r G.
Qed.

Section Size.

Variables (V : zmodType) (size : V -> R).
Hypotheses (size0 : size 0 = 0) (sizeD : forall x y, size (x + y) <= size x + size y) (size_ge0 : forall x, 0 <= size x).

Lemma poly_big q (f : nat -> V) : poly q.+1 f -> big q (fun k => size (f k)).
Proof.
have abs x : `|size x| = size x by rewrite ger0_norm.
elim: q f => [|q IH] f F.
  have [K C] := diff0_const F; apply: big_bounded; exists K => k Kk.
  by rewrite (C k) // (C k.+1) // leqW.
apply: big_antidiff (IH _ F) _; apply: eventually_true => k; rewrite !abs.
by apply: le_trans (sizeD _ _); rewrite /diff addrC subrK.
Qed.

Lemma poly_low q (f : nat -> V) : poly q f -> big q (fun k => k%:R * size (f k)).
Proof.
case: q => [|q] F; last exact/big_times/poly_big.
by apply: big_zero; apply: eventually_mono F => k ->; rewrite size0 mulr0.
Qed.

Lemma poly_low2 q (f : nat -> V) : poly q f -> big q (fun k => k%:R * (k%:R * size (diff f k))).
Proof.
case: q => [|q] F; last exact/big_times/poly_low.
apply: big_zero; apply: eventually_mono (eventually_and F (eventually_next F)) => k [e e'].
by rewrite /diff e e' subrr size0 !mulr0.
Qed.

End Size.

Lemma poly_lead0 j (f : nat -> R) : poly j f -> lead j f 0.
Proof.
move=> F; apply: lead_low; have := poly_low (normr0 _) (@ler_norm_add _ _) (@normr_ge0 _ _) F.
by move=> /big_le; apply; apply: eventually_true => k; rewrite !normrM normr_id.
Qed.

End Powers.
