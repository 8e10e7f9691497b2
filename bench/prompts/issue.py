"""Small issues, each in one text file: a title, a description, and sections that begin with `-- NAME --`.

`repo/…` is what the agents get, `hidden/…` what only the judge has, `solution/…` one way to solve it, `judge` the
command that tells.
"""

import dataclasses
import pathlib
import re
import shutil
import subprocess
import tempfile

DIRECTORY = pathlib.Path(__file__).parent / "issues"
JUDGE_TIMEOUT = 300


@dataclasses.dataclass
class Issue:
    name: str
    title: str
    description: str
    judge: str
    files: dict

    def part(self, part):
        """The files of one part, by their paths in it."""
        prefix = part + "/"
        return {path[len(prefix):]: text for path, text in self.files.items() if path.startswith(prefix)}


def read(path):
    head, *sections = re.split(r"^-- (\S+) --\n", path.read_text(), flags=re.MULTILINE)
    title, _, description = head.partition("\n")
    files = dict(zip(sections[::2], sections[1::2]))
    judge = files.pop("judge").strip()
    return Issue(path.stem, title.strip(), description.strip(), judge, files)


def all_issues():
    return [read(path) for path in sorted(DIRECTORY.glob("*.txt"))]


def write(directory, files):
    for name, text in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755 if path.suffix == ".sh" else 0o644)


def git(directory, *args):
    done = subprocess.run(["git", *args], cwd=directory, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def make_repository(issue, directory):
    """The repository that the agents get: one commit, nothing hidden in it."""
    directory.mkdir(parents=True)
    write(directory, issue.part("repo"))
    git(directory, "init", "-q", "-b", "main")
    git(directory, "config", "user.name", "Sample")
    git(directory, "config", "user.email", "sample@example.org")
    git(directory, "add", "-A")
    git(directory, "commit", "-q", "-m", "Begin")


def is_solved(issue, tree):
    """Whether the hidden tests pass in a copy of these files. The hidden files win over files of the same name."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = pathlib.Path(scratch) / "tree"
        shutil.copytree(tree, copy, ignore=shutil.ignore_patterns(".git"), symlinks=True)
        write(copy, issue.part("hidden"))
        try:
            judged = subprocess.run(["sh", "-c", issue.judge], cwd=copy, capture_output=True, timeout=JUDGE_TIMEOUT)
        except subprocess.TimeoutExpired:
            return False
        return judged.returncode == 0
