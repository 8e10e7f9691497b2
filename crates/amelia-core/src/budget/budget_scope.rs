//! What one call counts to: the limits of its run, of its agent, and of the server's day, taken together or not at all.
//! Only counts; when a call is made, and what a refusal means for a run, others decide.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use parking_lot::{Mutex, MutexGuard};
use serde::{Deserialize, Serialize};

use super::{Account, Budget, BudgetExceeded, Reservation, Spend};
use crate::id::AgentName;

/// An account that several spend from.
type Shared = Arc<Mutex<Account>>;

/// The accounts that the calls of one agent count to. Clones spend from the same accounts.
#[derive(Debug, Clone, Default)]
pub struct BudgetScope {
    run: Shared,
    agent: Option<(AgentName, Shared)>,
    day: Option<Arc<Day>>,
}

impl BudgetScope {
    /// Of a run as a whole.
    #[must_use]
    pub fn new(run: Account) -> Self {
        Self { run: Arc::new(Mutex::new(run)), agent: None, day: None }
    }

    /// The same, and within what is left of the server's day.
    #[must_use]
    pub fn within(self, day: Arc<Day>) -> Self {
        Self { day: Some(day), ..self }
    }

    /// The run's account, which all of its agents share.
    #[must_use]
    pub fn run(&self) -> &Arc<Mutex<Account>> {
        &self.run
    }

    /// The time that its run has left, and what is said when it is used up; `None` when time is not limited.
    #[must_use]
    pub fn time_left(&self, now: Timestamp) -> Option<(Duration, LimitReached)> {
        let (left, limit) = self.run.lock().time_left(now)?;
        Some((
            left,
            LimitReached { whose: LimitOwner::Run, limit: BudgetExceeded::Time { limit, taken: limit } },
        ))
    }

    /// Some limit is in money.
    #[must_use]
    pub fn is_limited_in_money(&self) -> bool {
        let agent = self.agent.as_ref().and_then(|(_, account)| account.lock().budget().usd);
        let day = self.day.as_ref().and_then(|day| day.budget.usd);
        self.run.lock().budget().usd.or(agent).or(day).is_some()
    }

    /// Sets `estimate` aside in every account, or in none: then it says whose limit a call would break.
    pub fn reserve(&self, estimate: Spend, now: Timestamp) -> Result<Reservation, LimitReached> {
        let mut open = self.open(now);
        for (whose, account) in &open.0 {
            account.check(estimate, now).map_err(|limit| LimitReached { whose: whose.clone(), limit })?;
        }
        open.0.iter_mut().for_each(|(_, account)| account.set_aside(estimate));
        drop(open);
        Ok(Reservation { amount: estimate, budget_scope: Some(self.clone()) })
    }

    /// Replaces a reservation by what was really spent.
    pub fn settle(&self, mut reservation: Reservation, actual: Spend, now: Timestamp) {
        reservation.budget_scope = None;
        for (_, account) in &mut self.open(now).0 {
            account.settle(Reservation { amount: reservation.amount, budget_scope: None }, actual);
        }
    }

    /// Takes back what was set aside for a call that came to nothing.
    pub(super) fn release(&self, amount: Spend) {
        let agent = self.agent.iter().map(|(_, account)| &**account);
        let day = self.day.iter().map(|day| &day.account);
        for account in [&*self.run].into_iter().chain(agent).chain(day) {
            account.lock().release(amount);
        }
    }

    /// Books what was spent without having been set aside; says whose limit is reached now.
    pub fn charge(&self, actual: Spend, now: Timestamp) -> Result<(), LimitReached> {
        let mut reached = Ok(());
        for (whose, account) in &mut self.open(now).0 {
            let charged = account.charge(actual, now);
            reached = reached.and(charged.map_err(|limit| LimitReached { whose: whose.clone(), limit }));
        }
        reached
    }

    /// All accounts at once, always in the same order: two callers never wait for each other in a circle.
    fn open(&self, now: Timestamp) -> Open<'_> {
        let mut accounts = vec![(LimitOwner::Run, self.run.lock())];
        if let Some((name, account)) = &self.agent {
            accounts.push((LimitOwner::Agent(name.clone()), account.lock()));
        }
        if let Some(day) = &self.day {
            let (until, account) = day.open(now);
            accounts.push((LimitOwner::Day { until }, account));
        }
        Open(accounts)
    }
}

/// Accounts that no one else can use now.
struct Open<'a>(Vec<(LimitOwner, MutexGuard<'a, Account>)>);

/// The budgets of the agents of one run.
#[derive(Debug, Default)]
pub struct RunBudgets {
    run: BudgetScope,
    per_agent: Budget,
    spent: BTreeMap<AgentName, Spend>,
    agents: Mutex<BTreeMap<AgentName, Shared>>,
}

impl RunBudgets {
    /// Within the budget of a run: what each of its agents may use, and what they have used before.
    #[must_use]
    pub fn new(run: BudgetScope, per_agent: Budget, spent: BTreeMap<AgentName, Spend>) -> Self {
        Self { run, per_agent, spent, agents: Mutex::default() }
    }

    /// The budget of an agent: the same for everyone who works under its name.
    #[must_use]
    pub fn of(&self, agent: &AgentName) -> BudgetScope {
        let mut agents = self.agents.lock();
        let account = agents.entry(agent.clone()).or_insert_with(|| {
            let spent = self.spent_by(agent);
            Arc::new(Mutex::new(Account::new(self.per_agent, spent)))
        });
        BudgetScope { agent: Some((agent.clone(), Arc::clone(account))), ..self.run.clone() }
    }

    /// Personas, such as `reviewer (security)`, spend what is their role's.
    fn spent_by(&self, agent: &AgentName) -> Spend {
        let persona = format!("{agent} (");
        let own = self.spent.iter().filter(|(name, _)| *name == agent || name.as_str().starts_with(&persona));
        own.fold(Spend::default(), |sum, (_, spend)| sum.plus(*spend))
    }
}

/// What a server may use in a day, over all of its runs. A day ends at midnight UTC; with it goes what was spent in it.
#[derive(Debug)]
pub struct Day {
    budget: Budget,
    until: Mutex<Timestamp>,
    account: Mutex<Account>,
}

impl Day {
    /// The day of `now`, in which `spent` is spent already.
    #[must_use]
    pub fn new(budget: Budget, spent: Spend, now: Timestamp) -> Self {
        Self { budget, until: Mutex::new(end_of_day(now)), account: Mutex::new(Account::new(budget, spent)) }
    }

    /// What is spent of it, `now`.
    #[must_use]
    pub fn spent(&self, now: Timestamp) -> Spend {
        self.open(now).1.spent()
    }

    fn open(&self, now: Timestamp) -> (Timestamp, MutexGuard<'_, Account>) {
        let mut account = self.account.lock();
        let mut until = self.until.lock();
        if now >= *until {
            *until = end_of_day(now);
            account.begin_anew();
        }
        (*until, account)
    }
}

/// The midnight (UTC) before or at `now`.
#[must_use]
pub fn start_of_day(now: Timestamp) -> Timestamp {
    let start = now.to_zoned(TimeZone::UTC).start_of_day();
    start.map_or(Timestamp::MIN, |start| start.timestamp())
}

fn end_of_day(now: Timestamp) -> Timestamp {
    start_of_day(now).checked_add(SignedDuration::from_hours(24)).unwrap_or(Timestamp::MAX)
}

/// Whose limit it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitOwner {
    #[default]
    Run,
    /// Of one agent in the run.
    Agent(AgentName),
    /// Of all runs of the server together, until then.
    Day { until: Timestamp },
}

impl LimitOwner {
    /// Known from the run alone; anything else comes from outside of it.
    #[must_use]
    pub fn is_run(&self) -> bool {
        *self == Self::Run
    }
}

/// What `config/prices.json` holds.
const PRICE_EXAMPLE: &str = r#"{"MODEL": {"input": 3, "output": 15}}"#;

/// The limit that a call would have broken, and whose it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
pub struct LimitReached {
    #[serde(default, skip_serializing_if = "LimitOwner::is_run")]
    pub whose: LimitOwner,
    #[serde(flatten)]
    pub limit: BudgetExceeded,
}

impl LimitReached {
    /// What a person can do about it, `Run`'s own limits aside: those are raised with the answer.
    #[must_use]
    pub fn remedy(&self) -> Option<String> {
        if let BudgetExceeded::Unpriced { .. } = self.limit {
            let off = match &self.whose {
                LimitOwner::Run => "remove the limit: resume the run with `--no-budget`",
                LimitOwner::Agent(_) => "remove `budgets.per_agent.usd`, then resume the run",
                LimitOwner::Day { .. } => "remove the server's `budgets.per_day.usd` and restart the server",
            };
            return Some(format!(
                "add the model's price in USD per million tokens to config/prices.json in the home, such as \
                 {PRICE_EXAMPLE}, or {off}"
            ));
        }
        match &self.whose {
            LimitOwner::Run => None,
            LimitOwner::Agent(_) => Some(
                "raise `budgets.per_agent` of the profile (and of the server, if it is set there), then resume the run"
                    .to_owned(),
            ),
            LimitOwner::Day { until } => Some(format!(
                "resume the run after {until}, or raise the server's `budgets.per_day` and restart the server"
            )),
        }
    }
}

impl fmt::Display for LimitReached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { whose, limit } = self;
        match whose {
            LimitOwner::Run => write!(f, "{limit}"),
            LimitOwner::Agent(name) => write!(f, "agent `{name}`: {limit}"),
            LimitOwner::Day { until } => write!(f, "the server's day, which ends at {until}: {limit}"),
        }
    }
}

#[cfg(test)]
#[path = "budget_scope_tests.rs"]
mod tests;
