//! Plays a run again from its recording: the same code, no network, no model, no program, no git. What it writes into its
//! log is compared with what was written then, fact by fact; the first difference ends it.
//!
//! Declared to differ: the ids of events, messages and questions, times and durations, what tokens cost (prices change),
//! the order of facts that came from several agents at the same time, and the wording of prompts, tool texts, questions
//! and warnings (`amelia-core/src/recording/wording.rs`).

mod checked;
mod facts;
mod lives;
mod stage;
pub mod tape;

use std::sync::Arc;
use std::time::Duration;

use amelia_core::checkpoint::{Checkpoint, LoadedCheckpoint};
use amelia_core::event::human::{Intervention, InterventionKind};
use amelia_core::event::run::FieldEdit;
use amelia_core::event::{Draft, Event, EventKind, HumanEvent, RunEvent};
use amelia_core::human::HumanReply;
use amelia_core::id::RunId;
use amelia_core::object::Object;
use amelia_core::recording::{Difference, NoTape};
use amelia_core::store::{CheckpointAt, Commit, Store};
use amelia_core::view::RunRow;
use amelia_graph::control::control;
use amelia_graph::editing::{EditedState, StateEdit};
use amelia_graph::engine::{EngineError, Stop};
use amelia_orchestrator::runs::{Move, Runs};
use anyhow::{Result, anyhow};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use self::checked::{Due, ReplayStore};
use self::lives::{Life, lives};
use self::stage::{Set, set};
use self::tape::{Beginning, Recording};
use crate::home::Home;
use crate::pipelines;
use crate::recording::tree::RecordedTree;
use crate::run_assembler::RunAssembler;
use crate::run_environment::RunEnvironment;

/// In time that only passes when nothing else happens: nothing will.
const STUCK: Duration = Duration::from_secs(7 * 24 * 3600);

/// What came of a replay that went well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplaySummary {
    pub events: usize,
    /// How often the run had been resumed: after an answer, a failure, a crash.
    pub lives: usize,
    /// The last tree that the run came to.
    pub tree: Option<RecordedTree>,
}

/// Plays a recording. `Ok(Err(…))` is the first difference.
pub fn replay(home: &Home, recording: Recording) -> Result<Result<ReplaySummary, Difference>> {
    let home = home.clone();
    // No I/O at all in this runtime: nothing could open a socket. Its time passes only when no task has anything to do.
    let play = move || {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build()?;
        runtime.block_on(play(&home, &recording))
    };
    std::thread::spawn(play)
        .join()
        .map_err(|_| anyhow!("the replay panicked: this is a bug in Amelia; please report it"))?
}

async fn play(home: &Home, recording: &Recording) -> Result<Result<ReplaySummary, Difference>> {
    let lives = lives(&recording.events);
    let nowhere = tempfile::tempdir()?;
    let Set { stage, clock, results } = set(recording, nowhere.path());
    let playback = Arc::clone(&stage.playback);
    let store = ReplayStore::new(Arc::clone(&playback), Arc::clone(&clock), &recording.events);
    let turns = Arc::downgrade(&store);
    playback.set_turn(Box::new(move |after| {
        let store = turns.upgrade();
        Box::pin(async move {
            if let Some(store) = store {
                store.in_turn(after).await;
            }
        })
    }));
    let runs = Runs::new(Arc::clone(&store) as Arc<dyn Store>, clock);
    let player = Player {
        run: recording.run,
        start: recording.start.clone(),
        runs,
        store: Arc::clone(&store),
        assembler: RunAssembler::of(home, RunEnvironment::Replay(Arc::clone(&stage))),
    };
    let count = lives.len();
    for (place, life) in lives.into_iter().enumerate() {
        // What was asked when the run was cancelled or paused had no answer: it waits for one until that is due.
        let is_last = place + 1 == count && !life.is_interrupted();
        playback.go_on(life.from, life.until, is_last);
        // What came together with the end of a life that was stopped came too late.
        playback.withhold(life.stop().map(|_| life.until));
        results.go_on(life.until);
        let differs = async { Err(playback.differs().await) };
        let stuck = async {
            tokio::time::sleep(STUCK).await;
            Err(store.stuck())
        };
        let lived = tokio::select! {
            biased;
            lived = player.live(&life) => lived?,
            differs = differs => differs,
            stuck = stuck => stuck,
        };
        if let Err(difference) = lived.and_then(|()| playback.difference().map_or(Ok(()), Err)) {
            return Ok(Err(difference));
        }
    }
    if let Some(channel) = playback.left_over() {
        let (recorded, now) = ("it was called once more".to_owned(), "it is not called".to_owned());
        return Ok(Err(Difference { place: format!("the end: {channel}"), recorded, now }));
    }
    let tree = stage.tree.lock().clone();
    Ok(Ok(ReplaySummary { events: recording.events.len(), lives: count, tree }))
}

struct Player {
    run: RunId,
    start: Option<Beginning>,
    runs: Runs,
    store: Arc<ReplayStore>,
    assembler: RunAssembler,
}

impl Player {
    /// One life: what others wrote before it, what it received, and everything that it did.
    async fn live(&self, life: &Life) -> Result<Result<(), Difference>> {
        // A fork begins in the middle: what it stands on was written with its first facts.
        let is_first = |event: &&Event| self.start.as_ref().is_some_and(|start| event.seq <= start.seq);
        let (first, others): (Vec<_>, Vec<_>) = life.given.iter().partition(is_first);
        if let Some(start) = self.start.as_ref().filter(|_| !first.is_empty()) {
            let drafts = first.iter().map(|event| event.draft.clone()).collect();
            let checkpoint = Some(start.checkpoint.clone());
            self.store.give(self.run, Commit { drafts, checkpoint, ..Commit::default() })?;
        }
        for event in others {
            let checkpoint = match &event.draft.kind {
                EventKind::Run(RunEvent::StateEdited { edits, .. }) => Some(self.edited(edits, event).await?),
                EventKind::Run(RunEvent::TeamReplaced { input, .. }) => {
                    Some(self.with_new_team(input, event).await?)
                }
                EventKind::Human(HumanEvent::Intervened(intervention)) => {
                    self.overridden(intervention, event).await?
                }
                _ => None,
            };
            let commit = Commit { drafts: vec![self.given(&event.draft)], checkpoint, ..Commit::default() };
            self.store.give(self.run, commit)?;
        }
        if life.facts.is_empty() {
            return Ok(Ok(()));
        }
        self.store.expect(&life.facts, life.stop());
        let Some(row) = self.store.run(self.run).await? else {
            return Err(anyhow!("the recording does not start with the creation of its run"));
        };
        let ended = tokio::select! {
            biased;
            ended = self.go(&row) => ended?,
            // The process died here.
            () = self.store.complete(), if life.is_cut => return Ok(Ok(())),
        };
        Ok(match (ended, self.store.missing()) {
            (Err(error), Some(missing)) => Err(Difference { now: error.to_string(), ..missing }),
            (Ok(_), Some(missing)) => Err(missing),
            (Err(error), None) => return Err(error.into()),
            (Ok(_), None) => Ok(()),
        })
    }

    async fn go(&self, row: &RunRow) -> Result<Result<Stop, EngineError>> {
        let runnable = self.assembler.build(row, amelia_agents::live::unseen(), Arc::new(NoTape)).await?;
        let (control, inbox) = control();
        let cancel = CancellationToken::new();
        let how = Move { cancel: cancel.clone(), inbox, ..Move::default() };
        let meanwhile = async {
            loop {
                match self.store.due().await {
                    Due::Cancel => cancel.cancel(),
                    // What becomes of it is seen in the log.
                    Due::Reply(reply) => drop(control.reply(self.reply(&reply)).await),
                    Due::Halt => drop(control.halt().await),
                    Due::Pause => drop(control.pause().await),
                    Due::Steer(steering) => drop(control.steer(steering).await),
                }
            }
        };
        tokio::select! {
            biased;
            stop = runnable.run(&self.runs, self.run, how) => Ok(stop),
            () = meanwhile => Err(anyhow!("the recording has no more commands for the run")),
        }
    }

    /// The run as it stands before a person changes it.
    async fn standing(&self, event: &Event) -> Result<(RunRow, LoadedCheckpoint)> {
        let missing = || anyhow!("event {} changes a state that the run does not have", event.seq);
        let row = self.store.run(self.run).await?.ok_or_else(missing)?;
        let saved = self.store.load(self.run, CheckpointAt::Latest).await?.ok_or_else(missing)?;
        Ok((row, saved))
    }

    /// The checkpoint that another team made.
    async fn with_new_team(&self, input: &Object, event: &Event) -> Result<Checkpoint> {
        let (mut row, saved) = self.standing(event).await?;
        row.view.team = Some(input.clone());
        let place = pipelines::of(&row)?.with_new_team(&row, &saved)?;
        Ok(place.continued(saved).with_state(place.state, event.draft.at))
    }

    /// The checkpoint that another next agent made, if a person has chosen one.
    async fn overridden(&self, intervention: &Intervention, event: &Event) -> Result<Option<Checkpoint>> {
        let next = intervention.details.get("next_agent").and_then(Value::as_str);
        let is_override = intervention.kind == InterventionKind::AgentOverride;
        let Some(next) = next.filter(|_| is_override) else { return Ok(None) };
        let (row, saved) = self.standing(event).await?;
        let place = pipelines::of(&row)?.overridden(&row, &saved, next)?.place;
        Ok(Some(place.continued(saved).with_state(place.state, event.draft.at)))
    }

    /// The checkpoint that a person's changes of the state made.
    async fn edited(&self, edits: &[FieldEdit], event: &Event) -> Result<Checkpoint> {
        let (row, saved) = self.standing(event).await?;
        let edit = |edit: &FieldEdit| StateEdit { path: edit.path.clone(), value: edit.after.clone() };
        let edits: Vec<StateEdit> = edits.iter().map(edit).collect();
        let EditedState { state, .. } = pipelines::of(&row)?.edited(&row, &saved, &edits)?;
        Ok(saved.with_state(state, event.draft.at))
    }

    /// What a command wrote, about the questions that are asked now.
    fn given(&self, draft: &Draft) -> Draft {
        match &draft.kind {
            EventKind::Human(HumanEvent::Replied(reply)) => {
                Draft { kind: EventKind::Human(HumanEvent::Replied(self.reply(reply))), ..draft.clone() }
            }
            _ => draft.clone(),
        }
    }

    /// The answer, to the question that is asked now in the place of the recorded one.
    fn reply(&self, reply: &HumanReply) -> HumanReply {
        HumanReply { request: self.store.request_now(reply.request), ..reply.clone() }
    }
}
