//! One question to the Oracle, as it is kept.

use std::collections::BTreeMap;

use amelia_core::event::{AgentEvent, Event, EventKind, RunEvent};
use amelia_core::id::RunId;
use amelia_core::message::Role;
use amelia_core::oracle::{Advice, Consultation};
use amelia_core::run::Domain;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OracleConsultation {
    pub timestamp: Timestamp,
    pub problem: String,
    pub advice: Option<String>,
    pub model: String,
    pub session_id: Uuid,
    pub workflow_id: Option<Uuid>,
    #[serde(default)]
    pub tokens: BTreeMap<String, u64>,
    pub cost_usd: Option<f64>,
    #[serde(default)]
    pub files_consulted: Vec<String>,
    #[serde(default)]
    pub outcome: Outcome,
    pub error_message: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    #[default]
    Success,
    Error,
}

impl From<Consultation> for OracleConsultation {
    fn from(consultation: Consultation) -> Self {
        let (outcome, advice, error_message) = match consultation.outcome {
            // None yet.
            Advice::Given(advice) if advice.is_empty() => (Outcome::Success, None, None),
            Advice::Given(advice) => (Outcome::Success, Some(advice), None),
            Advice::Failed(error) => (Outcome::Error, None, Some(error)),
        };
        Self {
            timestamp: consultation.at,
            problem: consultation.problem,
            advice,
            model: consultation.model,
            session_id: consultation.session.0,
            workflow_id: consultation.asked_by.map(|run| run.0),
            tokens: consultation.tokens,
            cost_usd: consultation.cost_usd,
            files_consulted: consultation.files,
            outcome,
            error_message,
        }
    }
}

/// Every question to the Oracle in a log, as far as it has come, after one more event.
pub(crate) fn apply(all: &mut Vec<Consultation>, event: &Event) {
    let Some(session) = event.draft.session.filter(|_| event.draft.domain == Domain::Oracle) else { return };
    if let EventKind::Run(RunEvent::Started) = &event.draft.kind {
        all.push(begun(event, session));
    }
    if let Some(consultation) = all.iter_mut().find(|consultation| consultation.session == session) {
        hear(consultation, &event.draft.kind);
    }
}

fn begun(event: &Event, session: RunId) -> Consultation {
    Consultation {
        at: event.draft.at,
        problem: String::new(),
        model: String::new(),
        session,
        asked_by: Some(event.run),
        tokens: BTreeMap::new(),
        cost_usd: None,
        files: Vec::new(),
        outcome: Advice::Given(String::new()),
    }
}

fn hear(consultation: &mut Consultation, kind: &EventKind) {
    match kind {
        EventKind::Agent(AgentEvent::Said(said))
            if said.role == Role::User && consultation.problem.is_empty() =>
        {
            consultation.problem = said.text();
        }
        EventKind::Agent(AgentEvent::Called(call)) => {
            let path = call.args.get("path").and_then(serde_json::Value::as_str).map(str::to_owned);
            consultation.files.extend(path.filter(|path| !consultation.files.contains(path)));
        }
        EventKind::Agent(AgentEvent::Used(usage)) => {
            consultation.model = usage.model.clone().unwrap_or_default();
            // Known only when that of every call is.
            consultation.cost_usd = match consultation.tokens.is_empty() {
                true => usage.cost_usd,
                false => consultation.cost_usd.zip(usage.cost_usd).map(|(before, now)| before + now),
            };
            for (name, count) in [("input", usage.input_tokens), ("output", usage.output_tokens)] {
                let sum = consultation.tokens.entry(name.to_owned()).or_default();
                *sum = sum.saturating_add(count.unwrap_or(0));
            }
        }
        EventKind::Run(RunEvent::Completed { summary }) => {
            consultation.outcome = Advice::Given(summary.clone().unwrap_or_default());
        }
        EventKind::Run(RunEvent::Failed { failure }) => {
            consultation.outcome = Advice::Failed(failure.message.clone());
        }
        _ => {}
    }
}
