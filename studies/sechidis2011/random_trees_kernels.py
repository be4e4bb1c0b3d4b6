"""Kernels that grow random trees for a label, and apply them.

A feature is coded by the numbers of its distinct values in the training samples, from the lowest.
Codes of a node are counted in a histogram, and a bit map of the codes that occur gives them in
their order, so that no feature is sorted at a node. Small kernels are inlined before compilation:
a call counts a reference to each of its arrays, which takes as long as the count of a rare feature.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

import numpy as np

from labelwise._jit import njit

LEAF = -1
# In the place of the number of values: a feature that differs in each sample, such as its name.
IDENTIFIER = 0
# The number of samples is in the lower half of a count, that of positives in the upper half.
_HALF = 32
_LOWER = (1 << _HALF) - 1
# A word of a bit map has 32 bits, so that its arithmetic stays within int64. The product with
# _MAGIC has another number in its highest five bits for each power of two.
_BITS, _MAGIC = 32, 0x077CB531
# Rows of a block, which stay in the cache while all trees are applied to them.
_ROWS = 16
_PLACES = np.empty(_BITS, dtype=np.int64)
for _bit in range(_BITS):
    _PLACES[((_MAGIC << _bit) & _LOWER) >> 27] = _bit


@njit(cache=True, nogil=True, inline="always")
def draw_below(state, limit):
    """Draw a whole number from 0 to limit - 1, and advance the state (xorshift)."""
    x = state[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    state[0] = x
    return (np.int64(x >> np.uint64(32)) * limit) >> _HALF


@njit(cache=True, nogil=True)
def count_codes(codes, node, histogram, bits):
    """Count the samples of a node by their codes of a feature, and mark codes that occur."""
    rows, begin, end, _, counts = node
    for place in range(begin, end):
        row = rows[place]
        code = np.int64(codes[row])
        histogram[code] += counts[row]
        bits[code // _BITS] |= 1 << (code % _BITS)


@njit(cache=True, nogil=True, inline="always")
def count_ones(columns, feature, node):
    """Count the samples of a node that have the higher value of a feature with two."""
    rows, begin, end, places, counts = node
    ones = 0
    first, last = columns.indptr[feature], columns.indptr[feature + 1]
    if last - first < end - begin:
        for entry in range(first, last):
            row = columns.indices[entry]
            # Without a branch, which could not be predicted.
            is_in_node = np.int64(begin <= places[row]) & np.int64(places[row] < end)
            ones += counts[row] & -is_in_node
        return ones
    flags = columns.flags[feature]
    for place in range(begin, end):
        row = rows[place]
        ones += counts[row] & -is_set(flags, row)
    return ones


@njit(cache=True, nogil=True, inline="always")
def is_set(flags, row):
    """Return the bit of a row, 0 or 1."""
    return (np.int64(flags[row >> 3]) >> (row & 7)) & 1


@njit(cache=True, nogil=True, inline="always")
def impurity(count, n_log_n):
    """Return the entropy of a count, times its samples."""
    n, n_positive = count & _LOWER, count >> _HALF
    return n_log_n[n] - n_log_n[n_positive] - n_log_n[n - n_positive]


@njit(cache=True, nogil=True)
def best_cut(histogram, bits, n_words, total, n_log_n):
    """Return the lowest impurity of two parts, the codes around the cut, and the count below it.

    Clears the histogram and the bit map. A feature with one code has no cut: infinity.
    """
    lowest, below, above, count_below = np.inf, -1, -1, 0
    left, last = 0, -1
    for k in range(n_words):
        word = bits[k]
        bits[k] = 0
        while word:
            bit = word & -word
            word ^= bit
            code = k * _BITS + _PLACES[((bit * _MAGIC) & _LOWER) >> 27]
            if last >= 0:
                found = impurity(left, n_log_n) + impurity(total - left, n_log_n)
                if found < lowest:
                    lowest, below, above, count_below = found, last, code, left
            left += histogram[code]
            histogram[code] = 0
            last = code
    return lowest, below, above, count_below


@njit(cache=True, nogil=True, inline="always")
def try_feature(columns, feature, node, total, histogram, bits, n_log_n):
    """Return the best cut of a feature in a node, as `best_cut` does."""
    n_values = columns.n_values[feature]
    if n_values == 2:
        ones = count_ones(columns, feature, node)
        if ones == 0 or ones == total:
            return np.inf, -1, -1, 0
        zeros = total - ones
        return impurity(ones, n_log_n) + impurity(zeros, n_log_n), 0, 1, zeros
    count_codes(columns.codes[feature], node, histogram, bits)
    n_words = (n_values + _BITS - 1) // _BITS
    return best_cut(histogram, bits, n_words, total, n_log_n)


@njit(cache=True, nogil=True)
def choose_split(columns, node, total, n_tried, n_known, spare):
    """Return feature, codes and count below of the best split of features drawn, or LEAF.

    Draws go on until `n_tried` features were tried and one of them separates the classes. The first
    `n_known` features of `window` are constant in the node; how many are in the end comes last.
    """
    window, constants, histogram, bits, n_log_n, state = spare
    least = impurity(total, n_log_n) - 1e-9
    feature, below, above, count_below = LEAF, -1, -1, 0
    # In order: drawn constants, others that are known, found ones, features to draw, drawn ones.
    n_drawn, n_constant, stop = 0, n_known, window.size
    while stop > n_constant and (n_tried > 0 or feature == LEAF):
        n_tried -= 1
        place = n_drawn + draw_below(state, stop - n_constant + n_known - n_drawn)
        if place < n_known:
            swap(window, place, n_drawn)
            n_drawn += 1
            continue
        place += n_constant - n_known
        tried = window[place]
        if columns.n_values[tried] == IDENTIFIER:
            # Its nodes are pure, and a new sample is in none of them, so that this node is its
            # leaf; unless a feature that was drawn before leaves pure nodes, too.
            feature = LEAF if least > 0.0 else feature
            break
        found, low, high, count = try_feature(columns, tried, node, total, histogram, bits, n_log_n)
        if high < 0:
            swap(window, place, n_constant)
            n_constant += 1
            continue
        stop -= 1
        swap(window, place, stop)
        if found < least:
            least, feature, below, above, count_below = found, tried, low, high, count
    # Nodes beside this one know fewer constants: the first ones must keep their places.
    window[:n_known] = constants[:n_known]
    constants[n_known:n_constant] = window[n_known:n_constant]
    return feature, below, above, count_below, n_constant


@njit(cache=True, nogil=True, inline="always")
def swap(array, first, second):
    """Exchange two entries."""
    array[first], array[second] = array[second], array[first]


@njit(cache=True, nogil=True)
def divide(columns, feature, below, node):
    """Move the rows of a node with codes up to `below` to its start; return where others begin."""
    rows, begin, end, places, _ = node
    first, last = columns.indptr[feature], columns.indptr[feature + 1]
    if columns.n_values[feature] == 2 and last - first < end - begin:
        middle = end
        for entry in range(first, last):
            place = places[columns.indices[entry]]
            if begin <= place < end:
                middle -= 1
                exchange(rows, places, place, middle)
        return middle
    codes, flags = columns.codes[feature], columns.flags[feature]
    has_two = columns.n_values[feature] == 2
    middle = begin
    for place in range(begin, end):
        row = rows[place]
        if (is_set(flags, row) if has_two else codes[row]) <= below:
            exchange(rows, places, place, middle)
            middle += 1
    return middle


@njit(cache=True, nogil=True)
def exchange(rows, places, first, second):
    """Exchange the rows at two places."""
    swap(rows, first, second)
    places[rows[first]], places[rows[second]] = first, second


@njit(cache=True, nogil=True)
def draw_bag(target, counts, rows, places, state):
    """Draw as many samples as there are, with replacement; return distinct rows and the count."""
    n_samples = target.size
    counts[:] = 0
    places[:] = -1
    for _ in range(n_samples):
        row = draw_below(state, n_samples)
        counts[row] += 1 + (np.int64(target[row]) << _HALF)
    n_rows, total = 0, 0
    for row in range(n_samples):
        if counts[row]:
            rows[n_rows], places[row] = row, n_rows
            n_rows += 1
            total += counts[row]
    return n_rows, total


@njit(cache=True, nogil=True)
def grow_tree(columns, target, n_tried, spare, tree):
    """Grow a tree on drawn samples until nodes are pure; return its number of nodes.

    A node has its feature, the codes below and above its cut, the number of its left child, after
    which the right one comes, and the share of positives.
    """
    feature, below, above, child, share = tree
    n_samples = target.size
    counts = np.empty(n_samples, dtype=np.int64)
    rows, places = np.empty(n_samples, dtype=np.int32), np.empty(n_samples, dtype=np.int32)
    # Of nodes that wait, depth first: number, first and last row, their count, known constants.
    waiting = np.zeros((n_samples + 1, 5), dtype=np.int64)
    waiting[0, 2], waiting[0, 3] = draw_bag(target, counts, rows, places, spare[-1])
    waiting[0, 4] = (columns.n_values == 1).sum()
    n_nodes, n_waiting = 1, 1
    while n_waiting:
        n_waiting -= 1
        k, begin, end, total, n_known = waiting[n_waiting]
        share[k] = (total >> _HALF) / (total & _LOWER)
        feature[k] = LEAF
        if share[k] == 0.0 or share[k] == 1.0:
            continue
        node = (rows, begin, end, places, counts)
        split = choose_split(columns, node, total, n_tried, n_known, spare)
        feature[k], below[k], above[k], count_below, n_constant = split
        if feature[k] == LEAF:
            continue
        middle = divide(columns, feature[k], below[k], node)
        child[k] = n_nodes
        waiting[n_waiting] = n_nodes, begin, middle, count_below, n_constant
        waiting[n_waiting + 1] = n_nodes + 1, middle, end, total - count_below, n_constant
        n_nodes += 2
        n_waiting += 2
    return n_nodes


@njit(cache=True, nogil=True)
def grow_forest(columns, target, seeds, n_tried, tree):
    """Grow a tree for each seed into the rows of five arrays; return their numbers of nodes."""
    n_samples = target.size
    numbers = np.arange(n_samples + 1)
    n_log_n = numbers * np.log2(np.maximum(numbers, 1))
    histogram = np.zeros(n_samples + 1, dtype=np.int64)
    bits = np.zeros(n_samples // _BITS + 1, dtype=np.int64)
    state = np.empty(1, dtype=np.uint64)
    constant_first = np.argsort(columns.n_values != 1, kind="mergesort")
    sizes = np.empty(seeds.size, dtype=np.int64)
    for t in range(seeds.size):
        state[0] = seeds[t]
        spare = (constant_first.copy(), constant_first.copy(), histogram, bits, n_log_n, state)
        nodes = (tree[0][t], tree[1][t], tree[2][t], tree[3][t], tree[4][t])
        sizes[t] = grow_tree(columns, target, n_tried, spare, nodes)
    return sizes


@njit(cache=True, nogil=True)
def add_shares(X, trees, roots, sums):
    """Add the share of positives in the leaf of each sample, tree after tree."""
    feature, threshold, child, share = trees
    for begin in range(0, X.shape[0], _ROWS):
        for root in roots:
            for i in range(begin, min(begin + _ROWS, X.shape[0])):
                node = root
                while feature[node] != LEAF:
                    is_right = X[i, feature[node]] > threshold[node]
                    node = root + child[node] + is_right
                sums[i] += share[node]
