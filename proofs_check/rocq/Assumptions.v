(** What every main theorem rests on; `make` compares the answers with assumptions.txt. *)
From Exactformer Require Import CheckerSound Instances.

Goal True. idtac "theorem check_sound". Abort.
Print Assumptions check_sound.
Goal True. idtac "theorem check_Z_sound". Abort.
Print Assumptions check_Z_sound.
Goal True. idtac "theorem check_bigZ_sound". Abort.
Print Assumptions check_bigZ_sound.
