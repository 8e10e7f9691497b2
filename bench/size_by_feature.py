#!/usr/bin/env python3
"""What the program's bytes are for: code and constants by the crate that they are of, in the groups of ARCHITECTURE.md.

  CARGO_PROFILE_RELEASE_STRIP=none cargo build --release --package amelia
  bench/size_by_feature.py target/release/amelia

A generic function counts for the first crate of the workspace or of Cargo.lock in its name. Tables for unwinding, relocations
and the symbols themselves belong to no crate: they are `other`.
"""
import collections
import os
import re
import subprocess
import sys

GROUPS = {
    "agents, pipelines, drivers": "amelia_agents amelia_drivers amelia_tools amelia_trackers amelia_git amelia_process minijinja similar",
    "engine and store": "amelia_core amelia_graph amelia_store amelia_orchestrator amelia_host rusqlite libsqlite3_sys lz4_flex",
    "server, wire formats, proxy": "amelia_server amelia_wire amelia_proxy axum utoipa tungstenite tokio_tungstenite tower_http amelia_scripted",
    "HTTP, TLS, async runtime": "tokio hyper hyper_util h2 rustls reqwest aws_lc_rs aws_lc_sys ring webpki http tower bytes mio",
    "JSON, YAML, schemas, regular expressions": "serde serde_core serde_json serde_saphyr granit_parser jsonschema regex_automata regex_syntax fancy_regex aho_corasick serde_path_to_error",
    "command line": "amelia clap_builder clap anstream",
}


def main() -> None:
    program = sys.argv[1]
    group_of = {crate: group for group, crates in GROUPS.items() for crate in crates.split()}
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "../Cargo.lock")) as lock:
        crates = {name.replace("-", "_") for name in re.findall(r'^name = "(.*)"', lock.read(), re.M)}
    sizes = collections.Counter()
    symbols = subprocess.run(["nm", "-S", "-C", program], capture_output=True, text=True, check=True).stdout
    for line in symbols.splitlines():
        fields = line.split(None, 3)
        if len(fields) < 4 or fields[2].lower() not in "trd":
            continue
        size, name = int(fields[1], 16), fields[3]
        crate = next((word for word in re.findall(r"\b(\w+)::", name) if word in crates), None)
        if crate is None and "::" not in name:
            sizes["C: SQLite" if name.startswith(("sqlite3", "vdbe", "fts", "json", "pager", "btree", "wal", "where", "parse")) else "C: TLS and the rest"] += size
        else:
            sizes[group_of.get(crate, "other crates" if crate else "standard library")] += size
    total = os.path.getsize(program)
    for group, size in sizes.most_common():
        print(f"{size / 1e6:6.2f} MB  {group}")
    print(f"{sent(os.path.join(here, '../dashboard/dist')) / 1e6:6.2f} MB  dashboard, compressed")
    print(f"{total / 1e6:6.2f} MB  whole file, not stripped")


def sent(directory: str) -> int:
    """Bytes of the dashboard in the program: of a file and its .gz only one (build.rs)."""
    files = [os.path.join(at, name) for at, _, names in os.walk(directory) for name in names]
    return sum(os.path.getsize(file) for file in files if file.endswith(".gz") or file + ".gz" not in files)


main()
