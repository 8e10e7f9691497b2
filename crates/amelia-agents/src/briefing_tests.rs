use amelia_core::survey::ShellFacts;

use super::*;

fn survey() -> Survey {
    Survey {
        system: "linux (x86_64)".to_owned(),
        shell: ShellFacts { program: "bash".to_owned(), timeout_seconds: 300, max_timeout_seconds: 3600 },
        layout: vec!["README.md".to_owned(), "src/: main.rs".to_owned()],
    }
}

fn told(rights: Rights, driver: DriverType) -> String {
    let check = CheckCommand { name: "test".to_owned(), command: "./test.sh --all".to_owned(), timeout: 60 };
    let survey = survey();
    let facts = Facts {
        directory: Path::new("/tree"),
        branch: Some("amelia/s-1"),
        base: "0123456789abcdef0123456789abcdef01234567",
        date: "2026-03-01",
        checks: &[check],
        survey: &survey,
        rights,
        driver,
    };
    system(&Prompts::default(), "developer.system", json!({}), &facts)
}

#[test]
fn a_role_that_works_knows_its_machine_its_limits_and_its_checks() {
    let text = told(Rights::Work, DriverType::Api);
    for fact in [
        "in the git worktree /tree",
        "linux (x86_64)",
        "2026-03-01",
        "`amelia/s-1`",
        "commit 0123456789ab.",
        "Nothing confines them",
        "`shell` runs bash",
        "after 300 seconds",
        "up to 3600",
        "README.md\nsrc/: main.rs",
        "- `./test.sh --all`",
    ] {
        assert!(text.contains(fact), "{fact} is missing in:\n{text}");
    }
}

#[test]
fn limits_are_told_only_to_those_they_hold_for() {
    let reads = told(Rights::Read, DriverType::Api);
    assert!(
        !reads.contains("confines") && !reads.contains("seconds") && !reads.contains("Before you finish"),
        "{reads}"
    );
    let program = told(Rights::Work, DriverType::Codex);
    assert!(program.contains("confines") && !program.contains("seconds"), "{program}");
}
