//! `amelia replay`, `amelia record export`, `amelia test`: runs played again from what came from outside. The store is
//! read as it is; no server is asked, so that it works where there is no network at all.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use amelia_core::id::RunId;
use amelia_core::problem::Problem;
use amelia_core::recording::Difference;
use amelia_core::redact::REDACTED;
use amelia_core::run::RunStatus;
use amelia_core::store::{RunFilter, Store};
use amelia_host::home::Home;
use amelia_host::place::repository;
use amelia_host::recording::tree::RecordedTree;
use amelia_host::replay::tape::Recording;
use amelia_host::replay::{ReplaySummary, replay};
use amelia_wire::rest::run::RunSummary;
use amelia_wire::rest::why::Worker;
use anyhow::{Context, Result};
use serde_json::json;

use crate::cli::{Global, RecordArgs, RecordCommand, ReplayArgs, TestArgs};
use crate::cli_error::{CliError, Exit, problem_of};
use crate::client::only;
use crate::ui;

pub(super) async fn run(args: &ReplayArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let recording = match Path::new(&args.what) {
        // What has a directory or an ending is no run.
        file if file.is_file() || args.what.contains('/') || file.extension().is_some() => from_file(file)?,
        _ => of_run(home, &args.what).await?,
    };
    let played = Played::new(home, recording).await?;
    match global.json {
        true => anstream::println!("{}", played.json()),
        false => ui::say_lines(played.text(&args.what).trim_end()),
    }
    Ok(played.exit())
}

pub(super) async fn record(args: &RecordArgs, home: &Home) -> Result<ExitCode> {
    let RecordCommand::Export { run, output } = &args.what;
    let text = of_run(home, run).await?.to_text()?;
    match output {
        Some(file) => {
            std::fs::write(file, &text).with_context(|| format!("{} cannot be written", file.display()))?;
            anstream::eprintln!("{} kB in {}", text.len() / 1024, file.display());
        }
        None => anstream::print!("{text}"),
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) async fn test(args: &TestArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let mut failed = 0;
    for file in &args.files {
        let played = Played::new(home, from_file(file)?).await?;
        failed += usize::from(!played.is_same());
        if global.json {
            anstream::println!("{}", json!({"file": file, "played": played.json()}));
        } else {
            let verdict = if played.is_same() { "ok" } else { "DIFFERS" };
            ui::say!(
                "{verdict}  {}\n{}",
                ui::path(file),
                played.text(&format!("run {}", played.run)).trim_end()
            );
        }
    }
    if failed > 0 {
        let message = format!("{failed} of {} recordings replay differently", args.files.len());
        return Err(CliError::new(Exit::Failed, message).into());
    }
    Ok(ExitCode::SUCCESS)
}

/// A replay, and what is to be said about it.
struct Played {
    run: RunId,
    outcome: Result<ReplaySummary, Difference>,
    tree: Tree,
    milliseconds: u128,
}

/// What became of the tree.
enum Tree {
    /// The run never came to one.
    None,
    Same(String),
    /// A person must look.
    Other {
        recorded: String,
        found: String,
    },
    /// Why it could not be made again.
    NotMade(String),
}

impl Played {
    async fn new(home: &Home, recording: Recording) -> Result<Self> {
        let run = recording.run;
        let place = recording.repository();
        let started = Instant::now();
        let home = home.clone();
        let outcome = tokio::task::spawn_blocking(move || replay(&home, recording)).await??;
        let milliseconds = started.elapsed().as_millis();
        let tree = match outcome.as_ref().ok().and_then(|played| played.tree.clone()) {
            None => Tree::None,
            Some(tree) => Tree::make(place.as_deref(), tree).await,
        };
        Ok(Self { run, outcome, tree, milliseconds })
    }

    fn is_same(&self) -> bool {
        self.outcome.is_ok() && !matches!(self.tree, Tree::Other { .. })
    }

    fn exit(&self) -> ExitCode {
        if self.is_same() { ExitCode::SUCCESS } else { Exit::Failed.into() }
    }

    /// `name`: what was replayed.
    fn text(&self, name: &str) -> String {
        let log = match &self.outcome {
            Err(difference) => format!("{name}: the first difference is at {difference}\n"),
            Ok(ReplaySummary { events, .. }) => {
                let taken = self.milliseconds;
                format!(
                    "{name}: the same {events} events as recorded, in {taken} ms, without a model or a network\n"
                )
            }
        };
        let tree = match &self.tree {
            Tree::None => String::new(),
            Tree::Same(tree) => format!("  the same tree: {tree}\n"),
            Tree::Other { recorded, found } => {
                format!("  A DIFFERENT TREE: {found}, the recording has {recorded}\n")
            }
            Tree::NotMade(why) => format!("  the tree was not rebuilt: {why}\n"),
        };
        log + &tree
    }

    fn json(&self) -> serde_json::Value {
        let tree = match &self.tree {
            Tree::None => json!(null),
            Tree::Same(tree) => json!({"same": tree}),
            Tree::Other { recorded, found } => json!({"recorded": recorded, "found": found}),
            Tree::NotMade(why) => json!({"not_made": why}),
        };
        let difference = self.outcome.as_ref().err().map(|difference| {
            json!({"place": difference.place, "recorded": difference.recorded, "now": difference.now})
        });
        json!({
            "run": self.run,
            "is_same": self.is_same(),
            "events": self.outcome.as_ref().ok().map(|played| played.events),
            "lives": self.outcome.as_ref().ok().map(|played| played.lives),
            "milliseconds": u64::try_from(self.milliseconds).unwrap_or(u64::MAX),
            "tree": tree,
            "difference": difference,
        })
    }
}

impl Tree {
    /// Makes the tree from the recording's patch, in the repository's own store of objects and nowhere else.
    async fn make(place: Option<&Path>, tree: RecordedTree) -> Self {
        let Some(place) = place.filter(|place| place.is_dir()) else {
            return Self::NotMade("its repository is not here".to_owned());
        };
        let repository = match repository(place).await {
            Ok(repository) => repository,
            Err(error) => return Self::NotMade(problem_of(&error).to_line()),
        };
        let recorded = tree.tree.clone();
        let tree = amelia_core::workplace::WorktreeContents::from(tree);
        let has_gap = String::from_utf8_lossy(&tree.patch).contains(REDACTED);
        match repository.remake(&tree).await {
            Ok(found) if found == recorded => Self::Same(found),
            Ok(_) if has_gap => Self::NotMade("a secret was removed from its files".to_owned()),
            Ok(found) => Self::Other { recorded, found },
            Err(error) => Self::NotMade(Problem::from(error).to_line()),
        }
    }
}

fn from_file(file: &Path) -> Result<Recording> {
    let shown = file.display();
    let text = std::fs::read_to_string(file).with_context(|| format!("{shown} cannot be read"))?;
    Recording::parse(&text).map_err(|error| CliError::new(Exit::Usage, format!("{shown}: {error:#}")).into())
}

async fn of_run(home: &Home, text: &str) -> Result<Recording> {
    let store = home.look()?;
    let mut rows = store.runs(&RunFilter::default()).await?;
    rows.retain(|row| RunSummary::new(row, &Worker::None).is_called(text.trim()));
    let row = only(text, rows)?;
    let run = row.run.number;
    let refused = match row.view.status {
        RunStatus::Pending => Some((format!("run {run} has not started"), format!("amelia resume {run}"))),
        RunStatus::Running if home.is_busy() => {
            Some((format!("run {run} is running"), "replay it when it has stopped".to_owned()))
        }
        RunStatus::Running => Some((
            format!("run {run} was interrupted"),
            format!("amelia resume {run} continues it; or end it with amelia cancel {run}, then replay it"),
        )),
        _ => None,
    };
    if let Some((message, hint)) = refused {
        return Err(CliError::new(Exit::Conflict, message).with_hint(hint).into());
    }
    Recording::of(&*store, row.run.id).await
}
