//! `amelia demo --replay`: a run of the demo that was recorded once and is shipped with the program, played by the code of
//! today. No model, no network, no git: it works everywhere, and is the same everywhere.

use std::process::ExitCode;
use std::time::Duration;

use amelia_core::event::Event;
use amelia_host::home::Home;
use amelia_host::replay::tape::Recording;
use amelia_host::replay::{ReplaySummary, replay};
use anyhow::Result;

use crate::cli::{DemoArgs, Global};
use crate::cli_error::{CliError, Exit};
use crate::terminal::Terminal;
use crate::ui;

/// Made by `scripts/record-demo.sh`.
const RECORDING: &str = include_str!("../../demo/recording.jsonl");
/// Between two facts that people see, so that they can be read.
const PAUSE: Duration = Duration::from_millis(60);

pub(super) fn run(args: &DemoArgs, global: &Global) -> Result<ExitCode> {
    let recording = Recording::parse(RECORDING)?;
    let events = recording.events.clone();
    let say = |text: &str| {
        if !global.json && !global.quiet {
            anstream::println!("{text}");
        }
    };
    say(&format!("{}, replayed by this version", ui::bold("A recorded run of the demo")));
    say(&ui::dim("the agents were scripted; the replay uses no model, network or git\n"));
    let started = std::time::Instant::now();
    let ReplaySummary { events: count, .. } = played(recording)?;
    let taken = started.elapsed().as_millis();
    show(&events, args.fast || global.json || global.quiet, global)?;
    say(&format!(
        "\n{} {count} events as in the recording, replayed in {taken} ms",
        ui::painted(ui::GOOD, "✓")
    ));
    say(&ui::dim(
        "your own runs: amelia replay RUN; as tests: amelia record export RUN -o FILE, amelia test FILE",
    ));
    Ok(ExitCode::SUCCESS)
}

/// Says what to do when it does not come out as it was.
fn played(recording: Recording) -> Result<ReplaySummary> {
    // Without a user: prices and keys of this machine have no part in it.
    let nowhere = tempfile::tempdir().map_err(|error| {
        let directory = std::env::temp_dir();
        let problem = format!("temporary files cannot be written to {}: {error}", directory.display());
        CliError::new(Exit::Failed, problem).with_hint("set TMPDIR to another directory")
    })?;
    replay(&Home::at(nowhere.path()), recording)?.map_err(|difference| {
        let message =
            format!("the recorded demo runs differently now: the first difference is at {difference}");
        let hint = "after an intended change, record it again with scripts/record-demo.sh";
        CliError::new(Exit::Failed, message).with_hint(hint).into()
    })
}

/// As a run is shown that is at work now.
fn show(events: &[Event], is_fast: bool, global: &Global) -> Result<()> {
    let terminal = Terminal::new(global);
    for event in events {
        terminal.event(event)?;
        if !is_fast {
            std::thread::sleep(PAUSE);
        }
    }
    terminal.finish();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli_error::problem_of;

    #[test]
    fn a_prompt_in_other_words_does_not_break_the_recording() {
        // Of the same length: a request is stored as what differs from the one before it.
        let changed = RECORDING.replace("You are the Developer.", "Now be the Developers.");
        assert_ne!(changed, RECORDING);
        played(Recording::parse(&changed).unwrap()).unwrap();
    }

    #[test]
    fn another_deed_is_seen_and_the_way_to_a_new_recording_is_said() {
        let changed = RECORDING.replacen("\"title\":\"Add instead", "\"title\":\"Multiply instead", 1);
        let error = played(Recording::parse(&changed).unwrap()).unwrap_err();
        let hint = problem_of(&error).hint.unwrap();
        assert!(hint.ends_with("scripts/record-demo.sh"), "{hint}");
    }
}
