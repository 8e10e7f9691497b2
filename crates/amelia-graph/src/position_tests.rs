use std::collections::BTreeMap;

use amelia_core::clock::{Clock, TickingClock};
use amelia_core::human::{HumanAction, OnTimeout};
use amelia_core::id::AgentName;
use proptest::prelude::*;

use super::*;

fn node(name: &str) -> NodeId {
    NodeId::new(name).unwrap()
}

fn ask(clock: &TickingClock) -> impl FnMut(HumanKind, String) -> HumanRequest {
    |kind, prompt| HumanRequest {
        id: RequestId(clock.new_id()),
        kind,
        by: AgentName::system(),
        at: clock.now(),
        prompt,
        context: serde_json::Value::Null,
        deadline: None,
        on_timeout: OnTimeout::default(),
        session: None,
        mode: None,
    }
}

fn at(breakpoints: &BTreeSet<NodeId>) -> impl Fn(&NodeId) -> Option<(HumanKind, String)> {
    |node| breakpoints.contains(node).then(|| (HumanKind::Breakpoint, format!("before {node}")))
}

fn fresh(limit: u32) -> Position {
    Position { limit: Step(limit), ..Position::default() }
}

#[test]
fn a_join_waits_for_every_source_and_counts_early_ones() {
    let joins = Joins::from([(node("m"), BTreeSet::from([node("a"), node("b")]))]);
    let mut position = fresh(9);
    arrive(&mut position, &joins, Some(&node("a")), &node("m"));
    arrive(&mut position, &joins, Some(&node("a")), &node("m"));
    assert_eq!(rest(&position, &joins), RestState::Starved { join: node("m"), missing: vec![node("b")] });
    arrive(&mut position, &joins, Some(&node("b")), &node("m"));
    assert_eq!(position.ready, BTreeMap::from([(node("m"), 1)]));
    arrive(&mut position, &joins, Some(&node("b")), &node("m"));
    assert_eq!(position.ready, BTreeMap::from([(node("m"), 2)]));
    assert!(position.arrived.is_empty());
}

#[test]
fn two_arrivals_are_two_visits_one_after_the_other() {
    let clock = TickingClock::default();
    let mut position = fresh(9);
    arrive(&mut position, &Joins::new(), None, &node("a"));
    arrive(&mut position, &Joins::new(), None, &node("a"));
    let first = enter(&mut position, |_| None, Seq(0), ask(&clock));
    assert_eq!(first.entered, [(node("a"), Step(1))]);
    assert_eq!(enter(&mut position, |_| None, Seq(0), ask(&clock)), Entering::default());
    position.entered.clear();
    let second = enter(&mut position, |_| None, Seq(3), ask(&clock));
    assert_eq!(second.entered, [(node("a"), Step(2))]);
}

#[test]
fn a_breakpoint_stops_once_per_visit() {
    let clock = TickingClock::default();
    let breakpoints = BTreeSet::from([node("a")]);
    let mut position = fresh(9);
    arrive(&mut position, &Joins::new(), None, &node("a"));
    let stopped = enter(&mut position, at(&breakpoints), Seq(0), ask(&clock));
    let [request] = stopped.requests.as_slice() else { panic!("{stopped:?}") };
    assert_eq!(rest(&position, &Joins::new()), RestState::Waiting(HumanKind::Breakpoint));
    assert_eq!(enter(&mut position, at(&breakpoints), Seq(0), ask(&clock)), Entering::default());

    let reply = approval(request, clock.now());
    assert_eq!(answer(&mut position, &reply, Step(9)), Ok(AnswerVerdict::GoOn));
    assert_eq!(answer(&mut position, &reply, Step(9)), Err(NotWaiting(request.id)));
    assert_eq!(enter(&mut position, at(&breakpoints), Seq(0), ask(&clock)).entered.len(), 1);

    position.entered.clear();
    arrive(&mut position, &Joins::new(), None, &node("a"));
    assert_eq!(enter(&mut position, at(&breakpoints), Seq(0), ask(&clock)).requests.len(), 1);
}

#[test]
fn the_step_limit_holds_the_run_until_it_is_raised() {
    let clock = TickingClock::default();
    let mut position = fresh(1);
    arrive(&mut position, &Joins::new(), None, &node("a"));
    arrive(&mut position, &Joins::new(), None, &node("b"));
    let entering = enter(&mut position, |_| None, Seq(0), ask(&clock));
    assert_eq!(entering.entered, [(node("a"), Step(1))]);
    let [request] = entering.requests.as_slice() else { panic!("{entering:?}") };
    assert_eq!(request.kind, HumanKind::StepLimit);
    position.entered.clear();
    assert_eq!(rest(&position, &Joins::new()), RestState::Waiting(HumanKind::StepLimit));

    let mut stopped = position.clone();
    let no = HumanReply { action: HumanAction::Reject, ..approval(request, clock.now()) };
    assert_eq!(answer(&mut stopped, &no, Step(1)), Ok(AnswerVerdict::Stop));

    assert_eq!(answer(&mut position, &approval(request, clock.now()), Step(1)), Ok(AnswerVerdict::GoOn));
    assert_eq!(position.limit, Step(2));
    let entering = enter(&mut position, |_| None, Seq(0), ask(&clock));
    assert_eq!(entering.entered, [(node("b"), Step(2))]);
}

#[test]
fn a_stop_that_a_node_makes_can_be_refused_and_a_question_of_a_node_cannot() {
    let clock = TickingClock::default();
    let verdict = |kind: HumanKind| {
        let mut position = fresh(9);
        arrive(&mut position, &Joins::new(), None, &node("a"));
        enter(&mut position, |_| None, Seq(0), ask(&clock));
        let request = ask(&clock)(kind, "?".to_owned());
        position.entered.get_mut(&node("a")).unwrap().ask(vec![request.clone()]);
        let no = HumanReply { action: HumanAction::Reject, ..approval(&request, clock.now()) };
        answer(&mut position, &no, Step(1))
    };
    assert_eq!(verdict(HumanKind::Breakpoint), Ok(AnswerVerdict::Stop));
    assert_eq!(verdict(HumanKind::Question), Ok(AnswerVerdict::GoOn));
}

/// A random tangle of nodes: whatever the order in which they finish, no arrival is lost and none is made up.
#[derive(Debug, Clone)]
struct Tangle {
    targets: Vec<Vec<usize>>,
    joins: BTreeMap<usize, BTreeSet<usize>>,
}

fn tangle() -> impl Strategy<Value = Tangle> {
    (2_usize..7).prop_flat_map(|count| {
        let targets = prop::collection::vec(prop::collection::vec(0..count, 0..3), count);
        (targets, any::<bool>()).prop_map(move |(mut targets, with_join)| {
            let mut joins = BTreeMap::new();
            if with_join && count > 3 {
                // The last node joins the two before it.
                let (join, sources) = (count - 1, BTreeSet::from([count - 2, count - 3]));
                targets.iter_mut().for_each(|targets| targets.retain(|target| *target != join));
                sources.iter().for_each(|source| targets[*source].push(join));
                joins.insert(join, sources);
            }
            Tangle { targets, joins }
        })
    })
}

fn name(number: usize) -> NodeId {
    node(&format!("n{number}"))
}

proptest! {
    #[test]
    fn no_arrival_is_lost_or_made_up(tangle in tangle(), choices in prop::collection::vec(any::<prop::sample::Index>(), 40)) {
        let clock = TickingClock::default();
        let joins: Joins = tangle.joins.iter()
            .map(|(join, sources)| (name(*join), sources.iter().map(|source| name(*source)).collect()))
            .collect();
        let mut position = fresh(1000);
        let mut arrivals = 1_usize;
        let mut left = 0_usize;
        let mut joined = 0_usize;
        arrive(&mut position, &Joins::new(), None, &name(0));
        for choice in choices {
            enter(&mut position, |_| None, Seq(0), ask(&clock));
            // What is saved is what goes on: a position survives being written and read.
            let text = serde_json::to_string(&position).unwrap();
            position = serde_json::from_str(&text).unwrap();

            let entered: Vec<NodeId> = position.entered.keys().cloned().collect();
            if entered.is_empty() { break; }
            let done = &entered[choice.index(entered.len())];
            position.entered.remove(done);
            left += 1;
            let number: usize = done.as_str()[1..].parse().unwrap();
            for target in &tangle.targets[number] {
                arrive(&mut position, &joins, Some(done), &name(*target));
                arrivals += 1;
            }
            let waiting: u32 = position.ready.values().sum();
            let in_joins: u32 = position.arrived.values().flat_map(BTreeMap::values).sum();
            // An activation of a join has used up one arrival of each of its two sources.
            joined += usize::from(tangle.joins.contains_key(&number));
            let join_pending: usize = tangle.joins.keys().map(|join| {
                position.ready.get(&name(*join)).copied().unwrap_or(0) as usize
                    + usize::from(position.entered.contains_key(&name(*join)))
            }).sum();
            let activations = left + position.entered.len() + waiting as usize;
            prop_assert_eq!(activations + in_joins as usize + joined + join_pending, arrivals);
            prop_assert_eq!(position.steps.0 as usize, left + position.entered.len());
        }
    }
}

#[test]
fn a_visit_with_two_questions_runs_again_when_both_are_answered() {
    let clock = TickingClock::default();
    let mut position = fresh(9);
    arrive(&mut position, &Joins::new(), None, &node("a"));
    enter(&mut position, |_| None, Seq(0), ask(&clock));
    let asked = ["first", "second"].map(|prompt| ask(&clock)(HumanKind::Question, prompt.to_owned()));
    position.entered.get_mut(&node("a")).unwrap().ask(asked.to_vec());
    let stored: Position = serde_json::from_value(serde_json::to_value(&position).unwrap()).unwrap();
    assert_eq!(stored, position);
    assert_eq!(
        requests(&position).map(|request| request.id).collect::<Vec<_>>(),
        asked.each_ref().map(|r| r.id)
    );
    answer(&mut position, &approval(&asked[1], clock.now()), Step(9)).unwrap();
    assert_eq!(rest(&position, &Joins::new()), RestState::Waiting(HumanKind::Question));
    assert_eq!(requests(&position).map(|request| request.id).collect::<Vec<_>>(), [asked[0].id]);
    answer(&mut position, &approval(&asked[0], clock.now()), Step(9)).unwrap();
    assert_eq!(rest(&position, &Joins::new()), RestState::Busy);
    let answers = position.entered[&node("a")].answers();
    assert_eq!(
        answers.iter().map(|one| one.request.prompt.as_str()).collect::<Vec<_>>(),
        ["first", "second"]
    );
}

#[test]
fn a_synchronous_question_holds_what_is_not_entered_and_others_do_not() {
    let clock = TickingClock::default();
    for (mode, entered) in [(None, 1), (Some(WaitMode::Asynchronous), 1), (Some(WaitMode::Synchronous), 0)] {
        let mut position = fresh(9);
        let request = HumanRequest { mode, ..ask(&clock)(HumanKind::Approval, String::new()) };
        let visit = Visit {
            asking: VisitQuestion::Waiting(Box::new(request.clone())),
            ..Visit::new(Step(1), Seq(0))
        };
        position.entered.insert(node("a"), visit);
        position.steps = Step(1);
        arrive(&mut position, &Joins::new(), None, &node("b"));
        let entering = enter(&mut position, |_| None, Seq(0), ask(&clock));
        assert_eq!(entering.entered.len(), entered, "{mode:?}");
        let reply = HumanReply::go_on(request.id, clock.now());
        answer(&mut position, &reply, Step(9)).unwrap();
        let entering = enter(&mut position, |_| None, Seq(0), ask(&clock));
        assert_eq!(entering.entered.len(), 1 - entered, "{mode:?}");
    }
}

#[test]
fn a_no_to_a_gate_inside_a_visit_stops_the_run() {
    let clock = TickingClock::default();
    let asked = |context: serde_json::Value| {
        let mut position = fresh(9);
        let request = HumanRequest { context, ..ask(&clock)(HumanKind::Approval, String::new()) };
        let asking = VisitQuestion::Waiting(Box::new(request.clone()));
        position.entered.insert(node("a"), Visit { asking, ..Visit::new(Step(1), Seq(0)) });
        let reply = HumanReply { action: HumanAction::Reject, ..HumanReply::go_on(request.id, clock.now()) };
        answer(&mut position, &reply, Step(9)).unwrap()
    };
    assert_eq!(asked(serde_json::json!({"stop": {"rule": "approve agent:a"}})), AnswerVerdict::Stop);
    assert_eq!(asked(serde_json::json!({})), AnswerVerdict::GoOn, "what a node asks is answered to it");
}
