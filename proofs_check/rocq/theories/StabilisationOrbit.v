(** The tokens that tend to one limit where no leader stands are a [cluster]. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From Exactformer Require Import Semantics Basics Dynamics Limits Metric Orbit Convergence Clustering Lock Forever.
From Exactformer Require Import StabilisationGrowth StabilisationCluster.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section OneLimit.

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
Implicit Types (i j : I) (k m : nat).

(** (z_i - l_i) / r^k *)
Definition scaled i k : 'cV[R]_d := r ^- k *: (z k i - l i).
Notation u := scaled.

Definition settled i : Prop := (exists n, poly n (u i)) /\ exists S, eventually (fun k => C k i = S).

Lemma r_gt0 : 0 < r. Proof. by rewrite subr_gt0. Qed.
Lemma r_lt1 : r < 1. Proof. by rewrite ltr_subl_addr ltr_addl. Qed.
Lemma rk0 k : 0 < r ^+ k. Proof. by rewrite exprn_gt0 ?r_gt0. Qed.
Lemma rk_neq0 k : r ^+ k != 0. Proof. by rewrite gt_eqF ?rk0. Qed.

Lemma zE i k : z k i = l i + r ^+ k *: u i k.
Proof. by rewrite scalerA mulfV ?rk_neq0 // scale1r addrC subrK. Qed.

(** ** Norms reach their limits only at rest *)

Lemma norm_le i k : q (z k i) <= q (l i).
Proof.
apply: tends_to_le (tends_to_const _) (near_dot A_sym A_pos (l_near i) (l_near i)) _.
by exists k => m km; apply: (monotone_le (f := fun k => q (z k i))) km => n; exact: norm_nondecreasing.
Qed.

Lemma at_rest i k : q (z k i) = q (l i) -> forall m, (k <= m)%N -> z m i = l i /\ w m i = l i.
Proof.
move=> E; have rest m : q (z m i) = q (l i) -> w m i = z m i /\ z m.+1 i = z m i.
  move=> Em; have U := norm_up A_sym a_gt0 m i; have V := norm_le i m.+1; rewrite Em in U.
  have a2 : 0 < a ^+ 2 by rewrite exprn_gt0.
  have W : w m i - z m i = 0.
    apply: (normA_eq0 A_pos); apply/eqP; rewrite eq_le (normA_ge0 A_pos) andbT -(pmulr_rle0 _ a2).
    by lin U V.
  by split; [apply/eqP; rewrite -subr_eq0 W | rewrite z_nextE W scaler0 addr0].
have stay m : (k <= m)%N -> z m i = z k i.
  move=> /subnKC <-; elim: (m - k)%N => [|n IH]; first by rewrite addn0.
  by have [_ E1] := rest (k + n)%N (etrans (congr1 q IH) E); rewrite addnS E1.
have lE : l i = z k i.
  by apply: (near_unique A_sym A_pos (l_near i)); apply: near_eventually; exists k.
by move=> m km; have zm := stay m km; have [wm _] := rest m (etrans (congr1 q zm) E); rewrite wm zm lE.
Qed.

(** ** Who is followed *)

Lemma C_iff k i j : (j \in C k i) = (dot (z k i) (z k j) == dot (z k i) (w k i)).
Proof.
apply/idP/eqP => [jC | E]; last first.
  by rewrite inE; apply/argmaxP; split; [exact: z_mem | move=> y /stateP[j' ->]; rewrite E w_max].
apply/eqP; rewrite eq_le w_max /=; move: jC; rewrite inE => jF.
by apply: mean_le => [|y yF]; [apply: follows_neq0; exact: z_mem | apply: follows_max jF (follows_sub yF)].
Qed.

Lemma limit_score k i j : dot (z k i) (l j) <= dot (z k i) (w k i).
Proof.
apply: tends_to_le (near_dot A_sym A_pos (near_const A (z k i)) (l_near j)) (tends_to_const _) _.
by exists k => m km; apply: (halfspace a_gt0 a_lt1 _ km) => j'; exact: w_max.
Qed.

Lemma face i j : dot (l i) (l j) <= q (l i).
Proof. by apply: (limit_max A_sym A_pos l_near) => g; exact: (pull_vanishes EM arch A_sym A_pos a_gt0 a_lt1). Qed.

Lemma late_face i : eventually (fun k => forall j, j \in C k i -> dot (l i) (l j) = q (l i)).
Proof.
apply: eventually_all => j; case: (eqVneq (dot (l i) (l j)) (q (l i))) => [E | ne]; first exact: eventually_true.
have lt : dot (l i) (l j) < q (l i) by rewrite lt_neqAle ne face.
pose h := (q (l i) - dot (l i) (l j)) / 2%:R; have h0 : 0 < h by rewrite divr_gt0 ?ltr0n // subr_gt0.
have T1 := near_dot A_sym A_pos (l_near i) (l_near j) h0; have T2 := near_dot A_sym A_pos (l_near i) (l_near i) h0.
apply: eventually_mono (eventually_and T1 T2) => k [/ltr_normlP[_ t1] /ltr_normlP[t2 _]]; rewrite C_iff => /eqP jC.
have M := w_max A a k i i; rewrite -jC in M; have hE : q (l i) = dot (l i) (l j) + h + h by rewrite /h; field.
by exfalso; rewrite -/(q (l i)) hE in t2; lin t1 t2 M.
Qed.

Lemma late_balance i : eventually (fun k => \sum_(j in C k i) (l j - l i) = 0).
Proof.
have H (S : {set I}) : often (fun k => C k i = S) -> \sum_(j in S) (l j - l i) = 0.
  move=> O; pose f k := \sum_(j in S) (- (z k j - l j)) + #|S|%:R *: ((z k i - l i) + (w k i - z k i)).
  have N : null A f.
    apply: nullD => //; first by apply: null_sum => // j _; apply: nullN => //; exact: l_near.
    apply: (@nullZ _ _ _ A_sym A_pos (fun=> #|S|%:R) `|#|S|%:R|) => //.
    by apply: nullD => //; [exact: l_near | exact: (pull_vanishes EM arch A_sym A_pos a_gt0 a_lt1)].
  apply: (normA_eq0 A_pos); apply/eqP; rewrite eq_le (normA_ge0 A_pos) andbT leNgt; apply/negP => pos.
  have [k _ [kS lt]] := often_and O (N _ pos) 0%N; move: lt; rewrite /f.
  have -> : \sum_(j in S) (- (z k j - l j)) + #|S|%:R *: ((z k i - l i) + (w k i - z k i)) = \sum_(j in S) (l j - l i).
    have W := wE A a k i; rewrite kS in W.
    rewrite [X in _ *: X]addrC subrKA scalerBr W scaler_nat -sumr_const -sumrB -big_split /=.
    by apply: eq_bigr => j _; rewrite opprB addrA subrK.
  by rewrite ltxx.
apply: eventually_mono (late_recurrent (C ^~ i) EM) => k; exact: H.
Qed.

(** ** The cluster of one limit *)

Variable ell : 'cV[R]_d.
Hypothesis no_leader : forall i k, l i = ell -> C k i != [set i].
Hypothesis above : forall j, q ell < q (l j) -> exists n, poly n (u j).
Variable moves : pred I.
Hypothesis movesP : forall i, moves i <-> forall k, z k i <> l i.

Definition members : {set I} := [set i | (l i == ell) && moves i].
Definition targets : {set I} := [set j | (dot ell (l j) == q ell) && (j \notin members)].
Definition top_excess k i : R := r ^- k * dot (z k i) (w k i - ell).

Lemma resting i : ~~ moves i -> eventually (fun k => z k i = l i /\ w k i = l i).
Proof.
move=> nm; have [[k zk] | no] := EM (exists k, z k i = l i); last first.
  by case/negP: nm; apply/movesP => k zk; apply: no; exists k.
by exists k; apply: at_rest; rewrite zk.
Qed.

Lemma missing_norm i k : l i = ell -> missing A r ell u i k = r ^- k * (q ell - q (z k i)).
Proof.
move=> li; rewrite /missing /height zE li normAD // dotAZr normAZ // expr2; move: (dot _ _) (q (u i k)) (rk_neq0 k) => x y.
by move: (r ^+ k) => rk n0; field.
Qed.

Lemma excess_score i j k : l i = ell -> dot ell (l j) = q ell ->
  excess A r ell (fun j => l j - ell) u k i j = r ^- k * dot (z k i) (z k j - ell).
Proof.
move=> li fj; rewrite /excess [in RHS]zE li [z k j]zE.
rewrite dotADl // dotAZl // !dotABr !dotADr !dotAZr dotABr fj -/(q ell).
move: (dot _ _) (dot _ _) (dot _ _) (dot _ _) (rk_neq0 k) => x1 x2 x3 x4; move: (r ^+ k) (q ell) => rk y n0; by field.
Qed.

Lemma w_centre i k : l i = ell -> \sum_(j in C k i) (l j - l i) = 0 -> w k i = ell + r ^+ k *: centre u (C k i) k.
Proof.
move=> li bal; have n0 : #|C k i|%:R != 0 :> R by rewrite pnatr_eq0 cards_eq0 C_neq0.
have cE : #|C k i|%:R *: (r ^+ k *: centre u (C k i) k) = r ^+ k *: \sum_(j in C k i) u j k.
  by rewrite /centre !scalerA mulrAC mulfV // mul1r.
apply: (scalerI n0); rewrite wE scalerDr cE.
have S : \sum_(j in C k i) l j = #|C k i|%:R *: ell.
  by apply/eqP; rewrite -subr_eq0 scaler_nat -sumr_const -sumrB; apply/eqP; rewrite -[RHS]bal; apply: eq_bigr => j _; rewrite li.
by rewrite -S scaler_sumr -big_split; apply: eq_bigr => j _; rewrite /= -zE.
Qed.

Lemma member i : i \in members -> l i = ell /\ moves i.
Proof. by rewrite inE => /andP[/eqP]. Qed.

Lemma is_cluster : exists K, cluster A r ell (fun j => l j - ell) u members targets C top_excess K.
Proof.
have still i : eventually (fun k => ~~ moves i -> z k i = l i).
  case: (boolP (moves i)) => m; first exact: eventually_true.
  by apply: eventually_mono (resting m) => k [].
have [K late] := eventually_and (eventually_and (eventually_all late_face) (eventually_all late_balance)) (eventually_all still).
have facej i j k : (K <= k)%N -> i \in members -> j \in C k i -> dot ell (l j) = q ell.
  by move=> Kk /member[li _] jC; have [[F _] _] := late k Kk; rewrite -li; exact: F jC.
have onface j : j \in members :|: targets -> dot ell (l j) = q ell.
  by rewrite inE => /orP[/member[-> _] // | ]; rewrite inE => /andP[/eqP].
have inv k : 0 < r ^- k by rewrite invr_gt0 rk0.
exists K; split.
- by move=> k i; exact: C_neq0.
- move=> k i Kk iM; apply/subsetP => j jC; have fj := facej i j k Kk iM jC.
  by rewrite inE; case: (boolP (j \in members)) => //= nj; rewrite inE fj eqxx.
- by move=> j jM; rewrite [j \in targets]inE jM andbF.
- by move=> j /member[-> _]; rewrite subrr.
- move=> k i Kk /member[li _]; have [[_ B] _] := late k Kk.
  by rewrite -[RHS](B i); apply: eq_bigr => j _; rewrite li.
- move=> k i Kk /member[li _]; have [[_ B] _] := late k Kk; have W := w_centre li (B i).
  rewrite {1}/scaled z_nextE W li [z k i]zE li; move: (u i k) (centre _ _ _) => x c {W}.
  have L (e y v : R) : r ^- k.+1 * (e + r ^+ k * y + a * (e + r ^+ k * v - (e + r ^+ k * y)) - e) = y + (1 - r) / r * v.
    by rewrite exprS invfM; move: (r ^+ k) (rk_neq0 k) => rk n0; field; rewrite n0 gt_eqF ?r_gt0.
  by apply/colP => c'; have := L (ell c' 0) (x c' 0) (c c' 0); rewrite !mxE.
- move=> k i j Kk /member[li _] jMT; rewrite excess_score ?onface // ler_pmul2l // !dotABr ler_sub // w_max //.
- move=> k i j Kk /member[li _] jMT; rewrite excess_score ?onface // C_iff /top_excess.
  by rewrite (inj_eq (mulfI (lt0r_neq0 (inv k)))) !dotABr (inj_eq (addIr _)).
- by move=> k i Kk /member[li _]; rewrite /top_excess pmulr_rge0 // dotABr subr_ge0 -li limit_score.
- move=> k i Kk /member[li mi]; rewrite missing_norm // pmulr_rgt0 // subr_gt0 -li lt_neqAle norm_le andbT.
  apply/eqP => E; have [zk _] := at_rest E (leqnn k); exact: (proj1 (movesP i) mi k).
- move=> k i j Kk /member[li _] /member[lj _] jC ne; rewrite !missing_norm // ltr_pmul2l // ltr_add2l ltr_opp2.
  exact: (follow_longer A_sym A_pos a_gt0 a_lt1 distinct jC ne).
- by move=> k i Kk /member[li _]; exact: no_leader.
- move=> j; rewrite inE => /andP[/eqP fj nj]; case: (eqVneq (l j) ell) => [lj | ne].
    exists 0%N; have nm : ~~ moves j by move: nj; rewrite inE lj eqxx.
    by apply: eventually_mono (resting nm) => k [zk _]; rewrite /scaled zk subrr scaler0.
  apply: above; have : 0 < q (l j - ell) by rewrite normA_gt0 // subr_eq0.
  by rewrite normAB // (dotAC A_sym (l j)) fj => P; lin P.
- move=> k j Kk; rewrite inE => /andP[_ nj] /eqP; rewrite subr_eq0 => lj; have [_ S] := late k Kk.
  by rewrite /scaled S ?subrr ?scaler0 //; move: nj; rewrite inE lj.
Qed.

End OneLimit.
