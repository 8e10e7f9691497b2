#!/bin/sh
# Installs the real coding agents that tests drive: claude, codex, and two agents of the Agent Client Protocol.
#   setup-agents.sh [DIR]     default: ${AMELIA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/amelia}/agents
# Prints the directory with the programs. Does nothing else when the pinned versions are there already, so a second run
# needs no network. On failure the reason is on stderr and the exit code is 1. Needs node and npm, and 1.3 GB of disk.
set -u
D=${1:-${AMELIA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/amelia}/agents}
PINS="@anthropic-ai/claude-code@2.1.197 @openai/codex@0.166.0 @agentclientprotocol/claude-agent-acp@0.49.0 opencode-ai@1.18.33"

. "$(dirname "$0")/lock.sh"
done_already() { [ "$(cat "$D/.pins" 2>/dev/null)" = "$PINS" ]; }
done_already && { echo "$D/bin"; exit 0; }

command -v npm >/dev/null || { echo "npm is not installed" >&2; exit 1; }
lock "$D"
mkdir -p "$D" || exit 1
done_already && { echo "$D/bin"; exit 0; }

rm -rf "$D/node_modules" "$D/bin" "$D/package.json" "$D/package-lock.json"
mkdir -p "$D/bin"
# shellcheck disable=SC2086
if ! npm install --prefix "$D" --no-audit --no-fund --loglevel=error $PINS >"$D/npm.log" 2>&1; then
  grep -v '^$' "$D/npm.log" | tail -n 1 >&2
  exit 1
fi

# The programs themselves where there are such: a wrapper between us and them would hide how they end.
first() { for file in "$@"; do [ -x "$file" ] && { echo "$file"; return; }; done; }
M=$D/node_modules
link() {
  [ -n "$2" ] || { echo "$1 is not in its package for this machine" >&2; exit 1; }
  ln -sf "$2" "$D/bin/$1"
}
link claude "$(first "$M"/@anthropic-ai/claude-code-*/claude "$M/.bin/claude")"
link codex "$(first "$M"/@openai/codex-*/vendor/*/bin/codex "$M"/@openai/codex-*/vendor/*/codex/codex "$M/.bin/codex")"
link claude-agent-acp "$(first "$M/.bin/claude-agent-acp")"
link opencode "$(first "$M"/opencode-linux-*/bin/opencode "$M/.bin/opencode")"
echo "$PINS" >"$D/.pins"
echo "$D/bin"
