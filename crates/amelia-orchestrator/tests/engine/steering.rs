use std::collections::BTreeSet;

use amelia_core::event::run::Steering;
use amelia_core::event::{EventKind, NodeEvent, RunEvent};
use amelia_core::human::{HumanKind, HumanReply};
use amelia_core::id::{AgentName, NodeId, RunId, Seq};
use amelia_core::permission::{GrantDuration, PermissionGrant};
use amelia_core::run::RunSpec;
use amelia_core::stop_rule::StopRule;
use amelia_graph::control::control;
use amelia_graph::engine::Stop;
use amelia_graph::graph::{END, Graph};
use amelia_graph::node::NodeCx;
use amelia_orchestrator::runs::Move;

use crate::toy::{Notes, Tries, World, asks, does, note, works, yes};

fn node(name: &str) -> NodeId {
    NodeId::new(name).unwrap()
}

fn line(tries: &Tries) -> Graph<Notes> {
    Graph::builder("toy")
        .entry("a")
        .node("a", works(tries))
        .edge("b")
        .node("b", asks())
        .edge("c")
        .node("c", works(tries))
        .edge("d")
        .node("d", works(tries))
        .edge(END)
        .build()
        .unwrap()
}

async fn stopped_at(world: &World, graph: &Graph<Notes>, names: &[&str]) -> RunId {
    let breakpoints = names.iter().map(|name| node(name)).collect();
    let run = world.runs.create(RunSpec { breakpoints, ..World::spec() }).await.unwrap();
    assert_eq!(world.go(run, graph).await, Ok(Stop::Waiting(HumanKind::Breakpoint)));
    run
}

/// One step from wherever it has stopped.
async fn step(world: &World, run: RunId, graph: &Graph<Notes>) -> Stop {
    let request = world.pending(run).await.remove(0);
    world.reply(run, graph, HumanReply::one_step(request.id, request.at)).await.unwrap()
}

async fn entered(world: &World, run: RunId) -> Vec<String> {
    let log = world.store.events(run, Seq::START, 500).await.unwrap();
    let nodes = log.into_iter().filter_map(|event| match event.draft.kind {
        EventKind::Node(NodeEvent::Entered { node, .. }) => Some(node.to_string()),
        _ => None,
    });
    nodes.collect()
}

#[tokio::test]
async fn a_step_is_one_node_also_when_it_asks_and_the_last_one_ends_the_run() {
    let (world, tries) = (World::new(), Tries::default());
    let graph = line(&tries);
    let run = stopped_at(&world, &graph, &["a"]).await;
    assert_eq!(step(&world, run, &graph).await, Stop::Waiting(HumanKind::Step));
    assert_eq!(entered(&world, run).await, ["a"]);
    assert_eq!(step(&world, run, &graph).await, Stop::Waiting(HumanKind::Approval), "its own question first");
    let question = world.pending(run).await.remove(0);
    let answered = world.reply(run, &graph, yes(&question, "")).await;
    assert_eq!(answered, Ok(Stop::Waiting(HumanKind::Step)), "an answer to a node does not end the step");
    assert_eq!(entered(&world, run).await, ["a", "b"]);
    assert_eq!(step(&world, run, &graph).await, Stop::Waiting(HumanKind::Step));
    assert_eq!(step(&world, run, &graph).await, Stop::Completed);
    assert_eq!(entered(&world, run).await, ["a", "b", "c", "d"]);
}

fn row_of_works(tries: &Tries) -> Graph<Notes> {
    let graph = Graph::builder("toy").entry("a").node("a", works(tries)).edge("b");
    graph.node("b", works(tries)).edge("c").node("c", works(tries)).edge(END).build().unwrap()
}

/// Where a run stops that has these rules from its beginning: each question, until it is done.
async fn stops_by(rules: &[&str]) -> Vec<String> {
    let (world, tries) = (World::new(), Tries::default());
    let graph = row_of_works(&tries);
    let stops = rules.iter().map(|rule| StopRule::parse(rule).unwrap()).collect();
    let run = world.runs.create(RunSpec { stops, ..World::spec() }).await.unwrap();
    let mut stop = world.go(run, &graph).await.unwrap();
    let mut asked = Vec::new();
    while stop == Stop::Waiting(HumanKind::Breakpoint) {
        let request = world.pending(run).await.remove(0);
        asked.push(request.prompt.clone());
        stop = world.reply(run, &graph, HumanReply::go_on(request.id, request.at)).await.unwrap();
    }
    assert_eq!(stop, Stop::Completed);
    asked
}

#[tokio::test]
async fn a_condition_decides_whether_a_run_stops_before_a_node_and_an_undecided_one_stops_it() {
    let asked = stops_by(&["node:a if a", "node:b if a", "node:c if ?"]).await;
    assert_eq!(
        asked,
        [
            "breakpoint node:b if a, before `b`: continue?",
            "breakpoint node:c if ? (its condition cannot be evaluated: nothing is known), before `c`: continue?",
        ]
    );
}

#[tokio::test]
async fn a_run_stops_for_an_event_before_its_next_node() {
    assert_eq!(
        stops_by(&["event:node.left"]).await,
        [
            "breakpoint event:node.left, before `b`: continue?",
            "breakpoint event:node.left, before `c`: continue?"
        ]
    );
    assert_eq!(stops_by(&["event:node.entered if b"]).await.len(), 1, "only once `b` has left a note");
    assert_eq!(stops_by(&["event:task.checked"]).await, [""; 0]);
}

#[tokio::test]
async fn any_other_answer_to_a_stop_lets_it_go_on_as_far_as_it_can() {
    let (world, tries) = (World::new(), Tries::default());
    let graph = line(&tries);
    let run = stopped_at(&world, &graph, &["a", "d"]).await;
    assert_eq!(step(&world, run, &graph).await, Stop::Waiting(HumanKind::Step));
    let request = world.pending(run).await.remove(0);
    let gone_on = world.reply(run, &graph, HumanReply::go_on(request.id, request.at)).await;
    assert_eq!(gone_on, Ok(Stop::Waiting(HumanKind::Approval)));
    let question = world.pending(run).await.remove(0);
    let answered = world.reply(run, &graph, yes(&question, "")).await;
    assert_eq!(answered, Ok(Stop::Waiting(HumanKind::Breakpoint)), "past `c`, up to the next breakpoint");
    assert_eq!(entered(&world, run).await, ["a", "b", "c"]);
}

#[tokio::test]
async fn branches_are_stepped_through_one_by_one() {
    let (world, tries) = (World::new(), Tries::default());
    let graph = Graph::builder("toy")
        .entry("split")
        .node("split", works(&tries))
        .fork(["a", "b"])
        .node("a", works(&tries))
        .edge("merge")
        .node("b", works(&tries))
        .edge("merge")
        .node("merge", works(&tries))
        .join(["a", "b"])
        .edge(END)
        .build()
        .unwrap();
    let run = stopped_at(&world, &graph, &["split"]).await;
    for (count, _) in ["split", "a", "b"].iter().enumerate() {
        assert_eq!(step(&world, run, &graph).await, Stop::Waiting(HumanKind::Step));
        assert_eq!(entered(&world, run).await.len(), count + 1);
    }
    assert_eq!(step(&world, run, &graph).await, Stop::Completed);
    assert_eq!(entered(&world, run).await, ["split", "a", "b", "merge"]);
}

/// `a` works until the gate opens; what the run is told meanwhile is told by `tell`.
async fn told_at_work(steerings: Vec<Steering>) -> (World, RunId, Stop, Graph<Notes>) {
    let world = World::new();
    let (release, gate) = tokio::sync::watch::channel(false);
    let busy = does(move |cx: &NodeCx, _: &Notes| {
        let mut gate = gate.clone();
        Box::pin(async move {
            gate.wait_for(|open| *open).await.unwrap();
            Ok(note(cx, "worked"))
        })
    });
    let tries = Tries::default();
    let graph = Graph::builder("toy")
        .entry("a")
        .node("a", busy)
        .edge("b")
        .node("b", works(&tries))
        .edge("c")
        .node("c", works(&tries))
        .edge(END)
        .build()
        .unwrap();
    let run = world.create().await;
    let (handle, inbox) = control();
    let mut watch = world.runs.watch(run, Seq::START);
    let moving = world.runs.run(run, &graph, Notes::default(), Move { inbox, ..Move::default() });
    let telling = async {
        while watch.next().await.unwrap().draft.kind.name() != "node.entered" {}
        for steering in steerings {
            handle.steer(steering).await.unwrap();
        }
        release.send(true).unwrap();
    };
    let (stop, ()) = tokio::join!(moving, telling);
    (world, run, stop.unwrap(), graph)
}

#[tokio::test]
async fn a_run_at_work_stops_before_its_next_node_and_can_be_told_otherwise() {
    let (world, run, stop, graph) = told_at_work(vec![Steering::Step]).await;
    assert_eq!(stop, Stop::Waiting(HumanKind::Step));
    assert_eq!(entered(&world, run).await, ["a"]);
    assert_eq!(step(&world, run, &graph).await, Stop::Waiting(HumanKind::Step));
    assert_eq!(entered(&world, run).await, ["a", "b"]);
    let (_, _, stop, _) = told_at_work(vec![Steering::Step, Steering::Continue]).await;
    assert_eq!(stop, Stop::Completed);
}

#[tokio::test]
async fn breakpoints_change_at_work_and_hold_for_whoever_takes_the_run_up() {
    let set = |names: &[&str]| Steering::Breakpoints(names.iter().map(|name| node(name)).collect());
    let (world, run, stop, graph) = told_at_work(vec![set(&["b"]), set(&["b", "c"])]).await;
    assert_eq!(stop, Stop::Waiting(HumanKind::Breakpoint));
    let row = world.store.run(run).await.unwrap().unwrap();
    assert_eq!(row.breakpoints(), &BTreeSet::from([node("b"), node("c")]));
    let request = world.pending(run).await.remove(0);
    // Another life knows them from the log.
    let stop = world.reply(run, &graph, HumanReply::go_on(request.id, request.at)).await;
    assert_eq!(stop, Ok(Stop::Waiting(HumanKind::Breakpoint)));
    assert_eq!(entered(&world, run).await, ["a", "b"]);
}

#[tokio::test]
async fn a_rule_that_is_removed_at_work_holds_no_more_at_once() {
    let world = World::new();
    let (release, gate) = tokio::sync::watch::channel(false);
    let agent = || AgentName::new("developer").unwrap();
    let busy = does(move |cx: &NodeCx, _: &Notes| {
        let mut gate = gate.clone();
        let before = cx.granted(&agent());
        Box::pin(async move {
            gate.wait_for(|open| *open).await.unwrap();
            Ok(note(cx, format!("{before:?} then {:?}", cx.granted(&agent()))))
        })
    });
    let graph = Graph::builder("toy").entry("a").node("a", busy).edge(END).build().unwrap();
    let run = world.create().await;
    let at_rest = world.runs.at_rest(run).await.unwrap().unwrap();
    let rule = || "Bash(make)".to_owned();
    let grant = |rule| PermissionGrant { agent: agent(), rule, lasts: GrantDuration::Run };
    let granted =
        [rule(), "Edit".to_owned()].map(|rule| EventKind::Run(RunEvent::PermissionGranted(grant(rule))));
    world.runs.record(&at_rest, granted.into()).await.unwrap();
    drop(at_rest);
    let (handle, inbox) = control();
    let mut watch = world.runs.watch(run, Seq::START);
    let moving = world.runs.run(run, &graph, Notes::default(), Move { inbox, ..Move::default() });
    let telling = async {
        while watch.next().await.unwrap().draft.kind.name() != "node.entered" {}
        handle.steer(Steering::RemoveRule { agent: agent(), rule: rule() }).await.unwrap();
        release.send(true).unwrap();
    };
    let (stop, ()) = tokio::join!(moving, telling);
    assert_eq!(stop, Ok(Stop::Completed));
    assert_eq!(world.notes(run).await.of("a"), [r#"["Bash(make)", "Edit"] then ["Edit"]"#]);
    let row = world.store.run(run).await.unwrap().unwrap();
    assert_eq!(row.view.granted, [grant("Edit".to_owned())]);
}

#[tokio::test]
async fn a_question_stands_although_its_breakpoint_is_gone() {
    let (world, tries) = (World::new(), Tries::default());
    let graph = line(&tries);
    let run = stopped_at(&world, &graph, &["a"]).await;
    let at_rest = world.runs.at_rest(run).await.unwrap().unwrap();
    let none = EventKind::Run(RunEvent::Steered(Steering::Breakpoints(BTreeSet::new())));
    world.runs.record(&at_rest, vec![none]).await.unwrap();
    drop(at_rest);
    assert_eq!(step(&world, run, &graph).await, Stop::Waiting(HumanKind::Step));
    assert_eq!((entered(&world, run).await, world.pending(run).await.len()), (vec!["a".to_owned()], 1));
}
