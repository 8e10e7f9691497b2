//! Agents work on the tasks of the plan that can start: at the same time, each in a conversation of its own. What they have
//! come to is said in public. Tasks that can start then are worked on by the next visit.

use std::collections::BTreeMap;
use std::sync::Arc;

use amelia_agents::agent::{Agent, AgentStop};
use amelia_agents::delegating::{AssignedTask, SubAgent, SubAgents, TaskOutcome};
use amelia_agents::pipeline::limits;
use amelia_core::checkpoint::Position;
use amelia_core::config::sub_agents::SubAgentLimits;
use amelia_core::config::team::TeamConfig;
use amelia_core::config::team::plan::EXPECTED_OUTPUT;
use amelia_core::event::team::HandoffKind;
use amelia_core::id::AgentName;
use amelia_core::plan::{Plan, PlanTask, TaskStatus};
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use async_trait::async_trait;
use futures_util::future::join_all;
use serde_json::Value;

use super::deciding::steps_left;
use super::helpers_node::answered;
use super::plan::calls::PlanScope;
use super::plan::tools::{plan_tools, planned};
use super::plan::{StartedTask, changes, started, with_started};
use super::rules::TeamRules;
use super::turn::Turn;
use super::{PLAN, TeamParts, parts_of, prompt};
use crate::chat::{Chat, ChatMessage, ChatUpdate, TeamUpdate, Used};
use crate::hearing::recorded_in;

pub(super) struct PlanNode {
    pub(super) rules: Arc<TeamRules>,
    pub(super) parts: Option<Arc<TeamParts>>,
}

/// The plan of a team as it is at this position: tasks that agents work on are in progress.
#[must_use]
pub fn shown_plan(team: &TeamConfig, state: &Chat, position: &Position) -> Plan {
    let plan = &state.team.plan;
    let is_at_work = position.entered.keys().any(|node| node.as_str() == PLAN);
    match TeamRules::read(team).ok().filter(|_| is_at_work) {
        Some(rules) => with_started(plan, &started(plan, team, &rules.entry)),
        None => plan.clone(),
    }
}

#[async_trait]
impl Node<Chat> for PlanNode {
    async fn run(&self, cx: &NodeCx, state: &Chat) -> Result<Outcome<ChatUpdate>, NodeError> {
        limits::check_answer(cx)?;
        let parts = parts_of(self.parts.as_ref())?;
        let turn = Turn { rules: &self.rules, parts, agent: &self.rules.entry, cx, state };
        match self.work(&turn).await {
            Ok(updates) => Ok(Outcome::Done(updates)),
            Err(stop) => limits::stopped(cx, stop),
        }
    }
}

impl PlanNode {
    async fn work(&self, turn: &Turn<'_>) -> Result<Vec<ChatUpdate>, AgentStop> {
        let before = &self.rules.run(turn.state).plan;
        let tasks = started(before, &self.rules.team, &self.rules.entry);
        // A person may have changed the plan before it is its turn.
        if tasks.is_empty() {
            return Ok(Vec::new());
        }
        let plan = Arc::new(with_started(before, &tasks));
        let answers = self.answers(turn, &plan, &tasks).await?;
        let (mut after, mut said) = (Plan::clone(&plan), Vec::new());
        for (one, answer) in tasks.iter().zip(answers) {
            let scope = scope_of(one);
            let events = recorded_in(turn.cx, &child_of(turn.cx, one)).await?;
            after = planned(&after, &scope, &events);
            let status = status_after(after.task(&one.task.id), &answer);
            after.set_status(&one.task.id, status);
            said.push(ChatUpdate::Said(self.message(turn.cx, one, status, &answer)));
        }
        let (tasks, failed) = changes(before, &after);
        let count = u64::try_from(said.len()).unwrap_or(u64::MAX);
        let used = Used { turns: count, ..turn.used(&turn.cx.recorded().await?) };
        // After a turn, its agent continues with the results.
        let returned = self.rules.run(turn.state).turn.as_ref().map(|_| TeamUpdate::Returned);
        let more = [TeamUpdate::Planned { tasks, failed }].into_iter().chain(returned);
        let more = more.map(|update| self.rules.update(update));
        Ok(said.into_iter().chain([ChatUpdate::Used(used)]).chain(more).collect())
    }

    /// All work at the same time. When some ask a person, the others end first.
    async fn answers(
        &self,
        turn: &Turn<'_>,
        plan: &Arc<Plan>,
        tasks: &[StartedTask],
    ) -> Result<Vec<TaskOutcome>, AgentStop> {
        let at_once = u32::try_from(tasks.len()).unwrap_or(u32::MAX);
        let limits = SubAgentLimits { depth: 1, per_run: u32::MAX, at_once };
        let sub_agents = SubAgents::new(self.sub_agents(turn, plan, tasks)?, limits, 0);
        let last = self.rules.run(turn.state).turn.as_ref();
        let by = last.map_or(self.rules.entry.as_str(), |last| &last.agent);
        let given = tasks.iter().map(|one| {
            let (sub_agents, by) = (&sub_agents, handed_by(by, one, tasks.len()));
            async move {
                let (task, context) = (text_of(&one.task), context(turn, one));
                let assigned = AssignedTask { agent: &one.task.id, task: &task, context: Some(&context) };
                sub_agents.give(&child_of(turn.cx, one), by, assigned).await
            }
        });
        answered(join_all(given).await)
    }

    /// By the ids of their tasks: an agent may work on several.
    fn sub_agents(
        &self,
        turn: &Turn<'_>,
        plan: &Arc<Plan>,
        tasks: &[StartedTask],
    ) -> Result<BTreeMap<String, SubAgent>, NodeError> {
        let steps = u32::try_from(steps_left(&self.rules, turn.state).max(1)).unwrap_or(u32::MAX);
        let mut all = BTreeMap::new();
        for one in tasks {
            let own = Turn { agent: &one.agent, ..*turn };
            let flow_agent = own.flow_agent()?;
            let manners = format!(
                "{}\nYou work on the task `{}` of the team's plan. Your answer is its result. If you cannot do it, set its \
                 status to failed with `plan_update_task`, and answer why.",
                prompt::place(&self.rules, &one.agent),
                one.task.id
            );
            let max_turns = flow_agent.agent.max_turns.min(steps);
            let mut agent = Agent { max_turns, ..flow_agent.agent.clone() };
            agent.helpers.tools.extend(plan_tools(plan, scope_of(one)));
            let sub_agent = SubAgent {
                agent,
                role: String::new(),
                system: prompt::system(&own, flow_agent, &manners, None)?,
                tools: Arc::clone(&flow_agent.tools),
                sub_agents: Vec::new(),
            };
            all.insert(one.task.id.clone(), sub_agent);
        }
        Ok(all)
    }

    fn message(
        &self,
        cx: &NodeCx,
        one: &StartedTask,
        status: TaskStatus,
        answer: &TaskOutcome,
    ) -> ChatMessage {
        let (Ok(text) | Err(text)) = answer;
        let text = format!("{}{} ({})\n\n{text}", heading(&one.task.id), one.task.title, status.as_str());
        ChatMessage::of_agent(&self.rules.full(&one.agent), &self.rules.full(PLAN), text, cx.now())
    }
}

/// The conversation in which a task is worked on.
fn child_of(cx: &NodeCx, one: &StartedTask) -> NodeCx {
    cx.sub_agent(&format!("plan-{}", one.task.id)).on_task(&one.task.id)
}

fn scope_of(one: &StartedTask) -> PlanScope {
    PlanScope { agents: Vec::new(), own: Some(one.task.id.clone()) }
}

/// Who gives a task, for the log. An agent gives none to itself.
fn handed_by(by: &str, one: &StartedTask, count: usize) -> Option<(AgentName, HandoffKind)> {
    let kind = if count > 1 { HandoffKind::Parallel } else { HandoffKind::Hierarchical };
    let by = AgentName::new(by).ok().filter(|_| by != one.agent)?;
    Some((by, kind))
}

/// What the agent says about its task holds; if it says nothing, the task is done.
fn status_after(task: Option<&PlanTask>, answer: &TaskOutcome) -> TaskStatus {
    let status = task.map_or(TaskStatus::InProgress, |task| task.status);
    match (status, answer) {
        (_, Err(_)) => TaskStatus::Failed,
        (TaskStatus::InProgress | TaskStatus::Pending, Ok(_)) => TaskStatus::Completed,
        (status, Ok(_)) => status,
    }
}

fn text_of(task: &PlanTask) -> String {
    let expected = task.metadata.get(EXPECTED_OUTPUT).and_then(Value::as_str);
    let expected = expected.map(|text| format!("\n\nExpected output: {text}"));
    format!("{}{}", task.title, expected.unwrap_or_default())
}

/// What an agent has to know besides its task: what the whole team does, and the results of the tasks before it.
fn context(turn: &Turn<'_>, one: &StartedTask) -> String {
    let mut parts = vec![format!("The task of the whole team:\n{}", turn.parts.prompt)];
    parts.extend(one.task.dependencies.iter().filter_map(|id| result_of(turn.state, id)).map(str::to_owned));
    parts.join("\n\n")
}

/// The newest result of a task, as it was said.
fn result_of<'a>(state: &'a Chat, id: &str) -> Option<&'a str> {
    let heading = heading(id);
    let is_of_plan = |said: &&ChatMessage| said.node.as_deref() == Some(PLAN);
    let mut said = state.messages.iter().rev().filter(is_of_plan).map(|said| said.text.as_str());
    said.find(|text| text.starts_with(&heading))
}

fn heading(id: &str) -> String {
    format!("Task {id}: ")
}

#[cfg(test)]
mod tests {
    use amelia_core::object::Object;
    use amelia_graph::state::State as _;
    use jiff::Timestamp;

    use super::*;

    #[test]
    fn a_task_is_done_unless_its_agent_says_otherwise_or_does_not_finish() {
        let task = |status| PlanTask { status, ..PlanTask::default() };
        let done = Ok("Done.".to_owned());
        for (status, expected) in [
            (TaskStatus::InProgress, TaskStatus::Completed),
            (TaskStatus::Pending, TaskStatus::Completed),
            (TaskStatus::Failed, TaskStatus::Failed),
            (TaskStatus::Cancelled, TaskStatus::Cancelled),
        ] {
            assert_eq!(status_after(Some(&task(status)), &done), expected);
        }
        let failed = Err("The model is gone.".to_owned());
        assert_eq!(status_after(Some(&task(TaskStatus::Completed)), &failed), TaskStatus::Failed);
    }

    #[test]
    fn an_agent_reads_the_newest_result_of_a_task_before_its_own() {
        let at = Timestamp::UNIX_EPOCH;
        let mut state = Chat::begin("Task 1: is not a result", Object::new(), at);
        let mut say = |text: &str, node: &str| {
            state.apply(ChatUpdate::Said(ChatMessage::of_agent("scout", node, text.to_owned(), at)));
        };
        say("Task 1: Look (failed)\n\nNothing.", PLAN);
        say("Task 1: Look (completed)\n\nThe Rhine.", PLAN);
        say("Task 1.1: Look more (completed)\n\nThe Elbe.", PLAN);
        say("Task 1: Look (completed)\n\nNot said by the plan.", "scout");
        assert_eq!(result_of(&state, "1"), Some("Task 1: Look (completed)\n\nThe Rhine."));
        assert_eq!(result_of(&state, "2"), None);
    }

    #[test]
    fn the_log_tells_who_gives_a_task_to_another_agent() {
        let one = StartedTask { task: PlanTask::default(), agent: "writer".to_owned() };
        let of = |by: &str, count| handed_by(by, &one, count).map(|(by, kind)| (by.to_string(), kind));
        assert_eq!(of("lead", 1), Some(("lead".to_owned(), HandoffKind::Hierarchical)));
        assert_eq!(of("lead", 2), Some(("lead".to_owned(), HandoffKind::Parallel)));
        assert_eq!(of("writer", 1), None);
    }
}
