"""Sentiment analysis with leaders: words follow leader words, and every decision is an exact vote."""
