use amelia_core::config::team::plan::first_plan;
use amelia_core::object::Object;
use amelia_core::plan::TaskStatus;
use amelia_graph::state::State as _;
use jiff::Timestamp;
use serde_json::json;

use super::tests::team;
use super::*;
use crate::chat::{ChatUpdate, TeamUpdate};

/// A team with a rule from the writer to the critic, and a plan with two tasks, one behind the other.
fn begun() -> (TeamRules, Chat) {
    let mut team = team(&json!([{"from_agent": "writer", "to_agent": "critic"}]));
    team.plan = serde_json::from_value(json!([
        {"description": "Look", "agent": "critic"},
        {"description": "Write", "dependencies": ["1"]},
    ]))
    .unwrap();
    let mut state = Chat::begin("Write", Object::new(), Timestamp::UNIX_EPOCH);
    state.team.plan = first_plan(&team.plan, "Write");
    (TeamRules::read(&team).unwrap(), state)
}

fn node(name: &str) -> Result<Next, RouteError> {
    Ok(Next::Node(name.to_owned()))
}

/// The tasks get these statuses, as a visit of the plan leaves them.
fn set(state: &mut Chat, statuses: &[(&str, TaskStatus)]) {
    let mut plan = state.team.plan.clone();
    for (id, status) in statuses {
        plan.set_status(id, *status);
    }
    let (tasks, failed) = crate::team::plan::changes(&state.team.plan, &plan);
    state.apply(ChatUpdate::Team(TeamUpdate::Planned { tasks, failed }));
}

fn end(state: &mut Chat, outcome: TurnOutcome) {
    let end = TurnEnd::new("writer", "Words.".to_owned(), outcome);
    state.apply(ChatUpdate::Team(TeamUpdate::TurnEnded(end)));
}

#[test]
fn tasks_that_can_start_come_before_the_first_turn() {
    let (rules, mut state) = begun();
    assert_eq!(decide(&rules, &state), node(PLAN));
    set(&mut state, &[("1", TaskStatus::Completed)]);
    assert_eq!(decide(&rules, &state), node(PLAN), "the next one can start");
    set(&mut state, &[("2", TaskStatus::Completed)]);
    assert_eq!(decide(&rules, &state), node("writer"));
}

#[test]
fn tasks_come_after_a_turn_that_ends_with_words_and_before_the_rules() {
    let (rules, mut state) = begun();
    end(&mut state, TurnOutcome::Said);
    assert_eq!(decide(&rules, &state), node(PLAN));
    set(&mut state, &[("1", TaskStatus::Completed), ("2", TaskStatus::Completed)]);
    state.apply(ChatUpdate::Team(TeamUpdate::Returned));
    assert_eq!(decide(&rules, &state), node("writer"), "it hears the results");
    end(&mut state, TurnOutcome::Said);
    assert_eq!(decide(&rules, &state), node("critic"), "the rules hold again");
}

#[test]
fn a_handoff_the_result_and_the_choice_of_a_person_come_before_tasks() {
    let (rules, mut state) = begun();
    let handoff =
        TurnOutcome::HandedOff { to: "critic".to_owned(), reason: "go".to_owned(), context: Object::new() };
    end(&mut state, handoff);
    assert_eq!(decide(&rules, &state), node("critic"));
    end(&mut state, TurnOutcome::Finished);
    assert_eq!(decide(&rules, &state), Ok(Next::End));
    let (rules, mut state) = begun();
    state.apply(ChatUpdate::Team(TeamUpdate::Overridden { next_agent: "editor".to_owned() }));
    assert_eq!(decide(&rules, &state), node("editor"));
}

#[test]
fn a_person_is_asked_about_tasks_that_failed_once() {
    let (rules, mut state) = begun();
    set(&mut state, &[("1", TaskStatus::Failed)]);
    let asked = Ok(Next::Person(Concern::FailedTasks(vec!["1".to_owned()])));
    assert_eq!(decide(&rules, &state), asked);
    state.apply(ChatUpdate::Team(TeamUpdate::Continued { more_steps: 0 }));
    assert_eq!(decide(&rules, &state), node("writer"), "the task behind it is skipped");
    set(&mut state, &[("1", TaskStatus::Pending)]);
    assert_eq!(decide(&rules, &state), node(PLAN), "opened again");
    set(&mut state, &[("1", TaskStatus::Failed)]);
    assert_eq!(decide(&rules, &state), asked, "it has failed again");
}

#[test]
fn at_the_limit_of_steps_no_task_starts() {
    let (rules, mut state) = begun();
    state.used.steps = rules.max_steps;
    assert_eq!(decide(&rules, &state), Ok(Next::Person(Concern::Steps)));
}
