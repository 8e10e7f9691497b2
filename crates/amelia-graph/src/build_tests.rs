use serde::{Deserialize, Serialize};

use super::*;
use crate::node::pure;

#[derive(Clone, Serialize, Deserialize)]
struct Nothing;

impl State for Nothing {
    type Update = ();

    fn apply(&mut self, (): ()) {}
}

fn graph() -> Builder<Nothing> {
    Graph::builder("test")
}

fn node() -> impl Node<Nothing> {
    pure(|_: &Nothing| vec![])
}

fn refusal(builder: Builder<Nothing>) -> String {
    builder.build().err().expect("the graph should be refused").to_string()
}

#[test]
fn all_problems_are_reported_at_once() {
    let message = refusal(
        graph()
            .node("a", node())
            .edge("nowhere")
            .node("a", node())
            .node("lonely", node())
            .route(|_| END, Vec::<&str>::new())
            .node("__end__", node())
            .edge(END)
            .limit(0),
    );
    insta::assert_snapshot!(message, @r"
    graph `test` is not valid:
      - `__end__` is the end and cannot be a node
      - nothing follows `a`: give it an edge, or END
      - two nodes are named `a`
      - there is no entry: say which node is first
      - the step limit is 0: nothing could run
      - `a` leads to `nowhere`, which does not exist
      - the edge after `lonely` has no target
    ");
}

#[test]
fn a_cycle_of_plain_edges_is_refused_with_its_path() {
    let message = refusal(
        graph()
            .entry("a")
            .node("a", node())
            .edge("b")
            .node("b", node())
            .edge("c")
            .node("c", node())
            .edge("b"),
    );
    insta::assert_snapshot!(message, @r"
    graph `test` is not valid:
      - endless cycle without a route: b → c → b
    ");
}

#[test]
fn a_cycle_through_a_fork_is_refused_too() {
    let message = refusal(
        graph()
            .entry("a")
            .node("a", node())
            .fork(["b", "c"])
            .node("b", node())
            .edge("a")
            .node("c", node())
            .edge(END),
    );
    assert!(message.contains("endless cycle without a route: a → b → a"), "{message}");
}

#[test]
fn a_cycle_with_a_route_is_fine() {
    let built =
        graph().entry("a").node("a", node()).edge("b").node("b", node()).route(|_| END, ["a", END]).build();
    assert!(built.is_ok());
}

#[test]
fn what_cannot_be_reached_or_joined_is_named() {
    let message = refusal(
        graph()
            .entry("a")
            .node("a", node())
            .edge(END)
            .node("island", node())
            .edge(END)
            .node("meeting", node())
            .join(["a"])
            .edge(END),
    );
    insta::assert_snapshot!(message, @r"
    graph `test` is not valid:
      - the join at `meeting` needs at least two sources
      - the join at `meeting` waits for `a`, which does not lead there
      - `island` cannot be reached from the entry
      - `meeting` cannot be reached from the entry
    ");
}

#[test]
fn edges_are_said_once_and_after_their_node() {
    let message = refusal(graph().edge("a").entry("a").node("a", node()).edge(END).edge(END));
    insta::assert_snapshot!(message, @r"
    graph `test` is not valid:
      - an edge was given before any node
      - `a` has two edges: use a fork or a route
    ");
}

#[test]
fn bad_names_are_refused() {
    let message = refusal(graph().entry("a\tb").node("", node()).edge(END));
    assert!(message.contains("is not a valid NodeId"), "{message}");
}

fn essay() -> Graph<Nothing> {
    graph()
        .entry("plan")
        .node("plan", node())
        .fork(["write", "draw \"it\""])
        .node("write", node())
        .edge("merge")
        .node("draw \"it\"", node())
        .edge("merge")
        .node("merge", node())
        .join(["write", "draw \"it\""])
        .edge("review")
        .node("review", node())
        .route(|_| END, ["plan", END])
        .build()
        .unwrap()
}

#[test]
fn graphs_are_drawn_as_mermaid() {
    insta::assert_snapshot!(essay().mermaid(), @r#"
    flowchart TD
        start((start)) --> n_plan["plan"]
        n_draw__it_["draw #quot;it#quot;"] --o n_merge["merge"]
        n_merge["merge"] --> n_review["review"]
        n_plan["plan"] ==> n_write["write"]
        n_plan["plan"] ==> n_draw__it_["draw #quot;it#quot;"]
        n_review["review"] -.-> done((end))
        n_review["review"] -.-> n_plan["plan"]
        n_write["write"] --o n_merge["merge"]
    "#);
}

#[test]
fn nodes_of_different_kinds_have_different_shapes() {
    let kinds = ["agent", "tool", "human", "condition", "parallel", "wait", "pattern"];
    let graph = kinds
        .iter()
        .zip(kinds.iter().skip(1).chain([&END]))
        .fold(graph().entry("agent"), |graph, (kind, next)| graph.node(kind, node()).kind(kind).edge(next));
    let drawn = graph.build().unwrap().mermaid();
    for shape in [
        "n_agent(\"agent\")",
        "n_tool[\"tool\"]",
        "n_human[/\"human\"/]",
        "n_condition{\"condition\"}",
        "n_parallel{{\"parallel\"}}",
        "n_wait([\"wait\"])",
        "n_pattern[[\"pattern\"]]",
    ] {
        assert!(drawn.contains(&format!("{shape} -->")), "{shape}: {drawn}");
    }
}

#[test]
fn graphs_are_drawn_as_data() {
    let drawing = serde_json::to_value(essay().drawing()).unwrap();
    insta::assert_snapshot!(drawing["edges"][4].to_string(), @r#"{"from":"plan","kind":"fork","to":"draw \"it\""}"#);
    assert_eq!(drawing["nodes"].as_array().unwrap().len(), 5);
}

#[test]
fn the_shape_of_a_graph_is_its_names_and_joins() {
    let one = || graph().entry("a").node("a", node());
    let version = |builder: Builder<Nothing>| builder.build().unwrap().version();
    let plain = version(one().edge(END));
    assert_eq!(plain, version(one().route(|_| END, [END])), "edges may change");
    assert_ne!(plain, version(one().edge("b").node("b", node()).edge(END)), "names may not");
}
