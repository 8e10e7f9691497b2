//! What a plan will probably cost: what earlier runs have spent per task. Pure.

use amelia_core::budget::Spend;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Earlier runs that are looked at: prices and habits change.
pub const MOST_RUNS: usize = 10;

/// The estimated cost of a plan's tasks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CostEstimate {
    pub tasks: u32,
    pub tokens: u64,
    /// `null` if a price is unknown.
    #[schema(required)]
    pub cost_usd: Option<f64>,
    /// Number of completed runs that the estimate is based on.
    pub runs: u32,
    /// The estimate as a sentence.
    pub text: String,
}

/// What a completed run has spent after its plan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PastRun {
    pub tasks: u32,
    pub spend: Spend,
}

impl CostEstimate {
    /// For a plan of so many tasks, from earlier runs with the same profile, newest first. Nothing for a plan without
    /// tasks, which is not carried out, and nothing without runs that have used a model.
    #[must_use]
    pub fn new(tasks: u32, profile: Option<&str>, past: &[PastRun]) -> Option<Self> {
        if tasks == 0 {
            return None;
        }
        // What no provider has counted says nothing.
        let known: Vec<PastRun> = past.iter().filter(|run| run.spend.tokens > 0).copied().collect();
        let past = known.get(..MOST_RUNS).unwrap_or(&known);
        let per_task = |of: fn(&Spend) -> f64| {
            median(past.iter().map(|run| of(&run.spend) / f64::from(run.tasks.max(1))).collect())
        };
        let tokens = per_task(|spend| spend.tokens as f64)? * f64::from(tasks);
        let is_priced = past.iter().all(|run| run.spend.unpriced_calls == 0);
        let usd = per_task(|spend| spend.usd).filter(|_| is_priced);
        let runs = u32::try_from(past.len()).unwrap_or(u32::MAX);
        let text = text(tasks, tokens, usd, runs, profile);
        let cost_usd = usd.map(|usd| usd * f64::from(tasks));
        Some(Self { tasks, tokens: tokens as u64, cost_usd, runs, text })
    }
}

fn text(tasks: u32, tokens: f64, usd: Option<f64>, runs: u32, profile: Option<&str>) -> String {
    let with = profile.map(|profile| format!(" with profile {profile}")).unwrap_or_default();
    let basis = if runs == 1 { format!("the last run{with}") } else { format!("the last {runs} runs{with}") };
    let (amount, each) = match usd {
        Some(usd) if usd > 0.0 => (dollars(usd * f64::from(tasks)), dollars(usd)),
        free_or_unknown => {
            let price = if free_or_unknown.is_some() { "free of charge" } else { "at an unknown price" };
            (
                format!("{} tokens, {price},", rounded(tokens)),
                format!("{} tokens", rounded(tokens / f64::from(tasks.max(1)))),
            )
        }
    };
    let tasks = if tasks == 1 { "1 task".to_owned() } else { format!("{tasks} tasks") };
    format!("about {amount} for {tasks} ({each} per task in {basis})")
}

/// Cents, and less where there are none.
fn dollars(usd: f64) -> String {
    if usd < 0.01 { format!("{usd:.4} USD") } else { format!("{usd:.2} USD") }
}

/// As exact as an estimate can be.
fn rounded(tokens: f64) -> String {
    if tokens < 1000.0 { format!("{tokens:.0}") } else { format!("{:.0}k", tokens / 1000.0) }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    let high = *values.get(middle)?;
    let low = if values.len().is_multiple_of(2) { *values.get(middle.checked_sub(1)?)? } else { high };
    Some(f64::midpoint(low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(tasks: u32, usd: f64, tokens: u64) -> PastRun {
        PastRun { tasks, spend: Spend { usd, tokens, calls: 3, ..Spend::default() } }
    }

    #[test]
    fn a_plan_costs_what_a_task_has_cost_before() {
        let past = [run(2, 0.4, 8000), run(1, 0.4, 6000), run(4, 0.4, 100_000)];
        let estimate = CostEstimate::new(3, Some("work"), &past).unwrap();
        assert_eq!((estimate.runs, estimate.tokens), (3, 18_000));
        assert!((estimate.cost_usd.unwrap() - 0.6).abs() < 1e-9, "{estimate:?}");
        assert_eq!(
            estimate.text,
            "about 0.60 USD for 3 tasks (0.20 USD per task in the last 3 runs with profile work)"
        );
        assert_eq!(CostEstimate::new(3, None, &[]), None);
        assert_eq!(CostEstimate::new(0, Some("work"), &past), None, "it is not carried out");
        let cheap = CostEstimate::new(1, None, &[run(1, 0.0017, 900)]).unwrap();
        assert_eq!(cheap.text, "about 0.0017 USD for 1 task (0.0017 USD per task in the last run)");
    }

    #[test]
    fn without_a_price_it_is_in_tokens() {
        let mut past = [run(1, 0.0, 900), run(1, 0.5, 1500)];
        past[0].spend.unpriced_calls = 1;
        let estimate = CostEstimate::new(1, None, &past).unwrap();
        assert_eq!(estimate.cost_usd, None);
        let expected =
            "about 1k tokens, at an unknown price, for 1 task (1k tokens per task in the last 2 runs)";
        assert_eq!(estimate.text, expected);
    }

    #[test]
    fn a_free_model_is_not_one_of_unknown_price() {
        assert_eq!(CostEstimate::new(2, None, &[run(1, 0.0, 0)]), None);
        let free = CostEstimate::new(2, None, &[run(1, 0.0, 500)]).unwrap();
        assert_eq!(free.cost_usd, Some(0.0));
        assert!(free.text.starts_with("about 1k tokens, free of charge, for 2 tasks"), "{}", free.text);
        let mut unknown = run(1, 0.0, 500);
        unknown.spend.unpriced_calls = 3;
        assert_eq!(CostEstimate::new(2, None, &[unknown]).unwrap().cost_usd, None);
    }

    #[test]
    fn only_the_newest_runs_count() {
        let mut past = vec![run(1, 1.0, 10); MOST_RUNS];
        past.extend(vec![run(1, 99.0, 990); 50]);
        assert_eq!(CostEstimate::new(1, None, &past).unwrap().cost_usd, Some(1.0));
    }
}
