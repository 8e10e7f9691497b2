//! What a person wants of a run: resume it, answer it, speak to it, limit it, pause it, cancel it. A run that moves is
//! reached by its engine; at rest the command is written into its log, and a run that is to move again is queued in the same
//! commit. So what is answered with `Ok` survives the end of the process.

use std::collections::BTreeMap;

use amelia_core::budget::Budget;
use amelia_core::check::CheckCommand;
use amelia_core::elicitation::Elicitation;
use amelia_core::event::human::{Intervention, InterventionKind};
use amelia_core::event::{Event, EventKind, HumanEvent, RunEvent};
use amelia_core::human::{HumanAction, HumanReply, WaitMode};
use amelia_core::human_tool::after_advice;
use amelia_core::id::{RunId, Seq};
use amelia_core::message::Object;
use amelia_core::permission::{MAX_GRANTS, PermissionGrant};
use amelia_core::problem::Problem;
use amelia_core::quota::{ExhaustedQuota, SYSTEM};
use amelia_core::run::RunStatus;
use amelia_core::state_updates;
use amelia_core::store::StoreError;
use amelia_core::view::RunRow;
use amelia_graph::control::{Control, ControlError};
use jiff::Timestamp;
use serde_json::Value;

use super::{CANCEL_TIMEOUT, CommandError, Orchestrator, WAKE_TIMEOUT};
use crate::runs::AtRest;

/// Words that wait for an agent of one run. They are part of its row, which every commit writes.
pub(super) const MAX_UNHEARD_BYTES: usize = 64 * 1024;

/// The longest answer to a question; a model reads it as a whole.
const MAX_ANSWER_BYTES: usize = 256 * 1024;

/// What a person tells agents of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction<'a> {
    pub text: &'a str,
    /// The agent that it is for; otherwise the next that listens.
    pub agent: Option<String>,
    pub by: Option<String>,
}

/// How a run is reached.
pub(super) enum Reach {
    Moving(Control),
    AtRest(Box<AtRest>),
}

impl Orchestrator {
    /// Starts a run that was only created or forked, or resumes one that has failed or was interrupted.
    pub async fn launch(&self, run: RunId) -> Result<(), CommandError> {
        let at_rest = self.at_rest(run).await?.ok_or(CommandError::AlreadyStarted(run))?;
        let view = &at_rest.row.view;
        match view.status {
            RunStatus::Completed | RunStatus::Cancelled => return Err(CommandError::Ended(run)),
            RunStatus::Waiting(_) => return Err(CommandError::AlreadyStarted(run)),
            // Queued before, or interrupted: its log says already that it is to move.
            RunStatus::Pending | RunStatus::Running if view.is_wanted() => {}
            RunStatus::Pending | RunStatus::Running | RunStatus::Failed => {
                self.write(&at_rest, vec![EventKind::Run(RunEvent::Queued)]).await?;
            }
        }
        drop(at_rest);
        self.wake(run).await
    }

    /// Answers a question. Durable when it returns `Ok`; the run resumes by itself as soon as a worker is free.
    pub async fn reply(&self, run: RunId, reply: HumanReply) -> Result<(), CommandError> {
        let row = self.row(run).await?;
        if reply.message.as_ref().is_some_and(|message| message.len() > MAX_ANSWER_BYTES) {
            return Err(CommandError::AnswerTooLong(run));
        }
        if let Some(grant) = &reply.grant {
            self.check_grant(&row, grant)?;
        }
        let request = row.view.pending.iter().find(|request| request.id == reply.request);
        if let Some(asked) = request.and_then(Elicitation::of) {
            asked.answer(&reply).map_err(CommandError::BadAnswer)?;
        }
        if let Some(request) = request
            && let Some(reason) = state_updates::refusal(request, &reply)
            && !self.is_edited_since(run, request.at).await?
        {
            let problem = Problem::new(reason);
            return Err(CommandError::BadEdit(problem.with_hint("the run still waits: answer again")));
        }
        let reply = self.0.assembler.clean(&row, reply).map_err(CommandError::Refused)?;
        let reply = self.checked_reply(&row, reply).await?;
        if let Some(account) = lifted(&row, &reply) {
            self.0.assembler.lift(&account);
        }
        if let Some(set) = state_updates(&row, &reply)? {
            self.edit_state(run, set, reply.by.clone()).await?;
        }
        if let Some(words) = words_for_agents(&row, &reply) {
            self.speak(run, words.to_owned(), None, reply.by.clone()).await?;
        }
        loop {
            match self.reach(run).await? {
                Reach::AtRest(at_rest) => return self.answer(at_rest, vec![reply]).await,
                Reach::Moving(control) => match control.reply(reply.clone()).await {
                    Ok(()) => return Ok(()),
                    Err(ControlError::NotWaiting(_)) => return Err(CommandError::NotWaiting(run)),
                    // It came to rest in this moment.
                    Err(ControlError::NotRunning) => self.wait_for_rest(run).await,
                },
            }
        }
    }

    /// Whether a person has changed the state of a run, so that a question shows an older one.
    async fn is_edited_since(&self, run: RunId, at: Timestamp) -> Result<bool, StoreError> {
        const PAGE: usize = 1000;
        let mut after = Seq::START;
        loop {
            let events = self.0.runs.store().events(run, after, PAGE).await?;
            let is_edit =
                |event: &Event| matches!(event.draft.kind, EventKind::Run(RunEvent::StateEdited { .. }));
            if events.iter().any(|event| event.draft.at > at && is_edit(event)) {
                return Ok(true);
            }
            match events.last() {
                Some(last) if events.len() == PAGE => after = last.seq,
                Some(_) | None => return Ok(false),
            }
        }
    }

    /// Whether a run can be granted this rule: no secret gets into one, and their number is limited.
    pub fn check_grant(&self, row: &RunRow, grant: &PermissionGrant) -> Result<(), CommandError> {
        let clean = self.0.assembler.clean_text(row, &grant.rule).map_err(CommandError::Refused)?;
        if clean != grant.rule {
            let problem = Problem::new("the rule contains a secret");
            return Err(CommandError::BadRule(
                problem.with_hint("write a rule without it, or approve the call once"),
            ));
        }
        if row.view.granted.len() >= MAX_GRANTS {
            let problem = Problem::new(format!("run {} has {MAX_GRANTS} rules already", row.run.number));
            let hint = "approve the call once, or remove a rule: `amelia permission remove`";
            return Err(CommandError::BadRule(problem.with_hint(hint)));
        }
        Ok(())
    }

    /// Writes answers to a run at rest, and queues it.
    pub(super) async fn answer(
        &self,
        at_rest: Box<AtRest>,
        replies: Vec<HumanReply>,
    ) -> Result<(), CommandError> {
        let RunRow { run, view } = &at_rest.row;
        let run = run.id;
        if view.status.is_final() {
            return Err(CommandError::Ended(run));
        }
        let is_open = |reply: &HumanReply| view.pending.iter().any(|request| request.id == reply.request);
        if !replies.iter().all(is_open) {
            return Err(CommandError::NotWaiting(run));
        }
        let advice = |reply: &HumanReply| {
            let mut asked = view.pending.iter().filter(|asked| asked.mode == Some(WaitMode::Advisory));
            asked.find(|asked| asked.id == reply.request).cloned()
        };
        // Nothing waits for advice.
        let moves = replies.iter().any(|reply| advice(reply).is_none());
        let queued = (moves && !view.is_wanted()).then_some(EventKind::Run(RunEvent::Queued));
        let replied = replies.into_iter().flat_map(|reply| {
            let granted = reply.granted().cloned().map(RunEvent::PermissionGranted).map(EventKind::Run);
            let then = advice(&reply).map(|asked| after_advice(asked, &reply, self.0.runs.new_run().0));
            let replied = EventKind::Human(HumanEvent::Replied(reply));
            [replied].into_iter().chain(granted).chain(then.map(EventKind::Human))
        });
        self.write(&at_rest, replied.chain(queued).collect()).await?;
        drop(at_rest);
        if moves { self.wake(run).await } else { Ok(()) }
    }

    /// Queues a run that its log says is to move. When a worker is free for it, the caller finds it running: it waits a
    /// moment for the first fact.
    async fn wake(&self, run: RunId) -> Result<(), CommandError> {
        let row = self.row(run).await?;
        let mut log = self.watch(run, row.view.seq);
        self.enqueue(&row);
        if self.is_moving(run) {
            let moved = async {
                tokio::select! {
                    _ = log.next() => {}
                    () = self.wait_for_rest(run) => {}
                }
            };
            // Later is fine, too: what was asked for is written.
            tokio::time::timeout(WAKE_TIMEOUT, moved).await.ok();
        }
        Ok(())
    }

    /// Sets other limits for a run that is not at work. They count from its next move on.
    pub async fn limit(&self, run: RunId, budget: Budget) -> Result<(), CommandError> {
        self.change(run, RunEvent::Limited { budget }).await
    }

    /// Lets a run that is not at work run other checks than those it was created with.
    pub async fn replace_checks(&self, run: RunId, checks: Vec<CheckCommand>) -> Result<(), CommandError> {
        self.change(run, RunEvent::ChecksReplaced { checks }).await
    }

    /// Lets other agents work on a run that is not at work than those it was created with.
    pub async fn replace_agents(&self, run: RunId, agents: Object) -> Result<(), CommandError> {
        self.change(run, RunEvent::AgentsReplaced { agents }).await
    }

    /// Hides a run that has ended from lists, or shows it again.
    pub async fn archive(&self, run: RunId, is_archived: bool) -> Result<(), CommandError> {
        let at_rest = self.at_rest(run).await?.ok_or(CommandError::NotEnded(run))?;
        let view = &at_rest.row.view;
        if !view.status.is_final() {
            return Err(CommandError::NotEnded(run));
        }
        if view.is_archived == is_archived {
            return Ok(());
        }
        self.write(&at_rest, vec![EventKind::Run(RunEvent::Archived { is_archived })]).await
    }

    /// Writes what counts from the next move of a run on.
    async fn change(&self, run: RunId, change: RunEvent) -> Result<(), CommandError> {
        let at_rest = self.at_rest(run).await?.ok_or(CommandError::AtWork(run))?;
        match at_rest.row.view.status {
            RunStatus::Completed | RunStatus::Cancelled => Err(CommandError::Ended(run)),
            RunStatus::Pending | RunStatus::Running | RunStatus::Waiting(_) | RunStatus::Failed => {
                self.write(&at_rest, vec![EventKind::Run(change)]).await
            }
        }
    }

    /// A run that no engine moves. One whose log says that it rests is let go of by its engine in this moment.
    pub(super) async fn at_rest(&self, run: RunId) -> Result<Option<Box<AtRest>>, CommandError> {
        loop {
            match self.reach(run).await? {
                Reach::AtRest(at_rest) => return Ok(Some(at_rest)),
                Reach::Moving(_) => match self.row(run).await?.view.status {
                    RunStatus::Pending | RunStatus::Running => return Ok(None),
                    RunStatus::Waiting(_)
                    | RunStatus::Failed
                    | RunStatus::Completed
                    | RunStatus::Cancelled => self.wait_for_rest(run).await,
                },
            }
        }
    }

    /// Says something to a run: an agent of it hears it as soon as it can, or when the run resumes. Durable when it
    /// returns `Ok`.
    pub async fn say(&self, run: RunId, text: &str) -> Result<(), CommandError> {
        self.instruct(run, Instruction { text, agent: None, by: None }).await.map(|_| ())
    }

    /// The same to one of its agents. Returns the id of the words.
    pub async fn instruct(&self, run: RunId, instruction: Instruction<'_>) -> Result<String, CommandError> {
        let Instruction { text, agent, by } = instruction;
        let row = self.row(run).await?;
        let unheard: usize = row.view.unheard.iter().map(length).sum();
        if unheard.saturating_add(text.len()) > MAX_UNHEARD_BYTES {
            return Err(CommandError::TooManyWords { run, unheard });
        }
        let text = self.0.assembler.clean_text(&row, text).map_err(CommandError::Refused)?;
        let text = self.checked_text(&row, text).await?;
        self.speak(run, text, agent, by).await
    }

    /// Tells an agent what was checked already. Returns the id of the words.
    async fn speak(
        &self,
        run: RunId,
        text: String,
        agent: Option<String>,
        by: Option<String>,
    ) -> Result<String, CommandError> {
        let agent = agent.map(|name| ("agent".to_owned(), name.into()));
        let id = self.0.runs.new_run().to_string();
        let words = Intervention {
            id: id.clone(),
            kind: InterventionKind::Instruction,
            details: Object::from_iter([("message".to_owned(), text.into())].into_iter().chain(agent)),
            by,
        };
        loop {
            match self.reach(run).await? {
                Reach::Moving(control) => match control.say(words.clone()).await {
                    Ok(()) => return Ok(id),
                    // It came to rest in this moment.
                    Err(_) => self.wait_for_rest(run).await,
                },
                Reach::AtRest(at_rest) => {
                    if matches!(at_rest.row.view.status, RunStatus::Completed | RunStatus::Cancelled) {
                        return Err(CommandError::Ended(run));
                    }
                    let said = EventKind::Human(HumanEvent::Intervened(words));
                    return self.write(&at_rest, vec![said]).await.map(|()| id);
                }
            }
        }
    }

    /// Writes facts about what a run has or uses, at work or not, that come neither from its engine nor from its agents
    /// ([`EventKind::may_come_from_outside`]). After the end of a run only its artifacts change. Durable when it returns `Ok`.
    pub async fn note(&self, run: RunId, facts: Vec<EventKind>) -> Result<(), CommandError> {
        debug_assert!(facts.iter().all(EventKind::may_come_from_outside), "a replay would not know them");
        loop {
            match self.reach(run).await? {
                Reach::Moving(control) => match control.note(facts.clone()).await {
                    Ok(()) => return Ok(()),
                    // It came to rest in this moment.
                    Err(_) => self.wait_for_rest(run).await,
                },
                Reach::AtRest(at_rest) => {
                    let has_ended =
                        matches!(at_rest.row.view.status, RunStatus::Completed | RunStatus::Cancelled);
                    if has_ended && !facts.iter().all(|fact| matches!(fact, EventKind::Artifact(_))) {
                        return Err(CommandError::Ended(run));
                    }
                    return self.write(&at_rest, facts).await;
                }
            }
        }
    }

    /// Stops a run at once, and asks before it resumes. Durable when it returns `Ok`.
    pub async fn pause(&self, run: RunId) -> Result<(), CommandError> {
        let row = self.row(run).await?;
        let control = self.control(run).ok_or(match row.view.status.is_final() {
            true => CommandError::Ended(run),
            false => CommandError::NotRunning(run),
        })?;
        control.halt().await.map_err(|_| CommandError::NotRunning(run))
    }

    /// Ends a run, at any point of its work. What it has done is kept.
    pub async fn cancel(&self, run: RunId) -> Result<(), CommandError> {
        if matches!(self.row(run).await?.view.status, RunStatus::Completed | RunStatus::Cancelled) {
            return Err(CommandError::Ended(run));
        }
        let at_rest = loop {
            match self.reach(run).await? {
                Reach::AtRest(at_rest) => break at_rest,
                Reach::Moving(_) => {
                    self.cancel_moving(run);
                    if tokio::time::timeout(CANCEL_TIMEOUT, self.wait_for_rest(run)).await.is_err() {
                        return Err(CommandError::StillAtIt(run));
                    }
                }
            }
        };
        self.0.at_work.lock().queue.forget(run);
        match at_rest.row.view.status {
            RunStatus::Completed => Err(CommandError::Ended(run)),
            RunStatus::Cancelled => Ok(()),
            RunStatus::Pending | RunStatus::Running | RunStatus::Waiting(_) | RunStatus::Failed => {
                self.write(&at_rest, vec![EventKind::Run(RunEvent::Cancelled { by: None })]).await?;
                tracing::info!(%run, "cancelled");
                Ok(())
            }
        }
    }

    /// The engine that moves the run, or the run at rest, which no engine moves until that is dropped.
    pub(super) async fn reach(&self, run: RunId) -> Result<Reach, CommandError> {
        loop {
            if let Some(control) = self.control(run) {
                return Ok(Reach::Moving(control));
            }
            match self.0.runs.at_rest(run).await? {
                Some(at_rest) => return Ok(Reach::AtRest(Box::new(at_rest))),
                // It started in this moment, or an engine that is not ours moves it.
                None if self.control(run).is_none() => return Err(CommandError::AtWork(run)),
                None => {}
            }
        }
    }

    /// Writes facts about a run at rest.
    pub(super) async fn write(&self, at_rest: &AtRest, kinds: Vec<EventKind>) -> Result<(), CommandError> {
        self.0.runs.record(at_rest, kinds).await?;
        self.settled(at_rest.row.run.id);
        Ok(())
    }
}

fn length(words: &Intervention) -> usize {
    words.details.values().filter_map(serde_json::Value::as_str).map(str::len).sum()
}

/// What a person said when they let a run continue that the engine had stopped. No node asked for it, so it is for the
/// agents.
fn words_for_agents<'a>(row: &RunRow, reply: &'a HumanReply) -> Option<&'a str> {
    let request = row.view.pending.iter().find(|request| request.id == reply.request)?;
    let goes_on = matches!(reply.action, HumanAction::Approve | HumanAction::Modify);
    let is_stop = request.kind.is_stop() || request.is_gate_of_engine();
    reply.message.as_deref().filter(|words| is_stop && goes_on && !words.trim().is_empty())
}

/// Changes of the state that come with the answer to a stop of the engine. What a node asks, it answers itself.
fn state_updates(row: &RunRow, reply: &HumanReply) -> Result<Option<BTreeMap<String, Value>>, CommandError> {
    let request = row.view.pending.iter().find(|request| request.id == reply.request);
    let is_change =
        request.is_some_and(|request| request.kind.is_stop()) && reply.action == HumanAction::Modify;
    match reply.updates.as_ref().filter(|updates| is_change && !updates.is_null()) {
        None => Ok(None),
        Some(Value::Object(updates)) => Ok(Some(updates.clone().into_iter().collect())),
        Some(_) => Err(CommandError::BadEdit(Problem::new("`state_updates` must be an object"))),
    }
}

/// The account that a person wants to be tried, against the answer of its provider.
fn lifted(row: &RunRow, reply: &HumanReply) -> Option<String> {
    let (request, used_up) = ExhaustedQuota::waited_for(&row.view)?;
    let is_a_persons = reply.request == request && reply.by.as_deref() != Some(SYSTEM);
    (is_a_persons && reply.action != HumanAction::Reject).then_some(used_up.account)
}
