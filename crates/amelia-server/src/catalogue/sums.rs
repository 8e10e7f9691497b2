//! What runs have spent and how they came out, added up by what one may ask. Pure.

use std::collections::BTreeMap;

use amelia_core::budget::Spend;
use amelia_wire::rest::usage::{DayUsage, Outcomes, RunUsage, Spent, Usage};
use amelia_wire::status::Status;

use super::Entry;

#[derive(Default)]
pub(super) struct Sums {
    total: Spend,
    runs: Vec<RunUsage>,
    by: By,
    days: BTreeMap<String, By>,
}

/// The same money, seen from several sides.
#[derive(Default)]
struct By {
    total: Spend,
    agents: BTreeMap<String, Spend>,
    models: BTreeMap<String, Spend>,
    profiles: BTreeMap<String, Spend>,
    outcomes: Outcomes,
}

impl Sums {
    pub(super) fn add(&mut self, entry: &Entry) {
        let Entry { summary, spend, .. } = entry;
        self.total = self.total.plus(*spend);
        let created_at = summary.created_at;
        if *spend != Spend::default() {
            self.runs.push(RunUsage {
                id: summary.id,
                short_id: summary.short_id.clone(),
                title: summary.title.clone(),
                created_at,
                usage: (*spend).into(),
            });
        }
        let day: String = created_at.to_string().chars().take(10).collect();
        self.days.entry(day).or_default().add(entry);
        self.by.add(entry);
    }
}

impl By {
    fn add(&mut self, entry: &Entry) {
        self.total = self.total.plus(entry.spend);
        entry.by_agent.iter().for_each(|(agent, spend)| add(&mut self.agents, agent.as_str(), *spend));
        entry.by_model.iter().for_each(|(model, spend)| add(&mut self.models, model, *spend));
        if entry.spend != Spend::default() {
            add(&mut self.profiles, entry.summary.profile.as_deref().unwrap_or_default(), entry.spend);
        }
        let outcomes = &mut self.outcomes;
        let count = match entry.summary.status {
            Status::Completed => &mut outcomes.completed,
            Status::Failed => &mut outcomes.failed,
            Status::Cancelled => &mut outcomes.cancelled,
            Status::Pending | Status::Running | Status::AwaitingApproval | Status::Paused => {
                &mut outcomes.open
            }
        };
        *count = count.saturating_add(1);
    }
}

fn add(sums: &mut BTreeMap<String, Spend>, name: &str, spend: Spend) {
    match sums.get_mut(name) {
        Some(sum) => *sum = sum.plus(spend),
        None => drop(sums.insert(name.to_owned(), spend)),
    }
}

fn spent(sums: BTreeMap<String, Spend>) -> BTreeMap<String, Spent> {
    sums.into_iter().map(|(name, spend)| (name, spend.into())).collect()
}

impl From<Sums> for Usage {
    fn from(Sums { total, runs, by, days }: Sums) -> Self {
        let day_totals = days.iter().filter(|(_, by)| by.total != Spend::default());
        let day_totals = day_totals.map(|(day, by)| (day.clone(), by.total.into())).collect();
        let daily = days.into_iter().map(|(day, by)| DayUsage {
            day,
            models: spent(by.models),
            agents: spent(by.agents),
            profiles: spent(by.profiles),
            outcomes: by.outcomes,
        });
        Self {
            total: total.into(),
            runs,
            agents: spent(by.agents),
            models: spent(by.models),
            profiles: spent(by.profiles),
            days: day_totals,
            daily: daily.collect(),
            outcomes: by.outcomes,
        }
    }
}
