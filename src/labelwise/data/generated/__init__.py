"""Generate data: label dependencies with a known posterior, digit pictures, and texts."""
