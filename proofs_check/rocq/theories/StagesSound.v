(** The checker of limits in stages is sound: [check_stages c = true -> stages_claim c], whatever its integers. *)

From Coq Require Import ZArith QArith Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ssrZ zify ring.
From Exactformer Require Import Semantics Basics Certificate Checker CheckerNumbers CheckerSound Instances.
From Exactformer Require Import Dynamics Limits Metric Orbit Polytope Lock Forever PowerSums PowerRanges.
From Exactformer Require Import LimitCertificate LimitChecker LimitTests LimitForms LimitSound StagesCertificate StagesChecker StagesSteps.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** Numbers written with powers *)

Section PowerNumbers.

Variable R : realFieldType.
Notation value := (value R).

Lemma value_phi (x : Z) (y : positive) : value (Qmake x y) = phi R (x : integers_Z) / phi R (Zpos y : integers_Z).
Proof. by []. Qed.

Lemma phi_den (y : positive) : phi R (Zpos y : integers_Z) != 0.
Proof. exact: phi_neq0. Qed.

Lemma valueD x y : value (Qplus x y) = value x + value y.
Proof.
rewrite (value_phi (Qnum x * Zpos (Qden y) + Qnum y * Zpos (Qden x))%z (Qden x * Qden y)%positive).
rewrite -[(_ + _)%z]/(add (i := integers_Z) _ _) phiD -![(_ * _)%z]/(mul (i := integers_Z) _ _) !phiM.
rewrite -[Zpos (_ * _)]/(mul (i := integers_Z) (Zpos (Qden x)) (Zpos (Qden y))) phiM.
case: x y => [p q] [r t]; rewrite !value_phi /=; field.
by rewrite !phi_den.
Qed.

Lemma value_power b e : value (q_power b e) = value b ^+ e.
Proof.
have den0 : 0 < phi R (Zpos (Qden b) : integers_Z) by exact: phi_gt0.
have E : Zpos (Z.to_pos (pow (I := integers_Z) (Zpos (Qden b)) e)) = pow (I := integers_Z) (Zpos (Qden b)) e.
  apply: Z2Pos.id; have : 0 < phi R (pow (I := integers_Z) (Zpos (Qden b)) e) by rewrite phi_pow exprn_gt0.
  by rewrite /phi /phiZ ltr0z /=; lia.
by rewrite /q_power value_phi E !phi_pow -expr_div_n; case: b {den0 E}.
Qed.

Lemma value_number x : value (q_number x) = number_value R x.
Proof.
rewrite /number_value; elim: x => [|t x IH]; first by rewrite big_nil value0.
rewrite big_cons -IH /= valueD; congr (_ + _); case: t => [b l] /=; rewrite /q_term /=.
by elim: l => [|p l IHl]; rewrite ?big_nil ?mulr1 // big_cons /= valueM value_power IHl mulrCA.
Qed.

End PowerNumbers.

Lemma the_placeE (c : stages_certificate) i : the_place (system_of c) i = place_of (the_destination c i).
Proof.
rewrite /the_place /the_destination /=; case: (ltnP i (size (stg_destinations c))) => i_n.
  by rewrite (nth_map (Destination [::] true [::] [::])).
by rewrite !nth_default ?size_map.
Qed.

Lemma the_endE (R : realFieldType) (c : stages_certificate) i : the_end R c i = the_limit R (system_of c) i.
Proof.
apply/colP => j; rewrite !mxE the_placeE /= -value_number; congr (value _ _).
case: (ltnP j (size (at_number (the_destination c i)))) => j_n; first by rewrite (nth_map [::]).
by rewrite [LHS](congr1 q_number (nth_default _ j_n)) nth_default ?size_map.
Qed.

Section Known.

Variables (I : integers) (R : realFieldType) (c : stages_certificate).
Notation c' := (system_of c).
Notation d := (stg_dim c).
Notation A := (the_A R c').
Notation a := (the_a R c').
Notation tokens := (the_tokens R c').
Notation n := (size (stg_tokens c)).
Notation K := (stg_layer c).
Notation state k := (state A a tokens k).
Notation z := (token_at A a tokens).
Notation leads := (leads A a tokens).

Hypothesis shape : shaped_limit c'.
Hypothesis alpha_pos : ~~ Z.leb (Qnum (lim_alpha c')) Z0.
Hypothesis A_sym : A^T = A.
Hypothesis A_pos : forall x, x != 0 -> 0 < inner (A *m x) x.
Hypothesis n_gt0 : (0 < n)%N.

(** s holds the tokens of layer k. *)
Definition at_layer k (s : Checker.state I) : Prop := pos (over s) /\ denote R d s = state k.

Lemma size_at k s : at_layer k s -> size (vectors s) = n.
Proof. by case=> _ E; have := congr1 size E; rewrite size_map size_state size_map. Qed.

(** ** The leaders *)

Lemma leaders_atP k s i : at_layer k s -> (i < n)%N -> i \in leaders_at c s = leads k i.
Proof.
move=> sk i_n; have sizeE := size_at sk; have [s0 sE] := sk.
rewrite mem_filter mem_iota i_n !andbT /leads /token_at -sE.
have neq0 : vectors s <> [::] by move=> E; move: n_gt0; rewrite -sizeE E.
have rowE : (phi R (over s))^-1 *: vec R d (nth [::] (vectors s) i) = nth 0 (denote R d s) i by rewrite (nth_map [::]) ?sizeE.
rewrite -rowE; apply: (leads_nowP (c := c') s0 neq0).
by rewrite rowE mem_nth // size_map sizeE.
Qed.

(** Between the layers that are known no set changes, so nobody begins to lead. *)
Fixpoint covering (known : seq (nat * Checker.state I)) : Prop :=
  if known is p :: rest then
    [/\ at_layer p.1 p.2, covering rest, (if rest is q :: _ then p.1 < q.1 else true)%N
      & forall k i, (i < n)%N -> (p.1 <= k)%N -> (if rest is q :: _ then k < q.1 else true)%N -> leads k i = leads p.1 i]
  else True.

Definition begins (k : nat) (known : seq (nat * Checker.state I)) : bool := if known is p :: _ then p.1 == k else false.

Lemma first_leadP i p rest : (i < n)%N -> covering (p :: rest) ->
  if [seq q.1 | q <- [seq (q.1, leaders_at c q.2) | q <- p :: rest] & i \in q.2] is k :: _ then
    [/\ (p.1 <= k)%N, leads k i & forall m, (p.1 <= m < k)%N -> ~~ leads m i]
  else forall m, (p.1 <= m)%N -> ~~ leads m i.
Proof.
move=> i_n; elim: rest p => [|q rest IH] p [pk cover up same].
  rewrite /= (leaders_atP pk i_n); case: ifP => [lead | /negbT no] /=; last by move=> m pm; rewrite same.
  by split=> // m /andP[pm mp]; move: mp; rewrite ltnNge pm.
rewrite /= (leaders_atP pk i_n); case: ifP => [lead | /negbT no] /=.
  by split=> // m /andP[pm mp]; move: mp; rewrite ltnNge pm.
have := IH q cover; rewrite /=; case: [seq _ | _ <- _] => [|k l].
  by move=> H m pm; case: (ltnP m q.1) => mq; [rewrite same | exact: H].
case=> qk lead H; split=> //; first exact: leq_trans (ltnW up) qk.
move=> m /andP[pm mk]; case: (ltnP m q.1) => mq; first by rewrite same.
by apply: H; rewrite mq.
Qed.

Lemma check_leadersP known i k : check_leaders c known -> covering known -> begins 0 known -> (i < n)%N ->
  (i, k) \in stg_leaders c <-> leads k i /\ forall m, (m < k)%N -> ~~ leads m i.
Proof.
case: known => // p rest /eqP -> cover /eqP p0 i_n; pose found := [seq (q.1, leaders_at c q.2) | q <- p :: rest]; rewrite -/found.
have -> : ((i, k) \in flatten [seq first_lead found j | j <- iota 0 n]) = ((i, k) \in first_lead found i).
  apply/flattenP/idP => [[l /mapP[j _ ->]] | H]; last by exists (first_lead found i); rewrite ?map_f ?mem_iota.
  by rewrite /first_lead; case E : [seq _ | _ <- _] => [|m l'] //; rewrite inE => /eqP[-> ->]; rewrite E mem_head.
have := first_leadP i_n cover; rewrite -/found /first_lead p0; case: [seq _ | _ <- _] => [|m l].
  by move=> H; split=> // -[lead _]; have := H k (leq0n k); rewrite lead.
case=> _ lead before; rewrite inE xpair_eqE eqxx /=; split=> [/eqP -> | [leadk first]].
  by split=> // j jm; exact: before.
rewrite eqn_leq; apply/andP; split; rewrite leqNgt; apply/negP => lt.
  by have := first m lt; rewrite lead.
by have := before k lt; rewrite leadk.
Qed.

(** ** From stage to stage *)

(** What is claimed of token i once the last stage begins, at layer L. *)
Record settled (L i : nat) : Prop := Settled {
  same_set : forall k j, (L <= k)%N -> (j < n)%N -> follower_of R c' k i j = follower_of R c' L i j;
  it_ends : archimedean R -> tends (fun k => z k i) (the_end R c i);
  corner : the_end R c i \in [seq p <- state L | leading A (state L) p] = at_vertex (the_destination c i);
  face : exists h, least_norm_on_face A [seq p <- state L | leading A (state L) p] h (the_end R c i)
}.

Section Stage.

Variables (st : stage) (s : Checker.state I) (next : option nat).
Notation T := (stage_time st).
Notation forms := (closed_forms I c st).
Notation M := (largest_power_of forms).
Notation sums := (map (in_powers M) forms).
Notation S0 := (denote R d s).
Hypothesis s_at : at_layer (K + T) s.
Hypothesis checked : check_stage c st s next forms sums M.

Let s_pos : pos (over s). Proof. by case: s_at. Qed.
Let size_s : size (vectors s) = n. Proof. exact: size_at s_at. Qed.

Lemma shift_state k : state (K + T + k) = Orbit.state A a S0 k.
Proof. by case: s_at => _ ->; rewrite /Orbit.state addnC iterD. Qed.

Lemma shift k j : z (K + T + k) j = token_at A a S0 k j.
Proof. by rewrite /token_at shift_state. Qed.

Lemma set_later k i : (i < n)%N -> (forall t, next = Some t -> (T + k < t)%N) ->
  index_set A a S0 k i = index_set A a S0 0 i.
Proof.
move=> i_n within; have [t E | _] := stageP (m := k.+1) alpha_pos A_sym s_pos size_s n_gt0 checked _ k i_n; last exact.
by rewrite addnS; exact: within.
Qed.

Lemma leads_later_in k i : (i < n)%N -> (K + T <= k)%N -> (forall t, next = Some t -> (k < K + t)%N) -> leads k i = leads (K + T) i.
Proof.
move=> i_n Tk within; have iS : (i < size S0)%N by rewrite size_map size_s.
have E j : leads (K + T + j) i = (index_set A a S0 j i == [:: i]).
  by rewrite -leads_index // /Orbit.leads shift_state shift.
rewrite -(subnKC Tk) E -[in RHS](addn0 (K + T)%N) E set_later // => t /within.
by rewrite -{1}(subnKC Tk) -addnA ltn_add2l.
Qed.

Lemma next_at t : next = Some t -> (T < t)%N -> at_layer (K + t) (reduce (state_at st M sums t)).
Proof.
move=> nt Tt; have [u0 uE] := next_state alpha_pos A_sym s_pos size_s n_gt0 checked nt (ltnW Tt).
by split=> //; rewrite uE -shift_state -addnA subnKC // ltnW.
Qed.

Lemma last_stage i : next = None -> (i < n)%N -> check_end c st s forms i -> settled (K + T) i.
Proof.
move=> nextE i_n /and4P[ok limitE kind faceE].
have within k t : next = Some t -> (T + k <= t)%N by rewrite nextE.
have iS : (i < size S0)%N by rewrite size_map size_s.
have [_ S0E] := s_at; have stateE : state (K + T) = S0 by rewrite -[(K + T)%N]addn0 shift_state.
have neq0 : vectors s <> [::] by move=> E; move: n_gt0; rewrite -size_s E.
have rowE : (phi R (over s))^-1 *: vec R d (nth [::] (vectors s) i) = nth 0 S0 i by rewrite (nth_map [::]) ?size_s.
have rowS : (phi R (over s))^-1 *: vec R d (nth [::] (vectors s) i) \in S0 by rewrite rowE mem_nth.
have [_ cornerE] := check_kindP (c := c') s_pos neq0 kind rowS.
have placeE : nth (Place [::] Locked true [::] [::]) (lim_places c') i = place_of (the_destination c i).
  exact: (the_placeE c i).
split.
- move=> k j Tk j_n; have E m : follower_of R c' (K + T + m) i j = (j \in index_set A a S0 m i).
    by rewrite mem_filter mem_iota add0n size_map size_s j_n !andbT /follower_of shift_state !shift.
  rewrite -(subnKC Tk) E -[in RHS](addn0 (K + T)%N) E set_later // => t.
  by rewrite nextE.
- move=> arch; have := at_time_tends (c := c') (unscaled I) (form_high I st) (D_pos I st) arch ok.
  have kn : phi R (limit_over I (place_of (the_destination c i))) != 0 by exact/phi_neq0/pos_common.
  have -> : ((phi R (over (unscaled I)) * phi R (form_high I st))^-1 *:
      vec R d (sumv [seq t.2 | t <- nth [::] forms i & eqb t.1.1 (form_over I st)])) = the_end R c i.
    have Wn : phi R (form_high I st) != 0 by exact/phi_neq0/W_pos.
    apply: (scalerI (mulf_neq0 kn Wn)); rewrite phi1 mul1r scalerA mulfK //.
    move: limitE; rewrite placeE (sameP R) !vec_scale => /eqP ->; rewrite vec_clear; last exact: dividing_common.
    by rewrite scalerA mulrC the_endE /the_limit the_placeE.
  move=> H x eps e0; have [N HN] := H x eps e0; exists (K + T + N)%N => k Nk.
  have Tk : (K + T <= k)%N by exact: leq_trans (leq_addr _ _) Nk.
  have [|zF _] := stageP (m := k - (K + T)) alpha_pos A_sym s_pos size_s n_gt0 checked _ (k - (K + T))%N i_n; first by rewrite nextE.
  rewrite -(subnKC Tk) shift zF //; apply: HN; apply: leq_trans (leq_addl _ _).
  by rewrite leq_subRL.
- by rewrite the_endE stateE cornerE placeE.
- rewrite the_endE stateE; case: (boolP (is_vertex _)) faceE => [v _ | _ /= faceE].
    by exists (A *m the_limit R c' i); apply: vertex_face; rewrite // cornerE.
  by eexists; exact: check_faceP faceE.
Qed.

End Stage.

Lemma follow_sound later st s known : at_layer (K + stage_time st) s -> follow c s st later = Some known ->
  [/\ covering known, begins (K + stage_time st) known
    & forall i, (i < n)%N -> settled (K + last (stage_time st) (map stage_time later)) i].
Proof.
elim: later st s known => [|st' later IH] st s known sT /=.
  case: ifP => // /andP[stage /allP ends] [<-]; split=> [||i i_n]; last first.
  - by apply: (last_stage sT stage) => //; apply: ends; rewrite mem_iota.
  - exact: eqxx.
  by split=> // k i i_n Tk _; apply: (leads_later_in sT stage).
case: ifP => // /andP[Tt stage]; case F : (follow _ _ _ _) => [rest|] //= [<-].
have [cover first ends] := IH _ _ _ (next_at sT stage erefl Tt) F; split; [ | exact: eqxx | exact: ends].
case: rest F cover first => // q rest _ cover /eqP qE; split=> //; rewrite qE ?ltn_add2l // => k i i_n Tk kT.
by apply: (leads_later_in sT stage) => // t [<-].
Qed.

(** ** The first layers *)

Lemma early_layersP m k s l t : at_layer k s -> early_layers c m k s = (l, t) ->
  at_layer (k + m) t /\ forall known, covering known -> begins (k + m) known ->
    covering (l ++ known) /\ begins k (l ++ known).
Proof.
elim: m k s l t => [|m IH] k s l t sk /=.
  by case=> <- <-; rewrite addn0; split.
case E : (early_layers _ _ _ _) => [l' t'] [<- <-].
have sk1 : at_layer k.+1 (run_block s (compile I d (lim_block c'))).
  have [s0 sE] := sk; have [u0 uE] := run_layerP R shape alpha_pos s0.
  by split=> //; rewrite [LHS]uE sE.
have [tk H] := IH _ _ _ _ sk1 E; rewrite -addSnnS; split=> // known cover first.
have [cover' first'] := H _ cover first; split; last exact: eqxx.
split=> //=; case: (l' ++ known) first' => //= q rest /eqP -> // j i i_n kj.
by rewrite ltnS => jk; have /eqP -> : j == k by rewrite eqn_leq jk.
Qed.

End Known.

Theorem check_stages_sound (I : integers) (c : stages_certificate) : check_stages I c -> stages_claim c.
Proof.
case/and5P => shape alpha sym def; case stagesE : (stg_stages c) => [|st later] //.
case E : (early_layers _ _ _ _) => [early s] /andP[/eqP T0]; case F : (follow _ _ _ _) => [known|] // leaders.
split=> // R; have [A_sym A_pos] := systemP R shape sym def.
split=> // [|i i_n]; first exact: (a_bounds R (c := system_of c)).
have n_gt0 : (0 < size (stg_tokens c))%N by case: (stg_tokens c) i_n.
have [c0 cE] := clear_rowsP (R := R) (I := I) (stg_dim c) (stg_tokens c).
have start : at_layer R c 0 (clear_rows I (stg_tokens c)) by split.
have [sK H] := early_layersP shape alpha start E; rewrite add0n in sK H.
have sT : at_layer R c (stg_layer c + stage_time st) s by rewrite T0 addn0.
have [cover first ends] := follow_sound alpha A_sym A_pos n_gt0 sT F.
rewrite T0 addn0 in first; have [cover' first'] := H _ cover first.
have L : settled_layer c = (stg_layer c + last (stage_time st) (map stage_time later))%N by rewrite /settled_layer stagesE.
have [sets tend corner face] := ends i i_n.
split; rewrite /the_corners ?L //.
- by move=> k j Lk; rewrite size_map; exact: sets.
- by move=> k; exact: check_leadersP leaders cover' first' i_n.
Qed.
