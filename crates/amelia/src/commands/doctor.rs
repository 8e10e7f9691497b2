//! `amelia doctor`: looks at everything that work needs and says what to do about what is missing. Nothing is changed,
//! nothing outside this machine is asked, unless `--model` names a profile whose models are to be tried.

mod server;

use std::process::ExitCode;

use amelia_host::doctor::check::{Check, State};
use amelia_host::doctor::{self, Kept, models};
use amelia_host::home::Home;
use amelia_wire::amelia::config::Settings;
use amelia_wire::rest::config::SettingsShown;
use anyhow::Result;

use crate::cli::{Doctor, Global};
use crate::reach;
use crate::ui;

pub(super) async fn run(args: &Doctor, home: &Home, global: &Global) -> Result<ExitCode> {
    let kept = kept(home, global).await;
    let checks = match &args.model {
        None => doctor::checks(home, server::check(home, global).await, kept).await,
        Some(profile) => match doctor::settings(home, kept) {
            Ok(settings) => models::checks(home, &doctor::readable(&settings), profile).await,
            // What was asked for by name is missing.
            Err(check) => vec![Check { state: State::Error, ..check }],
        },
    };
    if global.json {
        anstream::println!("{}", serde_json::to_string(&checks)?);
    } else {
        let shown = |check: &&Check| !global.quiet || matches!(check.state, State::Warning | State::Error);
        checks.iter().filter(shown).for_each(|check| anstream::println!("{}", line(check)));
    }
    let is_broken = checks.iter().any(|check| check.state == State::Error);
    Ok(if is_broken { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

async fn kept(home: &Home, global: &Global) -> Kept {
    if global.server.is_none() && !doctor::is_readable(home) {
        return Kept::Unread;
    }
    settings(home, global).await.map_or_else(Kept::Failed, Kept::Settings)
}

async fn settings(home: &Home, global: &Global) -> Result<Settings> {
    let client = reach::to_look(home, global).await?;
    let shown = client.get::<SettingsShown>("/settings").await;
    client.close().await?;
    Ok(shown?.settings)
}

fn line(check: &Check) -> String {
    let mark = match check.state {
        State::Ok => ui::painted(ui::GOOD, "✓"),
        State::Optional => ui::dim("–"),
        State::Warning => ui::painted(ui::WAITS, "!"),
        State::Error => ui::painted(ui::BAD, "✗"),
    };
    let hint = check.hint.as_ref().map(|hint| format!("; {}", ui::one_line(hint))).unwrap_or_default();
    // Padded before it is painted: colours have a length, too.
    let name = ui::bold(format!("{:<10}", check.name));
    format!("{mark} {name} {}{}", ui::one_line(&check.message), ui::dim(hint))
}
