//! `/ws/runs`: all runs as they stand, for a screen that shows many. Not a log: what is said replaces what was said before.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::human::Pending;
use super::run::RunSummary;

/// What a server says there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SaidOfBoard {
    /// From now on every change is sent; lists that are read after this are never behind.
    Ready,
    /// A run as it stands now, and what it asks.
    Run {
        run: Box<RunSummary>,
        pending: Vec<Pending>,
    },
    Removed {
        id: Uuid,
    },
    Ping {
        timestamp: Timestamp,
    },
}
