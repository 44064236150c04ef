"""Where an answer sends a request on to, and whether that may be followed. Nothing is requested here."""

from __future__ import annotations

from urllib.parse import urldefrag, urljoin, urlsplit

from akm.errors import ConfigError, ResponseError
from akm.registry import urls

_STATUSES = frozenset({301, 302, 303, 307, 308})


def target(status: int, location: str | None, way: list[str], *, most: int) -> str | None:
    """Return the URL to go on with; None when the answer is no redirect.

    `way` holds the URLs asked so far, the first one first; `location` is the header as it came, and
    `most` the number of redirects that are followed. Raises ConfigError for a URL that must not be asked
    and ResponseError for redirects that lead nowhere.
    """
    if status not in _STATUSES:
        return None
    first, here = urls.shown(way[0]), way[-1]
    if not location:
        raise ResponseError(f"{urls.shown(here)} redirects without saying where to.")
    found = _joined(here, location, first)
    if urlsplit(here).scheme == "https" and urlsplit(found).scheme == "http":
        raise _refused(first, f"redirects to {urls.shown(found)}, which is not encrypted")
    if found in way:
        raise ResponseError(f"{first} redirects in a circle, by way of {urls.shown(found)}.")
    if len(way) > most:
        raise ResponseError(f"{first} redirects more than {most} times.")
    return found


def _refused(first: str, why: str) -> ConfigError:
    hint = "Ask whoever runs this registry, or configure the URL where its index really is."
    return ConfigError(f"{first} {why}.", code="REGISTRY_URL_INVALID", hint=hint)


def _joined(here: str, location: str, first: str) -> str:
    try:
        # Header bytes come as Latin-1, and servers that do not quote write UTF-8.
        found = urldefrag(urljoin(here, location.encode("latin-1").decode("utf-8"))).url
        return urls.check(found)
    except ConfigError as error:
        raise _refused(
            first, f"redirects to a URL that is not followed: {error.message.rstrip('.')}"
        ) from None
    except ValueError:
        raise _refused(first, "redirects to something that is no URL") from None
