//! Guardrail policies, read and applied: what each type of rule checks, and what comes of a rule that does not hold. Pure:
//! bounded in time and memory, for any policy and any text.

mod compliance;
mod content_filter;
pub mod history;
mod input_validation;
mod personal_data;
mod rate_limit;
mod rule_reader;
mod sample;
mod secrets;

use std::collections::BTreeSet;

use amelia_core::config::problem::{ConfigProblem, ProblemReport};
use amelia_core::config::team::guardrail::{GuardrailPolicy, PolicyAction, PolicyKind};
use amelia_core::event::guardrail::{GuardPoint, GuardrailAction};
use amelia_core::guardrail::{CheckedContent, Guardrails, Violation};
use amelia_core::object::Object;
use amelia_core::review::Severity;
use serde_json::Value;

use compliance::ComplianceRule;
use content_filter::ContentRule;
use input_validation::InputRule;
use rate_limit::RateRule;
use rule_reader::RuleReader;
use sample::{Finding, shown};

/// Rules of one policy.
const MAX_RULES: usize = 100;
/// Bytes of one rule, as JSON.
const MAX_RULE_BYTES: usize = 64 * 1024;

/// Policies that are ready to be applied.
#[derive(Default)]
pub struct PolicySet {
    policies: Vec<Policy>,
}

struct Policy {
    name: String,
    kind: PolicyKind,
    severity: Severity,
    action: PolicyAction,
    rules: Vec<Rule>,
}

/// One rule, where it holds, and what it says when it does not.
struct Rule {
    on: BTreeSet<GuardPoint>,
    message: Option<String>,
    check: RuleCheck,
}

enum RuleCheck {
    Input(InputRule),
    Content(ContentRule),
    Rate(RateRule),
    Compliance(ComplianceRule),
}

/// Reports what is wrong with the rules of a policy.
pub fn check_rules(policy: &GuardrailPolicy, report: &mut ProblemReport) {
    read(policy, report);
}

impl PolicySet {
    /// Reads policies, or says everything that is wrong with them.
    pub fn read<'a>(
        policies: impl IntoIterator<Item = &'a GuardrailPolicy>,
    ) -> Result<Self, Vec<ConfigProblem>> {
        let mut report = ProblemReport::default();
        let policies = policies.into_iter().map(|policy| {
            report.within(format_args!("guardrail policy `{}`", policy.name), |report| read(policy, report))
        });
        let policies = policies.collect();
        match report.into_problems() {
            problems if problems.is_empty() => Ok(Self { policies }),
            problems => Err(problems),
        }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.policies.is_empty()
    }

    fn rules(&self) -> impl Iterator<Item = (&Policy, &Rule)> {
        self.policies.iter().flat_map(|policy| policy.rules.iter().map(move |rule| (policy, rule)))
    }
}

impl Guardrails for PolicySet {
    fn check(&self, content: &CheckedContent<'_>, state: &dyn Fn(&str) -> Value) -> Vec<Violation> {
        let rules = self.rules().filter(|(_, rule)| rule.holds_for(content));
        let found = rules.filter_map(|(policy, rule)| {
            let finding = rule.check.finding(content, state)?;
            Some(policy.violation(rule, content, &finding))
        });
        found.collect()
    }

    fn replaced(&self, point: GuardPoint, text: &str) -> Option<String> {
        let mut changed = None;
        for (_, rule) in self.rules().filter(|(_, rule)| rule.on.contains(&point)) {
            let RuleCheck::Content(check) = &rule.check else { continue };
            changed = check.replaced(changed.as_deref().unwrap_or(text)).or(changed);
        }
        changed
    }

    fn holds_at(&self, point: GuardPoint) -> bool {
        self.rules().any(|(_, rule)| rule.on.contains(&point))
    }

    fn holds_back_answers(&self) -> bool {
        self.rules().any(|(policy, rule)| {
            rule.on.contains(&GuardPoint::Answer)
                && (policy.action == PolicyAction::Block || rule.check.replaces())
        })
    }

    fn counts_calls(&self) -> bool {
        self.rules().any(|(_, rule)| matches!(rule.check, RuleCheck::Rate(_)))
    }
}

impl Policy {
    fn violation(&self, rule: &Rule, content: &CheckedContent<'_>, finding: &Finding) -> Violation {
        let message = rule.message.clone().unwrap_or_else(|| finding.message.clone());
        let (action, message) = match (self.action, rule.check.replaces()) {
            (PolicyAction::Log, true) => (GuardrailAction::Logged, format!("replaced: {message}")),
            (PolicyAction::Block | PolicyAction::Warn, true) => {
                (GuardrailAction::Warned, format!("replaced: {message}"))
            }
            (action, false) => (action.taken(), message),
        };
        Violation {
            id: String::new(),
            policy: self.name.clone(),
            check: self.kind.check(),
            severity: self.severity,
            action,
            point: content.point,
            message,
            sample: shown(content.text, finding),
        }
    }
}

impl Rule {
    /// Whether the rule holds for this content. The arguments of a call that ends a turn are checked once, as a part of the
    /// answer.
    fn holds_for(&self, content: &CheckedContent<'_>) -> bool {
        let is_checked_already = content.point == GuardPoint::ToolCall
            && content.call.is_some_and(|call| call.ends_turn)
            && self.on.contains(&GuardPoint::Answer)
            && matches!(self.check, RuleCheck::Input(_) | RuleCheck::Content(_));
        self.on.contains(&content.point) && !is_checked_already
    }
}

impl RuleCheck {
    fn finding(&self, content: &CheckedContent<'_>, state: &dyn Fn(&str) -> Value) -> Option<Finding> {
        match self {
            Self::Input(rule) => rule.finding(content),
            Self::Content(rule) => rule.finding(content.text),
            Self::Rate(rule) => rule.finding(content),
            Self::Compliance(rule) => rule.finding(content, state),
        }
    }

    fn replaces(&self) -> bool {
        matches!(self, Self::Content(rule) if rule.replaces())
    }
}

fn read(policy: &GuardrailPolicy, report: &mut ProblemReport) -> Policy {
    let mut rules = Vec::new();
    if policy.rules.len() > MAX_RULES {
        report.refuse("rules", format!("has more than {MAX_RULES} entries"));
    }
    for (index, rule) in policy.rules.iter().take(MAX_RULES).enumerate() {
        let read =
            report.within(format_args!("rules[{index}]"), |report| read_rule(policy.kind, rule, report));
        rules.extend(read);
    }
    Policy {
        name: policy.name.clone(),
        kind: policy.kind,
        severity: policy.severity,
        action: policy.action,
        rules,
    }
}

fn read_check(kind: PolicyKind, reader: &mut RuleReader<'_>) -> Option<RuleCheck> {
    Some(match kind {
        PolicyKind::InputValidation => RuleCheck::Input(InputRule::read(reader)?),
        PolicyKind::ContentFilter => RuleCheck::Content(ContentRule::read(reader)?),
        PolicyKind::RateLimit => RuleCheck::Rate(RateRule::read(reader)?),
        PolicyKind::Compliance => RuleCheck::Compliance(ComplianceRule::read(reader)?),
    })
}

fn read_rule(kind: PolicyKind, rule: &Object, report: &mut ProblemReport) -> Option<Rule> {
    let mut reader = RuleReader::new(rule, report);
    if !reader.is_small(MAX_RULE_BYTES) {
        return None;
    }
    let Some(check) = read_check(kind, &mut reader) else {
        // What does not depend on it is looked at nevertheless.
        reader.points(&[], &GuardPoint::ALL);
        reader.text("message");
        return None;
    };
    let (usual, possible) = match &check {
        RuleCheck::Input(rule) => rule.points(),
        RuleCheck::Content(rule) => rule.points(),
        RuleCheck::Rate(_) => (&[GuardPoint::ToolCall][..], &[GuardPoint::ToolCall][..]),
        RuleCheck::Compliance(rule) => rule.points(),
    };
    let on = reader.points(usual, possible);
    let message = reader.text("message");
    reader.end();
    Some(Rule { on, message, check })
}

#[cfg(test)]
#[path = "guardrail_tests.rs"]
mod tests;
