"""Commands that read a file of thresholds and write another one."""
