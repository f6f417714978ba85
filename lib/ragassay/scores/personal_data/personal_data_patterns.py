"""The patterns of personal data that are no national numbers, in the order in which they take their places.

A rule is a kind and a pattern; where the form alone says little, the pattern begins with words that must
stand before it. The group `value`, where there is one, is the personal part.
"""

import re

_ACCOUNT_WORDS = (
    r"(?:accounts?|acct|a/c|routing|loan|member|customer|client|policy"
    r"|cuentas?|cliente|préstamo|contas?|agência)"
)
_PHONE_WORDS = (
    r"(?:calls?|called|calling|phones?|telephone|tel|mobile|cell|fax|text|ring|whatsapp|desk|dial"
    r"|messages? to|answering at|registered(?: number)?"
    r"|tel[eé]fono|m[oó]vil|llam[ae]\w{0,5}|telefone|celular|ligue)"
)
_BIRTH_WORDS = (
    r"(?:date of birth|birth ?dates?|birthdays?|born(?: on)?|d\.?o\.?b|nacid[oa]|fecha de nacimiento"
    r"|data de nascimento|nascid[oa]|née? le|date de naissance|geboren|geburtsdatum)"
)
_MONTH = (
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|ene|abr|ago|dic|fev|mai|set|out|dez)[a-zç]{0,7}\.?"
)
_DATE = (
    r"[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}"
    rf"|[0-9]{{1,2}}(?:st|nd|rd|th)?(?: of| de)? {_MONTH}(?: de|,)? [0-9]{{4}}"
    rf"|{_MONTH} [0-9]{{1,2}}(?:st|nd|rd|th)?,? [0-9]{{4}}"
)
_EXTENSION = r"(?: ?(?:x|ext\.?) ?[0-9]{1,5})?"
_DIGITS = rf"(?!(?:19|20)[0-9]{{2}}-[0-9]{{2}}-)\(?[0-9](?:[ .()-]{{0,2}}[0-9]){{6,14}}{_EXTENSION}"
_RULES = (
    ("url_credentials", r"\b[A-Za-z][A-Za-z0-9+.-]{1,15}://(?P<value>[^\s/:@]{1,64}:[^\s/@]{1,64})@"),
    (
        "url_credentials",
        r"(?i:[?&](?:access_token|token|api_?key|passw(?:or)?d|pwd|secret|session(?:_?id)?|auth)=)"
        r"(?P<value>[^&\s#]{4,128})",
    ),
    ("email", r"(?<![\w.+$-])[\w.+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,4}[A-Za-z]{2,24}(?![\w-])"),
    (
        "iban",
        r"(?<![\w-])[A-Za-z]{2}[0-9]{2}"
        r"(?:[A-Za-z0-9]{11,30}|(?:([ "
        r"-])[A-Za-z0-9]{4})(?:\1[A-Za-z0-9]{4}){1,6}(?:\1[A-Za-z0-9]{1,3})?)(?![\w-])",
    ),
    (
        "card",
        r"(?<![\w-])(?:[2-6][0-9]{12,18}|(?:1800|2131)[0-9]{11}"
        r"|(?:50|5[6-8]|6[0-9])[0-9]{10}"
        r"|[2-6][0-9]{3}([ -])(?:[0-9]{4}\1[0-9]{4}\1[0-9]{4}(?:\1[0-9]{3})?|[0-9]{6}\1[0-9]{4,5}))(?![\w-])",
    ),
    (
        "card",
        r"(?i:\b(?:cards?|cc|visa|mastercard|maestro|tarjeta|cartão)\b)[^0-9]{0,30}"
        r"(?P<value>[0-9](?:[ -]?[0-9]){11,18})(?![\w-])",
    ),
    ("us_ssn", r"(?<![\w-])(?!000|666|9)[0-9]{3}([- ])(?!00)[0-9]{2}\1(?!0000)[0-9]{4}(?![\w-])"),
    ("date_of_birth", rf"(?i:\b{_BIRTH_WORDS}\b[^0-9\n]{{0,20}}?\b(?P<value>{_DATE}))(?![\w-])"),
    (
        "passport",
        r"(?i:\b(?:passports?|pasaporte|passaporte|passeport|reisepass)\b)[^0-9\n]{0,30}?\b"
        r"(?P<value>[A-Z]{0,3}[0-9][A-Z0-9]{5,8})(?![\w-])",
    ),
    (
        "driving_licence",
        r"(?i:\b(?:driv(?:er|ing)(?:['’]?s)? licen[cs]e|licencia de conducir|carta de condução))"
        r"[^0-9\n]{0,30}?\b(?P<value>[A-Z]{0,5}[0-9][A-Z0-9-]{5,19})(?![\w-])",
    ),
    (
        "sort_code",
        r"(?i:\bsort[ -]?codes?\b)[^0-9\n]{0,30}(?P<value>[0-9]{2}([ -]?)[0-9]{2}\2[0-9]{2})(?![\w-])",
    ),
    (
        "account",
        rf"(?i:\b{_ACCOUNT_WORDS}\b)[^0-9\n]{{0,40}}"
        r"(?P<value>(?!(?:19|20)[0-9]{2}-[0-9]{2}-)[0-9](?:[ -]?[0-9]){7,16})(?![\w,-])",
    ),
    ("ip_address", r"(?<![\w.:])[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![\w:]|\.[0-9])"),
    ("ip_address", r"(?<![\w.:])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?![\w:])"),
    (
        "phone",
        r"(?<![\w+])(?:\+|00(?=[1-9][0-9]{0,2}[ .-]))[0-9]{1,3}"
        rf"(?:[ .-]?\(?[0-9]{{1,4}}\)?){{2,5}}{_EXTENSION}(?![0-9])",
    ),
    (
        "phone",
        r"(?<![\w-])(?<![0-9][ .])(?:1[ .-])?(?:\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}[ .-])[0-9]{3}[ .-][0-9]{4}"
        rf"{_EXTENSION}(?!\w|-[0-9])",
    ),
    (
        "phone",
        r"(?<![\w.-])(?<![0-9],)(?:0[1-9][0-9]{0,3}(?:[ .-][0-9]{2,4}){2,4}|0[1-9][0-9]{1,3}[ -][0-9]{6,8}"
        r"|\([0-9]{2,4}\) ?[0-9]{3,4}[ -][0-9]{3,4})(?!\w|-[0-9])",
    ),
    ("phone", rf"(?i:\b{_PHONE_WORDS}\b)[^0-9(]{{0,30}}(?P<value>{_DIGITS})(?!\w|,[0-9]|-[0-9])"),
    (
        "phone",
        rf"(?<![\w./-])(?<![0-9],)(?P<value>{_DIGITS})(?= ?-?(?i:office|fax|mobile|cell|home|desk|work)\b)",
    ),
)
PATTERNS = tuple((kind, re.compile(pattern)) for kind, pattern in _RULES)
BEFORE_IDS = ("url_credentials", "email", "iban", "card", "us_ssn")  # the rest yields to national numbers
NO_PHONE = re.compile(  # a date, two years, thousands parted by points
    r"[0-9]{1,2}[-. ][0-9]{1,2}[-. ](?:19|20)[0-9]{2}|(?:19|20)[0-9]{2}[- ](?:19|20)[0-9]{2}"
    r"|[0-9]{1,3}(?:\.[0-9]{3})+"
)
NUMBERED = re.compile(  # what is numbered like an address of the internet: 3.6.1.4
    r"(?:\b(?:v|versions?|releases?|sections?|clauses?|parts?|rules?|chapters?|articles?|paragraphs?|tables?"
    r"|figures?|items?|annex|appendix|no|nr)\.?|[§#(]) ?$",
    re.IGNORECASE,
)
