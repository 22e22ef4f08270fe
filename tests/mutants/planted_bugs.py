"""Planted bugs that mattered: each was shown, or read, to change an answer, an exit code, a certificate or a number shown.

(file below exactformer/, the text in place, the text planted, the test that sees it)
"""

from __future__ import annotations

EDGES = "tests/unit/test_arithmetic_edges.py"
PROOFS = "tests/theorems/test_dynamics_proofs.py"
MODEL = "tests/unit/test_model_edges.py"
ANSWERS = "tests/unit/test_answers.py"
STATEMENTS = "tests/theorems/test_conjectures_statements.py"
CODES = "tests/cli/test_exit_codes.py"
CERTIFICATE = "tests/unit/test_certificate_object.py"
STRANGERS = "tests/cli/test_strangers_files.py"
LIMITS = "tests/theorems/test_mean_field_limit.py"
BOUNDS = "tests/theorems/test_mean_field_bounds.py"
MEAN = "tests/theorems/test_mean_field_simulation.py"
DELAY = "tests/theorems/test_delay.py"
LOSS = "tests/theorems/test_training_loss.py"
TRAIN = "tests/unit/test_training_train.py"
REPAIR = "tests/unit/test_training_repair.py"
SOFT = "tests/theorems/test_construct_softmax.py"
RUN = "tests/cli/test_run_softmax.py"
COMPACT = "tests/theorems/test_construct_compact.py"
BOXES = "tests/theorems/test_softmax_boxes.py"
AGREE = "tests/checker/test_softmax_agreement.py::test_three_programs_agree"

# fmt: off
PLANTED: list[tuple[str, str, str, str]] = [
    # limits that would be wrong and proved
    ("dynamics/stages.py", "own = self.weights[i] if i in members else 0", "own = 1 if i in members else 0", f"{PROOFS}::test_the_eigenvalue_counts_how_many_tokens_stand_there"),
    ("dynamics/stages.py", "total = sum(self.weights[j] for j in members)", "total = len(members)", f"{PROOFS}::test_the_eigenvalue_counts_how_many_tokens_stand_there"),
    ("dynamics/stages.py", "Fraction(self.weights[j], total), forms[j])", "Fraction(1, len(members)), forms[j])", f"{PROOFS}::test_the_eigenvalue_counts_how_many_tokens_stand_there"),
    ("dynamics/stages.py", "        if gap is None:\n            return Ties(None)\n        until", "        return Ties(None)\n        until", f"{PROOFS}::test_members_that_will_part_are_noticed"),
    ("dynamics/stages.py", "while gap.sign(until) == 0:", "while gap.sign(until) >= 0:", f"{PROOFS}::test_members_that_will_part_are_noticed"),
    ("dynamics/follow_order.py", "(Fraction(weights[j], total), shares[j])", "(Fraction(1, len(others)), shares[j])", f"{PROOFS}::test_the_eigenvalue_counts_how_many_tokens_stand_there"),
    ("dynamics/positivity.py", "at_k0 = shifted(f[lead], k0)", "at_k0 = list(f[lead])", f"{PROOFS}::test_domination_needs_all_three_conditions"),
    ("dynamics/positivity.py", "    if not all(c >= 0 for c in at_k0):\n        return False\n", "", f"{PROOFS}::test_domination_needs_all_three_conditions"),
    ("dynamics/positivity.py", "if f.sign(end) <= 0:", "if f.sign(end) < 0:", f"{PROOFS}::test_positive_for_all_k_or_the_first_at_which_it_is_not"),
    ("dynamics/positivity.py", "return bool(at_k0[0] > weight)", "return bool(at_k0[0] >= weight)", f"{PROOFS}::test_domination_needs_all_three_conditions"),
    ("dynamics/positivity.py", "if e and ratio * (1 + Fraction(1, k0)) ** e > 1:", "if e and ratio > 1:", f"{PROOFS}::test_domination_needs_all_three_conditions"),
    ("dynamics/closed_form.py", "term.power + 1), _scaled(vector, 1 / eigenvalue)", "term.power + 1), vector", f"{PROOFS}::test_equal_eigenvalues_bring_powers_of_k"),
    ("dynamics/closed_form.py", "vector = _scaled(vector, -term.base / (term.base - eigenvalue))", "vector = _scaled(vector, term.base / (term.base - eigenvalue))", f"{PROOFS}::test_solutions_of_the_recurrence"),
    ("dynamics/closed_form.py", "        if layer >= m:\n", "        if layer > m:\n", "tests/unit/test_dynamics_parts.py"),
    # integers and numbers
    ("arithmetic/integers.py", "largest(x) * largest(y) * max(inner, 1) < SAFE", "largest(x) * largest(y) < SAFE", f"{EDGES}::test_matrix_products_count_the_length_of_the_sum"),
    ("arithmetic/integers.py", "largest(x) * int(np.diff(offsets).max(initial=1)) >= SAFE", "largest(x) >= SAFE", f"{EDGES}::test_segment_sums_count_the_rows"),
    ("arithmetic/integers.py", "return max(abs(int(x.max())), abs(int(x.min())))", "return int(np.abs(x).max())", f"{EDGES}::test_sizes_are_bounds_and_never_wrap"),
    ("arithmetic/state.py", "self.numerators * other.denominator == other.numerators * self.denominator", "self.numerators == other.numerators", f"{EDGES}::test_states_are_equal_as_points_whatever_their_denominators"),
    ("arithmetic/state.py", "rows.astype(object) if rows.dtype == np.uint64 else rows", "rows", f"{EDGES}::test_unsigned_integers_do_not_wrap"),
    ("arithmetic/state.py", " and rows.dtype.itemsize <= 8:", ":", f"{ANSWERS}::test_floats_of_every_width_are_read_exactly"),
    ("arithmetic/algebraic.py", "hash(rational) if rational is not None else ", "", f"{EDGES}::test_rational_algebraic_numbers_hash_like_rationals"),
    ("arithmetic/algebraic.py", "pair = self._pair(_exact_float(other))\n        return NotImplemented", "pair = self._pair(other)\n        return NotImplemented", f"{ANSWERS}::test_algebraic_numbers_meet_floats_as_their_exact_values"),
    # means that stand for sequences, parts
    ("constructions/means_alone.py", "    if any(len(chosen) > 1 for chosen in targets.sets):\n        return None\n", "", "tests/theorems/test_means_alone.py::test_means_that_coincide_are_left_to_the_measures"),
    ("constructions/means_alone.py", "    if len(distinct_points(means, rng)[0]) < len(means):\n        return None\n", "", "tests/theorems/test_means_alone.py::test_means_that_coincide_are_left_to_the_measures"),
    ("constructions/means_alone.py", "factors[first:last, None]", "factors[: last - first, None]", "tests/theorems/test_means_alone.py::test_mean_vectors_are_those_of_the_definition"),
    ("constructions/verification.py", "itertools.pairwise(batch.offsets.tolist()), first)", "itertools.pairwise(batch.offsets.tolist()))", "tests/theorems/test_means_alone.py::test_verification_in_parts_sees_every_sequence"),
    ("constructions/build_report.py", "for p, power in primes.items() if p != 2", "for p, power in primes.items() if p == 3", "tests/theorems/test_means_alone.py::test_the_information_bound_is_that_of_the_definition"),
    ("certificates/interpolation.py", "rows[start - written : stop - written]", "rows[start:stop]", "tests/theorems/test_means_alone.py::test_certificates_in_parts_have_every_token"),
    # the model
    ("model/piecewise_linear.py", "        right &= (piece == len(self.t_numerators)) | ~self._above(s, denominators, high)\n", "", f"{MODEL}::test_a_token_beside_a_breakpoint_is_on_its_side"),
    ("model/piecewise_linear.py", "right = (piece == 0) | self._at_least(s, denominators, low)", "right = np.ones(len(s), dtype=bool)", f"{MODEL}::test_a_quotient_that_floats_round_past_a_breakpoint_is_brought_back"),
    ("model/approx_orbit.py", "float(tokens.alpha / (1 + tokens.alpha))", "0.5", f"{MODEL}::test_the_float_orbit_takes_the_step_alpha_says"),
    ("model/json_lines.py", "                if file.read(1):\n                    raise Malformed(f\"{path}: expected nothing after the end line\")\n", "", f"{MODEL}::test_nothing_comes_after_the_end_line"),
    ("crosscheck/exports.py", 'named[f"block{k}.Q"], named[f"block{k}.K"] =', 'named[f"block{k}.K"], named[f"block{k}.Q"] =', f"{MODEL}::test_exports_name_every_weight"),
    ("crosscheck/transformers.py", "else float(\"inf\") for part in parts)", "else float(\"inf\") for part in parts[-1:])", f"{MODEL}::test_crosschecks_look_at_every_sequence"),
    ("crosscheck/transformers.py", "else float(\"inf\") for part in parts)", "else float(\"inf\") for part in parts[:1])", f"{MODEL}::test_crosschecks_look_at_every_sequence"),
    ("crosscheck/transformers.py", "least = gap if least is None or (gap is not None and gap < least) else least", "least = gap", f"{MODEL}::test_crosschecks_look_at_every_sequence"),
    ("crosscheck/transformers.py", "if found is None and len(wrong):", "if len(wrong):", f"{MODEL}::test_the_first_of_several_differences_is_told"),
    # constructions
    ("constructions/verification.py", "if set(outputs[start:stop]) != {wanted[t] for t in targets.sets[j]}:", "if not set(outputs[start:stop]) <= {wanted[t] for t in targets.sets[j]}:", "tests/unit/test_construct_edges.py"),
    ("constructions/verification.py", "if set(outputs[start:stop]) != {wanted[t] for t in targets.sets[j]}:", "if not set(outputs[start:stop]) >= {wanted[t] for t in targets.sets[j]}:", "tests/unit/test_construct_edges.py"),
    # the catalogue
    ("conjectures/catalogue/conditions.py", "lambda z: z.alpha >= 1", "lambda z: z.alpha > 1", f"{STATEMENTS}::test_every_hypothesis_lets_in_and_keeps_out"),
    ("conjectures/catalogue/frank_wolfe.py", "w.step[0] < 1)", "w.step[0] <= 1)", f"{STATEMENTS}::test_every_hypothesis_lets_in_and_keeps_out"),
    ("conjectures/catalogue/frank_wolfe.py", "is_symmetric(w.B) and sign_of(w.B) >= 0)", "is_symmetric(w.B) and sign_of(w.B) > 0)", f"{STATEMENTS}::test_every_hypothesis_lets_in_and_keeps_out"),
    ("conjectures/catalogue/frank_wolfe.py", "w.step is None and w.layers >= 1)", "w.step is None and w.layers > 1)", f"{STATEMENTS}::test_every_hypothesis_lets_in_and_keeps_out"),
    ("conjectures/catalogue/frank_wolfe.py", "(SEMIDEFINITE, OPEN_LOOP, ZERO_FIRST, ZERO_ALWAYS)", "(SEMIDEFINITE, OPEN_LOOP, ZERO_FIRST)", f"{STATEMENTS}::test_statements_keep_their_status_and_their_hypotheses"),
    ("conjectures/catalogue/frank_wolfe.py", "return fails(layer=t, token=i)\n        p *=", "return holds()\n        p *=", f"{STATEMENTS}::test_the_closed_form_on_cells_is_compared_layer_by_layer"),
    ("conjectures/catalogue/frank_wolfe.py", "            return fails(token=i)\n", "            return holds()\n", f"{STATEMENTS}::test_every_conclusion_is_true_here_and_false_there"),
    ("conjectures/catalogue/frank_wolfe.py", "return fails(token=moving[0], split=split)", "return holds()", f"{STATEMENTS}::test_every_conclusion_is_true_here_and_false_there"),
    ("conjectures/catalogue/lemmas.py", "        if broken is not None:\n", "        if False:\n", f"{STATEMENTS}::test_every_conclusion_is_true_here_and_false_there"),
    ("conjectures/catalogue/lemmas.py", "last = 0 if number == 5 else LAYERS", "last = 0", f"{STATEMENTS}::test_every_conclusion_is_true_here_and_false_there"),
    ("conjectures/catalogue/clustering.py", "    if broken:\n", "    if False:\n", f"{STATEMENTS}::test_every_conclusion_is_true_here_and_false_there"),
    ("conjectures/catalogue/clustering.py", "conclude(bool(leaders),", "conclude(True,", f"{STATEMENTS}::test_every_conclusion_is_true_here_and_false_there"),
    ("conjectures/catalogue/clustering.py", "        if weights is not None:\n", "        if False:\n", f"{STATEMENTS}::test_every_conclusion_is_true_here_and_false_there"),
    ("conjectures/catalogue/leaders.py", "return fails(token=i, leader=True, weights=list(answer.weights))", "return holds()", f"{STATEMENTS}::test_an_inner_token_that_led_would_refute_vertices"),
    ("conjectures/catalogue/leaders.py", "return fails(token=stray[0]) if stray else", "return", f"{STATEMENTS}::test_every_conclusion_is_true_here_and_false_there"),
    ("conjectures/catalogue/interpolation.py", "return conclude(interpolates(built.transformer, pairs), built=True)", "return conclude(True, built=True)", f"{STATEMENTS}::test_a_transformer_that_is_wrong_refutes_feasibility"),
    ("conjectures/catalogue/interpolation.py", "conclude(blocks <= 2 and interpolates", "conclude(interpolates", f"{STATEMENTS}::test_more_than_two_blocks_are_not_two"),
    ("conjectures/catalogue/interpolation.py", "    if violated is not None:\n        return fails(built=True", "    if False:\n        return fails(built=True", f"{STATEMENTS}::test_what_is_built_for_infeasible_data_refutes_feasibility"),
    ("conjectures/statement.py", "except (Undecided, Declined) as problem:", "except Undecided as problem:", f"{STATEMENTS}::test_what_declines_is_undecided_and_nothing_else"),
    ("conjectures/statement.py", "if not h.holds_for(instance)), None)", "if False), None)", f"{STATEMENTS}::test_zero_always_is_asked_of_the_last_layer_and_of_the_repaired_statement"),
    # training
    ("training/loss.py", "for side in (*table, *zip(*table, strict=True))])", "for side in table])", f"{LOSS}::test_the_enclosure_contains_the_definition_and_the_checker_agrees"),
    ("training/loss.py", "found.high < bound if side", "found.low < bound if side", f"{LOSS}::test_bits_are_doubled_until_the_checker_accepts"),
    ("training/loss.py", "yield from map(rational, chain((sa.rho,),", "yield from map(rational, chain((),", f"{LOSS}::test_the_enclosure_contains_the_definition_and_the_checker_agrees"),
    ("training/runs.py", "if self.figures.objective.low > self.guarantee.high", "if self.figures.objective.high > self.guarantee.low", f"{TRAIN}::test_enclosures_that_overlap_decide_nothing"),
    ("training/runs.py", "return simplest_between(guarantee.high, objective.low)", "return simplest_between(objective.low, None)", f"{TRAIN}::test_certificates_of_the_verdicts"),
    ("training/softmax_training.py", "gradient = gradient + 2 * self.eps * theta", "gradient = gradient + self.eps * theta", f"{TRAIN}::test_adam_minimises_the_objective"),
    ("training/softmax_training.py", "torch.maximum(far_output, far_target)", "far_output", f"{TRAIN}::test_the_softmax_loss_is_that_of_balls_for_any_number_of_targets"),
    ("training/saved_runs.py", "f'{name} {self._data}'", "self._data", f"{TRAIN}::test_an_interrupted_training_is_resumed"),
    ("training/same_shape.py", "        verify_interpolates(network, data, wanted)\n", "        pass\n", f"{REPAIR}::test_a_unit_that_changes_its_sign_is_seen"),
    ("training/same_shape.py", "fmpq_mat(d, 1, target) - offset", "fmpq_mat(d, 1, target)", f"{REPAIR}::test_v_is_corrected_with_active_units"),
    ("training/interpolant.py", "[*network.blocks, *(identity * (blocks - 1))]", "[*network.blocks, *(identity * blocks)]", f"{TRAIN}::test_an_interpolant_is_filled_up_with_identities"),
    # command line and pages
    ("cli/construct.py", 'return 0 if any("blocks" in row for row in rows) else 1', "return 0", f"{CODES}::test_all_methods_refused_exit_1_and_one_that_builds_exits_0"),
    ("cli/construct.py", "data = dataset.with_positions() if options[\"positions\"] else dataset", "data = dataset", f"{CODES}::test_positions_stand_in_the_certificate_of_a_refusal"),
    ("cli/construct.py", "ctx.exit(1)", "ctx.exit(0)", "tests/cli/test_construct.py::test_infeasible_data_exit_1_with_every_reason"),
    ("cli/check.py", "        workers=workers,\n", "", "tests/cli/test_check.py::test_workers_give_the_same_verdict"),
    ("cli/check.py", "        limits=raised,\n", "", f"{CODES}::test_every_limit_of_the_checker_is_handed_on"),
    ("cli/check.py", "        positions=positions,\n", "", f"{CODES}::test_positions_stand_in_the_certificate_of_a_refusal"),
    ("cli/hunt.py", "files = [] if prefix is None or k else finding.write(prefix)", "files = [] if prefix is None else finding.write(prefix)", f"{CODES}::test_all_findings_are_told_and_the_first_is_written"),
    ("cli/hunt.py", "    if not shows_progress():\n", "    if not sys.stderr.isatty():\n", f"{ANSWERS}::test_bars_are_drawn_on_a_terminal_unless_quiet"),
    ("cli/demo.py", 'return 0 if set(verdicts.values()) == {"accepted"} else 1', "return 0", f"{CODES}::test_the_demo_fails_unless_all_is_accepted"),
    ("report/accounts.py", '"leader" if i in leaders else "",', '"" if i in leaders else "leader",', f"{CODES}::test_leaders_are_leaders_in_every_form_of_the_answer"),
    ("report/scenes.py", '"leader" if i in leaders else ""', '"" if i in leaders else "leader"', f"{CODES}::test_leaders_are_leaders_in_every_form_of_the_answer"),
    ("dynamics/limits.py", '"leader" if i in leaders else ""', '"" if i in leaders else "leader"', f"{CODES}::test_leaders_are_leaders_in_every_form_of_the_answer"),
    # certificates as objects
    ("certificates/opened.py", 'return [line.get("label") for line in self.sequence_lines(most)]', "return [None for line in self.sequence_lines(most)]", f"{CERTIFICATE}::test_an_interpolation_certificate_gives_back_what_it_is_about"),
    ("certificates/opened.py", 'for row in line["targets"]])\n', 'for row in line["tokens"]])\n', f"{CERTIFICATE}::test_an_interpolation_certificate_gives_back_what_it_is_about"),
    ("certificates/opened.py", 'for key in ("tokens", "A"))', 'for key in ("tokens", "tokens"))', f"{CERTIFICATE}::test_an_instance_of_the_dynamics"),
    # answers
    ("geometry/propose.py", "    if not _has_solver(solver):\n        return False\n", "", f"{ANSWERS}::test_a_missing_solver_warns_once_and_exact_arithmetic_decides_alone"),
    ("model/process_lock.py", '"BEGIN EXCLUSIVE"', '"BEGIN"', f"{ANSWERS}::test_only_one_process_holds_a_lock"),
    # what a survey of operators and constants asked for
    ("geometry/separation.py", "if total != 1 or any(", "if total != 1 and any(", "tests/unit/test_geometry_hull.py"),
    ("geometry/separation.py", "((0, Fraction(1)),), answer.weights", "((0, Fraction(2)),), answer.weights", "tests/unit/test_geometry_separation.py"),
    ("geometry/points.py", "np.split(together, ends[:-1])", "np.split(together, ends[:-2])", "tests/unit/test_geometry_separation.py"),
    ("geometry/points.py", "math.gcd(*integers) or 1", "math.gcd(*integers) and 1", "exactformer/geometry/points.py"),
    ("model/batch.py", "original_offsets[j : j + 2]", "original_offsets[j : j + 3]", f"{MODEL}::test_a_batch_in_parts_is_the_sequences_one_by_one"),
    ("model/batch.py", "self.offsets[first : last + 1] - start", "self.offsets[first : last + 1] + start", f"{MODEL}::test_a_batch_in_parts_is_the_sequences_one_by_one"),
    ("model/batch.py", "*part.shape[1:]), dtype=part.dtype", "*part.shape[2:]), dtype=part.dtype", f"{MODEL}::test_a_batch_in_parts_is_the_sequences_one_by_one"),
    ("conjectures/plain_orbit.py", "x * u + y * v + z * w for", "x * u + y + v + z * w for", f"{STATEMENTS}::test_plain_orbits_are_the_orbits_of_the_engine"),
    ("conjectures/proved_fate.py", "/ len(points) for column", "* len(points) for column", STATEMENTS),
    ("crosscheck/dynamics.py", "max(1.0, np.abs(orbit.tokens(0)", "min(1.0, np.abs(orbit.tokens(0)", f"{MODEL}::test_tolerances_grow_with_the_tokens"),
    ("dynamics/float_filter.py", "~(gap > reach)", "~(gap >= reach)", "tests/agreement/test_dynamics_orbits.py"),
    ("dynamics/float_filter.py", "REACH * shadow.errors(form, block, error)", "0 * shadow.errors(form, block, error)", "tests/agreement/test_dynamics_orbits.py"),
    ("dynamics/locking.py", "locked = single & self.static[first]", "locked = single", "tests/agreement/test_dynamics_orbits.py"),
    # the atlas
    ("atlas/running.py", "if done.exit_code != command.exit_code:", "if done.exit_code not in (0, 1):", "tests/cli/test_papers.py::test_a_command_that_does_something_else_is_told"),
    ("atlas/running.py", "if not values or not all(", "if not all(", "tests/cli/test_papers.py::test_a_command_that_does_something_else_is_told"),
    ("atlas/running.py", "        if not outcome:\n            return\n", "", "tests/cli/test_papers.py::test_the_commands_after_a_wrong_one_are_not_run"),
    ("cli/papers.py", "return int(wrong > 0)", "return 0", "tests/cli/test_papers.py::test_run_exits_1_where_a_row_is_wrong"),
    # bit extraction
    ("constructions/methods/extraction.py", "factor = Fraction(math.ceil(2 / least))", "factor = Fraction(math.ceil(1 / least))", "tests/theorems/test_construct_extraction.py::test_keys_are_two_apart"),
    ("constructions/methods/extraction.py", "if k < len(own) else (0, 0)", "if k < len(own) else (0, 1)", "tests/theorems/test_construct_extraction.py"),
    ("constructions/methods/extraction.py", "[({self.same: 1}, 0, {self.same: -1})]", "[({self.same: 1}, 0, {self.same: 1})]", "tests/theorems/test_construct_extraction.py::test_comparisons"),
    ("constructions/methods/extraction.py", "(gated, -(1 << top) - gate, {self.label: -(1 << bit)})", "(gated, -(1 << top), {self.label: -(1 << bit)})", "tests/theorems/test_construct_extraction.py::test_bits_are_read_from_the_top"),
    # the mean field: limits, rates, bounds, enclosures
    ("studies/mean_field/roots.py", "if ends(root.ball.real)[1] >= floor]", "if ends(root.ball.real)[1] > floor + 1]", LIMITS),
    ("studies/mean_field/roots.py", "if (2 * root.ball.real).overlaps(c)]", "if root.ball.real.overlaps(c)]", f"{LIMITS}::test_ties_of_different_eigenvalues_are_decided"),
    ("studies/mean_field/spectrum.py", "if geometric < multiplicity:", "if geometric < 1:", f"{LIMITS}::test_kinds_and_projectors_of_random_matrices"),
    ("studies/mean_field/spectrum.py", "inverse = f.derivative().xgcd(f)[1] % f", "inverse = fmpq_poly([1])", LIMITS),
    ("studies/mean_field/lyapunov.py", "x - self.bound * (i == j)", "x - 2 * self.bound * (i == j)", LIMITS),
    ("studies/mean_field/lyapunov.py", "if not positive_definite([[-x for x in row] for row in inside]):", "if False:", f"{LIMITS}::test_the_gap_itself_is_not_certified"),
    ("studies/mean_field/rate.py", "if norm <= 0 or not positive_semidefinite(rest):", "if norm <= 0:", f"{LIMITS}::test_norms_are_bounds_and_nearly_least"),
    ("studies/mean_field/laplace.py", "        if square != 1:", "        if square > 2:", f"{BOUNDS}::test_what_laplace_refuses"),
    ("studies/mean_field/laplace.py", "_ball(beta * (s - top)).exp()", "_ball(beta * (top - s)).exp()", f"{BOUNDS}::test_laplace_bounds_hold_at_every_larger_beta"),
    ("studies/mean_field/enclosure.py", "total += self.h * w * _norm(G) * radius", "total += 0", f"{BOUNDS}::test_enclosures_contain_turned_orbits"),
    ("studies/mean_field/counterexamples.py", "if sorted(images) != sorted(instance.tokens):", "if False:", f"{BOUNDS}::test_judgements_of_instances_that_satisfy_all"),
    # the mean field in floats
    ("studies/mean_field/approx_softmax.py", "- depth - 2 * radius - sources.excess", "- depth - sources.excess", f"{MEAN}::test_truncation_stays_within_its_bound"),
    ("studies/mean_field/approx_cells.py", "self.radii * np.minimum(a**2, 1 + a)", "0 * self.radii", f"{MEAN}::test_the_error_of_merged_tokens_is_never_above_its_bound"),
    ("studies/mean_field/approx_cells.py", "np.expm1(eps) * away", "0 * away", f"{MEAN}::test_weights_of_merged_tokens_are_wrong_by_their_third_moment_only"),
    ("studies/mean_field/approx_cells.py", "0.5 if i == j else 1.0", "1.0", f"{MEAN}::test_weights_of_merged_tokens_are_wrong_by_their_third_moment_only"),
    ("studies/mean_field/approx_compressed.py", "(off <= tolerance) & (_tail(coefficients, self.nodes) <= TAIL * tolerance)", "off <= tolerance", f"{MEAN}::test_cells_are_cut_by_their_checks_and_by_their_last_coefficient"),
    ("studies/mean_field/approx_compressed.py", "(off <= tolerance) & (_tail(", "(off >= 0) & (_tail(", f"{MEAN}::test_cells_are_cut_by_their_checks_and_by_their_last_coefficient"),
    ("studies/mean_field/approx_flow.py", "self._normed(x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4))", "self._normed(x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k3))", f"{MEAN}::test_velocities_are_tangent_and_schemes_have_their_order"),
    ("studies/mean_field/approx_transport.py", "-(x @ e), min(plus", "(x @ e), min(plus", f"{MEAN}::test_two_atoms_are_what_the_solver_finds"),
    ("studies/mean_field/approx_phases.py", "self.gap / (p * self.beside)", "self.gap / self.beside", f"{MEAN}::test_rates_know_where_no_law_holds"),
    ("studies/mean_field/approx_phases.py", "settled = k < len(w2) - 1", "settled = True", f"{MEAN}::test_phases_say_when_the_end_came_too_soon"),
    ("studies/mean_field/approx_form.py", "if kept and fixed and np", "if kept and np", f"{MEAN}::test_only_reflections_that_keep_everything_hide"),
    ("studies/mean_field/approx_density.py", "bad = ~((values >= 0) & (values < np.inf))", "bad = values < 0", "tests/unit/test_mean_field_densities.py::test_what_is_no_density_is_refused"),
    ("studies/mean_field/approx_density.py", "stay = levels * higher <= top", "stay = levels * higher >= 0", "tests/unit/test_mean_field_densities.py::test_a_spike_found_late_thins_what_was_kept_before"),
    ("studies/mean_field/approx_run.py", "if not (off < OFF_SPHERE).all():", "if not (off < OFF_SPHERE).any():", "tests/cli/test_meanfield_run.py::test_tokens_of_a_file_lie_on_the_sphere"),
    # softmax: enclosures that would be too narrow, scales too small, labels that floats chose
    ("model/box_attention.py", "HALVINGS = fmpq(10, 7)", "HALVINGS = fmpq(3, 2)", f"{BOXES}::test_rule_a_takes_no_more_halvings_than_there_are"),
    ("model/box_attention.py", "int((HALVINGS * gaps[j]).floor())", "int((HALVINGS * gaps[j]).ceil())", AGREE),
    ("model/box_attention.py", "if j == best else _score_gap(query, keys[best], key)", "if keys[j] == keys[best] else _score_gap(query, keys[best], key)", f"{BOXES}::test_equal_boxes_are_not_equal_tokens"),
    ("model/box_attention.py", "state.counts[best] << bits)", "sum(state.counts) << bits)", AGREE),
    ("model/boxes.py", "key = box if all(map(is_point, box)) else i", "key = box", f"{BOXES}::test_equal_boxes_are_not_equal_tokens"),
    ("model/boxes.py", "scaled(w, (ZERO, high))", "scaled(w, (high, high))", AGREE),
    ("model/temperatures.py", "return self.low <= beta and", "return self.low < beta and", f"{RUN}::test_a_certificate_runs_at_the_border_of_its_temperatures"),
    ("model/ball_transformer.py", "best = min(v.upper() for v in distances.values())", "best = min(distances.values(), key=lambda v: float(v.upper()))", f"{RUN}::test_labels_that_differ_beyond_the_digits_of_floats_are_decided"),
    ("model/ball_transformer.py", "ball.is_finite() and abs(ball) < _LARGE", "ball.is_finite()", f"{RUN}::test_balls_too_large_to_write_down_have_no_ends"),
    ("constructions/methods/soft_leaders.py", "Fraction(7 * halvings, 10)", "Fraction(halvings, 10)", f"{SOFT}::test_random_data_sets_are_proved"),
    ("constructions/methods/soft_leaders.py", "second = np.maximum.reduceat(np.where(values == leaders[owner], least[owner], values), starts)", "second = least", f"{SOFT}::test_random_data_sets_are_proved"),
    ("constructions/methods/temperature.py", "if any(means[i][1] >= means[j][0] for i, j in pairwise(order)):", "if False:", f"{SOFT}::test_means_that_differ_late_are_refined"),
    ("constructions/feasibility.py", "if data.dim > 1 else", "if data.dim else", f"{SOFT}::test_soft_leaders_on_every_family"),
    # compact: slopes that are not tested, targets that are not there
    ("constructions/slope_memory.py", "if not 0 <= piece.at(piece.limit) <= 1:", "if piece.at(piece.limit) < 0:", f"{COMPACT}::test_one_key_alone_always_has_a_slope"),
    ("constructions/slope_memory.py", "way = max(Fraction(-4), min(bend * (high - low), Fraction(4)))", "way = bend * (high - low)", f"{COMPACT}::test_a_cut_turns_the_phase_to_theta_even_if_it_turns_it_more_often_than_floats_can_say"),
    ("constructions/pooled_means.py", "(pooled.spread or 0) * pooled.totals[owner]", "pooled.totals[owner]", f"{COMPACT}::test_several_targets"),
    ("constructions/pooled_means.py", "targets += ordered + ordered[-1:] * (size - len(ordered))", "targets += ordered[-1:] * size", f"{COMPACT}::test_several_targets"),
    ("constructions/arcs.py", "Aim((low + high) / 2, (high - low) / 2 - self.guard)", "Aim((low + high) / 2, (high - low) / 2)", COMPACT),
    # strangers' files, and the edges of proofs
    ("arithmetic/number_field.py", "    if not substitute(y.minpoly, image, x).is_zero():\n        return None\n", "", f"{EDGES}::test_proposals_of_a_relation_are_verified"),
    ("arithmetic/number_field.py", "return image if len(roots) == 1 and roots[0].overlaps(y.theta(bits)) else None", "return image", f"{EDGES}::test_proposals_of_a_relation_are_verified"),
    ("arithmetic/algebraic.py", "rel_accuracy_bits() < 60", "rel_accuracy_bits() < 6", f"{EDGES}::test_floats_of_algebraic_numbers_undo_cancellation"),
    ("arithmetic/algebraic.py", "Fraction(1, 2) - turns", "Fraction(1, 2) + turns", f"{EDGES}::test_sines_and_cosines_are_those_of_the_angle"),
    ("arithmetic/allowance.py", "_WORK_LEFT.set(left - amount)", "_WORK_LEFT.set(left)", f"{STRANGERS}::test_many_algebraic_numbers_share_one_allowance"),
    ("model/float_weights.py", "weights_only=True", "weights_only=False", f"{STRANGERS}::test_a_torch_file_runs_nothing"),
    ("model/json_lines.py", "inner = inner.replace(b\"[]\", b\"\")", "inner = b\"\"", f"{STRANGERS}::test_nested_brackets_are_malformed_everywhere"),
    ("studies/sentiment/reviews_file.py", "allowance(len(packed)) // work", "allowance(len(packed)) * work", f"{STRANGERS}::test_xz_files_of_zeros_are_declined"),
    ("crosscheck/transformers.py", "if alone[tuple(x)] == 1 and np.isfinite(x).all()]", "if np.isfinite(x).all()]", f"{STRANGERS}::test_crosscheck_of_targets_beyond_floats_departs"),
    ("crosscheck/transformers.py", "self.first_difference is None and close and self.right", "self.first_difference is None and self.right", f"{ANSWERS}::test_outputs_far_off_depart_even_where_the_nearest_target_is_right"),
    ("cli/common.py", "        for file in sorted(path.glob(pattern)):\n            note_output(file)", "        pass", f"{STRANGERS}::test_a_folder_for_output_may_not_hold_the_input"),
    ("studies/time_delay/recurrence.py", "if len(self.H) > self.width:", "if len(self.H) >= self.width:", "tests/theorems/test_delay.py::test_as_many_rows_as_unknowns_decide_nothing"),
    ("studies/time_delay/recurrence.py", "tail = [series.state.denominator] if intercept else []", "tail = [1] if intercept else []", "tests/theorems/test_delay.py::test_the_intercept_of_a_series_of_fractions_is_that_of_the_series"),
    ("studies/time_delay/positive_window.py", "return all(a > 0 for a in self.weights)", "return all(a >= 0 for a in self.weights)", "tests/theorems/test_delay.py::test_a_window_with_a_weight_zero_is_not_strict"),
    ("studies/sentiment/votes.py", "if any(scores[j] != max(scores) for j in tied[group].tolist()):", "if False:", "tests/theorems/test_sentiment_votes.py::test_a_tie_that_will_part_is_not_locked"),
    ("training/repair.py", "        if len(set(points.values())) == len(points):", "        if True:", "tests/unit/test_training_repair.py::test_label_points_stay_apart_on_a_finer_grid"),
    ("certificates/opened.py", "if None not in labels else data", "if True else data", f"{CERTIFICATE}::test_data_without_labels_have_none"),
    # what survived when somebody else chose the places
    ("studies/mean_field/rate.py", "top, floor = ends(largest)[0], ends(others)[1]", "top, floor = ends(largest)[1], ends(others)[0]", f"{LIMITS}::test_the_ends_of_a_rate_lie_outside_the_enclosures"),
    ("studies/mean_field/enclosure.py", "errors = [(4 * _root(", "errors = [(0 * _root(", f"{BOUNDS}::test_rounding_is_part_of_the_radius"),
    ("studies/mean_field/enclosure.py", "q * radii[i] * radii[i]) / (1 + q))", "q * radii[i] * radii[i]) / (1 + 4 * q))", f"{BOUNDS}::test_a_turn_of_the_circle_neither_widens_nor_narrows"),
    ("studies/mean_field/counterexamples.py", "while guess * guess < square or not guess:", "while not guess:", f"{BOUNDS}::test_gaps_are_never_below_the_difference_of_the_eigenvalues"),
    ("studies/time_delay/enclosure.py", "share + y * (-y * y / 2).exp() / (2 * arb.pi()).sqrt()", "share", f"{DELAY}::test_jacobians_of_enclosures_are_those_of_the_formula"),
    ("studies/time_delay/enclosure.py", "(y.max(arb(0)), arb(0.5, 0.5))", "(y.max(arb(0)), arb(0.5))", f"{DELAY}::test_slopes_of_activations_contain_every_quotient"),
    ("studies/time_delay/enclosure.py", "        if not self.block:\n            parts[-1] = parts[-1] + out * self.E[-1]\n", "", f"{DELAY}::test_jacobians_of_enclosures_are_those_of_the_formula"),
    ("studies/time_delay/fit.py", "rows[:first].mean(axis=0), rows[:first].std(axis=0)", "rows.mean(axis=0), rows.std(axis=0)", f"{DELAY}::test_only_the_first_part_of_a_series_is_standardised"),
    ("cli/delay_roll.py", "if not e.contains(floats[k])), None)", "if e.contains(floats[k])), None)", "tests/cli/test_delay.py::test_the_step_at_which_floats_leave_the_enclosures"),
    ("training/loss.py", "max(low, -high, Fraction(0)) ** 2", "max(low, -high) ** 2", f"{LOSS}::test_the_distance_of_a_box_to_a_target_inside_may_be_zero"),
    ("training/runs.py", "return apart / (4 * len(self.targets.sets)", "return apart / (len(self.targets.sets)", f"{TRAIN}::test_the_scope_and_the_separating_eps_are_those_of_the_definition"),
    ("training/runs.py", "for measure in (len, lambda network: network.width))", "for measure in (len, lambda network: network.dim))", f"{TRAIN}::test_the_scope_and_the_separating_eps_are_those_of_the_definition"),
    ("training/interpolant.py", "(not c.same_shape, c.norm2.high)", "(c.norm2.high,)", f"{TRAIN}::test_the_smallest_interpolant_of_the_trained_shape_is_preferred"),
    ("training/repair.py", "largest = max(abs(r) for residual in residuals for r in residual)", "largest = max(r for residual in residuals for r in residual)", f"{REPAIR}::test_the_residual_is_the_largest_in_either_direction"),
    ("model/float_weights.py", "if \"V\" in layer and blocks and \"V\" not in blocks[-1]:", "if False:", f"{REPAIR}::test_blocks_are_ordered_by_their_numbers_and_layers_are_paired"),
    ("model/float_weights.py", "blocks = [numbered.get(k, {}) for k in range(max(numbered) + 1)]", "blocks = [numbered[k] for k in numbered]", f"{REPAIR}::test_blocks_are_ordered_by_their_numbers_and_layers_are_paired"),
    ("model/float_weights.py", "stride == math.prod(sizes[k + 1 :]) or sizes[k] == 1", "True", f"{REPAIR}::test_only_plain_tensors_of_a_torch_program_are_read"),
    ("certificates/loss.py", "sequence_lines(tokens, offsets, targets, labels))", "sequence_lines(tokens, offsets, targets, None))", f"{LOSS}::test_a_certificate_of_the_loss_names_the_labels"),
    # statements made vacuous
    ("conjectures/catalogue/late_leaders.py", "return fails(token=4, expected=expected, leads=leads.get(4))", "return holds()", f"{STATEMENTS}::test_beliefs_about_late_leaders_are_true_here_and_false_there"),
    ("conjectures/catalogue/late_leaders.py", "these, those = (slow, fast) if lost else (fast, slow)", "these, those = slow, fast", f"{STATEMENTS}::test_beliefs_about_late_leaders_are_true_here_and_false_there"),
    ("conjectures/catalogue/late_leaders.py", "return fails(token=gone[0], layers=these[gone[0]])", "return holds()", f"{STATEMENTS}::test_beliefs_about_late_leaders_are_true_here_and_false_there"),
    ("conjectures/catalogue/late_leaders.py", "if len(leads) > len(corners):", "if False:", f"{STATEMENTS}::test_beliefs_about_late_leaders_are_true_here_and_false_there"),
    ("conjectures/catalogue/late_leaders.py", "return fails(token=i, layers=k, weights=weights)", "return holds()", f"{STATEMENTS}::test_beliefs_about_late_leaders_are_true_here_and_false_there"),
    ("studies/mean_field/counterexamples.py", "return fails(vector=_simple(vector), trace=t, determinant=n)", "return holds()", f"{BOUNDS}::test_every_conclusion_is_false_where_its_hypothesis_fails"),
    ("studies/mean_field/counterexamples.py", "return fails(approx_real=real, approx_imaginary=turn)", "return holds()", f"{BOUNDS}::test_irrational_pairs_are_certified"),
    ("studies/mean_field/counterexamples.py", "return fails(vector=_simple(found.vector), eigenvalue=-found.polynomials[0][0])", "return holds()", f"{BOUNDS}::test_every_conclusion_is_false_where_its_hypothesis_fails"),
    ("studies/mean_field/counterexamples.py", "            return fails(token=i)\n", "            return holds()\n", f"{BOUNDS}::test_every_conclusion_is_false_where_its_hypothesis_fails"),
    ("studies/mean_field/counterexamples.py", "return fails(direction=e, excludes=normals[0], excludes_opposite=normals[1])", "return holds()", f"{BOUNDS}::test_cones_are_kept_at_every_temperature"),
    ("studies/mean_field/counterexamples.py", "return fails(reflection=[Fraction(r) for r in R], token=fixed)", "return holds()", f"{BOUNDS}::test_every_conclusion_is_false_where_its_hypothesis_fails"),
    ("studies/mean_field/counterexamples.py", "return fails(decay=a) if", "return holds() if", f"{BOUNDS}::test_constants_of_any_size_are_refuted"),
    ("studies/mean_field/counterexamples.py", "return fails(time=s, gap=gap)", "return holds()", f"{BOUNDS}::test_constants_of_any_size_are_refuted"),
    ("studies/mean_field/counterexamples.py", "if C * C * (1 + gap * s)", "if C * (1 + gap * s)", f"{BOUNDS}::test_constants_of_any_size_are_refuted"),
    ("studies/time_delay/rollout.py", "for x in new * scale + mean))", "for x in new * scale))", "tests/cli/test_delay.py::test_an_exact_rollout"),
    ("model/boxes.py", "if low + self.offsets[k] >= 0:", "if high + self.offsets[k] >= 0:", BOXES),
    ("training/repair.py", "if any(jump):", "if any(new):", f"{REPAIR}::test_residuals_that_become_equal_need_a_unit_too"),
    ("model/box_attention.py", "return 1 / most, 1 / least", "return 1 / least, 1 / most", f"{BOXES}::test_exponentials_of_gaps_of_either_sign_are_enclosed_from_both_sides"),
]
