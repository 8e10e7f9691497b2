//! Tools of teams that Amelia does not bring: programs below the directory of the team file, and MCP servers at an address.
//! A file of a repository can be from anyone, so its tools are used only after `amelia trust`.

use std::path::{Path, PathBuf};

use amelia_core::config::problem::ProblemReport;
use amelia_core::config::team::tool::{ToolConfig, ToolSource};
use amelia_core::config::team::{FrozenTeam, TeamConfig};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::file_below::path_below;
use super::{DefinitionFile, DefinitionKind, Definitions};

/// A tool that comes from outside of Amelia.
#[derive(Debug, Clone, PartialEq)]
pub struct ForeignTool {
    pub team: String,
    pub config: ToolConfig,
    /// The program and the hash of its content; nothing for a server.
    pub program: Option<(PathBuf, String)>,
    pub is_of_repository: bool,
}

impl ForeignTool {
    /// Names it among those of its repository.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{}:{}", self.team, self.config.name)
    }

    /// Over everything that decides what it does.
    #[must_use]
    pub fn digest(&self) -> String {
        let content = self.program.as_ref().map(|(_, hash)| hash);
        hash(json!([self.config, content]).to_string().as_bytes())
    }

    /// What would run, or be called.
    #[must_use]
    pub fn shown(&self) -> String {
        match &self.config.source {
            ToolSource::Custom { path, function: Some(function) } => format!("{path} {function}"),
            ToolSource::Custom { path, function: None } => path.clone(),
            ToolSource::Mcp { server_url } => server_url.clone().unwrap_or_default(),
            ToolSource::Builtin | ToolSource::Hitl { .. } => String::new(),
        }
    }
}

impl Definitions {
    /// Those of a team and of the teams inside it. Their files were checked when the team was read.
    #[must_use]
    pub fn foreign_tools(&self, file: &DefinitionFile, frozen: &FrozenTeam) -> Vec<ForeignTool> {
        let inner = frozen.teams.iter().filter_map(|(name, team)| {
            let file = self.file(DefinitionKind::Team, name).ok()?;
            Some((file, team))
        });
        [(file, &frozen.team)].into_iter().chain(inner).flat_map(|(file, team)| of_team(file, team)).collect()
    }
}

fn of_team(file: &DefinitionFile, team: &TeamConfig) -> Vec<ForeignTool> {
    let foreign = |tool: &ToolConfig| {
        let program = match &tool.source {
            ToolSource::Custom { path, .. } => {
                let path = path_below(file, path).ok()?;
                let hash = content_hash(&path).ok()?;
                Some((path, hash))
            }
            ToolSource::Mcp { server_url: Some(_) } => None,
            ToolSource::Mcp { server_url: None } | ToolSource::Builtin | ToolSource::Hitl { .. } => {
                return None;
            }
        };
        let (team, is_of_repository) = (team.name.clone(), file.is_of_repository);
        Some(ForeignTool { team, config: tool.clone(), program, is_of_repository })
    };
    team.tools.iter().filter_map(foreign).collect()
}

/// The hash of a program, by which a change is noticed.
pub(crate) fn content_hash(path: &Path) -> std::io::Result<String> {
    std::fs::read(path).map(|content| hash(&content))
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Programs that are tools of a team are there, and can be started.
pub(super) fn check_programs(team: &TeamConfig, file: &DefinitionFile, report: &mut ProblemReport) {
    for (index, tool) in team.tools.iter().enumerate() {
        let ToolSource::Custom { path, .. } = &tool.source else { continue };
        // What is wrong with the path itself is reported by the rules of the team.
        if path.trim().is_empty() || path.starts_with('/') || amelia_core::config::problem::escapes(path) {
            continue;
        }
        let at = format!("tools[{index}].path");
        if file.stored.is_some() {
            let message = "only a team file in `.amelia/teams` or in the home can have programs";
            report.refuse(at, message);
            continue;
        }
        match path_below(file, path) {
            Err(message) => report.refuse(at, message),
            Ok(found) if !amelia_tools::program::is_python(&found) && !is_executable(&found) => {
                report.refuse(at, format!("`{path}` is not executable: run `chmod +x` on it"));
            }
            Ok(_) => {}
        }
    }
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|data| data.permissions().mode() & 0o111 != 0)
}
