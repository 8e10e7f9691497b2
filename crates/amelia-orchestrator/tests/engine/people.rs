use std::collections::BTreeSet;

use amelia_core::human::{HumanAction, HumanKind, HumanReply};
use amelia_core::id::{AgentName, NodeId, RequestId};
use amelia_core::permission::{GrantDuration, PermissionGrant};
use amelia_core::run::{RunSpec, RunStatus};
use amelia_graph::control::{ControlError, control};
use amelia_graph::engine::{EngineError, Stop};
use amelia_graph::graph::{END, Graph};
use amelia_graph::node::NodeCx;
use amelia_graph::position::NotWaiting;
use amelia_orchestrator::runs::Move;

use crate::toy::{Notes, Tries, World, asks, does, note, works, yes};

fn three_questions(tries: &Tries) -> Graph<Notes> {
    Graph::builder("toy")
        .entry("split")
        .node("split", works(tries))
        .fork(["a", "b", "c", "busy"])
        .node("a", asks())
        .edge("merge")
        .node("b", asks())
        .edge("merge")
        .node("c", asks())
        .edge("merge")
        .node("busy", works(tries))
        .edge("merge")
        .node("merge", works(tries))
        .join(["a", "b", "c", "busy"])
        .edge(END)
        .build()
        .unwrap()
}

#[tokio::test]
async fn answers_to_parallel_questions_never_mix() {
    let (world, tries) = (World::new(), Tries::default());
    let graph = three_questions(&tries);
    let run = world.create().await;
    assert_eq!(world.go(run, &graph).await, Ok(Stop::Waiting(HumanKind::Approval)));
    let mut pending = world.pending(run).await;
    assert_eq!(pending.len(), 3);
    pending.reverse();
    for request in &pending {
        world.reply(run, &graph, yes(request, &request.prompt)).await.unwrap();
    }
    let notes = world.notes(run).await;
    for node in ["a", "b", "c"] {
        assert_eq!(notes.of(node), [format!("yes may {node} go on?")]);
    }
    assert_eq!(
        (tries.of("split"), tries.of("busy"), tries.of("merge")),
        (1, 1, 1),
        "siblings never run again"
    );
    assert_eq!(world.store.run(run).await.unwrap().unwrap().view.status, RunStatus::Completed);
}

#[tokio::test]
async fn a_rule_is_granted_with_a_yes_and_holds_in_the_same_life() {
    let world = World::new();
    let seen = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let looks = {
        let seen = std::sync::Arc::clone(&seen);
        does(move |cx: &NodeCx, _: &Notes| {
            let of = |agent: &str| cx.granted(&AgentName::new(agent).unwrap());
            seen.lock().unwrap().push((of("developer"), of("reviewer")));
            Box::pin(async move { Ok(note(cx, "looked")) })
        })
    };
    let graph = Graph::builder("toy")
        .entry("a")
        .node("a", asks())
        .edge("b")
        .node("b", looks)
        .edge("c")
        .node("c", asks())
        .edge(END)
        .build()
        .unwrap();
    let run = world.create().await;
    world.go(run, &graph).await.unwrap();
    let (agent, rule) = (AgentName::new("developer").unwrap(), "Bash(make)".to_owned());
    let grant = PermissionGrant { agent, rule, lasts: GrantDuration::Run };
    let request = world.pending(run).await.remove(0);
    let answer = HumanReply { grant: Some(grant.clone()), ..yes(&request, "") };
    world.reply(run, &graph, answer).await.unwrap();
    assert_eq!(*seen.lock().unwrap(), [(vec!["Bash(make)".to_owned()], vec![])], "in the same life");
    let view = world.store.run(run).await.unwrap().unwrap().view;
    assert_eq!(view.granted, std::slice::from_ref(&grant));
    // A no grants nothing, whatever comes with it.
    let request = world.pending(run).await.remove(0);
    let other = PermissionGrant { rule: "Edit".to_owned(), ..grant.clone() };
    let no = HumanReply { action: HumanAction::Reject, grant: Some(other), ..yes(&request, "") };
    world.reply(run, &graph, no).await.unwrap();
    assert_eq!(world.store.run(run).await.unwrap().unwrap().view.granted, [grant]);
}

#[tokio::test]
async fn the_first_answer_counts_and_strangers_are_refused() {
    let (world, tries) = (World::new(), Tries::default());
    let graph = three_questions(&tries);
    let run = world.create().await;
    world.go(run, &graph).await.unwrap();
    let request = world.pending(run).await.remove(0);
    let before = world.log(run).await;
    let stranger = HumanReply { request: RequestId(run.0), ..yes(&request, "") };
    let refused = world.reply(run, &graph, stranger).await;
    assert_eq!(refused, Err(EngineError::NotWaiting(NotWaiting(RequestId(run.0)))));
    assert_eq!(world.log(run).await, before, "nothing was written");

    world.reply(run, &graph, yes(&request, "first")).await.unwrap();
    let again = world.reply(run, &graph, yes(&request, "second")).await;
    assert_eq!(again, Err(EngineError::NotWaiting(NotWaiting(request.id))));
}

#[tokio::test]
async fn a_run_that_waits_stays_put_without_an_answer() {
    let (world, tries) = (World::new(), Tries::default());
    let graph = three_questions(&tries);
    let run = world.create().await;
    world.go(run, &graph).await.unwrap();
    let before = world.log(run).await;
    assert_eq!(world.go(run, &graph).await, Ok(Stop::Waiting(HumanKind::Approval)));
    assert_eq!(world.log(run).await, before);
}

#[tokio::test]
async fn a_no_reaches_the_node_that_asked() {
    let world = World::new();
    let graph = Graph::builder("toy").entry("a").node("a", asks()).edge(END).build().unwrap();
    let run = world.create().await;
    world.go(run, &graph).await.unwrap();
    let request = world.pending(run).await.remove(0);
    let no = HumanReply { action: HumanAction::Reject, ..yes(&request, "not like this") };
    assert_eq!(world.reply(run, &graph, no).await, Ok(Stop::Completed));
    assert_eq!(world.notes(run).await.of("a"), ["no not like this"]);
}

#[tokio::test]
async fn a_breakpoint_stops_before_its_node_and_a_no_ends_the_run() {
    for (action, stop, visits) in
        [(HumanAction::Approve, Stop::Completed, 1), (HumanAction::Reject, Stop::Cancelled, 0)]
    {
        let (world, tries) = (World::new(), Tries::default());
        let graph = Graph::builder("toy")
            .entry("a")
            .node("a", works(&tries))
            .edge("b")
            .node("b", works(&tries))
            .edge(END)
            .build()
            .unwrap();
        let spec = RunSpec { breakpoints: BTreeSet::from([NodeId::new("b").unwrap()]), ..World::spec() };
        let run = world.runs.create(spec).await.unwrap();
        assert_eq!(world.go(run, &graph).await, Ok(Stop::Waiting(HumanKind::Breakpoint)));
        assert_eq!((tries.of("a"), tries.of("b")), (1, 0));
        let request = world.pending(run).await.remove(0);
        let reply = HumanReply { action, ..yes(&request, "") };
        assert_eq!(world.reply(run, &graph, reply).await, Ok(stop));
        assert_eq!((tries.of("a"), tries.of("b")), (1, visits));
    }
}

#[tokio::test]
async fn a_question_is_answered_while_other_branches_go_on() {
    let world = World::new();
    let (release, gate) = tokio::sync::watch::channel(false);
    let busy = does(move |cx: &NodeCx, _: &Notes| {
        let mut gate = gate.clone();
        Box::pin(async move {
            gate.wait_for(|open| *open).await.unwrap();
            Ok(note(cx, "worked"))
        })
    });
    let graph = Graph::builder("toy")
        .entry("split")
        .node("split", works(&Tries::default()))
        .fork(["a", "busy"])
        .node("a", asks())
        .edge(END)
        .node("busy", busy)
        .edge(END)
        .build()
        .unwrap();
    let run = world.create().await;
    let (handle, inbox) = control();
    let mut watch = world.runs.watch(run, amelia_core::id::Seq::START);
    let moving = world.runs.run(run, &graph, Notes::default(), Move { inbox, ..Move::default() });
    let answering = async {
        while watch.next().await.unwrap().draft.kind.name() != "human.requested" {}
        let request = world.pending(run).await.remove(0);
        assert_eq!(world.store.run(run).await.unwrap().unwrap().view.status, RunStatus::Running);
        handle.reply(yes(&request, "now")).await.unwrap();
        let again = handle.reply(yes(&request, "again")).await;
        assert_eq!(again, Err(ControlError::NotWaiting(NotWaiting(request.id))));
        while watch.next().await.unwrap().draft.kind.name() != "node.left" {}
        release.send(true).unwrap();
    };
    let (stop, ()) = tokio::join!(moving, answering);
    assert_eq!(stop, Ok(Stop::Completed));
    assert_eq!(world.notes(run).await.of("a"), ["yes now"]);
    assert_eq!(handle.pause().await, Err(ControlError::NotRunning));
}
