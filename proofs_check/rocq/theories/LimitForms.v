(** The tests of the checker of limits on closed forms, in mathematics: the literals' values, the recurrence, the signs
    of the differences of scores. *)

From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ssrZ ring.
From Exactformer Require Import Semantics Basics Certificate Checker CheckerNumbers CheckerSound.
From Exactformer Require Import Dynamics Limits Metric Orbit Forever PowerSums LimitCertificate LimitChecker LimitTests.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Polynomials.

Variables (I : integers) (R : realFieldType).
Notation O := (of_Z I Z0).
Notation phi := (@phi I R).

(** ** Falling factorials *)

Lemma fallingS m : falling_factors I m.+1 =
  addv (O :: falling_factors I m) (scale (opposite (number I m)) (falling_factors I m)).
Proof. by []. Qed.

Lemma size_falling m : (size (falling_factors I m) <= m.+1)%N.
Proof.
have size_addv (x y : seq I) : size (addv x y) = maxn (size x) (size y).
  by elim: x y => [|u x IH] [|v y] //=; rewrite ?max0n ?maxn0 // IH maxnSS.
elim: m => // m IH; rewrite fallingS size_addv size_map [size (_ :: _)]/= geq_max ltnS IH; exact: leqW.
Qed.

Lemma falling_at m k : \sum_(e < m.+1) phi (nth O (falling_factors I m) e) * k%:R ^+ e = (k ^_ m)%:R.
Proof.
elim: m => [|m IH]; first by rewrite big_ord1 /= phi1 mulr1.
have -> : \sum_(e < m.+2) phi (nth O (falling_factors I m.+1) e) * k%:R ^+ e =
  (k%:R - m%:R) * \sum_(e < m.+1) phi (nth O (falling_factors I m) e) * k%:R ^+ e.
  under eq_bigr do rewrite fallingS nth_addv nth_scale phi_opposite phi_number mulrDl.
  rewrite big_split /= mulrBl; congr (_ + _).
    rewrite big_ord_recl /= phi0 mul0r add0r mulr_sumr; apply: eq_bigr => e _.
    by rewrite /bump /= add1n exprS; ring.
  rewrite big_ord_recr /= [nth O (falling_factors I m) m.+1]nth_default ?size_falling // phi0 mulr0 mul0r addr0 -mulNr mulr_sumr.
  by apply: eq_bigr => e _; rewrite mulrA.
rewrite IH mulrC ffactnSr natrM; case: (leqP m k) => mk; first by rewrite natrB.
by rewrite ffact_small // !mul0r.
Qed.

Lemma quotientP M m : (m <= M)%N -> phi (quotient I M m) * m`!%:R = M`!%:R.
Proof.
move=> /subnK <-; rewrite /quotient addnK; move: (M - m)%N => j; elim: j => [|j IH].
  by rewrite /= phi1 mul1r.
have iotaS : iota m.+1 j.+1 = iota m.+1 j ++ [:: (j + m).+1] by rewrite -[j.+1]addn1 iotaD addSn addnC.
rewrite iotaS addSn factS natrM -IH foldr_cat /= mulrA; congr (_ * _).
elim: (iota m.+1 j) => [|i l IHl] /=; rewrite !phiM ?IHl ?phi_number ?phi1 ?mulr1 //.
by rewrite mulrCA.
Qed.

Lemma dot_scale (x y : seq I) b : phi (dot x (scale b y)) = phi b * phi (dot x y).
Proof. by elim: x y => [|u x IH] [|v y] /=; rewrite ?phi0 ?mulr0 // !phiD !phiM IH mulrDr; ring. Qed.

End Polynomials.

(** ** What the integers of a form mean *)

Section Forms.

Variables (I : integers) (R : realFieldType) (c : limit_certificate) (s : Checker.state I) (D W : I).
Hypothesis s_pos : pos (over s).
Hypothesis D_pos : pos D.
Hypothesis W_pos : pos W.

Notation O := (of_Z I Z0).
Notation phi := (@phi I R).
Notation d := (lim_dim c).
Notation A := (the_A R c).
Notation dotA := (dotA A).
Notation vec := (@vec I R d).
Notation tok X := ((phi (over s))^-1 *: vec X).
Notation E := (phi (over s) * phi W).

Lemma E_neq0 : E != 0. Proof. by rewrite mulf_neq0 // phi_neq0. Qed.
Lemma D_neq0 : phi D != 0. Proof. exact: phi_neq0. Qed.

Lemma minus_oneE : phi (of_Z I (Zneg xH)) = -1. Proof. by rewrite /CheckerNumbers.phi of_ZK. Qed.

Definition term_value (t : I * nat * seq I) : R * nat * 'cV[R]_d := (phi t.1.1 / phi D, t.1.2, E^-1 *: vec t.2).
Definition at_time k (f : closed I) : 'cV[R]_d := form_at k (map term_value f).

(** The same without denominators. *)
Definition raw k (f : closed I) : 'cV[R]_d := \sum_(t <- f) (phi t.1.1 ^+ k * 'C(k, t.1.2)%:R) *: vec t.2.

Lemma rawE k f : raw k f = (phi D ^+ k * E) *: at_time k f.
Proof.
rewrite /at_time /form_at big_map scaler_sumr; apply: eq_bigr => t _; rewrite /= !scalerA; congr (_ *: _).
have Dk : phi D ^+ k != 0 by rewrite expf_neq0 // D_neq0.
rewrite expr_div_n; move: (phi _ ^+ k) (phi D ^+ k) 'C(k, _)%:R Dk => u v w v0.
by field; rewrite v0 !phi_neq0.
Qed.

(** *** The literals *)

Lemma vec_literal v : dividing W v -> E^-1 *: vec (scale (over s) (map (clear W) v)) = vector R d v.
Proof. by move=> Wv; rewrite vec_scale vec_clear // !scalerA mulVf ?scale1r // E_neq0. Qed.

Lemma base_literal q : divides (den I q) D -> phi (clear D q) / phi D = value R q.
Proof. by move=> Dq; rewrite phi_clear // mulrAC mulfV ?mul1r // D_neq0. Qed.

Lemma dividing1 k q l : dividing k (q :: l) -> divides (den I q) k /\ dividing k l.
Proof. by move=> H; split; [exact: (H 0%N) | move=> i; exact: (H i.+1)]. Qed.

Lemma form_literal ts k0 l X : by_evidence l = Form ts k0 -> dividing D [seq t.1.1 | t <- ts] ->
  dividing W (flatten [seq t.2 | t <- ts]) ->
  map term_value (closed_of s c D W l X) = [seq (value R t.1.1, t.1.2, vector R d t.2) | t <- ts].
Proof.
rewrite /closed_of => -> {X}; elim: ts => //= t ts IH /dividing1[Dt Dts] /dividing_cat[Wt Wts].
by rewrite IH // /term_value /= base_literal // vec_literal.
Qed.

Lemma lock_literal l X : by_evidence l = Locked -> divides (den I (lit_r (lim_alpha c))) D -> dividing W (at_limit l) ->
  map term_value (closed_of s c D W l X) = [:: (1, 0%N, vector R d (at_limit l));
    (value R (lit_r (lim_alpha c)), 0%N, tok X - vector R d (at_limit l))].
Proof.
rewrite /closed_of => -> Dr Wl; rewrite /= /term_value /= base_literal // mulfV ?D_neq0 // vec_literal //.
do 2![congr cons]; congr pair; rewrite vec_add !vec_scale scalerDr vec_clear //; congr (_ + _).
  by rewrite scalerA invfM mulfVK // phi_neq0.
by rewrite minus_oneE scaleN1r scalerN !scalerA mulVf ?scale1r // E_neq0.
Qed.

(** *** Where a form tends *)

Lemma at_time_tends f : archimedean R -> all (fun t => [&& ~~ leb t.1.1 O, leb t.1.1 D & eqb t.1.1 D ==> (t.1.2 == 0%N)]) f ->
  tends (fun k => at_time k f) (E^-1 *: vec (sumv [seq t.2 | t <- f & eqb t.1.1 D])).
Proof.
move=> arch ok; have dp := phi_gt0 R D_pos; pose ts := map term_value f.
have -> : E^-1 *: vec (sumv [seq t.2 | t <- f & eqb t.1.1 D]) = constant_term ts.
  rewrite vec_sum big_map big_filter scaler_sumr /constant_term big_map.
  by apply: eq_bigl => t; rewrite /= (phi_eqb R) -[RHS](inj_eq (mulIf (lt0r_neq0 dp))) mulfVK ?mul1r // lt0r_neq0.
have : all (fun t : R * nat * 'cV[R]_d => (0 < t.1.1 <= 1) && ((t.1.1 == 1) ==> (t.1.2 == 0%N))) ts.
  rewrite all_map; apply: sub_all ok => t /= /and3P[]; rewrite (phi_pos R) => b0 b1 m0; rewrite divr_gt0 //=.
  rewrite ler_pdivr_mulr // mul1r phi_le b1 -(inj_eq (mulIf (lt0r_neq0 dp))) mulfVK ?lt0r_neq0 // mul1r.
  by rewrite -(phi_eqb R).
by move=> /allP ok'; apply: form_tends => // t /ok' /andP[b01 /implyP m0]; split=> // /eqP/m0/eqP.
Qed.

(** *** The recurrence *)

Hypothesis alpha_pos : ~~ Z.leb (Qnum (lim_alpha c)) Z0.
Notation a := (the_a R c).

Lemma whole : [/\ phi (of_Z I (Zpos (lit_whole (lim_alpha c)))) != 0,
  phi (of_Z I (Zpos (Qden (lim_alpha c)))) = (1 - a) * phi (of_Z I (Zpos (lit_whole (lim_alpha c))))
  & phi (of_Z I (Zpos (positive_part (Qnum (lim_alpha c))))) = a * phi (of_Z I (Zpos (lit_whole (lim_alpha c))))].
Proof.
have [_ Ea Er] := alphaE R alpha_pos; have w0 : phi (of_Z I (Zpos (lit_whole (lim_alpha c)))) != 0.
  by apply: phi_neq0; rewrite /pos of_ZK.
split=> //; rewrite /CheckerNumbers.phi !of_ZK /phiZ in w0 *.
  by rewrite -Er /value /= mulfVK.
by rewrite -Ea /value /= mulfVK.
Qed.

Lemma sum_of_cat g (l1 l2 : seq (term I)) : sum_of (R := R) g (l1 ++ l2) = sum_of g l1 + sum_of g l2.
Proof. by rewrite /sum_of big_cat. Qed.

Lemma recurrenceP forms f G : (0 < size G)%N -> all (fun x => vanishes (recurrence c D forms f G x)) (iota 0 d) -> forall k,
  at_time k.+1 f = (1 - a) *: at_time k f + a *: ((size G)%:R^-1 *: \sum_(j <- G) at_time k (nth [::] forms j)).
Proof.
move=> G0 zero k; have [w0 Er Ea] := whole; set w := phi _ in w0 Er Ea.
have g0 : (size G)%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
pose g b m : R := b ^+ k * 'C(k, m)%:R.
have coordinate h (x : 'I_d) f' : sum_of g [seq (t.1, mul h (nth O t.2 x)) | t <- f'] = phi h * raw k f' x 0.
  rewrite /sum_of big_map /raw summxE mulr_sumr; apply: eq_bigr => t _.
  by rewrite /factor /base /power /= phiM !mxE /g; ring.
have {}zero : (size G)%:R * w *: raw k.+1 f = (phi D * ((size G)%:R * ((1 - a) * w))) *: raw k f +
    (phi D * (a * w)) *: \sum_(j <- G) raw k (nth [::] forms j).
  apply/colP => x; have := vanishesP g (allP zero x _); rewrite mem_iota ltn_ord => /(_ isT).
  rewrite /recurrence !sum_of_cat addrA.
  set raised := [seq _ | t <- f]; set up := mul (number I _) _ in raised *.
  have -> : sum_of g raised + sum_of g [seq (base t, (power t).-1, factor t) | t <- raised & (0 < power t)%N] =
      ((size G)%:R * w) * raw k.+1 f x 0.
    rewrite /sum_of !big_map big_filter big_map [X in _ + X]big_mkcond -big_split /raw summxE mulr_sumr.
    apply: eq_bigr => -[[B m] V] _; rewrite /factor /base /power /= !phiM phi_number !mxE /g exprS -/w.
    case: m => [|m] /=; first by rewrite !bin0 addr0; move: (phi B ^+ k) => b; ring.
    by rewrite binS natrD; move: (phi B ^+ k) => b; ring.
  rewrite coordinate phi_opposite !phiM phi_number Er.
  have -> : sum_of g (flatten [seq [seq (t.1, mul (opposite (mul D (of_Z I (Zpos (positive_part (Qnum (lim_alpha c)))))))
      (nth O t.2 x)) | t <- nth [::] forms j] | j <- G]) = - (phi D * (a * w)) * (\sum_(j <- G) raw k (nth [::] forms j)) x 0.
    rewrite /sum_of big_flatten big_map summxE mulr_sumr; apply: eq_bigr => j _.
    by rewrite -/(sum_of g _) coordinate phi_opposite phiM Ea.
  rewrite !mxE => /eqP; rewrite addr_eq0 => /eqP ->.
  by rewrite opprD !mulNr !opprK.
move: zero; rewrite !rawE.
have -> : \sum_(j <- G) raw k (nth [::] forms j) = (phi D ^+ k * E) *: \sum_(j <- G) at_time k (nth [::] forms j).
  by rewrite scaler_sumr; apply: eq_bigr => j _; rewrite rawE.
move: (at_time _ _) (at_time _ _) (\sum_(j <- G) _) => z' z S H.
have n0 : (size G)%:R * w * (phi D ^+ k.+1 * E) != 0 by rewrite mulf_neq0 ?(mulf_neq0 g0) // mulf_neq0 ?E_neq0 // expf_neq0 // D_neq0.
apply: (scalerI n0); move: H; rewrite !scalerA => ->; rewrite scalerDr !scalerA; congr (_ + _); congr (_ *: _).
  by rewrite exprS; move: (phi D ^+ k) => p; ring.
by rewrite exprS; move: (phi D ^+ k) => p; field.
Qed.

(** *** Scores *)

Definition powers k (P : closed I) : 'cV[R]_d := \sum_(t <- P) (phi t.1.1 ^+ k * k%:R ^+ t.1.2) *: vec t.2.

Lemma powers_cat k P Q : powers k (P ++ Q) = powers k P + powers k Q.
Proof. by rewrite /powers big_cat. Qed.

Lemma powersE M f k : all (fun t => t.1.2 <= M)%N f -> powers k (in_powers M f) = M`!%:R *: raw k f.
Proof.
have one B m V : (m <= M)%N ->
    powers k [seq (B, e, scale (mul (quotient I M m) (nth O (falling_factors I m) e)) V) | e <- iota 0 m.+1] =
    M`!%:R *: ((phi B ^+ k * 'C(k, m)%:R) *: vec V).
  move=> mM; rewrite /powers big_map -[m.+1]subn0 -/(index_iota 0 m.+1) big_mkord scalerA.
  have -> : M`!%:R * (phi B ^+ k * 'C(k, m)%:R) = phi B ^+ k * (phi (quotient I M m) * (k ^_ m)%:R).
    by rewrite -(quotientP I R mM) -bin_ffact natrM; move: (phi B ^+ k) => b; ring.
  rewrite -(falling_at I R m k) !mulr_sumr scaler_suml; apply: eq_bigr => e _.
  rewrite vec_scale scalerA phiM; congr (_ *: _).
  by move: (phi B ^+ k) (k%:R ^+ e) => b x; ring.
elim: f => [|[[B m] V] f IH]; first by rewrite /powers /raw !big_nil scaler0.
case/andP => mM /IH E; transitivity (powers k (in_powers M [:: (B, m, V)]) + powers k (in_powers M f)).
  by rewrite -powers_cat /in_powers /= cats0.
by rewrite E /raw big_cons scalerDr -(one B m V mM) /in_powers /= cats0.
Qed.

Hypothesis A_sym : A^T = A.
Notation ac := (compile_sa I d (lim_sa c)).
Notation query := (apply (sa_query ac)).
Notation key := (apply (sa_key ac)).

Lemma dotA_suml (J : Type) (r : seq J) (F : J -> 'cV[R]_d) y : dotA (\sum_(i <- r) F i) y = \sum_(i <- r) dotA (F i) y.
Proof. by rewrite dotAC // dotA_sumr; apply: eq_bigr => i _; rewrite dotAC. Qed.

Lemma gapP : exists2 e : R, 0 < e & forall k Pi Pj Pl,
  power_sum R k (gap (mapped query Pi) (mapped key Pj) (mapped key Pl)) = e * dotA (powers k Pi) (powers k Pj - powers k Pl).
Proof.
have [e e0 score] := scoreE R c s_pos; pose o := phi (over s); have o0 : 0 < o by exact: phi_gt0.
exists (e * o^-1 ^+ 2) => [|k Pi Pj Pl]; first by rewrite mulr_gt0 ?exprn_gt0 ?invr_gt0.
have {}score X Y : phi (dot (query X) (key Y)) = e * o^-1 ^+ 2 * dotA (vec X) (vec Y).
  by rewrite score dotAZl // dotAZr -/o expr2 -!mulrA.
move: (e * _) (apply (sa_query _)) (apply (sa_key _)) score => q qu ke score.
have side b1 m1 X P h g : (forall Y, phi (dot (qu X) (h (ke Y))) = g * (q * dotA (vec X) (vec Y))) ->
  \sum_(u <- mapped h (mapped ke P)) phi (dot (qu X) u.2) * (phi (mul b1 u.1.1) ^+ k * k%:R ^+ (m1 + u.1.2)) =
  g * (q * (phi b1 ^+ k * k%:R ^+ m1 * dotA (vec X) (powers k P))).
  move=> H; rewrite !big_map /powers dotA_sumr !mulr_sumr; apply: eq_bigr => u _ /=.
  rewrite H dotAZr phiM exprMn exprD; move: (phi b1 ^+ k) (phi u.1.1 ^+ k) (k%:R ^+ m1) (k%:R ^+ u.1.2) => x y v w; ring.
rewrite /power_sum /sum_of /gap big_flatten big_map big_map [powers k Pi]/(powers) dotA_suml mulr_sumr.
apply: eq_bigr => t _; rewrite /= big_map /= big_cat /= dotAZl // dotABr.
have idE : mapped ke Pj = mapped id (mapped ke Pj) by rewrite /mapped -map_comp; exact: eq_map.
rewrite idE (side _ _ _ _ _ 1) => [|Y]; last by rewrite mul1r score.
rewrite (side _ _ _ _ _ (-1)) => [|Y]; last by rewrite dot_scale minus_oneE score.
by ring.
Qed.

(** The difference of scores of forms in powers of k is that of the forms, up to a positive factor. *)
Lemma gap_sign M k fi fj fl : all (fun t => t.1.2 <= M)%N fi -> all (fun t => t.1.2 <= M)%N fj -> all (fun t => t.1.2 <= M)%N fl ->
  exists2 e : R, 0 < e & power_sum R k (gap (mapped query (in_powers M fi)) (mapped key (in_powers M fj)) (mapped key (in_powers M fl))) =
    e * dotA (at_time k fi) (at_time k fj - at_time k fl).
Proof.
move=> Mi Mj Ml; have [e e0 gE] := gapP; exists (e * (M`!%:R * (phi D ^+ k * E)) ^+ 2).
  by rewrite mulr_gt0 // exprn_gt0 // !mulr_gt0 ?ltr0n ?fact_gt0 ?exprn_gt0 //; exact: phi_gt0.
rewrite gE !powersE // -scalerBr !rawE -scalerBr.
by rewrite !(dotAZl A_sym) !dotAZr; move: (phi D ^+ k) (dotA _ _) (_`!%:R) => p x m; ring.
Qed.

End Forms.

Lemma largest_power_bound (I : integers) (l : seq (closed I)) i : all (fun t => t.1.2 <= largest_power_of l)%N (nth [::] l i).
Proof.
rewrite /largest_power_of; elim: l i => [|f l IH] [|i] //=; rewrite map_cat foldr_cat.
  elim: f {IH} => //= t f IH; rewrite leq_max leqnn /=; apply: sub_all IH => u; rewrite leq_max => ->.
  exact: orbT.
by apply: sub_all (IH i) => t le; elim: f => //= u f IHf; rewrite leq_max IHf orbT.
Qed.
