"""How many leaders there are, and how late the last one comes, for steps alpha from 1/32 to 16: proved, not simulated.

python examples/23_how_leaders_depend_on_alpha.py      # the table; leaders.png has the curves
"""

from exactformer.report.canvas import save
from exactformer.report.leaders_plot import draw_leaders, leader_counts, leader_table

counts = leader_counts()
print(leader_table(counts))
save(draw_leaders(counts), "leaders.png")
