use super::*;

fn ended(exit_code: i32, output: &str) -> CheckResult {
    CheckResult { exit_code: Some(exit_code), output: output.to_owned(), ..CheckResult::default() }
}

#[test]
fn people_see_what_was_expected_and_the_developer_what_was_printed() {
    for (exit_code, printed_by_it, expected, passed) in [
        (0, "ok", None, true),
        (1, "no", None, false),
        (1, "no", Some("FAIL"), true),
        (0, "ok", Some("FAIL"), false),
        (0, "ok", Some("`14 passed`"), false),
    ] {
        let result = compared(ended(exit_code, printed_by_it), expected);
        assert_eq!(result.passed, passed, "{expected:?}");
        let shown = match expected {
            Some(expected) if !passed => format!("{printed_by_it}\n[expected: {expected}]"),
            _ => printed_by_it.to_owned(),
        };
        assert_eq!(result.output, shown, "{expected:?}");
        assert_eq!(printed(&result.output, expected), printed_by_it, "{expected:?}");
    }
    assert_eq!(printed("a\n[expected: b]", Some("c")), "a\n[expected: b]", "it printed that itself");
}
