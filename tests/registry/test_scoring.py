"""How a query is scored, ranked and merged."""

from __future__ import annotations

import pytest

from akm.registry import scoring


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"name": "Deploy"}, 1.0),
        ({"name": "redeployer"}, 0.6),
        ({"name": "x", "tags": ["DEPLOY", "deployment"]}, 0.5),
        ({"name": "x", "tags": ["deployment", "deployer"]}, 0.25),
        ({"name": "x", "description": "how to Deploy, deploy"}, 0.2),
        ({"name": "x", "author": "deployers"}, 0.15),
        ({"name": "x", "type": "deploy"}, 0.4),
        ({"name": "x", "type": "deployment"}, 0.2),
        ({"name": "deploy", "tags": ["deploy"], "description": "deploy", "author": "deploy"}, 1.85),
        ({"name": "x"}, 0.0),
    ],
)
def test_each_field_has_its_weight(fields: dict[str, object], expected: float) -> None:
    assert scoring.score(["deploy"], **fields) == pytest.approx(expected)  # type: ignore[arg-type]


def test_the_score_is_the_mean_over_the_words() -> None:
    assert scoring.words("  Deploy\tNOW ") == ["deploy", "now"]
    assert scoring.score(["deploy", "now", "x"], name="deploy", description="now") == pytest.approx(0.4)
    assert scoring.score([], name="deploy") == 0


def test_ranking_is_stable_cuts_and_rounds_last() -> None:
    scored = [(0.1, "a"), (0.33341, "b"), (0.33349, "c"), (0.0, "none"), (0.33341, "d")]
    assert scoring.ranked(scored, 9) == [(0.333, "c"), (0.333, "b"), (0.333, "d"), (0.1, "a")]
    assert scoring.ranked(scored, 1) == [(0.333, "c")]


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([], []),
        ([3, 1, 2], [1, 0, 0.5]),
        ([2, 2], [1, 1]),
        ([0.25], [1]),
        ([0, 0], [0, 0]),
        ([-1, -3], [-1, -3]),
    ],
)
def test_scores_of_one_registry_are_put_on_one_scale(scores: list[float], expected: list[float]) -> None:
    assert scoring.scaled(scores) == expected


def test_merging_keeps_the_order_of_equal_ones_and_cuts() -> None:
    lists: list[list[tuple[float, str]]] = [[(9, "a"), (6, "b"), (3, "c")], [(0.2, "d"), (0.1, "e")]]
    merged = scoring.merged(lists, 4, of=lambda one: one[0], rescored=lambda one, score: (score, one[1]))
    assert merged == [(1, "a"), (1, "d"), (0.5, "b"), (0, "c")]
