#!/bin/sh
# Start a run, kill it half way without warning, and go on with it; then one with an agent and a judge. Needs akm and python3 on PATH (`make demo`).
# Everything it writes is in .demo/ beside this checkout's README, which each start removes first.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
cd "$here"
demo="$here/.demo"
rm -rf "$demo"
mkdir -p "$demo"
unset AKM_DATABASE_URL AKM_DATABASE_SYNCHRONOUS AKM_SQLITE_SYNCHRONOUS AKM_WORKFLOW_MAX_CONCURRENCY || true
export AKM_CONFIG_DIR="$demo/config" AKM_DATA_DIR="$demo/data" AKM_STATE_DIR="$demo/state" AKM_CACHE_DIR="$demo/cache"
export AKM_FORMAT=text

workflow=examples/repo-report.md
enough=16

say() { printf '\n# %s\n' "$*"; }
typed() { printf '$ akm %s\n' "$*"; akm "$@"; }
units() { akm workflow status "$workflow" --units --format json; }
finished() {
    units 2>"$demo/not-yet.txt" | python3 -c '
import json, sys
text = sys.stdin.read()
units = json.loads(text)["units"] if text.strip() else []
print(sum(unit["stepId"] == "count" and unit["status"] == "completed" for unit in units))'
}
driver=
trap 'test -z "$driver" || kill -9 "$driver" 2>/dev/null || true' EXIT

say "One Markdown file is the whole procedure: find the files, look at each one, add it all up."
set -- workflow run "$workflow" -p directory="$here/akm/workflow" -p suffix=.py -p pause=0.5
printf '$ akm %s\n' "$*"
akm "$@" &
driver=$!

tries=0
while kill -0 "$driver" 2>/dev/null && [ "$(finished)" -lt "$enough" ]; do
    tries=$((tries + 1))
    if [ "$tries" -gt 150 ]; then
        echo "demo: no units were finished in time" >&2
        exit 1
    fi
    sleep 0.1
done

say "Half way through, the power fails."
printf '$ kill -9 %s\n' "$driver"
if ! kill -9 "$driver"; then
    echo "demo: the run ended before it could be killed" >&2
    exit 1
fi
wait "$driver" 2>"$demo/killed.txt" || true
driver=
units >"$demo/before.json"

typed workflow status "$workflow"

say "The same command, without parameters: it finds the run and goes on where it was."
typed workflow run "$workflow"

say "What each unit went through (the first ten):"
printf '$ akm workflow status %s --units\n' "$workflow"
akm workflow status "$workflow" --units | sed -n '/^UNIT/,$p' | head -n 11
units >"$demo/after.json"

python3 - "$demo/before.json" "$demo/after.json" <<'END'
import json
import sys

before, after = ([unit for unit in json.load(open(name))["units"] if unit["stepId"] == "count"] for name in sys.argv[1:])
kept = [unit for unit in before if unit["status"] == "completed"]
cut = [unit for unit in before if unit["status"] == "running"]
now = {unit["unitId"]: unit for unit in after}
assert kept, "nothing was finished before the kill"
assert all(unit["status"] == "completed" for unit in after), "a unit did not end well"
assert all(unit["attempts"] == 1 for unit in after), "a unit was attempted twice"
assert all(now[unit["unitId"]]["finishedAt"] == unit["finishedAt"] for unit in kept), "finished work was repeated"
print(f"\nOf the {len(after)} units of the step count,")
print(f"{len(kept):4} had finished before the kill: kept as they were, still attempt 1")
print(f"{len(cut):4} were cut off by it: handed out again under the same attempt 1")
print(f"{len(after) - len(before):4} had not started: done afterwards, once")
END

say "Killed half way, finished by the same command, and nothing that had finished was done again."

say "Prose is done by an agent and checked by a judge; here both are a small script that knows no model."
mkdir -p "$AKM_CONFIG_DIR"
sed "s|examples/scripted_engine.py|$here/examples/scripted_engine.py|" examples/review-with-gate.toml \
    >"$AKM_CONFIG_DIR/config.toml"
typed workflow run examples/review-with-gate.md
printf '\n$ akm workflow status examples/review-with-gate.md --units\n'
akm workflow status examples/review-with-gate.md --units | sed -n '/^UNIT/,/^$/p'
