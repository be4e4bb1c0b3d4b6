"""The commands, one file each: parse the options, call the stages, print the result."""
