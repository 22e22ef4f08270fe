(** One token and given targets (Lemma 3 of the page on stabilisation, for polynomial targets).

    x moves by gamma c_D(k), where among finitely many polynomial targets c_t the one chosen, c_D, maximises <x, c_t(k)>.
    Then, from some layer on, c_D(k) is one and the same polynomial. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.
From Exactformer Require Import Semantics Basics Dynamics Limits Metric StabilisationGrowth StabilisationOrders.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Vectors.

Variables (R : realFieldType) (d : nat) (A : 'M[R]_d).
Hypothesis A_sym : A^T = A.
Notation V := 'cV[R]_d.
Notation dot := (dotA A).
Implicit Types f g : nat -> V.

Lemma dot_big m f g : big m (fun k => nrm (f k) * nrm (g k)) -> big m (fun k => dot (f k) (g k)).
Proof.
have [B B0 H] := nrm_dot A; move=> /(big_scale B)/big_le; apply; apply: eventually_true => k.
by apply: le_trans (H _ _) (ler_norm _).
Qed.

Definition leadv j f (e : V) : Prop := big j (fun k => k%:R * nrm (f k - k%:R ^+ j *: e)).

Lemma poly_leadv j f e : poly j (fun k => f k - k%:R ^+ j *: e) -> leadv j f e.
Proof. by move=> F; have := poly_low (@nrm0 R d) (@nrmD R d) (@nrm_ge0 R d) F. Qed.

Lemma leadv_big j f e : leadv j f e -> big j (fun k => nrm (f k)).
Proof.
move=> L; have {}L : big j (fun k => nrm (f k - k%:R ^+ j *: e)) by apply: big_divide; apply: big_up L.
apply: big_le (bigD L (big_scale (nrm e) (big_power R j))) _; apply: eventually_true => k.
rewrite nrm_abs ger0_norm ?addr_ge0 ?mulr_ge0 ?nrm_ge0 ?exprn_ge0 ?ler0n //.
rewrite -{1}(subrK (k%:R ^+ j *: e) (f k)); apply: le_trans (nrmD _ _) _.
by rewrite nrmZ ger0_norm ?exprn_ge0 ?ler0n // mulrC.
Qed.

Lemma lead_dot i j f g u v : leadv i f u -> leadv j g v -> lead (i + j) (fun k => dot (f k) (g k)) (dot u v).
Proof.
move=> F G; have P1 := bigM F (leadv_big G).
have P2 := bigM (big_scale (nrm u) (big_power R i)) G.
have H1 : big (i + j) (fun k => dot (k%:R *: (f k - k%:R ^+ i *: u)) (g k)).
  by apply: dot_big; apply: big_eq P1 => k; rewrite nrmZ ger0_norm ?ler0n.
have H2 : big (i + j) (fun k => dot (k%:R ^+ i *: u) (k%:R *: (g k - k%:R ^+ j *: v))).
  apply: dot_big; apply: big_eq P2 => k; rewrite !nrmZ !ger0_norm ?exprn_ge0 ?ler0n //; ring.
apply: big_eq (bigD H1 H2) => k; rewrite !dotAZl // !dotAZr dotABr dotABl // dotAZl // dotAZr exprD; ring.
Qed.

Lemma leadv_next j f e : poly j (fun k => f k - k%:R ^+ j *: e) -> leadv j (fun k => f k.+1) e.
Proof.
move=> F; have [P _] := power_poly R j; have L := poly_leadv F.
have E : poly j.+1 f.
  have Z : poly j.+1 (fun k => k%:R ^+ j *: e).
    by apply: (poly_map (h := fun c : R => c *: e) _ P) => x y; rewrite scalerBl.
  by apply: poly_eq (polyD (polyS F) Z) => k; rewrite subrK.
have M := poly_low (@nrm0 R d) (@nrmD R d) (@nrm_ge0 R d) (E : poly j (diff f)).
apply: big_le (bigD L M) _; apply: eventually_true => k.
rewrite -mulrDr !normrM ler_wpmul2l // nrm_abs ger0_norm ?addr_ge0 ?nrm_ge0 //.
by apply: le_trans (nrmD _ _); rewrite /diff [X in _ <= nrm X]addrC addrA subrK.
Qed.

End Vectors.

Lemma poly_top_number (R : realFieldType) j (f : nat -> R) : poly j.+1 f ->
  exists e : R, poly j (fun k => f k - k%:R ^+ j * e).
Proof. by move=> F; have [e E] := @poly_top R [lmodType R of R^o] j f F; exists e. Qed.

(** A polynomial of which the sign changes infinitely often, up to O(k^n), is O(k^n). *)
Lemma poly_descent (R : realFieldType) (arch : archimedean R) q n (f g : nat -> R) : poly q f -> big n g ->
  often (fun k => 0 <= f k + g k) -> often (fun k => f k + g k <= 0) -> poly n.+1 f.
Proof.
move=> F G up down; elim: q F => [|q IH] F; first exact: poly_le F.
case: (leqP q n) => qn; first exact: poly_le F.
have [e E] := poly_top_number F; have L : lead q (fun k => f k + g k) e.
  have Lg : lead q g 0 by apply: lead_low; apply: big_up (big_times G).
  have := leadD (leadD (poly_lead0 E) (lead_scale e (lead_power R q))) Lg.
  rewrite add0r mulr1 addr0; apply: lead_eq => k; ring.
have e0 : 0 <= e := lead_ge0 arch L up.
have e1 : 0 <= - e.
  apply: (lead_ge0 arch (leadN L)); apply: often_mono down => k; by rewrite oppr_ge0.
have E0 : e = 0 by apply/eqP; rewrite eq_le e0 -oppr_ge0 e1.
by apply: IH; apply: poly_eq E => k; rewrite E0 mulr0 subr0.
Qed.

Section Greedy.

Hypothesis EM : excluded_middle.
Variable R : realFieldType.
Hypothesis arch : archimedean R.
Variables (d : nat) (A : 'M[R]_d).
Hypothesis A_sym : A^T = A.
Hypothesis A_pos : forall x : 'cV[R]_d, x != 0 -> 0 < inner (A *m x) x.
Notation V := 'cV[R]_d.
Notation dot := (dotA A).

Variables (T : finType) (c : T -> nat -> V) (D : nat -> T) (x : nat -> V) (gamma : R).
Hypothesis gamma_gt0 : 0 < gamma.
Definition recurs t : Prop := often (fun k => D k = t).
Hypothesis c_poly : forall t, exists q, poly q (c t).
Hypothesis x_next : eventually (fun k => x k.+1 = x k + gamma *: c (D k) k).
Hypothesis best : eventually (fun k => forall t, recurs t -> dot (x k) (c t k) <= dot (x k) (c (D k) k)).

(** The power k^j, the change of a quotient by it, and its leading coefficient. *)
Definition casorati j (f : nat -> R) k : R := k%:R ^+ j * f k.+1 - k.+1%:R ^+ j * f k.

Lemma casorati_low j (f : nat -> R) : poly (j + j).+1 f -> lead (j + (j + j)) (casorati j f) 0.
Proof.
move=> F; have [_ P] := power_poly R j.
have Dj : big j (fun k => k%:R * diff (fun k => k%:R ^+ j) k : R).
  have := poly_low (@normr0 R R) (@ler_norm_add R R) (@normr_ge0 R R) (proj1 (power_poly R j) : poly j (diff (fun k => k%:R ^+ j : R))).
  by move=> /big_le; apply; apply: eventually_true => k; rewrite !normrM normr_id.
have Df : lead (j + j) (diff f) 0 by apply: poly_lead0; exact: F.
have Bf : big (j + j) f.
  have := poly_big (@ler_norm_add R R) (@normr_ge0 R R) F.
  by move=> /big_le; apply; apply: eventually_true => k; rewrite normr_id.
have L1 := leadM (lead_power R j) Df; rewrite mulr0 in L1.
have L2 : lead (j + (j + j)) (fun k => diff (fun k => k%:R ^+ j) k * f k) 0.
  by apply: lead_low; apply: big_eq (bigM Dj Bf) => k; rewrite mulrA.
have := leadD L1 (leadN L2); rewrite oppr0 addr0; apply: lead_eq => k.
rewrite /casorati /diff; ring.
Qed.

Lemma casorati_power j : lead (j + (j + j)) (casorati j (fun k => k%:R ^+ (j + j).+1)) j.+1%:R.
Proof.
have top m : lead m (diff (fun k => k%:R ^+ m.+1 : R)) m.+1%:R.
  have := leadD (poly_lead0 (proj2 (power_poly R m))) (lead_scale m.+1%:R (lead_power R m)).
  by rewrite add0r mulr1 => L; apply: (lead_eq _ L) => k; rewrite /power_rest /diff subrK.
have L1 := leadM (lead_power R j) (top (j + j)%N); rewrite mul1r in L1.
have L2 : lead j (fun k => k%:R * diff (fun k => k%:R ^+ j) k) (j%:R : R).
  case: j {L1} => [|j].
    by apply: big_zero; apply: eventually_true => k; rewrite /diff !expr0 subrr mulr0 mul0r subr0 mulr0.
  have [_ P] := power_poly R j; have := big_times (poly_lead0 P).
  by apply: big_eq => k; rewrite /power_rest /diff !exprS; ring.
have L3 := leadM L2 (lead_power R (j + j)); rewrite mulr1 in L3.
have := leadD L1 (leadN L3).
have -> : (j + j).+1%:R - j%:R = j.+1%:R :> R by rewrite -addnS natrD addrAC subrr add0r.
apply: lead_eq => k; rewrite /casorati /diff !exprS; ring.
Qed.

Variable q : pred T.
Hypothesis qP : forall t, q t <-> recurs t.

Lemma late_q : eventually (fun k => q (D k)).
Proof. by apply: eventually_mono (late_recurrent D EM) => k H; apply/qP. Qed.

(** One power of k after the other. *)
Section OnePower.

Variables (j : nat) (t0 : T).
Hypothesis q0 : q t0.
Hypothesis close : forall t, q t -> poly j.+1 (fun k => c t k - c t0 k).

Definition b t k : V := c t k - c t0 k.
Definition common k : V := \sum_(i < k) gamma *: c t0 i.
Definition y k : V := x k - common k.

Lemma y_next : eventually (fun k => y k.+1 = y k + gamma *: b (D k) k).
Proof.
apply: eventually_mono x_next => k E; rewrite /y E /common big_ord_recr /= /b scalerBr opprD.
by rewrite addrACA.
Qed.

Lemma b_big t : q t -> big j (fun k => nrm (b t k)).
Proof. by move=> /close F; have := poly_big (@nrmD R d) (@nrm_ge0 R d) F. Qed.

Lemma y_big : big j.+1 (fun k => nrm (y k)).
Proof.
have B : big j (fun k => \sum_(t | q t) gamma * nrm (b t k)).
  by apply: big_sum => t qt; exact: big_scale (b_big qt).
apply: big_antidiff B _; apply: eventually_mono (eventually_and y_next late_q) => k [-> qD].
rewrite !nrm_abs; apply: le_trans (nrmD _ _) _; rewrite ler_add2l nrmZ (gtr0_norm gamma_gt0).
apply: le_trans (ler_norm _); rewrite (bigD1 (D k)) //= ler_addl sumr_ge0 // => t _.
by rewrite mulr_ge0 ?nrm_ge0 // ltW.
Qed.

Definition a t k : R := dot (common k) (b t k).

Lemma common_poly : exists p, poly p common.
Proof.
have [p P] := c_poly t0; exists p.+1; apply: (poly_antidiff (f := fun k => gamma *: c t0 k)); last exact: polyZ.
by apply: eventually_true => k; rewrite /common big_ord_recr.
Qed.

Lemma wins t k : dot (x k) (c t k) - dot (x k) (c t0 k) = a t k + dot (y k) (b t k).
Proof. by rewrite /a -dotADl // /y [common k + _]addrC subrK /b dotABr. Qed.

Lemma a_poly t : q t -> poly (j + j).+2 (a t).
Proof.
move=> qt; have [p P] := common_poly; have B := close qt.
have M := poly_mul (B := fun u v => dot u v) (fun y x x' => dotABl A_sym x x' y) (fun x y y' => dotABr A x y y') P B.
have yb : big (j + j).+1 (fun k => dot (y k) (b t k)) by apply: dot_big; exact: bigM y_big (b_big qt).
apply: (poly_descent arch M yb).
  apply: often_mono (often_and (proj1 (qP t) qt) best) => k [E H]; rewrite -wins subr_ge0.
  by have := H t0 (proj1 (qP _) q0); rewrite E.
apply: often_mono (often_and (proj1 (qP t0) q0) best) => k [E H]; rewrite -wins subr_le0.
by have := H t (proj1 (qP _) qt); rewrite E.
Qed.

(** Leading coefficients of b and a. *)
Variables (e : T -> V) (kappa : T -> R).
Hypothesis eP : forall t, q t -> poly j (fun k => b t k - k%:R ^+ j *: e t).
Hypothesis kappaP : forall t, q t -> poly (j + j).+1 (fun k => a t k - k%:R ^+ (j + j).+1 * kappa t).

Definition potential t : R := gamma * normA A (e t) + 2%:R * j.+1%:R * kappa t.

Lemma switch t t' : q t -> q t' -> often (fun k => D k = t /\ D k.+1 = t') ->
  gamma * normA A (e t' - e t) <= potential t' - potential t.
Proof.
move=> qt qt' O; pose B k : V := b t' k - b t k; pose h k := a t' k - a t k.
have Bp : poly j (fun k => B k - k%:R ^+ j *: (e t' - e t)).
  apply: poly_eq (polyB (eP qt') (eP qt)) => k; rewrite /B scalerBr /b.
  move: (c t' k) (c t0 k) (c t k) (_ *: e t') (_ *: e t) => u1 u2 u3 u4 u5; apply/colP => i; rewrite !mxE; ring.
pose W k : V := k%:R ^+ j *: B k.+1 - k.+1%:R ^+ j *: B k.
have L1 : lead (j + (j + j)) (fun k => k%:R ^+ j * (gamma * dot (b t k) (B k.+1))) (gamma * dot (e t) (e t' - e t)).
  have := leadM (lead_power R j) (lead_scale gamma (lead_dot A_sym (poly_leadv (eP qt)) (leadv_next Bp))).
  by rewrite mul1r.
have L2 : lead (j + (j + j)) (casorati j h) (j.+1%:R * (kappa t' - kappa t)).
  have P : poly (j + j).+1 (fun k => h k - k%:R ^+ (j + j).+1 * (kappa t' - kappa t)).
    by apply: poly_eq (polyB (kappaP qt') (kappaP qt)) => k; rewrite /h; ring.
  have := leadD (casorati_low P) (lead_scale (kappa t' - kappa t) (casorati_power j)).
  by rewrite add0r mulrC; apply: lead_eq => k; rewrite /casorati; ring.
have WE k : W k = k%:R ^+ j *: diff (fun k => B k - k%:R ^+ j *: (e t' - e t)) k
    - (diff (fun k => k%:R ^+ j) k : R) *: (B k - k%:R ^+ j *: (e t' - e t)).
  rewrite /W /diff; move: (B k.+1) (B k) (e t' - e t : V) (k%:R ^+ j : R) (k.+1%:R ^+ j : R) => u1 u2 u3 p1 p2.
  have G (v1 v2 v3 : R) : p1 * v1 - p2 * v2 = p1 * (v1 - p2 * v3 - (v2 - p1 * v3)) - (p2 - p1) * (v2 - p1 * v3) by ring.
  by apply/colP => i; rewrite !mxE; exact: G.
have L3 : lead (j + (j + j)) (fun k => dot (y k) (W k)) 0.
  have W2 : big (j + j) (fun k => k%:R * (k%:R * nrm (W k))).
    have S1 := bigM (big_power R j) (poly_low2 (@nrm0 R d) (@nrmD R d) (@nrm_ge0 R d) Bp).
    have P := proj1 (power_poly R j) : poly j (diff (fun k => k%:R ^+ j : R)).
    have S2 := bigM (poly_low (@normr0 R R) (@ler_norm_add R R) (@normr_ge0 R R) P) (poly_leadv Bp).
    apply: big_le (bigD S1 S2) _; apply: eventually_true => k.
    have k0 : 0 <= k%:R :> R by exact: ler0n.
    rewrite [X in X <= _]ger0_norm ?mulr_ge0 ?nrm_ge0 //; apply: le_trans (ler_norm _).
    apply: (@le_trans _ _ (k%:R * (k%:R * (k%:R ^+ j * nrm (diff (fun k => B k - k%:R ^+ j *: (e t' - e t)) k)
      + `|(diff (fun k => k%:R ^+ j) k : R)| * nrm (B k - k%:R ^+ j *: (e t' - e t)))))).
      rewrite !ler_wpmul2l // WE; apply: le_trans (nrmB _ _) _.
      by rewrite !nrmZ (ger0_norm (exprn_ge0 _ k0)).
    have G (u p n1 n2 n3 : R) : u * (u * (p * n1 + n2 * n3)) = p * (u * (u * n1)) + u * n2 * (u * n3) by ring.
    by rewrite G.
  apply: lead_low; apply: big_divide.
  have : big (j + (j + j)).+1 (fun k => dot (y k) (k%:R *: (k%:R *: W k))).
    apply: dot_big; apply: big_eq (bigM y_big W2) => k.
    by rewrite !nrmZ (ger0_norm (ler0n _ _)).
  by apply: big_eq => k; rewrite !dotAZr.
have v0 : 0 <= gamma * dot (e t) (e t' - e t) + j.+1%:R * (kappa t' - kappa t).
  have L := leadD (leadD L1 L2) L3; rewrite addr0 in L; apply: (lead_ge0 arch L).
  have E := eventually_and y_next (eventually_and best (eventually_next best)).
  apply: often_mono (often_and O E) => k [[Et Et'] [Ey [/(_ t' (proj1 (qP _) qt')) H1 /(_ t (proj1 (qP _) qt)) H2]]].
  rewrite Et in Ey H1; rewrite Et' in H2.
  have F1 : a t' k + dot (y k) (b t' k) <= a t k + dot (y k) (b t k) by rewrite -!wins ler_sub.
  have F2 : a t k.+1 + dot (y k.+1) (b t k.+1) <= a t' k.+1 + dot (y k.+1) (b t' k.+1) by rewrite -!wins ler_sub.
  have p0 : 0 <= k%:R ^+ j :> R by rewrite exprn_ge0 ?ler0n.
  have p1 : 0 <= k.+1%:R ^+ j :> R by rewrite exprn_ge0 ?ler0n.
  have := ler_add (ler_wpmul2l p1 F1) (ler_wpmul2l p0 F2); rewrite Ey => F.
  rewrite /casorati /h /W /B; move: F; rewrite !(dotADl A_sym, dotAZl A_sym, dotABr, dotAZr).
  move: (_ ^+ j) (k.+1%:R ^+ j) => u v F; lin F.
rewrite /potential normAB // (dotAC A_sym (e t')).
have := v0; rewrite dotABr -[dot (e t) (e t)]/(normA A (e t)) => w.
by lin w w.
Qed.

End OnePower.

(** A potential that grows along late switches is eventually constant. *)
Lemma late_constant (f : T -> R) : eventually (fun k => f (D k) <= f (D k.+1)) -> eventually (fun k => f (D k.+1) <= f (D k)).
Proof.
move=> [K up]; have [e e0 E] := positive_min [seq f p.1 - f p.2 | p <- enum [finType of T * T]].
have [b _ B] := upper_bound [seq f t | t <- enum T].
have [||K' H] := @monotone_cauchy R (fun k => f (D (K + k)%N)) b EM arch _ _ e e0.
- by move=> k; rewrite addnS; apply: up; rewrite leq_addr.
- by move=> k; apply: B; rewrite map_f ?mem_enum.
exists (K + K')%N => k Kk; rewrite leNgt; apply/negP => lt.
have gap : e <= f (D k.+1) - f (D k).
  by apply: E; rewrite ?subr_gt0 //; apply/mapP; exists (D k.+1, D k); rewrite ?mem_enum.
have kE : k = (K + (k - K))%N by rewrite subnKC // (leq_trans (leq_addr _ _) Kk).
have K'k : (K' <= k - K)%N by rewrite leq_subRL // (leq_trans (leq_addr _ _) Kk).
have := H (k - K).+1 (leqW K'k); rewrite addnS -kE => H1.
have H2 : f (D (K + K')%N) <= f (D k).
  have mono : forall m, f (D (K + m)%N) <= f (D (K + m.+1)%N) by move=> m; rewrite addnS; apply: up; rewrite leq_addr.
  by have := monotone_le (f := fun m => f (D (K + m)%N)) mono K'k; rewrite -kE.
by lin gap H1 H2.
Qed.

Lemma one_power j t0 : q t0 -> (forall t, q t -> poly j.+1 (fun k => c t k - c t0 k)) ->
  forall t, q t -> poly j (fun k => c t k - c t0 k).
Proof.
move=> q0 close; have [e eP] := finite_choice (0 : V) EM (fun t qt => poly_top (close t qt)).
have tops t : q t -> exists kappa : R, poly (j + j).+1 (fun k => a t0 t k - k%:R ^+ (j + j).+1 * kappa).
  by move=> qt; exact: poly_top_number (a_poly q0 close qt).
have [kappa kappaP] := finite_choice (0 : R) EM tops.
have late := late_recurrent (fun k => (D k, D k.+1)) EM.
have grow : eventually (fun k => gamma * normA A (e (D k.+1) - e (D k)) <=
    potential j e kappa (D k.+1) - potential j e kappa (D k)).
  apply: eventually_mono (eventually_and late (eventually_and late_q (eventually_next late_q))) => k [O [qk qk']].
  by apply: (switch close eP kappaP qk qk'); apply: often_mono O => m [-> ->].
have up : eventually (fun k => potential j e kappa (D k) <= potential j e kappa (D k.+1)).
  apply: eventually_mono grow => k G; rewrite -subr_ge0; apply: le_trans G.
  by rewrite mulr_ge0 ?normA_ge0 // ltW.
have [K same] : eventually (fun k => e (D k.+1) = e (D k)).
  apply: eventually_mono (eventually_and grow (late_constant up)) => k [G le].
  apply/eqP; rewrite -subr_eq0; apply/eqP/(normA_eq0 A_pos)/eqP; rewrite eq_le normA_ge0 // andbT.
  by rewrite -(pmulr_rle0 _ gamma_gt0); apply: le_trans G _; rewrite subr_le0.
have const k : (K <= k)%N -> e (D k) = e (D K).
  by move=> /subnK <-; rewrite addnC; elim: (k - K)%N => [|n IH]; rewrite ?addn0 // addnS same ?leq_addr.
have all_e t : q t -> e t = e (D K) by move=> /qP /(_ K)[k Kk <-]; exact: const.
move=> t qt; apply: poly_eq (polyB (eP t qt) (eP t0 q0)) => k.
by rewrite (all_e t qt) (all_e t0 q0) opprB addrA subrK subrr subr0.
Qed.

End Greedy.

(** ** Lemma 3: the target is eventually one polynomial *)

Theorem stabilisation_greedy (R : realFieldType) (d : nat) (A : 'M[R]_d) (T : finType)
    (c : T -> nat -> 'cV[R]_d) (D : nat -> T) (x : nat -> 'cV[R]_d) (gamma : R) :
  excluded_middle -> archimedean R ->
  A^T = A -> (forall x : 'cV[R]_d, x != 0 -> 0 < inner (A *m x) x) -> 0 < gamma ->
  (forall t, exists q, poly q (c t)) ->
  eventually (fun k => x k.+1 = x k + gamma *: c (D k) k) ->
  eventually (fun k => forall t, recurs D t -> dotA A (x k) (c t k) <= dotA A (x k) (c (D k) k)) ->
  exists2 t, recurs D t & eventually (fun k => c (D k) k = c t k).
Proof.
move=> EM arch A_sym A_pos g0 c_poly next best; have [q qP] := decide (recurs D) EM.
have late := late_q EM qP; have [k0 q0] := eventually_one late; set t0 := D k0 in q0.
have [n nP] := finite_choice 0%N EM (fun t (_ : True) => c_poly t).
have start : forall t, q t -> poly (\max_t n t) (fun k => c t k - c t0 k).
  by move=> t _; apply: polyB; apply: poly_le (nP _ I); apply: (leq_bigmax_cond (F := n)).
have : forall t, q t -> poly 0 (fun k => c t k - c t0 k).
  elim: (\max_t n t) start => // j IH close; apply: IH => t.
  exact: (one_power EM arch A_sym A_pos g0 c_poly next best qP q0 close).
move=> H; exists t0; first exact/qP.
have H' t : eventually (fun k => q t -> c t k = c t0 k).
  case: (boolP (q t)) => qt; last exact: eventually_true.
  by apply: eventually_mono (H t qt) => k /eqP; rewrite subr_eq0 => /eqP.
by apply: eventually_mono (eventually_and late (eventually_all H')) => k [qk G]; exact: G.
Qed.
