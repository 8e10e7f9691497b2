//! Agents and workflows from files, MCP tools, what agents remember, and the removal of old runs.

use super::parts::{alone, figure, ours};
use super::{Batch, BenchProgram, Comparison, FigureTarget, Side};

pub(super) const VALIDATE: Batch = Batch {
    programs: &[ours("ours", "validate", &["--n", "1000", "--rounds", "5"])],
    comparisons: &[alone("workflow_validate_1000", "ms", &["/validate_ms"], FigureTarget::Under(1000.0))],
};

pub(super) const WORKFLOW_CROWD: Batch = Batch {
    programs: &[
        ours("ours", "workflow_crowd", &["--runs", "1000", "--n", "1300"]),
        ours("ten", "workflow_crowd", &["--runs", "10", "--n", "100"]),
    ],
    comparisons: &[
        Comparison {
            name: "workflow_ten_end_p99",
            unit: "ms",
            ours: figure(&["ten"], &["/added_p99_ms"]),
            peer: None,
            target: FigureTarget::Under(50.0),
        },
        alone("workflow_crowd_end_p99", "ms", &["/added_p99_ms"], FigureTarget::Under(250.0)),
        alone("workflow_crowd_rss", "MB", &["/rss_mb"], FigureTarget::Under(1000.0)),
        alone("workflow_crowd_socket_p99", "ms", &["/socket_p99_ms"], FigureTarget::Under(100.0)),
    ],
};

/// Both with the same model behind HTTP, both stored on disk.
pub(super) const WORKFLOW_LOOP: Batch = Batch {
    programs: &[
        ours("ours", "workflow_loop", &["--n", "460", "--rounds", "2"]),
        BenchProgram {
            name: "langgraph",
            side: Side::Peer { venv: "langgraph", script: "lg_loop.py" },
            args: &["--n", "460", "--reps", "2"],
        },
    ],
    comparisons: &[
        Comparison {
            name: "workflow_turns",
            unit: "turns/s",
            ours: figure(&["ours"], &["/turns_s"]),
            peer: Some(figure(&["langgraph"], &["/turns_s/best"])),
            target: FigureTarget::AtLeast(5.0),
        },
        Comparison {
            name: "workflow_turns_growth",
            unit: "turn 400/turn 10",
            ours: figure(&["ours"], &["/growth"]),
            peer: Some(figure(&["langgraph"], &["/growth"])),
            target: FigureTarget::Under(1.2),
        },
    ],
};

pub(super) const WORKFLOW_PARALLEL: Batch = Batch {
    programs: &[ours("ours", "workflow_parallel", &[])],
    comparisons: &[alone("workflow_parallel", "of in turn", &["/share"], FigureTarget::Under(0.5))],
};

pub(super) const TOOL_FAILURES: Batch = Batch {
    programs: &[ours("ours", "tool_failures", &["--n", "100"])],
    comparisons: &[alone("tool_failures_recovered", "of 100", &["/recovered"], FigureTarget::AtLeast(95.0))],
};

pub(super) const MCP_ECHO: Batch = Batch {
    programs: &[
        ours("ours", "mcp_echo", &["--n", "2000"]),
        BenchProgram {
            name: "python",
            side: Side::Peer { venv: "mcp", script: "mcp_echo.py" },
            args: &["--n", "1000"],
        },
    ],
    comparisons: &[
        alone("mcp_echo_p50", "ms", &["/p50_ms"], FigureTarget::Under(1.0)),
        Comparison {
            name: "mcp_echo_python",
            unit: "ms",
            ours: figure(&["ours"], &["/p50_ms"]),
            peer: Some(figure(&["python"], &["/p50_ms"])),
            target: FigureTarget::AtMostOneOver(5.0),
        },
    ],
};

pub(super) const MEMORY_SEARCH: Batch = Batch {
    programs: &[ours("ours", "memory_search", &["--n", "100000", "--rounds", "100"])],
    comparisons: &[alone("memory_search_p99", "ms", &["/p99_ms"], FigureTarget::Under(50.0))],
};

pub(super) const RETENTION: Batch = Batch {
    programs: &[ours("ours", "retention", &[])],
    comparisons: &[
        alone("retention_1m", "s", &["/remove_s"], FigureTarget::Under(30.0)),
        alone("retention_writer_max", "ms", &["/writer_max_ms"], FigureTarget::Under(50.0)),
    ],
};
