//! Guardrail policies, as the server shows them.

use amelia_core::config::team::guardrail::GuardrailPolicy;
use amelia_orchestrator::service::ServiceError;
use amelia_wire::agentx::team::parts::GuardrailPolicy as PolicyDocument;
use amelia_wire::rest::definition::{CheckedPolicy, PolicyDetail, PolicySummary};
use serde_json::json;

use super::{place, problems};
use crate::definitions::{DefinitionFile, DefinitionKind, Definitions, text_of};
use crate::refused_file::RefusedFile;

pub(super) fn summaries(all: &Definitions) -> Vec<PolicySummary> {
    all.list(DefinitionKind::Policy).into_iter().map(|file| summary(all, file)).collect()
}

pub(super) fn detail(all: &Definitions, name: &str) -> Result<PolicyDetail, ServiceError> {
    let file = all.file(DefinitionKind::Policy, name).map_err(ServiceError::NotFound)?;
    Ok(PolicyDetail { summary: summary(all, file), text: text_of(file).unwrap_or_default() })
}

fn summary(all: &Definitions, file: &DefinitionFile) -> PolicySummary {
    PolicySummary { place: place(file), checked: checked(all.policy(file)) }
}

pub(super) fn checked(read: Result<GuardrailPolicy, RefusedFile>) -> CheckedPolicy {
    match read {
        Err(refused) => CheckedPolicy { problems: problems(None, &[refused]), ..CheckedPolicy::default() },
        Ok(policy) => {
            let definition = Some(json!(PolicyDocument::from(policy)));
            CheckedPolicy { problems: Vec::new(), definition }
        }
    }
}
