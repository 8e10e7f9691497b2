//! From keys to rules: what may not be meant together, and what is text in a file but more than that here.

use std::time::Duration;

use amelia_yaml::problem::{FileProblem, PathStep};
use amelia_yaml::tree::YamlNode;
use regex::Regex;

use super::Script;
use super::file::{RuleKeys, ScriptFile, WhenKeys};
use super::glob::Glob;
use super::rule::{Replies, Rule, RuleMatch};

mod reply;

pub(super) fn compile(file: ScriptFile, tree: &YamlNode) -> Result<Script, Vec<FileProblem>> {
    let mut report = Report { tree, path: Vec::new(), problems: Vec::new() };
    let mut rules = Vec::new();
    report.below(PathStep::key("rules"), |report| {
        for (index, keys) in file.rules.into_iter().enumerate() {
            rules.extend(report.below(PathStep::Index(index), |report| rule(keys, report)));
        }
    });
    if !report.problems.is_empty() {
        return Err(report.problems);
    }
    let models = if file.models.is_empty() { named_models(&rules) } else { file.models };
    Ok(Script { rules, models })
}

fn rule(keys: RuleKeys, report: &mut Report<'_>) -> Option<Rule> {
    let when = report.below(PathStep::key("when"), |report| when(keys.when, report));
    let replies = match (keys.reply, keys.replies) {
        (Some(one), None) => {
            Replies::Always(report.below(PathStep::key("reply"), |report| reply::compile(one, report)))
        }
        (None, Some(many)) => report.below(PathStep::key("replies"), |report| {
            let each = many.into_iter().enumerate();
            let compiled = each.map(|(index, keys)| {
                report.below(PathStep::Index(index), |report| reply::compile(keys, report))
            });
            Replies::OnePerFiring(compiled.collect())
        }),
        (Some(_), Some(_)) => {
            report.problem("has both `reply` and `replies`; one is enough");
            return None;
        }
        (None, None) => {
            report.problem("has neither `reply` nor `replies`");
            return None;
        }
    };
    Some(Rule { name: keys.name, when, replies })
}

fn when(keys: WhenKeys, report: &mut Report<'_>) -> RuleMatch {
    RuleMatch {
        model: keys.model.and_then(|pattern| accepted("model", Glob::new(pattern), report)),
        text: keys.text,
        text_regex: keys.text_regex.and_then(|pattern| accepted("text_regex", Regex::new(&pattern), report)),
        last: keys.last,
        last_regex: keys.last_regex.and_then(|pattern| accepted("last_regex", Regex::new(&pattern), report)),
        system: keys.system,
        spoken: keys.spoken,
        turn: keys.turn,
        tools: keys.tools,
        wire: keys.wire,
        times: keys.times,
    }
}

fn accepted<T>(key: &str, pattern: Result<T, regex::Error>, report: &mut Report<'_>) -> Option<T> {
    match pattern {
        Ok(pattern) => Some(pattern),
        Err(error) => {
            // Its message is a drawing over several lines; the last one has the reason.
            let message = error.to_string();
            let reason = message.lines().last().unwrap_or_default().trim_start_matches("error: ");
            report.below(PathStep::key(key), |report| {
                report.problem(format!("not a regular expression: {reason}"));
            });
            None
        }
    }
}

fn named_models(rules: &[Rule]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in rules.iter().filter_map(|rule| rule.when.model.as_ref()?.literal()) {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    if names.is_empty() {
        names.push("scripted".to_owned());
    }
    names
}

/// Where we are in the file, and what was wrong so far.
struct Report<'a> {
    tree: &'a YamlNode,
    path: Vec<PathStep>,
    problems: Vec<FileProblem>,
}

impl Report<'_> {
    fn below<T>(&mut self, step: PathStep, look: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(step);
        let found = look(self);
        self.path.pop();
        found
    }

    fn problem(&mut self, message: impl Into<String>) {
        self.problems.push(FileProblem::at(self.tree, &self.path, message));
    }

    fn problem_at(&mut self, key: &str, message: impl Into<String>) {
        self.below(PathStep::key(key), |report| report.problem(message));
    }
}

fn milliseconds(given: Option<u32>) -> Duration {
    Duration::from_millis(u64::from(given.unwrap_or(0)))
}
