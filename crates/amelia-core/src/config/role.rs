//! The roles that the agents of a profile can have. Says which are known; what a role does is in `amelia-agents`.

use super::problem::ProblemReport;

/// Every role that some run gives work to.
pub const ROLES: [&str; 5] = ["architect", "developer", "reviewer", "evaluator", "oracle"];

/// Reports a role that would never be given work.
pub(super) fn check(role: &str, report: &mut ProblemReport) {
    if role == "brainstormer" {
        report.refuse("", "is not used: this version has no brainstorming");
    } else if !ROLES.contains(&role) {
        report.refuse("", format!("is not a role: {}", ROLES.join(", ")));
    }
}
