(** The checker of limits with Z (no axiom at all) and with bigZ (fast: Coq's primitive machine integers). *)

From mathcomp Require Import all_ssreflect.
From Exactformer Require Import Instances LimitCertificate LimitChecker LimitSound.

Definition check_limit_Z (c : limit_certificate) : bool := check_limit integers_Z c.
Definition check_limit_bigZ (c : limit_certificate) : bool := check_limit integers_bigZ c.

Theorem check_limit_Z_sound (c : limit_certificate) : check_limit_Z c = true -> limit_claim c.
Proof. exact: check_limit_sound. Qed.

Theorem check_limit_bigZ_sound (c : limit_certificate) : check_limit_bigZ c = true -> limit_claim c.
Proof. exact: check_limit_sound. Qed.
