//! `amelia selftest --crowd`: many runs at once in one repository, twenty at a time, and the server is killed in the
//! middle. None may fail for a reason that is not its own, and every tool answer must be that of its own call.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use amelia_core::event::{AgentEvent, EventKind};
use amelia_core::id::{CallId, Seq};
use amelia_core::run::RunStatus;
use amelia_core::store::{RunPages, Store};
use amelia_core::tool::ToolResult;
use amelia_core::view::RunRow;
use amelia_wire::rest::health::Health;
use amelia_wire::rest::request::{ModelWanted, NewSingle};
use anyhow::Result;
use indicatif::ProgressBar;

use super::findings::Findings;
use super::ground::Ground;
use super::progress;
use crate::cli::{Global, SelftestArgs};
use crate::client::Client;

/// When nothing has ended for so long, nothing will.
const STUCK_TIMEOUT: Duration = Duration::from_secs(120);
/// Between two looks at how many have ended.
const LOOK_INTERVAL: Duration = Duration::from_millis(250);

pub(super) async fn run(args: &SelftestArgs, global: &Global) -> Result<ExitCode> {
    let ground = Ground::new(&script(args.runs)).await?;
    let mut findings = Findings::new();
    let bar = progress(global, args.runs, "runs");
    bar.set_message("starting");
    let server = ground.start()?;
    let client = ground.client(&server).await?;
    for job in 1..=args.runs {
        client.create("/workflows/single", &order(&ground, job), None).await?;
    }
    bar.set_message("working");
    let all = u64::from(args.runs);
    until_ended(&client, all, all / 2, &bar, &mut findings).await?;
    server.kill()?;
    findings.count("server kills", 1);
    let server = ground.start()?;
    let client = ground.client(&server).await?;
    until_ended(&client, all, all, &bar, &mut findings).await?;
    server.stop()?;
    bar.set_message("checking");
    check(&ground, args.runs, &mut findings).await?;
    bar.finish_and_clear();
    findings.conclude(global)
}

/// Three turns per job: two commands beside each other, a file and a commit, and a word.
fn script(jobs: u32) -> String {
    let mut script = "rules:\n".to_owned();
    for job in 1..=jobs {
        // Writing to a string does not fail.
        writeln!(
            script,
            r#"  - when: {{ text: "job-{job};", turn: 0 }}
    reply: {{ tool_calls: [{{ name: shell, args: {{ command: "echo answer-{job}-a; git rev-parse --is-inside-work-tree" }} }}, {{ name: shell, args: {{ command: "echo answer-{job}-b; git status --short" }} }}] }}
  - when: {{ text: "job-{job};", turn: 1 }}
    reply: {{ tool_calls: [{{ name: write_file, args: {{ path: "job-{job}.txt", content: "{job}\n" }} }}, {{ name: shell, args: {{ command: "git add -A && git commit -qm job-{job} && echo answer-{job}-c && git log -1 --format=%s" }} }}] }}
  - when: {{ text: "job-{job};", turn: 2 }}
    reply: {{ text: "done-{job}" }}"#
        )
        .ok();
    }
    script
}

fn order(ground: &Ground, job: u32) -> NewSingle {
    NewSingle {
        prompt: format!("job-{job}; do it"),
        worktree_path: ground.repository(),
        profile: None,
        model: ModelWanted {
            model: Some("scripted".to_owned()),
            base_url: Some(ground.model_url()),
            ..ModelWanted::default()
        },
        in_place: false,
        base: None,
        read_only: false,
        max_turns: 10,
        budget: None,
        retention_days: None,
        label: None,
    }
}

/// Waits until so many of the runs have ended: the others are at work or queued.
async fn until_ended(
    client: &Client,
    all: u64,
    wanted: u64,
    bar: &ProgressBar,
    findings: &mut Findings,
) -> Result<()> {
    let (mut ended, mut since) = (0, Instant::now());
    while ended < wanted {
        let health: Health = client.get("/health").await?;
        let open = u64::try_from(health.active_workflows + health.queued_workflows)?;
        let now = all.saturating_sub(open);
        if now > ended {
            (ended, since) = (now, Instant::now());
            bar.set_position(ended);
        }
        if since.elapsed() > STUCK_TIMEOUT {
            findings.violation(format!("{ended} of {wanted} runs ended, and then nothing moved"));
            return Ok(());
        }
        tokio::time::sleep(LOOK_INTERVAL).await;
    }
    Ok(())
}

async fn check(ground: &Ground, jobs: u32, findings: &mut Findings) -> Result<()> {
    let store = ground.home().open()?;
    let heads = ground.git(&["for-each-ref", "--format=%(subject)", "refs/heads/amelia"])?;
    let heads: Vec<&str> = heads.lines().collect();
    let mut seen = 0;
    let mut pages = RunPages::new(&*store);
    while let Some(rows) = pages.next().await? {
        for row in &rows {
            seen += 1;
            check_run(&*store, row, &heads, findings).await?;
        }
    }
    if seen != jobs {
        findings.violation(format!("{jobs} runs were started, and {seen} are there"));
    }
    findings.count("runs", u64::from(seen));
    store.close().await?;
    Ok(())
}

async fn check_run(store: &dyn Store, row: &RunRow, heads: &[&str], findings: &mut Findings) -> Result<()> {
    let (run, job) = (row.run.id, row.run.spec.title.split(';').next().unwrap_or_default().to_owned());
    if row.view.status != RunStatus::Completed {
        let why = row.view.failure.as_ref().map(|failure| failure.message.as_str()).unwrap_or_default();
        findings.violation(format!("{job} ({run}) is {}: {why}", row.view.status));
        return Ok(());
    }
    let mut commands: HashMap<CallId, String> = HashMap::new();
    let mut is_interrupted = false;
    for event in store.events(run, Seq::START, usize::MAX).await? {
        match event.draft.kind {
            EventKind::Agent(AgentEvent::Called(call)) if call.tool.name == "shell" => {
                let command = call.args.get("command").and_then(serde_json::Value::as_str);
                commands.insert(call.id, command.unwrap_or_default().to_owned());
            }
            EventKind::Agent(AgentEvent::Returned(result)) => {
                is_interrupted |= result.is_interrupted();
                let Some(command) = commands.get(&result.call) else { continue };
                findings.count("tool answers", 1);
                judge(command, &result, &job, is_interrupted, findings);
            }
            _ => {}
        }
    }
    if !is_interrupted && !heads.contains(&job.as_str()) {
        findings.violation(format!("{job} ({run}) is completed, and its commit is not there"));
    }
    Ok(())
}

/// An answer that was interrupted by the kill says so; any other is the command's own. Only after an interrupted call
/// may a command fail: the file that it commits may not have been written.
fn judge(command: &str, result: &ToolResult, job: &str, is_interrupted: bool, findings: &mut Findings) {
    if result.is_interrupted() {
        findings.count("interrupted", 1);
        return;
    }
    let number = job.trim_start_matches("job-");
    let word =
        command.split(['&', ';']).find_map(|part| part.trim().strip_prefix("echo ")).unwrap_or_default();
    let is_own = word.starts_with(&format!("answer-{number}-")) && result.output.contains(word.trim());
    let is_right = if result.is_success() { is_own } else { is_interrupted };
    if !is_right {
        let error = result.error.as_deref().unwrap_or_default();
        findings.violation(format!("{job}: `{command}` was answered with: {error} {}", result.output));
    }
}
