#!/bin/sh
# Says which tests were skipped. In CI a test that misses what a script of ours can install has failed: nobody would see it.
#   skipped.sh FILE     a line per test and reason
set -u
# A test may miss several things, and is one test.
COUNT=$(sed 's/: .*//' "$1" | sort -u | grep -c .)
[ "$COUNT" -gt 0 ] || exit 0
echo "$COUNT tests were skipped because something is missing on this machine:"
sort -u "$1" | sed 's/^/  /'
if [ "${CI:-}" = true ] && grep -qE ' is not here: |chromium is not installed' "$1"; then
  echo "CI=true: everything that a script can install must be installed" >&2
  exit 1
fi
