"""Claims on boxes: softmax at a range of temperatures, margins, losses."""
