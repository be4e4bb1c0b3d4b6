"""Pages of tables and charts: of an evaluation, a study, a split and a data set.

Builders call the public functions of the stages and arrange what these return; `_blocks` is what a
page consists of. The script of the page sorts, searches and draws, and computes no results.
"""
