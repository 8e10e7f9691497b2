//! `amelia resume`: resumes an interrupted, waiting or failed run.

mod too_small;

use std::process::ExitCode;
use std::sync::Arc;

use amelia_core::human::{HumanKind, HumanRequest};
use amelia_core::id::{RequestId, RunId};
use amelia_core::run::RunStatus;
use amelia_core::view::RunRow;
use amelia_host::home::Home;
use amelia_host::pipelines::{self, AnyPipeline};
use amelia_host::synthetic;
use amelia_wire::rest::human::{Respond, ResponseType};
use amelia_wire::rest::request::{Accepted, LimitName, Limits};
use anyhow::Result;
use serde_json::json;

use super::checkpoints;
use super::watching::{Watching, watch};
use super::which_run::resumable;
use crate::cli::{Global, ResumeArgs};
use crate::cli_error::{CliError, Exit};
use crate::client::Client;
use crate::follow::{FollowEnd, FollowFrom, conclude, respond};
use crate::reach;
use crate::ui;

/// Said of a run that needs no command.
const MOVING: &str = "already running";
/// The same, when it was interrupted until now.
const CONTINUED: &str = "continues where it stopped";

pub(super) async fn run(args: &ResumeArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let looking = reach::to_look(home, global).await?;
    let found = resumable(&looking, args.run.as_deref()).await;
    let had_no_server = looking.is_local();
    let (client, run, pipeline) = server_of(looking, found, home, global).await?;
    // The server that this command has started continues the run by itself.
    let moving = if had_no_server && !client.is_local() { CONTINUED } else { MOVING };
    let outcome = go_on(&client, &*pipeline, run, args, moving, global).await;
    client.close().await?;
    outcome
}

/// A run that was begun in the foreground continues there, unless a server is running.
pub(super) async fn server_for(
    run: &str,
    home: &Home,
    global: &Global,
) -> Result<(Client, Arc<dyn AnyPipeline>)> {
    let looking = reach::to_look(home, global).await?;
    let found = looking.find(run).await;
    let (client, _, pipeline) = server_of(looking, found, home, global).await?;
    Ok((client, pipeline))
}

/// The same for a run that was `found` by a server for looking.
pub(super) async fn server_of(
    looking: Client,
    found: Result<RunRow>,
    home: &Home,
    global: &Global,
) -> Result<(Client, RunId, Arc<dyn AnyPipeline>)> {
    if !looking.is_local() {
        let row = found?;
        return Ok((looking, row.run.id, pipelines::of(&row)?));
    }
    looking.close().await?;
    let row = found?;
    let pipeline = pipelines::of(&row)?;
    let client = match pipeline.runs_in_foreground() {
        true => reach::to_work_here(home, global, Vec::new()).await?,
        false => reach::to_work(home, global).await?,
    };
    Ok((client, row.run.id, pipeline))
}

async fn go_on(
    client: &Client,
    pipeline: &dyn AnyPipeline,
    run: RunId,
    args: &ResumeArgs,
    moving: &str,
    global: &Global,
) -> Result<ExitCode> {
    let row = client.row(run).await?;
    let how = Watching::after(&args.watch, pipeline, client).auto(is_auto(args, &row));
    if let Some(refusal) = too_small::refusal(&row, limits(args).as_ref(), &ui::command(global)) {
        return Err(refusal.into());
    }
    let taken = [("checks", args.checks_from_profile), ("agents", args.agents_from_profile)];
    for (what, _) in taken.iter().filter(|(_, is_wanted)| *is_wanted) {
        client.post::<Accepted>(&format!("/workflows/{run}/{what}-from-profile"), &json!({})).await?;
    }
    loop {
        let row = client.row(run).await?;
        if matches!(row.view.status, RunStatus::Completed | RunStatus::Cancelled) {
            let checkpoint = match row.view.status {
                RunStatus::Cancelled => checkpoints::last_before_end(client, run).await?,
                _ => None,
            };
            return Err(has_ended(&row, checkpoint, &ui::command(global)).into());
        }
        if answers(args, &row).is_empty() && !args.accept && waits_for_words(&row) {
            // Who is at a terminal is asked; who only waits reads how to answer.
            return match args.watch.wait {
                true => conclude(client, &FollowEnd::Rested(row), global).await,
                false => {
                    watch(client, run, Some(FollowFrom::at_rest(row)), how.clone().shown(), global).await
                }
            };
        }
        let told = tell(client, &row, args).await?;
        let what = if told.is_some() { done(args) } else { moving };
        let plan = about_plan(&row, pipeline.has_plan(), args);
        let how = how.clone().after_saying(format!("{what}{}", plan.unwrap_or_default()));
        let answered = told.unwrap_or_default();
        let outcome = watch(client, run, Some(FollowFrom::with_answers(row, answered)), how, global).await;
        // A synthetic run asks several things one after the other.
        let asks_on = pipeline.name() == synthetic::GRAPH
            && args.approve
            && matches!(client.row(run).await?.view.status, RunStatus::Waiting(_));
        if !asks_on {
            return outcome;
        }
    }
}

/// What was done, and what happens next.
fn done(args: &ResumeArgs) -> &'static str {
    match args {
        ResumeArgs { accept: true, .. } => "accepted; the run continues",
        ResumeArgs { checks_from_profile: true, agents_from_profile: true, .. } => {
            "using the current checks and agents of the profile; the run continues"
        }
        ResumeArgs { checks_from_profile: true, .. } => {
            "using the current checks of the profile; the run continues"
        }
        ResumeArgs { agents_from_profile: true, .. } => {
            "using the current agents of the profile; the run continues"
        }
        ResumeArgs { approve: true, .. } => "approved; the run continues",
        _ => "resumed; the run continues where it stopped",
    }
}

/// Whether the plan is approved without asking: a run that was started with `--auto` keeps that.
fn is_auto(args: &ResumeArgs, row: &RunRow) -> bool {
    args.auto || row.run.spec.auto_approve
}

/// Says that the run asks about its plan, as long as it has not.
fn about_plan(row: &RunRow, has_plan: bool, args: &ResumeArgs) -> Option<&'static str> {
    let is_before = has_plan && !row.view.nodes.keys().any(|node| node.as_str() == "develop");
    let is_stopped = matches!(row.view.status, RunStatus::Failed | RunStatus::Running);
    let will_ask = is_before && is_stopped && row.view.pending.is_empty();
    let will_ask = will_ask && !args.approve && !is_auto(args, row);
    will_ask.then_some("; it will ask you to approve the plan (--auto approves it without asking)")
}

/// It does not continue; a new run can.
pub(super) fn has_ended(row: &RunRow, checkpoint: Option<u32>, me: &str) -> CliError {
    let run = row.run.number;
    let refusal = CliError::new(Exit::Conflict, format!("run {run} has ended: it is {}", row.view.status));
    match (checkpoint, row.view.status, &row.run.spec.place) {
        (Some(number), ..) => refusal
            .with_hint(format!("{me} fork {run} --at {number} makes a new run that continues from there")),
        (None, RunStatus::Completed, Some(_)) => {
            refusal.with_hint(format!("{me} status {run} shows what it did; {me} start begins another run"))
        }
        (None, RunStatus::Completed, None) => {
            refusal.with_hint(format!("{me} status {run} shows its result"))
        }
        (None, ..) => refusal,
    }
}

/// It asks something that only a person can answer.
fn waits_for_words(row: &RunRow) -> bool {
    let asks = row.view.pending.iter().any(|request| request.kind.is_asked_by_node());
    matches!(row.view.status, RunStatus::Waiting(kind) if kind.is_asked_by_node()) && asks
}

/// Tells the run what it needs to continue; says which questions were answered. Nothing where it runs by itself.
async fn tell(client: &Client, row: &RunRow, args: &ResumeArgs) -> Result<Option<Vec<RequestId>>> {
    let run = row.run.id;
    let limits = limits(args);
    let answers = answers(args, row);
    if args.accept && answers.is_empty() {
        let status = row.view.status_words();
        let message = format!("run {} does not ask for that: it is {status}", row.run.number);
        return Err(CliError::new(Exit::Conflict, message).into());
    }
    match row.view.status {
        RunStatus::Waiting(_) | RunStatus::Running if !answers.is_empty() => {
            // Limits first: a run that was stopped by one looks at it at once.
            limit(client, row, limits.as_ref()).await?;
            for (request, answer) in &answers {
                respond(client, run, request, answer).await?;
            }
            Ok(Some(answers.iter().map(|(request, _)| request.id).collect()))
        }
        RunStatus::Pending => {
            limit(client, row, limits.as_ref()).await?;
            client.tell(run, "start").await.map(|()| Some(Vec::new()))
        }
        _ => {
            let body = limits.as_ref().map_or_else(|| json!({}), |limits| json!(limits));
            let told = client.post::<Accepted>(&format!("/workflows/{run}/resume"), &body).await;
            match told {
                // The server works on it. Limits that were given must not be lost silently.
                Err(_) if row.view.status == RunStatus::Running && limits.is_none() => Ok(None),
                told => told.map(|_| Some(stops(row))),
            }
        }
    }
}

/// Sets the limits that were given.
async fn limit(client: &Client, row: &RunRow, limits: Option<&Limits>) -> Result<()> {
    if let Some(limits) = limits {
        client.post::<Accepted>(&format!("/workflows/{}/limits", row.run.id), limits).await?;
    }
    Ok(())
}

/// What the flags say about limits; nothing when there is nothing said.
fn limits(args: &ResumeArgs) -> Option<Limits> {
    let budget = args.limits.budget();
    let off = if args.no_budget { vec![LimitName::Usd] } else { Vec::new() };
    let is_said = budget.is_some() || !off.is_empty();
    is_said.then(|| Limits { budget: budget.unwrap_or_default(), off })
}

/// What the server answers by itself when a run is to resume.
fn stops(row: &RunRow) -> Vec<RequestId> {
    let stops = row.view.pending.iter().filter(|request| !request.kind.is_asked_by_node());
    stops.map(|request| request.id).filter(|_| matches!(row.view.status, RunStatus::Waiting(_))).collect()
}

fn answers<'a>(args: &ResumeArgs, row: &'a RunRow) -> Vec<(&'a HumanRequest, Respond)> {
    let yes = Respond {
        response_type: ResponseType::Approved,
        response_data: None,
        message: args.message.clone(),
        grant: None,
        automatic: false,
    };
    let accept = Respond {
        response_type: ResponseType::Modified,
        response_data: Some(json!({"accept": true})),
        message: None,
        grant: None,
        automatic: false,
    };
    let pending = row.view.pending.iter();
    let chosen = |is_meant: fn(&HumanRequest) -> bool, answer: &Respond| {
        pending.filter(|request| is_meant(request)).map(|request| (request, answer.clone())).collect()
    };
    match args {
        ResumeArgs { approve: true, .. } => chosen(|_| true, &yes),
        ResumeArgs { accept: true, .. } => chosen(
            |request| request.kind == HumanKind::Rounds || request.is_about_interrupted_call(),
            &accept,
        ),
        ResumeArgs { checks_from_profile: true, .. } => chosen(HumanRequest::is_about_checks, &yes),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use amelia_core::id::{GraphName, RunNumber};
    use amelia_core::run::{Run, RunSpec};
    use amelia_core::view::RunView;

    use super::*;
    use crate::cli_error::problem_of;

    fn args(words: &[&str]) -> ResumeArgs {
        use clap::Parser as _;
        let cli = crate::cli::Cli::try_parse_from([&["amelia", "resume"][..], words].concat()).unwrap();
        let Some(crate::cli::Command::Resume(args)) = cli.command else { panic!("{words:?}") };
        args
    }

    #[test]
    fn a_run_without_an_approved_plan_will_ask_for_it_unless_auto_says_otherwise() {
        let run = Run {
            id: RunId(uuid::Uuid::nil()),
            number: RunNumber(4),
            spec: RunSpec::new(GraphName::new("implementation").unwrap(), "a run"),
            created_at: jiff::Timestamp::UNIX_EPOCH,
        };
        let mut row = RunRow { run, view: RunView { status: RunStatus::Failed, ..RunView::default() } };
        let said = about_plan(&row, true, &args(&["r4"])).unwrap();
        assert!(said.contains("approve the plan (--auto"), "{said}");
        assert_eq!(about_plan(&row, true, &args(&["r4", "--auto"])), None);
        row.run.spec.auto_approve = true;
        assert_eq!(about_plan(&row, true, &args(&["r4"])), None, "it was started with --auto");
        row.run.spec.auto_approve = false;
        assert_eq!(about_plan(&row, false, &args(&["r4"])), None, "it has no plan");
        let develop = amelia_core::id::NodeId::new("develop").unwrap();
        row.view.nodes.insert(develop, amelia_core::view::NodeView { visits: 1, active: 1 });
        assert_eq!(about_plan(&row, true, &args(&["r4"])), None, "the plan was approved");
    }

    #[test]
    fn a_run_that_has_ended_continues_as_another() {
        let run = Run {
            id: RunId(uuid::Uuid::nil()),
            number: RunNumber(4),
            spec: RunSpec::new(GraphName::new("g").unwrap(), "a run"),
            created_at: jiff::Timestamp::UNIX_EPOCH,
        };
        let row = RunRow { run, view: RunView { status: RunStatus::Cancelled, ..RunView::default() } };
        let told = problem_of(&has_ended(&row, Some(7), "amelia").into());
        assert_eq!(told.message, "run r4 has ended: it is cancelled");
        let hint = "amelia fork r4 --at 7 makes a new run that continues from there";
        assert_eq!(told.hint.as_deref(), Some(hint));
        let at_once = problem_of(&has_ended(&row, None, "amelia").into());
        assert_eq!(at_once.hint, None);
        let done = RunRow { view: RunView { status: RunStatus::Completed, ..RunView::default() }, ..row };
        let told = problem_of(&has_ended(&done, None, "amelia").into());
        assert_eq!(told.hint.as_deref(), Some("amelia status r4 shows its result"));
    }
}
