//! Teams. AutoGen and CrewAI store nothing; ours stores every turn, on disk before the next one.

use super::parts::{CREWAI, alone, figure, ours};
use super::{Batch, BenchProgram, Comparison, FigureTarget, Side};

pub(super) const TEAM_TURNS: Batch = Batch {
    programs: &[
        ours("ours", "team_turns", &["--durability", "d2", "--n", "460", "--rounds", "4"]),
        BenchProgram {
            name: "autogen",
            side: Side::Peer { venv: "autogen", script: "autogen_turns.py" },
            args: &["--agents", "4", "--turns", "400", "--reps", "2"],
        },
        CREWAI,
    ],
    comparisons: &[
        Comparison {
            name: "team_turns",
            unit: "turns/s",
            ours: figure(&["ours"], &["/turns_s"]),
            peer: Some(figure(&["autogen"], &["/turns_s/best"])),
            target: FigureTarget::AtLeast(4.5),
        },
        Comparison {
            name: "team_turns_crewai",
            unit: "turns/s",
            ours: figure(&["ours"], &["/turns_s"]),
            peer: Some(figure(&["crewai"], &["/tasks_s/best"])),
            target: FigureTarget::AtLeast(80.0),
        },
        alone("team_turns_growth", "turn 400/turn 10", &["/growth"], FigureTarget::Under(1.2)),
    ],
};

/// Eight agents at once, with models that take a second.
pub(super) const TEAM_PARALLEL: Batch = Batch {
    programs: &[ours("ours", "team_parallel", &["--rounds", "3"])],
    comparisons: &[alone("team_parallel", "ms", &["/run_ms"], FigureTarget::Under(1500.0))],
};

/// Questions of runs that wait, listed by a server that was started after they were asked.
pub(super) const PENDING_REQUESTS: Batch = Batch {
    programs: &[ours("ours", "pending_requests", &["--runs", "1000", "--rounds", "50"])],
    comparisons: &[alone("pending_requests_1000", "ms", &["/p99_ms"], FigureTarget::Under(50.0))],
};
