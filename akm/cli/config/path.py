"""`akm config path`: which configuration files are read here."""

from __future__ import annotations

from typing import Any

from akm import config, paths
from akm.cli import output


def path() -> None:
    """Show which configuration files are read in the working directory."""
    user = paths.user_config_file()
    project = config.project_file(paths.working_directory())
    output.show(
        {
            "user": {"path": str(user), "exists": user.is_file()},
            "project": {"path": str(project), "exists": True} if project else None,
        },
        render=_lines,
    )


def _lines(result: dict[str, Any]) -> list[str]:
    user, project = result["user"], result["project"]
    return [
        f"user:    {user['path']}{'' if user['exists'] else ' (not there yet)'}",
        f"project: {project['path'] if project else 'none'}",
    ]
