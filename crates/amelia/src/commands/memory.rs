//! `amelia memory`: what agents remember.

use std::process::ExitCode;

use amelia_core::id::{RunId, RunNumber};
use amelia_core::memory::summary::SummaryMethod;
use amelia_core::memory::{MemoryScope, memory_number};
use amelia_host::home::Home;
use amelia_wire::rest::Page;
use amelia_wire::rest::memory::{
    ConsolidateMemory, ConsolidationRun, ConsolidationStarted, CreateMemory, MemoryDetail, MemoryShown,
    SearchMemory,
};
use anyhow::Result;
use form_urlencoded::Serializer;
use jiff::tz::TimeZone;
use serde::Serialize;
use serde_json::json;

use super::watching::{Watching, watch};
use crate::cli::{
    Global, MemoryCommand, MemoryConsolidateArgs, MemoryForgetArgs, MemoryListArgs, MemorySearchArgs,
    MemorySetArgs, ScopeArg, WatchArgs,
};
use crate::cli_error::{CliError, Exit};
use crate::client::Client;
use crate::reach;
use crate::ui;

/// How many entries with one key are named.
const MAX_NAMED: usize = 10;

pub(super) async fn run(command: &MemoryCommand, home: &Home, global: &Global) -> Result<ExitCode> {
    let client = match command {
        MemoryCommand::Consolidate(args) => return consolidate(args, home, global).await,
        MemoryCommand::Set(_) | MemoryCommand::Forget(_) => reach::to_control(home, global).await?,
        MemoryCommand::List(_) | MemoryCommand::Search(_) | MemoryCommand::Show(_) => {
            reach::to_look(home, global).await?
        }
    };
    let done = match command {
        MemoryCommand::List(args) => list(&client, args, global).await,
        MemoryCommand::Search(args) => search(&client, args, global).await,
        MemoryCommand::Show(args) => show(&client, &args.id, global).await,
        MemoryCommand::Set(args) => set(&client, args, global).await,
        MemoryCommand::Forget(args) => forget(&client, args, global).await,
        // It has its own client.
        MemoryCommand::Consolidate(_) => Ok(()),
    };
    client.close().await?;
    done.map(|()| ExitCode::SUCCESS)
}

async fn list(client: &Client, args: &MemoryListArgs, global: &Global) -> Result<()> {
    let mut query = Serializer::new(String::new());
    query.append_pair("limit", &args.limit.to_string());
    if let Some(scope) = args.scope {
        query.append_pair("scope", scope.name());
    }
    if let Some(key) = &args.key {
        query.append_pair("key", key);
    }
    let page: Page<MemoryShown> = client.get(&format!("/memory?{}", query.finish())).await?;
    print_all(&page.items, "nothing is stored", global);
    if page.next_cursor.is_some() && !global.json {
        ui::say!("there are more: use --limit, --scope or --key");
    }
    Ok(())
}

async fn search(client: &Client, args: &MemorySearchArgs, global: &Global) -> Result<()> {
    let scopes = args.scope.map(|scope: ScopeArg| scope.name()).and_then(MemoryScope::named);
    let wanted = SearchMemory {
        query: args.words.join(" "),
        limit: Some(args.limit),
        scopes: scopes.into_iter().collect(),
        with_sources: args.with_sources,
        ..SearchMemory::default()
    };
    let path = match &args.run {
        Some(run) => format!("/tasks/{}/memory/search", client.find(run).await?.run.id),
        None => "/memory/search".to_owned(),
    };
    let page: Page<MemoryShown> = client.post(&path, &wanted).await?;
    print_all(&page.items, "nothing was found", global);
    Ok(())
}

async fn show(client: &Client, named: &str, global: &Global) -> Result<()> {
    let id = id_of(client, named).await?;
    let detail: MemoryDetail = client.get(&format!("/memory/{id}")).await?;
    if global.json {
        return print_json(&detail);
    }
    let MemoryShown { scope, owner, run_id, expires_at, part_of, method, .. } = &detail.entry;
    ui::say!("{}", heading(&detail.entry));
    match owner.is_empty() {
        true => ui::say!("scope: {scope}"),
        false => ui::say!("scope: {scope} ({owner})"),
    }
    if let Some(run) = run_id {
        ui::say!("written in the run {run}");
    }
    if let Some(at) = expires_at {
        ui::say!("kept until {}", at.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M"));
    }
    if let Some(summary) = part_of {
        ui::say!("part of the summary {summary}");
    }
    if let Some(method) = method {
        let ids: Vec<&str> = detail.sources.iter().map(|source| source.memory_id.as_str()).collect();
        ui::say!("summary of {}{}", ids.join(", "), way_of(*method));
    }
    for version in detail.versions.iter().rev() {
        let at = version.created_at.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M");
        ui::say!("\nversion {}, by {}, {at}", version.version, version.created_by);
        anstream::println!("{}", ui::clean(&version.content));
    }
    Ok(())
}

async fn set(client: &Client, args: &MemorySetArgs, global: &Global) -> Result<()> {
    let scope = MemoryScope::named(&args.scope).unwrap_or(MemoryScope::Repository);
    let here = std::env::current_dir()?.display().to_string();
    let wanted = CreateMemory {
        key: Some(args.key.clone()),
        content: args.text.clone(),
        scope,
        team: args.team.clone(),
        repository: (scope != MemoryScope::Global).then_some(here),
        kind: None,
        ttl_seconds: args.keep.map(|seconds| i64::try_from(seconds).unwrap_or(i64::MAX)),
    };
    let stored: MemoryShown = client.post("/memory", &wanted).await?;
    if global.json {
        return print_json(&stored);
    }
    ui::say!("stored {} ({scope}), version {}", stored.memory_id, stored.version);
    Ok(())
}

/// Summaries are written by runs, which continue when the command has ended.
async fn consolidate(args: &MemoryConsolidateArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let client = reach::to_work(home, global).await?;
    let scope = args.scope.map(|scope: ScopeArg| scope.name()).and_then(MemoryScope::named);
    let path = match &args.run {
        Some(run) => format!("/tasks/{}/memory/consolidate", client.find(run).await?.run.id),
        None => "/memory/consolidate".to_owned(),
    };
    let wanted = ConsolidateMemory { topic: args.topic.clone(), scope };
    let started: ConsolidationStarted = client.post(&path, &wanted).await?;
    match global.json {
        true if !args.wait => print_json(&started)?,
        true => {}
        false => started.runs.iter().for_each(say_started),
    }
    if started.runs.is_empty() && !global.json {
        ui::say!("there is nothing to summarise: a topic needs three entries that are in no summary");
    }
    let mut exit = ExitCode::SUCCESS;
    for run in started.runs.iter().filter(|_| args.wait) {
        let watched = WatchArgs { wait: true, ..WatchArgs::default() };
        let ended = watch(&client, RunId(run.run_id), None, Watching::from(&watched), global).await?;
        if ended != ExitCode::SUCCESS {
            exit = ended;
        }
    }
    client.close().await?;
    Ok(exit)
}

fn say_started(run: &ConsolidationRun) {
    let (number, topics) = (RunNumber(run.number), run.topics.join(", "));
    ui::say!("{number} summarises {topics}{}", way_of(run.method));
}

fn way_of(method: SummaryMethod) -> &'static str {
    match method {
        SummaryMethod::Model => "",
        SummaryMethod::Extractive => ", without a model: from the first sentence of each",
    }
}

async fn forget(client: &Client, args: &MemoryForgetArgs, global: &Global) -> Result<()> {
    for named in &args.ids {
        let id = id_of(client, named).await?;
        client.delete(&format!("/memory/{id}")).await?;
        if !global.json && !global.quiet {
            ui::say!("removed {id}");
        }
    }
    match global.json {
        true => print_json(&json!({"removed": args.ids})),
        false => Ok(()),
    }
}

/// The id of an entry that is named by it, or by a key that no other entry has.
async fn id_of(client: &Client, named: &str) -> Result<String> {
    if memory_number(named).is_some() {
        return Ok(named.to_owned());
    }
    let key = Serializer::new(String::new()).append_pair("key", named).finish();
    let page: Page<MemoryShown> = client.get(&format!("/memory?limit={MAX_NAMED}&{key}")).await?;
    Ok(only(named, page.items.into_iter().map(|entry| entry.memory_id).collect())?)
}

/// The only entry with a key.
fn only(key: &str, mut ids: Vec<String>) -> Result<String, CliError> {
    match (ids.pop(), ids.is_empty()) {
        (Some(id), true) => Ok(id),
        (None, _) => {
            let refusal = CliError::new(Exit::NotFound, format!("there is no memory entry `{key}`"));
            Err(refusal
                .with_hint("name it by its id, such as m12, or by its key; `amelia memory list` lists all"))
        }
        (Some(last), false) => {
            ids.push(last);
            let message = format!("several entries have the key `{key}`: {}", ids.join(", "));
            Err(CliError::new(Exit::Usage, message).with_hint("name one by its id"))
        }
    }
}

fn print_all(items: &[MemoryShown], none: &str, global: &Global) {
    if global.json {
        anstream::println!("{}", json!({"items": items}));
        return;
    }
    if items.is_empty() {
        ui::say!("{none}");
    }
    for item in items {
        let part = item.part_of.as_ref().map(|summary| format!("  (in {summary})")).unwrap_or_default();
        let text = ui::one_line(&format!("{}{part}  {}", heading(item), item.content));
        anstream::println!("{text}");
    }
}

/// `m12  style/indent  repository  writer`
fn heading(item: &MemoryShown) -> String {
    let key = item.key.as_deref().unwrap_or("-");
    format!("{:5} {key}  {}  {}", item.memory_id, item.scope, item.created_by)
}

fn print_json(document: &impl Serialize) -> Result<()> {
    anstream::println!("{}", serde_json::to_string(document)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli_error::problem_of;

    #[test]
    fn a_key_names_an_entry_if_no_other_has_it() {
        let ids = |all: &[&str]| all.iter().map(|id| (*id).to_owned()).collect();
        let told = |all: &[&str]| {
            only("build/tests", ids(all)).map_err(|error| problem_of(&anyhow::Error::from(error)).message)
        };
        assert_eq!(told(&["m3"]), Ok("m3".to_owned()));
        assert_eq!(told(&[]), Err("there is no memory entry `build/tests`".to_owned()));
        assert_eq!(told(&["m3", "m4"]), Err("several entries have the key `build/tests`: m3, m4".to_owned()));
    }
}
