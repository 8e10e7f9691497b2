//! `amelia do`: one agent with tools does one thing, in a worktree of its own, live on the terminal.

use std::process::ExitCode;

use amelia_host::home::Home;
use amelia_host::keys::Keys;
use amelia_host::setup::with_environment_url;
use amelia_orchestrator::service::ModelChoice;
use amelia_wire::rest::request::{ModelWanted, NewSingle};
use anyhow::{Context, Result};

use super::watching::{Watching, watch};
use super::which_profile::profile_of_repository;
use crate::cli::{DoArgs, Global, ResumeArgs, WatchArgs};
use crate::cli_error::{CliError, Exit};
use crate::reach;

pub(super) async fn run(args: &DoArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    if let Some(run) = &args.resume {
        let resume = ResumeArgs {
            run: Some(run.clone()),
            approve: false,
            message: None,
            accept: false,
            checks_from_profile: false,
            agents_from_profile: false,
            limits: args.limits.clone(),
            no_budget: false,
            auto: false,
            watch: WatchArgs::default(),
        };
        return super::resume::run(&resume, home, global).await;
    }
    let mut order = order(args, home)?;
    let keys = args.model.api_key_env.iter().cloned().collect();
    let client = reach::to_work_here(home, global, keys).await?;
    let outcome = async {
        let names_model =
            order.model.model.is_some() || order.model.provider.is_some() || order.model.base_url.is_some();
        if order.profile.is_none() && !names_model {
            order.profile = profile_of_repository(&client, &order.worktree_path, global).await?;
        }
        let run = client.create("/workflows/single", &order, None).await?;
        watch(&client, run, None, Watching::here(), global).await
    };
    let outcome = outcome.await;
    client.close().await?;
    outcome
}

fn order(args: &DoArgs, home: &Home) -> Result<NewSingle> {
    let prompt = args.prompt.clone().unwrap_or_default();
    if prompt.trim().is_empty() {
        let refusal = CliError::new(Exit::Usage, "the task is missing");
        return Err(refusal.with_hint("amelia do \"make the failing test pass\"").into());
    }
    let here = std::env::current_dir().context("the current directory is gone")?;
    let model = model(args, home)?;
    Ok(NewSingle {
        prompt,
        worktree_path: here,
        profile: args.profile.clone(),
        model: ModelWanted {
            model: model.model,
            provider: model.provider,
            base_url: model.base_url,
            api_key_env: model.api_key_env,
            wire: model.wire,
            tools: model.tools,
        },
        in_place: args.in_place,
        base: args.base.clone(),
        read_only: args.read_only,
        max_turns: args.max_turns,
        budget: args.limits.budget(),
        retention_days: args.keep.retention_days,
        label: args.keep.label.clone(),
    })
}

/// A model that is named is called where the environment says, as `amelia init` does.
fn model(args: &DoArgs, home: &Home) -> Result<ModelChoice> {
    let asked = ModelChoice::from(args.model.clone());
    if asked.model.is_none() && asked.provider.is_none() {
        return Ok(asked);
    }
    let keys = Keys::gather(home, &[])?;
    Ok(with_environment_url(asked, |name| std::env::var(name).ok(), |name| keys.get(name).is_some()).0)
}
