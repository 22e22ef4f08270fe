(** One stage of a certificate of limits, in mathematics: from the tokens at its first layer, the sets and the closed
    forms of all its layers, and the tokens at the first layer of the next stage. *)

From Coq Require Import ZArith QArith Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ssrZ zify ring.
From Exactformer Require Import Semantics Basics Certificate Checker CheckerNumbers CheckerSound.
From Exactformer Require Import Dynamics Limits Metric Orbit Polytope Lock Forever PowerSums PowerRanges.
From Exactformer Require Import LimitCertificate LimitChecker LimitTests LimitForms LimitSound StagesCertificate StagesChecker.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Stage.

Variables (I : integers) (R : realFieldType) (c : stages_certificate) (st : stage) (s : Checker.state I) (next : option nat).
Notation c' := (system_of c).
Notation d := (stg_dim c).
Notation A := (the_A R c').
Notation a := (the_a R c').
Notation phi := (@phi I R).
Notation vec := (@vec I R d).
Notation O := (of_Z I Z0).
Notation vs := (vectors s).
Notation S0 := (denote R d s).
Notation T := (stage_time st).
Notation D := (form_over I st).
Notation W := (form_high I st).
Notation n := (size (stg_tokens c)).
Notation forms := (closed_forms I c st).
Notation M := (largest_power_of forms).
Notation sums := (map (in_powers M) forms).
Notation row i := (nth [::] vs i).
Notation tok X := ((phi (over s))^-1 *: vec X).
Notation ac := (compile_sa I d (lim_sa c')).
Notation query := (apply (sa_query ac)).
Notation key := (apply (sa_key ac)).
Notation z := (token_at A a S0).

Hypothesis alpha_pos : ~~ Z.leb (Qnum (lim_alpha c')) Z0.
Hypothesis A_sym : A^T = A.
Hypothesis s_pos : pos (over s).
Hypothesis size_s : size vs = n.
Hypothesis n_gt0 : (0 < n)%N.

Lemma D_pos : pos D. Proof. exact: pos_common. Qed.
Lemma W_pos : pos W. Proof. exact: pos_common. Qed.
Lemma one_pos : pos (over (unscaled I)). Proof. exact: pos1. Qed.
Lemma s_neq0 : vs <> [::]. Proof. by move=> E; move: n_gt0; rewrite -size_s E. Qed.

(** The form of token i, and its set at the first layer. *)
Definition F i k : 'cV[R]_d := at_time R c' (unscaled I) D W k (nth [::] forms i).
Definition G i : seq nat := index_set A a S0 0 i.

Lemma size_S0 : size S0 = n. Proof. by rewrite size_map. Qed.

Lemma a_gt0 : 0 < a. Proof. by have /andP[] := a_bounds R (c := c') alpha_pos. Qed.
Lemma a_lt1 : a < 1. Proof. by have /andP[] := a_bounds R (c := c') alpha_pos. Qed.

Lemma unitE k : phi (unit_at I st M k) = M`!%:R * (phi D ^+ k * phi W).
Proof. by rewrite /unit_at !phiM phi_pow -(quotientP I R (leq0n M)) fact0 mulr1. Qed.

Lemma unit_gt0 k : 0 < phi (unit_at I st M k).
Proof.
rewrite unitE !mulr_gt0 ?ltr0n ?fact_gt0 ?exprn_gt0 //; apply: phi_gt0; [exact: D_pos | exact: W_pos].
Qed.

Lemma unit_pos k : pos (unit_at I st M k).
Proof. by move: (unit_gt0 k); rewrite /CheckerNumbers.phi /phiZ ltr0z /pos; lia. Qed.

Lemma evaluateP k f : all (fun t => t.1.2 <= M)%N f ->
  vec (evaluate k (in_powers M f)) = phi (unit_at I st M k) *: at_time R c' (unscaled I) D W k f.
Proof.
move=> le; transitivity (powers R c' k (in_powers M f)).
  rewrite /evaluate vec_sum big_map; apply: eq_bigr => t _.
  by rewrite vec_scale phiM !phi_pow phi_number.
rewrite powersE // (rawE R c' one_pos D_pos W_pos) scalerA; congr (_ *: _).
by rewrite unitE phi1 mul1r.
Qed.

Lemma nth_sums i : nth [::] sums i = in_powers M (nth [::] forms i).
Proof.
case: (ltnP i (size forms)) => i_n; first by rewrite (nth_map [::]).
by rewrite [nth [::] forms i]nth_default // nth_default // size_map.
Qed.

Lemma evaluate_form k i : vec (evaluate k (nth [::] sums i)) = phi (unit_at I st M k) *: F i k.
Proof. by rewrite nth_sums (evaluateP k (largest_power_bound forms i)). Qed.

Lemma row_nth i : (i < n)%N -> tok (row i) = nth 0 S0 i.
Proof. by rewrite -size_s => i_n; rewrite (nth_map [::]). Qed.

Lemma G_members i : (i < n)%N -> members ac (lim_keys ac s) (row i) = G i.
Proof. by move=> i_n; rewrite (membersP R c' s_pos s_neq0) /G /index_set size_S0 size_s row_nth. Qed.

Lemma G_neq0 i : (i < n)%N -> (0 < size (G i))%N.
Proof.
move=> i_n; have iS : (i < size S0)%N by rewrite size_S0.
have := follows_neq0 A (z_state A a 0 iS).
by rewrite (follows_index A a S0 0 i) -size_eq0 size_map lt0n.
Qed.

Lemma head_G i (j := head 0%N (G i)) : (i < n)%N -> (j < size S0)%N && (j \in G i).
Proof.
move=> i_n; have jG : j \in G i by rewrite /j; case: (G i) (G_neq0 i_n) => // x u _; rewrite mem_head.
by rewrite jG andbT; move: jG; rewrite mem_filter mem_iota => /and3P[].
Qed.

Hypothesis checked : check_stage c st s next forms sums M.

Notation keyed := [seq mapped key p | p <- sums].

Lemma token_checked i : (i < n)%N -> check_token c st s next forms sums keyed M i.
Proof. by move=> i_n; have /andP[_ /allP] := checked; apply; rewrite mem_iota. Qed.

Lemma size_forms : size forms = n.
Proof. by have /andP[/eqP E _] := checked; rewrite size_map. Qed.

Lemma start i : (i < size S0)%N -> F i T = nth 0 S0 i.
Proof.
rewrite size_S0 => i_n; have /and3P[+ _ _] := token_checked i_n; rewrite (sameP R) => /eqP.
rewrite !vec_scale evaluate_form -row_nth // => E.
apply: (scalerI (lt0r_neq0 (unit_gt0 T))); rewrite [RHS]scalerA mulrC -[RHS]scalerA -E [RHS]scalerA mulVf ?scale1r //.
exact: phi_neq0.
Qed.

Definition later_form i k : 'cV[R]_d := F i (T + k).

Lemma solved i : (i < n)%N -> solves a S0 later_form G i.
Proof.
move=> i_n; have /and3P[_ + _] := token_checked i_n; rewrite G_members // => rec; split.
  by move=> k; rewrite /later_form addnS; apply: (recurrenceP R one_pos D_pos W_pos alpha_pos (G_neq0 i_n) rec).
by rewrite {1}/G /index_set; apply: eq_in_filter => j jn; rewrite [RHS]mem_filter jn andbT.
Qed.

(** What the reach of a pair proves. *)
Lemma check_reachP inside reach (g : seq (term I)) k : check_reach st next inside reach (collect g) -> (T <= k)%N ->
  (forall t, next = Some t -> (k < t)%N) -> if inside then power_sum R k g = 0 else 0 < power_sum R k g.
Proof.
have -> : power_sum R k g = power_sum R k (collect g) by rewrite /power_sum sum_collect.
case: reach => u places /andP[uT]; move: (collect g) => {}g + Tk; have uk := leq_trans uT Tk.
case: next => [t | ] => [/andP[tl] H /(_ t erefl) kt | + _]; last first.
  case: inside => H; [exact: vanishesP | exact: positive_fromP H _ uk].
have kl : (u <= k <= last u places)%N by rewrite uk -ltnS (leq_trans kt).
by case: inside H => H; [exact: vanishes_onP H _ kl | exact: positive_onP H _ kl].
Qed.

Lemma ordered_pair i k (j := head 0%N (G i)) reaches : (i < n)%N -> (forall t, next = Some t -> (T + k < t)%N) ->
  all (fun l => (l == j) || check_reach st next (l \in G i) (nth (0%N, [::]) reaches l)
    (collect (gap (mapped query (nth [::] sums i)) (nth [::] keyed j) (nth [::] keyed l)))) (iota 0 n) ->
  ordered A S0 later_form G j k i.
Proof.
move=> i_n within /allP order l; rewrite size_S0 => l_n; have /andP[j_n jG] := head_G i_n; rewrite size_S0 in j_n.
have := order l; rewrite mem_iota => /(_ l_n); case: (eqVneq l j) => [-> _ | _ /= H].
  by rewrite jG subrr /Dynamics.dotA inner0r.
have := check_reachP H (leq_addr k T) within.
have keyedE m : (m < n)%N -> nth [::] keyed m = mapped key (in_powers M (nth [::] forms m)).
  by move=> mn; rewrite -nth_sums [LHS](nth_map [::]) ?size_map //; move: mn; rewrite -size_forms size_map.
rewrite nth_sums !keyedE //.
have [e e0 ->] := gap_sign one_pos D_pos W_pos A_sym (T + k) (largest_power_bound forms i) (largest_power_bound forms j) (largest_power_bound forms l).
case: (l \in G i) => [/eqP | ]; first by rewrite mulf_eq0 (gt_eqF e0) => /eqP.
by rewrite pmulr_rgt0.
Qed.

Lemma consistent_stage m i : (forall t, next = Some t -> (T + m <= t)%N) -> (i < n)%N -> consistent_until A a S0 later_form G m i.
Proof.
move=> within i_n; split; first exact: solved.
have iS : (i < size S0)%N by rewrite size_S0.
have /and3P[_ _] := token_checked i_n; rewrite G_members //; case: (nth None _ i) => [reaches order | lock]; [right | left => k].
  exists (head 0%N (G i)) => [|k km]; first exact: head_G.
  by apply: ordered_pair order => // t /within; apply: leq_trans; rewrite ltn_add2l.
have rowS : tok (row i) \in S0 by rewrite row_nth // mem_nth.
have [lead best] := locksP (c := c') s_pos s_neq0 rowS lock.
by rewrite row_nth // in lead best; apply: locked_set lead best; rewrite // ?a_gt0 ?a_lt1.
Qed.

Lemma stageP m : (forall t, next = Some t -> (T + m <= t)%N) -> forall k i, (i < n)%N ->
  ((k <= m)%N -> z k i = F i (T + k)) /\ ((k < m)%N -> index_set A a S0 k i = G i).
Proof.
move=> within k i i_n; have iS : (i < size S0)%N by rewrite size_S0.
apply: (until (F := later_form) (G := G)) iS => [j jS | j]; first by rewrite /later_form addn0 start.
by rewrite size_S0; exact: consistent_stage.
Qed.

(** The tokens at the first layer of the next stage. *)
Lemma next_state t : next = Some t -> (T <= t)%N -> let u := reduce (state_at st M sums t) in
  pos (over u) /\ denote R d u = state A a S0 (t - T).
Proof.
move=> nt Tt u; have [u0 uE] := reduceP (R := R) d (unit_pos t : pos (over (state_at st M sums t))).
split=> //; rewrite /u uE.
have -> : denote R d (state_at st M sums t) = [seq (phi (unit_at I st M t))^-1 *: vec (evaluate t p) | p <- sums].
  by rewrite /denote /= -map_comp.
have size_sums : size sums = n by rewrite size_map size_forms.
apply: (@eq_from_nth _ 0) => [|i]; first by rewrite size_map size_sums size_state size_S0.
rewrite size_map size_sums => i_n; rewrite (nth_map [::]) ?size_sums // evaluate_form scalerA mulVf ?lt0r_neq0 ?unit_gt0 // scale1r.
have [|zF _] := @stageP (t - T) _ (t - T)%N i i_n; first by rewrite nt => _ [<-]; rewrite subnKC.
by rewrite -/(token_at A a S0 _ _) zF // subnKC.
Qed.

End Stage.
