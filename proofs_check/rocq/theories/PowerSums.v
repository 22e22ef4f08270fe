(** Sums of powers  k -> sum c b^k k^e  with integer coefficients and bases: when they vanish for every k, and when they
    are positive for every k (FORMAT.md, section 4, obligations 2 and 3).

    Executable tests first, each with its proof below. *)

From Coq Require Import ZArith Lia.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ssrZ ring.
From Exactformer Require Import Semantics Basics Certificate Checker CheckerNumbers CheckerSound Limits.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.

Section Tests.

Variable I : integers.

(** A term (b, e, c). *)
Definition term : Type := (I * nat * I)%type.
Definition base (t : term) : I := t.1.1.
Definition power (t : term) : nat := t.1.2.
Definition factor (t : term) : I := t.2.

Let O : I := of_Z I Z0.
Let one : I := of_Z I (Zpos xH).
Definition number (k : nat) : I := of_Z I (Z.of_nat k).
Definition opposite (c : I) : I := mul (of_Z I (Zneg xH)) c.

(** By squaring. *)
Fixpoint pow_positive (x : I) (p : positive) : I :=
  match p with
  | xH => x
  | xO p' => let y := pow_positive x p' in mul y y
  | xI p' => let y := pow_positive x p' in mul x (mul y y)
  end.
Definition pow (x : I) (n : nat) : I := if Z.of_nat n is Zpos p then pow_positive x p else one.

(** Terms with equal base and power add up. *)
Fixpoint insert_term (t : term) (l : seq term) : seq term :=
  if l is u :: l' then
    if eqb (base t) (base u) && (power t == power u) then (base u, power u, add (factor t) (factor u)) :: l'
    else u :: insert_term t l'
  else [:: t].

Definition collect (l : seq term) : seq term := [seq t <- foldr insert_term [::] l | ~~ eqb (factor t) O].

Definition vanishes (l : seq term) : bool := nilp (collect l).

Definition total (l : seq I) : I := foldr (@add I) O l.

(** The sum at k, k+1, .., k+n-1 is positive; the factors hold the powers b^k. *)
Fixpoint first_layers (n k : nat) (l : seq term) : bool :=
  if n is n'.+1 then
    ~~ leb (total [seq mul (factor t) (pow (number k) (power t)) | t <- l]) O &&
    first_layers n' k.+1 [seq (base t, power t, mul (factor t) (base t)) | t <- l]
  else true.

(** The coefficient of x^j in the sum of c (k0 + x)^e. *)
Definition taylor (k0 j : nat) (l : seq term) : I :=
  total [seq mul (factor t) (mul (number 'C(power t, j)) (pow (number k0) (power t - j))) | t <- l].

Definition largest_base (l : seq term) : I := foldr (fun t m => if leb m (base t) then base t else m) O l.
Definition largest_power (l : seq term) : nat := foldr (fun t m => maxn (power t) m) 0%N l.

(** From k0 on the terms of largest base grow and outweigh all negative ones, which fall beside them. *)
Definition dominates (k0 : nat) (l : seq term) : bool :=
  let top := largest_base l in
  let lead := [seq t <- l | eqb (base t) top] in
  let negative := [seq t <- l | ~~ eqb (base t) top && ~~ leb O (factor t)] in
  [&& all (fun j => leb O (taylor k0 j lead)) (iota 0 (largest_power lead).+1),
      all (fun t => leb (mul (base t) (pow (number k0.+1) (power t))) (mul top (pow (number k0) (power t)))) negative
    & ~~ leb (add (mul (taylor k0 0 lead) (pow top k0))
                  (total [seq mul (factor t) (mul (pow (number k0) (power t)) (pow (base t) k0)) | t <- negative])) O].

Definition positive_for_ever (k0 : nat) (l : seq term) : bool :=
  let l' := collect l in
  [&& (0 < k0)%N, all (fun t => ~~ leb (base t) O) l', first_layers k0 0 l' & dominates k0 l'].

End Tests.

Local Open Scope ring_scope.

Section Sound.

Variables (I : integers) (R : realFieldType).
Notation O := (of_Z I Z0).
Notation phi := (@phi I R).
Implicit Types (t : term I) (l : seq (term I)) (k : nat).

Lemma phi_number k : phi (number I k) = k%:R. Proof. exact: phi_nat. Qed.
Lemma phi_opposite c : phi (opposite c) = - phi c.
Proof. by rewrite /opposite phiM {1}/CheckerNumbers.phi of_ZK mulN1r. Qed.

Lemma phi_pow x n : phi (pow x n) = phi x ^+ n.
Proof.
have H p : phi (pow_positive x p) = phi x ^+ Pos.to_nat p.
  elim: p => [p IH | p IH |] /=; rewrite ?expr1 // !phiM IH -?exprD -?exprS; congr (_ ^+ _).
    by rewrite Pos2Nat.inj_xI -!plusE; lia.
  by rewrite Pos2Nat.inj_xO -!plusE; lia.
by case: n => [|n]; rewrite /pow /= ?phi1 // H SuccNat2Pos.id_succ.
Qed.

Lemma phi_total (s : seq I) : phi (total s) = \sum_(x <- s) phi x.
Proof. by elim: s => [|x s IH]; rewrite ?big_nil ?phi0 // big_cons -IH /= phiD. Qed.

Lemma phi_pos x : ~~ leb x O = (0 < phi x). Proof. by rewrite -(phi_le R) phi0 -ltNge. Qed.
Lemma phi_ge0 x : leb O x = (0 <= phi x). Proof. by rewrite -(phi_le R) phi0. Qed.
Lemma phi_eqb x y : eqb x y = (phi x == phi y). Proof. by rewrite /CheckerNumbers.phi phiZ_eq eqbE. Qed.

(** ** Collecting *)

(** The sum of c g(b,e), whatever g. *)
Definition sum_of (g : R -> nat -> R) l : R := \sum_(t <- l) phi (factor t) * g (phi (base t)) (power t).

Lemma sum_insert g t l : sum_of g (insert_term t l) = sum_of g (t :: l).
Proof.
elim: l => //= u l IH; case: ifP => [/andP[/(phi_eq (R := R)) E /eqP F] | _]; rewrite /sum_of.
  by rewrite !big_cons /= /base /power /factor /= phiD in E F *; rewrite E F mulrDl addrA.
by rewrite big_cons -/(sum_of g _) IH /sum_of !big_cons addrCA.
Qed.

Lemma sum_collect g l : sum_of g (collect l) = sum_of g l.
Proof.
rewrite /collect; transitivity (sum_of g (foldr (@insert_term I) [::] l)).
  rewrite /sum_of big_filter [RHS](bigID (fun t => ~~ eqb (factor t) O)) /= [X in _ + X]big1 ?addr0 // => t.
  by rewrite negbK => /(phi_eq (R := R)) ->; rewrite phi0 mul0r.
by elim: l => //= t l IH; rewrite sum_insert /sum_of !big_cons -!/(sum_of g _) IH.
Qed.

Lemma vanishesP g l : vanishes l -> sum_of g l = 0.
Proof. by move=> /nilP E; rewrite -sum_collect E /sum_of big_nil. Qed.

(** ** Positivity *)

Definition power_sum k l : R := sum_of (fun b e => b ^+ k * k%:R ^+ e) l.

Lemma first_layersP n k l : first_layers n k l ->
  forall m, (m < n)%N -> 0 < \sum_(t <- l) phi (factor t) * phi (base t) ^+ m * (k + m)%:R ^+ power t.
Proof.
elim: n k l => // n IH k l /= /andP[H1 H2] [|m] mn.
  move: H1; rewrite phi_pos phi_total big_map; congr (0 < _); apply: eq_bigr => t _.
  by rewrite phiM phi_pow phi_number expr0 mulr1 addn0.
have := IH _ _ H2 m mn; rewrite big_map; congr (0 < _); apply: eq_bigr => t _.
by rewrite /base /power /factor /= phiM exprS addSnnS; ring.
Qed.

Lemma taylorP k0 j l : phi (taylor k0 j l) = \sum_(t <- l) phi (factor t) * ('C(power t, j)%:R * k0%:R ^+ (power t - j)).
Proof. by rewrite phi_total big_map; apply: eq_bigr => t _; rewrite !phiM phi_pow !phi_number. Qed.

Lemma largest_powerP l t : List.In t l -> (power t <= largest_power l)%N.
Proof. by elim: l => //= u l IH [-> | /IH le]; rewrite leq_max ?leqnn // le orbT. Qed.

(** The terms of largest base are no less at k than at k0. *)
Lemma lead_grows k0 x l : all (fun j => leb O (taylor k0 j l)) (iota 0 (largest_power l).+1) ->
  \sum_(t <- l) phi (factor t) * k0%:R ^+ power t <= \sum_(t <- l) phi (factor t) * (k0 + x)%:R ^+ power t.
Proof.
move=> H; pose n := (largest_power l).+1.
have E t : List.In t l -> (k0 + x)%:R ^+ power t = \sum_(j < n) ('C(power t, j)%:R * k0%:R ^+ (power t - j)) * x%:R ^+ j :> R.
  move=> /largest_powerP le; rewrite natrD exprDn (big_ord_widen n (fun j => (k0%:R ^+ (power t - j) * x%:R ^+ j) *+ 'C(power t, j))) ?ltnS //.
  rewrite big_mkcond; apply: eq_bigr => j _; case: ifP => [_ | /negbT]; first by rewrite -mulr_natl mulrA.
  by rewrite -leqNgt => lt; rewrite bin_small // !mul0r.
have -> : \sum_(t <- l) phi (factor t) * (k0 + x)%:R ^+ power t = \sum_(j < n) phi (taylor k0 j l) * x%:R ^+ j.
  under [RHS]eq_bigr do rewrite taylorP mulr_suml.
  rewrite exchange_big /=; elim: (l) E => [|t s IH] E; rewrite ?big_nil // !big_cons IH => [|u us]; last by apply: E; right.
  congr (_ + _); rewrite E ?mulr_sumr; last by left.
  by apply: eq_bigr => j _; rewrite mulrA.
have -> : \sum_(t <- l) phi (factor t) * k0%:R ^+ power t = phi (taylor k0 0 l).
  by rewrite taylorP; apply: eq_bigr => t _; rewrite bin0 mul1r subn0.
rewrite /n big_ord_recl expr0 mulr1 ler_addl sumr_ge0 // => j _; rewrite mulr_ge0 ?exprn_ge0 ?ler0n //.
by rewrite -phi_ge0; move/allP: H; apply; rewrite mem_iota add0n ltn_ord.
Qed.

(** Beside top^k a falling term stays below what it was at k0. *)
Lemma falling (b top : R) e k0 m : (0 < k0)%N -> 0 <= b -> 0 <= top -> b * k0.+1%:R ^+ e <= top * k0%:R ^+ e ->
  (k0 + m)%:R ^+ e * b ^+ (k0 + m) <= k0%:R ^+ e * b ^+ k0 * top ^+ m.
Proof.
move=> k00 b0 top0 H; elim: m => [|m IH]; first by rewrite addn0 expr0 mulr1.
rewrite addnS exprS [top ^+ _]exprSr mulrA [X in _ <= X]mulrA; set k := (k0 + m)%N in IH *.
have k0p : 0 < k0%:R ^+ e :> R by rewrite exprn_gt0 ?ltr0n.
have step : k.+1%:R ^+ e * b <= k%:R ^+ e * top.
  rewrite -(ler_pmul2r k0p) [X in X <= _]mulrAC -exprMn -natrM -[X in _ <= X]mulrA.
  apply: (@le_trans _ _ (k%:R ^+ e * (b * k0.+1%:R ^+ e))).
    rewrite [b * _]mulrC mulrA -exprMn -natrM ler_wpmul2r // ler_expn2r ?nnegrE ?ler0n // ler_nat.
    by rewrite mulSn mulnS leq_add2r /k leq_addr.
  by rewrite ler_wpmul2l ?exprn_ge0 ?ler0n.
apply: (@le_trans _ _ (k%:R ^+ e * top * b ^+ k)); first by rewrite ler_wpmul2r // exprn_ge0.
by rewrite mulrAC ler_wpmul2r.
Qed.

Lemma largest_baseP l : all (fun t => ~~ leb (base t) O) l -> l <> [::] -> 0 < phi (largest_base l).
Proof.
elim: l => // t [|u l] IH /= /andP[t0].
  by move=> _ _; case: ifP => [_ | /negbT]; rewrite -phi_pos // => /negP[]; rewrite phi_ge0 ltW // -phi_pos.
by move=> /IH H _; case: ifP => _; [rewrite -phi_pos | exact: H].
Qed.

Lemma In_filter (a : pred (term I)) l t : List.In t (filter a l) -> List.In t l /\ a t.
Proof.
elim: l => //= u l IH; case: (boolP (a u)) => /= au; last by move=> /IH[]; split=> //; right.
by move=> [<- | /IH[]]; split=> //; [left | right].
Qed.

Lemma dominatesP k0 l : (0 < k0)%N -> all (fun t => ~~ leb (base t) O) l -> dominates k0 l ->
  forall m, 0 < power_sum (k0 + m) l.
Proof.
move=> k00 bpos /and3P[grow falls outweigh] m; set top := largest_base l in grow falls outweigh.
set lead := [seq t <- l | eqb (base t) top] in grow outweigh.
set negative := [seq t <- l | ~~ eqb (base t) top && ~~ leb O (factor t)] in falls outweigh.
have l0 : l <> [::] by move=> E; move: outweigh; rewrite /lead /negative E phi_pos phiD phiM !phi0 mul0r addr0 ltxx.
have top1 : 0 < phi top by exact: largest_baseP.
have top0 := ltW top1.
pose f k t : R := phi (factor t) * (phi (base t) ^+ k * k%:R ^+ power t).
have base0 t : List.In t l -> 0 <= phi (base t).
  by elim: (l) bpos => //= u s IH /andP[u0 /IH H] [<- | /H //]; rewrite ltW // -phi_pos.
(* split the sum: largest base, and what else is negative *)
have lower : phi top ^+ (k0 + m) * (\sum_(t <- lead) phi (factor t) * (k0 + m)%:R ^+ power t) +
             \sum_(t <- negative) f (k0 + m)%N t <= power_sum (k0 + m) l.
  rewrite /power_sum /sum_of [X in _ <= X](bigID (fun t => eqb (base t) top)) /= ler_add //.
    rewrite /lead big_filter mulr_sumr le_eqVlt; apply/orP; left; apply/eqP; apply: eq_bigr => t /(phi_eq (R := R)) ->.
    by rewrite mulrCA.
  rewrite /negative big_filter; elim: (l) base0 => [|t s IH] H; rewrite ?big_nil // !big_cons.
  have {}IH := IH (fun u us => H u (or_intror us)); case: (eqb (base t) top) => //=; case: (boolP (leb O (factor t))) => /= c0.
    apply: le_trans IH _; rewrite ler_addr mulr_ge0 ?mulr_ge0 -?phi_ge0 ?exprn_ge0 ?ler0n //.
    by apply: H; left.
  by rewrite ler_add2l.
apply: lt_le_trans lower.
have fall : phi top ^+ m * (\sum_(t <- negative) f k0 t) <= \sum_(t <- negative) f (k0 + m)%N t.
  rewrite mulr_sumr; have base1 t : List.In t negative -> 0 <= phi (base t).
    by rewrite /negative => /In_filter[/base0].
  have neg t : List.In t negative -> phi (factor t) < 0.
    by rewrite /negative => /In_filter[_ /andP[_]]; rewrite phi_ge0 -ltNge.
  elim: (negative) falls base1 neg => [|t s IH] /=; first by rewrite !big_nil.
  case/andP => ft /IH {}IH base1 neg; rewrite !big_cons ler_add //; last first.
    by apply: IH => u us; [apply: base1 | apply: neg]; right.
  rewrite /f mulrCA ler_wnmul2l //; first by apply/ltW/neg; left.
  rewrite [X in X <= _]mulrC [X in _ <= X]mulrC [X in X * phi top ^+ m]mulrC; apply: falling => //; first by apply: base1; left.
  by move: ft; rewrite -(phi_le R) !phiM !phi_pow !phi_number.
apply: lt_le_trans (ler_add (lexx _) fall).
apply: lt_le_trans (ler_add (ler_wpmul2l (exprn_ge0 (k0 + m) top0) (lead_grows m grow)) (lexx _)).
have E : phi (taylor k0 0 lead) = \sum_(t <- lead) phi (factor t) * k0%:R ^+ power t.
  by rewrite taylorP; apply: eq_bigr => t _; rewrite bin0 mul1r subn0.
move: outweigh; rewrite phi_pos phiD phiM phi_pow phi_total big_map E.
have -> : \sum_(t <- negative) phi (mul (factor t) (mul (pow (number I k0) (power t)) (pow (base t) k0))) =
          \sum_(t <- negative) f k0 t.
  by apply: eq_bigr => t _; rewrite /f !phiM !phi_pow phi_number [_ ^+ k0 * _]mulrC.
move: (\sum_(t <- lead) _) (\sum_(t <- negative) _) => P N H; rewrite exprD.
have -> : phi top ^+ k0 * phi top ^+ m * P + phi top ^+ m * N = phi top ^+ m * (P * phi top ^+ k0 + N) by ring.
by rewrite mulr_gt0 ?exprn_gt0.
Qed.

Theorem positive_for_everP k0 l : positive_for_ever k0 l -> forall k, 0 < power_sum k l.
Proof.
case/and4P => k00 bpos first dom k; rewrite /power_sum -sum_collect.
case: (ltnP k k0) => kk0; last by rewrite -(subnKC kk0); exact: dominatesP.
have := first_layersP first kk0; congr (0 < _); apply: eq_bigr => t _.
by rewrite add0n mulrA.
Qed.

End Sound.
