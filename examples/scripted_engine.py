"""Stands for an agent and for a judge in review-with-gate.md: reads a prompt and prints an answer."""

import json
import os
import sys


def write(prompt: str) -> str:
    """Write the notes, at first without the line that the rubric wants; announce what the notes say."""
    params = json.loads(os.environ["AKM_PARAMS"])
    if os.environ["AKM_STEP_ID"] == "announce":
        notes = json.loads(os.environ["AKM_INPUTS"])["steps.notes.output"]
        warning = next(line for line in notes.splitlines() if line.startswith("Upgrading:"))
        return f"{params['version']} is out! {warning}"
    lines = [f"# {params['version']}", "", *(f"- {change}" for change in params["changes"])]
    if "reviewed and not accepted" in prompt:
        lines += ["", "Upgrading: look for what is gone before you do."]
    return "\n".join(lines)


def judge(question: str) -> str:
    """Accept a result that has the line; the result stands behind the criteria, as JSON."""
    result = question.partition("Result as JSON")[2]
    if "Upgrading:" in result:
        return json.dumps({"complete": True, "missing": []})
    missing = ["no line begins with `Upgrading:`"]
    return json.dumps({"complete": False, "missing": missing, "feedback": "Say what to look out for."})


if __name__ == "__main__":
    sys.stdout.write({"write": write, "judge": judge}[sys.argv[1]](sys.stdin.read()) + "\n")
