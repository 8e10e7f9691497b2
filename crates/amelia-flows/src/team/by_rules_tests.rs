use amelia_core::config::team::TeamConfig;
use amelia_graph::state::State as _;
use jiff::Timestamp;
use serde_json::json;

use super::*;
use crate::chat::{Chat, ChatUpdate, TeamUpdate};
use crate::team::deciding::tests::team;
use crate::team::deciding::{Next, decide};

/// The writer with a researcher (`critic`) or readers (`critic`, `editor`) who work for it.
fn lending(kind: &str, to: &[(&str, Option<&str>)]) -> TeamConfig {
    let rule = |(to, condition): &(&str, Option<&str>)| json!({"from_agent": "writer", "to_agent": to, "condition": condition, "handoff_type": kind});
    team(&json!(to.iter().map(rule).collect::<Vec<_>>()))
}

fn ends(state: &mut Chat, text: &str, outcome: TurnOutcome) {
    let is_back = state.team.has_returned;
    let end = TurnEnd { is_back, ..TurnEnd::new("writer", text.to_owned(), outcome) };
    state.apply(ChatUpdate::Team(TeamUpdate::TurnEnded(end)));
}

fn lent(rules: &TeamRules, state: &Chat) -> (Vec<String>, String, HandoffKind) {
    match by_rules(rules, state, state.team.turn.as_ref().unwrap()) {
        Ok(AfterTurn::Lend(lent)) => (lent.to, lent.task, lent.kind),
        other => panic!("{other:?}"),
    }
}

fn begun() -> Chat {
    Chat::begin("Write", Object::new(), Timestamp::UNIX_EPOCH)
}

#[test]
fn another_agent_works_and_the_turn_comes_back_once() {
    let rules = TeamRules::read(&lending("hierarchical", &[("critic", None)])).unwrap();
    let mut state = begun();
    ends(&mut state, "Is it long?", TurnOutcome::Said);
    let task = (vec!["critic".to_owned()], "Is it long?".to_owned(), HandoffKind::Hierarchical);
    assert_eq!(lent(&rules, &state), task);
    assert_eq!(decide(&rules, &state), Ok(Next::Node("writer.helpers".to_owned())));
    state.apply(ChatUpdate::Team(TeamUpdate::Returned));
    assert_eq!(decide(&rules, &state), Ok(Next::Node("writer".to_owned())));
    ends(&mut state, "It is long.", TurnOutcome::Said);
    assert_eq!(decide(&rules, &state), Ok(Next::End), "the rule would fire for ever");
}

#[test]
fn an_agent_that_is_back_can_let_others_work_again() {
    let rules = TeamRules::read(&lending("hierarchical", &[("critic", None)])).unwrap();
    let mut state = begun();
    ends(&mut state, "Is it long?", TurnOutcome::Said);
    state.apply(ChatUpdate::Team(TeamUpdate::Returned));
    let (to, reason) = ("critic".to_owned(), "measure again".to_owned());
    ends(&mut state, "", TurnOutcome::HandedOff { to, reason, context: Object::new() });
    assert_eq!(lent(&rules, &state).1, "measure again");
}

#[test]
fn the_agents_of_all_parallel_rules_that_apply_begin_together() {
    let team = lending("parallel", &[("critic", None), ("editor", Some("last == 'Both'"))]);
    let rules = TeamRules::read(&team).unwrap();
    for (text, expected) in [("Both", vec!["critic", "editor"]), ("One", vec!["critic"])] {
        let mut state = begun();
        let said =
            crate::chat::ChatMessage::of_agent("writer", "writer", text.to_owned(), Timestamp::UNIX_EPOCH);
        state.apply(ChatUpdate::Said(said));
        ends(&mut state, text, TurnOutcome::Said);
        let (to, _, kind) = lent(&rules, &state);
        assert_eq!((to, kind), (expected.into_iter().map(str::to_owned).collect(), HandoffKind::Parallel));
    }
}

#[test]
fn parallel_rules_are_one_choice_and_others_are_asked_about() {
    let both = TeamRules::read(&lending("parallel", &[("critic", None), ("editor", None)])).unwrap();
    assert_eq!(both.plain_targets("writer"), ["critic"]);
    let two = TeamRules::read(&lending("hierarchical", &[("critic", None), ("editor", None)])).unwrap();
    let mut state = begun();
    ends(&mut state, "Who?", TurnOutcome::Said);
    let after = by_rules(&two, &state, state.team.turn.as_ref().unwrap());
    assert_eq!(after, Ok(AfterTurn::Ask));
}
