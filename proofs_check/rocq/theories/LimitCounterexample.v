(** Counterexamples of the catalogue (FORMAT.md, section 6) that limits decide: what they say, an executable checker, and its
    proof. *)

From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ssrZ.
From Exactformer Require Import Semantics Certificate Checker CheckerNumbers CheckerSound Dynamics Orbit Forever.
From Exactformer Require Import LimitCertificate LimitChecker LimitTests LimitSound OrbitChecker Geometry Interior CounterexampleChecker.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** What they say *)

(** How a conclusion about limits fails. *)
Inductive limit_refutation :=
  | TendsElsewhere of nat                        (* "every token tends to the position of a leader" *)
  | LeaderNoVertex of nat & seq (nat * Q)        (* "the leaders are exactly the tokens that are vertices of the initial hull" *)
  | VertexNoLeader of nat & seq Q
  | InteriorLimit of nat & seq (nat * Q)         (* with a zero token: "every limit is on the boundary of P in R^d" *)
  (* true: "every leader for alpha is one for 2 alpha", false: "for 2 alpha, for alpha"; leads at one of the layers 0..K; i *)
  | LeadsForOne of bool & nat & nat.

(** The limits are those of [proved]. *)
Record limit_counterexample := LimitCounterexample { lcx_limit : limit_certificate; lcx_refutation : limit_refutation }.

Definition doubled (alpha : Q) : Q := Qmake (Z.mul (Zpos (xO xH)) (Qnum alpha)) (Qden alpha).

(** The same lines for 2 alpha. *)
Definition for_step (twice : bool) (c : limit_certificate) : limit_certificate :=
  if twice then LimitCertificate (lim_dim c) (lim_matrix c) (doubled (lim_alpha c)) (lim_tokens c) (lim_layer c) (lim_places c) (lim_leaders c)
  else c.

Definition proved (x : limit_counterexample) : limit_certificate :=
  for_step (if lcx_refutation x is LeadsForOne grow _ _ then grow else false) (lcx_limit x).

Definition system_of (c : limit_certificate) : orbit_certificate :=
  OrbitCertificate (lim_dim c) (lim_matrix c) (lim_alpha c) (lim_tokens c) [::].

Definition limit_assumption (r : limit_refutation) : assumption := if r is InteriorLimit _ _ then WithZero else Plain.

Definition leads_at R (c : limit_certificate) k i : bool := leads (the_A R c) (the_a R c) (the_tokens R c) k i.

Definition limit_counterexample_claim (x : limit_counterexample) : Prop :=
  let c := proved x in
  let n := size (lim_tokens c) in
  [/\ limit_claim c, forall R, assumption_holds R (system_of c) (limit_assumption (lcx_refutation x))
    & match lcx_refutation x with
      | TendsElsewhere i => (i < n)%N /\ forall R, the_limit R c i \notin polytope R c
      | LeaderNoVertex i w => i \in lim_leaders c /\ geometry_claim (lim_dim c) (NoVertex (lim_tokens c) i w)
      | VertexNoLeader i h => i \notin lim_leaders c /\ geometry_claim (lim_dim c) (Vertex (lim_tokens c) i h)
      | InteriorLimit i _ => (i < n)%N /\ forall R, interior (polytope R c) (the_limit R c i)
      | LeadsForOne grow K i => (i < n)%N /\ forall R, (forall k, ~~ leads_at R c k i) /\
          exists2 k, (k <= K)%N & leads_at R (for_step (~~ grow) (lcx_limit x)) k i
      end].

Lemma value_doubled (R : realFieldType) alpha : value R (doubled alpha) = 2%:R * value R alpha.
Proof. by have E := phiZM R (Zpos (xO xH)) (Qnum alpha); rewrite /value [(int_of_Z (Qnum (doubled _)))%:~R]E mulrA. Qed.

(** ** The checker *)

Section Checker.

Variable I : integers.

(** The state of layer K, and whether the points of the weights are leading positions there. *)
Definition layer_state (c : limit_certificate) : Checker.state I :=
  foldl (@run_block I) (clear_rows I (lim_tokens c)) (nseq (lim_layer c) (compile I (lim_dim c) (lim_block c))).

Definition check_interior_limit (c : limit_certificate) (i : nat) (w : seq (nat * Q)) : bool :=
  let d := lim_dim c in
  let ac := compile_sa I d (lim_sa c) in
  let s := layer_state c in
  let keys := lim_keys ac s in
  all (fun p => leading_at d ac keys p.2) (shares w s) && check_interior d s (at_limit (the_place c i)) w.

Definition check_limit_counterexample (x : limit_counterexample) : bool :=
  let c := proved x in
  let n := size (lim_tokens c) in
  [&& check_limit I c, check_assumption I (system_of c) (limit_assumption (lcx_refutation x))
    & match lcx_refutation x with
      | TendsElsewhere i => (i < n)%N && ~~ is_vertex (the_place c i)
      | LeaderNoVertex i w => (i \in lim_leaders c) && check_geometry I (lim_dim c) (NoVertex (lim_tokens c) i w)
      | VertexNoLeader i h => (i \notin lim_leaders c) && check_geometry I (lim_dim c) (Vertex (lim_tokens c) i h)
      | InteriorLimit i w => (i < n)%N && check_interior_limit c i w
      | LeadsForOne grow K i =>
          let one := for_step (~~ grow) (lcx_limit x) in
          [&& (i < n)%N, i \notin lim_leaders c, ~~ Z.leb (Qnum (lim_alpha one)) Z0
            & has (fun l => alone_in l i) (sets_of I (system_of one) K)]
      end].

End Checker.

(** ** Its proof *)

Lemma leads_alone R c k i : (i < size (lim_tokens c))%N -> leads_at R c k i = alone R (system_of c) k i.
Proof. by move=> il; rewrite /leads_at leads_index ?size_map // /alone /follower_set /index_set size_map. Qed.

Lemma shaped_system c : shaped_limit c -> shaped_orbit (system_of c).
Proof. by case/and5P => ? ? ? _ _; apply/and4P; split. Qed.

Lemma layer_stateP (I : integers) R c (s := layer_state I c) : shaped_limit c -> ~~ Z.leb (Qnum (lim_alpha c)) Z0 ->
  pos (over s) /\ denote R (lim_dim c) s = state (the_A R c) (the_a R c) (the_tokens R c) (lim_layer c).
Proof.
case/and5P => d0 /andP[rows row] _ _ _ alpha.
have [c0 cE] := clear_rowsP (R := R) (I := I) (lim_dim c) (lim_tokens c).
have bs : all (shaped_block (lim_dim c)) (nseq (lim_layer c) (lim_block c)).
  by rewrite all_nseq /shaped_block /= /shaped_sa /= d0 eqxx rows row orbT.
have [s0 sE] := runP R bs c0; rewrite !map_nseq in s0 sE; split; first exact: s0.
by rewrite /s /layer_state sE cE blockE // run_blocks.
Qed.

Lemma interior_limitP (I : integers) R c i w : shaped_limit c -> ~~ Z.leb (Qnum (lim_alpha c)) Z0 ->
  check_interior_limit I c i w -> interior (polytope R c) (the_limit R c i).
Proof.
move=> shape alpha /andP[leads inside]; have [s0 sE] := layer_stateP I R shape alpha.
have /andP[weighed _] := inside; apply: (check_interiorP s0 inside) => p pw.
rewrite /polytope mem_filter -sE (share_in weighed pw) andbT; move: (share_in weighed pw) leads.
move: pw => /(nthP 0)[j]; rewrite size_map => jl <-; rewrite (nth_map (of_Z I Z0, [::])) // => p_in.
by move/(all_nthP (of_Z I Z0, [::]))/(_ j jl); rewrite (leading_atP s0 p_in).
Qed.

Theorem check_limit_counterexample_sound (I : integers) (x : limit_counterexample) :
  check_limit_counterexample I x = true -> limit_counterexample_claim x.
Proof.
case/and3P => lim hyp ref; have [shape tokens] := check_limit_sound lim.
have /and3P[_ alpha _] := lim; have shape' := shaped_system shape.
split; [exact: check_limit_sound lim | by move=> R; exact: assumptionP hyp |].
move: ref shape alpha tokens {lim hyp}; rewrite /proved.
case: (lcx_refutation x) => [i | i w | i h | i w | grow K i] ref shape alpha tokens.
- case/andP: ref => il nv; split=> // R; have [_ _ _ place] := tokens R.
  by rewrite (vertex_or_not (place i il)).
- by case/andP: ref => lead g; split=> //; exact: check_geometry_sound g.
- by case/andP: ref => no g; split=> //; exact: check_geometry_sound g.
- by case/andP: ref => il inside; split=> // R; exact: interior_limitP inside.
case/and4P: ref => il no alpha1 lead; split=> // R; have [_ _ _ place] := tokens R; split.
  by move=> k; apply: contra no => lk; apply/(leads_or_not (place i il)); exists k.
have il1 : (i < size (lim_tokens (for_step (~~ grow) (lcx_limit x))))%N by case: grow il {shape alpha tokens no alpha1 lead place shape'}.
have shape1 : shaped_orbit (system_of (for_step (~~ grow) (lcx_limit x))).
  by apply: shaped_system; case: grow shape {alpha tokens no alpha1 lead place shape' il il1}.
have [k kK one] := leadsP R shape1 alpha1 il1 lead.
by exists k; rewrite // leads_alone.
Qed.
