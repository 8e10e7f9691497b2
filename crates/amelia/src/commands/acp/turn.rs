//! From a prompt to the end of its turn: a run is started, answered or followed until it ends or needs words of the person.

use amelia_core::event::{EventKind, PlanEvent};
use amelia_core::human::HumanRequest;
use amelia_core::id::{RequestId, RunId};
use amelia_core::problem::Problem;
use amelia_core::run::RunStatus;
use amelia_core::view::RunRow;
use amelia_wire::rest::delivery::{Merge, MergeAnswer};
use amelia_wire::rest::request::Accepted;
use anyhow::Result;
use serde_json::{Value, json};

use super::editor::Editor;
use super::prompt::Prompt;
use super::question::{self, AnswerOption};
use super::session::OpenTurn;
use super::updates::{UpdateMaker, message};
use crate::cli::Global;
use crate::cli_error::{CliError, Exit, exit_of};
use crate::client::Client;
use crate::commands::new_run::{NewRun, RunMode};
use crate::follow::{
    FollowFrom, FollowStep, HumanChoice, RunFollower, answered_elsewhere, deliver, needs_person,
    open_question, plan,
};
use crate::outcome;

/// Why a turn has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StopReason {
    EndTurn,
    Cancelled,
}

impl StopReason {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::EndTurn => "end_turn",
            Self::Cancelled => "cancelled",
        }
    }
}

/// What has come of a question.
enum AnswerTime {
    /// It was answered, here or elsewhere.
    Answered,
    /// The person answers with the next prompt, or later.
    Later,
}

/// One turn, and whom it talks to.
pub(super) struct Turn<'a> {
    pub(super) client: &'a Client,
    pub(super) global: &'a Global,
    pub(super) editor: &'a Editor,
    pub(super) turn: &'a OpenTurn,
}

impl Turn<'_> {
    pub(super) async fn run(&self, words: &str) -> Result<StopReason> {
        let begun = match Prompt::of(words) {
            Prompt::Merge => {
                self.merge().await?;
                None
            }
            Prompt::Resume => Some(self.resume().await?),
            Prompt::Follow(run) => Some(self.attach(run).await?),
            Prompt::Do(task) => Some(self.start(task, RunMode::Do).await?),
            Prompt::Words(words) => self.words(words).await?,
        };
        match begun {
            None => Ok(StopReason::EndTurn),
            Some(told) => self.follow(told).await,
        }
    }

    /// An answer if the run waits for one, else a new task. Nothing to follow if the answer made no sense.
    async fn words(&self, words: &str) -> Result<Option<FollowFrom>> {
        let Some((row, request)) = self.open_question().await? else {
            return self.start(words, self.turn.session.mode()).await.map(Some);
        };
        let decided = HumanChoice::of(&request).map(|choice| choice.decide(words, &request));
        match decided {
            // It is paused: words do not resume it.
            None => self.say("The run is paused. `/resume` continues it.").await,
            Some(Err(instead)) => self.say(&instead).await,
            Some(Ok(decision)) => {
                deliver(self.client, row.run.id, &request, &decision).await?;
                return Ok(Some(FollowFrom::with_answers(row, vec![request.id])));
            }
        }
        Ok(None)
    }

    /// What the run of this session waits for.
    async fn open_question(&self) -> Result<Option<(RunRow, HumanRequest)>> {
        let Some(run) = self.turn.session.run() else { return Ok(None) };
        let row = self.client.row(run).await?;
        let request = open_question(&row).cloned();
        Ok(request.map(|request| (row, request)))
    }

    async fn start(&self, task: &str, mode: RunMode) -> Result<FollowFrom> {
        let directory = self.turn.session.directory.clone();
        let new = NewRun { mode, task: task.to_owned(), directory, ..NewRun::default() };
        let run = new.create(self.client, self.global).await?;
        self.turn.session.set_run(run)?;
        let row = self.client.row(run).await?;
        self.say(&format!("Run {} has started.", row.run.number)).await;
        Ok(FollowFrom::to_go_on(row))
    }

    async fn attach(&self, run: &str) -> Result<FollowFrom> {
        let row = self.client.find(run).await?;
        self.turn.session.set_run(row.run.id)?;
        self.say(&format!("Run {}: {} ({})", row.run.number, row.run.spec.title, row.view.status_words()))
            .await;
        Ok(if needs_person(&row) { FollowFrom::at_rest(row) } else { FollowFrom::to_go_on(row) })
    }

    async fn resume(&self) -> Result<FollowFrom> {
        let row = self.own_run().await?;
        let what = if row.view.status == RunStatus::Pending { "start" } else { "resume" };
        self.client.post::<Accepted>(&format!("/workflows/{}/{what}", row.run.id), &json!({})).await?;
        let answered = row.view.pending.iter().map(|request| request.id).collect();
        Ok(FollowFrom::with_answers(row, answered))
    }

    async fn merge(&self) -> Result<()> {
        let run = self.own_run().await?.run.id;
        let path = format!("/workflows/{run}/merge");
        let MergeAnswer { merged, undo, notes } = self.client.post(&path, &Merge::default()).await?;
        let notes: String = notes.iter().map(|note| format!("\n\nNote: {note}")).collect();
        let (branch, into) = (merged.branch, merged.into);
        let undo = format!("Undo, as long as {into} has no newer commits: `{undo}`");
        self.say(&format!("Merged {branch} into {into}.{notes}\n\n{undo}")).await;
        Ok(())
    }

    async fn own_run(&self) -> Result<RunRow> {
        let Some(run) = self.turn.session.run() else {
            let refusal = CliError::new(Exit::Conflict, "this session has no run yet");
            return Err(refusal.with_hint("describe a task, or name a run with /follow").into());
        };
        self.client.row(run).await
    }

    /// Shows a run and asks what it asks, until the turn ends.
    async fn follow(&self, mut told: FollowFrom) -> Result<StopReason> {
        let run = told.row.run.id;
        let mut maker = UpdateMaker::default();
        if let Some(markdown) = plan(self.client, run).await? {
            let done = told.row.view.task.as_ref().map_or(0, |task| task.index);
            self.show(maker.plan(&markdown, done)).await;
        }
        loop {
            let worked = async {
                let row = self.until_rest(told, &mut maker).await?;
                let asked = self.ask(&row).await?;
                Ok::<_, anyhow::Error>((row, asked))
            };
            let (row, asked) = tokio::select! {
                worked = worked => worked?,
                () = self.turn.cancelled.notified() => return self.cancel(run).await,
            };
            told = match asked {
                None if !needs_person(&row) => FollowFrom::to_go_on(row),
                None => {
                    self.conclude(&row).await?;
                    return Ok(StopReason::EndTurn);
                }
                Some((_, AnswerTime::Later)) => return Ok(StopReason::EndTurn),
                Some((request, AnswerTime::Answered)) => FollowFrom::with_answers(row, vec![request]),
            };
        }
    }

    async fn until_rest(&self, told: FollowFrom, maker: &mut UpdateMaker) -> Result<RunRow> {
        let mut follower = RunFollower::new(self.client, told);
        loop {
            let updates = match follower.next().await? {
                FollowStep::Event(event) => {
                    let mut updates = maker.event(&event);
                    if matches!(event.draft.kind, EventKind::Plan(PlanEvent::Validated { .. }))
                        && let Some(markdown) = plan(self.client, event.run).await?
                    {
                        updates.extend(maker.plan(&markdown, 0));
                    }
                    updates
                }
                FollowStep::Delta(speaker, kind, text) => maker.delta(&speaker, kind, &text),
                FollowStep::Missed => maker.missed(),
                FollowStep::Lost => vec![message("The server has stopped; waiting for another.\n\n")],
                FollowStep::Rested => return Ok(follower.into_row()),
            };
            self.show(updates).await;
        }
    }

    async fn show(&self, updates: impl IntoIterator<Item = Value>) {
        for update in updates {
            self.editor.update(&self.turn.session.id, update).await;
        }
    }

    /// The editor has cancelled the turn. A run that has ended by itself is as good.
    async fn cancel(&self, run: RunId) -> Result<StopReason> {
        match self.client.tell(run, "cancel").await {
            Err(error) if exit_of(&error) != Exit::Conflict => Err(error),
            Ok(()) | Err(_) => Ok(StopReason::Cancelled),
        }
    }

    /// Asks the person what the run asks; nothing if it asks nothing.
    async fn ask(&self, row: &RunRow) -> Result<Option<(RequestId, AnswerTime)>> {
        let Some(request) = open_question(row).filter(|_| needs_person(row)) else { return Ok(None) };
        let Some(choice) = HumanChoice::of(request) else { return Ok(None) };
        let options = question::options(choice, request, row.run.spec.profile.is_some());
        if options.is_empty() {
            self.say(&format!("{}\n\n{}", request.prompt, question::invitation(choice))).await;
            return Ok(Some((request.id, AnswerTime::Later)));
        }
        let details = match request.is_about_plan() {
            true => self.shown_plan(row).await?,
            false => String::new(),
        };
        let asked = question::ask(&self.turn.session.id, request, &options, &details);
        let outcome = tokio::select! {
            outcome = self.editor.ask("session/request_permission", &asked) => outcome.unwrap_or_default(),
            () = answered_elsewhere(self.client, row, request.id) => {
                self.editor.update(&self.turn.session.id, question::answered(request, true)).await;
                self.say("Another client has answered.").await;
                return Ok(Some((request.id, AnswerTime::Answered)));
            }
        };
        let chosen = question::chosen(&outcome, &options);
        let is_yes = chosen.is_some_and(AnswerOption::is_yes);
        self.editor.update(&self.turn.session.id, question::answered(request, is_yes)).await;
        let Some(words) = chosen.and_then(AnswerOption::words) else {
            self.say(question::invitation(choice)).await;
            return Ok(Some((request.id, AnswerTime::Later)));
        };
        let decision =
            choice.decide(words, request).map_err(|instead| CliError::new(Exit::Failed, instead))?;
        deliver(self.client, row.run.id, request, &decision).await?;
        Ok(Some((request.id, AnswerTime::Answered)))
    }

    /// The plan and what it will probably cost, said before it is asked about.
    async fn shown_plan(&self, row: &RunRow) -> Result<String> {
        let run = row.run.id;
        let Some(plan) = plan(self.client, run).await? else { return Ok(String::new()) };
        let estimate = self.client.estimate_words(row).await?;
        let cost = estimate.map(|estimate| format!("\n\nEstimate: {estimate}")).unwrap_or_default();
        let shown = format!("{}{cost}", plan.trim());
        self.say(&shown).await;
        Ok(shown)
    }

    /// How the run came out, and what can be done now.
    async fn conclude(&self, row: &RunRow) -> Result<()> {
        let run = row.run.number;
        let text = match row.view.status {
            RunStatus::Completed => {
                let outcome = self.client.outcome(row).await?;
                let lines: Vec<String> = outcome.iter().flat_map(outcome::lines).collect();
                let lines = anstream::adapter::strip_str(&lines.join("\n\n")).to_string();
                let has_changes = row.run.spec.place.is_some();
                let next = if has_changes { "`/merge` merges the changes into your branch." } else { "" };
                format!("Run {run} is completed.\n\n{lines}\n\n{next}")
            }
            RunStatus::Failed => {
                let failure =
                    row.view.failure.as_ref().map(|failure| Problem::parse(&failure.message).to_text());
                format!("Run {run} has failed: {}\n\n`/resume` tries again.", failure.unwrap_or_default())
            }
            RunStatus::Cancelled => format!("Run {run} is cancelled."),
            RunStatus::Waiting(_) | RunStatus::Pending | RunStatus::Running => {
                format!("Run {run} is {}. `/resume` continues it.", row.view.status_words())
            }
        };
        self.say(text.trim()).await;
        Ok(())
    }

    async fn say(&self, text: &str) {
        self.editor.update(&self.turn.session.id, message(&format!("{text}\n\n"))).await;
    }
}
