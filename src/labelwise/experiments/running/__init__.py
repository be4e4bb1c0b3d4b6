"""Run the cells of a study: their keys, evaluation, execution, scheduling and storage."""
