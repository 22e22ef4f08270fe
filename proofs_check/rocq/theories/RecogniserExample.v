(** Two certificates as theorems, as `exactformer export-rocq` writes them: weights for (ab)*, and that (aa)* has none. *)
From Coq Require Import ZArith QArith List.
From Exactformer Require Import Recogniser RecogniserInstances.
Import ListNotations.
Open Scope Q_scope.

Module Alternating.
Definition block_0 : block Q := Block Q (Some (FeedForward Q 0 [[1; 0; 0; 0]; [0; 0; 0; 0]] [0; 1] [[1; 0]; [0; 1]; [0; 1]; [(-1); 1]])) 1 [Head Q [[0; 0; 0; 2]; [0; 0; 0; 0]; [0; 0; 0; 0]; [0; 0; 0; 0]] [[0; 1; 0; 0]] [[0; 0; 1; 0]] before to_last].
Definition block_1 : block Q := Block Q (Some (FeedForward Q 0 [[1; 0; 0; 0]; [1; 0; 0; 0]; [1; 0; 0; 0]; [0; 0; 0; 0]] [0; (-1); (-2); 1] [[1; 0; 0; 0]; [0; 0; 0; 1]; [1; (-1); (-1); 0]; [1; (-1); (-1); 0]])) 1 [Head Q [[0; 0; 0; 4]; [0; 0; 0; 0]; [0; 0; 0; 0]; [0; 0; 0; 0]] [[0; 1; 0; 0]] [[0; 0; 1; 0]] before to_last].
Definition block_2 : block Q := Block Q (Some (FeedForward Q 0 [[1; 0; 0; 0]; [1; 0; 0; 0]; [1; 0; 0; 0]; [1; 0; 0; 0]; [0; 0; 0; 0]] [0; (-2); (-3); (-4); 1] [[1; 0; 0; 0; 0]; [0; 0; 0; 0; 1]; [0; 0; 0; 0; 0]; [0; 2; (-4); 2; (-1)]])) 1 [].
Definition the_recogniser : recogniser Q := Recogniser Q [block_0; block_1; block_2] [[0; 0; 0; 0]; [1; 0; 0; 0]] None [0; 0; 0; 1] 0 Accept.
Definition the_automaton : automaton := Automaton ([[1; 2]; [2; 0]; [2; 2]])%nat ([0])%nat (0)%nat.
Definition the_tables : list (table Q) := [[[[1]]]; [[[1]]]; []].
Definition node_0 : node Q := ([[[None]]; [[None]]; []], Accept, (0)%nat).
Definition node_1 : node Q := ([[[Some (1, [2; 0; 0; 0])]]; [[Some (0, [0; 0; 0; 0])]]; []], Reject, (1)%nat).
Definition node_2 : node Q := ([[[Some (1, [0; 0; 0; 0])]]; [[Some (1, [4; 0; 0; 0])]]; []], Reject, (2)%nat).
Definition node_3 : node Q := ([[[Some (1, [2; 0; 0; 0])]]; [[Some (1, [4; 0; 0; 0])]]; []], Reject, (2)%nat).
Definition node_4 : node Q := ([[[Some (1, [0; 0; 0; 0])]]; [[Some (0, [0; 0; 0; 0])]]; []], Accept, (0)%nat).
Definition the_nodes : list (node Q) := [node_0; node_1; node_2; node_3; node_4].
End Alternating.

(* letters: 0 is a, 1 is b; the automaton accepts the words of (ab)* *)
Theorem ab_star_is_recognised : forall w, Forall (fun k => (k < 2)%nat) w ->
  right false (rational_verdict Alternating.the_recogniser w) (accepts Alternating.the_automaton w) = true.
Proof.
apply (rational_check_sound false Alternating.the_recogniser Alternating.the_automaton Alternating.the_tables Alternating.the_nodes).
vm_cast_no_check (eq_refl true).
Qed.

Module Even.
Definition the_automaton : automaton := Automaton ([[1]; [0]])%nat ([0])%nat (0)%nat.
Definition the_x : list nat := ([])%nat.
Definition the_u : list nat := ([0])%nat.
Definition the_z : list nat := ([])%nat.
Definition the_p : nat := (2)%nat.
End Even.

(* words of even length over one letter: past heads with unique ties cannot count *)
Theorem even_length_is_not_recognised : forall r,
  ~ (forall w, Forall (fun k => (k < letters Even.the_automaton)%nat) w -> right true (rational_verdict r w) (accepts Even.the_automaton w) = true).
Proof.
apply (rational_no_recogniser Even.the_automaton Even.the_x Even.the_u Even.the_z Even.the_p).
vm_cast_no_check (eq_refl true).
Qed.
