//! The dashboard's types are written from ours, never by hand. `make types` writes them; this finds them old.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use amelia_core::view::RunView;
use ts_rs::{Config, TS};

use crate::error::ErrorBody;
use crate::rest::Page;
use crate::rest::artifact::{ArtifactDiff, ArtifactShown, ArtifactVersionShown};
use crate::rest::attachment::NewAttachment;
use crate::rest::board::SaidOfBoard;
use crate::rest::cleanup::{Cleaned, Cleanup};
use crate::rest::compare::Compared;
use crate::rest::config::{AgentRule, ProfileShown, ServerChange, ServerValue, SettingsShown};
use crate::rest::definition::{
    AgentDetail, AgentSummary, CheckedAgent, CheckedGraph, CheckedTeam, DefinitionText, GraphDetail,
    GraphSummary, TeamDetail, TeamSummary,
};
use crate::rest::delivery::{Merge, MergeAnswer, OpenPullRequest, PullRequestDetail};
use crate::rest::doctor::Checkup;
use crate::rest::health::{Health, NewToken, Readiness, SessionState, SignIn};
use crate::rest::human::{Approve, NewPlan, Pending, Reject, Replan, Respond};
use crate::rest::intervene::{Intervene, InterventionAccepted};
use crate::rest::issue::IssueShown;
use crate::rest::live::HeardOfLog;
use crate::rest::mcp::{McpCall, McpCallResult, McpServerShown, McpToolList};
use crate::rest::memory::{ConsolidationStarted, MemoryDetail, MemoryShown};
use crate::rest::prompt::{NewPrompt, PromptShown, PromptVersion};
use crate::rest::repository::{KnownRepository, RepositoryLook};
use crate::rest::request::{
    Accepted, Batch, BatchStarted, Limits, NewReview, NewSingle, NewTask, NewWorkflow, Resume, Say,
};
use crate::rest::run::{RunDetail, RunSummary};
use crate::rest::travel::{
    Breakpoints, CheckpointDetail, CheckpointSummary, Diff, Drawing, EditState, ForkRequest, PlanRevision,
    PlanShown, StateShown,
};
use crate::rest::usage::{RunMetrics, Usage};

const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../dashboard/src/wire");

macro_rules! export {
    ($config:expr; $($shape:ty),* $(,)?) => {$(<$shape>::export_all($config).unwrap();)*};
}

fn write_to(dir: &Path) {
    let config = &Config::new().with_out_dir(dir).with_large_int("number");
    export!(config;
        ErrorBody, SaidOfBoard, AgentRule, Cleaned, Cleanup, Compared, ProfileShown, ServerChange, ServerValue, SettingsShown,
        Checkup, Health, NewToken, Readiness, SessionState, SignIn, Approve, NewPlan, Pending, Reject, Replan, Respond, IssueShown, HeardOfLog,
        Accepted, Batch, BatchStarted, Limits, NewReview, NewSingle, NewWorkflow, NewAttachment, Resume, Say, NewPrompt,
        PromptShown, PromptVersion, KnownRepository, RepositoryLook, RunDetail, RunSummary, Breakpoints,
        CheckpointDetail, CheckpointSummary, Diff, Drawing, ForkRequest, PlanRevision, PlanShown, RunMetrics, Usage,
        RunView, Page<RunSummary>, Merge, MergeAnswer, OpenPullRequest, PullRequestDetail,
        NewTask, AgentSummary, AgentDetail, CheckedAgent, CheckedGraph, DefinitionText, GraphSummary, GraphDetail,
         CheckedTeam, TeamSummary, TeamDetail, McpCall, McpCallResult, McpServerShown, McpToolList, EditState, StateShown,
         Intervene, InterventionAccepted,
         MemoryShown, MemoryDetail, ConsolidationStarted,
         ArtifactShown, ArtifactVersionShown, ArtifactDiff, Page<ArtifactShown>, Page<ArtifactVersionShown>,
    );
}

#[test]
fn the_dashboards_types_are_ours() {
    let made = tempfile::tempdir().unwrap();
    write_to(made.path());
    if std::env::var_os("AMELIA_WRITE_TYPES").is_some() {
        fs::remove_dir_all(KEPT).ok();
        write_to(Path::new(KEPT));
    }
    let (made, kept) = (files(made.path()), files(Path::new(KEPT)));
    let differ: Vec<&PathBuf> =
        made.keys().chain(kept.keys()).filter(|name| made.get(*name) != kept.get(*name)).collect();
    assert!(differ.is_empty(), "these are old, run `make types`: {differ:?}");
}

/// Every file below a directory, by its path there.
fn files(dir: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![dir.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else {
                let text = fs::read_to_string(&path).unwrap();
                found.insert(path.strip_prefix(dir).unwrap().to_owned(), text);
            }
        }
    }
    found
}
