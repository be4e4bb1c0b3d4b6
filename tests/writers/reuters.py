"""Write SGML files in the manner of Reuters-21578."""


def sgm_bytes(documents):
    """Return a file of documents, each a dict: newid, part, topics, title, body, used."""
    parts = ['<!DOCTYPE lewis SYSTEM "lewis.dtd">\n']
    for doc in documents:
        topics = "".join(f"<D>{topic}</D>" for topic in doc["topics"])
        title, body = doc.get("title"), doc.get("body")
        text = "" if title is None else f"<TITLE>{_escaped(title)}</TITLE>\n"
        text += (
            ""
            if body is None
            else f"<DATELINE>nowhere</DATELINE><BODY>{_escaped(body)}\n&#3;</BODY>"
        )
        kind = ""
        if "unmarked" in doc:
            text, kind = f"&#2;\n{_escaped(doc['unmarked'])}", ' TYPE="UNPROC"'
        parts.append(
            f'<REUTERS TOPICS="{doc.get("used", "YES")}" LEWISSPLIT="{doc["part"]}" '
            f'CGISPLIT="TRAINING-SET" OLDID="1" NEWID="{doc["newid"]}">\n'
            f"<DATE>26-FEB-1987</DATE>\n<TOPICS>{topics}</TOPICS>\n<PLACES><D>usa</D></PLACES>\n"
            f"<UNKNOWN> \n&#5;&#5;C T</UNKNOWN>\n<TEXT{kind}>&#2;\n{text}</TEXT>\n</REUTERS>\n"
        )
    return "".join(parts).encode("latin-1")


def _escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
