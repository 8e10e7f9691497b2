use amelia_core::clock::{Clock, SystemClock};
use std::process::Command;
use std::sync::atomic::{AtomicI64, Ordering};

use amelia_agents::pipeline::implementation::{self, state::ImplementationRequest};
use amelia_core::config::agent::{AgentConfig, DriverType};
use amelia_core::config::profile::Profile;
use amelia_core::human::{HumanAction, HumanReply};
use amelia_core::id::{GraphName, RunId};
use amelia_core::run::{RunLocation, RunSpec};
use amelia_core::store::Store;
use amelia_graph::position::approval;
use amelia_orchestrator::runs::{Move, Runs};
use amelia_scripted::{Script, serve};
use amelia_store::memory::MemoryStore;
use jiff::SignedDuration;
use serde_json::json;

use super::*;
use crate::implementation_input::ImplementationInput;

/// A clock whose day somebody sets.
struct Calendar(AtomicI64);

impl Clock for Calendar {
    fn now(&self) -> jiff::Timestamp {
        let midnight: jiff::Timestamp = "2026-03-01T23:59:59Z".parse().unwrap();
        midnight.saturating_add(SignedDuration::from_hours(24 * self.0.load(Ordering::SeqCst))).unwrap()
    }

    fn new_id(&self) -> uuid::Uuid {
        SystemClock.new_id()
    }
}

const ARCHITECT: &str = r#####"
rules:
  - when: {}
    reply:
      text: |
        **Goal:** The sample adds its two numbers, which is all that the issue asks for, and nothing else is changed by it,
        because the issue does not say that anything else is wrong with it.

        ### Task 1: Add instead of subtract

        Replace the minus by a plus.
"#####;

fn git(dir: &std::path::Path, arguments: &str) -> String {
    let output = Command::new("git").args(arguments.split(' ')).current_dir(dir).output().unwrap();
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// An order for a repository with one commit.
fn request(sample: &std::path::Path, url: &str) -> RunSpec {
    std::fs::create_dir(sample).unwrap();
    for arguments in
        ["init -q", "config user.name S", "config user.email s@s", "commit -q --allow-empty -m first"]
    {
        git(sample, arguments);
    }
    let agent = AgentConfig {
        options: serde_json::from_value(json!({"base_url": format!("{url}/v1")})).unwrap(),
        ..AgentConfig::new(DriverType::Api, "any")
    };
    let mut profile = Profile::new("p", sample.to_string_lossy());
    profile.agents.insert("developer".to_owned(), agent);
    let wanted = ImplementationRequest {
        issue: "S-1".to_owned(),
        title: Some("Add".to_owned()),
        ..ImplementationRequest::default()
    };
    let work_input = ImplementationInput {
        wanted,
        profile,
        prompts: std::collections::BTreeMap::new(),
        mcp_tools: Vec::new(),
    };
    let place = RunLocation {
        repository: sample.to_owned(),
        base_commit: git(sample, "rev-parse HEAD"),
        base_branch: None,
        in_place: false,
        key: "s-1".to_owned(),
        branch: None,
        start: None,
        tree: None,
    };
    let spec = RunSpec::new(GraphName::new(implementation::NAME).unwrap(), "Add");
    RunSpec { input: serde_json::to_value(&work_input).unwrap(), place: Some(place), ..spec }
}

/// Moves a run until it rests.
async fn go(home: &Home, runs: &Runs, run: RunId, replies: Vec<HumanReply>) -> RunRow {
    let row = runs.store().run(run).await.unwrap().unwrap();
    let mcp = Arc::new(McpServers::of(home));
    let runnable = RunAssembler::new(home, ModelAccess::default(), SpendLimits::default(), &mcp)
        .build(&row, Arc::new(|_| {}), Arc::new(amelia_core::recording::NoTape))
        .await
        .unwrap();
    runnable.run(runs, run, Move { replies, ..Move::default() }).await.unwrap();
    runs.store().run(run).await.unwrap().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plan_file_is_neither_stale_nor_missing_because_the_date_has_changed() {
    let dir = tempfile::tempdir().unwrap();
    let server = serve(Script::parse(ARCHITECT).unwrap(), ([127, 0, 0, 1], 0).into()).await.unwrap();
    let home = Home::at(&dir.path().join("home"));
    let calendar = Arc::new(Calendar(AtomicI64::new(0)));
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let runs = Runs::new(store, Arc::clone(&calendar) as Arc<dyn Clock>);
    let run = runs.create(request(&dir.path().join("sample"), &server.url())).await.unwrap();
    let row = go(&home, &runs, run, Vec::new()).await;
    let asked = row.view.pending.first().unwrap_or_else(|| panic!("{:?}", row.view.failure)).clone();
    assert_eq!(asked.context["plan_path"], "docs/plans/2026-03-01-S-1.md");

    calendar.0.store(1, Ordering::SeqCst);
    let no = HumanReply {
        action: HumanAction::Reject,
        message: Some("again".to_owned()),
        ..approval(&asked, calendar.now())
    };
    let row = go(&home, &runs, run, vec![no]).await;
    let asked = row.view.pending.first().unwrap();
    assert_eq!(asked.context["plan_path"], "docs/plans/2026-03-01-S-1.md", "it stays where it was put");
    let plans = home.path().join("worktrees").join(run.to_string()).join("docs/plans");
    let files = std::fs::read_dir(plans).unwrap().map(|entry| entry.unwrap().file_name());
    let plans: Vec<_> = files.filter(|name| name != ".gitignore").collect();
    assert_eq!(plans, ["2026-03-01-S-1.md"], "and there is only one");
}

#[tokio::test]
async fn a_run_without_its_key_is_told_to_be_resumed() {
    let store = Arc::new(MemoryStore::new());
    let runs = Runs::new(Arc::clone(&store) as _, Arc::new(SystemClock));
    let run = runs.create(RunSpec::new(GraphName::new("g").unwrap(), "a run")).await.unwrap();
    let row = store.run(run).await.unwrap().unwrap();
    let missing = RunFailure::new("setup", crate::keys::missing("A_KEY", "openai"));
    let failure = resumable(missing, &row);
    assert_eq!(failure.code, amelia_core::event::run::MISSING_KEY);
    let told = Problem::parse(&failure.message);
    assert!(
        told.message.contains("`A_KEY` is not set") && told.message.contains("keeps its position"),
        "{told}"
    );
    let hint = told.hint.unwrap();
    assert!(hint.ends_with(&format!("then amelia resume {}", row.run.number)), "{hint}");
    let other = RunFailure::new("setup", "the disk is full");
    assert_eq!(resumable(other.clone(), &row), other);
}
