(** One block is not enough: [0] -> 0, [1] -> 1, [0, 1] -> 2 is feasible, and no single block does it.

    The outputs of a block on [0, 1] are  A + p v  and  B - q v  with p, q >= 0, where A and B are its outputs
    on [0] and on [1]; so 2 = 0 + p v asks for v > 0, and 2 = 1 - q v for v < 0. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From Exactformer Require Import Semantics Basics Measure Shallow.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section OneBlock.

Variable R : realFieldType.
Notation token := 'cV[R]_1.

Definition point (x : R) : token := x%:M.

Lemma point00 (x : R) : point x 0 0 = x.
Proof. by rewrite mxE eqxx mulr1n. Qed.

Lemma point_inj : injective point.
Proof. by move=> x y /matrixP/(_ 0 0); rewrite !mxE. Qed.

Definition three : dataset R 1 :=
  [:: ([:: point 0], [:: point 0]); ([:: point 1], [:: point 1]); ([:: point 0; point 1], [:: point 2%:R])].

Lemma three_feasible : feasible three.
Proof.
have ne : (point 1 == point 0) = false by apply/eqP => /point_inj/eqP; rewrite oner_eq0.
have ne' : (point 0 == point 1) = false by rewrite eq_sym.
split=> [xs ys | xs ys xs' ys']; rewrite !inE !xpair_eqE.
  by move=> /or3P[] /andP[/eqP -> /eqP ->]; split=> //=; rewrite ?inE ?ne'.
move=> /or3P[] /andP[/eqP -> /eqP ->] /or3P[] /andP[/eqP -> /eqP ->] //;
  by rewrite /same_measure /= ?eqxx ?ne ?ne' /= ?addn0 ?add0n.
Qed.

(** The mean of a nonempty part of [a, b] is a + p (b - a) with 0 <= p <= 1. *)
Lemma mean_between (a b : token) (P : pred token) : filter P [:: a; b] != [::] ->
  exists2 p : R, 0 <= p <= 1 & mean (filter P [:: a; b]) = a + p *: (b - a).
Proof.
have two : (2%:R : R) != 0 by rewrite pnatr_eq0.
rewrite /=; case: (P a); case: (P b) => // _; rewrite /mean /= ?big_cons ?big_nil ?addr0 ?invr1 ?scale1r.
- exists 2%:R^-1; first by rewrite invr_ge0 ler0n invf_le1 ?ltr0n // ler1n.
  rewrite scalerDr scalerBr addrC [RHS]addrCA; congr (_ + _).
  by apply/eqP; rewrite eq_sym subr_eq -scalerDl (_ : _ + _ = 1) ?scale1r //; field.
- by exists 0; rewrite ?lexx ?ler01 // scale0r addr0.
- by exists 1; rewrite ?lexx ?ler01 // scale1r addrC subrK.
Qed.

(** Attention on one token: everything ties. *)
Lemma attend_one (a : self_attention R 1) (x : token) : apply_sa a [:: x] = [:: sa_rho a *: x + sa_V a *m x].
Proof.
rewrite /apply_sa /= /followed /argmax /= lexx /=; congr [:: _ + _ *m _].
by rewrite /mean /= big_seq1 invr1 scale1r.
Qed.

Lemma attend_two (a : self_attention R 1) (x y z : token) : z \in [:: x; y] ->
  exists2 p : R, 0 <= p <= 1 &
    sa_rho a *: z + sa_V a *m mean (followed a [:: x; y] z) = sa_rho a *: z + sa_V a *m x + p *: (sa_V a *m (y - x)).
Proof.
move=> _; have [|p p01 E] := @mean_between x y
    (fun y' => all (fun z' => inner (sa_Q a *m z) (sa_K a *m z') <= inner (sa_Q a *m z) (sa_K a *m y')) [:: x; y]).
  exact: (@argmax_neq0 R 1 (fun y' => inner (sa_Q a *m z) (sa_K a *m y')) [:: x; y]).
exists p => //; rewrite /followed /argmax [in LHS]E mulmxDr addrA; congr (_ + _).
by rewrite -scalemxAr.
Qed.

Theorem one_block_is_not_enough (c : block R 1) : ~ interpolates [:: c] three.
Proof.
move=> H; pose f x := if block_ff c is Some g then apply_ff g x else x.
have run1 s : run [:: c] s = if block_sa c is Some a then apply_sa a (map f s) else map f s.
  by rewrite /run /= /apply_block /f; case: (block_ff c) => [g|] //; rewrite map_id.
have only s x : (s, [:: x]) \in three -> forall y, y \in run [:: c] s -> y = x.
  by move=> /H E y; rewrite E inE => /eqP.
have [T0 T1 T2] : [/\ ([:: point 0], [:: point 0]) \in three, ([:: point 1], [:: point 1]) \in three
                    & ([:: point 0; point 1], [:: point 2%:R]) \in three] by rewrite !inE !eqxx !orbT.
have := (only _ _ T0, only _ _ T1, only _ _ T2); rewrite !run1; case: (block_sa c) => [a|] [[E0 E1] E2]; last first.
  have /point_inj/eqP : point 0 = point 2%:R by rewrite -(E2 (f (point 0)) _) ?mem_head // (E0 (f (point 0))) ?mem_head.
  by rewrite eq_sym pnatr_eq0.
pose x := f (point 0); pose y := f (point 1); pose v := (sa_V a *m (y - x)) 0 0.
have A : sa_rho a *: x + sa_V a *m x = point 0 by apply: E0; rewrite attend_one mem_head.
have B : sa_rho a *: y + sa_V a *m y = point 1 by apply: E1; rewrite attend_one mem_head.
have [p /andP[p0 p1] Ex] := @attend_two a x y x (mem_head _ _).
have [|q /andP[q0 q1] Ey] := @attend_two a x y y; first by rewrite !inE eqxx orbT.
have Fx : p * v = 2%:R.
  have : point 0 + p *: (sa_V a *m (y - x)) = point 2%:R by rewrite -A -Ex; apply: E2; rewrite !inE eqxx.
  by move/matrixP/(_ 0 0); rewrite mxE !point00 add0r mxE.
have Fy : 1 - (1 - q) * v = 2%:R.
  have : point 1 - (1 - q) *: (sa_V a *m (y - x)) = point 2%:R.
    rewrite -(E2 (sa_rho a *: y + sa_V a *m mean (followed a [:: x; y] y))) ?inE ?eqxx ?orbT // Ey -B.
    have -> : sa_V a *m y = sa_V a *m x + sa_V a *m (y - x) by rewrite mulmxBr addrC subrK.
    by rewrite scalerBl scale1r opprB addrA addrAC addrA addrK.
  by move/matrixP/(_ 0 0); rewrite mxE !point00 mxE mxE.
have v0 : 0 < v.
  by rewrite ltNge; apply/negP => v0; have := mulr_ge0_le0 p0 v0; rewrite Fx lern0.
have : 1 - (1 - q) * v <= 1 by rewrite ger_addl oppr_le0 mulr_ge0 ?subr_ge0 // ltW.
by rewrite Fy lern1.
Qed.

End OneBlock.
