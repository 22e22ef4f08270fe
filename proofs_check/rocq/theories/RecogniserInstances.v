(** Recognisers with rational weights: the closure checker, sound; and that a language which counts has none. *)
From Coq Require Import ZArith QArith List Bool Lia.
From Exactformer Require Import Recogniser Pumping.
Import ListNotations.
Open Scope Q_scope.

(* sums and products in lowest terms, so that equal numbers are equal terms; 0 is no work *)
Definition lowest (a : Q) : Q :=
  let g := Z.gcd (Qnum a) (Zpos (Qden a)) in if Z.eqb g 1 then a else Z.div (Qnum a) g # Z.to_pos (Z.div (Zpos (Qden a)) g).
Definition q_add (a c : Q) : Q := if Z.eqb (Qnum a) 0 then c else if Z.eqb (Qnum c) 0 then a else lowest (a + c).
Definition q_mul (a c : Q) : Q := if Z.eqb (Qnum a) 0 then 0 else if Z.eqb (Qnum c) 0 then 0 else lowest (a * c).
Definition q_eqb (a c : Q) : bool := Z.eqb (Qnum a) (Qnum c) && Pos.eqb (Qden a) (Qden c).

Lemma lowest_value : forall a, lowest a == a.
Proof.
  intros [n d]. unfold lowest. simpl. destruct (Z.eqb_spec (Z.gcd n (Zpos d)) 1) as [_|_]; [reflexivity|].
  assert (P : (0 < Z.gcd n (Zpos d))%Z).
  { destruct (Z.eq_dec (Z.gcd n (Zpos d)) 0) as [E|E]; [apply Z.gcd_eq_0_r in E; discriminate|].
    pose proof (Z.gcd_nonneg n (Zpos d)). lia. }
  destruct (Z.gcd_divide_l n (Zpos d)) as [p Ep]. destruct (Z.gcd_divide_r n (Zpos d)) as [q Eq].
  set (g := Z.gcd n (Zpos d)) in *. unfold Qeq. simpl.
  assert (N : (n / g = p)%Z) by (rewrite Ep; apply Z.div_mul; lia).
  assert (D : (Zpos d / g = q)%Z) by (rewrite Eq; apply Z.div_mul; lia).
  assert (0 < q)%Z by nia. rewrite N, D, Z2Pos.id by assumption. rewrite Ep, Eq. ring.
Qed.
(* they are the sum and the product *)
Lemma q_add_value : forall a c, q_add a c == a + c.
Proof.
  intros [n d] [m e]. unfold q_add. simpl. destruct (Z.eqb_spec n 0) as [->|_]; [unfold Qeq, Qplus, Qmult; cbn -[Z.mul Z.add Pos.mul]; rewrite ?Pos2Z.inj_mul; ring|].
  destruct (Z.eqb_spec m 0) as [->|_]; [unfold Qeq, Qplus, Qmult; cbn -[Z.mul Z.add Pos.mul]; rewrite ?Pos2Z.inj_mul; ring|apply lowest_value].
Qed.
Lemma q_mul_value : forall a c, q_mul a c == a * c.
Proof.
  intros [n d] [m e]. unfold q_mul. simpl. destruct (Z.eqb_spec n 0) as [->|_]; [unfold Qeq, Qplus, Qmult; cbn -[Z.mul Z.add Pos.mul]; rewrite ?Pos2Z.inj_mul; ring|].
  destruct (Z.eqb_spec m 0) as [->|_]; [unfold Qeq, Qplus, Qmult; cbn -[Z.mul Z.add Pos.mul]; rewrite ?Pos2Z.inj_mul; ring|apply lowest_value].
Qed.

Lemma q_eqb_eq : forall a c, q_eqb a c = true <-> a = c.
Proof.
  intros [n d] [m e]. unfold q_eqb. simpl. rewrite andb_true_iff, Z.eqb_eq, Pos.eqb_eq. split.
  - intros [-> ->]. reflexivity.
  - intros E. injection E as -> ->. auto.
Qed.
Lemma q_total : forall a c, Qle_bool a c = true \/ Qle_bool c a = true.
Proof. intros a c. rewrite !Qle_bool_iff. destruct (Qlt_le_dec a c) as [H|H]; [left; now apply Qlt_le_weak|now right]. Qed.
Lemma q_transitive : forall a c e, Qle_bool a c = true -> Qle_bool c e = true -> Qle_bool a e = true.
Proof. intros a c e. rewrite !Qle_bool_iff. apply Qle_trans. Qed.

Definition rational_verdict := verdict_on Q 0 q_add q_mul Qle_bool.
Definition rational_check := check Q 0 q_add q_mul Qle_bool q_eqb.

(* a certificate of claim recognition, scope all, about heads that see the past and have unique ties *)
Theorem rational_check_sound : forall lenient r d tables nodes,
  rational_check lenient r d tables nodes = true ->
  forall w, Forall (fun k => (k < length (tokens Q r))%nat) w -> right lenient (rational_verdict r w) (accepts d w) = true.
Proof. exact (recognition_check_sound Q 0 q_add q_mul Qle_bool q_eqb q_eqb_eq). Qed.

(* a certificate of claim no-recogniser: no weights of any number of blocks and heads *)
Theorem rational_no_recogniser : forall d x u z p, counts d x u z p = true -> forall r,
  ~ (forall w, Forall (fun k => (k < letters d)%nat) w -> right true (rational_verdict r w) (accepts d w) = true).
Proof. exact (no_recogniser Q 0 q_add q_mul Qle_bool q_total q_transitive). Qed.
