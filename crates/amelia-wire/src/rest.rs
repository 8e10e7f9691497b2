//! What only HTTP says: requests, lists, and how a run is shown. Dialect shapes (events, steps, traces, profiles) are not
//! repeated here; they go into these as they are.

pub mod artifact;
pub mod attachment;
pub mod board;
pub mod cleanup;
pub mod compare;
pub mod config;
pub mod definition;
pub mod delivery;
pub mod doctor;
pub mod estimate;
pub mod flat_run;
pub mod health;
pub mod human;
pub mod intervene;
pub mod issue;
pub mod live;
pub mod log;
pub mod mcp;
pub mod memory;
pub mod outcome;
pub mod prompt;
pub mod repository;
pub mod request;
pub mod run;
mod silence;
pub mod travel;
pub mod usage;
pub mod why;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Items of a list by default.
pub const DEFAULT_LIMIT: usize = 50;
/// The most items of a list.
pub const MAX_LIMIT: usize = 500;

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Page<T> {
    pub items: Vec<T>,
    /// Cursor of the next page; `null` on the last page.
    #[schema(required)]
    pub next_cursor: Option<String>,
}

/// Which page of a list.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    #[param(value_type = Option<u32>, minimum = 1, maximum = 500)]
    pub limit: Limit,
    /// `next_cursor` of the previous page.
    #[param(value_type = Option<u64>)]
    pub cursor: Option<Place>,
}

impl<T> Page<T> {
    /// A part of a list that is small enough to be had as a whole; the cursor is a place in it.
    #[must_use]
    pub fn slice(items: Vec<T>, query: &ListQuery) -> Self {
        let all = items.len();
        let skip = usize::try_from(query.cursor.unwrap_or_default().get()).unwrap_or(usize::MAX);
        let items: Vec<T> = items.into_iter().skip(skip).take(query.limit.get()).collect();
        let end = skip.saturating_add(items.len());
        Self { items, next_cursor: (end < all).then(|| end.to_string()) }
    }
}

/// A place in a log or a list: a number that a store can count to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u64")]
pub struct Place(u64);

impl Place {
    #[must_use]
    pub fn get(self) -> u64 {
        self.0
    }
}

impl TryFrom<u64> for Place {
    type Error = String;

    fn try_from(place: u64) -> Result<Self, String> {
        if i64::try_from(place).is_ok() { Ok(Self(place)) } else { Err(format!("{place} is too large")) }
    }
}

/// How many items of a list; anything outside 1 to 500 is refused by its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "usize")]
pub struct Limit(usize);

impl Limit {
    #[must_use]
    pub fn get(self) -> usize {
        self.0
    }
}

impl Default for Limit {
    fn default() -> Self {
        Self(DEFAULT_LIMIT)
    }
}

impl TryFrom<usize> for Limit {
    type Error = String;

    fn try_from(limit: usize) -> Result<Self, String> {
        if (1..=MAX_LIMIT).contains(&limit) {
            Ok(Self(limit))
        } else {
            Err(format!("{limit} is not in 1..={MAX_LIMIT}"))
        }
    }
}
