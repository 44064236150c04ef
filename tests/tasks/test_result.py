"""Which codes of errors a row may hold."""

from __future__ import annotations

import pytest

from akm.errors import AkmError, ConfigError, NotFoundError, TransientError
from akm.tasks.execution import result

SAFE = [
    "CONFIG_DIR_UNRESOLVABLE",
    "STASH_DIR_NOT_FOUND",
    "STASH_DIR_NOT_A_DIRECTORY",
    "STASH_DIR_UNREADABLE",
    "LLM_NOT_CONFIGURED",
    "INVALID_CONFIG_FILE",
    "TEST_ISOLATION_MISSING",
    "INVALID_FLAG_VALUE",
    "MISSING_REQUIRED_ARGUMENT",
    "PATH_ESCAPE_VIOLATION",
    "TASK_SCHEMA_VERSION_UNSUPPORTED",
    "ASSET_NOT_FOUND",
    "WORKFLOW_NOT_FOUND",
    "FILE_NOT_FOUND",
    "TASK_SOURCE_INVALID",
    "COMPOSITION_INVALID",
    "TARGET_REF_INVALID",
    "WORKFLOW_SOURCE_INVALID",
    "INPUT_BINDING_INVALID",
    "TASK_TARGET_UNSUPPORTED",
]


def test_the_safe_codes_are_these() -> None:
    assert sorted(result.SAFE_CODES) == sorted(SAFE)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigError("x"), "INVALID_CONFIG_FILE"),
        (NotFoundError("x"), "ASSET_NOT_FOUND"),
        (TransientError("x", code="RUN_LEASE_HELD"), "RUN_LEASE_HELD"),
        (TransientError("x", code="DATABASE_FULL"), "INTERNAL"),
        (AkmError("x"), "INTERNAL"),
        (OSError(2, "x"), "INTERNAL"),
    ],
)
def test_any_other_code_is_internal(error: BaseException, code: str) -> None:
    assert result.safe_code(error) == code
