use amelia_core::config::team::TeamConfig;
use amelia_core::object::Object;
use amelia_graph::state::State as _;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::*;
use crate::chat::{ChatMessage, ChatUpdate, Handoff, TeamUpdate, Used};

/// Three agents with these rules.
pub(in crate::team) fn team(rules: &Value) -> TeamConfig {
    let agent = |name: &str| json!({"name": name, "role": name, "prompt_template": "Work."});
    let agents = json!([agent("writer"), agent("critic"), agent("editor")]);
    serde_json::from_value(json!({"name": "press", "agents": agents, "handoff_rules": rules})).unwrap()
}

fn rule(from: &str, to: &str, condition: Option<&str>) -> Value {
    json!({"from_agent": from, "to_agent": to, "condition": condition})
}

/// A run of a team with these settings, after a turn of the writer.
struct Turn {
    rules: TeamRules,
    state: Chat,
}

impl Turn {
    fn of(rules: &Value, config: &Value) -> Self {
        let mut team = team(rules);
        let mut settings = json!({"mode": "autonomous"});
        settings.as_object_mut().unwrap().extend(config.as_object().unwrap().clone());
        team.execution_config = serde_json::from_value(settings).unwrap();
        let rules = TeamRules::read(&team).unwrap();
        Self { rules, state: Chat::begin("Write", Object::new(), Timestamp::UNIX_EPOCH) }
    }

    fn ends(mut self, text: &str, outcome: TurnOutcome) -> Self {
        self.end(text, outcome, false);
        self
    }

    fn end(&mut self, text: &str, outcome: TurnOutcome, was_asked: bool) {
        let at = Timestamp::UNIX_EPOCH;
        let message = ChatMessage::of_agent("writer", "writer", text.to_owned(), at);
        for update in [
            ChatUpdate::Said(message),
            ChatUpdate::Used(Used { turns: 1, steps: 1, ..Used::default() }),
            ChatUpdate::Team(TeamUpdate::TurnEnded(TurnEnd {
                was_asked,
                ..TurnEnd::new("writer", text.to_owned(), outcome)
            })),
        ] {
            self.state.apply(update);
        }
    }

    fn then(mut self, update: TeamUpdate) -> Self {
        self.state.apply(ChatUpdate::Team(update));
        self
    }

    fn after(&self) -> Result<AfterTurn, RouteError> {
        after_turn(&self.rules, &self.state, self.state.team.turn.as_ref().unwrap())
    }

    fn next(&self) -> Result<Next, RouteError> {
        decide(&self.rules, &self.state)
    }

    /// Who continues, and why.
    fn handoff(&self) -> (String, String) {
        match self.after() {
            Ok(AfterTurn::HandOff { to, reason, .. }) => (to, reason),
            other => panic!("{other:?}"),
        }
    }
}

fn hands_to(to: &str) -> TurnOutcome {
    TurnOutcome::HandedOff { to: to.to_owned(), reason: "look at it".to_owned(), context: Object::new() }
}

fn to(agent: &str) -> Next {
    Next::Node(agent.to_owned())
}

#[test]
fn before_any_turn_the_first_agent_of_the_team_or_of_its_pattern_begins() {
    let turn = Turn::of(&json!([]), &json!({}));
    assert_eq!(turn.next(), Ok(to("writer")));
    let mut ordered = team(&json!([]));
    let pattern = json!({"name": "line", "kind": "sequential", "agents": ["editor", "critic", "writer"]});
    ordered.collaboration_patterns = vec![serde_json::from_value(pattern).unwrap()];
    let rules = TeamRules::read(&ordered).unwrap();
    assert_eq!((rules.entry.as_str(), rules.plain_targets("editor")), ("editor", vec!["critic"]));
    assert_eq!((rules.plain_targets("critic"), rules.plain_targets("writer")), (vec!["writer"], vec![]));
    assert_eq!(rules.allowed("critic"), ["writer", "editor"], "a handoff may still go to anyone");
}

#[test]
fn the_coordinator_of_agents_that_take_turns_says_who_is_next() {
    let mut selected = team(&json!([]));
    let pattern = json!({
        "name": "line", "kind": "sequential", "agents": ["writer", "critic"], "coordination_agent": "editor",
    });
    selected.collaboration_patterns = vec![serde_json::from_value(pattern).unwrap()];
    let rules = TeamRules::read(&selected).unwrap();
    assert_eq!(rules.entry, "editor");
    assert_eq!(
        (rules.plain_targets("editor"), rules.allowed("editor")),
        (vec!["writer", "critic"], vec!["writer", "critic"])
    );
    for agent in ["writer", "critic"] {
        assert_eq!(
            (rules.plain_targets(agent), rules.allowed(agent)),
            (vec!["editor"], vec!["editor"]),
            "{agent}"
        );
    }
}

#[test]
fn a_failure_criterion_comes_before_everything_else() {
    for (criterion, text) in [("text_mention:I give up", "I give up."), ("cel:turns >= 1", "x")] {
        let config = json!({"failure_criteria": [criterion], "stop_on": [{"max_messages": 1}]});
        let turn = Turn::of(&json!([]), &config).ends(text, TurnOutcome::Finished);
        let error = turn.next().unwrap_err();
        assert_eq!((error.code, error.message.contains(criterion)), (FAILURE_CRITERION, true), "{error}");
    }
    let config = json!({"failure_criteria": ["text_mention:I give up"]});
    let turn = Turn::of(&json!([]), &config).ends("Fine.", TurnOutcome::Finished);
    assert_eq!(turn.next(), Ok(Next::End));
    let mut found = Turn::of(&json!([]), &json!({"failure_criteria": ["file:core.*"]}));
    found.end("Fine.", TurnOutcome::Said, false);
    found.state.team.turn.as_mut().unwrap().failed = Some("file:core.*".to_owned());
    assert_eq!(found.next().unwrap_err().code, FAILURE_CRITERION);
}

#[test]
fn a_stop_or_the_result_comes_before_a_handoff() {
    let rules = json!([rule("writer", "critic", Some("true"))]);
    let finished = Turn::of(&rules, &json!({})).ends("Done.", TurnOutcome::Finished);
    assert_eq!(finished.next(), Ok(Next::End));
    let mention = json!({"stop_on": [{"text_mention": "TERMINATE"}]});
    assert_eq!(Turn::of(&rules, &mention).ends("TERMINATE", hands_to("critic")).next(), Ok(Next::End));
    assert_eq!(Turn::of(&rules, &mention).ends("Continue", hands_to("critic")).next(), Ok(to("critic")));
    let count = |limit: u32| json!({"stop_on": [{"max_messages": limit}]});
    assert_eq!(Turn::of(&rules, &count(1)).ends("x", hands_to("critic")).next(), Ok(Next::End));
    assert_eq!(Turn::of(&rules, &count(2)).ends("x", hands_to("critic")).next(), Ok(to("critic")));
}

#[test]
fn a_handoff_comes_before_rules_and_a_true_rule_before_plain_ones() {
    let rules = json!([
        rule("writer", "editor", None),
        rule("writer", "critic", Some("last == 'Look.'")),
        rule("writer", "editor", Some("true")),
    ]);
    let turn = |text: &str, outcome| Turn::of(&rules, &json!({})).ends(text, outcome);
    assert_eq!(turn("Look.", hands_to("editor")).handoff(), ("editor".to_owned(), "look at it".to_owned()));
    let by_rule = turn("Look.", TurnOutcome::Said).handoff();
    assert_eq!(by_rule, ("critic".to_owned(), "rule: last == 'Look.'".to_owned()));
    assert_eq!(turn("Other.", TurnOutcome::Said).handoff(), ("editor".to_owned(), "rule: true".to_owned()));
    let plain = json!([rule("writer", "editor", None), rule("writer", "critic", Some("turns > 9"))]);
    let turn = Turn::of(&plain, &json!({})).ends("x", TurnOutcome::Said);
    assert_eq!(turn.handoff(), ("editor".to_owned(), "rule".to_owned()));
}

#[test]
fn with_several_plain_rules_the_agent_is_asked_once_and_without_any_the_run_is_done() {
    let rules = json!([rule("writer", "editor", None), rule("writer", "critic", None)]);
    let mut turn = Turn::of(&rules, &json!({})).ends("A text.", TurnOutcome::Said);
    assert_eq!((turn.after(), turn.next()), (Ok(AfterTurn::Ask), Ok(to("writer"))));
    turn.end("I do not know.", TurnOutcome::Said, true);
    assert_eq!((turn.next(), turn.state.summary().as_deref()), (Ok(Next::End), Some("A text.")));
    let mut said = Turn::of(&rules, &json!({})).ends("A text.", TurnOutcome::Said);
    said.end("", hands_to("critic"), true);
    assert_eq!(said.next(), Ok(to("critic")));
    assert_eq!(Turn::of(&json!([]), &json!({})).ends("x", TurnOutcome::Said).next(), Ok(Next::End));
}

#[test]
fn a_condition_that_cannot_be_decided_fails_the_route_with_its_text() {
    for condition in ["state.score > 3", "'label'"] {
        let rules = json!([rule("writer", "critic", Some(condition))]);
        let error = Turn::of(&rules, &json!({})).ends("x", TurnOutcome::Said).next().unwrap_err();
        assert_eq!((error.code, error.message.contains(condition)), (BAD_CONDITION, true), "{error}");
    }
}

#[test]
fn unmet_success_criteria_are_told_three_times_and_then_a_person_decides() {
    let config = json!({"success_criteria": ["text_mention:the end"]});
    let mut turn = Turn::of(&json!([]), &config).ends("Done.", TurnOutcome::Finished);
    for _ in 0..3 {
        assert_eq!(turn.next(), Ok(Next::Check));
        let unmet = unmet(&turn.rules, &turn.state).unwrap();
        assert_eq!(unmet, ["text_mention:the end"]);
        turn = turn.then(TeamUpdate::Judged { unmet });
        assert_eq!(turn.next(), Ok(to("writer")));
        turn.end("Done.", TurnOutcome::Finished, false);
    }
    let unmet_now = unmet(&turn.rules, &turn.state).unwrap();
    turn = turn.then(TeamUpdate::Judged { unmet: unmet_now.clone() });
    assert_eq!(turn.next(), Ok(Next::Person(Concern::Unmet(unmet_now))));
    turn = turn.then(TeamUpdate::Continued { more_steps: 0 });
    assert_eq!(turn.next(), Ok(to("writer")), "the person lets it continue");
    turn.end("This is the end.", TurnOutcome::Finished, false);
    let held = unmet(&turn.rules, &turn.state).unwrap();
    assert_eq!(held, Vec::<String>::new());
    assert_eq!(turn.then(TeamUpdate::Judged { unmet: held }).next(), Ok(Next::End));
}

#[test]
fn at_the_limit_of_steps_a_person_decides() {
    let rules = json!([rule("writer", "critic", None)]);
    let turn = Turn::of(&rules, &json!({"max_steps": 1})).ends("x", TurnOutcome::Said);
    assert_eq!(turn.next(), Ok(Next::Person(Concern::Steps)));
    let allowed = turn.then(TeamUpdate::Continued { more_steps: 1 });
    assert_eq!((allowed.next(), steps_left(&allowed.rules, &allowed.state)), (Ok(to("critic")), 1));
    let finished = Turn::of(&rules, &json!({"max_steps": 1})).ends("x", TurnOutcome::Finished);
    assert_eq!(finished.next(), Ok(Next::End), "what is done needs no more steps");
    assert_eq!(Turn::of(&rules, &json!({})).rules.max_steps, 100);
    let accepted = Turn::of(&rules, &json!({"max_steps": 1})).ends("x", TurnOutcome::Said);
    assert_eq!(accepted.then(TeamUpdate::Accepted).next(), Ok(Next::End), "a person takes the work as it is");
}

#[test]
fn agents_that_send_each_other_back_and_forth_are_stopped() {
    let mut turn = Turn::of(&json!([]), &json!({})).ends("x", hands_to("critic"));
    for place in 1..=6 {
        let (from, to) = if place % 2 == 0 { ("critic", "writer") } else { ("writer", "critic") };
        turn = turn.then(TeamUpdate::HandedOff(Handoff::new(from, to, from, false)));
    }
    let concern = Concern::PingPong("critic".to_owned(), "writer".to_owned());
    assert_eq!(turn.next(), Ok(Next::Person(concern)));
    assert_eq!(turn.then(TeamUpdate::Continued { more_steps: 0 }).next(), Ok(to("critic")));
}

#[test]
fn a_person_approves_the_handoff_and_the_end_where_the_team_wants_it() {
    let rules = json!([rule("writer", "critic", None)]);
    let config = json!({"mode": "hitl", "human_intervention_points": ["handoff", "end"]});
    let turn = Turn::of(&rules, &config).ends("A text.", TurnOutcome::Said);
    assert_eq!(turn.next(), Ok(Next::Person(Concern::Handoff("critic".to_owned()))));
    let refused = turn.then(TeamUpdate::Approved(false));
    assert_eq!(refused.next(), Ok(to("writer")));
    let approved = refused.ends("Another.", TurnOutcome::Said).then(TeamUpdate::Approved(true));
    assert_eq!(approved.next(), Ok(to("critic")));
    let finished = approved.ends("Done.", TurnOutcome::Finished);
    assert_eq!(finished.next(), Ok(Next::Person(Concern::End)), "an approval holds for one turn");
    assert_eq!(finished.then(TeamUpdate::Approved(true)).next(), Ok(Next::End));
    let autonomous = json!({"human_intervention_points": ["handoff"]});
    let turn = Turn::of(&rules, &autonomous).ends("A text.", TurnOutcome::Said);
    assert_eq!(turn.next(), Ok(to("critic")), "a team that works by itself does not ask");
}
