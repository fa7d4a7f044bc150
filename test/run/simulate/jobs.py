"""Executes the shell steps of the jobs in scripts/ci as their runners do, in a folder that is a checkout.

usage: jobs.py github|gitlab CHECKOUT     ends with the status of the first step that fails

Not executed: what `uses:` names, which is GitHub's own; the checkout lies there already. Commands that would
need a network are found in stand-ins on the search path (run.sh).
"""
import os
import pathlib
import subprocess
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[3]
ACTIONS = {"actions/checkout", "actions/setup-python", "actions/cache", "github/codeql-action/upload-sarif"}


def step(shell, text, checkout, environment):
    """The status of a step; its output goes where ours goes."""
    return subprocess.run([*shell, text], cwd=checkout, env=environment).returncode


def github(checkout):
    """As the runner does: each step a shell of its own, what it adds to GITHUB_PATH holds for the next ones."""
    job = yaml.safe_load((ROOT / "scripts/ci/github.yml").read_text())
    added, summary = checkout / "path", checkout / "summary"
    environment = dict(os.environ, GITHUB_PATH=str(added), GITHUB_STEP_SUMMARY=str(summary))
    environment.update({name: str(value) for name, value in job["env"].items()})
    for one in job["jobs"]["counts"]["steps"]:
        if "uses" in one:
            assert one["uses"].split("@")[0] in ACTIONS, one["uses"]
            continue
        paths = added.read_text().split() if added.exists() else []
        environment["PATH"] = ":".join([*reversed(paths), os.environ["PATH"]])
        code = step(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"], one["run"], checkout, environment)
        if code:
            return code
    return 0


def gitlab(checkout):
    """As the runner does: one shell for all lines, which ends at the first that fails."""
    (job,) = yaml.safe_load((ROOT / "scripts/ci/gitlab.yml").read_text()).values()
    environment = dict(os.environ, CI_PROJECT_DIR=str(checkout), LIBTRACE_REPOSITORY=str(ROOT))
    environment.update({name: str(value).replace("$CI_PROJECT_DIR", str(checkout))
                        for name, value in job["variables"].items()})
    lines = "\n".join([*job["before_script"], *job["script"]])
    return step(["bash", "-eo", "pipefail", "-c"], lines, checkout, environment)


sys.exit({"github": github, "gitlab": gitlab}[sys.argv[1]](pathlib.Path(sys.argv[2]).resolve()))
