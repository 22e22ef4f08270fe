(** The deep theorem: feasible data are interpolated by blocks of any constant width w, about (N + K) / w of them.

    The hinges of the shallow construction are met one after the other, from the lowest up, on an axis; uniform attention
    adds a multiple of the mean; then the tokens are placed on their targets from the top down ([Placement]). *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From Exactformer Require Import Semantics Basics Measure Separation Shallow Placement Softmax.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** Hinges in series *)

Section Series.

Variables (R : realFieldType) (d : nat) (u e : 'cV[R]_d.+1).
Hypothesis ue : inner u e = 1.
Implicit Types (P Q H : seq (R * R)) (s kappa : R).

Definition lower (h g : R * R) : bool := h.1 <= g.1.
Definition slope P : R := 1 + \sum_(h <- P) h.2.

Lemma slope_gt0 P : rising P -> 0 < slope P.
Proof.
move=> /allP Pr; rewrite ltr_spaddl ?ltr01 // big_seq sumr_ge0 // => h /Pr; exact: ltW.
Qed.

(** Beyond its last kink a bent function has constant slope; so a hinge can come later. *)
Lemma late_hinge P c s : rising P -> all (fun h => h.1 <= c) P -> relu1 (bent P s - bent P c) = slope P * relu1 (s - c).
Proof.
move=> Pr Pc; case: (leP c s) => cs.
  rewrite !relu1_ge0 ?subr_ge0 //; last first.
    by move: cs; rewrite le_eqVlt => /orP[/eqP -> // | /(bent_incr Pr)/ltW].
  rewrite /bent /slope mulrDl mul1r opprD addrACA mulr_suml -sumrB; congr (_ + _); rewrite !big_seq.
  apply: eq_bigr => h /(allP Pc) hc.
  by rewrite !relu1_ge0 ?subr_ge0 ?(le_trans hc) // -mulrBr; congr (_ * _); ring.
by rewrite !relu1_le0 ?mulr0 // subr_le0 ltW // (bent_incr Pr).
Qed.

Lemma bent_cat P Q s : bent (P ++ Q) s = bent P s + \sum_(h <- Q) h.2 * relu1 (s - h.1).
Proof. by rewrite /bent big_cat addrA. Qed.

Lemma series_step w kappa P Q : (0 < w)%N -> rising (P ++ Q) -> pairwise lower (P ++ Q) ->
  exists fs, [/\ all (fun f => width f <= w)%N fs, (size fs * w < size Q + w)%N
    & forall s, run_ffs fs ((kappa + bent P s) *: e) = (kappa + bent (P ++ Q) s) *: e].
Proof.
move=> w0; have [n] := ubnP (size Q); elim: n P Q => // n IH P Q Qn PQr PQl.
have [Q0 | Q0] := eqVneq Q [::]; first by exists [::]; rewrite Q0 cats0; split.
have Qs : (0 < size Q)%N by rewrite lt0n size_eq0.
set C := take w Q; set rest := drop w Q; have QE : C ++ rest = Q := cat_take_drop w Q.
have rn : (size rest < n)%N.
  by rewrite size_drop; have lt : (size Q - w < size Q)%N; [rewrite ltn_subrL w0 | exact: leq_trans lt Qn].
have E : P ++ Q = (P ++ C) ++ rest by rewrite -catA QE.
have [|| fs [fw fn fr]] := IH (P ++ C) rest rn; rewrite -?E //.
have Pr : rising P by move: PQr; rewrite /rising all_cat => /andP[].
have s0 := slope_gt0 Pr.
have Cc h : h \in C -> all (fun p => p.1 <= h.1) P.
  move=> hC; move: PQl; rewrite pairwise_cat => /and3P[/allrelP lo _ _]; apply/allP => p pP.
  by apply: lo => //; rewrite -QE mem_cat hC.
exists (ridge_ff 1 u [seq (1, - (kappa + bent P h.1), (h.2 / slope P) *: e) | h <- C] :: fs); split.
- by rewrite /= fw andbT size_map size_take; case: ltnP => // /ltnW.
- rewrite /= mulSn; move: fn; rewrite size_drop; case: (leqP w (size Q)) => wl.
    by rewrite subnK // => lt; rewrite addnC ltn_add2r.
  rewrite (eqP (ltnW wl : _ - _ == 0)%N) add0n -{2}[w]mul1n ltn_pmul2r // ltnS leqn0 => /eqP ->.
  by rewrite mul0n addn0 -{1}[w]add0n ltn_add2r.
move=> s; rewrite E -fr /run_ffs /= -!/(run_ffs fs _); congr (run_ffs fs _).
rewrite apply_ridge_ff scale1r innerZr ue mulr1 /hinge_sum big_map bent_cat addrA [RHS]scalerDl; congr (_ + _).
rewrite scaler_suml !big_seq; apply: eq_bigr => h hC /=.
rewrite mul1r opprD addrACA subrr add0r (late_hinge _ Pr (Cc h hC)) scalerA; congr (_ *: _).
by rewrite mulrC mulrA mulfVK // gt_eqF.
Qed.

(** All hinges, the first block flattening the token onto the axis. *)
Lemma series w kappa lo H : (0 < w)%N -> rising H -> 0 <= kappa + lo ->
  exists f fs, [/\ all (fun f => width f <= w)%N (f :: fs), (size (f :: fs) <= ceil (size H).+1 w)%N
    & forall x, lo <= inner u x -> run_ffs (f :: fs) x = (kappa + bent H (inner u x)) *: e].
Proof.
move=> w0 Hr k0; pose G := sort lower H; have tr : transitive lower by move=> y x z; exact: le_trans.
have Gl : pairwise lower G by rewrite -sorted_pairwise // sort_sorted // => x y; exact: le_total.
have GE s : bent G s = bent H s by rewrite /bent; congr (_ + _); apply: perm_big; rewrite perm_sort.
have Gr : rising G by rewrite /rising all_sort.
pose P := take w.-1 G; pose Q := drop w.-1 G; have PQ : P ++ Q = G := cat_take_drop _ _.
have [||fs [fw fn fr]] := @series_step w kappa P Q w0; rewrite ?PQ //.
exists (ridge_ff 0 u ((1, kappa, e) :: [seq (1, - h.1, h.2 *: e) | h <- P])), fs; split.
- by rewrite /= fw andbT size_map size_take; case: (w) w0 => // v _ /=; case: (ltnP v (size G)).
- rewrite /ceil leq_divRL // /= mulSn; move: fn; rewrite size_drop size_sort; case: (w) w0 => // v _ /= fn.
  case: (leqP v (size H)) fn => le fn.
    by rewrite addnC addSnnS leq_add2r -ltnS; apply: leq_trans fn _; rewrite addnS subnK.
  move: fn; rewrite (eqP (ltnW le : _ - _ == 0)%N) add0n -{2}[v.+1]mul1n ltn_pmul2r // ltnS leqn0 => /eqP ->.
  by rewrite mul0n addn0 addSn ltnS leq_addl.
move=> x xl; rewrite /run_ffs /= -/(run_ffs fs _) apply_ridge_ff scale0r add0r -GE -PQ -fr; congr (run_ffs fs _).
rewrite /hinge_sum big_cons /= mul1r relu1_ge0; last by rewrite addrC (le_trans k0) // ler_add2l.
rewrite big_map /bent addrA [RHS]scalerDl [kappa + _]addrC; congr (_ + _); rewrite scaler_suml; apply: eq_bigr => h _ /=.
by rewrite mul1r scalerA mulrC.
Qed.

End Series.

(** ** The nodes of all sequences, from the top down *)

Section Nodes.

Variables (R : realFieldType) (d : nat) (u e : 'cV[R]_d.+1) (base : R).
Notation token := 'cV[R]_d.+1.
Notation node := (R * token * bool)%type.
Notation sequence := (seq token * seq token)%type.
Implicit Types (q : sequence) (rest : seq node).

Lemma descending_pairwise (l : seq node) : all (fun n => base < n.1.1) l ->
  pairwise (fun n n' : node => n'.1.1 < n.1.1) l -> descending base l.
Proof.
elim: l => //= n l IH /andP[bn bl] /andP[nl /(IH bl) ->]; rewrite andbT; case: l bl nl {IH} => //= n' l _.
by case/andP.
Qed.

Lemma covered_catr (l rest : seq node) t y : covered base rest t y -> covered base (l ++ rest) t y.
Proof. by move=> c; elim: l => //= n l IH; constructor 3. Qed.

(** pos q x: where token x of q stands; S q, Y q: its distinct tokens upwards, its targets. *)
Variables (pos : sequence -> token -> R) (S Y : sequence -> seq token).

Fixpoint low_nodes (q : sequence) m : seq node :=
  if m is i.+1 then (pos q (nth 0 (S q) i), nth 0 (Y q) i, false) :: low_nodes q i else [::].

Definition all_nodes (q : sequence) : seq node :=
  (if (size (Y q) < size (S q))%N then [:: (pos q (last 0 (S q)), last 0 (Y q), true)] else [::]) ++ low_nodes q (size (Y q)).

Lemma low_node q m n : n \in low_nodes q m -> exists2 i, (i < m)%N & n = (pos q (nth 0 (S q) i), nth 0 (Y q) i, false).
Proof.
elim: m => //= i IH; rewrite inE => /orP[/eqP -> | /IH[j ji ->]]; first by exists i.
by exists j; rewrite // ltnW.
Qed.

Lemma covered_low q m i rest : (i < m)%N -> covered base (low_nodes q m ++ rest) (pos q (nth 0 (S q) i)) (nth 0 (Y q) i).
Proof.
elim: m => //= m IH; rewrite ltnS leq_eqVlt => /orP[/eqP -> | im]; first by constructor 1.
by constructor 3; exact: IH.
Qed.

Lemma plateaus_low q m rest : plateaus (low_nodes q m ++ rest) = plateaus rest.
Proof. by elim: m. Qed.

Section One.

Variable q : sequence.
Hypothesis up : forall i j, (i < j)%N -> (j < size (S q))%N -> pos q (nth 0 (S q) i) < pos q (nth 0 (S q) j).
Hypothesis few : (size (Y q) <= size (S q))%N.
Hypothesis some : (0 < size (Y q))%N.

Lemma size_all_nodes : size (all_nodes q) = (size (Y q) + (size (Y q) < size (S q)))%N.
Proof.
have low m : size (low_nodes q m) = m by elim: m => //= m ->.
by rewrite size_cat low addnC; case: ifP.
Qed.

Lemma node_place n : n \in all_nodes q -> [/\ exists2 i, (i < size (S q))%N & n.1.1 = pos q (nth 0 (S q) i) & n.1.2 \in Y q].
Proof.
rewrite mem_cat => /orP[ | /low_node[i im ->]]; last by split; [exists i => //; exact: leq_trans few | exact: mem_nth].
case: ifP => // lt; rewrite inE => /eqP -> /=; split; last by case: (Y q) some => // y l _; exact: (mem_last y).
by exists (size (S q)).-1; rewrite ?nth_last // prednK // (leq_ltn_trans _ lt).
Qed.

Lemma nodes_pairwise : pairwise (fun n n' : node => n'.1.1 < n.1.1) (all_nodes q).
Proof.
have low m : (m <= size (S q))%N -> pairwise (fun n n' : node => n'.1.1 < n.1.1) (low_nodes q m).
  elim: m => //= m IH ms; rewrite (IH (ltnW ms)) andbT; apply/allP => n /low_node[i im ->]; exact: up.
rewrite /all_nodes; case: ifP => //= lt; last exact: low.
rewrite low // andbT; apply/allP => n /low_node[i im ->] /=; rewrite -nth_last; apply: up.
  by rewrite -ltnS prednK ?(leq_ltn_trans _ lt) //; exact: leq_ltn_trans im lt.
by rewrite prednK // (leq_ltn_trans _ lt).
Qed.

Lemma nodes_plateaus rest : plateaus rest -> plateaus (all_nodes q ++ rest).
Proof.
rewrite /all_nodes; case: ifP => _ /=; rewrite ?plateaus_low // => ->; rewrite andbT.
by case: (size (Y q)) some (nth_last 0 (Y q)) => //= m _ ->; rewrite eqxx.
Qed.

Lemma nodes_cover x rest : x \in S q -> covered base (all_nodes q ++ rest) (pos q x) (assign (S q) (Y q) x).
Proof.
move=> xS; have ix : (index x (S q) < size (S q))%N by rewrite index_mem.
have xE : nth 0 (S q) (index x (S q)) = x by exact: nth_index.
have le i j : (i <= j)%N -> (j < size (S q))%N -> pos q (nth 0 (S q) i) <= pos q (nth 0 (S q) j).
  by rewrite leq_eqVlt => /orP[/eqP -> // | ij] js; apply/ltW/up.
have Y0 : Y q != [::] by rewrite -size_eq0 -lt0n.
rewrite /all_nodes -catA; case: (ltnP (index x (S q)) (size (Y q))) => im.
  apply: covered_catr; have := covered_low q rest im; rewrite xE.
  by rewrite /assign (set_nth_default (last x (Y q)) 0 im).
have lt := leq_ltn_trans im ix; rewrite lt; constructor 2; split; first by [].
  by rewrite (assign_late Y0 (leq_trans (leq_pred _) im)); case: (Y q) Y0.
have bE : below base (low_nodes q (size (Y q)) ++ rest) = pos q (nth 0 (S q) (size (Y q)).-1).
  by case: (size (Y q)) some.
have S0 : (0 < size (S q))%N by exact: leq_ltn_trans lt.
apply/andP; split.
  have H := le _ _ (leq_trans (leq_pred _) im) ix; rewrite xE in H.
  by rewrite -bE in H.
have H := le (index x (S q)) (size (S q)).-1; rewrite xE nth_last in H.
by apply: H; [rewrite -ltnS prednK | rewrite prednK].
Qed.

End One.

End Nodes.

(** ** Blocks without attention; a sum over a list without repetitions *)

Definition ff_block (R : realFieldType) (d : nat) (f : feed_forward R d) : block R d := Block (Some f) None.

Lemma run_ff_blocks (R : realFieldType) (d : nat) (fs : seq (feed_forward R d.+1)) s :
  run (map (@ff_block R d.+1) fs) s = map (run_ffs fs) s.
Proof.
elim: fs s => [|f fs IH] s; first by rewrite map_id.
by rewrite /run /= -/(run _ _) IH -map_comp.
Qed.

Lemma sum_undup (T : eqType) (l : seq T) (F : T -> nat) : (\sum_(x <- undup l) F x <= \sum_(x <- l) F x)%N.
Proof.
elim: l => //= x l IH; rewrite [X in (_ <= X)%N]big_cons; case: ifP => _; first exact: leq_trans IH (leq_addl _ _).
by rewrite big_cons leq_add2l.
Qed.

Lemma ceil_le m n w : (m <= n)%N -> (ceil m w <= ceil n w)%N.
Proof. by move=> mn; rewrite /ceil leq_div2r // leq_add2r. Qed.

Definition narrow (R : realFieldType) (d : nat) (w : nat) (c : block R d) : bool :=
  if block_ff c is Some f then (width f <= w)%N else true.

Section Deep.

Variables (R : realFieldType) (d : nat) (w : nat).
Hypothesis w0 : (0 < w)%N.
Notation token := 'cV[R]_d.+1.
Variable D : seq (seq token * seq token).
Hypothesis D_ok : forall q, q \in D -> [/\ q.1 != [::], q.2 != [::] & (size (undup q.2) <= size (undup q.1))%N].
Hypothesis D_inj : {in D &, forall q q', same_measure q.1 q'.1 -> q = q'}.
Hypothesis D_neq0 : D != [::].

Lemma deep_blocks : exists t : transformer R d.+1,
  [/\ all (narrow w) t, uniform t, (size t <= ceil (size D) w + ceil (\sum_(q <- D) nodes q) w)%N
    & forall q, q \in D -> run t q.1 =i q.2].
Proof.
have [u [e [H [M [g [mu [ue Hr Hs M0 gE muE mu_inj g_inj z_lt]]]]]]] := separation D_ok D_inj.
pose S (q : seq token * seq token) : seq token := sort (fun x y => g x <= g y) (undup q.1).
pose Y (q : seq token * seq token) : seq token := undup q.2.
have memS q x : (x \in S q) = (x \in q.1) by rewrite mem_sort mem_undup.
have uS q : uniq (S q) by rewrite sort_uniq undup_uniq.
have sizeS q : size (S q) = size (undup q.1) by rewrite size_sort.
(* base is above all targets, kappa lifts all tokens above base *)
have [b bY] := above [seq inner u y | y <- flatten [seq q.2 | q <- D]].
pose pairs := [seq (q, x) | q <- D, x <- q.1].
have inP q x : q \in D -> x \in q.1 -> (q, x) \in pairs by move=> qD xq; apply/allpairsPdep; exists q, x.
have [kappa kP] := above (0 :: [seq - inner u p.2 | p <- pairs] ++ [seq b - (g p.2 + M * mu p.1) | p <- pairs]).
have k0 : 0 < kappa by apply: kP; rewrite mem_head.
pose lo := - kappa; pose pos q x := kappa * (1 + M) + (g x + M * mu q).
have lo_le q x : q \in D -> x \in q.1 -> lo <= inner u x.
  move=> qD xq; rewrite /lo ler_oppl ltW //; apply: kP; rewrite inE mem_cat; apply/orP; right; apply/orP; left.
  by apply/mapP; exists (q, x); rewrite ?inP.
have base_lt q x : q \in D -> x \in q.1 -> b < pos q x.
  move=> qD xq; rewrite /pos -ltr_subl_addr; apply: (@lt_trans _ _ kappa).
    apply: kP; rewrite inE mem_cat; apply/orP; right; apply/orP; right.
    by apply/mapP; exists (q, x); rewrite ?inP.
  by rewrite mulrDr mulr1 ltr_addl mulr_gt0.
have up q : q \in D -> forall i j, (i < j)%N -> (j < size (S q))%N -> pos q (nth 0 (S q) i) < pos q (nth 0 (S q) j).
  move=> qD i j ij jS; have iS := ltn_trans ij jS; rewrite ltr_add2l ltr_add2r lt_neqAle.
  have tr : transitive (fun x y : token => g x <= g y) by move=> y x z; exact: le_trans.
  have sS : sorted (fun x y => g x <= g y) (S q) by apply: sort_sorted => x y; exact: le_total.
  rewrite (sorted_leq_nth tr (fun x => lexx (g x)) 0 sS) ?inE ?(ltnW ij) // andbT.
  apply: contraTneq ij => gij; rewrite -leqNgt leq_eqVlt; apply/orP; left; apply/eqP.
  have E : nth 0 (S q) i = nth 0 (S q) j by apply: (g_inj q q); rewrite // -memS mem_nth.
  by apply/eqP; rewrite eq_sym; move/eqP: E; rewrite nth_uniq.
have ok q : q \in D -> [/\ (size (Y q) <= size (S q))%N, (0 < size (Y q))%N & {subset Y q <= q.2}].
  move=> qD; have [_ y0 le] := D_ok qD; split; first by rewrite sizeS.
    rewrite lt0n size_eq0 /Y; apply: contra y0 => /eqP E; case: (q.2) E => //= y l; by case: ifP => // yl /undup_nil E; rewrite E in yl.
  by move=> y; rewrite mem_undup.
(* the sequences by their means, from the top down *)
pose Ds := sort (fun q q' => mu q' <= mu q) (undup D).
have memDs q : (q \in Ds) = (q \in D) by rewrite mem_sort mem_undup.
have strict (l : seq (seq token * seq token)) : {subset l <= D} -> uniq l ->
    pairwise (fun q q' => mu q' <= mu q) l -> pairwise (fun q q' => mu q' < mu q) l.
  elim: l => //= q l IH sub /andP[ql ul] /andP[al pl]; rewrite IH // => [|q' ql']; last by apply: sub; rewrite inE ql' orbT.
  rewrite andbT; apply/allP => q' ql'; rewrite lt_neqAle (allP al) // andbT; apply: contra ql => /eqP m.
  by rewrite -(mu_inj q' q) // sub ?mem_head // inE ql' orbT.
have Dsub : {subset Ds <= D} by move=> q; rewrite memDs.
have pDs : pairwise (fun q q' => mu q' < mu q) Ds.
  apply: strict => //; first by rewrite sort_uniq undup_uniq.
  have tr : transitive (fun q q' : seq token * seq token => mu q' <= mu q).
    by move=> q2 q1 q3 m12 m23; exact: le_trans m23 m12.
  by rewrite -sorted_pairwise // sort_sorted // => q q'; exact: le_total.
have place q n : q \in D -> n \in all_nodes pos S Y q -> (exists2 x, x \in q.1 & n.1.1 = pos q x) /\ n.1.2 \in q.2.
  move=> qD nq; have [few some sub] := ok q qD; have [[j jS E] y] := node_place few some nq.
  by split; [exists (nth 0 (S q) j); rewrite // -memS mem_nth | exact: sub].
pose L l := flatten [seq all_nodes pos S Y q | q <- l].
have inL l n : n \in L l -> exists2 q, q \in l & n \in all_nodes pos S Y q by move=> /flatten_mapP[q ql nq]; exists q.
have L_above : all (fun n => b < n.1.1) (L Ds).
  apply/allP => n /inL[q /Dsub qD nq]; have [[x xq ->] _] := place q n qD nq; exact: base_lt.
have L_values : all (fun n => inner u n.1.2 <= b) (L Ds).
  apply/allP => n /inL[q /Dsub qD nq]; have [_ y] := place q n qD nq; apply/ltW/bY/map_f.
  by apply/flattenP; exists q.2; rewrite ?map_f.
have L_pairwise l : {subset l <= D} -> pairwise (fun q q' => mu q' < mu q) l ->
    pairwise (fun n n' : R * token * bool => n'.1.1 < n.1.1) (L l).
  elim: l => //= q l IH sub /andP[al pl]; have qD : q \in D by apply: sub; rewrite mem_head.
  have subl : {subset l <= D} by move=> q' ql'; apply: sub; rewrite inE ql' orbT.
  have [few some _] := ok q qD; rewrite /L /= pairwise_cat (nodes_pairwise (up q qD)) // (IH subl pl) andbT.
  rewrite andbT; apply/allrelP => n n' nq /inL[q' ql' nq'].
  have [[x xq ->] _] := place q n qD nq; have [[x' xq' ->] _] := place q' n' (subl q' ql') nq'.
  by rewrite ltr_add2l; apply: z_lt => //; [exact: subl | exact: (allP al)].
have L_plateaus l : {subset l <= D} -> plateaus (L l).
  elim: l => //= q l IH sub; have qD : q \in D by apply: sub; rewrite mem_head.
  have [_ some _] := ok q qD; apply: nodes_plateaus => //; apply: IH => q' ql'; apply: sub; by rewrite inE ql' orbT.
have L_size : (size (L Ds) <= \sum_(q <- D) nodes q)%N.
  apply: leq_trans (sum_undup _ _); rewrite size_flatten /shape -map_comp sumnE big_map (perm_big _ (permEl (perm_sort _ _))) /=.
  by apply: leq_sum => q _; rewrite size_all_nodes /nodes sizeS.
have L_cover l q x : {subset l <= D} -> q \in l -> x \in q.1 -> covered b (L l) (pos q x) (assign (S q) (Y q) x).
  elim: l => //= q' l IH sub; have qD' : q' \in D by apply: sub; rewrite mem_head.
  rewrite inE => /orP[/eqP -> | ql] xq.
    by have [few some _] := ok q' qD'; apply: (nodes_cover b (up q' qD')) => //; rewrite memS.
  by apply: covered_catr; apply: IH => // q2 ql2; apply: sub; rewrite inE ql2 orbT.
have [gs [gw gn gc gid]] := placement ue w0 (descending_pairwise L_above (L_pairwise Ds Dsub pDs)) (L_plateaus Ds Dsub) L_values.
have lo0 : 0 <= kappa + lo by rewrite /lo subrr.
have [f [fs [fw fn fr]]] := series ue w0 Hr lo0.
pose pool := pool_sa M u e.
exists (map (@ff_block R d.+1) (belast f fs) ++ Block (Some (last f fs)) (Some pool) :: map (@ff_block R d.+1) gs).
have fE : f :: fs = rcons (belast f fs) (last f fs) by exact: lastI.
split.
- move: fw; rewrite fE all_rcons => /andP[lw fw]; rewrite all_cat /= !all_map.
  by apply/and3P; split; [exact: fw | exact: lw | exact: gw].
- elim: (belast f fs) => [|f' l IH] /=; last by split.
  by split; [left | elim: gs {gw gn gc gid} => //= g' l IH; split].
- rewrite size_cat /= !size_map size_belast -addSnnS leq_add //.
    by apply: leq_trans fn _; apply: ceil_le; rewrite -ltnS in Hs; apply: leq_trans Hs _; rewrite prednK // lt0n size_eq0.
  by apply: leq_trans gn _; exact: ceil_le.
move=> q qD; have [few some _] := ok q qD; have [q0 _ _] := D_ok qD.
have lifted : map (run_ffs (f :: fs)) q.1 = [seq (kappa + g x) *: e | x <- q.1].
  by apply/eq_in_map => x xq; rewrite fr ?gE // (lo_le q).
have meanE : inner u (mean [seq (kappa + g x) *: e | x <- q.1]) = kappa + mu q.
  have n0 := mean_neq0 q0; rewrite inner_mean size_map big_map muE /average size_map big_map.
  under eq_bigr do rewrite innerZr ue mulr1 gE.
  by rewrite big_split /= big_const_seq count_predT iter_addr_0 mulrDl -[kappa *+ _]mulr_natr mulfK.
have E : run (map (@ff_block R d.+1) (belast f fs) ++ Block (Some (last f fs)) (Some pool) :: map (@ff_block R d.+1) gs) q.1 =
    map (assign (S q) (Y q)) q.1.
  rewrite /run foldl_cat /= -!/(run _ _) !run_ff_blocks /apply_block /= -map_comp.
  have -> : [seq (apply_ff (last f fs) \o run_ffs (belast f fs)) x | x <- q.1] = map (run_ffs (f :: fs)) q.1.
    by apply: eq_map => x; rewrite fE /run_ffs foldl_rcons.
  rewrite lifted apply_pool_sa meanE -!map_comp; apply/eq_in_map => x xq /=.
  rewrite -scalerDl (_ : kappa + g x + M * (kappa + mu q) = pos q x); last by rewrite /pos; ring.
  by apply: gc; apply: L_cover; rewrite ?memDs.
move=> y; rewrite E -(mem_undup q.2) -/(Y q).
have Y0 : Y q != [::] by rewrite -size_eq0 -lt0n.
rewrite -(assign_onto (uS q) Y0 few).
by apply: eq_mem_map => x; rewrite memS.
Qed.

End Deep.

(** ** The theorem *)

Theorem deep (R : realFieldType) (d w : nat) (data : dataset R d.+1) : (0 < w)%N -> feasible data ->
  exists t : transformer R d.+1,
    [/\ all (narrow w) t,                                                       (* every layer has at most w units *)
        (size t <= ceil (size data) w + ceil (\sum_(q <- data) nodes q) w)%N,   (* N/w + K/w blocks, rounded up *)
        uniform t,                                                              (* attention has Q = 0 or K = 0 *)
        interpolates t data
      & forall phi : R -> R, phi 0 != 0 -> soft_interpolates phi t data].        (* softmax, every temperature *)
Proof.
move=> w0 [ok same]; have [D [sub inj rep sz wt]] := representatives data (@nodes R d).
have [D0 | D0] := eqVneq D [::].
  have none xs ys : (xs, ys) \in data -> False by move=> /rep[q]; rewrite D0.
  by exists [::]; split=> // [xs ys /none | phi _ xs ys /none].
have D_ok q : q \in D -> [/\ q.1 != [::], q.2 != [::] & (size (undup q.2) <= size (undup q.1))%N].
  by move/sub; case: q => xs ys; exact: ok.
have [t [tw tu tn run_D]] := deep_blocks w0 D_ok inj D0.
have I : interpolates t data.
  move=> xs ys xy y; have [[xs' ys'] qD m] := rep _ xy; have xy' := sub _ qD.
  have [x0 _ _] := ok _ _ xy; have [x0' _ _] := ok _ _ xy'.
  rewrite (never_separated _ x0 x0' m) (run_D _ qD); symmetry; exact: (same _ _ _ _ xy xy' m).
exists t; split=> // [|phi p0 xs ys xy y]; first by apply: leq_trans tn _; apply: leq_add; exact: ceil_le.
by rewrite soft_is_hard //; exact: I.
Qed.
