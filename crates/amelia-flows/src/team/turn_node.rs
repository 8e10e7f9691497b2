//! An agent takes its turn: it is told what was said since its last one, and ends with words, a handoff or the result.

use std::sync::Arc;

use amelia_agents::agent::{Agent, AgentAnswer, AgentStop, Question};
use amelia_agents::conversation;
use amelia_agents::handing_in::read;
use amelia_agents::pipeline::limits;
use amelia_core::event::team::TeamEvent;
use amelia_core::event::{AgentEvent, Event, EventKind};
use amelia_core::id::AgentName;
use amelia_core::message::{Part, Role};
use amelia_graph::node::{Node, NodeCx, NodeError, Outcome};
use amelia_graph::state::State as _;
use async_trait::async_trait;

use super::deciding::{AfterTurn, after_turn, steps_left};
use super::hand_ins::{self, FINISH, FinishArgs, HANDOFF, HandoffArgs};
use super::rules::TeamRules;
use super::{TeamParts, parts_of, prompt};
use crate::chat::{Chat, ChatMessage, ChatUpdate, Handoff, TeamUpdate, TurnEnd, TurnOutcome, Used};
use crate::hearing::{recorded_in, used_in};
use crate::workflow::FlowAgent;

pub(super) struct TurnNode {
    pub(super) name: String,
    pub(super) rules: Arc<TeamRules>,
    pub(super) parts: Option<Arc<TeamParts>>,
}

#[async_trait]
impl Node<Chat> for TurnNode {
    async fn run(&self, cx: &NodeCx, state: &Chat) -> Result<Outcome<ChatUpdate>, NodeError> {
        limits::check_answer(cx)?;
        let parts = parts_of(self.parts.as_ref())?;
        let agent = parts.agents.get(&self.name);
        let agent =
            agent.ok_or_else(|| NodeError::new("no_agent", format!("there is no agent `{}`", self.name)))?;
        match self.turn(cx, state, parts, agent).await {
            Ok(updates) => Ok(Outcome::Done(updates)),
            Err(stop) => limits::stopped(cx, stop),
        }
    }
}

impl TurnNode {
    async fn turn(
        &self,
        cx: &NodeCx,
        state: &Chat,
        parts: &TeamParts,
        flow_agent: &FlowAgent,
    ) -> Result<Vec<ChatUpdate>, AgentStop> {
        let talk = cx.thread(&self.name);
        // One answer more than is left would be over the limit of the team.
        let steps = u32::try_from(steps_left(&self.rules, state).max(1)).unwrap_or(u32::MAX);
        let agent = Agent { max_turns: flow_agent.agent.max_turns.min(steps), ..flow_agent.agent.clone() };
        let is_asked = self.is_asked(state);
        let hand_ins = hand_ins::of_agent(&self.rules, &self.name);
        let system = prompt::system(&self.rules, &self.name, state, parts, flow_agent, cx)?;
        let word = prompt::word(&self.rules, &self.name, state, is_asked);
        let opening = conversation::word(&talk, &agent.name, 1, word);
        let tools = Arc::clone(&flow_agent.tools);
        self.note_start(cx, &talk, &agent).await?;
        let question = Question { system, opening, tools, hand_ins: &hand_ins, shape: None };
        let answer = agent.ask(&talk, &question).await?;
        let events = recorded_in(cx, &talk).await?;
        let (text, outcome) = ended(answer, &events)?;
        let failed = self.look_for_failure(cx, parts).await?;
        let end = TurnEnd { agent: self.name.clone(), text, outcome, was_asked: is_asked, failed };
        let mut updates = self.updates(cx, state, &end, &events);
        let has_changed = cx.recorded().await?.iter().any(is_change);
        if let Some((handoff, event)) = self.handoff(state, &updates, &end, has_changed) {
            cx.note(vec![cx.draft(&agent.name, EventKind::Team(event))]);
            updates.push(ChatUpdate::Team(TeamUpdate::HandedOff(handoff)));
        }
        Ok(updates)
    }

    /// Whether it had the last turn, and did not say who continues.
    fn is_asked(&self, state: &Chat) -> bool {
        let turn = state.team.turn.as_ref().filter(|turn| turn.agent == self.name);
        turn.is_some_and(|turn| matches!(after_turn(&self.rules, state, turn), Ok(AfterTurn::Ask)))
    }

    /// That a turn begins. Drivers of programs say so themselves; a visit that is repeated does not begin again.
    async fn note_start(&self, cx: &NodeCx, talk: &NodeCx, agent: &Agent) -> Result<(), AgentStop> {
        let is_start = |event: &Event| {
            event.draft.step == Some(cx.step())
                && matches!(event.draft.kind, EventKind::Agent(AgentEvent::Started { .. }))
        };
        if !agent.driver_type.is_program() && !talk.past().await?.iter().any(is_start) {
            let started = AgentEvent::Started { context_tokens: None, memories: None, session: None };
            talk.note(vec![talk.draft(&agent.name, EventKind::Agent(started))]);
        }
        Ok(())
    }

    /// The first failure criterion that only the files can decide, and that holds.
    async fn look_for_failure(&self, cx: &NodeCx, parts: &TeamParts) -> Result<Option<String>, AgentStop> {
        for (index, criterion) in self.rules.failure.iter().enumerate().filter(|(_, one)| one.needs_files()) {
            if criterion.look(cx, parts, index).await?.is_none() {
                return Ok(Some(criterion.text.clone()));
            }
        }
        Ok(None)
    }

    fn updates(&self, cx: &NodeCx, state: &Chat, end: &TurnEnd, events: &[Event]) -> Vec<ChatUpdate> {
        let at = cx.now();
        let said = (!end.text.trim().is_empty())
            .then(|| ChatUpdate::Said(ChatMessage::of_agent(&self.name, &self.name, end.text.clone(), at)));
        let used = Used { turns: 1, at: Some(at), ..used_in(events) };
        let updates = [
            ChatUpdate::Current { agent: self.name.clone() },
            ChatUpdate::Visited { node: self.name.clone(), seen: state.messages.len() },
            ChatUpdate::Used(used),
            ChatUpdate::Team(TeamUpdate::TurnEnded(end.clone())),
        ];
        said.into_iter().chain(updates).collect()
    }

    /// The handoff that follows from the turn, as it is kept and as it is told.
    fn handoff(
        &self,
        state: &Chat,
        updates: &[ChatUpdate],
        end: &TurnEnd,
        has_changed: bool,
    ) -> Option<(Handoff, TeamEvent)> {
        let mut after = state.clone();
        updates.iter().cloned().for_each(|update| after.apply(update));
        // What cannot be decided fails the route, with its reason.
        let Ok(AfterTurn::HandOff { to, reason, context, kind }) = after_turn(&self.rules, &after, end)
        else {
            return None;
        };
        let handoff = Handoff::new(&self.name, &to, &format!("{}\n{reason}", end.text), has_changed);
        let (from, to) = (AgentName::new(&self.name).ok()?, AgentName::new(&to).ok()?);
        Some((handoff, TeamEvent::HandedOff { from, to, reason, context, kind }))
    }
}

/// What an agent said in public, and how its turn ended.
fn ended(answer: AgentAnswer, events: &[Event]) -> Result<(String, TurnOutcome), AgentStop> {
    let unreadable = |problem: String| AgentStop::Node(NodeError::new("handed_in", problem));
    match answer {
        AgentAnswer::Text(text) => Ok((text, TurnOutcome::Said)),
        AgentAnswer::HandedIn { tool, args } if tool == FINISH => {
            let args: FinishArgs = read(&args).map_err(unreadable)?;
            Ok((args.result, TurnOutcome::Finished))
        }
        AgentAnswer::HandedIn { tool, args } if tool == HANDOFF => {
            let HandoffArgs { destination_agent: to, reason, context } = read(&args).map_err(unreadable)?;
            Ok((last_text(events), TurnOutcome::HandedOff { to, reason, context }))
        }
        AgentAnswer::HandedIn { tool, .. } => Err(unreadable(format!("`{tool}` ends no turn"))),
    }
}

/// What the model said together with its last call.
fn last_text(events: &[Event]) -> String {
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
    matches!(event.draft.kind, EventKind::Artifact(_) | EventKind::Plan(_))
}
