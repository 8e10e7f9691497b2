//! The nodes of one team in a graph. The names of nodes are stored with runs, so they never change.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use amelia_core::config::problem::ConfigProblem;
use amelia_core::config::team::pattern::settings::CustomStep;
use amelia_core::config::team::{FrozenTeam, TeamConfig};
use amelia_core::event::team::HandoffKind;
use amelia_graph::build::Builder;
use amelia_graph::graph::RouteError;

use super::after::helpers_of;
use super::deciding::{Next, decide};
use super::hierarchy::HierarchyPlan;
use super::members::MAX_LEVELS;
use super::nested_nodes::{EnterNode, LeaveNode};
use super::plan_node::PlanNode;
use super::rules::TeamRules;
use super::shape::Shape;
use super::{
    CHECK, PERSON, PLAN, TeamParts, ask_step_node, check_step_node, coordinator_node, custom, helpers_node,
    judge_node, person_node, step_node, turn_node,
};
use crate::chat::Chat;

/// A node that may come next, with when it does.
pub(super) type Target = (String, Option<String>);

/// One team, and the node that follows its end.
pub(super) struct Level {
    pub(super) rules: Arc<TeamRules>,
    pub(super) parts: Option<Arc<TeamParts>>,
    pub(super) end: String,
    /// The teams in the places of its members.
    inner: BTreeMap<String, Level>,
}

impl Level {
    /// A team with the teams inside it. How many can be inside each other was checked when the files were read.
    pub(super) fn read(
        frozen: &FrozenTeam,
        team: &TeamConfig,
        parts: Option<&Arc<TeamParts>>,
        path: &str,
        end: &str,
    ) -> Result<Self, Vec<ConfigProblem>> {
        let rules = Arc::new(TeamRules::read_at(team, path)?);
        let mut inner = BTreeMap::new();
        for (index, member) in team.agents.iter().enumerate() {
            let Some(name) = &member.team else { continue };
            let problem = |message: String| ConfigProblem { path: format!("agents[{index}].team"), message };
            let is_too_deep = path.matches('/').count().saturating_add(1) >= MAX_LEVELS;
            let found = frozen.teams.get(name).filter(|_| !is_too_deep);
            let found = found.ok_or_else(|| vec![problem(format!("the team `{name}` is not there"))])?;
            let (path, end) = (format!("{path}{}/", member.name), leave_node(&rules, &member.name));
            let level = Self::read(frozen, found, parts, &path, &end).map_err(|problems| {
                problems.iter().map(|one| problem(format!("`{name}`: {one}"))).collect::<Vec<_>>()
            })?;
            inner.insert(member.name.clone(), level);
        }
        Ok(Self { rules, parts: parts.cloned(), end: end.to_owned(), inner })
    }

    /// Adds the nodes of the team.
    pub(super) fn add(&self, graph: Builder<Chat>) -> Builder<Chat> {
        let graph = match &self.rules.shape {
            Shape::Handoffs => self.add_agents(graph),
            Shape::Custom(steps) => self.add_steps(graph, steps),
            Shape::Parallel(plan) => self.add_parallel(graph, plan),
            Shape::Consensus(plan) => self.add_vote(graph, plan),
            Shape::Hierarchy(plan) => self.add_coordinator(graph, plan),
        };
        let graph = if self.rules.has_plan { self.add_plan(graph) } else { graph };
        self.add_helpers(graph)
    }

    /// The agents that work on the tasks of the plan.
    fn add_plan(&self, graph: Builder<Chat>) -> Builder<Chat> {
        let node = PlanNode { rules: Arc::clone(&self.rules), parts: self.parts.clone() };
        let label = |text: &str| Some(text.to_owned());
        let name = self.rules.full(PLAN);
        let again = (name.clone(), label("more tasks"));
        let person = (self.rules.full(PERSON), label("failed"));
        let back = self.rules.team.agents.iter().map(|member| (self.rules.full(&member.name), label("done")));
        let targets = [again, person].into_iter().chain(back);
        graph.node(&name, node).kind("parallel").try_route(self.route(), targets)
    }

    fn add_agents(&self, mut graph: Builder<Chat>) -> Builder<Chat> {
        for member in &self.rules.team.agents {
            let (name, rules, parts) = (member.name.clone(), Arc::clone(&self.rules), self.parts.clone());
            let targets = self.after_agent(&name);
            if let Some(inner) = self.inner.get(&name) {
                graph = self.add_team(graph, &name, inner, targets);
                continue;
            }
            let node = turn_node::TurnNode { name: name.clone(), rules, parts };
            graph = graph.node(&self.rules.full(&name), node).kind("agent").try_route(self.route(), targets);
            if !self.rules.lent_to(&name).is_empty() {
                graph = self.add_helpers_of(graph, &name);
            }
        }
        graph
    }

    /// Those who work for an agent, which then continues.
    fn add_helpers_of(&self, graph: Builder<Chat>, agent: &str) -> Builder<Chat> {
        let (rules, parts) = (Arc::clone(&self.rules), self.parts.clone());
        let node = helpers_node::HelpersNode { agent: agent.to_owned(), rules, parts };
        let back = (self.rules.full(agent), Some("done".to_owned()));
        let person = (self.rules.full(PERSON), Some("limit".to_owned()));
        // A person may choose another agent meanwhile.
        let name = self.rules.full(&helpers_of(agent));
        graph.node(&name, node).kind("parallel").try_route(self.route(), [back, person])
    }

    /// A team in the place of an agent: it begins, works, and what it has come to is the turn of the agent.
    fn add_team(
        &self,
        graph: Builder<Chat>,
        name: &str,
        level: &Self,
        targets: Vec<Target>,
    ) -> Builder<Chat> {
        let (name, rules, inner) = (name.to_owned(), Arc::clone(&self.rules), Arc::clone(&level.rules));
        let begin = inner.full(&inner.entry);
        let enter = EnterNode { name: name.clone(), rules: Arc::clone(&rules), inner: Arc::clone(&inner) };
        let graph = graph.node(&rules.full(&name), enter).kind("team").edge(&begin);
        let graph = level.add(graph);
        let end = leave_node(&rules, &name);
        let leave = LeaveNode { name, rules, inner, parts: self.parts.clone() };
        graph.node(&end, leave).kind("join").try_route(self.route(), targets)
    }

    fn add_steps(&self, mut graph: Builder<Chat>, steps: &custom::CustomSteps) -> Builder<Chat> {
        for step in steps.all() {
            let mut targets: Vec<Target> = Vec::new();
            for (outcome, next) in custom::outcomes(step) {
                let target = next.map_or_else(|| self.end.clone(), |next| self.rules.full(next));
                targets.push((target, Some(outcome.to_owned())));
            }
            targets.extend(self.ends());
            // Only an agent may end its step without an outcome.
            let again = step.agent.as_ref().map(|_| self.rules.full(&step.step));
            targets.extend(again.map(|name| (name, Some("asked again".to_owned()))));
            graph = self.add_step(graph, step).try_route(self.route(), targets);
        }
        graph
    }

    /// The node of a step, without what follows it.
    fn add_step(&self, graph: Builder<Chat>, step: &CustomStep) -> Builder<Chat> {
        let (rules, parts) = (Arc::clone(&self.rules), self.parts.clone());
        let (name, step_name) = (self.rules.full(&step.step), step.step.clone());
        match (&step.agent, &step.ask, &step.check) {
            (Some(agent), ..) => {
                let node = step_node::StepNode { agent: agent.clone(), step: step.clone(), rules, parts };
                graph.node(&name, node).kind("agent")
            }
            (None, Some(question), _) => {
                let question = question.clone();
                let node = ask_step_node::AskStepNode { step: step_name, question, rules, parts };
                graph.node(&name, node).kind("human")
            }
            (None, None, command) => {
                let command = command.clone().unwrap_or_default();
                let node = check_step_node::CheckStepNode { step: step_name, command, rules, parts };
                graph.node(&name, node).kind("tool")
            }
        }
    }

    /// The others have no nodes: they work in the visits of the coordinator.
    fn add_coordinator(&self, graph: Builder<Chat>, plan: &HierarchyPlan) -> Builder<Chat> {
        let (rules, parts) = (Arc::clone(&self.rules), self.parts.clone());
        let name = self.rules.full(&plan.coordinator);
        let targets = self.ends().into_iter().chain([(name.clone(), Some("asked again".to_owned()))]);
        let node = coordinator_node::CoordinatorNode { rules, parts };
        graph.node(&name, node).kind("agent").try_route(self.route(), targets)
    }

    /// The nodes that look at the success criteria and that ask a person.
    fn add_helpers(&self, mut graph: Builder<Chat>) -> Builder<Chat> {
        let work = || self.work_nodes().into_iter().map(|node| (self.rules.full(&node), None));
        let helpers = |own: &str| -> Vec<Target> {
            let has_check = self.rules.has_check();
            let end = [(self.end.clone(), None)].into_iter();
            let others = [(PERSON, true), (CHECK, has_check), (PLAN, self.rules.has_plan)].into_iter();
            let others = others.filter(|(name, is_there)| *is_there && *name != own);
            end.chain(others.map(|(name, _)| (self.rules.full(name), None))).collect()
        };
        if self.rules.has_check() {
            let node = judge_node::JudgeNode { rules: Arc::clone(&self.rules), parts: self.parts.clone() };
            let targets = work().chain(helpers(CHECK));
            let name = self.rules.full(CHECK);
            graph = graph.node(&name, node).kind("condition").try_route(self.route(), targets);
        }
        let node = person_node::PersonNode { rules: Arc::clone(&self.rules) };
        let targets = work().chain(helpers(PERSON));
        graph.node(&self.rules.full(PERSON), node).kind("human").try_route(self.route(), targets)
    }

    /// The nodes at which the team may continue after a check or a decision of a person.
    fn work_nodes(&self) -> Vec<String> {
        match &self.rules.shape {
            Shape::Handoffs => self.rules.team.agents.iter().map(|member| member.name.clone()).collect(),
            Shape::Custom(steps) => steps.all().iter().map(|step| step.step.clone()).collect(),
            Shape::Parallel(plan) => vec![plan.last_node()],
            Shape::Consensus(plan) => vec![plan.proposer.clone(), plan.vote_node()],
            Shape::Hierarchy(plan) => vec![plan.coordinator.clone()],
        }
    }

    /// Where an agent's turn may lead.
    fn after_agent(&self, agent: &str) -> Vec<Target> {
        let rules = &self.rules;
        let label = |text: &str| Some(text.to_owned());
        let ruled = rules.from(agent).iter().map(|rule| {
            let condition = rule.condition.as_ref().map(|(text, _)| text.clone());
            match rule.kind {
                HandoffKind::Sequential => (rules.full(&rule.to), condition.or_else(|| label("next"))),
                // They begin in one node.
                HandoffKind::Hierarchical | HandoffKind::Parallel => {
                    let to = rules.lent_to(agent).join(", ");
                    (rules.full(&helpers_of(agent)), Some(to))
                }
            }
        });
        let helpers = rules.full(&helpers_of(agent));
        let mut targets: Vec<Target> = Vec::new();
        for target in ruled {
            if target.0 != helpers || targets.iter().all(|(name, _)| *name != helpers) {
                targets.push(target);
            }
        }
        let lent = rules.lent_to(agent);
        for other in rules.allowed(agent).into_iter().filter(|other| !lent.contains(other)) {
            if !targets.iter().any(|(target, _)| *target == rules.full(other)) {
                targets.push((rules.full(other), label("handoff")));
            }
        }
        if rules.plain_targets(agent).len() > 1 {
            targets.push((rules.full(agent), label("asked who continues")));
        }
        if rules.has_plan {
            targets.push((rules.full(PLAN), label("tasks")));
        }
        targets.extend(self.ends());
        targets
    }

    /// Where any turn may lead: to the end, or to one who decides about it.
    pub(super) fn ends(&self) -> Vec<Target> {
        let label = |text: &str| Some(text.to_owned());
        let check = self.rules.has_check().then(|| (self.rules.full(CHECK), label("done")));
        let others = [(self.rules.full(PERSON), label("limit")), (self.end.clone(), label("done"))];
        check.into_iter().chain(others).collect()
    }

    /// Where to next. The same for all nodes: it depends on the state alone.
    pub(super) fn route(
        &self,
    ) -> impl Fn(&Chat) -> Result<Cow<'static, str>, RouteError> + Send + Sync + 'static {
        let (rules, end) = (Arc::clone(&self.rules), self.end.clone());
        move |state| {
            Ok(match decide(&rules, state)? {
                Next::Node(name) => rules.full(&name).into(),
                Next::Check => rules.full(CHECK).into(),
                Next::Person(_) => rules.full(PERSON).into(),
                Next::End => end.clone().into(),
            })
        }
    }
}

/// The node in which the team in the place of a member ends.
fn leave_node(rules: &TeamRules, member: &str) -> String {
    format!("{}.end", rules.full(member))
}
