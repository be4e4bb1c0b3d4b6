"""Read and write multi-label svmlight files."""
