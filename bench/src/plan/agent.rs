//! The rows about one agent at work. Ours stores everything, on disk before it continues (d2); AutoGen and CrewAI store
//! nothing.

use super::parts::{CREWAI, alone, figure, ours};
use super::{Batch, BenchProgram, Comparison, FigureTarget, Side};

pub(super) const TURNS: Batch = Batch {
    programs: &[
        ours("ours", "turns", &["--durability", "d2", "--n", "100", "--rounds", "5"]),
        ours("ours_long", "turns", &["--durability", "d2", "--n", "460", "--rounds", "4"]),
        BenchProgram {
            name: "autogen",
            side: Side::Peer { venv: "autogen", script: "autogen_turns.py" },
            args: &["--agents", "4", "--turns", "100", "--longer", "400", "--reps", "3"],
        },
        CREWAI,
    ],
    comparisons: &[
        Comparison {
            name: "agent_turns",
            unit: "turns/s",
            ours: figure(&["ours"], &["/turns_s"]),
            peer: Some(figure(&["autogen"], &["/turns_s/best"])),
            target: FigureTarget::AtLeast(5.0),
        },
        Comparison {
            name: "agent_turns_crewai",
            unit: "turns/s",
            ours: figure(&["ours"], &["/turns_s"]),
            peer: Some(figure(&["crewai"], &["/tasks_s/best"])),
            target: FigureTarget::AtLeast(100.0),
        },
        Comparison {
            // Ours: turn 400 over turn 10. The peer's: the mean turn of 400 over the mean turn of 100.
            name: "agent_turns_growth",
            unit: "late/early",
            ours: figure(&["ours_long"], &["/growth"]),
            peer: Some(figure(&["autogen"], &["/growth"])),
            target: FigureTarget::Under(1.2),
        },
    ],
};

pub(super) const FIRST_TOKEN: Batch = Batch {
    programs: &[ours("ours", "first_token", &["--durability", "d2", "--rounds", "200"])],
    comparisons: &[
        first_token("first_token_p50", &["/added_p50_ms"], &["/bare_p50_ms"], 2.0),
        first_token("first_token_p99", &["/added_p99_ms"], &["/bare_p99_ms"], 10.0),
    ],
};

pub(super) const COMMAND: Batch = Batch {
    programs: &[ours("ours", "command", &["--rounds", "10"])],
    comparisons: &[
        alone("command_help", "ms", &["/help_ms"], FigureTarget::Under(10.0)),
        alone("command_do", "ms", &["/do_ms"], FigureTarget::Under(50.0)),
        alone("command_do_rss", "MB", &["/do_rss_mb"], FigureTarget::Under(40.0)),
    ],
};

pub(super) const WORKTREE: Batch = Batch {
    programs: &[ours("ours", "worktree", &["--n", "50000", "--rounds", "2"])],
    comparisons: &[Comparison {
        name: "worktree_50k",
        unit: "ms",
        ours: figure(&["ours"], &["/ours_ms"]),
        peer: Some(figure(&["ours"], &["/git_ms"])),
        target: FigureTarget::AtMost(1.1),
    }],
};

/// One binary file of 60 MB.
pub(super) const LARGE_COMMIT: Batch = Batch {
    programs: &[ours("ours", "large_commit", &["--rounds", "3"])],
    comparisons: &[Comparison {
        name: "commit_60mb",
        unit: "ms",
        ours: figure(&["ours"], &["/ours_ms"]),
        peer: Some(figure(&["ours"], &["/git_ms"])),
        target: FigureTarget::AtMost(1.3),
    }],
};

/// A run that was made before, played again, over the run as it was made with a model of 50 tokens/s.
pub(super) const REPLAY: Batch = Batch {
    programs: &[ours("ours", "replayed", &["--n", "6", "--rounds", "5"])],
    comparisons: &[Comparison {
        name: "replay_over_live",
        unit: "ms",
        ours: figure(&["ours"], &["/replay_ms"]),
        peer: Some(figure(&["ours"], &["/live_ms"])),
        target: FigureTarget::AtMostOneOver(100.0),
    }],
};

/// What ours adds to what a bare client of the same server waits for.
const fn first_token(
    name: &'static str,
    added: &'static [&'static str],
    bare: &'static [&'static str],
    limit: f64,
) -> Comparison {
    Comparison {
        name,
        unit: "ms added",
        ours: figure(&["ours"], added),
        peer: Some(figure(&["ours"], bare)),
        target: FigureTarget::Under(limit),
    }
}
