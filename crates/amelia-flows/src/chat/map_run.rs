//! How far the work on a list is: which lane has which element, and what came of those that are done. Pure.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A list at work.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MapRun {
    items: Vec<Value>,
    results: Vec<Value>,
    /// The element that each lane works on. A lane that has none is done.
    lanes: BTreeMap<u32, usize>,
    /// The first element that no lane has taken.
    next: usize,
}

/// What has happened to a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MapUpdate {
    Began {
        items: Vec<Value>,
        lanes: u32,
    },
    /// A lane has done its element, and takes the next one.
    Finished {
        lane: u32,
        result: Value,
    },
    Ended,
}

impl MapRun {
    /// The element of a lane, with its number.
    #[must_use]
    pub fn item(&self, lane: u32) -> Option<(usize, &Value)> {
        let index = *self.lanes.get(&lane)?;
        self.items.get(index).map(|item| (index, item))
    }

    /// The results, in the order of the list.
    #[must_use]
    pub fn results(&self) -> &[Value] {
        &self.results
    }

    pub(super) fn apply(&mut self, update: MapUpdate) {
        match update {
            MapUpdate::Began { items, lanes } => {
                let results = vec![Value::Null; items.len()];
                *self = Self { items, results, ..Self::default() };
                (1..=lanes).for_each(|lane| self.take_next(lane));
            }
            MapUpdate::Finished { lane, result } => {
                let done = self.lanes.remove(&lane).and_then(|index| self.results.get_mut(index));
                if let Some(place) = done {
                    *place = result;
                }
                self.take_next(lane);
            }
            MapUpdate::Ended => *self = Self::default(),
        }
    }

    fn take_next(&mut self, lane: u32) {
        if self.next < self.items.len() {
            self.lanes.insert(lane, self.next);
            self.next += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_lane_that_is_done_takes_the_next_element_and_results_keep_their_order() {
        let mut run = MapRun::default();
        let items = vec![json!("a"), json!("b"), json!("c")];
        run.apply(MapUpdate::Began { items, lanes: 2 });
        assert_eq!((run.item(1), run.item(2)), (Some((0, &json!("a"))), Some((1, &json!("b")))));
        run.apply(MapUpdate::Finished { lane: 2, result: json!("B") });
        assert_eq!(run.item(2), Some((2, &json!("c"))));
        run.apply(MapUpdate::Finished { lane: 2, result: json!("C") });
        run.apply(MapUpdate::Finished { lane: 1, result: json!("A") });
        assert_eq!((run.item(1), run.item(2)), (None, None));
        assert_eq!(run.results(), [json!("A"), json!("B"), json!("C")]);
    }
}
