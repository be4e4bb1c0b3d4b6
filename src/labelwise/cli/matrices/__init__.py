"""Files of scores, labels and decisions: reading, writing, and matching of rows and labels.

Commands that read such files use these modules; nothing here prints.
"""
