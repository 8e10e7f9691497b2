//! A question to a person, and the answer. Waiting is a value: nothing blocks while a person thinks.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::id::{AgentName, RequestId, RunId};
use crate::object::Object;
use crate::permission::{
    BEYOND_RULES, GrantDuration, PERMISSION, PermissionGrant, check_rule, fits, narrowest_rule,
};
use crate::problem::Problem;
use crate::text::one_line;

/// A question to a person. Its id is the address of the reply: parallel requests never mix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct HumanRequest {
    pub id: RequestId,
    pub kind: HumanKind,
    pub by: AgentName,
    pub at: Timestamp,
    pub prompt: String,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub context: Value,
    /// When set, silence until then is an answer too: the one in `on_timeout`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "OnTimeout::is_default")]
    pub on_timeout: OnTimeout,
    /// The sub-agent that asks, when it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<RunId>,
    /// What waits for the answer, when a tool that asks a person says so. Otherwise the visit that asks waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<WaitMode>,
}

/// What waits for the answer to a tool that asks a person.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum WaitMode {
    /// The run: turns at work end, and nothing new begins.
    #[default]
    Synchronous,
    /// Only the agent that asks.
    Asynchronous,
    /// Nothing. The agent gets the answer as a message.
    Advisory,
}

/// What a node marks its question with (`asks` in the context), so that an answer is given to the question it is meant
/// for.
pub mod asks {
    /// Checks fail again and again.
    pub const FAILING_CHECKS: &str = "failing_checks";
    /// A check cannot run on this machine, which no agent can change.
    pub const MISSING_PROGRAM: &str = "missing_program";
    /// Git refuses the commit.
    pub const COMMIT_HOOK: &str = "commit_hook";
    /// Files keep changing after reviews.
    pub const CHANGED_AFTER_REVIEW: &str = "changed_after_review";
    /// A tool node of a workflow was interrupted during its call.
    pub const INTERRUPTED_CALL: &str = "interrupted_call";
    /// A node was visited as often as it may be.
    pub const VISIT_LIMIT: &str = "visit_limit";
}

/// In the context of a question of the engine: a person approves what comes next.
const GATE: &str = "/stop/gate";

/// Who has answered, when it was a command with `--auto` and no person.
pub const AUTOMATIC: &str = "--auto";

/// In the context of a question: `false` where an answer cannot be a change.
pub const MODIFY: &str = "modify";

/// In the context of a question: the run only waits, for a time or for something outside.
pub const WAIT: &str = "wait";

impl HumanRequest {
    /// What the node asks about, when it is one of several things.
    #[must_use]
    pub fn asks(&self) -> Option<&str> {
        self.context.get("asks").and_then(Value::as_str)
    }

    /// Whether a node of a workflow lets a person approve, reject or change something that is neither a plan nor a call.
    #[must_use]
    pub fn is_decided_at_node(&self) -> bool {
        self.kind == HumanKind::Approval && !self.is_about_plan() && self.asked_call().is_none()
    }

    /// Whether a change is an answer to it: a node of a workflow asks, and its edges take one.
    #[must_use]
    pub fn can_change(&self) -> bool {
        self.is_decided_at_node()
            && self.context.pointer("/state/metadata").is_some()
            && !self.refuses_modify()
    }

    /// Whether the edges of the node that asks have no label for `modify`.
    #[must_use]
    pub fn refuses_modify(&self) -> bool {
        self.context.get(MODIFY) == Some(&Value::Bool(false))
    }

    /// Whether the work can be accepted as it is. Some questions are only answered with yes or no.
    #[must_use]
    pub fn can_accept(&self) -> bool {
        const YES_OR_NO: [&str; 4] =
            [asks::COMMIT_HOOK, asks::CHANGED_AFTER_REVIEW, asks::MISSING_PROGRAM, asks::VISIT_LIMIT];
        let is_round = matches!(self.kind, HumanKind::Rounds | HumanKind::Escalation);
        is_round && self.asks().is_some_and(|asks| !YES_OR_NO.contains(&asks))
    }

    /// Whether a tool node asks if its call, which was interrupted, is made again.
    #[must_use]
    pub fn is_about_interrupted_call(&self) -> bool {
        self.asks() == Some(asks::INTERRUPTED_CALL)
    }

    /// When the run continues by itself, if that is what it waits for.
    #[must_use]
    pub fn waits_until(&self) -> Option<Timestamp> {
        self.deadline.filter(|_| self.context.get(WAIT).is_some())
    }

    /// Whether it waits for a time and for nothing else.
    #[must_use]
    pub fn only_waits(&self) -> bool {
        self.waits_until().is_some()
            && self.context.get(WAIT).is_some_and(|wait| wait.get("event").is_none_or(Value::is_null))
    }

    /// Whether the engine asks it, so that a person approves what comes next.
    #[must_use]
    pub fn is_gate_of_engine(&self) -> bool {
        self.context.pointer(GATE) == Some(&Value::Bool(true))
    }

    /// Whether other checks would answer it.
    #[must_use]
    pub fn is_about_checks(&self) -> bool {
        self.asks().is_some_and(|asks| [asks::FAILING_CHECKS, asks::MISSING_PROGRAM].contains(&asks))
    }

    /// What it is about, in a word or two: for checks that fail, not that rounds are used up.
    #[must_use]
    pub fn topic(&self) -> String {
        self.kind.topic(self.asks())
    }

    /// Whether it asks to approve a plan.
    #[must_use]
    pub fn is_about_plan(&self) -> bool {
        self.kind == HumanKind::Approval && self.context.get("plan_path").is_some()
    }

    /// Whether it is about a plan without a task: saying yes to that starts nothing.
    #[must_use]
    pub fn is_about_empty_plan(&self) -> bool {
        self.is_about_plan() && self.context.get("tasks").and_then(Value::as_u64) == Some(0)
    }

    /// The call that an agent wants to make, when that is what is asked.
    #[must_use]
    pub fn asked_call(&self) -> Option<(&str, &Object)> {
        let permission = self.context.get(PERMISSION)?;
        Some((permission.get("tool")?.as_str()?, permission.get("args")?.as_object()?))
    }

    /// The rule that a person is offered, when there is one that says just what was asked.
    #[must_use]
    pub fn offered_rule(&self) -> Option<String> {
        let (tool, args) = self.asked_call()?;
        narrowest_rule(tool, args).filter(|_| !self.is_beyond_rules())
    }

    /// Whether it is about a call that a person can only allow once.
    fn is_beyond_rules(&self) -> bool {
        let found = self.context.get(PERMISSION).and_then(|permission| permission.get(BEYOND_RULES));
        found == Some(&Value::Bool(true))
    }

    /// What a person grants with a yes: this rule, or the one that is offered.
    pub fn grant(&self, lasts: GrantDuration, rule: Option<&str>) -> Result<PermissionGrant, Problem> {
        let Some((tool, args)) = self.asked_call() else {
            return Err(Problem::new("only a question about a tool call can be answered with a rule"));
        };
        if self.is_beyond_rules() {
            let problem = Problem::new("no rule allows an edit outside of the worktree");
            return Err(problem.with_hint("approve it once"));
        }
        let rule = match rule {
            Some(rule) => rule.to_owned(),
            None => narrowest_rule(tool, args).ok_or_else(|| {
                let problem = Problem::new("no rule matches exactly this call");
                problem.with_hint(format!("approve it once, or write a rule, such as `{tool}(make *)`"))
            })?,
        };
        check_rule(&rule)?;
        if !fits(&rule, tool, args) {
            let problem =
                Problem::new(format!("the rule `{rule}` does not match the call that the run asks about"));
            let several = "a `*` never matches a line with several commands";
            return Err(problem.with_hint(match narrowest_rule(tool, args) {
                Some(narrowest) => format!("`{narrowest}` does; {several}"),
                None => several.to_owned(),
            }));
        }
        Ok(PermissionGrant { agent: self.by.clone(), rule, lasts })
    }
}

/// What is asked, which is also why a run waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum HumanKind {
    /// A decision that the graph asks for: a plan, a permission.
    Approval,
    /// An agent wants to know something.
    Question,
    /// An agent cannot continue without help.
    Escalation,
    /// A breakpoint was reached.
    Breakpoint,
    /// Step mode: one turn is done.
    Step,
    /// A person said `pause`.
    Pause,
    /// The graph's step limit was reached.
    StepLimit,
    /// A limit in money, tokens, calls or time was reached.
    Budget,
    /// The provider's usage limit holds the account.
    Quota,
    /// Review rounds or plan revisions are used up.
    Rounds,
}

impl HumanKind {
    /// What a request of this kind that `asks` this is about.
    #[must_use]
    pub fn topic(self, asks: Option<&str>) -> String {
        match asks {
            Some(asks::FAILING_CHECKS) => "checks fail".to_owned(),
            Some(asks::MISSING_PROGRAM) => "a check cannot run".to_owned(),
            Some(asks::INTERRUPTED_CALL) => "interrupted call".to_owned(),
            _ => self.to_string(),
        }
    }

    /// Where the engine itself has stopped, or a person has stopped it: between two pieces of work.
    #[must_use]
    pub fn is_stop(self) -> bool {
        match self {
            Self::Breakpoint | Self::Step | Self::Pause | Self::StepLimit => true,
            Self::Approval
            | Self::Question
            | Self::Escalation
            | Self::Budget
            | Self::Quota
            | Self::Rounds => false,
        }
    }

    /// Asked by the graph or an agent, and so answered to the node that asked; all others are stops
    /// that the engine itself makes.
    #[must_use]
    pub fn is_asked_by_node(self) -> bool {
        match self {
            Self::Approval | Self::Question | Self::Escalation | Self::Rounds => true,
            Self::Breakpoint | Self::Step | Self::Pause | Self::StepLimit | Self::Budget | Self::Quota => {
                false
            }
        }
    }
}

impl fmt::Display for HumanKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Approval => "approval",
            Self::Question => "question",
            Self::Escalation => "escalation",
            Self::Breakpoint => "breakpoint",
            Self::Step => "step mode",
            Self::Pause => "paused",
            Self::StepLimit => "step limit",
            Self::Budget => "budget",
            Self::Quota => "quota",
            Self::Rounds => "rounds used up",
        })
    }
}

/// What silence until the deadline means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum OnTimeout {
    #[default]
    Reject,
    Approve,
    Escalate,
}

impl OnTimeout {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// The answer to one request. The first one counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct HumanReply {
    pub request: RequestId,
    pub action: HumanAction,
    pub at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Changes the person made: to the plan, to the state, to the arguments of a call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updates: Option<Value>,
    /// With a yes to a tool call: the rule by which later calls need none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant: Option<PermissionGrant>,
}

impl HumanReply {
    /// What was decided, in a line. Who answers a question has approved nothing.
    #[must_use]
    pub fn summary(&self, is_question: bool) -> String {
        let action = match self.action {
            HumanAction::Approve if self.is_automatic() => "approved automatically (--auto)",
            HumanAction::Approve if is_question => "answered",
            HumanAction::Approve => "approved",
            HumanAction::Reject => "rejected",
            HumanAction::Modify => "modified",
            HumanAction::TimedOut => "no answer arrived in time",
        };
        match &self.message {
            Some(message) => format!("{action}: {}", one_line(message)),
            None => action.to_owned(),
        }
    }

    /// Whether no person gave it.
    #[must_use]
    pub fn is_automatic(&self) -> bool {
        self.by.as_deref() == Some(AUTOMATIC)
    }

    /// A yes without words, which also resumes a run that the engine stopped.
    #[must_use]
    pub fn go_on(request: RequestId, at: Timestamp) -> Self {
        Self {
            request,
            action: HumanAction::Approve,
            at,
            by: None,
            message: None,
            updates: None,
            grant: None,
        }
    }

    /// The same for one node; then it stops again.
    #[must_use]
    pub fn one_step(request: RequestId, at: Timestamp) -> Self {
        Self { updates: Some(json!({"then": "step"})), ..Self::go_on(request, at) }
    }

    /// The rule that goes with a yes.
    #[must_use]
    pub fn granted(&self) -> Option<&PermissionGrant> {
        self.grant.as_ref().filter(|_| self.action == HumanAction::Approve)
    }

    /// Whether a run that continues with it stops again after one node.
    #[must_use]
    pub fn is_one_step(&self) -> bool {
        self.updates.as_ref().is_some_and(|updates| updates.get("then").is_some_and(|then| then == "step"))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
#[serde(rename_all = "snake_case")]
pub enum HumanAction {
    Approve,
    Reject,
    Modify,
    /// No one answered in time; `on_timeout` of the request decides.
    TimedOut,
}

/// A request together with its answer, on the way to the node that asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct AnsweredRequest {
    pub request: HumanRequest,
    pub reply: HumanReply,
}

impl AnsweredRequest {
    /// The person said yes, or changed something and said yes, or silence means yes.
    #[must_use]
    pub fn is_approval(&self) -> bool {
        match self.reply.action {
            HumanAction::Approve | HumanAction::Modify => true,
            HumanAction::Reject => false,
            HumanAction::TimedOut => self.request.on_timeout == OnTimeout::Approve,
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use uuid::Uuid;

    use super::*;

    fn asked(context: Value) -> HumanRequest {
        HumanRequest {
            id: RequestId(Uuid::nil()),
            kind: HumanKind::Approval,
            by: AgentName::new("developer").unwrap(),
            at: Timestamp::UNIX_EPOCH,
            prompt: String::new(),
            context,
            deadline: None,
            on_timeout: OnTimeout::default(),
            session: None,
            mode: None,
        }
    }

    #[test]
    fn a_grant_fits_the_call_that_was_asked_about() {
        let call = |command: &str| {
            asked(json!({"permission": {"tool": "Bash", "args": {"command": command}, "call": "c1"}}))
        };
        let granted = |request: &HumanRequest, rule: Option<&str>| {
            request
                .grant(GrantDuration::Run, rule)
                .map(|grant| grant.rule)
                .map_err(|problem| problem.to_text())
        };
        let test = call("cargo test");
        assert_eq!(test.offered_rule().as_deref(), Some("Bash(cargo test)"));
        assert_eq!(granted(&test, None).as_deref(), Ok("Bash(cargo test)"));
        for rule in ["Bash", "Bash(cargo *)", "Bash(cargo test)"] {
            assert_eq!(granted(&test, Some(rule)).as_deref(), Ok(rule));
        }
        let outside = json!({"tool": "edit", "args": {"path": "/etc/hosts"}, BEYOND_RULES: true});
        let outside = asked(json!({PERMISSION: outside}));
        assert_eq!(outside.offered_rule(), None);
        for (request, rule, expected) in [
            (&test, Some("Bash(npm *)"), "`Bash(npm *)` does not match the call"),
            (&test, Some("Write"), "does not match the call"),
            (&call("cargo test; rm x"), Some("Bash(cargo *)"), "several commands"),
            (&test, Some("Bash(cargo"), "the closing parenthesis is missing"),
            (&call("curl [redacted]"), None, "no rule matches exactly this call"),
            (&call("curl [redacted]"), Some("Bash(curl [redacted])"), "stands for a secret"),
            (&asked(json!({"plan": 1})), None, "only a question about a tool call"),
            (&outside, None, "no rule allows an edit outside of the worktree"),
            (&outside, Some("edit"), "no rule allows an edit outside of the worktree"),
        ] {
            let refused = granted(request, rule).unwrap_err();
            assert!(refused.contains(expected), "{rule:?}: {refused}");
        }
        let grant = test.grant(GrantDuration::Always, None).unwrap();
        assert_eq!((grant.agent.as_str(), grant.lasts), ("developer", GrantDuration::Always));
    }

    #[test]
    fn an_answer_of_an_older_version_grants_nothing() {
        let old = json!({"request": Uuid::nil(), "action": "approve", "at": "1970-01-01T00:00:00Z"});
        let reply: HumanReply = serde_json::from_value(old.clone()).unwrap();
        assert_eq!(reply.grant, None);
        assert_eq!(serde_json::to_value(&reply).unwrap(), old, "nothing is added to it");
    }
}
