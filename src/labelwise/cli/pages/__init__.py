"""Commands that write HTML pages, and the files that only they read."""
