"""How numbers and texts show themselves: HTML, LaTeX, text without hidden characters."""
