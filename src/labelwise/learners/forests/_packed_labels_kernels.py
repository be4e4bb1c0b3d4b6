"""Kernels that add up what the trees of packed forests say about labels."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

from labelwise._jit import njit
from labelwise.learners.ranking._pair_forests_kernels import find_leaf


@njit(cache=True, nogil=True)
def add_chances(X, forests, is_seen, sums, counts):
    """Add the chances of the trees of each model to the column of its label.

    A tree is left out for samples that it has seen: is_seen[tree, sample], or no entries if all
    trees count. `counts` has the number of trees that were added.
    """
    for j in range(forests.starts.size - 1):
        for i in range(X.shape[0]):
            for tree in range(forests.starts[j], forests.starts[j + 1]):
                if is_seen.size and is_seen[tree, i]:
                    continue
                sums[i, j] += forests.value[find_leaf(X[i], forests, forests.roots[tree])]
                counts[i, j] += 1


@njit(cache=True, nogil=True)
def add_leaves(X, forests, leaves, is_seen, sums, counts):
    """Add the chances of all labels at the leaves of one forest; otherwise as `add_chances`.

    The value at a leaf is its row in `leaves`, the parts of a CSR matrix of chances by labels.
    """
    indptr, labels, chances = leaves
    for i in range(X.shape[0]):
        for tree in range(forests.roots.size):
            if is_seen.size and is_seen[tree, i]:
                continue
            leaf = int(forests.value[find_leaf(X[i], forests, forests.roots[tree])])
            for e in range(indptr[leaf], indptr[leaf + 1]):
                sums[i, labels[e]] += chances[e]
            counts[i, 0] += 1
