(** Locked tokens: a token that follows leading positions only, all of them best for their own mean, follows them for
    ever, and its way is a geometric progression.  Neither positive definiteness nor distinct tokens are needed. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From Exactformer Require Import Semantics Basics Dynamics Limits Metric Orbit.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** A position that nobody at it leaves: among the tokens of s, only those at x maximise <A x, .>. *)
Definition leading (R : realFieldType) (d : nat) (A : 'M[R]_d) (s : seq 'cV[R]_d) (x : 'cV[R]_d) : bool :=
  (x \in s) && all (fun y => (y == x) || (dotA A x y < normA A x)) s.

Section Geometric.

Variable R : realFieldType.
Implicit Types r b eps : R.

Lemma bernoulli b k : 0 <= b -> 1 + k%:R * b <= (1 + b) ^+ k.
Proof.
move=> b0; elim: k => [|k IH]; first by rewrite mul0r addr0 expr0.
have b1 : 0 <= 1 + b by rewrite addr_ge0 ?ler01.
have kb : 0 <= k%:R * b * b by rewrite !mulr_ge0 ?ler0n.
have H := ler_wpmul2r b1 IH; rewrite exprSr; move: ((1 + b) ^+ k) H => e H.
rewrite -[k.+1]addn1 natrD; lin H kb.
Qed.

Lemma geometric r eps : archimedean R -> 0 < r -> r < 1 -> 0 < eps -> eventually (fun k => r ^+ k < eps).
Proof.
move=> arch r0 r1 e0; pose b := r^-1 - 1.
have b0 : 0 < b by rewrite subr_gt0 invf_gt1.
have [K HK] := arch (eps^-1 / b); exists K => k Kk.
rewrite -[eps]invrK -[r]invrK exprVn ltf_pinv ?posrE ?invr_gt0 ?exprn_gt0 ?invr_gt0 //.
have -> : r^-1 = 1 + b by rewrite /b; ring.
apply: lt_le_trans (bernoulli k (ltW b0)); move: HK; rewrite ltr_pdivr_mulr // => HK.
have kK : K%:R * b <= k%:R * b by rewrite ler_pmul2r // ler_nat.
by lin HK kK (@ltr01 R).
Qed.

Lemma geometric_tends (d : nat) r (c v : 'cV[R]_d) (u : nat -> 'cV[R]_d) K : archimedean R -> 0 < r -> r < 1 ->
  (forall k, u (K + k)%N = c + r ^+ k *: v) -> tends u c.
Proof.
move=> arch r0 r1 E j eps e0; have [b b0 B] := upper_bound [:: `|v j 0|].
have [L H] := geometric arch r0 r1 (divr_gt0 e0 b0); exists (K + L)%N => k Kk.
have KL : (K <= k)%N by exact: leq_trans (leq_addr _ _) Kk.
rewrite -(subnKC KL) E !mxE addrAC subrr add0r normrM.
have := H (k - K)%N; rewrite leq_subRL // => /(_ Kk).
rewrite ltr_pdivl_mulr // => lt; apply: le_lt_trans lt.
rewrite (ger0_norm (exprn_ge0 _ (ltW r0))) ler_wpmul2l ?exprn_ge0 ?(ltW r0) //.
by apply: B; rewrite inE.
Qed.

End Geometric.

Section Lock.

Variables (R : realFieldType) (d : nat) (A : 'M[R]_d) (a : R).
Hypothesis A_sym : A^T = A.
Hypothesis a_gt0 : 0 < a.
Hypothesis a_lt1 : a < 1.

Notation dotA := (dotA A).
Notation normA := (normA A).
Notation follows := (follows A).
Notation layer := (layer A a).
Notation step := (step A a).
Implicit Types (s : seq 'cV[R]_d) (x y : 'cV[R]_d).

Lemma mean_const s x : s != [::] -> (forall y, y \in s -> y = x) -> mean s = x.
Proof.
move=> s0 H; rewrite /mean big_seq (eq_bigr (fun=> x)) // -big_seq big_const_seq count_predT iter_addr_0.
by rewrite -scaler_nat scalerA mulVf ?scale1r // mean_neq0.
Qed.

Lemma leadingP s x : reflect (x \in s /\ forall y, y \in s -> y != x -> dotA x y < normA x) (leading A s x).
Proof.
apply: (iffP andP) => -[xs H]; split=> //.
  by move=> y ys yx; move/allP/(_ y ys): H; rewrite (negbTE yx).
by apply/allP => y ys; case: eqP => //= /eqP; exact: H.
Qed.

Lemma leading_rests s x : leading A s x -> step s x = x.
Proof.
move=> /leadingP[xs H]; rewrite /Dynamics.step (@mean_const _ x) ?subrr ?scaler0 ?addr0 //.
  exact: follows_neq0.
move=> y yf; apply/eqP; apply: contraT => yx.
by have := follows_max yf xs; rewrite leNgt (H y (follows_sub yf) yx).
Qed.

Lemma mean_bound s x v b : x \in s -> (forall y, y \in s -> dotA v y <= b) -> dotA v (mean (follows s x)) <= b.
Proof. by move=> xs H; apply: mean_le => [|y /follows_sub]; [exact: follows_neq0 | exact: H]. Qed.

(** A token strictly on one side of a supporting hyperplane stays so. *)
Lemma strict_step s x v b : x \in s -> (forall y, y \in s -> dotA v y <= b) -> dotA v x < b -> dotA v (step s x) < b.
Proof.
move=> xs H xb; have := mean_bound xs H; rewrite stepE; move: (mean _) => m mb.
have r0 : 0 < 1 - a by rewrite subr_gt0.
have H1 : (1 - a) * dotA v x < (1 - a) * b by rewrite ltr_pmul2l.
have H2 : a * dotA v m <= a * b by rewrite ler_pmul2l.
by rewrite dotADr !dotAZr; lin H1 H2.
Qed.

Lemma leading_max s x y : leading A s x -> y \in s -> dotA x y <= normA x.
Proof. by move=> /leadingP[xs H] ys; case: (eqVneq y x) => [-> // | /(H y ys)/ltW]. Qed.

Lemma leading_next s x : leading A s x -> leading A (layer s) x.
Proof.
move=> l; have /leadingP[xs H] := l; apply/leadingP; split.
  by apply/mapP; exists x => //; rewrite leading_rests.
move=> _ /mapP[y ys ->] ne; apply: strict_step => // [z|]; first exact: leading_max l.
by apply: H => //; apply: contra ne => /eqP ->; rewrite leading_rests.
Qed.

(** ** A locked token *)

Variables (s : seq 'cV[R]_d) (i : nat).
Hypothesis i_lt : (i < size s)%N.

Notation z := (token_at A a s).
Notation state := (state A a s).
Let x0 := nth 0 s i.
Let F := follows s x0.
Let c := mean F.

Hypothesis F_leading : forall y, y \in F -> leading A s y.
Hypothesis F_best : forall x y, y \in F -> x \in s -> dotA c x <= dotA c y.

Let mu := dotA x0 c.
Let nu := dotA c c.

Lemma x0_mem : x0 \in s. Proof. exact: mem_nth. Qed.
Lemma F_neq0 : F != [::]. Proof. exact: follows_neq0 x0_mem. Qed.

Lemma F_mu y : y \in F -> dotA x0 y = mu.
Proof.
move=> yF; apply/eqP; rewrite eq_le (mean_follows A x0_mem (follows_sub yF)) andTb.
by apply: mean_le F_neq0 _ => x /follows_sub; exact: follows_max yF.
Qed.

Lemma F_nu y : y \in F -> dotA c y = nu.
Proof.
move=> yF; apply/eqP; rewrite eq_le; apply/andP; split.
  by apply: mean_ge F_neq0 _ => x xF; exact: F_best (follows_sub yF).
by apply: mean_le F_neq0 _ => x /follows_sub; exact: F_best yF.
Qed.

Lemma start_mu y : y \in s -> dotA x0 y <= mu. Proof. exact: (mean_follows A x0_mem). Qed.
Lemma start_nu y : y \in s -> dotA c y <= nu.
Proof. by move=> ys; apply: mean_ge F_neq0 _ => x xF; exact: F_best xF ys. Qed.

Lemma state_mu k y : y \in state k -> dotA x0 y <= mu.
Proof. by elim: k y => [|k IH] y; [exact: start_mu | apply: halfspace_layer]. Qed.

Lemma state_nu k y : y \in state k -> dotA c y <= nu.
Proof. by elim: k y => [|k IH] y; [exact: start_nu | apply: halfspace_layer]. Qed.

Lemma state_leading k y : y \in F -> leading A (state k) y.
Proof. by move=> yF; elim: k => [|k IH] /=; [exact: F_leading | exact: leading_next]. Qed.

Lemma z_in k j : (j < size s)%N -> z k j \in state k.
Proof. by move=> js; rewrite mem_nth // size_state. Qed.

Lemma z_step k j : (j < size s)%N -> z k.+1 j = step (state k) (z k j).
Proof. by move=> js; rewrite /token_at (nth_map 0) // size_state. Qed.

(** Members of F rest; the others stay strictly below. *)
Lemma apart k j : (j < size s)%N -> if z 0 j \in F then z k j = z 0 j else dotA x0 (z k j) < mu.
Proof.
move=> js; elim: k => [|k IH].
  case: ifP => // /negbT nF; rewrite lt_neqAle start_mu ?mem_nth // andbT; apply: contra nF => /eqP E.
  by apply/argmaxP; split=> [|y ys]; rewrite ?mem_nth // E start_mu.
rewrite z_step //; case: ifP IH => [jF -> | _ IH]; first exact/leading_rests/state_leading.
by apply: strict_step => //; [exact: z_in | exact: state_mu].
Qed.

Lemma apartE k j : (j < size s)%N -> (z k j \in F) = (z 0 j \in F).
Proof.
move=> js; have := apart k js; case: ifP => [jF -> // | _ lt].
by apply/negbTE; apply: contraTN lt => /F_mu ->; rewrite ltxx.
Qed.

Lemma locked_follows k t : 0 < t -> t <= 1 -> z k i = c + t *: (x0 - c) -> follows (state k) (z k i) = F.
Proof.
move=> t0 t1 E; have u0 : 0 <= 1 - t by rewrite subr_ge0.
have score y : dotA (z k i) y = t * dotA x0 y + (1 - t) * dotA c y.
  by rewrite E (dotADl A_sym c) (dotAZl A_sym (x0 - c)) (dotABl A_sym x0); ring.
have best y : y \in F -> dotA (z k i) y = t * mu + (1 - t) * nu by move=> yF; rewrite score F_mu // F_nu.
have bound y : y \in state k -> dotA (z k i) y <= t * mu + (1 - t) * nu.
  by move=> ys; rewrite score; apply: ler_add; apply: ler_wpmul2l; rewrite ?(ltW t0) //; [exact: state_mu ys | exact: state_nu ys].
have listE u : u = [seq nth 0 u j | j <- iota 0 (size u)] by rewrite -/(mkseq _ _) mkseq_nth.
have [y0 y0F] : exists y, y \in F by case: F F_neq0 => // y u _; exists y; rewrite mem_head.
have y0s : y0 \in state k by case/leadingP: (state_leading k y0F).
have crit j : (j < size s)%N -> all (fun x => dotA (z k i) x <= dotA (z k i) (z k j)) (state k) = (z 0 j \in F).
  move=> js; have := apart k js; case: ifP => [jF Ez | _ lt].
    by apply/allP => x xs; rewrite Ez (best _ jF) bound.
  apply/negbTE/negP => /allP/(_ _ y0s); rewrite (best _ y0F) score leNgt => /negP; apply.
  by apply: ltr_le_add; [rewrite ltr_pmul2l | apply: ler_wpmul2l => //; exact: state_nu (z_in k js)].
transitivity [seq z k j | j <- iota 0 (size s) & z 0 j \in F].
  rewrite {1}/Dynamics.follows /argmax [X in filter _ X = _]listE size_state filter_map; congr map.
  by apply: eq_in_filter => j; rewrite mem_iota add0n /= => js; exact: crit.
transitivity [seq z 0 j | j <- iota 0 (size s) & z 0 j \in F].
  apply/eq_in_map => j; rewrite mem_filter mem_iota add0n /= => /andP[jF js].
  by have := apart k js; rewrite jF.
rewrite -(filter_map _ (mem F)) -/(mkseq _ _) mkseq_nth.
by apply: eq_in_filter => y ys; rewrite /= mem_filter ys andbT.
Qed.

Lemma locked k : z k i = c + (1 - a) ^+ k *: (x0 - c) /\ follows (state k) (z k i) = F.
Proof.
have r0 : 0 < 1 - a by rewrite subr_gt0.
have r1 : 1 - a <= 1 by rewrite ler_subl_addr ler_addl ltW.
have fol k' : z k' i = c + (1 - a) ^+ k' *: (x0 - c) -> follows (state k') (z k' i) = F.
  by apply: locked_follows; [exact: exprn_gt0 | apply: exprn_ile1; rewrite ?(ltW r0)].
elim: k => [|k [IHz IHf]].
  have E : z 0 i = c + (1 - a) ^+ 0 *: (x0 - c) by rewrite expr0 scale1r addrC subrK.
  by split; [exact: E | exact: fol].
have E : z k.+1 i = c + (1 - a) ^+ k.+1 *: (x0 - c).
  rewrite z_step // stepE IHf -/c IHz exprS -scalerA; move: (_ ^+ k *: _) => v.
  by rewrite scalerDr addrAC -scalerDl subrK scale1r.
by split; [exact: E | exact: fol].
Qed.

End Lock.
