"""Pictures and pages: orbits, follower graphs, blocks, bits, floats against exact, and `report.html`."""
