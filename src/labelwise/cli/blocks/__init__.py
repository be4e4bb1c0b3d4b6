"""Commands on inputs that are read in blocks of rows: folders, and files above --max-bytes.

The commands in `commands` call the functions here, which call `labelwise.engine`.
"""
