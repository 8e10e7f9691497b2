//! What is wrong with a configuration: every problem at once, each with the path of its field.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::RangeInclusive;

/// One thing that is wrong, and where: `retry.max_retries: 11 is not in 0..=10`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigProblem {
    /// Empty when it concerns the whole document.
    pub path: String,
    pub message: String,
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.path, self.message)
        }
    }
}

/// Data with rules beyond its types.
pub trait Validate {
    /// Reports what is wrong with `self`.
    fn check(&self, report: &mut ProblemReport);

    /// Everything that is wrong; empty when nothing is.
    fn problems(&self) -> Vec<ConfigProblem> {
        let mut report = ProblemReport::default();
        self.check(&mut report);
        report.into_problems()
    }
}

/// Collects problems while a document is walked, and knows where the walk is.
#[derive(Debug, Default)]
pub struct ProblemReport {
    path: String,
    problems: Vec<ConfigProblem>,
}

impl ProblemReport {
    /// What was found, in the order of the walk.
    #[must_use]
    pub fn into_problems(self) -> Vec<ConfigProblem> {
        self.problems
    }

    /// Walks into `field` (`retry`, `agents[2]`) and reports from there.
    pub fn within<T>(&mut self, field: impl fmt::Display, walk: impl FnOnce(&mut Self) -> T) -> T {
        let above = self.path.len();
        self.path = self.path_of(&field);
        let result = walk(self);
        self.path.truncate(above);
        result
    }

    /// Walks into a field that has rules of its own.
    pub fn part(&mut self, field: impl fmt::Display, part: &impl Validate) {
        self.within(field, |report| part.check(report));
    }

    /// Walks into every item of a list.
    pub fn list(&mut self, field: &str, items: &[impl Validate]) {
        for (index, item) in items.iter().enumerate() {
            self.part(format_args!("{field}[{index}]"), item);
        }
    }

    /// Walks into every entry of a map.
    pub fn map(&mut self, field: &str, entries: &BTreeMap<String, impl Validate>) {
        for (key, entry) in entries {
            self.part(format_args!("{field}.{key}"), entry);
        }
    }

    /// `field` (or the whole, when empty) is wrong.
    pub fn refuse(&mut self, field: impl fmt::Display, message: impl Into<String>) {
        let path = self.path_of(&field);
        self.problems.push(ConfigProblem { path, message: message.into() });
    }

    /// `value` must lie in `range`.
    pub fn range<T: PartialOrd + fmt::Debug>(&mut self, field: &str, value: &T, range: &RangeInclusive<T>) {
        if !range.contains(value) {
            self.refuse(field, format!("{value:?} is not in {range:?}"));
        }
    }

    /// `value` must be `least` or more.
    pub fn at_least<T: PartialOrd + fmt::Debug>(&mut self, field: &str, value: &T, least: &T) {
        if value.partial_cmp(least).is_none_or(std::cmp::Ordering::is_lt) {
            self.refuse(field, format!("{value:?} is less than {least:?}"));
        }
    }

    /// `value` must be a number above 0.
    pub fn positive<T: PartialOrd + Default + fmt::Debug>(&mut self, field: &str, value: &T) {
        if value.partial_cmp(&T::default()).is_none_or(std::cmp::Ordering::is_le) {
            self.refuse(field, format!("{value:?} is not greater than 0"));
        }
    }

    /// `text` must say something.
    pub fn filled(&mut self, field: impl fmt::Display, text: &str) {
        if text.trim().is_empty() {
            self.refuse(field, "must not be empty");
        }
    }

    /// `text` must look like `scheme://host…` with one of `schemes`.
    pub fn url(&mut self, field: &str, text: &str, schemes: &[&str]) {
        let is_url = text.split_once("://").is_some_and(|(scheme, rest)| {
            schemes.contains(&scheme)
                && !rest.is_empty()
                && !rest.starts_with('/')
                && !rest.contains(char::is_whitespace)
        });
        if !is_url {
            let expected: Vec<String> = schemes.iter().map(|scheme| format!("{scheme}://")).collect();
            // Not shown: an address may hold a password.
            self.refuse(field, format!("must be a URL that starts with {}", expected.join(" or ")));
        }
    }

    /// A URL of a web server that is kept and shown: without a user or a password in it.
    pub fn open_url(&mut self, field: &str, text: &str) {
        self.url(field, text, &["https", "http"]);
        let authority = text.split_once("://").and_then(|(_, rest)| rest.split(['/', '?', '#']).next());
        if authority.is_some_and(|authority| authority.contains('@')) {
            self.refuse(
                field,
                "must not contain a user or a password: set api_key_env to the variable that holds the key",
            );
        }
        if text.contains(['?', '#']) {
            self.refuse(field, "must have no `?` or `#`: set api_key_env to the variable that holds the key");
        }
    }

    /// No two items of a list may have the same name.
    pub fn unique<'a>(&mut self, list: &str, name: &str, names: impl IntoIterator<Item = &'a str>) {
        let mut seen = BTreeMap::new();
        for (index, text) in names.into_iter().enumerate() {
            if let Some(first) = seen.get(text) {
                let separator = if name.is_empty() { "" } else { "." };
                self.refuse(
                    format_args!("{list}[{index}]{separator}{name}"),
                    format!("`{text}` is already used by {list}[{first}]"),
                );
            } else {
                seen.insert(text, index);
            }
        }
    }

    /// `name` must be one of `known`, which are called `what`.
    pub fn known(&mut self, field: impl fmt::Display, what: &str, name: &str, known: &BTreeSet<&str>) {
        if !known.contains(name) {
            self.refuse(field, format!("there is no {what} `{name}`"));
        }
    }

    fn path_of(&self, field: &impl fmt::Display) -> String {
        let field = field.to_string();
        let separator = if self.path.is_empty() || field.is_empty() { "" } else { "." };
        format!("{}{separator}{field}", self.path)
    }
}

/// What exists outside a document, for references that lead out of it.
#[derive(Debug, Clone, Default)]
pub struct KnownNames<'a> {
    pub agents: BTreeSet<&'a str>,
    pub tools: BTreeSet<&'a str>,
    pub workflows: BTreeSet<&'a str>,
    pub teams: BTreeSet<&'a str>,
    /// Guardrail policies that are shared.
    pub policies: BTreeSet<&'a str>,
    /// MCP servers. Which tools they have is known only when they are asked.
    pub servers: BTreeSet<&'a str>,
}

impl KnownNames<'_> {
    /// Reports a tool that does not exist, or is of a server that does not.
    pub fn check_tool(&self, field: impl fmt::Display, tool: &str, report: &mut ProblemReport) {
        match tool.split_once(':') {
            Some((server, name)) if !name.is_empty() => {
                report.known(field, "MCP server", server, &self.servers);
            }
            _ => report.known(field, "tool", tool, &self.tools),
        }
    }
}

/// `^[A-Za-z_][A-Za-z0-9_]*$`: the name of an environment variable.
#[must_use]
pub fn is_variable_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// What is wrong with a key in the place of its variable. The key itself is never shown.
pub const LITERAL_KEY: &str = "must be `${NAME}`, with the name of the environment variable that holds the key; a key itself \
     is not accepted";

/// A variable for a message. What is not written as variables are may be a key, which is not shown.
#[must_use]
pub fn shown_variable(name: &str) -> String {
    const LONGEST: usize = 64;
    let is_usual = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    match is_variable_name(name) && name.len() <= LONGEST && name.chars().all(is_usual) {
        true => format!("`{name}`"),
        false => "this key".to_owned(),
    }
}

/// Leads out of the directory it is joined to.
#[must_use]
pub fn escapes(path: &str) -> bool {
    path.split(['/', '\\']).any(|part| part == "..")
}

/// One cycle among `edges`, if there is one, as the path that closes it. Iterative: documents come from
/// outside and may be of any depth.
pub fn find_cycle(edges: &BTreeMap<&str, Vec<&str>>) -> Option<Vec<String>> {
    let mut finished: BTreeSet<&str> = BTreeSet::new();
    for start in edges.keys().copied() {
        let mut path: Vec<(&str, usize)> = vec![(start, 0)];
        let mut on_path = BTreeSet::from([start]);
        while let Some((node, next)) = path.last_mut() {
            let target = edges.get(*node).and_then(|targets| targets.get(*next)).copied();
            let Some(target) = target.filter(|_| !finished.contains(*node)) else {
                finished.insert(*node);
                on_path.remove(*node);
                path.pop();
                continue;
            };
            *next += 1;
            if !on_path.insert(target) {
                let cycle = path.iter().map(|(node, _)| *node).skip_while(|node| *node != target);
                return Some(cycle.chain([target]).map(str::to_owned).collect());
            }
            path.push((target, 0));
        }
    }
    None
}
