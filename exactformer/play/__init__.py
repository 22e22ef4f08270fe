"""Play: tokens dragged in a page, exact layers in the browser, limits proved by a local server as they move."""
