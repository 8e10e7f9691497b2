//! `amelia approve`, `reject`, `answer`: what the person says.

use std::process::ExitCode;

use amelia_core::human::{HumanKind, HumanRequest, WaitMode};
use amelia_core::object::Object;
use amelia_core::permission::PermissionGrant;
use amelia_core::plan::check::check;
use amelia_core::view::RunRow;
use amelia_core::yes_or_no::is_yes;
use amelia_graph::editing::StateEdit;
use amelia_host::home::Home;
use amelia_wire::rest::human::{AllowedFor, GrantChoice, Pending, Respond, ResponseType};
use anyhow::Result;
use serde_json::{Value, json};

use super::edit::{edited, kept};
use super::resume::{server_for, server_of};
use super::start::read;
use super::watching::{Watching, watch};
use super::way_out::way_out;
use super::which_run::waiting;
use crate::cli::{AnswerArgs, ApproveArgs, Global, LIMIT_FLAGS, RejectArgs, WatchArgs};
use crate::cli_error::{CliError, Exit};
use crate::client::Client;
use crate::follow::{FollowFrom, plan, respond};
use crate::reach;
use crate::ui;

pub(super) async fn approve(args: &ApproveArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let mine = read(args.plan.as_deref())?;
    let (client, how) = server_for_approval(args.run.as_deref(), &args.watch, home, global).await?;
    let outcome = approved(&client, args, mine, how, global).await;
    client.close().await?;
    outcome
}

async fn approved(
    client: &Client,
    args: &ApproveArgs,
    mine: Option<String>,
    how: Watching,
    global: &Global,
) -> Result<ExitCode> {
    let row = waiting(client, args.run.as_deref()).await?;
    let request = to_decide(&row, global)?;
    if request.is_about_interrupted_call() && (args.feedback.is_some() || mine.is_some() || args.edit) {
        let refusal =
            CliError::new(Exit::Usage, "a call is made again as it was, without a message or a plan");
        let (me, run) = (ui::command(global), row.run.number);
        return Err(refusal
            .with_hint(format!("{me} approve {run}; or {me} reject {run} --feedback '…'"))
            .into());
    }
    if request.is_about_empty_plan() && mine.is_none() && !args.edit {
        let (run, me) = (row.run.number, ui::command(global));
        let refusal = CliError::new(
            Exit::Conflict,
            format!("the plan of {run} has no task: there is nothing to approve"),
        );
        return Err(refusal
            .with_hint(format!("{me} reject {run} --feedback '…'; or {me} approve {run} --edit"))
            .into());
    }
    let mine = match (mine, args.edit) {
        (None, true) => {
            let shown = plan(client, row.run.id).await?.unwrap_or_default();
            Some(edited(&shown, "plan-", ".md")?)
        }
        (mine, _) => mine,
    };
    if let Some(plan) = &mine {
        usable(plan, args.edit)?;
    }
    let response_type = if mine.is_some() { ResponseType::Modified } else { ResponseType::Approved };
    let response_data = mine.map(|plan| json!({ "plan": plan }));
    let grant = chosen_grant(args, &row, request)?;
    let answer =
        Respond { response_type, response_data, message: args.feedback.clone(), grant, automatic: false };
    let told = tell(client, &row, request, &answer).await?;
    if let Some(grant) = granted_by(&answer, request).filter(|_| !global.quiet && !global.json) {
        ui::say!("{}", ui::dim(grant.summary()));
    }
    if is_advice(request) {
        return Ok(advice_sent(request, global));
    }
    let how = how.after_saying(approval_done(request));
    watch(client, row.run.id, Some(told), how, global).await
}

/// Whether nothing waits for the answer, so that the run does not continue with it.
fn is_advice(request: &HumanRequest) -> bool {
    request.mode == Some(WaitMode::Advisory)
}

fn advice_sent(request: &HumanRequest, global: &Global) -> ExitCode {
    if !global.quiet && !global.json {
        ui::say!("sent; `{}` gets the answer as a message", ui::one_line(request.by.as_str()));
    }
    ExitCode::SUCCESS
}

/// What an approval has done, and what happens next.
pub(super) fn approval_done(request: &HumanRequest) -> &'static str {
    if request.is_about_interrupted_call() {
        "approved; the tool runs again"
    } else if request.asked_call().is_some() {
        "allowed the call; the agent continues"
    } else if request.is_about_plan() {
        "approved the plan; its tasks are implemented next"
    } else {
        "approved; the run continues"
    }
}

/// The same for a rejection.
pub(super) fn rejection_done(request: &HumanRequest) -> &'static str {
    if request.is_about_interrupted_call() {
        "the tool does not run again; the run continues without its result"
    } else if request.asked_call().is_some() {
        "refused the call; the agent continues without it"
    } else if request.is_about_plan() {
        "rejected the plan; it is revised, and you are asked again"
    } else {
        "rejected; the run continues with your feedback"
    }
}

/// What the flags grant, if they fit what the run asks.
fn chosen_grant(args: &ApproveArgs, row: &RunRow, request: &HumanRequest) -> Result<Option<GrantChoice>> {
    let (lasts, rule) = match (&args.for_run, &args.always) {
        (Some(rule), _) => (AllowedFor::Run, rule.clone()),
        (None, Some(rule)) => (AllowedFor::Always, rule.clone()),
        (None, None) => return Ok(None),
    };
    if request.asked_call().is_none() {
        let message = format!("run {} asks about a plan, not about a tool call", row.run.number);
        let hint = format!("amelia approve {} approves the plan", row.run.number);
        return Err(CliError::new(Exit::Conflict, message).with_hint(hint).into());
    }
    let grant = GrantChoice { lasts, rule };
    grant.granted(request).map_err(|problem| CliError::new(Exit::Usage, problem))?;
    Ok(Some(grant))
}

fn granted_by(answer: &Respond, request: &HumanRequest) -> Option<PermissionGrant> {
    answer.grant.as_ref()?.granted(request).ok()?
}

/// Where the run that is meant continues, and what is seen of it.
async fn server_for_approval(
    run: Option<&str>,
    args: &WatchArgs,
    home: &Home,
    global: &Global,
) -> Result<(Client, Watching)> {
    let looking = reach::to_look(home, global).await?;
    let found = waiting(&looking, run).await;
    let (client, _, pipeline) = server_of(looking, found, home, global).await?;
    let how = Watching::after(args, &*pipeline, &client);
    Ok((client, how))
}

/// A plan that cannot be carried out is not sent; what was typed is kept.
pub(super) fn usable(plan: &str, is_typed: bool) -> Result<()> {
    let (_, verdict) = check(plan);
    if verdict.is_valid() {
        return Ok(());
    }
    let message = format!("the plan cannot be used: {}", verdict.issues.join("; "));
    let refusal = CliError::new(Exit::Usage, message);
    if !is_typed {
        return Err(refusal.into());
    }
    let file = kept(plan, "plan-", ".md")?;
    Err(refusal.with_hint(format!("your text is kept: amelia approve --plan {}", file.display())).into())
}

pub(super) async fn reject(args: &RejectArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let (client, how) = server_for_approval(args.run.as_deref(), &args.watch, home, global).await?;
    let outcome = rejected(&client, args, how, global).await;
    client.close().await?;
    outcome
}

async fn rejected(client: &Client, args: &RejectArgs, how: Watching, global: &Global) -> Result<ExitCode> {
    let row = waiting(client, args.run.as_deref()).await?;
    let request = to_decide(&row, global)?;
    let needs_words = request.asked_call().is_none() && !request.is_about_interrupted_call();
    let has_words = args.feedback.as_ref().is_some_and(|words| !words.trim().is_empty());
    if !has_words && needs_words {
        let refusal = CliError::new(Exit::Usage, format!("say what run {} should change", row.run.number));
        let (me, run) = (ui::command(global), row.run.number);
        let hint = format!("{me} reject {run} --feedback '…'; or {me} cancel {run}");
        return Err(refusal.with_hint(hint).into());
    }
    let (response_type, message) = (ResponseType::Rejected, args.feedback.clone());
    let answer = Respond { response_type, response_data: None, message, grant: None, automatic: false };
    let told = tell(client, &row, request, &answer).await?;
    if is_advice(request) {
        return Ok(advice_sent(request, global));
    }
    let how = how.after_saying(rejection_done(request));
    watch(client, row.run.id, Some(told), how, global).await
}

pub(super) async fn answer(args: &AnswerArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let (client, pipeline) = server_for(&args.run, home, global).await?;
    let how = Watching::after(&args.watch, &*pipeline, &client);
    let outcome = answered(&client, args, how, global).await;
    client.close().await?;
    outcome
}

async fn answered(client: &Client, args: &AnswerArgs, how: Watching, global: &Global) -> Result<ExitCode> {
    let row = client.find(&args.run).await?;
    let set = changes(&args.set)?;
    let is_change = args.modify.is_some() || set.is_some();
    // Without another answer, the text is the answer.
    let is_decided = args.reject || is_change;
    let (question, message) = match (args.message.as_ref().or(args.modify.as_ref()), is_decided) {
        (None, false) => (None, args.text.clone()),
        (message, _) => (args.text.as_deref(), message.cloned()),
    };
    let fits =
        |request: &&HumanRequest| question.is_none_or(|wanted| request.id.to_string().starts_with(wanted));
    let mut open = row.view.pending.iter().filter(fits);
    let request = match (open.next(), open.next()) {
        (Some(request), None) => request,
        (None, _) => return Err(waits_for_nothing(&row, "this answer").into()),
        (Some(_), Some(_)) => {
            let refusal = CliError::new(Exit::Usage, "the run asks several questions");
            let hint = format!(
                "name the question (see `amelia inbox`): {} answer {} QUESTION --message 'YOUR ANSWER'",
                ui::command(global),
                row.run.number
            );
            return Err(refusal.with_hint(hint).into());
        }
    };
    if is_change && !request.is_decided_at_node() {
        let flag = if args.modify.is_some() { "--modify" } else { "--set" };
        let message = format!("this question cannot be answered with {flag}: {}", request.prompt);
        let way = other_way(request, &row, global)
            .unwrap_or_else(|| format!("{} answer {} 'YOUR ANSWER'", ui::command(global), row.run.number));
        return Err(CliError::new(Exit::Usage, message).with_hint(way).into());
    }
    if let Some(way) = other_way(request, &row, global).filter(|_| !is_change) {
        let message = format!("this question cannot be answered with a message: {}", request.prompt);
        return Err(CliError::new(Exit::Usage, message).with_hint(way).into());
    }
    if message.is_none() && !is_decided {
        let refusal = CliError::new(Exit::Usage, format!("the answer is missing for: {}", request.prompt));
        let hint = format!("{} answer {} 'YOUR ANSWER'", ui::command(global), row.run.number);
        return Err(refusal.with_hint(hint).into());
    }
    // Words that are no clear yes do not make a call again.
    let is_refused = request.is_about_interrupted_call() && !message.as_deref().is_some_and(is_yes);
    let response_type = match (args.reject || is_refused, is_change) {
        (true, _) => ResponseType::Rejected,
        (false, true) => ResponseType::Modified,
        (false, false) => ResponseType::Approved,
    };
    let answer = Respond { response_type, response_data: set, message, grant: None, automatic: false };
    let told = tell(client, &row, request, &answer).await?;
    if is_advice(request) {
        return Ok(advice_sent(request, global));
    }
    let how = how.after_saying(match response_type {
        ResponseType::Rejected if request.is_about_interrupted_call() => rejection_done(request),
        _ if request.is_about_interrupted_call() => approval_done(request),
        ResponseType::Modified => "sent; the run continues with your changes",
        ResponseType::Approved | ResponseType::Rejected => "answered; the agent continues with it",
    });
    watch(client, row.run.id, Some(told), how, global).await
}

/// The values that are to be set, if there are any.
fn changes(set: &[String]) -> Result<Option<Value>> {
    let edits = set.iter().map(|text| StateEdit::parse(text)).collect::<Result<Vec<_>, _>>();
    let edits = edits.map_err(|problem| CliError::new(Exit::Usage, problem))?;
    let values: Object = edits.into_iter().map(|edit| (edit.path, edit.value)).collect();
    Ok((!values.is_empty()).then_some(Value::Object(values)))
}

/// How to decide about what is not answered in words.
fn other_way(request: &HumanRequest, row: &RunRow, global: &Global) -> Option<String> {
    let (run, me) = (row.run.number, ui::command(global));
    match request.kind {
        HumanKind::Question | HumanKind::Escalation | HumanKind::Rounds => None,
        HumanKind::Approval if request.is_decided_at_node() => Some(format!(
            "{me} approve {run}, {me} reject {run} --feedback '…', or {me} answer {run} --modify '…'"
        )),
        HumanKind::Approval => Some(format!("{me} approve {run}, or {me} reject {run} --feedback '…'")),
        HumanKind::Budget => {
            Some(format!("{me} resume {run} with a new limit ({LIMIT_FLAGS}), or {me} cancel {run}"))
        }
        HumanKind::Breakpoint | HumanKind::Step => {
            Some(format!("{me} step {run}, or {me} continue {run}, or {me} cancel {run}"))
        }
        HumanKind::Pause | HumanKind::StepLimit | HumanKind::Quota => {
            Some(format!("{me} resume {run}, or {me} cancel {run}"))
        }
    }
}

/// Answers one question.
async fn tell(client: &Client, row: &RunRow, request: &HumanRequest, answer: &Respond) -> Result<FollowFrom> {
    respond(client, row.run.id, request, answer).await?;
    Ok(FollowFrom::with_answers(row.clone(), vec![request.id]))
}

/// What can be approved or rejected.
fn to_decide<'a>(row: &'a RunRow, global: &Global) -> Result<&'a HumanRequest> {
    let open = || row.view.pending.iter().filter(|_| !row.view.status.is_final());
    let is_decided =
        |request: &HumanRequest| request.kind == HumanKind::Approval || request.is_about_interrupted_call();
    if let Some(request) = open().find(|request| is_decided(request)) {
        return Ok(request);
    }
    let refusal = waits_for_nothing(row, "an approval");
    let me = ui::command(global);
    let Some(other) = open().next() else {
        return Err(refusal.with_hint(format!("{me} why {}", row.run.number)).into());
    };
    let has_others = open().count() > 1;
    Err(refusal.with_hint(way_out(&Pending::new(row, other), has_others, &me)).into())
}

fn waits_for_nothing(row: &RunRow, what: &str) -> CliError {
    let message =
        format!("run {} is not waiting for {what}: it is {}", row.run.number, row.view.status_words());
    CliError::new(Exit::Conflict, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_done_is_said_with_what_comes_next() {
        let request = |context: serde_json::Value| -> HumanRequest {
            serde_json::from_value(json!({
                "id": uuid::Uuid::nil(), "kind": "approval", "by": "x", "at": "2026-01-01T00:00:00Z",
                "prompt": "", "context": context,
            }))
            .unwrap()
        };
        let plan = request(json!({"plan_path": "p"}));
        assert_eq!(approval_done(&plan), "approved the plan; its tasks are implemented next");
        assert_eq!(rejection_done(&plan), "rejected the plan; it is revised, and you are asked again");
        let call = request(json!({"permission": {"tool": "Bash", "args": {"command": "ls"}}}));
        assert_eq!(approval_done(&call), "allowed the call; the agent continues");
        assert!(rejection_done(&call).starts_with("refused the call"));
        let interrupted = request(json!({"asks": "interrupted_call"}));
        assert_eq!(approval_done(&interrupted), "approved; the tool runs again");
        assert!(rejection_done(&interrupted).starts_with("the tool does not run again"));
    }
}
