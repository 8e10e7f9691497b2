#!/bin/sh
# Builds a program that needs no library of the machine it runs on, and packs it: dist/amelia-VERSION-HOST.tar.gz
set -eu
cd "$(dirname "$0")/.."
CARGO=${CARGO:-cargo}
HOST=$(rustc -vV | sed -n 's/^host: //p')
TARGET=${CARGO_TARGET_DIR:-target}/dist

# With an explicit target the flag holds for the program alone: what runs while it is built stays as it is. A directory
# of its own, because the flag would make every other build start anew. Random numbers come from the system call: a static
# program cannot look it up in a library, and would need /dev/urandom.
CARGO_TARGET_DIR=$TARGET RUSTFLAGS='-C target-feature=+crt-static --cfg getrandom_backend="linux_getrandom"' \
  "$CARGO" build --release --locked --package amelia --target "$HOST"
PROGRAM=$TARGET/$HOST/release/amelia

if ldd "$PROGRAM" >/dev/null 2>&1 && ! ldd "$PROGRAM" 2>&1 | grep -q "statically linked"; then
  echo "$PROGRAM needs libraries of this machine:" >&2
  ldd "$PROGRAM" >&2
  exit 1
fi

VERSION=$("$PROGRAM" --version | cut -d ' ' -f 2)
NAME=amelia-$VERSION-$HOST
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
scripts/install.sh "$PROGRAM" "$WORK/$NAME" >/dev/null
cp README.md CHANGELOG.md LICENSE "$WORK/$NAME/"

mkdir -p dist
# The same files always make the same archive.
tar --create --sort=name --owner=0 --group=0 --numeric-owner --mtime=@"$(git log -1 --format=%ct 2>/dev/null || echo 0)" \
  --directory "$WORK" "$NAME" | gzip --no-name --best > "dist/$NAME.tar.gz"
(cd dist && sha256sum "$NAME.tar.gz" > "$NAME.tar.gz.sha256")
ls -l "dist/$NAME.tar.gz" | awk '{ printf "%s  %.1f MB\n", $NF, $5 / 1e6 }'
