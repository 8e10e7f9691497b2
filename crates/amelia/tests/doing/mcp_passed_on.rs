//! Agents that are real programs call tools of a real MCP server: a person is asked first, the call and its result are in
//! the log, and the run is replayed without the program and without the server. Skipped loudly where they cannot be
//! installed.

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::{Value, json};

use crate::programs::{self, set_up_here};
use crate::world::{World, orphans, text};

/// A world with the server, and what the model of the program says to make the call.
struct PassedOn {
    world: World,
    /// The developer of the profile, but for its permissions.
    agent: Value,
}

/// The model makes the same call when it is told what to do, and when a person has allowed it. Another one shows it an
/// image.
fn script(call: &str) -> String {
    let look =
        call.replace("everything__echo", "everything__get-tiny-image").replace("{ message: hello }", "{}");
    format!(
        r#"
rules:
  - when: {{ system: title }}
    reply: {{ text: A title }}
  - when: {{ last: Look at it }}
    reply: {look}
  - when: {{ text: Look at it }}
    reply: {{ text: I have seen it. }}
  - when: {{ last: "Echo: hello" }}
    reply: {{ text: It says hello. }}
  - when: {{ last: "A person has allowed this call" }}
    reply: {call}
  - when: {{ last: "A person did not allow this call" }}
    reply: {{ text: Then not. }}
  - when: {{ last: Let it say hello }}
    reply: {call}
"#
    )
}

fn found(program: &'static str) -> Option<PathBuf> {
    tokio::runtime::Runtime::new().unwrap().block_on(programs::find(program))
}

impl PassedOn {
    /// `None` when the program or the server cannot be had; the reason was said.
    fn new(call: &str, agent: impl Fn(&World) -> Option<Value>) -> Option<Self> {
        let installed = set_up_here("setup-mcp.sh", "the MCP servers")?;
        let world = World::lasting(&script(call));
        let agent = agent(&world)?;
        let passed_on = Self { world, agent };
        passed_on.configure(&installed);
        Some(passed_on)
    }

    fn claude() -> Option<Self> {
        let call = "{ tool_calls: [{ name: mcp__amelia__everything__echo, args: { message: hello } }] }";
        Self::new(call, |world| {
            let options =
                json!({"program": found("claude")?, "base_url": format!("{}/v1", world.server.url())});
            Some(json!({"driver": "claude", "model": "claude-sonnet-4-5", "options": options}))
        })
    }

    fn codex() -> Option<Self> {
        let call = "{ tool_calls: [{ name: everything__echo, args: { message: hello } }] }";
        Self::new(call, |world| {
            let options =
                json!({"program": found("codex")?, "base_url": format!("{}/v1", world.server.url())});
            Some(json!({"driver": "codex", "model": "gpt-5", "options": options}))
        })
    }

    fn acp() -> Option<Self> {
        let call = r#"{ text: "<tool_call>\n{\"name\": \"everything:echo\", \"arguments\": {\"message\": \"hello\"}}\n</tool_call>" }"#;
        Self::new(call, |world| {
            let folder = world.repository().join("../user/.config/opencode");
            std::fs::create_dir_all(&folder).unwrap();
            let here = json!({
                "npm": "@ai-sdk/openai-compatible",
                "options": {"baseURL": format!("{}/v1", world.server.url()), "apiKey": "x"},
                "models": {"scripted": {}},
            });
            let config = json!({"provider": {"here": here}, "model": "here/scripted",
                "small_model": "here/scripted", "permission": {"edit": "ask", "bash": "ask"}});
            std::fs::write(folder.join("opencode.json"), config.to_string()).unwrap();
            let options = json!({"command": [found("opencode")?, "acp"]});
            Some(json!({"driver": "acp", "model": "default", "options": options}))
        })
    }

    fn servers(&self) -> PathBuf {
        self.world.home().join("config/mcp_servers.yaml")
    }

    fn configure(&self, installed: &Path) {
        let program = installed.join("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
        let server = json!({"transport": "stdio", "config": {"command": "node", "args": [program]}});
        std::fs::create_dir_all(self.world.home().join("config")).unwrap();
        std::fs::write(self.servers(), json!({"servers": {"everything": server}}).to_string()).unwrap();
    }

    fn apply(&self, permissions: &Value) {
        let mut agent = self.agent.clone();
        let options = agent["options"].as_object_mut().unwrap();
        options.extend(permissions.as_object().unwrap().clone());
        let profile = json!({"name": "work", "repo_root": self.world.repository(),
            "agents": {"developer": agent}, "mcp_tools": ["everything:*"]});
        let file = self.world.home().join("work.yaml");
        std::fs::write(&file, profile.to_string()).unwrap();
        succeeds(&self.amelia(&["config", "profile", "apply", "-f", file.to_str().unwrap()]));
    }

    fn amelia(&self, arguments: &[&str]) -> Output {
        self.world.command(arguments).env_remove("XDG_CONFIG_HOME").output().unwrap()
    }

    /// Waits for leave to make the call.
    fn asks(&self) {
        let asked = self.amelia(&["do", "--profile", "work", "Let it say hello"]);
        let message = text(&asked.stderr);
        assert_eq!(asked.status.code(), Some(6), "{}{message}", text(&asked.stdout));
        let expected = r#"Developer wants to use everything:echo: {"message":"hello"}"#;
        assert!(message.contains(expected), "{message}");
    }

    /// The calls of the tool, or their results, in the log.
    fn logged(&self, run: &str, kind: &str) -> Vec<Value> {
        let log = succeeds(&self.amelia(&["logs", run, "--json"]));
        let events = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let of_kind = events.map(|event| event["kind"]["agent"][kind].clone());
        of_kind.filter(|event| event["tool"] == "everything:echo").collect()
    }

    /// It asks, is allowed, calls, and is replayed; then a rule allows it, and another time it is refused.
    fn call_asked_about_allowed_and_replayed(&self) {
        self.apply(&json!({"permissions": "commands"}));
        self.asks();
        let run = self.world.run_id();
        assert_eq!(self.logged(&run, "called"), Vec::<Value>::new(), "nothing was called yet");
        let done = succeeds(&self.amelia(&["approve", &run, "--follow"]));
        assert!(done.contains("It says hello."), "{done}");
        let (called, returned) = (self.logged(&run, "called"), self.logged(&run, "returned"));
        assert_eq!((called.len(), returned.len()), (1, 1), "{called:?} {returned:?}");
        assert_eq!(called[0]["args"], json!({"message": "hello"}));
        assert_eq!((&returned[0]["output"], &returned[0]["call"]), (&json!("Echo: hello"), &called[0]["id"]));
        assert_eq!(orphans(&run), [""; 0]);
        let servers = std::fs::read(self.servers()).unwrap();
        std::fs::remove_file(self.servers()).unwrap();
        let replayed = succeeds(&self.amelia(&["replay", &run]));
        assert!(replayed.contains("the same"), "{replayed}");
        std::fs::write(self.servers(), servers).unwrap();
    }

    fn call_allowed_by_a_rule(&self) {
        self.apply(&json!({"permissions": "commands", "allow": ["everything:echo"]}));
        let done = succeeds(&self.amelia(&["do", "--profile", "work", "Let it say hello"]));
        assert!(done.contains("It says hello."), "{done}");
    }
}

/// How the base64 of the image of the server begins.
const IMAGE: &str = "iVBORw0KGgo";

impl PassedOn {
    /// An image that the tool returns reaches the model, and neither the log nor the recording.
    fn image_shown(&self) {
        self.apply(&json!({}));
        let done = succeeds(&self.amelia(&["do", "--profile", "work", "Look at it"]));
        assert!(done.contains("I have seen it."), "{done}");
        let asked: Vec<String> =
            self.world.server.requests().iter().map(|request| request.body.to_string()).collect();
        assert!(asked.iter().any(|body| body.contains(IMAGE)), "{asked:#?}");
        let run = self.world.run_id();
        let log = succeeds(&self.amelia(&["logs", &run, "--json"]));
        assert!(log.contains("kept as results/") && !log.contains(IMAGE), "{log}");
        std::fs::remove_dir_all(self.world.home().join("tasks").join(&run).join("results")).unwrap();
        let replayed = succeeds(&self.amelia(&["replay", &run]));
        assert!(replayed.contains("the same"), "{replayed}");
    }
}

fn succeeds(output: &Output) -> String {
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn claude_calls_a_tool_of_a_server() {
    let Some(claude) = PassedOn::claude() else { return };
    claude.call_asked_about_allowed_and_replayed();
    claude.call_allowed_by_a_rule();
}

#[test]
fn codex_calls_a_tool_of_a_server() {
    let Some(codex) = PassedOn::codex() else { return };
    codex.call_asked_about_allowed_and_replayed();
    codex.call_allowed_by_a_rule();
}

#[test]
fn an_agent_of_the_agent_client_protocol_calls_a_tool_of_a_server() {
    let Some(agent) = PassedOn::acp() else { return };
    agent.call_asked_about_allowed_and_replayed();
    agent.call_allowed_by_a_rule();
}

#[test]
fn a_call_that_is_refused_is_not_made_and_a_rule_for_later_runs_is_in_the_profile() {
    let Some(claude) = PassedOn::claude() else { return };
    claude.apply(&json!({"permissions": "commands"}));
    claude.asks();
    let run = claude.world.run_id();
    let done = succeeds(&claude.amelia(&["reject", &run, "--follow"]));
    assert!(done.contains("Then not."), "{done}");
    assert_eq!(claude.logged(&run, "called"), Vec::<Value>::new());
    claude.asks();
    let done = succeeds(&claude.amelia(&["approve", "r2", "--always", "--follow"]));
    assert!(done.contains("developer may always use everything:echo"), "{done}");
    let done = succeeds(&claude.amelia(&["do", "--profile", "work", "Let it say hello"]));
    assert!(done.contains("It says hello."), "{done}");
}

#[test]
fn an_image_of_a_tool_reaches_the_model_of_claude_and_of_codex() {
    let (Some(claude), Some(codex)) = (PassedOn::claude(), PassedOn::codex()) else { return };
    claude.image_shown();
    codex.image_shown();
}
