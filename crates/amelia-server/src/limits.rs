//! How often may be asked: so many requests in so many seconds, by the first word of a path. A caller that has saved some
//! up may spend them at once.

use std::collections::{BTreeMap, HashMap};

use amelia_core::config::server::RateLimit;
use jiff::Timestamp;
use parking_lot::Mutex;

/// The group of paths that no limit names.
const OTHERS: &str = "default";

pub(crate) struct RateLimits {
    rules: BTreeMap<String, RateLimit>,
    left: Mutex<HashMap<String, Allowance>>,
}

/// What a group may still ask.
struct Allowance {
    requests: f64,
    at: Timestamp,
}

impl RateLimits {
    pub(crate) fn new(rules: BTreeMap<String, RateLimit>) -> Self {
        Self { rules, left: Mutex::default() }
    }

    /// Counts a request. `Err` has the seconds after which the next one is possible.
    pub(crate) fn take(&self, path: &str, now: Timestamp) -> Result<(), u64> {
        if self.rules.is_empty() {
            return Ok(());
        }
        let group = match path.split('/').find(|part| !part.is_empty()) {
            Some("tasks") => "workflows",
            Some(word) if self.rules.contains_key(word) => word,
            Some(_) | None => OTHERS,
        };
        let Some(rule) = self.rules.get(group).or_else(|| self.rules.get(OTHERS)) else { return Ok(()) };
        let most = f64::from(rule.requests);
        let per_second = most / f64::from(rule.per_seconds.max(1));
        let mut all = self.left.lock();
        let left = all.entry(group.to_owned()).or_insert(Allowance { requests: most, at: now });
        let passed = now.duration_since(left.at).as_secs_f64().max(0.0);
        left.requests = passed.mul_add(per_second, left.requests).min(most);
        left.at = now;
        if left.requests >= 1.0 {
            left.requests -= 1.0;
            return Ok(());
        }
        let wait = ((1.0 - left.requests) / per_second).ceil();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a few seconds, not negative"
        )]
        Err((wait as u64).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_beyond_the_limit_wait_until_some_are_saved_up() {
        let rule = |requests, per_seconds| RateLimit { requests, per_seconds };
        let rules = [("workflows".to_owned(), rule(2, 10)), ("default".to_owned(), rule(1, 1))];
        let limits = RateLimits::new(rules.into());
        let at = |second| Timestamp::from_second(second).unwrap();
        assert_eq!(limits.take("/workflows/x", at(0)), Ok(()));
        assert_eq!(limits.take("/tasks", at(0)), Ok(()), "the same under both names");
        assert_eq!(limits.take("/workflows", at(0)), Err(5));
        assert_eq!(limits.take("/profiles", at(0)), Ok(()), "groups do not disturb each other");
        assert_eq!(limits.take("/settings", at(0)), Err(1));
        assert_eq!(limits.take("/workflows", at(5)), Ok(()));
        assert_eq!(limits.take("/workflows", at(5)), Err(5));
        assert_eq!(limits.take("/workflows", at(1)), Err(5), "a clock that goes back gives nothing");
    }

    #[test]
    fn without_rules_there_is_no_limit() {
        let limits = RateLimits::new(BTreeMap::new());
        assert!((0..1000).all(|_| limits.take("/workflows", Timestamp::UNIX_EPOCH).is_ok()));
    }
}
