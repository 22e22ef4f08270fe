(** Intervals with rational ends, linear forms on boxes of them, and their proofs: what is computed contains what it is
    about.  Rational numbers are the literals of a certificate; sums and products are brought to lowest terms on the way. *)

From Coq Require Import ZArith QArith Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ssrZ zify ring.
From Exactformer Require Import Semantics Basics Certificate Checker CheckerNumbers.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Delimit Scope Z_scope with z.  (* %Z is taken by mathcomp's int *)

(** ** Rational numbers *)

Definition reduced (p : Z) (q : positive) : Q :=
  if Pos.eqb q xH then Qmake p xH else let g := Z.gcd p (Zpos q) in Qmake (Z.div p g) (Z.to_pos (Z.div (Zpos q) g)).

Definition rat_le (x y : Q) : bool := Z.leb (Z.mul (Qnum x) (Zpos (Qden y))) (Z.mul (Qnum y) (Zpos (Qden x))).
Definition rat_add (x y : Q) : Q :=
  if Pos.eqb (Qden x) (Qden y) then Qmake (Z.add (Qnum x) (Qnum y)) (Qden x)
  else reduced (Z.add (Z.mul (Qnum x) (Zpos (Qden y))) (Z.mul (Qnum y) (Zpos (Qden x)))) (Pos.mul (Qden x) (Qden y)).
Definition rat_mul (x y : Q) : Q := reduced (Z.mul (Qnum x) (Qnum y)) (Pos.mul (Qden x) (Qden y)).
Definition rat_opp (x : Q) : Q := Qmake (Z.mul (Zneg xH) (Qnum x)) (Qden x).
Definition rat_min (x y : Q) : Q := if rat_le x y then x else y.
Definition rat_max (x y : Q) : Q := if rat_le x y then y else x.
Definition rat_eq (x y : Q) : bool := Z.eqb (Qnum x) (Qnum y) && Pos.eqb (Qden x) (Qden y).
Definition rat_nat (n : nat) : Q := Qmake (Z.of_nat n) xH.
Definition rat_one : Q := Qmake (Zpos xH) xH.
Definition is_zero (x : Q) : bool := Z.eqb (Qnum x) Z0.
Definition nonneg (x : Q) : bool := Z.leb Z0 (Qnum x).
Definition nonpos (x : Q) : bool := Z.leb (Qnum x) Z0.

Fixpoint power_of_two (n : nat) : positive := if n is n'.+1 then xO (power_of_two n') else xH.

(** The multiples of 1/q below and above a number. *)
Definition floor_at (q : positive) (x : Q) : Q := reduced (Z.div (Z.mul (Qnum x) (Zpos q)) (Zpos (Qden x))) q.
Definition ceiling_at (q : positive) (x : Q) : Q := rat_opp (floor_at q (rat_opp x)).

(** ** Intervals [low, high]; a box is a list of them *)

Definition interval : Type := (Q * Q)%type.
Definition box : Type := seq interval.

Definition at_zero : interval := (zero, zero).
Definition at_point (x : Q) : interval := (x, x).
Definition is_point (a : interval) : bool := rat_eq a.1 a.2.
Definition join (a b : interval) : interval := (rat_add a.1 b.1, rat_add a.2 b.2).
Definition stretch (c : Q) (a : interval) : interval :=
  if is_zero c then at_zero
  else if nonneg c then (rat_mul c a.1, rat_mul c a.2) else (rat_mul c a.2, rat_mul c a.1).
Definition minus (a b : interval) : interval := (rat_add a.1 (rat_opp b.2), rat_add a.2 (rat_opp b.1)).
Definition hull (a b : interval) : interval := (rat_min a.1 b.1, rat_max a.2 b.2).
Definition times (a b : interval) : interval :=
  if is_point a then stretch a.1 b
  else hull (hull (at_point (rat_mul a.1 b.1)) (at_point (rat_mul a.1 b.2)))
            (hull (at_point (rat_mul a.2 b.1)) (at_point (rat_mul a.2 b.2))).

Definition lowest_terms (x : Q) : Q := reduced (Qnum x) (Qden x).
(** A point in lowest terms; anything else rounded outward to multiples of 1/q. *)
Definition rounded (q : positive) (a : interval) : interval :=
  if rat_le a.2 a.1 then at_point (lowest_terms a.1) else (floor_at q a.1, ceiling_at q a.2).

(** The values of <u, x> on a box. *)
Fixpoint on_box (u : seq Q) (X : box) : interval :=
  match u, X with
  | c :: u', a :: X' => if is_zero c then on_box u' X' else join (stretch c a) (on_box u' X')
  | _, _ => at_zero
  end.

Definition hull_box (X Y : box) : box := [seq hull p.1 p.2 | p <- zip X Y].

Section Sound.

Variable R : realFieldType.
Notation value := (value R).
Notation phiZ := (phiZ R).

Lemma den_gt0 (q : positive) : 0 < phiZ (Zpos q). Proof. exact: phiZ_gt0. Qed.
Lemma den_neq0 (q : positive) : phiZ (Zpos q) != 0. Proof. exact/lt0r_neq0/den_gt0. Qed.
Lemma valueZ x : value x = phiZ (Qnum x) / phiZ (Zpos (Qden x)). Proof. by []. Qed.
Lemma phiZ0 : phiZ Z0 = 0. Proof. by []. Qed.
Lemma phiZ1 : phiZ (Zpos xH) = 1. Proof. by []. Qed.

Lemma value_reduced p q : value (reduced p q) = phiZ p / phiZ (Zpos q).
Proof.
rewrite /reduced; case: Pos.eqb_spec => [-> // | _].
have g0 : (0 < Z.gcd p (Zpos q))%z by have := Z.gcd_nonneg p (Zpos q); have := Z.gcd_eq_0_r p (Zpos q); lia.
have [[u Eu] [v Ev]] := (Z.gcd_divide_l p (Zpos q), Z.gcd_divide_r p (Zpos q)).
set g := Z.gcd _ _ in g0 Eu Ev *; rewrite valueZ /=.
have v0 : (0 < v)%z by nia.
rewrite [in RHS]Ev [in RHS]Eu {1}Eu Ev !Z.div_mul; try lia.
rewrite Z2Pos.id // !phiZM; have g1 := lt0r_neq0 (phiZ_gt0 R g0); have v1 := lt0r_neq0 (phiZ_gt0 R v0).
by field; rewrite g1 v1.
Qed.

Lemma rat_leE x y : rat_le x y = (value x <= value y).
Proof. by rewrite /rat_le -(phiZ_le R) !phiZM !valueZ ler_pdivr_mulr ?den_gt0 // mulrAC ler_pdivl_mulr ?den_gt0. Qed.

Lemma value_add x y : value (rat_add x y) = value x + value y.
Proof.
rewrite /rat_add; case: Pos.eqb_spec => [E | _]; first by rewrite !valueZ /= -E phiZD mulrDl.
rewrite value_reduced phiZD !phiZM Pos2Z.inj_mul phiZM !valueZ.
by field; rewrite !den_neq0.
Qed.

Lemma value_mul x y : value (rat_mul x y) = value x * value y.
Proof.
rewrite /rat_mul value_reduced phiZM Pos2Z.inj_mul phiZM !valueZ.
by field; rewrite !den_neq0.
Qed.

Lemma value_opp x : value (rat_opp x) = - value x.
Proof. by rewrite !valueZ -[Qnum (rat_opp x)]/(Z.mul (Zneg xH) (Qnum x)) phiZM -mulNr -mulN1r. Qed.

Lemma value_eq x y : rat_eq x y -> x = y.
Proof. by case: x y => [a b] [e f] /andP[/= /Z.eqb_eq -> /Pos.eqb_eq ->]. Qed.

Lemma value_nat n : value (rat_nat n) = n%:R.
Proof.
rewrite valueZ /= phiZ1 divr1; elim: n => // n IH.
by rewrite Nat2Z.inj_succ -Z.add_1_l phiZD IH phiZ1 -[n.+1]add1n natrD.
Qed.

Lemma is_zeroE x : is_zero x -> value x = 0.
Proof. by move=> /Z.eqb_eq E; rewrite valueZ E phiZ0 mul0r. Qed.
Lemma nonnegE x : nonneg x = (0 <= value x).
Proof. by rewrite /nonneg -(phiZ_le R) phiZ0 valueZ pmulr_lge0 // invr_gt0 den_gt0. Qed.
Lemma nonposE x : nonpos x = (value x <= 0).
Proof. by rewrite /nonpos -(phiZ_le R) phiZ0 valueZ pmulr_lle0 // invr_gt0 den_gt0. Qed.

Lemma phiZ_power n : phiZ (Zpos (power_of_two n)) = 2%:R ^+ n.
Proof. by elim: n => // n IH; rewrite /= Pos2Z.inj_xO phiZM IH exprS. Qed.

Lemma floor_at_le q x : value (floor_at q x) <= value x.
Proof.
rewrite /floor_at value_reduced !valueZ ler_pdivr_mulr ?den_gt0 // mulrAC ler_pdivl_mulr ?den_gt0 //.
rewrite -!phiZM phiZ_le; have := Z.mul_div_le (Qnum x * Zpos q) (Zpos (Qden x)); lia.
Qed.

Lemma ceiling_at_ge q x : value x <= value (ceiling_at q x).
Proof. by rewrite /ceiling_at value_opp -ler_opp2 opprK -value_opp floor_at_le. Qed.

Lemma value_minE x y : value (rat_min x y) = Num.min (value x) (value y).
Proof. by rewrite /rat_min rat_leE minElt; case: leP => //; case: ltgtP. Qed.
Lemma value_maxE x y : value (rat_max x y) = Num.max (value x) (value y).
Proof. by rewrite /rat_max rat_leE maxElt; case: leP => //; case: ltgtP. Qed.

(** ** Intervals contain *)

Definition inside (x : R) (a : interval) : bool := value a.1 <= x <= value a.2.

Lemma inside_zero : inside 0 at_zero.
Proof. by rewrite /inside /= value0 lexx. Qed.

Lemma inside_point x : inside (value x) (at_point x).
Proof. by rewrite /inside /= lexx. Qed.

Lemma inside_is_point x a : is_point a -> inside x a -> x = value a.1.
Proof. by move=> /value_eq E; rewrite /inside -E => H; apply/eqP; rewrite eq_le andbC. Qed.

Lemma inside_join x y a b : inside x a -> inside y b -> inside (x + y) (join a b).
Proof. by move=> /andP[a1 a2] /andP[b1 b2]; rewrite /inside /= !value_add !ler_add. Qed.

Lemma inside_minus x y a b : inside x a -> inside y b -> inside (x - y) (minus a b).
Proof. by move=> /andP[a1 a2] /andP[b1 b2]; rewrite /inside /= !value_add !value_opp !ler_add // ler_opp2. Qed.

Lemma inside_stretch c x a : inside x a -> inside (value c * x) (stretch c a).
Proof.
move=> /andP[a1 a2]; rewrite /stretch; case: ifP => [/is_zeroE -> | _]; first by rewrite mul0r inside_zero.
rewrite nonnegE; case: (leP 0 (value c)) => [c0 | /ltW c0]; rewrite /inside /= !value_mul.
  by rewrite !ler_wpmul2l.
by rewrite !ler_wnmul2l.
Qed.

Lemma inside_hullE x a b : inside x a || inside x b -> inside x (hull a b).
Proof.
rewrite /inside /hull /= value_minE value_maxE le_minl le_maxr.
by case/orP => /andP[-> ->]; rewrite ?orbT.
Qed.

Lemma inside_hull x a b : inside x a -> inside x (hull a b).
Proof. by move=> H; rewrite inside_hullE // H. Qed.
Lemma inside_hullr x a b : inside x b -> inside x (hull a b).
Proof. by move=> H; rewrite inside_hullE // H orbT. Qed.

(** A bilinear function is between its values at the corners. *)
Lemma between (l h c x : R) : l <= x <= h -> Num.min (l * c) (h * c) <= x * c <= Num.max (l * c) (h * c).
Proof.
move=> /andP[lx xh]; rewrite le_minl le_maxr; case: (leP 0 c) => [c0 | /ltW c0].
  by apply/andP; split; apply/orP; [left | right]; rewrite ler_wpmul2r.
by apply/andP; split; apply/orP; [right | left]; rewrite ler_wnmul2r.
Qed.

Lemma inside_times x y a b : inside x a -> inside y b -> inside (x * y) (times a b).
Proof.
move=> xa yb; rewrite /times; case: ifP => [/inside_is_point/(_ xa) -> | _]; first exact: inside_stretch.
have /andP[L H] := between y xa.
have side c : inside (value c * y) (hull (at_point (rat_mul c b.1)) (at_point (rat_mul c b.2))).
  have := between (value c) yb; rewrite /inside /= value_minE value_maxE !value_mul.
  by rewrite ![_ * value c]mulrC.
have /andP[l1 h1] := side a.1; have /andP[l2 h2] := side a.2.
rewrite /inside {1}/hull [(_, _).1]/= [(_, _).2]/= value_minE value_maxE; apply/andP; split.
  apply: le_trans L; rewrite le_minr !le_minl l1 l2 ?orbT //.
by apply: le_trans H _; rewrite le_maxl !le_maxr h1 h2 ?orbT.
Qed.

Lemma inside_rounded q x a : inside x a -> inside x (rounded q a).
Proof.
move=> /andP[a1 a2]; rewrite /rounded rat_leE; case: ifP => H.
  by rewrite /inside /= value_reduced -valueZ a1 (le_trans a2 H).
by rewrite /inside /= (le_trans (floor_at_le q a.1) a1) (le_trans a2 (ceiling_at_ge q a.2)).
Qed.

(** ** Boxes contain *)

Variable d : nat.
Implicit Type x : 'cV[R]_d.

Definition in_box x (X : box) : Prop := forall i : 'I_d, inside (x i 0) (nth at_zero X i).

Lemma inside_on_box u X x : (size u <= d)%N -> in_box x X -> inside (inner (vector R d u) x) (on_box u X).
Proof.
rewrite /inner /in_box => ud xX; under eq_bigr do rewrite mxE.
pose y i := if insub i is Some j then x j 0 else 0.
have E (i : 'I_d) : x i 0 = y i by rewrite /y valK.
under eq_bigr do rewrite E.
have {}xX i : (i < d)%N -> inside (y i) (nth at_zero X i) by move=> id; rewrite -(E (Ordinal id)); exact: xX.
move: y xX {E} => y; elim: d u X y ud => [|n IH] u X y.
  by case: u => // _ _; rewrite big_ord0 inside_zero.
case: u => [|c u] ud H; first by rewrite big1 ?inside_zero // => i _; rewrite nth_nil value0 mul0r.
rewrite big_ord_recl /=; case: X H => [|a X] H /=.
  rewrite big1 => [|i _]; last by have := H i.+1 (ltn_ord i); rewrite nth_nil => /(inside_is_point (a := at_zero) isT) ->; rewrite value0 mulr0.
  by have := H 0%N isT; rewrite nth_nil => /(inside_is_point (a := at_zero) isT) ->; rewrite value0 mulr0 addr0 inside_zero.
have IHn := IH u X (fun i => y i.+1) ud (fun i il => H i.+1 il).
case: ifP => [/is_zeroE -> | _]; first by rewrite mul0r add0r.
by apply: inside_join => //; apply: inside_stretch; exact: (H 0%N).
Qed.

Lemma in_hull_box x X Y : size X = size Y -> in_box x X \/ in_box x Y -> in_box x (hull_box X Y).
Proof.
move=> XY H i; case: (ltnP i (size X)) => iX.
  rewrite (nth_map (at_zero, at_zero)) ?size_zip -?XY ?minnn // nth_zip //=.
  by case: H => /(_ i) H; [exact: inside_hull | exact: inside_hullr].
rewrite nth_default ?size_map ?size_zip -?XY ?minnn //.
by case: H => /(_ i); rewrite nth_default -?XY.
Qed.

End Sound.
