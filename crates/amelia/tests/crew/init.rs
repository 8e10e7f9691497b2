//! The first profile: what `amelia init` finds, asks and keeps.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::crew::{CONTENT, world};
use crate::terminal::Session;
use crate::world::{World, text};

/// A world with programs of these names on its `PATH`, each a shell script.
fn equipped(programs: &[(&str, &str)]) -> (World, String) {
    let world = world(&[CONTENT], "");
    let dir = world.home().join("../programs");
    std::fs::create_dir_all(&dir).unwrap();
    for (name, script) in programs {
        let file = dir.join(name);
        std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:/usr/bin:/bin", dir.canonicalize().unwrap().display());
    (world, path)
}

/// As a user who has signed in to nothing.
fn as_new_user<'a>(command: &'a mut Command, world: &World, path: &str) -> &'a mut Command {
    let names =
        ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "DEEPSEEK_API_KEY"];
    for name in names.into_iter().chain(["OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "XDG_DATA_HOME"]) {
        command.env_remove(name);
    }
    command.env("PATH", path).env("HOME", world.home().join("../new-user"))
}

fn init(world: &World, path: &str, more: &[&str]) -> Output {
    let mut command = world.command(&[&["init", "--name", "mine"], more].concat());
    as_new_user(&mut command, world, path).output().unwrap()
}

const CODEX: (&str, &str) = ("codex", "[ \"$1\" = login ]");

#[test]
fn a_program_that_is_there_is_used_and_its_sign_in_is_told() {
    let (world, path) = equipped(&[("claude", "exit 0")]);
    let made = init(&world, &path, &["--yes"]);
    let shown = text(&made.stdout);
    assert!(made.status.success(), "{}", text(&made.stderr));
    assert!(shown.contains("the program claude: claude-sonnet-5-5, with its own sign-in"), "{shown}");
    assert!(shown.contains("not ready: claude is not signed in"), "{shown}");
    let next = shown.lines().last().unwrap();
    assert!(next.starts_with("next: run `claude` once to sign in, then "), "{shown}");
    assert!(next.contains(" start --title"), "{shown}");
    assert!(shown.contains("./test.sh (fails on the last commit)"), "the sample has a failing test: {shown}");
}

#[test]
fn what_is_ready_comes_first_and_another_can_be_named() {
    let (world, path) = equipped(&[("claude", "exit 0"), CODEX]);
    let driver = |output: &Output| {
        let profile: Value = serde_json::from_slice(&output.stdout).unwrap();
        profile["agents"]["developer"]["driver"].as_str().unwrap().to_owned()
    };
    assert_eq!(driver(&init(&world, &path, &["--json"])), "codex");
    assert_eq!(driver(&init(&world, &path, &["--json", "--force", "--agent", "claude"])), "claude");
    let unknown = init(&world, &path, &["--force", "--agent", "gemini"]);
    assert_eq!(unknown.status.code(), Some(4));
    assert!(text(&unknown.stderr).contains("found: codex, claude"), "{}", text(&unknown.stderr));
}

#[test]
fn an_acp_agent_alone_is_used_and_its_sign_in_is_told_as_far_as_it_is_seen() {
    for (name, argument, file) in [
        ("opencode", "acp", ".local/share/opencode/auth.json"),
        ("gemini", "--experimental-acp", ".gemini/oauth_creds.json"),
    ] {
        let (world, path) = equipped(&[(name, "exit 0")]);
        let made = init(&world, &path, &["--yes"]);
        let shown = text(&made.stdout);
        assert!(made.status.success(), "{}", text(&made.stderr));
        let agent = format!("every role: {name} (ACP), its sign-in is not checked");
        assert!(shown.contains(&agent) && !shown.contains("not ready"), "{shown}");
        let file = world.home().join("../new-user").join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, "{}").unwrap();
        let shown = text(&init(&world, &path, &["--yes", "--force"]).stdout);
        assert!(shown.contains(&format!("every role: {name} (ACP), with its own sign-in")), "{shown}");
        let made = init(&world, &path, &["--force", "--json"]);
        let profile: Value = serde_json::from_slice(&made.stdout).unwrap();
        let developer = &profile["agents"]["developer"];
        assert_eq!(
            (developer["driver"].as_str(), &developer["options"]),
            (Some("acp"), &json!({"command": [name, argument]}))
        );
    }
}

#[test]
fn without_an_agent_it_says_what_to_do() {
    let (world, path) = equipped(&[]);
    let none = init(&world, &path, &[]);
    assert_eq!(none.status.code(), Some(2), "{}", text(&none.stderr));
    assert!(text(&none.stderr).contains("install claude or codex"), "{}", text(&none.stderr));
}

#[test]
fn a_model_that_the_server_does_not_have_is_told_and_programs_are_mentioned() {
    let (world, path) = equipped(&[("claude", "exit 0"), CODEX]);
    let url = format!("{}/v1", world.server.url());
    let made = init(&world, &path, &["--base-url", &url, "--model", "nope"]);
    let shown = text(&made.stdout);
    assert!(made.status.success(), "{}", text(&made.stderr));
    assert!(shown.contains(&format!("not ready: {url} does not list `nope`; it has reviewer")), "{shown}");
    assert!(shown.contains("also found: claude, codex"), "{shown}");
    let unnamed = init(&world, &path, &["--force", "--base-url", &url]);
    assert!(text(&unnamed.stdout).contains(&format!("every role: reviewer at {url}")), "it has no other");
    let two = crate::crew::world(&[crate::crew::ARCHITECT, CONTENT], "");
    let unnamed = init(&two, &path, &["--base-url", &format!("{}/v1", two.server.url())]);
    assert_eq!(unnamed.status.code(), Some(2));
    assert!(
        text(&unnamed.stderr).contains("the server has architect, reviewer"),
        "{}",
        text(&unnamed.stderr)
    );
    let right = init(&world, &path, &["--force", "--base-url", &url, "--model", "reviewer"]);
    assert!(!text(&right.stdout).contains("not ready"), "{}", text(&right.stdout));
    let several = text(&init(&world, &path, &["--force", "--yes"]).stdout);
    assert!(several.contains("the program codex") && several.contains("also found: claude;"), "{several}");
}

#[test]
fn a_check_that_cannot_run_is_left_out_for_one_that_does() {
    let python = "[ \"$2\" = unittest ] && exit 0; echo \"/usr/bin/python3: No module named $2\"; exit 1";
    let (world, path) = equipped(&[CODEX, ("python3", python)]);
    std::fs::write(world.repository().join("setup.py"), "").unwrap();
    let made = init(&world, &path, &[]);
    let shown = text(&made.stdout);
    assert!(shown.contains("! python3 -m pytest -q is omitted: pytest is not installed"), "{shown}");
    assert!(shown.contains("check: python3 -m unittest (passes on the last commit)"), "{shown}");
    let kept = text(&world.amelia(&["config", "profile", "show", "mine"]).stdout);
    assert!(kept.contains("unittest") && !kept.contains("pytest"), "{kept}");
    assert_eq!(world.git(&["worktree", "list"]).lines().count(), 1, "the trial left a worktree");
}

#[test]
fn a_person_is_asked_which_of_several_to_use() {
    let (world, path) = equipped(&[("claude", "exit 0"), CODEX]);
    let mut session = Session::start_with(&world, &["init", "--name", "mine"], |command| {
        as_new_user(command, &world, &path);
    });
    session.until("which one?");
    session.type_line("9");
    session.until("a number from 1 to 2");
    session.until("which one?");
    session.type_line("2");
    let shown = session.finish();
    assert!(shown.contains("every role: the program claude: claude-sonnet-5-5"), "{shown}");
}

#[test]
fn the_choice_shows_the_model_that_is_then_used() {
    let (world, path) = equipped(&[("claude", "exit 0"), CODEX]);
    let url = world.server.url();
    let mut session = Session::start_with(&world, &["init", "--name", "mine"], |command| {
        as_new_user(command, &world, &path).env("ANTHROPIC_BASE_URL", &url);
    });
    session.until("which one?");
    session.type_line("1");
    let shown = session.finish();
    assert!(shown.contains(". the program claude: reviewer at http"), "{shown}");
    assert!(!shown.contains("claude-sonnet-5-5"), "{shown}");
}

#[test]
fn amelia_alone_offers_a_profile_to_a_repository_without_one() {
    let world = world(&[crate::crew::ARCHITECT, CONTENT], "");
    crate::crew::start(&world, &[]);
    let alone = |directory: &std::path::Path| {
        let output = world.command(&[]).current_dir(directory).output().unwrap();
        text(&output.stdout)
    };
    let other = tempfile::tempdir().unwrap();
    assert!(Command::new("git").args(["init", "-q"]).arg(other.path()).status().unwrap().success());
    assert!(!alone(&world.repository()).contains("amelia init"), "{}", alone(&world.repository()));
    assert!(alone(other.path()).contains("which has none"), "{}", alone(other.path()));
}

#[test]
fn every_repository_keeps_its_own_profile() {
    let (world, path) = equipped(&[("claude", "exit 0")]);
    let others = tempfile::tempdir().unwrap();
    let profile_of = |name: &str| {
        let directory = others.path().join(name);
        let git = |args: &[&str]| Command::new("git").arg("-C").arg(others.path()).args(args).status();
        assert!(git(&["init", "-q", name]).unwrap().success());
        let mut command = world.command(&["init", "--yes", "--quiet"]);
        let made = as_new_user(&mut command, &world, &path).current_dir(directory).output().unwrap();
        assert!(made.status.success(), "{}", text(&made.stderr));
        text(&made.stdout).trim().to_owned()
    };
    assert_eq!(profile_of("first"), "default");
    assert_eq!(profile_of("second repo"), "second-repo", "the other name is taken");

    crate::crew::start(&world, &[]);
    let run = world.run().unwrap();
    assert_eq!(run["run"]["spec"]["profile"], "crew", "not the active one, which is for another repository");
}

#[test]
fn an_address_in_the_environment_counts_and_is_shown() {
    let (world, path) = equipped(&[]);
    let url = "http://127.0.0.1:9/v1";
    let mut command = world.command(&["init", "--name", "mine", "--model", "m"]);
    let made = as_new_user(&mut command, &world, &path).env("OPENAI_BASE_URL", url).output().unwrap();
    let shown = text(&made.stdout);
    assert!(shown.contains(&format!("every role: m at {url} (from OPENAI_BASE_URL)")), "{shown}");
    let kept = text(&world.amelia(&["config", "profile", "show", "mine"]).stdout);
    assert!(kept.contains(url), "{kept}");
}

#[test]
fn the_only_model_of_an_address_with_a_key_is_taken() {
    let (world, path) = equipped(&[]);
    let url = format!("{}/v1", world.server.url());
    let mut command = world.command(&["init", "--name", "mine", "--yes"]);
    let command = as_new_user(&mut command, &world, &path).env("OPENAI_BASE_URL", &url);
    let made = command.env("OPENAI_API_KEY", "sk-sample-0123456789").output().unwrap();
    let shown = text(&made.stdout);
    let expected = format!("every role: reviewer at {url} (from OPENAI_BASE_URL) with OPENAI_API_KEY");
    assert!(shown.contains(&expected) && !shown.contains("not ready"), "{shown}");
}

#[test]
fn claude_calls_the_address_in_the_environment_through_the_proxy() {
    let (world, path) = equipped(&[("claude", "exit 0")]);
    let made = |url: &str, key: Option<&str>| {
        let mut command = world.command(&["init", "--name", "mine", "--agent", "claude", "--force"]);
        let command = as_new_user(&mut command, &world, &path).env("ANTHROPIC_BASE_URL", url);
        key.iter().for_each(|key| {
            command.env("ANTHROPIC_API_KEY", key);
        });
        let made = command.output().unwrap();
        assert!(made.status.success(), "{}", text(&made.stderr));
        text(&made.stdout)
    };
    let here = made("http://127.0.0.1:9", None);
    let expected = "the program claude: claude-sonnet-5-5 at http://127.0.0.1:9/v1 (from ANTHROPIC_BASE_URL)";
    assert!(here.contains(expected) && !here.contains("sign in"), "{here}");
    let kept = text(&world.amelia(&["config", "profile", "show", "mine"]).stdout);
    assert!(kept.contains("http://127.0.0.1:9/v1"), "{kept}");
    let elsewhere = made("https://gateway.example.org", None);
    assert!(elsewhere.contains("next: set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN"), "{elsewhere}");
    let with_key = made("https://gateway.example.org", Some("sk-ant-sample-0123456789"));
    assert!(
        with_key.contains("the program claude: ") && with_key.contains("with ANTHROPIC_API_KEY"),
        "{with_key}"
    );
    assert!(!with_key.contains("not ready"), "{with_key}");
}

/// A gateway that refuses every request, and the headers that it was sent, in small letters.
fn gateway() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let heads: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept = Arc::clone(&heads);
    std::thread::spawn(move || {
        for caller in listener.incoming() {
            let mut caller = caller.unwrap();
            let lines = BufReader::new(caller.try_clone().unwrap()).lines().map_while(Result::ok);
            kept.lock().unwrap().extend(lines.take_while(|line| !line.is_empty()).map(|l| l.to_lowercase()));
            let answer = "HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
            caller.write_all(answer.as_bytes()).ok();
        }
    });
    (url, heads)
}

#[test]
fn a_token_for_a_gateway_is_used_as_claude_uses_it() {
    let (world, path) = equipped(&[]);
    let (url, heads) = gateway();
    let with_token = |args: &[&str]| {
        let mut command = world.command(args);
        let command = as_new_user(&mut command, &world, &path).env("ANTHROPIC_BASE_URL", &url);
        command.env("ANTHROPIC_AUTH_TOKEN", "gateway-token-0123").output().unwrap()
    };
    let made = with_token(&["init", "--name", "mine", "--yes"]);
    let shown = text(&made.stdout);
    assert!(shown.contains("with ANTHROPIC_AUTH_TOKEN"), "{shown}{}", text(&made.stderr));
    let refused = with_token(&["do", "look around"]);
    let message = text(&refused.stderr);
    assert!(message.contains("refused the key") && message.contains("`ANTHROPIC_AUTH_TOKEN`"), "{message}");
    let heads = heads.lock().unwrap();
    assert!(heads.iter().any(|head| head == "authorization: bearer gateway-token-0123"), "{heads:?}");
    assert!(!heads.iter().any(|head| head.starts_with("x-api-key")), "{heads:?}");
}

#[test]
fn a_program_may_call_a_model_at_another_address_through_the_proxy() {
    let (world, path) = equipped(&[("claude", "exit 0"), ("opencode", "exit 0")]);
    let url = "http://127.0.0.1:9/v1";
    let made = init(&world, &path, &["--agent", "claude", "--base-url", url]);
    let shown = text(&made.stdout);
    assert!(
        shown.contains(&format!("the program claude: claude-sonnet-5-5 at {url}")),
        "{shown}{}",
        text(&made.stderr)
    );
    assert!(!shown.contains("sign in"), "the proxy needs none: {shown}");
    let refused = init(&world, &path, &["--force", "--agent", "opencode", "--base-url", url]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        text(&refused.stderr).contains("chooses its model and address itself"),
        "{}",
        text(&refused.stderr)
    );
}
