(** The mean of attention lies in the box computed for it: uniform where all gaps vanish, else by rule A. *)

From Coq Require Import ZArith QArith Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ssrZ zify ring.
From Exactformer Require Import Semantics Basics Certificate Checker CheckerNumbers CheckerFeedForward Softmax Dominance.
From Exactformer Require Import Intervals SoftChecker SoftParts SoftAttention.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Mean.

Variables (R : realFieldType) (d : nat).
Notation value := (value R).
Notation token := 'cV[R]_d.
Notation member := (token * slot)%type.

Variables (b0 : Q) (bits : nat) (h : nat) (Qm Km : matrix).
Variables (s : seq token) (l : seq member) (x : token) (q : box) (m : token).
Hypothesis b0_pos : ~~ nonpos b0.
Hypothesis l_fit : all_fit l.
Hypothesis s_l : perm_eq s (expand l).

Let u := matrix_of R h d Qm *m x.
Let f (y : token) := inner u (matrix_of R h d Km *m y).
Let st := [seq p.2 | p <- l].
Let keys := [seq forms (rows_of h d Km) t.1 | t <- st].
Hypothesis size_q : size q = h.
Hypothesis u_q : in_box u q.

Let r := reference q keys.
Let gs := gaps q keys r.
Let L : seq (member * interval) := zip l gs.

Variable w : token -> R.
Hypothesis w_ge0 : forall y, y \in s -> 0 <= w y.
Let total := \sum_(y <- s) w y.
Hypothesis total_gt0 : 0 < total.
Hypothesis m_mean : m = total^-1 *: \sum_(y <- s) w y *: y.
Hypothesis w_steep : forall a y (k : nat), a \in s -> y \in s -> 7%:R * k%:R <= 10%:R * value b0 * (f a - f y) -> 2%:R ^+ k * w y <= w a.

Lemma sum_expand (V : zmodType) (F : token -> V) : \sum_(y <- s) F y = \sum_(p <- l) F p.1 *+ p.2.2.
Proof.
rewrite (perm_big _ s_l) /expand big_flatten big_map; apply: eq_bigr => p _.
by rewrite big_nseq -Monoid.iteropE.
Qed.

Lemma l_gt0 : (0 < size l)%N.
Proof. by move: total_gt0; rewrite /total sum_expand; case: (l) => //; rewrite big_nil ltxx. Qed.

Lemma size_keys : size keys = size l. Proof. by rewrite !size_map. Qed.
Lemma size_gs : size gs = size l. Proof. by rewrite size_map size_zip size_iota minnn size_keys. Qed.
Lemma r_lt : (r < size l)%N. Proof. by rewrite -size_keys reference_lt // size_keys l_gt0. Qed.

Definition nobody : member := (0, ([::], 0%N)).
Notation best := (nth nobody l r).

Lemma In_nth_member i : (i < size l)%N -> List.In (nth nobody l i) l.
Proof. by elim: l i => // p l' IH [|i] /= il; [left | right; exact: IH]. Qed.

Lemma member_in p : List.In p l -> p.1 \in s.
Proof. by move=> pl; rewrite (perm_mem s_l) mem_expand. Qed.

(** Every token falls behind the reference by a number in its gap. *)
Lemma in_gap i : (i < size l)%N -> inside (f best.1 - f (nth nobody l i).1) (nth at_zero gs i).
Proof.
move=> il; rewrite /gs /gaps (nth_map (0%N, [::])) ?size_zip ?size_iota ?size_keys ?minnn //.
rewrite nth_zip ?size_iota // ?nth_iota ?size_keys //= add0n; case: eqP => [-> | _]; first by rewrite subrr inside_zero.
have keyE j : (j < size l)%N -> nth [::] keys j = forms (rows_of h d Km) (nth nobody l j).2.1.
  by move=> jl; rewrite /keys /st -map_comp (nth_map nobody).
have [_ xb _] := l_fit (In_nth_member r_lt); have [_ xi _] := l_fit (In_nth_member il).
by rewrite !keyE ?r_lt //; apply: inside_gap; rewrite ?size_forms //; exact: inside_forms.
Qed.

Lemma In_L p : List.In p L -> List.In p.1 l /\ inside (f best.1 - f p.1.1) p.2.
Proof.
rewrite /L => /(@List.In_nth _ _ _ (nobody, at_zero)) [i [il <-]].
have {}il : (i < size (zip l gs))%N by apply/ssrnat.ltP.
have E (T : Type) (x0 : T) t j : List.nth j t x0 = nth x0 t j by elim: t j => [|a t IH] [|j] /=.
move: il; rewrite E nth_zip ?size_gs //= size_zip size_gs minnn => il.
by split; [exact: In_nth_member | exact: in_gap].
Qed.

Lemma L_members : [seq p.1 | p <- L] = l. Proof. by rewrite /L -/(unzip1 _) unzip1_zip // size_gs. Qed.
Lemma L_gaps : [seq p.2 | p <- L] = gs. Proof. by rewrite /L -/(unzip2 _) unzip2_zip // size_gs. Qed.

(** Counts and weights along L. *)
Let n (p : member * interval) : R := p.1.2.2%:R.
Let v (p : member * interval) : R := w p.1.1.

Lemma sum_L (F : token -> R) : \sum_(y <- s) F y = \sum_(p <- L) n p * F p.1.1.
Proof. by rewrite sum_expand -[in LHS]L_members big_map; apply: eq_bigr => p _; rewrite /n mulr_natl. Qed.

Lemma mean_at i : m i 0 = total^-1 * \sum_(p <- L) n p * v p * p.1.1 i 0.
Proof.
rewrite m_mean !mxE summxE; congr (_ * _); under eq_bigr do rewrite mxE.
by rewrite (sum_L (fun y => w y * y i 0)); apply: eq_bigr => p _; rewrite mulrA.
Qed.

Lemma total_L : total = \sum_(p <- L) n p * v p. Proof. by rewrite -(sum_L w). Qed.

Lemma best_part : best.2.2%:R * w best.1 <= \sum_(p <- L) n p * v p.
Proof.
have -> : \sum_(p <- L) n p * v p = \sum_(p <- l) p.2.2%:R * w p.1 by rewrite -[in RHS]L_members big_map.
apply: (@term_le R _ l (fun p => p.2.2%:R * w p.1) best _ (In_nth_member r_lt)) => p pl.
by rewrite mulr_ge0 ?w_ge0 ?ler0n // member_in.
Qed.

(** ** Uniform attention *)

Let sum_box : box := foldr (fun t B => [seq join (stretch (rat_nat t.2) p.1) p.2 | p <- zip t.1 B]) (nseq d at_zero) st.

Lemma sum_boxP : size sum_box = d /\ in_box (\sum_(p <- l) p.2.2%:R *: p.1) sum_box.
Proof.
rewrite /sum_box /st; elim: l l_fit => [|p l' IH] F /=.
  by rewrite size_nseq; split=> // i; rewrite big_nil mxE nth_nseq ltn_ord inside_zero.
have [sp pX _] := F p (or_introl erefl); have [sB lB] := IH (fun p' p'l => F p' (or_intror p'l)).
rewrite size_map size_zip sB sp minnn; split=> // i.
rewrite (nth_map (at_zero, at_zero)) ?size_zip ?sB ?sp ?minnn // nth_zip ?sp //= big_cons !mxE.
by apply: inside_join => //; rewrite -(value_nat R); exact: inside_stretch.
Qed.

Lemma value_inverse k : (0 < k)%N -> value (inverse k) = k%:R^-1.
Proof.
move=> k0; rewrite valueZ /= phiZ1 mul1r; congr (_^-1); rewrite -(value_nat R) valueZ /= phiZ1 divr1 Z2Pos.id //.
by lia.
Qed.

Lemma uniform_meanP : all (fun g => is_zero g.1 && is_zero g.2) gs ->
  size (uniform_mean d st) = d /\ in_box m (uniform_mean d st).
Proof.
move=> zero; have [sB lB] := sum_boxP; rewrite /uniform_mean -/sum_box size_map; split=> // i.
have same p : List.In p L -> w p.1.1 = w best.1.
  move=> pL; have [pl g] := In_L pL.
  have E : f best.1 = f p.1.1.
    have : is_zero p.2.1 && is_zero p.2.2.
      have : List.In p.2 gs by rewrite -L_gaps; exact: (List.in_map snd L p).
      by elim: gs zero => //= a gs' IH /andP[a0 /IH H] [<- | /H].
    move=> /andP[/(is_zeroE R) z1 /(is_zeroE R) z2]; apply/eqP; rewrite -subr_eq0 eq_le andbC.
    by move: g; rewrite /inside z1 z2.
  have le a y : a \in s -> y \in s -> f a = f y -> w y <= w a.
    by move=> as_ ys ay; have := @w_steep a y 0%N as_ ys; rewrite expr0 mul1r ay subrr !mulr0; apply.
  have bs := member_in (In_nth_member r_lt); have ps := member_in pl.
  by apply/eqP; rewrite eq_le !le.
set c := w best.1 in same.
have sumE (F : member * interval -> R) : \sum_(p <- L) n p * v p * F p = c * \sum_(p <- L) n p * F p.
  rewrite mulr_sumr; elim: L same => [|p L' IH] H; rewrite ?big_nil // !big_cons IH => [|p' p'L]; last by apply: H; right.
  by congr (_ + _); rewrite /v H; [rewrite [n p * c]mulrC mulrA | left].
have tE : total = c * (sumn [seq t.2 | t <- st])%:R.
  rewrite total_L; under eq_bigr do rewrite -[_ * _]mulr1; rewrite sumE; congr (_ * _).
  rewrite sumnE /st -map_comp big_map natr_sum -[in RHS]L_members big_map; apply: eq_bigr => p _; exact: mulr1.
have N0 : (0 < sumn [seq t.2 | t <- st])%N by rewrite lt0n; apply: contraTneq total_gt0 => E; rewrite tE E mulr0 ltxx.
have c0 : c != 0 by apply: contraTneq total_gt0 => E; rewrite tE E mul0r ltxx.
rewrite (nth_map at_zero) ?sB // mean_at sumE tE invfM mulrACA mulVf // mul1r -value_inverse //.
have -> : \sum_(p <- L) n p * p.1.1 i 0 = (\sum_(p <- l) p.2.2%:R *: p.1) i 0.
  by rewrite summxE -[in RHS]L_members big_map; apply: eq_bigr => p _; rewrite mxE.
exact: inside_stretch.
Qed.

(** ** Rule A *)

Lemma hull_boxesP X bs : (forall Y, List.In Y (X :: bs) -> size Y = d) ->
  size (hull_boxes X bs) = d /\ forall (y : token) Y, List.In Y (X :: bs) -> in_box y Y -> in_box y (hull_boxes X bs).
Proof.
elim: bs X => [|Z bs IH] X H /=.
  by split=> [|y Y [<- // | []]]; apply: H; left.
have sX := H X (or_introl erefl); have [sB inB] := IH Z (fun Y YB => H Y (or_intror YB)).
split=> [|y Y]; first by rewrite size_map size_zip sB sX minnn.
by case=> [<- | YB] yY; apply: in_hull_box; rewrite ?sB //; [left | right; exact: inB yY].
Qed.

Let close (p : member * interval) : bool := nonpos p.2.1.

Lemma zipE : zip st gs = [seq (p.1.2, p.2) | p <- L].
Proof. by rewrite zip_map_same -L_gaps /st -L_members -!map_comp. Qed.

Lemma L_size p : List.In p L -> size p.1.2.1 = d.
Proof. by move=> /In_L[/l_fit[]]. Qed.

Lemma best_L : List.In (best, at_zero) L.
Proof.
have -> : (best, at_zero) = nth (nobody, at_zero) L r.
  rewrite /L nth_zip ?size_gs //; congr pair.
  rewrite /gs /gaps (nth_map (0%N, [::])) ?size_zip ?size_iota ?size_keys ?minnn ?r_lt //.
  by rewrite nth_zip ?size_iota // ?nth_iota ?size_keys ?r_lt //= add0n eqxx.
have : (r < size L)%N by rewrite /L size_zip size_gs minnn r_lt.
by elim: L r => // p L' IH [|i] /= iL; [left | right; exact: IH].
Qed.

(** The hull of the boxes of some members. *)
Lemma hull_some (t : pred (member * interval)) (bs := [seq p.1.2.1 | p <- L & t p]) : bs <> [::] ->
  size (hull_boxes (head [::] bs) (behead bs)) = d /\
  forall p, List.In p L -> t p -> in_box p.1.1 (hull_boxes (head [::] bs) (behead bs)).
Proof.
move=> bs0; have In_bs p : List.In p L -> t p -> List.In p.1.2.1 bs.
  by move=> pL tp; apply: (List.in_map (fun p => p.1.2.1)); exact: In_filter.
have sz Y : List.In Y bs -> size Y = d.
  move=> /(@List.in_map_iff _ _ (fun p => p.1.2.1))[p [<- pf]]; apply: L_size.
  by elim: L pf => //= a L' IH; case: (t a) => /= [[-> | /IH] | /IH]; [left | right | right].
case E : bs bs0 In_bs sz => [|X bs'] // _ In_bs sz; have [sB inB] := hull_boxesP sz; split=> // p pL tp.
by apply: inB (In_bs p pL tp) _; case: (In_L pL) => /l_fit[].
Qed.

Lemma bound_value g k : value (weight_bound b0 bits g k) = k%:R * (2%:R ^+ halvings b0 bits g.1)^-1.
Proof. by rewrite valueZ /= phiZ_power; congr (_ / _); rewrite -(value_nat R) valueZ /= divr1. Qed.

Lemma far_share p : List.In p L -> ~~ close p -> v p <= (2%:R ^+ halvings b0 bits p.2.1)^-1 * w best.1.
Proof.
move=> pL far; have [pl /andP[low _]] := In_L pL; rewrite mulrC ler_pdivl_mulr ?exprn_gt0 ?ltr0n // mulrC.
apply: w_steep; [exact/member_in/In_nth_member/r_lt | exact: member_in |].
apply: le_trans (halvingsP R bits b0_pos far) _; rewrite ler_wpmul2l // mulr_ge0 ?ler0n //.
by move: b0_pos; rewrite (nonposE R) -ltNge => /ltW.
Qed.

Lemma dominated_meanP : size (dominated_mean b0 bits st gs r) = d /\ in_box m (dominated_mean b0 bits st gs r).
Proof.
have nearE : [seq p.1.1 | p <- zip st gs & nonpos p.2.1] = [seq p.1.2.1 | p <- L & close p].
  by rewrite zipE filter_map -map_comp.
have farE : [seq p <- zip st gs | ~~ nonpos p.2.1] = [seq (p.1.2, p.2) | p <- L & ~~ close p] by rewrite zipE filter_map.
rewrite /dominated_mean nearE farE; set near := [seq _ | p <- L & close p]; set B := hull_boxes (head _ near) _.
have near0 : near <> [::].
  move=> E; have : List.In (best, at_zero).1.2.1 near; last by rewrite E.
  by apply: (List.in_map (fun p : member * interval => p.1.2.1)); apply: In_filter => //; exact: best_L.
have [sB inB] := hull_some (t := close) near0; rewrite -/near -/B in sB inB.
have Bi p (i : 'I_d) : List.In p L -> close p -> value (nth at_zero B i).1 <= p.1.1 i 0 <= value (nth at_zero B i).2.
  by move=> pL cp; exact: inB.
have nr0 : 0 < best.2.2%:R :> R by rewrite ltr0n; case: (l_fit (In_nth_member r_lt)).
have wr0 : 0 <= w best.1 by apply/w_ge0/member_in/In_nth_member/r_lt.
have part : best.2.2%:R * w best.1 <= \sum_(p <- L) n p * v p by exact: best_part.
have nv p : List.In p L -> 0 <= n p /\ 0 <= v p.
  by move=> /In_L[pl _]; rewrite ler0n w_ge0 // member_in.
pose e (p : member * interval) : R := (2%:R ^+ halvings b0 bits p.2.1)^-1.
have e0 p : 0 <= e p by rewrite invr_ge0 exprn_ge0 ?ler0n.
pose eps : R := Num.min 1 ((\sum_(p <- L | ~~ close p) n p * e p) / best.2.2%:R).
(* both sides of a coordinate, from bounds of the two parts *)
have side (g : member * interval -> R) b c : (forall p, List.In p L -> close p -> g p <= b) ->
    (forall p, List.In p L -> ~~ close p -> g p <= c) ->
    total^-1 * (\sum_(p <- L) n p * v p * g p) <= b + Num.max 0 (eps * (c - b)).
  move=> gb gc; rewrite mulrC ler_pdivr_mulr // mulrC total_L; apply: (mean_below (e := e) (t := close) _ nr0 wr0 part erefl) => p pL.
  have [n0 v0] := nv p pL; split=> // [/(gb p pL) // | far]; split=> //; [exact: gc | exact: far_share].
have lower i : m i 0 = - (total^-1 * \sum_(p <- L) n p * v p * - p.1.1 i 0).
  by rewrite mean_at -mulrN -sumrN; congr (_ * _); apply: eq_bigr => p _; rewrite mulrN opprK.
case E : [seq p <- L | ~~ close p] => [|p0 far'].
  have all_close p : List.In p L -> close p.
    by move=> pL; apply: contraT => far; have := In_filter (t := fun p => ~~ close p) pL far; rewrite E.
  split=> // i; rewrite /inside; apply/andP; split.
    rewrite lower ler_oppr; have := side (fun p => - p.1.1 i 0) (- value (nth at_zero B i).1) (- value (nth at_zero B i).1).
    rewrite subrr mulr0 maxxx addr0; apply=> p pL; last by rewrite all_close.
    by move=> /(Bi p i pL)/andP[lo _]; rewrite ler_opp2.
  rewrite mean_at; have := side (fun p => p.1.1 i 0) (value (nth at_zero B i).2) (value (nth at_zero B i).2).
  rewrite subrr mulr0 maxxx addr0; apply=> p pL; last by rewrite all_close.
  by move=> /(Bi p i pL)/andP[_].
rewrite [map _ (_ :: _)]/=; cbv iota.
set S := hull_boxes (_, _).1.1 _; set c := rat_min _ _.
have [sS inS] : size S = d /\ forall p, List.In p L -> ~~ close p -> in_box p.1.1 S.
  by rewrite /S -map_comp; have := hull_some (t := fun p => ~~ close p); rewrite E /=; apply.
have Si p (i : 'I_d) : List.In p L -> ~~ close p -> value (nth at_zero S i).1 <= p.1.1 i 0 <= value (nth at_zero S i).2.
  by move=> pL cp; exact: inS.
have cE : value c = eps.
  have stE : nth ([::], 0%N) st r = best.2 by rewrite /st (nth_map nobody) // r_lt.
  rewrite /c value_minE value_mul stE value_inverse; last by case: (l_fit (In_nth_member r_lt)).
  rewrite /eps [value rat_one]divr1; congr (Num.min _ (_ / _)); rewrite -big_filter E -[_ :: _]/[seq (p.1.2, p.2) | p <- p0 :: far'].
  elim: (p0 :: far') => [|p L' IH]; first by rewrite big_nil /= value0.
  by rewrite big_cons /= value_add bound_value IH.
split=> [|i]; first by rewrite size_map size_zip sB sS minnn.
rewrite (nth_map (at_zero, at_zero)) ?size_zip ?sB ?sS ?minnn // nth_zip ?sB //=.
have v0 : value zero = 0 by exact: value0.
rewrite /inside /= !value_add value_minE value_maxE !value_mul !value_add !value_opp cE v0; apply/andP; split.
  rewrite lower -ler_opp2 opprK; apply: (@le_trans _ _ (- value (nth at_zero B i).1 +
      Num.max 0 (eps * (- value (nth at_zero S i).1 - - value (nth at_zero B i).1)))).
    apply: (side (fun p => - p.1.1 i 0)) => p pL.
      by move=> /(Bi p i pL)/andP[lo _]; rewrite ler_opp2.
    by move=> /(Si p i pL)/andP[lo _]; rewrite ler_opp2.
  have flip a b g : - (a + Num.min 0 (g * (b - a))) = - a + Num.max 0 (g * (- b - - a)) :> R.
    by rewrite opprD oppr_min oppr0 -mulrN opprB opprK [a - b]addrC.
  by rewrite flip.
rewrite mean_at; apply: (side (fun p => p.1.1 i 0)) => p pL.
  by move=> /(Bi p i pL)/andP[_].
by move=> /(Si p i pL)/andP[_].
Qed.

End Mean.
