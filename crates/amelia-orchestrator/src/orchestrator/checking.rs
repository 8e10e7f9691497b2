//! What people say to a run is checked by its guardrails before it is written. What they found is in the log, also when the
//! words are refused.

use amelia_core::guardrail::CheckedInput;
use amelia_core::human::HumanReply;
use amelia_core::view::RunRow;

use super::{CommandError, Orchestrator};

impl Orchestrator {
    /// Words as they may be kept, or why they are refused.
    pub(super) async fn checked_text(&self, row: &RunRow, text: String) -> Result<String, CommandError> {
        let checked = self.0.assembler.check_input(row, &text).map_err(CommandError::Refused)?;
        self.note_checked(row, &checked).await?;
        Ok(checked.text)
    }

    /// The same for an answer: its words, and the values in it.
    pub(super) async fn checked_reply(
        &self,
        row: &RunRow,
        reply: HumanReply,
    ) -> Result<HumanReply, CommandError> {
        let mut reply = reply;
        if let Some(message) = reply.message.take() {
            reply.message = Some(self.checked_text(row, message).await?);
        }
        if let Some(updates) = reply.updates.as_ref().filter(|updates| !updates.is_null()) {
            let text = updates.to_string();
            let checked = self.0.assembler.check_input(row, &text).map_err(CommandError::Refused)?;
            self.note_checked(row, &checked).await?;
            if checked.text != text {
                // Replacements keep JSON as it is: they change texts in it.
                reply.updates = serde_json::from_str(&checked.text).ok().or(reply.updates);
            }
        }
        Ok(reply)
    }

    async fn note_checked(&self, row: &RunRow, checked: &CheckedInput) -> Result<(), CommandError> {
        if !checked.violations.is_empty() {
            self.note(row.run.id, checked.events()).await?;
        }
        checked.refusal().map_or(Ok(()), |problem| Err(CommandError::Guardrail(problem)))
    }
}
