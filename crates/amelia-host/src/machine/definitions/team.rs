//! Teams, as the server shows them.

use amelia_core::config::problem::ConfigProblem;
use amelia_core::config::team::FrozenTeam;
use amelia_flows::team::check::notes;
use amelia_flows::team::compile;
use amelia_orchestrator::service::ServiceError;
use amelia_wire::agentx::team::TeamConfig;
use amelia_wire::rest::definition::{CheckedTeam, DefinitionProblem, TeamDetail, TeamSummary};
use serde_json::{Value, json};

use super::{place, problems};
use crate::definitions::{DefinitionFile, DefinitionKind, Definitions, text_of};
use crate::refused_file::RefusedFile;

pub(super) fn summaries(all: &Definitions) -> Result<Vec<TeamSummary>, ServiceError> {
    Ok(all.list(DefinitionKind::Team).into_iter().map(|file| summary(all, file)).collect())
}

pub(super) fn detail(all: &Definitions, name: &str) -> Result<TeamDetail, ServiceError> {
    let file = all.file(DefinitionKind::Team, name).map_err(ServiceError::NotFound)?;
    Ok(TeamDetail { summary: summary(all, file), text: text_of(file).unwrap_or_default() })
}

/// A text, as the file of the team that it names.
pub(super) fn of_text(all: &Definitions, text: &str) -> CheckedTeam {
    // A text that cannot be read names nothing, and is refused for that.
    let named = amelia_yaml::read::<Value>(text, &json!({})).ok();
    let name = named.as_ref().and_then(|(document, _)| document["name"].as_str()).unwrap_or("team");
    let file = all.file_or_new(DefinitionKind::Team, name);
    checked(&file, all.team_in(&file, text))
}

fn summary(all: &Definitions, file: &DefinitionFile) -> TeamSummary {
    TeamSummary { place: place(file), checked: checked(file, all.team(file)) }
}

pub(super) fn checked(file: &DefinitionFile, read: Result<FrozenTeam, Vec<RefusedFile>>) -> CheckedTeam {
    let frozen = match read {
        Err(refused) => {
            return CheckedTeam { problems: problems(Some(file), &refused), ..CheckedTeam::default() };
        }
        Ok(frozen) => frozen,
    };
    let note = |note: ConfigProblem| DefinitionProblem {
        file: None,
        line: 1,
        column: 1,
        path: note.path,
        message: note.message,
    };
    let mut said = notes(&frozen.team);
    // What does not run yet has no graph, and says why.
    let graph = compile(&frozen, None).map_err(|problems| said.extend(problems)).ok();
    CheckedTeam {
        problems: Vec::new(),
        notes: said.into_iter().map(note).collect(),
        description: Some(frozen.team.description.clone()).filter(|text| !text.trim().is_empty()),
        graph: graph.map(|graph| json!(graph.drawing())),
        definition: Some(json!(TeamConfig::from(frozen.team))),
    }
}
