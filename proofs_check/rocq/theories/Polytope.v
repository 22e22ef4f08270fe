(** The polytope conv L of a list L of points: vertices, faces, boundary.

    The definitions are the next fifteen lines; [vertexP] says that vertices are the extreme points of conv L. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From Exactformer Require Import Semantics Basics Dynamics Limits.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Polytope.

Variables (R : realFieldType) (d : nat).
Implicit Types (L : seq 'cV[R]_d) (h p q : 'cV[R]_d).

(** p is a point of L outside the hull of those that stand elsewhere. *)
Definition vertex L p : Prop := p \in L /\ ~ hull [seq q <- L | q != p] p.

(** p is on the face of conv L on which <h, .> is largest. *)
Definition on_face L h p : Prop := hull L p /\ forall q, hull L q -> inner h q <= inner h p.

(** p is in conv L, and points outside conv L are as close to p as one likes. *)
Definition on_boundary L p : Prop :=
  hull L p /\ forall eps, 0 < eps -> exists2 q : 'cV[R]_d, forall c, `|q c 0 - p c 0| < eps & ~ hull L q.

(** p is the only point of least A-norm of the face of conv L exposed by h. *)
Definition least_norm_on_face (A : 'M[R]_d) L h p : Prop :=
  on_face L h p /\ forall q, on_face L h q -> q != p -> normA A p < normA A q.

Lemma hull_le L h b p : (forall q, q \in L -> inner h q <= b) -> hull L p -> inner h p <= b.
Proof.
move=> H [w [w0 w1 ->]]; rewrite inner_sumr -[b]mul1r -w1 mulr_suml !big_seq.
by apply: ler_sum => q /H; rewrite innerZr; exact: ler_wpmul2l.
Qed.

Lemma hull_lt L h b p : (forall q, q \in L -> inner h q < b) -> hull L p -> inner h p < b.
Proof.
move=> H hp; have [e e0 E] := positive_min [seq b - inner h q | q <- L].
apply: (@le_lt_trans _ _ (b - e)); last by rewrite ltr_subl_addl ltr_addr.
apply: hull_le hp => q qL; rewrite ler_subr_addl -ler_subr_addr.
by apply: E; [exact: map_f | rewrite subr_gt0 H].
Qed.

(** ** Vertices are extreme points *)

(** The weight of a combination at p, and what is left of it. *)
Lemma cone_split L c p x : cone L c x -> exists b y,
  [/\ 0 <= b, 0 <= c - b, cone [seq q <- L | q != p] (c - b) y & x = b *: p + y].
Proof.
move=> [w [w0 <- ->]]; exists (\sum_(q <- L | q == p) w q), (\sum_(q <- L | q != p) w q *: q).
have E : \sum_(q <- L) w q - \sum_(q <- L | q == p) w q = \sum_(q <- L | q != p) w q.
  by rewrite (bigID (pred1 p)) /= addrAC subrr add0r.
split; rewrite ?E; try by rewrite sumr_ge0.
  by exists w; split=> //; rewrite big_filter.
rewrite (bigID (pred1 p)) /= scaler_suml; congr (_ + _).
by apply: eq_bigr => q /eqP ->.
Qed.

Lemma cone_0 L x : cone L 0 x -> x = 0.
Proof.
move=> [w [w0 /eqP E ->]]; rewrite big_seq big1 // => q qL; move: E.
by rewrite psumr_eq0 => [/allP/(_ q qL)/eqP -> | //]; rewrite scale0r.
Qed.

Lemma cone_scaled L c x : 0 < c -> cone L c x -> hull L (c^-1 *: x).
Proof. by move=> c0 /(coneZ (e := c^-1)); rewrite invr_ge0 (ltW c0) mulVf ?lt0r_neq0 //; exact. Qed.

(** p is in conv L, and strictly between two points of conv L only if both are p. *)
Definition extreme L p : Prop :=
  hull L p /\ forall x y t, hull L x -> hull L y -> 0 < t -> t < 1 -> p = t *: x + (1 - t) *: y -> x = p.

Lemma vertex_extreme L p : vertex L p -> extreme L p.
Proof.
move=> [pL out]; split=> [|x y t hx hy t0 t1]; first exact: hull_mem.
have [b [x' [_ b1 hx' ->]]] := cone_split p hx; have [e [y' [_ e1 hy' ->]]] := cone_split p hy => E.
have u0 : 0 < 1 - t by rewrite subr_gt0.
pose m := t * (1 - b) + (1 - t) * (1 - e).
have hm : cone [seq q <- L | q != p] m (t *: x' + (1 - t) *: y') by apply: coneD; apply: coneZ; rewrite // ltW.
have {}E : t *: x' + (1 - t) *: y' = m *: p.
  apply: (addrI (t *: (b *: p) + (1 - t) *: (e *: p))); rewrite addrACA -!scalerDr -E !scalerA -!scalerDl.
  by rewrite -[LHS]scale1r; congr (_ *: _); rewrite /m; ring.
have m0 : 0 <= m by rewrite addr_ge0 // mulr_ge0 // ltW.
case: (eqVneq m 0) => [m00 | mn]; last first.
  have mp : 0 < m by rewrite lt_def mn.
  by case: out; have := cone_scaled mp hm; rewrite E scalerA mulVf // scale1r.
have b0 : 1 - b = 0.
  move/eqP: m00; rewrite paddr_eq0 ?mulr_ge0 ?(ltW t0) ?(ltW u0) // => /andP[].
  by rewrite mulf_eq0 (gt_eqF t0) => /eqP.
by move: hx'; rewrite b0 => /cone_0 ->; rewrite addr0 -[RHS]scale1r -(subrK b 1) b0 add0r.
Qed.

Lemma extreme_vertex L p : extreme L p -> vertex L p.
Proof.
move=> [hp only]; have out : ~ hull [seq q <- L | q != p] p.
  move=> [w [w0 w1 E]]; set L' := [seq q <- L | q != p] in w1 E.
  have sub q : q \in L' -> q \in L by rewrite mem_filter => /andP[].
  have /hasP[q qL wq] : has (fun q => 0 < w q) L'.
    apply: contraT => /hasPn none; case/eqP: (oner_neq0 R); rewrite -w1; apply/eqP; rewrite psumr_eq0 //.
    by apply/allP => q /none; rewrite /= -leNgt => le; rewrite eq_le le w0.
  have W : \sum_(x <- rem q L') w x = 1 - w q by rewrite -w1 [in RHS](big_rem q) //= addrC addKr.
  have P : p = w q *: q + \sum_(x <- rem q L') w x *: x by rewrite [LHS]E (big_rem q).
  have hy : cone L (1 - w q) (\sum_(x <- rem q L') w x *: x).
    by rewrite -W; apply: cone_sum => x /mem_rem/sub xL; split; [exact: w0 | exact: hull_mem].
  have ne : q != p by move: qL; rewrite mem_filter => /andP[].
  have q1 : 0 <= 1 - w q by rewrite -W sumr_ge0.
  case: (eqVneq (1 - w q) 0) => [z | nz].
    have w_1 : w q = 1 by apply/esym/eqP; rewrite -subr_eq0 z.
    by case/eqP: ne; move: hy; rewrite z => /cone_0 y0; rewrite P y0 w_1 addr0 scale1r.
  have lt : 0 < 1 - w q by rewrite lt_def nz.
  case/eqP: ne; apply: (only _ _ (w q) (hull_mem (sub q qL)) (cone_scaled lt hy) wq); first by rewrite -subr_gt0.
  by rewrite scalerA mulfV // scale1r.
split=> //; apply: contraPT hp => pL; suff <- : [seq q <- L | q != p] = L by [].
by apply/all_filterP/allP => q qL; apply: contraNneq pL => <-.
Qed.

Theorem vertexP L p : vertex L p <-> extreme L p.
Proof. by split; [exact: vertex_extreme | exact: extreme_vertex]. Qed.

End Polytope.

