"""Read studies from TOML files: bounded parsing, checked fields, and named classes."""
