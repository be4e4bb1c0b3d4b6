"""The papers' published tables, each reproduced by one program."""
