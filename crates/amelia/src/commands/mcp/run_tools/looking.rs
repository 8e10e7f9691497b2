//! The tools that only read.

use amelia_core::event::Event;
use amelia_core::object::Object;
use amelia_mcp::{CallAnswer, ProgressReporter};
use amelia_wire::rest::Page;
use amelia_wire::rest::artifact::ArtifactShown;
use amelia_wire::rest::flat_run::FlatRun;
use amelia_wire::rest::travel::Diff;
use anyhow::Result;
use serde::Deserialize;
use serde_json::{Value, json};

use super::shown::{self, cut, done, headline};
use super::waiting::until_person;
use super::{RunTools, arguments};
use crate::cli_error::{CliError, Exit};
use crate::client::Client;
use crate::commands::artifact;
use crate::event_line::EventLines;
use crate::follow::{FollowFrom, needs_person};
use crate::ui;

/// Runs in a list.
const LISTED: usize = 20;
/// Events that are shown unless more are wanted, and at most.
const EVENTS: u64 = 50;
const MOST_EVENTS: u64 = 500;
/// As much of a diff or a file as a model can read.
const LONGEST_TEXT: usize = 60_000;

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct StatusCall {
    run: Option<String>,
    wait: bool,
}

/// A call that names a run, and nothing else.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunCall {
    pub(super) run: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DiffCall {
    run: String,
    #[serde(default)]
    stat: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EventsCall {
    run: String,
    #[serde(default)]
    after: Option<u64>,
    #[serde(default)]
    limit: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ArtifactsCall {
    run: String,
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    version: Option<String>,
}

impl RunTools {
    pub(super) async fn status(&self, args: Object, progress: &ProgressReporter) -> Result<CallAnswer> {
        let StatusCall { run, wait } = arguments(args)?;
        let client = self.client().await?;
        let Some(run) = run else {
            if wait {
                let refusal = CliError::new(Exit::Usage, "`wait` needs a run");
                return Err(refusal.with_hint("name the run: {\"run\": \"r12\", \"wait\": true}").into());
            }
            return listed(&client).await;
        };
        let row = client.find(&run).await?;
        let row = match wait && !needs_person(&row) {
            true => until_person(&client, FollowFrom::to_go_on(row), progress).await?,
            false => row,
        };
        shown::run(&client, &row, None).await
    }

    pub(super) async fn plan(&self, args: Object) -> Result<CallAnswer> {
        let RunCall { run } = arguments(args)?;
        let client = self.client().await?;
        let run = client.find(&run).await?.run;
        let plan = client.plan(run.id).await?;
        let estimate = client.estimate(run.id).await?;
        let cost = estimate.as_ref().map(|estimate| format!("\n\nEstimate: {}", estimate.text));
        let structured = json!({"run": run.number.to_string(), "plan": plan, "estimate": estimate});
        Ok(done(format!("{}{}", plan.trim_end(), cost.unwrap_or_default()), structured))
    }

    pub(super) async fn diff(&self, args: Object) -> Result<CallAnswer> {
        let DiffCall { run, stat } = arguments(args)?;
        let client = self.client().await?;
        let run = client.find(&run).await?.run;
        let changes: Diff = client.get(&format!("/workflows/{}/diff?stat={stat}", run.id)).await?;
        let files: Vec<String> =
            changes.files.iter().map(|file| shown::plain(&ui::change_line(file))).collect();
        let mut text = match files.is_empty() {
            true => format!("run {} has changed nothing", run.number),
            false => files.join("\n"),
        };
        if !changes.diff.is_empty() {
            text += &format!("\n\n{}", cut(&changes.diff, LONGEST_TEXT));
        }
        let structured = json!({"run": run.number.to_string(), "files": changes.files, "branch": changes.branch,
            "worktree": changes.worktree, "uncommitted": changes.uncommitted, "is_cut": changes.is_cut,
            "diff": cut(&changes.diff, LONGEST_TEXT)});
        Ok(done(text, structured))
    }

    pub(super) async fn events(&self, args: Object) -> Result<CallAnswer> {
        let EventsCall { run, after, limit } = arguments(args)?;
        let limit = limit.unwrap_or(EVENTS).clamp(1, MOST_EVENTS);
        let client = self.client().await?;
        let row = client.find(&run).await?;
        let after = after.unwrap_or_else(|| row.view.seq.0.saturating_sub(limit));
        let path = format!("/workflows/{}/events?format=log&limit={limit}&after={after}", row.run.id);
        let page: Page<Event> = client.get(&path).await?;
        let mut lines = EventLines::default();
        let texts: Vec<String> = page.items.iter().map(|event| shown::plain(&lines.line(event))).collect();
        let last = page.items.last().map_or(after, |event| event.seq.0);
        let events: Vec<Value> = page.items.iter().map(event).collect();
        let structured = json!({"run": row.run.number.to_string(), "events": events, "last": last});
        let text = match texts.is_empty() {
            true => format!("run {} has no events after {after}", row.run.number),
            false => texts.join("\n"),
        };
        Ok(done(text, structured))
    }
}

impl RunTools {
    /// The artifacts of a run, or the content of one.
    pub(super) async fn artifacts(&self, args: Object) -> Result<CallAnswer> {
        let ArtifactsCall { run, path, version } = arguments(args)?;
        let client = self.client().await?;
        let run = client.find(&run).await?.run;
        let Some(path) = path else {
            if version.is_some() {
                let refusal = CliError::new(Exit::Usage, "`version` needs a `path`");
                return Err(refusal.with_hint("without a version, the list shows the newest ones").into());
            }
            let items = artifact::all(&client, run.id, "").await?;
            let lines: Vec<String> = items.iter().map(artifact_line).collect();
            let text = match lines.is_empty() {
                true => format!("run {} has no artifacts", run.number),
                false => lines.join("\n"),
            };
            return Ok(done(text, json!({"run": run.number.to_string(), "artifacts": items})));
        };
        let content = artifact::content(&client, run.id, &path, version.as_deref()).await?;
        let bytes = content.len();
        let content = String::from_utf8(content).ok().map(|text| cut(&text, LONGEST_TEXT));
        let structured =
            json!({"run": run.number.to_string(), "path": path, "bytes": bytes, "text": content});
        let not_text = || {
            let way =
                format!("`amelia artifact get {} {path} --output FILE` writes it to a file", run.number);
            format!("`{path}` is not text ({bytes} bytes); {way}")
        };
        Ok(done(content.unwrap_or_else(not_text), structured))
    }
}

fn artifact_line(item: &ArtifactShown) -> String {
    let by = item.created_by.as_deref().map(|by| format!(", by {by}")).unwrap_or_default();
    let conflict = if item.has_conflict { ", conflicts with another version" } else { "" };
    format!("{} ({}, {} bytes, {}{by}{conflict})", item.path, item.version, item.size_bytes, item.mime_type)
}

async fn listed(client: &Client) -> Result<CallAnswer> {
    let runs = client.flat_runs(&format!("limit={LISTED}")).await?;
    let lines: Vec<String> = runs.iter().map(headline).collect();
    let text = if lines.is_empty() {
        "there are no runs yet; `start` creates one".to_owned()
    } else {
        lines.join("\n")
    };
    let runs: Vec<Value> = runs.iter().map(brief).collect();
    Ok(done(text, json!({ "runs": runs })))
}

/// A run in a list: what tells it from others, and what it needs.
fn brief(run: &FlatRun) -> Value {
    json!({"short_id": run.short_id, "title": run.title, "status": run.status, "waiting_for": run.waiting_for,
        "reason": run.reason, "repository": run.repository, "branch": run.branch, "merged_into": run.merged_into,
        "created_at": run.created_at})
}

/// An event without its content, which may be long.
fn event(event: &Event) -> Value {
    let kind = &event.draft.kind;
    json!({"seq": event.seq, "at": event.draft.at, "agent": event.draft.agent, "name": kind.name(),
        "level": kind.level(), "summary": kind.summary()})
}
