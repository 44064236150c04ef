"""Places: which hosts are talked to, over which line, and where a redirect may lead."""

from __future__ import annotations

import pytest
from asking_servers import World, get
from serving import Line, Server, TlsServer

from akm.errors import ConfigError, ResponseError, TransientError
from akm.registry.client import Validators

HOST = "registry.test"
HERE = {HOST: [["127.0.0.1"]], "other.test": [["127.0.0.1"]]}
LATER = "Wed, 02 Dec 2026 08:00:00 GMT"


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1", "0x7f000001", "2130706433", "0", HOST])
def test_a_private_host_is_asked_only_when_that_is_allowed(http_server: Server, host: str) -> None:
    http_server.reply("/", "{}")
    url = http_server.url(host=host)
    with pytest.raises(ConfigError, match="into a private network") as caught:
        get(url, World(HERE), allow_private=False)
    assert (caught.value.code, http_server.asked) == ("REGISTRY_URL_INVALID", [])
    assert url in caught.value.message
    assert get(url, World(HERE)).text == "{}"


@pytest.mark.parametrize("host", ["[::1]", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]"])
def test_private_hosts_are_known_in_ipv6_too(host: str) -> None:
    with pytest.raises(ConfigError, match="into a private network"):
        get(f"http://{host}/", allow_private=False)


def test_one_private_address_among_public_ones_is_enough_to_refuse() -> None:
    with pytest.raises(ConfigError, match="into a private network"):
        get(f"http://{HOST}/", World({HOST: [["1.1.1.1", "127.0.0.1"]]}), allow_private=False)


def test_the_address_that_was_checked_is_the_one_that_is_asked(http_server: Server) -> None:
    http_server.reply("/", '"checked"')
    with Server("127.0.0.2", http_server.port).running() as rebound:
        rebound.reply("/", '"rebound"')
        world = World({HOST: [["127.0.0.1"], ["127.0.0.2"]]})
        assert get(http_server.url(host=HOST), world).text == '"checked"'
        assert (world.looked_up, rebound.asked) == ([HOST], [])
    assert http_server.asked[0].headers["host"] == f"{HOST}:{http_server.port}"


def test_the_next_address_is_asked_when_one_refuses(http_server: Server) -> None:
    http_server.reply("/", "{}")
    world = World({HOST: [["127.0.0.2", "127.0.0.1"]]})
    assert get(http_server.url(host=HOST), world).text == "{}"
    assert world.slept == []


def test_tls_asks_for_the_host_by_name_and_checks_its_certificate(tls_server: TlsServer) -> None:
    tls_server.server.reply("/", "{}")
    assert get(tls_server.url(), World(HERE, tls_server.ca_bundle)).text == "{}"
    assert tls_server.names == [HOST]


def test_a_certificate_for_another_host_is_refused_once(tls_server: TlsServer) -> None:
    tls_server.server.reply("/", "{}")
    world = World(HERE, tls_server.ca_bundle)
    with pytest.raises(TransientError, match="not trusted: Hostname mismatch") as caught:
        get(tls_server.url(host="other.test"), world)
    assert (caught.value.code, world.slept) == ("REGISTRY_UNREACHABLE", [])
    assert tls_server.server.asked == []


def test_a_certificate_of_nobody_known_is_refused(tls_server: TlsServer) -> None:
    with pytest.raises(TransientError, match="a certificate that is not trusted"):
        get(tls_server.url(), World(HERE))


@pytest.mark.parametrize("name", ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
def test_the_environment_may_name_other_certificates(
    tls_server: TlsServer, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    tls_server.server.reply("/", "{}")
    monkeypatch.setenv(name, tls_server.ca_bundle)
    assert get(tls_server.url(), World(HERE)).text == "{}"


def test_certificates_that_are_not_there_are_named() -> None:
    with pytest.raises(ConfigError, match=r"certificates at /nowhere/ca\.pem cannot be read"):
        get("https://registry.test/", World(HERE, "/nowhere/ca.pem"))


def test_plain_http_where_tls_was_asked_for_is_unreachable(http_server: Server) -> None:
    url = http_server.url(host=HOST).replace("http:", "https:")
    with pytest.raises(TransientError, match="is not reachable"):
        get(url, World(HERE), retries=0)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_followed(http_server: Server, status: int) -> None:
    url = http_server.reply("/a/b", status=status, Location="../c?d=e#f")
    http_server.reply("/c?d=e", "{}", ETag='"1"')
    assert get(url).validators == Validators('"1"')


def test_a_redirect_from_http_to_https_is_followed(http_server: Server, tls_server: TlsServer) -> None:
    url = http_server.reply("/", status=301, Location=tls_server.url())
    tls_server.server.reply("/", "{}")
    assert get(url, World(HERE, tls_server.ca_bundle)).text == "{}"


def test_a_redirect_from_https_to_http_is_refused(http_server: Server, tls_server: TlsServer) -> None:
    tls_server.server.reply("/", status=302, Location=http_server.url(host=HOST))
    with pytest.raises(ConfigError, match="which is not encrypted") as caught:
        get(tls_server.url(), World(HERE, tls_server.ca_bundle))
    assert (caught.value.code, http_server.asked) == ("REGISTRY_URL_INVALID", [])


@pytest.mark.parametrize(
    "location",
    [
        "ftp://host.test/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "http://u:hunter2@host.test/",
        "//u:hunter2@host.test/",
        "http://[::1",
        "http://host.test/a b",
        "http://good.test\\@evil.test/",
    ],
)
def test_a_redirect_to_what_may_not_be_asked_is_refused(http_server: Server, location: str) -> None:
    world = World()
    url = http_server.reply("/", status=302, Location=location)
    with pytest.raises(ConfigError, match="redirects to") as caught:
        get(url, world)
    assert caught.value.code == "REGISTRY_URL_INVALID"
    assert url in caught.value.message
    assert "hunter2" not in f"{caught.value} {caught.value.hint}"
    assert world.looked_up == ["127.0.0.1"]


def test_a_redirect_into_a_private_network_is_refused(
    http_server: Server, other_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    from akm.registry import addresses

    # The first server stands for one of the internet, which no test may talk to.
    monkeypatch.setattr(addresses, "is_public", lambda ip: ip == "127.0.0.1")
    url = http_server.reply("/", status=302, Location=other_server.url(host="inner.test"))
    with pytest.raises(ConfigError, match="into a private network") as caught:
        get(url, World({"inner.test": [["127.0.0.2"]]}), allow_private=False)
    assert f"{url} (redirected to {other_server.url(host='inner.test')})" in caught.value.message
    assert other_server.asked == []


def test_five_redirects_are_followed_and_no_sixth(http_server: Server) -> None:
    for number in range(6):
        http_server.reply(f"/{number}", status=302, Location=f"/{number + 1}")
    http_server.reply("/6", "{}")
    assert get(http_server.url("/1")).text == "{}"
    with pytest.raises(ResponseError, match="redirects more than 5 times"):
        get(http_server.url("/0"))


def test_redirects_in_a_circle_are_said_to_be_one(http_server: Server) -> None:
    http_server.reply("/a", status=302, Location="/b")
    http_server.reply("/b", status=302, Location="/a#again")
    with pytest.raises(ResponseError, match="redirects in a circle"):
        get(http_server.url("/a"))
    assert len(http_server.asked) == 2


def test_a_redirect_has_to_say_where_to(http_server: Server) -> None:
    with pytest.raises(ResponseError, match="without saying where to"):
        get(http_server.reply("/", status=302))


def test_the_body_of_a_redirect_is_not_read(http_server: Server) -> None:
    def write(line: Line) -> None:
        line.send(b"HTTP/1.1 302 Found\r\nLocation: /b\r\n\r\n")
        line.drip(b"x" * 1000)

    http_server.reply("/b", "{}")
    assert get(http_server.reply_raw("/a", write), max_bytes=100).text == "{}"


def test_validators_go_along_on_the_same_server(http_server: Server) -> None:
    http_server.reply("/a", status=302, Location="/b")
    http_server.reply("/b", status=304)
    assert get(http_server.url("/a"), validators=Validators('"1"')).status == 304


def test_validators_are_no_business_of_another_server(http_server: Server, other_server: Server) -> None:
    url = http_server.reply("/", status=302, Location=other_server.url("/x"))
    other_server.reply("/x", "{}", ETag='"theirs"', Last_Modified=LATER)
    answer = get(url, validators=Validators('"ours"', LATER))
    assert "if-none-match" in http_server.asked[0].headers
    assert not {"if-none-match", "if-modified-since"} & set(other_server.asked[0].headers)
    # And what the other one gives will not be sent to the first.
    assert answer.validators == Validators()


def test_a_304_of_another_server_is_no_answer(http_server: Server, other_server: Server) -> None:
    url = http_server.reply("/", status=302, Location=other_server.url("/x"))
    other_server.reply("/x", status=304)
    with pytest.raises(ResponseError, match="status 304"):
        get(url, validators=Validators('"1"'))


def test_errors_after_a_redirect_name_both_ends(http_server: Server, other_server: Server) -> None:
    url = http_server.reply("/", status=302, Location=other_server.url("/gone"))
    with pytest.raises(Exception, match="status 404") as caught:
        get(url)
    assert f"{url} (redirected to {other_server.url('/gone')})" in str(caught.value)
