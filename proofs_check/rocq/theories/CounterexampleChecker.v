(** Counterexamples of the catalogue (FORMAT.md, section 6) that a prefix of the orbit decides: what they say, an executable
    checker, and its proof. *)

From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ssrZ ring.
From Exactformer Require Import Semantics Certificate Checker CheckerNumbers PowerSums CheckerSound Dynamics Orbit.
From Exactformer Require Import LimitCertificate LimitChecker LimitTests LimitSound OrbitChecker Geometry Semidefinite Interior.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** What they say *)

(** What a statement assumes: A symmetric positive definite, tokens distinct and nonzero, but for one thing. *)
Inductive assumption := Plain | NotSymmetric | NotSemidefinite | Singular | Repeated | WithZero.

(** How its conclusion fails at layers 0..K of the n tokens. *)
Inductive refutation :=
  | NoLeaderAtFirst                 (* "there is a leader at layer 0" *)
  | NoLeaderByN of nat              (* "there is a leader at one of the layers 0..n" *)
  | LeadsLate of nat & nat          (* K, i: "every leader is one at layer 0" *)
  | LeadsLast of bool & nat & nat   (* whether alpha >= 1 is assumed, K, i: "every leader is one at layer n" *)
  | GraphChanges of nat             (* "the follower sets are constant from layer n on" *)
  | InteriorLeads of nat & nat & seq (nat * Q).   (* K, i, w: "no token in the interior of the initial hull ever leads" *)

(** The system is that of an orbit whose layers are not listed. *)
Record counterexample := Counterexample {
  cex_system : orbit_certificate; cex_assumption : assumption; cex_refutation : refutation }.

Definition is_symmetric h : bool := if h is NotSymmetric then false else true.
Definition is_distinct h : bool := if h is Repeated then false else true.
Definition has_zero h : bool := if h is WithZero then true else false.

Section Claim.

Variables (R : realFieldType) (c : orbit_certificate).
Notation d := (orb_dim c).
Notation A := (the_A R (orb_system c)).
Notation T := (the_tokens R (orb_system c)).
Notation n := (size (orb_start c)).
Notation alone := (alone R c).

Record assumption_holds (h : assumption) : Prop := AssumptionHolds {
  symmetry : (A^T == A) = is_symmetric h;
  definiteness : match h with
    | NotSemidefinite => exists x : 'cV[R]_d, inner (A *m x) x < 0
    | Singular => (forall x : 'cV[R]_d, 0 <= inner (A *m x) x) /\ exists2 x : 'cV[R]_d, x != 0 & inner (A *m x) x = 0
    | _ => forall x : 'cV[R]_d, x != 0 -> 0 < inner (A *m x) x
    end;
  zero_token : (0 \in T) = has_zero h;
  distinctness : uniq T = is_distinct h
}.

Definition conclusion_fails (r : refutation) : Prop :=
  match r with
  | NoLeaderAtFirst => forall i, (i < n)%N -> ~~ alone 0 i
  | NoLeaderByN K => (n <= K)%N /\ forall k i, (k <= K)%N -> (i < n)%N -> ~~ alone k i
  | LeadsLate K i => [/\ (i < n)%N, ~~ alone 0 i & exists2 k, (k <= K)%N & alone k i]
  | LeadsLast large K i =>
      [/\ (i < n)%N, (n < K)%N, alone K i, forall k, (k < K)%N -> ~~ alone k i & large -> 1 <= value R (orb_alpha c)]
  | GraphChanges K => (n < K)%N /\ exists2 i, (i < n)%N & follower_set R c K.-1 i != follower_set R c K i
  | InteriorLeads K i _ => [/\ (i < n)%N, exists2 k, (k <= K)%N & alone k i & interior T (nth 0 T i)]
  end.

End Claim.

Definition counterexample_claim (x : counterexample) : Prop :=
  let c := cex_system x in
  shaped_orbit c /\ forall R : realFieldType, 0 < the_a R (orb_system c) < 1 /\
  (assumption_holds R c (cex_assumption x) /\ conclusion_fails R c (cex_refutation x)).

(** ** The checker *)

Section Checker.

Variable I : integers.
Notation O := (of_Z I Z0).

(** A + A'. *)
Definition twice (d : nat) (M : seq (seq I)) : seq (seq I) :=
  [seq [seq add (nth O (nth [::] M i) j) (nth O (nth [::] M j) i) | j <- iota 0 d] | i <- iota 0 d].

Fixpoint distinct (d : nat) (l : seq (seq I)) : bool := if l is x :: l' then ~~ has (same d x) l' && distinct d l' else true.

Definition check_assumption (c : orbit_certificate) (h : assumption) : bool :=
  let d := orb_dim c in
  let M := vectors (clear_rows I (orb_matrix c)) in
  let S := twice d M in
  let V := vectors (clear_rows I (orb_start c)) in
  [&& symmetric d M == is_symmetric h,
      match h with
      | NotSemidefinite => negative d S
      | Singular => semidefinite d S && singular d S
      | _ => definite d S
      end,
      has (fun x => same d x [::]) V == has_zero h & distinct d V == is_distinct h].

Section Layers.

Variables (ac : sa_compiled I) (b : option (ff_compiled I) * option (sa_compiled I)).

(** The follower sets of layers 0..K. *)
Fixpoint layer_sets (K : nat) (s : Checker.state I) : seq (seq (seq nat)) :=
  [seq members ac (lim_keys ac s) X | X <- vectors s] :: (if K is K'.+1 then layer_sets K' (run_block s b) else [::]).

End Layers.

Definition sets_of (c : orbit_certificate) (K : nat) : seq (seq (seq nat)) :=
  layer_sets (compile_sa I (orb_dim c) (lim_sa (orb_system c))) (compile I (orb_dim c) (lim_block (orb_system c))) K
    (clear_rows I (orb_start c)).

Definition alone_in (l : seq (seq nat)) (i : nat) : bool := nth [::] l i == [:: i].

Definition check_refutation (c : orbit_certificate) (r : refutation) : bool :=
  let n := size (orb_start c) in
  let sets := sets_of c in
  let none l := all (fun i => ~~ alone_in l i) (iota 0 n) in
  match r with
  | NoLeaderAtFirst => all none (sets 0%N)
  | NoLeaderByN K => (n <= K)%N && all none (sets K)
  | LeadsLate K i => let l := sets K in [&& (i < n)%N, ~~ alone_in (head [::] l) i & has (fun l => alone_in l i) l]
  | LeadsLast large K i =>
      let l := sets K in
      [&& (i < n)%N, (n < K)%N, alone_in (last [::] l) i, all (fun l => ~~ alone_in l i) (take K l)
        & large ==> Z.leb (Zpos (Qden (orb_alpha c))) (Qnum (orb_alpha c))]
  | GraphChanges K => let l := sets K in (n < K)%N && (nth [::] l K.-1 != nth [::] l K)
  | InteriorLeads K i w =>
      [&& (i < n)%N, has (fun l => alone_in l i) (sets K)
        & check_interior (orb_dim c) (clear_rows I (orb_start c)) (nth [::] (orb_start c) i) w]
  end.

Definition check_counterexample (x : counterexample) : bool :=
  let c := cex_system x in
  [&& shaped_orbit c, ~~ Z.leb (Qnum (orb_alpha c)) Z0, check_assumption c (cex_assumption x)
    & check_refutation c (cex_refutation x)].

End Checker.

(** ** Its proof *)

Section Sound.

Variables (I : integers) (R : realFieldType) (c : orbit_certificate).
Hypothesis shape : shaped_orbit c.
Hypothesis alpha_pos : ~~ Z.leb (Qnum (orb_alpha c)) Z0.
Notation O := (of_Z I Z0).
Notation phi := (@phi I R).
Notation d := (orb_dim c).
Notation sys := (orb_system c).
Notation A := (the_A R sys).
Notation a := (the_a R sys).
Notation T := (the_tokens R sys).
Notation n := (size (orb_start c)).
Notation M := (vectors (clear_rows I (orb_matrix c))).
Notation S := (twice d M).
Notation k := (over (clear_rows I (orb_matrix c))).
Notation form := (@form I R).

(** *** The matrix *)

Lemma entryE i j : phi (nth O (nth [::] M i) j) = phi k * value R (nth zero (nth [::] (orb_matrix c) i) j).
Proof. by rewrite nth_map_clear nth_clear //; apply/dividing_flatten/dividing_common. Qed.

Lemma k_gt0 : 0 < phi k. Proof. exact/phi_gt0/pos_common. Qed.

Lemma symmetricE : symmetric d M = (A^T == A).
Proof.
apply/idP/eqP => [/allP sym | E].
  apply/matrixP => i j; rewrite !mxE /=; apply: (mulfI (lt0r_neq0 k_gt0)); rewrite -!entryE.
  have/allP row := sym j (etrans (mem_iota 0 d j) (ltn_ord j)).
  exact/phi_eq/(row i (etrans (mem_iota 0 d i) (ltn_ord i))).
apply/allP => i; rewrite mem_iota => /= il; apply/allP => j; rewrite mem_iota => /= jl.
rewrite (phi_eqb R) !entryE; apply/eqP; congr (_ * _).
by move/matrixP/(_ (Ordinal jl) (Ordinal il)): E; rewrite !mxE.
Qed.

Lemma entry_twice i j : (i < d)%N -> (j < d)%N ->
  phi (nth O (nth [::] S i) j) = phi (nth O (nth [::] M i) j) + phi (nth O (nth [::] M j) i).
Proof. by move=> il jl; rewrite (nth_map 0%N) ?size_iota // (nth_map 0%N) ?size_iota // !nth_iota // phiD. Qed.

Lemma symmetric_twice : symmetric_to R d S.
Proof. by move=> i j il jl; rewrite !entry_twice // addrC. Qed.

Lemma form_twice (y : nat -> R) (x := \col_i y i : 'cV[R]_d) : form d S y = 2%:R * phi k * inner (A *m x) x.
Proof.
have -> : form d S y = \sum_(i < d) \sum_(j < d) phi (nth O (nth [::] M i) j) * y i * y j
                    + \sum_(i < d) \sum_(j < d) phi (nth O (nth [::] M j) i) * y i * y j.
  rewrite -big_split; apply: eq_bigr => i _; rewrite -big_split; apply: eq_bigr => j _.
  by rewrite entry_twice // !mulrDl.
have E : \sum_(i < d) \sum_(j < d) phi (nth O (nth [::] M i) j) * y i * y j = phi k * inner (A *m x) x.
  rewrite /inner mulr_sumr; apply: eq_bigr => i _; rewrite mxE mulr_suml mulr_sumr; apply: eq_bigr => j _.
  by rewrite entryE !mxE /=; ring.
rewrite E exchange_big /= (eq_bigr (fun i : 'I_d => \sum_(j < d) phi (nth O (nth [::] M i) j) * y i * y j)) ?E.
  by rewrite -mulrA mulr_natl mulr2n.
by move=> i _; apply: eq_bigr => j _; rewrite mulrAC.
Qed.

Definition entries (x : 'cV[R]_d) (i : nat) : R := if insub i is Some j then x j 0 else 0.

Lemma entriesK (x : 'cV[R]_d) : \col_i entries x i = x.
Proof. by apply/colP => i; rewrite mxE /entries valK. Qed.

Lemma two_k : 0 < 2%:R * phi k. Proof. by rewrite mulr_gt0 ?k_gt0 ?ltr0n. Qed.

Lemma definite_pos : definite d S -> forall x : 'cV[R]_d, x != 0 -> 0 < inner (A *m x) x.
Proof.
move=> def x x0; rewrite -(pmulr_rgt0 _ two_k) -{1 2}(entriesK x) -form_twice; apply: definiteP def _.
  exact: symmetric_twice.
case: (boolP [exists i, x i 0 != 0]) => [/existsP[i xi] | /existsPn H].
  by exists i; rewrite /entries ?valK.
by case/eqP: x0; apply/colP => i; rewrite mxE; apply/eqP; move: (H i); rewrite negbK.
Qed.

Lemma semidefinite_ge0 : semidefinite d S -> forall x : 'cV[R]_d, 0 <= inner (A *m x) x.
Proof.
move=> def x; rewrite -(pmulr_rge0 _ two_k) -{1 2}(entriesK x) -form_twice.
by apply: semidefiniteP def; exact: symmetric_twice.
Qed.

Lemma negative_lt0 : negative d S -> exists x : 'cV[R]_d, inner (A *m x) x < 0.
Proof.
move=> /(negativeP symmetric_twice)[y yn]; exists (\col_i y i).
by rewrite -(pmulr_rlt0 _ two_k) -form_twice.
Qed.

Lemma singular_eq0 : singular d S -> exists2 x : 'cV[R]_d, x != 0 & inner (A *m x) x = 0.
Proof.
move=> /(singularP symmetric_twice)[y [i il yi] /eqP]; rewrite form_twice mulf_eq0 (negbTE (lt0r_neq0 two_k)) => /eqP E.
exists (\col_i y i) => //; apply/eqP => /colP/(_ (Ordinal il)); rewrite !mxE /=; exact/eqP.
Qed.

(** *** The tokens *)

Notation s0 := (clear_rows I (orb_start c)).

Lemma s0_pos : pos (over s0). Proof. by case: (clear_rowsP (R := R) (I := I) d (orb_start c)). Qed.
Lemma s0E : denote R d s0 = T. Proof. by case: (clear_rowsP (R := R) (I := I) d (orb_start c)). Qed.

Lemma scaled_eq (x y : seq I) :
  ((phi (over s0))^-1 *: vec R d x == (phi (over s0))^-1 *: vec R d y) = same d x y.
Proof. by rewrite (inj_eq (scalerI _)) ?invr_eq0 ?phi_neq0 ?(sameP R) //; exact: s0_pos. Qed.

Lemma distinctE : distinct d (vectors s0) = uniq T.
Proof.
rewrite -s0E /denote; elim: (vectors s0) => //= x l ->; congr (~~ _ && _).
by rewrite -has_pred1 has_map; apply: eq_has => y; rewrite /= eq_sym scaled_eq.
Qed.

Lemma zeroE : has (fun x => same d x [::]) (vectors s0) = (0 \in T).
Proof.
rewrite -s0E -has_pred1 [in RHS]has_map; apply: eq_has => x.
by rewrite /= -scaled_eq vec_nil scaler0.
Qed.

Lemma assumptionP h : check_assumption I c h -> assumption_holds R c h.
Proof.
case/and4P => /eqP sym def /eqP nz /eqP un; split; [by rewrite -symmetricE | | by rewrite -zeroE | by rewrite -distinctE].
case: h def {sym nz un} => def; try exact: definite_pos; first exact: negative_lt0.
by case/andP: def => def sing; split; [exact: semidefinite_ge0 | exact: singular_eq0].
Qed.

(** *** The layers *)

Notation ac := (compile_sa I d (lim_sa sys)).
Notation b := (compile I d (lim_block sys)).

Lemma size_layer_sets K (s : Checker.state I) : size (layer_sets ac b K s) = K.+1.
Proof. by elim: K s => //= K IH s; rewrite IH. Qed.

Lemma layer_setsP K (s : Checker.state I) m j : pos (over s) -> denote R d s = state A a T m -> (j <= K)%N ->
  nth [::] (layer_sets ac b K s) j = [seq follower_set R c (m + j) i | i <- iota 0 n].
Proof.
elim: K s m j => [|K IH] s m [|j] //= s_pos sE jK; rewrite ?addn0 ?(sets_after shape s_pos sE) //.
by have [p0 pE] := layer_after shape alpha_pos s_pos sE; rewrite addnS -addSn; exact: IH.
Qed.

Notation sets K := (sets_of I c K).

Lemma sets_nth K j : (j <= K)%N -> nth [::] (sets K) j = [seq follower_set R c j i | i <- iota 0 n].
Proof. by move=> jK; rewrite (layer_setsP (m := 0) s0_pos _ jK) // s0E. Qed.

Lemma alone_inE K j i : (j <= K)%N -> (i < n)%N -> alone_in (nth [::] (sets K) j) i = alone R c j i.
Proof. by move=> jK il; rewrite /alone_in sets_nth // (nth_map 0%N) ?size_iota // nth_iota. Qed.

Lemma noneP K : all (fun l => all (fun i => ~~ alone_in l i) (iota 0 n)) (sets K) ->
  forall j i, (j <= K)%N -> (i < n)%N -> ~~ alone R c j i.
Proof.
move=> /(all_nthP [::]) H j i jK il; rewrite -(alone_inE jK il); apply: (allP (H j _)).
  by rewrite size_layer_sets ltnS.
by rewrite mem_iota.
Qed.

Lemma leadsP K i : (i < n)%N -> has (fun l => alone_in l i) (sets K) -> exists2 k, (k <= K)%N & alone R c k i.
Proof.
by move=> il /(has_nthP [::])[j]; rewrite size_layer_sets ltnS => jK lead; exists j; rewrite // -(alone_inE jK il).
Qed.

Lemma refutationP r : check_refutation I c r -> conclusion_fails R c r.
Proof.
case: r => [|K|K i|large K i|K|K i w] /=.
- by move=> H i il; exact: (noneP (K := 0%N) H).
- by case/andP => nK H; split=> // j i; exact: noneP.
- case/and3P => il first /(leadsP il) lead; split=> //.
  by move: first; rewrite -nth0 alone_inE.
- case/and5P => il nK lead before big; split=> //.
  + by move: lead; rewrite -nth_last size_layer_sets alone_inE.
  + move=> j jK; move/(all_nthP [::]): before => /(_ j); rewrite size_take size_layer_sets ltnS leqnn nth_take //.
    by rewrite alone_inE ?(ltnW jK) //; exact.
  + move=> lg; move: big; rewrite lg /= -(phiZ_le R) => big.
    by rewrite (valueE I) ler_pdivl_mulr ?mul1r ?phi_gt0 //; [rewrite /CheckerNumbers.phi of_ZK | exact: pos_den].
- case/andP => nK; rewrite !sets_nth ?leq_pred // => ne; split=> //.
  case: (boolP (has (fun i => follower_set R c K.-1 i != follower_set R c K i) (iota 0 n))) => [/hasP[i] | /hasPn H].
    by rewrite mem_iota => /= il; exists i.
  by case/eqP: ne; apply/eq_in_map => i /H; rewrite negbK => /eqP.
- case/and3P => il /(leadsP il) lead inside; split=> //; rewrite (nth_map [::]) //.
  have /andP[weighed _] := inside; apply: check_interiorP s0_pos inside _ => p; rewrite -s0E; exact: share_in.
Qed.

End Sound.

Theorem check_counterexample_sound (I : integers) (x : counterexample) :
  check_counterexample I x = true -> counterexample_claim x.
Proof.
case/and4P => shape alpha hyp ref; split=> // R; split; first exact: (a_bounds R (c := orb_system (cex_system x)) alpha).
by split; [exact: assumptionP hyp | exact: refutationP ref].
Qed.
