//! Limits that are not the run's own: an agent's, and the server's for a day. Each stops a run, says whose it is, and
//! lets the run go on once it is raised where it is configured.

use std::process::Output;

use crate::world::{FIX, World, text, until};

/// With so many calls a day.
fn on_a_day_of(world: &World, calls: u32, arguments: &[&str]) -> Output {
    let budget = format!("{{calls: {calls}}}");
    world.command(arguments).env("AMELIA_BUDGETS_PER_DAY", budget).output().unwrap()
}

fn do_on_a_day_of(world: &World, calls: u32) -> Output {
    let arguments = world.doing("chat", &[]);
    on_a_day_of(world, calls, &arguments.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn what_is_left_of_the_day_is_shared_by_all_runs_and_survives_the_process() {
    let world = World::new(FIX);
    let first = do_on_a_day_of(&world, 5);
    assert!(first.status.success(), "{}", text(&first.stderr));
    assert_eq!(world.server.requests().len(), 4);

    let second = do_on_a_day_of(&world, 5);
    let message = text(&second.stderr);
    assert_eq!(second.status.code(), Some(6), "{message}");
    assert_eq!(world.server.requests().len(), 5, "a call that would exceed is not made");
    assert!(message.contains("the server's day, which ends at"), "{message}");
    assert!(message.contains("the limit of 5 for model calls would be exceeded (6)"), "{message}");
    assert!(message.contains("hint: resume the run after") && message.contains("per_day"), "{message}");
    let row = world.run().unwrap();
    assert_eq!(row["view"]["status"]["waiting"], "budget", "{row}");
    let why = text(&world.amelia(&["why", &world.run_id()]).stdout);
    assert!(why.contains("the server's day") && !why.contains("--budget"), "{why}");

    let run = world.run_id();
    let same = on_a_day_of(&world, 5, &["resume", &run]);
    assert_eq!(same.status.code(), Some(6), "{}", text(&same.stderr));
    assert_eq!(world.server.requests().len(), 5);

    let more = on_a_day_of(&world, 100, &["resume", &run]);
    assert!(more.status.success(), "{}", text(&more.stderr));
    let played = world.amelia(&["replay", &run]);
    assert!(played.status.success(), "{}{}", text(&played.stdout), text(&played.stderr));
}

/// A profile whose agents may make so many calls each.
fn apply(world: &World, calls: u32) {
    apply_limits(world, &format!("{{ calls: {calls} }}"));
}

fn apply_limits(world: &World, per_agent: &str) {
    let profile = format!(
        "active_profile: work\nprofiles:\n  work:\n    repo_root: {}\n    budgets: {{ per_agent: {per_agent} }}\n    agents:\n      developer: {{ driver: api, model: scripted, options: {{ base_url: '{}/v1', api_key_env: SAMPLE_KEY, wire: chat }} }}\n",
        world.repository().display(),
        world.server.url()
    );
    let file = world.repository().join("../profile.yaml");
    std::fs::write(&file, profile).unwrap();
    let kept = world.amelia(&["config", "profile", "apply", "-f", file.to_str().unwrap()]);
    assert!(kept.status.success(), "{}", text(&kept.stderr));
}

#[test]
fn an_agent_is_stopped_by_its_own_limit_and_goes_on_when_the_profile_allows_more() {
    let world = World::new(FIX);
    apply(&world, 2);
    let out = world.amelia(&["do", "make the failing test pass"]);
    let message = text(&out.stderr);
    assert_eq!(out.status.code(), Some(6), "{message}");
    assert_eq!(world.server.requests().len(), 2);
    assert!(
        message.contains("agent `developer`: the limit of 2 for model calls would be exceeded (3)"),
        "{message}"
    );
    assert!(message.contains("hint: raise `budgets.per_agent` of the profile"), "{message}");

    apply(&world, 10);
    let run = world.run_id();
    let more = world.amelia(&["resume", &run]);
    assert!(more.status.success(), "{}", text(&more.stderr));
    assert_eq!(world.server.requests().len(), 4);
    let played = world.amelia(&["replay", &run]);
    assert!(played.status.success(), "{}{}", text(&played.stdout), text(&played.stderr));
}

#[test]
fn the_server_limits_agents_above_what_profiles_say() {
    let world = World::new(FIX);
    apply(&world, 10);
    let mut command = world.command(&["do", "make the failing test pass"]);
    let out = command.env("AMELIA_BUDGETS_PER_AGENT", "{calls: 1}").output().unwrap();
    let message = text(&out.stderr);
    assert_eq!(out.status.code(), Some(6), "{message}");
    assert!(message.contains("agent `developer`: the limit of 1 for model calls"), "{message}");
}

#[test]
fn each_limit_of_an_agent_and_of_a_day_stops_a_run() {
    let tokens = "the limit of 1 for tokens would be exceeded";
    let money = "the price of the model is unknown";
    for (profile, variable, value, said) in [
        ("{ tokens: 1 }", None, "", tokens),
        ("{ usd: 1.0 }", None, "", money),
        ("{}", Some("AMELIA_BUDGETS_PER_AGENT"), "{tokens: 1}", tokens),
        ("{}", Some("AMELIA_BUDGETS_PER_AGENT"), "{usd: 1}", money),
        ("{}", Some("AMELIA_BUDGETS_PER_DAY"), "{tokens: 1}", tokens),
        ("{}", Some("AMELIA_BUDGETS_PER_DAY"), "{usd: 1}", money),
    ] {
        let world = World::new(FIX);
        apply_limits(&world, profile);
        let mut command = world.command(&["do", "make the failing test pass"]);
        command.envs(variable.map(|variable| (variable, value)));
        let out = command.output().unwrap();
        let message = text(&out.stderr);
        assert_eq!(out.status.code(), Some(6), "{profile} {value}: {message}");
        assert!(message.contains(said), "{profile} {value}: {message}");
        assert_eq!(world.server.requests().len(), 0, "{profile} {value}: nothing was spent");
    }
}

#[test]
fn time_is_limited_per_run_alone() {
    let world = World::new(FIX);
    let mut command = world.command(&["do", "work"]);
    let out = command.env("AMELIA_BUDGETS_PER_DAY", "{wall_seconds: 1}").output().unwrap();
    let message = text(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{message}");
    assert!(message.contains("budgets.per_day.wall_seconds: can be limited only per run"), "{message}");
}

#[test]
fn a_command_that_outlasts_the_time_of_its_run_is_ended_and_the_run_asks() {
    let script = r#"
rules:
  - when: { turn: 0 }
    reply: { tool_calls: [{ name: shell, args: { command: "sleep 3000 & echo $! > pid; wait" } }] }
  - when: { turn: 1 }
    reply: { text: It is done. }
"#;
    let world = World::new(script);
    let arguments = world.doing("chat", &["--max-time", "2"]);
    let out = world.amelia(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    let message = text(&out.stderr);
    assert_eq!(out.status.code(), Some(6), "{message}");
    assert!(message.contains("the run has used its time limit of 2 s"), "{message}");
    let pid = std::fs::read_to_string(world.worktree().join("pid")).unwrap();
    until("the command is gone", || !std::path::Path::new("/proc").join(pid.trim()).exists());
    let run = world.run_id();
    let more = world.amelia(&["resume", &run, "--max-time", "60"]);
    assert!(more.status.success(), "{}", text(&more.stderr));
    let last = world.server.requests().last().unwrap().body.to_string();
    assert!(last.contains("interrupted, outcome unknown"), "{last}");
    let played = world.amelia(&["replay", &run]);
    assert!(played.status.success(), "{}{}", text(&played.stdout), text(&played.stderr));
}

#[test]
fn a_limit_that_is_still_too_small_is_refused_before_anything_happens() {
    let world = World::new(FIX);
    let stopped = world.run_do("chat", &["--max-calls", "2"]);
    assert_eq!(stopped.status.code(), Some(6), "{}", text(&stopped.stderr));
    let log = || text(&world.amelia(&["logs", "r1"]).stdout);
    let before = log();
    for more in [&["--max-calls", "2"][..], &["--max-calls", "1"], &[]] {
        let refused = world.amelia(&[&["resume", "r1"], more].concat());
        let message = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(5), "{message}");
        assert!(message.contains("it needs 3 model calls") && message.contains("--max-calls 3"), "{message}");
    }
    assert_eq!(log(), before, "it was told nothing");
    let done = world.amelia(&["resume", "r1", "--max-calls", "9"]);
    assert!(done.status.success(), "{}", text(&done.stderr));
}
