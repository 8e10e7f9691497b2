#!/bin/sh
# Installs the peers of the benchmark, one venv each, pinned to the versions that were measured.
#   setup.sh [DIR]     default: ${AMELIA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/amelia}/peers
# A peer that cannot be installed is no error: the reason is left in DIR/<peer>.absent and the
# runner prints it in the SKIPPED line. Needs python3 (3.10 or newer) with venv; PYTHON names another.
set -u
D=${1:-${AMELIA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/amelia}/peers}
PYTHON=${PYTHON:-python3}
unset PYTHONDONTWRITEBYTECODE   # pip must leave .pyc files, or every cold start recompiles
. "$(dirname "$0")/../../scripts/lock.sh"
lock "$D"
mkdir -p "$D" || exit 1

# install NAME PACKAGE==VERSION...: skipped when the same pins are there already, so it works offline.
install() {
  name=$1; shift
  pins="$*"
  if [ -x "$D/$name/bin/python" ] && [ "$(cat "$D/$name/.pins" 2>/dev/null)" = "$pins" ]; then
    echo "peer $name: present" >&2
    return
  fi
  echo "peer $name: installing $pins" >&2
  rm -rf "${D:?}/$name" "$D/$name.absent"
  if "$PYTHON" -m venv "$D/$name" >"$D/$name.log" 2>&1 &&
     "$D/$name/bin/pip" install -q --disable-pip-version-check "$@" >>"$D/$name.log" 2>&1; then
    echo "$pins" >"$D/$name/.pins"
  else
    rm -rf "${D:?}/$name"
    grep -v '^$' "$D/$name.log" | tail -n 1 >"$D/$name.absent"
    echo "peer $name: absent: $(cat "$D/$name.absent")" >&2
  fi
}

install langgraph langgraph==1.2.20 langgraph-checkpoint==4.3.1 langgraph-checkpoint-sqlite==3.1.2 langchain-core==1.7.2
install dbos dbos==3.3.0
install autogen autogen-agentchat==0.7.5 autogen-core==0.7.5 autogen-ext==0.7.5
install crewai crewai==1.15.30
install web fastapi==0.162.4 'uvicorn[standard]==0.54.0' websockets==17.4 aiosqlite==0.22.1 orjson==3.13.0 uvloop==0.23.0
install mcp mcp==2.3.0
install litellm 'litellm[proxy]==1.106.2'

# nginx as the distribution ships it, unpacked beside the others: nothing is installed and no service is started.
if [ -x "$D/nginx/usr/sbin/nginx" ]; then
  echo "peer nginx: present" >&2
else
  rm -rf "$D/nginx" "$D/nginx.absent" && mkdir -p "$D/nginx"
  if (cd "$D/nginx" && apt-get download nginx && dpkg -x nginx_*.deb . && ./usr/sbin/nginx -v) >"$D/nginx.log" 2>&1; then
    echo "peer nginx: unpacked" >&2
  else
    grep -v '^$' "$D/nginx.log" | tail -n 1 >"$D/nginx.absent"
    rm -rf "$D/nginx"
    echo "peer nginx: absent: $(cat "$D/nginx.absent")" >&2
  fi
fi

# The upstream and the client of the proxies: the same for all of them. Standard library only.
native="$(cd "$(dirname "$0")" && pwd)/native"
mkdir -p "$D/native"
for tool in upstream httpload; do
  if [ "$D/native/$tool" -nt "$native/$tool.rs" ]; then continue; fi
  rustc --edition 2021 -O -o "$D/native/$tool" "$native/$tool.rs" >"$D/native/$tool.log" 2>&1 ||
    echo "$tool: cannot be compiled: $(tail -n 1 "$D/native/$tool.log")" >&2
done
