"""What every request to an endpoint has in common, whoever sends it.

addresses.py  an address that may be shown, what a seal must permit for it, the certificates that are trusted
retries.py    when to ask again, how long to wait before, and when to stop asking
"""
