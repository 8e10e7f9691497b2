//! What the synthetic run knows: notes, by the node that left them.

use std::collections::BTreeMap;

use amelia_graph::state::State;
use serde::{Deserialize, Serialize};

/// Each node writes only under its own name, so the order in which branches finish does not matter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyntheticState {
    /// How often develop and review take turns.
    pub rounds: usize,
    pub notes: BTreeMap<String, Vec<String>>,
}

impl Default for SyntheticState {
    fn default() -> Self {
        Self { rounds: 3, notes: BTreeMap::new() }
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Note {
    pub node: String,
    pub text: String,
}

impl State for SyntheticState {
    type Update = Note;

    fn apply(&mut self, note: Note) {
        self.notes.entry(note.node).or_default().push(note.text);
    }
}

impl SyntheticState {
    /// How many notes a node has left.
    pub fn count(&self, node: &str) -> usize {
        self.notes.get(node).map_or(0, Vec::len)
    }

    /// The state that every run must end with, after any crash of its worker.
    pub fn expected() -> Self {
        let mut work = Self::default();
        let mut note = |node: &str, text: &str| {
            work.apply(Note { node: node.to_owned(), text: text.to_owned() });
        };
        note("plan", "three rounds");
        for node in ["ask_scope", "ask_risk"] {
            note(node, &format!("yes: may {node} be decided?"));
        }
        note("survey", "read 2 files");
        note("agree", "all there");
        for _ in 0..Self::default().rounds {
            note("develop", "wrote 2 files");
            note("review", "looked at it");
        }
        note("publish", "published");
        work
    }
}
