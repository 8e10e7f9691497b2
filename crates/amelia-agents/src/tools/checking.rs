//! Where guardrails look at the answers of an agent, at its calls before they are made, and at their results.

use std::sync::atomic::Ordering;

use amelia_core::event::guardrail::{GuardPoint, GuardrailAction, GuardrailEvent};
use amelia_core::event::{AgentEvent, Event, EventKind};
use amelia_core::guardrail::{CheckedCall, MadeCall, Violation, first_block, part_of};
use amelia_core::message::{Message, Object, Part, Role};
use amelia_core::tool::{JudgedAnswer, Risk, ToolCall, ToolResult};
use amelia_graph::journaled::{JournalState, JournaledWork as _, ToolWork};
use amelia_graph::node::NodeError;
use serde_json::Value;

use super::{JournaledTools, Own, refused};
use crate::guarding::{AgentGuard, in_its_place, only_warned, refusal};

/// Why a call is not made.
pub(super) enum CheckStop {
    /// It is in the log, with this result.
    Blocked(ToolResult),
    Log(NodeError),
}

impl From<NodeError> for CheckStop {
    fn from(error: NodeError) -> Self {
        Self::Log(error)
    }
}

impl From<amelia_core::store::StoreError> for CheckStop {
    fn from(error: amelia_core::store::StoreError) -> Self {
        Self::Log(error.into())
    }
}

impl JournaledTools {
    /// Whether calls are checked before they are made.
    pub(super) fn checks_calls(&self) -> bool {
        self.guard.as_ref().is_some_and(|guard| guard.holds_at(GuardPoint::ToolCall))
    }

    /// What was found in the last answer, to be written with it.
    pub(crate) fn violations(&self) -> Vec<EventKind> {
        std::mem::take(&mut *self.found.lock())
    }

    /// An answer of a model: taken back, or as it is let through.
    pub(super) fn checked_answer(&self, mut parts: Vec<Part>) -> JudgedAnswer {
        let Some(guard) = self.guard.as_ref().filter(|guard| guard.holds_at(GuardPoint::Answer)) else {
            return JudgedAnswer::Accepted(parts);
        };
        let found = self.find_in_answer(guard, &parts);
        let part = part_of(&found);
        if let (Some(block), Some(part)) = (first_block(&found), part.clone()) {
            let (policy, message) = (block.policy.clone(), block.message.clone());
            return JudgedAnswer::TakenBack { policy, message, part };
        }
        guard.replace_in(GuardPoint::Answer, &mut parts);
        for part in &mut parts {
            if let Part::ToolCall(call) = part
                && matches!(self.own(call), Own::HandIn(_))
            {
                let mut args = Value::Object(std::mem::take(&mut call.args));
                guard.replace_in_value(GuardPoint::Answer, &mut args);
                call.args = args.as_object().cloned().unwrap_or_default();
            }
        }
        parts.extend(part.map(Part::Guardrail));
        JudgedAnswer::Accepted(parts)
    }

    /// What a program has said is said: what is wrong with it is only told.
    pub(crate) fn warned(&self, mut message: Box<Message>) -> Box<Message> {
        let guard = self.guard.as_ref().filter(|guard| guard.holds_at(GuardPoint::Answer));
        let is_checked = self.is_program && message.role == Role::Assistant;
        if let Some(guard) = guard.filter(|_| is_checked) {
            let found = self.find_in_answer(guard, &message.parts);
            message.parts.extend(part_of(&found).map(Part::Guardrail));
        }
        message
    }

    fn find_in_answer(&self, guard: &AgentGuard, parts: &[Part]) -> Vec<Violation> {
        let text = self.redactor.text(&self.answer_text(parts)).into_owned();
        if text.trim().is_empty() {
            return Vec::new();
        }
        let number = self.judged.fetch_add(1, Ordering::Relaxed);
        let number = format!("{}/{number}", self.place.lock().turns);
        let found = guard.check(GuardPoint::Answer, &text, None, &number);
        let found = if self.is_program { only_warned(found) } else { found };
        self.found.lock().extend(found.iter().map(|violation| violation.event(None)));
        found
    }

    /// What an agent says: its words, and the texts in a call that ends its turn.
    fn answer_text(&self, parts: &[Part]) -> String {
        let mut texts = Vec::new();
        for part in parts {
            match part {
                Part::Text(text) => texts.push(text.text.clone()),
                Part::ToolCall(call) if matches!(self.own(call), Own::HandIn(_)) => {
                    collect_texts(&call.args, &mut texts);
                }
                _ => {}
            }
        }
        texts.join("\n\n")
    }

    /// Checks a call before it begins. `Ok` is what is to be written before it is made.
    pub(super) async fn checked_call(&self, call: &ToolCall) -> Result<Vec<EventKind>, CheckStop> {
        let Some(guard) = self.guard.as_ref().filter(|_| self.checks_calls()) else { return Ok(Vec::new()) };
        let written = self.redactor.clean(call.clone());
        let work = ToolWork { agent: self.agent.clone(), call: written.clone(), risk: self.risk(call) };
        // Begun or ended in an earlier try: it was decided then.
        if !matches!(work.find(self.cx.past().await?), JournalState::Nothing) {
            return Ok(Vec::new());
        }
        let found = self.find_in_call(guard, &written, work.risk).await?;
        let Some(block) = first_block(&found) else {
            return Ok(found.iter().map(|violation| violation.event(Some(&call.id))).collect());
        };
        let result = refused(call, &refusal(block));
        let called = [EventKind::Agent(AgentEvent::Called(written))].into_iter();
        let violated = found.iter().map(|violation| violation.event(Some(&call.id)));
        let returned = [EventKind::Agent(AgentEvent::Returned(result.clone()))];
        let kinds = called.chain(violated).chain(returned);
        let drafts = kinds.map(|kind| self.cx.draft(&self.agent, self.redactor.clean(kind))).collect();
        self.cx.record(drafts).await?;
        Err(CheckStop::Blocked(result))
    }

    /// Why a program may not make a call with a tool of its own, if it may not.
    pub(super) async fn refused_to_program(&self, call: &ToolCall, risk: Risk) -> Option<String> {
        if let Some(message) = self.refused_by_list(risk) {
            return Some(message);
        }
        let guard = self.guard.as_ref().filter(|_| self.checks_calls())?;
        let written = self.redactor.clean(call.clone());
        let found = match self.find_in_call(guard, &written, risk).await {
            Ok(found) => found,
            Err(CheckStop::Log(error)) => return Some(error.to_string()),
            Err(CheckStop::Blocked(_)) => return None,
        };
        let events = found.iter().map(|violation| violation.event(Some(&call.id))).collect();
        if let Err(error) = self.write_found(events).await {
            return Some(error.to_string());
        }
        first_block(&found).map(refusal)
    }

    pub(super) async fn write_found(&self, found: Vec<EventKind>) -> Result<(), NodeError> {
        if found.is_empty() {
            return Ok(());
        }
        let drafts = found.into_iter().map(|kind| self.cx.draft(&self.agent, self.redactor.clean(kind)));
        Ok(self.cx.record(drafts.collect()).await?)
    }

    async fn find_in_call(
        &self,
        guard: &AgentGuard,
        call: &ToolCall,
        risk: Risk,
    ) -> Result<Vec<Violation>, CheckStop> {
        let recorded = match guard.counts_calls() && !guard.is_played() {
            true => self.calls_before(call).await?,
            false => Vec::new(),
        };
        // Calls of one answer are decided on one after the other, also before they are written.
        let mut decided = self.decided.lock();
        let mut earlier = recorded;
        earlier.extend(decided.iter().cloned());
        let ends_turn = matches!(self.own(call), Own::HandIn(_));
        let text = Value::Object(call.args.clone()).to_string();
        let checked = CheckedCall { call, risk, result: None, ends_turn, earlier: &earlier };
        let found = guard.check(GuardPoint::ToolCall, &text, Some(checked), call.id.as_str());
        if first_block(&found).is_none() {
            decided.push(MadeCall { tool: call.tool.clone(), at: self.cx.now() });
        }
        Ok(found)
    }

    /// The calls that the agent made before this life of the visit, as the log tells them, without those that were refused.
    async fn calls_before(&self, call: &ToolCall) -> Result<Vec<MadeCall>, CheckStop> {
        let before = self.cx.past().await?;
        let is_refused = |id: &amelia_core::id::CallId| {
            before.iter().any(|event| match &event.draft.kind {
                EventKind::Guardrail(GuardrailEvent::Violated { call, action, .. }) => {
                    *action == GuardrailAction::Blocked && call.as_ref() == Some(id)
                }
                _ => false,
            })
        };
        let made = |event: &Event| match &event.draft.kind {
            EventKind::Agent(AgentEvent::Called(made))
                if made.id != call.id && event.draft.agent == self.agent && !is_refused(&made.id) =>
            {
                Some(MadeCall { tool: made.tool.clone(), at: event.draft.at })
            }
            _ => None,
        };
        Ok(before.iter().filter_map(made).collect())
    }

    /// The result of a call as the agent sees it, and what was found in it.
    pub(super) fn checked_result(
        &self,
        call: &ToolCall,
        mut result: ToolResult,
    ) -> (ToolResult, Vec<EventKind>) {
        let guard = self.guard.as_ref().filter(|guard| guard.holds_at(GuardPoint::ToolResult));
        let Some(guard) = guard.filter(|_| !matches!(self.own(call), Own::HandIn(_))) else {
            return (result, Vec::new());
        };
        let text = match &result.error {
            Some(error) => format!("{}\n{error}", result.output),
            None => result.output.clone(),
        };
        let (risk, earlier) = (self.risk(call), &[]);
        let checked = CheckedCall { call, risk, result: Some(&result), ends_turn: false, earlier };
        let found = guard.check(GuardPoint::ToolResult, text.trim_start(), Some(checked), call.id.as_str());
        // What is played is as it was let through.
        if !guard.is_played() {
            match first_block(&found) {
                Some(block) => {
                    result.output = in_its_place("result", block);
                    result.error = result.error.is_some().then(|| "the error was withheld, too".to_owned());
                    result.images.clear();
                    result.artifacts.clear();
                }
                None => {
                    let replaced = guard.replaced(GuardPoint::ToolResult, &result.output);
                    result.output = replaced.unwrap_or(result.output);
                    result.error = result
                        .error
                        .map(|error| guard.replaced(GuardPoint::ToolResult, &error).unwrap_or(error));
                }
            }
        }
        (result, found.iter().map(|violation| violation.event(Some(&call.id))).collect())
    }
}

fn collect_texts(fields: &Object, texts: &mut Vec<String>) {
    for value in fields.values() {
        match value {
            Value::String(text) => texts.push(text.clone()),
            Value::Object(fields) => collect_texts(fields, texts),
            Value::Array(items) => texts.extend(items.iter().map(Value::to_string)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}
