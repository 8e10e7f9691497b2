//! A document comes in: its shape first, then its rules, and every problem with the path of its field.

mod faults;

use std::fmt;

use amelia_core::config::problem::{ConfigProblem, ProblemReport, Validate};
use serde::de::DeserializeOwned;
use serde_json::Value;

use self::faults::ShapeFaults;

/// A shape that becomes configuration.
pub trait Incoming: DeserializeOwned {
    type Core: Validate;

    /// Our own type. What cannot be expressed there is reported, not dropped.
    fn into_core(self, report: &mut ProblemReport) -> Self::Core;

    /// A fault of the shape, with what is meant where that is known.
    fn explained(problem: ConfigProblem) -> ConfigProblem {
        problem
    }
}

/// A document that cannot be used, and all the reasons.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", Lines(.0))]
pub struct Refused(pub Vec<ConfigProblem>);

impl Refused {
    /// The same problems of a document that is the value of `field`.
    #[must_use]
    pub fn of_field(self, field: &str) -> Self {
        let path = |path: String| match path.as_str() {
            "" => field.to_owned(),
            path if path.starts_with('[') => format!("{field}{path}"),
            path => format!("{field}.{path}"),
        };
        Self(
            self.0.into_iter().map(|problem| ConfigProblem { path: path(problem.path), ..problem }).collect(),
        )
    }
}

struct Lines<'a>(&'a [ConfigProblem]);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

/// Reads a document of configuration.
pub fn read<W: Incoming>(document: Value) -> Result<W::Core, Refused> {
    read_with::<W>(document, |_| Vec::new())
}

/// The same with rules that need more than the document; all problems at once.
pub fn read_with<W: Incoming>(
    document: Value,
    more: impl FnOnce(&W::Core) -> Vec<ConfigProblem>,
) -> Result<W::Core, Refused> {
    let wire: W = shape(document)
        .map_err(|Refused(problems)| Refused(problems.into_iter().map(W::explained).collect()))?;
    let mut report = ProblemReport::default();
    let core = wire.into_core(&mut report);
    core.check(&mut report);
    let mut problems = report.into_problems();
    for problem in more(&core) {
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
    if problems.is_empty() { Ok(core) } else { Err(Refused(problems)) }
}

/// The value, unless something was found.
pub(crate) fn verdict<T>(value: T, report: ProblemReport) -> Result<T, Refused> {
    let problems = report.into_problems();
    if problems.is_empty() { Ok(value) } else { Err(Refused(problems)) }
}

/// Reads a document whose types are its only rules. All faults of its shape are reported.
pub fn shape<W: DeserializeOwned>(mut document: Value) -> Result<W, Refused> {
    let mut faults = ShapeFaults::default();
    loop {
        let error = match serde_path_to_error::deserialize::<_, W>(&document) {
            Ok(wire) if faults.is_empty() => return Ok(wire),
            Ok(_) => return Err(faults.refused()),
            Err(error) => error,
        };
        if !faults.take_out(&mut document, &error.path().to_string(), &error.inner().to_string()) {
            return Err(faults.refused());
        }
    }
}

/// Reads the query of an address, of which the first fault is reported.
pub fn query<W: DeserializeOwned>(text: &str) -> Result<W, Refused> {
    let pairs = serde_urlencoded::Deserializer::new(form_urlencoded::parse(text.as_bytes()));
    serde_path_to_error::deserialize(pairs).map_err(|error| {
        let path = error.path().to_string();
        let path = if path == "." { String::new() } else { path };
        Refused(vec![ConfigProblem { path, message: without_type_names(&error.inner().to_string()) }])
    })
}

/// What serde says, in the words of JSON: the name of a Rust type does not help the author of a document.
#[must_use]
pub fn without_type_names(reason: &str) -> String {
    const BEFORE: &str = "expected ";
    let Some((start, rest)) = reason.split_once(BEFORE) else { return reason.to_owned() };
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let (expected, rest) = match rest.strip_prefix("struct ") {
        Some(named) => ("an object", named.trim_start_matches(is_of_name)),
        None => {
            let (name, after) = rest.split_at(rest.find(|c| !is_of_name(c)).unwrap_or(rest.len()));
            let expected = match name {
                "u8" => "a whole number from 0 to 255",
                "u16" => "a whole number from 0 to 65535",
                "u32" => "a whole number from 0 to 4294967295",
                "u64" | "usize" => "a whole number from 0",
                "i32" | "i64" => "a whole number",
                "f32" | "f64" => "a number",
                _ => return reason.to_owned(),
            };
            (expected, after)
        }
    };
    format!("{start}{BEFORE}{expected}{rest}")
}
