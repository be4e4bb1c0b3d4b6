"""Write multi-label svmlight files, for round trips."""

from scipy import sparse


def svmlight_bytes(X, label_rows, *, first_index=1, header=None, newline="\n", comment=""):
    """Return the file of CSR features and of the labels of each row, as text tokens."""
    lines = [] if header is None else [" ".join(map(str, header))]
    X = sparse.csr_array(X)
    X.sort_indices()
    for i, labels in enumerate(label_rows):
        cells = slice(X.indptr[i], X.indptr[i + 1])
        pairs = [
            f"{f + first_index}:{float(value)!r}"
            for f, value in zip(X.indices[cells], X.data[cells], strict=True)
        ]
        # Without labels and features a line would be blank, and a blank line is no row.
        if not labels and not pairs:
            pairs = [f"{first_index}:0"]
        lines.append(" ".join([",".join(labels), *pairs]) + comment)
    return (newline.join(lines) + newline).encode()
