//! The Evaluator decides about every finding. Used-up rounds are a question to a person, never a success.

use std::sync::Arc;

use amelia_core::event::{EventKind, ReviewEvent};
use amelia_core::human::{HumanAction, HumanKind, HumanRequest};
use amelia_core::review::{Disposition, Evaluation, ReviewComment};
use amelia_core::workplace::{Rights, WorktreeDiff};
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;
use serde_json::{Value, json};

use super::{
    changes, clarify, design_text, given_patch, note, other_tasks, own_conversation, planned_task,
    taken_as_it_is, task_files, task_text, told,
};
use crate::briefing::{has_git_diff, runs_git};
use crate::pipeline::implementation::deps::{Deps, broken};
use crate::pipeline::implementation::state::{Implementation, Update};
use crate::pipeline::limits;
use crate::remark::PersonRemark;
use crate::role::evaluator::{EvaluationIn, submit_evaluation};
use crate::roles::{self, Brief};

/// Marks the question that is asked when the rounds are used up.
const ASKS: &str = "review_rounds";

/// What a person decided about a task that does not come to an end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Decision {
    /// Continue, with these words.
    More(Option<String>),
    /// Take it as it is.
    Accept,
    Stop,
}

/// The answer to a question of ours, by its mark.
pub(super) fn decision(cx: &NodeCx, asks: &str) -> Option<Decision> {
    let answered = cx.answered()?;
    if answered.request.context.get("asks").and_then(Value::as_str) != Some(asks) {
        return None;
    }
    let accept = |updates: &Value| updates.get("accept") == Some(&Value::Bool(true));
    Some(match answered.reply.action {
        HumanAction::Reject | HumanAction::TimedOut => Decision::Stop,
        HumanAction::Approve | HumanAction::Modify if answered.reply.updates.as_ref().is_some_and(accept) => {
            Decision::Accept
        }
        HumanAction::Approve | HumanAction::Modify => Decision::More(answered.reply.message.clone()),
    })
}

pub struct EvaluateNode(pub Arc<Deps>);

#[async_trait]
impl Node<Implementation> for EvaluateNode {
    async fn run(&self, cx: &NodeCx, state: &Implementation) -> Result<Outcome<Update>, NodeError> {
        if let Some(clarified) = clarify::clarified(cx) {
            return Ok(Outcome::Done(vec![clarified]));
        }
        let decided = decision(cx, ASKS);
        match &decided {
            None => limits::check_answer(cx)?,
            Some(Decision::Stop) => {
                return Err(NodeError::new(
                    "review_rounds",
                    "a person stopped the run after the last review round",
                ));
            }
            Some(Decision::Accept | Decision::More(_)) => {}
        }
        let evaluation = match self.evaluation(cx, state).await {
            Ok(Ok(evaluation)) => evaluation,
            Ok(Err(wait)) | Err(wait) => return wait,
        };
        let is_open = evaluation
            .items
            .iter()
            .any(|item| matches!(item.disposition, Disposition::Implement | Disposition::Clarify));
        let limit = self.0.profile.max_review_rounds.saturating_mul(state.progress.given.saturating_add(1));
        let is_last = state.progress.round >= limit;
        let mut updates = vec![Update::Evaluated(evaluation.clone())];
        match decided {
            None if is_open && is_last => return Ok(Outcome::ask(question(cx, state, &evaluation))),
            Some(Decision::Accept) => {
                updates.extend(taken_as_it_is(cx).into_iter().chain([Update::Accepted]));
            }
            Some(Decision::More(guidance)) => updates.push(Update::GivenMore { guidance }),
            None | Some(Decision::Stop) => {
                if let Some(question) = clarify::question(cx, &self.0, state, &evaluation) {
                    return Ok(Outcome::ask(question));
                }
            }
        }
        let (round, task) = (state.progress.round, planned_task(state));
        let goes_back = is_open && !updates.contains(&Update::Accepted);
        let evaluated = match goes_back {
            true => ReviewEvent::RevisionRequested { round, evaluation, task },
            false => ReviewEvent::Evaluated { round, evaluation, task },
        };
        note(cx, EventKind::Review(evaluated));
        Ok(Outcome::Done(updates))
    }
}

type Waits = Result<Outcome<Update>, NodeError>;

impl EvaluateNode {
    async fn evaluation(
        &self,
        cx: &NodeCx,
        state: &Implementation,
    ) -> Result<Result<Evaluation, Waits>, Waits> {
        let Self(deps) = self;
        let comments =
            state.progress.review.as_ref().map(|review| review.comments.clone()).unwrap_or_default();
        let tools = deps.place.tools(Rights::Read).map_err(|error| Err(broken(error)))?;
        let evaluator = &deps.roles.evaluator;
        let system = {
            let commented = comments.iter().filter_map(|comment| comment.file.clone());
            let touched: Vec<String> = task_files(state).into_iter().chain(commented).collect();
            // A patch that was given may not be in the worktree.
            let own = if state.wanted.patch.is_some() { json!({"has_git_diff": false}) } else { json!({}) };
            let prompt = ("evaluator.system", own);
            deps.system(evaluator, Rights::Read, prompt, &touched).await.map_err(Err)?
        };
        let told = told(cx, deps, state).await.map_err(Err)?;
        let change = self.shown_change(state).await.map_err(Err)?;
        let brief =
            Brief { system, word: self.word(state, &comments, &told, change.as_ref()), ..Brief::default() };
        // Asked again after a person said so, it is a new conversation, which hears what they said.
        let again = cx.answered().filter(|answered| answered.request.kind == HumanKind::Escalation);
        let again = again.map(|answered| answered.request.id.to_string()).unwrap_or_default();
        let own = own_conversation(cx, &format!("evaluate {again}"), &evaluator.name).await.map_err(Err)?;
        let hand_in = submit_evaluation(comments.len());
        match evaluator.ask_for::<EvaluationIn>(&own, tools, brief, &hand_in).await {
            Err(how) => Err(limits::stopped(cx, how)),
            Ok(roles::RoleOutcome::HandedIn(evaluation)) => Ok(Ok(evaluation.about(&comments))),
            Ok(roles::RoleOutcome::Talked(_)) => {
                let prompt = "the evaluator decided nothing: ask it again?";
                Ok(Err(Ok(Outcome::ask(cx.request(HumanKind::Escalation, prompt)))))
            }
        }
    }

    /// The change for an agent that has no other way to see it.
    async fn shown_change(&self, state: &Implementation) -> Result<Option<WorktreeDiff>, NodeError> {
        let driver = self.0.roles.evaluator.driver_type;
        if has_git_diff(driver) || runs_git(driver) || state.wanted.patch.is_some() {
            return Ok(None);
        }
        changes(&self.0, state).await.map(Some)
    }

    fn word(
        &self,
        state: &Implementation,
        comments: &[ReviewComment],
        told: &[PersonRemark],
        change: Option<&WorktreeDiff>,
    ) -> String {
        let given = given_patch(state);
        let clarified = clarify::answer(&state.progress);
        let told: Vec<_> = told.iter().filter(|one| Some(*one) != clarified.as_ref()).collect();
        let values = json!({
            "issue": state.issue,
            "design": design_text(state),
            "change": change.map(|change| &change.text),
            "is_change_cut": change.is_some_and(|change| change.is_cut),
            "runs_git": runs_git(self.0.roles.evaluator.driver_type) && given.is_none(),
            "base": self.0.place.base(),
            "task": task_text(state),
            "is_last": state.is_last_task(),
            "is_last_parallel": state.is_last_parallel,
            "others": other_tasks(state),
            "is_persons_plan": state.is_persons_plan(),
            "told": told,
            "comments": comments,
            "clarified": clarified,
            // For templates of before `clarified`.
            "clarification": state.progress.clarification,
            "diff": given.as_ref().map(|patch| &patch.text),
            "cut": given.as_ref().is_some_and(|patch| patch.is_cut),
        });
        self.0.prompts.render("evaluator.start", values)
    }
}

fn question(cx: &NodeCx, state: &Implementation, evaluation: &Evaluation) -> HumanRequest {
    let open: Vec<&str> = evaluation.with(Disposition::Implement).map(|item| item.title.as_str()).collect();
    let are = |count: usize, one: &str| match count {
        1 => format!("1 {one} is"),
        many => format!("{many} {one}s are"),
    };
    let rounds = are(usize::try_from(state.progress.round).unwrap_or(usize::MAX), "review round");
    let findings = are(open.len(), "finding");
    let prompt = format!("{rounds} used up and {findings} open: continue, accept it as it is, or stop?");
    let context = json!({"asks": ASKS, "open": open});
    HumanRequest { context, ..cx.request(HumanKind::Rounds, prompt) }
}

#[cfg(test)]
#[path = "evaluate_tests.rs"]
mod tests;
