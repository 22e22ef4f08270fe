(** Certificates of vertices, separations and projections (FORMAT.md, section 5): what they say, executable checkers, proofs. *)

From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ssrZ ring.
From Exactformer Require Import Semantics Basics Certificate Checker CheckerNumbers CheckerSound Dynamics PowerSums.
From Exactformer Require Import LimitChecker LimitTests Polytope Limits Labels.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** What they say.  Weights are pairs of an index and a number. *)

Inductive geometry :=
  | Vertex of seq (seq Q) & nat & seq Q                                            (* points, index, normal *)
  | NoVertex of seq (seq Q) & nat & seq (nat * Q)                                  (* points, index, weights *)
  | Separated of seq (seq Q) & seq (seq Q) & seq Q & Q                             (* left, right, normal, offset *)
  | Meeting of seq (seq Q) & seq (seq Q) & seq (nat * Q) & seq (nat * Q)           (* left, right, their weights *)
  | Projection of seq (seq Q) & seq (seq Q) & seq Q & seq (nat * Q).               (* A, points, projection, weights *)

Section Claim.

Variables (R : realFieldType) (d : nat).
Let points (l : seq (seq Q)) : seq 'cV[R]_d := map (vector R d) l.

Definition geometry_says (g : geometry) : Prop :=
  match g with
  | Vertex l i _ => vertex (points l) (nth 0 (points l) i)
  | NoVertex l i _ => let p := nth 0 (points l) i in hull [seq q <- points l | q != p] p
  | Separated l r h b => forall x y, hull (points l) x -> hull (points r) y ->
      inner (vector R d h) y < value R b < inner (vector R d h) x
  | Meeting l r _ _ => exists x, hull (points l) x /\ hull (points r) x
  | Projection A l x _ => let A := matrix_of R d d (Dense A) in let x := vector R d x in
      [/\ A^T = A, forall y : 'cV[R]_d, y != 0 -> 0 < inner (A *m y) y, hull (points l) x
        & forall y, hull (points l) y -> y != x -> normA A x < normA A y]
  end.

End Claim.

Definition shaped_geometry (d : nat) (g : geometry) : bool :=
  match g with
  | Vertex l _ h => shaped_points d l && (size h == d)
  | NoVertex l _ _ => shaped_points d l
  | Separated l r h _ => [&& shaped_points d l, shaped_points d r & size h == d]
  | Meeting l r _ _ => shaped_points d l && shaped_points d r
  | Projection A l x _ => [&& shaped_matrix d d (Dense A), shaped_points d l & size x == d]
  end.

Definition geometry_claim (d : nat) (g : geometry) : Prop :=
  shaped_geometry d g /\ forall R : realFieldType, geometry_says R d g.

(** ** The checker *)

Section Checker.

Variable I : integers.
Let O : I := of_Z I Z0.

(** The sum of the weights, and the combination, over the denominator of the weights (times that of the points). *)
Definition share (l : seq (nat * Q)) : I := common I [seq w.2 | w <- l].
Definition shares (l : seq (nat * Q)) (s : state I) : seq (I * seq I) :=
  [seq (clear (share l) w.2, nth [::] (vectors s) w.1) | w <- l].
Definition combined (l : seq (nat * Q)) (s : state I) : seq I := sumv [seq scale p.1 p.2 | p <- shares l s].

Definition check_weights (l : seq (nat * Q)) (s : state I) : bool :=
  [&& all (fun w => w.1 < size (vectors s))%N l, all (fun p => leb O p.1) (shares l s)
    & eqb (total [seq p.1 | p <- shares l s]) (share l)].

Section Points.

Variables (d : nat) (s t : state I).     (* point lists *)

Definition check_vertex (i : nat) (h : seq Q) : bool :=
  let h' := map (clear (common I h)) h in
  let X := nth [::] (vectors s) i in
  [&& (i < size (vectors s))%N, (size h <= d)%N & all (fun Y => same d Y X || ~~ leb (dot h' X) (dot h' Y)) (vectors s)].

Definition check_no_vertex (i : nat) (w : seq (nat * Q)) : bool :=
  let X := nth [::] (vectors s) i in
  [&& (i < size (vectors s))%N, check_weights w s, all (fun p => ~~ same d p.2 X) (shares w s)
    & same d (scale (share w) X) (combined w s)].

Definition check_separated (h : seq Q) (b : Q) : bool :=
  let c := common I h in
  let h' := map (clear c) h in
  let b' := of_Z I (Qnum b) in
  [&& (size h <= d)%N,
      all (fun X => ~~ leb (mul (dot h' X) (den I b)) (mul b' (mul c (over s)))) (vectors s)
    & all (fun Y => ~~ leb (mul b' (mul c (over t))) (mul (dot h' Y) (den I b))) (vectors t)].

Definition check_meeting (u v : seq (nat * Q)) : bool :=
  [&& check_weights u s, check_weights v t
    & same d (scale (mul (share v) (over t)) (combined u s)) (scale (mul (share u) (over s)) (combined v t))].

(** M are the rows of A over one denominator. *)
Definition check_projection (M : seq (seq I)) (x : seq Q) (w : seq (nat * Q)) : bool :=
  let k := common I x in
  let X := map (clear k) x in
  let AX := apply M X in
  [&& symmetric d M, definite d M, all (fun r => size r == d) M, check_weights w s,
      same d (scale (mul (share w) (over s)) X) (scale k (combined w s))
    & all (fun Y => leb (mul (over s) (dot AX X)) (mul k (dot AX Y))) (vectors s)].

End Points.

Definition check_points_of (d : nat) (g : geometry) : bool :=
  let points := clear_rows I in
  match g with
  | Vertex l i h => check_vertex d (points l) i h
  | NoVertex l i w => check_no_vertex d (points l) i w
  | Separated l r h b => check_separated d (points l) (points r) h b
  | Meeting l r u v => check_meeting d (points l) (points r) u v
  | Projection A l x w =>
      shaped_matrix d d (Dense A) && check_projection d (points l) (vectors (points A)) x w
  end.

Definition check_geometry (d : nat) (g : geometry) : bool := shaped_geometry d g && check_points_of d g.

End Checker.

(** ** Its proof *)

Section Sound.

Variables (I : integers) (R : realFieldType) (d : nat).
Notation O := (of_Z I Z0).
Notation phi := (@phi I R).
Notation vec := (@vec I R d).

(** *** Weights *)

Section Weights.

Variables (s : state I) (w : seq (nat * Q)).
Hypothesis s_pos : pos (over s).
Hypothesis w_ok : check_weights w s.
Notation tok X := ((phi (over s))^-1 *: vec X).
Notation L := (denote R d s).

Lemma share_gt0 : 0 < phi (share I w). Proof. exact/phi_gt0/pos_common. Qed.

Lemma share_in p : p \in [seq tok q.2 | q <- shares w s] -> p \in L.
Proof.
case/and3P: w_ok => /allP inside _ _; rewrite -map_comp => /mapP[v vw ->] /=.
by apply/(nthP 0); exists v.1; rewrite ?size_map ?inside // (nth_map [::]) ?inside.
Qed.

Lemma combinedP (L' : seq 'cV[R]_d) : (forall p, p \in [seq tok q.2 | q <- shares w s] -> p \in L') ->
  hull L' ((phi (share I w))^-1 *: tok (combined w s)).
Proof.
case/and3P: w_ok => _ w0 /(phi_eq (R := R)) w1 inL; set W := share I w in w1 *.
have W0 : phi W != 0 by exact: lt0r_neq0 share_gt0.
pose ps := [seq (phi p.1 / phi W, tok p.2) | p <- shares w s].
have sum1 : \sum_(p <- ps) p.1 = 1.
  by rewrite big_map /= -mulr_suml -(big_map (fun p => p.1) predT phi) -phi_total w1 mulfV.
have -> : (phi W)^-1 *: tok (combined w s) = \sum_(p <- ps) p.1 *: p.2.
  rewrite [RHS]big_map vec_sum big_map scalerA scaler_sumr; apply: eq_bigr => p _ /=.
  by rewrite vec_scale !scalerA; congr (_ *: _); ring.
rewrite /hull -sum1; apply: cone_parts.
  rewrite all_map; apply: sub_all w0 => p /=; rewrite (phi_ge0 R) => p0.
  by rewrite divr_ge0 // ltW // share_gt0.
by rewrite all_map -(all_map (fun p => tok p.2) (fun p => p \in L')); exact/allP.
Qed.

End Weights.

(** *** Heights over a hyperplane *)

Lemma heightE (s : state I) (h : seq Q) Y : pos (over s) -> (size h <= d)%N ->
  phi (dot (map (clear (common I h)) h) Y) =
  phi (common I h) * phi (over s) * inner (vector R d h) ((phi (over s))^-1 *: vec Y).
Proof.
move=> s_pos hd; rewrite (phi_dot (n := d)) ?size_map // vec_clear; last exact: dividing_common.
by rewrite innerZl innerZr mulrA mulfK // phi_neq0.
Qed.

Lemma common_gt0 (h : seq Q) : 0 < phi (common I h). Proof. exact/phi_gt0/pos_common. Qed.

Lemma nth_denote (s : state I) i : (i < size (vectors s))%N ->
  nth 0 (denote R d s) i = (phi (over s))^-1 *: vec (nth [::] (vectors s) i).
Proof. by move=> iv; rewrite (nth_map [::]). Qed.

Lemma all_denote (s : state I) (p : pred (seq I)) (q : 'cV[R]_d -> Prop) : all p (vectors s) ->
  (forall Y, p Y -> q ((phi (over s))^-1 *: vec Y)) -> forall y, y \in denote R d s -> q y.
Proof.
move=> pv pq y /(nthP 0)[i]; rewrite size_map => iv <-; rewrite nth_denote //; apply: pq.
by move/(all_nthP [::]): pv; exact.
Qed.

Lemma check_vertexP (s : state I) i h : pos (over s) -> check_vertex d s i h ->
  vertex (denote R d s) (nth 0 (denote R d s) i).
Proof.
move=> s_pos /and3P[iv hd far].
set p := nth 0 _ i; have pE : p = (phi (over s))^-1 *: vec (nth [::] (vectors s) i) by exact: nth_denote.
split=> [|inner_hull]; first by rewrite mem_nth // size_map.
suff lt q : q \in [seq q <- denote R d s | q != p] -> inner (vector R d h) q < inner (vector R d h) p.
  by have := hull_lt lt inner_hull; rewrite ltxx.
rewrite mem_filter => /andP[qp qs]; move: qp; move: q qs.
apply: (all_denote (q := fun q => q != p -> inner (vector R d h) q < inner (vector R d h) p) far) => Y /orP[E | lt] ne.
  by case/eqP: ne; rewrite pE; congr (_ *: _); apply/eqP; rewrite -sameP.
move: lt; rewrite -(phi_le R) -ltNge !(heightE _ s_pos hd) -pE ltr_pmul2l //.
by rewrite mulr_gt0 ?common_gt0 ?phi_gt0.
Qed.

Lemma check_no_vertexP (s : state I) i w (p := nth 0 (denote R d s) i) : pos (over s) -> check_no_vertex d s i w ->
  hull [seq q <- denote R d s | q != p] p.
Proof.
move=> s_pos /and4P[iv ok away E]; have pE : p = (phi (over s))^-1 *: vec (nth [::] (vectors s) i) by exact: nth_denote.
have W0 := share_gt0 w.
have pC : p = (phi (share I w))^-1 *: ((phi (over s))^-1 *: vec (combined w s)).
  move: E; rewrite (sameP R) vec_scale => /eqP <-.
  by rewrite pE [in RHS]scalerA mulrC -[in RHS]scalerA [in RHS](scalerA _ (phi (share I w))) mulVf ?scale1r // lt0r_neq0.
rewrite [X in hull _ X]pC; apply: combinedP => // q qs; rewrite mem_filter (share_in ok qs) andbT.
move: qs => /(nthP 0)[j]; rewrite size_map => js <-; rewrite (nth_map (O, [::])) //.
move/(all_nthP (O, [::]))/(_ j js): away; rewrite (sameP R) => ne.
by rewrite pE (inj_eq (scalerI _)) // invr_eq0 phi_neq0.
Qed.

Lemma check_separatedP (s t : state I) h b x y : pos (over s) -> pos (over t) -> check_separated d s t h b ->
  hull (denote R d s) x -> hull (denote R d t) y -> inner (vector R d h) y < value R b < inner (vector R d h) x.
Proof.
move=> s_pos t_pos /and3P[hd above below].
have b_gt0 : 0 < phi (den I b) by exact/phi_gt0/pos_den.
have bE : phi (of_Z I (Qnum b)) = value R b * phi (den I b).
  by rewrite (valueE I) mulfVK ?lt0r_neq0 // /CheckerNumbers.phi of_ZK.
have cut (u : state I) Y : pos (over u) -> phi (mul (dot (map (clear (common I h)) h) Y) (den I b)) =
    phi (common I h) * phi (over u) * phi (den I b) * inner (vector R d h) ((phi (over u))^-1 *: vec Y).
  by move=> u_pos; rewrite phiM (heightE _ u_pos hd) mulrAC.
have level (u : state I) : phi (mul (of_Z I (Qnum b)) (mul (common I h) (over u))) =
    phi (common I h) * phi (over u) * phi (den I b) * value R b.
  by rewrite !phiM bE; ring.
have scale_gt0 (u : state I) : pos (over u) -> 0 < phi (common I h) * phi (over u) * phi (den I b).
  by move=> u_pos; rewrite !mulr_gt0 // ?common_gt0 //; exact: phi_gt0.
move=> hx hy; apply/andP; split.
  apply: hull_lt hy; apply: (all_denote (q := fun q => inner (vector R d h) q < value R b) below) => Y.
  by rewrite -(phi_le R) -ltNge (cut t) // level ltr_pmul2l // scale_gt0.
have opp z : inner (- vector R d h) z = - inner (vector R d h) z by rewrite innerC innerNr innerC.
suff lt q : q \in denote R d s -> inner (- vector R d h) q < - value R b.
  by have := hull_lt lt hx; rewrite opp ltr_opp2.
rewrite opp ltr_opp2; move: q; apply: (all_denote (q := fun q => value R b < inner (vector R d h) q) above) => Y.
by rewrite -(phi_le R) -ltNge (cut s) // level ltr_pmul2l // scale_gt0.
Qed.

Lemma check_meetingP (s t : state I) u v : pos (over s) -> pos (over t) -> check_meeting d s t u v ->
  exists x, hull (denote R d s) x /\ hull (denote R d t) x.
Proof.
move=> s_pos t_pos /and3P[cu cv E].
exists ((phi (share I u))^-1 *: ((phi (over s))^-1 *: vec (combined u s))); split.
  by apply: combinedP => // q; exact: share_in.
have -> : (phi (share I u))^-1 *: ((phi (over s))^-1 *: vec (combined u s)) =
          (phi (share I v))^-1 *: ((phi (over t))^-1 *: vec (combined v t)).
  move: E; rewrite (sameP R) !vec_scale !phiM => /eqP E.
  have [u0 v0] := (lt0r_neq0 (share_gt0 u), lt0r_neq0 (share_gt0 v)).
  have [s0 t0] := (phi_neq0 R s_pos, phi_neq0 R t_pos).
  have k0 : phi (share I v) * phi (over t) * (phi (share I u) * phi (over s)) != 0 by rewrite !mulf_neq0.
  apply: (scalerI k0); transitivity ((phi (share I v) * phi (over t)) *: vec (combined u s)).
    by rewrite !scalerA; congr (_ *: _); field; rewrite u0 s0.
  by rewrite E !scalerA; congr (_ *: _); field; rewrite v0 t0.
by apply: combinedP => // q; exact: share_in.
Qed.

(** *** Projections *)

Section Projections.

Variables (rows : seq (seq Q)).
Hypothesis shape : shaped_matrix d d (Dense rows).
Notation M := (vectors (clear_rows I rows)).
Notation A := (matrix_of R d d (Dense rows)).
Notation k := (over (clear_rows I rows)).

Lemma entryE i j : phi (nth O (nth [::] M i) j) = phi k * value R (nth zero (nth [::] rows i) j).
Proof. by rewrite nth_map_clear nth_clear //; apply/dividing_flatten/dividing_common. Qed.

Lemma k_gt0 : 0 < phi k. Proof. exact/phi_gt0/pos_common. Qed.

Lemma matE : mat R d d M = phi k *: A.
Proof. by apply/matrixP => i j; rewrite !mxE entryE. Qed.

Lemma symmetricP : symmetric d M -> A^T = A.
Proof.
move=> /allP sym; apply/matrixP => i j; rewrite !mxE /=; apply: (mulfI (lt0r_neq0 k_gt0)); rewrite -!entryE.
have/allP row := sym j (etrans (mem_iota 0 d j) (ltn_ord j)).
exact/phi_eq/(row i (etrans (mem_iota 0 d i) (ltn_ord i))).
Qed.

Lemma definite_pos x : symmetric d M -> definite d M -> x != 0 -> 0 < inner (A *m x) x.
Proof.
move=> /allP sym def x0; rewrite -(pmulr_rgt0 _ k_gt0).
pose y i := if insub i is Some j then x j 0 else 0.
have yE (i : 'I_d) : y i = x i 0 by rewrite /y valK.
have -> : phi k * inner (A *m x) x = form d M y.
  rewrite /inner mulr_sumr; apply: eq_bigr => i _; rewrite mxE mulr_suml mulr_sumr; apply: eq_bigr => j _.
  by rewrite !yE entryE !mxE /=; ring.
apply: definiteP def _ => [i j il jl | ].
  by move/(_ i): sym; rewrite mem_iota => /(_ il)/allP/(_ j); rewrite mem_iota => /(_ jl)/phi_eq.
case: (boolP [exists i, x i 0 != 0]) => [/existsP[i xi] | /existsPn H].
  by exists i; rewrite ?yE.
by case/eqP: x0; apply/colP => i; rewrite mxE; apply/eqP; move: (H i); rewrite negbK.
Qed.

Lemma check_projectionP (s : state I) x w : pos (over s) -> check_projection d s M x w ->
  let x := vector R d x in
  [/\ A^T = A, forall y : 'cV[R]_d, y != 0 -> 0 < inner (A *m y) y, hull (denote R d s) x
    & forall y, hull (denote R d s) y -> y != x -> normA A x < normA A y].
Proof.
move=> s_pos /and5P[sym def sized ok /andP[E far]] p.
have A_sym := symmetricP sym; have A_pos := fun y => @definite_pos y sym def.
set X := map _ x in E far; set n := common I x in X E far.
have n0 : 0 < phi n by exact: common_gt0.
have o0 := phi_gt0 R s_pos; have W0 := share_gt0 w.
have XE : vec X = phi n *: p by rewrite vec_clear //; exact: dividing_common.
have pE : p = (phi (share I w))^-1 *: ((phi (over s))^-1 *: vec (combined w s)).
  move: E; rewrite (sameP R) !vec_scale XE phiM !scalerA => /eqP E.
  apply: (scalerI (lt0r_neq0 (mulr_gt0 (mulr_gt0 W0 o0) n0))); rewrite [LHS]E !scalerA; congr (_ *: _).
  by field; rewrite !lt0r_neq0.
have hp : hull (denote R d s) p by rewrite pE; apply: combinedP => // q; exact: share_in.
have shorter q : q \in denote R d s -> normA A p <= dotA A p q.
  move: q; apply: (all_denote (q := fun q => normA A p <= dotA A p q) far) => Y.
  have sized' : all (fun r => size r <= d)%N M by apply: sub_all sized => r /eqP ->.
  have dotE Z : phi (dot (apply M X) Z) = phi k * phi n * inner (A *m p) (vec Z).
    rewrite (phi_dot (n := d)); last by rewrite size_map size_map; case/andP: shape => /eqP ->.
    by rewrite (vec_apply (m := d) (n := d)) // matE XE -scalemxAl -scalemxAr innerZl innerZl mulrA.
  rewrite -(phi_le R) !phiM !dotE XE innerZr /normA /dotA innerZr.
  have -> : phi (over s) * (phi k * phi n * (phi n * inner (A *m p) p)) =
            (phi k * phi n * phi n * phi (over s)) * inner (A *m p) p by ring.
  have -> : phi n * (phi k * phi n * inner (A *m p) (vec Y)) =
            (phi k * phi n * phi n * phi (over s)) * ((phi (over s))^-1 * inner (A *m p) (vec Y)).
    by field; rewrite lt0r_neq0.
  by rewrite ler_pmul2l // !mulr_gt0 // k_gt0.
split=> // y hy.
have all_face : face_points (denote R d s) 0 = denote R d s.
  by apply/all_filterP/allP => z _; apply/allP => z' _; rewrite !inner0l.
have [_ least] : least_norm_on_face A (denote R d s) 0 p by apply: face_projection; rewrite ?all_face.
by apply: least; split=> // q _; rewrite !inner0l.
Qed.

End Projections.

Lemma check_geometryP g : check_points_of I d g -> geometry_says R d g.
Proof.
case: g => [l i h | l i w | l r h b | l r u v | A l x w] /=.
- by have [s0 <-] := clear_rowsP (R := R) (I := I) d l; exact: check_vertexP.
- by have [s0 <-] := clear_rowsP (R := R) (I := I) d l; exact: check_no_vertexP.
- have [s0 <-] := clear_rowsP (R := R) (I := I) d l; have [t0 <-] := clear_rowsP (R := R) (I := I) d r.
  by move=> H x y; exact: check_separatedP.
- have [s0 <-] := clear_rowsP (R := R) (I := I) d l; have [t0 <-] := clear_rowsP (R := R) (I := I) d r.
  exact: check_meetingP.
- case/andP => shape; have [s0 <-] := clear_rowsP (R := R) (I := I) d l; exact: check_projectionP.
Qed.

End Sound.

Theorem check_geometry_sound (I : integers) d g : check_geometry I d g = true -> geometry_claim d g.
Proof. by case/andP => shape H; split=> // R; exact: check_geometryP H. Qed.
