//! The parts that a run is made of: keys and drivers, a workplace, a tracker, budgets. A pipeline takes those it needs.

use std::path::PathBuf;
use std::sync::Arc;

use amelia_agents::agent::MoreTools;
use amelia_agents::live::Live;
use amelia_agents::pipeline::single;
use amelia_core::budget::{Account, BudgetGate, RunBudgets};
use amelia_core::config::agent::AgentConfig;
use amelia_core::config::mcp::McpServer;
use amelia_core::config::profile::Profile;
use amelia_core::config::team::tool::ToolConfig;
use amelia_core::id::{AgentName, RunId};
use amelia_core::memory::Memories;
use amelia_core::recording::{Playback, Tape};
use amelia_core::redact::Redactor;
use amelia_core::run::RunLocation;
use amelia_core::store::Store;
use amelia_core::tool::{Risk, Tool, ToolBox, ToolSpec};
use amelia_core::tracker::Tracker;
use amelia_core::view::{RunRow, RunView};
use amelia_core::workplace::{Rights, Workplace, WorkplaceError};
use amelia_drivers::attached_images::AttachedImages;
use amelia_flows::team::PlacedMember;
use amelia_graph::engine::{EngineError, Stop};
use amelia_graph::graph::Graph;
use amelia_graph::state::State;
use amelia_orchestrator::orchestrator::RunnableGraph;
use amelia_orchestrator::runs::{Move, Runs};
use amelia_orchestrator::service::ServiceError;
use amelia_process::Environment;
use amelia_tools::combined::CombinedTools;
use amelia_tools::program::ProgramSurroundings;
use amelia_tools::{Root, Tools};
use anyhow::{Context, Result};
use async_trait::async_trait;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::artifacts::{ArtifactBook, ArtifactContents, RunArtifacts, SharedArtifacts};
use crate::assemble::{Assembly, ModelAccess};
use crate::attachments::{Attachments, attached_to};
use crate::home::Home;
use crate::keys::{Keys, named_in};
use crate::limits::SpendLimits;
use crate::mcp_servers::{McpServers, OfferedToRun, RunServerTools};
use crate::memory::{RunMemory, SharedMemory};
use crate::place::{self, repository};
use crate::result_files::ResultFiles;
use crate::run_environment::RunEnvironment;
use crate::team_programs::{TeamProgram, program_tool, programs_of};
use crate::tracking;
use crate::upstream::ResolvedUpstream;
use crate::workplace::{GitWorkplace, own_edits};
use crate::workspaces;

/// What all runs of a process share.
#[derive(Clone)]
pub(crate) struct SharedParts {
    pub(crate) home: Home,
    /// Held while a worktree is made. Git stumbles over worktrees of the same repository that come into being beside
    /// each other, and a hundred at once would take the processor from everything else.
    pub(crate) making: Arc<tokio::sync::Mutex<()>>,
    pub(crate) model_access: ModelAccess,
    pub(crate) limits: SpendLimits,
    pub(crate) run_environment: RunEnvironment,
    pub(crate) mcp: Arc<McpServers>,
    /// The logs of the runs; none for runs that meet something else than the world.
    pub(crate) store: Option<Arc<dyn Store>>,
    /// What agents remember; none as above.
    pub(crate) memory: Option<SharedMemory>,
}

/// How far the work of a run goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteExtent {
    /// It changes files, and commits nothing.
    Files,
    Commits,
}

/// The parts of one run.
pub struct RunParts<'a> {
    pub row: &'a RunRow,
    pub live: Live,
    pub tape: Arc<dyn Tape>,
    pub(crate) shared: &'a SharedParts,
}

impl RunParts<'_> {
    #[must_use]
    pub fn home(&self) -> &Home {
        &self.shared.home
    }

    /// Where the run works.
    pub fn place(&self) -> Result<&RunLocation> {
        place::of(self.row)
    }

    /// The day on which the run was created, for its agents.
    #[must_use]
    pub fn day(&self) -> String {
        day(self.row)
    }

    /// What drivers of these agents are made with.
    pub fn assembly(&self, agents: &[AgentConfig]) -> Result<Assembly> {
        let SharedParts { home, run_environment, model_access, .. } = self.shared;
        let assembly = Assembly::new(home, &agents.iter().collect::<Vec<_>>(), run_environment)?;
        let assembly = assembly.for_run(self.row.run.id, self.environment(agents), model_access);
        let attached = Attachments::of(home).images(&attached_to(self.row));
        let results = Some(ResultFiles::of(home, self.row.run.id).directory().to_owned());
        Ok(assembly.with_images(AttachedImages { results, ..attached }))
    }

    /// What the run and each of its agents may spend.
    pub async fn run_budgets(&self) -> Result<RunBudgets> {
        let row = self.row;
        let active = SignedDuration::from_millis(i64::try_from(row.view.active_ms).unwrap_or(i64::MAX));
        let now = self.shared.run_environment.clock().now();
        let account = Account::new(row.budget(), row.view.spend).going_on(now, active);
        Ok(self.shared.limits.run_budgets(row, account).await?)
    }

    /// Who pays for the calls of an agent.
    #[must_use]
    pub fn budget_gate(&self, run_budgets: &RunBudgets, agent: &AgentName) -> BudgetGate {
        self.shared.run_environment.budget_gate(run_budgets.of(agent))
    }

    /// The issue tracker of a profile.
    pub async fn tracker(&self, redactor: &Arc<Redactor>, profile: &Profile) -> Result<Arc<dyn Tracker>> {
        let live = tracking::tracker(profile, self.place()?, &self.shared.home);
        self.shared.run_environment.tracker(&self.tape, redactor, live).await
    }

    /// Tools of MCP servers that the run was offered.
    /// `wanted` are the names that it was given.
    pub fn mcp_tools(
        &self,
        specs: &[ToolSpec],
        wanted: &[String],
        only_reads: bool,
        place: &dyn Workplace,
    ) -> Result<Arc<dyn ToolBox>> {
        self.mcp_tools_with(specs, wanted, only_reads, place, &[])
    }

    /// The same, also of servers that only this run knows.
    pub(crate) fn mcp_tools_with(
        &self,
        specs: &[ToolSpec],
        wanted: &[String],
        only_reads: bool,
        place: &dyn Workplace,
        own: &[McpServer],
    ) -> Result<Arc<dyn ToolBox>> {
        let live = || {
            let keys = Keys::gather(self.home(), &named_in(&self.row.run.spec.input))?;
            let offered = OfferedToRun {
                specs: specs.to_vec(),
                wanted: wanted.to_vec(),
                only_reads,
                owner: self.row.run.id.to_string(),
                directory: place.path().to_owned(),
                repository: self.place().ok().map(|place| place.repository.clone()),
                own: own.to_vec(),
                keep: ResultFiles::of(self.home(), self.row.run.id).keeper(Arc::clone(keys.redactor())),
            };
            Ok(Arc::new(RunServerTools::new(&self.shared.mcp, offered)?) as Arc<dyn ToolBox>)
        };
        self.shared.run_environment.foreign_tools(specs, place, live)
    }

    /// The same, for agents that have them besides the tools of their place. Agents that only read get only those that do.
    pub fn more_tools(
        &self,
        specs: &[ToolSpec],
        wanted: &[String],
        place: &dyn Workplace,
    ) -> Result<Option<MoreTools>> {
        if specs.is_empty() {
            return Ok(None);
        }
        let reads = |spec: &&ToolSpec| spec.risk == Risk::Read;
        let reading: Vec<ToolSpec> = specs.iter().filter(reads).cloned().collect();
        let all = self.mcp_tools(specs, wanted, false, place)?;
        let reading = self.mcp_tools(&reading, wanted, true, place)?;
        Ok(Some(Arc::new(move |tools| {
            let may_work = tools.work_area().is_some_and(|area| area.rights == Rights::Work);
            let of_servers = if may_work { &all } else { &reading };
            Arc::new(CombinedTools::new(Arc::clone(tools), vec![Arc::clone(of_servers)]))
        })))
    }

    /// The programs that an agent of a team has as tools.
    pub(crate) fn program_tools(
        &self,
        placed: &PlacedMember<'_>,
        known: &[TeamProgram],
        agents: &[AgentConfig],
        place: &dyn Workplace,
    ) -> Result<Arc<dyn ToolBox>> {
        let listed = programs_of(placed);
        let specs: Vec<ToolSpec> = listed.iter().map(|(_, spec)| spec.clone()).collect();
        let live = || {
            let environment = Arc::new(self.environment(agents));
            let at = ProgramSurroundings { directory: place.path().to_owned(), environment };
            let team = &placed.team.name;
            let tool = |(config, spec): (&ToolConfig, ToolSpec)| {
                let name = spec.name.clone();
                let found = program_tool(config, spec, team, known, &at);
                found.with_context(|| format!("the program of the tool `{name}` is not known to this run"))
            };
            let tools: Result<Vec<Arc<dyn Tool>>> = listed.into_iter().map(tool).collect();
            Ok(Arc::new(Tools::new(tools?)?) as Arc<dyn ToolBox>)
        };
        self.shared.run_environment.foreign_tools(&specs, place, live)
    }

    /// The recording that is played, if one is.
    pub(crate) fn playback(&self) -> Option<Arc<Playback>> {
        self.shared.run_environment.playback()
    }

    /// The artifacts of the run, for its agents. What tools write in a workspace becomes artifacts by itself.
    pub(crate) fn artifacts(
        &self,
        redactor: &Arc<Redactor>,
        place: Option<&Arc<dyn Workplace>>,
    ) -> Result<RunArtifacts> {
        let SharedParts { home, run_environment, store, .. } = self.shared;
        if let RunEnvironment::Replay(stage) = run_environment {
            return Ok(RunArtifacts::Played(Arc::clone(&stage.results)));
        }
        let store = store.as_ref().context("the logs of runs are missing: this is a bug in Amelia")?;
        let root = place.map(|place| Root::open(place.path())).transpose()?.map(Arc::new);
        Ok(RunArtifacts::Live(SharedArtifacts {
            book: Arc::new(ArtifactBook::new(self.row.run.id, Arc::clone(store))),
            contents: ArtifactContents::of(home, self.row.run.id),
            redactor: Arc::clone(redactor),
            keeps_files: root.is_some() && workspaces::is_in_one(home, self.row),
            root,
        }))
    }

    /// What the agents of the run remember.
    pub(crate) fn memory(&self, redactor: &Arc<Redactor>) -> Result<RunMemory> {
        let SharedParts { run_environment, memory, .. } = self.shared;
        if let RunEnvironment::Replay(stage) = run_environment {
            return Ok(RunMemory::Played(Arc::clone(&stage.results)));
        }
        let memory = memory.clone().context("the memory of agents is missing: this is a bug in Amelia")?;
        Ok(RunMemory::Live { memory, redactor: Arc::clone(redactor), run: self.row.run.id })
    }

    /// Where entries of memory are written; `None` in a replay, which changes nothing.
    pub(crate) fn memories(&self) -> Result<Option<Arc<dyn Memories>>> {
        let SharedParts { run_environment, memory, .. } = self.shared;
        if run_environment.is_played() {
            return Ok(None);
        }
        let memory = memory.as_ref().context("the memory of agents is missing: this is a bug in Amelia")?;
        Ok(Some(Arc::clone(&memory.memories)))
    }

    /// Remembers that the run works in no worktree.
    pub fn without_worktree(&self) -> Result<()> {
        match self.shared.run_environment.is_played() {
            true => Ok(()),
            false => place::note_unchanged(&self.shared.home, self.row.run.id),
        }
    }

    /// The worktree or checkout that the run works in.
    pub async fn workplace(
        &self,
        redactor: &Arc<Redactor>,
        agents: &[AgentConfig],
        profile: &Profile,
        writing: WriteExtent,
    ) -> Result<Arc<dyn Workplace>> {
        let live = self.git_workplace(agents, profile, writing);
        self.shared.run_environment.place(&self.tape, redactor, live).await
    }

    /// The same for files alone, prepared before a run begins that has no step for that.
    pub async fn prepared_workplace(
        &self,
        redactor: &Arc<Redactor>,
        agents: &[AgentConfig],
        profile: &Profile,
    ) -> Result<Arc<dyn Workplace>> {
        let place = self.workplace(redactor, agents, profile, WriteExtent::Files).await?;
        if self.row.view.started_at.is_none() {
            place.prepare().await?;
        }
        Ok(place)
    }

    async fn git_workplace(
        &self,
        agents: &[AgentConfig],
        profile: &Profile,
        writing: WriteExtent,
    ) -> Result<GitWorkplace> {
        let (row, home) = (self.row, &self.shared.home);
        let place = self.place()?;
        let environment = self.environment(agents);
        let worktrees: PathBuf = home.path().join("worktrees");
        let repository = repository(&place.repository).await?;
        let refused = |error: WorkplaceError| ServiceError::conflict(error);
        let opened = {
            let _making = self.shared.making.lock().await;
            // A fork has a worktree of its own only from now on.
            let is_known = row.view.started_at.is_some() && row.run.spec.forked_from.is_none();
            GitWorkplace::open(place, &worktrees, row.run.id, repository, environment, profile, is_known)
                .await
        };
        let opened = opened.map_err(refused)??;
        let mut opened = opened.attaching(Attachments::of(home), attached_to(row));
        // Before a model is paid for work that cannot be committed.
        if writing == WriteExtent::Commits {
            opened.check_identity().await.map_err(refused)?;
            opened = opened.sparing_own_edits(&home.own_edits()).await.map_err(refused)?;
            opened.check_commits().await.map_err(refused)??;
        }
        // A fork begins past the node that prepares a worktree, and so does a run whose worktree was made anew.
        if row.view.started_at.is_some() || row.run.spec.forked_from.is_some() {
            opened.prepare().await.map_err(refused)?;
        }
        Ok(opened)
    }

    /// What everything that a run starts finds in its environment: none of the keys of its agents.
    fn environment(&self, agents: &[AgentConfig]) -> Environment {
        let keys = agents.iter().filter_map(|agent| ResolvedUpstream::needed(agent).ok()??.key_env);
        let environment = Environment::new(std::env::vars_os(), &[], self.row.run.id.to_string());
        keys.fold(environment, |environment, name| environment.without(&name))
    }
}

/// The day on which a run was created, for its agents.
pub(crate) fn day(row: &RunRow) -> String {
    row.run.created_at.strftime("%Y-%m-%d").to_string()
}

/// What a run was started with, and what a person has replaced of it since.
pub(crate) fn current_input(row: &RunRow) -> Value {
    let mut input = row.run.spec.input.clone();
    let RunView { checks, agents, team, .. } = &row.view;
    if let (Some(team), Some(input)) = (team, input.as_object_mut()) {
        input.extend(team.clone());
    }
    if let Some(profile) = input.get_mut("profile").and_then(Value::as_object_mut) {
        let checks = checks.as_ref().map(|checks| ("checks".to_owned(), json!(checks)));
        let agents = agents.as_ref().map(|agents| ("agents".to_owned(), json!(agents)));
        profile.extend(checks.into_iter().chain(agents));
    } else if let (Some(agents), Some(input), true) = (agents, input.as_object_mut(), has_single_agent(row)) {
        input.insert("agent".to_owned(), json!(agents.get("developer")));
        input.insert("oracle".to_owned(), json!(agents.get("oracle")));
    }
    input
}

/// Whether a run was started with a copy of a profile: it runs its checks, and has its agents.
pub(crate) fn has_profile(row: &RunRow) -> bool {
    row.run.spec.input.get("profile").is_some_and(Value::is_object)
}

/// Whether one agent works on a run, and no crew.
pub(crate) fn has_single_agent(row: &RunRow) -> bool {
    row.run.spec.graph.as_str() == single::NAME
}

/// The same, as the pipeline reads it.
pub(crate) fn input<T: serde::de::DeserializeOwned>(row: &RunRow) -> Result<T> {
    serde_json::from_value(current_input(row))
        .with_context(|| format!("run {} was started by another version of this program", row.run.id))
}

/// A graph and the state it begins with.
pub struct PreparedRun<S: State> {
    graph: Graph<S>,
    initial: S,
    /// Where is noted what is the user's own, when anything is.
    own_edits: Option<PathBuf>,
    place: Option<Arc<dyn Workplace>>,
    /// The worktree that is removed if nothing was changed in it.
    removable: Option<(Home, RunLocation)>,
    /// What starts servers for this run alone, which end with it.
    servers: Option<Arc<McpServers>>,
}

impl<S: State> PreparedRun<S> {
    #[must_use]
    pub fn new(graph: Graph<S>, initial: S) -> Self {
        Self { graph, initial, own_edits: None, place: None, removable: None, servers: None }
    }

    /// MCP servers that were started for this run alone end when it rests.
    #[must_use]
    pub fn ending_servers(self, parts: &RunParts<'_>) -> Self {
        Self { servers: Some(Arc::clone(&parts.shared.mcp)), ..self }
    }

    /// Its nodes work here.
    #[must_use]
    pub fn at(self, place: &Arc<dyn Workplace>) -> Self {
        Self { place: Some(Arc::clone(place)), ..self }
    }

    /// A worktree in which nothing was changed is removed when the run has completed, with its branch.
    #[must_use]
    pub fn removing_unchanged(self, parts: &RunParts<'_>) -> Self {
        let is_live = !parts.shared.run_environment.is_played();
        let place = parts.place().ok().filter(|place| is_live && !place.in_place);
        Self { removable: place.map(|place| (parts.home().clone(), place.clone())), ..self }
    }

    /// What users had edited themselves in their checkout is theirs until the run has ended.
    #[must_use]
    pub fn sparing_own_edits(self, parts: &RunParts<'_>) -> Self {
        let is_live = !parts.shared.run_environment.is_played();
        Self { own_edits: is_live.then(|| parts.shared.home.own_edits()), ..self }
    }
}

#[async_trait]
impl<S: State> RunnableGraph for PreparedRun<S> {
    async fn run(&self, runs: &Runs, run: RunId, how: Move) -> Result<Stop, EngineError> {
        let stop = runs.run(run, &self.graph, self.initial.clone(), how).await;
        if let Some(place) = &self.place {
            place.rest().await;
        }
        if let Some(servers) = &self.servers {
            servers.close(&run.to_string());
        }
        let stop = stop?;
        if let (Stop::Completed, Some((home, place))) = (&stop, &self.removable)
            && let Err(error) = place::remove_unchanged(place, home, run).await
        {
            tracing::warn!("an unchanged worktree was not removed: {error}");
        }
        match (&stop, &self.own_edits) {
            (Stop::Completed | Stop::Cancelled, Some(dir)) => own_edits::forget(dir, run),
            (Stop::Completed | Stop::Cancelled | Stop::Waiting(_) | Stop::Failed(_), _) => {}
        }
        Ok(stop)
    }
}
