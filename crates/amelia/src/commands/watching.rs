//! After a command has changed a run: return at once, wait for the result, or show the progress.

use std::process::ExitCode;

use amelia_core::id::RunId;
use amelia_core::run::Run;
use amelia_host::pipelines::AnyPipeline;
use anyhow::Result;

use crate::cli::{Global, WatchArgs};
use crate::client::Client;
use crate::follow::{AnsweredBy, Follow, FollowEnd, FollowFrom, OnInterrupt, conclude};
use crate::outcome;
use crate::terminal::Terminal;
use crate::ui;

/// What happens after a command to continue.
#[derive(Clone)]
pub(super) struct Watching {
    follow: bool,
    wait: bool,
    /// Approve what is asked, and continue.
    auto: bool,
    /// The run is worked on in the foreground: Ctrl-C stops it.
    here: bool,
    /// What was done, and what happens next, for who does not watch it.
    done: Option<String>,
}

impl From<&WatchArgs> for Watching {
    fn from(args: &WatchArgs) -> Self {
        Self { follow: args.follow, wait: args.wait, auto: false, here: false, done: None }
    }
}

impl Watching {
    /// After a run was answered or resumed. One that began in the foreground continues in this command, which shows it
    /// unless it is only to wait; but a server that is running does the work, and then the flags alone decide.
    pub(super) fn after(args: &WatchArgs, pipeline: &dyn AnyPipeline, client: &Client) -> Self {
        Self { here: pipeline.runs_in_foreground() && client.is_local(), ..Self::from(args) }
    }

    /// The same; it says what was done, and what happens next.
    pub(super) fn after_saying(self, done: impl Into<String>) -> Self {
        Self { done: Some(done.into()), ..self }
    }

    /// The same, shown as it happens.
    pub(super) fn shown(self) -> Self {
        Self { follow: true, ..self }
    }

    /// The same, and no one is asked about a plan.
    pub(super) fn auto(self, auto: bool) -> Self {
        Self { auto, ..self }
    }

    /// Shown as it happens, wherever it is worked on.
    pub(super) fn following() -> Self {
        Self { follow: true, wait: false, auto: false, here: false, done: None }
    }

    /// In the foreground, shown as it happens.
    pub(super) fn here() -> Self {
        Self { follow: true, wait: false, auto: false, here: true, done: None }
    }
}

/// Without `told`, the run is new.
pub(super) async fn watch(
    client: &Client,
    run: RunId,
    told: Option<FollowFrom>,
    how: Watching,
    global: &Global,
) -> Result<ExitCode> {
    // No one else is there to approve, or to work.
    let stays = how.follow || how.wait || how.auto || how.here || client.is_local();
    if !stays {
        return say_where(client, run, how.done.as_deref(), global).await;
    }
    let is_shown = how.follow || ((how.here || how.auto) && !how.wait);
    let terminal = if is_shown { Terminal::new(global) } else { Terminal::waiting(global) };
    if is_shown && !global.json && !global.quiet {
        let Run { number, spec, .. } = client.row(run).await?.run;
        ui::say!("{}  {}", ui::bold(number), ui::one_line(&spec.title));
        // An answer is shown as one; a server may have resumed the run before this command looked.
        let without_answer = told.as_ref().is_some_and(|told| told.answered.is_empty());
        if let Some(done) = how.done.as_ref().filter(|_| without_answer) {
            ui::say!("{}", ui::dim(done));
        }
    }
    // A script needs it for what comes after.
    if global.quiet && !global.json && !how.here && told.is_none() {
        ui::say!("{}", client.row(run).await?.run.number);
    }
    let on_interrupt = match how.here || client.is_local() {
        true => OnInterrupt::Pause,
        false => OnInterrupt::LookAway,
    };
    let who = if how.auto { AnsweredBy::Auto } else { AnsweredBy::Here };
    let follow = Follow { client, terminal: &terminal, on_interrupt, who };
    let ended: FollowEnd = match told {
        Some(told) => follow.run(told).await?,
        None => follow.whole(run).await?,
    };
    if let (false, true, Some(row)) = (is_shown, global.json, ended.at_rest()) {
        anstream::println!("{}", serde_json::to_string(&client.flat(row.run.id).await?)?);
    }
    // Who only waits wants to know how it came out, and nothing else.
    let brief = &Global { quiet: global.quiet || !is_shown, ..global.clone() };
    let exit = conclude(client, &ended, brief).await?;
    // Every other end is an error, and says so itself.
    if let (false, false, false, Some(row)) = (is_shown, global.json, global.quiet, ended.at_rest()) {
        ui::say!("{} {}", row.run.number, ui::status(row.view.status));
        let outcome = client.outcome(row).await?;
        outcome.iter().flat_map(outcome::lines).for_each(|line| ui::say!("{line}"));
    }
    // Who wants no progress of one agent still wants its answer.
    if let (true, true, false, Some(row)) = (how.here, global.quiet, global.json, ended.at_rest())
        && let Some(answer) = &row.view.summary
    {
        anstream::println!("{}", ui::clean(answer.trim()));
    }
    Ok(exit)
}

async fn say_where(client: &Client, run: RunId, done: Option<&str>, global: &Global) -> Result<ExitCode> {
    if global.json {
        anstream::println!("{}", serde_json::to_string(&client.flat(run).await?)?);
    } else {
        let run = client.row(run).await?.run.number;
        match done.filter(|_| !global.quiet) {
            Some(done) => ui::say!("{}  {done}", ui::bold(run)),
            None => anstream::println!("{}", ui::bold(run)),
        }
        if !global.quiet {
            let me = ui::command(global);
            ui::say!("  {} {me} logs {run} --follow", ui::dim("follow it:"));
            ui::say!("  {} {me} status {run}", ui::dim("show its status:"));
            ui::say!("  {} {me} inbox", ui::dim("show what it asks:"));
        }
    }
    Ok(ExitCode::SUCCESS)
}
