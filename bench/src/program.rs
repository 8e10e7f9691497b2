//! Runs one program as a process of its own and takes the figures from what it prints. Knows nothing of targets.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::Value;

use crate::judge::RunOutcome;
use crate::peers;
use crate::plan::{BenchProgram, Side};

/// The longest peer run takes under a minute on a quiet machine.
const TIME_LIMIT: Duration = Duration::from_secs(600);

/// `data` is a directory of this run alone, on the disk that is measured.
pub(crate) fn run(program: &BenchProgram, installed: &Path, data: &Path) -> RunOutcome {
    match command(program, installed).and_then(|command| execute(command, program.args, data)) {
        Ok(printed) => RunOutcome::Printed(printed),
        Err(reason) => RunOutcome::Failed(reason),
    }
}

fn command(program: &BenchProgram, installed: &Path) -> Result<Command, String> {
    match program.side {
        Side::Ours { case } => {
            let own = std::env::current_exe().map_err(|error| format!("own program not found: {error}"))?;
            let mut command = Command::new(own);
            command.args(["ours", case]);
            Ok(command)
        }
        Side::Peer { venv, script } => {
            let mut command = Command::new(peers::python(installed, venv)?);
            command.arg(peers::scripts().join(script));
            // A Python that may not keep its .pyc files compiles everything at each start: not what users see.
            command.env_remove("PYTHONDONTWRITEBYTECODE");
            // The client of a peer's server is ours: the same on both sides.
            if let Ok(own) = std::env::current_exe() {
                command.env("AMELIA_BENCH", own);
            }
            Ok(command)
        }
    }
}

fn execute(mut command: Command, args: &[&str], data: &Path) -> Result<Value, String> {
    let complaints = data.join("stderr");
    let stderr = File::create(&complaints).map_err(|error| format!("{}: {error}", complaints.display()))?;
    command.args(args).arg("--dir").arg(data);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(stderr);
    let child = command.spawn().map_err(|error| format!("does not start: {error}"))?;
    let (printed, succeeded) = wait(child)?;
    match last_record(&printed) {
        Some(record) if succeeded => Ok(record),
        Some(_) | None => Err(last_line(&std::fs::read_to_string(&complaints).unwrap_or_default())),
    }
}

/// Reads to the end of the output on a thread, so that the time limit needs no polling beside the measurement.
fn wait(mut child: Child) -> Result<(String, bool), String> {
    let mut stdout = child.stdout.take().ok_or("no output to read")?;
    let (sender, receiver) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        let read = stdout.read_to_string(&mut text).map(|_| text);
        // The receiver is gone only when the time limit has passed: the text is not wanted then.
        sender.send(read).ok();
    });
    let read = receiver.recv_timeout(TIME_LIMIT);
    if read.is_err() {
        child.kill().map_err(|error| format!("cannot be stopped: {error}"))?;
    }
    let status = child.wait().map_err(|error| format!("cannot be waited for: {error}"))?;
    match read {
        Ok(text) => {
            reader.join().map_err(|_| "its output could not be read")?;
            Ok((text.map_err(|error| format!("unreadable output: {error}"))?, status.success()))
        }
        Err(_) => Err(format!("took longer than {} s", TIME_LIMIT.as_secs())),
    }
}

fn last_record(printed: &str) -> Option<Value> {
    let mut lines = printed.lines().rev().filter(|line| line.starts_with('{'));
    lines.find_map(|line| serde_json::from_str(line).ok())
}

fn last_line(complaints: &str) -> String {
    let line = complaints.lines().rev().map(str::trim).find(|line| !line.is_empty());
    line.unwrap_or("failed without a word").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_json_line_is_the_record() {
        let printed = "warming up\n{\"a\": 1}\n{\"a\": 2}\n{broken\nbye\n";
        assert_eq!(last_record(printed), Some(serde_json::json!({"a": 2})));
        assert_eq!(last_record("nothing"), None);
    }

    #[test]
    fn the_last_complaint_is_the_reason() {
        assert_eq!(last_line("Traceback\n  ImportError: x\n\n"), "ImportError: x");
        assert_eq!(last_line(""), "failed without a word");
    }

    #[cfg(unix)]
    #[test]
    fn a_program_is_judged_by_its_exit_and_its_output() {
        let data = std::env::temp_dir().join(format!("amelia-bench-{}", std::process::id()));
        std::fs::create_dir_all(&data).unwrap();
        let shell = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script, "sh"]);
            execute(command, &["--n", "3"], &data)
        };
        assert_eq!(shell("echo \"{\\\"n\\\": $2}\""), Ok(serde_json::json!({"n": 3})));
        assert_eq!(shell("echo '{}'; echo broken >&2; exit 1"), Err("broken".into()));
        assert_eq!(shell("echo no figures"), Err("failed without a word".into()));
        std::fs::remove_dir_all(&data).unwrap();
    }
}
