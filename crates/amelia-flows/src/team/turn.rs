//! What every turn of an agent has in common: it gets a message in its own conversation, within the limits of the team,
//! and ends with words or with one of the tools that end a turn.

use std::sync::Arc;

use amelia_agents::agent::{Agent, AgentAnswer, AgentStop, Question};
use amelia_agents::conversation;
use amelia_agents::handing_in::HandIn;
use amelia_agents::helpers::Helpers;
use amelia_agents::own_tool::OwnTool;
use amelia_core::event::team::TeamEvent;
use amelia_core::event::{AgentEvent, Event, EventKind};
use amelia_core::id::AgentName;
use amelia_core::message::{Part, Role};
use amelia_graph::node::{NodeCx, NodeError};

use super::after::AfterTurn;
use super::deciding::{self, after_turn, plan_is_next, steps_left};
use super::ended::EndedTurn;
use super::plan::calls::PlanScope;
use super::plan::tools::{is_plan_change, plan_tools, planned};
use super::plan::{changes, plan_agents};
use super::prompt;
pub(super) use super::seat::Turn;
use crate::chat::{ChatMessage, ChatUpdate, Handoff, TeamUpdate, TurnEnd, Used};
use crate::hearing::{recorded_in, used_in};

/// What an agent reads in its turn.
pub(super) struct TurnWords<'a> {
    /// How the turn ends.
    pub(super) manners: &'a str,
    pub(super) word: String,
    /// The number of the word in this visit.
    pub(super) number: u32,
    pub(super) hand_ins: &'a [HandIn],
    /// Tools of this turn besides those of the agent.
    pub(super) tools: Vec<Arc<dyn OwnTool>>,
}

/// How a turn went.
pub(super) struct TakenTurn {
    pub(super) answer: AgentAnswer,
    /// What was recorded of its conversation in this visit.
    pub(super) events: Vec<Event>,
}

impl Turn<'_> {
    pub(super) async fn take(&self, words: TurnWords<'_>) -> Result<TakenTurn, AgentStop> {
        self.take_in(&self.rules.full(self.agent), words).await
    }

    /// The same in another conversation than that of the agent. In one visit, a conversation has one result.
    pub(super) async fn take_in(&self, talk: &str, words: TurnWords<'_>) -> Result<TakenTurn, AgentStop> {
        let flow_agent = self.flow_agent()?;
        let talk = self.cx.thread(talk);
        let talk = if words.number == 1 { talk } else { talk.up_to_date() };
        // One answer more than is left would be over the limit of the team.
        let steps = u32::try_from(steps_left(self.rules, self.state).max(1)).unwrap_or(u32::MAX);
        let max_turns = flow_agent.agent.max_turns.min(steps);
        let mut tools = flow_agent.agent.helpers.tools.clone();
        tools.extend(words.tools);
        let helpers = Helpers { tools, ..flow_agent.agent.helpers.clone() };
        let agent = Agent { max_turns, helpers, ..flow_agent.agent.clone() };
        let opening = conversation::word(&talk, &agent.name, words.number, words.word);
        let (opening, reminder) = self.reminded(&talk, opening, words.number).await?;
        let system = prompt::system(self, flow_agent, words.manners, reminder.as_ref())?;
        let memories = reminder.map(|part| u64::try_from(part.references.len()).unwrap_or(u64::MAX));
        self.note_start(&talk, &agent, memories).await?;
        let tools = Arc::clone(&flow_agent.tools);
        let question = Question { system, opening, tools, hand_ins: words.hand_ins, shape: None };
        let answer = agent.ask(&talk, &question).await?;
        let events = recorded_in(self.cx, &talk).await?;
        Ok(TakenTurn { answer, events })
    }

    /// That a turn begins. Drivers of programs say so themselves; a visit that is repeated does not begin again.
    async fn note_start(&self, talk: &NodeCx, agent: &Agent, memories: Option<u64>) -> Result<(), AgentStop> {
        let is_start = |event: &Event| {
            event.draft.step == Some(self.cx.step())
                && matches!(event.draft.kind, EventKind::Agent(AgentEvent::Started { .. }))
        };
        if !agent.driver_type.is_program() && !talk.past().await?.iter().any(is_start) {
            let started = AgentEvent::Started { context_tokens: None, memories, session: None };
            talk.note(vec![talk.draft(&agent.name, EventKind::Agent(started))]);
        }
        Ok(())
    }

    /// What the agent may do to the plan.
    fn plan_scope(&self) -> PlanScope {
        let agents = plan_agents(&self.rules.team).into_iter().map(|member| member.name.clone());
        PlanScope { agents: agents.collect(), own: None }
    }

    /// The tools for the plan; none in a team without one.
    pub(super) fn plan_tools(&self) -> Vec<Arc<dyn OwnTool>> {
        if !self.rules.has_plan {
            return Vec::new();
        }
        plan_tools(&Arc::new(self.rules.run(self.state).plan.clone()), self.plan_scope())
    }

    /// The first failure criterion that only the files can decide, and that holds.
    pub(super) async fn look_for_failure(&self) -> Result<Option<String>, AgentStop> {
        let criteria = self.rules.failure.iter().enumerate();
        for (index, criterion) in criteria.filter(|(_, criterion)| criterion.needs_files()) {
            if criterion.look(self.cx, self.parts, index).await?.is_none() {
                return Ok(Some(criterion.text.clone()));
            }
        }
        Ok(None)
    }

    /// What the agent said and used, as changes of the state.
    pub(super) fn heard(&self, said: Option<ChatMessage>, used: Used) -> Vec<ChatUpdate> {
        let name = self.rules.full(self.agent);
        let updates = [
            ChatUpdate::Current { agent: name.clone() },
            ChatUpdate::Visited { node: name, seen: self.state.messages.len() },
            ChatUpdate::Used(used),
        ];
        said.map(ChatUpdate::Said).into_iter().chain(updates).collect()
    }

    /// What this agent said in public; nothing when it was silent.
    pub(super) fn said(&self, text: &str) -> Option<ChatMessage> {
        let name = self.rules.full(self.agent);
        let message = || ChatMessage::of_agent(&name, &name, text.to_owned(), self.cx.now());
        (!text.trim().is_empty()).then(message)
    }

    /// What these events have used, as one turn.
    pub(super) fn used(&self, events: &[Event]) -> Used {
        Used { turns: 1, at: Some(self.cx.now()), ..used_in(events) }
    }

    /// The end of a turn, with the handoff that follows from it.
    pub(super) async fn ended(&self, end: TurnEnd, used: Used) -> Result<Vec<ChatUpdate>, AgentStop> {
        let recorded = self.cx.recorded().await?;
        let has_changed = recorded.iter().any(is_change);
        let said = self.said(&end.text);
        let name = self.rules.full(self.agent);
        let run = self.rules.run(self.state);
        let plan = self.rules.has_plan.then(|| planned(&run.plan, &self.plan_scope(), &recorded));
        let ended =
            EndedTurn { before: self.state, agent: &name, said: said.as_ref(), used, plan: plan.as_ref() };
        let is_plan_next =
            plan.as_ref().is_some_and(|plan| plan_is_next(self.rules, run, &ended, plan, Some(&end)));
        // What cannot be decided fails the route, with its reason.
        let after = after_turn(self.rules, &ended, &end).ok().filter(|_| !is_plan_next);
        let chosen = run.next_agent.as_deref().filter(|next| after.is_some() && *next != end.agent);
        let after = chosen.map(deciding::overridden).or(after);
        let mut more = Vec::new();
        if let Some(plan) = plan.as_ref().filter(|plan| **plan != run.plan) {
            let (tasks, failed) = changes(&run.plan, plan);
            more.push(TeamUpdate::Planned { tasks, failed });
        }
        let again = run.asked_again;
        match &after {
            Some(AfterTurn::Again(_)) => more.push(TeamUpdate::AskedAgain { times: again.saturating_add(1) }),
            _ if again > 0 => more.push(TeamUpdate::AskedAgain { times: 0 }),
            _ => {}
        }
        // A move that a person approves first is written when they have.
        if let Some(AfterTurn::HandOff { to, reason, context, kind, .. }) = after
            && to != end.agent
            && (!self.rules.gates.handoff || chosen.is_some())
        {
            let (from, target) = (AgentName::new(&name), AgentName::new(self.rules.full(&to)));
            if let (Ok(from), Ok(target)) = (from, target) {
                let words = format!("{}\n{reason}", end.text);
                more.push(TeamUpdate::HandedOff(Handoff::new(&end.agent, &to, &words, has_changed)));
                let event = TeamEvent::HandedOff { from: from.clone(), to: target, reason, context, kind };
                self.cx.note(vec![self.cx.draft(&from, EventKind::Team(event))]);
            }
        }
        let mut updates = self.heard(said, used);
        updates.push(self.rules.update(TeamUpdate::TurnEnded(end)));
        updates.extend(more.into_iter().map(|update| self.rules.update(update)));
        Ok(updates)
    }
}

/// What the model said together with its last call.
pub(super) fn last_text(events: &[Event]) -> String {
    let said = events.iter().rev().find_map(|event| match &event.draft.kind {
        EventKind::Agent(AgentEvent::Said(said)) if said.role == Role::Assistant => Some(said),
        _ => None,
    });
    let parts = said.into_iter().flat_map(|said| &said.parts);
    let texts = parts.filter_map(|part| match part {
        Part::Text(text) => Some(text.text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// Whether files or the plan are others than before.
fn is_change(event: &Event) -> bool {
    matches!(event.draft.kind, EventKind::Artifact(_) | EventKind::Plan(_)) || is_plan_change(event)
}

/// What was handed in cannot be read, although it was accepted.
pub(super) fn unreadable(problem: String) -> AgentStop {
    AgentStop::Node(NodeError::new("handed_in", problem))
}
