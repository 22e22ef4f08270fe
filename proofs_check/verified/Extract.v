(** The checkers proved sound, as OCaml.  Every line that begins with [Extract] is trusted: it says by what a definition of
    Coq is replaced.  README.md gives the reason for each; [arithmetic.ml] holds the replacements that are no single word. *)
From Coq Require Import ZArith QArith Extraction ExtrOcamlNativeString.
From mathcomp Require Import all_ssreflect.
From Exactformer Require Import Verified Lines.

Extraction Language OCaml.
Set Extraction File Comment "Extracted from proofs_check/rocq. Do not edit.".
Set Warnings "-extraction-opaque-accessed,-extraction-reserved-identifier".

(* names that the driver wants to be OCaml's *)
Extraction Blacklist List String.

(** Data types that OCaml has: the same constructors, in the same order. *)
Extract Inductive bool => "bool" ["true" "false"].
Extract Inductive option => "option" ["Some" "None"].
Extract Inductive unit => "unit" ["()"].
Extract Inductive prod => "( * )" ["(,)"].
Extract Inductive list => "list" ["[]" "(::)"].

(** Natural numbers: machine integers >= 0; what would be too large for one is declined. *)
Extract Inductive nat => "int" ["0" "Arithmetic.successor"]
  "(fun zero successor n -> if n = 0 then zero () else successor (n - 1))".
Extract Constant Coq.Init.Nat.add => "Arithmetic.nat_add".
Extract Constant Coq.Init.Nat.sub => "Arithmetic.nat_sub".
Extract Constant Coq.Init.Nat.mul => "Arithmetic.nat_mul".
Extract Constant Coq.Init.Nat.pred => "Arithmetic.nat_pred".
Extract Constant Coq.Init.Nat.eqb => "Arithmetic.nat_eqb".
Extract Constant Coq.Init.Nat.leb => "Arithmetic.nat_leb".
Extract Constant Coq.Init.Nat.ltb => "Arithmetic.nat_ltb".
Extract Constant eqn => "Arithmetic.nat_eqb".
Extract Constant leq => "Arithmetic.nat_leb".

(** Positive numbers and integers: Zarith's. *)
Extract Inductive positive => "Arithmetic.integer" ["Arithmetic.double_and_one" "Arithmetic.double" "Arithmetic.one"] "Arithmetic.match_positive".
Extract Inductive Z => "Arithmetic.integer" ["Arithmetic.zero" "Arithmetic.itself" "Arithmetic.opp"] "Arithmetic.match_integer".
Extract Constant Pos.add => "Arithmetic.add".
Extract Constant Pos.mul => "Arithmetic.mul".
Extract Constant Pos.eqb => "Arithmetic.eqb".
Extract Constant Z.add => "Arithmetic.add".
Extract Constant Z.mul => "Arithmetic.mul".
Extract Constant Z.div => "Arithmetic.div".
Extract Constant Z.gcd => "Arithmetic.gcd".
Extract Constant Z.leb => "Arithmetic.leb".
Extract Constant Z.ltb => "Arithmetic.ltb".
Extract Constant Z.eqb => "Arithmetic.eqb".
Extract Constant Z.of_nat => "Arithmetic.of_nat".

Separate Extraction
  interpolation_lines limit_lines stages_lines infeasible_lines geometry_lines orbit_lines recognition_lines no_recogniser_lines
  counterexample_lines limit_counterexample_lines
  verify_interpolation verify_from_temperature verify_limit StagesCertificate.settled_layer tokens_at_layer verify_limit_in_stages verify_infeasible verify_geometry verify_orbit
  verify_recognition verify_no_recogniser verify_counterexample verify_limit_counterexample.
