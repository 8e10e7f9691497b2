//! Steps of a team's own: an agent, a person or a command does each and ends it with an outcome, which says what step follows.
//! Pure.

use amelia_agents::handing_in::HandIn;
use amelia_core::config::team::pattern::settings::{CustomSettings, CustomStep};
use amelia_core::event::team::HandoffKind;
use amelia_core::object::Object;
use schemars::JsonSchema;
use serde::Deserialize;

use super::after::AfterTurn;
use crate::chat::{TurnEnd, TurnOutcome};

pub(super) const REPORT: &str = "report";
/// Outcomes that are each other's opposite: a step that names one of them can end with both.
const PAIRS: [(&str, &str); 3] = [("success", "failure"), ("approve", "reject"), ("pass", "fail")];

/// The steps of a team.
pub(super) struct CustomSteps(Vec<CustomStep>);

/// Arguments of `report`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReportArgs {
    /// How the step has ended
    pub(super) outcome: String,
    /// What the next agent should know
    #[serde(default)]
    pub(super) summary: Option<String>,
}

impl CustomSteps {
    pub(super) fn new(settings: CustomSettings) -> Self {
        Self(settings.workflow)
    }

    pub(super) fn all(&self) -> &[CustomStep] {
        &self.0
    }

    pub(super) fn first(&self) -> Option<&str> {
        self.0.first().map(|step| step.step.as_str())
    }

    fn find(&self, name: &str) -> Option<&CustomStep> {
        self.0.iter().find(|step| step.step == name)
    }

    /// What follows a turn in one of the steps.
    pub(super) fn after(&self, turn: &TurnEnd) -> AfterTurn {
        let Some(step) = self.find(turn.node()) else { return AfterTurn::Done };
        let TurnOutcome::Reported { outcome } = &turn.outcome else {
            return match step.targets().is_empty() {
                true => AfterTurn::Done,
                false => AfterTurn::Again("calling `report`"),
            };
        };
        let next = step.targets().into_iter().find(|(name, _)| name == outcome);
        let Some(next) = next.and_then(|(_, next)| self.find(next)) else { return AfterTurn::Done };
        match &next.agent {
            None => AfterTurn::Step(next.step.clone()),
            Some(agent) => AfterTurn::HandOff {
                to: agent.clone(),
                node: next.step.clone(),
                reason: format!("{}: {outcome}", step.step),
                context: Object::new(),
                kind: HandoffKind::Sequential,
            },
        }
    }

    /// Whether a step runs a command, which needs the files of the run.
    pub(super) fn needs_files(&self) -> bool {
        self.0.iter().any(|step| step.check.is_some())
    }
}

/// The outcomes with which a step can end, each with the step that follows. Without one, the team is done.
pub(super) fn outcomes(step: &CustomStep) -> Vec<(&'static str, Option<&str>)> {
    let targets = step.targets();
    let target = |outcome: &str| targets.iter().find(|(name, _)| *name == outcome).map(|(_, to)| *to);
    let pairs = PAIRS.into_iter().filter(|(one, other)| target(one).or(target(other)).is_some());
    pairs.flat_map(|(one, other)| [one, other]).map(|outcome| (outcome, target(outcome))).collect()
}

/// The tool with which a step ends; a step that nothing follows ends with words.
pub(super) fn hand_in(step: &CustomStep) -> Option<HandIn> {
    let known: Vec<&'static str> = outcomes(step).into_iter().map(|(outcome, _)| outcome).collect();
    let list = known.join(", ");
    let description = format!("End the step `{}` with its outcome: {list}.", step.step);
    (!known.is_empty()).then(|| {
        HandIn::of(REPORT, &description, move |args: &ReportArgs| {
            match known.contains(&args.outcome.as_str()) {
                true => Ok(()),
                false => Err(format!("there is no outcome `{}`; use one of: {list}", args.outcome)),
            }
        })
    })
}

/// How an agent ends its step.
pub(super) fn manners(step: &CustomStep) -> String {
    let lines: Vec<String> = outcomes(step)
        .into_iter()
        .map(|(outcome, next)| match next {
            Some(next) => format!("- {outcome}: the step `{next}` follows"),
            None => format!("- {outcome}: the task ends, and your answer is its result"),
        })
        .collect();
    match lines.is_empty() {
        true => format!("This is the step `{}`. Your answer is the result of the team.", step.step),
        false => format!(
            "This is the step `{}`. End it with `{REPORT}` and one of these outcomes:\n{}",
            step.step,
            lines.join("\n")
        ),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn steps() -> CustomSteps {
        let steps = json!({"workflow": [
            {"step": "build", "agent": "developer", "next_on_success": "test"},
            {"step": "test", "agent": "tester", "next_on_fail": "build", "next_on_pass": "tell"},
            {"step": "tell", "agent": "tester"},
            {"step": "check", "check": "make test", "next_on_pass": "accept", "next_on_fail": "build"},
            {"step": "accept", "ask": "Is it good?", "next_on_reject": "check"},
        ]});
        CustomSteps::new(serde_json::from_value(steps).unwrap())
    }

    fn after(step: &str, outcome: TurnOutcome) -> AfterTurn {
        let node = Some(step.to_owned());
        steps().after(&TurnEnd { node, ..TurnEnd::new("developer", "Built.".to_owned(), outcome) })
    }

    fn reported(outcome: &str) -> TurnOutcome {
        TurnOutcome::Reported { outcome: outcome.to_owned() }
    }

    #[test]
    fn the_outcome_says_which_step_follows_and_one_without_a_step_is_the_end() {
        let next = |step: &str, outcome: &str| match after(step, reported(outcome)) {
            AfterTurn::HandOff { to, node, reason, .. } => format!("{node} by {to} ({reason})"),
            other => format!("{other:?}"),
        };
        assert_eq!(next("build", "success"), "test by tester (build: success)");
        assert_eq!(next("test", "fail"), "build by developer (test: fail)");
        assert_eq!(next("test", "pass"), "tell by tester (test: pass)");
        assert_eq!(next("build", "failure"), "Done");
    }

    #[test]
    fn a_step_without_an_agent_is_no_handoff_and_only_commands_need_files() {
        assert_eq!(after("check", reported("pass")), AfterTurn::Step("accept".to_owned()));
        assert_eq!(after("accept", reported("reject")), AfterTurn::Step("check".to_owned()));
        assert_eq!(after("accept", reported("approve")), AfterTurn::Done);
        assert!(
            matches!(after("check", reported("fail")), AfterTurn::HandOff { to, .. } if to == "developer")
        );
        let mut all = steps();
        assert!(all.needs_files());
        all.0.retain(|step| step.check.is_none());
        assert!(!all.needs_files());
    }

    #[test]
    fn a_step_that_something_follows_ends_with_a_report_and_the_last_one_with_words() {
        assert_eq!(after("build", TurnOutcome::Said), AfterTurn::Again("calling `report`"));
        assert_eq!(after("tell", TurnOutcome::Said), AfterTurn::Done);
        let all = steps();
        assert!(hand_in(all.find("tell").unwrap()).is_none());
        assert_eq!(hand_in(all.find("build").unwrap()).unwrap().name(), "report");
        let build = outcomes(all.find("build").unwrap());
        assert_eq!(build, [("success", Some("test")), ("failure", None)]);
        let told = manners(all.find("test").unwrap());
        assert!(told.contains("- pass: the step `tell` follows\n- fail: the step `build`"), "{told}");
    }
}
