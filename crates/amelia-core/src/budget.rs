//! Limits in money, tokens, calls and time: reserved before a call, settled after. Pure.

mod budget_gate;
mod budget_scope;

use std::fmt;
use std::time::Duration;

pub use budget_gate::BudgetGate;
pub use budget_scope::{BudgetScope, Day, LimitOwner, LimitReached, RunBudgets, start_of_day};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::usage::Usage;

/// Limits. `None` is unlimited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct Budget {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<u64>,
    /// Time at work: waiting for a person does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_seconds: Option<u64>,
}

impl Budget {
    /// These limits, and where there are none, the others.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            usd: self.usd.or(other.usd),
            tokens: self.tokens.or(other.tokens),
            calls: self.calls.or(other.calls),
            wall_seconds: self.wall_seconds.or(other.wall_seconds),
        }
    }

    /// These limits, none of them above a ceiling.
    #[must_use]
    pub fn at_most(self, ceiling: Self) -> Self {
        Self {
            usd: lowest(self.usd, ceiling.usd),
            tokens: lowest(self.tokens, ceiling.tokens),
            calls: lowest(self.calls, ceiling.calls),
            wall_seconds: lowest(self.wall_seconds, ceiling.wall_seconds),
        }
    }

    /// No limit at all.
    #[must_use]
    pub fn is_unlimited(&self) -> bool {
        *self == Self::default()
    }
}

/// A limit that is not above another. Without limits, there is none.
fn lowest<T: PartialOrd>(limit: Option<T>, ceiling: Option<T>) -> Option<T> {
    match (limit, ceiling) {
        (Some(limit), Some(ceiling)) => Some(if limit < ceiling { limit } else { ceiling }),
        (limit, ceiling) => limit.or(ceiling),
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.usd.map(|usd| format!("{usd} USD")),
            self.tokens.map(|tokens| format!("{tokens} tokens")),
            self.calls.map(|calls| format!("{calls} model calls")),
            self.wall_seconds.map(|seconds| format!("{seconds} seconds of work")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        f.write_str(if parts.is_empty() { "as much as it needs" } else { "" })?;
        f.write_str(&parts.join(", "))
    }
}

/// What was, or may be, spent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct Spend {
    /// Known cost.
    #[serde(default)]
    pub usd: f64,
    #[serde(default)]
    pub tokens: u64,
    #[serde(default)]
    pub calls: u64,
    /// Calls whose cost is not known: shown as "unknown", never as 0.
    #[serde(default)]
    pub unpriced_calls: u64,
    /// Calls whose tokens no provider told: they are estimated, and so is their cost.
    #[serde(default)]
    pub estimated_calls: u64,
}

impl Spend {
    /// The spend of one settled model call.
    #[must_use]
    pub fn of(usage: &Usage) -> Self {
        Self {
            usd: usage.cost_usd.unwrap_or(0.0),
            tokens: usage.tokens(),
            calls: u64::from(usage.num_turns.unwrap_or(1).max(1)),
            unpriced_calls: u64::from(usage.cost_usd.is_none()),
            estimated_calls: u64::from(usage.is_estimated),
        }
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            usd: self.usd + other.usd,
            tokens: self.tokens.saturating_add(other.tokens),
            calls: self.calls.saturating_add(other.calls),
            unpriced_calls: self.unpriced_calls.saturating_add(other.unpriced_calls),
            estimated_calls: self.estimated_calls.saturating_add(other.estimated_calls),
        }
    }

    fn minus(self, other: Self) -> Self {
        Self {
            usd: (self.usd - other.usd).max(0.0),
            tokens: self.tokens.saturating_sub(other.tokens),
            calls: self.calls.saturating_sub(other.calls),
            unpriced_calls: self.unpriced_calls.saturating_sub(other.unpriced_calls),
            estimated_calls: self.estimated_calls.saturating_sub(other.estimated_calls),
        }
    }
}

/// A budget in use. Concurrent calls reserve before they start, so together they cannot exceed it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Account {
    budget: Budget,
    spent: Spend,
    reserved: Spend,
    /// When the work would have begun, had it never been interrupted.
    begun: Option<Timestamp>,
}

impl Account {
    /// An account that has already spent `spent` (a resumed run).
    #[must_use]
    pub fn new(budget: Budget, spent: Spend) -> Self {
        Self { budget, spent, reserved: Spend::default(), begun: None }
    }

    /// The work continues `now`, and took `active` before.
    #[must_use]
    pub fn going_on(self, now: Timestamp, active: SignedDuration) -> Self {
        Self { begun: now.checked_sub(active).ok(), ..self }
    }

    /// The limits.
    #[must_use]
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// What is settled so far.
    #[must_use]
    pub fn spent(&self) -> Spend {
        self.spent
    }

    /// Sets `estimate` aside for one call, or says which limit it would break.
    pub fn reserve(&mut self, estimate: Spend, now: Timestamp) -> Result<Reservation, BudgetExceeded> {
        self.check(estimate, now)?;
        self.set_aside(estimate);
        Ok(Reservation { amount: estimate, budget_scope: None })
    }

    /// Which limit would be broken if `estimate` were set aside.
    fn check(&self, estimate: Spend, now: Timestamp) -> Result<(), BudgetExceeded> {
        let after = self.spent.plus(self.reserved).plus(estimate);
        if let Some(limit) = self.budget.usd.filter(|limit| after.usd > *limit) {
            return Err(BudgetExceeded::Usd { limit, would_be: after.usd });
        }
        if self.budget.usd.is_some() && self.spent.unpriced_calls.max(estimate.unpriced_calls) > 0 {
            return Err(BudgetExceeded::Unpriced { calls: self.spent.unpriced_calls });
        }
        if let Some(limit) = self.budget.tokens.filter(|limit| after.tokens > *limit) {
            return Err(BudgetExceeded::Tokens { limit, would_be: after.tokens });
        }
        if let Some(limit) = self.budget.calls.filter(|limit| after.calls > *limit) {
            return Err(BudgetExceeded::Calls { limit, would_be: after.calls });
        }
        if let (Some(limit), Some(begun)) = (self.budget.wall_seconds, self.begun) {
            let taken = u64::try_from(now.duration_since(begun).as_secs()).unwrap_or(0);
            if taken >= limit {
                return Err(BudgetExceeded::Time { limit, taken });
            }
        }
        Ok(())
    }

    /// The time that is left, and the limit; `None` when time is not limited.
    fn time_left(&self, now: Timestamp) -> Option<(Duration, u64)> {
        let (limit, begun) = (self.budget.wall_seconds?, self.begun?);
        let taken = Duration::try_from(now.duration_since(begun)).unwrap_or_default();
        Some((Duration::from_secs(limit).saturating_sub(taken), limit))
    }

    fn set_aside(&mut self, estimate: Spend) {
        self.reserved = self.reserved.plus(estimate);
    }

    /// Forgets what was spent. What is set aside for calls under way stays so.
    fn begin_anew(&mut self) {
        self.spent = Spend::default();
    }

    /// Books what was spent without having been set aside; says which limit is reached now.
    pub fn charge(&mut self, actual: Spend, now: Timestamp) -> Result<(), BudgetExceeded> {
        self.spent = self.spent.plus(actual);
        let next = Spend { calls: 1, ..Spend::default() };
        let ticket = self.reserve(next, now)?;
        self.settle(ticket, Spend::default());
        Ok(())
    }

    /// Replaces a reservation by what was really spent.
    #[expect(clippy::needless_pass_by_value, reason = "a reservation is settled once")]
    pub fn settle(&mut self, reservation: Reservation, actual: Spend) {
        self.release(reservation.amount);
        self.spent = self.spent.plus(actual);
    }

    fn release(&mut self, amount: Spend) {
        self.reserved = self.reserved.minus(amount);
    }
}

/// Money, tokens and calls set aside for one call. Settle it with [`Account::settle`] or [`BudgetScope::settle`]. A budget gets
/// it back when it is dropped: a call that was cancelled holds no share of a budget.
#[derive(Debug)]
#[must_use = "a reservation that is dropped at once reserves nothing"]
pub struct Reservation {
    amount: Spend,
    /// The budget that it was taken from, until it is settled.
    budget_scope: Option<BudgetScope>,
}

impl Reservation {
    /// Tokens that are set aside.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.amount.tokens
    }
}

impl PartialEq for Reservation {
    fn eq(&self, other: &Self) -> bool {
        self.amount == other.amount
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if let Some(budget_scope) = self.budget_scope.take() {
            budget_scope.release(self.amount);
        }
    }
}

/// The limit that a call would have broken.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum BudgetExceeded {
    #[error("the budget of {limit:.4} USD would be exceeded ({would_be:.4} USD)")]
    Usd { limit: f64, would_be: f64 },
    /// A limit in money cannot be kept for a model without a price. So many calls were made before it was known.
    #[error(
        "the price of the model is unknown (calls so far: {calls}), so a budget in USD cannot be checked"
    )]
    Unpriced { calls: u64 },
    #[error("the limit of {limit} for tokens would be exceeded ({would_be})")]
    Tokens { limit: u64, would_be: u64 },
    #[error("the limit of {limit} for model calls would be exceeded ({would_be})")]
    Calls { limit: u64, would_be: u64 },
    #[error("the run has used its time limit of {limit} s")]
    Time { limit: u64, taken: u64 },
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn usd(usd: f64) -> Spend {
        Spend { usd, calls: 1, ..Spend::default() }
    }

    #[test]
    fn parallel_reservations_share_one_limit() {
        let mut account = Account::new(Budget { usd: Some(1.0), ..Budget::default() }, usd(0.2));
        let first = account.reserve(usd(0.5), NOW).unwrap();
        assert!(matches!(account.reserve(usd(0.5), NOW), Err(BudgetExceeded::Usd { .. })));
        account.settle(first, usd(0.1));
        assert!(account.reserve(usd(0.5), NOW).is_ok());
    }

    #[test]
    fn each_limit_is_named() {
        let budget = Budget { tokens: Some(10), calls: Some(1), ..Budget::default() };
        let mut account = Account::new(budget, Spend::default());
        let tokens = Spend { tokens: 11, ..Spend::default() };
        assert_eq!(account.reserve(tokens, NOW), Err(BudgetExceeded::Tokens { limit: 10, would_be: 11 }));
        let calls = Spend { calls: 2, ..Spend::default() };
        assert_eq!(account.reserve(calls, NOW), Err(BudgetExceeded::Calls { limit: 1, would_be: 2 }));
    }

    #[test]
    fn time_at_work_counts_over_interruptions_and_waiting_does_not() {
        let budget = Budget { wall_seconds: Some(60), ..Budget::default() };
        let later = |seconds| NOW + SignedDuration::from_secs(seconds);
        let account = Account::new(budget, Spend::default());
        let mut account = account.going_on(later(1000), SignedDuration::from_secs(50));
        let call = account.reserve(usd(0.0), later(1009)).unwrap();
        account.settle(call, usd(0.0));
        assert_eq!(
            account.reserve(usd(0.0), later(1010)),
            Err(BudgetExceeded::Time { limit: 60, taken: 60 })
        );
    }

    #[test]
    fn a_model_without_a_price_is_not_called_within_a_limit_in_money() {
        let unpriced = Spend { calls: 1, unpriced_calls: 1, ..Spend::default() };
        let mut limited = Account::new(Budget { usd: Some(1.0), ..Budget::default() }, Spend::default());
        assert_eq!(limited.reserve(unpriced, NOW), Err(BudgetExceeded::Unpriced { calls: 0 }));
        let mut counted = Account::new(Budget { calls: Some(1), ..Budget::default() }, Spend::default());
        assert!(counted.reserve(unpriced, NOW).is_ok());
    }

    #[test]
    fn a_call_of_unknown_cost_is_counted_as_such() {
        let spend = Spend::of(&Usage { input_tokens: Some(5), ..Usage::default() });
        assert_eq!(spend, Spend { tokens: 5, calls: 1, unpriced_calls: 1, ..Spend::default() });
    }
}
