"""Servers for the tests of the registry; what they answer is in the tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from serving import Server, TlsServer, certificate, tls


@pytest.fixture(autouse=True)
def _no_other_certificates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep out the certificates that whoever runs the tests has chosen."""
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def http_server() -> Iterator[Server]:
    """A web server of this test's own."""
    with Server().running() as server:
        yield server


@pytest.fixture
def other_server() -> Iterator[Server]:
    """A second one, which is another host to everybody."""
    with Server().running() as server:
        yield server


@pytest.fixture(scope="session")
def tls_certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for `registry.test` and its key."""
    return certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def tls_server(tls_certificate: tuple[Path, Path]) -> Iterator[TlsServer]:
    """A server with TLS; trust its `ca_bundle`, or name that in REQUESTS_CA_BUNDLE."""
    with tls(*tls_certificate) as server:
        yield server
