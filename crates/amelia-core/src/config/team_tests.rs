//! Every rule of a team that needs nothing but its definition.

use serde_json::json;

use super::llm::LlmConfig;
use super::pattern::{CollaborationPattern, PatternKind};
use super::*;
use crate::config::problem::ConfigProblem;
use crate::config::secret::Secret;

fn lines(problems: impl IntoIterator<Item = ConfigProblem>) -> Vec<String> {
    problems.into_iter().map(|problem| problem.to_string()).collect()
}

/// `change` on a value without problems must give exactly `expected`.
#[track_caller]
fn check<T: Validate>(mut value: T, change: impl FnOnce(&mut T), expected: &[&str]) {
    assert_eq!(lines(value.problems()), [""; 0], "before the change");
    change(&mut value);
    assert_eq!(lines(value.problems()), expected);
}

fn member(name: &str) -> Member {
    Member { name: name.into(), role: name.into(), prompt_template: "p.md".into(), ..Member::default() }
}

fn team() -> TeamConfig {
    TeamConfig {
        name: "news".into(),
        agents: vec![member("writer"), member("editor")],
        ..TeamConfig::default()
    }
}

fn handoff(from: &str, to: &str) -> HandoffRule {
    HandoffRule {
        from_agent: from.into(),
        to_agent: to.into(),
        condition: None,
        handoff_type: HandoffKind::Sequential,
    }
}

#[test]
fn a_team_names_only_what_it_has() {
    check(
        team(),
        |t| {
            t.agents.push(member("editor"));
            t.handoff_rules = vec![handoff("writer", "boss")];
            t.collaboration_patterns = vec![CollaborationPattern {
                name: "chain".into(),
                kind: PatternKind::Hierarchical,
                agents: vec!["ghost".into()],
                coordination_agent: None,
                config: Default::default(),
            }];
            t.default_llm.temperature = 3.0;
            t.execution_config.breakpoints = vec![
                "tool:shell*".into(),
                "cost:-1".into(),
                "step:x".into(),
                "handoff if state.n > 1".into(),
            ];
        },
        &[
            "default_llm.temperature: 3.0 is not in 0.0..=2.0",
            "collaboration_patterns[0].coordination_agent: is required when type is `hierarchical`",
            "execution_config.breakpoints[1]: `-1` is not an amount in USD greater than 0",
            "execution_config.breakpoints[2]: `step` is not one of node, agent, tool, path, \
             cost, event",
            "agents[2].name: `editor` is already used by agents[1]",
            "handoff_rules[0].to_agent: there is no agent `boss`",
            "collaboration_patterns[0].agents[0]: there is no agent `ghost`",
        ],
    );
}

#[test]
fn handoffs_go_to_another_agent_and_are_given_once() {
    check(
        team(),
        |t| {
            t.handoff_rules = vec![
                handoff("writer", "editor"),
                // A cycle ends at the limit of steps that every team has.
                handoff("editor", "writer"),
                handoff("writer", "writer"),
                handoff("writer", "editor"),
                HandoffRule { condition: Some(" ".into()), ..handoff("writer", "editor") },
            ];
        },
        &[
            "handoff_rules[2].to_agent: `writer` cannot hand off to itself",
            "handoff_rules[3]: is the same as handoff_rules[0]",
            "handoff_rules[4].condition: must not be empty",
        ],
    );
}

#[test]
fn a_program_of_acp_has_a_command_and_no_other_provider_has_one() {
    let command = || vec!["opencode".to_owned(), "acp".to_owned()];
    check(
        team(),
        |t| {
            t.default_llm.command = command();
            t.default_llm.env = vec!["A".into()];
            t.agents[0].llm_config = Some(LlmConfig { provider: "acp".into(), ..LlmConfig::default() });
            t.agents[1].llm_config = Some(LlmConfig {
                provider: "acp".into(),
                command: command(),
                env: vec!["A".into(), "1 B".into()],
                base_url: Some("http://127.0.0.1:1".into()),
                api_key_env: Some("A".into()),
                ..LlmConfig::default()
            });
        },
        &[
            "default_llm.command: is only for the provider `acp`: remove it",
            "default_llm.env: is only for the provider `acp`: remove it",
            "agents[0].llm_config.command: is required when provider is `acp`: a list of the program and its arguments, \
             such as `[opencode, acp]`",
            "agents[1].llm_config.env: `1 B` is not the name of an environment variable",
            "agents[1].llm_config.base_url: has no effect on a program of `acp`, which uses its own sign-in: remove it",
            "agents[1].llm_config.api_key_env: has no effect on a program of `acp`, which uses its own sign-in: remove it",
        ],
    );
    check(
        team(),
        |t| {
            t.default_llm = LlmConfig {
                provider: "acp".into(),
                command: command(),
                env: vec!["A".into()],
                ..LlmConfig::default()
            };
        },
        &[],
    );
}

#[test]
fn the_model_of_a_team_is_one_of_a_known_provider_and_no_key_is_written() {
    check(
        team(),
        |t| {
            t.default_llm.provider = "deepsek".into();
            t.default_llm.api_key = Some(Secret::new("sk-1"));
            t.default_llm.retry_policy =
                serde_json::from_value(json!({"max_retries": 99, "wait": 1})).unwrap();
            t.agents[0].llm_config =
                Some(LlmConfig { provider: "openai-compatible".into(), ..LlmConfig::default() });
            t.agents[1].llm_config = Some(LlmConfig { provider: "claude".into(), ..LlmConfig::default() });
        },
        &[
            "default_llm.api_key: must be `${NAME}`, with the name of the environment variable that holds the key; a key \
             itself is not accepted",
            "default_llm.provider: `deepsek` is not a provider: expected one of anthropic, openai, deepseek, openrouter, \
             groq, ollama, openai-compatible, claude, codex, acp",
            "default_llm.retry_policy.wait: unknown key; known keys: max_retries, base_delay, max_delay",
            "default_llm.retry_policy.max_retries: 99 is not in 0..=10",
            "agents[0].llm_config.base_url: is required when provider is `openai-compatible`",
        ],
    );
}

fn pattern(kind: PatternKind, config: serde_json::Value) -> CollaborationPattern {
    CollaborationPattern {
        name: "both".into(),
        kind,
        agents: vec!["writer".into(), "editor".into()],
        coordination_agent: Some("writer".into()),
        config: serde_json::from_value(config).unwrap(),
    }
}

#[track_caller]
fn refused_config(kind: PatternKind, config: serde_json::Value, expected: &[&str]) {
    let found = lines(pattern(kind, config).problems());
    let found: Vec<&str> = found.iter().map(|line| line.strip_prefix("config.").unwrap_or(line)).collect();
    assert_eq!(found, expected);
}

#[test]
fn the_settings_of_a_pattern_are_those_of_its_kind() {
    refused_config(PatternKind::Sequential, json!({"x": 1}), &["x: unknown key; this type has no keys"]);
    refused_config(
        PatternKind::Parallel,
        json!({"tasks": {"boss": "x", "writer": 3}, "sync_points": ["a", "a"], "on_failure": "stop", "isolation": "none", "rule": 1}),
        &[
            "rule: unknown key; known keys: tasks, sync_points, on_failure, isolation",
            "on_failure: must be one of wait, cancel",
            "isolation: must be one of branch, shared",
            "tasks.boss: `boss` is not among the agents of the pattern",
            "tasks.writer: must be text",
            "sync_points[1]: `a` is already used by sync_points[0]",
        ],
    );
    refused_config(
        PatternKind::Hierarchical,
        json!({"must_delegate": "yes", "max_parallel": 0, "max_delegations": 501, "max_depth": 2.5}),
        &[
            "must_delegate: must be true or false",
            "max_parallel: must be a whole number from 1 to 16",
            "max_delegations: must be a whole number from 1 to 500",
            "max_depth: must be a whole number from 1 to 5",
        ],
    );
    refused_config(
        PatternKind::Consensus,
        json!({"rule": "dictator", "tie": "coin", "timeout": 0, "max_rounds": 0, "quorum": 2, "weights": {"editor": -1}}),
        &[
            "rule: must be one of majority, unanimous, weighted",
            "tie: must be one of human, coordinator, reject",
            "timeout: must be a whole number from 1 to 86400",
            "max_rounds: must be a whole number from 1 to 20",
            "quorum: 2 is more than the 1 agents that can vote",
            "weights.editor: must be a number greater than 0",
            "weights: is allowed only when rule is `weighted`",
        ],
    );
    refused_config(
        PatternKind::Custom,
        json!({}),
        &["workflow: must be a list of steps when type is `custom`"],
    );
    refused_config(
        PatternKind::Custom,
        json!({"workflow": [{"step": "a", "agent": "writer", "next_on_yes": "b"}, {"agent": "editor"}, 3]}),
        &[
            "workflow[0].next_on_yes: unknown key; known keys: step, agent, ask, check, task, next_on_success, \
             next_on_failure, next_on_approve, next_on_reject, next_on_pass, next_on_fail",
            "workflow[1]: `step` is missing",
            "workflow[2]: must be a mapping with `step`, and `agent`, `ask` or `check`",
        ],
    );
    refused_config(
        PatternKind::Custom,
        json!({"workflow": [
            {"step": "a", "agent": "boss", "next_on_success": "b", "next_on_failure": "z"},
            {"step": "b", "agent": "editor"},
            {"step": "b", "agent": "editor"},
            {"step": "c", "agent": "editor", "next_on_pass": "a"},
        ]}),
        &[
            "workflow[2].step: `b` is already used by workflow[1]",
            "workflow[0].agent: `boss` is not among the agents of the pattern",
            "workflow[0].next_on_failure: there is no step `z`",
            "workflow[3].step: `c` is never reached",
        ],
    );
    for (kind, config) in [
        (
            PatternKind::Parallel,
            json!({"tasks": {"writer": "x"}, "sync_points": ["a", "b"], "isolation": "shared"}),
        ),
        (PatternKind::Hierarchical, json!({"must_delegate": false, "max_parallel": 2})),
        (
            PatternKind::Consensus,
            json!({"rule": "weighted", "weights": {"editor": 2}, "quorum": 0.5, "tie": "coordinator"}),
        ),
        (
            PatternKind::Custom,
            json!({"workflow": [{"step": "a", "agent": "writer", "task": null, "next_on_pass": "a"}]}),
        ),
        (
            PatternKind::Custom,
            json!({"workflow": [
                {"step": "a", "agent": "writer", "ask": null, "next_on_success": "b"},
                {"step": "b", "ask": "Is it good?", "next_on_approve": "c", "next_on_reject": "a"},
                {"step": "c", "check": "make test", "next_on_fail": "b"},
            ]}),
        ),
    ] {
        refused_config(kind, config, &[]);
    }
}

#[test]
fn a_step_is_done_by_an_agent_a_person_or_a_command_and_by_one_of_them() {
    refused_config(
        PatternKind::Custom,
        json!({"workflow": [
            {"step": "a"},
            {"step": "b", "agent": "writer", "check": "make test"},
            {"step": "c", "ask": "Is it good?", "task": "Look", "next_on_pass": "a"},
            {"step": "d", "check": "make test", "next_on_approve": "a"},
            {"step": "e", "check": ""},
        ]}),
        &[
            "workflow[0]: must have exactly one of `agent`, `ask` and `check`",
            "workflow[1]: must have exactly one of `agent`, `ask` and `check`",
            "workflow[2].task: has no meaning together with `ask`; use next_on_approve, next_on_reject",
            "workflow[2].next_on_pass: has no meaning together with `ask`; use next_on_approve, next_on_reject",
            "workflow[3].next_on_approve: has no meaning together with `check`; use next_on_pass, next_on_fail",
            "workflow[4].check: must be text",
        ],
    );
    refused_config(
        PatternKind::Custom,
        json!({"workflow": [
            {"step": "a", "check": "make lint", "next_on_pass": "writer", "next_on_fail": "b"},
            {"step": "b", "check": "make format", "next_on_pass": "a"},
            {"step": "writer", "ask": "Is it good?", "next_on_reject": "a"},
        ]}),
        &[
            "workflow[2].step: `writer` is already the name of an agent",
            "workflow: a → b → a is a cycle of commands in which nothing changes: let an agent or a person follow one of them",
        ],
    );
}

#[test]
fn points_of_a_team_are_places_that_there_are() {
    check(
        team(),
        |t| {
            t.execution_config.breakpoints =
                vec!["writr".into(), "agent:boss".into(), "writer".into(), "agent:inner/a".into()];
            t.execution_config.human_intervention_points = [
                "before_writer",
                "on_error",
                "agent:boss",
                "sometimes",
                "tool:",
                "tool:[",
                "end",
                "before_lawer",
            ]
            .map(String::from)
            .to_vec();
            t.execution_config.max_steps = Some(0);
        },
        &[
            "execution_config.max_steps: 0 is not in 1..=100000",
            "execution_config.human_intervention_points[3]: `sometimes` is not one of node:NAME, agent:NAME, tool:GLOB, \
             handoff, plan, error, end",
            "execution_config.human_intervention_points[4]: `tool:` has nothing after the colon",
            "execution_config.human_intervention_points[5]: `[` is not a glob",
            "execution_config.breakpoints[0]: there is no agent `writr`",
            "execution_config.breakpoints[1]: there is no agent `boss`",
            "execution_config.human_intervention_points[2]: there is no agent `boss`",
            "execution_config.human_intervention_points[7]: there is no node `lawer`",
        ],
    );
}

#[test]
fn a_team_stops_only_at_tools_that_there_are() {
    let refused = |provider: &str| {
        let mut team = team();
        provider.clone_into(&mut team.default_llm.provider);
        team.agents[0].tools = vec!["shell".into()];
        team.execution_config.breakpoints = vec!["tool:serch if turns > 1".into(), "tool:mem*".into()];
        team.execution_config.human_intervention_points =
            ["tool:shel", "tool:shell", "tool:search", "tool:handoff", "tool:srv:x"]
                .map(String::from)
                .to_vec();
        let known = KnownNames { tools: BTreeSet::from(["shell", "search"]), ..KnownNames::default() };
        let mut report = ProblemReport::default();
        team.check_references(&known, &mut report);
        lines(report.into_problems())
    };
    assert_eq!(
        refused("deepseek"),
        [
            "execution_config.breakpoints[0]: there is no tool `serch`",
            "execution_config.human_intervention_points[0]: there is no tool `shel`",
        ]
    );
    assert_eq!(refused("claude"), [""; 0], "a program has tools of its own");
}

#[test]
fn a_teams_tools_are_its_own_or_known() {
    let tool = |name: &str, source: ToolSource, config: serde_json::Value| ToolConfig {
        name: name.into(),
        source,
        config: serde_json::from_value(config).unwrap(),
        timeout: None,
    };
    let custom = || ToolSource::Custom { path: "x.sh".into(), function: None };
    let mut team = team();
    team.tools = vec![
        tool("deploy", custom(), json!({})),
        tool("handoff", custom(), json!({})),
        tool("plan_everything", custom(), json!({})),
        tool("shell", custom(), json!({})),
        tool("teleport", ToolSource::Builtin, json!({})),
        tool("request_approval", ToolSource::Hitl { escalation_policy: None }, json!({"mode": "advisory"})),
        tool("docs", ToolSource::Mcp { server_url: None }, json!({"server": "absent"})),
    ];
    let tools = [
        "shell",
        "deploy",
        "handoff",
        "docs:read",
        "docs.read",
        "web:*",
        "gone:*",
        "teleports",
        "forget_memory",
    ];
    team.agents[0].tools = tools.map(String::from).to_vec();
    team.agents[1].team = Some("press".into());
    team.agents[1].guardrail_policies = vec!["pii".into(), "shared".into()];
    let mut report = ProblemReport::default();
    let known = KnownNames {
        tools: ["shell"].into(),
        servers: ["web"].into(),
        policies: ["shared"].into(),
        ..KnownNames::default()
    };
    team.check_references(&known, &mut report);
    assert_eq!(
        lines(report.into_problems()),
        [
            "tools[1].name: `handoff` is the name of a built-in tool",
            "tools[2].name: `plan_everything` is the name of a built-in tool",
            "tools[3].name: `shell` is the name of a built-in tool",
            "tools[4].name: there is no built-in tool `teleport`",
            "tools[6].config.server: there is no MCP server `absent`",
            "agents[0].tools[6]: there is no MCP server `gone`",
            "agents[0].tools[7]: there is no tool `teleports`",
            "agents[0].tools[8]: there is no tool `forget_memory`",
            "agents[1].guardrail_policies[0]: there is no guardrail policy `pii`",
            "agents[1].team: there is no team `press`",
        ]
    );
}

#[test]
fn the_settings_of_a_tool_are_those_of_its_kind() {
    let lines_of = |source: ToolSource, config: serde_json::Value| {
        let config = serde_json::from_value(config).unwrap();
        lines(ToolConfig { name: "x".into(), source, config, timeout: None }.problems())
    };
    let custom = |path: &str| ToolSource::Custom { path: path.into(), function: None };
    assert_eq!(
        lines_of(custom("../x.sh"), json!({"risk": "none", "retries": 3, "input_schema": "x"})),
        [
            "path: must lie below the directory of the team file",
            "config.retries: unknown key; known keys: description, input_schema, output_schema, risk, retry",
            "config.risk: must be one of read, write, execute, external",
            "config.input_schema: must be a mapping",
        ]
    );
    let hitl = |rule: &str| ToolSource::Hitl { escalation_policy: Some(rule.into()) };
    assert_eq!(
        lines_of(hitl("lead"), json!({"kind": "vote", "mode": "later", "prompt": 3})),
        [
            "config.kind: must be one of approval, feedback, escalation",
            "config.mode: must be one of synchronous, asynchronous, advisory",
            "config.prompt: must be text",
            "escalation_policy: must be reject, approve, escalate or escalate:SECONDS",
        ]
    );
    assert_eq!(lines_of(hitl("escalate:60"), json!({"kind": "approval"})), [""; 0]);
    assert_eq!(
        lines_of(ToolSource::Builtin, json!({"x": 1})),
        ["config.x: unknown key; this type has no keys"]
    );
    let retry = json!({"retry": {"max_retries": 99, "wait": 1}});
    assert_eq!(
        lines_of(custom("x.sh"), retry),
        [
            "config.retry.wait: unknown key; known keys: max_retries, base_delay, max_delay",
            "config.retry.max_retries: 99 is not in 0..=10",
        ]
    );
    let server = |url: Option<&str>| ToolSource::Mcp { server_url: url.map(str::to_owned) };
    assert_eq!(lines_of(server(Some("https://example.org/mcp")), json!({"tools": ["read_*"]})), [""; 0]);
    assert_eq!(
        lines_of(server(Some("https://example.org/${KEY}")), json!({})),
        ["server_url: must not contain variables: configure the server with `amelia mcp` instead"]
    );
    assert_eq!(
        lines_of(server(Some("https://example.org/mcp")), json!({"server": "docs", "tools": ["["]})),
        [
            "config.server: has no effect together with server_url: remove one of them",
            "config.tools: `[` is not a glob",
        ]
    );
}

#[test]
fn tools_of_servers_have_the_names_of_their_servers() {
    let tool = |name: &str, url: Option<&str>, config: serde_json::Value| ToolConfig {
        name: name.into(),
        source: ToolSource::Mcp { server_url: url.map(str::to_owned) },
        config: serde_json::from_value(config).unwrap(),
        timeout: None,
    };
    let mut team = team();
    team.tools = vec![
        tool("books", None, json!({"server": "docs", "tools": ["read_*", "list"]})),
        tool("web", Some("https://example.org/mcp"), json!({})),
    ];
    let listed = |tools: &[&str]| {
        let mut member = team.agents[0].clone();
        member.tools = tools.iter().map(|tool| (*tool).to_owned()).collect();
        team.server_tools(&member)
    };
    assert_eq!(listed(&["books"]), ["docs:read_*", "docs:list"]);
    assert_eq!(listed(&["books:*"]), ["docs:read_*", "docs:list"]);
    assert_eq!(listed(&["books:read_page", "web", "web.get"]), ["docs:read_page", "web:*", "web:get"]);
    assert_eq!(listed(&["shell", "git:log"]), ["git:log"]);
    let mut report = ProblemReport::default();
    team.agents[0].tools = vec!["books:read_page".to_owned(), "books:write".to_owned()];
    let known = KnownNames { servers: ["docs", "web"].into(), ..KnownNames::default() };
    team.check_references(&known, &mut report);
    assert_eq!(
        lines(report.into_problems()),
        [
            "tools[1].name: `web` is the name of an MCP server that is configured",
            "agents[0].tools[1]: `books` does not offer `write`: its config.tools leaves it out",
        ]
    );
}

#[test]
fn what_is_wrong_with_a_plan_is_told_at_its_place() {
    let task = |id: Option<&str>, dependencies: &[&str]| json!({"id": id, "description": "Do it", "dependencies": dependencies});
    let found = |plan: Value| {
        let team = json!({"name": "press", "agents": [{"name": "writer", "role": "r", "prompt_template": "t"}],
            "plan": plan});
        let team: TeamConfig = serde_json::from_value(team).unwrap();
        let problems = team.problems();
        problems.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(found(json!([task(None, &[]), task(Some("b"), &["1"])])), Vec::<String>::new());
    assert_eq!(
        found(json!([task(Some("a"), &[]), task(Some("b"), &["a", "x"]), task(Some("a"), &[])])),
        [
            "plan[2].id: two tasks have the id `a`",
            "plan[1].dependencies[1]: task `b` depends on `x`, which is not in the plan"
        ]
    );
    assert_eq!(
        found(json!([task(None, &[]), task(None, &["3"]), task(None, &["2"])])),
        ["plan[1].dependencies: tasks depend on each other: 2 → 3 → 2"]
    );
    assert_eq!(found(json!([task(Some(" "), &[])])), ["plan[0].id: must not be empty"]);
    let many: Vec<Value> = (0..101).map(|_| task(None, &[])).collect();
    assert_eq!(found(json!(many)), ["plan: there are 101 tasks; at most 100 can be followed"]);
}
