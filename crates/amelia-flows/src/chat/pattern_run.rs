//! How far a pattern is: its rounds, and the ideas that it has collected. Pure.

use serde::{Deserialize, Serialize};

/// A pattern at work.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PatternRun {
    /// Rounds, or steps, that are over.
    #[serde(default)]
    pub rounds: u32,
    /// Whether the result was accepted.
    #[serde(default)]
    pub accepted: bool,
    /// What is to be improved.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub feedback: String,
    /// Ideas for the present step, in the order of their authors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ideas: Vec<Idea>,
    /// The best ideas of the step before, the best one first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<Idea>,
}

/// One idea, with the steps before it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Idea {
    /// Whose: authors have numbers.
    pub author: u32,
    pub text: String,
    #[serde(default)]
    pub score: f64,
}

/// What has happened in a pattern.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PatternUpdate {
    Began,
    RoundEnded,
    Judged {
        accepted: bool,
        feedback: String,
    },
    Proposed(Idea),
    /// Scores of the ideas, in their order.
    Scored {
        scores: Vec<f64>,
        keep: usize,
    },
}

impl PatternRun {
    pub(super) fn apply(&mut self, update: PatternUpdate) {
        match update {
            PatternUpdate::Began => *self = Self::default(),
            PatternUpdate::RoundEnded => self.rounds = self.rounds.saturating_add(1),
            PatternUpdate::Judged { accepted, feedback } => {
                self.rounds = self.rounds.saturating_add(1);
                (self.accepted, self.feedback) = (accepted, feedback);
            }
            PatternUpdate::Proposed(idea) => {
                // Authors finish in any order.
                let place = self.ideas.partition_point(|other| other.author < idea.author);
                self.ideas.insert(place, idea);
            }
            PatternUpdate::Scored { scores, keep } => {
                self.kept = best(std::mem::take(&mut self.ideas), &scores, keep);
                self.rounds = self.rounds.saturating_add(1);
                self.accepted = true;
            }
        }
    }
}

/// The best ideas, the best one first; of two that are equal, the first.
#[must_use]
pub fn best(ideas: Vec<Idea>, scores: &[f64], keep: usize) -> Vec<Idea> {
    let scored = ideas.into_iter().zip(scores).map(|(idea, score)| Idea { score: *score, ..idea });
    let mut kept: Vec<Idea> = scored.collect();
    kept.sort_by(|a, b| b.score.total_cmp(&a.score));
    kept.truncate(keep);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ideas_keep_the_order_of_their_authors_and_the_best_are_kept() {
        let mut run = PatternRun::default();
        for author in [2, 0, 1] {
            let idea = Idea { author, text: format!("idea {author}"), score: 0.0 };
            run.apply(PatternUpdate::Proposed(idea));
        }
        run.apply(PatternUpdate::Scored { scores: vec![0.2, 0.9, 0.9], keep: 2 });
        let kept: Vec<(u32, f64)> = run.kept.iter().map(|idea| (idea.author, idea.score)).collect();
        assert_eq!(kept, [(1, 0.9), (2, 0.9)]);
        assert!(run.ideas.is_empty() && run.rounds == 1);
    }
}
