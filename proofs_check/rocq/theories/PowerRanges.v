(** Sums of powers  k -> sum c b^k k^e  with integer coefficients and bases, on a range of integers: when they are
    positive there, and when they vanish there (FORMAT.md, section 13, obligations 3 to 5).

    Executable tests first, each with its proof below. *)

From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ssrZ ring.
From Exactformer Require Import Semantics Basics Certificate Checker CheckerNumbers CheckerSound Limits PowerSums.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.

Section Tests.

Variable I : integers.
Let O : I := of_Z I Z0.
Implicit Types (l : seq (term I)) (u v k : nat).

(** f(k). *)
Definition value_at k l : I := total [seq mul (factor t) (mul (pow (base t) k) (pow (number I k) (power t))) | t <- l].

(** f(k+1) - b f(k). *)
Definition difference (b : I) l : seq (term I) :=
  collect (flatten [seq [seq (base t, j, mul (mul (factor t) (base t)) (number I 'C(power t, j))) | j <- iota 0 (power t).+1] | t <- l]
    ++ [seq (t.1, mul (opposite b) (factor t)) | t <- l]).

Definition one_sign (l : seq I) : bool := all (leb O) l || all (fun x => leb x O) l.
Definition positive_bases l : bool := all (fun t => ~~ leb (base t) O) l.

(** f has one sign from u to v: so do its coefficients; or so do f(u) and f(v), and f/b^k is monotone, b its largest base. *)
Fixpoint keeps_sign (fuel : nat) l u v : bool :=
  (v <= u)%N || positive_bases l &&
  (one_sign [seq factor t | t <- l] ||
   (if fuel is fuel'.+1 then one_sign [:: value_at u l; value_at v l] && keeps_sign fuel' (difference (largest_base l) l) u v.-1 else false)).

(** A difference has one coefficient less. *)
Definition coefficients l : nat := sumn [seq (power t).+1 | t <- l].

Fixpoint positive_path l d u (places : seq nat) : bool :=
  if places is v :: places' then
    [&& ~~ leb (value_at v l) O, (v <= u.+1)%N || keeps_sign (coefficients d) d u v.-1 & positive_path l d v places']
  else true.

(** f is positive from u to the last place: at all places, and f/b^k is monotone between neighbours. *)
Definition positive_on l u (places : seq nat) : bool :=
  [&& positive_bases l, ~~ leb (value_at u l) O & positive_path l (difference (largest_base l) l) u places].

(** f is positive from u on: up to the last place, and by dominance after it. *)
Definition positive_from l u (places : seq nat) : bool :=
  let k0 := last u places in [&& (0 < k0)%N, positive_on l u places & dominates k0 l].

(** f vanishes from u to v: always, or at each of few integers. *)
Definition few : nat := 64.
Definition vanishes_on l u v : bool := vanishes l || (v < u + few)%N && all (fun k => eqb (value_at k l) O) (iota u (v.+1 - u)).

End Tests.

Local Open Scope ring_scope.

(** ** Monotone sequences *)

Section Monotone.

Variables (R : realFieldType) (b : R).
Hypothesis b_gt0 : 0 < b.

(** f(k)/b^k rises as long as f(k+1) - b f(k) >= 0. *)
Lemma rises (f g : nat -> R) u v : (forall k, f k.+1 = g k + b * f k) -> (forall k, (u <= k < v)%N -> 0 <= g k) ->
  forall x y, (u <= x)%N -> (x <= y)%N -> (y <= v)%N -> b ^+ (y - x) * f x <= f y.
Proof.
move=> fg H x y ux xy; rewrite -(subnKC xy) addKn; elim: (y - x)%N => [|n IH]; first by rewrite addn0 expr0 mul1r.
rewrite addnS => lt; rewrite fg exprS -mulrA -[X in X <= _]add0r; apply: ler_add; first by apply: H; rewrite lt (leq_trans ux) ?leq_addr.
by rewrite ler_wpmul2l ?(ltW b_gt0) //; apply: IH; exact: ltnW.
Qed.

Lemma between (f g : nat -> R) u v k : (forall k, f k.+1 = g k + b * f k) ->
  (forall k, (u <= k < v)%N -> 0 <= g k) \/ (forall k, (u <= k < v)%N -> g k <= 0) -> (u <= k <= v)%N ->
  exists p q, [/\ 0 < p, 0 < q & (p * f u <= f k <= q * f v) || (q * f v <= f k <= p * f u)].
Proof.
move=> fg sign /andP[uk kv]; exists (b ^+ (k - u)), (b ^+ (v - k))^-1.
have q0 : 0 < b ^+ (v - k) by exact: exprn_gt0.
split; [exact: exprn_gt0 | by rewrite invr_gt0 | ].
case: sign => H; apply/orP; [left | right].
  by rewrite ler_pdivl_mull // !(rises fg H).
have fg' j : - f j.+1 = - g j + b * - f j by rewrite fg opprD mulrN.
have H' j : (u <= j < v)%N -> 0 <= - g j by rewrite oppr_ge0; exact: H.
rewrite ler_pdivr_mull // -ler_opp2 -[X in _ && X]ler_opp2 -!mulrN.
by rewrite !(rises (f := fun j => - f j) fg' H').
Qed.

End Monotone.

Section Sound.

Variables (I : integers) (R : realFieldType).
Notation O := (of_Z I Z0).
Notation phi := (@phi I R).
Notation f := (power_sum R).
Implicit Types (t : term I) (l d : seq (term I)) (u v k : nat).

Lemma value_atP k l : phi (value_at k l) = f k l.
Proof. by rewrite phi_total big_map; apply: eq_bigr => t _; rewrite !phiM !phi_pow phi_number. Qed.

Lemma value_gt0 k l : ~~ leb (value_at k l) O = (0 < f k l).
Proof. by rewrite (phi_pos R) value_atP. Qed.

Lemma differenceP b l k : f k.+1 l = f k (difference b l) + phi b * f k l.
Proof.
have cat g (l1 l2 : seq (term I)) : sum_of (R := R) g (l1 ++ l2) = sum_of g l1 + sum_of g l2 by rewrite /sum_of big_cat.
have -> : f k (difference b l) = sum_of (fun b e => b ^+ k * k%:R ^+ e) (difference b l) by [].
rewrite /difference sum_collect cat.
have -> : sum_of (fun b e => b ^+ k * k%:R ^+ e) [seq (t.1, mul (opposite b) (factor t)) | t <- l] = - (phi b * f k l).
  rewrite /power_sum /sum_of big_map -mulNr -(phi_opposite R) mulr_sumr; apply: eq_bigr => t _.
  by rewrite /base /power /factor /= phiM -mulrA.
rewrite subrK /power_sum /sum_of big_flatten big_map; apply: eq_bigr => t _.
rewrite big_map -[(power t).+1]subn0 -/(index_iota 0 (power t).+1) big_mkord.
rewrite exprS -add1n natrD exprDn !mulr_sumr; apply: eq_bigr => j _; rewrite /power /base /factor /=.
by rewrite expr1n mul1r !phiM phi_number -mulr_natr; move: (phi _ ^+ k) (k%:R ^+ _) => x y; ring.
Qed.

Lemma one_signP (s : seq I) : one_sign s -> all (fun x => 0 <= phi x) s \/ all (fun x => phi x <= 0) s.
Proof.
case/orP => H; [left | right]; apply: sub_all H => x; first by rewrite (phi_ge0 R).
by rewrite -(phi_le R) phi0.
Qed.

Lemma terms_sign l : positive_bases l -> one_sign [seq factor t | t <- l] -> (forall k, 0 <= f k l) \/ (forall k, f k l <= 0).
Proof.
move=> bases /one_signP; rewrite !all_map => -[] sign; [left | right] => k; rewrite /power_sum /sum_of.
  elim: l bases sign => [|t l IH] /=; first by rewrite big_nil.
  case/andP => + /IH{}IH /andP[c0 /IH{}IH]; rewrite (phi_pos R) big_cons => b0.
  by rewrite addr_ge0 // !mulr_ge0 ?exprn_ge0 ?ler0n ?(ltW b0).
elim: l bases sign => [|t l IH] /=; first by rewrite big_nil.
case/andP => + /IH{}IH /andP[c0 /IH{}IH]; rewrite (phi_pos R) big_cons => b0.
by rewrite -[X in _ <= X]addr0 ler_add // mulr_le0_ge0 // mulr_ge0 ?exprn_ge0 ?ler0n ?(ltW b0).
Qed.

(** Between two places beside which the difference has one sign, f is between multiples of its values there. *)
Lemma betweenP l u v k : positive_bases l -> l <> [::] ->
  (forall j, (u <= j < v)%N -> 0 <= f j (difference (largest_base l) l)) \/
  (forall j, (u <= j < v)%N -> f j (difference (largest_base l) l) <= 0) -> (u <= k <= v)%N ->
  exists p q, [/\ 0 < p, 0 < q & (p * f u l <= f k l <= q * f v l) || (q * f v l <= f k l <= p * f u l)].
Proof.
move=> bases l0 sign; have b0 : 0 < phi (largest_base l) by exact: largest_baseP.
exact: (between (f := fun j => f j l) b0 (differenceP _ l) sign).
Qed.

Lemma no_terms l : l = [::] \/ l <> [::].
Proof. by case: l => [|t l]; [left | right]. Qed.

Definition signed l u v : Prop := (forall k, (u <= k <= v)%N -> 0 <= f k l) \/ (forall k, (u <= k <= v)%N -> f k l <= 0).

Lemma signed_difference l u v : (u < v)%N -> signed l u v.-1 ->
  (forall j, (u <= j < v)%N -> 0 <= f j l) \/ (forall j, (u <= j < v)%N -> f j l <= 0).
Proof.
case: v => [|v]; first by rewrite ltn0.
move=> _ sign; case: sign => H; [left | right] => j; rewrite ltnS; exact: H.
Qed.

Lemma keeps_signP fuel l u v : keeps_sign fuel l u v -> signed l u v.
Proof.
have short l' w x : (x <= w)%N -> signed l' w x.
  move=> xw; have E k : (w <= k <= x)%N -> k = w.
    by case/andP => wk kx; apply/eqP; rewrite eqn_leq wk (leq_trans kx xw).
  by case: (leP 0 (f w l')) => [le | /ltW le]; [left | right] => k /E ->.
elim: fuel l u v => [|fuel IH] l u v /= /orP[/short // | /andP[bases]].
  by rewrite orbF => /(terms_sign bases)[] H; [left | right].
case: (leqP v u) => [/short // | uv].
case/orP => [/(terms_sign bases)[] H | /andP[/one_signP ends /IH diff]]; [by left | by right | ].
have [E | l0] := no_terms l; first by left => k _; rewrite E /power_sum /sum_of big_nil.
have sgn := signed_difference uv diff.
case: ends => /= /and3P[]; rewrite !value_atP => fu fv _; [left | right] => k ukv;
  have [p [q [p0 q0 /orP[] /andP[lo hi]]]] := betweenP bases l0 sgn ukv.
- by apply: le_trans lo; rewrite pmulr_rge0.
- by apply: le_trans lo; rewrite pmulr_rge0.
- by apply: le_trans hi _; rewrite pmulr_rle0.
- by apply: le_trans hi _; rewrite pmulr_rle0.
Qed.

Lemma positive_onP l u places : positive_on l u places -> forall k, (u <= k <= last u places)%N -> 0 < f k l.
Proof.
case/and3P => bases; rewrite value_gt0 => fu path k /andP[]; have [E | l0] := no_terms l.
  by move: fu; rewrite E /power_sum /sum_of big_nil ltxx.
elim: places u fu path => [|v places IH] u fu /=.
  by move=> _ uk ku; have /eqP <- : u == k by rewrite eqn_leq uk.
case/and3P => fv step path uk; case: (leqP k v) => [kv | /ltnW vk]; last by apply: IH => //; rewrite -value_gt0.
move: fv; rewrite value_gt0 => fv _.
case: (leqP v u.+1) step => [vu _ | uv /= /keeps_signP diff].
  case: (eqVneq u k) => [<- // | ne]; have /eqP <- // : v == k.
  by rewrite eqn_leq kv andbT (leq_trans vu) // ltn_neqAle ne.
have [//||p [q [p0 q0 /orP[] /andP[lo hi]]]] := betweenP (u := u) (v := v) (k := k) bases l0.
- by apply: signed_difference diff; exact: ltnW.
- by rewrite uk.
- by apply: lt_le_trans lo; rewrite pmulr_rgt0.
- by apply: lt_le_trans lo; rewrite pmulr_rgt0.
Qed.

Theorem positive_fromP l u places : positive_from l u places -> forall k, (u <= k)%N -> 0 < f k l.
Proof.
case/and3P => k00 on dom k uk; case: (leqP k (last u places)) => kk0; first by apply: positive_onP on _ _; rewrite uk.
by rewrite -(subnKC (ltnW kk0)); apply: dominatesP dom _ => //; case/and3P: on.
Qed.

Lemma vanishes_onP l u v : vanishes_on l u v -> forall k, (u <= k <= v)%N -> f k l = 0.
Proof.
case/orP => [zero k _ | /andP[_ /allP zero] k /andP[uk kv]]; first exact: vanishesP.
apply/eqP; rewrite -value_atP -(phi0 I R) -(phi_eqb R); apply: zero.
by rewrite mem_iota uk subnKC ?ltnS // (leq_trans uk) // leqW.
Qed.

End Sound.
