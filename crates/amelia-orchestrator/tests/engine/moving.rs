use amelia_core::problem::Hinted;
use amelia_core::run::RunStatus;
use amelia_graph::control::control;
use amelia_graph::engine::{EngineError, Stop};
use amelia_graph::graph::{END, Graph};
use amelia_graph::node::{NodeCx, NodeError};
use amelia_orchestrator::runs::Move;
use tokio_util::sync::CancellationToken;

use crate::toy::{Notes, Tries, World, does, hangs, note, works};

fn looping(tries: &Tries, limit: u32) -> Graph<Notes> {
    Graph::builder("toy")
        .entry("develop")
        .node("develop", works(tries))
        .edge("review")
        .node("review", works(tries))
        .route(|notes: &Notes| if notes.count("review") < 3 { "develop" } else { END }, ["develop", END])
        .limit(limit)
        .build()
        .unwrap()
}

fn diamond(tries: &Tries) -> Graph<Notes> {
    Graph::builder("toy")
        .entry("split")
        .node("split", works(tries))
        .fork(["left", "right"])
        .node("left", works(tries))
        .edge("merge")
        .node("right", works(tries))
        .edge("merge")
        .node("merge", works(tries))
        .join(["left", "right"])
        .edge(END)
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_loop_runs_until_its_route_leaves_it() {
    let (world, tries) = (World::new(), Tries::default());
    let run = world.create().await;
    assert_eq!(world.go(run, &looping(&tries, 50)).await, Ok(Stop::Completed));
    insta::assert_snapshot!(world.log(run).await.replace(", 1 ms", ""), @r"
    1 run.created: created: a toy run
    2 run.started: started
    3 node.entered: develop entered (step 1)
    4 node.left: develop left (step 1)
    5 node.entered: review entered (step 2)
    6 node.left: review left (step 2)
    7 node.entered: develop entered (step 3)
    8 node.left: develop left (step 3)
    9 node.entered: review entered (step 4)
    10 node.left: review left (step 4)
    11 node.entered: develop entered (step 5)
    12 node.left: develop left (step 5)
    13 node.entered: review entered (step 6)
    14 node.left: review left (step 6)
    15 run.completed: completed
    ");
    let view = world.store.run(run).await.unwrap().unwrap().view;
    assert_eq!(view.status, RunStatus::Completed);
    assert_eq!(
        view.nodes.values().map(|node| (node.visits, node.active)).collect::<Vec<_>>(),
        [(3, 0), (3, 0)]
    );
}

#[tokio::test]
async fn an_ended_run_does_not_move_again() {
    let (world, tries) = (World::new(), Tries::default());
    let run = world.create().await;
    world.go(run, &looping(&tries, 50)).await.unwrap();
    assert_eq!(world.go(run, &looping(&tries, 50)).await, Err(EngineError::Ended(run)));
}

#[tokio::test]
async fn a_join_runs_once_after_both_branches() {
    let (world, tries) = (World::new(), Tries::default());
    let run = world.create().await;
    assert_eq!(world.go(run, &diamond(&tries)).await, Ok(Stop::Completed));
    for node in ["split", "left", "right", "merge"] {
        assert_eq!((tries.of(node), world.notes(run).await.count(node)), (1, 1), "{node}");
    }
}

#[tokio::test]
async fn a_join_that_can_never_be_complete_is_named() {
    let (world, tries) = (World::new(), Tries::default());
    let graph = Graph::builder("toy")
        .entry("split")
        .node("split", works(&tries))
        .fork(["left", "right"])
        .node("left", works(&tries))
        .edge("merge")
        .node("right", works(&tries))
        .route(|_| END, ["merge", END])
        .node("merge", works(&tries))
        .join(["left", "right"])
        .edge(END)
        .build()
        .unwrap();
    let run = world.create().await;
    let Ok(Stop::Failed(failure)) = world.go(run, &graph).await else { panic!("it should fail") };
    assert_eq!(failure.code, "join_starved");
    assert_eq!(failure.message, "the join at `merge` will never be complete: right did not arrive");
}

#[tokio::test]
async fn a_failing_node_lets_its_sibling_finish_and_is_tried_again() {
    let (world, tries) = (World::new(), Tries::default());
    let flaky = {
        let tries = tries.clone();
        does(move |cx: &NodeCx, _: &Notes| {
            let tries = tries.clone();
            Box::pin(async move {
                match tries.add("left") {
                    1 => Err(NodeError::new("no_luck", "try again later")),
                    _ => Ok(note(cx, "worked")),
                }
            })
        })
    };
    let slow = {
        let tries = tries.clone();
        does(move |cx: &NodeCx, _: &Notes| {
            let tries = tries.clone();
            Box::pin(async move {
                tries.add("right");
                tokio::task::yield_now().await;
                Ok(note(cx, "worked"))
            })
        })
    };
    let graph = Graph::builder("toy")
        .entry("split")
        .node("split", works(&tries))
        .fork(["left", "right"])
        .node("left", flaky)
        .edge("merge")
        .node("right", slow)
        .edge("merge")
        .node("merge", works(&tries))
        .join(["left", "right"])
        .edge(END)
        .build()
        .unwrap();
    let run = world.create().await;
    let Ok(Stop::Failed(failure)) = world.go(run, &graph).await else { panic!("it should fail") };
    assert_eq!((failure.code.as_str(), failure.node.unwrap().as_str()), ("no_luck", "left"));
    assert_eq!(world.notes(run).await.count("right"), 1, "the sibling's work is kept");
    assert_eq!(world.go(run, &graph).await, Ok(Stop::Completed));
    assert_eq!((tries.of("left"), tries.of("right"), tries.of("merge")), (2, 1, 1));
}

#[tokio::test]
async fn a_panic_is_the_failure_of_its_node() {
    let world = World::new();
    let panics = does(|_: &NodeCx, _: &Notes| Box::pin(async { panic!("out of cheese") }));
    let graph = Graph::builder("toy").entry("a").node("a", panics).edge(END).build().unwrap();
    let run = world.create().await;
    let Ok(Stop::Failed(failure)) = world.go(run, &graph).await else { panic!("it should fail") };
    assert_eq!(failure.code, "node_panicked");
    assert_eq!(failure.message, "the node panicked: out of cheese");
}

#[tokio::test]
async fn a_route_that_fails_is_followed_again_and_its_node_is_not_repeated() {
    let (world, tries) = (World::new(), Tries::default());
    let graph = |answer: &'static str| {
        Graph::builder("toy")
            .entry_by(move |_: &Notes| "a", ["a"])
            .node("a", works(&tries))
            .route(move |_| answer, ["b", END])
            .node("b", works(&tries))
            .edge(END)
            .build()
            .unwrap()
    };
    let run = world.create().await;
    let Ok(Stop::Failed(failure)) = world.go(run, &graph("c")).await else { panic!("it should fail") };
    assert_eq!(failure.message, "the route after `a` chose `c`, which it does not declare (__end__, b)");
    assert_eq!(world.go(run, &graph("b")).await, Ok(Stop::Completed));
    assert_eq!((tries.of("a"), tries.of("b")), (1, 1));
}

#[tokio::test]
async fn a_first_route_that_fails_is_followed_again() {
    let (world, tries) = (World::new(), Tries::default());
    let graph = |answer: &'static str| {
        Graph::builder("toy")
            .entry_by(move |_: &Notes| answer, ["a"])
            .node("a", works(&tries))
            .edge(END)
            .build()
            .unwrap()
    };
    let run = world.create().await;
    assert!(matches!(world.go(run, &graph("z")).await, Ok(Stop::Failed(_))));
    assert_eq!(world.go(run, &graph("a")).await, Ok(Stop::Completed));
    assert_eq!(tries.of("a"), 1);
}

#[tokio::test]
async fn cancel_works_while_a_node_hangs() {
    let (world, tries) = (World::new(), Tries::default());
    let graph = Graph::builder("toy")
        .entry("a")
        .node("a", works(&tries))
        .edge("b")
        .node("b", hangs())
        .edge(END)
        .build()
        .unwrap();
    let run = world.create().await;
    let cancel = CancellationToken::new();
    let how = Move { cancel: cancel.clone(), ..Move::default() };
    let mut watch = world.runs.watch(run, amelia_core::id::Seq::START);
    let moving = world.runs.run(run, &graph, Notes::default(), how);
    let cancelling = async {
        while watch.next().await.unwrap().draft.kind.summary() != "b entered (step 2)" {}
        cancel.cancel();
    };
    let (stop, ()) = tokio::join!(moving, cancelling);
    assert_eq!(stop, Ok(Stop::Cancelled));
    let view = world.store.run(run).await.unwrap().unwrap().view;
    assert_eq!((view.status, view.active_nodes().count()), (RunStatus::Cancelled, 0));
    assert_eq!(world.go(run, &graph).await, Err(EngineError::Ended(run)));
}

#[tokio::test]
async fn a_paused_run_finishes_its_node_and_goes_on_when_told() {
    let (world, tries) = (World::new(), Tries::default());
    let (release, gate) = tokio::sync::watch::channel(false);
    let gated = does(move |cx: &NodeCx, _: &Notes| {
        let mut gate = gate.clone();
        Box::pin(async move {
            gate.wait_for(|open| *open).await.unwrap();
            Ok(note(cx, "worked"))
        })
    });
    let graph = Graph::builder("toy")
        .entry("a")
        .node("a", gated)
        .edge("b")
        .node("b", works(&tries))
        .edge(END)
        .build()
        .unwrap();
    let run = world.create().await;
    let (handle, inbox) = control();
    let moving = world.runs.run(run, &graph, Notes::default(), Move { inbox, ..Move::default() });
    let pausing = async {
        handle.pause().await.unwrap();
        handle.pause().await.unwrap();
        release.send(true).unwrap();
    };
    let (stop, ()) = tokio::join!(moving, pausing);
    assert_eq!(stop, Ok(Stop::Waiting(amelia_core::human::HumanKind::Pause)));
    assert_eq!((world.notes(run).await.count("a"), tries.of("b")), (1, 0));
    let [request] = world.pending(run).await.try_into().unwrap();
    assert_eq!(world.reply(run, &graph, crate::toy::yes(&request, "")).await, Ok(Stop::Completed));
    assert_eq!(tries.of("b"), 1);
}

#[tokio::test]
async fn a_halted_run_drops_its_node_at_once_and_tries_it_again_when_told() {
    let world = World::new();
    let tries = Tries::default();
    let counted = tries.clone();
    let hangs_once = does(move |cx: &NodeCx, _: &Notes| {
        let tries = counted.clone();
        Box::pin(async move {
            match tries.add("a") {
                1 => std::future::pending().await,
                _ => Ok(note(cx, "worked")),
            }
        })
    });
    let graph = Graph::builder("toy").entry("a").node("a", hangs_once).edge(END).build().unwrap();
    let run = world.create().await;
    let (handle, inbox) = control();
    let moving = world.runs.run(run, &graph, Notes::default(), Move { inbox, ..Move::default() });
    let (stop, halted) = tokio::join!(moving, handle.halt());
    assert_eq!((stop, halted), (Ok(Stop::Waiting(amelia_core::human::HumanKind::Pause)), Ok(())));
    let [request] = world.pending(run).await.try_into().unwrap();
    assert_eq!(world.reply(run, &graph, crate::toy::yes(&request, "")).await, Ok(Stop::Completed));
    assert_eq!((tries.of("a"), world.notes(run).await.count("a")), (2, 1));
}

#[tokio::test]
async fn the_step_limit_pauses_and_can_be_raised() {
    let (world, tries) = (World::new(), Tries::default());
    let graph = looping(&tries, 4);
    let run = world.create().await;
    assert_eq!(world.go(run, &graph).await, Ok(Stop::Waiting(amelia_core::human::HumanKind::StepLimit)));
    assert_eq!(tries.of("review"), 2);
    let [request] = world.pending(run).await.try_into().unwrap();
    assert_eq!(request.prompt, "4 steps are used up before `develop`: continue?");
    assert_eq!(world.reply(run, &graph, crate::toy::yes(&request, "")).await, Ok(Stop::Completed));
    assert_eq!(tries.of("review"), 3);
}

#[tokio::test]
async fn a_graph_of_another_shape_or_name_is_not_resumed() {
    let (world, tries) = (World::new(), Tries::default());
    let run = world.create().await;
    world.go(run, &looping(&tries, 2)).await.unwrap();
    let [request] = world.pending(run).await.try_into().unwrap();
    let reply = crate::toy::yes(&request, "");

    let error = world.reply(run, &diamond(&tries), reply.clone()).await.unwrap_err();
    assert!(matches!(&error, EngineError::ShapeChanged { .. }), "{error}");
    assert!(error.hint().unwrap().contains("finish it with the version that started it"), "{error}");

    let other = Graph::builder("other").entry("a").node("a", works(&tries)).edge(END).build().unwrap();
    let error = world.reply(run, &other, reply).await.unwrap_err();
    assert_eq!(error.to_string(), "this run belongs to graph `toy`, not `other`");
    assert_eq!(world.pending(run).await.len(), 1, "nothing was written");
}

#[tokio::test]
async fn many_nodes_that_write_at_once_do_not_block_each_other() {
    let world = World::new();
    let chatty = || {
        does(|cx: &NodeCx, _: &Notes| {
            Box::pin(async move {
                for _ in 0..50 {
                    let agent = amelia_core::id::AgentName::system();
                    let thought =
                        amelia_core::message::ThinkingPart { text: "hm".to_owned(), signature: None };
                    let kind = amelia_core::event::EventKind::Agent(amelia_core::event::AgentEvent::Thought(
                        thought,
                    ));
                    cx.record(vec![cx.draft(&agent, kind)]).await?;
                    tokio::task::yield_now().await;
                }
                Ok(note(cx, "worked"))
            })
        })
    };
    let names: Vec<String> = (0..8).map(|n| format!("n{n}")).collect();
    let mut builder =
        Graph::builder("toy").entry("split").node("split", works(&Tries::default())).fork(&names);
    for name in &names {
        builder = builder.node(name, chatty()).edge("merge");
    }
    let graph = builder.node("merge", works(&Tries::default())).join(&names).edge(END).build().unwrap();
    let run = world.create().await;
    assert_eq!(world.go(run, &graph).await, Ok(Stop::Completed));
    assert_eq!(
        world.store.events(run, amelia_core::id::Seq::START, 1000).await.unwrap().len(),
        3 + 8 * 50 + 2 * 10
    );
}
