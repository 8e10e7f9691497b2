//! `amelia doctor`: looks at everything that work needs and says what to do about what is missing. Nothing is changed,
//! nothing outside this machine is asked, unless `--model` names a profile whose models are to be tried.

mod server;

use std::process::ExitCode;

use amelia_host::doctor::check::{CheckState, DoctorCheck};
use amelia_host::doctor::{self, ProfileOrigin, models};
use amelia_host::home::Home;
use amelia_wire::amelia::config::Settings;
use amelia_wire::rest::config::SettingsShown;
use anyhow::Result;

use crate::cli::{DoctorArgs, Global};
use crate::reach;
use crate::ui;

pub(super) async fn run(args: &DoctorArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let kept = kept(home, global).await;
    let checks = match &args.model {
        None => doctor::checks(home, server::check(home, global).await, kept).await,
        Some(profile) => match doctor::settings(home, kept) {
            Ok(settings) => models::checks(home, &doctor::readable(&settings), profile).await,
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
        checks.iter().filter(shown).for_each(|check| anstream::println!("{}", line(check)));
    }
    let is_broken = checks.iter().any(|check| check.state == CheckState::Error);
    Ok(if is_broken { ExitCode::FAILURE } else { ExitCode::SUCCESS })
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

fn line(check: &DoctorCheck) -> String {
    let mark = match check.state {
        CheckState::Ok => ui::painted(ui::GOOD, "✓"),
        CheckState::Optional => ui::dim("–"),
        CheckState::Warning => ui::painted(ui::WAITS, "!"),
        CheckState::Error => ui::painted(ui::BAD, "✗"),
    };
    let hint = check.hint.as_ref().map(|hint| format!("; {}", ui::one_line(hint))).unwrap_or_default();
    // Padded before it is painted: colours have a length, too.
    let name = ui::bold(format!("{:<10}", check.name));
    format!("{mark} {name} {}{}", ui::one_line(&check.message), ui::dim(hint))
}
