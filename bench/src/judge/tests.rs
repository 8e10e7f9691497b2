use serde_json::json;

use super::*;

const RATE: Comparison = Comparison {
    name: "rate",
    unit: "steps/s",
    ours: Figure { programs: &["ours"], fields: &["/steps_s"] },
    peer: Some(Figure { programs: &["sync", "async"], fields: &["/steps_s/best"] }),
    target: FigureTarget::AtLeast(8.0),
};
const TIME: Comparison = Comparison {
    name: "time",
    unit: "ms",
    ours: Figure { programs: &["ours"], fields: &["/a", "/b"] },
    peer: Some(Figure { programs: &["sync"], fields: &["/a", "/b"] }),
    target: FigureTarget::AtMostOneOver(10.0),
};

fn run(program: &'static str, printed: Value) -> ProgramRun {
    ProgramRun { program, rep: 1, outcome: RunOutcome::Printed(printed), others_cpu: Some(0.25) }
}

fn failed(program: &'static str, reason: &str) -> ProgramRun {
    ProgramRun { program, rep: 1, outcome: RunOutcome::Failed(reason.into()), others_cpu: None }
}

#[test]
fn the_best_run_of_each_side_counts() {
    let runs = [
        run("ours", json!({"steps_s": 4000})),
        run("sync", json!({"steps_s": {"best": 100.0}})),
        run("ours", json!({"steps_s": 5000.0})),
        run("async", json!({"steps_s": {"best": 500.0}})),
        failed("ours", "killed"),
    ];
    let verdict = verdict(&RATE, &runs);
    assert_eq!(verdict.ours, Measured::Best { value: 5000.0, others_cpu: Some(0.25) });
    assert_eq!((verdict.ratio(), verdict.judgement()), (Some(10.0), Judgement::Ok));
}

#[test]
fn less_is_better_for_times_and_fields_are_added() {
    let runs = [
        run("ours", json!({"a": 1.0, "b": 0.5})),
        run("ours", json!({"a": 0.5, "b": 0.5})),
        run("sync", json!({"a": 4.0, "b": 5.0})),
        run("sync", json!({"a": 9.0, "b": 9.0})),
    ];
    let verdict = verdict(&TIME, &runs);
    assert_eq!((verdict.ours.value(), verdict.judgement()), (Some(1.0), Judgement::Short));
    assert_eq!(verdict.peer.and_then(|peer| peer.value()), Some(9.0));
}

#[test]
fn an_absent_peer_skips_and_a_failure_of_ours_falls_short() {
    let ours = run("ours", json!({"steps_s": 1.0}));
    let absent = failed("sync", "no python");
    assert_eq!(verdict(&RATE, &[ours, absent]).judgement(), Judgement::Skipped("no python".into()));
    let runs = [failed("ours", "crashed"), failed("sync", "no python")];
    assert_eq!(verdict(&RATE, &runs).judgement(), Judgement::Short);
}

#[test]
fn a_missing_field_is_named() {
    let verdict = verdict(&RATE, &[run("ours", json!({"steps_s": "fast"}))]);
    assert_eq!(verdict.ours, Measured::Nothing("no number at /steps_s".into()));
    assert_eq!(verdict.peer, Some(Measured::Nothing("never ran".into())));
}

#[test]
fn ours_alone_is_judged_by_its_own_figure() {
    let alone = Comparison { peer: None, target: FigureTarget::AtLeast(0.9), ..RATE };
    let verdict = verdict(&alone, &[run("ours", json!({"steps_s": 0.95}))]);
    assert_eq!((verdict.ratio(), verdict.judgement()), (None, Judgement::Ok));
}

#[test]
fn a_limit_of_ours_alone_stands_beside_the_peers_figure() {
    let limit = Comparison { target: FigureTarget::Under(2.0), ..TIME };
    let ours = run("ours", json!({"a": 1.0, "b": 0.5}));
    let beside = verdict(&limit, &[ours.clone(), run("sync", json!({"a": 0.5, "b": 0.5}))]);
    assert_eq!((beside.ratio(), beside.judgement()), (Some(1.5), Judgement::Ok));
    assert_eq!(verdict(&limit, &[ours, failed("sync", "no python")]).judgement(), Judgement::Ok);
}
