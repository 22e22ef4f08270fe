"""Many tokens on the circle: they gather at the limit, stay there for a time of order log(beta), and leave along V."""

import exactformer as ef
from exactformer.report.canvas import save
from exactformer.report.meanfield_plot import draw_distances, draw_tokens

mean_field = ef.meanfield

# M = V B' = diag(1/5, 1/2): at zero temperature tokens tend to e2 or -e2. V itself prefers e1.
system = mean_field.System.of([[1, 0], [0, "1/2"]], [["1/5", 0], [0, 1]])

found = mean_field.approx_simulation(system, [30, 100, 300], n=3000, time=22, step=0.4)
print("beta   least W2   at t   escape")
for run in found.runs:
    phases = run.phases
    print(f"{run.beta:4g}   {phases.w2_min:8.4f}  {phases.t_min:5.2f}  {phases.escape:7.2f}")
measured, predicted = found.slopes(), found.predicted()
for name in ("t_min", "escape"):
    print(f"{name} gains {measured[name]:.3f} with log(beta); predicted: {predicted[name]:.3f}")

# A density that the reflection x1 -> -x1 keeps hides the last phase: the clusters have no reason to turn to one side.
symmetric = mean_field.approx_simulation(system, [30], n=600, time=22, step=0.4, density="1+x2/2")
print("symmetric tokens escape:", symmetric.runs[0].phases.escape is not None)

save(draw_distances(found), "w2.png")
save(draw_tokens(found), "tokens.png")
print("wrote w2.png and tokens.png")
