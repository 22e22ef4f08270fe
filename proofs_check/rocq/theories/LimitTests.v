(** The tests of the checker of limits at the state of layer K, in mathematics: A is positive definite, who leads, who is
    locked, which limit is a vertex or a projection. *)

From Coq Require Import ZArith QArith Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ssrZ zify ring.
From Exactformer Require Import Semantics Basics Certificate Checker CheckerNumbers CheckerFeedForward CheckerSound.
From Exactformer Require Import Dynamics Limits Metric Orbit Polytope Lock Forever PowerSums LimitCertificate LimitChecker.

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

(** ** The projection onto a face, from the points of L on it *)

Section Face.

Variables (R : realFieldType) (d : nat) (A : 'M[R]_d).
Hypothesis A_sym : A^T = A.
Hypothesis A_pos : forall x : 'cV[R]_d, x != 0 -> 0 < inner (A *m x) x.
Implicit Types (L : seq 'cV[R]_d) (h l p q : 'cV[R]_d).

(** The points of L at which <h, .> is largest. *)
Definition face_points L h : seq 'cV[R]_d := [seq p <- L | all (fun q => inner h q <= inner h p) L].

Lemma hull_sub L L' p : {subset L <= L'} -> hull L p -> hull L' p.
Proof.
move=> sub [w [w0 w1 ->]]; rewrite /hull -w1; apply: cone_sum => q /sub qL.
by split; [exact: w0 | exact: hull_mem].
Qed.

Lemma face_projection L h l : hull (face_points L h) l ->
  (forall p, p \in face_points L h -> normA A l <= dotA A l p) -> least_norm_on_face A L h l.
Proof.
move=> hl far; have hL : hull L l by apply: hull_sub hl => p; rewrite mem_filter => /andP[].
have [p0 p0F] : exists p0, p0 \in face_points L h.
  move: hl; case: (face_points L h) => [|p0 u] => [[w [_ E _]] | _]; last by exists p0; rewrite mem_head.
  by move/eqP: E; rewrite big_nil eq_sym oner_eq0.
have top p : p \in L -> inner h p <= inner h p0 by move: p0F; rewrite mem_filter => /andP[/allP H _] /H.
have lE : inner h l = inner h p0.
  apply/eqP; rewrite eq_le (hull_le top hL) /= -ler_opp2 -!(innerC p0) -!(innerC l) -!innerNr !(innerC _ (- h)).
  apply: hull_le hl => p; rewrite mem_filter !(innerC (- h)) !innerNr ler_opp2 !(innerC _ h) => /andP[/allP H _].
  by apply: H; move: p0F; rewrite mem_filter => /andP[].
split; first by split=> // q hq; rewrite lE; exact: hull_le hq.
move=> q [hq /(_ _ hL)]; rewrite lE => ge ne; suff le : normA A l <= dotA A l q.
  have n0 : 0 < normA A (q - l) by rewrite normA_gt0 // subr_eq0.
  by move: n0; rewrite normAB // (dotAC A_sym q) => n0; lin n0 le le.
case: hq ge => w [w0 w1 ->]; rewrite inner_sumr => ge.
have zero : \sum_(p <- L) w p * (inner h p0 - inner h p) == 0.
  rewrite eq_le; apply/andP; split; last by rewrite big_seq sumr_ge0 // => p /top ?; rewrite mulr_ge0 ?subr_ge0.
  under eq_bigr do rewrite mulrBr; rewrite sumrB -mulr_suml w1 mul1r subr_le0; apply: le_trans ge _.
  by under eq_bigr do rewrite innerZr.
rewrite dotA_sumr -[normA A l]mul1r -w1 mulr_suml !big_seq; apply: ler_sum => p pL; rewrite dotAZr.
move: zero; rewrite big_seq psumr_eq0 => [/allP/(_ p pL)|r /top ?]; last by rewrite mulr_ge0 ?subr_ge0.
rewrite pL mulf_eq0 subr_eq0 => /orP[/eqP -> | /eqP E]; first by rewrite !mul0r.
by rewrite ler_wpmul2l // far // mem_filter pL andbT; apply/allP => r /top; rewrite E.
Qed.

End Face.

(** ** Lists whose members have no decidable equality *)

Lemma filter_image (T : Type) (S : eqType) (f : T -> S) (p : pred T) (q : pred S) x0 (l : seq T) :
  (forall j, (j < size l)%N -> p (nth x0 l j) = q (f (nth x0 l j))) -> map f (filter p l) = filter q (map f l).
Proof.
elim: l => //= x l IH H; rewrite -(H 0%N) //= -IH => [|j jl]; last exact: (H j.+1).
by case: (p x).
Qed.

Lemma cone_parts (R : realFieldType) (d : nat) (L : seq 'cV[R]_d) (ps : seq (R * 'cV[R]_d)) :
  all (fun p => 0 <= p.1) ps -> all (fun p => p.2 \in L) ps -> cone L (\sum_(p <- ps) p.1) (\sum_(p <- ps) p.1 *: p.2).
Proof.
elim: ps => [|p ps IH] /=; first by rewrite !big_nil => _ _; exact: cone0.
case/andP => p0 ps0 /andP[pL psL]; rewrite !big_cons; apply: coneD; last exact: IH.
by have := coneZ p0 (hull_mem pL); rewrite mulr1.
Qed.

(** ** Tests on tokens *)

Section Token.

Variables (I : integers) (R : realFieldType).
Notation O := (of_Z I Z0).
Notation phi := (@phi I R).
Notation phi_gt0 := (@CheckerNumbers.phi_gt0 I R _).
Notation phi_neq0 := (@CheckerNumbers.phi_neq0 I R _).
Notation vec := (@vec I R).

Lemma sameP d (x y : seq I) : same d x y = (vec d x == vec d y).
Proof.
rewrite /same -all_predC; apply/allP/eqP => [H | E i].
  by apply/colP => i; rewrite !mxE; apply: phi_eq; have := H i; rewrite mem_iota ltn_ord /= negbK; exact.
rewrite mem_iota add0n /= => il; rewrite negbK (phi_eqb R).
by move/colP/(_ (Ordinal il)): E; rewrite !mxE /= => ->.
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

Lemma tok_eq X Y : (tok X == tok Y) = (vec d X == vec d Y).
Proof. by rewrite (inj_eq (scalerI _)) // invr_eq0; exact: phi_neq0. Qed.

Lemma leading_at_all Y :
  leading_at d ac keys Y = all (fun y => (y == tok Y) || (dotA (tok Y) y < normA (tok Y))) S0.
Proof.
rewrite /leading_at /lim_keys /denote !all_map /=; apply: eq_all => X /=.
by rewrite sameP tok_eq score_le -ltNge.
Qed.

Lemma leading_atP Y : tok Y \in S0 -> leading_at d ac keys Y = leading A S0 (tok Y).
Proof. by move=> YS; rewrite /leading YS leading_at_all. Qed.

Lemma tok_nth j : (j < size vs)%N -> tok (nth [::] vs j) = nth 0 S0 j.
Proof. by move=> js; rewrite (nth_map [::]). Qed.

Lemma tok_in j : (j < size vs)%N -> tok (nth [::] vs j) \in S0.
Proof. by move=> js; rewrite tok_nth // mem_nth // size_map. Qed.

Lemma best_forP X F : best_for ac keys X F = all (fun Y => all (fun x => dotA (tok X) x <= dotA (tok X) (tok Y)) S0) F.
Proof.
apply: eq_all => Y; rewrite /lim_keys /denote all_map -map_comp.
case: (vectors s) s_neq0 => // x l _; rewrite /largest [map _ _]/= (largestP R) /= score_le all_map; congr (_ && _).
by apply: eq_all => Z /=; rewrite score_le.
Qed.

Lemma tok_sum F : tok (sumv F) = \sum_(y <- [seq tok Y | Y <- F]) y.
Proof. by rewrite vec_sum big_map scaler_sumr. Qed.

Variable l : place.
Notation limit := (vector R d (at_limit l)).
Notation k := (limit_over I l).
Notation L := (limit_high s l).

Lemma k_neq0 : phi k != 0. Proof. exact/phi_neq0/pos_common. Qed.
Lemma over_neq0 : phi (over s) != 0. Proof. exact: phi_neq0. Qed.

Lemma vec_limit : vec d L = phi (over s) *: (phi k *: limit).
Proof. by rewrite vec_scale vec_clear //; exact: dividing_common. Qed.

Lemma tok_limit : tok L = phi k *: limit.
Proof. by rewrite vec_limit [LHS]scalerA mulVf ?scale1r // over_neq0. Qed.

Lemma tok_scale Y : tok (scale k Y) = phi k *: tok Y.
Proof. by rewrite vec_scale !scalerA mulrC. Qed.

Lemma same_limit Y : same d L (scale k Y) = (limit == tok Y).
Proof.
rewrite sameP vec_limit vec_scale scalerA mulrC -scalerA (inj_eq (scalerI k_neq0)).
by rewrite -{1}[vec d Y]scale1r -(mulfV over_neq0) -scalerA (inj_eq (scalerI over_neq0)).
Qed.

(** *** Kinds *)

Notation P := [seq p <- S0 | leading A S0 p].

Lemma leading_mem Y : Y \in P -> leading A S0 Y /\ Y \in S0.
Proof. by rewrite mem_filter => /andP[]. Qed.

Lemma leads_nowP X : tok X \in S0 -> leads_now ac keys X = Dynamics.leader A S0 (tok X).
Proof.
move=> XS; rewrite /leads_now best_forP /= andbT -(size_map (fun Y => tok Y)) winners_follow /Dynamics.leader.
set F := follows _ _ _; have -> : all (fun x => dotA (tok X) x <= dotA (tok X) (tok X)) S0 = (tok X \in F).
  by rewrite mem_argmax XS.
by case: F => [|y [|y' u]] //=; rewrite ?inE !eqseq_cons ?eqxx ?andbT ?andbF // eq_sym.
Qed.

Lemma check_kindP leader X : check_kind d ac s keys leader l X -> tok X \in S0 ->
  leader = Dynamics.leader A S0 (tok X) /\ (limit \in P) = is_vertex l.
Proof.
case/andP => /eqP -> /eqP -> XS; split; first exact: leads_nowP.
rewrite mem_filter; apply/andP/(has_nthP [::]) => [[lead /(nthP 0)[j]] | [j js /andP[E lead]]].
  rewrite size_map => js; rewrite -tok_nth // => E; exists j => //.
  by rewrite same_limit -E eqxx leading_atP ?E // -E tok_in.
by move: E; rewrite same_limit => /eqP ->; rewrite tok_in // -leading_atP // tok_in.
Qed.

Lemma vertex_face : A^T = A -> (forall x, x != 0 -> 0 < inner (A *m x) x) -> limit \in P ->
  least_norm_on_face A P (A *m limit) limit.
Proof.
move=> A_sym A_pos lP; have [lead lS] := leading_mem lP.
apply: face_projection => //; last first.
  move=> p; rewrite mem_filter => /andP[/allP/(_ _ lP) H _]; exact: H.
apply: hull_mem; rewrite mem_filter lP andbT; apply/allP => q /leading_mem[_ qS].
by apply: leading_max qS.
Qed.

Lemma check_faceP : A^T = A -> (forall x, x != 0 -> 0 < inner (A *m x) x) -> check_face d ac s keys l ->
  least_norm_on_face A P (vector R d (normal l)) limit.
Proof.
move=> A_sym A_pos; rewrite /check_face; set h := map _ (normal l); set W := common I [seq w.2 | w <- weights l].
set leads := [seq Y <- vs | leading_at d ac keys Y]; set face := [seq Y <- leads | _]; set parts := [seq _ | w <- weights l].
case/and5P => hd w0 inF /(phi_eq (R := R)) w1 /andP[comb far].
have W0 : phi W != 0 by apply/phi_neq0/pos_common.
pose e := phi (common I (normal l)) * phi (over s).
have e0 : 0 < e by rewrite mulr_gt0 // phi_gt0 //; exact: pos_common.
have hE Y : phi (dot h Y) = e * inner (vector R d (normal l)) (tok Y).
  rewrite (phi_dot (n := d)) // vec_clear; last exact: dividing_common.
  by rewrite innerZl innerZr /e mulrA mulfK // over_neq0.
have leadsE : [seq tok Y | Y <- leads] = P.
  by apply: (filter_image (x0 := [::])) => j js; exact/leading_atP/tok_in.
have faceE : [seq tok Y | Y <- face] = face_points P (vector R d (normal l)).
  rewrite /face_points -leadsE; apply: (filter_image (x0 := [::])) => j _; rewrite all_map; apply: eq_all => Z /=.
  by rewrite -(phi_le R) !hE ler_pmul2l.
apply: face_projection => //; rewrite -faceE; last first.
  have k0 : 0 < phi k by apply/phi_gt0/pos_common.
  apply/allP; rewrite all_map; apply: sub_all far => Y /=; rewrite score_le tok_limit tok_scale.
  by rewrite !(dotAZl A_sym limit) !dotAZr !ler_pmul2l.
pose ps := [seq (phi p.1 / phi W, tok p.2) | p <- parts].
have sum1 : \sum_(p <- ps) p.1 = 1.
  by rewrite big_map /= -mulr_suml -(big_map (fun p => p.1) predT phi) -phi_total w1 mulfV.
have sumL : \sum_(p <- ps) p.1 *: p.2 = limit.
  move: comb; rewrite sameP (vec_scale R d W L) vec_limit vec_scale vec_sum big_map => /eqP E.
  have -> : \sum_(p <- ps) p.1 *: p.2 = (phi W * phi (over s))^-1 *: \sum_(p <- parts) vec d (scale p.1 p.2).
    rewrite scaler_sumr big_map; apply: eq_bigr => p _; rewrite vec_scale !scalerA; congr (_ *: _).
    by rewrite invfM -[LHS]mulrA [LHS]mulrC.
  apply: (scalerI k_neq0); rewrite [LHS]scalerA mulrC -scalerA E [phi W *: _]scalerA [LHS]scalerA.
  by rewrite mulVf ?scale1r // mulf_neq0 // over_neq0.
rewrite /hull -sum1 -sumL; apply: cone_parts.
  rewrite !all_map; apply: sub_all w0 => w /=; rewrite (phi_ge0 R) => w0.
  by rewrite divr_ge0 // ltW // phi_gt0 //; exact: pos_common.
rewrite all_map; apply: sub_all inF => p /= /(has_nthP [::])[j jf]; rewrite sameP -tok_eq => /eqP ->.
by apply/(nthP 0); exists j; rewrite ?size_map // (nth_map [::]).
Qed.

(** *** Locked tokens *)

Lemma sum_mean (F : seq 'cV[R]_d) : F != [::] -> \sum_(y <- F) y = (size F)%:R *: mean F.
Proof. by move=> F0; rewrite /mean scalerA mulfV ?scale1r // pnatr_eq0 size_eq0. Qed.

Lemma locksP X (F := follows A S0 (tok X)) : tok X \in S0 -> locks d ac keys X ->
  (forall y, y \in F -> leading A S0 y) /\ (forall x y, y \in F -> x \in S0 -> dotA (mean F) x <= dotA (mean F) y).
Proof.
move=> XS; rewrite /locks; have FE := winners_follow X; rewrite -/F in FE; set Ws := winners _ _ in FE *.
case/andP => lead best; have F0 : F != [::] by exact: follows_neq0.
have n0 : 0 < (size F)%:R :> R by rewrite ltr0n lt0n size_eq0.
split.
  have : all (fun y => all (fun x => (x == y) || (dotA y x < normA y)) S0) F.
    by rewrite -FE all_map; apply: sub_all lead => Y; rewrite /= leading_at_all.
  by move=> /allP H y yF; rewrite /leading (follows_sub yF) H.
move=> x y yF xS; have : all (fun y => all (fun x => dotA (tok (sumv Ws)) x <= dotA (tok (sumv Ws)) y) S0) F.
  by rewrite -FE all_map -best_forP.
move=> /allP/(_ y yF)/allP/(_ x xS); rewrite tok_sum FE sum_mean //.
by rewrite /Dynamics.dotA -!scalemxAr !innerZl ler_pmul2l.
Qed.

Lemma check_lockP X (F := follows A S0 (tok X)) : tok X \in S0 -> check_lock d ac s keys l X ->
  [/\ forall y, y \in F -> leading A S0 y, forall x y, y \in F -> x \in S0 -> dotA (mean F) x <= dotA (mean F) y
    & limit = mean F].
Proof.
move=> XS /andP[/(locksP XS)[lead best] /[!sameP] /eqP E]; split=> //.
have FE := winners_follow X; rewrite -/F in FE; set Ws := winners _ _ in FE E.
have F0 : F != [::] by exact: follows_neq0.
have n0 : (size F)%:R != 0 :> R by rewrite pnatr_eq0 size_eq0.
apply: (scalerI k_neq0); rewrite -tok_limit.
apply: (scalerI n0); rewrite [LHS]scalerA mulrC -[LHS]scalerA.
have -> : (size F)%:R *: vec d L = vec d (scale (of_Z I (Z.of_nat (size Ws))) L).
  by rewrite vec_scale phi_nat -(size_map (fun Y => tok Y)) FE.
rewrite E vec_scale [LHS]scalerA mulrC -[LHS]scalerA tok_sum FE sum_mean //.
by rewrite !scalerA [phi k * _]mulrC.
Qed.

Lemma membersP X : members ac keys X = [seq j <- iota 0 (size vs) | nth 0 S0 j \in follows A S0 (tok X)].
Proof.
rewrite /members /lim_keys !size_map; apply: eq_in_filter => j; rewrite mem_iota add0n => /andP[_ js].
have := best_forP X [:: nth [::] vs j]; rewrite /= !andbT => E.
rewrite mem_argmax mem_nth ?size_map // -tok_nth // -E /lim_keys -map_comp (nth_map [::]) //.
Qed.

End Token.
