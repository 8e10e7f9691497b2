use amelia_core::config::problem::KnownNames;
use amelia_core::config::workflow::{EdgeDef, EdgeTarget, JoinRule, NodeConfig, Pattern, PatternDef};
use amelia_core::object::Object;
use amelia_graph::draw::{DrawnEdge, EdgeKind};
use serde_json::json;

use super::*;

fn agent() -> NodeDef {
    NodeDef::new(NodeKind::Agent { agent: "writer".to_owned() })
}

fn tool(arguments: serde_json::Value) -> NodeDef {
    let arguments: Object = serde_json::from_value(arguments).unwrap();
    NodeDef::new(NodeKind::Tool { tool: "search".to_owned(), arguments })
}

fn edge(from: &str, to: &str) -> EdgeDef {
    EdgeDef { from: from.to_owned(), to: EdgeTarget::Node(to.to_owned()), condition: None }
}

fn when(from: &str, to: &str, condition: &str) -> EdgeDef {
    EdgeDef { condition: Some(condition.to_owned()), ..edge(from, to) }
}

fn by_label(from: &str, labels: &[(&str, &str)]) -> EdgeDef {
    let labels = labels.iter().map(|(label, node)| ((*label).to_owned(), (*node).to_owned()));
    EdgeDef { from: from.to_owned(), to: EdgeTarget::Choice(labels.collect()), condition: None }
}

/// The first node is the entry.
fn workflow(nodes: Vec<(&str, NodeDef)>, edges: Vec<EdgeDef>) -> Workflow {
    let entry_point = nodes.first().unwrap().0.to_owned();
    Workflow {
        name: "test".to_owned(),
        description: None,
        patterns: Vec::new(),
        nodes: nodes.into_iter().map(|(name, node)| (name.to_owned(), node)).collect(),
        edges,
        entry_point,
        checkpoints: Vec::new(),
        max_iterations: 50,
    }
}

fn problems(workflow: &Workflow) -> String {
    let known = KnownNames { agents: ["writer"].into(), tools: ["search"].into(), ..KnownNames::default() };
    let found = check(workflow, &known);
    found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn edges_of(workflow: &Workflow) -> Vec<String> {
    let graph = compile(workflow, None).unwrap_or_else(|problems| panic!("{problems:?}"));
    let drawn = |edge: &DrawnEdge| {
        let label = edge.label.as_ref().map(|label| format!(" [{label}]")).unwrap_or_default();
        let mark = if edge.kind == EdgeKind::Join { "o" } else { ">" };
        format!("{} {mark} {}{label}", edge.from, edge.to)
    };
    graph.drawing().edges.iter().map(drawn).collect()
}

#[test]
fn edges_become_routes_with_their_conditions_as_labels() {
    let loops = workflow(
        vec![("write", agent()), ("review", agent()), ("publish", agent())],
        vec![
            edge("write", "review"),
            when("review", "publish", "state.score >= 0.8"),
            edge("review", "write"),
            edge("publish", "__end__"),
        ],
    );
    assert_eq!(problems(&loops), "");
    assert_eq!(
        edges_of(&loops),
        [
            "__start__ > write",
            "publish > __end__",
            "review > publish [state.score >= 0.8]",
            "review > write [otherwise]",
            "write > review"
        ]
    );
}

#[test]
fn branches_of_a_fork_wait_for_each_other_and_alternatives_do_not() {
    let forked = workflow(
        vec![("a", agent()), ("b", agent()), ("c", agent()), ("meet", agent()), ("after", agent())],
        vec![edge("a", "b"), edge("a", "c"), edge("b", "meet"), edge("c", "meet"), edge("meet", "after")],
    );
    assert_eq!(problems(&forked), "");
    assert_eq!(
        edges_of(&forked),
        ["__start__ > a", "a > b", "a > c", "after > __end__", "b o meet", "c o meet", "meet > after"]
    );
    let either = workflow(
        vec![("a", agent()), ("b", agent()), ("c", agent()), ("meet", agent())],
        vec![when("a", "b", "turns > 3"), edge("a", "c"), edge("b", "meet"), edge("c", "meet")],
    );
    assert_eq!(problems(&either), "");
    assert!(edges_of(&either).contains(&"b > meet".to_owned()));
}

#[test]
fn a_branch_may_be_empty_nested_or_part_of_a_loop() {
    let nodes = |names: &[&'static str]| names.iter().map(|name| (*name, agent())).collect::<Vec<_>>();
    // One branch is the way to the meeting itself.
    let direct =
        workflow(nodes(&["a", "b", "meet"]), vec![edge("a", "b"), edge("a", "meet"), edge("b", "meet")]);
    assert_eq!(problems(&direct), "");
    assert!(
        edges_of(&direct).contains(&"a o meet".to_owned())
            && edges_of(&direct).contains(&"b o meet".to_owned())
    );
    // What comes after the meeting may lead back: it is decided once.
    let looped = workflow(
        nodes(&["a", "b", "c", "meet"]),
        vec![
            edge("a", "b"),
            edge("a", "c"),
            edge("b", "meet"),
            edge("c", "meet"),
            when("meet", "__end__", "turns > 9"),
            edge("meet", "a"),
        ],
    );
    assert_eq!(problems(&looped), "");
    assert!(edges_of(&looped).contains(&"b o meet".to_owned()));
    // A fork in a branch: all three arrive.
    let nested = workflow(
        nodes(&["a", "b", "b1", "b2", "c", "meet"]),
        vec![
            edge("a", "b"),
            edge("a", "c"),
            edge("b", "b1"),
            edge("b", "b2"),
            edge("b1", "meet"),
            edge("b2", "meet"),
            edge("c", "meet"),
        ],
    );
    assert_eq!(problems(&nested), "");
    let joined = edges_of(&nested).into_iter().filter(|edge| edge.contains(" o meet")).count();
    assert_eq!(joined, 3);
}

#[test]
fn a_branch_that_can_leave_starves_a_join() {
    let mut starved = workflow(
        vec![("a", agent()), ("b", agent()), ("c", agent()), ("meet", agent())],
        vec![
            edge("a", "b"),
            edge("a", "c"),
            when("b", "__end__", "turns > 9"),
            edge("b", "meet"),
            edge("c", "meet"),
        ],
    );
    let found = problems(&starved);
    assert!(found.starts_with("nodes.meet: would wait forever (join_starved)"), "{found}");
    starved.nodes.get_mut("meet").unwrap().config =
        NodeConfig { join: JoinRule::Any, ..NodeConfig::default() };
    assert_eq!(problems(&starved), "");
}

#[test]
fn tasks_run_together_unless_one_needs_what_another_makes() {
    let task = |inputs: &[&str], outputs: &[&str]| NodeDef {
        inputs: inputs.iter().map(ToString::to_string).collect(),
        outputs: outputs.iter().map(ToString::to_string).collect(),
        ..agent()
    };
    let tasks = ["docs", "facts", "sum"].map(str::to_owned).to_vec();
    let parallel = |sum: NodeDef, facts: NodeDef| {
        let split = NodeDef::new(NodeKind::Parallel { parallel_tasks: tasks.clone() });
        let nodes = vec![("split", split), ("docs", task(&[], &["docs"])), ("facts", facts), ("sum", sum)];
        workflow(nodes, vec![edge("split", "__end__")])
    };
    let free = parallel(task(&[], &[]), task(&[], &["facts"]));
    assert_eq!(problems(&free), "");
    assert!(edges_of(&free).contains(&"sum o split.join".to_owned()));
    let ordered = parallel(task(&["docs", "facts"], &["sum"]), task(&[], &["facts"]));
    assert_eq!(
        edges_of(&ordered),
        [
            "__start__ > split",
            "docs o sum",
            "facts o sum",
            "split > docs",
            "split > facts",
            "split.join > __end__",
            "sum > split.join"
        ]
    );
    let cycle = parallel(task(&["facts"], &["sum"]), task(&["sum"], &["facts"]));
    assert!(problems(&cycle).contains("need each other's outputs"), "{}", problems(&cycle));
}

#[test]
fn a_checkpoint_is_a_gate_before_its_node() {
    let mut gated = workflow(
        vec![("a", agent()), ("b", agent())],
        vec![when("a", "b", "turns > 0"), edge("a", "__end__")],
    );
    gated.checkpoints = vec!["b".to_owned()];
    assert_eq!(problems(&gated), "");
    assert!(edges_of(&gated).contains(&"a > b.approve [turns > 0]".to_owned()));
    assert!(edges_of(&gated).contains(&"b.approve > b".to_owned()));
}

#[test]
fn everything_wrong_is_told_at_once_with_its_path() {
    let wrong = workflow(
        vec![
            ("a", NodeDef::new(NodeKind::Agent { agent: "absent".to_owned() })),
            ("b", tool(json!({"q": "{{ state."}))),
            ("lost", agent()),
            ("p", NodeDef::new(NodeKind::Parallel { parallel_tasks: Vec::new() })),
            ("h", NodeDef::new(NodeKind::Human { prompt: Some("{% if %}".to_owned()) })),
        ],
        vec![when("a", "b", "scor > 1"), edge("b", "h"), edge("h", "p"), edge("b", "nowhere")],
    );
    let found = problems(&wrong);
    for expected in [
        "nodes.a.agent: ",
        "nodes.b.arguments.q: cannot be used",
        "nodes.lost: is never reached",
        "nodes.p.parallel_tasks: must not be empty",
        "nodes.h.prompt: is not a template",
        "edges[0].condition: column 1: there is no variable `scor`",
        "edges[3].to: ",
    ] {
        assert!(found.contains(expected), "{expected}\n---\n{found}");
    }
}

#[test]
fn labels_choose_the_way_and_a_missing_one_is_a_failed_route() {
    let labelled = workflow(
        vec![("ask", agent()), ("yes", agent()), ("no", agent())],
        vec![by_label("ask", &[("approve", "yes"), ("reject", "no")])],
    );
    assert_eq!(problems(&labelled), "");
    let routes = Routes::read(&labelled).unwrap();
    let Route::Choice(choice) = routes.of("ask") else { panic!("a choice") };
    let chosen = |key: &str| {
        let state = Chat { routing_key: Some(key.to_owned()), ..Chat::default() };
        choice.choose(&state, "ask.fork").map_err(|error| error.to_string())
    };
    assert_eq!(chosen("approve"), Ok("yes".to_owned()));
    let missing = "has no label for `routing_key`, which is `modify`; its labels are approve, reject";
    assert_eq!(chosen("modify"), Err(missing.to_owned()));
    let unset = choice.choose(&Chat::default(), "ask.fork").map_err(|error| error.to_string());
    let expected = "needs a label, but `routing_key` is not set; its labels are approve, reject";
    assert_eq!(unset, Err(expected.to_owned()));
}

#[test]
fn what_can_never_work_is_refused_before_a_run() {
    let human = || NodeDef::new(NodeKind::Human { prompt: Some("{{ nosuch.x }}?".to_owned()) });
    let over = "state.topics +".to_owned();
    let map = NodeDef::new(NodeKind::Map { over, task: "each".to_owned(), concurrency: 2 });
    let wrong = workflow(
        vec![("ask", human()), ("b", agent()), ("c", agent()), ("m", map), ("each", agent())],
        vec![by_label("ask", &[("approve", "c"), ("maybe", "b")]), when("b", "c", "'high'"), edge("c", "m")],
    );
    let found = problems(&wrong);
    for expected in [
        "nodes.ask.prompt: is not a template: there is no variable `nosuch`",
        "edges[0].to.maybe: `maybe` never occurs: a `human` node sets `routing_key` to approve or reject or modify",
        "edges[1].condition: must be true or false, but this is text",
        "nodes.m.over: must be the name of a value in the state",
    ] {
        assert!(found.contains(expected), "{expected}\n---\n{found}");
    }
}

fn pattern(pattern: Pattern, roles: &[&str]) -> NodeDef {
    let agents = roles.iter().map(|role| ((*role).to_owned(), "writer".to_owned()));
    NodeDef::new(NodeKind::Pattern(PatternDef::new(pattern, agents.collect())))
}

#[test]
fn patterns_in_a_list_follow_each_other() {
    let mut listed = workflow(vec![("agent", agent()), ("generator", agent()), ("critic", agent())], vec![]);
    listed.entry_point = String::new();
    listed.patterns = vec![
        PatternDef::new(Pattern::React, BTreeMap::new()),
        PatternDef::new(Pattern::Reflection, BTreeMap::new()),
    ];
    assert_eq!(problems(&listed), "");
    assert_eq!(
        edges_of(&listed),
        [
            "__start__ > react",
            "react > react.agent",
            "react.agent > react.done",
            "react.done > reflection",
            "reflection > reflection.generate",
            "reflection.critique > reflection.done [accepted, or no rounds left]",
            "reflection.critique > reflection.improve",
            "reflection.done > __end__",
            "reflection.generate > reflection.critique",
            "reflection.improve > reflection.critique",
        ]
    );
    listed.nodes.remove("critic");
    listed.nodes.insert("extra".to_owned(), agent());
    let refused = problems(&listed);
    assert!(refused.contains("nodes: `reflection` needs an agent `critic`"), "{refused}");
    assert!(refused.contains("nodes.extra: has no role in `patterns`"), "{refused}");
    listed.checkpoints = vec!["agent".to_owned()];
    assert!(problems(&listed).contains("checkpoints: cannot be combined with `patterns`"));
}

#[test]
fn in_a_file_with_edges_patterns_only_describe_it() {
    let mut written = workflow(vec![("write", agent()), ("judge", agent())], vec![edge("write", "judge")]);
    written.patterns = vec![PatternDef::new(Pattern::Reflection, BTreeMap::new())];
    assert_eq!(problems(&written), "");
    assert_eq!(edges_of(&written), ["__start__ > write", "judge > __end__", "write > judge"]);
    written.patterns[0].settings.rounds = Some(2);
    assert!(problems(&written).contains("patterns[0]: settings of `reflection` are not allowed"));
}

#[test]
fn the_sides_of_a_debate_are_those_without_another_role() {
    let nodes = ["agent", "for", "against", "judge"].map(|name| (name, agent()));
    let mut listed = workflow(nodes.into(), vec![]);
    listed.patterns = vec![
        PatternDef::new(Pattern::Debate, BTreeMap::new()),
        PatternDef::new(Pattern::Cot, BTreeMap::new()),
    ];
    assert_eq!(problems(&listed), "");
    let edges = edges_of(&listed);
    for expected in ["debate.argue.for o debate.close", "debate.close > debate.judge [no rounds left]"] {
        assert!(edges.contains(&expected.to_owned()), "{edges:?}");
    }
    assert!(!edges.iter().any(|edge| edge.contains("argue.agent")), "{edges:?}");
}

#[test]
fn a_pattern_is_a_node_like_any_other() {
    let thinks =
        NodeDef { outputs: vec!["plan".to_owned()], ..pattern(Pattern::Tot, &["thinker", "evaluator"]) };
    let mut graph = workflow(
        vec![("ask", agent()), ("think", thinks), ("after", agent())],
        vec![edge("ask", "think"), by_label("think", &[("accepted", "after"), ("default", "__end__")])],
    );
    graph.checkpoints = vec!["think".to_owned()];
    assert_eq!(problems(&graph), "");
    let edges = edges_of(&graph);
    for expected in
        ["think.approve > think", "think.think.3 o think.evaluate", "think.done > after [accepted]"]
    {
        assert!(edges.contains(&expected.to_owned()), "{edges:?}");
    }
    let wrong = workflow(vec![("think", pattern(Pattern::Cot, &["thinker"]))], vec![]);
    let refused = problems(&wrong);
    assert!(refused.contains("nodes.think.agents: `cot` needs an agent `agent`"), "{refused}");
}

fn map_over(over: &str, task: &str) -> NodeDef {
    let (over, task) = (over.to_owned(), task.to_owned());
    NodeDef::new(NodeKind::Map { over, task, concurrency: 2 })
}

#[test]
fn a_map_has_lanes_that_return_to_themselves() {
    let each = workflow(
        vec![("list", agent()), ("each", map_over("files", "one")), ("one", agent()), ("sum", agent())],
        vec![edge("list", "each"), edge("each", "sum")],
    );
    assert_eq!(problems(&each), "");
    let edges = edges_of(&each);
    for expected in [
        "each > each.lane.2",
        "each.lane.1 > each.lane.1 [next element]",
        "each.lane.2 o each.join",
        "each.join > sum",
    ] {
        assert!(edges.contains(&expected.to_owned()), "{edges:?}");
    }
    let nested = workflow(vec![("each", map_over("files", "one")), ("one", map_over("x", "each"))], vec![]);
    assert!(problems(&nested).contains("is a task of a `map` node: it must be an agent or a tool"));
}

#[test]
fn a_person_may_add_a_message_after_a_node() {
    let mut open = workflow(vec![("write", agent()), ("send", agent())], vec![edge("write", "send")]);
    open.nodes.get_mut("write").unwrap().allow_human_input = true;
    assert_eq!(problems(&open), "");
    assert_eq!(
        edges_of(&open),
        ["__start__ > write", "send > __end__", "write > write.input", "write.input > send"]
    );
}

#[test]
fn settings_that_would_do_nothing_are_refused() {
    let mut waits =
        workflow(vec![("wait", NodeDef::new(NodeKind::Wait { seconds: None, event: None }))], vec![]);
    waits.nodes.get_mut("wait").unwrap().max_iterations = Some(3);
    let refused = problems(&waits);
    assert!(refused.contains("nodes.wait.seconds: is missing, and so is `event`"), "{refused}");
    assert!(refused.contains("nodes.wait.max_iterations: is not allowed"), "{refused}");
}

#[test]
fn another_workflow_takes_the_place_of_a_node() {
    let inside = |name: &str| NodeDef::new(NodeKind::Workflow { workflow: name.to_owned() });
    let inner = workflow(
        vec![("a", agent()), ("b", agent()), ("c", agent())],
        vec![when("a", "b", "turns > 3"), edge("a", "__end__"), edge("b", "c")],
    );
    let outer = workflow(
        vec![("first", agent()), ("sub", inside("inner")), ("last", agent())],
        vec![edge("first", "sub"), edge("sub", "last")],
    );
    let mut find = |name: &str| match name {
        "inner" => Ok(inner.clone()),
        other => Err(format!("there is no workflow `{other}`")),
    };
    let whole = embed(&outer, &mut find).unwrap();
    assert_eq!(
        edges_of(&whole),
        [
            "__start__ > first",
            "first > sub",
            "last > __end__",
            "sub > sub/a",
            "sub.end > last",
            "sub/a > sub.end [otherwise]",
            "sub/a > sub/b [turns > 3]",
            "sub/b > sub/c",
            "sub/c > sub.end",
        ]
    );
    let missing = workflow(vec![("sub", inside("nope"))], vec![]);
    let problem = |workflow: &Workflow, find: &mut dyn FnMut(&str) -> Result<Workflow, String>| {
        embed(workflow, find).unwrap_err().iter().map(ToString::to_string).collect::<String>()
    };
    assert_eq!(problem(&missing, &mut find), "nodes.sub.workflow: there is no workflow `nope`");
    let itself = workflow(vec![("sub", inside("test"))], vec![]);
    let refused = problem(&itself, &mut |_| Ok(itself.clone()));
    assert!(refused.contains("contains itself") && refused.contains("test → test"), "{refused}");
}

#[test]
fn a_label_that_no_edge_has_is_known_before_it_is_chosen() {
    let takes = |edges: Vec<EdgeDef>| {
        let ask = NodeDef::new(NodeKind::Human { prompt: None });
        let workflow = workflow(vec![("ask", ask), ("a", agent()), ("b", agent())], edges);
        Routes::read(&workflow).unwrap().of("ask").takes("modify")
    };
    assert!(!takes(vec![by_label("ask", &[("approve", "a"), ("reject", "b")])]));
    assert!(takes(vec![by_label("ask", &[("approve", "a"), ("modify", "b")])]));
    assert!(takes(vec![by_label("ask", &[("approve", "a"), ("default", "b")])]));
    assert!(takes(vec![edge("ask", "a")]));
    let first = when("ask", "b", "state.score > 1");
    assert!(takes(vec![first, by_label("ask", &[("approve", "a")])]), "a condition may hold first");
}
