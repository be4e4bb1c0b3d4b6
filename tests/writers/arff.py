"""Write ARFF files as Mulan, MEKA and the multi-instance tools do."""

from xml.sax.saxutils import quoteattr

_ESCAPES = {"\\": "\\\\", "'": "\\'", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def quoted(text, quote="'"):
    return quote + "".join(_ESCAPES.get(letter, letter) for letter in text) + quote


def cell(value):
    """A number as Python writes it, None as ?, text in quotes."""
    if value is None or value != value:
        return "?"
    return quoted(value) if isinstance(value, str) else repr(value)


def declared(kind):
    """The type of an attribute: a word, or the list of its values."""
    return kind if isinstance(kind, str) else "{" + ", ".join(quoted(value) for value in kind) + "}"


def dense_row(values):
    return ",".join(cell(value) for value in values)


def sparse_row(values, left_out):
    """A row without the values that equal what a reader fills in."""
    pairs = enumerate(zip(values, left_out, strict=True))
    return "{" + ", ".join(f"{c} {cell(v)}" for c, (v, gap) in pairs if v != gap) + "}"


def arff(attributes, rows, relation="data", sparse=False, newline="\n"):
    """The text of a file; attributes are (name, kind) pairs, a kind a word or a list of values."""
    lines = [f"@relation {quoted(relation)}", "", "% a comment"]
    lines += [f"@attribute {quoted(name)} {declared(kind)}" for name, kind in attributes]
    lines += ["@data"]
    if sparse:
        left_out = [0 if isinstance(kind, str) else kind[0] for _, kind in attributes]
        lines += [sparse_row(row, left_out) for row in rows]
    else:
        lines += [dense_row(row) for row in rows]
    return newline.join(lines) + newline


def bag_arff(features, labels, bags):
    """A multi-instance file; bags are (id, instances, labels) triples."""
    lines = ["@relation bags", "@attribute id string", "@attribute bag relational"]
    lines += [f"  @attribute {quoted(name)} numeric" for name in features]
    lines += ["@end bag"]
    lines += [f"@attribute {quoted(name)} {{0,1}}" for name in labels]
    lines += ["@data"]
    for name, instances, row in bags:
        inside = "\n".join(dense_row(instance) for instance in instances)
        lines.append(f"{quoted(name)},{quoted(inside, quote=chr(34))},{dense_row(row)}")
    return "\n".join(lines) + "\n"


def label_xml(names):
    inside = "".join(f"<label name={quoteattr(name)}></label>\n" for name in names)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<labels xmlns="http://mulan.sourceforge.net/labels">\n{inside}</labels>\n'
    )
