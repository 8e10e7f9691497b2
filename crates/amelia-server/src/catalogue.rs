//! The list of all runs, kept in memory so that a screen may ask for it as often as it likes. Before it answers it looks at
//! what has changed and reads only those rows again: what a command has done is in the next list.
//!
//! One to two kilobytes per run. The store stays the truth; this is forgotten with the process.

mod sums;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use std::sync::Arc;

use amelia_core::budget::Spend;
use amelia_core::id::{AgentName, RunId};
use amelia_core::store::{RunPages, StoreError};
use amelia_core::view::RunRow;
use amelia_orchestrator::bus::ChangedRuns;
use amelia_orchestrator::orchestrator::Orchestrator;
use amelia_orchestrator::service::RunService;
use amelia_wire::error::Code;
use amelia_wire::rest::Page;
use amelia_wire::rest::estimate::{self, PastRun};
use amelia_wire::rest::repository::KnownRepository;
use amelia_wire::rest::run::{RunQuery, RunSummary};
use amelia_wire::rest::usage::{Usage, UsageQuery};
use amelia_wire::rest::why::Worker;
use amelia_wire::status::Status;
use jiff::Timestamp;
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::Mutex;
use uuid::Uuid;

use self::sums::Sums;
use crate::error::{ApiError, ApiResult};

pub(crate) struct Catalogue {
    orchestrator: Orchestrator,
    service: Arc<dyn RunService>,
    /// Who begins or ceases to be at a run changes it, too: what is said here of that is never old.
    changes: ChangedRuns,
    /// Held while changed rows are read: readers that come meanwhile wait, and see them too.
    rows: Mutex<Rows>,
}

/// The agent whose work is done when a plan is shown.
const PLANNER: &str = "architect";

/// Newest first.
type Key = (Reverse<Timestamp>, Reverse<RunId>);

#[derive(Default)]
struct Rows {
    by_age: BTreeMap<Key, Entry>,
    keys: HashMap<RunId, Key>,
    /// The oldest run that the first look has come to.
    oldest: Option<RunId>,
    is_loaded: bool,
}

struct Entry {
    summary: RunSummary,
    /// The summary as it is sent: written once, not for every list.
    json: Arc<RawValue>,
    /// What a search looks at, in lower case.
    text: String,
    repository: Option<String>,
    spend: Spend,
    by_agent: BTreeMap<AgentName, Spend>,
    by_model: BTreeMap<String, Spend>,
}

impl Catalogue {
    pub(crate) fn new(orchestrator: Orchestrator, service: Arc<dyn RunService>) -> Self {
        let changes = orchestrator.runs().changes();
        Self { orchestrator, service, changes, rows: Mutex::default() }
    }

    /// The runs that fit, newest first.
    pub(crate) async fn list(&self, query: &RunQuery) -> ApiResult<Page<Arc<RawValue>>> {
        self.page(query, |entry| Arc::clone(&entry.json)).await
    }

    /// The same, with the summaries of those that were merged.
    pub(crate) async fn list_with_merges(
        &self,
        query: &RunQuery,
    ) -> ApiResult<Page<(Arc<RawValue>, Option<RunSummary>)>> {
        let merged = |summary: &RunSummary| summary.merged.is_some().then(|| summary.clone());
        self.page(query, |entry| (Arc::clone(&entry.json), merged(&entry.summary))).await
    }

    /// The ids of the runs that fit, newest first.
    pub(crate) async fn ids(&self, query: &RunQuery) -> ApiResult<Page<RunId>> {
        self.page(query, |entry| RunId(entry.summary.id)).await
    }

    async fn page<T>(&self, query: &RunQuery, take: impl Fn(&Entry) -> T) -> ApiResult<Page<T>> {
        let wanted = ParsedQuery::new(query)?;
        let limit = query.limit.get();
        let page = self.look(|rows| {
            let mut found = wanted.of(rows);
            let part: Vec<&Entry> = found.by_ref().take(limit).collect();
            let next_cursor = found.next().and(part.last()).map(|last| cursor_of(&last.summary));
            let items = part.into_iter().map(take).collect();
            Page { items, next_cursor }
        });
        Ok(page.await?)
    }

    /// What all runs have spent.
    pub(crate) async fn usage(&self, query: &UsageQuery) -> Result<Usage, StoreError> {
        self.look(|rows| {
            let mut sums = Sums::default();
            let entries = rows.by_age.values().filter(|entry| {
                let at = entry.summary.created_at;
                query.since.is_none_or(|since| at >= since) && query.until.is_none_or(|until| at < until)
            });
            entries.for_each(|entry| sums.add(entry));
            sums.into()
        })
        .await
    }

    /// What the newest completed runs of this kind have spent after their plans.
    pub(crate) async fn past_runs(
        &self,
        pipeline: &str,
        profile: Option<&str>,
    ) -> Result<Vec<PastRun>, StoreError> {
        self.look(|rows| {
            let is_like = |entry: &&Entry| {
                let RunSummary { status, pipeline: its, profile: with, forked_from, .. } = &entry.summary;
                *status == Status::Completed
                    && its == pipeline
                    && with.as_deref() == profile
                    // A fork has not paid for all of its tasks.
                    && forked_from.is_none()
                    && entry.spend.calls > 0
            };
            rows.by_age.values().filter(is_like).filter_map(past_run).take(estimate::MOST_RUNS).collect()
        })
        .await
    }

    /// How many runs are in each status, and what all have spent.
    pub(crate) async fn census(&self) -> Result<(BTreeMap<String, u64>, Spend), StoreError> {
        self.look(|rows| {
            // Also those that no run is in: a collector wants to see a 0.
            let mut counts: BTreeMap<String, u64> =
                Status::ALL.iter().map(|status| (status.as_str().to_owned(), 0)).collect();
            let mut spend = Spend::default();
            for entry in rows.by_age.values() {
                *counts.entry(entry.summary.status.as_str().to_owned()).or_default() += 1;
                spend = spend.plus(entry.spend);
            }
            (counts, spend)
        })
        .await
    }

    /// Every repository that a run was requested for; the one of the newest run comes first.
    pub(crate) async fn repositories(&self) -> Result<Vec<KnownRepository>, StoreError> {
        self.look(|rows| {
            let mut known: Vec<KnownRepository> = Vec::new();
            let mut places = HashMap::new();
            for entry in rows.by_age.values() {
                let Some(path) = &entry.repository else { continue };
                let place = *places.entry(path.clone()).or_insert_with(|| {
                    let last_used = entry.summary.created_at;
                    known.push(KnownRepository { path: path.clone(), runs: 0, last_used });
                    known.len() - 1
                });
                if let Some(repository) = known.get_mut(place) {
                    repository.runs = repository.runs.saturating_add(1);
                }
            }
            known
        })
        .await
    }

    async fn look<T>(&self, look: impl FnOnce(&Rows) -> T) -> Result<T, StoreError> {
        let mut rows = self.rows.lock().await;
        self.load(&mut rows).await?;
        let mut unread = Unread { changes: &self.changes, runs: self.changes.take() };
        while let Some(run) = unread.runs.first().copied() {
            let standing = self.standing(run).await?;
            rows.put(run, standing)?;
            unread.runs.remove(&run);
        }
        Ok(look(&rows))
    }

    /// A run as it stands; `None` when it is gone.
    pub(crate) async fn standing(&self, run: RunId) -> Result<Option<Standing>, StoreError> {
        // Before and after: who began or ceased in between is seen again.
        let was_moving = self.orchestrator.is_moving(run);
        let row = self.orchestrator.runs().store().run(run).await?;
        let now = worker(&self.orchestrator, run);
        let worker = if was_moving { Worker::Moving } else { now };
        Ok(row.map(|row| self.stands(row, &worker)))
    }

    fn stands(&self, row: RunRow, worker: &Worker) -> Standing {
        let mut summary = RunSummary::new(&row, worker);
        if summary.branch.is_none() {
            summary.branch = self.service.whereabouts(&row).branch;
        }
        Standing { row, summary }
    }

    /// The first look at all runs. One that fails or is given up in the middle continues there the next time; what changed
    /// meanwhile is read again like any other change.
    async fn load(&self, rows: &mut Rows) -> Result<(), StoreError> {
        if rows.is_loaded {
            return Ok(());
        }
        let store = Arc::clone(self.orchestrator.runs().store());
        let mut pages = RunPages::after(&*store, rows.oldest);
        while let Some(page) = pages.next().await? {
            for row in page {
                let (run, worker) = (row.run.id, worker(&self.orchestrator, row.run.id));
                rows.put(run, Some(self.stands(row, &worker)))?;
                rows.oldest = Some(run);
            }
        }
        rows.is_loaded = true;
        Ok(())
    }
}

/// Runs that have changed and are still to be read. What is left when a look is given up is put back.
struct Unread<'c> {
    changes: &'c ChangedRuns,
    runs: BTreeSet<RunId>,
}

impl Drop for Unread<'_> {
    fn drop(&mut self) {
        self.runs.iter().for_each(|run| self.changes.put_back(*run));
    }
}

/// A run, and its line of a list, which knows what its log does not: whether a worker is running it, and on which branch.
pub(crate) struct Standing {
    pub(crate) row: RunRow,
    pub(crate) summary: RunSummary,
}

impl Rows {
    fn put(&mut self, run: RunId, standing: Option<Standing>) -> Result<(), StoreError> {
        if let Some(key) = self.keys.remove(&run) {
            self.by_age.remove(&key);
        }
        if let Some(standing) = standing {
            let key = (Reverse(standing.row.run.created_at), Reverse(run));
            self.keys.insert(run, key);
            self.by_age.insert(key, Entry::new(standing)?);
        }
        Ok(())
    }
}

impl Entry {
    fn new(Standing { row, summary }: Standing) -> Result<Self, StoreError> {
        let json = to_raw_value(&summary).map_err(|error| StoreError::Invalid(error.to_string()))?;
        let words = [Some(&summary.title), summary.issue_id.as_ref(), summary.branch.as_ref()];
        let words: Vec<&str> = words.into_iter().flatten().map(String::as_str).collect();
        let text = format!("{}\n{}\n{}", summary.id, summary.short_id, words.join("\n")).to_lowercase();
        let repository =
            row.run.spec.place.as_ref().map(|place| place.repository.to_string_lossy().into_owned());
        let view = row.view;
        Ok(Self {
            summary,
            json: Arc::from(json),
            text,
            repository,
            spend: view.spend,
            by_agent: view.spend_by_agent,
            by_model: view.spend_by_model,
        })
    }
}

/// A query, read once.
struct ParsedQuery<'a> {
    query: &'a RunQuery,
    statuses: Vec<Status>,
    words: Option<String>,
    after: Bound<Key>,
}

impl<'a> ParsedQuery<'a> {
    fn new(query: &'a RunQuery) -> ApiResult<Self> {
        let statuses = query.status.iter().flat_map(|list| list.split(',')).map(|word| {
            Status::parse(word.trim())
                .ok_or_else(|| ApiError::new(Code::Invalid, format!("status: there is no status `{word}`")))
        });
        let after = match &query.cursor {
            None => Bound::Unbounded,
            Some(cursor) => Bound::Excluded(key_of(cursor).ok_or_else(|| {
                ApiError::new(Code::Invalid, "cursor: is not the `next_cursor` of a list of runs")
            })?),
        };
        let words = query.q.as_ref().map(|words| words.trim().to_lowercase());
        Ok(Self { query, statuses: statuses.collect::<ApiResult<_>>()?, words, after })
    }

    fn of<'r>(&'r self, rows: &'r Rows) -> impl Iterator<Item = &'r Entry> + 'r {
        let entries = rows.by_age.range((self.after, Bound::Unbounded)).map(|(_, entry)| entry);
        entries.filter(|entry| self.fits(entry))
    }

    fn fits(&self, entry: &Entry) -> bool {
        let (summary, query) = (&entry.summary, self.query);
        let same = |wanted: &Option<String>, found: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| found == Some(wanted))
        };
        let archived = query.archived.or(query.reference.is_none().then_some(false));
        archived.is_none_or(|archived| summary.is_archived == archived)
            && (self.statuses.is_empty() || self.statuses.contains(&summary.status))
            && same(&query.pipeline, Some(&summary.pipeline))
            && same(&query.profile, summary.profile.as_deref())
            && same(&query.worktree, summary.worktree_path.as_deref())
            && query.since.is_none_or(|since| summary.created_at >= since)
            && query.until.is_none_or(|until| summary.created_at < until)
            && self.words.as_ref().is_none_or(|words| entry.text.contains(words.as_str()))
            && query.reference.as_ref().is_none_or(|reference| summary.is_called(reference.trim()))
    }
}

/// What a run has spent on the tasks of its plan; nothing for one that had no plan.
fn past_run(entry: &Entry) -> Option<PastRun> {
    let tasks = entry.summary.task.as_ref()?.total;
    let after_plan = |(agent, _): &(&AgentName, &Spend)| agent.as_str() != PLANNER;
    let spend = entry.by_agent.iter().filter(after_plan).map(|(_, spend)| *spend);
    Some(PastRun { tasks, spend: spend.fold(Spend::default(), Spend::plus) })
}

/// A place between two runs that stays when one of them is removed.
fn cursor_of(summary: &RunSummary) -> String {
    format!("{}_{}", summary.created_at.as_nanosecond(), summary.id.simple())
}

fn key_of(cursor: &str) -> Option<Key> {
    let (at, id) = cursor.split_once('_')?;
    let at = Timestamp::from_nanosecond(at.parse().ok()?).ok()?;
    Some((Reverse(at), Reverse(RunId(Uuid::parse_str(id).ok()?))))
}

/// What moves a run now.
pub(crate) fn worker(orchestrator: &Orchestrator, run: RunId) -> Worker {
    match (orchestrator.is_moving(run), orchestrator.stall(run)) {
        (true, _) => Worker::Moving,
        (false, Some(stall)) => Worker::Stalled(stall.failure.message.clone()),
        (false, None) => Worker::None,
    }
}
