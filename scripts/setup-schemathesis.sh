#!/bin/sh
# Installs schemathesis, which a test runs against the server's OpenAPI document.
#   setup-schemathesis.sh [DIR]     default: ${AMELIA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/amelia}/schemathesis-venv
# Prints the directory. Does nothing else when the pinned version is there already, so a second run needs no network. On failure nothing is left
# half made, the reason is on stderr and the exit code is 1. Needs python3 (3.10 or newer) with venv; PYTHON names another.
set -u
D=${1:-${AMELIA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/amelia}/schemathesis-venv}
PYTHON=${PYTHON:-python3}
PINS="schemathesis==4.32.5"

. "$(dirname "$0")/lock.sh"
done_already() { [ -x "$D/bin/schemathesis" ] && [ "$(cat "$D/.pins" 2>/dev/null)" = "$PINS" ]; }
done_already && { echo "$D"; exit 0; }

command -v "$PYTHON" >/dev/null || { echo "no $PYTHON on this machine" >&2; exit 1; }
lock "$D"
done_already && { echo "$D"; exit 0; }

# A venv cannot be moved, so it is made in its place; the pins are written last and say that it is whole.
rm -rf "$D"
# shellcheck disable=SC2086
if "$PYTHON" -m venv "$D" >"$D.log" 2>&1 &&
   "$D/bin/pip" install -q --disable-pip-version-check $PINS >>"$D.log" 2>&1; then
  echo "$PINS" >"$D/.pins"
  echo "$D"
else
  rm -rf "$D"
  grep -v '^$' "$D.log" | tail -n 1 >&2
  exit 1
fi
