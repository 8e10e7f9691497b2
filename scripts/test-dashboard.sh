#!/bin/sh
# Checks, tests and builds the dashboard, and plays it in a browser against the program. What is missing on this machine is
# said, and counted where the caller counts ($AMELIA_SKIPPED).
set -u
cd "$(dirname "$0")/.." || exit 1
CARGO=${CARGO:-cargo}

skipped() {
  echo "skipped: $1"
  [ -n "${AMELIA_SKIPPED:-}" ] && echo "$1" >>"$AMELIA_SKIPPED"
}

command -v npm >/dev/null 2>&1 || { skipped "dashboard: Node 20.19 or newer is not installed"; exit 0; }
scripts/dashboard.sh || exit 1
(cd dashboard && npm run check && npm test) || exit 1

grep -q '"e2e":' dashboard/package.json || exit 0
if ! command -v chromium >/dev/null 2>&1 && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo "installing chromium"
  { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends chromium; } >/dev/null
fi
command -v chromium >/dev/null 2>&1 || { skipped "dashboard in a browser: chromium is not installed (apt-get install chromium)"; exit 0; }
# With the dashboard that was just built in it.
"$CARGO" build --locked --quiet --package amelia --package amelia-bench || exit 1
AMELIA_BIN=${CARGO_TARGET_DIR:-target}/debug/amelia
case $AMELIA_BIN in /*) ;; *) AMELIA_BIN=$(pwd)/$AMELIA_BIN ;; esac
export AMELIA_BIN
cd dashboard && npm run e2e
