//! Configuration in all dialects: defaults, aliases, round trips, refusals.

use amelia_core::config::agent::{AgentDef, DriverType};
use amelia_core::config::mcp::{McpConfig, McpTransport};
use amelia_core::config::profile::{Profile, TrackerType, WorkMode};
use amelia_core::config::retention::RetentionPolicy;
use amelia_core::config::role::ROLES;
use amelia_core::config::server::ServerConfig;
use amelia_core::config::settings::Settings;
use amelia_core::config::team::TeamConfig;
use amelia_core::config::workflow::Workflow;
use amelia_core::message::ExecutionMode;
use amelia_core::review::ReviewStrategy;
use proptest::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};

use crate::amelia::config as amelia;
use crate::amelia::v1;
use crate::error::ErrorInfo;
use crate::maf;
use crate::read::{Incoming, Refused, read};
use crate::{agentx, maf::agent::Tool};

fn team(document: Value) -> Result<TeamConfig, Refused> {
    read::<agentx::team::TeamConfig>(document)
}

fn settings(document: Value) -> Result<Settings, Refused> {
    read::<amelia::Settings>(document)
}

fn small_team() -> Value {
    json!({
        "name": "news",
        "description": "writes news",
        "default_llm": {},
        "agents": [{"name": "writer", "role": "writes", "prompt_template": "writer.md"}],
        "tools": [],
    })
}

/// What is read must be written and read again as the same.
#[track_caller]
pub(super) fn round_trip<W>(document: Value) -> Value
where
    W: Incoming + Serialize + From<W::Core>,
    W::Core: Clone + PartialEq + std::fmt::Debug,
{
    let core = read::<W>(document).unwrap();
    let written = serde_json::to_value(W::from(core.clone())).unwrap();
    assert_eq!(read::<W>(written.clone()).unwrap(), core);
    written
}

#[test]
fn defaults_of_amelia() {
    let settings = json!({"active_profile": "work", "profiles": {"work": {
        "repo_root": "/repo",
        "agents": {"developer": {"driver": "claude", "model": "sonnet"}},
        "checks": [{"name": "test", "command": "cargo test"}],
    }}});
    insta::assert_json_snapshot!(round_trip::<amelia::Settings>(settings));
    let daytona = json!({"mode": "daytona", "repo_url": "git@host:o/r.git", "daytona_resources": {}});
    let daytona: amelia::sandbox::SandboxConfig = serde_json::from_value(daytona).unwrap();
    insta::assert_json_snapshot!("sandbox_config", daytona);
    insta::assert_json_snapshot!("server_config", round_trip::<amelia::server::ServerConfig>(json!({})));
}

#[test]
fn the_schema_of_a_team_accepts_what_is_read_and_refuses_what_is_not() {
    let fits = |document: &Value| {
        amelia_yaml::read::<Value>(&document.to_string(), agentx::team::team_schema()).map(|(read, _)| read)
    };
    // What goes out can be written to a file, with every `null` in it.
    let written = round_trip::<agentx::team::TeamConfig>(small_team());
    assert!(written["default_llm"]["max_tokens"].is_null(), "{written}");
    assert_eq!(fits(&written), Ok(written.clone()));
    let older = json!({"name": "t", "agents": [{"name": "a", "description": "d", "prompt_template": "p"}],
        "tools": [{"name": "x", "type": "shell_script", "path": "x.sh"}],
        "execution": {"mode": "step_through"}, "memory": {"short_term_limit": 5}});
    assert!(team(fits(&older).unwrap()).is_ok());
    for (path, value) in [
        ("/agents/0/tools", json!("shell")),
        ("/agents/0/llm_config", json!(3)),
        ("/agents/0/timeout", json!(3)),
        ("/default_llm/max_tokens", json!("many")),
        ("/execution_config/mode", json!("wild")),
        ("/owner", json!("me")),
    ] {
        let mut wrong = written.clone();
        let (parent, key) = path.rsplit_once('/').unwrap();
        wrong.pointer_mut(parent).unwrap()[key] = value;
        let problems = fits(&wrong).unwrap_err();
        let place = path.trim_start_matches('/').replace("/0/", "[0].").replace('/', ".");
        assert_eq!((problems.len(), problems[0].path.as_str()), (1, place.as_str()), "{problems:?}");
        assert!(team(wrong).is_err(), "{path}");
    }
}

#[test]
fn defaults_of_a_team() {
    let mut document = small_team();
    document["tools"] = json!([
        {"name": "shell", "type": "builtin"},
        {"name": "deploy", "type": "custom", "path": "deploy.sh", "function": "run"},
        {"name": "fetch", "type": "mcp", "server_url": "https://mcp.example/sse"},
        {"name": "ask", "type": "hitl", "timeout": 60, "escalation_policy": "escalate:60"},
    ]);
    document["agents"].as_array_mut().unwrap().push(json!({
        "name": "editor", "role": "edits", "prompt_template": "e.md", "llm_config": {}, "memory_config": {},
    }));
    document["handoff_rules"] = json!([{"from_agent": "writer", "to_agent": "editor"}]);
    document["collaboration_patterns"] =
        json!([{"name": "both", "type": "parallel", "agents": ["writer", "editor"]}]);
    document["guardrail_policies"] =
        json!([{"name": "pii", "type": "content_filter", "rules": [{"secrets": true}]}]);
    insta::assert_json_snapshot!(round_trip::<agentx::team::TeamConfig>(document));
}

#[test]
fn what_was_added_to_a_team_comes_back() {
    let mut document = small_team();
    document["plan"] = json!([
        {"description": "write", "agent": "writer", "expected_output": "a text"},
        {"description": "check", "dependencies": ["1"]},
    ]);
    document["budget"] = json!({"usd": 1.5});
    document["execution_config"] =
        json!({"stop_on": ["text_mention:DONE", "max_messages:20"], "mode": "hitl"});
    document["metadata"] = json!({"crewai": {"process": "sequential"}});
    document["agents"]
        .as_array_mut()
        .unwrap()
        .push(json!({"name": "press", "role": "prints", "team": "press"}));
    insta::assert_json_snapshot!(round_trip::<agentx::team::TeamConfig>(document));
}

#[test]
fn defaults_of_the_framework() {
    let agent = json!({
        "name": "researcher", "role": "finds", "system_prompt": "Find.", "tools": ["web.get"],
        "llm_config": {"endpoint": "https://api.deepseek.com", "model": "deepseek-chat"},
    });
    let workflow = json!({
        "name": "loop",
        "patterns": ["react", "reflection"],
        "nodes": {
            "draft": {"type": "agent", "agent": "writer"},
            "score": {"type": "tool", "tool": "grade", "arguments": {"strict": true}},
            "good": {"type": "condition"},
            "ask": {"type": "human", "prompt": "Good enough?"},
            "spread": {"type": "parallel", "parallel_tasks": ["draft"]},
        },
        "edges": [
            {"from": "draft", "to": "score"},
            {"from": "score", "to": "good"},
            {"from": "good", "to": {"yes": "ask", "no": "draft"}},
            {"from": "ask", "to": "spread", "condition": "routing_key == 'more'"},
            {"from": "ask", "to": "__end__"},
        ],
        "entry_point": "draft",
        "checkpoints": ["ask"],
    });
    let mcp = json!({
        "servers": [
            {"name": "files", "transport": "stdio", "config": {"command": "mcp-files", "args": ["."], "env": {"K": "${K}"}}},
            {"name": "web", "transport": "sse", "config": {"url": "https://mcp.example/sse"}},
            {"name": "new", "transport": "streamable-http", "config": {"url": "${MCP_URL}"}, "enabled": false},
        ],
        "tool_overrides": {"files:read": {"timeout_seconds": 5, "fallback_tools": ["web:get"], "retry_on_errors": ["timeout"]}},
    });
    insta::assert_json_snapshot!(json!({
        "agent": round_trip::<maf::agent::Agent>(agent),
        "workflow": round_trip::<maf::workflow::Workflow>(workflow),
        "mcp": round_trip::<maf::mcp::McpConfig>(mcp),
        "retention": round_trip::<maf::retention::RetentionPolicy>(json!({})),
    }));
}

#[test]
fn older_spellings_are_read_and_newest_written() {
    for (word, kind, provider) in [
        ("cli:claude", DriverType::Claude, None),
        ("cli", DriverType::Claude, None),
        ("claude", DriverType::Claude, None),
        ("cli:codex", DriverType::Codex, None),
        ("api", DriverType::Api, None),
        ("api:openai", DriverType::Api, Some("openai")),
    ] {
        let profile = json!({"name": "old", "driver": word, "tracker": "none", "working_dir": "/repo"});
        let read = read::<amelia::profile::Profile>(profile.clone()).unwrap();
        assert_eq!((read.tracker, read.repo_root.as_str()), (TrackerType::Noop, "/repo"));
        assert_eq!(read.agents.len(), ROLES.len(), "{word}");
        let developer = &read.agents["developer"];
        let named = developer.options.get("provider").and_then(Value::as_str);
        assert_eq!((developer.driver, named), (kind, provider), "{word}");
        let first = crate::read::read::<v1::Profile>(profile).unwrap();
        assert_eq!(first.execution_mode, WorkMode::Structured, "the first version's default");
        assert_eq!(first.agents, read.agents);
    }
    let old_team = json!({
        "name": "t",
        "agents": [{"name": "a", "description": "does", "prompt_template": "p"}],
        "tools": [{"name": "x", "type": "shell_script", "path": "x.sh"}],
        "execution": {"mode": "step_through"},
        "memory": {"short_term_limit": 5},
    });
    let read = team(old_team).unwrap();
    assert_eq!(read.execution_config.mode, ExecutionMode::Step);
    assert_eq!((read.agents[0].role.as_str(), read.memory_config.short_term_limit), ("does", 5));
}

#[test]
fn a_drivers_older_word_keeps_its_provider() {
    let read = |agent: Value| {
        let profile = json!({"name": "p", "repo_root": "/r", "agents": {"developer": agent}});
        let read = read::<amelia::profile::Profile>(profile).map_err(|refused| refused.to_string())?;
        Ok(read.agents["developer"].options.get("provider").cloned())
    };
    assert_eq!(read(json!({"driver": "api:openai", "model": "gpt-5"})), Ok(Some(json!("openai"))));
    let twice = json!({"driver": "api:openai", "model": "gpt-5", "options": {"provider": "openai"}});
    assert_eq!(read(twice), Ok(Some(json!("openai"))));
    let torn = json!({"driver": "api:openai", "model": "gpt-5", "options": {"provider": "groq"}});
    assert_eq!(
        read(torn),
        Err("agents.developer.driver: names another provider than options.provider: remove one of them"
            .to_owned())
    );
}

#[test]
fn the_first_versions_directory_of_plans_is_where_plans_are() {
    let old = json!({"name": "old", "driver": "claude", "working_dir": "/r", "plan_output_dir": "notes"});
    let as_new = read::<amelia::profile::Profile>(old.clone()).unwrap().plan_path();
    let as_old = read::<v1::Profile>(old).unwrap().plan_path();
    assert_eq!(
        (as_new.as_str(), as_old.as_str()),
        ("notes/{date}-{issue_key}.md", "notes/{date}-{issue_key}.md")
    );
}

#[test]
fn the_first_versions_profile_goes_out_in_new_words() {
    let mut profile = Profile::new("work", "/repo");
    let driver: crate::amelia::spelling::Driver = serde_json::from_value(json!("cli:claude")).unwrap();
    driver.fill(&mut profile.agents);
    assert_eq!(
        serde_json::to_value(v1::Profile::from(&profile)).unwrap(),
        json!({
            "name": "work",
            "driver": "claude",
            "tracker": "noop",
            "strategy": "single",
            "execution_mode": "agentic",
            "plan_output_dir": "docs/plans",
            "working_dir": "/repo",
        })
    );
}

#[test]
fn a_competitive_review_has_personas() {
    let read = |document| read::<amelia::profile::Profile>(document);
    let usual = read(json!({"name": "p", "repo_root": "/r", "strategy": "competitive"})).unwrap();
    let ReviewStrategy::Competitive { personas } = usual.strategy else { panic!("not competitive") };
    assert_eq!(
        personas.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["Security", "Performance", "Quality"]
    );
    let stray = read(json!({"name": "p", "repo_root": "/r", "personas": ["Security"]})).unwrap_err();
    assert_eq!(stray.to_string(), "personas: are allowed only when strategy is `competitive`");
}

#[test]
fn every_unknown_field_is_named_with_its_path() {
    let document = json!({"active_profile": "work", "profiles": {"work": {
        "repo_root": "/repo",
        "retry": {"max_retires": 3},
        "agents": {"developer": {"driver": "claude", "model": "sonnet", "modle": "x", "base_url": "http://x"}},
        "checks": [{"name": "t", "command": "c", "when": "always"}],
    }}});
    insta::assert_snapshot!(settings(document).unwrap_err(), @r"
    profiles.work.agents.developer.base_url: is an option of the driver: put it under `options:`, as `options: { base_url: … }`
    profiles.work.agents.developer.modle: unknown field `modle`, expected one of `driver`, `model`, `options`, `sandbox`, `profile_name`
    profiles.work.checks[0].when: unknown field `when`, expected one of `name`, `command`, `timeout`
    profiles.work.retry.max_retires: unknown field `max_retires`, expected one of `max_retries`, `base_delay`, `max_delay`
    ");
}

#[test]
fn a_field_of_a_profile_called_agents_is_no_option_of_a_driver() {
    let document = json!({"active_profile": "agents", "profiles": {"agents": {
        "repo_root": "/repo",
        "checks": [{"name": "t", "command": "c", "timeout": "long"}],
    }}});
    assert_eq!(
        settings(document).unwrap_err().to_string(),
        "profiles.agents.checks[0].timeout: invalid type: string \"long\", expected a whole number from 0"
    );
}

#[test]
fn a_wrong_shape_is_named_with_its_path() {
    let with = |field: &str, value: Value| {
        let mut document = small_team();
        document[field] = value;
        team(document).unwrap_err().to_string()
    };
    let target = json!({"name": "w", "nodes": {}, "entry_point": "a", "edges": [{"from": "a", "to": 3}]});
    assert_eq!(
        [
            with("agents", json!([{"name": "a", "role": "r", "tools": "shell"}])),
            with("tools", json!([{"name": "a", "type": "magic"}])),
            with("handoff_rules", json!([{"from_agent": "a"}])),
            read::<maf::workflow::Workflow>(target).unwrap_err().to_string(),
        ],
        [
            "agents[0].tools: invalid type: string \"shell\", expected a sequence",
            "tools[0].type: unknown value `magic`, expected one of `builtin`, `custom`, \
             `python_function`, `shell_script`, `mcp`, `mcp_tool`, `hitl`",
            "handoff_rules[0]: missing field `to_agent`",
            "edges[0].to: expected the name of a node, or a map from labels to nodes",
        ]
    );
}

#[test]
fn all_problems_are_reported_at_once() {
    let mut document = small_team();
    document["default_llm"] = json!({"temperature": 2.5, "timeout": 0});
    document["tools"] =
        json!([{"name": "x", "type": "builtin", "path": "x.sh"}, {"name": "y", "type": "custom"}]);
    document["execution_config"] = json!({"stop_on": ["someday"]});
    document["handoff_rules"] = json!([{"from_agent": "writer", "to_agent": "nobody"}]);
    insta::assert_json_snapshot!(ErrorInfo::from(&team(document).unwrap_err()));
}

#[test]
fn fields_of_another_kind_are_refused() {
    let workflow = json!({
        "name": "w",
        "nodes": {"a": {"type": "tool", "agent": "x"}, "b": {"type": "agent"}},
        "edges": [{"from": "a", "to": "b"}],
        "entry_point": "a",
    });
    let mcp = json!({"servers": {"files": {"transport": "stdio", "config": {"url": "https://x"}}}});
    let auth = json!({"host": "0.0.0.0", "auth": {"mode": "none", "secret_env": "S"}});
    assert_eq!(
        [
            read::<maf::workflow::Workflow>(workflow).unwrap_err().to_string(),
            read::<maf::mcp::McpConfig>(mcp).unwrap_err().to_string(),
            read::<amelia::server::ServerConfig>(auth).unwrap_err().to_string(),
        ],
        [
            "nodes.a.agent: is allowed only when type is `agent`\n\
             nodes.a.tool: must not be empty\n\
             nodes.b.agent: must not be empty",
            "servers[0].config.url: does not belong to this transport\n\
             servers[0].config.command: must not be empty",
            "auth: has fields that are allowed only when mode is `jwt`\n\
             auth.mode: `none` is allowed only on a loopback address, and host is `0.0.0.0`",
        ]
    );
}

#[test]
fn mcp_servers_by_name_or_as_a_list_are_the_same() {
    let server = json!({"transport": "streamable_http", "config": {"url": "https://x"}});
    let mut listed = server.clone();
    listed["name"] = json!("web");
    let by_name = read::<maf::mcp::McpConfig>(json!({"servers": {"web": server}})).unwrap();
    assert_eq!(read::<maf::mcp::McpConfig>(json!({"servers": [listed]})).unwrap(), by_name);
    assert!(matches!(by_name.servers[0].transport, McpTransport::StreamableHttp { .. }));
}

#[test]
fn the_name_of_a_key_comes_in_and_a_key_never_goes_out() {
    let mut document = small_team();
    document["default_llm"] = json!({"api_key": "${MY_KEY}"});
    let by_name = team(document.clone()).unwrap();
    assert_eq!(by_name.default_llm.api_key_env.as_deref(), Some("MY_KEY"));
    let written = serde_json::to_string(&agentx::team::TeamConfig::from(by_name)).unwrap();
    assert!(written.contains("\"api_key_env\":\"MY_KEY\"") && !written.contains("\"api_key\""), "{written}");
    document["default_llm"] = json!({"api_key": "sk-123"});
    let refused = team(document.clone()).unwrap_err().to_string();
    assert!(
        refused.starts_with("default_llm.api_key: must be `${NAME}`") && !refused.contains("sk-123"),
        "{refused}"
    );
    let wire: agentx::team::TeamConfig = serde_json::from_value(document).unwrap();
    for text in [format!("{wire:?}"), serde_json::to_string(&wire).unwrap()] {
        assert!(!text.contains("sk-123"), "{text}");
    }
    let incoming: agentx::team::parts::LLMConfig =
        serde_json::from_value(json!({"api_key": "sk-123"})).unwrap();
    assert!(!format!("{incoming:?}").contains("sk-123"));
    let agent = |key: &str| {
        read::<maf::agent::Agent>(json!({
            "name": "a", "role": "r", "system_prompt": "s", "tools": [],
            "llm_config": {"endpoint": "https://x", "model": "m", "api_key": key},
        }))
    };
    assert_eq!(agent("${MY_KEY}").unwrap().llm_config.unwrap().api_key_env.as_deref(), Some("MY_KEY"));
    for literal in ["sk-123", "gsk_abc123", "${sk-123}"] {
        let refused = agent(literal).unwrap_err().to_string();
        assert!(refused.starts_with("llm_config.api_key: must be `${NAME}`"), "{refused}");
        assert!(!refused.contains("123"), "{refused}");
    }
}

#[test]
fn a_tool_is_known_by_server_and_name() {
    let tool = json!({
        "name": "read", "server": "files", "description": "reads", "input_schema": {"type": "object"},
        "output_schema": null, "timeout_seconds": 300, "fallback_tools": ["web:get", "cat"],
    });
    let spec = maf::agent::tool_spec(serde_json::from_value(tool.clone()).unwrap());
    assert_eq!((spec.name.to_string(), spec.fallbacks[1].to_string()), ("files:read".into(), "cat".into()));
    assert_eq!(serde_json::to_value(Tool::from(spec)).unwrap(), tool);
}

prop_compose! {
    fn any_retry()(max_retries in 0..=10_u32, base_delay in 0.1..=30.0, max_delay in 1.0..=300.0) -> Value {
        json!({"max_retries": max_retries, "base_delay": base_delay, "max_delay": max_delay})
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn profiles_survive_the_wire(
        retry in any_retry(),
        strategy in prop::sample::select(vec!["single", "competitive"]),
        tasks in 1..9_u32,
        usd in prop::option::of(0.01..100.0),
    ) {
        round_trip::<amelia::profile::Profile>(json!({
            "name": "p", "repo_root": "/r", "retry": retry, "parallel_tasks": tasks, "strategy": strategy,
            "budgets": {"per_run": {"usd": usd}},
        }));
    }

    /// Whatever comes in, reading answers; it does not panic and does not go on for ever.
    #[test]
    fn reading_always_ends(keys in prop::collection::vec("[a-z.\\[\\]/~0-9]{0,6}", 0..6)) {
        let junk: serde_json::Map<String, Value> = keys.into_iter().map(|key| (key, json!({"x": [1]}))).collect();
        let is_empty = junk.is_empty();
        prop_assert_eq!(read::<amelia::server::ServerConfig>(Value::Object(junk)).is_ok(), is_empty);
    }
}

#[test]
fn the_cores_defaults_are_the_wires() {
    assert_eq!(read::<amelia::server::ServerConfig>(json!({})).unwrap(), ServerConfig::default());
    assert_eq!(read::<maf::retention::RetentionPolicy>(json!({})).unwrap(), RetentionPolicy::default());
    assert_eq!(read::<maf::mcp::McpConfig>(json!({})).unwrap(), McpConfig::default());
    let profile = read::<amelia::profile::Profile>(json!({"name": "p", "repo_root": "/r"})).unwrap();
    assert_eq!(profile, Profile::new("p", "/r"));
    let AgentDef { max_iterations, temperature, .. } = read::<maf::agent::Agent>(json!({
        "name": "a", "role": "r", "system_prompt": "s", "tools": [], "llm_config": {"endpoint": "http://x", "model": "m"},
    }))
    .unwrap();
    assert_eq!((max_iterations, temperature), (10, 0.7));
    assert_eq!(Workflow::DEFAULT_MAX_ITERATIONS, 50);
}
