//! The server: how it starts, lists, tells many listeners, and carries many runs.

use super::parts::{figure, ours};
use super::{Batch, BenchProgram, Comparison, FigureTarget, Side};

const FANOUT_PEER: Side = Side::Peer { venv: "web", script: "ws_fanout.py" };
const EVENTS: &[&str] = &["/events_s"];
const COST: &[&str] = &["/cpu_us_per_delivery"];
const CHUNK_COST: &[&str] = &["/cpu_us_per_chunk"];

pub(super) const SERVER: Batch = Batch {
    programs: &[
        ours("ours", "server_start", &["--runs", "2000", "--rounds", "5"]),
        ours("size", "size", &[]),
    ],
    comparisons: &[
        alone("server_start_time", "ms", "ours", &["/start_ms"], FigureTarget::Under(150.0)),
        alone("server_idle_rss", "MB", "ours", &["/rss_mb"], FigureTarget::Under(60.0)),
        alone("server_list", "requests/s", "ours", &["/requests_s"], FigureTarget::AtLeast(10_000.0)),
        alone("status_time", "ms", "ours", &["/status_ms"], FigureTarget::Under(30.0)),
        alone("status_rss", "MB", "ours", &["/status_rss_mb"], FigureTarget::Under(30.0)),
        alone("binary_size", "MB", "size", &["/mb"], FigureTarget::Under(40.0)),
    ],
};

pub(super) const FANOUT: Batch = Batch {
    programs: &[
        ours("ours", "fanout", &["--durability", "d1", "--runs", "100", "--n", "2000", "--rounds", "3"]),
        BenchProgram { name: "naive", side: FANOUT_PEER, args: &["--send", "naive", "--clients", "100"] },
        BenchProgram { name: "lean", side: FANOUT_PEER, args: &["--send", "lean", "--clients", "100"] },
    ],
    comparisons: &[
        fanout("fanout_naive", "events/s", EVENTS, "naive", FigureTarget::AtLeast(8.0)),
        fanout("fanout_lean", "events/s", EVENTS, "lean", FigureTarget::AtLeast(2.5)),
        fanout("fanout_cpu_naive", "us/delivery", COST, "naive", FigureTarget::AtMostOneOver(10.0)),
        fanout("fanout_cpu_lean", "us/delivery", COST, "lean", FigureTarget::AtMostOneOver(4.0)),
    ],
};

pub(super) const CROWD: Batch = Batch {
    programs: &[ours("ours", "crowd", &["--runs", "100"])],
    comparisons: &[
        alone("crowd_late_p99", "ms", "ours", &["/p99_ms"], FigureTarget::Under(50.0)),
        alone("crowd_rss", "MB", "ours", &["/rss_mb"], FigureTarget::Under(300.0)),
        alone("crowd_lost", "events", "ours", &["/lost"], FigureTarget::Under(1.0)),
    ],
};

pub(super) const OWN_TIME: Batch = Batch {
    programs: &[ours("ours", "own_time", &["--n", "60", "--rounds", "2"])],
    comparisons: &[
        alone("own_time", "% of a turn", "ours", &["/share_percent"], FigureTarget::Under(5.0)),
        alone("own_cpu", "ms/turn", "ours", &["/cpu_ms_per_turn"], FigureTarget::Under(3.0)),
    ],
};

pub(super) const PROXY: Batch = Batch {
    programs: &[
        ours("ours", "proxy", &["--n", "500", "--rounds", "3"]),
        ours("bare", "bare_proxy", &["--n", "500", "--rounds", "3"]),
        BenchProgram {
            name: "litellm",
            side: Side::Peer { venv: "litellm", script: "litellm_proxy.py" },
            args: &["--n", "300", "--n-stream", "40"],
        },
        BenchProgram {
            name: "nginx",
            side: Side::Peer { venv: "web", script: "nginx_proxy.py" },
            args: &["--n-stream", "500", "--rounds", "3"],
        },
    ],
    comparisons: &[
        proxy("proxy_added_p50", "ms", &["/added_p50_ms"], FigureTarget::AtMostOneOver(100.0)),
        proxy("proxy_added_p99", "ms", &["/added_p99_ms"], FigureTarget::AtMostOneOver(100.0)),
        proxy("proxy_requests_16", "requests/s", &["/requests_16"], FigureTarget::AtLeast(100.0)),
        proxy("proxy_requests_64", "requests/s", &["/requests_64"], FigureTarget::AtLeast(100.0)),
        proxy("proxy_chunks", "chunks/s", &["/chunks_s"], FigureTarget::AtLeast(100.0)),
        proxy("proxy_chunk_cpu", "us/chunk", CHUNK_COST, FigureTarget::AtMostOneOver(100.0)),
        proxy("proxy_first_byte", "ms", &["/added_first_byte_ms"], FigureTarget::AtMostOneOver(100.0)),
        proxy("proxy_rss", "MB", &["/rss_mb"], FigureTarget::Under(60.0)),
        Comparison {
            name: "proxy_chunk_cpu_nginx",
            unit: "us/chunk",
            ours: figure(&["ours"], CHUNK_COST),
            peer: Some(figure(&["nginx"], CHUNK_COST)),
            target: FigureTarget::AtMost(1.5),
        },
        Comparison {
            name: "proxy_chunk_cpu_bare",
            unit: "us/chunk",
            ours: figure(&["ours"], CHUNK_COST),
            peer: Some(figure(&["bare"], CHUNK_COST)),
            target: FigureTarget::AtMost(1.5),
        },
    ],
};

const fn proxy(
    name: &'static str,
    unit: &'static str,
    fields: &'static [&'static str],
    target: FigureTarget,
) -> Comparison {
    let peer = Some(figure(&["litellm"], fields));
    Comparison { name, unit, ours: figure(&["ours"], fields), peer, target }
}

const fn alone(
    name: &'static str,
    unit: &'static str,
    program: &'static str,
    fields: &'static [&'static str],
    target: FigureTarget,
) -> Comparison {
    let programs: &[&str] = match program.as_bytes() {
        b"size" => &["size"],
        _ => &["ours"],
    };
    Comparison { name, unit, ours: figure(programs, fields), peer: None, target }
}

const fn fanout(
    name: &'static str,
    unit: &'static str,
    fields: &'static [&'static str],
    peer: &'static str,
    target: FigureTarget,
) -> Comparison {
    let peers: &[&str] = match peer.as_bytes() {
        b"lean" => &["lean"],
        _ => &["naive"],
    };
    Comparison { name, unit, ours: figure(&["ours"], fields), peer: Some(figure(peers, fields)), target }
}
