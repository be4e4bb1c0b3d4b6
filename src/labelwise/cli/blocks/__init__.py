"""Commands on inputs that are read in blocks of rows: folders, and files too large for memory.

The commands in `commands` ask `_block_inputs`, which imports no kernels, and call the functions of
`_block_commands`, which call the public functions with the paths.
"""
