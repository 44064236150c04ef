"""Everything that registries list, of those whose whole index is fetched. Choosing from it is not here."""

from __future__ import annotations

from collections.abc import Sequence

from akm.registry import asking, outcome
from akm.registry.asking import Access
from akm.registry.outcome import Outcome
from akm.registry.provider import IndexProvider, Listed
from akm.registry.providers import PROVIDERS
from akm.registry.source import Source


def everything(sources: Sequence[Source], access: Access) -> list[tuple[list[Listed], Outcome]]:
    """List every bundle of every registry with an index, in their order, and how each answered.

    Registries that are asked anew for each query have no index and are left out.
    """
    providers = {source: PROVIDERS[source.provider] for source in sources}
    indexes = {source: one for source, one in providers.items() if isinstance(one, IndexProvider)}

    def one(source: Source, shared: Access) -> tuple[list[Listed], Outcome]:
        answer = asking.ask(source, "", 1, shared)
        listed = indexes[source].listed(answer.value, source)
        return listed, outcome.answered(source, answer, count=len(listed))

    return [(listed or [], end) for listed, end in asking.everywhere(list(indexes), access, one)]
