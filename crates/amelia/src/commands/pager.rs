//! A long text in the person's own pager, as git shows one; a text that fits the screen is only printed.

use std::io::Write as _;
use std::process::{Command, Stdio};

/// The pager that git would use: `GIT_PAGER`, `core.pager`, `PAGER`, `less`.
fn chosen() -> Option<String> {
    let asked = Command::new("git").args(["var", "GIT_PAGER"]).stderr(Stdio::null()).output().ok()?;
    let pager = String::from_utf8(asked.stdout).ok()?.trim().to_owned();
    // `cat` is how people say that they want none.
    (!pager.is_empty() && pager != "cat").then_some(pager)
}

/// Shows a text on the terminal.
pub(super) fn show(text: &str) {
    if !paged(text) {
        anstream::print!("{text}");
    }
}

/// Whether a pager took it.
fn paged(text: &str) -> bool {
    let Some(pager) = chosen() else { return false };
    let mut command = Command::new("sh");
    command.args(["-c", &pager]).stdin(Stdio::piped());
    // As git starts it: ends on a text that fits the screen, shows colours, leaves the text on the screen.
    for (name, value) in [("LESS", "FRX"), ("LV", "-c")] {
        if std::env::var_os(name).is_none() {
            command.env(name, value);
        }
    }
    let Ok(mut child) = command.spawn() else { return false };
    // A pager that was closed early has shown what was wanted.
    child.stdin.take().map(|mut input| input.write_all(text.as_bytes()).ok());
    // The shell says so itself when there is no such pager.
    child.wait().is_ok_and(|status| status.code() != Some(127))
}
