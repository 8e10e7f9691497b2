//! The roles that the agents of a profile can have. Says which are known; what a role does is in `amelia-agents`.

use super::problem::ProblemReport;

/// The role that changes files. A role that has no agent of its own uses this one.
pub const DEVELOPER: &str = "developer";

/// Every role that some run gives work to.
pub const ROLES: [&str; 5] = ["architect", DEVELOPER, "reviewer", "evaluator", "oracle"];

/// Reports a role that would never be given work.
pub(super) fn check(role: &str, report: &mut ProblemReport) {
    if role == "brainstormer" {
        report.refuse("", "is not used: this version has no brainstorming");
    } else if !ROLES.contains(&role) {
        report.refuse("", format!("is not a role: {}", ROLES.join(", ")));
    }
}
