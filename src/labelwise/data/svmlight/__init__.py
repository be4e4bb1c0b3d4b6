"""Read and write multi-label svmlight files.

The rest of the stage uses `_svmlight` (reader) and `_writing` (writer).
"""
