"""Read by every Python that is started beneath a planted bug: it has the bug too."""

from planting import plant_what_the_environment_says

plant_what_the_environment_says()
