"""Kernels that parse rows of ARFF text, as bytes, and write sparse entries into X and Y.

The text must end with a newline. A newline ends every cell, so that only the search for the next
row checks for the end of the text. All functions that the row kernels call are in this file,
because numba renews a cached build only when the file of the kernel itself changes.

Entries of sparse rows are written in two passes: the first counts them, the second places them.
"""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators

from typing import NamedTuple

import numpy as np

from labelwise._jit import njit

# Kinds of columns.
NUMBER, NOMINAL, TEXT = 0, 1, 2

# Status of a run over the rows: at the end, paused, or at an error in the file.
DONE, PAUSE = 0, 1
TOO_FEW, TOO_MANY, OPEN_QUOTE, UNDECLARED, BAD_INDEX, OUT_OF_RANGE, TWICE, BRACE = range(2, 10)
# Kinds of cells: read, missing, left to Python, with an open quote, or of an undeclared value.
PLAIN, MISSING, HARD, WRONG_QUOTE, UNKNOWN = 0, 1, 2, 3, 4

# With unsigned indices numba omits the check for negative ones, which takes as long as a read.
U = np.uint64

TAB, NEWLINE, RETURN, SPACE = 9, 10, 13, 32
DOUBLE, PERCENT, SINGLE, PLUS, COMMA, MINUS, POINT, ZERO = 34, 37, 39, 43, 44, 45, 46, 48
QUESTION, BACKSLASH, OPEN, CLOSE = 63, 92, 123, 125

EXACT_TENS = np.array([float(f"1e{power}") for power in range(23)])
EXACT_INTEGERS = 2**53
# Every whole number with this many decimal digits fits into a signed 64-bit integer.
MOST_DIGITS = 18


class Columns(NamedTuple):
    """Kinds and declared values of columns: column c has the values first[c] to last[c] - 1.

    Value v is `letters[starts[v]:starts[v + 1]]`, sorted within its column, and stands for
    `numbers[v]`.
    """

    kinds: np.ndarray
    first: np.ndarray
    last: np.ndarray
    starts: np.ndarray
    letters: np.ndarray
    numbers: np.ndarray


class Cells(NamedTuple):
    """Arrays that the rows are written to.

    `values` are the dense rows one after the other, or the entries of sparse rows; `columns`
    are the columns of these entries, and `ends` the end of each row in `values`. `lines` is the
    position of each row in the text. The value of a text cell is the number of its span in
    `spans` (start, end, quoted). `hard` lists cells that Python must parse: (place in values,
    column, start, end, quoted).
    """

    values: np.ndarray
    columns: np.ndarray
    ends: np.ndarray
    lines: np.ndarray
    spans: np.ndarray
    hard: np.ndarray


class ScanState(NamedTuple):
    """State of a run: position in the text, and numbers of rows, cells, spans and hard cells."""

    position: int
    n_rows: int
    n_cells: int
    n_spans: int
    n_hard: int
    status: int
    column: int


@njit(cache=True, nogil=True)
def count_marks(text, start):
    """Count the newlines, commas and opening braces from `start` to the end."""
    n_lines, n_commas, n_braces = 0, 0, 0
    for p in range(start, text.size):
        letter = text[U(p)]
        n_lines += letter == NEWLINE
        n_commas += letter == COMMA
        n_braces += letter == OPEN
    return n_lines, n_commas, n_braces


@njit(inner=True, nogil=True)
def skip_blanks(text, p):
    """Return the next position that is neither space, tab nor carriage return."""
    while text[U(p)] == SPACE or text[U(p)] == TAB or text[U(p)] == RETURN:
        p += 1
    return p


@njit(cache=True, nogil=True)
def next_row(text, p):
    """Return the position of the next line that is neither blank nor a comment, or the end."""
    while p < text.size:
        p = skip_blanks(text, p)
        if text[U(p)] != NEWLINE and text[U(p)] != PERCENT:
            return p
        while text[U(p)] != NEWLINE:
            p += 1
        p += 1
    return text.size


@njit(cache=True, nogil=True)
def token(text, p, closing):
    """Return (start, end, next position, quoted) of a cell.

    Quoted is 0 for a bare cell, 1 between quotes, 2 between quotes with escapes, -1 if the
    quote is not closed. A bare cell ends before a comma, a tab, the character `closing` or the
    end of the line, without trailing blanks.
    """
    if text[U(p)] == SINGLE or text[U(p)] == DOUBLE:
        quote = text[U(p)]
        start = p + 1
        p, quoted = start, 1
        while text[U(p)] != quote and text[U(p)] != NEWLINE:
            if text[U(p)] == BACKSLASH and text[U(p + 1)] != NEWLINE:
                quoted = 2
                p += 1
            p += 1
        if text[U(p)] != quote:
            return start, start, start, -1
        return start, p, p + 1, quoted
    start = p
    letter = text[U(p)]
    while letter != COMMA and letter != TAB and letter != NEWLINE and letter != closing:
        p += 1
        letter = text[U(p)]
    end = p
    while end > start and (text[U(end - 1)] == SPACE or text[U(end - 1)] == RETURN):
        end -= 1
    return start, end, p, 0


@njit(cache=True, nogil=True)
def quotient(digits, tens):
    """Return digits / tens, and whether this is surely the nearest double.

    The quotient is taken to twice the precision of a double: q0 + q1, where the remainder of q0
    is exact (Dekker's product). The sum is the nearest double unless it lies so close to the
    middle of two that the error of q1 could decide.
    """
    high = float(digits)
    low = float(digits - np.int64(high))
    q0 = high / tens
    scaled = 134217729.0 * q0
    q_high = scaled - (scaled - q0)
    scaled = 134217729.0 * tens
    t_high = scaled - (scaled - tens)
    q_low, t_low = q0 - q_high, tens - t_high
    product = q0 * tens
    error = ((q_high * t_high - product) + q_high * t_low + q_low * t_high) + q_low * t_low
    q1 = ((high - product) - error + low) / tens
    doubt = abs(q1) * 2.0**-50
    return q0 + q1, q0 + (q1 - doubt) == q0 + (q1 + doubt)


@njit(inner=True, nogil=True)
def leading_zeros(text, p):
    """Count the zeros before the first other digit, before and after the decimal point."""
    n_zeros = 0
    while text[U(p)] == ZERO or text[U(p)] == POINT:
        n_zeros += text[U(p)] == ZERO
        p += 1
    return n_zeros


@njit(inner=True, nogil=True)
def digits_of(text, p):
    """Return (the whole number that begins at p, next position)."""
    value, digit = 0, int(text[U(p)]) - ZERO
    while 0 <= digit <= 9:
        value = value * 10 + digit
        p += 1
        digit = int(text[U(p)]) - ZERO
    return value, p


@njit(inner=True, nogil=True)
def ends_cell(letter):
    """Return whether a cell without quotes and blanks may end before this letter."""
    return letter == COMMA or letter <= SPACE or letter == CLOSE


@njit(cache=True, nogil=True)
def plain_number(text, p):
    """Return (number, next position, whether it is the nearest double to the text).

    False means that Python must parse the cell, such as a number with many digits.
    """
    negative = text[U(p)] == MINUS
    # Without a branch, since the processor cannot predict signs.
    p += negative | (text[U(p)] == PLUS)
    # Typed, because numba would compile what is called with it a second time for the literal 0.
    value, after, point = np.int64(0), p, -1
    while True:
        digit = int(text[U(after)]) - ZERO
        if 0 <= digit <= 9:
            value = value * 10 + digit
        elif digit == POINT - ZERO and point < 0:
            point = after
        else:
            break
        after += 1
    power = 0 if point < 0 else point + 1 - after
    n_digits = after - p - (point >= 0)
    some = n_digits > 0
    if n_digits > MOST_DIGITS:
        n_digits -= leading_zeros(text, p)
    if text[U(after)] == 69 or text[U(after)] == 101:
        below = text[U(after + 1)] == MINUS
        start = after + 1 + (below or text[U(after + 1)] == PLUS)
        shift, after = digits_of(text, start)
        some &= 0 < after - start <= 3
        power += -shift if below else shift
    some &= n_digits <= MOST_DIGITS and -22 <= power <= 22
    if not some or not ends_cell(text[U(after)]):
        return 0.0, after, False
    number = float(value)
    if value <= EXACT_INTEGERS:
        number = number * EXACT_TENS[power] if power >= 0 else number / EXACT_TENS[-power]
    elif power <= 0:
        number, some = quotient(value, EXACT_TENS[-power])
    else:
        some = False
    return number * (1 - 2 * negative), after, some


@njit(cache=True, nogil=True)
def declared(text, start, end, bounds, starts, letters):
    """Return the number of the declared value that equals the text, or -1."""
    low, high = bounds
    while low < high:
        v = (low + high) // 2
        letter, stop = starts[v], starts[v + 1]
        p = start
        while p < end and letter < stop and text[U(p)] == letters[U(letter)]:
            p += 1
            letter += 1
        if p == end and letter == stop:
            return v
        if letter == stop or (p < end and text[U(p)] > letters[U(letter)]):
            low = v + 1
        else:
            high = v
    return -1


@njit(inner=True, nogil=True)
def plain_value(text, p, bounds, starts, letters):
    """Return (declared value or -1, next position) of a cell without quotes and blanks.

    Arrays are separate arguments: to pass a tuple of arrays takes longer than to read the cell.
    """
    after = p
    while not ends_cell(text[U(after)]):
        after += 1
    return declared(text, p, after, bounds, starts, letters), after


@njit(cache=True, nogil=True)
def is_missing(text, start, end, kind):
    """Return whether a bare cell is ?, or in a column of numbers nan in any case."""
    if end == start + 1:
        return text[U(start)] == QUESTION
    if kind != NUMBER or end != start + 3:
        return False
    # Setting one bit makes a capital letter small.
    return (
        (text[U(start)] | 32) == 110
        and (text[U(start + 1)] | 32) == 97
        and (text[U(start + 2)] | 32) == 110
    )


@njit(inner=True, nogil=True)
def odd_cell(text, p, closing, columns, c):
    """Return (value, kind of cell, start, end, next position, quoted) of any other cell."""
    start, end, after, quoted = token(text, p, closing)
    if quoted < 0:
        return 0.0, WRONG_QUOTE, p, p, p, 0
    if quoted == 0 and is_missing(text, start, end, columns.kinds[c]):
        return np.nan, MISSING, start, end, after, 0
    if columns.kinds[c] == TEXT:
        return 0.0, PLAIN, start, end, after, quoted
    if columns.kinds[c] == NUMBER or quoted == 2:
        return 0.0, HARD, start, end, after, quoted
    bounds = (columns.first[c], columns.last[c])
    v = declared(text, start, end, bounds, columns.starts, columns.letters)
    if v < 0:
        return 0.0, UNKNOWN, start, end, after, quoted
    return columns.numbers[v], PLAIN, start, end, after, quoted


@njit(cache=True, nogil=True)
def separator(text, p, is_last):
    """Return (position of the next cell or of the line's end, status) after a dense cell."""
    if text[U(p)] == COMMA and not is_last:
        return p + 1, DONE
    has_tab = False
    while text[U(p)] == SPACE or text[U(p)] == TAB or text[U(p)] == RETURN:
        has_tab |= text[U(p)] == TAB
        p += 1
    if text[U(p)] == NEWLINE:
        return p, DONE if is_last else TOO_FEW
    if text[U(p)] == COMMA and not is_last:
        return p + 1, DONE
    # Blanks with a tab among them separate cells like a comma.
    return p, DONE if has_tab and not is_last else TOO_MANY


@njit(inner=True, nogil=True)
def keep_odd_cell(cells, place, c, result, columns, so_far):
    """Write one cell to its place; return the numbers of spans and of hard cells after it."""
    value, what, start, end, _, quoted = result
    n_spans, n_hard = so_far
    if columns.kinds[c] == TEXT:
        cells.spans[n_spans, 0] = start if what == PLAIN else -1
        cells.spans[n_spans, 1] = end
        cells.spans[n_spans, 2] = quoted
        value = float(n_spans)
        n_spans += 1
    elif what == HARD:
        cells.hard[n_hard, 0] = place
        cells.hard[n_hard, 1] = c
        cells.hard[n_hard, 2] = start
        cells.hard[n_hard, 3] = end
        cells.hard[n_hard, 4] = quoted
        n_hard += 1
    cells.values[place] = value
    return n_spans, n_hard


@njit(cache=True, nogil=True)
def read_dense(text, pause, progress, columns, cells):
    """Read comma-separated rows until `pause`, the end, or an error; return the new progress."""
    p, n_rows, place, n_spans, n_hard, _, _ = progress
    kinds, first, last, starts, letters, numbers = columns
    values, n_columns = cells.values, kinds.size
    while True:
        p = next_row(text, p)
        done = p == text.size
        if done or p >= pause or n_hard + n_columns > len(cells.hard):
            return ScanState(p, n_rows, place, n_spans, n_hard, DONE if done else PAUSE, 0)
        cells.lines[n_rows] = p
        for c in range(n_columns):
            p = skip_blanks(text, p)
            if kinds[c] == NUMBER:
                values[place], after, ordinary = plain_number(text, p)
            else:
                v, after = plain_value(text, p, (first[c], last[c]), starts, letters)
                ordinary = v >= 0
                values[place] = numbers[v] if ordinary else 0.0
            if not ordinary:
                result = odd_cell(text, p, 0, columns, c)
                if result[1] >= WRONG_QUOTE:
                    status = OPEN_QUOTE if result[1] == WRONG_QUOTE else UNDECLARED
                    return ScanState(p, n_rows, place, n_spans, n_hard, status, c)
                n_spans, n_hard = keep_odd_cell(cells, place, c, result, columns, (n_spans, n_hard))
                after = result[4]
            place += 1
            p, status = separator(text, after, c + 1 == n_columns)
            if status != DONE:
                return ScanState(p, n_rows, place, n_spans, n_hard, status, c + 1)
        n_rows += 1


@njit(inner=True, nogil=True)
def column_number(text, p, n_columns):
    """Return (column, next position, status) of a sparse entry's index and the blank after it."""
    p = skip_blanks(text, p)
    index, after = digits_of(text, p)
    if after == p or (text[U(after)] != SPACE and text[U(after)] != TAB):
        return 0, p, BAD_INDEX
    if after - p > MOST_DIGITS or index >= n_columns:
        return 0, p, OUT_OF_RANGE
    return index, skip_blanks(text, after), DONE


@njit(cache=True, nogil=True)
def read_sparse(text, pause, progress, columns, cells, row_of):
    """Read {index value, ...} rows as `read_dense` does; row_of[c] is the last row with c."""
    p, n_rows, place, n_spans, n_hard, _, _ = progress
    kinds, first, last, starts, letters, numbers = columns
    values, n_columns = cells.values, kinds.size
    while True:
        p = next_row(text, p)
        done = p == text.size
        if done or p >= pause or n_hard + n_columns > len(cells.hard):
            return ScanState(p, n_rows, place, n_spans, n_hard, DONE if done else PAUSE, 0)
        cells.lines[n_rows] = p
        more, status, c = text[U(p)] == OPEN, BRACE, 0
        p = skip_blanks(text, p + 1)
        if more and text[U(p)] == CLOSE:
            more, status = False, DONE
        while more:
            c, p, status = column_number(text, p, n_columns)
            if status == DONE and row_of[c] == n_rows:
                status = TWICE
            if status != DONE:
                break
            row_of[c] = n_rows
            if kinds[c] == NUMBER:
                values[place], after, ordinary = plain_number(text, p)
            else:
                v, after = plain_value(text, p, (first[c], last[c]), starts, letters)
                ordinary = v >= 0
                values[place] = numbers[v] if ordinary else 0.0
            if not ordinary:
                result = odd_cell(text, p, CLOSE, columns, c)
                if result[1] >= WRONG_QUOTE:
                    status = OPEN_QUOTE if result[1] == WRONG_QUOTE else UNDECLARED
                    break
                n_spans, n_hard = keep_odd_cell(cells, place, c, result, columns, (n_spans, n_hard))
                after = result[4]
            cells.columns[place] = c
            place += 1
            p = skip_blanks(text, after)
            more = text[U(p)] == COMMA
            if not more and text[U(p)] != CLOSE:
                status = BRACE
            p += more
        if status != DONE:
            return ScanState(p, n_rows, place, n_spans, n_hard, status, c)
        cells.ends[n_rows] = place
        n_rows += 1
        p = skip_blanks(text, p + 1)
        if text[U(p)] != NEWLINE:
            return ScanState(p, n_rows, place, n_spans, n_hard, BRACE, c)


@njit(cache=True, nogil=True)
def count_features(columns, values, place):
    """Count the entries of features that are not 0.

    `place` is the column in X of each attribute, or -1 for attributes that are not features.
    """
    n_kept = 0
    for entry in range(columns.size):
        n_kept += place[columns[entry]] >= 0 and values[entry] != 0
    return n_kept


@njit(cache=True, nogil=True)
def place_features(indptr, columns, values, place, data, indices, new_indptr):
    """Write the entries that `count_features` counts into the arrays of a CSR matrix."""
    n_kept = 0
    for i in range(indptr.size - 1):
        for entry in range(indptr[i], indptr[i + 1]):
            where = place[columns[entry]]
            if where >= 0 and values[entry] != 0:
                data[n_kept] = values[entry]
                indices[n_kept] = where
                n_kept += 1
        new_indptr[i + 1] = n_kept


@njit(cache=True, nogil=True)
def count_labels(columns, values, place, n_labels):
    """Return (positives of each label, missing values, first entry that is not 0 or 1, or -1).

    A missing value, NaN, is not such an entry. `place` is the column in Y of each attribute, or -1
    for attributes that are not labels.
    """
    positives = np.zeros(n_labels, dtype=np.int64)
    n_missing, wrong = 0, -1
    for entry in range(columns.size):
        where, value = place[columns[entry]], values[entry]
        if where < 0 or value == 0:
            continue
        positives[where] += value == 1
        n_missing += np.isnan(value)
        if wrong < 0 and value != 1 and not np.isnan(value):
            wrong = entry
    return positives, n_missing, wrong


@njit(cache=True, nogil=True)
def place_labels(indptr, columns, values, place, next_place, indices):
    """Write the rows of each label's positives into the row indices of a CSC matrix."""
    for i in range(indptr.size - 1):
        for entry in range(indptr[i], indptr[i + 1]):
            where = place[columns[entry]]
            if where >= 0 and values[entry] == 1:
                indices[next_place[where]] = i
                next_place[where] += 1
