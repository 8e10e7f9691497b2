//! Limits beyond a run's own: what each of its agents may use, and what a server may use in a day. They are read when a
//! run starts or resumes, not when it is requested, so that raising one lets a stopped run continue. A replay has none of
//! them: what they refused is in its recording.

use std::sync::Arc;

use amelia_core::budget::{Account, Budget, BudgetScope, Day, RunBudgets, Spend, start_of_day};
use amelia_core::clock::{Clock, SystemClock};
use amelia_core::config::server::ServerConfig;
use amelia_core::event::{AgentEvent, EventKind};
use amelia_core::store::{RunPages, Store, StoreError};
use amelia_core::view::RunRow;
use amelia_orchestrator::settings::Profiles;
use jiff::Timestamp;
use serde::Deserialize;

/// Events that are looked at together.
const PAGE: usize = 1000;

/// The limits of a server and its profiles.
#[derive(Clone, Default)]
pub(crate) struct SpendLimits {
    /// The most that an agent may use, even if its profile allows more.
    per_agent: Budget,
    day: Option<Arc<Day>>,
    profiles: Option<Profiles>,
}

impl SpendLimits {
    /// As they are configured. What was spent today, before this process began, is spent.
    pub(crate) async fn new(
        config: &ServerConfig,
        profiles: Profiles,
        store: &dyn Store,
    ) -> Result<Self, StoreError> {
        let per_day = config.budgets.per_day;
        let day = if per_day.is_unlimited() {
            None
        } else {
            let now = SystemClock.now();
            let spent = spent_since(start_of_day(now), store).await?;
            Some(Arc::new(Day::new(per_day, spent, now)))
        };
        Ok(Self { per_agent: config.budgets.per_agent, day, profiles: Some(profiles) })
    }

    /// The budgets of a run whose own account this is.
    pub(crate) async fn run_budgets(&self, row: &RunRow, account: Account) -> Result<RunBudgets, StoreError> {
        let run = BudgetScope::new(account);
        let run = match &self.day {
            Some(day) => run.within(Arc::clone(day)),
            None => run,
        };
        let per_agent = self.of_profile(row).await?.at_most(self.per_agent);
        Ok(RunBudgets::new(run, per_agent, row.view.spend_by_agent.clone()))
    }

    /// What the profile of a run says now; one that is gone counts as it was.
    async fn of_profile(&self, row: &RunRow) -> Result<Budget, StoreError> {
        let (Some(profiles), Some(name)) = (&self.profiles, &row.run.spec.profile) else {
            return Ok(Budget::default());
        };
        if let Some(profile) = profiles.find(Some(name)).await? {
            return Ok(profile.budgets.per_agent);
        }
        let kept = row.run.spec.input.pointer("/profile/budgets/per_agent");
        Ok(kept.and_then(|kept| Budget::deserialize(kept).ok()).unwrap_or_default())
    }
}

/// What all runs have spent since then.
async fn spent_since(start: Timestamp, store: &dyn Store) -> Result<Spend, StoreError> {
    let mut spent = Spend::default();
    let mut pages = RunPages::new(store);
    while let Some(rows) = pages.next().await? {
        for row in rows.iter().filter(|row| row.view.updated_at.is_some_and(|last| last >= start)) {
            // A fork may carry what another run had spent.
            let is_of_today = row.run.created_at >= start && row.run.spec.forked_from.is_none();
            spent = spent.plus(match is_of_today {
                true => row.view.spend,
                false => spent_by(row, start, store).await?,
            });
        }
    }
    Ok(spent)
}

async fn spent_by(row: &RunRow, start: Timestamp, store: &dyn Store) -> Result<Spend, StoreError> {
    let (mut spent, mut after) = (Spend::default(), amelia_core::id::Seq::START);
    loop {
        let events = store.events(row.run.id, after, PAGE).await?;
        let Some(last) = events.last() else { return Ok(spent) };
        after = last.seq;
        for event in events.iter().filter(|event| event.draft.at >= start) {
            if let EventKind::Agent(AgentEvent::Used(usage)) = &event.draft.kind {
                spent = spent.plus(Spend::of(usage));
            }
        }
    }
}
