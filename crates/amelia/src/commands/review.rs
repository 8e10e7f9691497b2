//! `amelia review`: a look at local changes, and with `--fix` the fixes of what is right.

use std::process::ExitCode;

use amelia_agents::pipeline::implementation::state::TaskProgress;
use amelia_core::review::Disposition;
use amelia_core::run::RunStatus;
use amelia_host::home::Home;
use amelia_wire::rest::request::{NewReview, ReviewMode};
use anyhow::{Context, Result};

use super::watching::{Watching, watch};
use super::which_profile::profile_here;
use crate::cli::{Global, ReviewArgs};
use crate::cli_error::Exit;
use crate::findings;
use crate::reach;
use crate::ui;

pub(super) async fn run(args: &ReviewArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let here = std::env::current_dir().context("the current directory is gone")?;
    let client = reach::to_work(home, global).await?;
    let order = NewReview {
        worktree_path: here,
        profile: profile_here(&client, args.profile.as_deref(), global).await?,
        base: args.base.clone(),
        diff: None,
        pull_request: args.pr,
        mode: if args.fix { ReviewMode::ReviewFix } else { ReviewMode::ReviewOnly },
        personas: args.personas.clone(),
        budget: args.limits.budget(),
    };
    let run = client.create("/workflows/review", &order, None).await?;
    let outcome = watch(&client, run, None, Watching::following(), global).await;
    if client.row(run).await?.view.status != RunStatus::Completed {
        return outcome;
    }
    let progress = findings::progress(&client, run).await?;
    if !global.json {
        report(&progress);
    }
    let exit = outcome?;
    Ok(if has_findings(&progress) { Exit::Findings.into() } else { exit })
}

/// Whether something is left to do: neither the Evaluator has rejected it, nor a person accepted it.
fn has_findings(progress: &TaskProgress) -> bool {
    let Some(review) = progress.review.as_ref().filter(|_| !progress.is_accepted) else { return false };
    let decided =
        progress.evaluation.as_ref().map(|evaluation| evaluation.items.as_slice()).unwrap_or_default();
    let is_rejected = |number: u32| {
        decided.iter().any(|item| item.number == number && item.disposition == Disposition::Reject)
    };
    (1..).zip(&review.comments).any(|(number, _)| !is_rejected(number))
}

/// What was found, and what becomes of it.
fn report(progress: &TaskProgress) {
    let Some(review) = &progress.review else { return };
    let accepted = if progress.is_accepted { ", accepted as it is" } else { "" };
    let outcome = review.outcome(progress.evaluation.as_ref());
    ui::say!("\n{} {outcome}{accepted}", ui::bold("Review:"));
    findings::lines(progress).iter().for_each(|line| ui::say!("{line}"));
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn what_was_neither_rejected_nor_accepted_is_a_finding() {
        let of = |comments: usize, dispositions: &[&str], is_accepted: bool| -> TaskProgress {
            let comments = vec![json!({"text": "It leaks."}); comments];
            let items = (1..).zip(dispositions).map(|(number, disposition)| {
                json!({"number": number, "title": "t", "file": "a", "line": 1, "disposition": disposition,
                    "reason": "r", "issue": "i", "suggestion": "s"})
            });
            let items: Vec<Value> = items.collect();
            serde_json::from_value(json!({
                "review": {"persona": "Reviewer", "approved": false, "comments": comments, "severity": "low"},
                "evaluation": {"items": items, "summary": ""}, "is_accepted": is_accepted,
            }))
            .unwrap()
        };
        assert!(!has_findings(&TaskProgress::default()));
        assert!(!has_findings(&of(0, &[], false)));
        assert!(has_findings(&of(1, &[], false)));
        assert!(has_findings(&of(2, &["reject", "defer"], false)));
        assert!(!has_findings(&of(1, &["reject"], false)));
        assert!(!has_findings(&of(1, &["implement"], true)));
    }
}
