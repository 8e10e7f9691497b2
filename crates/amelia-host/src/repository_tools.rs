//! Tools of the teams of a repository that start programs or reach servers, and whether a person trusts them. As with the MCP
//! servers of a repository, trust ends when the program or what the team file says about it changes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use amelia_core::problem::Problem;
use amelia_orchestrator::service::ServiceError;
use anyhow::Result;

use crate::definitions::{DefinitionKind, Definitions, ForeignSource, ForeignTool};
use crate::home::Home;
use crate::repository_servers::{keep, trusted};

/// The tools of a repository.
#[derive(Debug, Clone)]
pub struct RepositoryTools {
    /// The top of the user's checkout.
    pub root: PathBuf,
    pub tools: Vec<ForeignTool>,
}

impl RepositoryTools {
    /// Those of the checkout that `directory` is in. Those of a team file that cannot be used do not count.
    #[must_use]
    pub fn find(home: &Home, directory: &Path) -> Option<Self> {
        let definitions = Definitions::find(home, directory);
        let root = definitions.repository()?.canonicalize().ok()?;
        let mut tools = Vec::new();
        for file in definitions.list(DefinitionKind::Team).into_iter().filter(|file| file.is_of_repository) {
            let Ok(team) = definitions.team(file) else { continue };
            let own = definitions.foreign_tools(file, &team).into_iter();
            tools.extend(own.filter(|tool| tool.team == team.team.name));
        }
        (!tools.is_empty()).then_some(Self { root, tools })
    }

    /// Whether a person trusts all of them as they are now.
    #[must_use]
    pub fn is_trusted(&self, home: &Home) -> bool {
        self.tools.iter().all(|tool| state(home, &self.root, tool) == ToolTrust::Trusted)
    }

    /// Remembers that a person trusts them as they are.
    pub fn trust(&self, home: &Home) -> Result<()> {
        let mut all = trusted(home)?;
        let digests: BTreeMap<String, String> =
            self.tools.iter().map(|tool| (tool.key(), tool.digest())).collect();
        let one = all.entry(self.root.display().to_string()).or_default();
        (one.tools, one.at) = (digests, jiff::Timestamp::now());
        keep(home, &all)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ToolTrust {
    Trusted,
    Changed,
    Unknown,
}

fn state(home: &Home, root: &Path, tool: &ForeignTool) -> ToolTrust {
    let all = trusted(home).unwrap_or_default();
    match all.get(&root.display().to_string()).and_then(|one| one.tools.get(&tool.key())) {
        Some(digest) if *digest == tool.digest() => ToolTrust::Trusted,
        Some(_) => ToolTrust::Changed,
        None => ToolTrust::Unknown,
    }
}

/// Refuses tools of a repository that a person does not trust.
pub(crate) fn check_trust(
    home: &Home,
    definitions: &Definitions,
    tools: &[ForeignTool],
) -> Result<(), ServiceError> {
    let root = definitions.repository().and_then(|root| root.canonicalize().ok()).unwrap_or_default();
    for tool in tools.iter().filter(|tool| tool.is_of_repository) {
        let kind = match &tool.source {
            ForeignSource::Tool { .. } => "tool",
            ForeignSource::Agent { .. } => "program of",
        };
        let what = format!("the {kind} `{}` of the team `{}`", tool.name(), tool.team);
        let message = match state(home, &root, tool) {
            ToolTrust::Trusted => continue,
            ToolTrust::Changed => format!("{what} has changed since you trusted it"),
            ToolTrust::Unknown => format!("{what} comes with this repository, and is not trusted"),
        };
        let hint = format!("`amelia trust` in {} shows what would run, and asks", root.display());
        return Err(ServiceError::Conflict(Problem::new(message).with_hint(hint)));
    }
    Ok(())
}
