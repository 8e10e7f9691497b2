#!/bin/sh
# Makes the recording anew that `amelia demo --replay` plays and that a test plays with the code of every day.
#   record-demo.sh [AMELIA]    default: a debug build of this repository
# Needed after a change that is meant to be seen there: of prompts, of tools, of what is written into a log. The run is
# made in a neutral directory, and the recording is refused when it names anything of this machine.
set -eu
cd "$(dirname "$0")/.."
FILE=crates/amelia/demo/recording.jsonl
DIR=/tmp/amelia-demo
[ -e "$DIR" ] && { echo "$DIR already exists: remove it first" >&2; exit 1; }
AMELIA=${1:-}
if [ -z "$AMELIA" ]; then
  # The old one is embedded: a build needs one, whatever it says.
  [ -e "$FILE" ] || : >"$FILE"
  cargo build --locked --quiet --package amelia
  AMELIA=${CARGO_TARGET_DIR:-target}/debug/amelia
fi
trap 'rm -rf "$DIR"' EXIT

"$AMELIA" demo --auto --quiet --dir "$DIR"
RUN=$("$AMELIA" --home "$DIR" status --all --json | sed 's/.*{"id":"\([^"]*\)".*/\1/')
"$AMELIA" --home "$DIR" record export "$RUN" -o "$DIR/recording.jsonl"

for word in "$HOME" "$(hostname)" "$(pwd)" "${USER:-$(id -un)}@"; do
  case $word in ''|/) continue ;; esac
  if grep -qwF -- "$word" "$DIR/recording.jsonl"; then
    echo "the recording contains \`$word\`, which is specific to this machine" >&2
    exit 1
  fi
done
"$AMELIA" test "$DIR/recording.jsonl"
mv "$DIR/recording.jsonl" "$FILE"
echo "$FILE: $(wc -c <"$FILE") bytes"
