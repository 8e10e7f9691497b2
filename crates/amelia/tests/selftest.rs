//! The self-test holds on this machine, and it would notice if it did not.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests"
)]

use std::process::Command;

fn chaos(arguments: &[&str]) -> (i32, serde_json::Value) {
    let output = Command::new(env!("CARGO_BIN_EXE_amelia"))
        .args(["selftest", "--chaos", "--json"])
        .args(arguments)
        .output()
        .unwrap();
    let report = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    (output.status.code().unwrap(), report)
}

fn violated(report: &serde_json::Value) -> Vec<&str> {
    let checks = report["checks"].as_array().unwrap().iter();
    let bad = checks.filter(|check| !check["violations"].as_array().unwrap().is_empty());
    bad.map(|check| check["promise"].as_str().unwrap()).collect()
}

#[test]
fn nothing_is_lost_however_the_worker_dies() {
    let (code, report) = chaos(&["--kills", "25"]);
    assert_eq!((code, &report["violations"]), (0, &0.into()), "{report}");
    assert_eq!(report["random_kills"], 25);
    assert!(report["enumerated_kills"].as_u64().unwrap() > 50, "{report}");
    for check in report["checks"].as_array().unwrap() {
        assert!(check["checks"].as_u64().unwrap() > 0, "never checked: {check}");
    }
}

#[test]
fn showing_events_before_they_are_durable_is_caught() {
    let (code, report) = chaos(&["--kills", "0", "--inject", "publish-before-commit"]);
    assert_eq!(code, 1);
    assert!(violated(&report).contains(&"no event that was shown is lost"), "{report}");
}

#[test]
fn an_effect_that_was_not_written_down_first_is_caught() {
    let (code, report) = chaos(&["--kills", "0", "--inject", "effect-without-intent"]);
    assert_eq!(code, 1);
    assert_eq!(violated(&report), ["outside effects happen once"], "{report}");
}

#[test]
fn repeating_an_interrupted_write_is_caught() {
    let (code, report) = chaos(&["--kills", "0", "--inject", "repeat-writes"]);
    assert_eq!(code, 1);
    assert_eq!(violated(&report), ["no tool writes twice"], "{report}");
}

fn server_selftest(arguments: &[&str]) -> serde_json::Value {
    let output = Command::new(env!("CARGO_BIN_EXE_amelia"))
        .arg("selftest")
        .args(arguments)
        .arg("--json")
        .output()
        .unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    assert_eq!((output.status.code(), &report["violations"]), (Some(0), &serde_json::json!([])), "{report}");
    report
}

#[test]
fn a_crowd_of_runs_and_a_killed_server_leave_every_run_and_every_tool_answer_right() {
    let report = server_selftest(&["--crowd", "--runs", "60"]);
    assert_eq!((&report["runs"], &report["server_kills"]), (&60.into(), &1.into()), "{report}");
    assert!(report["tool_answers"].as_u64().unwrap() >= 170, "{report}");
}

#[test]
fn abandoned_requests_leave_list_log_and_reality_in_agreement() {
    let report = server_selftest(&["--abandon", "--requests", "200"]);
    assert_eq!(report["requests"], 200, "{report}");
    assert!(report["runs"].as_u64().unwrap() > 10, "{report}");
}
