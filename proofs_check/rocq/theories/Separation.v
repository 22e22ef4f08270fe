(** Ingredients of the shallow theorem: a direction that separates points, hinges that separate
    measures on the line, and piecewise-linear interpolation. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From Exactformer Require Import Semantics Basics Measure.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Separation.

Variable R : realFieldType.

(** ** Finitely many values, or hyperplanes, can be avoided *)

Lemma above (l : seq R) : exists M, forall x, x \in l -> x < M.
Proof.
exists (1 + \sum_(x <- l) `|x|) => x xl; apply: le_lt_trans (ler_norm x) _.
by rewrite (big_rem _ xl) /= addrCA ltr_addl ltr_paddr // sumr_ge0.
Qed.

Lemma avoid (l : seq R) : exists2 w, 0 < w & w \notin l.
Proof.
exists (1 + \sum_(x <- l) `|x|); first by rewrite ltr_paddr // sumr_ge0.
apply/negP => wl; have : `|1 + \sum_(x <- l) `|x| | <= \sum_(x <- l) `|x|.
  rewrite [X in _ <= X](big_rem _ wl) /= ler_addl sumr_ge0 //.
by rewrite ger0_norm ?addr_ge0 ?sumr_ge0 // ger_addr leNgt ltr01.
Qed.

(** [w] is not the solution of  p + w q = 0. *)
Lemma avoid_root (w p q : R) (l : seq R) : w \notin l -> - p / q \in l -> (p != 0) || (q != 0) -> p + w * q != 0.
Proof.
move=> wl pl pq; have [q0 | q0] := eqVneq q 0; first by move: pq; rewrite q0 eqxx orbF mulr0 addr0.
apply: contra wl; rewrite addrC addr_eq0 => /eqP E.
by rewrite (_ : w = - p / q) // -E mulfK.
Qed.

Lemma generic_direction n (l : seq 'cV[R]_n) :
  (forall v, v \in l -> v != 0) -> exists u : 'cV[R]_n, forall v, v \in l -> inner u v != 0.
Proof.
elim: l => [|v l IH] H; first by exists 0.
have [u ul] : exists u : 'cV[R]_n, forall x, x \in l -> inner u x != 0.
  by apply: IH => x xl; apply: H; rewrite inE xl orbT.
have [uv | uv] := eqVneq (inner u v) 0; last by exists u => x; rewrite inE => /orP[/eqP -> | /ul].
have [w w0 wl] := avoid [seq - inner u x / inner v x | x <- l].
exists (u + w *: v) => x; rewrite inE innerDl innerZl => /orP[/eqP -> | xl].
  by rewrite uv add0r mulf_neq0 ?gt_eqF // inner_gt0 // H // mem_head.
by apply: (avoid_root wl); [exact: (map_f (fun x => - inner u x / inner v x)) | rewrite ul].
Qed.

(** ** Hinges separate measures on the line *)

Definition relu1 (t : R) : R := Num.max 0 t.

Lemma relu1_le0 t : t <= 0 -> relu1 t = 0.
Proof. by move=> t0; exact/max_idPl. Qed.

Lemma relu1_ge0 t : 0 <= t -> relu1 t = t.
Proof. by move=> t0; exact/max_idPr. Qed.

Definition average (F : R -> R) (s : seq R) : R := (\sum_(x <- s) F x) / (size s)%:R.

Lemma sum_by_count (F : R -> R) (s r : seq R) : uniq r -> {subset s <= r} ->
  \sum_(x <- s) F x = \sum_(x <- r) F x * (count_mem x s)%:R.
Proof.
move=> ur; elim: s => [|y s IH] sr; first by rewrite big_nil big1 // => x _; rewrite mulr0.
rewrite big_cons IH => [|x xs]; last by apply: sr; rewrite inE xs orbT.
have yr : y \in r by apply: sr; rewrite mem_head.
under [in RHS]eq_bigr do rewrite /= natrD mulrDr.
rewrite big_split /=; congr (_ + _); rewrite (bigD1_seq y) //= eqxx mulr1 big1 ?addr0 // => x /negbTE xy.
by rewrite eq_sym xy mulr0.
Qed.

Lemma hinge_splits (s t : seq R) : s != [::] -> t != [::] -> ~~ same_measure s t ->
  exists c, average (fun x => relu1 (x - c)) s != average (fun x => relu1 (x - c)) t.
Proof.
move=> s0 t0 nm; have [n0 m0] : (size s)%:R != 0 :> R /\ (size t)%:R != 0 :> R by rewrite !pnatr_eq0 !size_eq0.
pose r := undup (s ++ t).
pose f x : R := (count_mem x s)%:R * (size t)%:R - (count_mem x t)%:R * (size s)%:R.
have diff c : average (fun x => relu1 (x - c)) s - average (fun x => relu1 (x - c)) t =
    (\sum_(x <- r) relu1 (x - c) * f x) / ((size s)%:R * (size t)%:R).
  have [sr tr] : {subset s <= r} /\ {subset t <= r} by split=> x xs; rewrite mem_undup mem_cat xs ?orbT.
  have ur : uniq r by exact: undup_uniq.
  rewrite /average (sum_by_count _ ur sr) (sum_by_count _ ur tr).
  have -> : \sum_(x <- r) relu1 (x - c) * f x =
      (\sum_(x <- r) relu1 (x - c) * (count_mem x s)%:R) * (size t)%:R -
      (\sum_(x <- r) relu1 (x - c) * (count_mem x t)%:R) * (size s)%:R.
    by rewrite !mulr_suml -sumrB; apply: eq_bigr => x _; rewrite /f mulrBr !mulrA.
  move: (\sum_(x <- r) _) (\sum_(x <- r) _) => A B.
  by field; rewrite n0 m0.
have fr : [seq x <- r | f x != 0] != [::].
  apply: contra nm => /eqP E; apply/allP => x xst; rewrite -(eqr_nat R) !natrM -subr_eq0 -/(f x).
  by apply: contraT => fx; have : x \in [seq x <- r | f x != 0]; [rewrite mem_filter fx mem_undup | rewrite E].
have [y] := exists_max id fr; rewrite mem_filter => /andP[fy yr] ymax.
have [c cy cmax] : exists2 c, c < y & forall x, x \in r -> x < y -> x <= c.
  have [E | /(exists_max id)[c cl cmax]] := eqVneq [seq x <- r | x < y] [::].
    exists (y - 1); first by rewrite gtr_addl ltrN10.
    by move=> x xr xy; have : x \in [seq x <- r | x < y]; [rewrite mem_filter xy | rewrite E].
  exists c; first by move: cl; rewrite mem_filter => /andP[].
  by move=> x xr xy; apply: cmax; rewrite mem_filter xy.
exists c; rewrite -subr_eq0 diff mulf_neq0 ?invr_eq0 ?mulf_neq0 //.
rewrite (bigD1_seq y) ?undup_uniq //= big_seq_cond big1 ?addr0 => [|x /andP[xr xy]].
  by rewrite mulf_neq0 // relu1_ge0 ?subr_ge0 ?(ltW cy) // subr_eq0 gt_eqF.
have [fx | fx] := eqVneq (f x) 0; first by rewrite fx mulr0.
rewrite relu1_le0 ?mul0r // subr_le0 cmax // lt_neqAle xy ymax //.
by rewrite mem_filter fx.
Qed.

(** A strictly increasing function with kinks at the hinges (c, w), w > 0. *)
Definition bent (H : seq (R * R)) (x : R) : R := x + \sum_(h <- H) h.2 * relu1 (x - h.1).

Definition rising (H : seq (R * R)) : bool := all (fun h => 0 < h.2) H.

Lemma bent_incr H : rising H -> {homo bent H : x y / x < y}.
Proof.
move=> Hr x y xy; rewrite /bent ltr_le_add // big_seq [X in _ <= X]big_seq; apply: ler_sum => h /(allP Hr) h0.
rewrite ler_pmul2l // /relu1 le_maxl le_maxr lexx /= le_maxr ler_add2r (ltW xy) orbT //.
Qed.

Lemma bent_inj H : rising H -> injective (bent H).
Proof.
move=> Hr x y E; case: (ltgtP x y) => // xy; have := bent_incr Hr xy; by rewrite E ltxx.
Qed.

(** At most N - 1 hinges make the N averages of distinct measures distinct. *)
Theorem hinges_separate (P : seq (seq R)) :
  (forall s, s \in P -> s != [::]) -> {in P &, forall s t, same_measure s t -> s = t} ->
  exists H : seq (R * R), [/\ rising H, (size H <= (size P).-1)%N & {in P &, injective (average (bent H))}].
Proof.
elim: P => [|p P IH] ne sm; first by exists [::].
have [H [Hr Hs Hi]] : exists H : seq (R * R),
    [/\ rising H, (size H <= (size P).-1)%N & {in P &, injective (average (bent H))}].
  apply: IH => [s sP | s t sP tP]; first by apply: ne; rewrite inE sP orbT.
  by apply: sm; rewrite inE ?sP ?tP orbT.
have [pP | pP] := boolP (p \in P).
  exists H; split=> //; first by apply: leq_trans Hs _; rewrite /= leq_pred.
  by move=> s t; rewrite !inE => /orP[/eqP -> | sP] /orP[/eqP -> | tP] //; exact: Hi.
have [/hasP[q qP /eqP pq] | /hasPn free] := boolP (has (fun q => average (bent H) q == average (bent H) p) P); last first.
  exists H; split=> //; first by apply: leq_trans Hs _; rewrite /= leq_pred.
  move=> s t; rewrite !inE => /orP[/eqP -> | sP] /orP[/eqP -> | tP] //; last exact: Hi.
    by move=> E; move: (free t tP); rewrite E eqxx.
  by move=> E; move: (free s sP); rewrite E eqxx.
have npq : ~~ same_measure p q.
  by apply: contra pP => /sm E; rewrite E ?inE ?eqxx ?qP ?orbT.
have qpP : q \in p :: P by rewrite inE qP orbT.
have [c cpq] := hinge_splits (ne p (mem_head _ _)) (ne q qpP) npq.
pose m s := average (bent H) s; pose rho s := average (fun x => relu1 (x - c)) s.
have [w w0 wl] := avoid [seq - (m st.1 - m st.2) / (rho st.1 - rho st.2) | st <- [seq (s, t) | s <- p :: P, t <- p :: P]].
have E s : average (bent ((c, w) :: H)) s = m s + w * rho s.
  rewrite /m /rho /average mulrA -mulrDl mulr_sumr -big_split; congr (_ / _); apply: eq_bigr => x _.
  by rewrite /bent big_cons /= addrCA addrC.
exists ((c, w) :: H); split; first by rewrite /rising /= w0.
  by rewrite /=; case: (P) qP Hs.
move=> s t sP tP; rewrite !E => F; apply/eqP; apply: contraT => st.
suff : m s - m t + w * (rho s - rho t) != 0.
  by rewrite mulrBr addrACA -opprD F subrr eqxx.
apply: (avoid_root wl); first by apply/mapP; exists (s, t) => //; exact: allpairs_f.
rewrite !subr_eq0; have [mst | //] := eqVneq (m s) (m t); rewrite /=.
move: sP tP; rewrite !inE => /orP[/eqP sp | sP] /orP[/eqP tp | tP].
- by rewrite sp tp eqxx in st.
- have -> : t = q by apply: Hi => //; rewrite pq -/(m t) -mst sp.
  by rewrite sp.
- have -> : s = q by apply: Hi => //; rewrite pq -/(m s) mst tp.
  by rewrite tp eq_sym.
- by rewrite (Hi s t) ?eqxx in st.
Qed.

(** ** Piecewise-linear interpolation *)

(** A sum of hinges  (alpha, b, w):  t -> relu(alpha t + b) w. *)
Definition hinge_sum n (l : seq (R * R * 'cV[R]_n)) (t : R) : 'cV[R]_n :=
  \sum_(h <- l) relu1 (h.1.1 * t + h.1.2) *: h.2.

(** As many hinges as nodes; between neighbouring nodes of equal value the curve is constant. *)
Theorem interpolate n (Z : seq R) (v : R -> 'cV[R]_n) :
  exists l : seq (R * R * 'cV[R]_n),
    [/\ (size l <= size Z)%N, forall t, t \in Z -> hinge_sum l t = v t
      & forall a b t, a \in Z -> b \in Z -> a <= t <= b -> (forall z, z \in Z -> ~~ (a < z < b)) -> v a = v b ->
        hinge_sum l t = v a].
Proof.
have [-> | Z0] := eqVneq Z [::]; first by exists [::].
suff : exists l : seq (R * R * 'cV[R]_n),
    [/\ (size l <= size Z)%N, forall t, t \in Z -> hinge_sum l t = v t,
        forall a b t, a \in Z -> b \in Z -> a <= t <= b -> (forall z, z \in Z -> ~~ (a < z < b)) -> v a = v b ->
          hinge_sum l t = v a
      & exists m (s : 'cV[R]_n), [/\ m \in Z, forall z, z \in Z -> z <= m
          & forall t, m <= t -> hinge_sum l t = v m + (t - m) *: s]].
  by case=> l [ls lv lf _]; exists l.
move: {2}(size Z) (leqnn (size Z)) Z0 => k; elim: k Z => [|k IH] Z Zk Z0.
  by move: Zk; rewrite leqn0 size_eq0 (negbTE Z0).
have [t tZ tmax] := exists_max id Z0; rewrite /id in tmax.
pose Y := [seq x <- Z | x != t].
have YZ : (size Y < size Z)%N.
  rewrite size_filter -(count_predC (pred1 t) Z) -[X in (X < _)%N]add0n ltn_add2r.
  by rewrite -has_count has_pred1.
have memY x : (x \in Y) = (x != t) && (x \in Z) by rewrite mem_filter.
have [Y0 | Y0] := eqVneq Y [::].
  have Zt x : x \in Z -> x = t by move=> xZ; apply/eqP; apply: contraT => xt; have := memY x; rewrite Y0 xt xZ.
  have E x : hinge_sum [:: (0, 1, v t)] x = v t.
    by rewrite /hinge_sum big_seq1 /= mul0r add0r relu1_ge0 ?ler01 // scale1r.
  exists [:: (0, 1, v t)]; split=> [|x /Zt -> //|a b x /Zt -> //|]; first by move: YZ; rewrite Y0.
  by exists t, 0; split=> // x _; rewrite E scaler0 addr0.
have [l [ls lv lf [m [s [mY mmax tail]]]]] := IH Y (leq_trans YZ Zk) Y0.
have mt : m < t by move: mY; rewrite memY => /andP[mt mZ]; rewrite lt_neqAle mt tmax.
pose w := (t - m)^-1 *: (v t - hinge_sum l t).
have tm : t - m != 0 by rewrite subr_eq0 gt_eqF.
have below x : x <= m -> hinge_sum ((1, - m, w) :: l) x = hinge_sum l x.
  by move=> xm; rewrite /hinge_sum big_cons /= mul1r relu1_le0 ?subr_le0 // scale0r add0r.
have beyond x : m <= x -> hinge_sum ((1, - m, w) :: l) x = v m + (x - m) *: (w + s).
  move=> xm; rewrite /hinge_sum big_cons /= mul1r relu1_ge0 ?subr_ge0 // -/(hinge_sum l x) tail //.
  by rewrite scalerDr addrCA.
have top : v m + (t - m) *: (w + s) = v t.
  by rewrite scalerDr addrCA -tail ?(ltW mt) // scalerA mulfV // scale1r subrK.
exists ((1, - m, w) :: l); split; first exact: leq_ltn_trans YZ.
- move=> x xZ; have [-> | xt] := eqVneq x t; first by rewrite beyond ?(ltW mt) // top.
  have xY : x \in Y by rewrite memY xt.
  by rewrite below ?lv // mmax.
- move=> a b x aZ bZ /andP[ax xb] gap ab.
  have [bt | bt] := eqVneq b t; last first.
    have bY : b \in Y by rewrite memY bt.
    have aY : a \in Y.
      rewrite memY aZ andbT; apply: contra bt => /eqP at'; rewrite eq_le tmax //= -at'; exact: le_trans ax xb.
    rewrite below; last exact: le_trans xb (mmax b bY).
    by apply: (lf a b) => //; [rewrite ax | move=> z; rewrite memY => /andP[_ /gap]].
  have [at' | at'] := eqVneq a t.
    have -> : x = t by apply/eqP; rewrite eq_le -{1}bt xb -at' ax.
    by rewrite beyond ?(ltW mt) // top at'.
  have aY : a \in Y by rewrite memY at'.
  have am : a = m.
    apply/eqP; rewrite eq_le mmax //= leNgt; apply/negP => am.
    by move: (gap m); rewrite bt am mt /=; move: mY; rewrite memY => /andP[_ ->] /(_ isT).
  rewrite beyond -?am //; have := top; rewrite -bt -ab am => /eqP; rewrite -subr_eq0 addrAC subrr add0r.
  by rewrite scaler_eq0 bt (negbTE tm) /= => /eqP ->; rewrite scaler0 addr0.
- exists t, (w + s); split=> // x tx; rewrite beyond; last exact: le_trans (ltW mt) tx.
  by rewrite -top -addrA -scalerDl; congr (_ + _ *: _); ring.
Qed.

End Separation.
