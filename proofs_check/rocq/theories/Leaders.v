(** The leaders theorem: attention of rank one lets every token follow the leader of its sequence.

    A hinge folds the axis at a token c, so that c leads where it occurs; shifting every sequence by a multiple of its
    leader makes sequences with different leaders disjoint; when all leaders differ, every sequence collapses onto its
    own, and the points that remain are placed on their targets ([Placement]).  Multiplicities play no role. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From Exactformer Require Import Semantics Basics Measure Separation Shallow Placement Deep RankOne.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** A finer labelling has more labels *)

Lemma finer (T S : eqType) (I : seq T) (G L : T -> S) (i j : T) :
  {in I &, forall i j, L i = L j -> G i = G j} -> i \in I -> j \in I -> G i = G j -> L i != L j ->
  (size (undup (map G I)) < size (undup (map L I)))%N.
Proof.
move=> ref iI jI Gij Lij; pose h l := G (nth i I (find (fun k => L k == l) I)).
have hE k : k \in I -> h (L k) = G k.
  move=> kI; have hk : has (fun k' => L k' == L k) I by apply/hasP; exists k.
  by apply: ref => //; [rewrite mem_nth // -has_find | exact/eqP/(nth_find i hk)].
pose l := [seq x <- undup (map L I) | x != L j].
have lt : (size l < size (undup (map L I)))%N.
  rewrite size_filter -(count_predC (fun x => x != L j)) -addn1 leq_add2l -has_count; apply/hasP.
  by exists (L j); rewrite ?mem_undup ?map_f //= eqxx.
apply: leq_ltn_trans lt; rewrite -(size_map h l); apply: uniq_leq_size; first exact: undup_uniq.
move=> x; rewrite mem_undup => /mapP[k kI ->]; have [Lk | Lk] := eqVneq (L k) (L j).
  by rewrite (ref _ _ kI jI Lk) -Gij -hE // map_f // mem_filter Lij mem_undup map_f.
by rewrite -hE // map_f // mem_filter Lk mem_undup map_f.
Qed.

Lemma as_many_labels (T S : eqType) (I : seq T) (L : T -> S) : (size I <= size (undup (map L I)))%N -> {in I &, injective L}.
Proof.
move=> le i j iI jI Lij; apply/eqP; apply: contraLR le => ij; rewrite -ltnNge.
have lt : (size (map L (rem j I)) < size I)%N by rewrite size_map size_rem // prednK //; case: (I) jI.
apply: leq_ltn_trans lt; apply: uniq_leq_size; first exact: undup_uniq.
have mem k : k \in I -> k != j -> k \in rem j I.
  by move=> kI kj; move: kI; rewrite (perm_mem (perm_to_rem jI)) inE (negbTE kj).
move=> x; rewrite mem_undup => /mapP[k kI ->]; have [-> | kj] := eqVneq k j; last by rewrite map_f ?mem.
by rewrite -Lij map_f ?mem.
Qed.

(** ** Folding the axis at c *)

Section Fold.

Variable R : realFieldType.
Implicit Types (c kappa A p : R) (P : seq R).

Definition fold kappa A c p : R := kappa + p - A * relu1 (p - c).

Lemma fold_exists c P : exists A, forall kappa,
  (forall p, p \in P -> p != c -> fold kappa A c p < fold kappa A c c) /\ {in P &, injective (fold kappa A c)}.
Proof.
have [A AP] := above (1 :: [seq (q - p) / (q - c) | p <- P, q <- P]); exists A => kappa.
have A1 : 1 < A by apply: AP; rewrite mem_head.
have lo p : p <= c -> fold kappa A c p = kappa + p by move=> pc; rewrite /fold relu1_le0 ?subr_le0 // mulr0 subr0.
have hi p : c < p -> fold kappa A c p = kappa + c - (A - 1) * (p - c).
  by move=> cp; rewrite /fold relu1_ge0 ?subr_ge0 ?(ltW cp) //; ring.
have cross p q : p \in P -> q \in P -> p <= c -> c < q -> fold kappa A c q < fold kappa A c p.
  move=> pP qP pc cq; rewrite (lo p) // (hi q) // -addrA ltr_add2l ltr_subl_addl.
  have q0 : 0 < q - c by rewrite subr_gt0.
  have : (q - p) / (q - c) < A by apply: AP; rewrite inE; apply/orP; right; apply/allpairsP; exists (p, q).
  rewrite ltr_pdivr_mulr // => H; rewrite -subr_gt0 in H; rewrite -subr_gt0.
  by rewrite (_ : (A - 1) * (q - c) + p - c = A * (q - c) - (q - p)) //; ring.
split=> [p pP pc | p q pP qP].
  rewrite (lo c) //; case: (ltgtP p c) pc => // pc _; first by rewrite lo ?(ltW pc) // ltr_add2l.
  by rewrite hi // gtr_addl oppr_lt0 mulr_gt0 // subr_gt0.
case: (leP p c) => pc; case: (leP q c) => qc.
- by rewrite !lo // => /addrI.
- by move=> E; have := cross p q pP qP pc qc; rewrite E ltxx.
- by move=> E; have := cross q p qP pP qc pc; rewrite E ltxx.
- rewrite !hi // => /addrI/oppr_inj E; have A0 : A - 1 != 0 by rewrite subr_eq0 gt_eqF.
  by move/(mulfI A0)/addIr: E.
Qed.

Lemma shift_exists (Q : seq (R * R)) : exists M, {in Q &, injective (fun z : R * R => z.1 + M * z.2)}.
Proof.
have [M _ MP] := avoid [seq - (z.1 - z'.1) / (z.2 - z'.2) | z <- Q, z' <- Q]; exists M => z z' zQ z'Q /eqP.
rewrite -subr_eq0 (_ : _ - _ = (z.1 - z'.1) + M * (z.2 - z'.2)); last by ring.
move=> E; apply/eqP; apply: contraLR E => zz; apply: (avoid_root MP).
  by apply/allpairsP; exists (z, z').
rewrite !subr_eq0 -negb_and; apply: contra zz => /andP[/eqP e1 /eqP e2]; apply/eqP.
by case: z z' e1 e2 {zQ z'Q} => [a b] [a' b'] /= -> ->.
Qed.

End Fold.

(** ** Separating the leaders *)

(** Attention of rank one, Q = K = u', or none. *)
Definition rank_one (R : realFieldType) (d : nat) (u : 'cV[R]_d) (c : block R d) : Prop :=
  if block_sa c is Some a then exists rho V, a = follow u rho V else True.

Fixpoint all_rank_one (R : realFieldType) (d : nat) (u : 'cV[R]_d) (t : transformer R d) : Prop :=
  if t is c :: t' then rank_one u c /\ all_rank_one u t' else True.

Section Separate.

Variables (R : realFieldType) (d : nat) (u e : 'cV[R]_d.+1).
Hypothesis ue : inner u e = 1.
Notation token := 'cV[R]_d.+1.
Notation coords s := (map (inner u) s).

Definition fold_ff kappa A c : feed_forward R d.+1 := ridge_ff 0 u [:: (1, kappa, e); (1, - c, - A *: e)].

Lemma apply_fold kappa A c x : 0 < kappa + inner u x -> apply_ff (fold_ff kappa A c) x = fold kappa A c (inner u x) *: e.
Proof.
move=> x0; rewrite apply_ridge_ff scale0r add0r /hinge_sum big_cons big_seq1 /= !mul1r [inner u x + kappa]addrC.
by rewrite relu1_ge0 ?(ltW x0) // scalerA -scalerDl /fold mulrN [relu1 _ * A]mulrC.
Qed.

Definition fold_block kappa A c rho M : block R d.+1 :=
  Block (Some (fold_ff kappa A c)) (Some (follow u rho (M *: (e *m u^T)))).

(** The leader of a folded sequence. *)
Definition top kappa A c (s : seq token) : R := lead u [seq fold kappa A c (inner u x) *: e | x <- s].

Lemma topP kappa A c (s : seq token) : s != [::] -> exists2 p, p \in coords s & top kappa A c s = fold kappa A c p /\
  forall q, q \in coords s -> fold kappa A c q <= fold kappa A c p.
Proof.
move=> s0; have f0 : [seq fold kappa A c (inner u x) *: e | x <- s] != [::] by case: (s) s0.
have [[y /mapP[x xs ->] Ex] H] := leadP u f0; exists (inner u x); first exact: map_f.
rewrite innerZr ue mulr1 in Ex; split=> // q /mapP[z zs ->].
have := H (fold kappa A c (inner u z) *: e); rewrite innerZr ue mulr1 -Ex; apply.
by apply/mapP; exists z.
Qed.

Lemma top_set kappa A c (s s' : seq token) : s =i s' -> s != [::] -> top kappa A c s = top kappa A c s'.
Proof. by move=> ss s0; apply: lead_set; [exact: eq_mem_map | case: (s) s0]. Qed.

Lemma apply_fold_block kappa A c rho M s :
  (forall x, x \in s -> 0 < kappa + inner u x) -> (forall x, x \in s -> 0 < fold kappa A c (inner u x)) ->
  apply_block (fold_block kappa A c rho M) s =
    [seq (rho * fold kappa A c (inner u x) + M * top kappa A c s) *: e | x <- s].
Proof.
move=> k0 f0; rewrite /apply_block /=.
have -> : [seq apply_ff (fold_ff kappa A c) i | i <- s] = [seq fold kappa A c (inner u x) *: e | x <- s].
  by apply/eq_in_map => x xs; rewrite apply_fold // k0.
rewrite apply_follow => [|y /mapP[x xs ->]]; last by rewrite innerZr ue mulr1 f0.
by rewrite -map_comp; apply: eq_map => x /=; rewrite scalerA -scalerDl.
Qed.

(** A fold whose leaders tell apart what G tells apart, and more if G does not tell all apart. *)
Lemma fold_step (T : eqType) (I : seq T) (b : R) (s : T -> seq token) (G : T -> R) :
  (forall i, i \in I -> s i != [::]) -> {in I &, forall i j, coords (s i) =i coords (s j) -> i = j} ->
  {in I &, forall i j p, p \in coords (s i) -> p \in coords (s j) -> G i = G j} ->
  exists kappa A c, let L i := top kappa A c (s i) in
    [/\ forall i x, i \in I -> x \in s i ->
          [/\ 0 < kappa + inner u x, 0 < fold kappa A c (inner u x) & b < fold kappa A c (inner u x)],
        {in I &, forall i j, {in coords (s i) & coords (s j), forall p q, fold kappa A c p = fold kappa A c q -> p = q}}
      & {in I &, injective L} \/ (size (undup (map G I)) < size (undup (map L I)))%N].
Proof.
move=> s0 diff disj; pose P := flatten [seq coords (s i) | i <- I].
have inP i p : i \in I -> p \in coords (s i) -> p \in P by move=> iI ps; apply/flatten_mapP; exists i.
have [c cP] : exists c, {in I &, injective G} \/
    exists i j, [/\ i \in I, j \in I, G i = G j, c \in coords (s i) & c \notin coords (s j)].
  have [/allP H | /allPn[i iI /allPn[j jI]]] := boolP (all (fun i => all (fun j => (G i == G j) ==> (i == j)) I) I).
    by exists 0; left => i j iI jI /eqP; move/allP: (H i iI) => /(_ j jI)/implyP H' /H'/eqP.
  rewrite negb_imply => /andP[/eqP Gij ij].
  pose agree p := (p \in coords (s i)) == (p \in coords (s j)).
  have [/allP E | /allPn[c _ cij]] := boolP (all agree (coords (s i) ++ coords (s j))).
    case/eqP: ij; apply: diff => // p; case: (boolP (p \in coords (s i) ++ coords (s j))) => [/E/eqP // | ].
    by rewrite mem_cat negb_or => /andP[/negbTE -> /negbTE ->].
  exists c; right; move: cij; rewrite /agree; case: (boolP (c \in coords (s i))) => ci cj; [exists i, j | exists j, i]; split=> //.
  by move: cj; case: (c \in coords (s j)).
have [A AP] := fold_exists c P.
have [kappa kP] := above ([seq - p | p <- P] ++ [seq - fold 0 A c p | p <- P] ++ [seq b - fold 0 A c p | p <- P]).
have foldE p : fold kappa A c p = kappa + fold 0 A c p by rewrite /fold add0r addrA.
have [low inj] := AP kappa; exists kappa, A, c => L.
have ref : {in I &, forall i j, L i = L j -> G i = G j}.
  move=> i j iI jI; have [p pi [Lp _]] := topP kappa A c (s0 i iI); have [q qj [Lq _]] := topP kappa A c (s0 j jI).
  rewrite /L Lp Lq => /inj pq; apply: (disj i j iI jI p) => //.
  by rewrite pq //; [exact: (inP i) | exact: (inP j)].
split.
- move=> i x iI xs; have xP : inner u x \in P by apply: (inP i) => //; exact: map_f.
  split; rewrite ?foldE -ltr_subl_addr ?sub0r; apply: kP; rewrite !mem_cat.
  + by rewrite (map_f -%R).
  + by rewrite (map_f (fun p => - fold 0 A c p)) ?orbT.
  + by rewrite (map_f (fun p => b - fold 0 A c p)) ?orbT.
- by move=> i j iI jI p q pi qj; apply: inj; [apply: (inP i) | apply: (inP j)].
case: cP => [Gi | [i [j [iI jI Gij ci cj]]]]; [left | right].
  by move=> i j iI jI /(ref i j iI jI)/Gi; exact.
apply: (finer ref iI jI Gij); rewrite /L.
have [p pi [-> Hp]] := topP kappa A c (s0 i iI); have [q qj [-> _]] := topP kappa A c (s0 j jI).
have pc : p = c.
  by apply/eqP; apply: contraT => /(low p (inP i p iI pi)); rewrite ltNge Hp.
by rewrite pc gt_eqF // low ?(inP j) //; apply: contraNneq cj => <-.
Qed.

(** If G tells apart the sequences that have no token in common, and at most n + 1 more labels are needed, n + 1
    blocks of width two collapse every sequence onto a point of its own, above b. *)
Lemma separate (T : eqType) (I : seq T) (b : R) n (s : T -> seq token) (G : T -> R) :
  uniq I -> (forall i, i \in I -> s i != [::]) -> {in I &, forall i j, coords (s i) =i coords (s j) -> i = j} ->
  {in I &, forall i j p, p \in coords (s i) -> p \in coords (s j) -> G i = G j} ->
  (size I <= size (undup (map G I)) + n.+1)%N ->
  exists t L, [/\ (size t <= n.+1)%N, all (narrow 2) t, all_rank_one u t, {in I &, injective L}
    & forall i s', i \in I -> s' =i s i -> b < L i /\ run t s' = [seq L i *: e | _ <- s']].
Proof.
move=> uI; have [k] := ubnP n; elim: k n s G => // k IH n s G nk s0 diff disj few.
have [kappa [A [c]]] := fold_step b s0 diff disj; set L := fun i => top kappa A c (s i); move=> [/= pos inj more].
have rankB rho M : rank_one u (fold_block kappa A c rho M) by exists rho, (M *: (e *m u^T)).
have blockE rho M i s' : i \in I -> s' =i s i -> apply_block (fold_block kappa A c rho M) s' =
    [seq (rho * fold kappa A c (inner u x) + M * L i) *: e | x <- s'].
  move=> iI ss; rewrite apply_fold_block => [|x|x]; rewrite ?ss; try by case/(pos i x iI).
  by rewrite -(@top_set kappa A c (s i) s') ?s0 // => x; rewrite ss.
have collapse : {in I &, injective L} -> exists t L, [/\ (size t <= n.+1)%N, all (narrow 2) t, all_rank_one u t,
    {in I &, injective L} & forall i s', i \in I -> s' =i s i -> b < L i /\ run t s' = [seq L i *: e | _ <- s']].
  move=> Li; exists [:: fold_block kappa A c 0 1], L; split=> //= i s' iI ss; rewrite (blockE _ _ i) //; split.
    by rewrite /L; have [p /mapP[x xs ->] [-> _]] := topP kappa A c (s0 i iI); have [] := pos i x iI xs.
  by apply: eq_map => x; rewrite mul0r add0r mul1r.
case: more => [/collapse // | more].
case: n nk few collapse => [|n] nk few collapse.
  by apply: collapse; apply: as_many_labels; rewrite addn1 in few; exact: leq_trans few more.
pose Q := [seq (fold kappa A c p, L i) | i <- I, p <- coords (s i)].
have [M MP] := shift_exists Q.
pose s' i := [seq (1 * fold kappa A c (inner u x) + M * L i) *: e | x <- s i].
have coordsE i : coords (s' i) = [seq fold kappa A c p + M * L i | p <- coords (s i)].
  by rewrite -!map_comp; apply: eq_map => x /=; rewrite innerZr ue mulr1 mul1r.
have inQ i p : i \in I -> p \in coords (s i) -> (fold kappa A c p, L i) \in Q.
  by move=> iI ps; apply/allpairsPdep; exists i, p.
have same i j p q : i \in I -> j \in I -> p \in coords (s i) -> q \in coords (s j) ->
    fold kappa A c p + M * L i = fold kappa A c q + M * L j -> p = q /\ L i = L j.
  move=> iI jI pi qj E; have [E1 E2] := MP _ _ (inQ i p iI pi) (inQ j q jI qj) E; split=> //.
  exact: (inj i j).
have [||||| t [L' [tn tw tr L'i tL]]] := IH n s' L.
- exact: nk.
- by move=> i iI; rewrite /s' -size_eq0 size_map size_eq0 s0.
- move=> i j iI jI E; apply: diff => // p.
  have half i1 j1 : i1 \in I -> j1 \in I -> coords (s' i1) =i coords (s' j1) -> p \in coords (s i1) -> p \in coords (s j1).
    move=> iI1 jI1 E1 ps; have : fold kappa A c p + M * L i1 \in coords (s' j1).
      by rewrite -E1 coordsE; apply: (map_f (fun p => fold kappa A c p + M * L i1)).
    by rewrite coordsE => /mapP[q qs /(same i1 j1 p q iI1 jI1 ps qs)[-> _]].
  by apply/idP/idP; apply: half => // q; rewrite E.
- move=> i j iI jI p; rewrite !coordsE => /mapP[q qs ->] /mapP[r rs].
  by case/(same i j q r iI jI qs rs).
- by rewrite -ltnS -addnS; apply: leq_ltn_trans few _; rewrite -addSn ltn_add2r.
exists (fold_block kappa A c 1 M :: t), L'; split=> // i s1 iI ss; rewrite /run /= -/(run t _) (blockE _ _ i) //.
have [|bL ->] := tL i [seq (1 * fold kappa A c (inner u x) + M * L i) *: e | x <- s1] iI; first exact: eq_mem_map.
by split=> //; rewrite -map_comp.
Qed.

End Separate.

(** ** The theorem *)

Lemma same_set_measure (T : eqType) (s t : seq T) : uniq s -> uniq t -> s =i t -> same_measure s t.
Proof.
move=> us ut st; have p := uniq_perm us ut st; apply/same_measureP => x.
by rewrite (permP p) (perm_size p).
Qed.

Theorem leaders (R : realFieldType) (d w : nat) (data : dataset R d.+1) : (2 <= w)%N ->
  (forall xs ys, (xs, ys) \in data -> xs != [::] /\ exists y, ys =i [:: y]) ->                    (* one target each *)
  (forall xs ys xs' ys', (xs, ys) \in data -> (xs', ys') \in data -> xs =i xs' -> ys =i ys') ->   (* a function of the set *)
  exists (u : 'cV[R]_d.+1) (t : transformer R d.+1),
    [/\ all (narrow w) t,                                                      (* every layer has at most w units *)
        all_rank_one u t,                                                      (* attention has Q = K = u' *)
        (size t <= maxn 1 (size data).-1 + ceil (size data) w)%N               (* N - 1 blocks, and N/w rounded up *)
      & interpolates t data].
Proof.
move=> w2 ok same; pose data' := [seq (undup q.1, q.2) | q <- data].
have [D [sub inj rep sz _]] := representatives data' (fun=> 0%N); rewrite size_map in sz.
have [D0 | D0] := eqVneq D [::].
  have none xs ys : (xs, ys) \in data -> False.
    by move=> xy; have [|q] := rep (undup xs, ys); [exact: (map_f (fun q => (undup q.1, q.2)) xy) | rewrite D0].
  by exists 0, [::]; split=> // xs ys /none.
pose I := undup D; have ID q : (q \in I) = (q \in D) by rewrite mem_undup.
have from q : q \in I -> exists xs, [/\ (xs, q.2) \in data, q.1 = undup xs & xs != [::]].
  by rewrite ID => /sub/mapP[[xs ys] xy ->]; exists xs; split=> //; case: (ok _ _ xy).
have [u [e [ue uinj]]] := direction (flatten [seq q.1 | q <- I]).
have [b bY] := above [seq inner u (head 0 q.2) | q <- I].
have I0 : (0 < size I)%N.
  by case E : (I) => [|q l] //; case: (D) D0 ID => // q l _ /(_ q); rewrite E mem_head.
have sI : (size I <= size data)%N by apply: leq_trans sz; exact: size_undup.
have [||||| t [L [tn tw tr Li tL]]] := @separate R d u e ue _ I b (size I).-2 (fun q => q.1) (fun=> 0).
- exact: undup_uniq.
- by move=> q /from[xs [_ -> x0]]; case: xs x0 => // x l _; apply/eqP => /undup_nil.
- move=> q q' qI q'I E; rewrite !ID in qI q'I *; apply: inj => //.
  have [xs [_ Eq _]] : exists xs, [/\ (xs, q.2) \in data, q.1 = undup xs & xs != [::]] by apply: from; rewrite ID.
  have [xs' [_ Eq' _]] : exists xs, [/\ (xs, q'.2) \in data, q'.1 = undup xs & xs != [::]] by apply: from; rewrite ID.
  apply: same_set_measure; rewrite ?Eq ?Eq' ?undup_uniq // -Eq -Eq' => x.
  have half q1 q2 : q1 \in D -> q2 \in D -> map (inner u) q1.1 =i map (inner u) q2.1 -> x \in q1.1 -> x \in q2.1.
    move=> q1D q2D E12 x1; have := map_f (inner u) x1; rewrite E12 => /mapP[y y2 /uinj -> //]; apply/flatten_mapP.
      by exists q1; rewrite ?ID.
    by exists q2; rewrite ?ID.
  by apply/idP/idP; apply: half => // z; rewrite E.
- by [].
- case E : (I) I0 => [|q l] // _; have : (0 < size (undup [seq (0%R : R) | _ <- q :: l]))%N.
    by rewrite lt0n size_eq0; apply/eqP => /undup_nil.
  by move=> g0; apply: leq_trans (leq_add g0 (leqnn _)) => /=; case: (l).
pose Is := sort (fun q q' => L q' <= L q) I.
have memIs q : (q \in Is) = (q \in I) by rewrite mem_sort.
pose N l : seq (R * 'cV[R]_d.+1 * bool) := [seq (L q, head 0 q.2, false) | q <- l].
have Lb q : q \in I -> b < L q by move=> qI; have [] := tL q q.1 qI (fun=> erefl).
have strict (l : seq (seq 'cV[R]_d.+1 * seq 'cV[R]_d.+1)) : {subset l <= I} -> uniq l ->
    pairwise (fun q q' => L q' <= L q) l -> pairwise (fun n n' : R * 'cV[R]_d.+1 * bool => n'.1.1 < n.1.1) (N l).
  elim: l => //= q l IH subl /andP[ql ul] /andP[al pl]; rewrite IH // => [|q' ql']; last by apply: subl; rewrite inE ql' orbT.
  rewrite andbT all_map; apply/allP => q' ql' /=; rewrite lt_neqAle (allP al) // andbT; apply: contra ql => /eqP m.
  by rewrite -(Li q' q) // subl ?mem_head // inE ql' orbT.
have desc : descending b (N Is).
  apply: descending_pairwise; first by apply/allP => n /mapP[q]; rewrite memIs => /Lb qb ->.
  apply: strict => [q||]; rewrite ?memIs ?sort_uniq ?undup_uniq //.
  have tr' : transitive (fun q q' : seq 'cV[R]_d.+1 * seq 'cV[R]_d.+1 => L q' <= L q).
    by move=> q2 q1 q3 m12 m23; exact: le_trans m23 m12.
  by rewrite -sorted_pairwise // sort_sorted // => q q'; exact: le_total.
have plat : plateaus (N Is) by elim: (Is).
have vals : all (fun n => inner u n.1.2 <= b) (N Is).
  by apply/allP => n /mapP[q]; rewrite memIs => qI ->; apply/ltW/bY/(map_f (fun q => inner u (head 0 q.2))).
have cov q : q \in I -> covered b (N Is) (L q) (head 0 q.2).
  rewrite -memIs; elim: (Is) => //= q' l IH; rewrite inE => /orP[/eqP -> | /IH]; first by constructor 1.
  by constructor 3.
have [gs [gw gn gc _]] := placement ue (ltnW w2) desc plat vals.
exists u, (t ++ map (@ff_block R d.+1) gs); split.
- rewrite all_cat all_map (_ : all (preim _ _) gs) ?andbT; last exact: gw.
  by apply: sub_all tw => -[[f|] a] //= fw; rewrite /narrow /= (leq_trans _ w2).
- by elim: t tr {tn tw tL} => [_ | c' t IH [c1 /IH]] /=; [elim: gs {gw gn gc} => //= g l IH | ].
- rewrite size_cat size_map leq_add //; last by apply: leq_trans gn _; apply: ceil_le; rewrite size_map size_sort.
  apply: leq_trans tn _; case: (size I) sI => [|[|k]] le /=; rewrite leq_max //.
  by case: (size data) le => // m; rewrite ltnS /= => ->; rewrite orbT.
move=> xs ys xy y.
have [q qD m] := rep _ (map_f (fun q => (undup q.1, q.2)) xy); rewrite -ID in qD.
have [xs' [xy' q1 x0']] := from q qD; have [x0 _] := ok _ _ xy; have [_ [z zE]] := ok _ _ xy'.
have ne (l : seq 'cV[R]_d.+1) : l != [::] -> undup l != [::] by case: l => // v l _; apply/eqP => /undup_nil.
have xq : xs =i q.1.
  by move=> x; rewrite -(mem_undup xs); apply: (same_measure_mem _ _ m); rewrite /= ?q1 ne.
have [_ E] := tL q xs qD xq.
rewrite /run foldl_cat -!/(run _ _) E run_ff_blocks -map_comp.
have -> : [seq (run_ffs gs \o (fun=> L q *: e)) x | x <- xs] = [seq head 0 q.2 | _ <- xs].
  by apply: eq_map => x /=; apply/gc/cov.
have -> : head 0 q.2 = z.
  case: (q.2) zE => [/(_ z) | v l /(_ v)]; first by rewrite in_nil mem_head.
  by rewrite mem_head inE => /esym/eqP.
have xx : xs =i xs' by move=> x; rewrite xq q1 mem_undup.
rewrite (same _ _ _ _ xy xy' xx) zE.
by case: (xs) x0 => // v l _ /=; elim: l => //= v' l IH; rewrite inE IH inE orbb.
Qed.
