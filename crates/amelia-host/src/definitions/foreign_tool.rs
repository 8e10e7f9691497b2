//! What teams start or call that Amelia does not bring: programs below the directory of the team file, MCP servers at an address,
//! and programs that are agents. A file of a repository can be from anyone, so these are used only after `amelia trust`.

use std::path::{Path, PathBuf};

use amelia_core::config::problem::ProblemReport;
use amelia_core::config::team::llm::LlmConfig;
use amelia_core::config::team::tool::{ToolConfig, ToolSource};
use amelia_core::config::team::{FrozenTeam, TeamConfig};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::file_below::path_below;
use super::{DefinitionFile, DefinitionKind, Definitions};

/// A tool, or an agent, that comes from outside of Amelia.
#[derive(Debug, Clone, PartialEq)]
pub struct ForeignTool {
    pub team: String,
    pub source: ForeignSource,
    pub is_of_repository: bool,
}

/// What it is.
#[derive(Debug, Clone, PartialEq)]
pub enum ForeignSource {
    /// With the program and the hash of its content; with none for a server.
    Tool { config: ToolConfig, program: Option<(PathBuf, String)> },
    /// A program that is an agent, by the place of its command in the file.
    Agent { place: String, command: Vec<String>, env: Vec<String> },
}

impl ForeignTool {
    /// Names it among those of its repository.
    #[must_use]
    pub fn key(&self) -> String {
        match &self.source {
            ForeignSource::Tool { config, .. } => format!("{}:{}", self.team, config.name),
            ForeignSource::Agent { place, .. } => format!("{}:agent {place}", self.team),
        }
    }

    /// What people call it.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.source {
            ForeignSource::Tool { config, .. } => config.name.clone(),
            ForeignSource::Agent { place, .. } => place.clone(),
        }
    }

    /// Over everything that decides what it does.
    #[must_use]
    pub fn digest(&self) -> String {
        let content = match &self.source {
            ForeignSource::Tool { config, program } => {
                json!([config, program.as_ref().map(|(_, hash)| hash)])
            }
            ForeignSource::Agent { place, command, env } => json!([place, command, env]),
        };
        hash(content.to_string().as_bytes())
    }

    /// What would run, or be called.
    #[must_use]
    pub fn shown(&self) -> String {
        match &self.source {
            ForeignSource::Tool { config, .. } => match &config.source {
                ToolSource::Custom { path, function: Some(function) } => format!("{path} {function}"),
                ToolSource::Custom { path, function: None } => path.clone(),
                ToolSource::Mcp { server_url } => server_url.clone().unwrap_or_default(),
                ToolSource::Builtin | ToolSource::Hitl { .. } => String::new(),
            },
            ForeignSource::Agent { command, env, .. } if env.is_empty() => command.join(" "),
            ForeignSource::Agent { command, env, .. } => {
                format!("{} (with the variables {})", command.join(" "), env.join(", "))
            }
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
        Some(ForeignSource::Tool { config: tool.clone(), program })
    };
    let agent = |(place, llm): (String, &LlmConfig)| {
        let (command, env) = (llm.command.clone(), llm.env.clone());
        llm.is_acp().then_some(ForeignSource::Agent { place, command, env })
    };
    let sources = team.tools.iter().filter_map(foreign).chain(models_of(team).filter_map(agent));
    let (name, is_of_repository) = (&team.name, file.is_of_repository);
    sources.map(|source| ForeignTool { team: name.clone(), source, is_of_repository }).collect()
}

/// The models that a team file names, with their places in it.
pub(super) fn models_of(team: &TeamConfig) -> impl Iterator<Item = (String, &LlmConfig)> {
    let of_agents = team.agents.iter().enumerate().filter_map(|(index, member)| {
        Some((format!("agents[{index}].llm_config"), member.llm_config.as_ref()?))
    });
    [("default_llm".to_owned(), &team.default_llm)].into_iter().chain(of_agents)
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
    for (at, llm) in models_of(team).filter(|(_, llm)| llm.is_acp() && !llm.command.is_empty()) {
        if let Some(message) = command_problem(file, &llm.command) {
            report.refuse(format_args!("{at}.command"), message);
        }
    }
}

/// Why the program of an agent cannot be started: it runs in the worktree, where agents change the files that a person trusts.
fn command_problem(file: &DefinitionFile, command: &[String]) -> Option<String> {
    if file.stored.is_some() {
        return Some("only a team file in `.amelia/teams` or in the home can have programs".to_owned());
    }
    let (program, args) = command.split_first().filter(|_| file.is_of_repository)?;
    // `.amelia/teams/NAME.yaml`
    let root = file.path.ancestors().nth(3).and_then(|root| root.canonicalize().ok())?;
    let is_inside = |word: &&String| {
        let path = word.split_once('=').map_or(word.as_str(), |(_, path)| path);
        !path.is_empty() && root.join(path).canonicalize().is_ok_and(|found| found.starts_with(&root))
    };
    let is_relative = program.contains('/') && !program.starts_with('/');
    let word = [program].into_iter().filter(|word| is_relative || (word.contains('/') && is_inside(word)));
    let word = word.chain(args.iter().filter(&is_inside)).next()?;
    Some(format!(
        "`{word}` is in the repository, where agents can change it: name a program that is installed outside of it"
    ))
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|data| data.permissions().mode() & 0o111 != 0)
}
