//! `amelia guardrail test`: a policy, applied to the logs of past runs. The store is read as it is; nothing is changed.

use std::process::ExitCode;

use amelia_core::id::Seq;
use amelia_core::store::{RunFilter, Store};
use amelia_core::view::RunRow;
use amelia_flows::guardrail::PolicySet;
use amelia_flows::guardrail::history::PastViolation;
use amelia_host::definitions::{DefinitionKind, Definitions};
use amelia_host::home::Home;
use amelia_wire::rest::run::RunSummary;
use amelia_wire::rest::why::Worker;
use anyhow::Result;
use serde_json::{Value, json};

use crate::cli::{Global, GuardrailTestArgs};
use crate::cli_error::{CliError, Exit};
use crate::client::only;
use crate::commands::definitions::file_or_name;
use crate::ui;

/// Events that are read at once.
const PAGE: usize = 1000;

pub(super) async fn run(
    args: &GuardrailTestArgs,
    all: &Definitions,
    home: &Home,
    global: &Global,
) -> Result<ExitCode> {
    let file = file_or_name(DefinitionKind::Policy, &args.policy, all)?;
    let policy = all.policy(&file).map_err(|refused| CliError::new(Exit::Usage, refused.to_string()))?;
    let rules = PolicySet::read([&policy]).map_err(|problems| {
        let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
        CliError::new(Exit::Usage, lines.join("\n"))
    })?;
    let (rows, store) = match home.has_runs() {
        true => {
            let store = home.look()?;
            (chosen(args, store.runs(&RunFilter::default()).await?)?, Some(store))
        }
        false => (chosen(args, Vec::new())?, None),
    };
    let mut runs = Vec::new();
    for row in rows {
        let Some(store) = &store else { continue };
        let (mut events, mut after) = (Vec::new(), Seq::START);
        loop {
            let page = store.events(row.run.id, after, PAGE).await?;
            let Some(last) = page.last() else { break };
            after = last.seq;
            events.extend(page);
        }
        runs.push((row, rules.check_history(&events)));
    }
    match global.json {
        true => anstream::println!("{}", document(&policy.name, &runs)),
        false => show(&policy.name, &runs),
    }
    Ok(ExitCode::SUCCESS)
}

/// The runs that are named, else the newest ones.
fn chosen(args: &GuardrailTestArgs, rows: Vec<RunRow>) -> Result<Vec<RunRow>> {
    if args.runs.is_empty() {
        let mut rows = rows;
        rows.sort_by_key(|row| std::cmp::Reverse(row.run.created_at));
        rows.truncate(args.last);
        return Ok(rows);
    }
    let named = |text: &String| {
        let is_it = |row: &&RunRow| RunSummary::new(row, &Worker::None).is_called(text.trim());
        only(text, rows.iter().filter(is_it).cloned().collect())
    };
    Ok(args.runs.iter().map(named).collect::<Result<_, CliError>>()?)
}

fn document(policy: &str, runs: &[(RunRow, Vec<PastViolation>)]) -> Value {
    let one = |past: &PastViolation| {
        let violation = &past.violation;
        json!({"sequence": past.seq, "agent": past.agent, "tool": past.tool, "point": violation.point,
               "action": violation.action, "severity": violation.severity, "message": violation.message,
               "content_sample": violation.sample})
    };
    let run = |(row, found): &(RunRow, Vec<PastViolation>)| {
        let violations: Vec<Value> = found.iter().map(one).collect();
        json!({"run": row.run.number.to_string(), "id": row.run.id, "title": row.run.spec.title,
               "violations": violations})
    };
    let total: usize = runs.iter().map(|(_, found)| found.len()).sum();
    json!({"policy": policy, "runs": runs.iter().map(run).collect::<Vec<_>>(), "violations": total})
}

fn show(policy: &str, runs: &[(RunRow, Vec<PastViolation>)]) {
    for (row, found) in runs.iter().filter(|(_, found)| !found.is_empty()) {
        anstream::println!("{}  {}", row.run.number, ui::one_line(&row.run.spec.title));
        for past in found {
            let violation = &past.violation;
            let tool = past.tool.as_ref().map(|tool| format!(" of {tool}")).unwrap_or_default();
            let (action, point) = (violation.action.word(), violation.point);
            let line =
                format!("  {} {action}  {point}{tool}, {}: {}", past.seq, past.agent, violation.message);
            anstream::println!("{line}");
            anstream::println!("      {}", ui::dim(ui::one_line(&violation.sample)));
        }
    }
    let bad = runs.iter().filter(|(_, found)| !found.is_empty()).count();
    let total: usize = runs.iter().map(|(_, found)| found.len()).sum();
    anstream::println!(
        "policy {policy}: {} in {bad} of {}",
        ui::counted(total, "violation"),
        ui::counted(runs.len(), "run")
    );
}
