//! What must hold for a request.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use amelia_core::budget as core;
use amelia_core::config::problem::{ProblemReport, Validate};

use super::{Limits, NewReview, NewSingle, NewTask, NewWorkflow, Resume, ReviewMode, Say, is_empty};
use crate::amelia::config::budget::Budget;
use crate::read::Incoming;

/// Shapes that are taken as they come; their rules are here.
macro_rules! taken_as_they_come {
    ($($shape:ty),+) => {
        $(impl Incoming for $shape {
            type Core = Self;

            fn into_core(self, _: &mut ProblemReport) -> Self {
                self
            }
        })+
    };
}

taken_as_they_come!(NewWorkflow, NewSingle, NewTask, Limits, Resume, Say, NewReview);

impl Validate for NewWorkflow {
    fn check(&self, report: &mut ProblemReport) {
        check_kept(report, self.retention_days, self.label.as_deref());
        if !is_empty(&self.worktree_path) {
            absolute(report, &self.worktree_path);
        } else if self.plan_file.is_some() {
            report.refuse("plan_file", "needs worktree_path: it is relative to it");
        }
        let said = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.trim().is_empty());
        if self.other_pipeline().is_some() {
            return self.check_named(report);
        }
        if self.input.is_some() {
            report.refuse("input", "is allowed only with a pipeline other than implementation");
        }
        if !said(&self.issue_id) && !said(&self.title) {
            report.refuse("issue_id", "an issue or a title is required");
        }
        if self.plan_content.is_some() && self.plan_file.is_some() {
            report.refuse("plan_file", "cannot be combined with plan_content");
        }
        if let Some(plan) = &self.plan {
            if self.plan_content.is_some() || self.plan_file.is_some() {
                report.refuse("plan", "cannot be combined with plan_content or plan_file");
            }
            report.part("plan", plan);
        }
        if let Some(budget) = &self.budget {
            check_budget(report, budget);
        }
    }
}

impl NewWorkflow {
    /// The rules for a pipeline that reads its own input.
    fn check_named(&self, report: &mut ProblemReport) {
        let of_implementation = [
            ("issue_id", self.issue_id.is_some()),
            ("description", self.description.is_some()),
            ("attachments", !self.attachments.is_empty()),
            ("plan", self.plan.is_some()),
            ("plan_content", self.plan_content.is_some()),
            ("plan_file", self.plan_file.is_some()),
            ("design", self.design.is_some()),
            ("plan_now", self.plan_now),
        ];
        for (field, _) in of_implementation.iter().filter(|(_, is_given)| *is_given) {
            report.refuse(field, "is only for the pipeline implementation");
        }
        if is_empty(&self.worktree_path) {
            report.refuse("worktree_path", "is required for this pipeline");
        }
        if let Some(budget) = &self.budget {
            check_budget(report, budget);
        }
    }
}

impl Validate for NewSingle {
    fn check(&self, report: &mut ProblemReport) {
        absolute(report, &self.worktree_path);
        check_kept(report, self.retention_days, self.label.as_deref());
        report.filled("prompt", &self.prompt);
        if !(1..=100_000).contains(&self.max_turns) {
            report.refuse("max_turns", "must be 1 to 100000");
        }
        if let Some(budget) = &self.budget {
            check_budget(report, budget);
        }
    }
}

impl Validate for NewTask {
    fn check(&self, report: &mut ProblemReport) {
        let is_team = self.team.is_some() || self.team_config.is_some();
        if !is_team || !self.worktree_path.as_os_str().is_empty() {
            absolute(report, &self.worktree_path);
        }
        check_kept(report, self.retention_days, self.label.as_deref());
        let given =
            [self.workflow.is_some(), self.agent.is_some(), self.team.is_some(), self.team_config.is_some()];
        if given.iter().filter(|given| **given).count() != 1 {
            report.refuse("workflow", "give exactly one of workflow, agent, team and team_config");
        }
        if self.agent.is_some() || is_team {
            report.filled("prompt", &self.prompt);
        }
        if let Some(budget) = &self.budget {
            check_budget(report, budget);
        }
    }
}

impl Validate for Limits {
    fn check(&self, report: &mut ProblemReport) {
        check_budget(report, &self.budget);
    }
}

impl Validate for Say {
    fn check(&self, report: &mut ProblemReport) {
        report.filled("message", self.message.trim());
    }
}

impl Validate for Resume {
    fn check(&self, report: &mut ProblemReport) {
        if let Some(budget) = &self.budget {
            check_budget(report, budget);
        }
    }
}

impl Validate for NewReview {
    fn check(&self, report: &mut ProblemReport) {
        absolute(report, &self.worktree_path);
        if self.base.is_some() && self.diff.is_some() {
            report.refuse("diff", "cannot be combined with base");
        }
        if let Some(number) = self.pull_request {
            self.check_pull_request(number, report);
        }
        for (index, persona) in self.personas.iter().enumerate() {
            report.filled(format_args!("personas[{index}]"), persona);
        }
        if let Some(budget) = &self.budget {
            check_budget(report, budget);
        }
    }
}

impl NewReview {
    fn check_pull_request(&self, number: u64, report: &mut ProblemReport) {
        if number == 0 {
            report.refuse("pull_request", "must be 1 or more");
        }
        if self.base.is_some() || self.diff.is_some() {
            report.refuse("pull_request", "cannot be combined with base or diff");
        }
        if self.mode == ReviewMode::ReviewFix {
            report.refuse("mode", "a pull request can only be reviewed: its branch is not here");
        }
    }
}

fn absolute(report: &mut ProblemReport, path: &Path) {
    if !path.is_absolute() || path.as_os_str().as_bytes().contains(&0) {
        report.refuse("worktree_path", "must be an absolute path");
    }
}

fn check_budget(report: &mut ProblemReport, budget: &Budget) {
    report.part("budget", &core::Budget::from(*budget));
}

/// A label is the name of a kind of run in a retention policy.
const MAX_LABEL_CHARS: usize = 64;

fn check_kept(report: &mut ProblemReport, days: Option<u32>, label: Option<&str>) {
    if let Some(days) = days {
        report.at_least("retention_days", &days, &1);
    }
    if let Some(label) = label {
        report.filled("label", label.trim());
        if label.chars().count() > MAX_LABEL_CHARS {
            report.refuse("label", format!("has more than {MAX_LABEL_CHARS} characters"));
        }
    }
}
