"""Any text at all, and text made of what sentence splitters stumble over."""

from hypothesis import strategies as st

STUMBLES = [
    *("\n", "\n\n", "\t", "word " * 9, "x" * 45),
    *(
        "The fee is $2.75.~No. 5~e.g.~p.m.~Inc.~Call us~?~!~...~…~- item~(a)~1.~a | b~[fees#p3]~"
        '"Yes."~(It is.)~ID.~¿Qué?~fees.md.~i.e.~and~Sr.~Section 4.~·~|~º~of the~“~\u00a0~(b) two~7.º~'
        "A. B. Carter~− minus"
    ).split("~"),
]
ANY = st.one_of(st.text(max_size=300), st.lists(st.sampled_from(STUMBLES), max_size=25).map(" ".join))
