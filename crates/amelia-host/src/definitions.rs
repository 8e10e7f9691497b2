//! Agents, workflows, teams and guardrail policies that people write in files: `.amelia/agents`, `.amelia/workflows`,
//! `.amelia/teams` and `.amelia/guardrails` of a repository, then the same directories of the home; then those that were sent
//! to the API. Every problem of a file is reported with its line and column.

pub mod default_agent;
mod file_below;
mod foreign_tool;
mod policy;
mod team;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use amelia_agents::asking::NAME as ASK_HUMAN;
use amelia_core::clock::SystemClock;
use amelia_core::config::agent::{AgentDef, Endpoint};
use amelia_core::config::problem::{ConfigProblem, KnownNames, ProblemReport, shown_variable};
use amelia_core::config::provider::Provider;
use amelia_core::config::workflow::Workflow;
use amelia_core::document::DocumentKind;
use amelia_core::problem::Problem;
use amelia_core::store::StoreError;
use amelia_orchestrator::stored_definitions::StoredDefinitions;
use amelia_tools::builtin;
use amelia_wire::agentx::team::parts::policy_schema;
use amelia_wire::agentx::team::team_schema;
use amelia_wire::maf::agent::{Agent, agent_schema};
use amelia_wire::maf::workflow::{Workflow as WorkflowFile, workflow_schema};
use amelia_wire::read::{Incoming, read_with};
use amelia_yaml::problem::{FileProblem, steps};
use parking_lot::Mutex;
use serde_json::Value;

use crate::home::Home;
use crate::mcp_servers;
use crate::place;
use crate::refused_file::RefusedFile;
use crate::repository_servers::RepositoryServers;

pub use amelia_core::definition::DefinitionKind;
pub(crate) use foreign_tool::content_hash;
pub use foreign_tool::{ForeignSource, ForeignTool};

/// Endings of files, the preferred one first.
const ENDINGS: [&str; 3] = ["yaml", "yml", "json"];
/// How the problem begins of a tool whose server is not there.
const NO_SERVER: &str = "there is no MCP server";

/// The JSON Schema of files of a kind.
#[must_use]
pub fn schema(kind: DefinitionKind) -> &'static Value {
    match kind {
        DefinitionKind::Agent => agent_schema(),
        DefinitionKind::Workflow => workflow_schema(),
        DefinitionKind::Team => team_schema(),
        DefinitionKind::Policy => policy_schema(),
    }
}

/// A file that defines something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinitionFile {
    pub kind: DefinitionKind,
    pub name: String,
    pub path: PathBuf,
    /// Of the repository, rather than of the home.
    pub is_of_repository: bool,
    /// The text of what was sent to the API, which is no file.
    pub stored: Option<String>,
}

impl DefinitionFile {
    /// What is no file.
    #[must_use]
    pub fn stored(kind: DefinitionKind, name: String, text: String) -> Self {
        let path = PathBuf::from(format!("api:{}/{name}", kind.directory()));
        Self { kind, name, path, is_of_repository: false, stored: Some(text) }
    }
}

/// Where definitions are looked for.
#[derive(Debug, Clone)]
pub struct Definitions {
    files: Vec<DefinitionFile>,
    /// The repository, if there is one, and the home.
    repository: Option<PathBuf>,
    home: PathBuf,
    /// MCP servers that are enabled.
    servers: Vec<String>,
    /// A file of servers that cannot be used.
    refused_servers: Option<RefusedFile>,
    /// The programs of teams are those of a run, which has checked them.
    knows_programs: bool,
    /// Agents that were read, by name: many workflows name the same ones.
    agents: Arc<Mutex<BTreeMap<String, Result<AgentDef, RefusedFile>>>>,
}

impl Definitions {
    /// Those of the checkout that `directory` is in or, in a worktree of an agent, of the one that it was made from; and those
    /// of the home. Outside of a repository, those of the directory itself count.
    #[must_use]
    pub fn find(home: &Home, directory: &Path) -> Self {
        let is_own = directory.join(".amelia") != home.path() && !place::is_of_agent(home, directory);
        let own = Some(directory).filter(|_| is_own);
        Self::of(home, place::checkout_of(home, directory).as_deref().or(own))
    }

    /// Those of [`Definitions::find`], and what is in the store of the home, if it has one.
    pub async fn find_with_stored(home: &Home, directory: &Path) -> anyhow::Result<Self> {
        let found = Self::find(home, directory);
        if !home.has_runs() {
            return Ok(found);
        }
        let stored = StoredDefinitions::new(home.look()?, Arc::new(SystemClock));
        Ok(found.with_stored(&stored).await?)
    }

    /// Also what was sent to the API. Files of the same name come first.
    pub async fn with_stored(mut self, stored: &StoredDefinitions) -> Result<Self, StoreError> {
        for kind in DefinitionKind::ALL {
            let texts = stored.all(kind).await?.into_iter();
            self.files.extend(texts.map(|(name, text)| DefinitionFile::stored(kind, name, text)));
        }
        self.servers
            .extend(stored.all(DocumentKind::McpServer).await?.into_iter().filter_map(enabled_server));
        Ok(self)
    }

    /// The same with these texts of teams.
    #[must_use]
    pub fn with_teams(mut self, teams: impl IntoIterator<Item = (String, String)>) -> Self {
        let file = |(name, text)| DefinitionFile::stored(DefinitionKind::Team, name, text);
        self.files.extend(teams.into_iter().map(file));
        self
    }

    /// The same for a team of a run, which has its programs already.
    #[must_use]
    pub(crate) fn with_known_programs(self) -> Self {
        Self { knows_programs: true, ..self }
    }

    /// Those of the home alone.
    #[must_use]
    pub fn of_home(home: &Home) -> Self {
        Self::of(home, None)
    }

    fn of(home: &Home, repository: Option<&Path>) -> Self {
        let mut files = Vec::new();
        for kind in DefinitionKind::ALL {
            if let Some(repository) = repository {
                let path = repository.join(".amelia").join(kind.directory());
                files.extend(files_in(&path, kind, Some(repository)));
            }
            files.extend(files_in(&home.path().join(kind.directory()), kind, None));
        }
        // What is wrong with a file of servers is reported when a server is needed.
        let (mut mcp, mut refused_servers) = (Vec::new(), None);
        let of_repository = repository.map_or(Ok(None), |root| RepositoryServers::find(home, root));
        for config in [
            mcp_servers::config(home),
            of_repository.map(|all| all.map(|all| all.config).unwrap_or_default()),
        ] {
            match config {
                Ok(config) => mcp.extend(config.servers),
                Err(refused) => refused_servers = refused_servers.or(Some(refused)),
            }
        }
        let servers = mcp.into_iter().filter(|server| server.enabled).map(|server| server.name).collect();
        let (repository, home) = (repository.map(Path::to_owned), home.path().to_owned());
        let agents = Arc::default();
        Self { files, repository, home, servers, refused_servers, knows_programs: false, agents }
    }

    /// The repository whose files are among them.
    #[must_use]
    pub fn repository(&self) -> Option<&Path> {
        self.repository.as_deref()
    }

    /// What is there, without what another file of the same name hides.
    #[must_use]
    pub fn list(&self, kind: DefinitionKind) -> Vec<&DefinitionFile> {
        let mut seen = BTreeSet::new();
        self.files.iter().filter(|file| file.kind == kind && seen.insert(file.name.as_str())).collect()
    }

    /// The file that defines `name`, or a problem that lists those that there are.
    pub fn file(&self, kind: DefinitionKind, name: &str) -> Result<&DefinitionFile, Problem> {
        let all = self.list(kind);
        if let Some(file) = all.iter().find(|file| file.name == name) {
            return Ok(file);
        }
        let noun = kind.noun();
        let names: Vec<&str> = all.iter().map(|file| file.name.as_str()).collect();
        let hint = match names.as_slice() {
            [] => format!(
                "write one to .amelia/{}/{name}.yaml; `amelia schema {noun}` describes it",
                kind.directory()
            ),
            names => format!("available: {}", names.join(", ")),
        };
        Err(Problem::new(format!("there is no {noun} `{name}`")).with_hint(hint))
    }

    /// The file that defines `name`, or the one that would.
    #[must_use]
    pub fn file_or_new(&self, kind: DefinitionKind, name: &str) -> DefinitionFile {
        if let Ok(file) = self.file(kind, name) {
            return file.clone();
        }
        let directory = match &self.repository {
            Some(repository) => repository.join(".amelia"),
            None => self.home.clone(),
        };
        let path = directory.join(kind.directory()).join(format!("{name}.yaml"));
        let is_of_repository = self.repository.is_some();
        DefinitionFile { kind, name: name.to_owned(), path, is_of_repository, stored: None }
    }

    /// Reads an agent.
    pub fn agent(&self, file: &DefinitionFile) -> Result<AgentDef, RefusedFile> {
        self.agent_in(file, &text_of(file)?)
    }

    /// The same from a text that would be the file.
    pub fn agent_in(&self, file: &DefinitionFile, text: &str) -> Result<AgentDef, RefusedFile> {
        self.read::<Agent>(file, text, |agent| {
            let mut report = ProblemReport::default();
            check_name(&agent.name, file, &mut report);
            agent.check_references(&self.known(), &mut report);
            if let (true, Some(endpoint)) = (file.is_of_repository, &agent.llm_config) {
                check_key(endpoint, &mut report);
            }
            report.into_problems()
        })
    }

    /// Reads a workflow, with the nodes of other workflows that it names in their places. The agents that it names must be
    /// there; they are checked when it is started.
    pub fn workflow(&self, file: &DefinitionFile) -> Result<Workflow, RefusedFile> {
        self.workflow_in(file, &text_of(file)?)
    }

    /// The same from a text that would be the file.
    pub fn workflow_in(&self, file: &DefinitionFile, text: &str) -> Result<Workflow, RefusedFile> {
        let mut whole = None;
        self.read::<WorkflowFile>(file, text, |workflow| {
            let mut problems = self.problems_of(workflow, file);
            if problems.is_empty() {
                match self.embedded(workflow) {
                    Ok(embedded) => whole = Some(embedded),
                    Err(found) => problems = found,
                }
            }
            problems
        })
        .map(|workflow| whole.unwrap_or(workflow))
    }

    /// What is wrong with one file.
    fn problems_of(&self, workflow: &Workflow, file: &DefinitionFile) -> Vec<ConfigProblem> {
        let mut report = ProblemReport::default();
        check_name(&workflow.name, file, &mut report);
        let mut problems = report.into_problems();
        problems.extend(amelia_flows::workflow::check(workflow, &self.known()));
        problems
    }

    /// The workflow with those that it names, if it still makes a graph then.
    fn embedded(&self, workflow: &Workflow) -> Result<Workflow, Vec<ConfigProblem>> {
        let mut find = |name: &str| {
            let file = self.file(DefinitionKind::Workflow, name).map_err(|problem| problem.message)?;
            let inner = text_of(file).and_then(|text| {
                self.read::<WorkflowFile>(file, &text, |inner| self.problems_of(inner, file))
            });
            inner.map_err(|refused| refused.to_string())
        };
        let whole = amelia_flows::workflow::embed(workflow, &mut find)?;
        // Otherwise it was compiled when it was checked.
        if whole == *workflow {
            return Ok(whole);
        }
        amelia_flows::workflow::compile(&whole, None).map_err(|problems| {
            let message = |problem: ConfigProblem| format!("{}: {}", problem.path, problem.message);
            let lines: Vec<String> = problems.into_iter().map(message).collect();
            vec![ConfigProblem { path: "nodes".to_owned(), message: lines.join("; ") }]
        })?;
        Ok(whole)
    }

    /// The agents that a workflow names and those that they may delegate to, or every file of them that cannot be used.
    pub fn agents_of(&self, workflow: &Workflow) -> Result<BTreeMap<String, AgentDef>, Vec<RefusedFile>> {
        let (mut agents, mut refused) = (BTreeMap::new(), Vec::new());
        let named = workflow.nodes.values().flat_map(|node| node.kind.agents());
        let mut named: Vec<String> = named.map(|(_, agent)| agent.to_owned()).collect();
        let mut seen = BTreeSet::new();
        while let Some(name) = named.pop() {
            // One that is missing is reported where it is named.
            let Ok(file) = self.file(DefinitionKind::Agent, &name) else { continue };
            if !seen.insert(name) {
                continue;
            }
            let known = self.agents.lock().get(&file.name).cloned();
            let read = known.unwrap_or_else(|| self.agent(file));
            self.agents.lock().entry(file.name.clone()).or_insert_with(|| read.clone());
            match read {
                Ok(agent) => {
                    named.extend(agent.sub_agents.iter().cloned());
                    agents.insert(file.name.clone(), agent);
                }
                Err(problems) => refused.push(problems),
            }
        }
        refused.sort_by(|one, other| one.path.cmp(&other.path));
        if refused.is_empty() { Ok(agents) } else { Err(refused) }
    }

    /// The names that a file may use.
    fn known(&self) -> KnownNames<'_> {
        let names = |kind: DefinitionKind| {
            self.files.iter().filter(move |file| file.kind == kind).map(|file| file.name.as_str())
        };
        let tools = builtin::NAMES.into_iter().chain([ASK_HUMAN]);
        KnownNames {
            agents: names(DefinitionKind::Agent).collect(),
            workflows: names(DefinitionKind::Workflow).collect(),
            teams: names(DefinitionKind::Team).collect(),
            policies: names(DefinitionKind::Policy).collect(),
            tools: tools.collect(),
            servers: self.servers.iter().map(String::as_str).collect(),
        }
    }

    fn read<W: Incoming>(
        &self,
        file: &DefinitionFile,
        text: &str,
        check: impl FnOnce(&W::Core) -> Vec<ConfigProblem>,
    ) -> Result<W::Core, RefusedFile> {
        let refused = |problems| RefusedFile { path: file.path.clone(), problems };
        let twin = self.files.iter().find(|other| {
            (other.kind, &other.name, other.is_of_repository, other.stored.is_some())
                == (file.kind, &file.name, file.is_of_repository, file.stored.is_some())
                && other.path != file.path
        });
        if let Some(twin) = twin {
            return Err(RefusedFile::at_start(
                &file.path,
                format!("{} defines `{}`, too", twin.path.display(), file.name),
            ));
        }
        let (document, tree) = amelia_yaml::read::<Value>(text, schema(file.kind)).map_err(refused)?;
        let placed = |problems: Vec<ConfigProblem>| {
            let at =
                |problem: &ConfigProblem| FileProblem::at(&tree, &steps(&problem.path), &problem.message);
            refused(problems.iter().map(at).collect())
        };
        read_with::<W>(document, check).map_err(|problems| {
            let needs_servers = problems.0.iter().any(|problem| problem.message.contains(NO_SERVER));
            match &self.refused_servers {
                Some(refused) if needs_servers => refused.clone(),
                _ => placed(problems.0),
            }
        })
    }
}

/// The name of a server that was sent to the API, if runs may use it.
fn enabled_server((name, text): (String, String)) -> Option<String> {
    let document: Value = serde_json::from_str(&text).ok()?;
    (document.get("enabled") != Some(&Value::Bool(false))).then_some(name)
}

/// The text of a file.
pub fn text_of(file: &DefinitionFile) -> Result<String, RefusedFile> {
    if let Some(text) = &file.stored {
        return Ok(text.clone());
    }
    std::fs::read_to_string(&file.path).map_err(|error| RefusedFile::at_start(&file.path, error.to_string()))
}

fn check_name(name: &str, file: &DefinitionFile, report: &mut ProblemReport) {
    if name != file.name {
        report.refuse("name", format!("`{name}` is not the name of the file, `{}`", file.name));
    }
}

/// Anyone can write a file of a repository: it sends a key only to the provider that the key is for.
fn check_key(endpoint: &Endpoint, report: &mut ProblemReport) {
    let Some(name) = &endpoint.api_key_env else { return };
    let address = endpoint.endpoint.trim_end_matches('/');
    let is_for = |provider: &Provider| {
        provider.key_envs().any(|known| known == name) && provider.base_url() == Some(address)
    };
    if !Provider::ALL.iter().any(is_for) {
        let shown = shown_variable(name);
        report.refuse(
            "llm_config.api_key_env",
            format!(
                "a file in a repository cannot send {shown} to {address}: put the file in `~/.amelia/agents`, \
                 or use the address of the provider"
            ),
        );
    }
}

/// The files of a directory, by name. A link of a repository that leads out of it is no file of it.
fn files_in(directory: &Path, kind: DefinitionKind, repository: Option<&Path>) -> Vec<DefinitionFile> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let top = repository.and_then(|repository| repository.canonicalize().ok());
    let is_inside = |path: &Path| match &top {
        Some(top) => path.canonicalize().is_ok_and(|path| path.starts_with(top)),
        None => repository.is_none(),
    };
    let is_of_repository = repository.is_some();
    let file = |path: PathBuf| {
        let ending = path.extension()?.to_str()?;
        let name = path.file_stem()?.to_str()?.to_owned();
        (ENDINGS.contains(&ending) && path.is_file() && is_inside(&path)).then_some(DefinitionFile {
            kind,
            name,
            path,
            is_of_repository,
            stored: None,
        })
    };
    let mut files: Vec<DefinitionFile> = entries.flatten().filter_map(|entry| file(entry.path())).collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

#[cfg(test)]
#[path = "definitions_tests.rs"]
mod tests;
