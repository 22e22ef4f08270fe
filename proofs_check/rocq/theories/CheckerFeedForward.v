(** The checker's feed-forward layers compute what the semantics says: unit by unit, and along a ridge. *)

From Coq Require Import ZArith QArith Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ssrZ zify ring.
From Exactformer Require Import Semantics Basics Certificate Checker CheckerNumbers.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Delimit Scope Z_scope with z.  (* %Z is taken by mathcomp's int *)

Opaque depth.  (* a tree of depth 60 is never written out in a proof *)

Section FeedForward.

Variables (I : integers) (R : realFieldType).

Notation O := (of_Z I Z0).
Notation one := (of_Z I (Zpos xH)).
Notation phi := (@phi I R).
Notation phi_gt0 := (@CheckerNumbers.phi_gt0 I R _).
Notation phi_neq0 := (@CheckerNumbers.phi_neq0 I R _).
Notation vec := (@vec I R).
Notation denote := (@denote I R).

(** ** States: sums and concatenations *)

Lemma add_stateP d s t : pos (over s) -> pos (over t) ->
  pos (over (add_state s t)) /\ denote d (add_state s t) = [seq p.1 + p.2 | p <- zip (denote d s) (denote d t)].
Proof.
move=> s0 t0; have [l0 sl tl] := lcmP s0 t0; split=> //.
rewrite /denote /=; set l := lcm _ _ in l0 sl tl *.
elim: (vectors s) (vectors t) => [|x xs IH] [|y ys] //=; rewrite -IH; congr (_ :: _).
rewrite vec_add !vec_scale !phi_div // scalerDr !scalerA; congr (_ *: _ + _ *: _).
  by field; rewrite !phi_neq0.
by field; rewrite !phi_neq0.
Qed.

Lemma foldr_lcm_In (A : Type) (f : A -> I) (l : seq A) a : (forall a, pos (f a)) -> List.In a l ->
  divides (f a) (foldr (fun a => lcm (f a)) one l).
Proof.
move=> H; elim: l => //= c l IH; have [_ d1 d2] := lcmP (H c) (foldr_lcm l H).
by case=> [<- // | /IH al]; exact: Z.divide_trans al d2.
Qed.

Lemma In_mkseq (A : Type) (F : nat -> A) n a : List.In a (mkseq F n) -> exists i, a = F i.
Proof. by rewrite /mkseq; elim: (iota 0 n) => //= i s IH [<- | /IH //]; exists i. Qed.

Lemma In_map_once (A : Type) (f : seq I -> A) s a : List.In a (map_once f s) -> exists x, a = f x.
Proof.
case: s => //= x s [<- | ]; first by exists x.
elim: s x => //= y s IH x; case: ifP => _ /= [<- | /IH //]; [by exists x | by exists y].
Qed.

Lemma mergeP d l : (forall s, List.In s l -> pos (over s)) ->
  pos (over (merge l)) /\ denote d (merge l) = flatten (map (denote d) l).
Proof.
move=> lp; rewrite /merge /denote; set k := foldr _ _ _.
have [k0 kd] : pos k /\ forall s, List.In s l -> divides (over s) k.
  rewrite /k; elim: l lp {k} => [|s l IH] lp /=; first by split=> //; exact: pos1.
  have [m0 md] := IH (fun t tl => lp t (or_intror tl)).
  have [n0 nd1 nd2] := lcmP (lp s (or_introl erefl)) m0.
  by split=> // t [<- // | /md tm]; exact: Z.divide_trans tm nd2.
split=> //=; move: (phi_neq0 k0 : phi k != 0) => kn; clearbody k; clear k0; elim: l lp kd => //= s l IH lp kd.
rewrite map_cat IH //; [congr (_ ++ _) | by move=> t tl; apply: lp; right | by move=> t tl; apply: kd; right].
have sn := phi_neq0 (lp s (or_introl erefl)).
rewrite -map_comp; apply: eq_map => x /=; rewrite vec_scale scalerA phi_div; first by congr (_ *: _); field; rewrite kn sn.
  by apply: lp; left.
by apply: kd; left.
Qed.

(** ** Hinges *)

Definition hinge_value n d (h : hinge_literal) (x : 'cV[R]_n) : 'cV[R]_d :=
  Num.max 0 (inner (vector R n (hinge_u h)) x + value R (hinge_b h)) *: vector R d (hinge_w h).


(** A hinge with its denominators cleared, at a point x. *)
Definition unit_value n d (h : hinge I) (x : 'cV[R]_n) : 'cV[R]_d :=
  (Num.max 0 (inner (vec n (unit_u h)) x + phi (unit_b h)) / phi (unit_e h)) *: vec d (unit_w h).

Lemma pos_unit_e h : pos (unit_e (clear_hinge I h)).
Proof. by apply: pos_mul; exact: pos_common. Qed.

Lemma clear_hingeP n d h (x : 'cV[R]_n) : unit_value d (clear_hinge I h) x = hinge_value d h x.
Proof.
rewrite /unit_value /hinge_value /=; set c := common I _; set e := common I (hinge_w h).
have [c0 e0] : 0 < phi c /\ 0 < phi e by split; apply/phi_gt0/pos_common.
have cu : dividing c (hinge_u h) by move=> i; exact: (dividing_common (hinge_b h :: hinge_u h) i.+1).
have cb : divides (den I (hinge_b h)) c by exact: (dividing_common (hinge_b h :: hinge_u h) 0%N).
rewrite !vec_clear //; last exact: dividing_common.
rewrite phi_clear // innerZl -mulrDr; set v := inner _ _ + _.
have -> : Num.max 0 (phi c * v) = phi c * Num.max 0 v by rewrite maxr_pmulr ?(ltW c0) // mulr0.
rewrite (phiM c) scalerA; move: (Num.max 0 v) => m; congr (_ *: _).
by field; rewrite !lt0r_neq0.
Qed.

Lemma hinge_step n d e k h X y : pos k -> pos (unit_e h) -> divides (unit_e h) e -> (size (unit_u h) <= n)%N ->
  vec d (add_hinge k X (widen e h) y) =
  (phi e * phi k) *: unit_value d h ((phi k)^-1 *: vec n X) + vec d y.
Proof.
move=> k0 h0 he un; rewrite /add_hinge /widen /= /unit_value; set t := add _ _; set v := inner _ _ + _.
have pk := phi_gt0 k0; have kn := phi_neq0 k0; have en := phi_neq0 h0.
have Et : phi t = phi k * v by rewrite /t phiD phiM (phi_dot (n := n)) // /v innerZr; field.
case: ifP => [|/negbT].
  by rewrite -(phi_le R) phi0 Et pmulr_rle0 // => v0; rewrite (max_idPl v0) mul0r scale0r scaler0 add0r.
rewrite -(phi_le R) phi0 -ltNge Et pmulr_rgt0 // => v0.
rewrite (max_idPr (ltW v0)) vec_add !vec_scale Et phi_div // !scalerA; congr (_ *: _ + _).
by field.
Qed.

Lemma hingesP n d e k l X : pos k ->
  (forall h, List.In h l -> [/\ pos (unit_e h), divides (unit_e h) e & (size (unit_u h) <= n)%N]) ->
  vec d (hinges k X (map (widen e) l)) = (phi e * phi k) *: \sum_(h <- l) unit_value d h ((phi k)^-1 *: vec n X).
Proof.
move=> k0; elim: l => [|h l IH] H /=; first by rewrite vec_nil big_nil scaler0.
have [h0 he hn] := H h (or_introl erefl).
rewrite (@hinge_step n) // IH; last by move=> h' hl; apply: H; right.
by rewrite big_cons scalerDr.
Qed.

(** ** Ridges *)

Section Ridge.

Variables (d : nat) (tau : R).

Definition ridge_value (h : hinge I) : 'cV[R]_d := unit_value d h (\col_(i < 1) tau).
Definition affine (h : hinge I) : R := phi (alpha h) * tau + phi (unit_b h).
Definition line (h : hinge I) : 'cV[R]_d := (affine h / phi (unit_e h)) *: vec d (unit_w h).

Lemma ridge_valueE h : ridge_value h = (Num.max 0 (affine h) / phi (unit_e h)) *: vec d (unit_w h).
Proof. by rewrite /ridge_value /unit_value /inner big_ord_recl big_ord0 addr0 !mxE. Qed.

Definition good (p : state I) : Prop := pos (over p) /\ size (vectors p) = 2%N.
Definition pval (p : state I) : 'cV[R]_d := tau *: nth 0 (denote d p) 0 + nth 0 (denote d p) 1.

Lemma piece_addP p h : good p -> pos (unit_e h) -> good (piece_add p h) /\ pval (piece_add p h) = pval p + line h.
Proof.
move=> [p0 p2] h0; rewrite /piece_add; set q := State _ _.
have [a0 Ea] := add_stateP d p0 (h0 : pos (over q)).
have [r0 Er] := reduceP (R := R) d a0.
have E2 : size (denote d (reduce (add_state p q))) = 2%N.
  by rewrite Er Ea size_map size_zip !size_map p2.
split; first by split=> //; move: E2; rewrite size_map.
rewrite /pval Er Ea /denote /q /=; case: (vectors p) p2 => [|A [|C [|]]] //= _.
rewrite /line /affine !vec_scale !scalerDr !scalerA addrACA; congr (_ + _).
by rewrite -scalerDl; congr (_ *: _); field; rewrite phi_neq0.
Qed.

Definition key (h : hinge I) : R := - phi (unit_b h) / phi (alpha h).
Definition right (h : hinge I) : Prop := pos (unit_e h) /\ 0 < phi (alpha h).

Lemma sort_indices (A : Type) (a : A) (r : rel A) s :
  exists2 m, perm_eq m (iota 0 (size s)) & sort r s = map (nth a s) m.
Proof.
exists (sort (relpre (nth a s) r) (iota 0 (size s))); first by rewrite perm_sort.
by rewrite -sort_map -/(mkseq _ _) mkseq_nth.
Qed.

Lemma sum_sort (F : hinge I -> 'cV[R]_d) (r : rel (hinge I)) l : \sum_(g <- sort r l) F g = \sum_(g <- l) F g.
Proof.
case: l => [|a l]; rewrite // -[in RHS](mkseq_nth a (a :: l)) /mkseq.
by have [m mp ->] := sort_indices a r (a :: l); rewrite !big_map; exact: perm_big.
Qed.

Lemma In_nth (A : Type) (a : A) s i : (i < size s)%N -> List.In (nth a s i) s.
Proof. by elim: s i => [|x s IH] [|i] //= H; [left | right; exact: IH]. Qed.

Lemma all_In (A : Type) (p : pred A) s x : all p s -> List.In x s -> p x.
Proof. by elim: s => //= y s IH /andP[py /IH H] [<- | ]. Qed.

Lemma In_sort (A : Type) (r : rel A) s x : List.In x (sort r s) -> List.In x s.
Proof.
case: s => [|a s] // ; have [m mp ->] := sort_indices a r (a :: s).
have : {subset m <= iota 0 (size (a :: s))} by move=> i; rewrite (perm_mem mp).
elim: m {mp} => //= i m IH H [<- | ]; last by apply: IH => j jm; apply: H; rewrite inE jm orbT.
have : i \in iota 0 (size (a :: s)) by apply: H; rewrite inE eqxx.
by rewrite mem_iota /= => il; exact: (In_nth a (s := a :: s)).
Qed.

Fixpoint ordered (l : seq (hinge I)) : Prop :=
  if l is h :: l' then (forall g, List.In g l' -> key h <= key g) /\ ordered l' else True.

Lemma key_le h g : right h -> right g ->
  leb (mul (unit_b g) (alpha h)) (mul (unit_b h) (alpha g)) = (key h <= key g).
Proof.
move=> [_ h0] [_ g0]; rewrite -(phi_le R) !phiM /key !mulNr ler_opp2.
by rewrite ler_pdivr_mulr // mulrAC ler_pdivl_mulr.
Qed.

Lemma ordered_sort l : (forall h, List.In h l -> right h) -> ordered (sort (@earlier I) l).
Proof.
move=> lr; pose P := [pred h : hinge I | (0 <? to_Z (unit_e h))%z && (0 < phi (alpha h))].
have PE h : P h -> right h by move=> /andP[h0 h1]; split=> //; rewrite /pos; lia.
have Pl : all P l.
  elim: l lr => //= h l IH lr; rewrite IH => [|g gl]; last by apply: lr; right.
  by rewrite andbT; have [h0 ->] := lr h (or_introl erefl); rewrite andbT; rewrite /pos in h0; lia.
have tot : {in P &, total (@earlier I)} by move=> h g /PE hr /PE gr; rewrite /earlier !key_le //; exact: le_total.
have tr : {in P & &, transitive (@earlier I)}.
  by move=> g h f /PE gr /PE hr /PE fr; rewrite /earlier !key_le //; exact: le_trans.
have := sort_sorted_in tot Pl; have Ps : all P (sort (@earlier I) l) by rewrite all_sort.
rewrite (sorted_pairwise_in tr Ps); elim: (sort _ l) Ps => //= h s IH /andP[/PE hr sP] /andP[hs /(IH sP)].
by split=> // g gs; rewrite -key_le; [exact: (all_In hs) | exact: hr | exact/PE/(all_In sP)].
Qed.

Lemma right_negate h : pos (unit_e h) -> opens_left h -> right (negate h).
Proof.
rewrite /opens_left -(phi_le R) phi0 -ltNge => h0 a0; split=> //.
by rewrite /negate {1}/alpha /= phiM /phi of_ZK /= mulN1r oppr_gt0.
Qed.

Lemma affine_negate h : affine (negate h) = - affine h.
Proof.
have m1 : phi (of_Z I (Zneg xH)) = -1 by rewrite /phi of_ZK.
by rewrite /affine /negate {1}/alpha /= !phiM m1; ring.
Qed.

Lemma rightwardP l : (forall h, List.In h l -> pos (unit_e h)) ->
  [/\ good (first_piece l), forall h, List.In h (rightward l) -> right h
    & \sum_(h <- l) ridge_value h = pval (first_piece l) + \sum_(h <- rightward l) ridge_value h].
Proof.
elim: l => [_ | h l IH lp] /=.
  split=> //; first by split=> //; exact: pos1.
  by rewrite !big_nil addr0 /pval /denote /= vec_nil !scaler0 addr0.
have [pg kr E] := IH (fun g gl => lp g (or_intror gl)).
have h0 : pos (unit_e h) by apply: lp; left.
have [ag Ea] := piece_addP pg h0.
rewrite big_cons E ridge_valueE /opens_right /opens_left -!(phi_le R) phi0 -!ltNge.
case: (ltgtP (phi (alpha h)) 0) => a0 /=.
- have nr : right (negate h) by apply: right_negate; rewrite // /opens_left -(phi_le R) phi0 -ltNge.
  split=> //; first by move=> g /= [<- | /kr].
  rewrite big_cons Ea (ridge_valueE (negate h)) affine_negate /=.
  have -> : (Num.max 0 (affine h) / phi (unit_e h)) *: vec d (unit_w h) =
            line h + (Num.max 0 (- affine h) / phi (unit_e h)) *: vec d (unit_w h).
    rewrite /line -scalerDl -mulrDl; congr (_ / _ *: _); case: (leP 0 (affine h)) => v0.
      by rewrite (max_idPl _) ?oppr_le0 // addr0.
    by rewrite (max_idPr _) ?oppr_ge0 ?(ltW v0) // subrr.
  by rewrite addrACA [line h + _]addrC.
- have hr : right h by [].
  split=> //; first by move=> g /= [<- | /kr].
  by rewrite big_cons ridge_valueE addrCA.
- have av : affine h = phi (unit_b h) by rewrite /affine a0 mul0r add0r.
  case: ifP => b0; split=> //; rewrite av.
    by rewrite Ea /line av (max_idPr (ltW b0)) addrAC [RHS]addrC addrA.
  by rewrite (max_idPl _) ?mul0r ?scale0r ?add0r // leNgt b0.
Qed.

Lemma curveP l : (forall h, List.In h l -> pos (unit_e h)) ->
  [/\ good (first_piece l), forall h, List.In h (kinks l) -> right h, ordered (kinks l)
    & \sum_(h <- l) ridge_value h = pval (first_piece l) + \sum_(h <- kinks l) ridge_value h].
Proof.
move=> /rightwardP[pg kr E]; split=> //; [by move=> h hl; apply: kr; exact: In_sort hl | exact: ordered_sort |].
by rewrite sum_sort.
Qed.

Lemma sum0 (l : seq (hinge I)) (F : hinge I -> 'cV[R]_d) : (forall h, List.In h l -> F h = 0) -> \sum_(h <- l) F h = 0.
Proof.
elim: l => [|h l IH] H; rewrite ?big_nil // big_cons H ?add0r; last by left.
by apply: IH => g gl; apply: H; right.
Qed.

Lemma inactive h : right h -> (affine h <= 0) = (tau <= key h).
Proof. by case=> _ a0; rewrite /affine /key ler_pdivl_mulr // -[RHS]subr_le0 opprK [tau * _]mulrC. Qed.

Lemma beforeE t k h : pos k -> tau = phi t / phi k -> before t k h = (affine h <= 0).
Proof.
move=> k0 Et; rewrite /before -(phi_le R) phi0 phiD !phiM.
have -> : phi (alpha h) * phi t + phi (unit_b h) * phi k = affine h * phi k.
  by rewrite /affine Et; field; exact: phi_neq0.
by rewrite pmulr_lle0 // phi_gt0.
Qed.

Lemma piece_atP t k p l : pos k -> tau = phi t / phi k -> good p ->
  (forall h, List.In h l -> right h) -> ordered l ->
  good (piece_at t k p (pieces p l)) /\
  pval (piece_at t k p (pieces p l)) = pval p + \sum_(h <- l) ridge_value h.
Proof.
move=> k0 Et; elim: l p => [|h l IH] p pg lr lo /=; first by rewrite big_nil addr0.
have [hr [hl {}lo]] : right h /\ ordered (h :: l) by split=> //; apply: lr; left.
rewrite beforeE //.
case: ifP => [h0 | /negbT]; last first.
  rewrite -ltNge => h0; have [qg Eq] := piece_addP pg hr.1.
  have [rg ->] := IH _ qg (fun g gl => lr g (or_intror gl)) lo.
  by split=> //; rewrite Eq big_cons ridge_valueE (max_idPr (ltW h0)) addrA.
split=> //; rewrite sum0 ?addr0 // => g gl.
suff g0 : affine g <= 0 by rewrite ridge_valueE (max_idPl g0) mul0r scale0r.
rewrite (inactive (lr g gl)); rewrite (inactive hr) in h0.
by case: gl => [<- // | /hl]; exact: le_trans.
Qed.

(** Kinks at or after t/k come last: going through the list, and down the tree. *)
Definition in_order t k (l : seq (hinge I * state I)) : bool :=
  pairwise (fun x y => before t k x.1 ==> before t k y.1) l.

Lemma piece_at_cat t k p l1 h q l2 : in_order t k (l1 ++ (h, q) :: l2) ->
  piece_at t k p (l1 ++ (h, q) :: l2) = if before t k h then piece_at t k p l1 else piece_at t k q l2.
Proof.
rewrite /in_order pairwise_cat allrel_consr => /andP[/andP[H _] _]; case: ifP => hb.
  by elim: l1 p {H} => [|[g r] l1 IH] p /=; rewrite ?hb //; case: ifP => // _; exact: IH.
have {H} : all (fun x => ~~ before t k x.1) l1 by apply: sub_all H => x /=; rewrite hb implybF.
by elim: l1 p => [|[g r] l1 IH] p /=; rewrite ?hb // => /andP[/negbTE -> /IH ->].
Qed.

Lemma look_upP n t k p l : exists l', l = l' ++ (tabulate n p l).2 /\
  (in_order t k l' -> look_up t k (tabulate n p l).1 = piece_at t k p l').
Proof.
elim: n p l => [|n IH] p l /=; first by exists [::].
have [l1 [El H1]] := IH p l; case: (tabulate n p l) El H1 => T1 [|[h q] l2] /= El H1; first by exists l1.
have [l3 [El2 H2]] := IH q l2; case: (tabulate n q l2) El2 H2 => T2 r2 /= El2 H2.
exists (l1 ++ (h, q) :: l3); split; first by rewrite El El2 -catA.
move=> o; rewrite piece_at_cat //; move: o; rewrite /in_order pairwise_cat /= => /and3P[_ /H1 -> /andP[_ /H2 ->]].
by [].
Qed.

Lemma piece_ofE n t k p l : in_order t k l -> piece_of t k (tabulate n p l) = piece_at t k p l.
Proof.
move=> o; have [l' [El H]] := look_upP n t k p l; rewrite /piece_of.
case: (tabulate n p l) El H => T [|[h q] r] /= El H; move: o; rewrite El.
  by rewrite cats0 => /H.
by move=> o; rewrite piece_at_cat // H //; move: o; rewrite /in_order pairwise_cat => /and3P[].
Qed.

Lemma in_order_pieces t k p l : pos k -> tau = phi t / phi k -> (forall h, List.In h l -> right h) -> ordered l ->
  in_order t k (pieces p l).
Proof.
move=> k0 Et; elim: l p => //= h l IH p lr [hl lo].
have gr g : List.In g l -> right g by move=> gl; apply: lr; right.
rewrite /in_order /= -/(in_order t k (pieces _ l)) IH // andbT (beforeE h k0 Et) (inactive (lr h (or_introl erefl))).
elim: l (piece_add p h) hl gr {IH lr lo} => //= g l IH q hl gr; rewrite IH => [|f fl|f fl].
- rewrite andbT (beforeE g k0 Et) (inactive (gr g (or_introl erefl))); apply/implyP => th.
  by apply: le_trans th _; apply: hl; left.
- by apply: hl; right.
- by apply: gr; right.
Qed.

Lemma piece_valueP t k p : pos k -> tau = phi t / phi k -> good p ->
  pos (over (piece_value t k p)) /\ denote d (piece_value t k p) = [:: pval p].
Proof.
move=> k0 Et [p0 p2]; split; first exact: pos_mul.
rewrite /piece_value /denote /pval /denote /=; case: (vectors p) p2 => [|A [|C [|]]] //= _; congr (_ :: _).
have kn := phi_neq0 k0; have pn := phi_neq0 p0.
rewrite vec_add !vec_scale scalerDr !scalerA (phiM (over p)) Et; congr (_ *: _ + _ *: _); field; by rewrite kn pn.
Qed.

End Ridge.

(** ** Feed-forward layers *)

Lemma zip_map_same (A B C : Type) (f : A -> B) (g : A -> C) s : [seq (f x, g x) | x <- s] = zip (map f s) (map g s).
Proof. by elim: s => //= x s ->. Qed.

Lemma big_mkseq (A : Type) (V : zmodType) (F : nat -> A) (G : A -> V) n :
  \sum_(a <- mkseq F n) G a = \sum_(i < n) G (F i).
Proof. by rewrite big_map -(big_mkord xpredT (fun i => G (F i))) /index_iota subn0. Qed.

Definition projected d (f : ff_literal) (x : 'cV[R]_d) : 'cV[R]_(if lit_U f is Outer _ _ then 1 else d) :=
  match lit_U f as U return 'cV[R]_(if U is Outer _ _ then 1 else d) with
  | Outer _ r => \col_i inner (vector R d (mkseq (nth zero r) d)) x
  | _ => x
  end.

Lemma apply_ffE d f (x : 'cV[R]_d) :
  apply_ff (ff_of R d f) x =
  value R (lit_eta f) *: x + \sum_(h <- mkseq (hinge_of d f) (size (lit_b f))) hinge_value d h (projected f x).
Proof.
rewrite /apply_ff /=; congr (_ + _); rewrite big_mkseq; apply/colP=> j; rewrite mxE summxE.
apply: eq_bigr => i _; rewrite !mxE nth_mkseq // mulrC; congr (Num.max 0 (_ + _) * _).
rewrite /projected /hinge_of; case: (lit_U f) => [r | c r | c |] /=; try by apply: eq_bigr => k _; rewrite !mxE nth_mkseq.
rewrite [in RHS]/inner big_ord_recl big_ord0 addr0 !mxE /= /inner mulr_sumr.
by apply: eq_bigr => k _; rewrite !mxE nth_mkseq //= valueM mulrA.
Qed.

(** All units at once are the units one by one. *)
Lemma rowsE m n M : shaped_matrix m n M -> rows m n M = mkseq (fun i => mkseq (entry M i) n) m.
Proof.
case: M => [r | c r | c |] //= => [/andP[/eqP rm rn] | /andP[/eqP <- /eqP <-]].
  apply: (@eq_from_nth _ [::]); rewrite ?size_mkseq // => i il; rewrite nth_mkseq -?rm //.
  by have /eqP <- := all_nthP [::] rn i il; rewrite mkseq_nth.
apply: (@eq_from_nth _ [::]); rewrite ?size_mkseq ?size_map // => i il; rewrite nth_mkseq // (nth_map zero) //.
apply: (@eq_from_nth _ zero); rewrite ?size_mkseq ?size_map // => j jl.
by rewrite nth_mkseq // (nth_map zero).
Qed.

Lemma columnsE m n M : shaped_matrix m n M -> columns m n M = mkseq (fun j => mkseq (fun i => entry M i j) m) n.
Proof.
case: M => [r | c r | c |] //= => [/andP[/eqP <- rn] | /andP[/eqP <- /eqP <-]].
  elim: r rn => /= [_ | l r IH /andP[/eqP ln /IH ->]].
    by apply: (@eq_from_nth _ [::]); rewrite ?size_mkseq ?size_nseq // => j jl; rewrite nth_mkseq // nth_nseq jl.
  apply: (@eq_from_nth _ [::]); rewrite ?size_map ?size_zip ?size_mkseq ?size_iota ln ?minnn // => j jl.
  rewrite (nth_map (zero, [::])) ?size_zip ?size_mkseq ?ln ?minnn // nth_zip ?size_mkseq //= !nth_mkseq //.
  by rewrite /mkseq /= -(addn0 1%N) iotaDl -map_comp.
apply: (@eq_from_nth _ [::]); rewrite ?size_mkseq ?size_map // => i il; rewrite nth_mkseq // (nth_map zero) //.
apply: (@eq_from_nth _ zero); rewrite ?size_mkseq ?size_map // => j jl.
by rewrite nth_mkseq // (nth_map zero).
Qed.

Lemma hinges_ofE d f : shaped_ff d f -> hinges_of d f = mkseq (hinge_of d f) (size (lit_b f)).
Proof.
case/and3P => _ Us Ws; rewrite /hinges_of columnsE //; set p := size _ in Us Ws *.
have Eu : (if lit_U f is Outer c _ then [seq [:: a] | a <- c] else rows p d (lit_U f)) =
    mkseq (fun i => hinge_u (hinge_of d f i)) p.
  rewrite /hinge_of /=; move: Us (rowsE Us); case: (lit_U f) => //= c r /andP[/eqP <- _] _.
  apply: (@eq_from_nth _ [::]); rewrite ?size_mkseq ?size_map // => i il.
  by rewrite nth_mkseq // (nth_map zero).
have Eb : lit_b f = mkseq (nth zero (lit_b f)) p by rewrite mkseq_nth.
by rewrite Eu [X in zip (zip _ X) _]Eb /mkseq -!zip_map_same -map_comp.
Qed.

Lemma size_hinge_u d f i : (size (hinge_u (hinge_of d f i)) <= if lit_U f is Outer _ _ then 1 else d)%N.
Proof. by rewrite /hinge_of; case: (lit_U f) => *; rewrite /= ?size_mkseq. Qed.


Lemma eval_curveP d f X k : shaped_ff d f -> pos k ->
  let c := ff_curve (compile_ff I d f) in
  pos (over (eval_curve k X c)) /\
  denote d (eval_curve k X c) =
    [:: \sum_(h <- mkseq (hinge_of d f) (size (lit_b f))) hinge_value d h (projected f ((phi k)^-1 *: vec d X))].
Proof.
move=> fs k0 /=; rewrite hinges_ofE //; set l := mkseq _ _.
have lp h : List.In h (map (@clear_hinge I) l) -> pos (unit_e h).
  by elim: l => //= g l IH [<- | /IH //]; exact: pos_unit_e.
have ls h : List.In h (map (@clear_hinge I) l) -> (size (unit_u h) <= if lit_U f is Outer _ _ then 1 else d)%N.
  have : forall g, List.In g l -> (size (hinge_u g) <= if lit_U f is Outer _ _ then 1 else d)%N.
    by move=> g gl; have [i ->] := In_mkseq gl; exact: size_hinge_u.
  elim: l {lp} => //= g l IH H [<- | hl]; first by rewrite /= size_map; apply: H; left.
  by apply: IH hl => x xl; apply: H; right.
have E n (x : 'cV_n) : \sum_(h <- l) hinge_value d h x = \sum_(h <- map (@clear_hinge I) l) unit_value d h x.
  by rewrite big_map; apply: eq_bigr => h _; symmetry; exact: clear_hingeP.
have general : (if lit_U f is Outer _ _ then false else true) ->
    let e := foldr (fun h => lcm (unit_e h)) one (map (@clear_hinge I) l) in
    pos (mul e k) /\ (phi (mul e k))^-1 *: vec d (hinges k X (map (widen e) (map (@clear_hinge I) l))) =
      \sum_(h <- l) hinge_value d h ((phi k)^-1 *: vec d X).
  move=> gen e.
  have [e0 ed] : pos e /\ forall h, List.In h (map (@clear_hinge I) l) -> divides (unit_e h) e.
    rewrite /e foldr_map; split; first exact: foldr_lcm pos_unit_e.
    elim: (l) => //= g l' IH h; have [_ d1 d2] := lcmP (pos_unit_e g) (foldr_lcm l' pos_unit_e).
    by case=> [<- // | /IH hd]; exact: Z.divide_trans hd d2.
  split; first exact: pos_mul.
  rewrite (hingesP (n := d)) // => [|h hl]; last by split; [exact: lp | exact: ed | move: (ls h hl) gen; case: (lit_U f)].
  by rewrite E (phiM e) scalerA mulVf ?scale1r // mulf_neq0 // phi_neq0.
rewrite /denote /projected; case: (lit_U f) general => [r | u r | c |] general;
  try by have [e0 Ee] := general isT; split=> //=; rewrite Ee.
clear general; set r' := mkseq _ _; set c := common I r' => /=.
have c0 : pos c by exact: pos_common.
have ck := pos_mul c0 k0; have cn := phi_neq0 c0; have kn := phi_neq0 k0.
set t := dot _ X; pose tau := phi t / phi (mul c k).
have [pg kr ko Ec] := curveP d tau lp.
have [qg Eq] := piece_atP d ck (erefl tau) pg kr ko.
rewrite (piece_ofE _ _ (in_order_pieces _ ck (erefl tau) kr ko)).
have [v0 Ev] := piece_valueP d ck (erefl tau) qg.
have [r0 Er] := reduceP (R := R) d v0; split; first exact: r0.
rewrite -/(denote d _) Er Ev Eq -Ec E; congr [:: _]; apply: eq_bigr => h _; congr (unit_value _ _ _).
apply/colP=> i; rewrite !mxE /tau /t (phi_dot (n := d)); last by rewrite size_map size_mkseq.
rewrite vec_clear ?innerZl ?innerZr; last exact: dividing_common.
by rewrite (phiM c); field; rewrite kn cn.
Qed.

Lemma run_ffP d f s : shaped_ff d f -> pos (over s) ->
  pos (over (run_ff (compile_ff I d f) s)) /\
  denote d (run_ff (compile_ff I d f) s) = map (apply_ff (ff_of R d f)) (denote d s).
Proof.
move=> fs k0; rewrite /run_ff; set F := fun x => add_state _ _; set k := over s in k0 F *.
have e0 := pos_den (I := I) (lit_eta f); have kn := phi_neq0 k0; have en := phi_neq0 e0.
have key X : pos (over (F X)) /\ denote d (F X) = [:: apply_ff (ff_of R d f) ((phi k)^-1 *: vec d X)].
  have [c0 Ec] := eval_curveP X fs k0.
  have [a0 Ea] := add_stateP d (pos_mul e0 k0 : pos (over (State _ [:: scale (clear (den I (lit_eta f)) (lit_eta f)) X]))) c0.
  split; first exact: a0.
  rewrite [LHS]Ea Ec apply_ffE /denote /=; congr [:: _ + _].
  rewrite vec_scale (phi_clear (Z.divide_refl _ : divides _ _)) !scalerA (phiM (den I _)); congr (_ *: _).
  by field; rewrite kn en.
have [m0 Em] : pos (over (merge (map_once F (vectors s)))) /\
    denote d (merge (map_once F (vectors s))) = flatten (map (denote d) (map_once F (vectors s))).
  by apply: mergeP => a al; have [X ->] := In_map_once al; case: (key X).
split; first exact: m0.
rewrite [LHS]Em map_onceE => [|x y /(eqv_vec (R := R) d) E]; last by rewrite (key x).2 (key y).2 E.
rewrite /denote; elim: (vectors s) => //= X l ->.
by have := (key X).2; rewrite /denote => ->.
Qed.

End FeedForward.
