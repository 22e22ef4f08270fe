(** Theorem 1.1 of "Clustering in pure-attention hardmax transformers" (Alcalde, Fantuzzi, Zuazua).

    The statement is [clustering], at the end; what it says is the record [clusters], the next twenty lines.  They use
    the definitions of [Polytope] (vertex, on_boundary, least_norm_on_face), of [Dynamics] (layer, leader, hull), of
    [Orbit] (token_at, leads) and of [Limits] (tends). *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From Exactformer Require Import Semantics Basics Dynamics Limits Polytope Metric Orbit Convergence.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** What the theorem says of n tokens *)

(** z k i: token i at layer k;  lead k i: it is a leader there;  l i: its limit;  K = conv (codom l): the polytope. *)
Record clusters (R : realFieldType) (d n : nat) (A : 'M[R]_d)
    (z : nat -> 'I_n -> 'cV[R]_d) (lead : nat -> 'I_n -> bool) (l : 'I_n -> 'cV[R]_d) : Prop := Clusters {
  every_token_converges : forall i, tends (fun k => z k i) (l i);
  there_is_a_leader : exists i, lead 0%N i;
  leaders_rest : forall i k m, lead k i -> (k <= m)%N -> lead m i /\ z m i = l i;
  vertices_are_leaders : forall p, vertex (codom l) p <-> exists i k, lead k i /\ l i = p;
  one_leader_a_vertex : forall i j k m, lead k i -> lead m j -> l i = l j -> i = j;
  limits_are_projections : forall i, exists2 h, h != 0 & least_norm_on_face A (codom l) h (l i);
  limits_on_the_boundary : forall i, on_boundary (codom l) (l i)
}.

Section Structure.

Variables (R : realFieldType) (d : nat) (A : 'M[R]_d) (a : R).
Hypothesis A_sym : A^T = A.
Hypothesis A_pos : forall x : 'cV[R]_d, x != 0 -> 0 < inner (A *m x) x.
Hypothesis a_gt0 : 0 < a.
Hypothesis a_lt1 : a < 1.
Variable s : seq 'cV[R]_d.
Hypothesis distinct : uniq s.

Notation dotA := (dotA A).
Notation normA := (normA A).
Notation near := (near A).
Notation I := 'I_(size s).
Notation state := (state A a s).
Notation z := (token_at A a s).
Notation leads := (leads A a s).
Implicit Types (i j g m : I) (k : nat).

(** ** A leader is exposed, and strictly: at its own speed no direction escapes it *)

Lemma leads_strict k g m : leads k g -> m != g -> dotA (z k g) (z k m) < normA (z k g).
Proof.
move=> l mg; apply: (leader_strict l); first exact: z_mem.
by apply: contra mg => /eqP /(z_inj A_sym A_pos a_gt0 a_lt1 distinct) ->.
Qed.

Lemma exposed K g u : leads K g ->
  exists2 D, 0 < D & forall k m, (K <= k)%N -> dotA u (z k m - z K g) <= D * dotA (z K g) (z K g - z k m).
Proof.
move=> l; set p := z K g; pose t m := dotA p (p - z K m).
have t0 m : m != g -> 0 < t m by move=> mg; rewrite /t dotABr subr_gt0 leads_strict.
have [D D0 HD] := upper_bound [seq dotA u (z K (m : I) - p) / t m | m : I].
exists D => // k m Kk; suff : dotA (u + D *: p) (z k m) <= dotA u p + D * normA p.
  by rewrite dotADl // dotAZl // !dotABr /Dynamics.normA => H; lin H.
apply: (halfspace a_gt0 a_lt1 _ Kk) => j; rewrite dotADl // dotAZl //.
case: (eqVneq j g) => [-> // | jg]; have := HD _ (image_f (fun m => dotA u (z K m - p) / t m) (erefl : j \in predT)).
by rewrite ler_pdivr_mulr ?t0 // /t !dotABr /Dynamics.normA => H; lin H.
Qed.

Section Limits.

Variable l : I -> 'cV[R]_d.
Hypothesis l_near : forall i, near (fun k => z k i) (l i).

Lemma leader_limit k g : leads k g -> l g = z k g.
Proof.
move=> lg; apply: (near_unique A_sym A_pos (l_near g)); apply: near_eventually.
by exists k => m km; have [_ ->] := leads_later a_gt0 a_lt1 lg km.
Qed.

Lemma leader_exposed k g j : leads k g -> l j != l g -> dotA (l g) (l j) < normA (l g).
Proof.
move=> lg ne; have E := leader_limit lg; have [D D0 H] := exposed (l j - l g) lg.
suff : dotA (l j - l g) (l j - l g) <= D * dotA (l g) (l g - l j).
  have n0 : 0 < normA (l j - l g) by rewrite normA_gt0 // subr_eq0.
  by move=> /(lt_le_trans n0); rewrite pmulr_rgt0 // dotABr subr_gt0.
suff : dotA (l j - l g + D *: l g) (l j) <= dotA (l j - l g) (l g) + D * normA (l g).
  by rewrite [X in X <= _]dotADl // dotAZl // [in X in _ -> X]dotABr [dotA (l g) (_ - _)]dotABr /Dynamics.normA => F; lin F.
set v := (X in dotA X _); have := near_dot A_sym A_pos (near_const A v) (l_near j).
move=> /tends_to_le; apply; first exact: tends_to_const.
exists k => m /(H m j); rewrite -E /v [X in _ -> X <= _]dotADl // dotAZl // !dotABr => F.
by rewrite /Dynamics.normA; lin F.
Qed.

(** ** Every limit is the point of least norm of a face *)

Lemma limit_max i j : (forall i, null A (fun k => w A a (s := s) k i - z k i)) -> dotA (l i) (l j) <= normA (l i).
Proof.
move=> pull; have W : near (fun k => z k i + (w A a (s := s) k i - z k i)) (l i) by exact: near_add.
apply: tends_to_le (near_dot A_sym A_pos (l_near i) (l_near j)) (near_dot A_sym A_pos (l_near i) W) _.
by apply: eventually_true => k; rewrite addrC subrK w_max.
Qed.

Lemma hull_limit i : hull (codom l) (l i).
Proof. by apply: hull_mem; exact: codom_f. Qed.

Lemma limit_least i : (forall j, dotA (l i) (l j) <= normA (l i)) -> least_norm_on_face A (codom l) (A *m l i) (l i).
Proof.
move=> H; have Hh q : hull (codom l) q -> dotA (l i) q <= normA (l i).
  by apply: hull_le => _ /codomP[j ->]; exact: H.
split; first by split; [exact: hull_limit | exact: Hh].
move=> q [_ /(_ _ (hull_limit i))]; rewrite -/(dotA _ _) -/(dotA (l i) q) -/(normA (l i)) => ge ne.
have n0 : 0 < normA (q - l i) by rewrite normA_gt0 // subr_eq0.
by move: n0; rewrite normAB // (dotAC A_sym q) => n0; lin n0 ge ge.
Qed.

Lemma limit_boundary i : l i != 0 -> (forall j, dotA (l i) (l j) <= normA (l i)) -> on_boundary (codom l) (l i).
Proof.
move=> l0 H; split=> [|eps e0]; first exact: hull_limit.
have [h E] : exists h, h = A *m l i by exists (A *m l i).
have h0 : 0 < inner h h.
  by apply: inner_gt0; apply: contraTneq (A_pos l0); rewrite -E => ->; rewrite inner0l ltxx.
have [b b0 B] := upper_bound [seq `|h c 0| | c : 'I_d]; pose t := eps / (b + b).
have t0 : 0 < t by rewrite divr_gt0 ?addr_gt0.
exists (l i + t *: h) => [c|].
  rewrite !mxE addrAC subrr add0r normrM (gtr0_norm t0).
  apply: (@le_lt_trans _ _ (t * b)); first by rewrite ler_pmul2l //; apply: B; apply/imageP; exists c.
  by rewrite /t mulrAC ltr_pdivr_mulr ?addr_gt0 // ltr_pmul2l // ltr_addl.
move=> /(@hull_le _ _ _ h (normA (l i))) F; have : inner h (l i + t *: h) <= normA (l i).
  by apply: F => _ /codomP[j ->]; rewrite E; exact: H.
by rewrite innerDr innerZr {1}E -/(dotA _ _) -/(normA _) ger_addl leNgt mulr_gt0.
Qed.

(** ** The vertices are the places of the leaders *)

Lemma leader_vertex k g : leads k g -> vertex (codom l) (l g).
Proof.
move=> lg; split; first exact: codom_f.
move=> /(@hull_lt _ _ _ (A *m l g) (normA (l g))) F.
suff : normA (l g) < normA (l g) by rewrite ltxx.
by apply: F => q; rewrite mem_filter => /andP[ne /codomP[j E]]; rewrite E in ne *; exact: leader_exposed lg ne.
Qed.

Lemma higher_limit j i : higher A a j i -> normA (l i) < normA (l j).
Proof.
move=> [e e0 H]; apply: lt_le_trans (_ : normA (l i) + e <= normA (l j)); first by rewrite ltr_addl.
have T g : tends_to (fun k => normA (z k g)) (normA (l g)) := near_dot A_sym A_pos (l_near g) (l_near g).
apply: tends_to_le (T j) H => eps /(T i); apply: eventually_mono => k.
by rewrite opprD addrACA subrr addr0.
Qed.

Lemma vertex_leader i : at_leader A a s (l i) \/ at_mean A a 0 l i (l i) -> vertex (codom l) (l i) ->
  exists2 g : I, exists k, leads k g & l i = l g.
Proof.
move=> [[k [g [lg E]]] | [H [H0 Hh _ E]]] [_ out].
  by exists g; [exists k | rewrite E -(leader_limit lg)].
case: out; have : hull [seq q <- codom l | q != l i] (mean [seq l j | j in H]).
  apply: hull_mean => [|_ /imageP[j jH ->]].
    by apply: contra H0; rewrite -cards_eq0 cardE -size_eq0 size_map.
  rewrite mem_filter codom_f andbT.
  by have := higher_limit (Hh j jH); apply: contraTneq => ->; rewrite ltxx.
by rewrite /mean size_image big_image -E.
Qed.

Lemma leaders_apart i j k (m : nat) : leads k i -> leads m j -> l i = l j -> i = j.
Proof.
move=> li lj E; apply: (@z_inj _ _ A a A_sym A_pos a_gt0 a_lt1 s distinct (maxn k m)).
have [_ ->] := leads_later a_gt0 a_lt1 li (leq_maxl k m).
by have [_ ->] := leads_later a_gt0 a_lt1 lj (leq_maxr k m); rewrite -(leader_limit li) -(leader_limit lj).
Qed.

End Limits.

End Structure.

(** ** The theorem *)

Theorem clustering (R : realFieldType) (d : nat) (A : 'M[R]_d) (a : R) (s : seq 'cV[R]_d) :
  excluded_middle -> archimedean R ->
  A^T = A -> (forall x : 'cV[R]_d, x != 0 -> 0 < inner (A *m x) x) ->      (* A is symmetric positive definite *)
  0 < a -> a < 1 ->
  s != [::] -> uniq s -> 0 \notin s ->                                     (* distinct nonzero tokens *)
  exists l : 'I_(size s) -> 'cV[R]_d,
    clusters A (fun k i => token_at A a s k i) (fun k i => leads A a s k i) l.
Proof.
move=> EM arch A_sym A_pos a0 a1 s0 us zs.
have [l L] := convergence EM arch A_sym A_pos a0 a1 us; exists l.
have max i j : dotA A (l i) (l j) <= normA A (l i).
  by apply: (limit_max A_sym A_pos L) => g; exact: (pull_vanishes EM arch A_sym A_pos a0 a1).
have l0 i : l i != 0.
  apply: contraTneq (_ : 0 < normA A (token_at A a s 0 i)) => [E | ]; last first.
    by rewrite normA_gt0 //; apply: contraNneq zs => <-; rewrite /token_at /= mem_nth.
  rewrite -leNgt; have -> : 0 = normA A (l i) by rewrite E normA0.
  apply: tends_to_le (tends_to_const _) (near_dot A_sym A_pos (L i) (L i)) _.
  apply: eventually_true => k; apply: (monotone_le (f := fun k => normA A (token_at A a s k i))) => // m.
  exact: norm_nondecreasing.
split.
- by move=> i; exact: (near_tends A_sym A_pos (L i)).
- have [x xs xmax] := exists_max (normA A) s0; move: xs => /(nthP 0)[n ns E].
  exists (Ordinal ns); apply: (longest_leads A_sym A_pos a0 a1 us) => j.
  by rewrite /token_at /= E xmax // mem_nth.
- move=> i k m lk km; have [lm ->] := leads_later a0 a1 lk km.
  by rewrite (leader_limit A_sym A_pos a0 a1 L lk).
- move=> p; split=> [vp | [i [k [lk <-]]]]; last exact (leader_vertex A_sym A_pos a0 a1 us L lk).
  have /codomP[i E] := proj1 vp; rewrite {p}E in vp *.
  have [g [k lg] ->] := vertex_leader A_sym A_pos a0 a1 L (limits EM arch A_sym A_pos a0 a1 us 0 L i) vp.
  by exists g, k.
- by move=> i j k m li lj ij; exact (leaders_apart A_sym A_pos a0 a1 us L li lj ij).
- move=> i; exists (A *m l i); last exact: (limit_least A_sym A_pos (max i)).
  by apply: contraTneq (A_pos _ (l0 i)) => ->; rewrite inner0l ltxx.
- by move=> i; exact: (limit_boundary A_pos (l0 i) (max i)).
Qed.

(** ** The same for transformers: the output of a pure-attention block, repeated k times, as k grows *)

(** A token leads where the block's attention maps it to itself alone. *)
Corollary clustering_of_blocks (R : realFieldType) (d : nat) (A : 'M[R]_d) (a : R) (s : seq 'cV[R]_d) :
  excluded_middle -> archimedean R ->
  A^T = A -> (forall x : 'cV[R]_d, x != 0 -> 0 < inner (A *m x) x) -> 0 < a -> a < 1 ->
  s != [::] -> uniq s -> 0 \notin s ->
  let attention := SelfAttention (1 - a) a%:M A 1%:M in                    (* x -> (1-a) x + a mean *)
  let output k := run (nseq k (Block None (Some attention))) s in
  let token k i := nth 0 (output k) i in
  exists l : 'I_(size s) -> 'cV[R]_d,
    clusters A (fun k i => token k i) (fun k i => followed attention (output k) (token k i) == [:: token k i]) l.
Proof.
move=> EM arch A_sym A_pos a0 a1 s0 us zs attention output token.
have [l [conv lead rest vert one proj bound]] := clustering EM arch A_sym A_pos a0 a1 s0 us zs.
have out k : output k = state A a s k by exact: run_blocks.
have tok k (i : 'I_(size s)) : token k i = token_at A a s k i by rewrite /token out.
have led k (i : 'I_(size s)) : (followed attention (output k) (token k i) == [:: token k i]) = leads A a s k i.
  by rewrite tok out followed_follows.
exists l; split=> //.
- by move=> i c eps e0; apply: eventually_mono (conv i c eps e0) => k; rewrite tok.
- by have [i li] := lead; exists i; rewrite led.
- by move=> i k m; rewrite !led tok; exact: rest.
- by move=> p; split=> [/vert[i [k lk]] | [i [k lk]]]; [exists i, k; rewrite led | apply/vert; exists i, k; rewrite -led].
- by move=> i j k m; rewrite !led; exact: one.
Qed.
