#!/bin/sh
# Proves that each way to install Amelia works, and prints what it saw: `make install` below an empty prefix, the archive of
# `make dist` in an empty root directory, and `cargo install --path`. Builds the program three times, so it is not part of
# `make test`. What this machine does not allow is said and not counted as proven.
set -eu
cd "$(dirname "$0")/.."
CARGO=${CARGO:-cargo}
MAKE=${MAKE:-make}
WORK=$(mktemp -d)
SERVER=
trap '[ -z "$SERVER" ] || kill "$SERVER" 2>/dev/null; rm -rf "$WORK"' EXIT

saw() { echo "seen: $1"; }
fail() { echo "failed: $1" >&2; exit 1; }

# bare COMMAND…: without the variables and the home of who runs this.
bare() { env -i PATH=/usr/bin:/bin HOME="$WORK/home" "$@"; }

# works WHAT PROGRAM: the program says its version, and replays the recorded demo.
works() {
  saw "$1: $(bare "$2" --version)"
  bare "$2" demo --replay --fast >"$WORK/replay" 2>&1 || { cat "$WORK/replay" >&2; fail "$1: amelia demo --replay"; }
  saw "$1: $(grep 'as in the recording' "$WORK/replay")"
}

# complete WHAT PREFIX: the program is there with its man pages and completions.
complete() {
  for file in bin/amelia share/man/man1/amelia.1 share/man/man1/amelia-start.1 share/bash-completion/completions/amelia \
    share/zsh/site-functions/_amelia share/fish/vendor_completions.d/amelia.fish; do
    [ -s "$2/$file" ] || fail "$1: $file is missing"
  done
  saw "$1: the program, $(find "$2/share/man/man1" -name '*.1' | grep -c .) man pages, completions for bash, zsh and fish"
}

mkdir "$WORK/home"

echo "make install"
"$MAKE" --no-print-directory install DESTDIR= PREFIX="$WORK/prefix" >"$WORK/log" 2>&1 || { tail -n 30 "$WORK/log" >&2; fail "make install"; }
complete "make install" "$WORK/prefix"
works "make install" "$WORK/prefix/bin/amelia"

echo "make dist"
"$MAKE" --no-print-directory dist >"$WORK/log" 2>&1 || { tail -n 30 "$WORK/log" >&2; fail "make dist"; }
# Its last line names the archive.
ARCHIVE=$(sed -n 's/^\(dist\/amelia-.*\.tar\.gz\) .*/\1/p' "$WORK/log")
saw "make dist: $(tail -n 1 "$WORK/log")"
(cd dist && sha256sum --check --quiet "${ARCHIVE#dist/}.sha256") || fail "make dist: the checksum"
mkdir "$WORK/archive"
tar --extract --file "$ARCHIVE" --directory "$WORK/archive" --strip-components=1
for file in README.md CHANGELOG.md LICENSE; do [ -s "$WORK/archive/$file" ] || fail "make dist: $file is missing"; done
complete "make dist" "$WORK/archive"
works "make dist" "$WORK/archive/bin/amelia"

# Nothing is in this root but the program: no library, no shell, no git, no /dev, no /proc.
ROOT=$WORK/root
mkdir "$ROOT"
cp "$WORK/archive/bin/amelia" "$ROOT/"
in_root() { env -i HOME=/ TMPDIR=/ chroot "$ROOT" /amelia "$@"; }
if [ "$(id -u)" != 0 ] || ! command -v chroot >/dev/null 2>&1; then
  echo "not checked: an empty root directory needs root and chroot"
else
  saw "in an empty root: $(in_root --version)"
  in_root demo --replay --fast >"$WORK/replay" 2>&1 || { cat "$WORK/replay" >&2; fail "in an empty root: amelia demo --replay"; }
  saw "in an empty root: $(grep 'as in the recording' "$WORK/replay")"
  # Not through the function: the process to end must be the program itself.
  env -i HOME=/ TMPDIR=/ chroot "$ROOT" /amelia --json --home /home server --port 0 >"$WORK/server" 2>"$WORK/log" &
  SERVER=$!
  tries=0
  until grep -q '"url"' "$WORK/server"; do
    tries=$((tries + 1))
    kill -0 "$SERVER" 2>/dev/null && [ "$tries" -le 30 ] || { cat "$WORK/log" >&2; fail "in an empty root: amelia server"; }
    sleep 1
  done
  URL=$(sed -n 's/.*"url":"\([^"]*\)".*/\1/p' "$WORK/server")
  saw "in an empty root: a server, whose /api/health/live answers $(curl --silent --show-error --fail "$URL/api/health/live")"
  saw "in an empty root: the dashboard, a page of $(curl --silent --show-error --fail "$URL/ui/" | wc -c) bytes"
  kill "$SERVER"
  wait "$SERVER" || true
  SERVER=
fi

echo "cargo install --path crates/amelia"
"$CARGO" install --locked --quiet --no-track --path crates/amelia --root "$WORK/cargo" >"$WORK/log" 2>&1 \
  || { tail -n 30 "$WORK/log" >&2; fail "cargo install --path crates/amelia"; }
works "cargo install" "$WORK/cargo/bin/amelia"
saw "cargo install: $(find "$WORK/cargo/bin" -type f | grep -c .) program"
