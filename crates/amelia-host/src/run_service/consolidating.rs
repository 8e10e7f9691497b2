//! Which entries of memory become summaries now, and the runs that write them: by the model of the team whose run has written
//! the newest of the entries.

use amelia_agents::pipeline::consolidation::{NAME, SUMMARISER};
use amelia_core::budget::Budget;
use amelia_core::config::agent::AgentConfig;
use amelia_core::config::retry::RetryConfig;
use amelia_core::id::GraphName;
use amelia_core::memory::summary::{
    ConsolidationTrigger, MemoryTopic, SummaryMethod, summary_key, topics_of,
};
use amelia_core::memory::{MemoryEntry, MemoryFilter, MemoryScope, MemorySpace};
use amelia_core::run::RunSpec;
use amelia_core::store::RunFilter;
use amelia_core::text::{LONGEST_TITLE, first_line};
use amelia_core::view::RunRow;
use amelia_orchestrator::memory_service::{ConsolidationRequest, PlannedConsolidation};
use amelia_orchestrator::service::ServiceError;
use jiff::Timestamp;

use super::teams::budget_of;
use super::{LocalRunService, unavailable};
use crate::consolidation_input::{ConsolidationInput, taken};
use crate::run_parts::input;
use crate::team_input::{TeamInput, stored_spaces_of, summary_models};

/// Who summarises, and what that may cost.
#[derive(Debug, Clone, Default, PartialEq)]
struct Summariser {
    agent: Option<AgentConfig>,
    retry: RetryConfig,
    budget: Budget,
}

impl LocalRunService {
    /// The runs that summarise what a person asks for.
    pub(super) async fn asked_consolidations(
        &self,
        asked: ConsolidationRequest<'_>,
        now: Timestamp,
    ) -> Result<Vec<PlannedConsolidation>, ServiceError> {
        let ConsolidationRequest { run, scope, topic } = asked;
        let spaces = run.map_or(Ok(Vec::new()), spaces_that_it_stores_in)?;
        let filter =
            MemoryFilter { spaces, scope, topic: topic.map(str::to_owned), ..MemoryFilter::default() };
        let entries = self.shared_memory()?.memories.memories(filter, now).await.map_err(unavailable)?;
        let mut topics = topics_of(entries, topic, ConsolidationTrigger::Asked);
        self.leave_out_those_at_work(&mut topics).await?;
        let mut found = Vec::new();
        for mut topic in topics {
            topic.previous = self.summary_of(&topic, now).await?.map(|summary| summary.text);
            let row = match run {
                Some(row) => Some(row.clone()),
                None => self.writer_of(&topic).await?,
            };
            found.push((self.summariser(row.as_ref()), topic));
        }
        planned(found, false)
    }

    /// The runs that summarise what has become due by the settings of teams.
    pub(super) async fn due_now(&self, now: Timestamp) -> Result<Vec<PlannedConsolidation>, ServiceError> {
        let memories = &self.shared_memory()?.memories;
        let mut topics = Vec::new();
        for (space, topic) in memories.open_topics(now).await.map_err(unavailable)? {
            let filter =
                MemoryFilter { spaces: vec![space], topic: Some(topic.clone()), ..MemoryFilter::default() };
            let entries = memories.memories(filter, now).await.map_err(unavailable)?;
            topics.extend(topics_of(entries, Some(&topic), ConsolidationTrigger::Schedule));
        }
        if topics.is_empty() {
            return Ok(Vec::new());
        }
        self.leave_out_those_at_work(&mut topics).await?;
        let mut found = Vec::new();
        for mut topic in topics {
            // What only people have written is summarised when they ask for it.
            let Some(row) = self.writer_of(&topic).await? else { continue };
            let last = self.summary_of(&topic, now).await?;
            if !is_due(&topic, &row, last.as_ref(), now) {
                continue;
            }
            topic.previous = last.map(|summary| summary.text);
            found.push((self.summariser(Some(&row)), topic));
        }
        planned(found, true)
    }

    async fn summary_of(
        &self,
        topic: &MemoryTopic,
        now: Timestamp,
    ) -> Result<Option<MemoryEntry>, ServiceError> {
        let filter = MemoryFilter {
            spaces: vec![topic.space.clone()],
            key: Some(summary_key(&topic.topic)),
            ..MemoryFilter::default()
        };
        let found = self.shared_memory()?.memories.memories(filter, now).await.map_err(unavailable)?;
        Ok(found.into_iter().next())
    }

    async fn writer_of(&self, topic: &MemoryTopic) -> Result<Option<RunRow>, ServiceError> {
        match topic.writer() {
            Some(run) => self.store.run(run).await.map_err(unavailable),
            None => Ok(None),
        }
    }

    /// Removes the topics that a run is summarising, or will.
    async fn leave_out_those_at_work(&self, topics: &mut Vec<MemoryTopic>) -> Result<(), ServiceError> {
        let filter = RunFilter { unfinished: true, ..RunFilter::default() };
        let rows = self.store.runs(&filter).await.map_err(unavailable)?;
        let of_memory = rows.iter().filter(|row| row.run.spec.graph.as_str() == NAME);
        let at_work = of_memory.filter_map(|row| input::<ConsolidationInput>(row).ok());
        let at_work: Vec<MemoryTopic> = at_work.flat_map(|input| input.topics).collect();
        let is_same =
            |one: &MemoryTopic, other: &MemoryTopic| one.space == other.space && one.topic == other.topic;
        topics.retain(|topic| !at_work.iter().any(|other| is_same(topic, other)));
        Ok(())
    }

    /// The first model of the team of a run that can be called from here. Without one, no model summarises.
    fn summariser(&self, row: Option<&RunRow>) -> Summariser {
        let nothing = || Summariser { budget: self.ceiling(), ..Summariser::default() };
        let Some(input) = row.and_then(|row| input::<TeamInput>(row).ok()) else { return nothing() };
        let Ok(team) = input.team() else { return nothing() };
        let is_usable = |model: &AgentConfig| self.check_agents([(SUMMARISER, model.clone())]).is_ok();
        Summariser {
            agent: summary_models(&team).into_iter().find(is_usable),
            retry: input.retry,
            budget: budget_of(&team.team).at_most(self.ceiling()),
        }
    }
}

/// Where the agents of a run may store, which is what its team summarises.
fn spaces_that_it_stores_in(row: &RunRow) -> Result<Vec<MemorySpace>, ServiceError> {
    let spaces = input::<TeamInput>(row).map(|input| stored_spaces_of(&input, row.run.id));
    match spaces.unwrap_or_default() {
        none if none.is_empty() => {
            Err(ServiceError::conflict(format!("the agents of run {} have no memory", row.run.number)))
        }
        spaces => Ok(spaces),
    }
}

/// Entries of a run that has ended are read by no agent any more.
fn is_due(topic: &MemoryTopic, row: &RunRow, last: Option<&MemoryEntry>, now: Timestamp) -> bool {
    let Ok(team) = input::<TeamInput>(row).and_then(|input| Ok(input.team()?)) else { return false };
    let interval = team.team.memory_config.consolidation_interval;
    let is_read = topic.space.scope != MemoryScope::Run || !row.view.status.is_final();
    is_read && interval > 0 && topic.is_due(interval, last.map(|last| last.at), now)
}

/// One run for all topics that are summarised in the same way.
fn planned(
    found: Vec<(Summariser, MemoryTopic)>,
    is_keyed: bool,
) -> Result<Vec<PlannedConsolidation>, ServiceError> {
    let mut groups: Vec<(Summariser, Vec<MemoryTopic>)> = Vec::new();
    for (summariser, topic) in found {
        match groups.iter_mut().find(|(other, _)| *other == summariser) {
            Some((_, topics)) => topics.push(topic),
            None => groups.push((summariser, vec![topic])),
        }
    }
    groups.into_iter().map(|(summariser, topics)| plan(summariser, taken(topics), is_keyed)).collect()
}

fn plan(
    summariser: Summariser,
    topics: Vec<MemoryTopic>,
    is_keyed: bool,
) -> Result<PlannedConsolidation, ServiceError> {
    let Summariser { agent, retry, budget } = summariser;
    let method = match agent {
        Some(_) => SummaryMethod::Model,
        None => SummaryMethod::Extractive,
    };
    let names = topics.iter().map(|topic| topic.topic.clone()).collect();
    let input = ConsolidationInput { topics, agent, retry };
    let graph = GraphName::new(NAME).map_err(unavailable)?;
    let spec = RunSpec {
        input: serde_json::to_value(&input).map_err(unavailable)?,
        budget,
        // A run that has failed is not created again until there is something new.
        idempotency_key: is_keyed.then(|| input.key()),
        ..RunSpec::new(graph, first_line(&input.title(), LONGEST_TITLE))
    };
    Ok(PlannedConsolidation { topics: names, method, spec })
}

#[cfg(test)]
#[path = "consolidating_tests.rs"]
mod tests;
