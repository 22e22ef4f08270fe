(** The checker of limits is sound: [check_limit c = true -> limit_claim c], whatever its integers. *)

From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ssrZ ring.
From Exactformer Require Import Semantics Basics Certificate Checker CheckerNumbers CheckerSound.
From Exactformer Require Import Dynamics Limits Metric Orbit Polytope Lock Forever PowerSums.
From Exactformer Require Import LimitCertificate LimitChecker LimitTests LimitForms.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Tokens.

Variables (I : integers) (R : realFieldType) (c : limit_certificate) (s : Checker.state I).
Notation d := (lim_dim c).
Notation K := (lim_layer c).
Notation A := (the_A R c).
Notation a := (the_a R c).
Notation phi := (@phi I R).
Notation vs := (vectors s).
Notation S0 := (denote R d s).
Notation D := (base_denominator I c).
Notation W := (vector_denominator I c).
Notation X i := (nth [::] vs i).
Notation tok X := ((phi (over s))^-1 *: vec R d X).

Hypothesis alpha_pos : ~~ Z.leb (Qnum (lim_alpha c)) Z0.
Hypothesis A_sym : A^T = A.
Hypothesis A_pos : forall x, x != 0 -> 0 < inner (A *m x) x.
Hypothesis s_pos : pos (over s).
Hypothesis s_neq0 : vs <> [::].
Hypothesis layer_K : S0 = state A a (the_tokens R c) K.
Hypothesis places : size (lim_places c) = size vs.
Hypothesis tokens : size (the_tokens R c) = size vs.

Notation ac := (compile_sa I d (lim_sa c)).
Notation keys := (lim_keys ac s).
Definition forms : seq (closed I) := [seq closed_of s c D W p.1 p.2 | p <- zip (lim_places c) vs].
Definition keyed : seq (closed I) :=
  [seq mapped (apply (sa_key ac)) (in_powers (largest_power_of forms) f) | f <- forms].

Definition check_one i : bool :=
  let l := the_place c i in
  [&& check_kind d ac s keys (i \in lim_leaders c) l (X i), is_vertex l || check_face d ac s keys l
    & if by_evidence l is Form _ k0 then
        check_form d ac s c D W forms keyed (largest_power_of forms) (members ac keys (X i)) k0 l (nth [::] forms i) (X i)
      else check_lock d ac s keys l (X i)].

Hypothesis checked : forall i, (i < size vs)%N -> check_one i.

Lemma D_pos : pos D. Proof. exact: pos_common. Qed.
Lemma W_pos : pos W. Proof. exact: pos_common. Qed.

Lemma size_S0 : size S0 = size vs. Proof. by rewrite size_map. Qed.
Lemma tok_S0 i : (i < size vs)%N -> tok (X i) = nth 0 S0 i. Proof. exact: tok_nth. Qed.
Lemma tok_in_S0 i : (i < size vs)%N -> tok (X i) \in S0. Proof. exact: tok_in. Qed.

Lemma shift_state k : state A a (the_tokens R c) (K + k) = state A a S0 k.
Proof. by rewrite layer_K /state addnC iterD. Qed.

Lemma shift k j : token_at A a (the_tokens R c) (K + k) j = token_at A a S0 k j.
Proof. by rewrite /token_at shift_state. Qed.

Lemma at_K i : (i < size vs)%N -> token_at A a (the_tokens R c) K i = tok (X i).
Proof. by move=> iv; rewrite -[K]addn0 shift tok_S0. Qed.

(** ** The forms and the sets of the certificate *)

Definition F i k : 'cV[R]_d := at_time R c s D W k (nth [::] forms i).
Definition G i : seq nat := index_set A a S0 0 i.

Lemma nth_forms i : (i < size vs)%N -> nth [::] forms i = closed_of s c D W (the_place c i) (X i).
Proof.
move=> iv; have iz : (i < size (zip (lim_places c) vs))%N by rewrite size_zip places minnn.
by rewrite (nth_map (Place [::] Locked true [::] [::], [::])) // nth_zip.
Qed.

Lemma F_terms i k : (i < size vs)%N -> F i k = form_at k (the_terms R c i).
Proof.
move=> iv; rewrite /F /at_time nth_forms //; congr form_at; rewrite /the_terms.
have Wi : dividing W (at_limit (the_place c i) ++
    (if by_evidence (the_place c i) is Form ts _ then flatten [seq t.2 | t <- ts] else [::])).
  have := @dividing_flatten I W _ i (dividing_common _); rewrite (nth_map (Place [::] Locked true [::] [::])) //.
  by rewrite places.
have [Wl Wv] := dividing_cat Wi; have [Dr Db] := dividing1 (dividing_common (I := I) _ : dividing D _).
case E : (by_evidence (the_place c i)) Wv => [|ts k0] Wv.
  have [_ _ Er] := alphaE R alpha_pos.
  by rewrite (lock_literal R s_pos D_pos W_pos (X i) E Dr Wl) Er at_K.
apply: (form_literal R c s_pos D_pos W_pos (X i) E) => //.
have := @dividing_flatten I D _ i Db; rewrite (nth_map (Place [::] Locked true [::] [::])) ?places //.
by rewrite -/(the_place c i) E.
Qed.

Lemma G_neq0 i : (i < size vs)%N -> (0 < size (G i))%N.
Proof.
move=> iv; have iS : (i < size S0)%N by rewrite size_S0.
have := follows_neq0 A (z_state A a 0 iS).
by rewrite (follows_index A a S0 0 i) -size_eq0 size_map lt0n.
Qed.

Lemma G_members i : (i < size vs)%N -> members ac keys (X i) = G i.
Proof. by move=> iv; rewrite (membersP R c s_pos s_neq0) /G /index_set size_S0 tok_S0. Qed.

Lemma start i : (i < size S0)%N -> F i 0%N = nth 0 S0 i.
Proof.
rewrite size_S0 => iv; have := checked iv; rewrite /check_one => /and3P[_ _].
rewrite F_terms // /the_terms -(tok_S0 iv); case E : (by_evidence _) => [|ts k0].
  by move=> _; rewrite /form_at big_cons big_seq1 /= !expr0 bin0 !mulr1 !scale1r at_K // addrC subrK.
case/and5P => _ + _ _ _; rewrite (sameP R) => /eqP H.
have -> : form_at 0 [seq (value R t.1.1, t.1.2, vector R d t.2) | t <- ts] = F i 0.
  by rewrite F_terms // /the_terms E.
rewrite /F /at_time /form_at big_map.
have -> : \sum_(t <- nth [::] forms i) ((term_value R c s D W t).1.1 ^+ 0 * 'C(0, (term_value R c s D W t).1.2)%:R) *: (term_value R c s D W t).2
    = (phi (over s) * phi W)^-1 *: \sum_(t <- nth [::] forms i | t.1.2 == 0%N) vec R d t.2.
  rewrite scaler_sumr [RHS]big_mkcond; apply: eq_bigr => t _; rewrite /= expr0 mul1r.
  by case: (t.1.2) => [|m]; rewrite ?bin0 ?scale1r // bin0n scale0r.
have -> : \sum_(t <- nth [::] forms i | t.1.2 == 0%N) vec R d t.2 = vec R d (sumv [seq t.2 | t <- nth [::] forms i & t.1.2 == 0%N]).
  by rewrite vec_sum big_map big_filter.
rewrite H vec_scale scalerA invfM mulfVK //; exact: (phi_neq0 R W_pos).
Qed.

(** ** Locked tokens, and tokens with a form of their own *)

Lemma locked_known i : (i < size vs)%N -> by_evidence (the_place c i) = Locked -> known A a S0 F G i.
Proof.
move=> iv E k; have := checked iv; rewrite /check_one E => /and3P[_ _ lock].
have [lead best lim] := check_lockP s_pos s_neq0 (tok_in_S0 iv) lock.
have /andP[a0 a1] := a_bounds R alpha_pos.
have iS : (i < size S0)%N by rewrite size_S0.
rewrite tok_S0 // in lead best lim.
have [zE _] := locked A_sym a0 a1 iS lead best k.
split.
  rewrite zE F_terms // /the_terms E /form_at big_cons big_seq1 /= !bin0 expr1n !mulr1 scale1r at_K // tok_S0 //.
  by rewrite /the_limit lim.
exact: locked_set.
Qed.

Lemma form_consistent i ts k0 : (i < size vs)%N -> by_evidence (the_place c i) = Form ts k0 ->
  consistent A a S0 F G i.
Proof.
move=> iv E; have := checked iv; rewrite /check_one E => /and3P[_ _]; rewrite G_members //.
case/and5P => _ _ _ rec sets; split.
  split; first exact: (recurrenceP R s_pos D_pos W_pos alpha_pos (G_neq0 iv) rec).
  by rewrite {1}/G /index_set; apply: eq_in_filter => j jn; rewrite [RHS]mem_filter jn andbT.
set j0 := head 0%N (G i); have j0G : j0 \in G i by rewrite /j0; case: (G i) (G_neq0 iv) => // j l _; rewrite mem_head.
have j0v : (j0 < size vs)%N by move: j0G; rewrite mem_filter mem_iota add0n size_S0 => /andP[].
exists j0; first by rewrite size_S0 j0v.
move=> k l; rewrite size_S0 => lv; have := allP sets l; rewrite mem_iota add0n => /(_ lv).
have keyedE j : (j < size vs)%N ->
    nth [::] keyed j = mapped (apply (sa_key ac)) (in_powers (largest_power_of forms) (nth [::] forms j)).
  by move=> jv; rewrite (nth_map [::]) // size_map size_zip places minnn.
have [e e0 gE] := gap_sign s_pos D_pos W_pos A_sym k (largest_power_bound forms i) (largest_power_bound forms j0) (largest_power_bound forms l).
rewrite !keyedE //; set T := gap _ _ _ in gE *; rewrite /= -/T -!/(F _ _) in gE *; case: (l \in G i) => [zero | positive].
  by have /eqP : power_sum R k T = 0 := vanishesP _ zero; rewrite gE mulf_eq0 (gt_eqF e0) => /eqP.
by have := positive_for_everP R positive k; rewrite gE pmulr_rgt0.
Qed.

Lemma every_token i : (i < size S0)%N -> known A a S0 F G i \/ consistent A a S0 F G i.
Proof.
rewrite size_S0 => iv; case E : (by_evidence (the_place c i)) => [|ts k0].
  by left; exact: locked_known.
by right; exact: form_consistent E.
Qed.

(** ** The limit *)

Lemma form_limit i : archimedean R -> (i < size vs)%N -> tends (fun k => F i k) (the_limit R c i).
Proof.
move=> arch iv; have /and3P[_ _] := checked iv; have /andP[a0 a1] := a_bounds R alpha_pos.
case Ev : (by_evidence (the_place c i)) => [|lit k0].
  move=> _; have a_ne : (1 - a == 1) = false.
    by apply/negbTE; rewrite -subr_eq0 addrAC subrr sub0r oppr_eq0 gt_eqF.
  have -> : the_limit R c i = constant_term (the_terms R c i).
    by rewrite /the_terms Ev /constant_term !big_cons big_nil /= eqxx a_ne addr0.
  have : tends (fun k => form_at k (the_terms R c i)) (constant_term (the_terms R c i)).
    apply: form_tends => // t; rewrite /the_terms Ev !inE => /orP[] /eqP -> /=; split=> //; first by rewrite ltr01 lexx.
    by rewrite subr_gt0 a1 ger_addl oppr_le0 ltW.
  by move=> T x eps e0; apply: eventually_mono (T x eps e0) => k; rewrite F_terms.
case/and5P => ok _ lim _ _; have := at_time_tends (c := c) s W D_pos arch ok.
move: lim; rewrite (sameP R) => /eqP ->; have Wl : dividing W (at_limit (the_place c i)).
  have := @dividing_flatten I W _ i (dividing_common _); rewrite (nth_map (Place [::] Locked true [::] [::])) ?places //.
  by case/dividing_cat.
by rewrite (vec_literal R c s_pos W_pos Wl).
Qed.

(** ** The claim *)

Lemma token_sound i : (i < size vs)%N -> token_claim R c i.
Proof.
move=> iv; have iS : (i < size S0)%N by rewrite size_S0.
have in_the : (i < size (the_tokens R c))%N by rewrite tokens.
have all_k k := for_ever start every_token k iS.
have setK k j : (j < size (the_tokens R c))%N -> follower_of R c (K + k) i j = (j \in G i).
  rewrite tokens => jv; rewrite -(proj2 (all_k k)) mem_filter mem_iota add0n size_S0 jv !andbT.
  by rewrite /follower_of shift_state !shift.
have leadsK k : leads A a (the_tokens R c) (K + k) i = (G i == [:: i]).
  by rewrite /leads shift_state shift -/(leads A a S0 k i) leads_index // (proj2 (all_k k)).
have /andP[a0 a1] := a_bounds R alpha_pos.
have /and3P[kind face proof] := checked iv.
have [leadE vertE] := check_kindP s_pos s_neq0 kind (tok_in_S0 iv).
split.
- by move=> k j Kk jn; rewrite -(subnKC Kk) setK // -[Y in follower_of _ _ Y]addn0 setK.
- by move=> k; rewrite shift (proj1 (all_k k)) F_terms.
- move=> arch; have T : tends (fun k => F i k) (the_limit R c i) by exact: form_limit.
  move=> x eps e0; have [L H] := T x eps e0; exists (K + L)%N => k KLk.
  have Kk : (K <= k)%N by exact: leq_trans (leq_addr _ _) KLk.
  by rewrite -(subnKC Kk) shift (proj1 (all_k _)); apply: H; rewrite leq_subRL.
- rewrite leadE; split=> [l | [k lk]].
    by exists K; rewrite /leads -layer_K at_K.
  have lK : leads A a (the_tokens R c) K i.
    case: (leqP k K) => kK.
      by case: (@leads_later _ _ A a a0 a1 (the_tokens R c) k K (Ordinal in_the) lk kK).
    by move: lk; rewrite -(subnKC (ltnW kK)) leadsK -[Y in leads _ _ _ Y]addn0 leadsK.
  by move: lK; rewrite /leads -layer_K at_K.
- by rewrite /polytope -layer_K.
- rewrite /the_normal /polytope -layer_K; case: (boolP (is_vertex _)) face => [v _ | _ /= face].
    by apply: vertex_face; rewrite // vertE.
  exact: check_faceP.
Qed.

End Tokens.

(** The hypotheses on A are what the checker tests. *)
Lemma systemP (I : integers) (R : realFieldType) (c : limit_certificate) (M := vectors (clear_rows I (lim_matrix c))) :
  shaped_limit c -> symmetric (lim_dim c) M -> definite (lim_dim c) M ->
  (the_A R c)^T = the_A R c /\ forall x, x != 0 -> 0 < inner (the_A R c *m x) x.
Proof.
move=> shape sym def; pose k := common I (flatten (lim_matrix c)).
have k0 : 0 < phi R k by apply/phi_gt0/pos_common.
have entry i j : phi R (nth (of_Z I Z0) (nth [::] M i) j) = phi R k * value R (nth zero (nth [::] (lim_matrix c) i) j).
  by rewrite nth_map_clear nth_clear //; apply/dividing_flatten/dividing_common.
have symE i j : (i < lim_dim c)%N -> (j < lim_dim c)%N ->
    phi R (nth (of_Z I Z0) (nth [::] M i) j) = phi R (nth (of_Z I Z0) (nth [::] M j) i).
  by move=> il jl; move/allP/(_ i): sym; rewrite mem_iota => /(_ il)/allP/(_ j); rewrite mem_iota => /(_ jl)/phi_eq.
split=> [|x x0].
  apply/matrixP => i j; rewrite !mxE /=; apply: (mulfI (lt0r_neq0 k0)).
  by rewrite -!entry symE.
rewrite -(pmulr_rgt0 _ k0).
pose y i := if insub i is Some j then x j 0 else 0.
have yE (i : 'I_(lim_dim c)) : y i = x i 0 by rewrite /y valK.
have -> : phi R k * inner (the_A R c *m x) x = form (lim_dim c) M y.
  rewrite /inner mulr_sumr; apply: eq_bigr => i _; rewrite mxE mulr_suml mulr_sumr; apply: eq_bigr => j _.
  by rewrite !yE entry !mxE /=; ring.
apply: definiteP def _ => //; case: (boolP [exists i, x i 0 != 0]) => [/existsP[i xi] | /existsPn H].
  by exists i; rewrite ?yE.
by case/eqP: x0; apply/colP => i; rewrite mxE; apply/eqP; move: (H i); rewrite negbK.
Qed.

(** The block of the certificate is a layer of the dynamics. *)
Lemma run_layerP (I : integers) (R : realFieldType) (c : limit_certificate) (s : Checker.state I) (t := run_block s (compile I (lim_dim c) (lim_block c))) :
  shaped_limit c -> ~~ Z.leb (Qnum (lim_alpha c)) Z0 -> pos (over s) ->
  pos (over t) /\ denote R (lim_dim c) t = layer (the_A R c) (the_a R c) (denote R (lim_dim c) s).
Proof.
case/and5P => d0 /andP[rows row] _ _ _ alpha s0.
have bs : shaped_block (lim_dim c) (lim_block c) by rewrite /shaped_block /= /shaped_sa /= d0 eqxx rows row.
by have [t0 tE] := run_blockP R bs s0; split=> //; rewrite [LHS]tE blockE // dynamics_is_a_block.
Qed.

Theorem check_limit_sound (I : integers) (c : limit_certificate) : check_limit I c -> limit_claim c.
Proof.
case/and5P => shape alpha sym def all_tokens; split=> // R; have [A_sym A_pos] := systemP R shape sym def.
split=> // [|i il]; first exact: a_bounds.
have /and5P[_ _ _ /eqP sizes _] := shape.
set s := foldl _ _ _ in all_tokens.
have [c0 cE] := clear_rowsP (R := R) (I := I) (lim_dim c) (lim_tokens c).
have [s0 sE] : pos (over s) /\ denote R (lim_dim c) s = state (the_A R c) (the_a R c) (the_tokens R c) (lim_layer c).
  rewrite /s -[the_tokens R c]cE; elim: (lim_layer c) (clear_rows I (lim_tokens c)) c0 => // k IH t t0.
  have [u0 uE] := run_layerP R shape alpha t0.
  by rewrite [state _ _ _ _]iterSr -uE; exact: IH.
have sizeE : size (the_tokens R c) = size (vectors s).
  by rewrite -[RHS](size_map (fun x => (phi R (over s))^-1 *: vec R (lim_dim c) x)) [X in _ = size X]sE size_state.
have sizeT : size (lim_tokens c) = size (vectors s) by rewrite -sizeE size_map.
have v0 : vectors s <> [::] by move=> E; move: il; rewrite sizeT E.
apply: (token_sound alpha A_sym A_pos s0 v0 sE _ sizeE); rewrite -?sizeT ?sizes // => j jl.
by move/allP/(_ j): all_tokens; rewrite mem_iota => /(_ jl).
Qed.
