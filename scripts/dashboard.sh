#!/bin/sh
# Builds the dashboard into dashboard/dist, from where the program takes it. Does nothing when nothing has changed.
# Without Node there is nothing to build with: that is said, and the program is built without it.
set -eu
. "$(dirname "$0")/lock.sh"
cd "$(dirname "$0")/../dashboard"

if ! command -v npm >/dev/null 2>&1; then
  echo "Node is not installed, so Amelia is built without its dashboard; everything else works (to build it, install Node 20.19 or newer with npm)"
  exit 0
fi

# Names and contents, not times: a fresh clone touches every file.
sum() { find "$@" -type f -exec cksum {} + | sort | cksum; }
kept=node_modules/.cache/amelia
# Not in node_modules, which an installation removes.
lock "${AMELIA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/amelia}/dashboard-$(pwd | cksum | tr -d ' ')"
mkdir -p "$kept"

lock=$(sum package.json package-lock.json .npmrc)
if [ "$lock" != "$(cat $kept/lock 2>/dev/null)" ]; then
  npm ci --prefer-offline --no-fund --no-audit
  mkdir -p "$kept"
  echo "$lock" >$kept/lock
fi

inputs=$(sum src public scripts index.html vite.config.ts tsconfig.json package.json package-lock.json)
if [ "$inputs" != "$(cat $kept/inputs 2>/dev/null)" ] || [ ! -f dist/index.html ]; then
  npm run build
  echo "$inputs" >$kept/inputs
fi
