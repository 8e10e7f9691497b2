//! `amelia completions`: commands and options come from the command line itself, runs and profiles from the home.

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

use amelia_core::view::RunRow;
use amelia_host::home::Home;
use amelia_wire::rest::config::SettingsShown;
use anyhow::{Context as _, Result};
use clap::{Command, Parser as _};
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use clap_complete::env::{CompleteEnv, Shells};

use crate::cli::{self, Cli};
use crate::client::Client;
use crate::{reach, ui};

/// The variable with which the script of a shell asks for candidates.
const VARIABLE: &str = "COMPLETE";

/// Arguments that name a run.
const RUNS: [&str; 5] = ["run", "runs", "a", "b", "what"];

/// Arguments that name a profile.
const PROFILES: [&str; 1] = ["profile"];

/// Arguments that name either.
const PLACES: [&str; 1] = ["place"];

/// How many runs are offered.
const OFFERED: usize = 50;

/// Prints the script that a shell loads.
pub(super) fn run(shell: clap_complete::Shell) -> Result<ExitCode> {
    let shells = Shells::builtins();
    let completer = shells.completer(&shell.to_string()).context("this shell has no completions")?;
    let mut script = Vec::new();
    completer.write_registration(VARIABLE, "amelia", "amelia", "amelia", &mut script)?;
    if shell == clap_complete::Shell::Zsh {
        // In a directory of functions, zsh runs the file as the function: the first Tab must complete, too.
        script.extend_from_slice(
            b"\n[ \"$funcstack[1]\" = _amelia ] && _clap_dynamic_completer_amelia \"$@\"\n",
        );
    }
    // If the pipe is closed, its reader has seen enough.
    std::io::stdout().write_all(&script).ok();
    Ok(ExitCode::SUCCESS)
}

/// Answers a shell that asks for candidates, and ends the program then.
pub(crate) fn answer_shell() {
    CompleteEnv::with_factory(|| completing(cli::command())).var(VARIABLE).complete();
}

fn completing(command: Command) -> Command {
    let candidates = |arg: clap::Arg| match arg.get_id().as_str() {
        name if RUNS.contains(&name) => arg.add(ArgValueCandidates::new(runs)),
        name if PROFILES.contains(&name) => arg.add(ArgValueCandidates::new(profiles)),
        name if PLACES.contains(&name) => arg.add(ArgValueCandidates::new(places)),
        _ => arg,
    };
    command.mut_args(candidates).mut_subcommands(completing)
}

/// Every profile. A shell has no use for an error.
fn profiles() -> Vec<CompletionCandidate> {
    super::block_on(profile_names()).unwrap_or_default().into_iter().map(CompletionCandidate::new).collect()
}

fn places() -> Vec<CompletionCandidate> {
    profiles().into_iter().chain(runs()).collect()
}

async fn profile_names() -> Result<Vec<String>> {
    let Some(client) = to_look().await? else { return Ok(Vec::new()) };
    let shown = client.get::<SettingsShown>("/settings").await;
    client.close().await?;
    Ok(shown?.settings.profiles.into_keys().collect())
}

/// The newest runs. A shell has no use for an error.
fn runs() -> Vec<CompletionCandidate> {
    super::block_on(newest_runs()).unwrap_or_default().iter().map(candidate).collect()
}

async fn newest_runs() -> Result<Vec<RunRow>> {
    let Some(client) = to_look().await? else { return Ok(Vec::new()) };
    let rows = client.rows(&format!("limit={OFFERED}")).await;
    client.close().await?;
    rows
}

/// `None` when there is nothing to look at.
async fn to_look() -> Result<Option<Client>> {
    // Nothing but candidates may be printed.
    let words = ["amelia", "--quiet"].map(OsString::from).into_iter().chain(typed_places());
    let Cli { global, .. } = Cli::try_parse_from(words)?;
    let home = Home::find(global.home.clone())?;
    if !home.has_runs() && global.server.is_none() {
        return Ok(None);
    }
    reach::to_look(&home, &global).await.map(Some)
}

/// What the line that is completed says about the home and the server. A shell passes its words behind a `--`; bash makes
/// three of `--home=DIR`.
fn typed_places() -> Vec<OsString> {
    const OPTIONS: [&str; 2] = ["--home", "--server"];
    let line: Vec<OsString> =
        std::env::args_os().skip_while(|word| word != "--").skip(1).filter(|word| word != "=").collect();
    let pair = line
        .windows(2)
        .filter(|pair| OPTIONS.iter().any(|option| pair.first().is_some_and(|word| word == *option)))
        .flatten();
    let is_whole = |word: &&OsString| {
        let word = word.to_string_lossy();
        OPTIONS.iter().any(|option| word.strip_prefix(option).is_some_and(|rest| rest.starts_with('=')))
    };
    pair.chain(line.iter().filter(is_whole)).cloned().collect()
}

fn candidate(row: &RunRow) -> CompletionCandidate {
    let about = format!("{} ({})", ui::one_line(&row.run.spec.title), row.view.status);
    CompletionCandidate::new(row.run.number.to_string()).help(Some(about.into()))
}
