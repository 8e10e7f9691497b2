//! A person changes who works on a run of a team that is at rest: the next agent, or the team itself. A team is checked as when
//! a run is created, and must still have what the run stands on.

use std::collections::BTreeMap;

use amelia_core::checkpoint::{LoadedCheckpoint, Position};
use amelia_core::config::team::FrozenTeam;
use amelia_core::config::team::guardrail::GuardrailPolicy;
use amelia_core::event::guardrail::{GuardrailEvent, PolicyChange};
use amelia_core::event::human::{Intervention, InterventionKind};
use amelia_core::event::run::Steering;
use amelia_core::event::{EventKind, RunEvent};
use amelia_core::object::Object;
use amelia_core::plan::TaskStatus;
use amelia_core::problem::Problem;
use amelia_core::view::RunRow;
use amelia_flows::chat::Chat;
use amelia_flows::team::{NAME, PLAN, TeamStops, compile, has_plan, plan_agents};
use amelia_graph::state::rebuild;
use amelia_graph::travel::missing_in;
use amelia_orchestrator::service::{InterventionEffect, InterventionPlace, RequestedTeam, ServiceError};
use amelia_wire::agentx::plan::{self, PlanUpdate};
use amelia_wire::agentx::team::TeamConfig as TeamDocument;
use amelia_wire::read::Refused;
use amelia_wire::rest::intervene::{OverrideDetails, TeamModification, details};
use serde_json::json;
use serde_json::value::to_raw_value;

use super::teams::{budget_of, read_team, stops_of, uses_no_files};
use super::workflows::refused_definition;
use super::{LocalRunService, unavailable};
use crate::definitions::Definitions;
use crate::error::service_error;
use crate::pipelines;
use crate::place;
use crate::run_parts::input;
use crate::team_input::{TeamInput, configs, own_programs};

/// The largest team that a run can get while it is at rest. Every commit of the run writes it.
const MAX_TEAM_BYTES: usize = 256 * 1024;

impl LocalRunService {
    pub(super) async fn intervention(
        &self,
        row: &RunRow,
        saved: &LoadedCheckpoint,
        intervention: &Intervention,
    ) -> Result<InterventionEffect, ServiceError> {
        if row.run.spec.graph.as_str() != NAME {
            return Err(ServiceError::invalid(format!("run {} is not a run of a team", row.run.number)));
        }
        if json!(intervention.details).to_string().len() > MAX_TEAM_BYTES {
            let message = format!("details: larger than {} KB", MAX_TEAM_BYTES / 1024);
            return Err(ServiceError::invalid(message));
        }
        match intervention.kind {
            InterventionKind::Instruction => {
                Err(ServiceError::invalid("an instruction does not change a run"))
            }
            InterventionKind::PlanUpdate => with_changed_plan(row, saved, intervention),
            InterventionKind::AgentOverride => {
                let OverrideDetails { next_agent } = details(&intervention.details).map_err(refused)?;
                let pipeline = pipelines::of(row).map_err(service_error)?;
                pipeline.overridden(row, saved, &next_agent).map_err(service_error)
            }
            InterventionKind::TeamModification => self.with_modified_team(row, saved, intervention).await,
        }
    }

    async fn with_modified_team(
        &self,
        row: &RunRow,
        saved: &LoadedCheckpoint,
        intervention: &Intervention,
    ) -> Result<InterventionEffect, ServiceError> {
        let before: TeamInput = input(row).map_err(service_error)?;
        let modification: TeamModification = details(&intervention.details).map_err(refused)?;
        let removed = modification.remove_agents.clone();
        let mut document = before.team_config.clone();
        let changes = modification.apply(&mut document).map_err(refused)?;
        let document = serde_json::to_value(&document).map_err(unavailable)?;
        if document.to_string().len() > MAX_TEAM_BYTES {
            let message = format!("the team would be larger than {} KB", MAX_TEAM_BYTES / 1024);
            return Err(ServiceError::invalid(message));
        }
        let place = place::of(row).map_err(service_error)?;
        let old = before.team()?;
        // Teams in the places of members are those of the run; others come from files.
        let text = |(name, team): (&String, &TeamDocument)| {
            serde_json::to_string(team).map(|text| (name.clone(), text))
        };
        let known: Result<Vec<(String, String)>, _> = before.teams.iter().map(text).collect();
        let known = known.map_err(unavailable)?;
        let definitions =
            Definitions::find(&self.home, &place.repository).with_teams(known).with_known_programs();
        let (mut team, _) = read_team(&definitions, RequestedTeam::Given(document.clone()))?;
        team.teams.extend(old.teams.clone());
        check_programs(&old, &team)?;
        let stops = stops_of(&team)?;
        check_open_turns(&old, &team, &removed, &saved.position)?;
        self.check_agents(configs(&team))?;
        let mcp_tools = self.mcp_tools_of(&team, &place.repository).await?;
        if before.has_no_files && !uses_no_files(&team, &mcp_tools) {
            let problem = Problem::new("this run has no working directory, but the changed team uses files");
            return Err(ServiceError::Conflict(problem.with_hint("start a new run with the changed team")));
        }
        let mut replaced = Object::new();
        replaced.insert("team_config".to_owned(), document);
        replaced.insert("mcp_tools".to_owned(), json!(mcp_tools));
        replaced.insert("execution_mode".to_owned(), json!(team.team.execution_config.mode));
        let teams: BTreeMap<&String, TeamDocument> =
            team.teams.iter().map(|(name, team)| (name, team.clone().into())).collect();
        replaced.insert("teams".to_owned(), json!(teams));
        let mut facts = vec![EventKind::Run(RunEvent::TeamReplaced { input: replaced.clone(), changes })];
        if old.team.execution_config != team.team.execution_config {
            facts.extend(stopping(row, stops));
        }
        let (budget, new) = (budget_of(&old.team), budget_of(&team.team));
        if budget != new {
            facts.push(EventKind::Run(RunEvent::Limited {
                budget: new.or(row.budget()).at_most(self.ceiling()),
            }));
        }
        let by = intervention.by.as_deref().unwrap_or("a person");
        facts.extend(policy_changes(&old.team.guardrail_policies, &team.team.guardrail_policies, by));
        let mut row = row.clone();
        row.view.team = Some(replaced);
        let pipeline = pipelines::of(&row).map_err(service_error)?;
        let place = pipeline.with_new_team(&row, saved).map_err(service_error)?;
        Ok(InterventionEffect { place, facts, notes: Vec::new() })
    }
}

/// The run with another plan. Tasks that agents work on are done first.
fn with_changed_plan(
    row: &RunRow,
    saved: &LoadedCheckpoint,
    intervention: &Intervention,
) -> Result<InterventionEffect, ServiceError> {
    let team = input::<TeamInput>(row).map_err(service_error)?.team()?.team;
    if !has_plan(&team) {
        let problem = Problem::new("this team does not work by a plan");
        return Err(ServiceError::Invalid(problem.with_hint("send an instruction to the agents instead")));
    }
    if saved.position.entered.keys().any(|node| node.as_str() == PLAN) {
        let problem = Problem::new("agents are working on tasks of the plan");
        return Err(ServiceError::Conflict(problem.with_hint("let them end first")));
    }
    let update: PlanUpdate = details(&intervention.details).map_err(refused)?;
    let agents: Vec<&str> = plan_agents(&team).into_iter().map(|member| member.name.as_str()).collect();
    let mut state: Chat = rebuild(saved).map_err(unavailable)?;
    let changed = match (update.plan, update.tasks) {
        (Some(whole), None) => {
            let read = plan::plan(whole, &agents, &team.execution_config);
            read.map_err(|refused| refused.of_field("plan"))
        }
        (None, Some(tasks)) => plan::patched(state.team.plan.clone(), tasks, &agents),
        _ => return Err(ServiceError::invalid("details: either `plan` or `tasks` is needed")),
    };
    let mut changed = changed.map_err(|problems| refused(problems.of_field("details")))?;
    if changed.goal.trim().is_empty() {
        changed.goal.clone_from(&state.team.plan.goal);
    }
    let has_failed = |id: &String| changed.task(id).is_some_and(|task| task.status == TaskStatus::Failed);
    state.team.failed_tasks.retain(has_failed);
    state.team.plan = changed;
    let (position, version) = (saved.position.clone(), saved.version);
    let state = to_raw_value(&state).map_err(unavailable)?;
    Ok(InterventionEffect {
        place: InterventionPlace { position, state, version },
        facts: Vec::new(),
        notes: Vec::new(),
    })
}

/// A person trusts the programs of a team before its run begins, so no others are started later.
fn check_programs(old: &FrozenTeam, new: &FrozenTeam) -> Result<(), ServiceError> {
    let known = own_programs(old);
    match own_programs(new).into_iter().find(|program| !known.contains(program)) {
        None => Ok(()),
        Some((command, _)) => {
            let message = format!("the team of a run cannot get another program: `{}`", command.join(" "));
            let hint = "start a new run with the changed team";
            Err(ServiceError::Invalid(Problem::new(message).with_hint(hint)))
        }
    }
}

/// An agent that has a turn open cannot leave the team. Some work in the turn of another, and have no node of their own.
fn check_open_turns(
    old: &FrozenTeam,
    new: &FrozenTeam,
    removed: &[String],
    position: &Position,
) -> Result<(), ServiceError> {
    let graph = |team| compile(team, None).map_err(|problems| refused_definition(&problems));
    let missing: Vec<String> = missing_in(&graph(new)?, position).into_iter().collect();
    if !missing.is_empty() {
        let message =
            format!("the changed team lacks parts that the run still needs: {}", missing.join(", "));
        let hint = "an agent with an open turn cannot be removed: let its turn end first";
        return Err(ServiceError::Conflict(Problem::new(message).with_hint(hint)));
    }
    let nodes = graph(old)?.drawing().nodes;
    let hidden = removed.iter().find(|name| !nodes.contains(name));
    match hidden.filter(|_| !position.entered.is_empty()) {
        None => Ok(()),
        Some(agent) => {
            let problem =
                Problem::new(format!("`{agent}` may have an open turn inside the turn of another agent"));
            Err(ServiceError::Conflict(problem.with_hint("let the open turn end first")))
        }
    }
}

/// Where the run stops from now on, as the changed team says.
fn stopping(row: &RunRow, TeamStops { nodes, rules }: TeamStops) -> Vec<EventKind> {
    let mut facts = Vec::new();
    if nodes != *row.breakpoints() {
        facts.push(EventKind::Run(RunEvent::Steered(Steering::Breakpoints(nodes))));
    }
    if rules != row.view.stops {
        facts.push(EventKind::Run(RunEvent::Steered(Steering::Stops(rules))));
    }
    facts
}

fn policy_changes(old: &[GuardrailPolicy], new: &[GuardrailPolicy], by: &str) -> Vec<EventKind> {
    fn by_name(policies: &[GuardrailPolicy]) -> BTreeMap<&str, &GuardrailPolicy> {
        policies.iter().map(|policy| (policy.name.as_str(), policy)).collect()
    }
    let (old, new) = (by_name(old), by_name(new));
    let gone = old.keys().filter(|name| !new.contains_key(*name)).map(|name| (*name, PolicyChange::Deleted));
    let others = new.iter().filter_map(|(name, policy)| match old.get(name) {
        None => Some((*name, PolicyChange::Created)),
        Some(before) => (before != policy).then_some((*name, PolicyChange::Modified)),
    });
    let fact = |(policy, change): (&str, PolicyChange)| {
        let (policy, by) = (policy.to_owned(), by.to_owned());
        EventKind::Guardrail(GuardrailEvent::PolicyChanged { policy, change, by })
    };
    gone.chain(others).map(fact).collect()
}

#[expect(clippy::needless_pass_by_value, reason = "the shape of `map_err`")]
fn refused(refused: Refused) -> ServiceError {
    ServiceError::invalid(refused.to_string())
}
