"""The command line as a whole: the table of commands, and the one place where every error ends."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from akm.cli import output
from akm.cli.lazy import Group, LazyGroup, Verb

ROOT = Group(
    "Durable workflow runs for agents and scripts: nothing that finished is ever repeated.",
    {
        "workflow": Group(
            "Run workflows and look at their runs.",
            {
                "run": Verb("Start a workflow, or go on with a run.", "akm.cli.workflow.run:run"),
                "status": Verb("Show one run with its steps.", "akm.cli.workflow.status:status"),
                "list": Verb("List runs.", "akm.cli.workflow.list:list"),
                "resume": Verb(
                    "Make a failed or blocked run active again.", "akm.cli.workflow.resume:resume"
                ),
                "approve": Verb("Accept a step that waits for it.", "akm.cli.workflow.approve:approve"),
                "reject": Verb("Do not accept a step that waits.", "akm.cli.workflow.reject:reject"),
                "retry": Verb("Reopen a run and drive it, in one go.", "akm.cli.workflow.retry:retry"),
                "fork": Verb("Start a run from the middle of another one.", "akm.cli.workflow.fork:fork"),
                "cancel": Verb("Stop whoever drives a run.", "akm.cli.workflow.cancel:cancel"),
                "abandon": Verb("Give a run up.", "akm.cli.workflow.abandon:abandon"),
                "export": Verb("Write one run into a JSON file.", "akm.cli.workflow.export:export"),
                "import": Verb("Take over a run that was exported.", "akm.cli.workflow.import_:import_"),
                "worktrees": Verb(
                    "Show the worktrees that units left behind.", "akm.cli.workflow.worktrees:worktrees"
                ),
                "plan": Verb("Show what a run would do, without starting one.", "akm.cli.workflow.plan:plan"),
                "lint": Verb("Check workflow files.", "akm.cli.workflow.lint:lint"),
                "create": Verb("Write a new workflow file.", "akm.cli.workflow.create:create"),
                "convert": Verb(
                    "Write an older workflow file in today's grammar.", "akm.cli.workflow.convert:convert"
                ),
            },
        ),
        "task": Group(
            "Run tasks on a schedule and see how they went.",
            {
                "run": Verb("Run a task now.", "akm.cli.task.run:run"),
                "serve": Verb("Fire the enabled tasks when they are due.", "akm.cli.task.serve:serve"),
                "doctor": Verb("Show what should have run, and did not.", "akm.cli.task.doctor:doctor"),
                "list": Verb("List the tasks, and what is wrong with them.", "akm.cli.task.list:list"),
                "show": Verb("Show what a task file means.", "akm.cli.task.show:show"),
                "validate": Verb("Check a task file.", "akm.cli.task.validate:validate"),
                "explain": Verb("Show what a task would run with, and why.", "akm.cli.task.explain:explain"),
                "convert": Verb("Write an older task file as version 4.", "akm.cli.task.convert:convert"),
                "history": Verb("Show when tasks ran, and how that went.", "akm.cli.task.history:history"),
                "intervals": Verb("Show the spans in which a task ran.", "akm.cli.task.intervals:intervals"),
                "prune-history": Verb(
                    "Delete old attempts from the history.", "akm.cli.task.prune_history:prune_history"
                ),
                "add": Verb("Write a new task and schedule it.", "akm.cli.task.add:add"),
                "enable": Verb("Switch a task's schedule on.", "akm.cli.task.enable:enable"),
                "disable": Verb("Switch a task's schedule off.", "akm.cli.task.disable:disable"),
                "sync": Verb("Make the scheduler fire what is switched on.", "akm.cli.task.sync:sync"),
                "next": Verb("Show when tasks fire next.", "akm.cli.task.next:next"),
                "prune": Verb("Remove rows that can fire nothing any more.", "akm.cli.task.prune:prune"),
            },
        ),
        "db": Group(
            "Look after the database.",
            {
                "upgrade": Verb("Bring the schema up to date.", "akm.cli.db.upgrade:upgrade"),
                "current": Verb("Show the schema's revision.", "akm.cli.db.current:current"),
                "check": Verb("Check that schema and data are sound.", "akm.cli.db.check:check"),
                "downgrade": Verb("Take the schema back.", "akm.cli.db.downgrade:downgrade"),
                "adopt": Verb("Take the database of an akm-cli over.", "akm.cli.db.adopt:adopt"),
                "backup": Verb("Copy the database into a file.", "akm.cli.db.backup:backup"),
                "restore": Verb("Put a backup in the database's place.", "akm.cli.db.restore:restore"),
                "prune": Verb("Delete old runs that are over.", "akm.cli.db.prune:prune"),
                "doctor": Verb("Look for everything that may be wrong.", "akm.cli.db.doctor:doctor"),
                "stats": Verb("Show what the database holds, and how much of it.", "akm.cli.db.stats:stats"),
            },
        ),
        "bundle": Group(
            "Configure the folders that workflows come from.",
            {
                "add": Verb("Add a folder or a git repository as a bundle.", "akm.cli.bundle.add:add"),
                "update": Verb("Bring bundles from git up to date.", "akm.cli.bundle.update:update"),
                "list": Verb("List the configured bundles.", "akm.cli.bundle.list:list"),
                "remove": Verb("Take a bundle out of the configuration.", "akm.cli.bundle.remove:remove"),
                "rename": Verb("Give a bundle another name.", "akm.cli.bundle.rename:rename"),
                "show": Verb("Show what a bundle holds.", "akm.cli.bundle.show:show"),
            },
        ),
        "registry": Group(
            "Find bundles that others publish.",
            {
                "search": Verb("Search all registries at once.", "akm.cli.registry.search:search"),
                "list": Verb("List the registries.", "akm.cli.registry.list:list"),
                "add": Verb("Add a registry.", "akm.cli.registry.add:add"),
                "remove": Verb("Take a registry out of the configuration.", "akm.cli.registry.remove:remove"),
                "refresh": Verb("Ask for all indexes now.", "akm.cli.registry.refresh:refresh"),
                "show": Verb("Show one bundle of a registry in full.", "akm.cli.registry.show:show"),
                "cache": Verb("Show or clear what is kept of registries.", "akm.cli.registry.cache:cache"),
                "build-index": Verb(
                    "Make an index from folders of bundles.", "akm.cli.registry.build_index:build_index"
                ),
            },
        ),
        "config": Group(
            "Look at the configuration.",
            {
                "show": Verb("Show every setting and where it came from.", "akm.cli.config.show:show"),
                "path": Verb("Show which files are read.", "akm.cli.config.path:path"),
            },
        ),
        "engines": Verb("List the engines, and which of them can be used.", "akm.cli.engines:engines"),
        "log": Verb("Show what happened, from the ledger of events.", "akm.cli.log:log"),
        "info": Verb("Show versions, directories and the database.", "akm.cli.info:info"),
    },
)


def main(argv: Sequence[str]) -> int:
    """Run one command line, without the program's name; returns the process exit status and never raises."""
    arguments = list(argv)
    output.choose(_format_in(arguments))
    try:
        if "_AKM_COMPLETE" in os.environ:
            from akm.cli import completion

            return completion.answer(root())
        with root().make_context("akm", arguments) as context:
            status = context.command.invoke(context)
        output.finish()
        return status if isinstance(status, int) else 0
    except BaseException as error:  # Whatever it is, it ends here in one sentence and one exit status.
        from akm.cli import failure

        return failure.report(error)


def root() -> LazyGroup:
    """Build the root of the command tree, without importing any command."""
    from akm.cli import options

    return LazyGroup("akm", ROOT, params=options.of_the_root())


def _format_in(arguments: Sequence[str]) -> str | None:
    """Find `--format` before anything is parsed, because a mistake in the arguments has to be told in it."""
    chosen: Any = None
    for index, argument in enumerate(arguments):
        if argument == "--":
            break
        if argument == "--format":
            chosen = arguments[index + 1] if index + 1 < len(arguments) else None
        elif argument.startswith("--format="):
            chosen = argument.partition("=")[2]
    return chosen if chosen in output.FORMATS else None
