//! Another next agent or another team for a run at rest. What it leads to is one commit with the fact that a person did it: so
//! it survives a kill, and forks and replays have it.

use amelia_core::event::human::Intervention;
use amelia_core::event::{EventKind, HumanEvent};
use amelia_core::id::RunId;
use amelia_core::run::RunStatus;

use super::{CommandError, Orchestrator};
use crate::service::RunService;

/// An intervention that is in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intervened {
    pub id: String,
    /// What you should know about its effect.
    pub notes: Vec<String>,
}

impl Orchestrator {
    /// Changes where a run that is not at work continues, or who works on it. Durable when it returns `Ok`; it continues on
    /// request.
    pub async fn intervene(
        &self,
        run: RunId,
        intervention: Intervention,
        service: &dyn RunService,
    ) -> Result<Intervened, CommandError> {
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
        let effect = service.intervened(&at_rest.row, &saved, &intervention).await;
        let effect = effect.map_err(CommandError::Intervention)?;
        let id = intervention.id.clone();
        let said = EventKind::Human(HumanEvent::Intervened(intervention));
        let facts = [said].into_iter().chain(effect.facts).collect();
        let saved = effect.place.continued(saved);
        self.0.runs.save_state(&at_rest, saved, effect.place.state, facts).await?;
        self.settled(run);
        Ok(Intervened { id, notes: effect.notes })
    }

    /// A new id, for an intervention.
    #[must_use]
    pub fn new_intervention(&self) -> String {
        self.0.runs.new_run().to_string()
    }
}
