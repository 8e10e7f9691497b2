//! Where requests for runs are checked, completed, and fixed, so that later changes do not affect a run.

mod allowed_keys;
mod artifacts;
mod changes;
mod consolidating;
mod delivery;
mod forking;
mod from_profile;
mod gate;
mod intervening;
mod memory;
mod merge_undo;
mod merged_by_hand;
mod named;
mod permissions;
mod placing;
mod plans;
mod redefining;
mod reviewing;
mod run_files;
mod shown_state;
mod single;
mod stops;
mod stored;
mod teams;
mod tidying;
mod undone_merges;
mod unseen_commits;
mod workflows;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use amelia_agents::pipeline::implementation;
use amelia_agents::pipeline::implementation::state::ImplementationRequest;
use amelia_core::attachment::{AttachedFile, Attachment, checked};
use amelia_core::budget::Budget;
use amelia_core::check::CheckCommand;
use amelia_core::checkpoint::LoadedCheckpoint;
use amelia_core::clock::SystemClock;
use amelia_core::config::problem::{ProblemReport, Validate as _};
use amelia_core::config::profile::{Profile, TrackerType};
use amelia_core::config::server::ServerConfig;
use amelia_core::config::settings::Settings;
use amelia_core::delivery::{OpenedPullRequest, UndoneMerge};
use amelia_core::document::{Document, DocumentKind, Documents};
use amelia_core::event::human::Intervention;
use amelia_core::id::{GraphName, RunId};
use amelia_core::object::Object;
use amelia_core::permission::PermissionGrant;
use amelia_core::plan::check::{check, check_written};
use amelia_core::plan::markdown;
use amelia_core::problem::Problem;
use amelia_core::run::{RunLocation, RunSpec};
use amelia_core::stop_rule::StopRule;
use amelia_core::store::{Store, StoreError};
use amelia_core::text::{LONGEST_TITLE, first_line};
use amelia_core::tracker::PullRequestState;
use amelia_core::view::RunRow;
use amelia_orchestrator::artifact_service::ArtifactService;
use amelia_orchestrator::memory_service::MemoryService;
use amelia_orchestrator::service::{
    CleanupMode, DefinitionSource, DiffDetail, DiffRange, GivenPlan, InterventionEffect, Leftover,
    MergeOptions, MergeReport, MergedBranch, PlanVersion, PullRequestOptions, RequestedWork, RunDiff,
    RunRequest, RunService, RunWorktree, ServiceError, ShownPlan, UnusedAttachments,
};
use amelia_orchestrator::settings::Profiles;
use anyhow::Result;
use async_trait::async_trait;
use serde_json::Value;

use crate::artifacts::FoldedLogs;
use crate::assemble::Assembly;
use crate::attachments::Attachments;
use crate::error::{problem_of, refused_place, service_error};
use crate::home::Home;
use crate::implementation_input::{ImplementationInput, OwnPrompt};
use crate::keys::Keys;
use crate::mcp_servers::McpServers;
use crate::memory::SharedMemory;
use crate::pipelines;
use crate::place;
use crate::result_files::ResultFiles;
use crate::run_environment::RunEnvironment;
use crate::upstream::ResolvedUpstream;
use crate::workspaces;

/// The service of this program.
pub(crate) struct LocalRunService {
    home: Home,
    profiles: Profiles,
    documents: Arc<dyn Documents>,
    store: Arc<dyn Store>,
    /// What a server lets through, above what profiles say; a command has no such rules.
    rules: Option<ServerConfig>,
    /// The caller sits at this machine, and has put the keys there.
    is_its_owners: bool,
    diffs: gate::DiffGate,
    found_merges: merged_by_hand::FoundMerges,
    mcp: Arc<McpServers>,
    folded_logs: FoldedLogs,
    /// What agents remember; none where runs are only listed.
    memory: Option<SharedMemory>,
}

impl LocalRunService {
    /// On a store of runs and documents.
    pub(crate) fn on<S: Store + Documents + 'static>(
        home: &Home,
        store: &Arc<S>,
        mcp: &Arc<McpServers>,
    ) -> Self {
        let documents: Arc<dyn Documents> = Arc::clone(store) as Arc<dyn Documents>;
        let profiles = Profiles::new(Arc::clone(&documents), Arc::new(SystemClock));
        let store = Arc::clone(store) as Arc<dyn Store>;
        let (rules, is_its_owners, diffs) = (None, false, gate::DiffGate::default());
        let (mcp, found_merges) = (Arc::clone(mcp), merged_by_hand::FoundMerges::default());
        let (home, folded_logs) = (home.clone(), FoldedLogs::default());
        Self {
            home,
            profiles,
            documents,
            store,
            rules,
            is_its_owners,
            diffs,
            found_merges,
            mcp,
            folded_logs,
            memory: None,
        }
    }

    pub(crate) fn with_memory(self, memory: SharedMemory) -> Self {
        Self { memory: Some(memory), ..self }
    }

    /// Under the rules of a server: which keys may be named, and how much a run may spend.
    pub(crate) fn under(self, rules: &ServerConfig) -> Self {
        Self { rules: Some(rules.clone()), ..self }
    }

    /// For the person at the terminal: any key that a profile names may be used.
    pub(crate) fn for_its_owner(self, is_its_owners: bool) -> Self {
        Self { is_its_owners, ..self }
    }

    /// The most that a run may spend, even if request or profile allow more.
    fn ceiling(&self) -> Budget {
        self.rules.as_ref().map(|rules| rules.budgets.per_run).unwrap_or_default()
    }

    /// All profiles, and which is active.
    pub(crate) async fn settings(&self) -> Result<Settings, StoreError> {
        self.profiles.settings().await
    }

    /// The profile of this name, or the one for work in this directory, if it may be used here.
    pub(crate) async fn profile(&self, name: Option<&str>, at: &Path) -> Result<Profile, ServiceError> {
        let found = self.profiles.find_for(name, at).await.map_err(unavailable)?;
        let profile = found.ok_or_else(|| match name {
            Some(name) => ServiceError::not_found(
                Problem::new(format!("there is no profile `{name}`")).with_hint("amelia config profile list"),
            ),
            None => ServiceError::invalid(
                Problem::new("this repository has no profile")
                    .with_hint("amelia init, or amelia config profile apply -f FILE"),
            ),
        })?;
        let mut report = ProblemReport::default();
        profile.check(&mut report);
        if let Some(rules) = self.allowed_keys() {
            rules.check_keys(&profile, &mut report);
        }
        match report.into_problems().first() {
            // A profile that was saved before there was a choice.
            None => Ok(Profile { commit_plan: Some(profile.commit_plan.unwrap_or(false)), ..profile }),
            Some(problem) => Err(ServiceError::invalid(format!("profile `{}`: {problem}", profile.name))),
        }
    }

    async fn requested_profile(&self, request: &RunRequest) -> Result<Profile, ServiceError> {
        let found = self.profile(request.profile.as_deref(), &request.worktree).await;
        found.map_err(|error| error.at("profile"))
    }

    async fn place(&self, request: &RunRequest, key: &str) -> Result<RunLocation, ServiceError> {
        placing::place_in(&place::open(&request.worktree).await.map_err(refused_place)?, request, key).await
    }
}

impl LocalRunService {
    /// Checks and stores the files of a request.
    async fn keep_attachments(&self, files: Vec<AttachedFile>) -> Result<Vec<Attachment>, ServiceError> {
        let (files, store) = (checked(files).map_err(ServiceError::Invalid)?, Attachments::of(&self.home));
        let kept = tokio::task::spawn_blocking(move || store.keep(&files)).await;
        kept.map_err(unavailable)?.map_err(unavailable)
    }

    /// What people have written in the place of shipped prompts, as it is now.
    async fn prompts(&self) -> Result<BTreeMap<String, OwnPrompt>, ServiceError> {
        let found = self.documents.documents(DocumentKind::Prompt).await.map_err(unavailable)?;
        let text = |document: Document| {
            let text = document.body?.as_str()?.to_owned();
            Some((document.name, OwnPrompt { version: document.version, text }))
        };
        Ok(found.into_iter().filter_map(text).collect())
    }

    /// The keys that the agents of an input need.
    fn keys(&self, work_input: &ImplementationInput) -> Result<Keys, ServiceError> {
        let agents = work_input.agents().map_err(service_error)?;
        let all: Vec<_> = agents.iter().collect();
        self.check_keys(&all)?;
        let checked =
            Assembly::new(&self.home, &all, &RunEnvironment::Live).and_then(|assembly| assembly.check(&all));
        checked.map_err(service_error)?;
        let names = agents.iter().filter_map(|agent| ResolvedUpstream::needed(agent).ok()??.key_env);
        let names: Vec<String> = names.collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Keys::gather(&self.home, &names).map_err(unavailable)
    }

    fn spec(
        &self,
        graph: &str,
        title: &str,
        work_input: ImplementationInput,
        place: RunLocation,
        request: RunRequest,
    ) -> Result<RunSpec, ServiceError> {
        let graph = GraphName::new(graph).map_err(unavailable)?;
        let budget = request.budget.or(work_input.profile.budgets.per_run).at_most(self.ceiling());
        Ok(RunSpec {
            input: serde_json::to_value(&work_input).map_err(unavailable)?,
            profile: Some(work_input.profile.name),
            place: Some(place),
            budget,
            idempotency_key: request.idempotency_key,
            ..RunSpec::new(graph, first_line(title, LONGEST_TITLE))
        })
    }
}

/// The request, in the repository of its profile unless it names a directory.
fn at_root(request: RunRequest, profile: &Profile) -> Result<RunRequest, ServiceError> {
    if !request.worktree.as_os_str().is_empty() {
        return Ok(request);
    }
    let root = Path::new(&profile.repo_root);
    if !root.is_absolute() {
        let message = format!(
            "the repo_root of profile `{}` is not absolute, and no worktree_path was given",
            profile.name
        );
        return Err(ServiceError::invalid(message).at("worktree_path"));
    }
    Ok(RunRequest { worktree: root.to_owned(), ..request })
}

fn unavailable(error: impl Into<anyhow::Error>) -> ServiceError {
    ServiceError::Unavailable(problem_of(&error.into()))
}

#[expect(clippy::needless_pass_by_value, reason = "the shape of `map_err`")]
fn conflict(error: anyhow::Error) -> ServiceError {
    ServiceError::Conflict(problem_of(&error))
}

#[async_trait]
impl RunService for LocalRunService {
    async fn prepare(&self, mut request: RunRequest) -> Result<RunSpec, ServiceError> {
        let work = std::mem::take(&mut request.work);
        let (issue, title, description, attachments, plan, design) = match work {
            RequestedWork::Implementation { issue, title, description, attachments, plan, design } => {
                (issue, title, description, attachments, plan, design)
            }
            RequestedWork::Single { prompt, model, read_only, max_turns } => {
                let wanted = single::AgentTask { prompt, model, read_only, max_turns };
                return self.take_single(request, wanted).await;
            }
            RequestedWork::Defined { definition, prompt, inputs } => {
                return self.take_defined(request, definition, prompt, inputs).await;
            }
            RequestedWork::Team { team, prompt, inputs } => {
                return self.take_team(request, team, prompt, inputs).await;
            }
            RequestedWork::Named { pipeline, title, input } => {
                return self.take_named(request, &pipeline, title, input).await;
            }
            RequestedWork::Review { what, fix, personas } => {
                return self.take_review(request, what, fix, personas).await;
            }
        };
        let name = title.clone().or(issue.clone()).unwrap_or_default();
        let (plan, given) = match plan {
            None => (None, None),
            Some(GivenPlan::Markdown(text)) => (Some(text), None),
            Some(GivenPlan::Tasks(plan)) => (Some(markdown::write(&plan.to_do(), &name)), Some(plan)),
        };
        let attachments = self.keep_attachments(attachments).await?;
        let (issue_key, design) = (issue.clone().unwrap_or_default(), design.map(|design| *design));
        let wanted = ImplementationRequest {
            issue: issue_key,
            title,
            description,
            attachments,
            design,
            plan,
            given,
            ..ImplementationRequest::default()
        };
        if name.trim().is_empty() {
            let problem = Problem::new("the task is missing").with_hint("give an issue, or a title");
            return Err(ServiceError::Invalid(problem).at("title"));
        }
        let profile = self.requested_profile(&request).await?;
        let request = at_root(request, &profile)?;
        if wanted.title.is_none() && profile.tracker == TrackerType::Noop {
            let problem =
                Problem::new(format!("the profile `{}` has no tracker to find issues in", profile.name))
                    .with_hint("set its `tracker` (see docs/trackers.md), or describe the task with --title");
            return Err(ServiceError::Invalid(problem).at("issue_id"));
        }
        if let Some(plan) = &wanted.plan {
            let (_, verdict) = if wanted.given.is_some() { check_written(plan) } else { check(plan) };
            if !verdict.is_valid() {
                let message = format!("the plan cannot be used: {}", verdict.issues.join("; "));
                return Err(ServiceError::invalid(message).at("plan"));
            }
        }
        let mcp_tools =
            self.mcp.find(profile.mcp_tools.iter().map(String::as_str), &request.worktree).await?;
        let work_input = ImplementationInput { wanted, profile, prompts: self.prompts().await?, mcp_tools };
        let keys = self.keys(&work_input)?;
        let name = keys.redactor().text(&name).into_owned();
        let key = issue.unwrap_or_else(|| name.clone());
        let place = self.place(&request, &place::key(&keys.redactor().text(&key))).await?;
        self.spec(implementation::NAME, &name, keys.redactor().clean(work_input), place, request)
    }

    async fn plan(&self, row: &RunRow) -> Result<Option<ShownPlan>, ServiceError> {
        plans::plan(&*self.store, row).await.map_err(conflict)
    }

    async fn changes(
        &self,
        row: &RunRow,
        extent: &DiffRange,
        detail: DiffDetail,
    ) -> Result<RunDiff, ServiceError> {
        let _permit = match detail {
            DiffDetail::Whole => Some(self.diffs.enter(row.run.id).await),
            DiffDetail::Files => None,
        };
        delivery::changes(&self.home, &*self.store, row, extent, detail).await.map_err(service_error)
    }

    fn whereabouts(&self, row: &RunRow) -> RunWorktree {
        changes::whereabouts(&self.home, row)
    }

    async fn system_prompt(&self, row: &RunRow) -> Option<String> {
        single::system_prompt(&self.home, row).await
    }

    async fn plans(&self, row: &RunRow) -> Result<Vec<PlanVersion>, ServiceError> {
        plans::plans(&*self.store, row).await.map_err(conflict)
    }

    async fn file(&self, row: &RunRow, path: &str) -> Result<Vec<u8>, ServiceError> {
        let place = place::of(row).map_err(conflict)?;
        let worktree = place::find(place, &self.home, row.run.id).await.map_err(service_error)?;
        run_files::read_inside(&worktree.path, path)
    }

    async fn check_stops(
        &self,
        row: &RunRow,
        rules: &BTreeSet<StopRule>,
    ) -> Result<Vec<String>, ServiceError> {
        stops::check(row, rules)
    }

    async fn intervened(
        &self,
        row: &RunRow,
        saved: &LoadedCheckpoint,
        intervention: &Intervention,
    ) -> Result<InterventionEffect, ServiceError> {
        self.intervention(row, saved, intervention).await
    }

    async fn agents(&self, row: &RunRow) -> Result<Option<BTreeSet<String>>, ServiceError> {
        let names = pipelines::of(row).and_then(|pipeline| pipeline.names(row)).map_err(service_error)?;
        Ok(names.map(|names| names.agents))
    }

    async fn removed(&self, row: &RunRow) -> Result<(), ServiceError> {
        workspaces::remove(&self.home, &*self.store, row).await.map_err(service_error)
    }

    fn memory_service(&self) -> Option<&dyn MemoryService> {
        self.memory.as_ref().map(|_| self as &dyn MemoryService)
    }

    fn artifact_service(&self) -> Option<&dyn ArtifactService> {
        Some(self)
    }

    async fn result_file(&self, row: &RunRow, name: &str) -> Result<Vec<u8>, ServiceError> {
        ResultFiles::of(&self.home, row.run.id).read(name)
    }

    async fn state(&self, row: &RunRow, checkpoint: Option<u32>) -> Result<Value, ServiceError> {
        shown_state::shown_state(&*self.store, row, checkpoint).await
    }

    async fn graph(&self, row: &RunRow) -> Result<Value, ServiceError> {
        let pipeline = pipelines::of(row).map_err(conflict)?;
        let drawing = pipeline.drawing(row).map_err(conflict)?;
        serde_json::to_value(drawing).map_err(unavailable)
    }

    async fn tidy(&self, rows: &[RunRow], how: CleanupMode) -> Result<Vec<Leftover>, ServiceError> {
        tidying::tidy(&self.home, rows, how).await.map_err(conflict)
    }

    async fn merged_branches(
        &self,
        rows: &[RunRow],
        how: CleanupMode,
    ) -> Result<Vec<MergedBranch>, ServiceError> {
        tidying::merged_branches(&self.home, &*self.store, rows, how).await.map_err(conflict)
    }

    async fn tidy_attachments(&self, how: CleanupMode) -> Result<UnusedAttachments, ServiceError> {
        tidying::attachments(&self.home, &*self.store, how).await.map_err(conflict)
    }

    async fn merge(&self, row: &RunRow, options: &MergeOptions) -> Result<MergeReport, ServiceError> {
        let profile = self.delivery_profile(row).await?;
        delivery::merge(&self.home, &*self.store, row, &profile, options).await.map_err(service_error)
    }

    async fn undone_merges(&self, rows: &[&RunRow]) -> BTreeMap<RunId, UndoneMerge> {
        undone_merges::changed_merges(rows).await.undone
    }

    async fn merge_undo(&self, row: &RunRow) -> Option<String> {
        merge_undo::undo_now(row).await
    }

    async fn merged_by_hand(&self, rows: &[&RunRow]) -> BTreeMap<RunId, String> {
        let mut found = self.found_merges.of(&self.home, &*self.store, rows).await;
        found.append(&mut undone_merges::changed_merges(rows).await.replaced);
        found
    }

    async fn open_pull_request(
        &self,
        row: &RunRow,
        options: &PullRequestOptions,
    ) -> Result<OpenedPullRequest, ServiceError> {
        let profile = self.delivery_profile(row).await?;
        let opened = delivery::open_pull_request(&self.home, &*self.store, row, &profile, options);
        opened.await.map_err(service_error)
    }

    async fn pull_request(&self, row: &RunRow) -> Result<PullRequestState, ServiceError> {
        let profile = self.delivery_profile(row).await?;
        delivery::pull_request(&self.home, row, &profile).await.map_err(service_error)
    }

    async fn profile_checks(&self, row: &RunRow) -> Result<Vec<CheckCommand>, ServiceError> {
        self.checks_now(row).await
    }

    async fn profile_agents(&self, row: &RunRow) -> Result<Object, ServiceError> {
        self.agents_now(row).await
    }

    async fn allow_always(&self, row: &RunRow, grant: &PermissionGrant) -> Result<(), ServiceError> {
        permissions::allow_always(&self.profiles, row, grant).await.map_err(service_error)
    }

    async fn fork(
        &self,
        row: &RunRow,
        checkpoint: u32,
        set: &[String],
        definition: DefinitionSource,
    ) -> Result<RunId, ServiceError> {
        self.forked(row, checkpoint, set, definition).await
    }
}
