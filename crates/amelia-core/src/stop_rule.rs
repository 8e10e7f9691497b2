//! Where a run stops, as people write it: before a node, a call, a turn, or after something happened; always, or if a
//! condition on its state is true. Pure.

use std::fmt;

use globset::{GlobBuilder, GlobMatcher};
use serde::{Deserialize, Serialize};

use crate::human::{HumanKind, HumanRequest};
use crate::object::Object;
use crate::problem::Problem;

/// Where a question keeps the rule that it is about, and the place in the conversation.
pub const STOP: &str = "stop";
/// Rules that one run can have. Every commit of a run writes them.
pub const MAX_STOPS: usize = 50;
/// The longest rule, for the same reason.
const MAX_BYTES: usize = 400;
/// What a rule looks like, for people who got it wrong.
pub const STOP_RULES: &str = "`node:NAME`, `turn`, `error`, `handoff`, `agent:NAME`, `tool:GLOB`, `path:GLOB`, `cost:USD` or \
     `event:NAME`, each optionally followed by ` if CONDITION`";
/// What is between a place and its condition.
const IF: &str = " if ";
/// What is before a place at which a person approves what follows.
const APPROVE: &str = "approve ";

/// A rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(type = "string", export_to = "log/"))]
#[serde(try_from = "String", into = "String")]
pub struct StopRule {
    pub place: StopPlace,
    /// An expression over the state of the run; without one, the run always stops there.
    pub condition: Option<String>,
    /// A person approves what follows, as a team wants it. It is no breakpoint, and is written with `approve ` before it.
    pub is_gate: bool,
}

/// A place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StopPlace {
    /// Before this node.
    Node(String),
    /// Before every call to a model.
    Turn,
    /// The same, until a person continues the run: it is in step mode.
    Step,
    /// Before the first call to the model of this agent in a visit.
    Agent(String),
    /// Before calls of these tools.
    Tool(String),
    /// Before calls that name such a file.
    Path(String),
    /// After a tool call has failed, before the model hears of it.
    Error,
    /// Once, when the run has cost this many USD.
    Cost(String),
    /// After an event of this name, before the next call to a model or the next node.
    Event(String),
}

/// Whether a run stops at a place that it has reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopVerdict {
    Pass,
    Stop,
    /// It stops, because the condition cannot be decided for this reason.
    Undecided(String),
}

impl StopVerdict {
    /// What is said after the rule.
    #[must_use]
    pub fn remark(&self) -> String {
        match self {
            Self::Pass | Self::Stop => String::new(),
            Self::Undecided(reason) => format!(" (its condition cannot be evaluated: {reason})"),
        }
    }
}

/// A rule without its condition, and the condition.
#[must_use]
pub fn stop_parts(text: &str) -> (&str, Option<&str>) {
    match text.split_once(IF) {
        Some((place, condition)) => (place.trim(), Some(condition.trim())),
        None => (text.trim(), None),
    }
}

impl StopRule {
    /// Reads a rule.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let refused =
            |why: String| Problem::new(why).with_hint(format!("write the name of a node, {STOP_RULES}"));
        if text.len() > MAX_BYTES || text.chars().any(char::is_control) {
            return Err(refused(format!("a breakpoint is one line of at most {MAX_BYTES} bytes")));
        }
        let (place, condition) = stop_parts(text);
        if condition == Some("") {
            return Err(refused(format!("there is no condition after `{place} if`")));
        }
        let gate = place.strip_prefix(APPROVE);
        let parsed = StopPlace::parse(gate.unwrap_or(place).trim()).map_err(refused)?;
        Ok(Self { place: parsed, condition: condition.map(str::to_owned), is_gate: gate.is_some() })
    }

    /// A place at which the run always stops.
    #[must_use]
    pub fn at(place: StopPlace) -> Self {
        Self { place, condition: None, is_gate: false }
    }

    /// What its questions are.
    #[must_use]
    pub fn asks(&self) -> HumanKind {
        match self.place {
            _ if self.is_gate => HumanKind::Approval,
            StopPlace::Step => HumanKind::Step,
            _ => HumanKind::Breakpoint,
        }
    }

    /// How its questions begin.
    #[must_use]
    pub fn prompt(&self, verdict: &StopVerdict) -> String {
        let remark = verdict.remark();
        match self.place {
            _ if self.is_gate => format!("approve what follows ({}{remark})", self.place),
            StopPlace::Step => "step by step".to_owned(),
            _ => format!("breakpoint {self}{remark}"),
        }
    }

    /// Whether the run stops, now that it has reached the place; `decide` looks at the condition.
    pub fn verdict(&self, decide: impl FnOnce(&str) -> Result<bool, String>) -> StopVerdict {
        match self.condition.as_deref().map(decide) {
            None | Some(Ok(true)) => StopVerdict::Stop,
            Some(Ok(false)) => StopVerdict::Pass,
            Some(Err(reason)) => StopVerdict::Undecided(reason),
        }
    }

    /// Whether this call of a tool is such a place, for an agent that works in `root`.
    #[must_use]
    pub fn holds(&self, tool: &str, args: &Object, root: &str) -> bool {
        match &self.place {
            StopPlace::Tool(pattern) => ToolPattern::parse(pattern).is_some_and(|pattern| pattern.fits(tool)),
            StopPlace::Path(pattern) => {
                let is_meant =
                    |glob: GlobMatcher| named_files(args, root).iter().any(|path| glob.is_match(path));
                glob(pattern).is_some_and(is_meant)
            }
            StopPlace::Node(_)
            | StopPlace::Turn
            | StopPlace::Step
            | StopPlace::Agent(_)
            | StopPlace::Error
            | StopPlace::Cost(_)
            | StopPlace::Event(_) => false,
        }
    }

    /// Whether the run has cost this much.
    #[must_use]
    pub fn is_reached(&self, usd: f64) -> bool {
        matches!(&self.place, StopPlace::Cost(limit) if limit.parse().is_ok_and(|limit: f64| usd >= limit))
    }

    /// Whether it holds only until it was asked about: a cost is reached once.
    #[must_use]
    pub fn holds_once(&self) -> bool {
        matches!(self.place, StopPlace::Cost(_))
    }

    /// The rule that does not hold any more once it was asked about.
    #[must_use]
    pub fn used_up_by(request: &HumanRequest) -> Option<Self> {
        let rule = request.context.get(STOP)?.get("rule")?.as_str()?;
        Self::parse(rule).ok().filter(Self::holds_once)
    }
}

impl StopPlace {
    fn parse(text: &str) -> Result<Self, String> {
        let (kind, rest) = match text {
            "turn" => return Ok(Self::Turn),
            "step" => return Ok(Self::Step),
            // It is before the next node.
            "handoff" => return Ok(Self::Event("team.handed_off".to_owned())),
            "error" => return Ok(Self::Error),
            text => text.split_once(':').unwrap_or((text, "")),
        };
        let rest = rest.trim();
        match kind {
            "node" | "agent" | "tool" | "path" | "event" | "cost" if rest.is_empty() => {
                Err(format!("`{kind}:` has nothing after the colon"))
            }
            "node" => Ok(Self::Node(rest.to_owned())),
            "tool" | "path" if glob(rest).is_none() => Err(format!("`{rest}` is not a glob")),
            "cost" if !rest.parse::<f64>().is_ok_and(|usd| usd > 0.0 && usd.is_finite()) => {
                Err(format!("`{rest}` is not an amount in USD greater than 0"))
            }
            "agent" => Ok(Self::Agent(rest.to_owned())),
            "tool" => Ok(Self::Tool(rest.to_owned())),
            "path" => Ok(Self::Path(rest.to_owned())),
            "event" => Ok(Self::Event(rest.to_owned())),
            "cost" => Ok(Self::Cost(rest.to_owned())),
            _ => Err(format!("`{text}` is not a breakpoint")),
        }
    }
}

/// A pattern for names of tools: `shell`, `write_*`, `github:*`.
#[derive(Debug, Clone)]
pub struct ToolPattern(GlobMatcher);

impl ToolPattern {
    /// `None` if it is not a glob.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        glob(text).map(Self)
    }

    /// Whether this tool is meant, by its whole name or that on its server.
    #[must_use]
    pub fn fits(&self, tool: &str) -> bool {
        self.0.is_match(tool) || self.0.is_match(tool.rsplit(':').next().unwrap_or_default())
    }
}

/// A `*` stays in its directory, a `**` does not.
fn glob(pattern: &str) -> Option<GlobMatcher> {
    GlobBuilder::new(pattern).literal_separator(true).build().ok().map(|glob| glob.compile_matcher())
}

/// The files that a call names, relative to `root` if they are in it.
#[must_use]
pub fn named_files<'a>(args: &'a Object, root: &str) -> Vec<&'a str> {
    const NAMES: [&str; 5] = ["path", "file_path", "notebook_path", "patch", "input"];
    let values = NAMES.iter().filter_map(|name| args.get(*name)?.as_str());
    let relative = |path: &'a str| {
        let inside = path.strip_prefix(root).and_then(|path| path.strip_prefix('/'));
        inside.unwrap_or(path).trim_start_matches("./")
    };
    values.flat_map(in_text).map(relative).collect()
}

/// A path, or those of a patch.
fn in_text(text: &str) -> Vec<&str> {
    const HEADERS: [&str; 4] = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
    if !text.contains('\n') {
        return vec![text];
    }
    let header = |line: &'_ str| HEADERS.iter().find_map(|header| line.strip_prefix(header)).map(str::len);
    text.lines().filter_map(|line| line.get(line.len() - header(line)?..)).map(str::trim).collect()
}

impl fmt::Display for StopRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_gate {
            f.write_str(APPROVE)?;
        }
        write!(f, "{}", self.place)?;
        match &self.condition {
            Some(condition) => write!(f, "{IF}{condition}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for StopPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Turn => f.write_str("turn"),
            Self::Step => f.write_str("step"),
            Self::Error => f.write_str("error"),
            Self::Node(name) => write!(f, "node:{name}"),
            Self::Agent(name) => write!(f, "agent:{name}"),
            Self::Tool(glob) => write!(f, "tool:{glob}"),
            Self::Path(glob) => write!(f, "path:{glob}"),
            Self::Cost(usd) => write!(f, "cost:{usd}"),
            Self::Event(name) => write!(f, "event:{name}"),
        }
    }
}

impl From<StopRule> for String {
    fn from(rule: StopRule) -> Self {
        rule.to_string()
    }
}

impl TryFrom<String> for StopRule {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).map_err(|problem| problem.message)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_rule_is_read_as_it_is_written_and_what_is_none_is_refused() {
        for text in [
            "turn",
            "error",
            "agent:developer",
            "tool:memory:*",
            "path:src/**",
            "cost:0.5",
            "event:run.steered",
            "node:save if state.score > 0.5",
            "error if agent == 'writer'",
            "step",
            "approve tool:shell",
            "approve node:save if state.score > 0.5",
        ] {
            assert_eq!(StopRule::parse(text).unwrap().to_string(), text);
            let stored: StopRule = serde_json::from_value(json!(text)).unwrap();
            assert_eq!(serde_json::to_value(&stored).unwrap(), json!(text));
        }
        for (text, expected) in [
            ("fly", "`fly` is not a breakpoint"),
            ("fly:high", "`fly:high` is not a breakpoint"),
            ("tool:", "`tool:` has nothing after the colon"),
            ("cost:free", "`free` is not an amount in USD greater than 0"),
            ("cost:-1", "`-1` is not an amount in USD greater than 0"),
            ("path:[", "`[` is not a glob"),
            ("node: if true", "`node:` has nothing after the colon"),
            ("node:save if  ", "there is no condition after `node:save if`"),
        ] {
            assert_eq!(StopRule::parse(text).unwrap_err().message, expected);
        }
        assert!(StopRule::parse(&"x".repeat(401)).is_err());
        assert_eq!(StopRule::parse("handoff").unwrap().to_string(), "event:team.handed_off");
    }

    #[test]
    fn what_a_rule_asks_follows_from_its_place() {
        let asks = |text: &str| {
            let rule = StopRule::parse(text).unwrap();
            (rule.asks(), rule.prompt(&StopVerdict::Stop))
        };
        assert_eq!(asks("turn"), (HumanKind::Breakpoint, "breakpoint turn".to_owned()));
        assert_eq!(asks("step"), (HumanKind::Step, "step by step".to_owned()));
        assert_eq!(asks("approve error"), (HumanKind::Approval, "approve what follows (error)".to_owned()));
    }

    #[test]
    fn a_call_is_held_by_its_tool_or_a_file_that_it_names() {
        let holds = |rule: &str, tool: &str, args: serde_json::Value| -> bool {
            StopRule::parse(rule).unwrap().holds(tool, args.as_object().unwrap(), "/repo")
        };
        assert!(holds("tool:shell", "shell", json!({"command": "ls"})));
        assert!(holds("tool:memory:*", "memory:read_graph", json!({})));
        assert!(holds("tool:read_*", "memory:read_graph", json!({})));
        assert!(!holds("tool:shell", "search", json!({})));
        assert!(holds("path:src/**", "edit_file", json!({"path": "./src/a/b.rs"})));
        assert!(holds("path:*.md", "Write", json!({"file_path": "/repo/README.md"})));
        assert!(!holds("path:*.md", "Write", json!({"file_path": "/repository/README.md"})));
        assert!(
            !holds("path:*.md", "Write", json!({"file_path": "docs/a.md"})),
            "a star stays in its directory"
        );
        let patch = "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-x\n+y\n*** End Patch\n";
        assert!(holds("path:src/*", "apply_patch", json!({"patch": patch})));
        assert!(!holds("path:docs/*", "apply_patch", json!({"patch": patch})));
        assert!(!holds("turn", "shell", json!({})));
    }

    #[test]
    fn a_cost_is_reached_once_it_is_spent() {
        let rule = StopRule::parse("cost:0.5").unwrap();
        assert!(!rule.is_reached(0.49) && rule.is_reached(0.5));
        assert!(!StopRule::parse("turn").unwrap().is_reached(9.0));
    }

    #[test]
    fn a_condition_decides_and_one_that_cannot_be_decided_stops() {
        let rule = StopRule::parse("node:save if state.score > 3").unwrap();
        assert_eq!(rule.verdict(|_| Ok(false)), StopVerdict::Pass);
        assert_eq!(rule.verdict(|text| Ok(text == "state.score > 3")), StopVerdict::Stop);
        let undecided = rule.verdict(|_| Err("score is text".to_owned()));
        assert_eq!(undecided.remark(), " (its condition cannot be evaluated: score is text)");
        assert_eq!(
            StopRule::parse("turn").unwrap().verdict(|_| Err(String::new())),
            StopVerdict::Stop,
            "nothing is looked at without a condition"
        );
    }
}
