//! Every default, range and cross-field rule of the source documents.

use std::collections::BTreeMap;

use serde_json::json;

use super::agent::{AgentConfig, AgentDef, ApiType, DriverType, Endpoint};
use super::mcp::{AutoReconnect, McpConfig, McpServer, McpTransport, ToolOverride};
use super::problem::{ProblemReport, Validate};
use super::profile::Profile;
use super::retention::RetentionPolicy;
use super::retry::RetryConfig;
use super::sandbox::{DaytonaResources, SandboxConfig, SandboxMode};
use super::secret::Secret;
use super::server::{AuthMode, Jwt, ServerConfig};
use super::settings::Settings;
use super::team::llm::LlmConfig;
use super::workflow::{EdgeDef, EdgeTarget, NodeDef, NodeKind, Workflow};
use crate::human::HumanKind;
use crate::run::RunStatus;

fn lines(problems: impl IntoIterator<Item = super::problem::ConfigProblem>) -> Vec<String> {
    problems.into_iter().map(|problem| problem.to_string()).collect()
}

/// `change` on a value without problems must give exactly `expected`.
#[track_caller]
fn check<T: Validate>(mut value: T, change: impl FnOnce(&mut T), expected: &[&str]) {
    assert_eq!(lines(value.problems()), [""; 0], "before the change");
    change(&mut value);
    assert_eq!(lines(value.problems()), expected);
}

fn profile() -> Profile {
    Profile::new("work", "/repo")
}

fn agent_def() -> AgentDef {
    let llm = Endpoint {
        endpoint: "https://api.deepseek.com".into(),
        model: "deepseek-chat".into(),
        api_key_env: Some("DEEPSEEK_API_KEY".into()),
        api_type: ApiType::Deepseek,
    };
    AgentDef {
        role: "finds things".into(),
        system_prompt: "Find.".into(),
        ..AgentDef::new("researcher", llm)
    }
}

fn edge(from: &str, to: &str) -> EdgeDef {
    EdgeDef { from: from.into(), to: EdgeTarget::Node(to.into()), condition: None }
}

fn workflow() -> Workflow {
    let agent = |name: &str| NodeDef::new(NodeKind::Agent { agent: name.into() });
    Workflow {
        name: "loop".into(),
        description: None,
        patterns: vec![],
        nodes: BTreeMap::from([("draft".into(), agent("writer")), ("critique".into(), agent("critic"))]),
        edges: vec![edge("draft", "critique"), edge("critique", "__end__")],
        entry_point: "draft".into(),
        checkpoints: vec![],
        max_iterations: Workflow::DEFAULT_MAX_ITERATIONS,
    }
}

#[test]
fn ranges_of_retry_and_sandbox() {
    let retry = RetryConfig::default;
    check(retry(), |r| r.max_retries = 11, &["max_retries: 11 is not in 0..=10"]);
    check(retry(), |r| r.base_delay = 0.09, &["base_delay: 0.09 is not in 0.1..=30.0"]);
    check(retry(), |r| r.base_delay = 30.5, &["base_delay: 30.5 is not in 0.1..=30.0"]);
    check(retry(), |r| r.max_delay = 300.1, &["max_delay: 300.1 is not in 1.0..=300.0"]);
    check(retry(), |r| r.max_delay = 0.9, &["max_delay: 0.9 is not in 1.0..=300.0"]);
    for edge in [0, 10] {
        check(retry(), |r| r.max_retries = edge, &[]);
    }
    let resources = DaytonaResources::default;
    check(resources(), |r| r.cpu = 0, &["cpu: 0 is not greater than 0"]);
    check(resources(), |r| r.memory = 0, &["memory: 0 is not greater than 0"]);
    check(resources(), |r| r.disk = 0, &["disk: 0 is not greater than 0"]);
    let sandbox = SandboxConfig::default;
    check(
        sandbox(),
        |s| s.daytona_timeout = 0.0,
        &[
            "daytona_timeout: 0.0 is not greater than 0",
            "daytona_timeout: has no effect without a sandbox, and this version has none: remove it",
        ],
    );
    check(
        sandbox(),
        |s| {
            s.mode = SandboxMode::Daytona;
            s.network_allowlist_enabled = true;
        },
        &[
            "repo_url: is required when mode is `daytona`",
            "network_allowlist_enabled: is not allowed when mode is `daytona`",
            "mode: must be none: this version has no sandboxes; commands run on this machine",
        ],
    );
}

#[test]
fn options_of_a_model_that_cannot_be_are_refused_as_they_are_written() {
    let agent = |options: serde_json::Value| AgentConfig {
        options: options.as_object().unwrap().clone(),
        ..AgentConfig::new(DriverType::Api, "m")
    };
    let problems = |options| agent(options).problems().iter().map(ToString::to_string).collect::<Vec<_>>();
    for tokens in [json!(-1), json!(0), json!(1.5), json!(1e23)] {
        let expected = format!("options.max_tokens: {tokens} is not a whole number greater than 0");
        assert_eq!(problems(json!({"max_tokens": tokens})), [expected]);
    }
    let keyed = problems(json!({"base_url": "https://example.org/v1?api_key=s3cret"}));
    assert!(
        matches!(&keyed[..], [only] if only.contains("api_key_env") && !only.contains("s3cret")),
        "{keyed:?}"
    );
    assert!(problems(json!({"base_url": "https://example.org/v1", "max_tokens": 1})).is_empty());
}

#[test]
fn delays_double_up_to_the_cap_and_end() {
    let retry = RetryConfig { max_retries: 8, ..RetryConfig::default() };
    let seconds: Vec<_> = (0..9).map(|n| retry.delay(n).map(|delay| delay.as_secs())).collect();
    assert_eq!(seconds, [1, 2, 4, 8, 16, 32, 60, 60].map(Some).into_iter().chain([None]).collect::<Vec<_>>());
}

#[test]
fn all_problems_of_a_document_are_reported_with_their_paths() {
    let mut bad = profile();
    bad.repo_root = " ".into();
    bad.retry.max_retries = 11;
    bad.plan_path_pattern = "../{user}.md".into();
    bad.sandbox.network_allowed_hosts = vec!["https://github.com/x".into()];
    bad.parallel_tasks = 0;
    let mut agent = AgentConfig::new(DriverType::Api, "gpt");
    agent.options =
        json!({"provider": "acme", "temperature": 2.1, "api_key_env": "A B"}).as_object().unwrap().clone();
    bad.agents.insert("developer".into(), agent);
    let settings = Settings {
        active_profile: "home".into(),
        profiles: BTreeMap::from([("office".into(), bad)]),
        active_in: BTreeMap::new(),
    };
    assert_eq!(
        lines(settings.problems()),
        [
            "active_profile: there is no profile `home`",
            "profiles.office.repo_root: must not be empty",
            "profiles.office.plan_path_pattern: must stay inside the repository",
            "profiles.office.plan_path_pattern: may contain only the placeholders {date} and {issue_key}",
            "profiles.office.retry.max_retries: 11 is not in 0..=10",
            "profiles.office.agents.developer.options.provider: must be one of anthropic, openai, deepseek, \
             openrouter, groq, ollama, openai-compatible",
            "profiles.office.agents.developer.options.api_key_env: must be the name of an environment variable",
            "profiles.office.agents.developer.options.temperature: 2.1 is not in 0.0..=2.0",
            "profiles.office.sandbox.network_allowed_hosts[0]: `https://github.com/x` is not a host name: write \
             it without scheme and path",
            "profiles.office.sandbox.network_allowed_hosts: has no effect without a sandbox, and this version has none: \
             remove it",
            "profiles.office.parallel_tasks: 0 is not in 1..=16",
            "profiles.office.name: `work` differs from its key `office`",
        ]
    );
}

#[test]
fn an_agent_gets_the_profiles_name_and_sandbox() {
    let mut profile = profile();
    profile.sandbox.mode = SandboxMode::Container;
    profile.agents.insert("developer".into(), AgentConfig::new(DriverType::Claude, "sonnet"));
    let agent = profile.agent("developer").unwrap();
    assert_eq!((agent.profile_name.as_str(), agent.sandbox.mode), ("work", SandboxMode::Container));
    assert_eq!(profile.agent("oracle"), None);
}

#[test]
fn ranges_of_the_server() {
    let server = ServerConfig::default;
    check(server(), |s| s.port = 0, &["port: 0 is not in 1..=65535"]);
    check(server(), |s| s.log_retention_days = 0, &["log_retention_days: 0 is less than 1"]);
    check(
        server(),
        |s| s.log_retention_max_events = 999,
        &["log_retention_max_events: 999 is less than 1000"],
    );
    check(server(), |s| s.max_concurrent = 0, &["max_concurrent: 0 is less than 1"]);
    check(server(), |s| s.sub_agents.depth = 11, &["sub_agents.depth: 11 is not in 1..=10"]);
    check(server(), |s| s.sub_agents.per_run = 0, &["sub_agents.per_run: 0 is not in 1..=1000"]);
    check(server(), |s| s.sub_agents.at_once = 65, &["sub_agents.at_once: 65 is not in 1..=64"]);
    check(
        server(),
        |s| s.websocket_idle_timeout_seconds = 0.0,
        &["websocket_idle_timeout_seconds: 0.0 is not greater than 0"],
    );
    check(
        server(),
        |s| s.redis_url = Some("http://x".into()),
        &["redis_url: must be a URL that starts with redis:// or rediss://"],
    );
    check(
        server(),
        |s| s.auth = AuthMode::Jwt(Jwt::default()),
        &["auth: needs exactly one of secret_env, key_file, jwks_file, jwks_url"],
    );
}

#[test]
fn a_server_without_sign_in_must_be_on_loopback() {
    for host in ["127.0.0.1", "::1", "[::1]", "localhost", "127.8.8.8"] {
        check(
            ServerConfig { host: host.into(), ..ServerConfig::default() },
            |s| s.auth = AuthMode::None,
            &[],
        );
    }
    check(
        ServerConfig { host: "0.0.0.0".into(), ..ServerConfig::default() },
        |s| s.auth = AuthMode::None,
        &["auth.mode: `none` is allowed only on a loopback address, and host is `0.0.0.0`"],
    );
}

#[test]
fn a_profile_cannot_name_a_key_that_the_server_keeps() {
    let mut profile = profile();
    let mut agent = AgentConfig::new(DriverType::Api, "gpt");
    agent.options.insert("api_key_env".into(), json!("HOME"));
    profile.agents.insert("developer".into(), agent);
    let mut report = ProblemReport::default();
    ServerConfig::default().check_keys(&profile, &mut report);
    let refused = lines(report.into_problems()).join("\n");
    let start = "agents.developer.options.api_key_env: `HOME` is not among the server's api_key_envs: run";
    assert!(
        refused.starts_with(start) && refused.contains("OPENAI_API_KEY, ") && refused.contains(", HOME]"),
        "{refused}"
    );
}

#[test]
fn rules_of_agents_from_files() {
    check(
        agent_def(),
        |a| a.name = "Researcher".into(),
        &["name: `Researcher` must begin with a-z and contain only a-z, 0-9 and _"],
    );
    check(agent_def(), |a| a.temperature = -0.1, &["temperature: -0.1 is not in 0.0..=2.0"]);
    check(agent_def(), |a| a.max_iterations = 0, &["max_iterations: 0 is not in 1..=1000"]);
    check(
        agent_def(),
        |a| a.tools = vec!["a".into(), "b".into(), "a".into()],
        &["tools[2]: `a` is already used by tools[0]"],
    );
    check(
        agent_def(),
        |a| a.llm_config.as_mut().unwrap().endpoint = "api".into(),
        &["llm_config.endpoint: must be a URL that starts with https:// or http://"],
    );
}

#[test]
fn a_workflow_refers_only_to_its_nodes() {
    check(
        workflow(),
        |w| {
            w.edges.push(edge("critique", "publish"));
            w.edges.push(edge("review", "draft"));
            w.checkpoints = vec!["gate".into()];
            w.nodes.insert("island".into(), NodeDef::new(NodeKind::Condition));
            w.max_iterations = 0;
        },
        &[
            "edges[2].to: there is no node `publish`",
            "edges[3].from: there is no node `review`",
            "checkpoints[0]: there is no node `gate`",
            "max_iterations: 0 is not in 1..=1000",
            "nodes.island: is never reached",
        ],
    );
    check(workflow(), |w| w.entry_point = "nowhere".into(), &["entry_point: there is no node `nowhere`"]);
}

#[test]
fn a_cycle_needs_a_condition() {
    check(
        workflow(),
        |w| w.edges.push(edge("critique", "draft")),
        &["edges: critique → draft → critique is a cycle without a condition and would never end"],
    );
    let conditional = EdgeDef { condition: Some("state.score < 0.8".into()), ..edge("critique", "draft") };
    check(workflow(), |w| w.edges.push(conditional), &[]);
    let labels = BTreeMap::from([("again".into(), "draft".into()), ("done".into(), "__end__".into())]);
    let choice = EdgeDef { to: EdgeTarget::Choice(labels), ..edge("critique", "") };
    check(workflow(), |w| w.edges[1] = choice, &[]);
}

#[test]
fn mcp_servers_are_reachable_and_overrides_name_them() {
    let transport = McpTransport::Stdio { command: "mcp-files".into(), args: vec![], env: BTreeMap::new() };
    let server = McpServer::new("files", transport);
    let config = McpConfig { servers: vec![server.clone()], ..McpConfig::default() };
    check(
        config,
        |c| {
            c.servers[0].auto_reconnect =
                AutoReconnect { enabled: true, max_attempts: 11, backoff_seconds: 0.5 };
            c.servers.push(McpServer {
                transport: McpTransport::Sse { url: "ftp://x".into(), headers: BTreeMap::new() },
                ..server
            });
            let over = ToolOverride {
                timeout_seconds: Some(0),
                fallback_tools: vec!["web:get".into()],
                ..Default::default()
            };
            c.tool_overrides.insert("files:read".into(), over);
            c.mcp_envs = Some(vec!["KEY".into(), "not one".into()]);
        },
        &[
            "servers[0].auto_reconnect.max_attempts: 11 is not in 0..=10",
            "servers[0].auto_reconnect.backoff_seconds: 0.5 is not in 1.0..=60.0",
            "servers[1].config.url: must be a URL that starts with https:// or http://",
            "servers[1].name: `files` is already used by servers[0]",
            "mcp_envs[1]: `not one` is not the name of an environment variable",
            "tool_overrides.files:read.timeout_seconds: 0 is not greater than 0",
            "tool_overrides.files:read.fallback_tools[0]: there is no server `web`",
        ],
    );
}

#[test]
fn the_nearest_retention_rule_wins() {
    let policy = RetentionPolicy::default();
    let days = |own, label, status| policy.days(own, label, status);
    assert_eq!(days(None, None, RunStatus::Cancelled), Some(7));
    assert_eq!(days(None, None, RunStatus::Failed), Some(14));
    assert_eq!(days(None, Some("debug"), RunStatus::Failed), Some(3));
    assert_eq!(days(None, Some("critical"), RunStatus::Completed), Some(30));
    assert_eq!(days(Some(1), Some("critical"), RunStatus::Completed), Some(1));
    assert_eq!(days(Some(1), None, RunStatus::Waiting(HumanKind::Approval)), None);
    check(policy.clone(), |p| p.default_days = 0, &["default_days: 0 is less than 1"]);
}

#[test]
fn a_key_is_neither_printed_nor_written() {
    let llm = LlmConfig { api_key: Some(Secret::new("sk-123")), ..LlmConfig::default() };
    assert!(!format!("{llm:?}").contains("sk-123"));
    assert!(!serde_json::to_string(&llm).unwrap().contains("sk-123"));
    assert_eq!(llm.api_key.unwrap().reveal(), "sk-123");
}
