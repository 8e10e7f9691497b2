//! A planted key goes nowhere, whichever way it tries.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::world::{KEY, World, text};

/// A second secret, which no request needs.
const OTHER: &str = "ghp-planted-9876543210";

/// Prints secrets by a tool, says them in text and in thinking, and passes them as arguments.
fn leaky() -> String {
    format!(
        r#"
rules:
  - when: {{ turn: 0 }}
    reply:
      thinking: "the key is {KEY}"
      text: "I know {OTHER}."
      tool_calls:
        - {{ name: shell, args: {{ command: "echo {KEY}; printf 'ghp-planted-'; echo 9876543210; env" }} }}
        - {{ name: write_file, args: {{ path: note.txt, content: "{OTHER}" }} }}
        - {{ name: ask_human, args: {{ question: "is {OTHER} yours?" }} }}
  - reply: {{ text: "done with {KEY}" }}
"#
    )
}

fn files_below(dir: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() { files_below(&path, found) } else { found.push(path) }
    }
}

#[test]
fn planted_keys_reach_no_log_no_event_no_output_no_environment_and_no_model() {
    let world = World::new(&leaky());
    let prompt = format!("use {OTHER} for it");
    let base = format!("{}/v1", world.server.url());
    let run = |arguments: &[&str]| {
        let mut command = world.command(arguments);
        command.env("GH_TOKEN", OTHER).output().unwrap()
    };
    let arguments =
        ["do", &prompt, "--model", "scripted", "--base-url", &base, "--api-key-env", "SAMPLE_KEY"];
    let mut shown = String::new();
    for arguments in [&arguments[..], &["resume", "0", "--approve", "--message", OTHER]] {
        let output = run(arguments);
        shown += &text(&output.stdout);
        shown += &text(&output.stderr);
    }
    assert!(shown.contains("done with") && shown.contains("completed"), "{shown}");
    let id = world.run_id();
    for arguments in [
        &["logs", &id][..],
        &["logs", &id, "--json"],
        &["runs", "--json"],
        &["checkpoints", &id, "--at", "1"],
    ] {
        shown += &text(&run(arguments).stdout);
    }
    for secret in [KEY, OTHER] {
        assert!(!shown.contains(secret), "{secret} is shown: {shown}");
    }
    let mut files = Vec::new();
    files_below(&world.home(), &mut files);
    // The worktree is the agent's: what it wrote there is what it wrote.
    files.retain(|path| !path.components().any(|part| part.as_os_str() == "worktrees"));
    assert!(files.iter().any(|path| path.ends_with("amelia.db")));
    for path in files {
        let bytes = std::fs::read(&path).unwrap();
        for secret in [KEY, OTHER] {
            let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!found, "{secret} is in {}", path.display());
        }
    }
    let asked = world.server.requests();
    let bodies: Vec<String> = asked.iter().map(|request| format!("{request:?}")).collect();
    let results = bodies.last().unwrap();
    assert!(results.contains("[redacted]"), "what the tool printed is cleaned for the model: {results}");
}

#[test]
fn a_key_may_come_from_a_file_that_only_its_owner_can_read() {
    let world = World::new("rules: [{ reply: { text: hello } }]");
    let config = world.home().join("config");
    std::fs::create_dir_all(&config).unwrap();
    let file = config.join("keys.env");
    std::fs::write(&file, "# keys\nDEEPSEEK_API_KEY=sk-from-a-file-123\n").unwrap();
    let base = format!("{}/v1", world.server.url());
    let arguments = ["do", "hello", "--provider", "deepseek", "--base-url", &base];
    let set_mode = |mode| std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
    set_mode(0o644);
    let refused = world.amelia(&arguments);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("chmod 600"), "{}", text(&refused.stderr));
    set_mode(0o600);
    let output = world.amelia(&arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    std::fs::write(&file, "sk-no-name\n").unwrap();
    let refused = world.amelia(&arguments);
    assert!(text(&refused.stderr).contains("line 1"), "{}", text(&refused.stderr));
    assert!(!text(&refused.stderr).contains("sk-no-name"));
}

#[test]
fn prices_of_the_home_count_and_a_budget_in_tokens_or_time_pauses() {
    let script = "rules: [{ reply: { tool_calls: [{ name: list_files, args: {} }], usage: { input: 900000, output: 100000 } } }]";
    let world = World::new(script);
    let config = world.home().join("config");
    std::fs::create_dir_all(&config).unwrap();
    let prices = r#"{"scripted": {"input": 1, "output": 10, "cache_read": 0, "cache_write": 0}}"#;
    std::fs::write(config.join("prices.json"), prices).unwrap();
    let output = world.run_do("chat", &["--max-tokens", "1500000"]);
    assert_eq!(output.status.code(), Some(6), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("3.8000 USD"), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("the limit of 1500000 for tokens"), "{}", text(&output.stdout));
    std::fs::write(config.join("prices.json"), "{").unwrap();
    let refused = world.run_do("chat", &[]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("prices.json"), "{}", text(&refused.stderr));
}

#[test]
fn nothing_for_this_machine_goes_through_a_proxy() {
    let world = World::new("rules:\n  - reply: { text: done }\n");
    let proxy = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    proxy.set_nonblocking(true).unwrap();
    let url = format!("http://{}", proxy.local_addr().unwrap());
    let base = format!("{}/v1", world.server.url());
    let arguments = ["do", "it", "--model", "scripted", "--base-url", &base, "--api-key-env", "SAMPLE_KEY"];
    let mut command = world.command(&arguments);
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"] {
        command.env(name, &url);
    }
    let output = command.output().unwrap();
    let shown = text(&output.stderr) + &text(&output.stdout);
    assert!(output.status.success() && shown.contains("done"), "{shown}");
    assert!(proxy.accept().is_err(), "the proxy was asked");
}

#[test]
fn a_password_in_the_address_of_a_model_is_refused_and_not_shown() {
    let world = World::new("rules: [{ reply: { text: hello } }]");
    let base = world.server.url().replace("http://", "http://me:pass-0123456789@");
    let refused = world.amelia(&["do", "hello", "--model", "scripted", "--base-url", &format!("{base}/v1")]);
    let said = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("must not contain a user or a password"), "{said}");
    assert!(!said.contains("pass-0123456789"), "{said}");
}

#[test]
fn what_is_estimated_is_said_to_be() {
    let world = World::new("rules: [{ reply: { text: hello, usage: { omit: true } } }]");
    let done = world.run_do("chat", &[]);
    assert!(text(&done.stdout).contains("(1 call is estimated)"), "{}", text(&done.stdout));
    let logs = text(&world.amelia(&["logs", &world.run_id()]).stdout);
    assert!(logs.contains("cost unknown (estimated)"), "{logs}");
    let usage = text(&world.amelia(&["usage"]).stdout);
    assert!(usage.contains("~ 1 of 1 calls reported no tokens: they are estimated"), "{usage}");
}
