(** Small facts about the semantics that several files use. *)

From mathcomp Require Import all_ssreflect all_algebra.
From Exactformer Require Import Semantics.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Inner.

Variables (R : realFieldType) (h : nat).
Implicit Types x y z : 'cV[R]_h.

Lemma innerDl x y z : inner (x + y) z = inner x z + inner y z.
Proof. by rewrite -big_split; apply: eq_bigr => i _; rewrite mxE mulrDl. Qed.

Lemma innerDr x y z : inner x (y + z) = inner x y + inner x z.
Proof. by rewrite -big_split; apply: eq_bigr => i _; rewrite mxE mulrDr. Qed.

Lemma innerZl a x y : inner (a *: x) y = a * inner x y.
Proof. by rewrite /inner mulr_sumr; apply: eq_bigr => i _; rewrite mxE mulrA. Qed.

Lemma innerZr a x y : inner x (a *: y) = a * inner x y.
Proof. by rewrite /inner mulr_sumr; apply: eq_bigr => i _; rewrite mxE mulrCA. Qed.

Lemma innerC x y : inner x y = inner y x.
Proof. by apply: eq_bigr => i _; rewrite mulrC. Qed.

Lemma inner0l y : inner 0 y = 0.
Proof. by rewrite -(scale0r 0) innerZl mul0r. Qed.

Lemma inner0r x : inner x 0 = 0.
Proof. by rewrite innerC inner0l. Qed.

Lemma innerNr x y : inner x (- y) = - inner x y.
Proof. by rewrite -scaleN1r innerZr mulN1r. Qed.

Lemma innerBr x y z : inner x (y - z) = inner x y - inner x z.
Proof. by rewrite innerDr innerNr. Qed.

Lemma inner_sumr (A : Type) x (s : seq A) (f : A -> 'cV[R]_h) :
  inner x (\sum_(a <- s) f a) = \sum_(a <- s) inner x (f a).
Proof. by elim: s => [|a s IH]; rewrite ?big_nil ?inner0r // !big_cons innerDr IH. Qed.

Lemma inner_gt0 x : x != 0 -> 0 < inner x x.
Proof.
move=> x0; rewrite lt_def sumr_ge0 ?andbT => [|i _]; last by rewrite -expr2 sqr_ge0.
apply: contra x0 => /eqP E; apply/eqP/colP => i; rewrite mxE; apply/eqP.
rewrite -sqrf_eq0 expr2; apply/eqP.
have /psumr_eq0P : forall j, true -> 0 <= x j 0 * x j 0 by move=> j _; rewrite -expr2 sqr_ge0.
by move/(_ E i isT).
Qed.

End Inner.

Lemma exists_max (R : realFieldType) (T : eqType) (f : T -> R) (s : seq T) :
  s != [::] -> exists2 y, y \in s & forall z, z \in s -> f z <= f y.
Proof.
elim: s => // x s IH _; case: (eqVneq s [::]) => [-> | /IH [y ys H]].
  by exists x; rewrite ?inE // => z; rewrite inE => /eqP->.
case: (leP (f x) (f y)) => xy.
  by exists y; rewrite ?inE ?ys ?orbT // => z; rewrite inE => /orP[/eqP-> | /H].
exists x; rewrite ?inE ?eqxx // => z; rewrite inE => /orP[/eqP-> // | /H zy].
exact: le_trans zy (ltW xy).
Qed.

Section Argmax.

Variables (R : realFieldType) (d : nat).
Implicit Types (f : 'cV[R]_d -> R) (s : seq 'cV[R]_d) (x y : 'cV[R]_d).

Lemma mem_argmax f s y : (y \in argmax f s) = (y \in s) && all (fun z => f z <= f y) s.
Proof. by rewrite mem_filter andbC. Qed.

Lemma argmaxP f s y : reflect (y \in s /\ forall z, z \in s -> f z <= f y) (y \in argmax f s).
Proof. by rewrite mem_argmax; apply: (iffP andP) => -[ys /allP H]; split. Qed.

Lemma argmax_neq0 f s : s != [::] -> argmax f s != [::].
Proof.
move=> /(exists_max f)[y ys H].
by have : y \in argmax f s; [apply/argmaxP | case: (argmax f s)].
Qed.

Lemma argmax_const f s : (forall x y, f x = f y) -> argmax f s = s.
Proof. by move=> H; apply/all_filterP/allP=> y _; apply/allP=> z _; rewrite (H z y). Qed.

Lemma mean_neq0 s : s != [::] -> (size s)%:R != 0 :> R.
Proof. by rewrite pnatr_eq0 size_eq0. Qed.

Lemma mean_affine s x a : s != [::] -> mean [seq a *: y + x | y <- s] = a *: mean s + x.
Proof.
move=> /mean_neq0 s0; rewrite /mean size_map big_map big_split /= -scaler_sumr.
rewrite big_const_seq iter_addr_0 count_predT scalerDr scalerA mulrC -scalerA; congr (_ + _).
by rewrite -scaler_nat scalerA mulVf // scale1r.
Qed.

End Argmax.
