(** When interpolation is possible: what is necessary.

    The image of a token depends only on the token and on the empirical measure of its sequence.
    So no hardmax transformer, of any depth and width, separates two sequences of equal measure,
    and none makes more distinct outputs than there are distinct tokens. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From Exactformer Require Import Semantics Basics.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** Equal empirical measures: every point has the same share of both lists *)

Section SameMeasure.

Variable T : eqType.
Implicit Types s t : seq T.

Definition same_measure s t : bool :=
  all (fun x => count_mem x s * size t == count_mem x t * size s)%N (s ++ t).

Lemma same_measureP s t :
  reflect (forall x, count_mem x s * size t = count_mem x t * size s)%N (same_measure s t).
Proof.
apply: (iffP allP) => [H x | H x _]; last by apply/eqP.
case: (boolP (x \in s ++ t)) => [/H/eqP // | ]; rewrite mem_cat negb_or => /andP[/count_memPn -> /count_memPn ->].
by rewrite !mul0n.
Qed.

Lemma same_measure_refl s : same_measure s s.
Proof. exact/same_measureP. Qed.

(** The list repeated m times. *)
Definition repeat m s : seq T := flatten (nseq m s).

Lemma count_repeat p m s : count p (repeat m s) = (count p s * m)%N.
Proof. by elim: m => [|m IH]; rewrite ?muln0 //= count_cat IH mulnS. Qed.

Lemma same_measure_perm s t : same_measure s t -> perm_eq (repeat (size t) s) (repeat (size s) t).
Proof. by move=> /same_measureP H; apply/allP => x _ /=; rewrite !count_repeat H. Qed.

Lemma same_measure_count p s t : same_measure s t -> (count p s * size t = count p t * size s)%N.
Proof. by move=> /same_measure_perm/permP/(_ p); rewrite !count_repeat. Qed.

Lemma same_measure_mem s t : s != [::] -> t != [::] -> same_measure s t -> s =i t.
Proof.
rewrite -!size_eq0 -!lt0n => s0 t0 /same_measureP H x; rewrite -!has_pred1 !has_count.
by have := congr1 (leq 1) (H x); rewrite !muln_gt0 s0 t0 !andbT.
Qed.

Lemma same_measure_big (V : zmodType) (F : T -> V) (p : pred T) s t : same_measure s t ->
  (\sum_(x <- s | p x) F x) *+ size t = (\sum_(x <- t | p x) F x) *+ size s.
Proof.
have E m r : \sum_(x <- repeat m r | p x) F x = (\sum_(x <- r | p x) F x) *+ m.
  by elim: m => [|m IH]; rewrite ?big_nil ?mulr0n //= big_cat IH mulrS.
by move=> /same_measure_perm P; rewrite -!E; exact: perm_big.
Qed.

End SameMeasure.

Lemma same_measure_map (T S : eqType) (f : T -> S) s t : same_measure s t -> same_measure (map f s) (map f t).
Proof.
by move=> H; apply/same_measureP => y; rewrite !count_map !size_map; exact: same_measure_count.
Qed.

(** ** Transformers see the token and the measure *)

Section Transformers.

Variables (R : realFieldType) (d : nat).
Notation token := 'cV[R]_d.
Implicit Types (s t xs ys : seq token) (tr : transformer R d).

Lemma same_mean (p : pred token) s t : s != [::] -> t != [::] -> same_measure s t ->
  mean (filter p s) = mean (filter p t).
Proof.
move=> s0 t0 H; have [n0 m0] := (mean_neq0 s0, mean_neq0 t0).
have Es := same_measure_big id p H; have Ec := same_measure_count p H.
rewrite /mean !big_filter !size_filter.
have [c0 | c0] := eqVneq (count p s) 0%N.
  have [-> | ct] := eqVneq (count p t) 0%N; first by rewrite c0 invr0 !scale0r.
  by move: Ec; rewrite c0 mul0n => /esym/eqP; rewrite muln_eq0 (negbTE ct) size_eq0 (negbTE s0).
have ct : count p t != 0%N.
  by apply: contra c0 => /eqP ct; move/eqP: Ec; rewrite ct mul0n muln_eq0 [size t == _]size_eq0 (negbTE t0) orbF.
have /(congr1 (fun n => n%:R : R)) := Ec; rewrite !natrM => {}Ec.
have cs' : (count p s)%:R != 0 :> R by rewrite pnatr_eq0.
have ct' : (count p t)%:R != 0 :> R by rewrite pnatr_eq0.
move: Es; rewrite -!scaler_nat => Es.
set S := \sum_(x <- s | p x) x in Es *; have -> : S = (size t)%:R^-1 *: ((size s)%:R *: \sum_(x <- t | p x) x).
  by rewrite -Es scalerA mulVf // scale1r.
have -> : (size s)%:R = (count p s)%:R * (size t)%:R / (count p t)%:R :> R.
  by rewrite Ec mulrAC mulfV // mul1r.
rewrite !scalerA; congr (_ *: _).
move: (count p s)%:R (count p t)%:R (size t)%:R cs' ct' m0 => x y z x0 y0 z0.
by field; rewrite x0 y0 z0.
Qed.

Lemma same_block (c : block R d) s t : s != [::] -> t != [::] -> same_measure s t ->
  exists g : token -> token, apply_block c s = map g s /\ apply_block c t = map g t.
Proof.
move=> s0 t0 H; case: c => ofs oa; pose g1 x := if ofs is Some f then apply_ff f x else x.
have E1 r : (if ofs is Some f then map (apply_ff f) r else r) = map g1 r.
  by rewrite /g1; case: (ofs) => [f|] //; rewrite map_id.
rewrite /apply_block /= !E1; case: oa => [a|]; last by exists g1.
pose g2 y := sa_rho a *: y + sa_V a *m mean (followed a (map g1 s) y).
exists (g2 \o g1); split; first by rewrite map_comp.
rewrite map_comp; apply: eq_map => y; rewrite /g2; congr (_ + _ *m _).
have H1 := same_measure_map g1 H.
have [s1 t1] : map g1 s != [::] /\ map g1 t != [::] by case: (s) s0; case: (t) t0.
have E2 : followed a (map g1 s) y =
    filter (fun z => all (fun z' => inner (sa_Q a *m y) (sa_K a *m z') <= inner (sa_Q a *m y) (sa_K a *m z)) (map g1 t))
      (map g1 s).
  by apply: eq_filter => z; apply: eq_all_r; exact: same_measure_mem.
by rewrite E2; symmetry; exact: same_mean.
Qed.

Theorem same_image tr s t : s != [::] -> t != [::] -> same_measure s t ->
  exists g : token -> token, run tr s = map g s /\ run tr t = map g t.
Proof.
elim: tr s t => [|c tr IH] s t s0 t0 H; first by exists id; rewrite !map_id.
have [g [Es Et]] := same_block c s0 t0 H.
have [s1 t1] : map g s != [::] /\ map g t != [::] by case: (s) s0; case: (t) t0.
have [h [Fs Ft]] := IH _ _ s1 t1 (same_measure_map g H).
by exists (h \o g); rewrite /run /= -/(run tr _) -/(run tr _) Es Et Fs Ft -!map_comp.
Qed.

(** Equal measures are never separated. *)
Theorem never_separated tr s t : s != [::] -> t != [::] -> same_measure s t -> run tr s =i run tr t.
Proof.
move=> s0 t0 H; have [g [-> ->]] := same_image tr s0 t0 H.
exact/eq_mem_map/same_measure_mem.
Qed.

(** No more outputs than distinct tokens. *)
Theorem never_more tr s : s != [::] -> (size (undup (run tr s)) <= size (undup s))%N.
Proof.
move=> s0; have [g [-> _]] := same_image tr s0 s0 (same_measure_refl s).
rewrite -(size_map g (undup s)); apply: uniq_leq_size; first exact: undup_uniq.
by move=> y; rewrite mem_undup => /mapP[x xs ->]; rewrite map_f // mem_undup.
Qed.

(** ** Feasible data *)

Definition feasible (data : dataset R d) : Prop :=
  (forall xs ys, (xs, ys) \in data -> [/\ xs != [::], ys != [::] & (size (undup ys) <= size (undup xs))%N]) /\
  (forall xs ys xs' ys', (xs, ys) \in data -> (xs', ys') \in data -> same_measure xs xs' -> ys =i ys').

Lemma run_neq0 tr s : s != [::] -> run tr s != [::].
Proof. by move=> s0; have [g [-> _]] := same_image tr s0 s0 (same_measure_refl s); case: s s0. Qed.

Theorem feasible_is_necessary tr (data : dataset R d) :
  (forall xs ys, (xs, ys) \in data -> xs != [::]) -> interpolates tr data -> feasible data.
Proof.
move=> ne H; split=> [xs ys xy | xs ys xs' ys' xy xy' m].
  have x0 := ne _ _ xy; split=> //.
    have := run_neq0 tr x0; case: (run tr xs) (H _ _ xy) => // z r /(_ z) /=.
    by rewrite inE eqxx; case: ys {xy}.
  apply: leq_trans (never_more tr x0); apply: uniq_leq_size; first exact: undup_uniq.
  by move=> y; rewrite !mem_undup (H _ _ xy).
move=> z; rewrite -(H _ _ xy) -(H _ _ xy'); exact: (never_separated tr (ne _ _ xy) (ne _ _ xy') m).
Qed.

End Transformers.
