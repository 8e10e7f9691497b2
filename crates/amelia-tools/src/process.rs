//! One command of a tool: its output as harmless text, streamed to its readers and bounded in memory.
//!
//! The life of the process is `amelia-process`'s. Dropping the future kills the command.

mod bounded_text;
mod harmless;

#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use amelia_core::tool::ToolCx;
use amelia_process::{
    CommandSpec, Environment, Flow, HostSpawner, OutputStreams, ProcessEnd, ProcessGroup, StdinSource,
};

use bounded_text::BoundedText;
use harmless::Harmless;

/// All that a program wrote, as harmless text.
pub(crate) fn harmless_text(bytes: &[u8]) -> String {
    let mut text = Harmless::default();
    let begin = text.push(bytes);
    begin + &text.finish()
}

/// What to run.
pub(crate) struct Job<'a> {
    pub(crate) program: OsString,
    pub(crate) args: Vec<OsString>,
    pub(crate) dir: PathBuf,
    pub(crate) environment: &'a Environment,
    /// On top of the environment.
    pub(crate) vars: Vec<(OsString, OsString)>,
    pub(crate) stdin: StdinSource,
    pub(crate) group: ProcessGroup,
    /// Bytes of output that are kept, from the beginning and the end.
    pub(crate) keep: usize,
    pub(crate) timeout: Duration,
}

/// What came of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FinishedJob {
    /// Standard output and error as they came, harmless.
    pub(crate) output: String,
    pub(crate) end: ProcessEnd,
    /// Processes that were still there when the command itself was over, and were killed.
    pub(crate) leftovers: usize,
}

/// Runs a command. `Err` means that it could not be started.
pub(crate) async fn run(cx: &ToolCx, job: Job<'_>) -> io::Result<FinishedJob> {
    let mut spec = CommandSpec::new(job.program, job.args, job.environment.owner());
    spec.directory = Some(job.dir);
    let vars = job.environment.vars().map(|(name, value)| (name.to_owned(), value.to_owned()));
    spec.vars = vars.chain(job.vars).collect();
    (spec.stdin, spec.group, spec.streams) = (job.stdin, job.group, OutputStreams::Merged);
    let (mut text, mut kept) = (Harmless::default(), BoundedText::new(job.keep));
    let mut say = |text: &str| {
        if !text.is_empty() {
            (cx.progress)(text);
            kept.push(text);
        }
    };
    let mut sink = |_, piece: &[u8]| {
        say(&text.push(piece));
        Flow::More
    };
    let outcome = amelia_process::run(&HostSpawner, spec, Some(job.timeout), &cx.cancel, &mut sink).await?;
    say(&text.finish());
    Ok(FinishedJob { output: kept.finish(), end: outcome.end, leftovers: outcome.leftovers })
}
