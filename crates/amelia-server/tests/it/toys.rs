//! Runs that do as their title says, and a service that knows nothing of git.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use amelia_core::check::CheckCommand;
use amelia_core::checkpoint::LoadedCheckpoint;
use amelia_core::clock::SystemClock;
use amelia_core::config::problem::ConfigProblem;
use amelia_core::delivery::{MergedChange, OpenedPullRequest, UndoneMerge};
use amelia_core::driver::{DeltaKind, Usage};
use amelia_core::event::guardrail::PolicyChange;
use amelia_core::event::run::RunFailure;
use amelia_core::event::{AgentEvent, ArtifactEvent, EventKind, GuardrailEvent, MemoryEvent, SystemEvent};
use amelia_core::human::HumanKind;
use amelia_core::id::{AgentName, GraphName, RunId};
use amelia_core::message::MemoryKind;
use amelia_core::object::Object;
use amelia_core::permission::PermissionGrant;
use amelia_core::problem::Problem;
use amelia_core::recording::Tape;
use amelia_core::run::{ForkPoint, RunLocation, RunSpec, RunStatus};
use amelia_core::store::{CheckpointAt, Store};
use amelia_core::tracker::{Issue, PullRequestState, PullRequestStatus};
use amelia_core::view::RunRow;
use amelia_core::workplace::FileChange;
use amelia_graph::editing::{EditedState, StateEdit, edited};
use amelia_graph::engine::{EngineError, Stop};
use amelia_graph::graph::{END, Graph};
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use amelia_graph::state::{State, rebuild};
use amelia_graph::travel;
use amelia_orchestrator::orchestrator::{Assembler, Delta, Live, RunnableGraph};
use amelia_orchestrator::runs::{Move, Runs};
use amelia_orchestrator::service::{
    CleanupMode, DefinitionSource, DiffDetail, DiffRange, GivenPlan, Leftover, LeftoverResult, MergeOptions,
    MergeReport, MergedBranch, PlanVersion, PullRequestOptions, RequestedWork, ReviewOf, RunDiff, RunRequest,
    RunService, RunWorktree, ServiceError, ShownPlan, UnusedAttachments,
};
use amelia_server::{Machine, NotChanged};
use amelia_wire::read::Refused;
use amelia_wire::rest::config::{ServerChange, ServerValue};
use amelia_wire::rest::doctor::{Checkup, CheckupQuery, Finding, FindingState};
use amelia_wire::rest::issue::IssueQuery;
use amelia_wire::rest::repository::RepositoryLook;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::calling;

/// How many notes `floods` writes: more than fit into any buffer on the way to a client that never reads.
pub(crate) const FLOOD: usize = 3000;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Count {
    n: u32,
}

impl State for Count {
    type Update = u32;

    fn apply(&mut self, more: u32) {
        self.n += more;
    }
}

/// Does as it is called, then works until the gate lets it through.
struct Toy {
    name: String,
    gate: Arc<Semaphore>,
    live: Live,
}

#[async_trait]
impl Node<Count> for Toy {
    async fn run(&self, cx: &NodeCx, _: &Count) -> Result<Outcome<u32>, NodeError> {
        match self.name.as_str() {
            "asks" => match cx.answered() {
                None => return Ok(Outcome::ask(cx.request(HumanKind::Approval, "go?"))),
                Some(answered) if !answered.is_approval() => {
                    return Ok(Outcome::ask(cx.request(HumanKind::Approval, "and now?")));
                }
                Some(_) => {}
            },
            "wonders" if cx.answered().is_none() => {
                return Ok(Outcome::ask(cx.request(HumanKind::Question, "which colour?")));
            }
            "fails" => return Err(NodeError::new("broken", "the toy is broken")),
            "talks" => self.talk(cx).await?,
            "speaks" => self.say(cx, &AgentName::new("talker").unwrap()),
            "floods" => flood(cx).await?,
            "calls" => calling::call(cx).await?,
            "keeps" if cx.answered().is_none() => {
                keep(cx).await?;
                return Ok(Outcome::ask(cx.request(HumanKind::Approval, "go?")));
            }
            _ => {}
        }
        self.gate.acquire().await.unwrap().forget();
        Ok(Outcome::Done(vec![1]))
    }
}

impl Toy {
    fn say(&self, cx: &NodeCx, agent: &AgentName) {
        for text in ["Hello, ", "world"] {
            let (kind, text) = (DeltaKind::Text, text.to_owned());
            let (run, session, agent) = (cx.run(), cx.session(), agent.clone());
            (self.live)(Delta { run, session, agent, kind, text, after: cx.log_end() });
        }
    }

    async fn talk(&self, cx: &NodeCx) -> Result<(), NodeError> {
        let agent = AgentName::new("talker").unwrap();
        let started = AgentEvent::Started { context_tokens: None, memories: None, session: None };
        cx.record(vec![cx.draft(&agent, EventKind::Agent(started))]).await?;
        self.say(cx, &agent);
        let usage = Usage {
            input_tokens: Some(10),
            output_tokens: Some(5),
            cost_usd: Some(0.25),
            model: Some("toy-1".to_owned()),
            ..Usage::default()
        };
        let finished = AgentEvent::Finished {
            text: "Hello, world".to_owned(),
            is_error: false,
            session: None,
            tokens: None,
            duration_ms: None,
            memories_stored: None,
        };
        let events = [AgentEvent::Used(usage), finished];
        cx.record(events.map(|event| cx.draft(&agent, EventKind::Agent(event))).into()).await?;
        Ok(())
    }
}

/// An event of memory, one of guardrails, and two of artifacts.
async fn keep(cx: &NodeCx) -> Result<(), NodeError> {
    let text = str::to_owned;
    let stored = MemoryEvent::Stored { memory: text("m1"), kind: MemoryKind::LongTerm, size: 4 };
    let (policy, change, by) = (text("polite"), PolicyChange::Created, text("user"));
    let changed = GuardrailEvent::PolicyChanged { policy, change, by };
    let uri = || text("artifacts/documents/report.md");
    let modified =
        ArtifactEvent::Modified { uri: uri(), version: text("v2"), changes: Object::new(), artifact: None };
    let (old, new, reason) = (text("v1"), text("v2"), text("shorter"));
    let versioned = ArtifactEvent::Versioned { uri: uri(), old, new, reason };
    let kinds = [
        EventKind::Memory(stored),
        EventKind::Guardrail(changed),
        EventKind::Artifact(modified),
        EventKind::Artifact(versioned),
    ];
    cx.record(kinds.map(|kind| cx.draft(&AgentName::system(), kind)).into()).await?;
    Ok(())
}

async fn flood(cx: &NodeCx) -> Result<(), NodeError> {
    let text = "x".repeat(8 * 1024);
    for _ in 0..FLOOD / 100 {
        let warned = || SystemEvent::Warned { message: text.clone(), details: Default::default() };
        let draft = || cx.draft(&AgentName::system(), EventKind::System(warned()));
        cx.record((0..100).map(|_| draft()).collect()).await?;
    }
    Ok(())
}

/// Assembles by the run's title.
pub(crate) struct Toys(pub(crate) Arc<Semaphore>);

struct Assembled(Graph<Count>);

#[async_trait]
impl Assembler for Toys {
    async fn assemble(
        &self,
        row: &RunRow,
        live: Live,
        _: Arc<dyn Tape>,
    ) -> Result<Box<dyn RunnableGraph>, RunFailure> {
        let name = row.run.spec.title.clone();
        if name == "nonsense" {
            let message = "no such toy".to_owned();
            return Err(RunFailure { code: "setup".to_owned(), message, node: None });
        }
        let toy = || Toy { name: name.clone(), gate: Arc::clone(&self.0), live: Arc::clone(&live) };
        let graph = match name.as_str() {
            "walks" => Graph::builder("toy")
                .entry("one")
                .node("one", toy())
                .edge("two")
                .node("two", toy())
                .edge("three")
                .node("three", toy())
                .edge(END),
            _ => Graph::builder("toy").entry("only").node("only", toy()).edge(END),
        };
        Ok(Box::new(Assembled(graph.build().unwrap())))
    }

    async fn edit(
        &self,
        _: &RunRow,
        saved: &LoadedCheckpoint,
        edits: Vec<StateEdit>,
    ) -> Result<EditedState, Problem> {
        Ok(edited(&rebuild::<Count>(saved).unwrap(), &edits)?)
    }
}

#[async_trait]
impl RunnableGraph for Assembled {
    async fn run(&self, runs: &Runs, run: RunId, how: Move) -> Result<Stop, EngineError> {
        runs.run(run, &self.0, Count::default(), how).await
    }
}

/// Reads files below `worktree` without any care: what the server lets through, it gives out.
pub(crate) struct ToyRunService {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) worktree: PathBuf,
    /// One message when an order called `held` has come; it waits for a permit of the gate.
    pub(crate) held: Arc<Semaphore>,
    pub(crate) gate: Arc<Semaphore>,
}

#[async_trait]
impl Machine for ToyRunService {
    fn name(&self) -> String {
        "toybox".to_owned()
    }

    async fn look(&self, path: &str) -> RepositoryLook {
        RepositoryLook { path: path.to_owned(), ..RepositoryLook::default() }
    }

    async fn issues(&self, query: &IssueQuery) -> Result<Vec<Issue>, ServiceError> {
        if query.profile.is_some() {
            return Err(ServiceError::invalid("this profile has no tracker"));
        }
        let title = query.q.clone().unwrap_or_default();
        Ok(vec![Issue { key: "#1".to_owned(), title, description: String::new(), status: "open".to_owned() }])
    }

    async fn checkup(&self, query: &CheckupQuery) -> Checkup {
        let place = query.worktree_path.as_ref().map(|path| format!(" in {path}")).unwrap_or_default();
        let (name, message) = ("toys".to_owned(), format!("all there{place}"));
        Checkup { checks: vec![Finding { name, state: FindingState::Ok, message, hint: None }] }
    }

    async fn values(&self) -> Result<Vec<ServerValue>, ServiceError> {
        Ok(Vec::new())
    }

    async fn change(&self, change: ServerChange) -> Result<(), NotChanged> {
        let problem =
            |(key, _): (&String, _)| ConfigProblem { path: key.clone(), message: "is no toy".to_owned() };
        match change.values.iter().next().map(problem) {
            None => Ok(()),
            Some(problem) => Err(Refused(vec![problem]).into()),
        }
    }
}

#[async_trait]
impl RunService for ToyRunService {
    async fn prepare(&self, order: RunRequest) -> Result<RunSpec, ServiceError> {
        let graph = if matches!(order.work, RequestedWork::Single { .. }) { "single" } else { "toy" };
        let (title, input) = match order.work {
            RequestedWork::Implementation { issue, title, description, attachments, plan, design } => {
                let title = title.or_else(|| issue.clone()).unwrap_or_default();
                let plan = plan.map(|plan| match plan {
                    GivenPlan::Markdown(text) => json!(text),
                    GivenPlan::Tasks(plan) => json!(plan),
                });
                let input = json!({
                    "issue_id": issue, "description": description, "plan": plan, "design": design,
                    "attachments": format!("{attachments:?}")
                });
                (title, input)
            }
            RequestedWork::Single { prompt, model, read_only, max_turns } => {
                let model = json!({"model": model.model, "api_key_env": model.api_key_env});
                let input = json!({
                    "prompt": prompt, "model": model, "read_only": read_only, "max_turns": max_turns
                });
                (prompt, input)
            }
            RequestedWork::Defined { definition, prompt, inputs } => {
                (prompt, json!({"definition": format!("{definition:?}"), "inputs": inputs}))
            }
            RequestedWork::Team { team, prompt, inputs } => {
                (prompt, json!({"team": format!("{team:?}"), "inputs": inputs}))
            }
            RequestedWork::Named { pipeline, title, input } => {
                (title.unwrap_or_else(|| "works".to_owned()), json!({"pipeline": pipeline, "input": input}))
            }
            RequestedWork::Review { what, fix, personas } => {
                let what = match what {
                    ReviewOf::Local => "local".to_owned(),
                    ReviewOf::Since(base) => format!("since {base}"),
                    ReviewOf::Diff(diff) => format!("diff {diff}"),
                    ReviewOf::PullRequest(number) => format!("pull request {number}"),
                };
                ("works".to_owned(), json!({"what": what, "fix": fix, "personas": personas}))
            }
        };
        match title.as_str() {
            "unknown issue" => {
                return Err(ServiceError::not_found(Problem::new("issue not found").with_hint("look again"))
                    .at("issue_id"));
            }
            "never" => std::future::pending().await,
            "held" => {
                self.held.add_permits(1);
                self.gate.acquire().await.unwrap().forget();
            }
            _ => {}
        }
        let place = RunLocation {
            repository: order.worktree,
            base_commit: order.base.unwrap_or_else(|| "0".repeat(40)),
            base_branch: None,
            in_place: order.in_place,
            key: "toy".to_owned(),
            branch: order.branch,
            start: None,
            tree: None,
        };
        Ok(RunSpec {
            input,
            profile: order.profile,
            place: Some(place),
            budget: order.budget,
            idempotency_key: order.idempotency_key,
            ..RunSpec::new(GraphName::new(graph).unwrap(), title)
        })
    }

    fn whereabouts(&self, row: &RunRow) -> RunWorktree {
        let is_begun = row.view.started_at.is_some();
        RunWorktree {
            worktree: is_begun.then(|| self.worktree.clone()),
            branch: is_begun.then(|| "toy/branch".to_owned()),
        }
    }

    async fn system_prompt(&self, row: &RunRow) -> Option<String> {
        (row.run.spec.graph.as_str() == "single").then(|| "You are a toy.".to_owned())
    }

    async fn merged_branches(&self, _: &[RunRow], _: CleanupMode) -> Result<Vec<MergedBranch>, ServiceError> {
        Ok(Vec::new())
    }

    async fn tidy_attachments(&self, _: CleanupMode) -> Result<UnusedAttachments, ServiceError> {
        Ok(UnusedAttachments::default())
    }

    async fn allow_always(&self, _: &RunRow, _: &PermissionGrant) -> Result<(), ServiceError> {
        Err(ServiceError::conflict("there are no profiles here"))
    }

    async fn profile_checks(&self, _: &RunRow) -> Result<Vec<CheckCommand>, ServiceError> {
        Ok(vec![CheckCommand { name: "tests".to_owned(), command: "true".to_owned(), timeout: 1 }])
    }

    async fn profile_agents(&self, _: &RunRow) -> Result<Object, ServiceError> {
        Ok(Object::from_iter([("developer".to_owned(), json!({"driver": "api", "model": "m"}))]))
    }

    async fn plans(&self, row: &RunRow) -> Result<Vec<PlanVersion>, ServiceError> {
        let version = |plan: ShownPlan| PlanVersion {
            checkpoint: 1,
            seq: row.view.seq,
            at: row.run.created_at,
            plan: plan.markdown,
            problems: vec!["it is short".to_owned()],
            feedback: None,
        };
        Ok(self.plan(row).await?.map(version).into_iter().collect())
    }

    async fn changes(&self, _: &RunRow, extent: &DiffRange, _: DiffDetail) -> Result<RunDiff, ServiceError> {
        let of = match extent {
            DiffRange::Now => String::new(),
            DiffRange::At(seq) => format!("at {seq}"),
            DiffRange::Task(task) => format!("of {task}"),
        };
        let files = vec![
            FileChange { path: "a.txt".to_owned(), lines: Some((2, 1)) },
            FileChange { path: "b.png".to_owned(), lines: None },
        ];
        Ok(RunDiff {
            diff: format!("--- a\n+++ b\n{of}"),
            is_cut: false,
            files,
            uncommitted: 1,
            branch: None,
            worktree: self.worktree.clone(),
            merged_into: None,
        })
    }

    async fn merge(&self, row: &RunRow, options: &MergeOptions) -> Result<MergeReport, ServiceError> {
        if row.view.status != RunStatus::Completed {
            return Err(ServiceError::conflict("only a completed run can be merged"));
        }
        let change = MergedChange {
            method: options.method,
            branch: "toy/branch".to_owned(),
            into: options.into.clone().unwrap_or_else(|| "main".to_owned()),
            before: "b".repeat(40),
            commit: "c".repeat(40),
            head: None,
            branch_deleted: options.delete_branch,
            undo: Some("git undo".to_owned()),
        };
        Ok(MergeReport { change, undo: "git undo".to_owned(), notes: Vec::new() })
    }

    /// A merge into a branch called `undone` was undone.
    async fn undone_merges(&self, rows: &[&RunRow]) -> BTreeMap<RunId, UndoneMerge> {
        let is_undone =
            |row: &&&RunRow| row.view.merged.as_ref().is_some_and(|merged| merged.into == "undone");
        rows.iter().filter(is_undone).map(|row| (row.run.id, UndoneMerge::Removed)).collect()
    }

    /// A branch called `again` has the changes by another commit.
    async fn merged_by_hand(&self, rows: &[&RunRow]) -> BTreeMap<RunId, String> {
        let into = |row: &&RunRow| row.view.merged.as_ref().map(|merged| (row.run.id, merged.into.clone()));
        rows.iter().filter_map(into).filter(|(_, into)| into == "again").collect()
    }

    /// A branch called `moved` has newer commits.
    async fn merge_undo(&self, row: &RunRow) -> Option<String> {
        row.view.merged.as_ref().filter(|merged| merged.into != "moved")?.undo.clone()
    }

    async fn open_pull_request(
        &self,
        _: &RunRow,
        options: &PullRequestOptions,
    ) -> Result<OpenedPullRequest, ServiceError> {
        Ok(OpenedPullRequest {
            number: 7,
            url: "https://example.org/7".to_owned(),
            branch: "toy/branch".to_owned(),
            base: options.base.clone(),
            is_draft: options.is_draft,
        })
    }

    async fn pull_request(&self, row: &RunRow) -> Result<PullRequestState, ServiceError> {
        let Some(opened) = &row.view.pull_request else {
            return Err(ServiceError::not_found("the run has no pull request"));
        };
        Ok(PullRequestState {
            number: opened.number,
            url: opened.url.clone(),
            title: row.run.spec.title.clone(),
            status: PullRequestStatus::Open,
            base: "main".to_owned(),
            has_conflicts: Some(false),
            checks: Vec::new(),
            reviews: Vec::new(),
            merge_commit: None,
        })
    }

    async fn file(&self, _: &RunRow, path: &str) -> Result<Vec<u8>, ServiceError> {
        std::fs::read(self.worktree.join(path))
            .map_err(|_| ServiceError::not_found(format!("no file `{path}`")))
    }

    /// Every run has left a directory, and that of a run called `works` holds work.
    async fn tidy(&self, rows: &[RunRow], how: CleanupMode) -> Result<Vec<Leftover>, ServiceError> {
        assert!(rows.iter().all(|row| row.view.status.is_final()), "nobody is at work there");
        let fate = |row: &RunRow| match row.run.spec.title.as_str() {
            "works" => LeftoverResult::Kept { why: "it holds work".to_owned() },
            _ => LeftoverResult::Removed { with_branch: how == CleanupMode::Remove },
        };
        let path = self.worktree.clone();
        let left = |row: &RunRow| Leftover {
            run: row.run.id,
            path: path.clone(),
            branch: None,
            bytes: 10,
            ignored: Vec::new(),
            fate: fate(row),
        };
        Ok(rows.iter().map(left).collect())
    }

    async fn state(&self, row: &RunRow, checkpoint: Option<u32>) -> Result<Value, ServiceError> {
        let at = checkpoint.map_or(CheckpointAt::Latest, CheckpointAt::Number);
        let loaded = self.store.load(row.run.id, at).await.unwrap();
        let loaded = loaded.ok_or_else(|| ServiceError::not_found("it has not begun"))?;
        Ok(json!({"checkpoint": loaded.number, "n": rebuild::<Count>(&loaded).unwrap().n}))
    }

    async fn plan(&self, row: &RunRow) -> Result<Option<ShownPlan>, ServiceError> {
        let plan = row.run.spec.input.get("plan").and_then(Value::as_str).map(str::to_owned);
        // One that works like a team.
        let document = (row.run.spec.title == "plans").then(|| json!({"goal": "g", "tasks": []}));
        Ok(plan.map(|markdown| ShownPlan { markdown, document }))
    }

    async fn graph(&self, row: &RunRow) -> Result<Value, ServiceError> {
        assert_ne!(row.run.spec.title, "fails", "a service with a fault in it");
        let nodes = match row.run.spec.title.as_str() {
            "walks" => json!(["one", "three", "two"]),
            _ => json!(["only"]),
        };
        Ok(json!({"nodes": nodes, "edges": []}))
    }

    async fn fork(
        &self,
        row: &RunRow,
        checkpoint: u32,
        set: &[String],
        _: DefinitionSource,
    ) -> Result<RunId, ServiceError> {
        let edits = set.iter().map(|text| {
            let (path, value) = text.split_once('=').unwrap();
            StateEdit { path: path.to_owned(), value: serde_json::from_str(value).unwrap() }
        });
        let from = ForkPoint { run: row.run.id, checkpoint };
        let edits: Vec<StateEdit> = edits.collect();
        travel::fork::<Count>(&*self.store, &SystemClock, from, &edits)
            .await
            .map_err(|error| ServiceError::invalid(error.to_string()))
    }
}

/// A toy run without an order.
pub(crate) fn spec(title: &str) -> RunSpec {
    RunSpec::new(GraphName::new("toy").unwrap(), title)
}
