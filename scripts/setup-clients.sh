#!/bin/sh
# Installs the real programs that tests let talk to Amelia: the official Python client of MCP, newest and oldest, two
# clients of the Agent Client Protocol, and the official protocol of OpenTelemetry, with which a collector reads traces.
#   setup-clients.sh [DIR]     default: ${AMELIA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/amelia}/clients
# Prints the directory. Does nothing else when the pinned versions are there already, so a second run needs no network. On
# failure the reason is on stderr and the exit code is 1. Needs node, npm, and python3 (3.10 or newer) with venv; PYTHON
# names another.
set -u
D=${1:-${AMELIA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/amelia}/clients}
PYTHON=${PYTHON:-python3}
NPM="@agentclientprotocol/sdk@2.4.0 acpx@0.19.1"
NEW="mcp==2.3.0"
OLD="mcp==1.0.0"
OTLP="opentelemetry-proto==1.45.2"

. "$(dirname "$0")/lock.sh"
done_already() { [ "$(cat "$D/.pins" 2>/dev/null)" = "$NPM $NEW $OLD $OTLP" ]; }
done_already && { echo "$D"; exit 0; }

command -v npm >/dev/null || { echo "no npm on this machine" >&2; exit 1; }
command -v "$PYTHON" >/dev/null || { echo "no $PYTHON on this machine" >&2; exit 1; }
lock "$D"
done_already && { echo "$D"; exit 0; }

# A venv cannot be moved, so it is made in its place; the pins are written last and say that it is whole.
rm -rf "$D"
mkdir -p "$D" || exit 1
venv() { "$PYTHON" -m venv "$D/$1" && "$D/$1/bin/pip" install -q --disable-pip-version-check "$2"; }
# shellcheck disable=SC2086
if npm install --prefix "$D" --no-audit --no-fund --loglevel=error $NPM >"$D.log" 2>&1 &&
   venv mcp-new "$NEW" >>"$D.log" 2>&1 && venv mcp-old "$OLD" >>"$D.log" 2>&1 &&
   venv otlp "$OTLP" >>"$D.log" 2>&1; then
  echo "$NPM $NEW $OLD $OTLP" >"$D/.pins"
  echo "$D"
else
  rm -rf "$D"
  grep -v '^$' "$D.log" | tail -n 1 >&2
  exit 1
fi
