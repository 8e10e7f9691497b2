//! One question to the Oracle, as it is kept.

use std::collections::BTreeMap;

use amelia_core::id::RunId;
use amelia_core::oracle::{Advice, Consultation};
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

impl From<OracleConsultation> for Consultation {
    fn from(wire: OracleConsultation) -> Self {
        Self {
            at: wire.timestamp,
            problem: wire.problem,
            model: wire.model,
            session: RunId(wire.session_id),
            asked_by: wire.workflow_id.map(RunId),
            tokens: wire.tokens,
            cost_usd: wire.cost_usd,
            files: wire.files_consulted,
            outcome: match wire.outcome {
                Outcome::Success => Advice::Given(wire.advice.unwrap_or_default()),
                Outcome::Error => Advice::Failed(wire.error_message.unwrap_or_default()),
            },
        }
    }
}
