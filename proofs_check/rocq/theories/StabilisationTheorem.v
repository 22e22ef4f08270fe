(** The theorem on stabilisation: for distinct tokens and alpha < 3, in every dimension, all follower sets become constant.

    What it says is the record [stabilises], the next lines; alpha < 3 is a < 3/4, where a = alpha / (1 + alpha). *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From Exactformer Require Import Semantics Basics Dynamics Limits Metric Orbit Convergence Clustering Stabilisation Lock Forever.
From Exactformer Require Import StabilisationGrowth StabilisationOrders StabilisationDecay StabilisationCluster.
From Exactformer Require Import StabilisationResidual StabilisationPlane StabilisationFlat StabilisationOrbit.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** z k i: token i at layer k;  C k i: whom it follows there;  l i: its limit;  r = 1 - a. *)
Record stabilises (R : realFieldType) (d n : nat) (r : R)
    (z : nat -> 'I_n -> 'cV[R]_d) (C : nat -> 'I_n -> {set 'I_n}) (l : 'I_n -> 'cV[R]_d) : Prop := Stabilises {
  tokens_converge : forall i, tends (fun k => z k i) (l i);
  sets_become_constant : exists K, forall k i, (K <= k)%N -> C k i = C K i;
  closed_forms : forall i, exists K p (c : nat -> 'cV[R]_d), forall k, (K <= k)%N ->
    z k i = l i + r ^+ k *: \sum_(m < p) k%:R ^+ m *: c m
}.

Lemma poly_form (R : realFieldType) (V : lmodType R) q (f : nat -> V) : poly q f ->
  exists c : nat -> V, eventually (fun k => f k = \sum_(m < q) k%:R ^+ m *: c m).
Proof.
elim: q f => [|q IH] f F; first by exists (fun=> 0); apply: eventually_mono F => k ->; rewrite big_ord0.
have [e E] := poly_top F; have [c H] := IH _ E; exists (fun m => if m == q then e else c m).
apply: eventually_mono H => k /eqP; rewrite subr_eq => /eqP ->; rewrite big_ord_recr /= eqxx; congr (_ + _).
by apply: eq_bigr => m _; rewrite ltn_eqF.
Qed.

Section Orbits.

Hypothesis EM : excluded_middle.
Variable R : realFieldType.
Hypothesis arch : archimedean R.
Variables (d : nat) (A : 'M[R]_d) (a : R).
Hypothesis A_sym : A^T = A.
Hypothesis A_pos : forall x : 'cV[R]_d, x != 0 -> 0 < inner (A *m x) x.
Hypothesis a_gt0 : 0 < a.
Hypothesis a_lt1 : a < 1.
Variable s : seq 'cV[R]_d.
Hypothesis distinct : uniq s.

Notation dot := (dotA A).
Notation q := (normA A).
Notation I := 'I_(size s).
Notation z := (token_at A a s).
Notation leads := (leads A a s).
Notation C := (C A a (s := s)).
Notation w := (w A a (s := s)).
Notation r := (1 - a).
Variable l : I -> 'cV[R]_d.
Hypothesis l_near : forall i : I, near A (fun k => z k i) (l i).
Notation u := (scaled A a l).
Notation settled := (settled A a l).

(** Late, a token that never comes to rest, in its own set of three or more, shrinks faster than the square root of r. *)
Definition thin kappa : Prop := eventually (fun k => forall g : I, ~ eventually (fun k => z k.+1 g = z k g) ->
  g \in C k g -> (2 < #|C k g|)%N -> (r + (1 - r) / #|C k g|%:R) ^+ 2 <= kappa * r).
Hypothesis narrow : (d <= 2)%N \/ exists kappa, [/\ 0 < kappa, kappa < 1 & thin kappa].

Let r0 := r_gt0 a_lt1.
Let r1 := r_lt1 a_gt0.

(** ** A limit that is the place of a leader *)

Lemma settled_vertex (i g : I) K : leads K g -> l i = z K g -> settled i.
Proof.
move=> lg li; have T : tends (fun k => z k i) (z K g) by rewrite -li; exact: (near_tends A_sym A_pos (l_near i)).
have ev := eventually_and (vertex_limits_lock A_sym A_pos a_gt0 a_lt1 distinct lg T) (eventually_le K).
have one : eventually (fun k => C k i = [set g]).
  apply: eventually_mono ev => k [F Kk]; have [_ zg] := leads_later a_gt0 a_lt1 lg Kk.
  apply/setP => j; rewrite !inE F inE -zg; apply/eqP/eqP => [E | -> //].
  exact: (z_inj A_sym A_pos a_gt0 a_lt1 distinct E).
split; last by exists [set g].
exists 1%N; apply: eventually_mono (eventually_and one (eventually_le K)) => k [kC Kk].
have [_ zg] := leads_later a_gt0 a_lt1 lg Kk.
have W : w k i = l i by have := wE A a k i; rewrite kC cards1 scale1r big_set1 zg li.
rewrite /diff /scaled z_nextE W exprS invfM; apply/colP => c; rewrite !mxE.
move: (z k i c 0) (l i c 0) (r ^+ k) => x y rk.
by have n0 := lt0r_neq0 r0; rewrite (_ : x + a * (y - x) - y = r * (x - y)); [rewrite [_ * (r * _)]mulrA [r^-1 * _]mulrC divfK // subrr | ring].
Qed.

(** ** All tokens, by induction on the norms of their limits, from the largest down *)

Section OneClass.

Variable ell : 'cV[R]_d.
Hypothesis above : forall j, q ell < q (l j) -> settled j.
Hypothesis no_vertex : ~ exists K (g : I), leads K g /\ z K g = ell.

Lemma no_leader_here (i : I) k : l i = ell -> C k i != [set i].
Proof.
move=> li; apply/eqP => E; have lk := leads_C E; apply: no_vertex; exists k, i; split=> //.
by rewrite -li (leader_limit A_sym A_pos a_gt0 a_lt1 l_near lk).
Qed.

Lemma settled_class (i : I) : l i = ell -> settled i.
Proof.
move=> li; have [mv mvP] := decide (fun i : I => forall k, z k i <> l i) EM.
have up j : q ell < q (l j) -> exists n, poly n (u j) by move=> /above[].
have [K facts] := is_cluster EM arch A_sym A_pos a_gt0 a_lt1 distinct l_near no_leader_here up mvP.
case: (boolP (mv i)) => mi.
  have iM : i \in members l ell mv by rewrite inE li eqxx.
  have M0 : members l ell mv != set0 by apply/set0Pn; exists i.
  have [beta [[D0 bD bE] same [Z | [[delta d0 pos] inc]]]] := stabilisation_level EM arch A_sym r0 r1 facts M0.
    have [K1 late] := eventually_and (eventually_and Z same) (eventually_le K).
    apply: (@stabilisation_flat EM R arch d A A_sym A_pos r r0 r1 _ ell _ u _ _ C _ K facts D0 K1 _ bD _ _ i iM).
    - by have [_] := late K1 (leqnn K1).
    - by move=> k /late[[z0 _] _]; rewrite -bE.
    - by move=> k j /late[[z0 S] _] jG n0; rewrite S.
  have [tau t0 T] := small_products arch r0 r1 facts.
  exfalso; have base := eventually_and (eventually_and pos inc) (eventually_and same (eventually_le K)).
  case: narrow => [d2 | [kappa [kappa_gt0 kappa_lt1 th]]].
    have [K1 late] := base.
    apply: (@stabilisation_no_residual_plane EM R arch d A A_sym A_pos r r0 r1 _ ell _ u _ _ C _ K facts M0 beta tau delta K1 D0
      d0 _ bD bE _ _ _ t0 T _ d2).
    - by have [_ [_ ?]] := late K1 (leqnn K1).
    - by move=> k /late[[]].
    - by move=> k /late[[_]].
    - by move=> k j /late[_ [S _]]; exact: S.
    - by move=> m; rewrite inE => /andP[/eqP fm _]; rewrite dotABr fm subrr.
  have [K1 late] := eventually_and base th.
  apply: (@stabilisation_no_residual R arch d A A_sym A_pos r r0 r1 _ ell _ u _ _ C _ K facts M0 beta tau delta K1 D0
    d0 _ bD bE _ _ _ t0 T kappa kappa_gt0 kappa_lt1).
  - by have [[_ [_ ?]] _] := late K1 (leqnn K1).
  - by move=> k /late[[[]]].
  - by move=> k /late[[[_]]].
  - by move=> k j /late[[_ [S _]] _]; exact: S.
  - move=> k g /late[_ thk] /member[_ mg]; apply: thk => -[K' rest].
    have const m : (K' <= m)%N -> z m g = z K' g.
      by move=> /subnKC <-; elim: (m - K')%N => [|n IH]; rewrite ?addn0 // addnS rest ?leq_addr.
    apply: (proj1 (mvP g) mg K'); apply/esym/(near_unique A_sym A_pos (l_near g)); apply: near_eventually.
    by exists K'.
have rest := resting EM A_sym A_pos a_gt0 l_near mvP mi; split.
  by exists 0%N; apply: eventually_mono rest => k [zk _]; rewrite /scaled zk subrr scaler0.
have iff m : eventually (fun k => (m \in C k i) = (dot ell (z k m) == q ell)).
  by apply: eventually_mono rest => k [zk wk]; rewrite C_iff // zk wk li.
have mem m : exists b : bool, eventually (fun k => (m \in C k i) = b).
  case: (eqVneq (dot ell (l m)) (q ell)) => [fm | nf]; last first.
    exists false; apply: eventually_mono (late_face EM arch A_sym A_pos a_gt0 a_lt1 l_near i) => k F.
    by apply: contraNF nf => /F; rewrite li => ->.
  have zm k : (dot ell (z k m) == q ell) = (dot ell (u m k) == 0).
    rewrite (zE A a_lt1 l) dotADr dotAZr fm -subr_eq0 addrAC subrr add0r mulf_eq0.
    by rewrite (negbTE (rk_neq0 a_lt1 k)).
  case: (boolP (m \in members l ell mv)) => mM.
    exists false; apply: eventually_mono (eventually_and (iff m) (eventually_le K)) => k [-> Kk]; rewrite zm.
    by have := @height_pos R d A A_pos r r0 _ ell _ u _ _ C _ K facts k m Kk mM; rewrite /height oppr_gt0 => /lt_eqF.
  have mT : m \in targets A l ell mv by rewrite inE fm eqxx.
  have [n P] := targets_poly facts mT.
  have P' : poly n (fun k => dot ell (u m k)) by apply: (poly_map (h := fun x => dot ell x) _ P) => x y; rewrite dotABr.
  have [Z | [e e0 H] | [e e0 H]] := poly_sign arch P'.
  - by exists true; apply: eventually_mono (eventually_and (iff m) Z) => k [-> zk]; rewrite zm zk eqxx.
  - by exists false; apply: eventually_mono (eventually_and (iff m) H) => k [-> zk]; rewrite zm gt_eqF // (lt_le_trans e0).
  - exists false; apply: eventually_mono (eventually_and (iff m) H) => k [-> zk]; rewrite zm lt_eqF //.
    by rewrite -oppr_gt0 (lt_le_trans e0).
have [b bP] := finite_choice true EM (fun m (_ : True) => mem m).
exists [set m | b m]; have all := eventually_all (fun m => bP m Logic.I).
by apply: eventually_mono all => k H0; apply/setP => m; rewrite inE H0.
Qed.

End OneClass.

Lemma all_settled (i : I) : settled i.
Proof.
have [n] := ubnP #|[set j | q (l i) < q (l j)]|; elim: n i => // n IH i ni.
have above j : q (l i) < q (l j) -> settled j.
  move=> ij; apply: IH; rewrite -ltnS; apply: leq_trans ni; rewrite ltnS; apply: proper_card; apply/properP; split.
    by apply/subsetP => g; rewrite !inE; exact: lt_trans.
  by exists j; rewrite inE ?ltxx.
have [[K [g [lg E]]] | no] := EM (exists K (g : I), leads K g /\ z K g = l i).
  by apply: (settled_vertex lg); rewrite E.
exact: (settled_class above no).
Qed.

Lemma all_stabilise : stabilises r (fun k i => z k i) (fun k i => C k i) l.
Proof.
split.
- by move=> i; exact: (near_tends A_sym A_pos (l_near i)).
- have [S H] := finite_choice set0 EM (fun i (_ : True) => proj2 (all_settled i)).
  have [K E] := eventually_all (fun i => H i Logic.I); exists K => k i Kk.
  by rewrite (E k Kk) (E K (leqnn K)).
- move=> i; have [[p P] _] := all_settled i; have [c [K E]] := poly_form P; exists K, p, c => k Kk.
  by rewrite -E // -(zE A a_lt1 l).
Qed.

End Orbits.

(** ** The theorem *)

(** For every alpha and dimension, if late no token that never comes to rest is in its own set C with
    3 <= |C| <= 1 + sqrt(1 + alpha), that is with (r + a / |C|)^2 >= r. *)
Theorem stabilisation_thin_ties (R : realFieldType) (d : nat) (A : 'M[R]_d) (a : R) (s : seq 'cV[R]_d) :
  excluded_middle -> archimedean R ->
  A^T = A -> (forall x : 'cV[R]_d, x != 0 -> 0 < inner (A *m x) x) -> 0 < a -> a < 1 -> uniq s ->
  eventually (fun k => forall g : 'I_(size s), ~ eventually (fun k => token_at A a s k.+1 g = token_at A a s k g) ->
    g \in C A a k g -> (2 < #|C A a k g|)%N -> (1 - a + a / #|C A a k g|%:R) ^+ 2 < 1 - a) ->
  exists l, stabilises (1 - a) (fun k (i : 'I_(size s)) => token_at A a s k i) (fun k i => C A a k i) l.
Proof.
move=> EM arch A_sym A_pos a0 a1 us thin; have [l L] := convergence EM arch A_sym A_pos a0 a1 us; exists l.
pose r := 1 - a; have r0 : 0 < r by rewrite subr_gt0.
pose f (n : nat) := (r + a / n%:R) ^+ 2; have [e e0 gap] := positive_min [seq r - f n | n <- iota 0 (size s).+1].
pose h := Num.min e (r / 2%:R); have h0 : 0 < h by rewrite lt_minr e0 divr_gt0 ?ltr0n.
have hr : h < r.
  have half : r / 2%:R < r by rewrite ltr_pdivr_mulr ?ltr0n // ltr_pmulr // ltr1n.
  by rewrite lt_minl half orbT.
apply: (all_stabilise EM arch A_sym A_pos a0 a1 us L); right; exists (1 - h / r); split.
- by rewrite subr_gt0 ltr_pdivr_mulr // mul1r.
- by rewrite ltr_subl_addr ltr_addl divr_gt0.
- apply: eventually_mono thin => k th g mv gC N3; have := th g mv gC N3; rewrite -/r {1}/r subKr -/r -/(f _) => lt.
have le : e <= r - f #|C A a k g|.
  apply: gap; last by rewrite subr_gt0.
  by apply/mapP; exists #|C A a k g| => //; rewrite mem_iota add0n ltnS /=; have := max_card (mem (C A a k g)); rewrite card_ord.
have he : h <= e by rewrite le_minl lexx.
by rewrite mulrBl mul1r divfK ?gt_eqF //; lin le he.
Qed.

(** For alpha < 3, in every dimension. *)
Theorem stabilisation_alpha_below_3 (R : realFieldType) (d : nat) (A : 'M[R]_d) (a : R) (s : seq 'cV[R]_d) :
  excluded_middle -> archimedean R ->
  A^T = A -> (forall x : 'cV[R]_d, x != 0 -> 0 < inner (A *m x) x) ->      (* A is symmetric positive definite *)
  0 < a -> a < 3%:R / 4%:R -> uniq s ->                                    (* a = alpha / (1 + alpha), alpha < 3 *)
  exists l, stabilises (1 - a) (fun k (i : 'I_(size s)) => token_at A a s k i) (fun k i => C A a k i) l.
Proof.
move=> EM arch A_sym A_pos a0 a34 us; have a1 : a < 1.
  by apply: lt_trans a34 _; rewrite ltr_pdivr_mulr ?ltr0n // mul1r ltr_nat.
have [l L] := convergence EM arch A_sym A_pos a0 a1 us; exists l; pose r := 1 - a.
have r0 : 0 < r by rewrite subr_gt0.
pose rho := r + (1 - r) / 3%:R; have rho0 : 0 < rho by rewrite addr_gt0 // divr_gt0 ?ltr0n // /r subKr.
apply: (all_stabilise EM arch A_sym A_pos a0 a1 us L); right; exists (rho ^+ 2 / r); split.
- by rewrite divr_gt0 ?exprn_gt0.
- rewrite ltr_pdivr_mulr // mul1r -subr_gt0.
  have -> : r - rho ^+ 2 = a * (3%:R / 4%:R - a) * (4%:R / 9%:R) by rewrite /rho /r; field.
  by rewrite !mulr_gt0 ?subr_gt0 ?invr_gt0 ?ltr0n.
- apply: eventually_true => k g _ _ N3; rewrite divfK ?gt_eqF // -/r.
have N0 : 0 < #|C A a k g|%:R :> R by rewrite ltr0n (ltn_trans _ N3).
apply: ler_expn2r; rewrite ?nnegrE; first by rewrite addr_ge0 ?(ltW r0) // divr_ge0 ?(ltW N0) // /r subKr ltW.
  exact: ltW.
have ra : 0 <= 1 - r by rewrite /r subKr ltW.
by rewrite ler_add2l; apply: ler_wpmul2l => //; rewrite lef_pinv ?posrE ?ltr0n ?ler_nat // -(ltr0n R).
Qed.

(** For every alpha, in dimension one and two. *)
Theorem stabilisation_low_dimension (R : realFieldType) (d : nat) (A : 'M[R]_d) (a : R) (s : seq 'cV[R]_d) :
  excluded_middle -> archimedean R ->
  A^T = A -> (forall x : 'cV[R]_d, x != 0 -> 0 < inner (A *m x) x) -> 0 < a -> a < 1 -> uniq s -> (d <= 2)%N ->
  exists l, stabilises (1 - a) (fun k (i : 'I_(size s)) => token_at A a s k i) (fun k i => C A a k i) l.
Proof.
move=> EM arch A_sym A_pos a0 a1 us d2; have [l L] := convergence EM arch A_sym A_pos a0 a1 us; exists l.
by apply: (all_stabilise EM arch A_sym A_pos a0 a1 us L); left.
Qed.
