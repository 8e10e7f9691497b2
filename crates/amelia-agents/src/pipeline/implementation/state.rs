//! What the routes and nodes know. Everything that was said is in the log; this is what became of it.

pub mod lanes;
pub mod pull_request;
pub mod summary;
mod task_commit;

#[cfg(test)]
mod tests;

use amelia_core::attachment::Attachment;
use amelia_core::check::CheckResult;
use amelia_core::plan::steps::Steps;
use amelia_core::plan::{Plan, PlanTask};
use amelia_core::review::{Disposition, EvaluatedItem, Evaluation, Review};
use amelia_core::text::squeezed;
use amelia_core::tracker::{Design, Issue};
use amelia_core::workplace::{CommitBlocker, ConflictedMerge, ContentHashes};
use amelia_graph::state::State;
use serde::{Deserialize, Serialize};

use self::lanes::{LaneChange, Lanes};
pub use self::task_commit::{TaskCheck, TaskCommit};
use crate::remark::{PersonRemark, once};

/// What a person says who takes something as it is.
const ACCEPTED: &str = "Leave this as it is.";

/// What feedback to a plan is about: "Smaller." means nothing without it.
const EARLIER_DRAFT: &str = "An earlier draft of the plan";

/// A run from issue to commits.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Implementation {
    /// As the tracker has it; only the key before the start.
    pub issue: Option<Issue>,
    /// What was asked for.
    pub wanted: ImplementationRequest,
    /// Fixed at the start: a plan is found where it was put, on any day.
    pub plan_path: String,
    pub draft: Option<PlanDraft>,
    /// How often the validator sent the plan back since a person last did.
    pub revisions: u32,
    /// What the validator found wrong with the draft.
    pub problems: Vec<String>,
    /// The Architect has had all its tries, or made the same mistake twice: a person decides.
    pub is_out_of_revisions: bool,
    /// What the person said who sent the plan back.
    pub feedback: Option<String>,
    /// All that was said by persons who sent the plan back, for those who follow it and judge the work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub plan_remarks: Vec<PersonRemark>,
    pub is_approved: bool,
    /// The person who approved the plan changed it.
    #[serde(skip_serializing_if = "is_false")]
    pub is_edited: bool,
    /// What the person said who approved it.
    pub note: Option<String>,
    /// Place of the current task in the plan: the first that is not done.
    pub task: usize,
    pub progress: TaskProgress,
    /// What the person has said to agents, and all that was said to Amelia about tasks that are done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<PersonRemark>,
    /// Tasks beside each other.
    #[serde(skip_serializing_if = "Lanes::is_unused")]
    pub lanes: Lanes,
    /// Seen from a lane: the last of the tasks that are done at the same time and finish the plan.
    #[serde(skip)]
    pub is_last_parallel: bool,
    pub commits: Vec<TaskCommit>,
    /// Right, but not now: listed at the end.
    pub deferred: Vec<EvaluatedItem>,
}

/// What a person asked for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ImplementationRequest {
    /// To be fetched from the tracker, unless there is a title.
    pub issue: String,
    pub title: Option<String>,
    pub description: Option<String>,
    /// Files for the agents; their content is in the home.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    pub design: Option<Design>,
    /// A plan in Markdown that was written before.
    pub plan: Option<String>,
    /// The data that this plan was written from, when it was given as data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given: Option<Box<Plan>>,
    /// A review also fixes what it finds.
    pub fix: bool,
    /// A review of this patch instead of what has changed in the workplace.
    pub patch: Option<String>,
}

/// A plan on its way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlanDraft {
    pub markdown: String,
    pub plan: Plan,
}

/// Where the current task stands.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskProgress {
    /// Of the last check.
    pub checks: Vec<CheckResult>,
    /// Checks that failed in a row.
    pub failed_checks: u32,
    /// Review rounds so far.
    pub round: u32,
    pub review: Option<Review>,
    pub evaluation: Option<Evaluation>,
    /// Findings that were rejected or deferred, with the reasons.
    pub answered: Vec<EvaluatedItem>,
    /// How often a person let it continue past its rounds.
    pub given: u32,
    /// What a person said when they let it continue.
    pub guidance: Option<String>,
    /// All that a person said when they let it continue or made findings clear, for those who judge the work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<PersonRemark>,
    /// A person takes it as it is.
    pub is_accepted: bool,
    /// What was said when the commit was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
    /// What refused it.
    #[serde(skip_serializing_if = "is_hook")]
    pub refused_by: CommitBlocker,
    /// How often one did since a person was asked.
    #[serde(skip_serializing_if = "is_zero")]
    pub refusals: u32,
    /// What was there when the checks had run, which is what is reviewed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen: Option<ContentHashes>,
    /// Something has changed since the review.
    #[serde(skip_serializing_if = "is_false")]
    pub is_late: bool,
    /// How often that was found.
    #[serde(skip_serializing_if = "is_zero")]
    pub late: u32,
    /// Where the task goes step by step.
    #[serde(skip_serializing_if = "Steps::is_new")]
    pub steps: Steps,
    /// What a person said about findings that were not clear; the evaluation is made again with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clarification: Option<String>,
    /// The same with what they were asked, until the next review: the Developer needs it too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clarified: Option<PersonRemark>,
    /// It does not fit to what was done beside it, and is to be made fit.
    #[serde(rename = "torn", skip_serializing_if = "Option::is_none")]
    pub conflict: Option<ConflictedMerge>,
}

impl TaskProgress {
    fn checked(&mut self, checks: Vec<CheckResult>) {
        let failed = checks.iter().any(|check| !check.passed);
        self.failed_checks = if failed { self.failed_checks.saturating_add(1) } else { 0 };
        self.checks = checks;
        self.guidance = None;
        self.refusal = None;
        self.is_late = false;
    }

    fn given_more(&mut self, guidance: Option<String>) {
        let remark = guidance.as_deref().and_then(|words| PersonRemark::new(&self.in_question(), words));
        self.told.extend(remark);
        self.given = self.given.saturating_add(1);
        self.failed_checks = 0;
        self.steps.tries = 0;
        self.guidance = guidance;
    }

    /// Kept even without words: others would raise it again.
    fn take_as_it_is(&mut self, asked: &str, words: Option<&str>) {
        let open = self.in_question();
        let asked = if open.is_empty() { asked } else { &open };
        let words = words.map(str::trim).filter(|words| !words.is_empty());
        let said = words.map_or(ACCEPTED.to_owned(), |words| format!("{ACCEPTED} {words}"));
        self.told.extend(PersonRemark::new(asked, &said));
    }

    fn clarify(&mut self, asked: &str, words: String) {
        self.clarified = PersonRemark::new(asked, &words);
        self.told.extend(self.clarified.clone());
        self.clarification = Some(words);
    }

    /// What a person is asked about when it does not come to an end. "Leave the second one" means nothing without it.
    fn in_question(&self) -> String {
        if let Some(step) = &self.steps.failed {
            return format!("A step without the expected result:\n{}: {}", step.name, step.command);
        }
        let failed: Vec<&str> =
            self.checks.iter().filter(|check| !check.passed).map(|check| check.name.as_str()).collect();
        if !failed.is_empty() {
            return format!("Checks that failed:\n{}", failed.join("\n"));
        }
        let open = self.evaluation.iter().flat_map(|found| found.with(Disposition::Implement));
        let open: Vec<String> =
            (1..).zip(open).map(|(number, item)| format!("{number}. {}", item.title)).collect();
        if open.is_empty() { String::new() } else { format!("Open findings:\n{}", open.join("\n")) }
    }

    /// What the Reviewer found and no one has done anything about.
    pub(super) fn open_findings(&self) -> Vec<String> {
        match (&self.evaluation, &self.review) {
            (Some(found), _) => found.with(Disposition::Implement).map(|item| item.title.clone()).collect(),
            (None, Some(review)) if !review.approved => {
                review.comments.iter().map(|comment| squeezed(&comment.text)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Of the same task, done again from the start.
    pub(super) fn again(&self) -> Self {
        Self { told: self.told.clone(), ..Self::default() }
    }

    fn forget_failure(&mut self) {
        self.steps.failed = None;
        self.guidance = None;
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde asks for")]
fn is_hook(by: &CommitBlocker) -> bool {
    *by == CommitBlocker::Hook
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_false(is: &bool) -> bool {
    !*is
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// What changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Update {
    Started {
        issue: Issue,
        plan_path: String,
        draft: Option<PlanDraft>,
    },
    Drafted(PlanDraft),
    Judged {
        problems: Vec<String>,
        is_out_of_revisions: bool,
    },
    Approved {
        note: Option<String>,
        /// With changes to the plan.
        #[serde(default, skip_serializing_if = "is_false")]
        is_edited: bool,
    },
    SentBack {
        feedback: String,
        /// The person said nothing: the words are Amelia's.
        #[serde(default, skip_serializing_if = "is_false")]
        is_unexplained: bool,
    },
    Checked(Vec<CheckResult>),
    /// What is reviewed next.
    Seen(ContentHashes),
    /// It is not what was reviewed any more.
    Late,
    Reviewed(Review),
    Evaluated(Evaluation),
    /// A person lets a task continue past its rounds.
    GivenMore {
        guidance: Option<String>,
    },
    /// A person says what unclear findings mean.
    Clarified {
        #[serde(default)]
        asked: String,
        words: String,
    },
    /// The person has said this to agents.
    Told(Vec<PersonRemark>),
    /// A person takes what is in question as it is, with or without words.
    TakenAsItIs {
        asked: String,
        words: Option<String>,
    },
    /// A person takes the task as it is.
    Accepted,
    Committed(TaskCommit),
    /// The commit was refused, and this was said.
    Refused {
        output: String,
        #[serde(default)]
        by: CommitBlocker,
    },
    /// Step by step, this one is next.
    Stepped {
        next: usize,
    },
    /// The next one did not come out as the plan expects.
    StepFailed(CheckResult),
    /// It was fixed: it is tried again.
    StepMended,
    /// A person has given up the work that a task did beside others.
    GivenUp,
    /// Among tasks beside each other.
    Lanes(LaneChange),
}

impl State for Implementation {
    type Update = Update;

    fn apply(&mut self, update: Update) {
        match update {
            Update::Started { issue, plan_path, draft } => {
                self.issue = Some(issue);
                self.plan_path = plan_path;
                self.draft = draft;
            }
            Update::Drafted(draft) => self.draft = Some(draft),
            Update::Judged { problems, is_out_of_revisions } => {
                self.revisions = if problems.is_empty() { 0 } else { self.revisions.saturating_add(1) };
                self.problems = problems;
                self.is_out_of_revisions = is_out_of_revisions;
                self.feedback = None;
            }
            Update::Approved { note, is_edited } => {
                self.is_approved = true;
                self.is_edited = is_edited;
                self.note = note;
            }
            Update::SentBack { feedback, is_unexplained } => {
                let remark = PersonRemark::new(EARLIER_DRAFT, &feedback);
                self.plan_remarks.extend(remark.filter(|_| !is_unexplained));
                self.feedback = Some(feedback);
                self.revisions = 0;
                self.problems.clear();
                self.is_out_of_revisions = false;
            }
            Update::Checked(checks) => self.progress.checked(checks),
            Update::Seen(contents) => self.progress.seen = Some(contents),
            Update::Late => {
                self.progress.is_late = true;
                self.progress.late = self.progress.late.saturating_add(1);
            }
            Update::Reviewed(review) => {
                self.progress.round = self.progress.round.saturating_add(1);
                self.progress.review = Some(review);
                self.progress.evaluation = None;
                self.progress.clarified = None;
            }
            Update::Evaluated(evaluation) => self.evaluated(evaluation),
            Update::GivenMore { guidance } => self.progress.given_more(guidance),
            Update::Stepped { next } => self.progress.steps = Steps { next, ..Steps::default() },
            Update::StepFailed(result) => self.progress.steps.fail(result),
            Update::StepMended => self.progress.forget_failure(),
            Update::Clarified { asked, words } => self.progress.clarify(&asked, words),
            Update::Told(remarks) => self.keep_told(remarks),
            Update::TakenAsItIs { asked, words } => self.progress.take_as_it_is(&asked, words.as_deref()),
            Update::Accepted => self.progress.is_accepted = true,
            Update::Committed(commit) => {
                self.task = self.task.saturating_add(1);
                self.catch_up();
                let done = std::mem::take(&mut self.progress);
                self.finished(commit, done);
            }
            Update::Refused { output, by } => {
                self.progress.refusal = Some(output);
                self.progress.refused_by = by;
                self.progress.refusals = self.progress.refusals.saturating_add(1);
            }
            // Only ever said in a lane.
            Update::GivenUp => {}
            Update::Lanes(change) => self.changed(change),
        }
    }

    fn summary(&self) -> Option<String> {
        Some(summary::summary(self))
    }
}

impl Implementation {
    fn evaluated(&mut self, evaluation: Evaluation) {
        use Disposition::{Defer, Reject};
        self.deferred.extend(evaluation.with(Defer).cloned());
        let closed = evaluation.items.iter().filter(|item| matches!(item.disposition, Defer | Reject));
        self.progress.answered.extend(closed.cloned());
        self.progress.evaluation = Some(evaluation);
        self.progress.clarification = None;
    }

    /// A task is done. What was said about it counts for the later ones, too, which must know what it was said about.
    fn finished(&mut self, commit: TaskCommit, progress: TaskProgress) {
        let about = format!("Task {}: {}", commit.task, commit.title);
        let said = progress.told.into_iter().map(|remark| remark.in_context(&about));
        self.keep_told(said.collect());
        self.commits.push(commit);
    }

    fn keep_told(&mut self, remarks: Vec<PersonRemark>) {
        self.told = once(std::mem::take(&mut self.told).into_iter().chain(remarks));
    }

    /// The tasks of the plan, in the order in which they are done: each after what it depends on, else as written.
    #[must_use]
    pub fn tasks(&self) -> Vec<&PlanTask> {
        let Some(draft) = &self.draft else { return Vec::new() };
        let mut left: Vec<&PlanTask> = draft.plan.tasks.iter().collect();
        let mut order: Vec<&PlanTask> = Vec::new();
        while !left.is_empty() {
            let is_ready = |task: &&PlanTask| {
                let waits_for = |id: &String| left.iter().any(|other| other.id == *id && other.id != task.id);
                !task.dependencies.iter().any(waits_for)
            };
            // The validator has refused cycles; should there be one all the same, nothing is left out.
            let place = left.iter().position(is_ready).unwrap_or(0);
            order.push(left.remove(place));
        }
        order
    }

    /// Every other task of the plan is done: what is missing now is done by none.
    #[must_use]
    pub fn is_last_task(&self) -> bool {
        self.commits.len().saturating_add(1) >= self.tasks().len()
    }

    /// A person wrote the plan or changed it: what it leaves out, they left out.
    #[must_use]
    pub fn is_persons_plan(&self) -> bool {
        self.is_edited || self.is_given_plan()
    }

    /// The plan is the one that was given with the request, word for word.
    #[must_use]
    pub fn is_given_plan(&self) -> bool {
        let draft = self.draft.as_ref().map(|draft| draft.markdown.as_str());
        draft.is_some() && self.wanted.plan.as_deref() == draft
    }

    /// The task that is worked on.
    #[must_use]
    pub fn current(&self) -> Option<&PlanTask> {
        self.tasks().get(self.task).copied()
    }
}
