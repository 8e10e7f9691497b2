#!/bin/sh
# Runs every test, and says at the end which were not made because something is missing on this machine.
# The real agents are installed first: tests that run beside each other would wait for each other's installation.
set -u
cd "$(dirname "$0")/.." || exit 1
CARGO=${CARGO:-cargo}

echo "installing the agents that tests drive (once, 1.3 GB)"
scripts/setup-agents.sh >/dev/null || echo "they cannot be installed (see above): their tests are skipped"
scripts/setup-mcp.sh >/dev/null || echo "the MCP servers cannot be installed (see above): their tests are skipped"
scripts/setup-clients.sh >/dev/null || echo "the clients cannot be installed (see above): their tests are skipped"

# First, so that the program is compiled once, with it.
scripts/dashboard.sh || exit 1

AMELIA_SKIPPED=$(mktemp) || exit 1
export AMELIA_SKIPPED
trap 'rm -f "$AMELIA_SKIPPED"' EXIT
# nextest runs tests in parallel and is used when it is there; it does not know documentation tests.
if "$CARGO" nextest --version >/dev/null 2>&1; then
  "$CARGO" test --locked --workspace --doc --quiet && "$CARGO" nextest run --locked --workspace --no-fail-fast
else
  "$CARGO" test --locked --workspace --no-fail-fast
fi
CODE=$?

scripts/test-dashboard.sh || CODE=1

scripts/skipped.sh "$AMELIA_SKIPPED" || CODE=1
exit $CODE
