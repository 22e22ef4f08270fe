"""Many tokens on the sphere at low temperature: the limit exactly, the phases measured, the bounds certified."""
