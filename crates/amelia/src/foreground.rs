//! A run in the foreground: moved, shown, answered at the terminal when somebody is there, and told of at its end.

use std::process::ExitCode;
use std::sync::Arc;

use amelia_agents::live::Live;
use amelia_core::budget::Budget;
use amelia_core::clock::{Clock, SystemClock};
use amelia_core::event::run::Failure;
use amelia_core::event::{EventKind, RunEvent};
use amelia_core::human::{HumanAction, HumanKind, HumanReply, HumanRequest};
use amelia_core::run::RunStatus;
use amelia_core::view::RunRow;
use amelia_graph::engine::Stop;
use amelia_graph::position::approval;
use amelia_orchestrator::runs::{Move, Runs};
use anyhow::Result;

use crate::cli::Global;
use crate::home::{Home, find_run};
use crate::keys::{Keys, named_in};
use crate::moving::{Reins, unless_interrupted, watched};
use crate::place;
use crate::refusal::{Exit, Refusal};
use crate::terminal::{Said, Terminal};
use crate::ui;
use crate::workshop::Workshop;

/// How a run is moved here.
pub(crate) struct Foreground<'a> {
    pub(crate) runs: &'a Runs,
    pub(crate) home: &'a Home,
    pub(crate) terminal: &'a Arc<Terminal>,
    /// In the place of the run's own.
    pub(crate) budget: Option<Budget>,
    /// Approve what is asked, and go on.
    pub(crate) auto: bool,
}

impl Foreground<'_> {
    /// Moves a run until it ends, or waits for somebody who is not at this terminal.
    pub(crate) async fn go(&self, row: &RunRow, mut replies: Vec<HumanReply>) -> Result<(RunRow, Stop)> {
        let mut row = row.clone();
        loop {
            let stop = self.go_once(&row, replies).await?;
            row = find_run(&**self.runs.store(), &row.run.id.to_string()).await?;
            match self.answer(&row, &stop).await? {
                Some(reply) => replies = vec![reply],
                None => return Ok((row, stop)),
            }
        }
    }

    async fn go_once(&self, row: &RunRow, replies: Vec<HumanReply>) -> Result<Stop> {
        let (run, shown) = (row.run.id, Arc::clone(self.terminal));
        let live: Live = Arc::new(move |delta| shown.hear(delta));
        let workshop = Workshop::new(self.home).with_budget(self.budget);
        let movable = match workshop.build(row, live).await {
            Ok(movable) => movable,
            Err(error) => {
                self.note_failure(row, &error).await?;
                return Err(error);
            }
        };
        let replies = Keys::gather(self.home, &named_in(&row.run.spec.input))?.redactor().clean(replies);
        watched(self.runs, run, row.view.seq, self.terminal, |Reins { cancel, inbox }| {
            movable.go(self.runs, run, Move { cancel, inbox, replies })
        })
        .await
    }

    /// A run that could not even begin has failed; it can be told to try again, or cancelled.
    async fn note_failure(&self, row: &RunRow, error: &anyhow::Error) -> Result<()> {
        if row.view.status == RunStatus::Pending {
            let failure = Failure { code: "setup".to_owned(), message: format!("{error:#}"), node: None };
            self.runs.record(row, EventKind::Run(RunEvent::Failed { failure })).await?;
        }
        Ok(())
    }

    /// The answer of the person at the terminal, or of nobody.
    async fn answer(&self, row: &RunRow, stop: &Stop) -> Result<Option<HumanReply>> {
        let Stop::Waiting(kind) = stop else { return Ok(None) };
        let Some(request) = row.view.pending.iter().find(|request| request.kind == *kind) else {
            return Ok(None);
        };
        let yes = approval(request, SystemClock.now());
        match kind {
            HumanKind::Approval if self.auto && !has_problems(request) => Ok(Some(yes)),
            HumanKind::Approval if self.terminal.is_interactive() => self.decided(row, request, yes).await,
            HumanKind::Question if self.terminal.is_interactive() => {
                let words = self.terminal.ask(request).await?;
                Ok(words.map(|words| HumanReply { message: Some(words), ..yes }))
            }
            _ => Ok(None),
        }
    }

    async fn decided(
        &self,
        row: &RunRow,
        request: &HumanRequest,
        yes: HumanReply,
    ) -> Result<Option<HumanReply>> {
        if let Some(plan) = place::plan(row, &**self.runs.store()).await? {
            anstream::println!("\n{}\n", ui::clean(&plan));
        }
        Ok(match self.terminal.ask_whether(request).await? {
            Said::Yes => Some(yes),
            Said::Words(words) => {
                Some(HumanReply { action: HumanAction::Reject, message: Some(words), ..yes })
            }
            Said::Nothing => None,
        })
    }
}

/// A plan that the validator refused is for a person to decide about: saying yes to it would only bring it back.
fn has_problems(request: &HumanRequest) -> bool {
    request
        .context
        .get("problems")
        .and_then(serde_json::Value::as_array)
        .is_some_and(|found| !found.is_empty())
}

/// What came of it, and what can be done now.
pub(crate) async fn conclude(row: &RunRow, stop: &Stop, home: &Home, global: &Global) -> Result<ExitCode> {
    let (run, me) = (row.run.id, ui::command(global.home.as_deref()));
    if !global.json && !global.quiet && row.run.spec.place.is_some() {
        unless_interrupted(summarise(row, home, &me)).await?;
    }
    match stop {
        Stop::Completed => Ok(ExitCode::SUCCESS),
        Stop::Waiting(HumanKind::Pause) => {
            Err(Refusal::new(Exit::Interrupted, format!("paused\n  hint: {me} resume {run} --approve"))
                .into())
        }
        Stop::Waiting(HumanKind::Budget) => {
            let asked = row.view.pending.last().map(|request| request.prompt.as_str()).unwrap_or_default();
            let message = format!(
                "{asked}\n  hint: {me} resume {run} --approve with a new limit: --budget USD, --max-tokens N or --max-time TIME"
            );
            Err(Refusal::new(Exit::Waiting, message).into())
        }
        Stop::Waiting(HumanKind::Approval) => {
            let message = format!(
                "the plan waits for you\n  hint: {me} plan {run}; then {me} approve {run}, or {me} reject {run} --feedback '…'"
            );
            Err(Refusal::new(Exit::Waiting, message).into())
        }
        Stop::Waiting(kind) => {
            let asked = row.view.pending.last().map(|request| request.prompt.as_str()).unwrap_or_default();
            let words = match kind {
                HumanKind::Question => " --message 'YOUR ANSWER'",
                HumanKind::Rounds => ", or --accept to take it as it is",
                _ => "",
            };
            let message =
                format!("the run waits ({kind}): {asked}\n  hint: {me} resume {run} --approve{words}");
            Err(Refusal::new(Exit::Waiting, message).into())
        }
        Stop::Failed(failure) => {
            let has_hint = failure.message.contains("\n  hint: ");
            let hint = if has_hint { String::new() } else { format!("\n  hint: {me} resume {run}") };
            Err(Refusal::new(Exit::Failed, format!("{}{hint}", failure.message)).into())
        }
        Stop::Cancelled => Err(Refusal::new(
            Exit::Interrupted,
            format!("cancelled\n  hint: what was done is kept: {me} diff {run}"),
        )
        .into()),
    }
}

async fn summarise(row: &RunRow, home: &Home, me: &str) -> Result<()> {
    let worktree = place::ensure(place::of(row)?, home, row.run.id).await?;
    let changes = place::diff_stat(place::of(row)?, &worktree).await?;
    let run = row.run.id;
    anstream::println!();
    changes.iter().for_each(|change| anstream::println!("{}", ui::change_line(change)));
    if changes.is_empty() {
        anstream::println!("{}", ui::dim("nothing was changed"));
    }
    let spend = row.view.spend;
    let cost = ui::cost(&spend);
    anstream::println!("{}", ui::dim(cost));
    let branch = worktree.branch.as_deref().unwrap_or("no branch");
    anstream::println!("{} {branch} in {}", ui::dim("branch"), worktree.path.display());
    anstream::println!("{} {me} diff {run}", ui::dim("look at it:"));
    Ok(())
}
