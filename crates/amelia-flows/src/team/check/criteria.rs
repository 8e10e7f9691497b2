//! Criteria of success and failure: `text_mention:TEXT`, `cel:EXPRESSION`, `file:GLOB`, `check:COMMAND`, or a sentence.

use amelia_core::config::problem::ProblemReport;
use amelia_core::config::team::execution::ExecutionConfig;
use amelia_core::stop_rule::StopRule;

use super::condition_problem;
use crate::team::criterion::Criterion;

/// Criteria of one kind.
const MAX_CRITERIA: usize = 50;

pub(super) fn check(execution: &ExecutionConfig, report: &mut ProblemReport) {
    report.within("execution_config", |report| {
        for (field, criteria) in [
            ("success_criteria", &execution.success_criteria),
            ("failure_criteria", &execution.failure_criteria),
        ] {
            if criteria.len() > MAX_CRITERIA {
                report.refuse(field, format!("has more than {MAX_CRITERIA} entries"));
            }
            for (index, criterion) in criteria.iter().enumerate() {
                if let Some(message) = problem(criterion) {
                    report.refuse(format_args!("{field}[{index}]"), message);
                }
            }
        }
    });
}

fn problem(criterion: &str) -> Option<String> {
    let (kind, rest) = criterion.split_once(':').unwrap_or(("", criterion));
    let rest = rest.trim();
    if rest.is_empty() {
        return Some("must not be empty".to_owned());
    }
    match kind {
        "cel" => condition_problem(rest, &[]).err(),
        // The same globs as in a breakpoint.
        "file" => StopRule::parse(&format!("path:{rest}")).err().map(|problem| problem.message),
        _ => Criterion::parse(criterion).err(),
    }
}
