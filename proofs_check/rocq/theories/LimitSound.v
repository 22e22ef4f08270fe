(** The checker of limits is sound: [check_limit c = true -> limit_claim c], whatever its integers. *)

From Coq Require Import ZArith QArith Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ssrZ zify ring.
From Exactformer Require Import Semantics Basics Certificate Checker CheckerNumbers CheckerFeedForward CheckerSound.
From Exactformer Require Import Dynamics Limits Metric Orbit Polytope Lock LimitCertificate LimitChecker.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Delimit Scope Z_scope with z.  (* %Z is taken by mathcomp's int *)

(** ** Positive definite matrices, by elimination *)

Section Definite.

Variables (I : integers) (R : realFieldType).
Notation O := (of_Z I Z0).
Notation phi := (@phi I R).

Definition form n (M : seq (seq I)) (x : nat -> R) : R :=
  \sum_(i < n) \sum_(j < n) phi (nth O (nth [::] M i) j) * x i * x j.

Lemma nth_eliminate (p : I) b M i j : phi (nth O (nth [::] (eliminate p b M) i) j) =
  phi p * phi (nth O (nth [::] M i) j.+1) - phi (nth O (nth [::] M i) 0) * phi (nth O b j).
Proof.
have m1 : phi (of_Z I (Zneg xH)) = -1 by rewrite /CheckerNumbers.phi of_ZK.
case: (ltnP i (size M)) => iM; last first.
  rewrite (nth_default [::] iM) [nth [::] (eliminate _ _ _) i]nth_default ?size_map // !nth_nil.
  by rewrite phi0 mulr0 mul0r subr0.
rewrite (nth_map [::]) // nth_addv !nth_scale phiM m1 nth_behead -nth0; ring.
Qed.

Lemma form_eliminate n M x (p := head O (head [::] M)) :
  (forall i, (i <= n)%N -> phi (nth O (nth [::] M i) 0) = phi (nth O (nth [::] M 0) i)) ->
  phi p * form n.+1 M x =
  (\sum_(j < n.+1) phi (nth O (nth [::] M 0) j) * x j) ^+ 2 +
  form n (eliminate p (behead (head [::] M)) (behead M)) (x \o succn).
Proof.
move=> sym; have Ep : phi p = phi (nth O (nth [::] M 0) 0) by rewrite /p !nth0.
set b := \sum_(j < n) phi (nth O (nth [::] M 0) j.+1) * x j.+1.
have -> : form n (eliminate p (behead (head [::] M)) (behead M)) (x \o succn) =
  phi p * (\sum_(i < n) \sum_(j < n) phi (nth O (nth [::] M i.+1) j.+1) * x i.+1 * x j.+1) - b ^+ 2.
  rewrite expr2 {1}/b mulr_suml mulr_sumr -sumrB; apply: eq_bigr => i _.
  rewrite mulr_sumr mulr_sumr -sumrB; apply: eq_bigr => j _; rewrite nth_eliminate !nth_behead -nth0 /= -(sym i.+1) //.
  ring.
rewrite /form big_ord_recl big_ord_recl /= -/b.
have -> : \sum_(i < n) \sum_(j < n.+1) phi (nth O (nth [::] M (lift ord0 i)) j) * x (lift ord0 i) * x j =
  x 0%N * b + \sum_(i < n) \sum_(j < n) phi (nth O (nth [::] M i.+1) j.+1) * x i.+1 * x j.+1.
  rewrite /b mulr_sumr -big_split; apply: eq_bigr => i _; rewrite big_ord_recl /= /bump /= add1n (sym i.+1) //.
  by congr (_ + _); ring.
have -> : \sum_(i < n) phi (nth O (nth [::] M (@ord0 n)) (lift (@ord0 n) i)) * x (@ord0 n) * x (lift (@ord0 n) i) = x 0%N * b.
  by rewrite /b mulr_sumr; apply: eq_bigr => i _; rewrite /= /bump /= add1n; ring.
rewrite [in RHS]big_ord_recl /= -/b Ep.
move: (\sum_(i < n) \sum_(j < n) _) => q; ring.
Qed.

Lemma definiteP n M x : (forall i j, (i < n)%N -> (j < n)%N -> phi (nth O (nth [::] M i) j) = phi (nth O (nth [::] M j) i)) ->
  definite n M -> (exists2 i, (i < n)%N & x i != 0) -> 0 < form n M x.
Proof.
elim: n M x => [|n IH] M x sym; first by move=> _ [].
move=> /andP[p0 H] nz; set p := head O _ in p0 H *.
have {}p0 : 0 < phi p by rewrite -(phi0 I R) ltNge phi_le.
rewrite -(pmulr_rgt0 _ p0) form_eliminate => [|i il]; last exact: sym.
set M' := eliminate _ _ _ in H *.
case: (boolP [exists i : 'I_n, x i.+1 != 0]) => [/existsP[i xi] | /existsPn z].
  rewrite ltr_paddl ?sqr_ge0 //; apply: IH H _ => [j k jn kn|]; last by exists i.
  by rewrite !nth_eliminate !nth_behead -!nth0 (sym j.+1 k.+1) // (sym j.+1 0%N) // (sym k.+1 0%N) //; ring.
have z' i : (i < n)%N -> x i.+1 = 0 by move=> il; move: (z (Ordinal il)); rewrite negbK => /eqP.
have x0 : x 0%N != 0 by case: nz => -[|i] il //; rewrite z' ?eqxx.
have -> : form n M' (x \o succn) = 0.
  by apply: big1 => i _; apply: big1 => j _; rewrite /= (z' j) // mulr0.
rewrite addr0 big_ord_recl big1 => [|i _]; last by rewrite /= /bump /= add1n z' // mulr0.
rewrite addr0 exprn_even_gt0 //= mulf_neq0 // nth0 nth0 lt0r_neq0 //.
Qed.

End Definite.

(** ** One locked token *)

Section Token.

Variables (I : integers) (R : realFieldType).
Notation O := (of_Z I Z0).
Notation phi := (@phi I R).
Notation phi_gt0 := (@CheckerNumbers.phi_gt0 I R _).
Notation phi_neq0 := (@CheckerNumbers.phi_neq0 I R _).
Notation vec := (@vec I R).

Lemma differP d (x y : seq I) : differ d x y -> vec d x <> vec d y.
Proof.
move=> /hasP[i]; rewrite mem_iota add0n /= => il ne /colP/(_ (Ordinal il)); rewrite !mxE /= => /eqP.
by rewrite /CheckerNumbers.phi phiZ_eq -eqbE (negbTE ne).
Qed.

Lemma matrix_scalar n q : matrix_of R n n (Scalar q) = (value R q)%:M.
Proof. by apply/matrixP => i j; rewrite !mxE /= val_eqE; case: eqP => _ //; rewrite mulr0n value0. Qed.

Lemma value1 : value R (Qmake (Zpos xH) xH) = 1.
Proof. by rewrite /value /= divr1. Qed.

Variable c : limit_certificate.
Hypothesis alpha_pos : ~~ Z.leb (Qnum (lim_alpha c)) Z0.

Lemma alphaE : [/\ 0 < value R (lim_alpha c), value R (lit_a (lim_alpha c)) = the_a R c
  & value R (lit_r (lim_alpha c)) = 1 - the_a R c].
Proof.
rewrite /the_a; case: (lim_alpha c) alpha_pos => [[|p|p] q] //= _; rewrite /value /lit_a /lit_r /lit_whole /=.
have P x : 0 < (int_of_Z (Zpos x))%:~R :> R by rewrite ltr0z; lia.
have D : (int_of_Z (Zpos (p + q)))%:~R = (int_of_Z (Zpos p))%:~R + (int_of_Z (Zpos q))%:~R :> R.
  by rewrite -intrD; congr (_%:~R); lia.
have [p0 q0] := (P p, P q); rewrite D; move: (_%:~R) (_%:~R) p0 q0 => u v u0 v0.
have w : u + v != 0 by rewrite lt0r_neq0 // addr_gt0.
by split; [exact: divr_gt0 | field; rewrite w lt0r_neq0 | field; rewrite w lt0r_neq0].
Qed.

Lemma a_bounds : 0 < the_a R c < 1.
Proof.
have [p _ _] := alphaE; have p1 : 0 < 1 + value R (lim_alpha c) by rewrite addr_gt0 ?ltr01.
by rewrite /the_a divr_gt0 //= ltr_pdivr_mulr // mul1r ltr_addr ltr01.
Qed.

Lemma blockE : block_of R (lim_dim c) (lim_block c) = dynamics_block (the_A R c) (the_a R c).
Proof.
have [_ Ea Er] := alphaE; rewrite /block_of /dynamics_block /= /sa_of /=.
by rewrite !matrix_scalar Ea Er value1.
Qed.

(** *** The checker's tests on the state of layer K, in mathematics *)

Variable s : Checker.state I.
Hypothesis s_pos : pos (over s).
Hypothesis s_neq0 : vectors s <> [::].

Notation d := (lim_dim c).
Notation A := (the_A R c).
Notation dotA := (dotA A).
Notation normA := (normA A).
Notation vs := (vectors s).
Notation ac := (compile_sa I d (lim_sa c)).
Notation query := (apply (sa_query ac)).
Notation key := (apply (sa_key ac)).
Notation keys := (lim_keys ac s).
Notation tok X := ((phi (over s))^-1 *: vec d X).
Notation S0 := (denote R d s).

Lemma scoreE : exists2 e : R, 0 < e & forall X Y, phi (dot (query X) (key Y)) = e * dotA (tok X) (tok Y).
Proof.
have [e e0 H] := score_scale R d (lim_sa c) s_pos; exists e => // X Y; rewrite H; congr (_ * _).
by rewrite /= matrix_scalar value1 mul1mx.
Qed.

Lemma score_le X Y Z : leb (dot (query X) (key Y)) (dot (query X) (key Z)) = (dotA (tok X) (tok Y) <= dotA (tok X) (tok Z)).
Proof. by have [e e0 H] := scoreE; rewrite -(phi_le R) !H ler_pmul2l. Qed.

Lemma winners_follow X : [seq tok Y | Y <- winners keys (query X)] = follows A S0 (tok X).
Proof.
rewrite (winnersE R) (best_followed R d (lim_sa c) s_pos X) /followed /follows /=.
by apply: eq_filter => y; apply: eq_all => x; rewrite /= matrix_scalar value1 !mul1mx.
Qed.

Lemma leading_atP Y : leading_at ac keys Y -> all (fun y => (y == tok Y) || (dotA (tok Y) y < normA (tok Y))) S0.
Proof.
rewrite /leading_at /lim_keys !all_map; apply: sub_all => X /= /orP[/(eqv_vec (R := R) d) -> | ].
  by rewrite eqxx.
by rewrite score_le -ltNge => ->; rewrite orbT.
Qed.

Lemma not_leading_atP Y : not_leading_at d ac keys Y -> ~~ leading A S0 (tok Y).
Proof.
rewrite /not_leading_at /lim_keys has_map => H; rewrite negb_and; apply/orP; right.
rewrite all_map -has_predC; apply: sub_has H => X /= /andP[]; rewrite score_le => le /differP ne.
rewrite negb_or -leNgt le andbT; apply/eqP => E; apply: ne.
have /(congr1 (fun v => phi (over s) *: v)) := E; rewrite !scalerA mulfV ?scale1r //; exact: phi_neq0.
Qed.

Lemma best_forP X F : best_for ac keys X F = all (fun Y => all (fun x => dotA (tok X) x <= dotA (tok X) (tok Y)) S0) F.
Proof.
apply: eq_all => Y; rewrite /lim_keys /denote all_map -map_comp.
case: (vectors s) s_neq0 => // x l _; rewrite /largest [map _ _]/= (largestP R) /= score_le all_map; congr (_ && _).
by apply: eq_all => Z /=; rewrite score_le.
Qed.

Lemma tok_sum F : tok (sumv F) = \sum_(y <- [seq tok Y | Y <- F]) y.
Proof. by rewrite vec_sum big_map scaler_sumr. Qed.

Lemma tok_limit (l : place) Y (k := common I (at_limit l)) (L := map (clear k) (at_limit l)) :
  vec d (scale (over s) L) = vec d (scale k Y) <-> vector R d (at_limit l) = tok Y.
Proof.
have k0 : phi k != 0 by apply/phi_neq0/pos_common.
have s0 := phi_neq0 s_pos.
rewrite !vec_scale /L vec_clear; last exact: dividing_common.
rewrite scalerA mulrC -scalerA; split=> [/(scalerI k0) <- | ->]; first by rewrite scalerA mulVf ?scale1r.
by rewrite [X in _ *: X]scalerA mulfV ?scale1r.
Qed.

Variables (i : nat) (leader : bool) (l : place).
Hypothesis i_lt : (i < size vs)%N.
Notation X := (nth [::] vs i).
Notation x0 := (nth 0 S0 i).
Hypothesis checked : check_token d ac s keys leader l X.

Let F := follows A S0 x0.

Lemma x0E : x0 = tok X. Proof. by rewrite (nth_map [::]). Qed.
Lemma x0_in : x0 \in S0. Proof. by rewrite mem_nth ?size_map. Qed.
Lemma FE : [seq tok Y | Y <- winners keys (query X)] = F. Proof. by rewrite winners_follow /F x0E. Qed.

Lemma token_leading y : y \in F -> leading A S0 y.
Proof.
case/and5P: checked => H _ _ _ _ yF; rewrite /leading (follows_sub yF) /=.
have H' : all (fun y => all (fun x => (x == y) || (dotA y x < normA y)) S0) F.
  by rewrite -FE all_map; apply: sub_all H => Y; exact: leading_atP.
exact: (allP H' y yF).
Qed.

Lemma size_F : (size F)%:R != 0 :> R.
Proof. by apply: mean_neq0; apply: follows_neq0 x0_in. Qed.

Lemma token_best x y : y \in F -> x \in S0 -> dotA (mean F) x <= dotA (mean F) y.
Proof.
case/and5P: checked => _ H _ _ _ yF xS.
have : all (fun y => all (fun x => dotA (tok (sumv (winners keys (query X)))) x <=
                                   dotA (tok (sumv (winners keys (query X)))) y) S0) F.
  by rewrite -FE all_map -best_forP.
move=> /allP/(_ y yF)/allP/(_ x xS); rewrite tok_sum FE; have n0 := size_F.
have sF : 0 < (size F)%:R :> R by rewrite lt_def n0 ler0n.
have -> : \sum_(y <- F) y = (size F)%:R *: mean F by rewrite /mean scalerA mulfV ?scale1r.
by rewrite /Dynamics.dotA -!scalemxAr !innerZl ler_pmul2l.
Qed.

Lemma token_limit : vector R d (at_limit l) = mean F.
Proof.
case/and5P: checked => _ _ /(eqv_vec (R := R) d) H _ _.
set k := common I (at_limit l) in H; set W := winners keys _ in H.
have nE : phi (of_Z I (Z.of_nat (size W))) = (size F)%:R by rewrite phi_nat /W -(size_map (fun Y => tok Y)) FE.
have k0 : phi k != 0 by apply/phi_neq0/pos_common.
have s0 := phi_neq0 s_pos; have n0 := size_F.
move: H; rewrite !vec_scale nE vec_clear; last exact: dividing_common.
rewrite -/k; move: (vector R d _) => v H.
have nek : (size F)%:R * phi (over s) * phi k != 0 by rewrite !mulf_neq0.
have -> : v = ((size F)%:R * phi (over s) * phi k)^-1 *: ((size F)%:R *: (phi (over s) *: (phi k *: v))).
  by rewrite [_ *: (phi k *: v)]scalerA [(size F)%:R *: _]scalerA mulrA scalerA mulVf ?scale1r.
rewrite H scalerA /mean -FE -tok_sum scalerA; congr (_ *: _).
by rewrite !invfM mulfVK.
Qed.

Lemma token_leader : leader = Dynamics.leader A S0 x0.
Proof.
case/and5P: checked => _ _ _ /eqP -> _.
rewrite best_forP /= andbT -x0E -(size_map (fun Y => tok Y)) FE /Dynamics.leader -/F.
have -> : all (fun x => dotA x0 x <= dotA x0 x0) S0 = (x0 \in F) by rewrite mem_argmax x0_in.
case: F => [|y [|y' u]] //=; rewrite ?inE !eqseq_cons ?eqxx ?andbT ?andbF // eq_sym //.
Qed.

Lemma token_vertex : (mean F \in [seq p <- S0 | leading A S0 p]) = is_vertex l.
Proof.
rewrite -token_limit mem_filter; case/and5P: checked => _ _ _ _; case: (is_vertex l) => H.
  move: H => /(has_nthP [::])[j js /andP[/(eqv_vec (R := R) d)/tok_limit E lead]].
  have mem : tok (nth [::] vs j) \in S0 by apply/(nthP 0); exists j; rewrite ?size_map // (nth_map [::]).
  by rewrite E mem andbT /leading mem leading_atP.
apply/negbTE/negP => /andP[lead /(nthP 0)[j]]; rewrite size_map => js E.
move: H => /(all_nthP [::])/(_ j js); rewrite (nth_map [::]) // in E.
case/orP => [/differP ne | ]; first by apply: ne; apply/tok_limit.
by move=> /not_leading_atP; rewrite E lead.
Qed.

(** *** What follows for all layers *)

Notation a := (the_a R c).
Notation K := (lim_layer c).
Notation z := (token_at A a (the_tokens R c)).
Notation states := (Orbit.state A a (the_tokens R c)).
Hypothesis A_sym : A^T = A.
Hypothesis A_pos : forall x, x != 0 -> 0 < inner (A *m x) x.
Hypothesis layer_K : S0 = states K.
Hypothesis leaderE : leader = (i \in lim_leaders c).
Hypothesis placeE : l = the_place c i.

Lemma shift_state k : states (K + k) = Orbit.state A a S0 k.
Proof. by rewrite layer_K /Orbit.state addnC iterD. Qed.

Lemma shift k j : z (K + k) j = token_at A a S0 k j.
Proof. by rewrite /token_at shift_state. Qed.

Lemma i_S0 : (i < size S0)%N. Proof. by rewrite size_map. Qed.

Lemma lockedE k : z (K + k) i = mean F + (1 - a) ^+ k *: (x0 - mean F) /\ follows A (states (K + k)) (z (K + k) i) = F.
Proof.
have /andP[a0 a1] := a_bounds; rewrite shift shift_state.
exact: (locked A_sym a0 a1 i_S0 token_leading token_best k).
Qed.

Lemma x0_K : z K i = x0. Proof. by rewrite -[K]addn0 shift. Qed.

Lemma mean_on_face : least_norm_on_face A [seq p <- S0 | leading A S0 p] (A *m mean F) (mean F).
Proof.
have F0 : F != [::] by apply: follows_neq0 x0_in.
have le q : hull [seq p <- S0 | leading A S0 p] q -> dotA (mean F) q <= normA (mean F).
  apply: hull_le => p; rewrite mem_filter => /andP[_ pS].
  by apply: (mean_ge F0) => y yF; exact: token_best.
have hm : hull [seq p <- S0 | leading A S0 p] (mean F).
  by apply: hull_mean F0 _ => y yF; rewrite mem_filter token_leading // (follows_sub yF).
split; first by split.
move=> q [_ /(_ _ hm)]; rewrite -/(dotA _ _) -/(dotA (mean F) q) -/(normA (mean F)) => ge ne.
have n0 : 0 < normA (q - mean F) by rewrite normA_gt0 // subr_eq0.
by move: n0; rewrite normAB // (dotAC A_sym q) => n0; move: ge n0; move: (mean F) => m ge n0; lin n0 ge ge.
Qed.

Lemma token_sound : (size (the_tokens R c) = size S0) -> token_claim R c i.
Proof.
move=> sizeE; have /andP[a0 a1] := a_bounds.
have r0 : 0 < 1 - a by rewrite subr_gt0.
have r1 : 1 - a < 1 by rewrite ltr_subl_addr ltr_addl.
have lE : the_limit R c i = mean F by rewrite /the_limit -placeE token_limit.
have leads_K : leads A a (the_tokens R c) K i = (i \in lim_leaders c).
  by rewrite -leaderE token_leader /leads x0_K -layer_K.
split; rewrite ?lE ?x0_K.
- move=> k j Kk jn; rewrite -(subnKC Kk) /follower_of (proj2 (lockedE _)) shift.
  have := proj2 (lockedE 0); rewrite addn0 => ->; rewrite -[in z K j](addn0 K) shift.
  by apply: (apartE a0 a1 i_S0 token_leading); rewrite -?sizeE.
- by move=> k; case: (lockedE k).
- move=> arch; apply: (geometric_tends (K := K) (v := x0 - mean F) arch r0 r1) => k.
  by case: (lockedE k).
- rewrite -leads_K; split=> [lK | [k]]; first by exists K.
  case: (leqP k K) => kK lk.
    have iN : (i < size (the_tokens R c))%N by rewrite sizeE i_S0.
    by case: (@leads_later _ _ A a a0 a1 (the_tokens R c) k K (Ordinal iN) lk kK).
  have [zE fE] := lockedE (k - K); move: zE fE; rewrite subnKC 1?ltnW // => zE fE.
  move: lk; rewrite /leads /Dynamics.leader fE => /eqP FE1.
  have mE : mean F = z k i by rewrite FE1 /mean big_seq1 invr1 scale1r.
  have E0 : x0 = mean F.
    apply/eqP; rewrite -subr_eq0; have : (1 - a) ^+ (k - K) *: (x0 - mean F) == 0.
      by rewrite -(inj_eq (addrI (mean F))) addr0 -zE mE.
    by rewrite scaler_eq0 expf_eq0 (gt_eqF r0) andbF.
  by rewrite x0_K -layer_K -/F FE1 -mE E0.
- by rewrite /polytope -layer_K token_vertex placeE.
- by rewrite /polytope -layer_K; exact: mean_on_face.
Qed.

End Token.

Theorem check_limit_sound (I : integers) (c : limit_certificate) : check_limit I c -> limit_claim c.
Proof.
case/and5P => shape alpha sym def tokens; split=> // R.
have /and5P[d0 /andP[rows row] /andP[n0 _] _ _] := shape.
pose M := vectors (clear_rows I (lim_matrix c)); pose k := common I (flatten (lim_matrix c)).
have k0 : 0 < phi R k by apply/phi_gt0/pos_common.
have entry i j : phi R (nth (of_Z I Z0) (nth [::] M i) j) = phi R k * value R (nth zero (nth [::] (lim_matrix c) i) j).
  by rewrite nth_map_clear nth_clear //; apply/dividing_flatten/dividing_common.
have symE i j : (i < lim_dim c)%N -> (j < lim_dim c)%N ->
    phi R (nth (of_Z I Z0) (nth [::] M i) j) = phi R (nth (of_Z I Z0) (nth [::] M j) i).
  by move=> il jl; move/allP/(_ i): sym; rewrite mem_iota => /(_ il)/allP/(_ j); rewrite mem_iota => /(_ jl)/phi_eq.
have A_sym : (the_A R c)^T = the_A R c.
  apply/matrixP => i j; rewrite !mxE /=; apply: (mulfI (lt0r_neq0 k0)).
  by rewrite -!entry symE.
have A_pos x : x != 0 -> 0 < inner (the_A R c *m x) x.
  move=> x0; rewrite -(pmulr_rgt0 _ k0).
  pose y i := if insub i is Some j then x j 0 else 0.
  have yE (i : 'I_(lim_dim c)) : y i = x i 0 by rewrite /y valK.
  have -> : phi R k * inner (the_A R c *m x) x = form (lim_dim c) M y.
    rewrite /inner mulr_sumr; apply: eq_bigr => i _; rewrite mxE mulr_suml mulr_sumr; apply: eq_bigr => j _.
    by rewrite !yE entry !mxE /=; ring.
  apply: definiteP def _ => //; case: (boolP [exists i, x i 0 != 0]) => [/existsP[i xi] | /existsPn H].
    by exists i; rewrite ?yE.
  by case/eqP: x0; apply/colP => i; rewrite mxE; apply/eqP; move: (H i); rewrite negbK.
split=> // [|i il]; first exact: a_bounds.
set s := foldl _ _ _ in tokens.
have [c0 cE] := clear_rowsP (R := R) (I := I) (lim_dim c) (lim_tokens c).
have [s0 sE] : pos (over s) /\ denote R (lim_dim c) s = Orbit.state (the_A R c) (the_a R c) (the_tokens R c) (lim_layer c).
  have [s0 sE] := runP R (lim_dim c) (nseq (lim_layer c) (lim_block c)) c0.
  rewrite !map_nseq in s0 sE; split; first exact: s0.
  by rewrite /s sE cE blockE // run_blocks.
have sizeE : size (the_tokens R c) = size (denote R (lim_dim c) s) by rewrite sE size_state.
have isz : (i < size (vectors s))%N by move: il; rewrite -(size_map (vector R (lim_dim c))) [size _]sizeE size_map.
have v0 : vectors s <> [::] by move=> E; rewrite E in isz.
move/allP/(_ i): tokens; rewrite mem_iota => /(_ il) H.
exact: (token_sound alpha s0 v0 isz H A_sym A_pos sE erefl erefl sizeE).
Qed.
