(** Certificates of orbits (FORMAT.md, section 4): the layers of pure attention, an executable checker, and its proof. *)

From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ssrZ.
From Exactformer Require Import Semantics Certificate Checker CheckerNumbers CheckerSound Dynamics Orbit.
From Exactformer Require Import LimitCertificate LimitChecker LimitTests.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** What they say *)

Record orbit_layer := OrbitLayer {
  orb_tokens : seq (seq Q);
  orb_follows : seq (seq nat);   (* C_0, C_1, .. *)
  orb_leaders : seq nat
}.

Record orbit_certificate := OrbitCertificate {
  orb_dim : nat;
  orb_matrix : seq (seq Q);      (* A *)
  orb_alpha : Q;
  orb_start : seq (seq Q);
  orb_layers : seq orbit_layer   (* layers 0, 1, .. *)
}.

(** The same system, as a certificate of limits has it. *)
Definition orb_system (c : orbit_certificate) : limit_certificate :=
  LimitCertificate (orb_dim c) (orb_matrix c) (orb_alpha c) (orb_start c) 0 [::] [::].

Definition shaped_orbit (c : orbit_certificate) : bool :=
  [&& (0 < orb_dim c)%N, shaped_matrix (orb_dim c) (orb_dim c) (Dense (orb_matrix c)), shaped_points (orb_dim c) (orb_start c)
    & all (fun l => all (fun x => size x == orb_dim c) (orb_tokens l)) (orb_layers c)].

Section Claim.

Variables (R : realFieldType) (c : orbit_certificate).
Notation A := (the_A R (orb_system c)).
Notation a := (the_a R (orb_system c)).
Notation T := (the_tokens R (orb_system c)).
Notation n := (size (orb_start c)).

(** C_i at layer k, as increasing indices. *)
Definition follower_set k i : seq nat :=
  [seq j <- iota 0 n | token_at A a T k j \in follows A (state A a T k) (token_at A a T k i)].

(** i follows itself alone at layer k. *)
Definition alone k i : bool := follower_set k i == [:: i].

Definition layer_claim k (l : orbit_layer) : Prop :=
  [/\ state A a T k = map (vector R (orb_dim c)) (orb_tokens l),
      orb_follows l = [seq follower_set k i | i <- iota 0 n]
    & orb_leaders l = [seq i <- iota 0 n | has (alone^~ i) (iota 0 k.+1)]].

End Claim.

Definition orbit_claim (c : orbit_certificate) : Prop :=
  shaped_orbit c /\ forall R : realFieldType, 0 < the_a R (orb_system c) < 1 /\
  forall k, (k < size (orb_layers c))%N -> layer_claim R c k (nth (OrbitLayer [::] [::] [::]) (orb_layers c) k).

(** ** The checker *)

Section Checker.

Variable I : integers.

Definition same_points (d : nat) (s t : Checker.state I) : bool :=
  (size (vectors s) == size (vectors t)) &&
  all (fun p => same d (scale (over t) p.1) (scale (over s) p.2)) (zip (vectors s) (vectors t)).

Section Layers.

Variables (d : nat) (ac : sa_compiled I) (b : option (ff_compiled I) * option (sa_compiled I)).

(** [led]: who has led before. *)
Fixpoint check_layers (led : seq bool) (s : Checker.state I) (l : seq orbit_layer) : bool :=
  if l is x :: l' then
    let keys := lim_keys ac s in
    let sets := [seq members ac keys X | X <- vectors s] in
    let led' := [seq nth false led i || (nth [::] sets i == [:: i]) | i <- iota 0 (size sets)] in
    [&& same_points d s (clear_rows I (orb_tokens x)), orb_follows x == sets,
        orb_leaders x == [seq i <- iota 0 (size sets) | nth false led' i]
      & if l' is [::] then true else check_layers led' (run_block s b) l']
  else true.

End Layers.

Definition check_orbit (c : orbit_certificate) : bool :=
  let d := orb_dim c in
  let sys := orb_system c in
  [&& shaped_orbit c, ~~ Z.leb (Qnum (orb_alpha c)) Z0
    & check_layers d (compile_sa I d (lim_sa sys)) (compile I d (lim_block sys))
        (nseq (size (orb_start c)) false) (clear_rows I (orb_start c)) (orb_layers c)].

End Checker.

(** ** Its proof *)

Section Sound.

Variables (I : integers) (R : realFieldType) (c : orbit_certificate).
Hypothesis shape : shaped_orbit c.
Hypothesis alpha_pos : ~~ Z.leb (Qnum (orb_alpha c)) Z0.
Notation d := (orb_dim c).
Notation sys := (orb_system c).
Notation A := (the_A R sys).
Notation a := (the_a R sys).
Notation T := (the_tokens R sys).
Notation n := (size (orb_start c)).
Notation phi := (@phi I R).
Notation ac := (compile_sa I d (lim_sa sys)).
Notation b := (compile I d (lim_block sys)).

Lemma same_pointsP (s t : Checker.state I) : pos (over s) -> pos (over t) -> same_points d s t -> denote R d s = denote R d t.
Proof.
move=> s0 t0 /andP[/eqP E H]; have [ns nt] := (phi_neq0 R s0, phi_neq0 R t0).
rewrite /denote; elim: (vectors s) (vectors t) E H => [|x u IH] [|y v] //= [E] /andP[xy H].
congr (_ :: _); last exact: IH.
move: xy; rewrite (sameP R) !vec_scale => /eqP xy.
apply: (scalerI ns); apply: (scalerI nt); transitivity (phi (over t) *: vec R d x).
  by rewrite [X in _ *: X]scalerA mulfV // scale1r.
by rewrite xy !scalerA; congr (_ *: _); rewrite mulrAC mulfV // mul1r.
Qed.

Lemma start_size : (0 < n)%N. Proof. by case/and4P: shape => _ _ /andP[]. Qed.

Lemma layer_after k (s : Checker.state I) : pos (over s) -> denote R d s = state A a T k ->
  pos (over (run_block s b)) /\ denote R d (run_block s b) = state A a T k.+1.
Proof.
move=> s0 sE; have bs : shaped_block d (lim_block sys).
  case/and4P: shape => d0 /andP[rows row] _ _.
  by rewrite /shaped_block /= /shaped_sa /= d0 eqxx rows row.
have [p0 pE] := run_blockP R bs s0; split=> //.
by rewrite pE sE (blockE (c := sys) R alpha_pos) dynamics_is_a_block.
Qed.

Lemma sets_after k (s : Checker.state I) : pos (over s) -> denote R d s = state A a T k ->
  [seq members ac (lim_keys ac s) X | X <- vectors s] = [seq follower_set R c k i | i <- iota 0 n].
Proof.
move=> s0 sE; have size_s : size (vectors s) = n.
  by rewrite -(size_map (fun X => (phi (over s))^-1 *: vec R d X)) -/(denote R d s) sE size_state size_map.
have v0 : vectors s <> [::] by move=> E; have := start_size; rewrite -size_s E.
apply: (@eq_from_nth _ [::]) => [|i]; rewrite !size_map ?size_iota // => iv.
have iN : (i < n)%N by rewrite -size_s.
rewrite (nth_map [::]) // (nth_map 0%N) ?size_iota // nth_iota // add0n.
rewrite (membersP R sys s0 v0) /follower_set /= size_s; apply: eq_filter => j.
have <- : nth 0 (denote R d s) i = (phi (over s))^-1 *: vec R d (nth [::] (vectors s) i) by rewrite (nth_map [::]).
by rewrite /token_at -sE.
Qed.

Lemma check_layersP l led (s : Checker.state I) k : pos (over s) -> denote R d s = state A a T k ->
  led = [seq has (alone R c ^~ i) (iota 0 k) | i <- iota 0 n] -> check_layers d ac b led s l ->
  forall m, (m < size l)%N -> layer_claim R c (k + m) (nth (OrbitLayer [::] [::] [::]) l m).
Proof.
elim: l led s k => // x l IH led s k s0 sE ledE /=.
rewrite (sets_after s0 sE); set sets := [seq follower_set R c k i | i <- iota 0 n].
have size_sets : size sets = n by rewrite size_map size_iota.
rewrite size_sets; set led' := [seq _ | i <- iota 0 n].
have led'E : led' = [seq has (alone R c ^~ i) (iota 0 k.+1) | i <- iota 0 n].
  apply/eq_in_map => i; rewrite mem_iota add0n => /andP[_ iN].
  rewrite ledE !(nth_map 0%N) ?size_iota // nth_iota // add0n.
  by rewrite -addn1 iotaD has_cat /= orbF /alone add0n.
case/and4P => pts /eqP fol /eqP lead next [_ | m]; last first.
  case: l next IH => // y l next IH ml; rewrite addnS -addSn.
  have [p0 pE] := layer_after s0 sE; exact: (IH _ _ _ p0 pE led'E next).
rewrite addn0; have [t0 tE] := clear_rowsP (R := R) (I := I) d (orb_tokens x).
split; rewrite /= ?fol //; first by rewrite -sE -tE; exact: same_pointsP.
rewrite lead; apply: eq_in_filter => i; rewrite mem_iota add0n => /andP[_ iN].
by rewrite led'E (nth_map 0%N) ?size_iota // nth_iota.
Qed.

End Sound.

Theorem check_orbit_sound (I : integers) (c : orbit_certificate) : check_orbit I c = true -> orbit_claim c.
Proof.
case/and3P => shape alpha H; split=> // R; split; first exact: (a_bounds R (c := orb_system c) alpha).
have [c0 cE] := clear_rowsP (R := R) (I := I) (orb_dim c) (orb_start c).
move=> k kl; rewrite -[k in layer_claim _ _ k]add0n.
apply: (check_layersP shape alpha c0 _ _ H) => //.
by apply: (@eq_from_nth _ false) => [|i]; rewrite ?size_nseq ?size_map ?size_iota // => il; rewrite nth_nseq il (nth_map 0%N) ?size_iota.
Qed.
