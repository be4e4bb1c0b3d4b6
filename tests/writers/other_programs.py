"""Write csv files as other programs do: Excel, and R's write.csv and write.csv2."""


def excel_csv(columns):
    """Return a csv file of Excel where the decimal comma is in use: semicolons, BOM, CRLF."""
    return excel_text(columns, ";").encode("utf-8-sig")


def excel_unicode_text(columns):
    """Return a file that Excel saves as Unicode text: tabs, UTF-16 with a byte order mark."""
    return b"\xff\xfe" + excel_text(columns, "\t").encode("utf-16-le")


def excel_text(columns, separator):
    """Return the text of such a file: decimal commas, quotes only where they are needed."""

    def cell(value):
        if isinstance(value, bool):
            return "WAHR" if value else "FALSCH"
        text = "" if value is None else str(value)
        text = text.replace(".", ",") if isinstance(value, float) else text
        needs_quotes = any(mark in text for mark in (separator, '"', "\n"))
        return '"' + text.replace('"', '""') + '"' if needs_quotes else text

    rows = [list(columns), *zip(*columns.values(), strict=True)]
    return "".join(separator.join(map(cell, row)) + "\r\n" for row in rows)


def r_csv(columns):
    """Return what R's write.csv writes: row names, text and names in quotes, NA."""
    return _r(columns, ",", ".")


def r_csv2(columns):
    """Return what R's write.csv2 writes: as write.csv, with semicolons and decimal commas."""
    return _r(columns, ";", ",")


def _r(columns, separator, point):
    def cell(value):
        if value is None:
            return "NA"
        if isinstance(value, str):
            return '"' + value.replace('"', '""') + '"'
        if isinstance(value, bool):
            return str(value).upper()
        return f"{value:.15g}".replace(".", point)

    rows = [["", *columns]]
    rows += ([str(i), *row] for i, row in enumerate(zip(*columns.values(), strict=True), 1))
    return "".join(separator.join(map(cell, row)) + "\n" for row in rows).encode()
