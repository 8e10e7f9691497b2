//! Following a run from the terminal: shown as it happens, answered when a person is there, until it ends or waits for
//! one who is not.

mod answering;
mod conclusion;
mod deciding;
mod follower;
mod life;

use std::time::Duration;

use amelia_core::human::{HumanKind, HumanRequest};
use amelia_core::id::{RequestId, RunId, Seq};
use amelia_core::view::RunRow;
use anyhow::Result;
use jiff::Timestamp;
use tokio::signal::unix::{SignalKind, signal};

use crate::after_rounds::NOTHING_TO_ACCEPT;
use crate::cli_error::{Exit, exit_of};
use crate::client::Client;
use crate::terminal::{Terminal, markdown};
use crate::ui;

pub(crate) use answering::{answered_elsewhere, deliver, respond};
pub(crate) use conclusion::{conclude, late_words};
pub(crate) use deciding::{Decision, HumanChoice};
pub(crate) use follower::{FollowStep, RunFollower, needs_person};
pub(crate) use life::{FollowEnd, OnInterrupt};

/// How late the alarm clock of this process may be.
const ALARM: Duration = Duration::from_millis(300);

/// How a run stood before the command to continue, and which of its questions were answered then.
pub(crate) struct FollowFrom {
    pub(crate) row: RunRow,
    pub(crate) answered: Vec<RequestId>,
    /// Where the log ended at the last look: rests before that are history.
    pub(crate) end: Seq,
    /// It waits, and has no command yet.
    is_at_rest: bool,
}

impl FollowFrom {
    /// Continued, without an answer to anything.
    pub(crate) fn to_go_on(row: RunRow) -> Self {
        Self::with_answers(row, Vec::new())
    }

    /// Continued, by answers to these questions.
    pub(crate) fn with_answers(row: RunRow, answered: Vec<RequestId>) -> Self {
        let end = row.view.seq;
        Self { row, answered, end, is_at_rest: false }
    }

    /// It waits for an answer that was not given yet.
    pub(crate) fn at_rest(row: RunRow) -> Self {
        Self { is_at_rest: true, ..Self::to_go_on(row) }
    }
}

/// Who answers what a run asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnsweredBy {
    /// The person at the terminal, if there is one.
    Here,
    /// No one: what is asked is approved, and it continues.
    Auto,
    /// Another person, who is waited for: in a browser.
    Elsewhere,
}

/// How a run is followed.
pub(crate) struct Follow<'a> {
    pub(crate) client: &'a Client,
    pub(crate) terminal: &'a Terminal,
    pub(crate) on_interrupt: OnInterrupt,
    pub(crate) who: AnsweredBy,
}

impl Follow<'_> {
    /// Shows what happens after a command, until the run ends or waits for a person who is not here.
    pub(crate) async fn run(&self, mut told: FollowFrom) -> Result<FollowEnd> {
        loop {
            let ended = if told.is_at_rest {
                self.repeat_question(&told.row);
                FollowEnd::Rested(told.row)
            } else {
                self.until_rest(told).await?
            };
            let FollowEnd::Rested(row) = ended else { return Ok(ended) };
            if let Some(pause) = self.pause_of_others(&row) {
                let resume = format!("amelia resume {}", row.run.number);
                self.terminal
                    .note(&format!("paused by another command; this one continues after `{resume}`"));
                match self.left_to_others(&row, pause).await? {
                    Some(answered) => told = FollowFrom::with_answers(row, vec![answered]),
                    None => return Ok(FollowEnd::Interrupted(row)),
                }
                continue;
            }
            match self.answer(&row).await? {
                None => return Ok(FollowEnd::Rested(row)),
                Some(answered) => told = FollowFrom::with_answers(row, vec![answered]),
            }
        }
    }

    /// The pause of a run that works elsewhere, if a person here watches it: they did not ask for it, and stay.
    fn pause_of_others<'a>(&self, row: &'a RunRow) -> Option<&'a HumanRequest> {
        let stays = self.on_interrupt == OnInterrupt::LookAway && self.terminal.is_interactive();
        open_question(row).filter(|request| stays && request.kind == HumanKind::Pause)
    }

    /// What a run asked before anyone looked. A plan is shown with its question.
    fn repeat_question(&self, row: &RunRow) {
        if let Some(request) =
            open_question(row).filter(|request| HumanChoice::of(request) != Some(HumanChoice::Plan))
        {
            self.terminal.question(request);
        }
    }

    /// The same, from the beginning of a run.
    pub(crate) async fn whole(&self, run: RunId) -> Result<FollowEnd> {
        let mut told = FollowFrom::to_go_on(self.client.row(run).await?);
        told.row.view = amelia_core::view::RunView::default();
        self.run(told).await
    }

    /// Answers what a run waits for, if a person here can.
    async fn answer(&self, row: &RunRow) -> Result<Option<RequestId>> {
        let Some(request) = open_question(row) else { return Ok(None) };
        if self.who == AnsweredBy::Elsewhere {
            self.terminal.note("this is waiting for you in the browser");
            return self.left_to_others(row, request).await;
        }
        if let Some(until) = request.waits_until().filter(|_| !self.terminal.is_interactive()) {
            self.terminal.note(&format!("waiting until {}", ui::clock_time(until)));
            return match self.client.is_local() {
                true => self.waited(row, request, until).await,
                false => self.left_to_others(row, request).await,
            };
        }
        let decision = tokio::select! {
            decision = self.decided(row, request) => decision?,
            () = answered_elsewhere(self.client, row, request.id) => {
                let is_late = request.deadline.is_some_and(|deadline| deadline <= Timestamp::now());
                self.terminal.note(if is_late { "its time is over" } else { "another client has answered" });
                return Ok(Some(request.id));
            }
        };
        match decision {
            None => Ok(None),
            Some(decision) => {
                deliver(self.client, row.run.id, request, &decision).await?;
                Ok(Some(request.id))
            }
        }
    }

    /// Waits for an answer of another person, unless the person here has had enough.
    async fn left_to_others(&self, row: &RunRow, request: &HumanRequest) -> Result<Option<RequestId>> {
        let mut pressed = signal(SignalKind::interrupt())?;
        tokio::select! {
            () = answered_elsewhere(self.client, row, request.id) => Ok(Some(request.id)),
            _ = pressed.recv() => Ok(None),
        }
    }

    /// Waits for the time that a run waits for. Without a server there is no alarm clock for what was asked before this
    /// process began.
    async fn waited(
        &self,
        row: &RunRow,
        request: &HumanRequest,
        until: Timestamp,
    ) -> Result<Option<RequestId>> {
        let mut pressed = signal(SignalKind::interrupt())?;
        let rest = Duration::try_from(until.duration_since(Timestamp::now())).unwrap_or_default();
        tokio::select! {
            () = tokio::time::sleep(rest + ALARM) => {}
            () = answered_elsewhere(self.client, row, request.id) => return Ok(Some(request.id)),
            _ = pressed.recv() => return Ok(None),
        }
        match deliver(self.client, row.run.id, request, &Decision::automatic_yes()).await {
            // The alarm clock was faster.
            Err(error) if exit_of(&error) == Exit::Conflict => Ok(Some(request.id)),
            delivered => delivered.map(|_| Some(request.id)),
        }
    }

    /// What is decided here: by itself, or by the person if one is here.
    async fn decided(&self, row: &RunRow, request: &HumanRequest) -> Result<Option<Decision>> {
        let Some(choice) = HumanChoice::of(request) else { return Ok(None) };
        if self.who == AnsweredBy::Auto && choice.is_for_auto() && !has_problems(request) {
            return Ok(Some(Decision::automatic_yes()));
        }
        if !self.terminal.is_interactive() {
            return Ok(None);
        }
        if choice == HumanChoice::Plan
            && let Some(plan) = plan(self.client, row.run.id).await?
        {
            anstream::println!("\n{}\n", markdown(&plan, Some(ui::width())));
            if let Some(estimate) = self.client.estimate_words(row).await? {
                ui::say!("{} {estimate}", ui::bold("Estimate:"));
            }
            ui::say!("{}", ui::clean(&request.prompt));
        }
        if choice == (HumanChoice::Rounds { can_accept: true })
            && self.client.has_changed_nothing(row.run.id).await
        {
            ui::say!("{}", ui::painted(ui::WAITS, NOTHING_TO_ACCEPT));
        }
        ui::say!("{}", ui::dim(choice.ways(request, row.run.spec.profile.is_some())));
        while let Some(words) = self.terminal.ask(request).await? {
            if words.trim() == "?" {
                ui::say!("{}", ui::dim(choice.explanation()));
                continue;
            }
            match choice.decide(&words, request) {
                Ok(decision) => return Ok(Some(decision)),
                Err(instead) => ui::say!("{}", ui::dim(instead)),
            }
        }
        Ok(None)
    }
}

/// The question that a run waits for.
pub(crate) fn open_question(row: &RunRow) -> Option<&HumanRequest> {
    row.view.asked()
}

/// The plan of a run in Markdown, when it has one.
pub(crate) async fn plan(client: &Client, run: RunId) -> Result<Option<String>> {
    let shown: serde_json::Value = client.get(&format!("/workflows/{run}")).await?;
    let markdown = shown.pointer("/state/draft/markdown").and_then(serde_json::Value::as_str);
    Ok(markdown.map(str::to_owned))
}

/// A plan that the validator refused is for a person to decide about: saying yes to it would only bring it back.
pub(crate) fn has_problems(request: &HumanRequest) -> bool {
    request
        .context
        .get("problems")
        .and_then(serde_json::Value::as_array)
        .is_some_and(|problems| !problems.is_empty())
}
