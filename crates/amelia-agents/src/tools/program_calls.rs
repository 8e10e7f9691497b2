//! Calls that a program makes by itself, and how it is noticed that it makes the same failing one again and again.

use amelia_core::driver::DriverError;
use amelia_core::tool::{ToolCall, ToolResult};

use super::JournaledTools;
use crate::ending::StopCause;

impl JournaledTools {
    /// The result of a call, unless it is that of a loop.
    pub(super) async fn unless_looping(&self, call: &ToolCall, result: ToolResult) -> ToolResult {
        match self.looped([call], [&result]) {
            Some(error) => self.outlet.end(StopCause::Looped(error)).await,
            None => result,
        }
    }

    fn looped<'a>(
        &self,
        calls: impl IntoIterator<Item = &'a ToolCall>,
        results: impl IntoIterator<Item = &'a ToolResult>,
    ) -> Option<DriverError> {
        let mut failing = self.failing.as_ref()?.lock();
        failing.count(calls, results);
        failing.looped()
    }

    /// A program says that it makes a call by itself.
    pub(crate) fn called_by_program(&self, call: &ToolCall) {
        self.calls_of_program.lock().push((call.clone(), None));
    }

    /// The same for the result; an error if that is now a loop.
    pub(crate) fn returned_to_program(&self, result: &ToolResult) -> Option<DriverError> {
        let mut calls = self.calls_of_program.lock();
        let (_, place) = calls.iter_mut().find(|(call, _)| call.id == result.call)?;
        *place = Some(result.clone());
        if calls.iter().any(|(_, result)| result.is_none()) {
            return None;
        }
        let made = std::mem::take(&mut *calls);
        self.looped(made.iter().map(|(call, _)| call), made.iter().filter_map(|(_, result)| result.as_ref()))
    }
}
