"""The papers behind the package, statement by statement: what became of each, and the command that shows it."""
