//! `amelia doctor`: looks at everything that work needs and says what to do about what is missing. Nothing is changed,
//! nobody outside this machine is asked, unless `--model` names a profile whose models are to be tried. Each file below has the looking at one thing, and the judgement, which is pure.

mod agents;
mod check;
mod disk;
mod home;
mod keys;
mod models;
mod profile;
mod programs;
mod server;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::process::ExitCode;

use amelia_wire::rest::doctor::{Checkup, Finding};
use anyhow::Result;

use self::check::{Check, State};
use crate::cli::{Doctor, Global};
use crate::home::Home;
use crate::ui;

pub(super) async fn run(args: &Doctor, home: &Home, global: &Global) -> Result<ExitCode> {
    let checks = match &args.model {
        None => checks(home, global, server::check(home, global).await).await,
        Some(profile) => match profile::kept(home, global, home::database(home).1).await {
            Ok(settings) => models::checks(home, &profile::readable(&settings), profile).await,
            Err(check) => vec![check],
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

/// The same for whoever asks the server that listens here: about itself, and the machine that it runs on.
pub(crate) async fn checkup(home: &Home, address: SocketAddr) -> Checkup {
    let home = home.clone();
    // On a thread of its own: commands talk to servers from one thread only.
    let looked = tokio::task::spawn_blocking(move || {
        let global = Global {
            home: Some(home.path().to_owned()),
            server: None,
            no_autostart: true,
            json: true,
            quiet: true,
            no_color: true,
        };
        super::block_on(async { Ok(checks(&home, &global, server::this(address)).await) })
    });
    let checks = match looked.await {
        Ok(Ok(checks)) => checks,
        Ok(Err(error)) => vec![Check::refused("doctor", &error)],
        Err(error) => vec![Check::refused("doctor", &error.into())],
    };
    Checkup { checks: checks.into_iter().map(Finding::from).collect() }
}

async fn checks(home: &Home, global: &Global, server: Check) -> Vec<Check> {
    let mut checks = programs::checks().await;
    checks.push(keys::check(home));
    let (database, is_readable) = home::database(home);
    checks.extend([home::directory(home), database, server]);
    checks.extend(disk::checks(home).await);
    let kept = profile::kept(home, global, is_readable).await;
    let (profiles, active) = match &kept {
        Ok(settings) => (profile::readable(settings), settings.active_profile.as_str()),
        Err(_) => (BTreeMap::new(), ""),
    };
    checks.extend(agents::checks(home, &profiles, active).await);
    checks.extend(profile::checks(home, kept.as_ref()));
    checks
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
