(** Quadratic forms by elimination without fractions: nonnegative everywhere, negative somewhere, zero at a nonzero point. *)

From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ssrZ ring.
From Exactformer Require Import Semantics Certificate Checker CheckerNumbers PowerSums LimitChecker LimitTests.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Tests.

Variable I : integers.
Notation O := (of_Z I Z0).

Definition pivot (M : seq (seq I)) : I := head O (head [::] M).
Definition zero_row n (M : seq (seq I)) : bool := all (fun j => eqb (nth O (head [::] M) j) O) (iota 0 n).
(** Without the first row and the first column: as they are, or after elimination by a positive pivot. *)
Definition minor (M : seq (seq I)) : seq (seq I) := map behead (behead M).
Definition eliminated (M : seq (seq I)) : seq (seq I) := eliminate (pivot M) (behead (head [::] M)) (behead M).

Fixpoint semidefinite n (M : seq (seq I)) : bool :=
  if n is n'.+1 then
    if leb (pivot M) O then zero_row n M && semidefinite n' (minor M) else semidefinite n' (eliminated M)
  else true.

Fixpoint negative n (M : seq (seq I)) : bool :=
  if n is n'.+1 then
    if leb (pivot M) O then ~~ zero_row n M || negative n' (minor M) else negative n' (eliminated M)
  else false.

Fixpoint singular n (M : seq (seq I)) : bool :=
  if n is n'.+1 then if leb (pivot M) O then zero_row n M else singular n' (eliminated M) else false.

End Tests.

Section Proofs.

Variables (I : integers) (R : realFieldType).
Notation O := (of_Z I Z0).
Notation phi := (@phi I R).
Notation form := (@form I R).
Notation entry M i j := (phi (nth O (nth [::] M i) j)).

Definition symmetric_to n (M : seq (seq I)) : Prop := forall i j, (i < n)%N -> (j < n)%N -> entry M i j = entry M j i.

Lemma pivotE (M : seq (seq I)) : phi (pivot M) = entry M 0 0. Proof. by rewrite /pivot !nth0. Qed.

Lemma entry_minor (M : seq (seq I)) i j : entry (minor M) i j = entry M i.+1 j.+1.
Proof.
rewrite /minor; case: (ltnP i (size (behead M))) => iM; first by rewrite (nth_map [::]) // !nth_behead.
by rewrite !(nth_default [::]) ?size_map ?nth_nil //; move: iM; rewrite size_behead -ltnS; case: M.
Qed.

Lemma symmetric_minor n M : symmetric_to n.+1 M -> symmetric_to n (minor M).
Proof. by move=> sym i j il jl; rewrite !entry_minor sym. Qed.

Lemma symmetric_eliminated n M : symmetric_to n.+1 M -> symmetric_to n (eliminated M).
Proof.
move=> sym i j il jl; rewrite !nth_eliminate !nth_behead -!nth0 (sym i.+1 j.+1) // (sym i.+1 0%N) // (sym j.+1 0%N) //; ring.
Qed.

Lemma pivot_gt0 (M : seq (seq I)) : leb (pivot M) O = false -> 0 < phi (pivot M).
Proof. by rewrite -(phi_le R) phi0 ltNge => ->. Qed.

Lemma zero_rowP n (M : seq (seq I)) : reflect (forall j, (j < n)%N -> entry M 0 j = 0) (zero_row n M).
Proof.
apply: (iffP allP) => H j; first by move=> jn; rewrite nth0 -(phi0 I R); apply/phi_eq/H; rewrite mem_iota.
by rewrite mem_iota => /= jn; rewrite (phi_eqb R) phi0 -nth0 H.
Qed.

(** A zero first row and column. *)
Lemma form_minor n M x : symmetric_to n.+1 M -> zero_row n.+1 M -> form n.+1 M x = form n (minor M) (x \o succn).
Proof.
move=> sym /zero_rowP z; rewrite /form big_ord_recl [X in X + _]big1 ?add0r => [|j _]; last first.
  by have -> : entry M (@ord0 n) j = 0 := z j (ltn_ord j); rewrite !mul0r.
apply: eq_bigr => i _; have zi : entry M (lift (@ord0 n) i) (@ord0 n) = 0 by rewrite sym // (z i.+1) // ltnS.
rewrite big_ord_recl zi !mul0r add0r.
by apply: eq_bigr => j _; rewrite entry_minor /= /bump /= add1n.
Qed.

Lemma semidefiniteP n M x : symmetric_to n M -> semidefinite n M -> 0 <= form n M x.
Proof.
elim: n M x => [|n IH] M x sym; first by rewrite /form big_ord0.
rewrite /=; case: ifP => p0.
  by case/andP => z H; rewrite form_minor //; apply: IH H; exact: symmetric_minor.
move=> H; rewrite -(pmulr_rge0 _ (pivot_gt0 p0)) form_eliminate => [|i il]; last exact: sym.
by rewrite addr_ge0 ?sqr_ge0 // IH //; exact: symmetric_eliminated.
Qed.

(** x with a first entry of one's own. *)
Definition with_first (t : R) (x : nat -> R) : nat -> R := fun i => if i is j.+1 then x j else t.

(** The first entry that makes the square vanish. *)
Lemma form_cancelled n M x : symmetric_to n.+1 M -> leb (pivot M) O = false -> exists t,
  phi (pivot M) * form n.+1 M (with_first t x) = form n (eliminated M) x.
Proof.
move=> sym p0; have p := pivot_gt0 p0; exists (- (\sum_(j < n) entry M 0 j.+1 * x j) / phi (pivot M)).
rewrite form_eliminate => [|i il]; last exact: sym.
rewrite big_ord_recl /= -pivotE mulrCA mulfV ?lt0r_neq0 // mulr1.
by rewrite [X in - _ + X](eq_bigr (fun j : 'I_n => entry M 0 j.+1 * x j)) ?addNr ?expr0n ?add0r.
Qed.

Lemma form_split n M s y : symmetric_to n.+1 M -> form n.+1 M (with_first s y) =
  entry M 0 0 * s ^+ 2 + 2%:R * s * (\sum_(j < n) entry M 0 j.+1 * y j) + form n (minor M) y.
Proof.
move=> sym; set b := \sum_(j < n) _; rewrite /form big_ord_recl big_ord_recl.
have -> : \sum_(i < n) entry M (@ord0 n) (lift (@ord0 n) i) * with_first s y (@ord0 n) * with_first s y (lift (@ord0 n) i) = s * b.
  by rewrite /b mulr_sumr; apply: eq_bigr => i _; rewrite /= -mulrA mulrCA.
have -> : \sum_(i < n) \sum_(j < n.+1) entry M (lift (@ord0 n) i) j * with_first s y (lift (@ord0 n) i) * with_first s y j =
  s * b + form n (minor M) y.
  rewrite /b /form mulr_sumr -big_split; apply: eq_bigr => i _; rewrite big_ord_recl; congr (_ + _).
    rewrite sym //; change (entry M 0 i.+1 * y i * s = s * (entry M 0 i.+1 * y i)); exact: mulrC.
  by apply: eq_bigr => j _; rewrite entry_minor.
rewrite -/(form n (minor M) y); move: (form n _ _) => q.
change (entry M 0 0 * s * s + s * b + (s * b + q) = entry M 0 0 * s ^+ 2 + 2%:R * s * b + q); ring.
Qed.

Lemma form_at_first n M : symmetric_to n.+1 M -> form n.+1 M (with_first 1 (fun=> 0)) = entry M 0 0.
Proof.
move=> sym; rewrite form_split // big1 => [|i _]; last by rewrite mulr0.
by rewrite mulr0 addr0 expr1n mulr1 /form big1 ?addr0 // => i _; apply: big1 => j _; rewrite mulr0.
Qed.

Lemma negativeP n M : symmetric_to n M -> negative n M -> exists x, form n M x < 0.
Proof.
elim: n M => // n IH M sym /=; case: ifP => p0; last first.
  move=> /(IH _ (symmetric_eliminated sym))[x xn]; have [t E] := form_cancelled x sym p0.
  by exists (with_first t x); rewrite -(pmulr_rlt0 _ (pivot_gt0 p0)) E.
have p : entry M 0 0 <= 0 by rewrite -pivotE -(phi0 I R) phi_le.
case: (boolP (zero_row n.+1 M)) => [z /= | nz _]; last first.
  case: (ltrgtP (entry M 0 0) 0) p => // [lt _ | E _].
    by exists (with_first 1 (fun=> 0)); rewrite form_at_first.
  have [j /eqP bj] : exists j : 'I_n, entry M 0 j.+1 != 0.
    apply/existsP; apply: contraNT nz => /existsPn H; apply/zero_rowP => -[|j] jn; first by rewrite E.
    by move: (H (Ordinal (jn : (j < n)%N))); rewrite negbK => /eqP.
  set b := entry M 0 j.+1 in bj; set c := entry M j.+1 j.+1.
  exists (with_first (- (c + 1) / (2%:R * b)) (fun i => (i == j :> nat)%:R)).
  rewrite form_split // E mul0r add0r (bigD1 j) //= eqxx mulr1 big1 ?addr0 => [|i ij]; last by rewrite (negbTE ij : (i == j :> nat) = false) mulr0.
  have -> : form n (minor M) (fun i => (i == j :> nat)%:R) = c.
    rewrite /form (bigD1 j) //= (bigD1 j) //= eqxx !mulr1 entry_minor !big1 ?addr0 // => i ij.
      by apply: big1 => k _; rewrite (negbTE ij : (i == j :> nat) = false) mulr0 mul0r.
    by rewrite (negbTE ij : (i == j :> nat) = false) mulr0.
  have -> : 2%:R * (- (c + 1) / (2%:R * b)) * b = - (c + 1).
    by rewrite mulrAC mulrC divfK // mulf_neq0 ?pnatr_eq0 //; apply/eqP.
  by rewrite opprD addrAC addNr add0r oppr_lt0 ltr01.
by move=> /(IH _ (symmetric_minor sym))[x xn]; exists (with_first 0 x); rewrite form_minor.
Qed.

Lemma singularP n M : symmetric_to n M -> singular n M ->
  exists2 x, (exists2 i, (i < n)%N & x i != 0) & form n M x = 0.
Proof.
elim: n M => // n IH M sym /=; case: ifP => p0 H.
  exists (with_first 1 (fun=> 0)); first by exists 0%N; rewrite ?oner_eq0.
  by rewrite form_at_first // (zero_rowP n.+1 M H).
have [x [i il xi] xz] := IH _ (symmetric_eliminated sym) H; have [t E] := form_cancelled x sym p0.
exists (with_first t x); first by exists i.+1.
by move: E; rewrite xz => /eqP; rewrite mulf_eq0 (negbTE (lt0r_neq0 (pivot_gt0 p0))) => /eqP.
Qed.

End Proofs.
