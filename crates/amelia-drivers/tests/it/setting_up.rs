//! The scripts that set up what tests need: one at a time, and missed loudly where it matters.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts").join(name)
}

/// A python that notes every venv it makes, and is not done before it may.
const PYTHON: &str = r#"#!/bin/sh
cd "$(dirname "$0")"
echo made >> made
until [ -e go ]; do sleep 0.01; done
mkdir -p "$3/bin"
printf '#!/bin/sh\n' > "$3/bin/python"
cp "$3/bin/python" "$3/bin/pip"
chmod +x "$3/bin/python" "$3/bin/pip"
"#;

#[test]
fn two_tests_that_set_up_one_directory_at_the_same_time_both_get_it_and_it_is_made_once() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    let python = dir.path().join("python");
    std::fs::write(&python, PYTHON).unwrap();
    std::fs::set_permissions(&python, std::fs::Permissions::from_mode(0o755)).unwrap();
    let venv = dir.path().join("cache/venv");
    let start = || -> Child {
        let mut setup = Command::new("sh");
        setup.arg(script("setup-sdks.sh")).arg(&venv).env("PYTHON", &python);
        setup.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let made = || std::fs::read_to_string(dir.path().join("made")).unwrap_or_default().lines().count();
    let wait = |count: usize, time: Duration| {
        let start = Instant::now();
        while made() < count && start.elapsed() < time {
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    let first = start();
    wait(1, Duration::from_secs(20));
    let second = start();
    // It would begin at once, if it did not wait.
    wait(2, Duration::from_millis(500));
    std::fs::write(dir.path().join("go"), "").unwrap();
    for setup in [first, second] {
        let output = setup.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), venv.to_str().unwrap());
    }
    assert_eq!(made(), 1);
}

#[test]
fn in_ci_a_test_that_misses_what_a_script_can_install_has_failed() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("skipped");
    for (line, ci, is_fine) in [
        ("", "true", true),
        ("a: no small disk can be mounted here\n", "true", true),
        ("a: codex is not here: no npm\n", "", true),
        ("a: codex is not here: no npm\n", "true", false),
    ] {
        std::fs::write(&file, line).unwrap();
        let status =
            Command::new("sh").arg(script("skipped.sh")).arg(&file).env("CI", ci).output().unwrap().status;
        assert_eq!(status.success(), is_fine, "{line:?} {ci}");
    }
}
