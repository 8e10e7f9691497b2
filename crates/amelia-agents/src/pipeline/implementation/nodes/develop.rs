//! The Developer works on the current task, as a whole or step by step. Failing checks and findings come back into the same conversation.

use std::sync::Arc;

use amelia_core::attachment::images;
use amelia_core::event::TaskEvent;
use amelia_core::plan::markdown::section;
use amelia_core::plan::steps::NextWork;
use amelia_core::review::Disposition;
use amelia_core::workplace::{CommitBlocker, Rights};
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;
use serde_json::json;

use super::{note_task, steps, task_files, task_ref, task_thread, told_to_developer};
use crate::conversation::rebuild;
use crate::pipeline::implementation::deps::{Deps, broken};
use crate::pipeline::implementation::state::{Implementation, Update};
use crate::pipeline::limits;
use crate::remark::{PersonRemark, known_ids, passed_on};
use crate::roles::Brief;

pub struct DevelopNode(pub Arc<Deps>);

#[async_trait]
impl Node<Implementation> for DevelopNode {
    async fn run(&self, cx: &NodeCx, state: &Implementation) -> Result<Outcome<Update>, NodeError> {
        limits::check_answer(cx)?;
        let Self(deps) = self;
        let task = task_ref(state)?;
        let progress = &state.progress;
        let is_begun = progress.round > 0 || !progress.checks.is_empty() || progress.conflict.is_some();
        let is_new = !is_begun && progress.steps.is_new();
        if is_new && cx.past().await?.is_empty() {
            note_task(cx, TaskEvent::Started(task.clone()));
        }
        if let Some(draft) = state.draft.as_ref().filter(|_| !state.plan_path.is_empty()) {
            deps.keep_plan(&state.plan_path, &draft.markdown).await?;
        }
        let portion = steps::portion(state, deps.profile.execution_mode);
        if let NextWork::Run { place, command } = &portion {
            return steps::run(deps, cx, state, (*place, command)).await;
        }
        let tools = deps.place.tools(Rights::Work).map_err(broken)?;
        let developer = &deps.roles.developer;
        let system =
            deps.system(developer, Rights::Work, ("developer.system", json!({})), &task_files(state)).await?;
        let thread = task_thread(cx, state, &task);
        let conversation = rebuild(thread.past().await?, &developer.name);
        let mut told = told_to_developer(cx, deps, state).await?;
        let known = known_ids(&conversation);
        told.retain(|remark| !known.contains(&remark.id));
        let (news, after) = match steps::brief(deps, state, &portion) {
            Some((word, after)) => (Some(word), vec![after]),
            None => (self.news(state), Vec::new()),
        };
        // The Developer does not know the task yet: it begins, or a fork begins in the middle. Findings without a plan
        // say all there is.
        let is_first = news.is_none() || (conversation.is_empty() && state.issue.is_some());
        let word = if is_first {
            [Some(self.task_word(state, &told)), news]
        } else {
            // What was said to Amelia comes with the news.
            told.retain(|remark| !remark.id.is_empty());
            [news, passed_on(&told)]
        };
        let word = word.into_iter().flatten().collect::<Vec<_>>().join("\n\n");
        let images = if is_first { images(&state.wanted.attachments) } else { Vec::new() };
        match developer.ask_for_text(&thread, tools, Brief { system, word, images }, &told).await {
            Ok(_) => Ok(Outcome::Done(after)),
            Err(how) => limits::stopped(cx, how),
        }
    }
}

impl DevelopNode {
    /// What is wrong with what became of the task; nothing when it has just begun.
    fn news(&self, state: &Implementation) -> Option<String> {
        let prompts = &self.0.prompts;
        let progress = &state.progress;
        // The newest news: checks that were made after a refusal have cleared it.
        if let Some(output) = &progress.refusal {
            let is_submodule = progress.refused_by == CommitBlocker::Submodule;
            let prompt = match progress.refused_by {
                CommitBlocker::InnerRepository | CommitBlocker::Submodule => "developer.repository",
                CommitBlocker::Hook | CommitBlocker::Signature | CommitBlocker::LostCommit => {
                    "developer.hook"
                }
            };
            return Some(prompts.render(prompt, json!({"output": output, "is_submodule": is_submodule})));
        }
        if progress.checks.iter().any(|check| !check.passed) {
            let failed = progress.checks.iter().filter(|check| !check.passed);
            let checks: Vec<_> = failed
                .map(|check| json!({"name": check.name, "command": check.command, "end": check.end(), "output": check.output}))
                .collect();
            let values = json!({"checks": checks, "guidance": progress.guidance});
            return Some(prompts.render("developer.checks", values));
        }
        if let Some(evaluation) = &progress.evaluation {
            let items: Vec<_> = evaluation.with(Disposition::Implement).collect();
            // Without a plan, the change is not the Developer's own.
            let base = state.issue.is_none().then(|| self.0.place.base());
            let values = json!({
                "round": progress.round,
                "items": items,
                "clarified": progress.clarified,
                "guidance": progress.guidance,
                "base": base,
            });
            return Some(prompts.render("developer.revise", values));
        }
        let conflict = progress.conflict.as_ref()?;
        let values =
            json!({"files": conflict.files, "text": conflict.text, "directory": self.0.place.path()});
        Some(prompts.render("developer.conflict", values))
    }

    fn task_word(&self, state: &Implementation, told: &[PersonRemark]) -> String {
        let (tasks, draft) = (state.tasks(), state.draft.as_ref());
        let text = state.current().and_then(|task| section(&draft?.markdown, &task.id)).unwrap_or_default();
        let done: Vec<&str> = state.commits.iter().map(|done| done.title.as_str()).collect();
        let values = json!({
            "issue": state.issue,
            "goal": draft.map(|draft| &draft.plan.goal),
            "done": done,
            "number": state.task + 1,
            "total": tasks.len(),
            "task": text,
            "plan_path": state.plan_path,
            "told": told,
            "note": state.note,
        });
        self.0.prompts.render("developer.task", values)
    }
}

#[cfg(test)]
#[path = "develop_tests.rs"]
mod tests;
