//! A script: rules in order, checked as a whole before anything is played.
//!
//! Loading goes in steps, each in its own file: YAML to a tree that knows its lines (`tree`), the tree against the
//! published schema (`check`), the tree to typed keys (`file`), keys to rules that can be matched (`compile`).

mod check;
mod compile;
mod file;
mod glob;
mod problem;
mod rule;
mod schema;
mod tree;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::time::Duration;

pub use problem::{ScriptError, ScriptProblem};
pub use schema::schema;

pub(crate) use file::ScriptedStop;
pub(crate) use rule::{
    CutPlace, ErrorBody, HttpError, Pace, Play, ReplyEnding, Rule, RuleMatch, ScriptedReply, Speech,
};

use problem::Step;
use tree::Node;

/// Rules that were found sound. Playing keeps its own count of what has fired: a script never changes.
#[derive(Debug, Clone)]
pub struct Script {
    pub(crate) rules: Vec<Rule>,
    /// What `GET /v1/models` lists.
    pub(crate) models: Vec<String>,
}

impl Script {
    /// Reads YAML. All problems that can be told apart are reported at once, each with its line and column.
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

fn load(text: &str) -> Result<Script, Vec<ScriptProblem>> {
    let tree = tree::parse(text).map_err(|problem| vec![problem])?;
    let problems = check::check(&tree, schema::shared());
    if !problems.is_empty() {
        return Err(problems);
    }
    let file = typed(&tree).map_err(|problem| vec![problem])?;
    compile::compile(file, &tree)
}

fn typed(tree: &Node) -> Result<file::ScriptFile, ScriptProblem> {
    serde_path_to_error::deserialize(tree.to_json()).map_err(|error| {
        let path: Vec<Step> = error.path().iter().filter_map(Step::from_serde).collect();
        ScriptProblem::at(tree, &path, error.inner().to_string())
    })
}
