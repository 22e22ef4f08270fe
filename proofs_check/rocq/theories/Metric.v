(** The A-norm as a metric: null sequences, limits, and sequences that come close to a finite set. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From Exactformer Require Import Semantics Basics Dynamics Limits.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Metric.

Variables (R : realFieldType) (d : nat) (A : 'M[R]_d).
Hypothesis A_sym : A^T = A.
Hypothesis A_pos : forall x : 'cV[R]_d, x != 0 -> 0 < inner (A *m x) x.

Notation token := 'cV[R]_d.
Notation dotA := (dotA A).
Notation normA := (normA A).
Notation dotAC := (dotAC A_sym).
Notation normA_ge0 := (normA_ge0 A_pos).
Implicit Types (x y z : token) (u v : nat -> token).

(** ** The squared norm *)

Lemma dotA0r x : dotA x 0 = 0. Proof. exact: inner0r. Qed.
Lemma dotA0l x : dotA 0 x = 0. Proof. by rewrite dotAC dotA0r. Qed.
Lemma dotANr x y : dotA x (- y) = - dotA x y. Proof. exact: innerNr. Qed.
Lemma normA0 : normA 0 = 0. Proof. exact: dotA0r. Qed.

Lemma dotA_sumr (I : Type) (r : seq I) (P : pred I) x (F : I -> token) :
  dotA x (\sum_(i <- r | P i) F i) = \sum_(i <- r | P i) dotA x (F i).
Proof. by apply: (big_morph (dotA x)) => [y z|]; [exact: dotADr | exact: dotA0r]. Qed.

Lemma normAZ c x : normA (c *: x) = c ^+ 2 * normA x.
Proof. by rewrite /normA dotAZl // dotAZr; ring. Qed.

Lemma normAN x : normA (- x) = normA x.
Proof. by rewrite -scaleN1r normAZ; ring. Qed.

Lemma normAB x y : normA (x - y) = normA x - 2%:R * dotA x y + normA y.
Proof. by rewrite normAD // normAN dotANr; ring. Qed.

Lemma normABC x y : normA (x - y) = normA (y - x).
Proof. by rewrite -normAN opprB. Qed.

Lemma normA_eq0 x : normA x = 0 -> x = 0.
Proof.
move=> E; apply/eqP; case: (eqVneq x 0) => // /(normA_gt0 A_pos).
by rewrite E ltxx.
Qed.

Lemma normAD2 x y : normA (x + y) <= 2%:R * normA x + 2%:R * normA y.
Proof. by have := normA_ge0 (x - y); rewrite normAB normAD // => H; lin H. Qed.

Lemma cauchy_schwarz x y : dotA x y ^+ 2 <= normA x * normA y.
Proof.
case: (eqVneq y 0) => [-> | /(normA_gt0 A_pos) y0].
  by rewrite dotA0r normA0 mulr0 expr2 mulr0.
have := normA_ge0 (normA y *: x - dotA x y *: y).
rewrite normAB !normAZ dotAZl // dotAZr.
have -> : normA y ^+ 2 * normA x - 2%:R * (normA y * (dotA x y * dotA x y)) + dotA x y ^+ 2 * normA y =
  normA y * (normA x * normA y - dotA x y ^+ 2) by ring.
by rewrite pmulr_rge0 // subr_ge0.
Qed.

Lemma dotA_small x y b e : 0 < b -> 0 < e -> normA x <= b -> normA y < e ^+ 2 / b -> `|dotA x y| < e.
Proof.
move=> b0 e0 xb; rewrite ltr_pdivl_mulr // mulrC => ye.
rewrite -(@ltr_pexpn2r _ 2) ?nnegrE ?normr_ge0 ?(ltW e0) // -normrX ger0_norm ?sqr_ge0 //.
apply: le_lt_trans (cauchy_schwarz x y) _; apply: le_lt_trans ye.
by rewrite ler_wpmul2r // normA_ge0.
Qed.

(** ** Null sequences *)

Definition null u : Prop := forall eps, 0 < eps -> eventually (fun k => normA (u k) < eps).

Lemma null_le (u v : nat -> token) b : 0 < b -> (forall k, normA (u k) <= b * normA (v k)) -> null v -> null u.
Proof.
move=> b0 uv nv eps e0; have e1 : 0 < eps / b by rewrite divr_gt0.
by apply: eventually_mono (nv _ e1) => k; rewrite ltr_pdivl_mulr // mulrC; exact: le_lt_trans.
Qed.

Lemma nullD u v : null u -> null v -> null (fun k => u k + v k).
Proof.
move=> nu nv eps e0; pose h := eps / 4%:R; have h0 : 0 < h by rewrite divr_gt0 ?ltr0n.
apply: eventually_mono (eventually_and (nu _ h0) (nv _ h0)) => k [U V]; apply: le_lt_trans (normAD2 _ _) _.
have -> : eps = 2%:R * h + 2%:R * h by rewrite /h; field.
by rewrite ltr_add // ltr_pmul2l ?ltr0n.
Qed.

Lemma null0 : null (fun=> 0).
Proof. by move=> eps e0; apply: eventually_true => k; rewrite normA0. Qed.

Lemma nullZ (c : nat -> R) b u : (forall k, `|c k| <= b) -> null u -> null (fun k => c k *: u k).
Proof.
move=> cb; have b0 : 0 <= b by apply: le_trans (cb 0%N).
apply: (@null_le _ _ ((b + 1) ^+ 2)) => [|k]; first by rewrite exprn_gt0 // ltr_spaddr.
rewrite normAZ ler_wpmul2r ?normA_ge0 // -[c k ^+ 2]ger0_norm ?sqr_ge0 // normrX.
by rewrite ler_expn2r ?nnegrE ?normr_ge0 ?addr_ge0 // (le_trans (cb k)) // ler_addl.
Qed.

Lemma nullN u : null u -> null (fun k => - u k).
Proof. by apply: (@null_le _ _ 1) => // k; rewrite normAN mul1r. Qed.

Lemma null_sum (I : Type) (r : seq I) (P : pred I) (F : I -> nat -> token) :
  (forall i, P i -> null (F i)) -> null (fun k => \sum_(i <- r | P i) F i k).
Proof.
move=> H; elim: r => [|i r IH] eps e0.
  by apply: eventually_mono (null0 e0) => k; rewrite big_nil.
case: (boolP (P i)) => Pi.
  by apply: eventually_mono (nullD (H i Pi) IH e0) => k; rewrite big_cons Pi.
by apply: eventually_mono (IH eps e0) => k; rewrite big_cons (negbTE Pi).
Qed.

(** ** Limits in the norm *)

Definition near u l : Prop := null (fun k => u k - l).

Lemma near_const l : near (fun=> l) l.
Proof. by move=> eps e0; apply: eventually_true => k; rewrite subrr normA0. Qed.

Lemma near_eventually u l : eventually (fun k => u k = l) -> near u l.
Proof. by move=> H eps e0; apply: eventually_mono H => k ->; rewrite subrr normA0. Qed.

Lemma near_add u v l : near u l -> null v -> near (fun k => u k + v k) l.
Proof.
move=> ul nv eps e0; apply: eventually_mono (nullD ul nv e0) => k.
by rewrite addrAC.
Qed.

Lemma near_dot u v l m : near u l -> near v m -> tends_to (fun k => dotA (u k) (v k)) (dotA l m).
Proof.
move=> ul vm eps e0; pose e := eps / 3%:R; have e1 : 0 < e by exact: third.
have Ee : eps = e + e + e by rewrite /e; field.
pose b := normA l + normA m + 1.
have [nl nm] : 0 <= normA l /\ 0 <= normA m by split; exact: normA_ge0.
have b0 : 0 < b by rewrite /b; lin nl nm (@ltr01 R).
have lb : normA l <= b by rewrite /b; lin nm (@ler01 R).
have mb : normA m <= b by rewrite /b; lin nl (@ler01 R).
have h0 : 0 < e ^+ 2 / b by rewrite divr_gt0 ?exprn_gt0.
have H := eventually_and (eventually_and (ul _ h0) (vm _ h0)) (ul _ b0).
apply: eventually_mono H => k [[U V] U'].
have -> : dotA (u k) (v k) - dotA l m = dotA (u k - l) (v k - m) + dotA l (v k - m) + dotA m (u k - l).
  by rewrite !dotABr dotABl // dotABl // !(dotAC m); ring.
rewrite Ee (le_lt_trans (ler_norm_add _ _)) // ltr_add ?(@dotA_small m _ b) //.
rewrite (le_lt_trans (ler_norm_add _ _)) // ltr_add ?(@dotA_small _ _ b) //.
exact: ltW.
Qed.

Lemma near_unique u l m : near u l -> near u m -> l = m.
Proof.
move=> ul um; apply/eqP; rewrite -subr_eq0; apply/eqP/normA_eq0.
apply: (@tends_to_unique _ (fun=> normA (l - m)) _ _ (tends_to_const _)) => eps e0.
have nl : null (fun k => - (u k - l)) by exact: nullN.
have := nullD nl um e0.
apply: eventually_mono => k.
by rewrite opprB addrA subrK subr0 ger0_norm ?normA_ge0.
Qed.

(** ** Coordinates *)

Lemma A_unit : A \in unitmx.
Proof.
rewrite -row_free_unit -kermx_eq0; apply/eqP/row_matrixP => i; rewrite row0.
set r := row i (kermx A).
have rA : r *m A = 0 by rewrite /r -row_mul mulmx_ker row0.
have : r^T = 0; last by move/(congr1 trmx); rewrite trmxK trmx0.
apply/eqP; case: (eqVneq r^T 0) => // /A_pos.
have -> : A *m r^T = 0 by rewrite -[A in A *m _]A_sym -trmx_mul rA trmx0.
by rewrite inner0l ltxx.
Qed.

(** A coordinate is a scalar product. *)
Lemma coordinate (c : 'I_d) : exists e : token, forall x, x c 0 = dotA e x.
Proof.
exists (invmx A *m delta_mx c 0) => x; rewrite /Dynamics.dotA mulmxA mulmxV ?A_unit // mul1mx.
rewrite /inner (bigD1 c) //= mxE !eqxx mul1r big1 ?addr0 // => i ic.
by rewrite mxE (negbTE ic) mul0r.
Qed.

Lemma near_tends u l : near u l -> tends u l.
Proof.
move=> ul c eps e0; have [e E] := coordinate c.
by apply: eventually_mono (near_dot (near_const e) ul e0) => k; rewrite !E.
Qed.

Lemma normA_bound : exists2 b, 0 < b & forall x e, (forall c, `|x c 0| <= e) -> normA x <= b * e ^+ 2.
Proof.
pose b := \sum_(i < d) \sum_(j < d) `|A i j|; exists (b + 1) => [|x e H].
  by rewrite ltr_spaddr // sumr_ge0 // => i _; rewrite sumr_ge0.
have bn : 0 <= e ^+ 2 by exact: sqr_ge0.
apply: (@le_trans _ _ (b * e ^+ 2)); last by rewrite ler_wpmul2r // ler_addl.
rewrite /Dynamics.normA /Dynamics.dotA /inner mulr_suml; apply: ler_sum => i _.
rewrite mxE !mulr_suml; apply: ler_sum => j _; apply: le_trans (ler_norm _) _.
rewrite -mulrA normrM ler_wpmul2l // normrM expr2.
by rewrite ler_pmul.
Qed.

Lemma tends_near u l : tends u l -> near u l.
Proof.
move=> H eps e0; have [b b0 B] := normA_bound.
pose e := Num.min 1 (eps / (b + b)).
have e1 : 0 < e by rewrite lt_minr ltr01 divr_gt0 ?addr_gt0.
apply: eventually_mono (eventually_all (fun c => H c e e1)) => k G.
have := B (u k - l) e (fun c => _); move=> /(_ _)/le_lt_trans -> //.
  by move=> c; rewrite !mxE ltW.
have ee : e ^+ 2 <= eps / (b + b).
  rewrite expr2 (@le_trans _ _ (e * 1)) ?ler_wpmul2l ?(ltW e1) //; first by rewrite le_minl lexx.
  by rewrite mulr1 le_minl lexx orbT.
apply: (@le_lt_trans _ _ (b * (eps / (b + b)))); first by rewrite ler_wpmul2l // ltW.
rewrite mulrA ltr_pdivr_mulr ?addr_gt0 // mulrC ltr_pmul2l //.
by rewrite ltr_addl.
Qed.

(** ** A sequence whose steps vanish and which comes close to a finite set tends to one point of it *)

Lemma finite_limits (T : finType) (pt : T -> token) (ok : T -> Prop) u :
  null (fun k => u k.+1 - u k) ->
  (forall eps, 0 < eps -> eventually (fun k => exists2 t, ok t & normA (u k - pt t) < eps)) ->
  exists2 t, ok t & near u (pt t).
Proof.
move=> steps close.
have [r r0 far] := positive_min [seq normA (pt p.1 - pt p.2) | p <- enum [finType of T * T]].
have same t t' : normA (pt t - pt t') < r -> pt t = pt t'.
  move=> H; apply/eqP; rewrite -subr_eq0; apply/eqP/normA_eq0/eqP; apply: contraTT H => ne.
  rewrite -leNgt; apply: far; last by rewrite lt_def ne normA_ge0.
  by apply/mapP; exists (t, t'); rewrite // mem_enum.
pose h := r / 16%:R; have h0 : 0 < h by rewrite divr_gt0 ?ltr0n.
have Er : r = 16%:R * h by rewrite /h; field.
have [K H] := eventually_and (close h h0) (steps h h0).
have [[t okt close_t] _] := H K (leqnn K); exists t => //.
have join x y t' : normA (x - pt t) < h -> normA (y - x) < h -> normA (y - pt t') < h -> pt t' = pt t.
  move=> a b c; apply: same.
  have -> : pt t' - pt t = (pt t' - y) + ((y - x) + (x - pt t)) by rewrite !subrKA.
  have A1 := normAD2 (pt t' - y) ((y - x) + (x - pt t)).
  have A2 := normAD2 (y - x) (x - pt t).
  move: A1 A2; rewrite (normABC (pt t')) Er => A1 A2.
  have A3 := ler_wpmul2l (ler0n R 2) A2.
  have a' : 4%:R * normA (x - pt t) < 4%:R * h by rewrite ltr_pmul2l ?ltr0n.
  have b' : 4%:R * normA (y - x) < 4%:R * h by rewrite ltr_pmul2l ?ltr0n.
  have c' : 2%:R * normA (y - pt t') < 2%:R * h by rewrite ltr_pmul2l ?ltr0n.
  have h6 : 0 < 6%:R * h by rewrite mulr_gt0 ?ltr0n.
  have ab := ltr_add a' b'.
  lin A1 A3 ab c' h6.
have stay k : (K <= k)%N -> normA (u k - pt t) < h.
  elim: k => [|k IH]; first by rewrite leqn0 => /eqP E; move: close_t; rewrite E.
  rewrite leq_eqVlt => /orP[/eqP <- // | Kk].
  have [[t' _ c'] _] := H k.+1 (leqW Kk); have [_ st] := H k Kk.
  by rewrite -(join (u k) (u k.+1) t') // IH.
move=> eps e0; have m0 : 0 < Num.min eps h by rewrite lt_minr e0 h0.
apply: eventually_mono (eventually_and (close _ m0) (eventually_le K)) => k [[t' _]].
rewrite lt_minr => /andP[ce ch] /stay c.
by rewrite -(join (u k) (u k) t') // subrr normA0.
Qed.

End Metric.
