//! What the nodes need from outside.

use std::pin::pin;
use std::sync::Arc;

use amelia_core::budget::BudgetGate;
use amelia_core::config::profile::{MAX_PARALLEL_TASKS, Profile};
use amelia_core::driver::DriverError;
use amelia_core::plan::Plan;
use amelia_core::plan::check::{absent, needed_files};
use amelia_core::recording::Channel;
use amelia_core::tool::ToolCx;
use amelia_core::tracker::Tracker;
use amelia_core::workplace::{Rights, Workplace, WorkplaceError};
use amelia_graph::node::{NodeCx, NodeError};
use futures_util::future::{Either, select};
use serde_json::Value;

use crate::agent::{Agent, AgentStop};
use crate::briefing::{self, Facts};
use crate::prompt::Prompts;
use crate::roles::Roles;

/// Everything outside the graph.
#[derive(Clone)]
pub struct Deps {
    /// As it was when the run was created.
    pub profile: Profile,
    pub roles: Roles,
    pub place: Arc<dyn Workplace>,
    pub tracker: Arc<dyn Tracker>,
    pub prompts: Prompts,
    /// Knows the time that the run has left.
    pub budget_gate: BudgetGate,
    /// The day on which the run was created.
    pub date: String,
}

/// How many tasks may be worked on at the same time.
pub(crate) fn lanes(profile: &Profile) -> usize {
    usize::try_from(profile.parallel_tasks.clamp(1, MAX_PARALLEL_TASKS)).unwrap_or(1)
}

impl Deps {
    /// The prompt of a role: its own prompt, filled with `own`, and what holds for all roles.
    /// `touched` are the files that its work is about.
    pub(crate) async fn system(
        &self,
        member: &Agent,
        rights: Rights,
        (prompt, own): (&str, Value),
        touched: &[String],
    ) -> Result<String, NodeError> {
        let survey = self.place.survey().await.map_err(broken)?;
        let facts = Facts {
            directory: self.place.path(),
            branch: self.place.branch(),
            base: self.place.base(),
            date: &self.date,
            checks: &self.profile.checks,
            survey: &survey,
            rights,
            driver: member.driver_type,
            helpers: &member.helpers,
            touched,
        };
        Ok(briefing::system(&self.prompts, prompt, own, &facts))
    }

    /// What is wrong with a plan in this repository.
    pub(crate) async fn problems_here(&self, plan: &Plan) -> Result<Vec<String>, NodeError> {
        let needed = needed_files(plan);
        if needed.is_empty() {
            return Ok(Vec::new());
        }
        let missing = self.place.missing_files(&needed).await.map_err(broken)?;
        Ok(absent(plan, &missing))
    }

    /// Writes the plan where the profile says.
    pub(crate) async fn write_plan(&self, path: &str, markdown: &str) -> Result<(), NodeError> {
        self.place.write(path, markdown).await.map_err(broken)?;
        self.keep_plan(path, markdown).await
    }

    /// Makes sure that agents find the plan, also in a worktree that was made after it, and that git does not, unless
    /// the profile wants it to be committed.
    pub(crate) async fn keep_plan(&self, path: &str, markdown: &str) -> Result<(), NodeError> {
        match self.profile.commit_plan {
            Some(true) | None => Ok(()),
            Some(false) => self.place.keep_plan_uncommitted(path, markdown).await.map_err(broken),
        }
    }

    /// For commands that the orchestrator itself runs: they stop with the run, and no one watches.
    pub(crate) fn tool_cx(cx: &NodeCx) -> ToolCx {
        ToolCx { cancel: cx.cancel().child_token(), ..ToolCx::default() }
    }

    /// Does `work`, unless the time of the run is used up before it is done.
    pub(crate) async fn within_time<T>(
        &self,
        cx: &NodeCx,
        work: impl Future<Output = T>,
    ) -> Result<T, AgentStop> {
        let channel =
            Channel::new(Arc::clone(&self.roles.developer.tape), format!("{}//commands", cx.step()));
        let over = pin!(self.budget_gate.time_is_over(cx.now(), &channel, tokio::time::sleep));
        match select(over, pin!(work)).await {
            Either::Left((limit, _)) => Err(AgentStop::Driver(DriverError::Budget(limit))),
            Either::Right((done, _)) => Ok(done),
        }
    }
}

/// A workplace that does not work fails the run; it can be retried.
pub(crate) fn broken(error: WorkplaceError) -> NodeError {
    NodeError::new("workplace", error)
}
