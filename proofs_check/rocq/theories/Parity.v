(** PARITY for words of every length, by ties to all: the recogniser of Chiang and Cholak with hardmax.

    Position 0 is the begin mark, positions 1 .. size w are the letters, n = size w + 1. A token has the coordinates
    letter, mark, place = i/n, turn = (-1)^i, and what the blocks add, each named below; exactformer.languages.literature
    has the same weights as matrices. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import ring.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Definitions.

Variable R : realFieldType.

(** A head that follows all positions below [n] whose score is largest, and the mean that it takes there. *)
Definition follows (n : nat) (score : nat -> R) : seq nat :=
  [seq j <- iota 0 n | all (fun l => score l <= score j) (iota 0 n)].

Definition attended (n : nat) (score value : nat -> R) : R :=
  (size (follows n score))%:R^-1 * \sum_(j <- follows n score) value j.

Definition relu (x : R) : R := Num.max 0 x.

Variable w : seq bool.

Definition positions : nat := (size w).+1.
Definition letter (i : nat) : R := if i is j.+1 then (nth false w j)%:R else 0.
Definition mark (i : nat) : R := (i == 0)%N%:R.
Definition place (i : nat) : R := i%:R / positions%:R.
Definition turn (i : nat) : R := (-1) ^+ i.

(** The first block: one head with equal scores. *)
Definition ones : R := attended positions (fun _ => 0) letter.
Definition one_over : R := attended positions (fun _ => 0) mark.

(** The second block: three units, then two heads; the queries are [one_over] at every position. *)
Definition spot (i : nat) : R :=
  relu (ones - place i - one_over) - 2%:R * relu (ones - place i) + relu (ones - place i + one_over).
Definition output : R :=
  attended positions (fun j => one_over * - turn j) spot
  + attended positions (fun j => one_over * turn j) (fun j => - spot j).

End Definitions.

Section Proofs.

Variable R : realFieldType.
Implicit Types (n k : nat) (w : seq bool) (c : R) (value : nat -> R).

Lemma follows_const n c : follows n (fun _ => c) = iota 0 n.
Proof. by apply/all_filterP/allP => j _; apply/allP => l _ /=. Qed.

(** Two scores, the larger one where [p] holds. *)
Lemma follows_two n (p : pred nat) c :
  0 < c -> has p (iota 0 n) -> follows n (fun j => if p j then c else - c) = [seq j <- iota 0 n | p j].
Proof.
move=> c0 /hasP[j0 j0n pj0]; apply: eq_in_filter => j jn.
apply/allP/idP => [/(_ j0 j0n) | pj l _]; rewrite ?pj0 ?pj.
  by case: (p j) => //; rewrite leNgt ltr_oppl gtr_opp // .
by case: (p l) => //; rewrite ge0_cp // ltW.
Qed.

Lemma sum_letters w : \sum_(b <- w) b%:R = (count id w)%:R :> R.
Proof. by elim: w => [|b w IH]; rewrite ?big_nil // big_cons IH /= natrD. Qed.

Lemma ones_is w : ones R w = (count id w)%:R / (positions w)%:R.
Proof.
rewrite /ones /attended follows_const size_iota mulrC; congr (_ / _).
rewrite /positions /= big_cons /= add0r -sum_letters (big_nth false).
by rewrite (iotaDl 1 0) big_map /index_iota subn0; apply: eq_bigr.
Qed.

Lemma one_over_is w : one_over R w = (positions w)%:R^-1.
Proof.
rewrite /one_over /attended follows_const size_iota /positions /= big_cons /= big1_seq ?addr0 ?mulr1 //.
by move=> j /andP[_]; rewrite mem_iota => /andP[]; case: j.
Qed.

Lemma one_over_gt0 w : 0 < one_over R w.
Proof. by rewrite one_over_is invr_gt0 ltr0n. Qed.

Lemma relu_ge0 (x : R) : 0 <= x -> relu x = x.
Proof. by rewrite /relu => /max_r. Qed.

Lemma relu_le0 (x : R) : x <= 0 -> relu x = 0.
Proof. by rewrite /relu => /max_l. Qed.

Lemma spot_is w i : spot R w i = (i == count id w)%:R / (positions w)%:R.
Proof.
have u0 := one_over_gt0 w; rewrite /spot ones_is /place -mulrBl -one_over_is; set u := one_over R w in u0 *.
case: (ltngtP i (count id w)) => [ik | ki | ->].
- have x1 : u <= ((count id w)%:R - i%:R) * u.
    by rewrite ler_pmull // ler_subr_addr -(natrD _ 1) ler_nat add1n.
  have x0 := le_trans (ltW u0) x1.
  rewrite mulr0n mul0r !relu_ge0 ?subr_ge0 ?addr_ge0 // ?ltW //; ring.
- have x1 : ((count id w)%:R - i%:R) * u <= - u.
    by rewrite -(mulN1r u) ler_pmul2r // ler_subl_addr addrC ler_subr_addr -(natrD _ _ 1) ler_nat addn1.
  have x0 : ((count id w)%:R - i%:R) * u <= 0 by apply: le_trans x1 _; rewrite oppr_le0 ltW.
  rewrite mulr0n mul0r (relu_le0 x0) [relu (_ - u)]relu_le0 ?subr_le0 ?(le_trans x0) ?ltW //.
  by rewrite relu_le0 -?ler_subr_addr ?sub0r // mulr0 oppr0 !addr0.
- rewrite subrr mul0r !sub0r add0r (relu_le0 (lexx 0)) relu_le0 ?oppr_le0 ?ltW // relu_ge0 ?ltW // mulr1n; ring.
Qed.

(** Exactly one position has the value 1/n; it is odd or even as the number of ones is. *)
Lemma sum_spot w (p : pred nat) :
  \sum_(j <- [seq j <- iota 0 (positions w) | p j]) spot R w j = (p (count id w))%:R / (positions w)%:R.
Proof.
rewrite big_filter; under eq_bigr do rewrite spot_is.
have kn : count id w \in iota 0 (positions w) by rewrite mem_iota /= add0n ltnS count_size.
rewrite -mulr_suml; congr (_ / _).
rewrite big_mkcond (bigD1_seq (count id w)) ?iota_uniq //= eqxx big1 ?addr0 => [|j /negPf->]; by case: ifP.
Qed.

Lemma size_parity n (b : bool) :
  size [seq j <- iota 0 n | odd j == b] = (if b then n./2 else uphalf n).
Proof.
elim: n => [|n IH]; first by case: b.
rewrite -addn1 iotaD filter_cat size_cat {}IH /= add0n addn1 /= uphalf_half.
by case: b; case: (odd n); rewrite /= ?addn0 ?addn1 ?add1n ?add0n.
Qed.

Lemma turn_is i : turn R i = if odd i then -1 else 1.
Proof. by rewrite /turn -signr_odd; case: (odd i); rewrite ?expr1 ?expr0. Qed.

Lemma attended_parity w (b : bool) (value : nat -> R) (score : nat -> R) :
  (forall j, score j = if odd j == b then one_over R w else - one_over R w) ->
  has (fun j => odd j == b) (iota 0 (positions w)) ->
  attended (positions w) score value
  = (if b then (positions w)./2 else uphalf (positions w))%:R^-1
    * \sum_(j <- [seq j <- iota 0 (positions w) | odd j == b]) value j.
Proof.
move=> scoreE some; rewrite /attended.
have -> : follows (positions w) score = [seq j <- iota 0 (positions w) | odd j == b].
  rewrite -(follows_two (one_over_gt0 w) some) /follows.
  by apply: eq_filter => j; apply: eq_all => l; rewrite !scoreE.
by rewrite size_parity.
Qed.

(** The value at every position, for words of every length; that of the empty word is exactly 0. *)
Theorem parity_output w : w != [::] ->
  output R w = if odd (count id w) then ((positions w * (positions w)./2)%:R)^-1
               else - ((positions w * uphalf (positions w))%:R)^-1.
Proof.
case: w => // a w _; rewrite /output.
rewrite (@attended_parity (a :: w) true) //; last first.
  by move=> j; rewrite turn_is; case: (odd j); rewrite ?opprK ?mulr1 ?mulrN1.
rewrite (@attended_parity (a :: w) false) //; last first.
  by move=> j; rewrite turn_is; case: (odd j); rewrite ?mulr1 ?mulrN1.
rewrite sumrN !sum_spot.
case: (odd _) => /=; rewrite ?mul0r ?oppr0 ?mulr0 ?addr0 ?add0r mul1r natrM invfM mulrC //.
by rewrite mulNr mulrC.
Qed.

Theorem parity_empty : output R [::] = 0.
Proof.
have E (score : nat -> R) (value : nat -> R) : attended 1 score value = value 0%N.
  by rewrite /attended /follows /= lexx /= big_seq1 invr1 mul1r.
by rewrite /output /positions /= !E subrr.
Qed.

(** PARITY is recognised on all nonempty words: accepted if the number of ones is odd, rejected if it is even. *)
Theorem parity_is_recognised w : w != [::] ->
  (0 < output R w) = odd (count id w) /\ (output R w < 0) = ~~ odd (count id w).
Proof.
move=> w0; rewrite (parity_output w0).
have half : (0 < (positions w)./2)%N by case: w w0 => // a w _; rewrite /positions /= half_gt0.
have up : (0 < uphalf (positions w))%N by rewrite /positions uphalf_half addn_gt0 half orbT.
case: (odd _); split; rewrite ?oppr_gt0 ?oppr_lt0 ?invr_gt0 ?invr_lt0 ?ltr0n ?ltrn0 ?muln_gt0 ?half ?up //.
Qed.

End Proofs.
