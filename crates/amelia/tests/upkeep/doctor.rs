//! `amelia doctor`: it finds what is missing, and changes nothing.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::crew::{CHECKED, CONTENT, world};
use crate::programs;
use crate::world::{KEY, World, text};

/// Exit code and, by its name, what was found about each thing.
fn found(command: &mut Command) -> (i32, Vec<Value>) {
    let output = command.arg("--json").output().unwrap();
    let checks =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
    (output.status.code().unwrap(), checks)
}

fn named<'a>(checks: &'a [Value], name: &str) -> &'a Value {
    checks.iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("no {name}: {checks:?}"))
}

fn doctor(world: &World) -> (i32, Vec<Value>) {
    found(&mut world.command(&["doctor"]))
}

#[test]
fn a_machine_with_a_profile_that_can_work_is_fine_and_every_check_is_a_line() {
    let world = world(&[CONTENT], CHECKED);
    let (code, checks) = doctor(&world);
    assert_eq!(code, 0, "{checks:?}");
    for name in ["git", "identity", "home", "database", "server", "profile", "agents", "checks"] {
        assert_eq!(named(&checks, name)["state"], "ok", "{checks:?}");
    }
    assert_eq!(named(&checks, "checks")["message"], "./test.sh");
    // Its model is on this machine, and needs no key.
    assert!(["ok", "optional"].contains(&named(&checks, "keys")["state"].as_str().unwrap()), "{checks:?}");
    assert_eq!(named(&checks, "sandbox")["state"], "warning", "nothing confines the agents");
    let identity = format!("commits in {} are by Sample <sample@example.org>", root_of(&world));
    assert_eq!(named(&checks, "identity")["message"], identity);
    let disks = checks.iter().filter(|check| check["name"] == "disk").count();
    assert_eq!(disks, 2, "that of the home, and that of the repository");
    let lines = text(&world.amelia(&["doctor"]).stdout);
    assert_eq!(lines.lines().count(), checks.len(), "{lines}");
    assert!(lines.lines().all(|line| line.starts_with(['✓', '–', '!', '✗'])), "{lines}");
}

/// As git says it: a directory of tests may be behind a link.
fn root_of(world: &World) -> String {
    world.repository().canonicalize().unwrap().display().to_string()
}

#[test]
fn whose_name_is_on_commits_is_that_of_the_repository_asked_about_and_else_of_the_user() {
    let world = world(&[CONTENT], CHECKED);
    let user = tempfile::tempdir().unwrap();
    let config = "[user]\n\tname = Everywhere\n\temail = everywhere@example.org\n";
    std::fs::write(user.path().join(".gitconfig"), config).unwrap();
    let identity = |arguments: &[&str], directory: &Path| {
        let mut command = world.command(arguments);
        command.current_dir(directory).env("HOME", user.path()).env_remove("XDG_CONFIG_HOME");
        message(&found(&mut command).1, "identity")
    };
    let here = identity(&["doctor"], &world.repository());
    assert_eq!(here, format!("commits in {} are by Sample <sample@example.org>", root_of(&world)));
    let nowhere = identity(&["doctor"], user.path());
    assert_eq!(nowhere, "commits are by Everywhere <everywhere@example.org>");
    world.git(&["config", "--unset", "user.name"]);
    let half = identity(&["doctor"], &world.repository());
    assert_eq!(half, format!("commits in {} are by Everywhere <sample@example.org>", root_of(&world)));
}

#[test]
fn it_works_without_a_home_and_outside_of_a_repository_and_makes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_amelia"));
    command.arg("doctor").current_dir(dir.path()).env("AMELIA_HOME", dir.path().join("none"));
    let (code, checks) = found(command.env_remove("AMELIA_SERVER").env_remove("AMELIA_DATABASE_PATH"));
    assert_eq!(code, 0, "{checks:?}");
    assert!(named(&checks, "home")["message"].as_str().unwrap().ends_with("is created at first use"));
    assert_eq!(named(&checks, "profile")["message"], "none is active");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "nothing is made");
}

#[test]
fn a_missing_git_a_damaged_database_and_keys_for_everybody_are_errors() {
    let world = world(&[CONTENT], CHECKED);
    let (code, checks) = found(world.command(&["doctor"]).env("PATH", world.home()));
    assert_eq!((code, &named(&checks, "git")["state"]), (1, &"error".into()));
    std::fs::create_dir_all(world.home().join("config")).unwrap();
    let file = world.home().join("config/keys.env");
    std::fs::write(&file, format!("OPENAI_API_KEY={KEY}\n")).unwrap();
    allow(&file, 0o644);
    let (code, checks) = doctor(&world);
    assert_eq!((code, &named(&checks, "keys")["state"]), (1, &"error".into()));
    assert!(named(&checks, "keys")["hint"].as_str().unwrap().starts_with("chmod 600 "), "{checks:?}");
    allow(&file, 0o600);
    let (code, checks) = doctor(&world);
    assert_eq!(code, 0, "{checks:?}");
    let message = named(&checks, "keys")["message"].as_str().unwrap();
    assert_eq!(message, "OPENAI_API_KEY in config/keys.env of the home");
    assert!(!format!("{checks:?}").contains(KEY), "what a key is stays unsaid");
    std::fs::write(world.home().join("amelia.db"), "somebody's text that is no database at all").unwrap();
    let (code, checks) = doctor(&world);
    assert_eq!((code, &named(&checks, "database")["state"]), (1, &"error".into()));
    assert_eq!(named(&checks, "profile")["state"], "warning", "{checks:?}");
}

#[test]
fn a_profile_whose_key_is_missing_names_the_role_and_the_variable() {
    let agent = "    oracle: { driver: api, model: o, options: { provider: openai } }\n";
    let world = world(&[CONTENT], &format!("{agent}{CHECKED}"));
    let (code, checks) = doctor(&world);
    assert_eq!(code, 1, "{checks:?}");
    let agents = named(&checks, "agents");
    assert_eq!(agents["message"], "crew: oracle: the variable `OPENAI_API_KEY` is not set", "{agents}");
    let (code, checks) = found(world.command(&["doctor"]).env("OPENAI_API_KEY", KEY));
    assert_eq!(code, 0, "{checks:?}");
}

/// A folder with programs that say what they are told to, and a user without anything.
struct Programs(tempfile::TempDir);

impl Programs {
    fn new(programs: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for (name, body) in programs {
            let file = dir.path().join(name);
            std::fs::write(&file, format!("#!/bin/sh\n{body}\n")).unwrap();
            allow(&file, 0o755);
        }
        std::fs::create_dir_all(dir.path().join("user/.claude")).unwrap();
        Self(dir)
    }

    /// The program's first, then the system's, and none of those that this machine may have elsewhere.
    fn doctor(&self, world: &World) -> (i32, Vec<Value>) {
        let path = format!("{}:/usr/bin:/bin", self.0.path().display());
        let mut command = world.command(&["doctor"]);
        command.env("PATH", path).env("HOME", self.0.path().join("user"));
        found(command.env_remove("CLAUDE_CONFIG_DIR").env_remove("CODEX_HOME"))
    }
}

fn with_agents(agents: &str) -> World {
    world(&[CONTENT], &format!("{agents}{CHECKED}"))
}

fn state(checks: &[Value], name: &str) -> String {
    named(checks, name)["state"].as_str().unwrap().to_owned()
}

fn message(checks: &[Value], name: &str) -> String {
    named(checks, name)["message"].as_str().unwrap().to_owned()
}

const YOUNG: [(&str, &str); 2] = [
    ("claude", "echo '2.1.197 (Claude Code)'"),
    ("codex", "[ \"$1\" = login ] && exit 1; echo 'codex-cli 0.166.0'"),
];

#[test]
fn a_program_that_no_profile_uses_may_be_missing_old_or_signed_out() {
    let world = world(&[CONTENT], CHECKED);
    let old = [("claude", "echo 1.0.0"), ("codex", "exit 3")];
    for programs in [&[][..], &YOUNG, &old] {
        let expected = "optional";
        let (code, checks) = Programs::new(programs).doctor(&world);
        assert_eq!(code, 0, "{checks:?}");
        assert_eq!((state(&checks, "claude"), state(&checks, "codex")), (expected.into(), expected.into()));
        assert!(message(&checks, "claude").ends_with("; no profile uses it"), "{checks:?}");
    }
    let (_, checks) = Programs::new(&[]).doctor(&world);
    assert_eq!(message(&checks, "claude"), "`claude` is not installed (optional); no profile uses it");
}

#[test]
fn a_program_of_the_active_profile_must_be_there_and_young_enough_and_better_be_signed_in() {
    let world = with_agents(
        "    oracle: { driver: claude, model: m }\n    reviewer: { driver: codex, model: m }\n    evaluator: { driver: acp, model: m, options: { command: [helper, acp] } }\n",
    );
    let (code, checks) = Programs::new(&[]).doctor(&world);
    assert_eq!(code, 1);
    assert_eq!(message(&checks, "claude"), "`claude` is not found; used by the profile crew");
    let hint = named(&checks, "codex")["hint"].as_str().unwrap();
    assert_eq!(hint, "npm install -g @openai/codex, or set its path in the profile");
    assert_eq!(state(&checks, "acp"), "error", "{checks:?}");

    let old = [("claude", "echo '1.9.9 (Claude Code)'"), ("codex", "echo codex-cli 0.1.0"), ("helper", "")];
    let (code, checks) = Programs::new(&old).doctor(&world);
    assert_eq!(code, 1);
    assert!(message(&checks, "claude").contains(" is too old: 2.0.0 or newer is needed"), "{checks:?}");
    assert!(message(&checks, "codex").contains(" is too old: "), "{checks:?}");
    assert_eq!(state(&checks, "acp"), "ok", "it need not say a version");

    let programs = Programs::new(&[YOUNG[0], YOUNG[1], ("helper", "echo helper 3")]);
    let (code, checks) = programs.doctor(&world);
    assert_eq!(code, 0, "work may be possible: {checks:?}");
    for name in ["claude", "codex"] {
        assert_eq!(state(&checks, name), "warning");
        assert!(message(&checks, name).contains("; not signed in"), "{checks:?}");
        assert!(named(&checks, name)["hint"].as_str().unwrap().contains("api_key_env"), "{checks:?}");
    }
    let secret = programs.0.path().join("user/.claude/.credentials.json");
    std::fs::write(secret, format!("{{\"token\": \"{KEY}\"}}")).unwrap();
    std::fs::write(programs.0.path().join("codex"), "#!/bin/sh\necho codex-cli 0.166.0\n").unwrap();
    let (code, checks) = programs.doctor(&world);
    assert_eq!(code, 0);
    assert_eq!((state(&checks, "claude"), state(&checks, "codex")), ("ok".into(), "ok".into()));
    assert!(!format!("{checks:?}").contains(KEY), "what a sign-in is stays unsaid");
}

#[test]
fn through_the_proxy_no_sign_in_is_needed_but_a_home_where_codex_can_work() {
    let world = with_agents(
        "    oracle: { driver: codex, model: m, options: { provider: openai, api_key_env: SAMPLE_KEY } }\n",
    );
    let (code, checks) = Programs::new(&YOUNG).doctor(&world);
    assert_eq!(
        (code, state(&checks, "api keys")),
        (1, "error".into()),
        "no server would send it: {checks:?}"
    );
    let allowed = world.amelia(&["config", "server", "set", "api_key_envs", "[SAMPLE_KEY]"]);
    assert!(allowed.status.success());
    let (code, checks) = Programs::new(&YOUNG).doctor(&world);
    assert_eq!(code, 0, "{checks:?}");
    assert!(message(&checks, "codex").contains("; it uses the proxy and needs no sign-in"));
    let misplaced = checks.iter().find(|check| check["name"] == "codex" && check["state"] == "warning");
    let misplaced = misplaced.unwrap_or_else(|| panic!("{checks:?}"));
    assert!(misplaced["message"].as_str().unwrap().contains("below the temporary directory"));
}

#[test]
fn an_agent_whose_key_is_not_set_cannot_be_called_in_any_line() {
    let world = with_agents(
        "    oracle: { driver: claude, model: m, options: { provider: anthropic, api_key_env: ANTHROPIC_API_KEY } }\n",
    );
    let (code, checks) = Programs::new(&YOUNG).doctor(&world);
    assert_eq!((code, state(&checks, "agents")), (1, "error".into()), "{checks:?}");
    assert!(message(&checks, "agents").contains("`ANTHROPIC_API_KEY` is not set"), "{checks:?}");
    assert!(!checks.iter().any(|check| check["name"] == "api keys"), "{checks:?}");
    let (code, checks) = Programs::new(&[]).doctor(&world);
    assert_eq!((code, state(&checks, "agents")), (1, "error".into()), "{checks:?}");
}

#[test]
fn a_program_that_never_answers_does_not_hold_it_up() {
    let world = with_agents("    oracle: { driver: claude, model: m }\n");
    let started = std::time::Instant::now();
    // What it starts holds the pipe open, too.
    let (code, checks) = Programs::new(&[("claude", "sleep 600 & sleep 600")]).doctor(&world);
    assert_eq!(code, 1);
    assert!(message(&checks, "claude").contains("does not report its version"), "{checks:?}");
    assert!(started.elapsed().as_secs() < 60);
}

#[test]
fn the_real_programs_are_known_as_they_are() {
    let find = |name| tokio::runtime::Runtime::new().unwrap().block_on(programs::find(name));
    let (Some(claude), Some(codex), Some(agent)) = (find("claude"), find("codex"), find("opencode")) else {
        return;
    };
    let world = with_agents(&format!(
        "    oracle: {{ driver: claude, model: m, options: {{ program: {} }} }}\n    reviewer: {{ driver: codex, model: m, options: {{ program: {} }} }}\n    evaluator: {{ driver: acp, model: m, options: {{ command: [{}, acp] }} }}\n",
        claude.display(),
        codex.display(),
        agent.display()
    ));
    let programs = Programs::new(&[]);
    let (code, checks) = programs.doctor(&world);
    assert_eq!(code, 0, "{checks:?}");
    let of = |name: &str, text: &str| {
        let mut messages = checks.iter().filter(|check| check["name"] == name).map(|check| &check["message"]);
        assert!(messages.any(|message| message.as_str().unwrap().contains(text)), "{text}: {checks:?}");
    };
    of("claude", "(Claude Code) in ");
    of("claude", "; not signed in; used by the profile crew");
    of("codex", "codex-cli ");
    of("codex", "; not signed in; used by the profile crew");
    of("acp", "opencode; it signs in by itself");
}

fn allow(file: &Path, mode: u32) {
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn each_model_of_a_profile_is_tried_once_and_what_works_is_said() {
    let script = r#####"
  - when: { model: architect }
    reply: { thinking: hm, tool_calls: [{ name: ping, args: { word: hello } }], usage: { input: 9, output: 3 } }
  - when: { model: developer }
    reply: { text: hello }
  - when: { model: reviewer }
    reply: { error: { status: 401, message: who are you } }
  - when: { model: evaluator }
    reply: { tool_calls: [{ name: ping, args: { word: hello } }] }
"#####;
    let world = crate::crew::world(&[script], "");
    let tried = world.amelia(&["doctor", "--model", "crew"]);
    let shown = text(&tried.stdout);
    assert_eq!(tried.status.code(), Some(1), "{shown}");
    assert!(
        shown.contains("architect: tools work, thinking works, images were not checked, 9 tokens in, 3 out"),
        "{shown}"
    );
    assert!(shown.contains("developer: the tool was not called"), "{shown}");
    assert!(shown.contains("reviewer: ") && shown.contains("needs a key, and none was sent"), "{shown}");
    assert_eq!(world.server.requests().len(), 4, "each once");
    let unknown = world.amelia(&["doctor", "--model", "nothing"]);
    assert!(text(&unknown.stdout).contains("there is no profile `nothing`"), "{}", text(&unknown.stdout));
    let empty = tempfile::tempdir().unwrap();
    let nowhere = Command::new(env!("CARGO_BIN_EXE_amelia"))
        .args(["doctor", "--model", "nothing"])
        .env("AMELIA_HOME", empty.path())
        .env_remove("AMELIA_SERVER")
        .env_remove("AMELIA_DATABASE_PATH")
        .output()
        .unwrap();
    assert_eq!(nowhere.status.code(), Some(1), "{}", text(&nowhere.stdout));
}

#[test]
fn a_profile_that_is_only_for_another_repository_is_a_warning() {
    let world = world(&[CONTENT], CHECKED);
    let other = tempfile::tempdir().unwrap();
    assert!(Command::new("git").args(["init", "-q"]).arg(other.path()).status().unwrap().success());
    let (code, checks) = found(world.command(&["doctor"]).current_dir(other.path()));
    assert_eq!((code, state(&checks, "profile")), (0, "warning".into()), "{checks:?}");
    assert!(message(&checks, "profile").starts_with("no profile is for this repository"), "{checks:?}");
    assert!(named(&checks, "profile")["hint"].as_str().unwrap().contains("amelia init"), "{checks:?}");
}

#[test]
fn an_address_in_the_environment_that_claude_does_not_see_is_a_warning() {
    let world = with_agents("    oracle: { driver: claude, model: m }\n");
    let programs = Programs::new(&YOUNG);
    let path = format!("{}:/usr/bin:/bin", programs.0.path().display());
    let mut command = world.command(&["doctor"]);
    let command = command.env("PATH", path).env("HOME", programs.0.path().join("user"));
    let (_, checks) = found(command.env("ANTHROPIC_BASE_URL", "http://127.0.0.1:9"));
    let is_told =
        |check: &&Value| check["message"].as_str().unwrap().starts_with("ANTHROPIC_BASE_URL is set");
    let told = checks.iter().find(is_told).unwrap_or_else(|| panic!("{checks:?}"));
    assert_eq!(told["state"], "warning");
}

#[test]
fn the_model_of_a_program_behind_the_proxy_is_tried_and_what_is_not_tried_is_said() {
    let script = r#"
  - when: { model: qwen, wire: messages }
    reply: { tool_calls: [{ name: ping, args: { word: hello } }], usage: { input: 9, output: 3 } }
  - reply: { tool_calls: [{ name: ping, args: { word: hello } }], usage: { input: 9, output: 3 } }
"#;
    let world = crate::crew::world(&[script], "    oracle: { driver: codex, model: own }\n");
    let agent = format!(
        "active_profile: p\nprofiles:\n  p:\n    repo_root: {}\n    agents:\n      developer: {{ driver: claude, model: qwen, options: {{ base_url: '{}/v1' }} }}\n      oracle: {{ driver: codex, model: own, options: {{ program: /bin/sh }} }}\n      reviewer: {{ driver: codex, model: own, options: {{ program: /no/such }} }}\n",
        world.repository().display(),
        world.server.url()
    );
    let file = world.repository().join("../p.yaml");
    std::fs::write(&file, agent).unwrap();
    let kept = world.amelia(&["config", "profile", "apply", "-f", file.to_str().unwrap()]);
    assert!(kept.status.success(), "{}", text(&kept.stderr));
    let shown = text(&world.amelia(&["doctor", "--model", "p"]).stdout);
    assert!(shown.contains("qwen for claude (which was not started): tools work"), "{shown}");
    assert!(shown.contains("oracle: not tried: the program codex calls own itself"), "{shown}");
    assert!(shown.contains("reviewer: not tried: `/no/such` is not installed"), "{shown}");
    assert_eq!(world.server.requests().len(), 1);
}

#[test]
fn a_key_that_was_changed_after_the_server_started_is_found_and_a_restart_helps() {
    let world = world(&[CONTENT], "");
    let with = |key: &str, arguments: &[&str]| {
        let mut command = world.command(arguments);
        command.env("OPENAI_API_KEY", key);
        command
    };
    let keys = |key: &str| {
        let (_, checks) = found(&mut with(key, &["doctor"]));
        named(&checks, "keys").clone()
    };
    let started = with("sk-first", &["server", "restart"]).output().unwrap();
    assert!(text(&started.stdout).starts_with("no server was running; started one: http://"), "{started:?}");
    assert_eq!(keys("sk-first")["state"], "ok");
    let old = keys("sk-second");
    assert_eq!(old["message"], "the server still uses the old value of OPENAI_API_KEY", "{old}");
    assert_eq!(old["hint"], "run `amelia server restart`; runs continue");
    let announced = std::fs::read_to_string(world.home().join("server.json")).unwrap();
    assert!(announced.contains("OPENAI_API_KEY") && !announced.contains("sk-first"), "{announced}");
    let again = with("sk-second", &["server", "restart"]).output().unwrap();
    assert!(text(&again.stdout).starts_with("restarted the server: http://"), "{again:?}");
    assert_eq!(keys("sk-second")["state"], "ok");
}
