//! Time and ids come from here, never from the environment: tests and replays are deterministic.

use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use uuid::Uuid;

/// Where "now" and new ids come from.
pub trait Clock: Send + Sync {
    /// The present moment.
    fn now(&self) -> Timestamp;
    /// A new, unique id.
    fn new_id(&self) -> Uuid;
}

/// The machine's clock; ids are UUID v7, so rows made together lie together.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn new_id(&self) -> Uuid {
        Uuid::now_v7()
    }
}

/// A clock that ticks one millisecond per question and counts its ids.
#[derive(Debug, Default)]
pub struct TickingClock {
    ticks: AtomicU64,
    ids: AtomicU64,
}

impl Clock for TickingClock {
    fn now(&self) -> Timestamp {
        let tick = self.ticks.fetch_add(1, Ordering::Relaxed);
        let millis = 1_767_225_600_000_i64.saturating_add(i64::try_from(tick).unwrap_or(i64::MAX));
        Timestamp::from_millisecond(millis).unwrap_or(Timestamp::MAX)
    }

    fn new_id(&self) -> Uuid {
        Uuid::from_u128(u128::from(self.ids.fetch_add(1, Ordering::Relaxed)) + 1)
    }
}
