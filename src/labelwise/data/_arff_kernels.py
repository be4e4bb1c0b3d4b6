"""Rows of ARFF text, as bytes, into numbers."""

from typing import NamedTuple

import numpy as np
from numba import njit

# What a column holds.
NUMBER, NOMINAL, TEXT = 0, 1, 2

# How a run over the rows ended: at the end, at a pause, or at a slip of the file.
DONE, PAUSE = 0, 1
TOO_FEW, TOO_MANY, OPEN_QUOTE, UNDECLARED, BAD_INDEX, OUT_OF_RANGE, TWICE, BRACE = range(2, 10)
# What became of a cell.
PLAIN, MISSING, HARD, WRONG_QUOTE, UNKNOWN = 0, 1, 2, 3, 4

TAB, NEWLINE, RETURN, SPACE = 9, 10, 13, 32
DOUBLE, PERCENT, SINGLE, PLUS, COMMA, MINUS, POINT, ZERO = 34, 37, 39, 43, 44, 45, 46, 48
QUESTION, BACKSLASH, OPEN, CLOSE = 63, 92, 123, 125

EXACT_TENS = np.array([float(f"1e{power}") for power in range(23)])
EXACT_INTEGERS = np.uint64(2**53)


class Columns(NamedTuple):
    """What the rows may hold: column c declares the values first[c] up to last[c].

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
    """Where the rows are written to.

    `values` holds dense rows one after the other, or the entries of sparse rows, whose column
    is in `columns` and whose row ends at `ends`. `lines` holds the position of each row. A text
    cell's value is the number of its `spans` (start, end, quoted). `hard` lists cells that need
    Python: (place in values, column, start, end, quoted).
    """

    values: np.ndarray
    columns: np.ndarray
    ends: np.ndarray
    lines: np.ndarray
    spans: np.ndarray
    hard: np.ndarray


class Progress(NamedTuple):
    """Where a run stands: position in the text, rows, cells, spans and hard cells so far."""

    position: int
    n_rows: int
    n_cells: int
    n_spans: int
    n_hard: int
    status: int
    column: int


@njit(cache=True, nogil=True)
def skip_blanks(text, p, stop):
    """Return the next position that is neither space, tab nor carriage return."""
    while p < stop and (text[p] == SPACE or text[p] == TAB or text[p] == RETURN):
        p += 1
    return p


@njit(cache=True, nogil=True)
def next_row(text, p, stop):
    """Return the position of the next line that is neither blank nor a comment, or stop."""
    while p < stop:
        p = skip_blanks(text, p, stop)
        if p < stop and text[p] != NEWLINE and text[p] != PERCENT:
            return p
        while p < stop and text[p] != NEWLINE:
            p += 1
        p += 1
    return stop


@njit(cache=True, nogil=True)
def token(text, p, stop, closing):
    """Return (start, end, next position, quoted) of a cell.

    Quoted is 0 for a bare cell, 1 between quotes, 2 if escapes stand there too, -1 if the quote
    never closes. A bare cell ends before a comma, a tab, the closing sign or the line's end, and
    loses trailing blanks.
    """
    if p < stop and (text[p] == SINGLE or text[p] == DOUBLE):
        quote = text[p]
        start = p + 1
        p, quoted = start, 1
        while p < stop and text[p] != quote and text[p] != NEWLINE:
            if text[p] == BACKSLASH:
                quoted = 2
                p += 1
            p += 1
        if p >= stop or text[p] != quote:
            return start, start, start, -1
        return start, p, p + 1, quoted
    start = p
    while p < stop:
        letter = text[p]
        if letter == COMMA or letter == TAB or letter == NEWLINE or letter == closing:
            break
        p += 1
    end = p
    while end > start and (text[end - 1] == SPACE or text[end - 1] == RETURN):
        end -= 1
    return start, end, p, 0


@njit(cache=True, nogil=True)
def quotient(digits, tens):
    """Return digits / tens rounded once, and whether that is certain; digits < 10**19.

    The quotient is taken to twice the precision of a double: q0 + q1, where the remainder of q0
    is exact (Dekker's product). The sum is the nearest double unless it lies so close to the
    middle of two that the error of q1 could decide.
    """
    high = float(digits)
    low = float(np.int64(digits - np.uint64(high)))
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


@njit(cache=True, nogil=True)
def digits_of(text, p, stop, value, n_digits):
    """Return (value with the digits from p on, how many are significant, next position)."""
    while p < stop and ZERO <= text[p] <= ZERO + 9:
        if n_digits < 20:
            value = value * np.uint64(10) + np.uint64(text[p] - ZERO)
        n_digits += n_digits > 0 or text[p] != ZERO
        p += 1
    return value, n_digits, p


@njit(cache=True, nogil=True)
def plain_number(text, p, stop):
    """Return (number, next position, whether it is the nearest double to what stands there).

    What is not a short decimal number is left to Python, with False.
    """
    negative = text[p] == MINUS
    p += negative or text[p] == PLUS
    first = p
    value, n_digits, p = digits_of(text, p, stop, np.uint64(0), 0)
    n_read, power = p - first, 0
    if p < stop and text[p] == POINT:
        first = p + 1
        value, n_digits, p = digits_of(text, first, stop, value, n_digits)
        power = first - p
        n_read -= power
    if p < stop and (text[p] == 69 or text[p] == 101):
        below = p + 1 < stop and text[p + 1] == MINUS
        start = p + 1 + (below or (p + 1 < stop and text[p + 1] == PLUS))
        shift, n_shift, p = digits_of(text, start, stop, np.uint64(0), 0)
        if p == start or n_shift > 3:
            return 0.0, p, False
        power += -np.int64(shift) if below else np.int64(shift)
    certain = n_read > 0 and n_digits <= 19 and -22 <= power <= 22
    number = float(value)
    if certain and value <= EXACT_INTEGERS:
        number = number * EXACT_TENS[power] if power >= 0 else number / EXACT_TENS[-power]
    elif certain and power <= 0:
        number, certain = quotient(value, EXACT_TENS[-power])
    else:
        certain = False
    return (-number if negative else number), p, certain


@njit(cache=True, nogil=True)
def declared(text, start, end, columns, c):
    """Return the number of the declared value that equals the text, or -1."""
    low, high = columns.first[c], columns.last[c]
    while low < high:
        v = (low + high) // 2
        letter, stop = columns.starts[v], columns.starts[v + 1]
        p = start
        while p < end and letter < stop and text[p] == columns.letters[letter]:
            p += 1
            letter += 1
        if p == end and letter == stop:
            return v
        if letter == stop or (p < end and text[p] > columns.letters[letter]):
            low = v + 1
        else:
            high = v
    return -1


@njit(cache=True, nogil=True)
def ends_cell(text, p, stop, closing):
    """Tell whether a bare cell may end before position p."""
    if p >= stop:
        return True
    letter = text[p]
    return (
        letter == COMMA
        or letter == NEWLINE
        or letter == SPACE
        or letter == RETURN
        or letter == TAB
        or letter == closing
    )


@njit(cache=True, nogil=True)
def is_missing(text, start, end, kind):
    """Tell whether a bare cell is ?, or in a column of numbers nan in any case."""
    if end == start + 1:
        return text[start] == QUESTION
    if kind != NUMBER or end != start + 3:
        return False
    # Setting one bit makes a capital letter small.
    return (
        (text[start] | 32) == 110 and (text[start + 1] | 32) == 97 and (text[start + 2] | 32) == 110
    )


@njit(cache=True, nogil=True)
def cell(text, p, stop, closing, columns, c):
    """Return (value, what became of it, start, end, next position, quoted) of one cell."""
    if columns.kinds[c] == NUMBER and p < stop:
        number, after, certain = plain_number(text, p, stop)
        if certain and ends_cell(text, after, stop, closing):
            return number, PLAIN, p, after, after, 0
    start, end, after, quoted = token(text, p, stop, closing)
    if quoted < 0:
        return 0.0, WRONG_QUOTE, p, p, p, 0
    if quoted == 0 and is_missing(text, start, end, columns.kinds[c]):
        return np.nan, MISSING, start, end, after, 0
    if columns.kinds[c] == NUMBER:
        return 0.0, HARD, start, end, after, quoted
    if columns.kinds[c] == TEXT:
        return 0.0, PLAIN, start, end, after, quoted
    if quoted == 2:
        return 0.0, HARD, start, end, after, quoted
    v = declared(text, start, end, columns, c)
    if v < 0:
        return 0.0, UNKNOWN, start, end, after, quoted
    return columns.numbers[v], PLAIN, start, end, after, quoted


@njit(cache=True, nogil=True)
def has_tab(text, start, stop):
    """Tell whether a tab stands between two positions."""
    for p in range(start, stop):
        if text[p] == TAB:
            return True
    return False


@njit(cache=True, nogil=True)
def keep_cell(cells, place, c, result, columns, so_far):
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
    """Read comma-separated rows until `pause`, the end, or a slip; return the new progress."""
    p, n_rows, place, n_spans, n_hard, _, _ = progress
    stop, n_columns = text.size, columns.kinds.size
    while True:
        p = next_row(text, p, stop)
        done = p >= stop
        if done or p >= pause or n_hard + n_columns > len(cells.hard):
            return Progress(p, n_rows, place, n_spans, n_hard, DONE if done else PAUSE, 0)
        cells.lines[n_rows] = p
        for c in range(n_columns):
            p = skip_blanks(text, p, stop)
            result = cell(text, p, stop, 0, columns, c)
            if result[1] >= WRONG_QUOTE:
                status = OPEN_QUOTE if result[1] == WRONG_QUOTE else UNDECLARED
                return Progress(p, n_rows, place, n_spans, n_hard, status, c)
            n_spans, n_hard = keep_cell(cells, place, c, result, columns, (n_spans, n_hard))
            place += 1
            after = result[4]
            p = skip_blanks(text, after, stop)
            at_end = p >= stop or text[p] == NEWLINE
            if c + 1 < n_columns:
                comma = not at_end and text[p] == COMMA
                # Blanks that hold a tab separate as a comma does.
                if at_end or not (comma or has_tab(text, after, p)):
                    status = TOO_FEW if at_end else TOO_MANY
                    return Progress(p, n_rows, place, n_spans, n_hard, status, c + 1)
                p += comma
            elif not at_end:
                return Progress(p, n_rows, place, n_spans, n_hard, TOO_MANY, c + 1)
        n_rows += 1


@njit(cache=True, nogil=True)
def column_number(text, p, stop, n_columns):
    """Return (column, next position, status) of a sparse entry's index and the blank after it."""
    p = skip_blanks(text, p, stop)
    index, n_digits, after = digits_of(text, p, stop, np.uint64(0), 0)
    blank = after < stop and (text[after] == SPACE or text[after] == TAB)
    if after == p or not blank:
        return 0, p, BAD_INDEX
    if n_digits > 10 or index >= np.uint64(n_columns):
        return 0, p, OUT_OF_RANGE
    return np.int64(index), skip_blanks(text, after, stop), DONE


@njit(cache=True, nogil=True)
def read_sparse(text, pause, progress, columns, cells, row_of):
    """Read {index value, ...} rows as `read_dense` does; row_of[c] is the last row with c."""
    p, n_rows, place, n_spans, n_hard, _, _ = progress
    stop, n_columns = text.size, columns.kinds.size
    while True:
        p = next_row(text, p, stop)
        done = p >= stop
        if done or p >= pause or n_hard + n_columns > len(cells.hard):
            return Progress(p, n_rows, place, n_spans, n_hard, DONE if done else PAUSE, 0)
        cells.lines[n_rows] = p
        more, status, c = text[p] == OPEN, BRACE, 0
        p = skip_blanks(text, p + 1, stop)
        if more and p < stop and text[p] == CLOSE:
            more, status = False, DONE
        while more:
            c, p, status = column_number(text, p, stop, n_columns)
            if status == DONE and row_of[c] == n_rows:
                status = TWICE
            if status != DONE:
                break
            row_of[c] = n_rows
            result = cell(text, p, stop, CLOSE, columns, c)
            if result[1] >= WRONG_QUOTE:
                status = OPEN_QUOTE if result[1] == WRONG_QUOTE else UNDECLARED
                break
            n_spans, n_hard = keep_cell(cells, place, c, result, columns, (n_spans, n_hard))
            cells.columns[place] = c
            place += 1
            p = skip_blanks(text, result[4], stop)
            more = p < stop and text[p] == COMMA
            if not more and (p >= stop or text[p] != CLOSE):
                status = BRACE
            p += more
        if status != DONE:
            return Progress(p, n_rows, place, n_spans, n_hard, status, c)
        cells.ends[n_rows] = place
        n_rows += 1
        p = skip_blanks(text, p + 1, stop)
        if p < stop and text[p] != NEWLINE:
            return Progress(p, n_rows, place, n_spans, n_hard, BRACE, c)
