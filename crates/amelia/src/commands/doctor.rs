//! `amelia doctor`: looks at everything that work needs and says what to do about what is missing. Nothing is changed,
//! nothing outside this machine is asked, unless `--model` names a profile whose models are to be tried.

mod server;

use std::path::PathBuf;
use std::process::ExitCode;

use amelia_core::problem::Problem;
use amelia_host::doctor::check::{CheckState, DoctorCheck};
use amelia_host::doctor::{self, ProfileOrigin, models};
use amelia_host::home::Home;
use amelia_host::place;
use amelia_wire::amelia::config::Settings;
use amelia_wire::rest::config::SettingsShown;
use anyhow::Result;
use unicode_width::UnicodeWidthStr as _;

use super::which_profile::{chosen_here, refusal_here};
use crate::cli::{DoctorArgs, Global};
use crate::cli_error::{CliError, problem_of};
use crate::reach;
use crate::ui;

/// Columns of the name of a check.
const NAMES: usize = 10;
/// Columns before its message: the mark, the name, and a blank behind each.
const BEFORE_MESSAGE: usize = NAMES + 3;

pub(super) async fn run(args: &DoctorArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let kept = kept(home, global).await;
    let checks = match &args.model {
        None => {
            let directory = directory().await;
            let refusal = match &kept {
                ProfileOrigin::Settings(settings) => refusal_here(settings, global).await,
                ProfileOrigin::Unread | ProfileOrigin::Failed(_) => None,
            };
            let mut checks =
                doctor::checks(home, server::check(home, global).await, kept, directory.as_deref()).await;
            server::compare_keys(&mut checks, home, global).await;
            if let Some(refusal) = refusal {
                warn_of_profile(&mut checks, refusal);
            }
            checks
        }
        Some(profile) => match doctor::settings(home, kept) {
            Ok(settings) => {
                let name = match profile.as_str() {
                    "" => chosen_here(&settings, global).await?,
                    name => name.to_owned(),
                };
                models::checks(home, &doctor::readable(&settings), &name).await
            }
            // What was asked for by name is missing.
            Err(check) => vec![DoctorCheck { state: CheckState::Error, ..check }],
        },
    };
    if global.json {
        anstream::println!("{}", serde_json::to_string(&checks)?);
    } else {
        let shown = |check: &&DoctorCheck| {
            !global.quiet || matches!(check.state, CheckState::Warning | CheckState::Error)
        };
        checks.iter().filter(shown).for_each(say);
    }
    let is_broken = checks.iter().any(|check| check.state == CheckState::Error);
    Ok(if is_broken { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// A valid profile, but for another repository.
fn warn_of_profile(checks: &mut [DoctorCheck], refusal: CliError) {
    let is_ok = |check: &&mut DoctorCheck| check.name == "profile" && check.state == CheckState::Ok;
    if let Some(check) = checks.iter_mut().find(is_ok) {
        let Problem { message, hint } = problem_of(&refusal.into());
        *check = DoctorCheck { name: check.name, state: CheckState::Warning, message, hint };
    }
}

/// The repository that the command was started in, or else its directory.
async fn directory() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    Some(place::look(&here).await.map_or(here, |repository| repository.root().to_owned()))
}

async fn kept(home: &Home, global: &Global) -> ProfileOrigin {
    if global.server.is_none() && !doctor::is_readable(home) {
        return ProfileOrigin::Unread;
    }
    settings(home, global).await.map_or_else(ProfileOrigin::Failed, ProfileOrigin::Settings)
}

async fn settings(home: &Home, global: &Global) -> Result<Settings> {
    let client = reach::to_look(home, global).await?;
    let shown = client.get::<SettingsShown>("/settings").await;
    client.close().await?;
    Ok(shown?.settings)
}

fn say(check: &DoctorCheck) {
    let mark = match check.state {
        CheckState::Ok => ui::painted(ui::GOOD, "✓"),
        CheckState::Optional => ui::dim("–"),
        CheckState::Warning => ui::painted(ui::WAITS, "!"),
        CheckState::Error => ui::painted(ui::BAD, "✗"),
    };
    // Padded before it is painted: colours have a length, too.
    let name = ui::bold(format!("{:<NAMES$}", check.name));
    let (message, hint) = (ui::one_line(&check.message), check.hint.as_deref().map(ui::one_line));
    let found = format!("{mark} {name} {message}");
    let Some(hint) = hint else { return ui::say_hanging(&found, BEFORE_MESSAGE) };
    let width = BEFORE_MESSAGE + message.width() + "; ".len() + hint.width();
    match ui::columns() {
        // A command in the hint is easier to copy from a line of its own.
        Some(columns) if width > columns => {
            ui::say_hanging(&found, BEFORE_MESSAGE);
            ui::say_hanging(&format!("{:BEFORE_MESSAGE$}{}", "", ui::dim(hint)), 0);
        }
        _ => ui::say_hanging(&format!("{found}{}", ui::dim(format!("; {hint}"))), BEFORE_MESSAGE),
    }
}
