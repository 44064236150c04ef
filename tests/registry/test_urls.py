"""URLs: which may be asked, and that no message ever shows credentials."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akm.errors import ConfigError
from akm.registry import urls


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("https://u:p@host/x", "https://host/x"),
        ("https://u:p@ss@host/x", "https://host/x"),
        ("HTTPS://token@host", "HTTPS://host"),
        ("https://@host/x", "https://host/x"),
        ("https://u:p ss@host/x", "https://host/x"),
        ("https://host/a@b", "https://host/a@b"),
        ("https://host?mail=a@b", "https://host?mail=a@b"),
        ("https://host#a@b", "https://host#a@b"),
        ("https://host\\@b", "https://host\\@b"),
        ("https://a:b@host/?next=http://c:d@inner/", "https://host/?next=http://inner/"),
        ("https://https://u:p@host/", "https://https://host/"),
        ("failed: https://u:p@a/ then http://q@b/.", "failed: https://a/ then http://b/."),
        ("ftp://u:p@host/", "ftp://u:p@host/"),
        ("nobody@nowhere", "nobody@nowhere"),
        ("", ""),
    ],
)
def test_user_information_is_removed_from_every_url_in_a_text(text: str, clean: str) -> None:
    assert urls.redacted(text) == clean


@given(st.text(st.characters(exclude_characters="\\/?#@:hH")), st.text(max_size=9), st.text(max_size=9))
def test_no_secret_survives(secret: str, before: str, after: str) -> None:
    marked = f"SECRET{secret}SECRET"
    assert marked not in urls.redacted(f"{before} https://u:{marked}@host/{after}")


@given(st.text())
def test_what_was_redacted_once_stays_as_it_is(text: str) -> None:
    once = urls.redacted(text)
    assert urls.redacted(once) == once


@pytest.mark.parametrize(
    ("url", "written"),
    [
        ("https://Host.Example:8443/Index.json?a=1#b", "https://Host.Example:8443/Index.json?a=1#b"),
        ("https://u:p@host/x", "https://host/x"),
        ("ftp://u:p@host/x", "(invalid registry URL)"),
        ("hunter2", "(invalid registry URL)"),
        ("https://[::1", "(invalid registry URL)"),
        ("https://u:p@[::1", "https://[::1"),
        ("ftp://host/?next=https://u:p@inner/", "(invalid registry URL)"),
    ],
)
def test_a_url_is_shown_in_its_own_spelling_or_not_at_all(url: str, written: str) -> None:
    assert urls.shown(url) == written


@pytest.mark.parametrize(
    "url",
    ["http://host", "https://host:8443/i.json?a=b@c", "HTTPS://[2606:4700::1111]/", "http://bücher.example/"],
)
def test_http_and_https_urls_are_taken_as_they_are(url: str) -> None:
    assert urls.check(url) == url


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("ftp://host/x", "is no http or https URL"),
        ("file:///etc/passwd", "is no http or https URL"),
        ("javascript:alert(1)", "is no http or https URL"),
        ("host/index.json", "is no http or https URL"),
        ("", "is no http or https URL"),
        ("https:///index.json", "names no host"),
        ("https://u:hunter2@host/", "was given with credentials"),
        ("https://hunter2@host/", "was given with credentials"),
        ("https://@host/", "was given with credentials"),
        ("https://good.example\\@evil.example/", "backslash"),
        ("https://host/a b", "white space"),
        ("https://host/\r\nX-Evil: 1", "control character"),
        (" https://host/", "white space"),
        ("https://[::1", "does not parse"),
        ("https://host:99999/", "does not parse"),
        ("https://host:0/", "names port 0"),
    ],
)
def test_everything_else_is_refused_and_not_repeated(url: str, why: str) -> None:
    with pytest.raises(ConfigError, match=why) as caught:
        urls.check(url)
    assert caught.value.code == "REGISTRY_URL_INVALID"
    assert caught.value.exit_status == 78
    assert "hunter2" not in f"{caught.value.message} {caught.value.hint}"


def test_an_origin_is_scheme_host_and_port() -> None:
    assert urls.origin("https://Host/x") == urls.origin("HTTPS://host:443/y") == ("https", "host", 443)
    assert urls.origin("http://host/") == ("http", "host", 80)
