//! The Reviewer sees the issue, the task, what the person said, the whole change and the checks; never the Developer's own
//! words about it.
//! Several personas review at the same time, each on its own.

use std::sync::Arc;

use amelia_core::config::agent::DriverType;
use amelia_core::event::{EventKind, ReviewEvent};
use amelia_core::human::{HumanKind, HumanRequest};
use amelia_core::id::AgentName;
use amelia_core::review::{Disposition, Review as Verdict, ReviewStrategy};
use amelia_core::workplace::{Rights, WorktreeDiff};
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;
use futures_util::future::join_all;
use serde_json::json;

use super::{
    changes, design_text, given_patch, note, other_tasks, own_conversation, planned_task, taken_as_it_is,
    task_text, told,
};
use crate::agent::{Agent, AgentStop};
use crate::briefing::{has_git_diff, runs_git};
use crate::pipeline::implementation::deps::{Deps, broken};
use crate::pipeline::implementation::nodes::evaluate::{Decision, decision};
use crate::pipeline::implementation::state::{Implementation, Update};
use crate::pipeline::limits;
use crate::remark::PersonRemark;
use crate::role::reviewer::{ReviewIn, merge, submit_review};
use crate::roles::{self, Brief};

/// Marks the question that is asked when a reviewer gives no verdict.
const ASKS: &str = "no_verdict";

pub struct ReviewNode(pub Arc<Deps>);

/// What is looked at, and what the person said about it.
struct ReviewSubject {
    patch: WorktreeDiff,
    told: Vec<PersonRemark>,
}

#[async_trait]
impl Node<Implementation> for ReviewNode {
    async fn run(&self, cx: &NodeCx, state: &Implementation) -> Result<Outcome<Update>, NodeError> {
        let asked = decision(cx, ASKS);
        match &asked {
            None => limits::check_answer(cx)?,
            Some(Decision::Accept) => {
                let said = taken_as_it_is(cx);
                return Ok(Outcome::Done(said.into_iter().chain([Update::Accepted]).collect()));
            }
            Some(Decision::Stop) => {
                return Err(NodeError::new("no_verdict", "a person stopped the run: there was no review"));
            }
            Some(Decision::More(_)) => {}
        }
        let subject =
            ReviewSubject { patch: self.patch(state).await?, told: told(cx, &self.0, state).await? };
        let reviewers = self.reviewers();
        let round = state.progress.round + 1;
        if cx.past().await?.is_empty() {
            let personas = reviewers.iter().map(|(persona, _)| persona.clone()).collect();
            let task = planned_task(state);
            note(cx, EventKind::Review(ReviewEvent::Requested { round, personas, task }));
        }
        // Asked again after a person said so, it is a new conversation, which hears what they said.
        let attempt =
            cx.answered().filter(|_| asked.is_some()).map(|answered| answered.request.id.to_string());
        let attempt = attempt.unwrap_or_default();
        let asked = reviewers.iter().map(|reviewer| self.ask(cx, state, &subject, reviewer, &attempt));
        let mut verdicts = Vec::new();
        for verdict in join_all(asked).await {
            match verdict {
                Err(how) => return limits::stopped(cx, how),
                Ok(None) => return Ok(Outcome::ask(question(cx))),
                Ok(Some(verdict)) => verdicts.push(verdict),
            }
        }
        for review in &verdicts {
            let (review, task) = (review.clone(), planned_task(state));
            note(cx, EventKind::Review(ReviewEvent::Completed { round, review, task }));
        }
        Ok(Outcome::Done(vec![Update::Reviewed(merge(&verdicts))]))
    }
}

impl ReviewNode {
    /// What is looked at: everything that has changed, but for the plan; or the patch that was given.
    async fn patch(&self, state: &Implementation) -> Result<WorktreeDiff, NodeError> {
        if let Some(given) = given_patch(state) {
            return Ok(given);
        }
        let patch = changes(&self.0, state).await?;
        if patch.text.trim().is_empty() && state.issue.is_none() {
            return Err(NodeError::new(
                "nothing_to_review",
                "nothing has changed: there is nothing to review",
            ));
        }
        Ok(patch)
    }

    /// Personas with the member that plays them; a single reviewer has no persona.
    fn reviewers(&self) -> Vec<(String, Agent)> {
        let reviewer = &self.0.roles.reviewer;
        match &self.0.profile.strategy {
            ReviewStrategy::Single => vec![(String::new(), reviewer.clone())],
            ReviewStrategy::Competitive { personas } => personas
                .iter()
                .map(|persona| {
                    let name = AgentName::new(format!("reviewer ({persona})"));
                    let member = name.map_or_else(|_| reviewer.clone(), |name| reviewer.called(name));
                    (persona.to_string(), member)
                })
                .collect(),
        }
    }

    /// One verdict; `None` when there is none, however often it is asked for.
    async fn ask(
        &self,
        cx: &NodeCx,
        state: &Implementation,
        subject: &ReviewSubject,
        (persona, member): &(String, Agent),
        attempt: &str,
    ) -> Result<Option<Verdict>, AgentStop> {
        let Self(deps) = self;
        let tools = deps.place.tools(Rights::Read).map_err(broken)?;
        let prompt = ("reviewer.system", json!({"persona": persona}));
        let system = deps.system(member, Rights::Read, prompt, &subject.patch.files).await?;
        let brief = Brief { system, word: self.word(state, subject, member.driver_type), ..Brief::default() };
        let own = own_conversation(cx, &format!("review {attempt} {persona}"), &member.name).await?;
        let asked = member.ask_for::<ReviewIn>(&own, tools, brief, &submit_review()).await?;
        Ok(match asked {
            roles::RoleOutcome::HandedIn(review) => Some(review.by(persona)),
            roles::RoleOutcome::Talked(_) => None,
        })
    }

    fn word(&self, state: &Implementation, subject: &ReviewSubject, driver: DriverType) -> String {
        let Self(deps) = self;
        let ReviewSubject { patch, told } = subject;
        let progress = &state.progress;
        let (tasks, task) = (state.tasks(), task_text(state));
        let checks: Vec<_> = progress
            .checks
            .iter()
            .map(|check| json!({"command": check.command, "end": check.end()}))
            .collect();
        let earlier: Vec<_> =
            progress.evaluation.iter().flat_map(|found| found.with(Disposition::Implement)).collect();
        let values = json!({
            "round": progress.round + 1,
            "earlier": earlier,
            "issue": state.issue,
            "design": design_text(state),
            "task": task,
            "number": state.task + 1,
            "total": tasks.len(),
            "is_last": state.is_last_task(),
            "is_last_parallel": state.is_last_parallel,
            "others": other_tasks(state),
            "is_persons_plan": state.is_persons_plan(),
            "told": told,
            "checks": checks,
            "answered": progress.answered,
            "base": deps.place.base(),
            "cut": patch.is_cut,
            "is_given": state.wanted.patch.is_some(),
            "has_git_diff": has_git_diff(driver),
            "runs_git": runs_git(driver),
            "plan_path": state.plan_path,
            "diff": patch.text,
        });
        let mut word = deps.prompts.render("reviewer.start", values);
        let unclear: Vec<_> =
            progress.evaluation.iter().flat_map(|found| found.with(Disposition::Clarify)).collect();
        if !unclear.is_empty() {
            word.push_str("\n\n");
            word.push_str(&deps.prompts.render("reviewer.clarify", json!({"items": unclear})));
        }
        word
    }
}

fn question(cx: &NodeCx) -> HumanRequest {
    let prompt = "the reviewer gave no verdict: ask again, accept it as it is, or stop?";
    HumanRequest { context: json!({"asks": ASKS}), ..cx.request(HumanKind::Rounds, prompt) }
}

#[cfg(test)]
#[path = "review_tests.rs"]
mod tests;
