(** Polynomial sequences, by their differences, and how fast they grow.

    [poly q f]: from some layer on, the q-th differences of f vanish; so f is a polynomial of degree less than q. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From Exactformer Require Import Semantics Basics Dynamics Limits Metric Lock Forever.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** ** Infinitely often *)

Definition often (P : nat -> Prop) : Prop := forall K, exists2 k, (K <= k)%N & P k.

Lemma often_and (P Q : nat -> Prop) : often P -> eventually Q -> often (fun k => P k /\ Q k).
Proof.
move=> O [K H] L; have [k] := O (maxn K L); rewrite geq_max => /andP[Kk Lk] Pk.
by exists k => //; split=> //; exact: H.
Qed.

Lemma often_mono (P Q : nat -> Prop) : (forall k, P k -> Q k) -> often P -> often Q.
Proof. by move=> PQ O K; have [k Kk /PQ] := O K; exists k. Qed.

Lemma often_False (P : nat -> Prop) : often P -> eventually (fun k => ~ P k) -> False.
Proof. by move=> O E; have [k _ []] := often_and O E 0%N. Qed.

Lemma often_or_never (P : nat -> Prop) : excluded_middle -> often P \/ eventually (fun k => ~ P k).
Proof.
move=> EM; have [[K H] | N] := EM (exists K, forall k, (K <= k)%N -> ~ P k); first by right; exists K.
left => K; have [// | M] := EM (exists2 k, (K <= k)%N & P k).
by case: N; exists K => k Kk Pk; apply: M; exists k.
Qed.

(** Of the values of a sequence in a finite type only those that it takes infinitely often are taken late. *)
Lemma late_recurrent (T : finType) (D : nat -> T) : excluded_middle ->
  eventually (fun k => often (fun m => D m = D k)).
Proof.
move=> EM; have H t : eventually (fun k => D k = t -> often (fun m => D m = t)).
  by have [O | N] := often_or_never (fun m => D m = t) EM; [exact: eventually_true | apply: eventually_mono N].
by apply: eventually_mono (eventually_all H) => k G; exact: G.
Qed.

(** ** Polynomial sequences *)

Section Differences.

Variable V : zmodType.
Implicit Types f g : nat -> V.

Definition diff f k : V := f k.+1 - f k.

Fixpoint poly q f : Prop := if q is q'.+1 then poly q' (diff f) else eventually (fun k => f k = 0).

Lemma poly_ext q f g : eventually (fun k => f k = g k) -> poly q f -> poly q g.
Proof.
elim: q f g => [|q IH] f g E /=; first by move=> F; apply: eventually_mono (eventually_and E F) => k [<-].
apply: IH; apply: eventually_mono (eventually_and E (eventually_next E)) => k [e e'].
by rewrite /diff e e'.
Qed.

Lemma poly_eq q f g : (forall k, f k = g k) -> poly q f -> poly q g.
Proof. by move=> E; apply: poly_ext; apply: eventually_true. Qed.

Lemma poly_zero q : poly q (fun=> 0).
Proof. by elim: q => [|q IH] /=; [exact: eventually_true | apply: poly_eq IH => k; rewrite /diff subrr]. Qed.

Lemma polyS q f : poly q f -> poly q.+1 f.
Proof.
elim: q f => [|q IH] f; last exact: IH.
by move=> F; apply: eventually_mono (eventually_and F (eventually_next F)) => k [e e']; rewrite /diff e e' subrr.
Qed.

Lemma poly_le p q f : (p <= q)%N -> poly p f -> poly q f.
Proof. by move=> /subnK <-; elim: (q - p)%N => // n IH /IH /polyS. Qed.

Lemma polyD q f g : poly q f -> poly q g -> poly q (fun k => f k + g k).
Proof.
elim: q f g => [|q IH] f g F G /=.
  by apply: eventually_mono (eventually_and F G) => k [-> ->]; rewrite addr0.
by apply: poly_eq (IH _ _ F G) => k; rewrite /diff opprD addrACA.
Qed.

Lemma poly_next q f : poly q f -> poly q (fun k => f k.+1).
Proof. by elim: q f => [|q IH] f; [exact: eventually_next | exact: IH]. Qed.

Lemma poly_const q (v : V) : poly q.+1 (fun=> v).
Proof. by apply: poly_eq (poly_zero q) => k; rewrite /diff subrr. Qed.

End Differences.

Lemma poly_map (V W : zmodType) (h : V -> W) q f :
  (forall x y, h (x - y) = h x - h y) -> poly q f -> poly q (fun k => h (f k)).
Proof.
move=> hB; have h0 : h 0 = 0 by rewrite -(subrr 0) hB subrr.
elim: q f => [|q IH] f F /=; first by apply: eventually_mono F => k ->.
by apply: poly_eq (IH _ F) => k; rewrite /diff hB.
Qed.

Lemma polyN (V : zmodType) q (f : nat -> V) : poly q f -> poly q (fun k => - f k).
Proof. by apply: poly_map => x y; rewrite opprB opprK addrC. Qed.

Lemma polyB (V : zmodType) q (f g : nat -> V) : poly q f -> poly q g -> poly q (fun k => f k - g k).
Proof. by move=> F /polyN; exact: polyD. Qed.

Lemma polyZ (R : ringType) (V : lmodType R) q (c : R) (f : nat -> V) : poly q f -> poly q (fun k => c *: f k).
Proof. by apply: poly_map => x y; rewrite scalerBr. Qed.

Lemma poly_sum (V : zmodType) (I : finType) (P : pred I) q (f : I -> nat -> V) :
  (forall i, P i -> poly q (f i)) -> poly q (fun k => \sum_(i | P i) f i k).
Proof.
move=> H; suff G (r : seq I) : poly q (fun k => \sum_(i <- r | P i) f i k) by exact: G.
elim: r => [|i r IH]; first by apply: poly_eq (poly_zero V q) => k; rewrite big_nil.
case: (boolP (P i)) => Pi; last by apply: poly_eq IH => k; rewrite big_cons (negbTE Pi).
by apply: poly_eq (polyD (H i Pi) IH) => k; rewrite big_cons Pi.
Qed.

(** Products. *)
Lemma poly_mul (V W U : zmodType) (B : V -> W -> U) p q f g :
  (forall y x x', B (x - x') y = B x y - B x' y) -> (forall x y y', B x (y - y') = B x y - B x y') ->
  poly p f -> poly q g -> poly (p + q) (fun k => B (f k) (g k)).
Proof.
move=> Bl Br; have B0l y : B 0 y = 0 by rewrite -(subrr 0) Bl subrr.
have B0r x : B x 0 = 0 by rewrite -(subrr 0) Br subrr.
move E: (p + q)%N => n; elim: n p q f g E => [|n IH] [|p] [|q] f g //= E F G.
- by apply: eventually_mono F => k ->; rewrite B0l.
- by apply: poly_ext (poly_zero U n); apply: eventually_mono (eventually_and F (eventually_next F)) => k [e e'];
    rewrite /diff e e' !B0l subrr.
- by apply: poly_ext (poly_zero U n); apply: eventually_mono (eventually_and G (eventually_next G)) => k [e e'];
    rewrite /diff e e' !B0r subrr.
case: E => E; have H1 := IH p q.+1 (diff f) (fun k => g k.+1) E F (poly_next G).
have H2 := IH p.+1 q f (diff g) _ F G; rewrite addSnnS in H2.
apply: poly_eq (polyD H1 (H2 E)) => k; rewrite /diff Bl Br.
by rewrite addrA subrK.
Qed.

(** ** Sums of polynomial sequences *)

Lemma poly_antidiff (V : zmodType) q (f : nat -> V) (x : nat -> V) :
  eventually (fun k => x k.+1 = x k + f k) -> poly q f -> poly q.+1 x.
Proof. by move=> E; apply: poly_ext; apply: eventually_mono E => k; rewrite /diff => ->; rewrite addrC addKr. Qed.

(** ** Signs *)

Section Signs.

Variable R : realFieldType.
Hypothesis arch : archimedean R.
Implicit Types f g : nat -> R.

Lemma grows f e b : 0 < e -> eventually (fun k => f k + e <= f k.+1) -> eventually (fun k => b <= f k).
Proof.
move=> e0 [K H]; have [n] := arch ((b - f K) / e); rewrite ltr_pdivr_mulr // => B.
have G m : f K + m%:R * e <= f (K + m)%N.
  elim: m => [|m IH]; first by rewrite mul0r addr0 addn0.
  by have S := H (K + m)%N (leq_addr _ _); rewrite addnS -[m.+1]addn1 natrD; lin IH S.
exists (K + n)%N => k Kn; have Kk : (K <= k)%N by exact: leq_trans (leq_addr _ _) Kn.
have {}G := G (k - K)%N; rewrite subnKC // in G.
have kn : n%:R * e <= (k - K)%:R * e by rewrite ler_pmul2r // ler_nat leq_subRL.
by lin B G kn.
Qed.

Definition positive_late f : Prop := exists2 e, 0 < e & eventually (fun k => e <= f k).

Lemma poly_sign q f : poly q f ->
  [\/ eventually (fun k => f k = 0), positive_late f | positive_late (fun k => - f k)].
Proof.
elim: q f => [|q IH] f; first by move=> H; constructor 1.
move=> /IH[[K H] | [e e0 H] | [e e0 H]].
- have C k : (K <= k)%N -> f k = f K.
    by move=> /subnK <-; rewrite addnC; elim: (k - K)%N => [|m IHm]; rewrite ?addn0 // addnS -{}IHm;
      apply/eqP; rewrite -subr_eq0 -/(diff f _) H ?leq_addr.
  case: (ltgtP (f K) 0) => [n | p | z].
  + by constructor 3; exists (- f K); rewrite ?oppr_gt0 //; exists K => k /C ->.
  + by constructor 2; exists (f K) => //; exists K => k /C ->.
  + by constructor 1; exists K => k /C ->.
- constructor 2; exists 1; rewrite ?ltr01 //; apply: (grows _ e0).
  by apply: eventually_mono H => k; rewrite /diff => H; lin H.
- constructor 3; exists 1; rewrite ?ltr01 //; apply: (grows (f := fun k => - f k) _ e0).
  by apply: eventually_mono H => k; rewrite /diff => H; lin H.
Qed.

(** A polynomial sequence that is bounded below late does not decrease. *)
Lemma poly_nondecreasing q f : poly q f -> (exists b, eventually (fun k => b <= f k)) ->
  eventually (fun k => f k <= f k.+1).
Proof.
case: q => [|q]; first by move=> F _; apply: eventually_mono (eventually_and F (eventually_next F)) => k [-> ->].
move=> /= /poly_sign[H _ | [e e0 H] _ | [e e0 H] [b B]].
- by apply: eventually_mono H => k /eqP; rewrite subr_eq0 => /eqP ->.
- by apply: eventually_mono H => k H; have := le_trans (ltW e0) H; rewrite subr_ge0.
have G : eventually (fun k => 1 - b <= - f k).
  by apply: (grows (f := fun k => - f k) _ e0); apply: eventually_mono H => k; rewrite /diff => H; lin H.
by exfalso; have [k [x y]] := eventually_one (eventually_and G B); lin x y.
Qed.

(** ** Sequences of less than exponential growth *)

Definition tame f : Prop := forall b, 0 < b -> b < 1 -> tends_to (fun k => b ^+ k * f k) 0.

Lemma tends_to_ext f g c : eventually (fun k => f k = g k) -> tends_to f c -> tends_to g c.
Proof. by move=> E F eps e0; apply: eventually_mono (eventually_and E (F eps e0)) => k [->]. Qed.

Lemma tends_to0_le f g : tends_to g 0 -> eventually (fun k => `|f k| <= `|g k|) -> tends_to f 0.
Proof.
move=> G H eps e0; apply: eventually_mono (eventually_and (G eps e0) H) => k [].
by rewrite !subr0 => lt le; exact: le_lt_trans le lt.
Qed.

Lemma tends_to0M f g : tends_to f 0 -> tends_to g 0 -> tends_to (fun k => f k * g k) 0.
Proof.
move=> F G eps e0; apply: eventually_mono (eventually_and (F 1 ltr01) (G eps e0)) => k [].
rewrite !subr0 => f1 ge; rewrite normrM; apply: le_lt_trans ge; rewrite -[X in _ <= X]mul1r.
by rewrite ler_wpmul2r // ltW.
Qed.

Lemma tends_to0_sum (I : finType) (P : pred I) (f : I -> nat -> R) :
  (forall i, P i -> tends_to (f i) 0) -> tends_to (fun k => \sum_(i | P i) f i k) 0.
Proof.
move=> H; suff G (r : seq I) : tends_to (fun k => \sum_(i <- r | P i) f i k) 0 by exact: G.
elim: r => [|i r IH].
  by apply: (tends_to_ext _ (tends_to_const (0 : R))); apply: eventually_true => k; rewrite big_nil.
case: (boolP (P i)) => Pi.
  have := tends_toD (H i Pi) IH; rewrite addr0; apply: tends_to_ext.
  by apply: eventually_true => k; rewrite big_cons Pi.
by apply: tends_to_ext IH; apply: eventually_true => k; rewrite big_cons (negbTE Pi).
Qed.

Lemma tame_le f g : tame g -> eventually (fun k => `|f k| <= `|g k|) -> tame f.
Proof.
move=> G H b b0 b1; apply: tends_to0_le (G b b0 b1) _; apply: eventually_mono H => k H.
by rewrite !normrM ler_wpmul2l.
Qed.

Lemma tame_abs f : tame f -> tame (fun k => `|f k|).
Proof. by move=> /tame_le; apply; apply: eventually_true => k; rewrite normr_id. Qed.

Lemma tameD f g : tame f -> tame g -> tame (fun k => f k + g k).
Proof.
move=> F G b b0 b1; have := tends_toD (F b b0 b1) (G b b0 b1); rewrite addr0; apply: tends_to_ext.
by apply: eventually_true => k; rewrite mulrDr.
Qed.

Lemma tame_scale f c : tame f -> tame (fun k => f k * c).
Proof.
move=> F b b0 b1; have := tends_toZ c (F b b0 b1); rewrite mul0r; apply: tends_to_ext.
by apply: eventually_true => k; rewrite mulrA.
Qed.

Lemma tameM f g : tame f -> tame g -> tame (fun k => f k * g k).
Proof.
move=> F G b b0 b1; pose h := (1 + b) / 2%:R.
have h0 : 0 < h by rewrite divr_gt0 ?addr_gt0 ?ltr01 ?ltr0n.
have h1 : h < 1 by rewrite ltr_pdivr_mulr ?ltr0n // mul1r (_ : 2%:R = 1 + 1) ?ltr_add2l //; ring.
have bh : b <= h * h.
  have E : h * h - b = ((1 - b) / 2%:R) ^+ 2 by rewrite /h; field.
  by rewrite -subr_ge0 E sqr_ge0.
clearbody h; have M := tends_to0M (F h h0 h1) (G h h0 h1); apply: (tends_to0_le M); apply: eventually_true => k.
rewrite mulrACA [X in X <= _]normrM [X in _ <= X]normrM ler_wpmul2r //.
rewrite -exprMn !ger0_norm ?exprn_ge0 ?mulr_ge0 ?(ltW h0) ?(ltW b0) //.
by apply: ler_expn2r; rewrite ?nnegrE ?mulr_ge0 ?(ltW h0) ?(ltW b0).
Qed.

Lemma tame_antidiff f x : eventually (fun k => x k.+1 = x k + f k) -> tame f -> tame x.
Proof.
move=> E F b b0 b1; have F' := F b b0 b1.
apply: (@contraction R arch (fun k => b ^+ k * x k) (fun k => b ^+ k.+1 * x k.+1 - b * (b ^+ k * x k)) b b0 b1).
  by move=> k; rewrite addrC subrK.
have := tends_toZ b F'; rewrite mul0r; apply: tends_to_ext; apply: eventually_mono E => k ->.
by rewrite exprS; ring.
Qed.

Lemma tame_const c : tame (fun=> c).
Proof.
move=> b b0 b1; have := tends_toZ c (binomial_vanishes arch 0 b0 b1); rewrite mul0r; apply: tends_to_ext.
by apply: eventually_true => k; rewrite bin0 mulr1.
Qed.

Lemma poly_tame q f : poly q f -> tame f.
Proof.
elim: q f => [|q IH] f.
  by move=> F; apply: tame_le (tame_const 0) _; apply: eventually_mono F => k ->.
by move=> /IH; apply: tame_antidiff; apply: eventually_true => k; rewrite /diff addrC subrK.
Qed.

End Signs.
