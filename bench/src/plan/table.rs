//! The table itself. Durability classes: d0 nothing stored, d1 committed without an fsync per step,
//! d2 on disk before it is reported (what LangGraph's SQLite savers and DBOS do).

use super::agent::{COMMAND, FIRST_TOKEN, LARGE_COMMIT, REPLAY, TURNS, WORKTREE};
use super::parts::{figure, ours};
use super::serving::{CROWD, FANOUT, OWN_TIME, PROXY, SERVER};
use super::teams::{PENDING_REQUESTS, TEAM_PARALLEL, TEAM_TURNS};
use super::workflows::{
    MCP_ECHO, MEMORY_SEARCH, RETENTION, TOOL_FAILURES, VALIDATE, WORKFLOW_CROWD, WORKFLOW_LOOP,
    WORKFLOW_PARALLEL,
};
use super::{Batch, BenchProgram, Comparison, FigureTarget, Side};

const LANGGRAPH_STEPS: Side = Side::Peer { venv: "langgraph", script: "lg_steps.py" };
const LANGGRAPH_INTERRUPT: Side = Side::Peer { venv: "langgraph", script: "lg_interrupt.py" };
/// Ours and theirs name these fields differently: they measure repetitions inside one process as well.
const STEPS: &[&str] = &["/steps_s"];
const PEER_STEPS: &[&str] = &["/steps_s/best"];

pub(crate) const BATCHES: &[Batch] = &[
    STEPS_CONSTANT,
    CONCURRENT,
    ENGINE,
    GROW,
    INTERRUPT,
    HISTORY,
    DBOS,
    COLD,
    OPEN,
    TURNS,
    FIRST_TOKEN,
    COMMAND,
    WORKTREE,
    LARGE_COMMIT,
    SERVER,
    FANOUT,
    CROWD,
    OWN_TIME,
    PROXY,
    REPLAY,
    VALIDATE,
    WORKFLOW_LOOP,
    WORKFLOW_CROWD,
    WORKFLOW_PARALLEL,
    TEAM_TURNS,
    TEAM_PARALLEL,
    PENDING_REQUESTS,
    TOOL_FAILURES,
    MCP_ECHO,
    MEMORY_SEARCH,
    RETENTION,
];

const STEPS_CONSTANT: Batch = Batch {
    programs: &[
        ours("ours_d2", "steps", &["--durability", "d2", "--n", "500"]),
        ours("ours_d1", "steps", &["--durability", "d1", "--n", "500"]),
        ours("sqlite", "raw", &["--durability", "d2", "--n", "500"]),
        BenchProgram {
            name: "langgraph",
            side: LANGGRAPH_STEPS,
            args: &["--saver", "asqlite", "--n", "500", "--reps", "3"],
        },
    ],
    comparisons: &[
        Comparison {
            name: "steps_d2",
            unit: "steps/s",
            ours: figure(&["ours_d2"], STEPS),
            peer: Some(figure(&["langgraph"], PEER_STEPS)),
            target: FigureTarget::AtLeast(8.0),
        },
        Comparison {
            name: "steps_d1",
            unit: "steps/s",
            ours: figure(&["ours_d1"], STEPS),
            peer: Some(figure(&["langgraph"], PEER_STEPS)),
            target: FigureTarget::AtLeast(20.0),
        },
        Comparison {
            name: "steps_d2_sqlite",
            unit: "steps/s",
            ours: figure(&["ours_d2"], STEPS),
            peer: Some(figure(&["sqlite"], STEPS)),
            target: FigureTarget::AtLeast(0.85),
        },
    ],
};

const CONCURRENT: Batch = Batch {
    programs: &[
        ours("ours", "concurrent", &["--durability", "d2", "--runs", "50", "--n", "50"]),
        ours("sqlite", "raw", &["--durability", "d2", "--runs", "50", "--n", "50"]),
        BenchProgram {
            name: "langgraph",
            side: Side::Peer { venv: "langgraph", script: "lg_concurrent.py" },
            args: &["--saver", "asqlite", "--workflows", "50", "--n", "50", "--reps", "2"],
        },
    ],
    comparisons: &[
        Comparison {
            name: "concurrent_d2",
            unit: "steps/s",
            ours: figure(&["ours"], STEPS),
            peer: Some(figure(&["langgraph"], PEER_STEPS)),
            target: FigureTarget::AtLeast(30.0),
        },
        Comparison {
            name: "concurrent_d2_sqlite",
            unit: "steps/s",
            ours: figure(&["ours"], STEPS),
            peer: Some(figure(&["sqlite"], STEPS)),
            target: FigureTarget::AtLeast(0.9),
        },
    ],
};

const ENGINE: Batch = Batch {
    programs: &[
        // More steps than the peer: 500 of ours would last a millisecond. The rate of neither depends on n.
        ours("ours", "steps", &["--durability", "d0", "--n", "100000"]),
        BenchProgram {
            name: "langgraph_sync",
            side: LANGGRAPH_STEPS,
            args: &["--saver", "none", "--mode", "sync", "--n", "500", "--reps", "3"],
        },
        BenchProgram {
            name: "langgraph_async",
            side: LANGGRAPH_STEPS,
            args: &["--saver", "none", "--mode", "async", "--n", "500", "--reps", "3"],
        },
    ],
    comparisons: &[Comparison {
        name: "engine_d0",
        unit: "steps/s",
        ours: figure(&["ours"], STEPS),
        peer: Some(figure(&["langgraph_sync", "langgraph_async"], PEER_STEPS)),
        target: FigureTarget::AtLeast(100.0),
    }],
};

const GROW: Batch = Batch {
    programs: &[
        ours("ours", "grow", &["--durability", "d2", "--n", "2000"]),
        BenchProgram {
            name: "langgraph",
            side: LANGGRAPH_STEPS,
            args: &["--saver", "asqlite", "--state", "grow", "--n", "2000", "--reps", "1"],
        },
    ],
    comparisons: &[
        Comparison {
            name: "grow_d2_rate",
            unit: "steps/s",
            ours: figure(&["ours"], STEPS),
            peer: Some(figure(&["langgraph"], PEER_STEPS)),
            target: FigureTarget::AtLeast(40.0),
        },
        Comparison {
            name: "grow_d2_bytes",
            unit: "bytes",
            ours: figure(&["ours"], &["/db_bytes"]),
            peer: Some(figure(&["langgraph"], &["/db_bytes"])),
            target: FigureTarget::AtMostOneOver(300.0),
        },
        Comparison {
            name: "grow_d2_flat",
            unit: "late/early",
            ours: figure(&["ours"], &["/late_over_early"]),
            peer: None,
            target: FigureTarget::AtLeast(0.9),
        },
    ],
};

const INTERRUPT: Batch = Batch {
    programs: &[
        ours("ours", "interrupt", &["--durability", "d2", "--rounds", "150", "--history-kib", "1"]),
        ours("sqlite", "raw_interrupt", &["--durability", "d2", "--rounds", "150", "--history-kib", "1"]),
        BenchProgram {
            name: "langgraph",
            side: LANGGRAPH_INTERRUPT,
            args: &["--saver", "asqlite", "--rounds", "150", "--history-kb", "1"],
        },
    ],
    comparisons: &[interrupt("interrupt_d2"), interrupt_sqlite("interrupt_d2_sqlite")],
};

const HISTORY: Batch = Batch {
    programs: &[
        ours("ours", "interrupt", &["--durability", "d2", "--rounds", "40", "--history-kib", "1000"]),
        ours("sqlite", "raw_interrupt", &["--durability", "d2", "--rounds", "40", "--history-kib", "1000"]),
        BenchProgram {
            name: "langgraph",
            side: LANGGRAPH_INTERRUPT,
            args: &["--saver", "asqlite", "--rounds", "40", "--history-kb", "1000"],
        },
    ],
    comparisons: &[interrupt("interrupt_history"), interrupt_sqlite("interrupt_history_sqlite")],
};

const DBOS: Batch = Batch {
    programs: &[
        ours("ours", "durable_steps", &["--durability", "d2", "--n", "1000"]),
        BenchProgram {
            name: "dbos",
            side: Side::Peer { venv: "dbos", script: "dbos_steps.py" },
            args: &["--n", "1000", "--workflows", "1", "--reps", "1"],
        },
    ],
    comparisons: &[Comparison {
        name: "dbos_steps",
        unit: "steps/s",
        ours: figure(&["ours"], STEPS),
        peer: Some(figure(&["dbos"], PEER_STEPS)),
        target: FigureTarget::AtLeast(15.0),
    }],
};

const COLD: Batch = Batch {
    programs: &[
        ours("ours", "cold_start", &["--durability", "d2"]),
        BenchProgram {
            name: "langgraph",
            side: Side::Peer { venv: "langgraph", script: "cold_start.py" },
            args: &["--what", "langgraph", "--reps", "3"],
        },
    ],
    comparisons: &[
        Comparison {
            name: "cold_start_time",
            unit: "ms",
            ours: figure(&["ours"], &["/wall_ms"]),
            peer: Some(figure(&["langgraph"], &["/wall_ms/best"])),
            target: FigureTarget::AtMostOneOver(20.0),
        },
        Comparison {
            name: "cold_start_rss",
            unit: "KiB",
            ours: figure(&["ours"], &["/rss_kb"]),
            peer: Some(figure(&["langgraph"], &["/rss_kb"])),
            target: FigureTarget::AtMostOneOver(3.0),
        },
    ],
};

const OPEN: Batch = Batch {
    programs: &[ours("ours", "open_store", &["--durability", "d2"])],
    comparisons: &[
        Comparison {
            name: "open_store_time",
            unit: "s",
            ours: figure(&["ours"], &["/open_s"]),
            peer: None,
            target: FigureTarget::Under(1.0),
        },
        Comparison {
            name: "open_store_rss",
            unit: "MB",
            ours: figure(&["ours"], &["/rss_mb"]),
            peer: None,
            target: FigureTarget::Under(100.0),
        },
    ],
};

const fn interrupt(name: &'static str) -> Comparison {
    Comparison {
        name,
        unit: "ms",
        ours: figure(&["ours"], &["/to_wait_ms", "/resume_ms"]),
        peer: Some(figure(&["langgraph"], &["/to_interrupt_ms/p50", "/resume_ms/p50"])),
        target: FigureTarget::AtMostOneOver(10.0),
    }
}

/// How much of it is SQLite, which writes the same rows on the same disk.
const fn interrupt_sqlite(name: &'static str) -> Comparison {
    Comparison {
        name,
        unit: "ms",
        ours: figure(&["ours"], &["/to_wait_ms", "/resume_ms"]),
        peer: Some(figure(&["sqlite"], &["/round_ms"])),
        target: FigureTarget::AtMost(2.0),
    }
}
