#!/usr/bin/env python3
"""Runs a profile on small issues with hidden tests, and prints how many it solved and what that took.

    run.py --profile work.yaml                            # all issues, with the built-in prompts
    run.py --profile a.yaml --profile b.yaml --prompts my-prompts/ --only py-stack-pop,sh-retry
    run.py --check                                        # no model: every issue is unsolved, and its solution solves it

Everything happens in a temporary directory with a home of its own. Keys come from the environment. Figures go to
standard output and nowhere else.
"""

import argparse
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from issue import all_issues, git, is_solved, make_repository, write


def main():
    args = arguments()
    chosen = [issue for issue in all_issues() if not args.only or issue.name in args.only.split(",")]
    if not chosen:
        sys.exit("no such issue; there are: " + ", ".join(issue.name for issue in all_issues()))
    if args.check:
        sys.exit(check(chosen))
    if not args.profile:
        sys.exit("which profile? --profile FILE, or --check without a model")
    for profile in args.profile:
        for prompts in args.prompts or [None]:
            results = [attempt(issue, profile, prompts, args) for issue in chosen]
            report(results, args.json)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--amelia", default="amelia", help="the program")
    parser.add_argument("--profile", action="append", type=pathlib.Path, help="a file with one profile; may be repeated")
    parser.add_argument("--prompts", action="append", type=pathlib.Path, help="a directory with NAME.md; may be repeated")
    parser.add_argument("--only", default="", help="names of issues, with commas")
    parser.add_argument("--timeout", type=int, default=1800, help="seconds for one issue")
    parser.add_argument("--json", action="store_true", help="one JSON line for each issue and one for each total")
    parser.add_argument("--check", action="store_true", help="check the issues themselves")
    return parser.parse_args()


def check(issues):
    """The number of issues that are solved from the start, or not by their solution."""
    wrong = 0
    for issue in issues:
        with tempfile.TemporaryDirectory() as scratch:
            tree = pathlib.Path(scratch) / "repo"
            make_repository(issue, tree)
            before = is_solved(issue, tree)
            write(tree, issue.part("solution"))
            is_right = not before and is_solved(issue, tree)
        wrong += not is_right
        print(f"{'ok ' if is_right else 'BAD'} {issue.name}")
    return wrong


def attempt(issue, profile, prompts, args):
    """One issue with one profile and one set of prompts, from a fresh home."""
    with tempfile.TemporaryDirectory(prefix="amelia-eval-") as scratch:
        scratch = pathlib.Path(scratch)
        tree = scratch / "repo"
        make_repository(issue, tree)
        amelia = Amelia(args.amelia, scratch / "home", tree)
        try:
            name = amelia.set_up(profile, prompts, scratch)
            ended = amelia.solve(issue, name, args.timeout)
            result = amelia.figures()
        finally:
            amelia.run("server", "stop")
        branch = f"amelia/{issue.name}"
        made = subprocess.run(["git", "rev-parse", "-q", "--verify", branch], cwd=tree, capture_output=True)
        if made.returncode == 0:
            git(tree, "checkout", "-q", "-f", "--detach", branch)
        solved = is_solved(issue, tree)
    result.update(issue=issue.name, profile=name, solved=solved, ended=ended)
    if args.json:
        print(json.dumps(result), flush=True)
    else:
        print(f"{'solved' if solved else 'not   '} {issue.name:20} {ended}", flush=True)
    return result


class Amelia:
    """The program with a home of its own."""

    def __init__(self, program, home, tree):
        self.program, self.tree = program, tree
        self.env = {**os.environ, "AMELIA_HOME": str(home), "NO_COLOR": "1"}

    def run(self, *args, timeout=120):
        command = [self.program, *args]
        return subprocess.run(command, cwd=self.tree, env=self.env, capture_output=True, text=True, timeout=timeout)

    def must(self, *args):
        done = self.run(*args)
        if done.returncode != 0:
            sys.exit(f"amelia {' '.join(args)}: {done.stderr.strip()}")
        return done.stdout

    def set_up(self, profile, prompts, scratch):
        """Applies the profile, for this repository, and the prompts; the profile's name."""
        text = re.sub(r"^repo_root:.*\n", "", profile.read_text(), flags=re.MULTILINE) + f"\nrepo_root: {self.tree}\n"
        own = scratch / "profile.yaml"
        own.write_text(text)
        self.must("config", "profile", "apply", "-f", str(own))
        for prompt in sorted(prompts.glob("*.md")) if prompts else []:
            self.must("prompt", "set", prompt.stem, "-f", str(prompt.resolve()))
        return re.search(r"^name:\s*(\S+)", text, flags=re.MULTILINE).group(1)

    def solve(self, issue, profile, timeout):
        """How the run came out, in one word. A question that is left open is an answer, too."""
        words = ["start", issue.name, "--title", issue.title, "--description", issue.description]
        try:
            done = self.run(*words, "--profile", profile, "--auto", "--quiet", timeout=timeout)
        except subprocess.TimeoutExpired:
            return "timeout"
        return {0: "completed", 6: "asks"}.get(done.returncode, f"exit {done.returncode}")

    def figures(self):
        """Review rounds, tokens and cost of all runs in this home, and which prompts they used."""
        runs = json.loads(self.must("usage", "--by", "run", "--json"))
        rounds = 0
        for row in runs["rows"]:
            events = map(json.loads, self.must("logs", row["run"], "--json").splitlines())
            rounds += sum("requested" in event["kind"].get("review", {}) for event in events)
        texts = [(prompt["name"], prompt["text"]) for prompt in json.loads(self.must("prompt", "list", "--json"))]
        version = hashlib.sha256(json.dumps(texts).encode()).hexdigest()[:8]
        total = runs["total"]
        return {"rounds": rounds, "tokens": total["tokens"], "cost_usd": total["cost_usd"], "prompts": version}


def report(results, as_json):
    def add(name):
        known = [result[name] for result in results if result[name] is not None]
        return sum(known) if known else None

    total = {name: add(name) for name in ("rounds", "tokens", "cost_usd")}
    total.update(solved=sum(result["solved"] for result in results), issues=len(results))
    total.update(profile=results[0]["profile"], prompts=results[0]["prompts"])
    if as_json:
        print(json.dumps({"total": total}), flush=True)
        return
    cost = "unknown" if total["cost_usd"] is None else f"{total['cost_usd']:.4f} USD"
    print(
        f"{total['profile']}, prompts {total['prompts']}: solved {total['solved']} of {total['issues']}, "
        f"{total['rounds']} review rounds, {total['tokens']} tokens, cost {cost}"
    )


if __name__ == "__main__":
    main()
