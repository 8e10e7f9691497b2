#!/bin/sh
# Installs the real MCP servers that tests talk to: those of npm (everything, filesystem, memory) and of PyPI (git, time).
#   setup-mcp.sh [DIR]     default: ${AMELIA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/amelia}/mcp
# Prints the directory. Does nothing else when the pinned versions are there already, so a second run needs no network. On
# failure the reason is on stderr and the exit code is 1. Needs node, npm, and python3 (3.10 or newer) with venv; PYTHON
# names another.
set -u
D=${1:-${AMELIA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/amelia}/mcp}
PYTHON=${PYTHON:-python3}
S=@modelcontextprotocol/server
NPM="$S-everything@2026.8.31 $S-filesystem@2026.8.31 $S-memory@2026.8.31"
PYPI="mcp-server-git==2026.10.19 mcp-server-time==2026.10.19"

. "$(dirname "$0")/lock.sh"
done_already() { [ "$(cat "$D/.pins" 2>/dev/null)" = "$NPM $PYPI" ]; }
done_already && { echo "$D"; exit 0; }

command -v npm >/dev/null || { echo "no npm on this machine" >&2; exit 1; }
command -v "$PYTHON" >/dev/null || { echo "no $PYTHON on this machine" >&2; exit 1; }
lock "$D"
done_already && { echo "$D"; exit 0; }

# A venv cannot be moved, so it is made in its place; the pins are written last and say that it is whole.
rm -rf "$D"
mkdir -p "$D" || exit 1
# shellcheck disable=SC2086
if npm install --prefix "$D" --no-audit --no-fund --loglevel=error $NPM >"$D.log" 2>&1 &&
   "$PYTHON" -m venv "$D/venv" >>"$D.log" 2>&1 &&
   "$D/venv/bin/pip" install -q --disable-pip-version-check $PYPI >>"$D.log" 2>&1; then
  echo "$NPM $PYPI" >"$D/.pins"
  echo "$D"
else
  rm -rf "$D"
  grep -v '^$' "$D.log" | tail -n 1 >&2
  exit 1
fi
