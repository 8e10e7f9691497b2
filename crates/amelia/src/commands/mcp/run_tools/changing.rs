//! The tools that start runs and tell them something.

use std::path::PathBuf;

use amelia_core::human::{HumanKind, HumanRequest};
use amelia_core::id::RequestId;
use amelia_core::object::Object;
use amelia_core::run::RunStatus;
use amelia_core::text::short_commit;
use amelia_core::view::RunRow;
use amelia_mcp::{CallAnswer, ProgressReporter};
use amelia_wire::rest::delivery::{Merge, MergeAnswer, MergeWay};
use amelia_wire::rest::human::{AllowedFor, GrantChoice, Respond, ResponseType};
use amelia_wire::rest::request::Accepted;
use anyhow::Result;
use serde::Deserialize;
use serde_json::json;

use super::looking::RunCall;
use super::shown::{self, done};
use super::waiting::until_person;
use super::{RunTools, arguments};
use crate::cli_error::{CliError, Exit};
use crate::client::Client;
use crate::commands::answer::{approval_done, rejection_done, usable};
use crate::commands::new_run::{NewRun, RunMode};
use crate::follow::{FollowFrom, HumanChoice, deliver, open_question, respond};

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct StartCall {
    task: String,
    issue: Option<String>,
    mode: RunMode,
    directory: Option<PathBuf>,
    profile: Option<String>,
    base: Option<String>,
    read_only: bool,
    max_usd: Option<f64>,
    wait: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ApproveCall {
    run: String,
    #[serde(default)]
    feedback: Option<String>,
    #[serde(default)]
    plan: Option<String>,
    #[serde(default)]
    allow: Option<AllowedFor>,
    #[serde(default)]
    rule: Option<String>,
    #[serde(default)]
    wait: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RejectCall {
    run: String,
    #[serde(default)]
    feedback: Option<String>,
    #[serde(default)]
    wait: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerCall {
    run: String,
    message: String,
    #[serde(default)]
    question: Option<String>,
    #[serde(default)]
    wait: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ResumeCall {
    run: String,
    #[serde(default)]
    wait: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MergeCall {
    run: String,
    #[serde(default)]
    into: Option<String>,
    #[serde(default)]
    method: MergeWay,
    #[serde(default)]
    delete_branch: bool,
}

impl RunTools {
    pub(super) async fn start(&self, args: Object, progress: &ProgressReporter) -> Result<CallAnswer> {
        let call: StartCall = arguments(args)?;
        let new = NewRun {
            mode: call.mode,
            task: call.task,
            issue: call.issue,
            directory: self.directory_of(call.directory)?,
            profile: call.profile,
            base: call.base,
            read_only: call.read_only,
            max_usd: call.max_usd,
        };
        let client = self.client().await?;
        let run = new.create(&client, self.server.global()).await?;
        let row = client.row(run).await?;
        let said = format!("run {} was started", row.run.number);
        told(&client, FollowFrom::to_go_on(row), call.wait, &said, progress).await
    }

    /// Where a run works: what a call says, below the directory of this server if it has one.
    fn directory_of(&self, named: Option<PathBuf>) -> Result<PathBuf> {
        let directory = match (named, &self.directory) {
            (Some(named), Some(own)) => own.join(named),
            (Some(named), None) => named,
            (None, Some(own)) => own.clone(),
            (None, None) => PathBuf::new(),
        };
        if directory.is_absolute() {
            return Ok(directory);
        }
        let refusal = CliError::new(Exit::Usage, "`directory` must be an absolute path");
        Err(refusal.with_hint("name a directory in the repository on the machine of the server").into())
    }

    pub(super) async fn approve(&self, args: Object, progress: &ProgressReporter) -> Result<CallAnswer> {
        let call: ApproveCall = arguments(args)?;
        let client = self.client().await?;
        let row = client.find(&call.run).await?;
        let request = approval(&row)?;
        if let Some(plan) = &call.plan {
            usable(plan, false)?;
        }
        let grant = match (call.allow, call.rule) {
            (None, None) => None,
            (lasts, rule) => Some(GrantChoice { lasts: lasts.unwrap_or(AllowedFor::Once), rule }),
        };
        if let Some(grant) = &grant {
            grant.granted(request).map_err(|problem| CliError::new(Exit::Usage, problem))?;
        }
        let response_type = if call.plan.is_some() { ResponseType::Modified } else { ResponseType::Approved };
        let response_data = call.plan.map(|plan| json!({ "plan": plan }));
        let answer =
            Respond { response_type, response_data, message: call.feedback, grant, automatic: false };
        respond(&client, row.run.id, request, &answer).await?;
        let (said, asked) = (approval_done(request), request.id);
        answered(&client, row, asked, call.wait, said, progress).await
    }

    pub(super) async fn reject(&self, args: Object, progress: &ProgressReporter) -> Result<CallAnswer> {
        let RejectCall { run, feedback, wait } = arguments(args)?;
        let client = self.client().await?;
        let row = client.find(&run).await?;
        let request = approval(&row)?;
        if feedback.is_none() && request.asked_call().is_none() {
            let refusal = CliError::new(Exit::Usage, "`feedback` is missing");
            return Err(refusal.with_hint("say what should change; or call `cancel`").into());
        }
        let response_type = ResponseType::Rejected;
        let answer =
            Respond { response_type, response_data: None, message: feedback, grant: None, automatic: false };
        respond(&client, row.run.id, request, &answer).await?;
        let (said, asked) = (rejection_done(request), request.id);
        answered(&client, row, asked, wait, said, progress).await
    }

    pub(super) async fn answer(&self, args: Object, progress: &ProgressReporter) -> Result<CallAnswer> {
        let AnswerCall { run, message, question, wait } = arguments(args)?;
        let client = self.client().await?;
        let row = client.find(&run).await?;
        let request = question_of(&row, question.as_deref())?;
        let choice = HumanChoice::of(request).filter(|_| request.kind != HumanKind::Approval);
        let Some(choice) = choice else {
            let refusal = CliError::new(Exit::Conflict, "this question cannot be answered with a message");
            let hint = match request.kind {
                HumanKind::Approval => "call `approve` or `reject`",
                _ => "call `resume` or `cancel`",
            };
            return Err(refusal.with_hint(hint).into());
        };
        let decision =
            choice.decide(message.trim(), request).map_err(|instead| CliError::new(Exit::Usage, instead))?;
        deliver(&client, row.run.id, request, &decision).await?;
        let asked = request.id;
        answered(&client, row, asked, wait, "answered", progress).await
    }

    pub(super) async fn resume(&self, args: Object, progress: &ProgressReporter) -> Result<CallAnswer> {
        let ResumeCall { run, wait } = arguments(args)?;
        let client = self.client().await?;
        let row = client.find(&run).await?;
        if let Some(request) = open_question(&row).filter(|request| request.kind.is_asked_by_node()) {
            let message = format!("run {} waits for an answer: {}", row.run.number, request.prompt);
            let refusal = CliError::new(Exit::Conflict, message);
            return Err(refusal.with_hint("call `approve`, `reject` or `answer`").into());
        }
        let what = if row.view.status == RunStatus::Pending { "start" } else { "resume" };
        client.post::<Accepted>(&format!("/workflows/{}/{what}", row.run.id), &json!({})).await?;
        let answered = row.view.pending.iter().map(|request| request.id).collect();
        told(&client, FollowFrom::with_answers(row, answered), wait, "resumed", progress).await
    }

    pub(super) async fn cancel(&self, args: Object) -> Result<CallAnswer> {
        let RunCall { run } = arguments(args)?;
        let client = self.client().await?;
        let run = client.find(&run).await?.run.id;
        client.tell(run, "cancel").await?;
        shown::run(&client, &client.row(run).await?, Some("cancelled")).await
    }

    pub(super) async fn merge(&self, args: Object) -> Result<CallAnswer> {
        let MergeCall { run, into, method, delete_branch } = arguments(args)?;
        let merge = Merge { into, method, delete_branch };
        let client = self.client().await?;
        let run = client.find(&run).await?.run;
        let answer: MergeAnswer = client.post(&format!("/workflows/{}/merge", run.id), &merge).await?;
        let MergeAnswer { merged, undo, notes } = &answer;
        let mut lines =
            vec![format!("merged {} into {} ({})", merged.branch, merged.into, short_commit(&merged.commit))];
        if merged.branch_deleted {
            lines.push(format!("deleted the branch {}", merged.branch));
        }
        lines.extend(notes.iter().map(|note| format!("note: {note}")));
        lines.push(format!("undo: {undo}"));
        lines.push(format!("(only as long as {} has no newer commits)", merged.into));
        Ok(done(lines.join("\n"), serde_json::to_value(&answer)?))
    }
}

/// Shows a run that was answered, now or when it rests again.
async fn answered(
    client: &Client,
    row: RunRow,
    request: RequestId,
    wait: bool,
    said: &str,
    progress: &ProgressReporter,
) -> Result<CallAnswer> {
    told(client, FollowFrom::with_answers(row, vec![request]), wait, said, progress).await
}

/// Shows a run after a command, now or when it rests again.
async fn told(
    client: &Client,
    told: FollowFrom,
    wait: bool,
    said: &str,
    progress: &ProgressReporter,
) -> Result<CallAnswer> {
    let row = match wait {
        true => until_person(client, told, progress).await?,
        false => client.row(told.row.run.id).await?,
    };
    shown::run(client, &row, Some(said)).await
}

/// The approval that a run waits for.
fn approval(row: &RunRow) -> Result<&HumanRequest, CliError> {
    let open = row.view.pending.iter().find(|request| request.kind == HumanKind::Approval);
    open.filter(|_| !row.view.status.is_final()).ok_or_else(|| nothing_asked(row, "an approval"))
}

/// The question that is named, or the only one.
fn question_of<'a>(row: &'a RunRow, named: Option<&str>) -> Result<&'a HumanRequest, CliError> {
    let fits = |request: &&HumanRequest| named.is_none_or(|named| request.id.to_string().starts_with(named));
    let mut open = row.view.pending.iter().filter(fits).filter(|_| !row.view.status.is_final());
    match (open.next(), open.next()) {
        (Some(request), None) => Ok(request),
        (None, _) => Err(nothing_asked(row, "an answer")),
        (Some(_), Some(_)) => {
            let refusal = CliError::new(Exit::Usage, "the run asks several questions");
            Err(refusal.with_hint("name one with `question`: `status` lists them"))
        }
    }
}

fn nothing_asked(row: &RunRow, what: &str) -> CliError {
    let message =
        format!("run {} is not waiting for {what}: it is {}", row.run.number, row.view.status_words());
    CliError::new(Exit::Conflict, message).with_hint("`status` says what it needs")
}
