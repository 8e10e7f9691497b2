use serde_json::json;

use super::*;
use crate::plan::{Figure, FigureTarget, Side};

const FAKE: Batch = Batch {
    programs: &[
        BenchProgram { name: "ours", side: Side::Ours { case: "fake" }, args: &[] },
        BenchProgram { name: "peer", side: Side::Peer { venv: "fake", script: "fake.py" }, args: &[] },
        BenchProgram { name: "other", side: Side::Peer { venv: "fake", script: "other.py" }, args: &[] },
    ],
    comparisons: &[
        Comparison {
            name: "fast",
            unit: "steps/s",
            ours: Figure { programs: &["ours"], fields: &["/rate"] },
            peer: Some(Figure { programs: &["peer"], fields: &["/rate"] }),
            target: FigureTarget::AtLeast(2.0),
        },
        Comparison {
            name: "small",
            unit: "bytes",
            ours: Figure { programs: &["ours"], fields: &["/bytes"] },
            peer: Some(Figure { programs: &["other"], fields: &["/bytes"] }),
            target: FigureTarget::AtMostOneOver(2.0),
        },
    ],
};

/// Gets faster with each repetition, so that the best run is the last.
fn fake(program: &BenchProgram, rep: u32) -> Result<ProgramRun> {
    let rate = match program.name {
        "ours" => 100 * rep,
        _ => 10 * rep,
    };
    let outcome = RunOutcome::Printed(json!({"rate": rate, "bytes": rate}));
    Ok(ProgramRun { program: program.name, rep, outcome, others_cpu: None })
}

#[test]
fn programs_alternate_and_the_best_of_all_repetitions_is_reported() {
    let chosen = chosen(&FAKE, "");
    let runs = in_turns(&FAKE, &chosen, 2, fake).unwrap();
    let order: Vec<(&str, u32)> = runs.iter().map(|run| (run.program, run.rep)).collect();
    assert_eq!(order, [("ours", 1), ("peer", 1), ("other", 1), ("ours", 2), ("peer", 2), ("other", 2)]);
    let lines: Vec<String> = chosen.iter().map(|c| report::bench_line(&judge::verdict(c, &runs))).collect();
    assert_eq!(
        lines,
        [
            "BENCH fast ours=200 peer=20 ratio=10 target=>=2 ok",
            "BENCH small ours=100 peer=10 ratio=10 target=<=1/2 SHORT",
        ]
    );
}

#[test]
fn only_what_the_chosen_comparisons_need_is_run() {
    let chosen = chosen(&FAKE, "fast");
    let runs = in_turns(&FAKE, &chosen, 1, fake).unwrap();
    assert_eq!(runs.iter().map(|run| run.program).collect::<Vec<_>>(), ["ours", "peer"]);
}
