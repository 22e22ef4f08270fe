(** The compact method: exactness, given the two conditions its builder tests (Theorem C).

    After pooling everything happens on one axis: scale, K skew tents, a piecewise-linear memory f, L tents that read the
    L-th binary digit of its value, and a staircase that names the class.  One block each, all but three of one unit. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From Exactformer Require Import Semantics Basics Limits Softmax.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** Tents *)

Section Tents.

Variable R : realFieldType.
Implicit Types z v : R.

(** A feed-forward layer on an axis: eta z + sum_k w_k relu(u_k z + b_k), a unit being (u, b, w). *)
Record axis_layer := AxisLayer { axis_eta : R; axis_units : seq (R * R * R) }.

Definition axis_map (g : axis_layer) z : R :=
  axis_eta g * z + \sum_(p <- axis_units g) p.2 * Num.max 0 (p.1.1 * z + p.1.2).

(** 2 z - 4 relu(z - 1/2) *)
Definition tent : axis_layer := AxisLayer 2%:R [:: (1, - 2%:R^-1, - 4%:R)].

Lemma tentE z : axis_map tent z = if z <= 2%:R^-1 then 2%:R * z else 2%:R - 2%:R * z.
Proof.
rewrite /axis_map /= big_seq1 /= mul1r; case: leP => zh.
  by rewrite (max_idPl _) ?subr_le0 // mulr0 addr0.
by rewrite (max_idPr _) ?subr_ge0 ?(ltW zh) //; field.
Qed.

(** On [0,1] a tent is the distance of 2 z to the nearest even number, and L tents that of 2^L z. *)
Lemma tents_read L z v (m : int) : 0 <= z -> z <= 1 -> v <= 1 -> `|2%:R ^+ L * z - 2%:R * m%:~R| = v ->
  iter L (axis_map tent) z = v.
Proof.
elim: L z m => [|L IH] z m z0 z1 v1.
  rewrite expr0 mul1r /= => E; move: v1; rewrite -E; case: (ltrgt0P m) => m0.
  - have m1 : 1 <= m%:~R :> R by rewrite -[1]/(1%:~R) ler_int.
    rewrite ler_norml => /andP[lo _].
    have ge1 : 1 <= z by lin lo m1 m1.
    have z' : z = 1 by apply/eqP; rewrite eq_le z1.
    have m' : m%:~R <= (1 : R) by rewrite -(ler_pmul2l (ltr0Sn R 1)); lin lo z1.
    have -> : m%:~R = 1 :> R by apply/eqP; rewrite eq_le m' m1.
    by rewrite z' mulr1 distrC (_ : 2%:R - 1 = 1 :> R) ?normr1 //; ring.
  - have m1 : m%:~R <= -1 :> R by rewrite -[-1]/((-1)%:~R) ler_int -(ler_add2r 1) addNr lez_addr1.
    rewrite ler_norml => /andP[_ hi]; exfalso; lin hi z0 m1 m1.
  - by rewrite m0 mulr0 subr0 ger0_norm.
rewrite exprS iterSr tentE => E; case: leP => zh.
  apply: (IH _ m) => //; first by rewrite mulr_ge0 ?ler0n.
    by rewrite -ler_pdivl_mull ?ltr0n // mulr1.
  by rewrite mulrA (mulrC (_ ^+ L)).
apply: (IH _ (2%:Z ^+ L - m)) => //.
- by rewrite subr_ge0 -[X in _ <= X]mulr1 ler_pmul2l ?ltr0n.
- rewrite ler_subl_addr -ler_subl_addl; apply: ltW; rewrite -(ltr_pmul2l (ltr0Sn R 1)) mulfV ?pnatr_eq0 // in zh.
  by lin zh.
- rewrite -E rmorphB rmorphX /= (_ : 2%:~R = 2%:R :> R) // -normrN; congr `|_|.
  by move: (2%:R ^+ L) => p; ring.
Qed.

End Tents.

(** ** Blocks *)

Section Blocks.

Variables (R : realFieldType) (d : nat) (e : 'cV[R]_d).
Hypothesis e1 : inner e e = 1.
Notation token := 'cV[R]_d.

Definition axis_ff (g : axis_layer R) : feed_forward R d :=
  let us := axis_units g in
  FeedForward (axis_eta g) (\matrix_(i < size us, j < d) ((nth (0, 0, 0) us i).1.1 * e j 0))
    (\col_i (nth (0, 0, 0) us i).1.2) (\matrix_(j < d, i < size us) (e j 0 * (nth (0, 0, 0) us i).2)).

Definition axis_block (g : axis_layer R) : block R d := Block (Some (axis_ff g)) None.

(** Uniform attention: every token becomes <u, mean> e. *)
Definition pool_block (u : token) : block R d :=
  Block None (Some (@SelfAttention R d 1 0 (e *m u^T) 0 0)).

Lemma axis_ffE g z : apply_ff (axis_ff g) (z *: e) = axis_map g z *: e.
Proof.
rewrite /apply_ff /axis_map /= scalerDl scalerA; congr (_ + _).
apply/colP => j; rewrite !mxE (big_nth (0, 0, 0)) big_mkord mulr_suml; apply: eq_bigr => i _.
rewrite !mxE (_ : \sum_(k < d) _ = (nth (0, 0, 0) (axis_units g) i).1.1 * z); first by rewrite -mulrA mulrC.
rewrite -[RHS]mulr1 -e1 /inner mulr_sumr; apply: eq_bigr => k _; by rewrite !mxE mulrACA.
Qed.

Lemma pool_blockE u s : apply_block (pool_block u) s = [seq inner u (mean s) *: e | _ <- s].
Proof.
apply: eq_map => x /=; rewrite scale0r add0r /followed argmax_const => [|y y']; last by rewrite /= !mul0mx !inner0l.
rewrite /= -mulmxA; apply/colP => j; rewrite !mxE big_ord1 !mxE mulrC; congr (_ * _).
by apply: eq_bigr => k _; rewrite !mxE.
Qed.

Lemma run_cons (b : block R d) bs s : run (b :: bs) s = run bs (apply_block b s).
Proof. by []. Qed.

Lemma axis_blockE g t (T : Type) (s : seq T) :
  apply_block (axis_block g) [seq t *: e | _ <- s] = [seq axis_map g t *: e | _ <- s].
Proof.
rewrite -[LHS]/[seq apply_ff (axis_ff g) y | y <- [seq t *: e | _ <- s]] -map_comp.
by apply: eq_map => x; exact: axis_ffE.
Qed.

Lemma run_axis (gs : seq (axis_layer R)) (t : R) (T : Type) (s : seq T) :
  run (map axis_block gs) [seq t *: e | _ <- s] = [seq foldl (fun z g => axis_map g z) t gs *: e | _ <- s].
Proof. by elim: gs t => // g gs IH t; rewrite [map _ _]/= run_cons axis_blockE IH. Qed.

End Blocks.

(** ** Theorem C *)

Lemma foldl_nseq (R : realFieldType) (g : axis_layer R) n z : foldl (fun z g => axis_map g z) z (nseq n g) = iter n (axis_map g) z.
Proof. by elim: n z => //= n IH z; rewrite IH -iterSr. Qed.

Theorem compact (R : realFieldType) (d : nat) (e u : 'cV[R]_d) (scale skew memory staircase : axis_layer R) (K L : nat)
    (data : seq (seq 'cV[R]_d * R)) :
  inner e e = 1 ->
  (forall xs y, (xs, y) \in data -> xs != [::] /\
    let X := iter K (axis_map skew) (axis_map scale (inner u (mean xs))) in
    let f := axis_map memory X in
    (* (a) the memory's value is in [0,1]; (b) the distance v of 2^L f to an even number is on the plateau of y *)
    0 <= f <= 1 /\ exists v (m : int), [/\ v <= 1, `|2%:R ^+ L * f - 2%:R * m%:~R| = v & axis_map staircase v = y]) ->
  let t := pool_block e u :: map (axis_block e) (scale :: nseq K skew ++ memory :: nseq L (tent R) ++ [:: staircase]) in
  let targets := [seq (p.1, [:: p.2 *: e]) | p <- data] in
  size t = (K + L + 4)%N /\ interpolates t targets /\ forall phi : R -> R, phi 0 != 0 -> soft_interpolates phi t targets.
Proof.
move=> e1 H t targets.
have I : interpolates t targets.
  move=> xs ys /mapP[[xs' y] xy [-> ->]]; have [x0 [/andP[f0 f1] [v [m [v1 Ev Ey]]]]] := H _ _ xy.
  rewrite /t run_cons pool_blockE run_axis // [foldl _ _ _]/= foldl_cat foldl_nseq [foldl _ _ _]/= foldl_cat foldl_nseq.
  rewrite (tents_read f0 f1 v1 Ev) [foldl _ _ _]/= Ey.
  by move=> x; case: xs' x0 {xy f0 f1 Ev} => // x' l _; elim: l => //= x'' l IH; rewrite inE IH inE orbb.
split; first by rewrite /t /= size_map size_cat /= size_cat !size_nseq /= addn1 !addnS ?addn0.
split=> // phi p0 xs ys xy x; rewrite soft_is_hard //; first exact: I.
split; first by left.
by rewrite -/(map (axis_block e) _); elim: (_ :: _) => //= g gs IH; split.
Qed.
