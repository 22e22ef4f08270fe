(** What every main theorem rests on; `make` compares the answers with assumptions.txt. *)
From Exactformer Require Import CheckerSound Instances Dynamics Polytope Clustering Stabilisation Forever PowerSums LimitSound LimitInstances PowerRanges StagesSound ClusteringExample Measure Separation Shallow OneBlock Softmax Labels Infeasible Geometry OrbitChecker Semidefinite Interior CounterexampleChecker LimitCounterexample RecognitionChecker Verified Placement Deep RankOne Leaders Dominance Compact Recogniser Pumping PumpingBothWays RecogniserInstances RecogniserExample Parity SoftSound.
From Exactformer Require Import StabilisationGreedy StabilisationCluster StabilisationResidual StabilisationPlane StabilisationFlat StabilisationLargest StabilisationTheorem StabilisationExample.

Goal True. idtac "theorem check_sound". Abort.
Print Assumptions check_sound.
Goal True. idtac "theorem check_Z_sound". Abort.
Print Assumptions check_Z_sound.
Goal True. idtac "theorem check_bigZ_sound". Abort.
Print Assumptions check_bigZ_sound.
Goal True. idtac "theorem dynamics_is_a_block". Abort.
Print Assumptions dynamics_is_a_block.
Goal True. idtac "theorem lemma0". Abort.
Print Assumptions lemma0.
Goal True. idtac "theorem lemma1". Abort.
Print Assumptions lemma1.
Goal True. idtac "theorem lemma2". Abort.
Print Assumptions lemma2.
Goal True. idtac "theorem lemma3". Abort.
Print Assumptions lemma3.
Goal True. idtac "theorem lemma4". Abort.
Print Assumptions lemma4.
Goal True. idtac "theorem lemma5". Abort.
Print Assumptions lemma5.
Goal True. idtac "theorem lemma6". Abort.
Print Assumptions lemma6.
Goal True. idtac "theorem vertexP". Abort.
Print Assumptions vertexP.
Goal True. idtac "theorem clustering". Abort.
Print Assumptions clustering.
Goal True. idtac "theorem clustering_of_blocks". Abort.
Print Assumptions clustering_of_blocks.
Goal True. idtac "theorem clustering_archi". Abort.
Print Assumptions clustering_archi.
Goal True. idtac "theorem clustering_is_not_vacuous". Abort.
Print Assumptions clustering_is_not_vacuous.
Goal True. idtac "theorem vertex_limits_lock". Abort.
Print Assumptions vertex_limits_lock.
Goal True. idtac "theorem without_ties". Abort.
Print Assumptions without_ties.
Goal True. idtac "theorem stabilisation_greedy". Abort.
Print Assumptions stabilisation_greedy.
Goal True. idtac "theorem stabilisation_decay". Abort.
Print Assumptions stabilisation_decay.
Goal True. idtac "theorem stabilisation_level". Abort.
Print Assumptions stabilisation_level.
Goal True. idtac "theorem stabilisation_flat". Abort.
Print Assumptions stabilisation_flat.
Goal True. idtac "theorem stabilisation_missing". Abort.
Print Assumptions stabilisation_missing.
Goal True. idtac "theorem stabilisation_inside". Abort.
Print Assumptions stabilisation_inside.
Goal True. idtac "theorem stabilisation_no_residual". Abort.
Print Assumptions stabilisation_no_residual.
Goal True. idtac "theorem stabilisation_no_residual_plane". Abort.
Print Assumptions stabilisation_no_residual_plane.
Goal True. idtac "theorem stabilisation_change". Abort.
Print Assumptions stabilisation_change.
Goal True. idtac "theorem stabilisation_change_largest". Abort.
Print Assumptions stabilisation_change_largest.
Goal True. idtac "theorem stabilisation_thin_ties". Abort.
Print Assumptions stabilisation_thin_ties.
Goal True. idtac "theorem stabilisation_alpha_below_3". Abort.
Print Assumptions stabilisation_alpha_below_3.
Goal True. idtac "theorem stabilisation_low_dimension". Abort.
Print Assumptions stabilisation_low_dimension.
Goal True. idtac "theorem stabilisation_search_ends". Abort.
Print Assumptions stabilisation_search_ends.
Goal True. idtac "theorem stabilisation_search_ends_low_dimension". Abort.
Print Assumptions stabilisation_search_ends_low_dimension.
Goal True. idtac "theorem stabilisation_is_not_vacuous". Abort.
Print Assumptions stabilisation_is_not_vacuous.
Goal True. idtac "theorem for_ever". Abort.
Print Assumptions for_ever.
Goal True. idtac "theorem positive_for_everP". Abort.
Print Assumptions positive_for_everP.
Goal True. idtac "theorem check_limit_sound". Abort.
Print Assumptions check_limit_sound.
Goal True. idtac "theorem check_limit_Z_sound". Abort.
Print Assumptions check_limit_Z_sound.
Goal True. idtac "theorem check_limit_bigZ_sound". Abort.
Print Assumptions check_limit_bigZ_sound.
Goal True. idtac "theorem positive_fromP". Abort.
Print Assumptions positive_fromP.
Goal True. idtac "theorem check_stages_sound". Abort.
Print Assumptions check_stages_sound.
Goal True. idtac "theorem same_image". Abort.
Print Assumptions same_image.
Goal True. idtac "theorem never_separated". Abort.
Print Assumptions never_separated.
Goal True. idtac "theorem never_more". Abort.
Print Assumptions never_more.
Goal True. idtac "theorem feasible_is_necessary". Abort.
Print Assumptions feasible_is_necessary.
Goal True. idtac "theorem hinges_separate". Abort.
Print Assumptions hinges_separate.
Goal True. idtac "theorem interpolate". Abort.
Print Assumptions interpolate.
Goal True. idtac "theorem shallow". Abort.
Print Assumptions shallow.
Goal True. idtac "theorem shallow_distinct". Abort.
Print Assumptions shallow_distinct.
Goal True. idtac "theorem interpolation_iff_feasible". Abort.
Print Assumptions interpolation_iff_feasible.
Goal True. idtac "theorem placement". Abort.
Print Assumptions placement.
Goal True. idtac "theorem deep". Abort.
Print Assumptions deep.
Goal True. idtac "theorem rank_one_attention". Abort.
Print Assumptions rank_one_attention.
Goal True. idtac "theorem collapse_onto_leader". Abort.
Print Assumptions collapse_onto_leader.
Goal True. idtac "theorem leaders". Abort.
Print Assumptions leaders.
Goal True. idtac "theorem three_feasible". Abort.
Print Assumptions three_feasible.
Goal True. idtac "theorem one_block_is_not_enough". Abort.
Print Assumptions one_block_is_not_enough.
Goal True. idtac "theorem soft_is_hard". Abort.
Print Assumptions soft_is_hard.
Goal True. idtac "theorem shallow_softmax". Abort.
Print Assumptions shallow_softmax.
Goal True. idtac "theorem check_Z_softmax_sound". Abort.
Print Assumptions check_Z_softmax_sound.
Goal True. idtac "theorem check_bigZ_softmax_sound". Abort.
Print Assumptions check_bigZ_softmax_sound.
Goal True. idtac "theorem check_labels_sound". Abort.
Print Assumptions check_labels_sound.
Goal True. idtac "theorem verify_interpolation_sound". Abort.
Print Assumptions verify_interpolation_sound.
Goal True. idtac "theorem verify_limit_sound". Abort.
Print Assumptions verify_limit_sound.
Goal True. idtac "theorem verify_limit_in_stages_sound". Abort.
Print Assumptions verify_limit_in_stages_sound.
Goal True. idtac "theorem check_infeasible_sound". Abort.
Print Assumptions check_infeasible_sound.
Goal True. idtac "theorem verify_infeasible_sound". Abort.
Print Assumptions verify_infeasible_sound.
Goal True. idtac "theorem check_geometry_sound". Abort.
Print Assumptions check_geometry_sound.
Goal True. idtac "theorem verify_geometry_sound". Abort.
Print Assumptions verify_geometry_sound.
Goal True. idtac "theorem check_orbit_sound". Abort.
Print Assumptions check_orbit_sound.
Goal True. idtac "theorem verify_orbit_sound". Abort.
Print Assumptions verify_orbit_sound.
Goal True. idtac "theorem check_recognition_sound". Abort.
Print Assumptions check_recognition_sound.
Goal True. idtac "theorem verify_recognition_sound". Abort.
Print Assumptions verify_recognition_sound.
Goal True. idtac "theorem check_no_recogniser_sound". Abort.
Print Assumptions check_no_recogniser_sound.
Goal True. idtac "theorem verify_no_recogniser_sound". Abort.
Print Assumptions verify_no_recogniser_sound.
Goal True. idtac "theorem negativeP". Abort.
Print Assumptions negativeP.
Goal True. idtac "theorem check_counterexample_sound". Abort.
Print Assumptions check_counterexample_sound.
Goal True. idtac "theorem verify_counterexample_sound". Abort.
Print Assumptions verify_counterexample_sound.
Goal True. idtac "theorem combination_interior". Abort.
Print Assumptions combination_interior.
Goal True. idtac "theorem interior_off_boundary". Abort.
Print Assumptions interior_off_boundary.
Goal True. idtac "theorem check_interiorP". Abort.
Print Assumptions check_interiorP.
Goal True. idtac "theorem check_limit_counterexample_sound". Abort.
Print Assumptions check_limit_counterexample_sound.
Goal True. idtac "theorem verify_limit_counterexample_sound". Abort.
Print Assumptions verify_limit_counterexample_sound.
Goal True. idtac "theorem dominance_mass". Abort.
Print Assumptions dominance_mass.
Goal True. idtac "theorem dominance". Abort.
Print Assumptions dominance.
Goal True. idtac "theorem dominance_hardmax". Abort.
Print Assumptions dominance_hardmax.
Goal True. idtac "theorem dominance_steep". Abort.
Print Assumptions dominance_steep.
Goal True. idtac "theorem exp_steep". Abort.
Print Assumptions exp_steep.
Goal True. idtac "theorem check_soft_sound". Abort.
Print Assumptions check_soft_sound.
Goal True. idtac "theorem verify_from_temperature_sound". Abort.
Print Assumptions verify_from_temperature_sound.
Goal True. idtac "theorem compact". Abort.
Print Assumptions compact.
Goal True. idtac "theorem machine_is_definition". Abort.
Print Assumptions machine_is_definition.
Goal True. idtac "theorem recognition_check_sound". Abort.
Print Assumptions recognition_check_sound.
Goal True. idtac "theorem choose_is_argmax". Abort.
Print Assumptions choose_is_argmax.
Goal True. idtac "theorem choose_idempotent". Abort.
Print Assumptions choose_idempotent.
Goal True. idtac "theorem run_pump". Abort.
Print Assumptions run_pump.
Goal True. idtac "theorem pumping". Abort.
Print Assumptions pumping.
Goal True. idtac "theorem no_recogniser". Abort.
Print Assumptions no_recogniser.
Goal True. idtac "theorem wide_run_pump". Abort.
Print Assumptions wide_run_pump.
Goal True. idtac "theorem wide_pumping". Abort.
Print Assumptions wide_pumping.
Goal True. idtac "theorem no_wide_recogniser". Abort.
Print Assumptions no_wide_recogniser.
Goal True. idtac "theorem rational_check_sound". Abort.
Print Assumptions rational_check_sound.
Goal True. idtac "theorem rational_no_recogniser". Abort.
Print Assumptions rational_no_recogniser.
Goal True. idtac "theorem ab_star_is_recognised". Abort.
Print Assumptions ab_star_is_recognised.
Goal True. idtac "theorem even_length_is_not_recognised". Abort.
Print Assumptions even_length_is_not_recognised.
Goal True. idtac "theorem parity_output". Abort.
Print Assumptions parity_output.
Goal True. idtac "theorem parity_empty". Abort.
Print Assumptions parity_empty.
Goal True. idtac "theorem parity_is_recognised". Abort.
Print Assumptions parity_is_recognised.
