"""Kernels that pack trees, and add the chances of labels at the leaves of samples."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

import numpy as np

from labelwise._jit import njit

LEAF = -1


@njit(cache=True, nogil=True)
def pack_tree(left, right, feature, threshold, missing_left, chance):
    """Pack a tree in preorder: the left child of a node is the next node.

    `code` is 2 · feature, plus 1 if missing values go left, or LEAF; `value` is the threshold, or
    the probability at a leaf; `jump` is the distance to the right child.
    """
    n_nodes = left.size
    code = np.full(n_nodes, LEAF, dtype=np.int32)
    value = np.empty(n_nodes)
    jump = np.zeros(n_nodes, dtype=np.int32)
    waiting = np.empty(n_nodes, dtype=np.int64)
    parents = np.empty(n_nodes, dtype=np.int64)
    waiting[0], parents[0] = 0, -1
    n_waiting, place = 1, 0
    while n_waiting > 0:
        n_waiting -= 1
        node, parent = waiting[n_waiting], parents[n_waiting]
        if parent >= 0:
            jump[parent] = place - parent
        value[place] = chance[node]
        if left[node] >= 0:
            code[place] = 2 * feature[node] + missing_left[node]
            value[place] = threshold[node]
            # The left child is taken from the stack next; only the right child needs a jump.
            waiting[n_waiting], parents[n_waiting] = right[node], place
            waiting[n_waiting + 1], parents[n_waiting + 1] = left[node], -1
            n_waiting += 2
        place += 1
    return code, value, jump


@njit(inner=True, nogil=True)
def find_leaf(row, forests, node):
    """Return the leaf that a sample reaches from a root."""
    while forests.code[node] != LEAF:
        entry = row[forests.code[node] >> 1]
        goes_left = entry <= forests.value[node]
        if np.isnan(entry):
            goes_left = forests.code[node] & 1 == 1
        node += 1 if goes_left else forests.jump[node]
    return node


@njit(cache=True, nogil=True)
def add_chances(X, forests, leaves, is_seen, sums, counts):
    """Add the chances of labels at the leaves of samples, tree after tree.

    The trees of a model add to the column of its label; or there is one model, and the value at a
    leaf is its row in `leaves`, the parts of a CSR matrix of chances by labels, which is otherwise
    empty. A tree is left out for samples that it has seen: is_seen[tree, sample], or no entries if
    all trees count. `counts` has the number of trees that were added.
    """
    indptr, labels, chances = leaves
    for j in range(forests.starts.size - 1):
        for i in range(X.shape[0]):
            for tree in range(forests.starts[j], forests.starts[j + 1]):
                if is_seen.size and is_seen[tree, i]:
                    continue
                value = forests.value[find_leaf(X[i], forests, forests.roots[tree])]
                counts[i, j] += 1
                if indptr.size == 0:
                    sums[i, j] += value
                    continue
                for e in range(indptr[int(value)], indptr[int(value) + 1]):
                    sums[i, labels[e]] += chances[e]
