//! Rules that let an agent make a call without asking a person, and how long a person grants one. Pure.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::AgentName;
use crate::object::Object;
use crate::problem::Problem;
use crate::text::REDACTED;
use crate::tool_call::Risk;

/// Where a request keeps the call that it is about.
pub const PERMISSION: &str = "permission";

/// Where it keeps, beside the call, that no rule can allow it.
pub const BEYOND_RULES: &str = "is_beyond_rules";

/// The longest rule. Every commit of a run writes the rules that it was granted.
pub const MAX_RULE_BYTES: usize = 500;

/// Rules that one run can be granted, for the same reason.
pub const MAX_GRANTS: usize = 100;

/// Tools of agents that write files, under the names that their programs have for them.
const EDITS: [&str; 10] = [
    "Edit",
    "MultiEdit",
    "NotebookEdit",
    "Write",
    "apply_patch",
    "delete",
    "edit",
    "edit_file",
    "move",
    "write_file",
];

/// What a rule looks like, for people who got it wrong.
const SHAPE: &str = "write a tool, such as `Edit`, a command, such as `Bash(git status)`, or the beginning of one, such as \
                     `Bash(cargo test*)`";

/// A rule that a person gave to one agent of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct PermissionGrant {
    /// It holds for no other.
    pub agent: AgentName,
    pub rule: String,
    #[serde(default)]
    pub lasts: GrantDuration,
}

/// How long a rule holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum GrantDuration {
    /// In this run and its forks.
    #[default]
    Run,
    /// The profile has it, too.
    Always,
}

impl PermissionGrant {
    /// Whether it gives this rule to this agent.
    #[must_use]
    pub fn is(&self, agent: &AgentName, rule: &str) -> bool {
        self.agent == *agent && self.rule == rule
    }

    /// In one line, for people.
    #[must_use]
    pub fn summary(&self) -> String {
        let Self { agent, rule, lasts } = self;
        match lasts {
            GrantDuration::Run => format!("{agent} may use {rule} in this run"),
            GrantDuration::Always => format!("{agent} may always use {rule}"),
        }
    }
}

/// `Bash`, `Bash(cargo test*)`, `Bash(git status)`. More than one command in a line is never fitted by its beginning.
#[must_use]
pub fn fits(rule: &str, tool: &str, args: &Object) -> bool {
    let Some((name, pattern)) = rule.strip_suffix(')').and_then(|rule| rule.split_once('(')) else {
        return tool == rule;
    };
    let Some(command) = command_of(args) else { return false };
    let is_one = !command.contains([';', '&', '|', '\n', '`', '>', '<']) && !command.contains("$(");
    tool == name
        && match pattern.strip_suffix('*') {
            Some(beginning) => is_one && command.starts_with(beginning),
            None => command == pattern,
        }
}

/// Whether no rule allows a call: one that writes outside of the place where its agent works. A rule for edits names no
/// files, and a person who allows one there does not mean every file of the machine.
#[must_use]
pub fn is_beyond_rules(tool: &str, risk: Risk) -> bool {
    risk == Risk::External && EDITS.contains(&tool)
}

/// The narrowest rule for a call: its exact command, or its tool when it has none. `None` when no rule says just that: a
/// command with a secret, of several lines, too long, or with a `*` at its end, which would fit more.
#[must_use]
pub fn narrowest_rule(tool: &str, args: &Object) -> Option<String> {
    let rule = match command_of(args) {
        Some(command) if command.ends_with('*') => return None,
        Some(command) => format!("{tool}({command})"),
        None => tool.to_owned(),
    };
    check_rule(&rule).is_ok().then_some(rule)
}

/// Whether a text can be a rule at all.
pub fn check_rule(rule: &str) -> Result<(), Problem> {
    let refuse = |what: &str| Err(Problem::new(format!("`{rule}` is not a rule: {what}")).with_hint(SHAPE));
    if rule.contains(REDACTED) {
        let problem = Problem::new(format!("a rule cannot contain `{REDACTED}`, which stands for a secret"));
        return Err(problem.with_hint("approve the call once, or write a rule without the secret"));
    }
    if rule.len() > MAX_RULE_BYTES {
        let problem = Problem::new(format!("a rule has at most {MAX_RULE_BYTES} bytes"));
        return Err(problem.with_hint("write the beginning of the command with a `*` at the end"));
    }
    if rule.trim() != rule || rule.chars().any(char::is_control) {
        return refuse("it begins or ends with a space, or has several lines");
    }
    let (tool, pattern) = rule.split_once('(').map_or((rule, None), |(tool, rest)| (tool, Some(rest)));
    if tool.is_empty() || tool.contains([')', '*', ' ']) {
        return refuse("it does not begin with the name of a tool");
    }
    match pattern.map(|pattern| pattern.strip_suffix(')')) {
        Some(None) => refuse("the closing parenthesis is missing"),
        Some(Some(pattern)) if pattern.trim().is_empty() => refuse("there is no command in its parentheses"),
        Some(Some(_)) | None => Ok(()),
    }
}

fn command_of(args: &Object) -> Option<&str> {
    args.get("command").and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn args(args: &Value) -> Object {
        args.as_object().cloned().unwrap()
    }

    #[test]
    fn a_rule_fits_one_command_and_never_what_is_hung_behind_it() {
        for (rule, command, is_fit) in [
            ("Bash", "anything; at all", true),
            ("Bash(cargo test*)", "cargo test --all", true),
            ("Bash(cargo test*)", "cargo test; rm -rf /", false),
            ("Bash(cargo test*)", "cargo test & rm x", false),
            ("Bash(cargo test*)", "cargo test | sh", false),
            ("Bash(cargo test*)", "cargo test\nrm x", false),
            ("Bash(cargo test*)", "cargo test `evil`", false),
            ("Bash(cargo test*)", "cargo test $(evil)", false),
            ("Bash(cargo test*)", "cargo test > x", false),
            ("Bash(cargo test*)", "cargo test < x", false),
            ("Bash(cargo test*)", "cd x && cargo test", false),
            ("Bash(git status)", "git status", true),
            ("Bash(git status)", "git status -s", false),
            ("Write", "cargo test", false),
            ("Write(cargo test*)", "cargo test", false),
            ("Bash(cargo test*", "cargo test", false),
        ] {
            assert_eq!(fits(rule, "Bash", &args(&json!({"command": command}))), is_fit, "{rule} {command}");
        }
        let without = args(&json!({"script": "ls"}));
        assert!(!fits("Bash(ls*)", "Bash", &without) && fits("Bash", "Bash", &without), "it has no command");
    }

    #[test]
    fn no_rule_allows_an_edit_outside_of_the_worktree() {
        for (tool, risk, is_beyond) in [
            ("apply_patch", Risk::External, true),
            ("edit", Risk::External, true),
            ("edit", Risk::Write, false),
            ("fetch", Risk::External, false),
            ("shell", Risk::External, false),
            ("docs:edit", Risk::External, false),
        ] {
            assert_eq!(is_beyond_rules(tool, risk), is_beyond, "{tool} {risk:?}");
        }
    }

    #[test]
    fn the_narrowest_rule_fits_its_call_and_says_no_more_than_it() {
        for (given, rule) in [
            (json!({"command": "cargo test"}), Some("Bash(cargo test)")),
            (json!({"command": "cd x && make (all)"}), Some("Bash(cd x && make (all))")),
            (json!({"path": "a.rs"}), Some("Bash")),
            // As a rule, these would fit more than the call, or could never be read again.
            (json!({"command": "rm *"}), None),
            (json!({"command": "make\nmake install"}), None),
            (json!({"command": " "}), None),
            (json!({"command": " ls"}), Some("Bash( ls)")),
            (json!({"command": format!("curl -H {REDACTED} host")}), None),
            (json!({"command": "x".repeat(MAX_RULE_BYTES)}), None),
        ] {
            let given = args(&given);
            let found = narrowest_rule("Bash", &given);
            assert_eq!(found.as_deref(), rule, "{given:?}");
            assert!(found.is_none_or(|rule| fits(&rule, "Bash", &given)), "{given:?}");
        }
    }

    #[test]
    fn what_can_never_be_a_rule_is_refused_with_the_reason() {
        for (rule, expected) in [
            ("Bash", ""),
            ("mcp__docs__search", ""),
            ("Bash(cargo *)", ""),
            ("", "does not begin with the name of a tool"),
            ("*", "does not begin with the name of a tool"),
            ("cargo test", "does not begin with the name of a tool"),
            ("(ls)", "does not begin with the name of a tool"),
            ("Bash(ls", "the closing parenthesis is missing"),
            ("Bash(ls) x", "the closing parenthesis is missing"),
            ("Bash()", "no command in its parentheses"),
            (" Bash", "begins or ends with a space"),
            ("Bash(a\nb)", "several lines"),
            ("Bash(curl [redacted])", "stands for a secret"),
        ] {
            let found = check_rule(rule).map_err(|problem| problem.to_string()).err().unwrap_or_default();
            assert!(found.contains(expected) && expected.is_empty() == found.is_empty(), "{rule}: {found}");
        }
    }
}
