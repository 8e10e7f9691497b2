//! Calls of one run beside each other. What a call will take is not known before it has ended, so near the end of a
//! budget they go one after the other: together they exceed it by one call at most. Where runs share a limit, that of
//! the server's day, it is one call of each.

use std::sync::{Arc, Weak};

use amelia_core::budget::{Account, LimitReached, Reservation, Spend};
use amelia_core::driver::Usage;
use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::access::Access;
use crate::parsed_request::ParsedRequest;

/// Output of a call that names no limit, as long as others run at the same time.
const MUCH_OUTPUT: u64 = 32_768;
/// Output of a call that is alone: what usually comes, not the most that may come.
const USUAL_OUTPUT: u64 = 2048;

/// One per run.
#[derive(Default)]
pub(crate) struct CallLimiter {
    under_way: Mutex<usize>,
    settled: Notify,
}

/// All limiters.
#[derive(Default)]
pub(crate) struct CallLimiters(Mutex<Vec<LimiterEntry>>);

/// Whose limiter it is; both may be gone.
type LimiterEntry = (Weak<Mutex<Account>>, Weak<CallLimiter>);

impl CallLimiters {
    /// The limiter of a run's account, the same for all who spend from it.
    pub(crate) fn of(&self, account: &Arc<Mutex<Account>>) -> Arc<CallLimiter> {
        let mut limiters = self.0.lock();
        limiters.retain(|(account, limiter)| account.strong_count() > 0 && limiter.strong_count() > 0);
        let account = Arc::downgrade(account);
        let known = limiters
            .iter()
            .find(|(other, _)| other.ptr_eq(&account))
            .and_then(|(_, limiter)| limiter.upgrade());
        known.unwrap_or_else(|| {
            let limiter = Arc::new(CallLimiter::default());
            limiters.push((account, Arc::downgrade(&limiter)));
            limiter
        })
    }
}

impl CallLimiter {
    /// Sets aside what a call may take, when there is room for it; waits while others may still free some.
    pub(crate) async fn reserve(
        &self,
        access: &Access,
        asked: &ParsedRequest,
    ) -> Result<Reservation, LimitReached> {
        loop {
            let settled = self.settled.notified();
            match self.try_reserve(access, asked) {
                Ok(reservation) => return Ok(reservation),
                Err(Full::Exceeded(exceeded)) => return Err(exceeded),
                Err(Full::ForNow) => settled.await,
            }
        }
    }

    fn try_reserve(&self, access: &Access, asked: &ParsedRequest) -> Result<Reservation, Full> {
        let now = access.clock.now();
        let mut under_way = self.under_way.lock();
        let is_alone = *under_way == 0;
        let reserved = if is_alone {
            let output = asked.output_tokens.unwrap_or(USUAL_OUTPUT).min(USUAL_OUTPUT);
            access.budget_scope.reserve(estimate(access, asked, output, asked.input_tokens), now)
        } else if access.budget_scope.is_limited_in_money() && !is_priced(access, asked) {
            // A limit in money cannot be kept for several of them at once.
            return Err(Full::ForNow);
        } else {
            let output = asked.output_tokens.unwrap_or(MUCH_OUTPUT);
            let tokens = asked.input_tokens.saturating_add(output);
            access.budget_scope.reserve(estimate(access, asked, output, tokens), now)
        };
        match reserved {
            Ok(reservation) => {
                *under_way += 1;
                Ok(reservation)
            }
            Err(exceeded) if is_alone => Err(Full::Exceeded(exceeded)),
            Err(_) => Err(Full::ForNow),
        }
    }

    /// Replaces a reservation by what was spent.
    pub(crate) fn settle(&self, access: &Access, reservation: Reservation, spent: Spend) {
        let mut under_way = self.under_way.lock();
        access.budget_scope.settle(reservation, spent, access.clock.now());
        *under_way = under_way.saturating_sub(1);
        drop(under_way);
        self.settled.notify_waiters();
    }
}

enum Full {
    /// Others are under way, and may take less than they have set aside.
    ForNow,
    Exceeded(LimitReached),
}

fn is_priced(access: &Access, asked: &ParsedRequest) -> bool {
    asked.model.as_deref().is_some_and(|model| access.prices.of(model).is_some())
}

/// What a call may take: money for its input and `output`, and so many `tokens`.
fn estimate(access: &Access, asked: &ParsedRequest, output: u64, tokens: u64) -> Spend {
    let price = asked.model.as_deref().and_then(|model| access.prices.of(model));
    let (input_tokens, output_tokens) = (Some(asked.input_tokens), Some(output));
    let usage = Usage { input_tokens, output_tokens, num_turns: Some(1), ..Usage::default() };
    let usd = price.and_then(|price| price.cost_usd(&usage)).unwrap_or(0.0);
    let is_told = asked
        .model
        .as_deref()
        .is_some_and(|model| access.prices.is_cost_known(&access.upstream.provider, model));
    Spend { usd, tokens, calls: 1, unpriced_calls: u64::from(!is_told), ..Spend::default() }
}
