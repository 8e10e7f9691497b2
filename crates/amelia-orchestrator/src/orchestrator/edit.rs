//! The state of a run, changed by a person while the run is at rest. The new state is a checkpoint of its own, in one
//! commit with the event that says what has changed: so it survives a kill, and forks begin with it.

use std::collections::BTreeMap;

use amelia_core::event::run::FieldEdit;
use amelia_core::event::{EventKind, RunEvent};
use amelia_core::id::RunId;
use amelia_core::problem::Problem;
use amelia_core::run::RunStatus;
use amelia_graph::editing::{EditedState, StateEdit};
use serde_json::Value;

use super::{CommandError, Orchestrator};

/// The most that is changed at once: it is in the log.
const MAX_EDIT_BYTES: usize = 256 * 1024;

impl Orchestrator {
    /// Changes fields, by path, of the state of a run that is not at work, and says what is different then. Durable when it returns
    /// `Ok`; the run continues from there when it does.
    pub async fn edit_state(
        &self,
        run: RunId,
        set: BTreeMap<String, Value>,
        by: Option<String>,
    ) -> Result<Vec<FieldEdit>, CommandError> {
        if set.is_empty() {
            let problem = Problem::new("no field is to be changed");
            return Err(CommandError::BadEdit(problem.with_hint("name one, such as metadata.score")));
        }
        if set.values().map(|value| value.to_string().len()).sum::<usize>() > MAX_EDIT_BYTES {
            let problem = Problem::new(format!("the changes are larger than {} KB", MAX_EDIT_BYTES / 1024));
            let hint = "put long texts into a file of the repository and refer to it";
            return Err(CommandError::BadEdit(problem.with_hint(hint)));
        }
        let at_rest = self.at_rest(run).await?.ok_or(CommandError::AtWork(run))?;
        match at_rest.row.view.status {
            RunStatus::Completed | RunStatus::Cancelled => return Err(CommandError::Ended(run)),
            RunStatus::Pending | RunStatus::Running if at_rest.row.view.is_wanted() => {
                return Err(CommandError::Continues(run));
            }
            RunStatus::Pending | RunStatus::Running | RunStatus::Waiting(_) | RunStatus::Failed => {}
        }
        let saved = self.0.runs.saved(&at_rest).await?.ok_or(CommandError::NoState(run))?;
        if self.0.runs.has_answers(&at_rest, &saved).await? {
            return Err(CommandError::Continues(run));
        }
        let edits = set.into_iter().map(|(path, value)| StateEdit { path, value }).collect();
        let edited = self.0.assembler.edit(&at_rest.row, &saved, edits).await;
        let EditedState { state, edits } = edited.map_err(CommandError::BadEdit)?;
        if !edits.is_empty() {
            let changed = RunEvent::StateEdited { edits: edits.clone(), by };
            self.0.runs.save_state(&at_rest, saved, state, vec![EventKind::Run(changed)]).await?;
            self.settled(run);
        }
        Ok(edits)
    }
}
