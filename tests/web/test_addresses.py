"""Whose certificates count: those of the machine for https, nobody's for an address without it."""

import ssl

import pytest

from ragassay.web.addresses import trusted


@pytest.mark.parametrize(
    "urls", [("https://a.example/v1",), ("http://a.example", "https://proxy.example:3128")]
)
def test_of_https_the_certificates_of_the_machine_count(urls):
    assert trusted(*urls).cert_store_stats()["x509_ca"] > 10


def test_of_http_none_is_read_and_nobody_is_trusted():
    context = trusted("http://127.0.0.1:9/v1", "")
    assert context.cert_store_stats()["x509_ca"] == 0
    assert context.verify_mode is ssl.CERT_REQUIRED and context.check_hostname
