//! `amelia dashboard`: the browser, at a link that signs it in.

use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use amelia_host::home::Home;
use anyhow::Result;
use serde_json::json;

use crate::cli::{DashboardArgs, Global};
use crate::dashboard::link;
use crate::reach;
use crate::ui;

/// Who could not open a link has said so by then.
const OPEN_TIMEOUT: Duration = Duration::from_secs(1);

pub(super) async fn run(args: &DashboardArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let client = reach::to_work(home, global).await?;
    let link = link(&client, "").await?;
    show(&link, args.print, global);
    client.close().await?;
    Ok(ExitCode::SUCCESS)
}

/// Opens the browser, or prints where it would have gone.
pub(super) fn show(link: &str, only_print: bool, global: &Global) {
    let is_opened = !only_print && !global.json && open(link);
    if !is_opened && !only_print && !global.json && !global.quiet {
        anstream::eprintln!("{}", ui::dim("no browser could be opened here; this link signs you in:"));
    }
    match (global.json, is_opened) {
        (true, _) => anstream::println!("{}", json!({"url": link})),
        (false, true) if global.quiet => {}
        (false, true) => {
            ui::say!("the dashboard opens in your browser");
        }
        (false, false) => anstream::println!("{link}"),
    }
}

/// Whether a browser took the link. One that stays is left alone, and what it says is its own business.
pub(super) fn open(link: &str) -> bool {
    let Some(program) = browser() else { return false };
    let mut command = Command::new(program);
    command.arg(link).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return false };
    let since = Instant::now();
    while since.elapsed() < OPEN_TIMEOUT {
        match child.try_wait() {
            Ok(None) => std::thread::sleep(Duration::from_millis(20)),
            Ok(Some(status)) => return status.success(),
            Err(_) => return false,
        }
    }
    true
}

/// The program that opens links for people, where there is a screen.
fn browser() -> Option<String> {
    let said = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let has_screen = || said("DISPLAY").is_some() || said("WAYLAND_DISPLAY").is_some();
    match said("BROWSER") {
        Some(browser) => Some(browser),
        None if cfg!(target_os = "macos") => Some("open".to_owned()),
        None => has_screen().then(|| "xdg-open".to_owned()),
    }
}
