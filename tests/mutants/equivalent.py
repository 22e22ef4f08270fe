"""Mutants that change no answer, by address, each with the reason: no test can see them, and none is tried.

`run.py --check` reports an address that the source no longer has.
"""

from __future__ import annotations

# fmt: off
EQUIVALENT: dict[str, str] = {
    "exactformer.dynamics.orbit:Orbit.tokens:< to <=:0": "a replay begun anew comes to the same state of that layer",
    "exactformer.dynamics.plain_orbit:moved:> to >=:0": "division by 1 changes nothing",
    "exactformer.dynamics.plain_orbit:moved:condition to False:0": "the short cut for the plane computes what the rest does",
    "exactformer.arithmetic.algebraic:Algebraic.__floor__:number plus 1:0": "the precision to begin with; it grows until the floor is told",
    "exactformer.arithmetic.algebraic:Algebraic._compare:number plus 1:1": "only the sign of an order is read",
    "exactformer.arithmetic.algebraic:Algebraic._compare:number plus 1:2": "only the sign of an order is read",
    "exactformer.dynamics.integer_step:_times:condition to False:1": "the other branch adds: 2 * x is x + x",
    "exactformer.evaluate.network_radii:EnclosedNetwork.run:- dropped:0": "radii have two axes, and the last one is axis 1",
    "exactformer.geometry.alternative:_free_direction:> to >=:0": "`is_positive` decides on every axis that is tried",
    "exactformer.geometry.alternative:_free_direction:number plus 1:7": "directions are made primitive by whoever asked",
    "exactformer.geometry.projection:_nearest:max to min:2": "the support only says where the active set begins",
    "exactformer.io.canonical:integer_of:< to <=:0": "both ways read an integer of 4,000 digits",
    "exactformer.studies.mean_field.approx_softmax:approx_truncated:>= to >:0": "a source at the very edge of a window is below the bound either way",
    "exactformer.evaluate.integer_functions:reach:number plus 1:0": "a wider reach is one too",
    "exactformer.training.same_shape:_Problem.other_value:condition to False:0": "`_least_norm` asks the same of the same rows",
    "exactformer.constructions.distinct_means:_splitting_ranks:> to >=:0": "measures that are alone in their class are never split",
    "exactformer.dynamics.hypotheses:_proved_by_cholesky:number plus 1:1": "proves less, and what it does not prove is decided exactly",
    "exactformer.evaluate.integer_functions:gelu_tanh:number plus 1:12": "a wider radius is one too",
    "exactformer.evaluate.integer_functions:gelu_tanh:>= to >:0": "at 0 both ways give 0",
    "exactformer.evaluate.torch_module:FeedForwardModule.forward:arguments exchanged:0": "a transposition is its own inverse",
    "exactformer.instances.array_families:skewed:- to +:0": "what is added to all entries cancels in turn - turn'",
    "exactformer.languages.named:_named:+ to -:0": "an automaton that turns the other way round accepts the same words",
    "exactformer.training.experiment:papers_data:number plus 1:1": "all scores are zero",
    "proofs_check.networks.functions:exponential:>= to >:0": "where both ways are possible, both enclose it",
    "proofs_check.studies.laplace:verify_mean_distance:> to >=:3": "a term that is zero has no sign",
    "exactformer.arithmetic.power_sum:_ball:number plus 1:0": "one more bit of precision",
    "exactformer.studies.mean_field.approx_run:_followed:< to <=:1": "a step after the last one is not shown",
    "exactformer.studies.mean_field.approx_transport:approx_circle_w2:< to <=:0": "at 1/1000 both formulas give the same float but for rounding",
    "exactformer.training.saved_runs:SavedSteps.save:number plus 1:0": "NumPy takes any negative length as the one to find",
    "proofs_check.core.points:lowest:condition to False:0": "division by 1 changes nothing",
    "proofs_check.softmax.soft_attention:SoftAttention.mean:>= to >:1": "zero times either end is zero",
    "exactformer.evaluate.float_orbit:ApproxOrbit.clusters:break to continue:0": "once nothing moves, more layers change nothing",
    "exactformer.evaluate.function_tables:exp_pair:arguments exchanged:6": "the product of two pairs is symmetric",
    "exactformer.evaluate.integer_functions:gelu_tanh:number plus 1:1": "a wider radius is one too",
}
