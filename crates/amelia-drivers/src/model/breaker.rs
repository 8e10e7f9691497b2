//! A circuit breaker per upstream: after repeated failures nothing is sent for a while, then one probe.

use std::time::Duration;

use jiff::Timestamp;

/// Failures in a row that open it.
const FAILURES: u32 = 5;
/// How long it stays open.
const PAUSE: Duration = Duration::from_secs(30);

/// Pure: time is given. One per upstream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Breaker {
    failures: u32,
    open_until: Option<Timestamp>,
    /// A probe is under way; others wait for its outcome, or until it must be taken for lost.
    is_probing: bool,
}

impl Breaker {
    /// May a request be sent now? Otherwise: how long not.
    pub fn admit(&mut self, now: Timestamp) -> Result<(), Duration> {
        match self.open_until {
            None => Ok(()),
            Some(until) if now < until => Err(until.duration_since(now).unsigned_abs()),
            Some(_) => {
                self.is_probing = true;
                self.open_until = now.checked_add(PAUSE).ok();
                Ok(())
            }
        }
    }

    /// A request went well.
    pub fn succeeded(&mut self) {
        *self = Self::default();
    }

    /// A request failed in a way that speaks of the upstream, not of the request.
    pub fn failed(&mut self, now: Timestamp) {
        self.failures = self.failures.saturating_add(1);
        if self.failures >= FAILURES || self.is_probing {
            self.open_until = now.checked_add(PAUSE).ok();
            self.is_probing = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_opens_after_repeated_failures_and_lets_one_probe_through() {
        let mut breaker = Breaker::default();
        let start = Timestamp::UNIX_EPOCH;
        let later = start.checked_add(PAUSE).unwrap();
        for _ in 0..4 {
            breaker.failed(start);
        }
        assert_eq!(breaker.admit(start), Ok(()));
        breaker.failed(start);
        assert_eq!(breaker.admit(start), Err(PAUSE));
        assert_eq!(breaker.admit(later), Ok(()), "one probe");
        assert_eq!(breaker.admit(later), Err(PAUSE), "and only one");
        breaker.failed(later);
        assert!(breaker.admit(later).is_err());
        assert_eq!(breaker.admit(later.checked_add(PAUSE).unwrap()), Ok(()));
        breaker.succeeded();
        assert_eq!(breaker, Breaker::default());
    }

    #[test]
    fn a_probe_that_nobody_heard_of_again_does_not_close_the_way_for_ever() {
        let (start, pause) = (Timestamp::UNIX_EPOCH, |times| PAUSE * times);
        let at = |times| start.checked_add(pause(times)).unwrap();
        let mut breaker = Breaker::default();
        (0..5).for_each(|_| breaker.failed(start));
        assert_eq!(breaker.admit(at(1)), Ok(()));
        assert_eq!(breaker.admit(at(2)), Ok(()));
        assert_eq!(breaker.admit(at(2)), Err(PAUSE));
    }
}
