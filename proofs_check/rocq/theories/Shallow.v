(** The shallow theorem: feasible data are interpolated exactly by two blocks.

    Block 1 bends one coordinate with at most N - 1 hinges, so that all sequences have different means, and
    adds a multiple of the mean (uniform attention, Q = K = 0): the sequences then occupy disjoint intervals.  Block 2 is
    a piecewise-linear curve with one node per target, and one more for each sequence with tokens to spare. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From Exactformer Require Import Semantics Basics Measure Separation.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** Lists *)

Lemma same_measure_inj (T S : eqType) (f : T -> S) (s t : seq T) : {in s ++ t &, injective f} ->
  same_measure (map f s) (map f t) -> same_measure s t.
Proof.
move=> fi /same_measureP H; apply/allP => x xst; have := H (f x); rewrite !size_map !count_map.
have E r : {subset r <= s ++ t} -> count (preim f (pred1 (f x))) r = count_mem x r.
  by move=> rst; apply: eq_in_count => y yr /=; apply/eqP/eqP => [/fi -> // | -> //]; exact: rst.
by rewrite !E => [-> // | y yt | y ys]; rewrite mem_cat ?yt ?ys ?orbT.
Qed.

(** The i-th member of xs goes to the i-th of ys, and all further ones to the last. *)
Definition assign (T : eqType) (xs ys : seq T) (x : T) : T := nth (last x ys) ys (index x xs).

Lemma assign_onto (T : eqType) (xs ys : seq T) : uniq xs -> ys != [::] -> (size ys <= size xs)%N ->
  map (assign xs ys) xs =i ys.
Proof.
move=> ux y0 le y; apply/mapP/idP => [[x xs' ->] | yy].
  rewrite /assign; case: (ltnP (index x xs) (size ys)) => i; first exact: mem_nth.
  by rewrite nth_default //; case: ys y0 {le i} => // z ys _; exact: (mem_last z).
have iy : (index y ys < size ys)%N by rewrite index_mem.
pose x := nth y xs (index y ys); have ix := leq_trans iy le; exists x; first by rewrite mem_nth.
by rewrite /assign index_uniq // (set_nth_default y) // nth_index.
Qed.

(** From the last of ys on, the assignment is constant. *)
Lemma assign_late (T : eqType) (xs ys : seq T) x : ys != [::] -> ((size ys).-1 <= index x xs)%N ->
  assign xs ys x = last x ys.
Proof.
move=> y0 i; rewrite /assign; case: (ltnP (index x xs) (size ys)) => j; last by rewrite nth_default.
have -> : index x xs = (size ys).-1 by apply/eqP; rewrite eqn_leq i andbT -ltnS prednK // lt0n size_eq0.
by rewrite nth_last; case: ys y0 {i j}.
Qed.

(** One sequence of each measure. *)
Lemma representatives (T : eqType) (data : seq (seq T * seq T)) (weight : seq T * seq T -> nat) :
  exists D : seq (seq T * seq T),
    [/\ {subset D <= data}, {in D &, forall q q', same_measure q.1 q'.1 -> q = q'},
        forall q, q \in data -> exists2 q', q' \in D & same_measure q.1 q'.1,
        (size D <= size data)%N & (\sum_(q <- D) weight q <= \sum_(q <- data) weight q)%N].
Proof.
have sym (s t : seq T) : same_measure s t -> same_measure t s.
  by move=> /same_measureP H; apply/same_measureP => x; rewrite H.
elim: data => [|p data [D [sub inj rep sz wt]]]; first by exists [::]; split.
have [/hasP[q qD pq] | /hasPn no] := boolP (has (fun q => same_measure p.1 q.1) D).
  exists D; split=> //.
  - by move=> x /sub; rewrite inE orbC => ->.
  - by move=> x; rewrite inE => /orP[/eqP -> | /rep //]; exists q.
  - exact: leqW.
  - by rewrite big_cons; apply: leq_trans wt _; rewrite leq_addl.
exists (p :: D); split=> //=.
- by move=> x; rewrite !inE => /orP[-> // | /sub ->]; rewrite orbT.
- move=> x y; rewrite !inE => /orP[/eqP -> | xD] /orP[/eqP -> | yD] // H; last exact: inj.
    by move: (no y yD); rewrite H.
  by move: (no x xD); rewrite (sym _ _ H).
- move=> x; rewrite inE => /orP[/eqP -> | /rep[q qD xq]]; first by exists p; rewrite ?mem_head ?same_measure_refl.
  by exists q; rewrite // inE qD orbT.
- by rewrite !big_cons leq_add2l.
Qed.

Section Shallow.

Variables (R : realFieldType) (d : nat).
Notation token := 'cV[R]_d.+1.

(** ** The two kinds of layers *)

(** Units that see the token through u.x only. *)
Definition ridge_ff (eta : R) (u : token) (l : seq (R * R * token)) : feed_forward R d.+1 :=
  let h i := nth (0, 0, 0) l i in
  @FeedForward R d.+1 (size l) eta (\matrix_(i, j) ((h i).1.1 * u j 0)) (\col_i (h i).1.2) (\matrix_(j, i) (h i).2 j 0).

Lemma apply_ridge_ff eta u l x : apply_ff (ridge_ff eta u l) x = eta *: x + hinge_sum l (inner u x).
Proof.
rewrite /apply_ff /=; congr (_ + _); rewrite /hinge_sum (big_nth (0, 0, 0)) big_mkord.
apply/colP => j; rewrite mxE summxE; apply: eq_bigr => i _; rewrite !mxE mulrC; congr (Num.max 0 (_ + _) * _).
by rewrite /inner mulr_sumr; apply: eq_bigr => k _; rewrite !mxE mulrA.
Qed.

(** Everything ties with everything: mean pooling. *)
Definition pool_sa (M : R) (u e : token) : self_attention R d.+1 :=
  @SelfAttention R d.+1 1 1 (M *: (e *m u^T)) 0 0.

Lemma outer_mul (u e x : token) : (e *m u^T) *m x = inner u x *: e.
Proof.
rewrite -mulmxA; apply/colP => i; rewrite !mxE big_ord_recl big_ord0 addr0 mulrC; congr (_ * _).
by rewrite mxE; apply: eq_bigr => k _; rewrite !mxE.
Qed.

Lemma apply_pool_sa M u e s : apply_sa (pool_sa M u e) s = [seq x + (M * inner u (mean s)) *: e | x <- s].
Proof.
apply: eq_map => x /=; rewrite scale1r; congr (_ + _).
have -> : followed (pool_sa M u e) s x = s by apply: argmax_const => y z; rewrite /= !mul0mx !inner0l.
by rewrite -scalemxAl outer_mul scalerA.
Qed.

Lemma inner_mean (u : token) (s : seq token) : inner u (mean s) = (\sum_(x <- s) inner u x) / (size s)%:R.
Proof. by rewrite /mean innerZr inner_sumr mulrC. Qed.

(** ** One direction separates all tokens *)

Lemma direction (T : seq token) : exists u e : token, inner u e = 1 /\ {in T &, injective (inner u)}.
Proof.
pose e0 : token := const_mx 1.
pose pairs := [seq (x, y) | x <- T, y <- T].
have [v | u uP] := @generic_direction R d.+1 (e0 :: [seq p.1 - p.2 | p <- pairs & p.1 != p.2]).
  rewrite inE => /orP[/eqP -> | /mapP[p]].
    by apply/eqP => /matrixP/(_ 0 0)/eqP; rewrite !mxE oner_eq0.
  by rewrite mem_filter => /andP[pp _] ->; rewrite subr_eq0.
have u0 := uP e0 (mem_head _ _).
exists u, ((inner u e0)^-1 *: e0); split; first by rewrite innerZr mulVf.
move=> x y xT yT E; apply/eqP; apply: contraT => xy.
have : inner u (x - y) != 0; last by rewrite innerBr E subrr eqxx.
apply: uP; rewrite inE; apply/orP; right; apply/mapP; exists (x, y) => //.
by rewrite mem_filter xy; apply/allpairsP; exists (x, y).
Qed.

(** ** Sequences of pairwise different measures *)

Section Distinct.

Variable D : seq (seq token * seq token).
Hypothesis D_ok : forall q, q \in D -> [/\ q.1 != [::], q.2 != [::] & (size (undup q.2) <= size (undup q.1))%N].
Hypothesis D_inj : {in D &, forall q q', same_measure q.1 q'.1 -> q = q'}.

(** Nodes of the curve for a sequence with n distinct tokens and m targets: m, and one more if m < n. *)
Definition nodes (q : seq token * seq token) : nat :=
  (size (undup q.2) + (size (undup q.2) < size (undup q.1)))%N.

(** A direction u, hinges H and a multiple M of the mean: the sequences occupy disjoint intervals, in the order of their
    means.  g(x) is the coordinate of a token after the hinges, mu(q) the mean of sequence q. *)
Record separated (u e : token) (H : seq (R * R)) (M : R) (g : token -> R) (mu : seq token * seq token -> R) : Prop := Separated {
  along : inner u e = 1;
  hinges_rise : rising H;
  few_hinges : (size H <= (size D).-1)%N;
  multiple_gt0 : 0 < M;
  bentE : forall x, g x = bent H (inner u x);
  averageE : forall q, mu q = average (bent H) (map (inner u) q.1);
  means_differ : forall q q', q \in D -> q' \in D -> mu q = mu q' -> q = q';
  tokens_differ : forall q q' x x', q \in D -> q' \in D -> x \in q.1 -> x' \in q'.1 -> g x = g x' -> x = x';
  disjoint : forall q q' x x', q \in D -> q' \in D -> x \in q.1 -> x' \in q'.1 -> mu q < mu q' ->
    g x + M * mu q < g x' + M * mu q'
}.

Lemma separation : exists u e H M g mu, separated u e H M g mu.
Proof.
pose T : seq token := flatten [seq q.1 | q <- D].
have mem_T (q : seq token * seq token) (x : token) : q \in D -> x \in q.1 -> x \in T.
  move=> qD xq; rewrite /T; elim: (D) qD => //= p D' IH.
  by rewrite inE mem_cat => /orP[/eqP <- | /IH ->]; rewrite ?xq ?orbT.
have [u [e [ue ui]]] := direction T.
pose coords (q : seq token * seq token) := map (inner u) q.1.
have coords_inj q q' : q \in D -> q' \in D -> same_measure (coords q) (coords q') -> q = q'.
  move=> qD qD' /same_measure_inj H; apply: D_inj => //; apply: H => x y.
  rewrite !mem_cat => xq yq; apply: ui.
    by case/orP: xq => [xq | xq]; [exact: mem_T xq | exact: (mem_T q')].
  by case/orP: yq => [yq | yq]; [exact: mem_T yq | exact: (mem_T q')].
have [||H [Hr Hs Hi]] := @hinges_separate R (map coords D).
- by move=> _ /mapP[q /D_ok[q0 _ _] ->]; rewrite /coords; case: (q.1) q0.
- by move=> _ _ /mapP[q qD ->] /mapP[q' qD' ->] /coords_inj ->.
rewrite size_map in Hs.
pose g x := bent H (inner u x); pose mu q := average (bent H) (coords q).
pose A := [seq (q, x) | q <- D, x <- q.1].
have AI q x : q \in D -> x \in q.1 -> (q, x) \in A by move=> qD xq; apply/allpairsPdep; exists q, x.
(* so large a multiple of the mean that the sequences occupy disjoint intervals *)
have [M Ml] := above (0 :: [seq (g pp.1.2 - g pp.2.2) / (mu pp.2.1 - mu pp.1.1) | pp <- [seq (p, p') | p <- A, p' <- A]]).
exists u, e, H, M, g, mu; split=> //.
- by apply: Ml; rewrite mem_head.
- move=> q q' qD qD' m; apply: coords_inj => //; rewrite (Hi (coords q) (coords q')) ?map_f //; exact: same_measure_refl.
- by move=> q q' x x' qD qD' xq xq' /(bent_inj Hr); apply: ui; [exact: mem_T xq | exact: mem_T xq'].
move=> q q' x x' qD qD' xq xq' m; have m0 : 0 < mu q' - mu q by rewrite subr_gt0.
have : (g x - g x') / (mu q' - mu q) < M.
  by apply: Ml; rewrite inE; apply/orP; right; apply/mapP; exists ((q, x), (q', x')) => //; apply: allpairs_f; exact: AI.
by rewrite ltr_pdivr_mulr // mulrBr ltr_subr_addr addrAC ltr_subl_addr [M * _ + g x']addrC.
Qed.

Lemma two_blocks : exists (f1 f2 : feed_forward R d.+1) (a : self_attention R d.+1),
  [/\ (width f1 <= (size D).-1)%N, (width f2 <= \sum_(q <- D) nodes q)%N, sa_Q a = 0
    & forall q, q \in D -> run [:: Block (Some f1) (Some a); Block (Some f2) None] q.1 =i q.2].
Proof.
have [u [e [H [M [g [mu [ue Hr Hs M0 gE muE mu_inj g_inj z_lt']]]]]]] := separation.
(* the distinct tokens of a sequence, in the order of the coordinate *)
pose S (q : seq token * seq token) : seq token := sort (fun x y => g x <= g y) (undup q.1).
pose Y (q : seq token * seq token) : seq token := undup q.2.
have memS q x : (x \in S q) = (x \in q.1) by rewrite mem_sort mem_undup.
have uS q : uniq (S q) by rewrite sort_uniq undup_uniq.
have sizeS q : size (S q) = size (undup q.1) by rewrite size_sort.
have Sle q i j : (i <= j)%N -> (j < size (S q))%N -> g (nth 0 (S q) i) <= g (nth 0 (S q) j).
  move=> ij jS; have iS := leq_ltn_trans ij jS.
  have tr : transitive (fun x y : token => g x <= g y) by move=> y x z; exact: le_trans.
  have sS : sorted (fun x y => g x <= g y) (S q) by apply: sort_sorted => x y; exact: le_total.
  exact: (sorted_leq_nth tr (fun x => lexx (g x)) 0 sS).
pose A := [seq (q, x) | q <- D, x <- S q].
have AP p : p \in A -> p.1 \in D /\ p.2 \in p.1.1.
  by case/allpairsPdep => q [x [qD xq ->]]; rewrite memS in xq.
have AI q x : q \in D -> x \in q.1 -> (q, x) \in A by move=> qD xq; apply/allpairsPdep; exists q, x; rewrite memS.
pose z p := g p.2 + M * mu p.1.
have z_lt p p' : p \in A -> p' \in A -> mu p.1 < mu p'.1 -> z p < z p'.
  by move=> /AP[pD px] /AP[pD' px']; exact: z_lt'.
have z_inj : {in A &, injective z}.
  move=> p p' pA pA' E; have [[pD px] [pD' px']] := (AP p pA, AP p' pA').
  have E1 : p.1 = p'.1.
    apply: mu_inj => //; case: (ltgtP (mu p.1) (mu p'.1)) => // m.
      by have := z_lt _ _ pA pA' m; rewrite E ltxx.
    by have := z_lt _ _ pA' pA m; rewrite E ltxx.
  have E2 : p.2 = p'.2.
    by apply: (g_inj p.1 p'.1) => //; apply: (addIr (M * mu p.1)); rewrite -/(z p) E /z E1.
  by rewrite (surjective_pairing p) E1 E2 -surjective_pairing.
pose v t := let p := nth (([::], [::]), 0) A (find (fun p => z p == t) A) in assign (S p.1) (Y p.1) p.2.
have vE q x : q \in D -> x \in q.1 -> v (z (q, x)) = assign (S q) (Y q) x.
  move=> qD xq; have pA := AI q x qD xq.
  have hp : has (fun p' => z p' == z (q, x)) A by apply/hasP; exists (q, x).
  rewrite /v; have /eqP := nth_find (([::], [::]), 0) hp.
  by move/z_inj => -> //; apply: mem_nth; rewrite -has_find.
(* the nodes of one sequence: its first m tokens and, if there are more, its last *)
pose N (q : seq token * seq token) : seq token :=
  take (size (Y q)) (S q) ++ (if (size (Y q) < size (S q))%N then [:: last 0 (S q)] else [::]).
have NS q x : q \in D -> x \in N q -> x \in q.1.
  move=> /D_ok[q0 _ _]; rewrite mem_cat -memS => /orP[/mem_take // | ]; case: ifP => // l; rewrite inE => /eqP ->.
  by case: (S q) l => // y s _; exact: (mem_last y).
pose Z := [seq z (q, x) | q <- D, x <- N q].
have ZP t : t \in Z -> exists q x, [/\ q \in D, x \in N q & t = z (q, x)].
  by case/allpairsPdep => q [x [qD xq ->]]; exists q, x.
have [l [ls lv lf]] := interpolate Z v.
pose l1 : seq (R * R * token) := [seq (1, - h.1, h.2 *: e) | h <- H].
exists (ridge_ff 1 u l1), (ridge_ff 0 u l), (pool_sa M u e); split=> //.
- by rewrite /= size_map.
- rewrite /=; apply: leq_trans ls _; rewrite size_allpairs_dep sumnE big_map big_seq [X in (_ <= X)%N]big_seq.
  apply: leq_sum => q qD; rewrite size_cat /nodes -sizeS -/(Y q) size_take; have [_ _ le] := D_ok qD.
  by rewrite -sizeS -/(Y q) in le; case: ltngtP le => //= -> _; rewrite addn0.
move=> q qD; have [q0 y0 le] := D_ok qD.
have Y0 : Y q != [::].
  by rewrite /Y; case: (q.2) y0 => // y s _; apply/eqP => E; have := mem_undup (y :: s) y; rewrite E mem_head.
rewrite -sizeS -/(Y q) in le.
have m0 : (0 < size (Y q))%N by rewrite lt0n size_eq0.
(* the curve takes the assigned value at every token *)
have curve x : x \in q.1 -> hinge_sum l (z (q, x)) = assign (S q) (Y q) x.
  move=> xq; have xS : x \in S q by rewrite memS.
  have ix : (index x (S q) < size (S q))%N by rewrite index_mem.
  have node i : (i < size (S q))%N -> nth 0 (S q) i \in N q -> z (q, nth 0 (S q) i) \in Z.
    by move=> iS iN; apply/allpairsPdep; exists q, (nth 0 (S q) i).
  case: (ltnP (index x (S q)) (size (Y q))) => im.
    rewrite lv ?vE //; apply/allpairsPdep; exists q, x; split=> //.
    by rewrite mem_cat; apply/orP; left; rewrite -(nth_index 0 xS) -(nth_take 0 im) mem_nth // size_take; case: ifP.
  have mS : (size (Y q) < size (S q))%N := leq_ltn_trans im ix.
  pose i := (size (Y q)).-1; pose j := (size (S q)).-1.
  have jS : (j < size (S q))%N by rewrite /j prednK //; exact: leq_trans mS.
  have iS : (i < size (S q))%N by rewrite /i prednK // ltnW.
  have iY : (i < size (Y q))%N by rewrite /i prednK.
  have iN : nth 0 (S q) i \in N q.
    by rewrite mem_cat -(nth_take 0 iY) mem_nth // size_take mS.
  have jN : nth 0 (S q) j \in N q by rewrite mem_cat mS /j nth_last inE eqxx orbT.
  have zle a c : (a <= c)%N -> (c < size (S q))%N -> z (q, nth 0 (S q) a) <= z (q, nth 0 (S q) c).
    by move=> ac cS; rewrite /z /= ler_add2r Sle.
  have late a : (i <= a)%N -> (a < size (S q))%N -> v (z (q, nth 0 (S q) a)) = last 0 (Y q).
    move=> ia aS; rewrite vE ?assign_late ?index_uniq //; last by rewrite -memS mem_nth.
    by case: (Y q) Y0.
  have -> : assign (S q) (Y q) x = v (z (q, nth 0 (S q) i)).
    rewrite late // assign_late //; first by case: (Y q) Y0.
    exact: leq_trans (leq_pred _) im.
  have ij : (i <= j)%N by rewrite /i /j -!subn1 leq_sub2r // ltnW.
  apply: (lf _ (z (q, nth 0 (S q) j))); rewrite ?node ?late //.
    have ij' : (i <= index x (S q))%N := leq_trans (leq_pred _) im.
    have xj : (index x (S q) <= j)%N by rewrite /j -ltnS prednK //; exact: leq_trans mS.
    by have := zle _ _ ij' ix; have := zle _ _ xj jS; rewrite nth_index // => -> ->.
  move=> _ /ZP[q' [x' [qD' xN' ->]]]; have [pA pA'] := (AI q' x' qD' (NS _ _ qD' xN'), AI q x qD xq).
  have [qq | qq] := eqVneq q' q.
    rewrite qq in xN' *; move: xN'; rewrite mem_cat mS inE => /orP[/(nthP 0)[k] | /eqP ->].
      rewrite size_take mS => km <-; rewrite nth_take // negb_and -!leNgt zle //.
      by rewrite /i -ltnS prednK.
    by rewrite -nth_last -/j ltxx andbF.
  have nmu : mu q' != mu q by apply: contra qq => /eqP/mu_inj ->.
  have tokA k : (k < size (S q))%N -> (q, nth 0 (S q) k) \in A by move=> kS; apply: AI; rewrite // -memS mem_nth.
  rewrite negb_and -!leNgt; case: (ltgtP (mu q') (mu q)) nmu => // m _.
    by rewrite (ltW (z_lt _ _ pA (tokA i iS) m)).
  by rewrite (ltW (z_lt _ _ (tokA j jS) pA m)) orbT.
have ff1 x : inner u (apply_ff (ridge_ff 1 u l1) x) = g x.
  rewrite apply_ridge_ff scale1r innerDr gE /bent /hinge_sum big_map inner_sumr; congr (_ + _).
  by apply: eq_bigr => h _; rewrite /= !innerZr ue mulr1 mul1r mulrC.
have E : run [:: Block (Some (ridge_ff 1 u l1)) (Some (pool_sa M u e)); Block (Some (ridge_ff 0 u l)) None] q.1 =
         map (assign (S q) (Y q)) q.1.
  rewrite /run /= /apply_block /= apply_pool_sa -!map_comp; apply/eq_in_map => x xq /=.
  rewrite apply_ridge_ff scale0r add0r innerDr innerZr ue mulr1 ff1 inner_mean size_map big_map -curve //.
  congr (hinge_sum l (_ + _ * _)); rewrite muE /average size_map big_map /=; congr (_ / _).
  by apply: eq_bigr => j _; rewrite ff1 gE.
move=> y; rewrite E -(mem_undup q.2) -/(Y q) -(assign_onto (uS q) Y0 le).
by apply: eq_mem_map => x; rewrite memS.
Qed.

End Distinct.

(** ** The theorem *)

Theorem shallow (data : dataset R d.+1) : feasible data ->
  exists (f1 f2 : feed_forward R d.+1) (a : self_attention R d.+1),
    [/\ (width f1 <= (size data).-1)%N,
        (width f2 <= \sum_(q <- data) nodes q)%N,
        sa_Q a = 0
      & interpolates [:: Block (Some f1) (Some a); Block (Some f2) None] data].
Proof.
move=> [ok same]; have [D [sub inj rep sz wt]] := representatives data nodes.
have D_ok q : q \in D -> [/\ q.1 != [::], q.2 != [::] & (size (undup q.2) <= size (undup q.1))%N].
  by move/sub; case: q => xs ys; exact: ok.
have [f1 [f2 [a [w1 w2 aQ run_D]]]] := two_blocks D_ok inj.
exists f1, f2, a; split=> //.
- by apply: leq_trans w1 _; case: (size D) sz => // n; case: (size data).
- exact: leq_trans w2 wt.
move=> xs ys xy y; have [[xs' ys'] qD m] := rep _ xy; have xy' := sub _ qD.
have [x0 _ _] := ok _ _ xy; have [x0' _ _] := ok _ _ xy'.
rewrite (never_separated _ x0 x0' m) (run_D _ qD); symmetry; exact: (same _ _ _ _ xy xy' m).
Qed.

(** In particular where all measures are different: the target sets may be anything of the right size. *)
Corollary shallow_distinct (data : dataset R d.+1) :
  (forall xs ys, (xs, ys) \in data -> [/\ xs != [::], ys != [::] & (size (undup ys) <= size (undup xs))%N]) ->
  {in data &, forall q q', same_measure q.1 q'.1 -> q = q'} ->
  exists c1 c2 : block R d.+1, interpolates [:: c1; c2] data.
Proof.
move=> ok inj; have [|f1 [f2 [a [_ _ _ H]]]] := @shallow data; last by do 2![eexists]; exact: H.
by split=> // xs ys xs' ys' xy xy' m; have [_ ->] := inj _ _ xy xy' m.
Qed.

(** A data set of nonempty sequences is interpolated by some hardmax transformer if and only if it is feasible. *)
Theorem interpolation_iff_feasible (data : dataset R d.+1) :
  (forall xs ys, (xs, ys) \in data -> xs != [::]) ->
  (exists t, interpolates t data) <-> feasible data.
Proof.
move=> ne; split=> [[t] | /shallow[f1 [f2 [a [_ _ _ H]]]]]; first exact: feasible_is_necessary.
by exists [:: Block (Some f1) (Some a); Block (Some f2) None].
Qed.

End Shallow.
