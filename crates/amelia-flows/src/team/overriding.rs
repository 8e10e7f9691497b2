//! A person says who takes the next turn of a team that is at rest. An agent whose turn is open ends it first. Pure.

use amelia_core::checkpoint::Position;
use amelia_core::config::team::FrozenTeam;
use amelia_core::event::TeamEvent;
use amelia_core::id::NodeId;
use amelia_core::problem::Problem;
use amelia_graph::state::State as _;

use super::after::AfterTurn;
use super::deciding;
use super::rules::TeamRules;
use super::shape::Shape;
use crate::chat::{Chat, ChatUpdate, TeamUpdate};

/// Where a team stands when a person has said who takes the next turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Overridden {
    pub position: Position,
    pub state: Chat,
    /// The move, if it happens at once.
    pub handoff: Option<TeamEvent>,
    /// What a person should know.
    pub note: Option<String>,
}

/// Why the agent cannot take the next turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OverrideRefused {
    /// Not in this team.
    Invalid(Problem),
    /// Not now.
    NotNow(Problem),
}

/// The team with `next` as the agent that takes the next turn.
pub fn overridden(
    team: &FrozenTeam,
    state: &Chat,
    position: &Position,
    next: &str,
) -> Result<Overridden, OverrideRefused> {
    let invalid = |text: String| OverrideRefused::Invalid(Problem::new(text));
    let rules = TeamRules::read(&team.team).map_err(|problems| {
        invalid(problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
    })?;
    if !matches!(rules.shape, Shape::Handoffs) {
        let text = "you can choose the next agent only in a team whose agents hand off to each other";
        return Err(invalid(text.to_owned()));
    }
    let names: Vec<&str> = team.team.agents.iter().map(|member| member.name.as_str()).collect();
    let node = NodeId::new(next).ok().filter(|_| names.contains(&next)).ok_or_else(|| {
        let problem = Problem::new(format!("the team has no agent `{next}`"));
        OverrideRefused::Invalid(problem.with_hint(format!("its agents: {}", names.join(", "))))
    })?;
    check_level(position)?;
    let (mut position, mut state) = (position.clone(), state.clone());
    let open = names.iter().find(|name| position.entered.keys().any(|node| node.as_str() == **name));
    if open == Some(&next) {
        let problem = Problem::new(format!("`{next}` has the turn already"));
        return Err(OverrideRefused::NotNow(problem));
    }
    let note = open.map(|open| format!("`{open}` ends its turn first"));
    let mut handoff = None;
    if position.entered.is_empty() && position.unrouted.is_empty() {
        let before = position.ready.keys().next().cloned();
        move_to(&mut position, before.as_ref(), &node);
        handoff = state.team.turn.as_ref().and_then(|turn| move_of(&rules, &turn.agent, next));
    } else {
        let next_agent = next.to_owned();
        state.apply(ChatUpdate::Team(TeamUpdate::Overridden { next_agent }));
    }
    Ok(Overridden { position, state, handoff, note })
}

/// Inside the team of a member, that team says who is next.
fn check_level(position: &Position) -> Result<(), OverrideRefused> {
    let mut here = position.entered.keys().chain(position.ready.keys()).chain(&position.unrouted);
    match here.find(|node| node.as_str().contains('/')) {
        None => Ok(()),
        Some(inside) => {
            let problem = Problem::new(format!("the run is inside the team of a member, at `{inside}`"));
            Err(OverrideRefused::NotNow(problem.with_hint("let that team end first")))
        }
    }
}

/// A question before the node that would have been next is one before the other.
fn move_to(position: &mut Position, before: Option<&NodeId>, next: &NodeId) {
    position.ready.clear();
    position.ready.insert(next.clone(), 1);
    if let Some(question) = before.and_then(|before| position.stopped.remove(before)) {
        position.stopped.insert(next.clone(), question);
    }
}

fn move_of(rules: &TeamRules, from: &str, to: &str) -> Option<TeamEvent> {
    let AfterTurn::HandOff { reason, context, kind, .. } = deciding::overridden(to) else { return None };
    let names = rules.agent_names([from, to]);
    let [from, to] = names.as_slice() else { return None };
    Some(TeamEvent::HandedOff { from: from.clone(), to: to.clone(), reason, context, kind })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use amelia_core::checkpoint::Visit;
    use amelia_core::id::{Seq, Step};
    use amelia_core::object::Object;
    use jiff::Timestamp;
    use serde_json::json;

    use super::*;
    use crate::chat::{TurnEnd, TurnOutcome};
    use crate::team::deciding::tests::team;
    use crate::team::deciding::{Next, decide};

    fn node(name: &str) -> NodeId {
        NodeId::new(name).unwrap()
    }

    fn frozen() -> FrozenTeam {
        FrozenTeam { team: team(&json!([])), ..FrozenTeam::default() }
    }

    fn begun() -> Chat {
        Chat::begin("Write", Object::new(), Timestamp::UNIX_EPOCH)
    }

    fn ends(agent: &str) -> ChatUpdate {
        ChatUpdate::Team(TeamUpdate::TurnEnded(TurnEnd::new(agent, "Done.".to_owned(), TurnOutcome::Said)))
    }

    #[test]
    fn between_two_turns_the_other_agent_is_next() {
        let position = Position { ready: BTreeMap::from([(node("critic"), 1)]), ..Position::default() };
        let mut state = begun();
        state.apply(ends("writer"));
        let found = overridden(&frozen(), &state, &position, "editor").unwrap();
        assert_eq!(found.position.ready, BTreeMap::from([(node("editor"), 1)]));
        assert_eq!((found.state, found.note), (state, None));
        let Some(TeamEvent::HandedOff { from, to, .. }) = found.handoff else { panic!("a move") };
        assert_eq!((from.as_str(), to.as_str()), ("writer", "editor"));
    }

    #[test]
    fn an_open_turn_ends_first_and_the_choice_holds_for_one_turn() {
        let visit = Visit::new(Step(1), Seq(1));
        let position = Position { entered: BTreeMap::from([(node("writer"), visit)]), ..Position::default() };
        let found = overridden(&frozen(), &begun(), &position, "editor").unwrap();
        assert_eq!((&found.position, found.handoff), (&position, None));
        assert_eq!(found.note.unwrap(), "`writer` ends its turn first");
        let rules = TeamRules::read(&team(&json!([]))).unwrap();
        let mut state = found.state;
        state.apply(ends("writer"));
        assert_eq!(decide(&rules, &state), Ok(Next::Node("editor".to_owned())));
        state.apply(ends("editor"));
        assert_eq!(decide(&rules, &state), Ok(Next::End));
        let same = overridden(&frozen(), &begun(), &position, "writer");
        assert!(matches!(same, Err(OverrideRefused::NotNow(_))), "{same:?}");
    }

    #[test]
    fn an_unknown_agent_is_refused_with_those_that_there_are() {
        let refused = overridden(&frozen(), &begun(), &Position::default(), "ghost").unwrap_err();
        let OverrideRefused::Invalid(problem) = refused else { panic!("{refused:?}") };
        assert!(problem.to_text().contains("writer, critic, editor"), "{}", problem.to_text());
    }
}
