//! Makes runs movable: from what is kept of a run to its graph, its crew and its place. The one wiring diagram.

use std::path::PathBuf;
use std::sync::Arc;

use amelia_agents::live::Live;
use amelia_agents::pipeline::implementation::deps::Deps;
use amelia_agents::pipeline::single::{self, Single};
use amelia_agents::pipeline::{implementation, review};
use amelia_core::budget::{Account, Purses};
use amelia_core::config::agent::AgentConfig;
use amelia_core::event::run::Failure;
use amelia_core::human::HumanReply;
use amelia_core::id::RunId;
use amelia_core::recording::Tape;
use amelia_core::view::RunRow;
use amelia_core::workplace::{Workplace, WorkplaceError};
use amelia_graph::engine::{EngineError, Stop};
use amelia_graph::graph::Graph;
use amelia_graph::state::State;
use amelia_orchestrator::orchestrator::{Assembler, Movable};
use amelia_orchestrator::runs::{Move, Runs};
use amelia_process::Environment;
use anyhow::{Context, Result};
use async_trait::async_trait;
use jiff::SignedDuration;

use crate::assemble::{Assembly, Ways};
use crate::commission::{Commission, own_prompts};
use crate::home::Home;
use crate::keys::{Keys, named_in};
use crate::known::Known;
use crate::limits::Limits;
use crate::order::Order;
use crate::outside::Outside;
use crate::place::{self, repository};
use crate::tracking;
use crate::upstream::Upstream;
use crate::workplace::{GitWorkplace, LostCommit, own_edits};
use amelia_orchestrator::service::ServiceError;

/// Everything that runs are made of.
#[derive(Clone)]
pub(crate) struct Workshop {
    home: Home,
    /// Held while a worktree is made. Git stumbles over worktrees of the same repository that come into being beside
    /// each other, and a hundred at once would take the processor from everything else.
    bench: Arc<tokio::sync::Mutex<()>>,
    ways: Ways,
    limits: Limits,
    outside: Outside,
}

impl Workshop {
    pub(crate) fn new(home: &Home, ways: Ways, limits: Limits) -> Self {
        Self { ways, limits, ..Self::of(home, Outside::Live) }
    }

    /// For runs that meet something else than the world.
    pub(crate) fn of(home: &Home, outside: Outside) -> Self {
        let (ways, limits) = (Ways::default(), Limits::default());
        Self { home: home.clone(), bench: Arc::default(), ways, limits, outside }
    }

    /// A run with everything that it needs.
    pub(crate) async fn build(
        &self,
        row: &RunRow,
        live: Live,
        tape: Arc<dyn Tape>,
    ) -> Result<Box<dyn Movable>> {
        // What commands of an earlier life of this run left behind must not go on beside this one. A run that never
        // started has none, and looking through all processes takes long on a busy machine.
        if row.view.started_at.is_some() && !self.outside.is_played() {
            let owner = row.run.id.to_string();
            tokio::task::spawn_blocking(move || amelia_process::end_leftovers(&owner)).await?;
        }
        let known = Known::named(&row.run.spec.graph)?;
        match known {
            Known::Single => self.single(row, &live, &tape).await,
            Known::Implementation | Known::Review => self.implementation(row, &live, &tape).await,
            Known::Synthetic => {
                let surroundings = Arc::new(crate::synthetic::graph::Surroundings::quiet(&self.home));
                let graph = crate::synthetic::graph::graph(&surroundings)?;
                Ok(Box::new(Ready::new(graph, crate::synthetic::state::Work::default())))
            }
        }
    }

    async fn single(&self, row: &RunRow, watchers: &Live, tape: &Arc<dyn Tape>) -> Result<Box<dyn Movable>> {
        let order: Order = input(row)?;
        let agents: Vec<AgentConfig> = order.agents();
        let assembly = self.assembly(row, &agents)?;
        let profile = amelia_core::config::profile::Profile {
            copy_files: order.copy_files.clone(),
            worktree_setup: order.setup.clone(),
            ..Default::default()
        };
        let live = self.workplace(row, &agents, &profile);
        let place = self.outside.place(tape, assembly.redactor(), live).await?;
        if row.view.started_at.is_none() {
            place.prepare().await?;
        }
        let purses = self.purses(row).await?;
        let told = order.told(place.path(), place.branch(), &place.survey().await?, row)?;
        let work = order.work(&assembly, Arc::clone(&place), &purses, watchers, tape, told)?;
        let initial = Single { goal: order.prompt.clone(), answer: None };
        Ok(Box::new(Ready { place: Some(place), ..Ready::new(single::graph(work)?, initial) }))
    }

    async fn implementation(
        &self,
        row: &RunRow,
        watchers: &Live,
        tape: &Arc<dyn Tape>,
    ) -> Result<Box<dyn Movable>> {
        let commission: Commission = input(row)?;
        let agents = commission.agents()?;
        let assembly = self.assembly(row, &agents)?;
        let redactor = assembly.redactor();
        let place =
            self.outside.place(tape, redactor, self.workplace(row, &agents, &commission.profile)).await?;
        let purses = self.purses(row).await?;
        let date = day(row);
        let oracle = commission.oracle(&*place, &date).await?;
        let crew = commission.crew(&assembly, &purses, watchers, tape, oracle)?;
        let live = tracking::tracker(&commission.profile, place::of(row)?, &self.home);
        let tracker = self.outside.tracker(tape, redactor, live).await?;
        let mut profile = commission.profile.clone();
        if place::of(row)?.in_place {
            // There is only one checkout of the user.
            profile.parallel_tasks = 1;
        }
        let kept = Some(Arc::clone(&place));
        let purser = self.outside.purser(purses.of(&crew.developer.name));
        let prompts = own_prompts(&commission.prompts);
        let deps = Deps { profile, crew, place, tracker, prompts, purser, date };
        let deps = Arc::new(deps);
        Ok(Box::new(match Known::named(&row.run.spec.graph)? {
            Known::Review => {
                let graph = review::graph(&deps)?;
                Ready { place: kept, ..Ready::new(graph, review::begin(commission.wanted)) }
            }
            Known::Implementation | Known::Single | Known::Synthetic => Ready {
                own_edits: (!self.outside.is_played()).then(|| self.home.own_edits()),
                place: kept,
                ..Ready::new(implementation::graph(&deps)?, commission.initial())
            },
        }))
    }

    fn assembly(&self, row: &RunRow, agents: &[AgentConfig]) -> Result<Assembly> {
        let assembly = Assembly::new(&self.home, &agents.iter().collect::<Vec<_>>(), &self.outside)?;
        Ok(assembly.for_run(row.run.id, environment(row, agents), &self.ways))
    }

    async fn workplace(
        &self,
        row: &RunRow,
        agents: &[AgentConfig],
        profile: &amelia_core::config::profile::Profile,
    ) -> Result<GitWorkplace> {
        let place = place::of(row)?;
        let environment = environment(row, agents);
        let worktrees: PathBuf = self.home.path().join("worktrees");
        let repository = repository(&place.repository).await?;
        let refused = |error: WorkplaceError| ServiceError::conflict(error.to_string());
        let opened = {
            let _bench = self.bench.lock().await;
            // A fork has a worktree of its own only from now on.
            let is_known = row.view.started_at.is_some() && row.run.spec.forked_from.is_none();
            GitWorkplace::open(place, &worktrees, row.run.id, repository, environment, profile, is_known)
                .await
        };
        let mut opened = opened.map_err(refused)?;
        // Before a model is paid for work that cannot be committed.
        if Known::named(&row.run.spec.graph)? == Known::Implementation {
            opened.check_identity().await.map_err(refused)?;
            opened = opened.sparing_own_edits(&self.home.own_edits()).await.map_err(refused)?;
            opened.check_commits().await.map_err(refused)??;
        }
        // A fork begins past the node that prepares a worktree, and so does a run whose worktree was made anew.
        if row.view.started_at.is_some() || row.run.spec.forked_from.is_some() {
            opened.prepare().await.map_err(refused)?;
        }
        Ok(opened)
    }

    async fn purses(&self, row: &RunRow) -> Result<Purses> {
        let active = SignedDuration::from_millis(i64::try_from(row.view.active_ms).unwrap_or(i64::MAX));
        let account = Account::new(row.budget(), row.view.spend).going_on(self.outside.clock().now(), active);
        Ok(self.limits.purses(row, account).await?)
    }
}

#[async_trait]
impl Assembler for Workshop {
    async fn assemble(
        &self,
        row: &RunRow,
        live: Live,
        tape: Arc<dyn Tape>,
    ) -> Result<Box<dyn Movable>, Failure> {
        self.build(row, live, tape).await.map_err(|error| not_set_up(&error))
    }

    fn clean_text(&self, row: &RunRow, text: &str) -> Result<String, Failure> {
        let keys = Keys::gather(&self.home, &named_in(&row.run.spec.input));
        Ok(keys.map_err(|error| not_set_up(&error))?.redactor().text(text).into_owned())
    }

    fn lift(&self, account: &str) {
        self.ways.holds.lift(account);
    }

    fn clean(&self, row: &RunRow, reply: HumanReply) -> Result<HumanReply, Failure> {
        let keys = Keys::gather(&self.home, &named_in(&row.run.spec.input));
        Ok(keys.map_err(|error| not_set_up(&error))?.redactor().clean(reply))
    }
}

/// What everything that a run starts finds in its environment: none of the keys of its agents.
fn environment(row: &RunRow, agents: &[AgentConfig]) -> Environment {
    let keys = agents.iter().filter_map(|agent| Upstream::needed(agent).ok()??.key_env);
    let environment = Environment::new(std::env::vars_os(), &[], row.run.id.to_string());
    keys.fold(environment, |environment, name| environment.without(&name))
}

/// The day on which a run was created, for its agents.
pub(crate) fn day(row: &RunRow) -> String {
    row.run.created_at.strftime("%Y-%m-%d").to_string()
}

fn not_set_up(error: &anyhow::Error) -> Failure {
    let code = if error.is::<LostCommit>() { "commit_lost" } else { "setup" };
    Failure { code: code.to_owned(), message: format!("{error:#}"), node: None }
}

/// What a run was started with.
pub(crate) fn input<T: serde::de::DeserializeOwned>(row: &RunRow) -> Result<T> {
    serde_json::from_value(row.run.spec.input.clone())
        .with_context(|| format!("run {} was started by another version of this program", row.run.id))
}

/// A graph and the state it begins with.
struct Ready<S: State> {
    graph: Graph<S>,
    initial: S,
    /// Where is noted what is the user's own, when anything is.
    own_edits: Option<PathBuf>,
    place: Option<Arc<dyn Workplace>>,
}

impl<S: State> Ready<S> {
    fn new(graph: Graph<S>, initial: S) -> Self {
        Self { graph, initial, own_edits: None, place: None }
    }
}

#[async_trait]
impl<S: State> Movable for Ready<S> {
    async fn go(&self, runs: &Runs, run: RunId, how: Move) -> Result<Stop, EngineError> {
        let stop = runs.go(run, &self.graph, self.initial.clone(), how).await;
        if let Some(place) = &self.place {
            place.rest().await;
        }
        let stop = stop?;
        match (&stop, &self.own_edits) {
            (Stop::Completed | Stop::Cancelled, Some(dir)) => own_edits::forget(dir, run),
            (Stop::Completed | Stop::Cancelled | Stop::Waiting(_) | Stop::Failed(_), _) => {}
        }
        Ok(stop)
    }
}

#[cfg(test)]
#[path = "workshop_tests.rs"]
mod tests;
