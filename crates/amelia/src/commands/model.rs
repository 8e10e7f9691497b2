//! `amelia model serve`: a scripted model, for tests and demonstrations.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;

use amelia_core::problem::Problem;
use amelia_scripted::{Script, serve};
use anyhow::{Context, Result};

use crate::cli::{Global, ModelCommand};
use crate::cli_error::{CliError, Exit};
use crate::ui;

pub(super) async fn run(model: &ModelCommand, global: &Global) -> Result<ExitCode> {
    let ModelCommand::Serve(args) = model;
    let script =
        Script::from_file(&args.script).map_err(|error| CliError::new(Exit::Usage, error.to_string()))?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, args.port));
    let server = serve(script, address).await.with_context(|| {
        Problem::new(format!("port {} cannot be used", args.port)).with_hint("--port 0 picks a free port")
    })?;
    if global.json {
        anstream::println!("{}", serde_json::json!({"url": server.url(), "scripted": true}));
    } else {
        anstream::println!(
            "{} at {}/v1 (scripted by {})",
            ui::bold("model"),
            server.url(),
            args.script.display()
        );
    }
    server.run().await;
    Ok(ExitCode::SUCCESS)
}
