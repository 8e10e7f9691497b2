//! Where a run stops inside the work of an agent, as people write it: before a call, a turn, or after something happened.
//! Pure.

use std::fmt;

use globset::{GlobBuilder, GlobMatcher};
use serde::{Deserialize, Serialize};

use crate::human::HumanRequest;
use crate::object::Object;
use crate::problem::Problem;

/// Where a question keeps the rule that it is about, and the place in the conversation.
pub const STOP: &str = "stop";
/// Rules that one run can have. Every commit of a run writes them.
pub const MAX_STOPS: usize = 50;
/// The longest rule, for the same reason.
const MAX_BYTES: usize = 200;
/// What a rule looks like, for people who got it wrong.
pub const STOP_RULES: &str =
    "`turn`, `error`, `agent:NAME`, `tool:GLOB`, `path:GLOB`, `cost:USD` or `event:NAME`";

/// A rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(type = "string", export_to = "log/"))]
#[serde(try_from = "String", into = "String")]
pub enum StopRule {
    /// Before every call to a model.
    Turn,
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
    /// After an event of this name, before the next call to a model.
    Event(String),
}

impl StopRule {
    /// Reads a rule.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let refuse = |why: String| Err(Problem::new(why).with_hint(format!("write a node, {STOP_RULES}")));
        if text.len() > MAX_BYTES || text.chars().any(char::is_control) {
            return refuse(format!("a breakpoint is one line of at most {MAX_BYTES} bytes"));
        }
        let (kind, rest) = match text.trim() {
            "turn" => return Ok(Self::Turn),
            "error" => return Ok(Self::Error),
            text => text.split_once(':').unwrap_or((text, "")),
        };
        let rest = rest.trim();
        match kind {
            "agent" | "tool" | "path" | "event" | "cost" if rest.is_empty() => {
                refuse(format!("`{kind}:` names nothing"))
            }
            "tool" | "path" if glob(rest).is_none() => refuse(format!("`{rest}` is not a glob")),
            "cost" if !rest.parse::<f64>().is_ok_and(|usd| usd > 0.0 && usd.is_finite()) => {
                refuse(format!("`{rest}` is not an amount in USD greater than 0"))
            }
            "agent" => Ok(Self::Agent(rest.to_owned())),
            "tool" => Ok(Self::Tool(rest.to_owned())),
            "path" => Ok(Self::Path(rest.to_owned())),
            "event" => Ok(Self::Event(rest.to_owned())),
            "cost" => Ok(Self::Cost(rest.to_owned())),
            _ => refuse(format!("`{text}` is not a breakpoint")),
        }
    }

    /// Whether the run stops before this call of a tool, by an agent that works in `root`.
    #[must_use]
    pub fn holds(&self, tool: &str, args: &Object, root: &str) -> bool {
        match self {
            Self::Tool(pattern) => {
                let name = tool.rsplit(':').next().unwrap_or_default();
                glob(pattern).is_some_and(|glob| glob.is_match(tool) || glob.is_match(name))
            }
            Self::Path(pattern) => {
                let is_meant = |glob: GlobMatcher| paths(args, root).iter().any(|path| glob.is_match(path));
                glob(pattern).is_some_and(is_meant)
            }
            Self::Turn | Self::Agent(_) | Self::Error | Self::Cost(_) | Self::Event(_) => false,
        }
    }

    /// Whether the run stops, now that it has cost this much.
    #[must_use]
    pub fn is_reached(&self, usd: f64) -> bool {
        matches!(self, Self::Cost(limit) if limit.parse().is_ok_and(|limit: f64| usd >= limit))
    }

    /// The rule that does not hold any more once it was asked about: a cost is reached once.
    #[must_use]
    pub fn used_up_by(request: &HumanRequest) -> Option<Self> {
        let rule = request.context.get(STOP)?.get("rule")?.as_str()?;
        Self::parse(rule).ok().filter(|rule| matches!(rule, Self::Cost(_)))
    }
}

/// A `*` stays in its directory, a `**` does not.
fn glob(pattern: &str) -> Option<GlobMatcher> {
    GlobBuilder::new(pattern).literal_separator(true).build().ok().map(|glob| glob.compile_matcher())
}

/// The files that a call names, relative to `root` if they are in it.
fn paths<'a>(args: &'a Object, root: &str) -> Vec<&'a str> {
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
        match self {
            Self::Turn => f.write_str("turn"),
            Self::Error => f.write_str("error"),
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
        ] {
            assert_eq!(StopRule::parse(text).unwrap().to_string(), text);
            let stored: StopRule = serde_json::from_value(json!(text)).unwrap();
            assert_eq!(serde_json::to_value(&stored).unwrap(), json!(text));
        }
        for (text, expected) in [
            ("fly", "`fly` is not a breakpoint"),
            ("fly:high", "`fly:high` is not a breakpoint"),
            ("tool:", "`tool:` names nothing"),
            ("cost:free", "`free` is not an amount in USD greater than 0"),
            ("cost:-1", "`-1` is not an amount in USD greater than 0"),
            ("path:[", "`[` is not a glob"),
        ] {
            assert_eq!(StopRule::parse(text).unwrap_err().message, expected);
        }
        assert!(StopRule::parse(&"x".repeat(201)).is_err());
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
        assert!(!StopRule::Turn.is_reached(9.0));
    }
}
