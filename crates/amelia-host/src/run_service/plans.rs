//! Every plan that a run had, from its checkpoints: what the Architect wrote, what a person made of it, and what was said
//! to each.

use amelia_agents::pipeline::implementation::state::Implementation;
use amelia_core::checkpoint::{CheckpointInfo, Position};
use amelia_core::id::NodeId;
use amelia_core::plan::Plan;
use amelia_core::store::{CheckpointAt, Store};
use amelia_core::text::squeezed;
use amelia_core::view::RunRow;
use amelia_flows::team;
use amelia_graph::state::rebuild;
use amelia_orchestrator::service::{PlanVersion, ShownPlan};
use amelia_wire::agentx::plan::PlanDocument;
use anyhow::Result;

use crate::pipelines;
use crate::run_parts::input;
use crate::team_input::TeamInput;

/// Only these write or judge a plan; only what they left is looked at.
const WRITERS: [&str; 4] = ["start", "plan", "validate", "approve"];

/// The plan, once there is one.
pub(super) async fn plan(store: &dyn Store, row: &RunRow) -> Result<Option<ShownPlan>> {
    if row.run.spec.graph.as_str() == team::NAME {
        return team_plan(store, row).await;
    }
    if !pipelines::of(row)?.has_plan() {
        return Ok(None);
    }
    let Some(loaded) = store.load(row.run.id, CheckpointAt::Latest).await? else { return Ok(None) };
    let state: Implementation = rebuild(&loaded)?;
    Ok(state.draft.map(|draft| ShownPlan { markdown: draft.markdown, document: None }))
}

async fn team_plan(store: &dyn Store, row: &RunRow) -> Result<Option<ShownPlan>> {
    let team = input::<TeamInput>(row)?.team()?.team;
    let loaded = store.load(row.run.id, CheckpointAt::Latest).await?;
    let Some(loaded) = loaded.filter(|_| team::has_plan(&team)) else { return Ok(None) };
    let plan = team::shown_plan(&team, &rebuild(&loaded)?, &loaded.position);
    if plan.tasks.is_empty() {
        return Ok(None);
    }
    let markdown = team_markdown(&plan, &row.run.spec.title);
    let document = serde_json::to_value(PlanDocument::of_team(plan, &team.execution_config))?;
    Ok(Some(ShownPlan { markdown, document: Some(document) }))
}

/// The plan of a team for people: what is done, by whom, and what waits for what.
fn team_markdown(plan: &Plan, title: &str) -> String {
    let mut text = format!("# {}\n\n**Goal:** {}\n", squeezed(title), squeezed(&plan.goal));
    for task in &plan.tasks {
        text.push_str(&format!("\n### Task {}: {}\n\n", task.id, squeezed(&task.title)));
        let mut facts = vec![format!("**Status:** {}", task.status.as_str().replace('_', " "))];
        facts.extend(task.agent.as_ref().map(|agent| format!("**Agent:** {agent}")));
        facts
            .extend(task.estimated_duration.as_ref().map(|time| format!("**Duration:** {}", squeezed(time))));
        let before: Vec<String> = task.dependencies.iter().map(|id| format!("Task {id}")).collect();
        facts.extend((!before.is_empty()).then(|| format!("**Depends on:** {}", before.join(", "))));
        text.push_str(&facts.join("  \n"));
        text.push('\n');
    }
    text
}

pub(super) async fn plans(store: &dyn Store, row: &RunRow) -> Result<Vec<PlanVersion>> {
    if !pipelines::of(row)?.has_plan() {
        return Ok(Vec::new());
    }
    let mut plans = Vec::new();
    let mut before: Option<Position> = None;
    for info in store.checkpoints(row.run.id).await? {
        let is_news = before.as_ref().is_none_or(|before| has_left(before, &info.position));
        if is_news && let Some(loaded) = store.load(row.run.id, CheckpointAt::Number(info.number)).await? {
            note(&mut plans, &info, rebuild(&loaded)?);
        }
        before = Some(info.position);
    }
    Ok(plans)
}

/// Whether an agent that writes or judges plans was at work before, and has finished.
fn has_left(before: &Position, after: &Position) -> bool {
    let step = |position: &Position, node: &NodeId| position.entered.get(node).map(|visit| visit.step);
    let writers = before.entered.keys().filter(|node| WRITERS.contains(&node.as_str()));
    writers.into_iter().any(|node| step(before, node) != step(after, node))
}

/// The plan of a later moment: a new one, or more that is known of the last.
fn note(plans: &mut Vec<PlanVersion>, info: &CheckpointInfo, state: Implementation) {
    let Some(draft) = state.draft else { return };
    let note = state.note.filter(|_| state.is_approved);
    match plans.last_mut().filter(|last| last.plan == draft.markdown) {
        Some(last) => {
            if !state.problems.is_empty() {
                last.problems = state.problems;
            }
            last.feedback = state.feedback.or(note).or_else(|| last.feedback.take());
        }
        // No one has judged it: what else the state knows was said to the one before.
        None => plans.push(PlanVersion {
            checkpoint: info.number,
            seq: info.seq,
            at: info.at,
            plan: draft.markdown,
            problems: Vec::new(),
            feedback: note,
        }),
    }
}

#[cfg(test)]
mod tests {
    use amelia_agents::pipeline::implementation::state::{PlanDraft, Update};
    use amelia_core::id::Seq;
    use amelia_core::plan::{PlanTask, TaskStatus};
    use amelia_graph::state::State as _;

    use super::*;

    #[test]
    fn the_plan_of_a_team_tells_what_is_done_by_whom_and_what_waits() {
        let done = PlanTask {
            id: "1".to_owned(),
            title: "Look at\nthe map".to_owned(),
            status: TaskStatus::InProgress,
            agent: Some("scout".parse().unwrap()),
            estimated_duration: Some("15m".to_owned()),
            ..PlanTask::default()
        };
        let waits = PlanTask {
            id: "2".to_owned(),
            title: "Write".to_owned(),
            dependencies: vec!["1".to_owned()],
            ..PlanTask::default()
        };
        let plan = Plan { goal: "Rivers".to_owned(), tasks: vec![done, waits], ..Plan::default() };
        let expected = "# About rivers\n\n**Goal:** Rivers\n\n### Task 1: Look at the map\n\n\
            **Status:** in progress  \n**Agent:** scout  \n**Duration:** 15m\n\n### Task 2: Write\n\n\
            **Status:** pending  \n**Depends on:** Task 1\n";
        assert_eq!(team_markdown(&plan, "About rivers"), expected);
    }

    #[test]
    fn each_plan_has_what_was_said_to_it() {
        let written =
            |text: &str| Update::Drafted(PlanDraft { markdown: text.to_owned(), plan: Plan::default() });
        let judged = |problems: &[&str]| {
            let problems = problems.iter().map(|problem| (*problem).to_owned()).collect();
            Update::Judged { problems, is_out_of_revisions: false }
        };
        let moments = [
            vec![],
            vec![written("one")],
            vec![judged(&["no goal"])],
            vec![written("two")],
            vec![judged(&[])],
            vec![Update::SentBack { feedback: "shorter".to_owned(), is_unexplained: false }],
            vec![written("three")],
            vec![judged(&[])],
            vec![written("mine"), Update::Approved { note: Some("go".to_owned()), is_edited: true }],
        ];
        let (mut plans, mut state) = (Vec::new(), Implementation::default());
        for (number, updates) in (1_u32..).zip(moments) {
            updates.into_iter().for_each(|update| state.apply(update));
            let info = CheckpointInfo {
                number,
                seq: Seq(u64::from(number)),
                at: jiff::Timestamp::UNIX_EPOCH,
                position: Position::default(),
                is_snapshot: false,
                bytes: 0,
                is_damaged: false,
            };
            note(&mut plans, &info, state.clone());
        }
        let shown: Vec<_> = plans
            .iter()
            .map(|plan| (plan.checkpoint, plan.plan.as_str(), plan.problems.len(), plan.feedback.as_deref()))
            .collect();
        assert_eq!(
            shown,
            [
                (2, "one", 1, None),
                (4, "two", 0, Some("shorter")),
                (7, "three", 0, None),
                (9, "mine", 0, Some("go"))
            ]
        );
    }
}
