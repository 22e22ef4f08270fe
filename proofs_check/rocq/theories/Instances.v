(** The checker with Z (no axiom at all) and with bigZ (fast: Coq's primitive machine integers). *)

From Coq Require Import ZArith QArith.
From Bignums Require Import BigZ.
From Exactformer Require Import Certificate Checker CheckerSound.

Definition integers_Z : integers :=
  @Integers Z (fun z => z) (fun z => z) Z.add Z.mul Z.div Z.gcd Z.leb Z.eqb
    (fun _ => eq_refl) (fun _ _ => eq_refl) (fun _ _ => eq_refl) (fun _ _ => eq_refl)
    (fun _ _ => eq_refl) (fun _ _ => eq_refl) (fun _ _ => eq_refl).

Definition integers_bigZ : integers :=
  @Integers BigZ.t BigZ.to_Z BigZ.of_Z BigZ.add BigZ.mul BigZ.div BigZ.gcd BigZ.leb BigZ.eqb
    BigZ.spec_of_Z BigZ.spec_add BigZ.spec_mul BigZ.spec_div BigZ.spec_gcd BigZ.spec_leb BigZ.spec_eqb.

Definition check_Z (c : certificate) : bool := check integers_Z c.
Definition check_bigZ (c : certificate) : bool := check integers_bigZ c.

Theorem check_Z_sound (c : certificate) : check_Z c = true -> claim c.
Proof. exact (check_sound (I := integers_Z) (c := c)). Qed.

Theorem check_bigZ_sound (c : certificate) : check_bigZ c = true -> claim c.
Proof. exact (check_sound (I := integers_bigZ) (c := c)). Qed.
