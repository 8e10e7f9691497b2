//! `amelia workflow`, `amelia agent` and `amelia schema`: what people write in files.

mod input_notes;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use amelia_core::config;
use amelia_core::config::agent::AgentDef;
use amelia_core::object::Object;
use amelia_core::problem::Problem;
use amelia_flows::workflow::compile;
use amelia_host::definitions::{self, DefinitionFile, DefinitionKind, Definitions, default_agent};
use amelia_host::home::Home;
use amelia_host::refused_file::RefusedFile;
use amelia_orchestrator::service::DefinitionName;
use amelia_wire::agentx::team::TeamConfig;
use amelia_wire::agentx::team::parts::GuardrailPolicy;
use amelia_wire::amelia::config::profile::profile_schema;
use amelia_wire::maf::mcp::mcp_schema;
use amelia_wire::maf::retention::retention_schema;
use amelia_wire::maf::{agent::Agent, workflow::Workflow};
use amelia_wire::rest::request::NewTask;
use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::watching::{Watching, watch};
use crate::cli::{
    AgentCommand, DefinitionArgs, Global, RunDefinitionArgs, SchemaArgs, SchemaName, ValidateArgs,
    WorkflowCommand,
};
use crate::cli_error::{CliError, Exit};
use crate::reach;
use crate::ui;
use crate::wrap::fitted;

pub(super) async fn workflow(command: &WorkflowCommand, home: &Home, global: &Global) -> Result<ExitCode> {
    let kind = DefinitionKind::Workflow;
    match command {
        WorkflowCommand::List => list(kind, &here(home).await?, global),
        WorkflowCommand::Show(args) => show(kind, args, &here(home).await?),
        WorkflowCommand::Validate(args) => validate_with_models(kind, args, home, global).await,
        WorkflowCommand::Draw(args) => draw(args, &here(home).await?, global),
        WorkflowCommand::Run(args) => {
            run(&DefinitionName::Workflow(args.name.clone()), args, home, global).await
        }
    }
}

pub(super) async fn agent(command: &AgentCommand, home: &Home, global: &Global) -> Result<ExitCode> {
    let kind = DefinitionKind::Agent;
    match command {
        AgentCommand::List => list(kind, &here(home).await?, global),
        AgentCommand::Show(args) => show(kind, args, &here(home).await?),
        AgentCommand::Validate(args) => validate_with_models(kind, args, home, global).await,
        AgentCommand::Run(args) => run(&DefinitionName::Agent(args.name.clone()), args, home, global).await,
    }
}

pub(super) fn schema(args: &SchemaArgs) -> Result<ExitCode> {
    let schema = match args.name {
        SchemaName::Agent => definitions::schema(DefinitionKind::Agent).clone(),
        SchemaName::Workflow => definitions::schema(DefinitionKind::Workflow).clone(),
        SchemaName::Team => definitions::schema(DefinitionKind::Team).clone(),
        SchemaName::Policy => definitions::schema(DefinitionKind::Policy).clone(),
        SchemaName::Profile => profile_schema().clone(),
        SchemaName::Mcp => mcp_schema().clone(),
        SchemaName::Retention => retention_schema().clone(),
        SchemaName::Script => amelia_scripted::schema(),
    };
    anstream::println!("{}", serde_json::to_string_pretty(&schema)?);
    Ok(ExitCode::SUCCESS)
}

/// What can be named in the current directory.
pub(super) async fn here(home: &Home) -> Result<Definitions> {
    let directory = std::env::current_dir().context("the current directory is gone")?;
    Definitions::find_with_stored(home, &directory).await
}

/// A definition that was read.
enum ReadDefinition {
    Agent(AgentDef),
    /// With the agents that it names.
    Workflow(config::workflow::Workflow, BTreeMap<String, AgentDef>),
    Team(Box<config::team::TeamConfig>),
    Policy(config::team::guardrail::GuardrailPolicy),
}

/// A definition, or all files that cannot be used, it or those that it names.
fn read(definitions: &Definitions, file: &DefinitionFile) -> Result<ReadDefinition, Vec<RefusedFile>> {
    let one = |refused| vec![refused];
    Ok(match file.kind {
        DefinitionKind::Agent => ReadDefinition::Agent(definitions.agent(file).map_err(one)?),
        DefinitionKind::Workflow => {
            let workflow = definitions.workflow(file).map_err(one)?;
            let agents = definitions.agents_of(&workflow)?;
            ReadDefinition::Workflow(workflow, agents)
        }
        DefinitionKind::Team => ReadDefinition::Team(Box::new(definitions.team(file)?.team)),
        DefinitionKind::Policy => ReadDefinition::Policy(definitions.policy(file).map_err(one)?),
    })
}

impl ReadDefinition {
    /// As JSON, in the words of its file.
    fn document(self) -> Value {
        let document = match self {
            Self::Agent(agent) => serde_json::to_value(Agent::from(agent)),
            Self::Workflow(workflow, _) => serde_json::to_value(Workflow::from(workflow)),
            Self::Team(team) => serde_json::to_value(TeamConfig::from(*team)),
            Self::Policy(policy) => serde_json::to_value(GuardrailPolicy::from(policy)),
        };
        // Strings, numbers and lists can always be written.
        document.unwrap_or(Value::Null)
    }

    /// The agents that need a model.
    fn agents(&self) -> Vec<&AgentDef> {
        match self {
            Self::Agent(agent) => vec![agent],
            Self::Workflow(_, agents) => agents.values().collect(),
            Self::Team(_) | Self::Policy(_) => Vec::new(),
        }
    }
}

pub(super) fn list(kind: DefinitionKind, definitions: &Definitions, global: &Global) -> Result<ExitCode> {
    let files = definitions.list(kind);
    let rows: Vec<(&DefinitionFile, Result<Value, Vec<RefusedFile>>)> =
        files.into_iter().map(|file| (file, read(definitions, file).map(ReadDefinition::document))).collect();
    if global.json {
        let document = |(file, read): &(&DefinitionFile, Result<Value, Vec<RefusedFile>>)| {
            let problems = read.as_ref().err().map(|refused| lines_of(refused));
            let about = read.as_ref().ok().map(|document| purpose(kind, document));
            json!({"name": file.name, "source": source(file), "file": file.path, "description": about,
                   "valid": problems.is_none(), "problems": problems})
        };
        let items: Vec<Value> = rows.iter().map(document).collect();
        anstream::println!("{}", json!({ "items": items }));
        return Ok(ExitCode::SUCCESS);
    }
    if rows.is_empty() {
        let (noun, directory) = (kind.noun(), kind.directory());
        anstream::println!(
            "no {directory} yet: write one to .amelia/{directory}/NAME.yaml (amelia schema {noun})"
        );
    }
    let width = rows.iter().map(|(file, _)| file.name.chars().count()).max().unwrap_or(0);
    let columns = ui::columns();
    for (file, read) in &rows {
        let about = match read {
            Err(refused) => {
                ui::counted(refused.iter().map(|refused| refused.problems.len()).sum(), "problem")
            }
            Ok(document) => about(kind, document),
        };
        anstream::println!("{}", listed(&file.name, width, &about, &shown_path(&file.path), columns));
    }
    Ok(ExitCode::SUCCESS)
}

/// One definition of a list. What does not fit the terminal stands below what it belongs to, beside the names.
fn listed(name: &str, width: usize, about: &str, path: &str, columns: Option<usize>) -> String {
    fitted(&format!("{name:width$}  {about}  {}", ui::dim(path)), width + 2, columns)
}

/// What a definition is, in a few words.
fn about(kind: DefinitionKind, document: &Value) -> String {
    match kind {
        DefinitionKind::Agent => document["role"].as_str().unwrap_or_default().to_owned(),
        DefinitionKind::Workflow => {
            let nodes = ui::counted(document["nodes"].as_object().map_or(0, serde_json::Map::len), "node");
            let description = document["description"].as_str().map(ui::one_line);
            description.map_or(nodes.clone(), |description| format!("{nodes}  {description}"))
        }
        DefinitionKind::Team => document["description"].as_str().map(ui::one_line).unwrap_or_default(),
        DefinitionKind::Policy => {
            let word = |key: &str| document[key].as_str().unwrap_or_default();
            format!("{}, {}", word("type"), word("action"))
        }
    }
}

/// What a definition is for, in the words of its file.
fn purpose(kind: DefinitionKind, document: &Value) -> Value {
    let key = match kind {
        DefinitionKind::Agent => "role",
        DefinitionKind::Workflow | DefinitionKind::Team => "description",
        DefinitionKind::Policy => "type",
    };
    document[key].clone()
}

/// Where a definition is from.
pub(super) fn source(file: &DefinitionFile) -> &'static str {
    match file.is_of_repository {
        _ if file.stored.is_some() => "api",
        true => "repository",
        false => "home",
    }
}

/// Relative to the current directory where that is shorter.
pub(super) fn shown_path(path: &Path) -> String {
    let here = std::env::current_dir().ok();
    here.and_then(|here| path.strip_prefix(here).ok()).unwrap_or(path).display().to_string()
}

pub(super) fn show(
    kind: DefinitionKind,
    args: &DefinitionArgs,
    definitions: &Definitions,
) -> Result<ExitCode> {
    let read = read(definitions, named(kind, &args.name, definitions)?)
        .map_err(|refused| CliError::new(Exit::Usage, lines_of(&refused)))?;
    anstream::println!("{}", serde_json::to_string_pretty(&read.document())?);
    Ok(ExitCode::SUCCESS)
}

fn draw(args: &DefinitionArgs, definitions: &Definitions, global: &Global) -> Result<ExitCode> {
    let file = named(DefinitionKind::Workflow, &args.name, definitions)?;
    let workflow = definitions.workflow(file).map_err(|refused| refusal(&refused))?;
    let graph = compile(&workflow, None).map_err(|problems| {
        let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
        CliError::new(Exit::Usage, lines.join("\n"))
    })?;
    match global.json {
        true => anstream::println!("{}", serde_json::to_string(&graph.drawing())?),
        false => anstream::print!("{}", graph.mermaid()),
    }
    Ok(ExitCode::SUCCESS)
}

/// The files that are named, or all.
pub(super) fn files(
    kind: DefinitionKind,
    args: &ValidateArgs,
    definitions: &Definitions,
) -> Result<Vec<DefinitionFile>> {
    match args.names.as_slice() {
        [] => Ok(definitions.list(kind).into_iter().cloned().collect()),
        names => names.iter().map(|name| file_or_name(kind, name, definitions)).collect(),
    }
}

/// The same for what agents without a model are part of: what would keep a run from starting is noted.
async fn validate_with_models(
    kind: DefinitionKind,
    args: &ValidateArgs,
    home: &Home,
    global: &Global,
) -> Result<ExitCode> {
    let all = here(home).await?;
    let files = files(kind, args, &all)?;
    let read = read_all(&all, &files);
    if !global.json {
        let directory = std::env::current_dir().context("the current directory is gone")?;
        let profile = default_agent::profile_of(home, &directory).await?.unwrap_or_default();
        for (file, read) in
            files.iter().zip(&read).filter_map(|(file, read)| Some((file, read.as_ref().ok()?)))
        {
            if let Err(missing) = default_agent::find(read.agents(), &profile) {
                ui::say!("note: {}: {}", shown_path(&file.path), Problem::to_text(&missing));
            }
            if let ReadDefinition::Workflow(workflow, _) = read
                && let Some(expected) = input_notes::expected(workflow, file)
            {
                ui::say!("{expected}");
            }
        }
    }
    Ok(report(kind, &read, global))
}

pub(super) fn validate(
    kind: DefinitionKind,
    args: &ValidateArgs,
    definitions: &Definitions,
    global: &Global,
) -> Result<ExitCode> {
    Ok(report(kind, &read_all(definitions, &files(kind, args, definitions)?), global))
}

/// Says what is wrong with these files.
fn report(
    kind: DefinitionKind,
    read: &[Result<ReadDefinition, Vec<RefusedFile>>],
    global: &Global,
) -> ExitCode {
    let good = read.iter().filter(|read| read.is_ok()).count();
    let mut refused: Vec<&RefusedFile> = Vec::new();
    for one in read.iter().filter_map(|read| read.as_ref().err()).flatten() {
        // Several workflows may name the same agent.
        if !refused.contains(&one) {
            refused.push(one);
        }
    }
    if global.json {
        let problem = |refused: &&RefusedFile| -> Vec<Value> {
            let file = refused.path.display().to_string();
            let one = |problem: &amelia_yaml::problem::FileProblem| {
                json!({"file": file, "line": problem.line, "column": problem.column, "path": problem.path,
                       "message": problem.message})
            };
            refused.problems.iter().map(one).collect()
        };
        let problems: Vec<Value> = refused.iter().flat_map(problem).collect();
        anstream::println!("{}", json!({"files": read.len(), "problems": problems}));
    } else {
        for refused in &refused {
            anstream::println!("{}", fitted(&shown(refused), ui::HANG, ui::columns()));
        }
        let valid = format!("{} valid", ui::counted(good, kind.noun()));
        match read.len() - good {
            0 => anstream::println!("{valid}"),
            bad if good > 0 => anstream::println!("{valid}, {bad} not valid"),
            _ => {}
        }
    }
    if refused.is_empty() { ExitCode::SUCCESS } else { Exit::Usage.into() }
}

/// Many files, on all cores.
fn read_all(
    definitions: &Definitions,
    files: &[DefinitionFile],
) -> Vec<Result<ReadDefinition, Vec<RefusedFile>>> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let share = files.len().div_ceil(cores).max(1);
    std::thread::scope(|scope| {
        let one = |files: &'_ [DefinitionFile]| {
            files.iter().map(|file| read(definitions, file)).collect::<Vec<_>>()
        };
        let threads: Vec<_> = files.chunks(share).map(|files| scope.spawn(move || one(files))).collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

fn named<'a>(kind: DefinitionKind, name: &str, definitions: &'a Definitions) -> Result<&'a DefinitionFile> {
    let found = definitions.file(kind, name);
    Ok(found.map_err(|problem| CliError::new(Exit::NotFound, problem))?)
}

/// A definition by its name, or any file.
pub(super) fn file_or_name(
    kind: DefinitionKind,
    name: &str,
    definitions: &Definitions,
) -> Result<DefinitionFile> {
    let path = Path::new(name);
    let is_file = path.extension().is_some() && path.is_file();
    if !is_file {
        return named(kind, name, definitions).cloned();
    }
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(DefinitionFile { kind, name: stem, path: path.to_owned(), is_of_repository: false, stored: None })
}

pub(super) fn lines_of(refused: &[RefusedFile]) -> String {
    refused.iter().map(shown).collect::<Vec<_>>().join("\n")
}

fn refusal(refused: &RefusedFile) -> CliError {
    CliError::new(Exit::Usage, shown(refused))
}

/// The problems of a file, with its path as people see it.
fn shown(refused: &RefusedFile) -> String {
    RefusedFile { path: shown_path(&refused.path).into(), ..refused.clone() }.to_string()
}

async fn run(
    definition: &DefinitionName,
    args: &RunDefinitionArgs,
    home: &Home,
    global: &Global,
) -> Result<ExitCode> {
    let (workflow, agent) = match definition {
        DefinitionName::Workflow(name) => (Some(name.clone()), None),
        DefinitionName::Agent(name) => (None, Some(name.clone())),
    };
    let request = NewTask { workflow, agent, ..request(args)? };
    if let Some(name) = &request.workflow {
        input_notes::say_about(name, &request.inputs, home, global).await;
    }
    start(&request, home, global).await
}

/// Starts a run in this process, unless a server is there, and follows it.
pub(super) async fn start(request: &NewTask, home: &Home, global: &Global) -> Result<ExitCode> {
    let client = reach::to_work_here(home, global, Vec::new()).await?;
    let outcome = async {
        let run = client.create("/tasks", request, None).await?;
        watch(&client, run, None, Watching::here(), global).await
    };
    let outcome = outcome.await;
    client.close().await?;
    outcome
}

/// What the command line says about any run.
pub(super) fn request(args: &RunDefinitionArgs) -> Result<NewTask> {
    Ok(NewTask {
        workflow: None,
        agent: None,
        team: None,
        team_config: None,
        prompt: args.prompt.clone().unwrap_or_default(),
        inputs: inputs(args)?,
        worktree_path: std::env::current_dir().context("the current directory is gone")?,
        profile: None,
        branch: None,
        in_place: args.in_place,
        base: args.base.clone(),
        budget: args.limits.budget(),
        retention_days: args.keep.retention_days,
        label: args.keep.label.clone(),
        breakpoints: args.breakpoints.clone(),
        parent_task_id: None,
    })
}

/// The values of a file, then those of the command line.
fn inputs(args: &RunDefinitionArgs) -> Result<Object> {
    let mut inputs = Object::new();
    if let Some(path) = &args.inputs_from {
        let unusable = |reason: String| {
            CliError::new(Exit::Usage, format!("{} cannot be used: {reason}", path.display()))
        };
        let text = std::fs::read_to_string(path).map_err(|error| unusable(error.to_string()))?;
        inputs = serde_json::from_str(&text).map_err(|error| unusable(error.to_string()))?;
    }
    for given in &args.inputs {
        let Some((key, value)) = given.split_once('=').filter(|(key, _)| !key.trim().is_empty()) else {
            let refusal = CliError::new(Exit::Usage, format!("`{given}` is not KEY=VALUE"));
            return Err(refusal.with_hint("--input topic=parsers").into());
        };
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
        inputs.insert(key.trim().to_owned(), value);
    }
    Ok(inputs)
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;

    use super::*;

    #[test]
    fn a_list_fits_the_terminal() {
        let about = "3 nodes  You decide whether a draft is published, written anew, or dropped.";
        let line = listed("gate", 8, about, ".amelia/workflows/gate.yaml", Some(60));
        let lines: Vec<String> = strip_str(&line).to_string().lines().map(str::to_owned).collect();
        assert!(lines.len() > 1 && lines.iter().all(|line| line.chars().count() <= 60), "{lines:?}");
        assert!(lines.iter().skip(1).all(|line| line.starts_with(&" ".repeat(10))), "{lines:?}");
        assert!(!listed("gate", 8, about, "a", None).contains('\n'), "a program reads whole lines");
    }
}
