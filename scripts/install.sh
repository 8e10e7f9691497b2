#!/bin/sh
# Installs a built program with its man pages and completions: install.sh PROGRAM PREFIX
set -eu
PROGRAM=$1
PREFIX=$2

install -D -m 755 "$PROGRAM" "$PREFIX/bin/amelia"
mkdir -p "$PREFIX/share/man/man1"
"$PROGRAM" man "$PREFIX/share/man/man1"

complete() { mkdir -p "$PREFIX/share/$2" && "$PROGRAM" completions "$1" > "$PREFIX/share/$2/$3"; }
complete bash bash-completion/completions amelia
complete zsh zsh/site-functions _amelia
complete fish fish/vendor_completions.d amelia.fish

echo "installed $("$PROGRAM" --version) in $PREFIX/bin"
