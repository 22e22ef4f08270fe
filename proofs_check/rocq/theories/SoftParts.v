(** The checker of softmax from a temperature on: settling of slots, and feed-forward parts, contain what they are about. *)

From Coq Require Import ZArith QArith Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ssrZ zify ring.
From Exactformer Require Import Semantics Basics Certificate Checker CheckerNumbers CheckerFeedForward Intervals SoftChecker.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Parts.

Variables (R : realFieldType) (d : nat).
Notation value := (value R).
Notation token := 'cV[R]_d.
Implicit Types (X Y : box) (st : seq slot) (x y : token) (s : seq token).

(** ** Slots: which sequences they stand for *)

(** A token in a slot. *)
Definition fits (p : token * slot) : Prop := [/\ size p.2.1 = d, in_box p.1 p.2.1 & (0 < p.2.2)%N].

Definition all_fit (l : seq (token * slot)) : Prop := forall p, List.In p l -> fits p.

(** The sequence of these tokens, each as often as its slot says. *)
Definition expand (l : seq (token * slot)) : seq token := flatten [seq nseq p.2.2 p.1 | p <- l].

(** A sequence is, up to its order, one of tokens in these slots. *)
Definition covers s st : Prop := exists l, [/\ [seq p.2 | p <- l] = st, all_fit l & perm_eq s (expand l)].

Lemma expand_map (f : token -> token) l : map f (expand l) = expand [seq (f p.1, p.2) | p <- l].
Proof. by rewrite /expand map_flatten -!map_comp; congr flatten; apply: eq_map => p; rewrite /= map_nseq. Qed.

Lemma mem_expand l p : all_fit l -> List.In p l -> p.1 \in expand l.
Proof.
elim: l => //= q l IH F [<- | pl]; rewrite /expand /= mem_cat.
  by rewrite mem_nseq eqxx andbT; case: (F q (or_introl erefl)) => _ _ ->.
by rewrite -/(expand l) IH ?orbT // => p' p'l; apply: F; right.
Qed.

Lemma expand_mem l x : x \in expand l -> exists2 p, List.In p l & p.1 = x.
Proof.
elim: l => //= q l IH; rewrite /expand /= mem_cat mem_nseq => /orP[/andP[_ /eqP ->] | /IH[p pl <-]].
  by exists q => //; left.
by exists p => //; right.
Qed.

(** *** Settling *)

Lemma same_boxE X Y : same_box X Y -> X = Y.
Proof. by elim: X Y => [|[a b] X IH] [|[e f] Y] //= /and3P[/value_eq -> /value_eq -> /IH ->]. Qed.

Lemma in_point X x y : all is_point X -> size X = d -> in_box x X -> in_box y X -> x = y.
Proof.
move=> pX sX xX yX; apply/colP => i; have iX : (i < size X)%N by rewrite sX.
have pi : is_point (nth at_zero X i) by have /(all_nthP at_zero) := pX; apply.
by rewrite (inside_is_point pi (xX i)) (inside_is_point pi (yX i)).
Qed.

Fixpoint put_token (p : token * slot) (l : seq (token * slot)) : seq (token * slot) :=
  if l is q :: l' then
    if all is_point p.2.1 && same_box q.2.1 p.2.1 then (q.1, (q.2.1, (q.2.2 + p.2.2)%N)) :: l' else q :: put_token p l'
  else [:: p].

Lemma put_tokenE p l : [seq q.2 | q <- put_token p l] = put p.2.1 p.2.2 [seq q.2 | q <- l].
Proof. by elim: l => [|q l IH] /=; [case: p => ? [] | case: ifP => //= _; rewrite IH]. Qed.

Lemma put_token_fit p l : fits p -> all_fit l -> all_fit (put_token p l) /\ perm_eq (expand (put_token p l)) (expand l ++ expand [:: p]).
Proof.
move=> fp; elim: l => [|q l IH] F; first by split=> // q [<- | []].
have fq := F q (or_introl erefl); have {}IH := IH (fun q' ql => F q' (or_intror ql)); rewrite [put_token _ _]/=.
case: ifP => [/andP[pt /same_boxE E] | _].
  have xy : q.1 = p.1.
    by case: fq fp => [_ qX _] [sX pX _]; rewrite E in qX; exact: in_point pt sX qX pX.
  split=> [q' [<- | q'l] | ]; first by case: fq => s1 s2 s3; split=> //=; rewrite addn_gt0 s3.
    by apply: F; right.
  rewrite /expand /= cats0 -xy -/(expand l) nseqD -!catA perm_cat2l perm_catC; exact: perm_refl.
case: IH => F' P; split=> [q' [<- // | /F'] // | ].
by rewrite /expand /= -!catA perm_cat2l -/(expand l) -/(expand _).
Qed.

Lemma settleP s st : covers s st -> covers s (settle st).
Proof.
case=> l [<- F P].
suff H : forall m, all_fit m -> exists2 l', [seq p.2 | p <- l'] = foldl (fun u t => put t.1 t.2 u) [seq p.2 | p <- m] [seq p.2 | p <- l]
    & all_fit l' /\ perm_eq (expand l') (expand m ++ expand l).
  have [l' E [F' P']] := H [::] (fun p => False_ind _); exists l'; split=> //.
  by rewrite (perm_trans P) // perm_sym.
elim: l {P s} F => [|p l IH] F m Fm; first by exists m => //; rewrite cats0.
have [F1 P1] := put_token_fit (F p (or_introl erefl)) Fm.
have [l' E [F2 P2]] := IH (fun q ql => F q (or_intror ql)) _ F1; exists l'.
  by rewrite E put_tokenE.
split=> //; rewrite (perm_trans P2) //.
have -> : expand (p :: l) = expand [:: p] ++ expand l by rewrite /expand /= cats0.
by rewrite catA perm_cat2r.
Qed.

(** Every slot is moved, and every token with it. *)
Lemma covers_map (f : token -> token) (g : slot -> box) s st : (forall t x, List.In t st -> fits (x, t) -> fits (f x, (g t, t.2))) ->
  covers s st -> covers (map f s) [seq (g t, t.2) | t <- st].
Proof.
move=> H [l [E F P]]; exists [seq (f p.1, (g p.2, p.2.2)) | p <- l]; split.
- by rewrite -E -!map_comp.
- move=> q ql; have [p [<- pl]] : exists p, (f p.1, (g p.2, p.2.2)) = q /\ List.In p l by exact/List.in_map_iff.
  have := F p pl; case: p pl => x t pl; apply: H; rewrite -E; exact: (List.in_map snd l (x, t)).
- have -> : expand [seq (f p.1, (g p.2, p.2.2)) | p <- l] = expand [seq (f p.1, p.2) | p <- l].
    by rewrite /expand -!map_comp.
  by rewrite -expand_map perm_map.
Qed.

(** ** Feed-forward parts *)

Definition unit_of (f : ff_literal) (i : nat) : hinge_literal :=
  Hinge (mkseq (entry (lit_U f) i) d) (nth zero (lit_b f) i) (mkseq (fun j => entry (lit_W f) j i) d).

Lemma units_ofE f : shaped_ff d f -> units_of d f = mkseq (unit_of f) (size (lit_b f)).
Proof.
case/and3P => _ Us Ws; rewrite /units_of rowsE // columnsE //; set p := size _.
have Eb : lit_b f = mkseq (nth zero (lit_b f)) p by rewrite mkseq_nth.
by rewrite [X in zip (zip _ X) _]Eb /mkseq -!zip_map_same -map_comp.
Qed.

Lemma apply_units f x : shaped_ff d f ->
  apply_ff (ff_of R d f) x = value (lit_eta f) *: x + \sum_(h <- units_of d f) hinge_value d h x.
Proof.
move=> fs; rewrite units_ofE // /apply_ff /=; congr (_ + _); rewrite big_mkseq; apply/colP=> j; rewrite mxE summxE.
apply: eq_bigr => i _; rewrite !mxE nth_mkseq // mulrC; congr (Num.max 0 (_ + _) * _).
by apply: eq_bigr => k _; rewrite !mxE nth_mkseq.
Qed.

Definition good_unit (h : hinge_literal) : bool := (size (hinge_u h) == d) && (size (hinge_w h) == d).

Lemma good_units f : shaped_ff d f -> all good_unit (units_of d f).
Proof.
by move=> fs; rewrite units_ofE // all_map; apply/allP => i _; rewrite /good_unit /= !size_mkseq eqxx.
Qed.

(** What has been added up: rows of a matrix A and a box C, d each. *)
Definition good_sum (p : seq (seq Q) * box) : Prop := [/\ size p.1 = d, all (fun r => size r == d) p.1 & size p.2 = d].

(** y is A x + C for some point of C. *)
Definition sum_holds (p : seq (seq Q) * box) x y : Prop :=
  exists2 v : token, in_box v p.2 & forall i : 'I_d, y i 0 = inner (vector R d (nth [::] p.1 i)) x + v i 0.

Lemma vector_add_row w u r : size u = d -> size r = d ->
  vector R d (add_row w u r) = vector R d r + value w *: vector R d u.
Proof.
move=> su sr; apply/colP => i; rewrite /add_row; case: ifP => [/is_zeroE -> | _]; rewrite !mxE ?mul0r ?addr0 //.
by rewrite (nth_map (zero, zero)) ?size_zip ?su ?sr ?minnn // nth_zip ?su //= value_add value_mul.
Qed.

Lemma size_add_row w u r : size u = d -> size r = d -> size (add_row w u r) = d.
Proof. by move=> su sr; rewrite /add_row; case: ifP => // _; rewrite size_map size_zip su sr minnn. Qed.

Lemma nth_add_box w a C (i : 'I_d) : size w = d -> size C = d ->
  nth at_zero (add_box w a C) i = join (stretch (nth zero w i) a) (nth at_zero C i).
Proof. by move=> sw sC; rewrite (nth_map (zero, at_zero)) ?size_zip ?sw ?sC ?minnn // nth_zip // sw. Qed.

Lemma size_add_box w a C : size w = d -> size C = d -> size (add_box w a C) = d.
Proof. by move=> sw sC; rewrite size_map size_zip sw sC minnn. Qed.

Lemma add_unitP X h p x y : in_box x X -> good_unit h -> good_sum p -> sum_holds p x y ->
  good_sum (add_unit X h p) /\ sum_holds (add_unit X h p) x (y + hinge_value d h x).
Proof.
move=> xX /andP[/eqP su /eqP sw] [s1 s2 s3] [v vC E]; rewrite /add_unit.
set t := join _ _; set z := inner (vector R d (hinge_u h)) x + value (hinge_b h).
have zt : inside z t by apply: inside_join; [apply: inside_on_box; rewrite ?su | exact: inside_point].
have /andP[z1 z2] := zt; rewrite /hinge_value -/z; case: ifP => [t0 | _]; first rewrite (nonnegE R) in t0.
  have z0 : 0 <= z by exact: le_trans z1.
  split; first split; rewrite /= ?size_map ?size_zip ?sw ?s1 ?s3 ?minnn //.
    rewrite all_map; apply/(all_nthP (zero, [::])) => i; rewrite size_zip sw s1 minnn => id /=.
    by rewrite nth_zip ?sw //= size_add_row //; apply/eqP; have /all_nthP := s2; apply; rewrite s1.
  exists (v + value (hinge_b h) *: vector R d (hinge_w h)) => i.
    rewrite /= nth_add_box // !mxE addrC mulrC; apply: inside_join => //.
    by apply: inside_stretch; exact: inside_point.
  rewrite (nth_map (zero, [::])) ?size_zip ?sw ?s1 ?minnn // nth_zip ?sw //= vector_add_row //; last first.
    by apply/eqP; have /all_nthP := s2; apply; rewrite s1.
  rewrite innerC innerDr innerZr (innerC x) (innerC x) max_r // !mxE E /z.
  have R5 a b e g m : a + e + (b + g) * m = a + m * b + (e + g * m) :> R by ring.
  exact: R5.
case: ifP => t1; rewrite ?(nonposE R) in t1.
  by split=> //; rewrite max_l ?scale0r ?addr0 ?(le_trans z2) //; exists v.
split; first by split=> //=; rewrite size_add_box.
exists (v + Num.max 0 z *: vector R d (hinge_w h)) => i; last by rewrite !mxE E addrA.
rewrite /= nth_add_box // !mxE addrC mulrC; apply: inside_join => //; apply: inside_stretch.
by rewrite /inside /= value0 le_maxr lexx /= le_maxl z2 andbT; case: (leP 0 (value t.2)) => // /ltW; rewrite t1.
Qed.

Lemma imageP grid f X x : shaped_ff d f -> size X = d -> in_box x X ->
  size (image d grid (lit_eta f) (units_of d f) X) = d /\ in_box (apply_ff (ff_of R d f) x) (image d grid (lit_eta f) (units_of d f) X).
Proof.
move=> fs sX xX; have := good_units fs; rewrite apply_units // /image; set p0 := (_, nseq d at_zero).
suff H : forall l, all good_unit l -> good_sum (foldr (add_unit X) p0 l) /\
    sum_holds (foldr (add_unit X) p0 l) x (value (lit_eta f) *: x + \sum_(h <- l) hinge_value d h x).
  move=> /H[[s1 s2 s3] [v vC E]]; split=> [|i]; first by rewrite size_map size_zip s1 s3 minnn.
  rewrite (nth_map ([::], at_zero)) ?size_zip ?s1 ?s3 ?minnn // nth_zip ?s1 //= E.
  apply/inside_rounded/inside_join => //; apply: inside_on_box => //.
  by have /(all_nthP [::])/(_ i) := s2; rewrite s1 => /(_ (ltn_ord i))/eqP ->.
elim=> [_ | h l IH /= /andP[gh /IH[gs sh]]].
  split; first by split; rewrite /= ?size_mkseq ?size_nseq // all_map; apply/allP => i _ /=; rewrite size_mkseq.
  exists 0 => i; first by rewrite /= nth_nseq ltn_ord mxE inside_zero.
  rewrite big_nil addr0 !mxE addr0 nth_mkseq // /inner (bigD1 i) //= big1 => [|j ji]; rewrite !mxE nth_mkseq //= ?eqxx ?addr0 //.
  by rewrite eq_sym (inj_eq val_inj) (negbTE ji) value0 mul0r.
by rewrite big_cons addrCA addrC; exact: add_unitP.
Qed.

Lemma soft_ffP grid f s st : shaped_ff d f -> covers s st ->
  covers (map (apply_ff (ff_of R d f)) s) (soft_ff d grid (lit_eta f) (units_of d f) st).
Proof.
move=> fs cs; apply: settleP; apply: (covers_map (g := fun t => image d grid (lit_eta f) (units_of d f) t.1)) cs => t x _ [s1 s2 s3].
by have [] := imageP grid fs s1 s2.
Qed.

End Parts.
