//! `amelia demo`: the main job on a small repository with a failing test. The crew is scripted, so it needs no key and no
//! network; everything else is real: files, tests, git.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use amelia_core::check::CheckCommand;
use amelia_core::config::agent::{AgentConfig, DriverType};
use amelia_core::config::profile::Profile;
use amelia_core::id::RunId;
use amelia_core::message::Object;
use amelia_core::problem::Problem;
use amelia_host::home::Home;
use amelia_host::local_server::LocalServer;
use amelia_host::place;
use amelia_scripted::{Script, serve};
use amelia_wire::amelia::config::profile as wire;
use amelia_wire::rest::config::ProfileShown;
use amelia_wire::rest::request::NewWorkflow;
use amelia_wire::rest::travel::Diff;
use anyhow::{Context, Result, anyhow};
use serde_json::json;

use super::crash_demo;
use super::opened_demo;
use super::replayed_demo;
use super::watching::{Watching, watch};
use crate::cli::{DemoArgs, Global};
use crate::cli_error::{CliError, Exit, exit_of};
use crate::client::Client;
use crate::dashboard;
use crate::terminal::Terminal;
use crate::ui;

/// What the crew says.
const MODEL: &str = include_str!("../../demo/model.yaml");
/// For people who watch: before each answer of the crew, and between its words.
const BEFORE: Duration = Duration::from_millis(1100);
const BETWEEN: Duration = Duration::from_millis(40);
/// The sample repository.
const FILES: [(&str, &str); 2] = [
    ("calc.sh", "#!/bin/sh\necho $(($1 - $2))\n"),
    (
        "test.sh",
        "#!/bin/sh\n# Stops at the first failure.\nsum=$(./calc.sh 2 3)\n\
         [ \"$sum\" = 5 ] || { echo \"expected 5 and got $sum\"; exit 1; }\necho ok\n",
    ),
];

pub(super) fn run(args: &DemoArgs, global: &Global) -> Result<ExitCode> {
    if args.crash {
        return crash_demo::run(args, global);
    }
    if args.replay {
        return replayed_demo::run(args, global);
    }
    super::block_on(main_job(args, global))
}

async fn main_job(args: &DemoArgs, global: &Global) -> Result<ExitCode> {
    let terminal_there = Terminal::new(global).is_interactive();
    if !args.auto && !args.open && !terminal_there {
        let refusal = CliError::new(Exit::Usage, "there is no terminal to approve the plan in");
        return Err(refusal.with_hint("amelia demo --auto, or amelia demo --open").into());
    }
    // Never in the home of a user: its profile would be left behind there.
    let dir = match &args.dir {
        Some(dir) => std::path::absolute(dir)?,
        None => tempfile::Builder::new()
            .prefix("amelia-demo-")
            .tempdir()
            .context("a directory for the demo")?
            .keep(),
    };
    let global = Global { home: Some(dir.clone()), ..global.clone() };
    let say = |text: &str| say(text, &global);
    let sample = dir.join("sample");
    make_sample(&sample)?;
    say(&format!("{} in {}", ui::bold("A small repository with a failing test"), sample.display()));
    say(&ui::dim(format!("  $ ./test.sh\n  {}", test(&sample)?)));
    let script = Script::parse(MODEL).map_err(|error| anyhow!("{error}"))?;
    let script = if args.open && !args.fast { script.paced(BEFORE, BETWEEN) } else { script };
    let server =
        serve(script, ([127, 0, 0, 1], 0).into()).await.context("the scripted model cannot listen")?;
    say(&ui::dim("the agents are scripted: no key, no network; files, tests and commits are real"));
    say(&ui::dim(format!("use it from another terminal: {} status\n", ui::command_in(&dir))));

    let home = Home::at(&dir);
    let client =
        Client::of_local(LocalServer::start_demo(&home, home.open()?, dashboard::embedded()).await?)?;
    let profile: wire::Profile = profile(&sample, &server.url()).into();
    client.post::<ProfileShown>("/profiles", &profile).await?;
    let run = client.create("/workflows", &order(&sample), None).await?;
    let exit = tokio::select! {
        exit = shown(&client, run, args, &global) => exit,
        ended = opened_demo::told_to_end() => ended.map(|()| ExitCode::SUCCESS),
    };
    client.close().await?;
    exit
}

/// The run, until it has ended and been looked at.
async fn shown(client: &Client, run: RunId, args: &DemoArgs, global: &Global) -> Result<ExitCode> {
    let (is_done, exit) = match args.open {
        true => opened_demo::accompany(client, run, global).await?,
        false => {
            let watched = watch(client, run, None, Watching::here().auto(args.auto), global).await;
            let is_left = watched.is_err() && is_unfinished(client, run).await?;
            // What a waiting run says to do now cannot be done: it has no model any more.
            (true, watched.map_err(|error| if is_left { left(exit_of(&error)).into() } else { error })?)
        }
    };
    // Another command may have made a new token meanwhile.
    client.look_again();
    if is_done {
        let changes: Diff = client.get(&format!("/workflows/{run}/diff?stat=true")).await?;
        match prove(Path::new(&changes.worktree), &|text| say(text, global)) {
            // A person who changed the plan in the browser wanted something else.
            Err(error) if args.open => ui::say_error(&error),
            proved => proved?,
        }
    }
    match (args.open, is_unfinished(client, run).await?) {
        (true, false) => opened_demo::stay(client, global).await?,
        (true, true) if !global.json && !global.quiet => ui::say_error(&left(Exit::Waiting).into()),
        (true, true) | (false, _) => {}
    }
    Ok(exit)
}

async fn is_unfinished(client: &Client, run: RunId) -> Result<bool> {
    Ok(!client.row(run).await?.view.status.is_final())
}

/// The run of a demo that has ended before it.
fn left(exit: Exit) -> CliError {
    let message =
        "the demo has ended, and its run cannot continue: the scripted model ended with this command";
    CliError::new(exit, message).with_hint("`amelia demo` starts a new one")
}

fn say(text: &str, global: &Global) {
    if !global.json && !global.quiet {
        anstream::println!("{text}");
    }
}

/// The branch as git has it, and its tests as they are now.
fn prove(worktree: &Path, say: &impl Fn(&str)) -> Result<()> {
    let log = git(worktree, &["log", "--oneline", "--reverse", "main..HEAD"])?;
    say(&format!("\n{}", ui::bold("The commits")));
    log.lines().for_each(|line| say(&format!("  {line}")));
    let now = test(worktree)?;
    say(&format!("{}\n  $ ./test.sh\n  {now}", ui::bold("The test now")));
    if now != "ok" || log.lines().count() != 2 {
        return Err(CliError::new(Exit::Failed, "the demo did not produce the expected result").into());
    }
    Ok(())
}

fn order(sample: &Path) -> NewWorkflow {
    let description = "`./calc.sh 2 3` prints -1. It should print 5. Its usage is not documented either.";
    NewWorkflow {
        issue_id: Some("DEMO-1".to_owned()),
        title: Some("calc.sh does not add".to_owned()),
        description: Some(description.to_owned()),
        profile: Some("demo".to_owned()),
        worktree_path: sample.to_owned(),
        ..NewWorkflow::default()
    }
}

fn profile(sample: &Path, url: &str) -> Profile {
    let agent = |role: &str| {
        let options = Object::from_iter([
            ("provider".to_owned(), json!("openai-compatible")),
            ("base_url".to_owned(), json!(format!("{url}/v1"))),
        ]);
        (role.to_owned(), AgentConfig { options, ..AgentConfig::new(DriverType::Api, role) })
    };
    let check = CheckCommand { name: "tests".to_owned(), command: "./test.sh".to_owned(), timeout: 60 };
    Profile {
        agents: ["architect", "developer", "reviewer", "evaluator"].map(agent).into(),
        checks: vec![check],
        ..Profile::new("demo", sample.to_string_lossy())
    }
}

fn make_sample(sample: &PathBuf) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    if sample.exists() {
        let message = format!("{} exists already", sample.display());
        return Err(CliError::new(Exit::Conflict, message).with_hint("use another --dir").into());
    }
    std::fs::create_dir_all(sample).with_context(|| format!("{} cannot be created", sample.display()))?;
    for (name, text) in FILES {
        let path = sample.join(name);
        std::fs::write(&path, text)?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))?;
    }
    for args in [
        &["init", "--quiet", "--initial-branch=main"][..],
        &["config", "user.name", "Amelia Demo"],
        &["config", "user.email", "demo@example.org"],
        &["add", "--all"],
        &["commit", "--quiet", "--message", "A sum that is wrong"],
    ] {
        git(sample, args)?;
    }
    Ok(())
}

/// What the sample's test says.
fn test(dir: &Path) -> Result<String> {
    let output = Command::new("./test.sh").current_dir(dir).output().context("the test cannot be run")?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn git(dir: &Path, args: &[&str]) -> Result<String> {
    // Not into the repository whose hook has started us.
    let vars = place::vars();
    let vars = vars.iter().map(|(name, value)| (name, value));
    let output = Command::new("git").args(args).current_dir(dir).env_clear().envs(vars).output();
    let missing = Problem::new("the program `git` was not found").with_hint("install it");
    let output = output.context(missing)?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(CliError::new(Exit::Failed, format!("git {}: {message}", args.join(" "))).into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
