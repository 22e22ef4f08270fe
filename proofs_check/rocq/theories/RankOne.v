(** Attention of rank one, Q = K = u': the score of y for x is <u,x> <u,y>.

    Where <u,x> > 0 the token x follows those of largest coordinate, the leaders of its sequence. *)

From mathcomp Require Import all_ssreflect all_algebra.
From Exactformer Require Import Semantics Basics.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section RankOne.

Variables (R : realFieldType) (d : nat).
Notation token := 'cV[R]_d.
Implicit Types (u e x y : token) (s : seq token) (rho : R).

Definition follow u rho (V : 'M[R]_d) : self_attention R d := @SelfAttention R d 1 rho V u^T u^T.

Lemma rank_one_score u x y : inner (u^T *m x) (u^T *m y) = inner u x * inner u y.
Proof.
by rewrite /inner big_ord1 !mxE; congr (_ * _); apply: eq_bigr => k _; rewrite mxE.
Qed.

(** Who is followed: the largest coordinates, the smallest ones, or everybody. *)
Lemma followed_rank_one u rho V s x : followed (follow u rho V) s x =
  if 0 < inner u x then argmax (inner u) s else if inner u x < 0 then argmax (fun y => - inner u y) s else s.
Proof.
rewrite /followed /argmax; case: (ltgtP (inner u x) 0) => ux; last first.
- by apply: argmax_const => y z; rewrite /= !rank_one_score ux !mul0r.
- by apply: eq_filter => y; apply: eq_all => z; rewrite /= !rank_one_score ler_pmul2l.
- by apply: eq_filter => y; apply: eq_all => z; rewrite /= !rank_one_score ler_nmul2l // ler_opp2.
Qed.

Theorem rank_one_attention u s : apply_sa (follow u 0 1%:M) s =
  [seq mean (if 0 < inner u x then argmax (inner u) s                     (* those of largest coordinate *)
             else if inner u x < 0 then argmax (fun y => - inner u y) s   (* those of smallest coordinate *)
             else s) | x <- s].                                           (* everybody *)
Proof. by apply: eq_map => x; rewrite /= scale0r add0r mul1mx -(followed_rank_one u 0 1%:M). Qed.

(** The coordinate of the leaders. *)
Definition lead u s : R := inner u (head 0 (argmax (inner u) s)).

Lemma leadP u s : s != [::] -> (exists2 y, y \in s & inner u y = lead u s) /\ forall y, y \in s -> inner u y <= lead u s.
Proof.
move=> /(argmax_neq0 (inner u)) a0; have : head 0 (argmax (inner u) s) \in argmax (inner u) s.
  by case: (argmax _ s) a0 => // y l _; rewrite mem_head.
by case/argmaxP => hs H; split; [exists (head 0 (argmax (inner u) s)) | exact: H].
Qed.

Lemma lead_unique u s c : (exists2 y, y \in s & inner u y = c) -> (forall y, y \in s -> inner u y <= c) -> lead u s = c.
Proof.
move=> [y ys <-] H; have s0 : s != [::] by case: (s) ys.
have [[z zs Ez] H'] := leadP u s0; apply/eqP; rewrite eq_le H' // andbT -Ez; exact: H.
Qed.

(** It depends on the set of tokens only. *)
Lemma lead_set u s s' : s =i s' -> s != [::] -> lead u s = lead u s'.
Proof.
move=> ss s0; have [[y ys Ey] H] := leadP u s0; symmetry; apply: lead_unique.
  by exists y; rewrite -?ss.
by move=> z; rewrite -ss; exact: H.
Qed.

Lemma mean_const s x : s != [::] -> (forall y, y \in s -> y = x) -> mean s = x.
Proof.
move=> s0 H; rewrite /mean big_seq (eq_bigr (fun=> x)) => [|y /H //]; rewrite -big_seq.
by rewrite big_const_seq count_predT iter_addr_0 -scaler_nat scalerA mulVf ?scale1r // mean_neq0.
Qed.

Lemma mean_leaders u s : s != [::] -> inner u (mean (argmax (inner u) s)) = lead u s.
Proof.
move=> s0; have a0 := argmax_neq0 (inner u) s0; rewrite /mean innerZr inner_sumr.
rewrite big_seq (eq_bigr (fun=> lead u s)) => [|y /argmaxP[ys H]]; last first.
  by symmetry; apply: lead_unique => //; exists y.
by rewrite -big_seq big_const_seq count_predT iter_addr_0 -[lead u s *+ _]mulr_natl mulrA mulVf ?mul1r // mean_neq0.
Qed.

(** With positive coordinates a leader that is alone takes all tokens onto it. *)
Theorem collapse_onto_leader u s x : (forall y, y \in s -> 0 < inner u y) ->
  x \in s -> (forall y, y \in s -> y != x -> inner u y < inner u x) -> apply_sa (follow u 0 1%:M) s = [seq x | _ <- s].
Proof.
move=> pos xs H; rewrite rank_one_attention; apply/eq_in_map => z /pos ->; apply: mean_const.
  by apply: argmax_neq0; case: (s) xs.
move=> y /argmaxP[ys top]; apply/eqP; apply: contraT => /(H y ys); by rewrite ltNge top.
Qed.

(** With positive coordinates and V = M e u', what is added is M times the leader's coordinate, along e. *)
Lemma apply_follow u e rho M s : (forall y, y \in s -> 0 < inner u y) ->
  apply_sa (follow u rho (M *: (e *m u^T))) s = [seq rho *: x + (M * lead u s) *: e | x <- s].
Proof.
move=> pos; apply/eq_in_map => x xs; rewrite followed_rank_one pos //; congr (_ + _).
have s0 : s != [::] by case: (s) xs.
rewrite /= -scalemxAl -mulmxA -(mean_leaders u s0) -scalerA; congr (_ *: _).
apply/colP => i; rewrite !mxE big_ord1 !mxE mulrC; congr (_ * _).
by apply: eq_bigr => k _; rewrite !mxE.
Qed.

End RankOne.
