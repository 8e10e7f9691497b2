#!/bin/sh
# Finds the real gh program, or gets it without installing it, and prints where it is. Tests run GitHub through it,
# against a socket of their own: nothing leaves the machine.
#   setup-gh.sh [DIR]     default: ${AMELIA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/amelia}/gh
# A second run needs no network. On failure nothing is left half made, the reason is on stderr and the exit code is 1.
# Getting it needs apt-get and dpkg-deb (Debian, Ubuntu), but not root.
set -u
D=${1:-${AMELIA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/amelia}/gh}

. "$(dirname "$0")/lock.sh"
command -v gh && exit 0
if [ -x "$D/usr/bin/gh" ]; then echo "$D/usr/bin/gh"; exit 0; fi
for tool in apt-get dpkg-deb; do
  command -v "$tool" >/dev/null || { echo "gh is not installed, and neither is $tool, which is needed to install it" >&2; exit 1; }
done
lock "$D"
if [ -x "$D/usr/bin/gh" ]; then echo "$D/usr/bin/gh"; exit 0; fi
N=$(mktemp -d "$D.XXXXXX") || exit 1
if (cd "$N" && apt-get download gh && dpkg-deb -x gh_*.deb tree) >"$D.log" 2>&1; then
  rm -rf "$D"
  mv -T "$N/tree" "$D" 2>>"$D.log"
fi
rm -rf "$N"
if [ -x "$D/usr/bin/gh" ]; then echo "$D/usr/bin/gh"; exit 0; fi
grep -v '^$' "$D.log" | tail -n 1 >&2
exit 1
