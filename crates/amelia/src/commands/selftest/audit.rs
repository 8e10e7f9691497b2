//! The promises, held against what is left on disk after each death and at the end.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use amelia_core::event::{Event, EventKind, NodeEvent};
use amelia_core::id::{EventId, RunId, Seq, Step};
use amelia_core::run::RunStatus;
use amelia_core::store::{CheckpointAt, RunFilter, Store};
use amelia_core::view::RunView;
use amelia_graph::state::rebuild;
use amelia_host::home::Home;
use amelia_host::synthetic::life::{WorkerEnd, WorkerExit};
use amelia_host::synthetic::outside::{Deed, Outside};
use amelia_host::synthetic::state::SyntheticState;
use amelia_store::sqlite::SqliteStore;
use anyhow::Result;

use super::super::block_on;
use super::report::{Check, Report};

/// What is known of one home.
pub(super) struct Audit {
    home: PathBuf,
    outside: Outside,
    /// The log of each run, as far as it was seen durable.
    logs: BTreeMap<RunId, Vec<EventId>>,
    views: BTreeMap<RunId, RunView>,
    /// Visits that were left before the present life began.
    left: BTreeSet<(RunId, Step)>,
}

impl Audit {
    pub(super) fn new(home: &Path) -> Self {
        Self {
            home: home.to_owned(),
            outside: Outside::at(home),
            logs: BTreeMap::new(),
            views: BTreeMap::new(),
            left: BTreeSet::new(),
        }
    }

    /// After a death: nothing that was shown is lost, no gap, nothing that was finished was done again.
    pub(super) fn after_life(&mut self, life: u32, ended: &WorkerEnd, report: &mut Report) -> Result<()> {
        if let WorkerExit::GaveUp(complaint) = &ended.death {
            report.violation(Check::Ends, format!("the worker gave up: {complaint}"));
        }
        self.check_repeats(life, report)?;
        block_on(async {
            let store = Home::at(&self.home).open()?;
            self.read_logs(&store, report).await
        })?;
        for event in &ended.shown {
            self.check_shown(event, report);
        }
        Ok(())
    }

    /// At the end: every run reached its true end, and the outside world was changed once for each.
    pub(super) fn at_end(&mut self, report: &mut Report) -> Result<()> {
        block_on(async {
            let store = Home::at(&self.home).open()?;
            report.checked(Check::Integrity);
            if let Err(error) = store.verify().await {
                report.violation(Check::Integrity, error.to_string());
            }
            self.check_runs(&store, report).await
        })?;
        self.check_outside(report)
    }

    /// Nodes started in this life that had been left before it began.
    fn check_repeats(&self, life: u32, report: &mut Report) -> Result<()> {
        for line in self.outside.lines(Deed::Started)? {
            let Some((at_life, rest)) = line.split_once(' ') else { continue };
            if at_life != life.to_string() {
                continue;
            }
            report.checked(Check::Repeats);
            let mut words = rest.split(' ');
            let run = words.next().and_then(|run| run.parse::<RunId>().ok());
            let step = words.next().and_then(|step| step.parse().ok().map(Step));
            if run.zip(step).is_some_and(|visit| self.left.contains(&visit)) {
                report.violation(
                    Check::Repeats,
                    format!("life {life} started a visit again that was left: {rest}"),
                );
            }
        }
        Ok(())
    }

    /// Reads what is new in every log.
    async fn read_logs(&mut self, store: &SqliteStore, report: &mut Report) -> Result<()> {
        for row in store.runs(&RunFilter::default()).await? {
            let run = row.run.id;
            let log = self.logs.entry(run).or_default();
            let view = self.views.entry(run).or_default();
            for event in store.events(run, view.seq, usize::MAX).await? {
                report.checked(Check::Gaps);
                if event.seq != view.seq.plus(1) {
                    report.violation(Check::Gaps, format!("run {run}: {} follows {}", event.seq, view.seq));
                }
                if let EventKind::Node(NodeEvent::Left { step, .. }) = &event.draft.kind
                    && !self.left.insert((run, *step))
                {
                    report.violation(Check::Repeats, format!("run {run} left step {step} twice"));
                }
                view.apply(&event);
                log.push(event.draft.id);
            }
            if *view != row.view {
                report.violation(Check::Fold, format!("run {run} is not the fold of its log"));
            }
            report.checked(Check::Fold);
        }
        Ok(())
    }

    /// An event that anybody saw is in the log, in its place.
    fn check_shown(&self, event: &Event, report: &mut Report) {
        report.checked(Check::Shown);
        let place = usize::try_from(event.seq.0.saturating_sub(1)).unwrap_or(usize::MAX);
        let found = self.logs.get(&event.run).and_then(|log| log.get(place));
        if found != Some(&event.draft.id) {
            let what = event.draft.kind.summary();
            report.violation(
                Check::Shown,
                format!("run {}: event {} was shown and lost: {what}", event.run, event.seq),
            );
        }
    }

    async fn check_runs(&self, store: &SqliteStore, report: &mut Report) -> Result<()> {
        for run in self.logs.keys() {
            report.checked(Check::Ends);
            let status = store.run(*run).await?.map(|row| row.view.status);
            if status != Some(RunStatus::Completed) {
                report.violation(Check::Ends, format!("run {run} ended as {status:?}"));
                continue;
            }
            let state = store
                .load(*run, CheckpointAt::Latest)
                .await?
                .map(|loaded| rebuild::<SyntheticState>(&loaded))
                .transpose()?;
            if state.as_ref() != Some(&SyntheticState::expected()) {
                report.violation(Check::Ends, format!("run {run} ended in another state: {state:?}"));
            }
            // From the first event on: the log as a whole reads back.
            report.checked(Check::Gaps);
            let count = store.events(*run, Seq::START, usize::MAX).await?.len();
            if Some(count) != self.logs.get(run).map(Vec::len) {
                report.violation(Check::Gaps, format!("run {run} has {count} events now"));
            }
        }
        Ok(())
    }

    fn check_outside(&self, report: &mut Report) -> Result<()> {
        for (call, times) in self.outside.counts(Deed::Wrote)? {
            report.checked(Check::Writes);
            if times > 1 {
                report.violation(Check::Writes, format!("a tool wrote {times} times: {call}"));
            }
        }
        let performed = self.outside.lines(Deed::Performed)?;
        for run in self.logs.keys() {
            report.checked(Check::Effects);
            let run = run.to_string();
            let times = performed.iter().filter(|line| line.starts_with(&run)).count();
            if times != 1 {
                report.violation(Check::Effects, format!("run {run} was published {times} times"));
            }
        }
        Ok(())
    }
}
