//! The guardrails of the runs of teams: of an agent, and of what people say.

use std::sync::Arc;

use amelia_agents::guarding::Guard;
use amelia_core::config::team::FrozenTeam;
use amelia_core::event::EventKind;
use amelia_core::event::guardrail::GuardPoint;
use amelia_core::guardrail::{CheckedContent, CheckedInput, Guardrails as _};
use amelia_core::object::Object;
use amelia_core::recording::Playback;
use amelia_core::run::RunSpec;
use amelia_flows::chat::Chat;
use amelia_flows::guardrail::PolicySet;
use amelia_flows::team::NAME;
use amelia_flows::team::policies::{policies_of, policies_of_input};
use amelia_graph::state::State as _;
use amelia_orchestrator::service::ServiceError;
use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

use crate::team_input::TeamInput;

/// What the texts and calls of an agent of a team are checked against; nothing when it has no policies.
pub(crate) fn guard_of(
    team: &FrozenTeam,
    agent: &str,
    played: Option<Arc<Playback>>,
) -> Result<Option<Guard>, ServiceError> {
    let rules = PolicySet::read(policies_of(team, agent)).map_err(|problems| refused(&problems))?;
    Ok((!rules.is_empty()).then(|| Guard::new(Arc::new(rules), played)))
}

/// Words of a person as the guardrails of a team let them through. They see the state with which a run begins.
pub(crate) fn check_input(
    team: &FrozenTeam,
    text: &str,
    inputs: &Object,
) -> Result<CheckedInput, ServiceError> {
    let rules = PolicySet::read(policies_of_input(team)).map_err(|problems| refused(&problems))?;
    let at = Timestamp::now();
    let content = CheckedContent { point: GuardPoint::UserInput, agent: "", text, call: None, at };
    let begin = Chat::begin(text, inputs.clone(), at);
    let mut violations = match rules.holds_at(GuardPoint::UserInput) {
        true => rules.check(&content, &|name| begin.value(name)),
        false => Vec::new(),
    };
    for violation in &mut violations {
        violation.id = Uuid::new_v4().to_string();
    }
    let text = rules.replaced(GuardPoint::UserInput, text).unwrap_or_else(|| text.to_owned());
    Ok(CheckedInput { text, violations })
}

/// What was found in the request of a run.
pub(crate) fn found_in(spec: &RunSpec) -> Vec<EventKind> {
    input_of(spec)
        .map(|input| input.violations.iter().map(|one| one.event(None)).collect())
        .unwrap_or_default()
}

/// The same for words that are said to a run.
pub(crate) fn check_words(spec: &RunSpec, text: &str) -> Result<CheckedInput, ServiceError> {
    match input_of(spec) {
        Some(input) => check_input(&input.team()?, text, &input.inputs),
        None => Ok(CheckedInput { text: text.to_owned(), violations: Vec::new() }),
    }
}

/// The input of a run of a team that has policies.
fn input_of(spec: &RunSpec) -> Option<TeamInput> {
    let is_team = spec.graph.as_str() == NAME;
    let has_policies =
        |team: &Value| team.get("guardrail_policies").is_some_and(|own| *own != Value::Array(Vec::new()));
    let is_guarded =
        spec.input.get("policies").is_some() || spec.input.get("team_config").is_some_and(has_policies);
    (is_team && is_guarded).then(|| serde_json::from_value(spec.input.clone()).ok())?
}

fn refused(problems: &[amelia_core::config::problem::ConfigProblem]) -> ServiceError {
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    ServiceError::invalid(lines.join("\n"))
}
