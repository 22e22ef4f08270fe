(** What the verified checker runs: one function per claim, each with the theorem that it is right when it says yes.
    [proofs_check/verified] extracts these functions to OCaml. *)

From Coq Require Import ZArith QArith.
From mathcomp Require Import all_ssreflect.
From Exactformer Require Import Certificate Checker Instances Labels Softmax LimitCertificate LimitInstances StagesCertificate StagesChecker StagesSound Infeasible Geometry OrbitChecker CounterexampleChecker LimitCounterexample RecognitionChecker SoftChecker SoftSound.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(** [softmax]: the claim for softmax attention at every temperature, else for hardmax; [labels]: those of the sequences. *)
Definition verify_interpolation (softmax : bool) (labels : option (seq label)) (c : certificate) : bool :=
  [&& if labels is Some l then check_labels l (sequences c) else true,
      (if softmax then all uniform_literal (blocks c) else true) & check_Z c].

Theorem verify_interpolation_sound (softmax : bool) (labels : option (seq label)) (c : certificate) :
  verify_interpolation softmax labels c = true ->
  (if softmax then softmax_claim c else claim c) /\ (if labels is Some l then label_claim l c else True).
Proof.
move=> /and3P[l s t]; split.
  by case: softmax s => s; [apply: check_Z_softmax_sound; rewrite s t | apply: check_Z_sound].
by case: labels l => // l /check_labels_sound; apply; case: (check_Z_sound c t).
Qed.

(** Softmax at every inverse temperature beta >= b, and hardmax; None: the boxes, rounded to so many bits, are too wide to tell. *)
Definition verify_from_temperature (b : Q) (bits : nat) (labels : option (seq label)) (c : certificate) : option bool :=
  if (if labels is Some l then check_labels l (sequences c) else true) then check_soft b bits c else Some false.

Theorem verify_from_temperature_sound (b : Q) (bits : nat) (labels : option (seq label)) (c : certificate) :
  verify_from_temperature b bits labels c = Some true ->
  from_temperature_claim b c /\ (if labels is Some l then label_claim l c else True).
Proof.
rewrite /verify_from_temperature; case: ifP => // l /check_soft_sound cl; split=> //.
by case: labels l => // l /check_labels_sound; apply; case: cl.
Qed.

Definition verify_limit (c : limit_certificate) : bool := check_limit_Z c.

Theorem verify_limit_sound (c : limit_certificate) : verify_limit c = true -> limit_claim c.
Proof. exact: check_limit_Z_sound. Qed.

(** Limits in stages. *)
Definition verify_limit_in_stages (c : stages_certificate) : bool := check_stages integers_Z c.

(** The tokens of layer K, from which the reader of such certificates makes closed forms. *)
Definition tokens_at_layer (c : stages_certificate) : seq (seq Q) :=
  let: (_, s) := early_layers c (stg_layer c) 0%N (clear_rows integers_Z (stg_tokens c)) in
  [seq [seq Qmake x (Z.to_pos (over s)) | x <- v] | v <- vectors s].

Theorem verify_limit_in_stages_sound (c : stages_certificate) : verify_limit_in_stages c = true -> stages_claim c.
Proof. exact: check_stages_sound. Qed.

(** Labels beside targets correspond to them. *)
Definition verify_infeasible (c : infeasible_certificate) : bool :=
  (if inf_labels c is Some l then inf_targets c ==> check_labels l (inf_sequences c) else true) && check_infeasible c.

Theorem verify_infeasible_sound (c : infeasible_certificate) : verify_infeasible c = true -> infeasible_claim c.
Proof. by case/andP => _; exact: check_infeasible_sound. Qed.

(** Vertices, separations and projections in dimension d. *)
Definition verify_geometry (d : nat) (g : geometry) : bool := check_geometry integers_Z d g.

Theorem verify_geometry_sound (d : nat) (g : geometry) : verify_geometry d g = true -> geometry_claim d g.
Proof. exact: check_geometry_sound. Qed.

Definition verify_orbit (c : orbit_certificate) : bool := check_orbit integers_Z c.

Theorem verify_orbit_sound (c : orbit_certificate) : verify_orbit c = true -> orbit_claim c.
Proof. exact: check_orbit_sound. Qed.

(** Recognisers whose heads see the past and have unique ties, without features and end mark. *)
Definition verify_recognition (c : recognition) : bool := check_recognition c.

Theorem verify_recognition_sound (c : recognition) : verify_recognition c = true -> recognition_claim c.
Proof. exact: check_recognition_sound. Qed.

Definition verify_no_recogniser (c : no_recogniser_certificate) : bool := check_no_recogniser c.

Theorem verify_no_recogniser_sound (c : no_recogniser_certificate) : verify_no_recogniser c = true -> no_recogniser_claim c.
Proof. exact: check_no_recogniser_sound. Qed.

(** Statements that the first layers refute, and statements that limits refute. *)
Definition verify_counterexample (x : counterexample) : bool := check_counterexample integers_Z x.

Theorem verify_counterexample_sound (x : counterexample) : verify_counterexample x = true -> counterexample_claim x.
Proof. exact: check_counterexample_sound. Qed.

Definition verify_limit_counterexample (x : limit_counterexample) : bool := check_limit_counterexample integers_Z x.

Theorem verify_limit_counterexample_sound (x : limit_counterexample) :
  verify_limit_counterexample x = true -> limit_counterexample_claim x.
Proof. exact: check_limit_counterexample_sound. Qed.
