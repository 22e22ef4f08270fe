(** Closed forms that hold for ever: if the recurrence of the forms and the order of their scores agree with fixed
    follower sets at every layer, then the tokens are the forms and the sets never change.  Where forms tend to. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From Exactformer Require Import Semantics Basics Dynamics Limits Orbit Lock.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Forever.

Variables (R : realFieldType) (d : nat) (A : 'M[R]_d) (a : R) (s : seq 'cV[R]_d).
Notation n := (size s).
Notation dotA := (dotA A).
Notation z := (token_at A a s).
Notation state := (state A a s).

(** The indices of C_i at layer k. *)
Definition index_set k i : seq nat := [seq j <- iota 0 n | z k j \in follows A (state k) (z k i)].

Lemma state_iota k : state k = [seq z k j | j <- iota 0 n].
Proof. by rewrite -(size_state A a s k) -/(mkseq _ _) mkseq_nth. Qed.

Lemma z_state k j : (j < n)%N -> z k j \in state k.
Proof. by move=> jn; rewrite mem_nth // size_state. Qed.

Lemma follows_index k i : follows A (state k) (z k i) = [seq z k j | j <- index_set k i].
Proof.
rewrite /index_set {1}/follows {1}/argmax [X in filter _ X]state_iota filter_map; congr map.
apply: eq_in_filter => j; rewrite mem_iota add0n /= => jn.
by rewrite mem_filter z_state // andbT.
Qed.

Lemma leads_index k i : (i < n)%N -> leads A a s k i = (index_set k i == [:: i]).
Proof.
move=> i_n; rewrite /leads /leader follows_index; apply/eqP/eqP => [E | ->] //.
have i_in : i \in index_set k i by rewrite mem_filter mem_iota add0n i_n andbT follows_index E mem_head.
by move: i_in (congr1 size E); case: index_set => [|j [|? ?]] //; rewrite inE => /eqP ->.
Qed.

(** The set of a locked token is constant. *)
Lemma locked_set i k : A^T = A -> 0 < a -> a < 1 -> (i < n)%N -> (forall y, y \in follows A s (nth 0 s i) -> leading A s y) ->
  (forall x y, y \in follows A s (nth 0 s i) -> x \in s ->
    dotA (mean (follows A s (nth 0 s i))) x <= dotA (mean (follows A s (nth 0 s i))) y) -> index_set k i = index_set 0 i.
Proof.
move=> A_sym a0 a1 i_n lead best; have [_ fE] := locked A_sym a0 a1 i_n lead best k; have [_ f0] := locked A_sym a0 a1 i_n lead best 0.
apply: eq_in_filter => j; rewrite mem_iota add0n => /andP[_ jn].
by rewrite fE f0; exact: (apartE a0 a1 i_n lead).
Qed.

(** F i k is token i at layer k, as its form says, and G i its set. *)
Variables (F : nat -> nat -> 'cV[R]_d) (G : nat -> seq nat).

Definition known i : Prop := forall k, z k i = F i k /\ index_set k i = G i.

(** The form solves the recurrence of the set. *)
Definition solves i : Prop :=
  (forall k, F i k.+1 = (1 - a) *: F i k + a *: ((size (G i))%:R^-1 *: \sum_(j <- G i) F j k)) /\
  G i = [seq j <- iota 0 n | j \in G i].

(** The set holds whoever scores best at layer k, j one of them. *)
Definition ordered j k i : Prop := forall l, (l < n)%N ->
  if l \in G i then dotA (F i k) (F j k - F l k) = 0 else 0 < dotA (F i k) (F j k - F l k).

Definition consistent i : Prop := solves i /\ exists2 j, (j < n)%N && (j \in G i) & forall k, ordered j k i.

(** The same for the first m layers, or the set is known to be constant. *)
Definition consistent_until m i : Prop :=
  solves i /\ ((forall k, index_set k i = G i) \/ exists2 j, (j < n)%N && (j \in G i) & forall k, (k < m)%N -> ordered j k i).

Hypothesis start : forall i, (i < n)%N -> F i 0%N = nth 0 s i.

Lemma set_at j k i : (forall l, (l < n)%N -> z k l = F l k) -> (i < n)%N -> solves i -> (j < n)%N && (j \in G i) ->
  ordered j k i -> index_set k i = G i.
Proof.
move=> zF i_n [_ GE] /andP[jn jG] order; rewrite [RHS]GE; apply: eq_in_filter => l; rewrite mem_iota add0n => /andP[_ ln].
suff -> : (z k l \in follows A (state k) (z k i)) = (l \in G i) by [].
have best m : (m < n)%N -> dotA (F i k) (F m k) <= dotA (F i k) (F j k).
  by move=> mn; rewrite -subr_ge0 -dotABr; have := order m mn; case: ifP => _; [move=> -> | move=> /ltW].
rewrite mem_filter z_state // andbT zF //; have := order l ln; rewrite dotABr; case: (l \in G i) => [/subr0_eq E | ].
  apply/allP => x; rewrite state_iota => /mapP[m]; rewrite mem_iota add0n => /andP[_ mn] ->.
  by rewrite !zF // -E best.
rewrite subr_gt0 => lt; apply/negbTE/negP => /allP/(_ (z k j) (z_state k jn)).
by rewrite !zF // leNgt lt.
Qed.

Lemma next_form k i : (forall l, (l < n)%N -> z k l = F l k) -> (i < n)%N -> solves i -> index_set k i = G i ->
  z k.+1 i = F i k.+1.
Proof.
move=> zF i_n [recE GE] setE; rewrite [LHS](nth_map 0) ?size_state // stepE -/(z k i) (follows_index k i) setE zF //.
rewrite recE; congr (_ + _ *: _); rewrite /mean size_map big_map; congr (_ *: _); apply: eq_big_seq => l.
by rewrite GE mem_filter mem_iota add0n => /andP[_ ln]; exact: zF.
Qed.

Lemma until m : (forall i, (i < n)%N -> consistent_until m i) -> forall k i, (i < n)%N ->
  ((k <= m)%N -> z k i = F i k) /\ ((k < m)%N -> index_set k i = G i).
Proof.
move=> con; suff all_k k : (k <= m)%N -> forall i, (i < n)%N -> z k i = F i k.
  move=> k i i_n; split=> [km | km]; first exact: all_k.
  have [sol [// | [j jG /(_ k km) order]]] := con i i_n.
  by apply: (set_at _ i_n sol jG order); apply: all_k; exact: ltnW.
elim: k => [_ | k IH km] i i_n; first by rewrite start.
have zF := IH (ltnW km); have [sol set] := con i i_n; apply: next_form => //.
by case: set => [// | [j jG /(_ k km) order]]; exact: set_at order.
Qed.

Theorem for_ever : (forall i, (i < n)%N -> known i \/ consistent i) -> forall k i, (i < n)%N -> z k i = F i k /\ index_set k i = G i.
Proof.
move=> proved; suff all_k k i : (i < n)%N -> z k i = F i k.
  move=> k i i_n; split; first exact: all_k.
  case: (proved i i_n) => [/(_ k)[] // | [sol [j jG /(_ k)]]].
  by apply: set_at => // l; exact: all_k.
elim: k i => [|k IH] i i_n; first by rewrite start.
case: (proved i i_n) => [/(_ k.+1)[] // | [sol [j jG /(_ k) order]]].
by apply: next_form => //; exact: set_at order.
Qed.

End Forever.

(** ** Where forms tend to *)

Section Tends.

Variable R : realFieldType.
Hypothesis arch : archimedean R.
Implicit Types (f g x y : nat -> R) (b c e : R).

Lemma halves (eps : R) : 0 < eps -> exists2 h : R, 0 < h & eps = h + h.
Proof. by move=> e0; exists (eps / 2%:R); [rewrite divr_gt0 ?ltr0n | field]. Qed.

Lemma tends_toD f g c e : tends_to f c -> tends_to g e -> tends_to (fun k => f k + g k) (c + e).
Proof.
move=> F G eps /halves[h h0 ->]; apply: eventually_mono (eventually_and (F h h0) (G h h0)) => k [fk gk].
by rewrite opprD addrACA; apply: le_lt_trans (ler_norm_add _ _) _; exact: ltr_add.
Qed.

Lemma tends_toZ f c e : tends_to f c -> tends_to (fun k => f k * e) (c * e).
Proof.
move=> F eps e0; have n0 : 0 < `|e| + 1 by rewrite ltr_spaddr ?ltr01.
apply: eventually_mono (F _ (divr_gt0 e0 n0)) => k; rewrite ltr_pdivl_mulr // => lt.
rewrite -mulrBl normrM; apply: le_lt_trans lt; rewrite ler_wpmul2l // ler_addl ler01 //.
Qed.

(** A contraction with a vanishing disturbance vanishes. *)
Lemma contraction x y b : 0 < b -> b < 1 -> (forall k, x k.+1 = b * x k + y k) -> tends_to y 0 -> tends_to x 0.
Proof.
move=> b0 b1 E Y eps /halves[h h0 ->]; have c0 : 0 < 1 - b by rewrite subr_gt0.
have [K H] := Y _ (mulr_gt0 h0 c0).
have bound m : `|x (K + m)%N| <= b ^+ m * `|x K| + h.
  elim: m => [|m IH]; first by rewrite addn0 mul1r ler_addl ltW.
  rewrite addnS E; apply: le_trans (ler_norm_add _ _) _; rewrite normrM (gtr0_norm b0).
  have := H (K + m)%N (leq_addr _ _); rewrite subr0 => /ltW Hy.
  have B := ler_wpmul2l (ltW b0) IH; rewrite exprS.
  by move: (b ^+ m) (`|x _|) (`|x K|) (`|y _|) B Hy => p u v w B Hy; lin B Hy.
have n0 : 0 < `|x K| + 1 by rewrite ltr_spaddr ?ltr01.
have [L small] := geometric arch b0 b1 (divr_gt0 h0 n0); exists (K + L)%N => k Kk.
have KL : (K <= k)%N by exact: leq_trans (leq_addr _ _) Kk.
rewrite subr0 -(subnKC KL); apply: le_lt_trans (bound _) _.
have := small (k - K)%N; rewrite leq_subRL // => /(_ Kk); rewrite ltr_pdivl_mulr // mulrDr mulr1 => lt.
have p0 : 0 <= b ^+ (k - K) by rewrite exprn_ge0 // ltW.
by move: (b ^+ _) (`|x K|) lt p0 => p v lt p0; lin lt p0.
Qed.

Lemma binomial_vanishes b m : 0 < b -> b < 1 -> tends_to (fun k => b ^+ k * 'C(k, m)%:R) 0.
Proof.
move=> b0 b1; elim: m => [|m IH].
  apply: (contraction (y := fun=> 0) b0 b1) => [k|]; last exact: tends_to_const.
  by rewrite !bin0 exprS !mulr1 addr0.
have := tends_toZ b IH; rewrite mul0r => IHb; apply: contraction b0 b1 _ IHb => k.
by rewrite binS natrD exprS -mulrA mulrDr mulrDr [_ * b]mulrC.
Qed.

(** A form is a list of terms (b, m, v): the sum of v b^k binom(k,m). *)
Variable d : nat.
Implicit Type l : seq (R * nat * 'cV[R]_d).

Definition form_at k l : 'cV[R]_d := \sum_(t <- l) (t.1.1 ^+ k * 'C(k, t.1.2)%:R) *: t.2.
Definition constant_term l : 'cV[R]_d := \sum_(t <- l | t.1.1 == 1) t.2.

Lemma form_tends l : (forall t, t \in l -> 0 < t.1.1 <= 1 /\ (t.1.1 = 1 -> t.1.2 = 0%N)) ->
  tends (fun k => form_at k l) (constant_term l).
Proof.
move=> ok c; rewrite /constant_term /form_at.
suff : tends_to (fun k => \sum_(t <- l) (t.1.1 ^+ k * 'C(k, t.1.2)%:R) * t.2 c 0) (\sum_(t <- l | t.1.1 == 1) t.2 c 0).
  move=> H eps /H; apply: eventually_mono => k; rewrite !summxE; congr (`| _ - _ | < _).
  by apply: eq_bigr => t _; rewrite mxE.
elim: l ok => [|[[b m] v] l IH] ok.
  by move=> eps e0; apply: eventually_true => k; rewrite !big_nil subrr normr0.
have {}IH := IH (fun t tl => ok t (mem_behead (s := _ :: _) tl)).
have [/andP[/= b0 b1] /= m0] := ok _ (mem_head _ _).
have term : tends_to (fun k => b ^+ k * 'C(k, m)%:R * v c 0) (if b == 1 then v c 0 else 0).
  case: eqP => [E | /eqP ne].
    by move=> eps e0; apply: eventually_true => k; rewrite (m0 E) E expr1n bin0 !mul1r subrr normr0.
  have b1' : b < 1 by rewrite lt_neqAle ne.
  by have := tends_toZ (v c 0) (binomial_vanishes m b0 b1'); rewrite mul0r.
move=> eps e0; apply: eventually_mono (tends_toD term IH e0) => k.
by rewrite !big_cons; case: (b == 1); rewrite ?add0r.
Qed.

End Tends.
