//! A script: rules in order, checked as a whole before anything is played.
//!
//! `amelia-yaml` checks a text against the published schema and reads it as typed keys (`file`); `compile` makes rules
//! of them that can be matched.

mod compile;
mod file;
mod glob;
mod problem;
mod rule;
mod schema;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::time::Duration;

pub use problem::ScriptError;
pub use schema::schema;

pub(crate) use file::ScriptedStop;
pub(crate) use rule::{
    CutPlace, ErrorBody, HttpError, Pace, Play, ReplyEnding, Rule, RuleMatch, ScriptedReply, Speech,
};

use amelia_yaml::problem::FileProblem;

/// Rules that were found sound. Playing keeps its own count of what has fired: a script never changes.
#[derive(Debug, Clone)]
pub struct Script {
    pub(crate) rules: Vec<Rule>,
    /// What `GET /v1/models` lists.
    pub(crate) models: Vec<String>,
}

impl Script {
    /// Reads YAML. All problems that can be distinguished are reported at once, each with its line and column.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        load(text).map_err(|problems| ScriptError::Refused { file: None, problems })
    }

    /// Reads a file; problems name it.
    pub fn from_file(path: &Path) -> Result<Self, ScriptError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| ScriptError::Unreadable { file: path.to_owned(), source })?;
        load(&text).map_err(|problems| ScriptError::Refused { file: Some(path.to_owned()), problems })
    }
}

impl Script {
    /// The same at a speed that people can follow: every answer at least so long after its question, and its pieces at
    /// least so far apart.
    #[must_use]
    pub fn paced(self, before: Duration, between: Duration) -> Self {
        let slow = |reply: ScriptedReply| ScriptedReply {
            delay: reply.delay.max(before),
            pace: Pace { delay: reply.pace.delay.max(between), ..reply.pace },
            ..reply
        };
        let rules = self.rules.into_iter().map(|rule| Rule { replies: rule.replies.map(slow), ..rule });
        Self { rules: rules.collect(), ..self }
    }
}

fn load(text: &str) -> Result<Script, Vec<FileProblem>> {
    let (file, tree) = amelia_yaml::read(text, schema::shared())?;
    compile::compile(file, &tree)
}
