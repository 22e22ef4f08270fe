(** Placement with blocks of constant width (the method deep): tokens on an axis go to their targets from the top down.

    A node (z, y, flat) sends the point z e to y; if it is flat, so does every point between the next lower node and it.
    A block takes the top w nodes and displaces nothing below the next lower one; what is placed lies below every later
    hinge.  A flat node at the lower end of a block is pulled down onto the next node, which serves it later. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From Exactformer Require Import Semantics Basics Separation Shallow.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Placement.

Variables (R : realFieldType) (d : nat) (u e : 'cV[R]_d.+1).
Hypothesis ue : inner u e = 1.
Notation token := 'cV[R]_d.+1.
Notation node := (R * token * bool)%type.
Implicit Types (l C rest : seq node) (t z base : R) (y : token).

(** ** A curve through nodes, from the top down; below z it does not move anything *)

Definition below z l : R := head z [seq n.1.1 | n <- l].
Definition value_below z l : token := head (z *: e) [seq n.1.2 | n <- l].

Fixpoint ramp z l : seq (R * R * token) :=
  if l is n :: l' then
    let m := below z l' in
    (1, - m, (n.1.1 - m)^-1 *: (n.1.2 - n.1.1 *: e - hinge_sum (ramp z l') n.1.1)) :: ramp z l'
  else [::].

Definition moved z l t : token := t *: e + hinge_sum (ramp z l) t.

Fixpoint descending z l : bool := if l is n :: l' then (below z l' < n.1.1) && descending z l' else true.

Lemma below_ge z l : descending z l -> z <= below z l.
Proof. by elim: l => //= n l IH /andP[lt /IH le]; exact: le_trans le (ltW lt). Qed.

Lemma moved_under z n l t : t <= below z l -> moved z (n :: l) t = moved z l t.
Proof.
by move=> tm; rewrite /moved /hinge_sum /= big_cons /= mul1r relu1_le0 ?subr_le0 // scale0r add0r.
Qed.

Lemma ramp_low z l t : descending z l -> t <= z -> hinge_sum (ramp z l) t = 0.
Proof.
elim: l => [|n l IH] /=; first by rewrite /hinge_sum big_nil.
case/andP => _ dl tz; have tm := le_trans tz (below_ge dl).
by rewrite /hinge_sum big_cons /= mul1r relu1_le0 ?subr_le0 // scale0r add0r -/(hinge_sum _ t) IH.
Qed.

(** Above its top the curve is affine; between the two top nodes it is the segment between their values. *)
Lemma moved_above z l : descending z l ->
  exists s : token, forall t, below z l <= t -> moved z l t = value_below z l + (t - below z l) *: s.
Proof.
elim: l => [|n l IH] /=.
  exists e => t _; rewrite /moved /= /hinge_sum big_nil addr0 -[RHS]scalerDl; congr (_ *: _).
  by rewrite addrC subrK.
case/andP => lt /IH[s S]; set m := below z l in lt S *; set v := value_below z l in S.
have zm : n.1.1 - m != 0 by rewrite subr_eq0 gt_eqF.
pose w := (n.1.1 - m)^-1 *: (n.1.2 - moved z l n.1.1).
have E t : m <= t -> moved z (n :: l) t = v + (t - m) *: (s + w).
  move=> mt; rewrite /moved /= -/m /hinge_sum big_cons /= mul1r relu1_ge0 ?subr_ge0 // -/(hinge_sum _ t) addrCA.
  rewrite -/(moved z l t) S // [RHS](_ : _ = (t - m) *: w + (v + (t - m) *: s)); last by rewrite scalerDr addrA [RHS]addrC.
  by rewrite /w /moved opprD addrA.
exists (s + w) => t zt; rewrite E ?(le_trans (ltW lt)) //.
have top : v + (n.1.1 - m) *: (s + w) = n.1.2.
  by rewrite scalerDr addrA -S ?(ltW lt) // /w scalerA mulfV // scale1r addrC subrK.
rewrite -[value_below z (n :: l)]/(n.1.2) -[below z (n :: l)]/(n.1.1) -top.
by rewrite -[RHS]addrA -scalerDl; congr (_ + _ *: _); ring.
Qed.

Lemma moved_between z n l t : descending z (n :: l) -> below z l <= t ->
  moved z (n :: l) t = value_below z l + ((t - below z l) / (n.1.1 - below z l)) *: (n.1.2 - value_below z l).
Proof.
case/andP => lt dl mt; have [s S] := moved_above dl; set m := below z l in lt S mt *; set v := value_below z l in S *.
have zm : n.1.1 - m != 0 by rewrite subr_eq0 gt_eqF.
rewrite /moved /= -/m /hinge_sum big_cons /= mul1r relu1_ge0 ?subr_ge0 // -/(hinge_sum _ t) addrCA -/(moved z l t) S //.
have -> : n.1.2 - n.1.1 *: e - hinge_sum (ramp z l) n.1.1 = n.1.2 - moved z l n.1.1 by rewrite /moved opprD addrA.
rewrite S ?(ltW lt) // scalerA addrCA; congr (_ + _).
rewrite opprD addrA scalerDr scalerN scalerA mulfVK //.
by rewrite subrK.
Qed.

(** ** Points that a list of nodes sends to y *)

Fixpoint covered z l t y : Prop :=
  if l is n :: l' then
    [\/ t = n.1.1 /\ y = n.1.2, [/\ n.2, y = n.1.2 & below z l' <= t <= n.1.1] | covered z l' t y]
  else False.

(** A flat node has the value of the next lower one. *)
Fixpoint even z l : Prop := if l is n :: l' then (n.2 -> n.1.2 = value_below z l') /\ even z l' else True.

Lemma covered_le z l t y : descending z l -> covered z l t y -> t <= below z l.
Proof.
elim: l => //= n l IH /andP[lt dl] [[-> _ //] | [_ _ /andP[_ //]] | /(IH dl) le]; exact: le_trans le (ltW lt).
Qed.

Lemma one_block z l t y : descending z l -> even z l -> covered z l t y -> moved z l t = y.
Proof.
elim: l => //= n l IH dl [fl el]; have /andP[lt dl'] := dl.
have zm : n.1.1 - below z l != 0 by rewrite subr_eq0 gt_eqF.
case=> [[-> ->] | [f -> /andP[mt _]] | c].
- by rewrite moved_between ?(ltW lt) // mulfV // scale1r addrC subrK.
- by rewrite moved_between // fl // subrr scaler0 addr0.
- by rewrite moved_under ?IH // (covered_le dl' c).
Qed.

(** ** The top nodes of a list, and the others *)

(** A flat node at the lower end goes to the next lower position. *)
Fixpoint relabel z C : seq node :=
  if C is n :: C' then (if nilp C' && n.2 then (n.1.1, z *: e, true) else n) :: relabel z C' else [::].

(** Every flat node has a lower neighbour of the same value, which is not flat. *)
Fixpoint plateaus l : bool :=
  if l is n :: l' then (n.2 ==> (if l' is n' :: _ then (n.1.2 == n'.1.2) && ~~ n'.2 else false)) && plateaus l' else true.

Lemma size_relabel z C : size (relabel z C) = size C.
Proof. by elim: C => //= n C ->. Qed.

Lemma below_relabel z C : below z (relabel z C) = below z C.
Proof. by case: C => //= n C; case: ifP. Qed.

Section Cut.

Variables (base : R) (rest : seq node).
Notation z := (below base rest).

Lemma below_cat C : below base (C ++ rest) = below z C.
Proof. by case: C. Qed.

Lemma relabel_descending C : descending base (C ++ rest) -> descending z (relabel z C).
Proof.
elim: C => //= n C IH /andP[lt /IH ->]; rewrite andbT below_relabel -below_cat.
by case: ifP.
Qed.

Lemma relabel_even C : plateaus (C ++ rest) -> even z (relabel z C).
Proof.
elim: C => //= n C IH /andP[/implyP fl /IH ev]; split=> // {IH ev}; case: C fl => [|n' C] /= fl.
  by case E : (n.2) => //=; rewrite E.
by move=> /fl /andP[/eqP -> /negbTE nf]; rewrite nf andbF.
Qed.

Lemma covered_cut C t y : plateaus (C ++ rest) -> covered base (C ++ rest) t y ->
  [\/ covered z (relabel z C) t y, covered z (relabel z C) t (z *: e) /\ covered base rest z y | covered base rest t y].
Proof.
elim: C => [|n C IH] /=; first by move=> _ c; constructor 3.
have next : plateaus (n :: C ++ rest) -> nilp C -> n.2 -> covered base rest z n.1.2.
  move=> /= /andP[/implyP fl _] /nilP C0 /fl; rewrite C0 /=; case: (rest) => //= n' l /andP[/eqP -> _].
  by constructor 1.
move=> pl; have /andP[_ pl'] := pl; case=> [[-> ->] | [f -> tz] | c].
- case: ifP => [/andP[C0 f] | _]; last by constructor 1; constructor 1.
  by constructor 2; split; [constructor 1 | exact: next].
- case: ifP => [/andP[C0 _] | _]; last by constructor 1; constructor 2; rewrite below_relabel -below_cat.
  constructor 2; split; last exact: next.
  by constructor 2; split=> //; rewrite below_relabel -below_cat.
- by have [c' | [c' r] | r] := IH pl' c; [constructor 1; constructor 3 | constructor 2; split=> //; constructor 3 | constructor 3].
Qed.

End Cut.

(** ** Blocks of width at most w *)

Definition run_ffs (fs : seq (feed_forward R d.+1)) (x : token) : token := foldl (fun x f => apply_ff f x) x fs.

Lemma covered_value z l t y b : all (fun n => inner u n.1.2 <= b) l -> covered z l t y -> inner u y <= b.
Proof. by elim: l => //= n l IH /andP[nb /IH H] [[_ -> //] | [_ -> _ //] | /H]. Qed.

Lemma descending_cat z C rest : descending z (C ++ rest) -> descending z rest.
Proof. by elim: C => //= n C IH /andP[_ /IH]. Qed.

Lemma plateaus_cat C rest : plateaus (C ++ rest) -> plateaus rest.
Proof. by elim: C => //= n C IH /andP[_ /IH]. Qed.

Lemma placement_count w base l : (0 < w)%N -> descending base l -> plateaus l -> all (fun n => inner u n.1.2 <= base) l ->
  exists fs, [/\ all (fun f => width f <= w)%N fs, (size fs * w < size l + w)%N,
    forall t y, covered base l t y -> run_ffs fs (t *: e) = y & forall x, inner u x <= base -> run_ffs fs x = x].
Proof.
move=> w0; have [n] := ubnP (size l); elim: n l => // n IH l ln dl pl vl.
have [l0 | l0] := eqVneq l [::]; first by exists [::]; rewrite l0.
have ls : (0 < size l)%N by rewrite lt0n size_eq0.
set C := take w l; set rest := drop w l; have lE : C ++ rest = l := cat_take_drop w l.
have rn : (size rest < n)%N.
  by rewrite size_drop; have lt : (size l - w < size l)%N; [rewrite ltn_subrL w0 | exact: leq_trans lt ln].
have vr : all (fun n => inner u n.1.2 <= base) rest by move: vl; rewrite -lE all_cat => /andP[].
rewrite -lE in dl pl; have [dr pr] := (descending_cat dl, plateaus_cat pl).
have [fs [fw fn fc fid]] := IH rest rn dr pr vr; set z := below base rest.
have bz : base <= z := below_ge dr.
exists (ridge_ff 1 u (ramp z (relabel z C)) :: fs).
have size_ramp z' l' : size (ramp z' l') = size l' by elim: l' => //= n' l' ->.
split.
- by rewrite /= fw andbT size_ramp size_relabel size_take; case: ltnP => // /ltnW.
- rewrite /= mulSn; move: fn; rewrite size_drop; case: (leqP w (size l)) => wl; first by rewrite subnK // => lt; rewrite addnC ltn_add2r.
  rewrite (eqP (ltnW wl : _ - _ == 0)%N) add0n -{2}[w]mul1n ltn_pmul2r // ltnS leqn0 => /eqP ->.
  by rewrite mul0n addn0 -{1}[w]add0n ltn_add2r.
- have step t' : apply_ff (ridge_ff 1 u (ramp z (relabel z C))) (t' *: e) = moved z (relabel z C) t'.
    by rewrite apply_ridge_ff scale1r innerZr ue mulr1.
  have dz : descending z (relabel z C) by exact: relabel_descending.
  have ez : even z (relabel z C) by exact: relabel_even.
  move=> t y; rewrite -lE => c; have yb : inner u y <= base by apply: covered_value c; rewrite lE.
  rewrite /run_ffs /= step -/(run_ffs fs _).
  have [c' | [c' r] | r] := covered_cut pl c.
  + by rewrite (one_block dz ez c') fid.
  + by rewrite (one_block dz ez c') (fc _ _ r).
  + by rewrite /moved ramp_low ?addr0 ?(fc _ _ r) // (covered_le dr r).
- move=> x xb; rewrite /run_ffs /= apply_ridge_ff scale1r ramp_low ?addr0 -/(run_ffs fs _) ?fid //.
    exact: relabel_descending.
  exact: le_trans xb bz.
Qed.

(** n / w, rounded up. *)
Definition ceil n w : nat := ((n + w.-1) %/ w)%N.

(** n nodes are served by n/w blocks of width w; what is at most base along u, the targets included, never moves. *)
Theorem placement w base l : (0 < w)%N -> descending base l -> plateaus l -> all (fun n => inner u n.1.2 <= base) l ->
  exists fs, [/\ all (fun f => width f <= w)%N fs, (size fs <= ceil (size l) w)%N,
    forall t y, covered base l t y -> run_ffs fs (t *: e) = y & forall x, inner u x <= base -> run_ffs fs x = x].
Proof.
move=> w0 dl pl vl; have [fs [fw fn fc fid]] := placement_count w0 dl pl vl.
exists fs; split=> //; rewrite /ceil leq_divRL // -ltnS; apply: leq_trans fn _.
by rewrite -addnS prednK.
Qed.

End Placement.
