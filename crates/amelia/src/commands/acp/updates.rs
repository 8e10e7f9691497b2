//! What happens in a run, as updates of an editor's session. Pure.

use std::collections::BTreeMap;

use amelia_core::driver::DeltaKind;
use amelia_core::event::{AgentEvent, Event, EventKind, EventLevel, HumanEvent, RunEvent, TaskEvent};
use amelia_core::id::{CallId, RunId};
use amelia_core::message::Role;
use amelia_core::plan::check::check;
use amelia_core::tool::{ToolCall, ToolResult};
use serde_json::{Value, json};

use crate::event_line::EventLines;
use crate::terminal::{LiveSpeaker, in_words, label_of};
use crate::ui;

/// As much of a call as fits into a title.
const LONGEST_TITLE: usize = 120;
/// As much of a result as an editor is sent.
const LONGEST_RESULT: usize = 8_000;

/// Makes updates, and remembers what they refer to.
#[derive(Default)]
pub(super) struct UpdateMaker {
    lines: EventLines,
    /// Calls under way: models use the same id again.
    calls: BTreeMap<(Option<RunId>, CallId), String>,
    /// The plan's tasks: title and status.
    tasks: Vec<(String, &'static str)>,
    /// Whose words are being shown piece by piece.
    speaking: Option<LiveSpeaker>,
}

/// Words of the agent.
pub(super) fn message(text: &str) -> Value {
    json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}})
}

impl UpdateMaker {
    /// A piece of what an agent says. One agent speaks at a time; the words of others come as a whole.
    pub(super) fn delta(&mut self, speaker: &LiveSpeaker, kind: DeltaKind, text: &str) -> Vec<Value> {
        let is_new = match &self.speaking {
            None => true,
            Some(open) if open == speaker => false,
            Some(_) => return Vec::new(),
        };
        match kind {
            DeltaKind::Thinking => {
                vec![
                    json!({"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": text}}),
                ]
            }
            // A result for a program is not for people.
            DeltaKind::Text if is_new && text.trim_start().starts_with(['{', '<', '`']) => Vec::new(),
            DeltaKind::Text if is_new && text.trim().is_empty() => Vec::new(),
            DeltaKind::Text if is_new => {
                self.speaking = Some(speaker.clone());
                vec![message(&format!("**{}:** {}", label_of(&speaker.agent), text.trim_start()))]
            }
            DeltaKind::Text => vec![message(text)],
            DeltaKind::Tool => Vec::new(),
        }
    }

    /// Pieces are missing: the words come as a whole.
    pub(super) fn missed(&mut self) -> Vec<Value> {
        self.speaking.take().map(|_| message(" …\n\n")).into_iter().collect()
    }

    pub(super) fn event(&mut self, event: &Event) -> Vec<Value> {
        let speaker = LiveSpeaker { agent: event.draft.agent.clone(), session: event.draft.session };
        match &event.draft.kind {
            EventKind::Agent(AgentEvent::Said(said)) if said.role == Role::Assistant => {
                if self.speaking.take_if(|open| *open == speaker).is_some() {
                    return vec![message("\n\n")];
                }
                let text = said.text();
                let text = text.trim();
                if text.is_empty() || text.starts_with('{') {
                    return Vec::new();
                }
                vec![message(&format!("**{}:** {}\n\n", label_of(&speaker.agent), ui::clean(text)))]
            }
            EventKind::Agent(AgentEvent::Called(call)) => vec![self.called(event, call)],
            EventKind::Agent(AgentEvent::Returned(result)) => {
                self.returned(event, result).into_iter().collect()
            }
            EventKind::Agent(AgentEvent::Finished { is_error: false, .. }) => {
                let was_cut_off = self.speaking.take_if(|open| *open == speaker).is_some();
                was_cut_off.then(|| message("\n\n")).into_iter().collect()
            }
            EventKind::Task(task) => self.task(event, task),
            // Said by the question, or at the end.
            EventKind::Human(HumanEvent::Requested(_) | HumanEvent::Replied(_)) => Vec::new(),
            EventKind::Run(
                RunEvent::Created { .. }
                | RunEvent::Queued
                | RunEvent::Started
                | RunEvent::Paused { .. }
                | RunEvent::Resumed { .. }
                | RunEvent::Completed { .. }
                | RunEvent::Failed { .. }
                | RunEvent::Cancelled { .. },
            ) => Vec::new(),
            EventKind::Agent(AgentEvent::Said(_)) => Vec::new(),
            kind if kind.level() == EventLevel::Debug => Vec::new(),
            _ => self.fact(event),
        }
    }

    /// The plan has these tasks, and the first ones are done.
    pub(super) fn plan(&mut self, markdown: &str, done: u32) -> Option<Value> {
        let (plan, _) = check(markdown);
        let status = |place: u32| if place < done { "completed" } else { "pending" };
        self.tasks =
            plan.tasks.into_iter().zip(0..).map(|(task, place)| (task.title, status(place))).collect();
        self.plan_update()
    }

    fn plan_update(&self) -> Option<Value> {
        let entry = |(title, status): &(String, &str)| json!({"content": title, "priority": "medium", "status": status});
        let entries: Vec<Value> = self.tasks.iter().map(entry).collect();
        (!entries.is_empty()).then(|| json!({"sessionUpdate": "plan", "entries": entries}))
    }

    fn task(&mut self, event: &Event, task: &TaskEvent) -> Vec<Value> {
        let changed = match task {
            TaskEvent::Started(task) => Some((task, "in_progress")),
            TaskEvent::Completed(task) => Some((task, "completed")),
            TaskEvent::Checked { .. } | TaskEvent::Committed { .. } | TaskEvent::Failed { .. } => None,
        };
        let place = changed.and_then(|(task, status)| Some((usize::try_from(task.index).ok()?, status)));
        let mut updates = self.fact(event);
        if let Some((index, status)) = place
            && let Some((_, shown)) = self.tasks.get_mut(index)
        {
            *shown = status;
            updates.extend(self.plan_update());
        }
        updates
    }

    /// What happened, on a line.
    fn fact(&mut self, event: &Event) -> Vec<Value> {
        let line = self.lines.plain(event);
        line.map(|line| message(&format!("{line}\n\n"))).into_iter().collect()
    }

    fn called(&mut self, event: &Event, call: &ToolCall) -> Value {
        let id = format!("call-{}", event.seq.0);
        self.calls.insert((event.draft.session, call.id.clone()), id.clone());
        json!({
            "sessionUpdate": "tool_call", "toolCallId": id, "title": in_words(call, LONGEST_TITLE),
            "kind": kind_of(&call.tool.name), "status": "in_progress", "rawInput": call.args,
        })
    }

    fn returned(&mut self, event: &Event, result: &ToolResult) -> Option<Value> {
        let id = self.calls.remove(&(event.draft.session, result.call.clone()))?;
        let text = result.error.as_deref().unwrap_or(&result.output);
        let text: String = text.chars().take(LONGEST_RESULT).collect();
        let status = if result.is_success() { "completed" } else { "failed" };
        Some(json!({
            "sessionUpdate": "tool_call_update", "toolCallId": id, "status": status,
            "content": [{"type": "content", "content": {"type": "text", "text": ui::clean(&text)}}],
        }))
    }
}

/// What a tool does, in the words of the protocol.
pub(super) fn kind_of(tool: &str) -> &'static str {
    match tool {
        "read_file" | "Read" | "list_files" | "LS" | "Glob" | "git_diff" | "git_log" => "read",
        "edit_file" | "write_file" | "apply_patch" | "Edit" | "MultiEdit" | "Write" => "edit",
        "search" | "Grep" => "search",
        "shell" | "Bash" | "command_execution" => "execute",
        "WebFetch" | "WebSearch" => "fetch",
        "write_plan" | "submit_review" | "submit_evaluation" => "think",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use amelia_core::clock::{Clock as _, SystemClock};
    use amelia_core::event::Draft;
    use amelia_core::id::{AgentName, Seq};
    use amelia_core::run::Domain;
    use amelia_core::store::trace_of;

    use super::*;

    fn event(seq: u64, kind: Value) -> Event {
        let kind: EventKind = serde_json::from_value(kind).unwrap();
        let draft = Draft::of_system(&SystemClock, Domain::Workflow, kind);
        let draft = Draft { agent: AgentName::new("developer").unwrap(), ..draft };
        let run = RunId(SystemClock.new_id());
        Event { run, seq: Seq(seq), trace: trace_of(run), draft }
    }

    fn said(text: &str) -> Event {
        let message = json!({"id": SystemClock.new_id(), "at": SystemClock.now(), "role": "assistant",
            "agent": "developer", "parts": [{"text": {"text": text}}]});
        event(1, json!({"agent": {"said": message}}))
    }

    #[test]
    fn words_are_shown_once_whether_they_come_in_pieces_or_not() {
        let mut maker = UpdateMaker::default();
        assert_eq!(maker.event(&said("It adds.")), [message("**Developer:** It adds.\n\n")]);
        let speaker = LiveSpeaker { agent: AgentName::new("developer").unwrap(), session: None };
        assert_eq!(maker.delta(&speaker, DeltaKind::Text, " It"), [message("**Developer:** It")]);
        assert_eq!(maker.delta(&speaker, DeltaKind::Text, " adds."), [message(" adds.")]);
        let other = LiveSpeaker { agent: AgentName::new("reviewer").unwrap(), session: None };
        assert!(maker.delta(&other, DeltaKind::Text, "Fine.").is_empty(), "its words come as a whole");
        assert_eq!(maker.event(&said("It adds.")), [message("\n\n")]);
        for result in ["{\"approved\": true}", ""] {
            assert!(maker.event(&said(result)).is_empty(), "{result}");
        }
        assert!(maker.delta(&speaker, DeltaKind::Text, "{\"approved\"").is_empty());
    }

    #[test]
    fn a_call_and_its_result_have_one_id_though_a_model_repeats_its_own() {
        let mut maker = UpdateMaker::default();
        for seq in [4, 9] {
            let call = json!({"id": "c", "tool": "shell", "args": {"command": "./test.sh"}});
            let called = maker.event(&event(seq, json!({"agent": {"called": call}})));
            let id = format!("call-{seq}");
            assert_eq!((&called[0]["toolCallId"], &called[0]["kind"]), (&json!(id), &json!("execute")));
            let result = json!({"call": "c", "tool": "shell", "output": "ok", "duration_ms": 1});
            let returned = maker.event(&event(seq + 1, json!({"agent": {"returned": result}})));
            assert_eq!(
                (&returned[0]["toolCallId"], &returned[0]["status"]),
                (&json!(id), &json!("completed"))
            );
        }
    }

    #[test]
    fn the_plan_is_shown_with_the_state_of_its_tasks() {
        let mut maker = UpdateMaker::default();
        let markdown =
            "**Goal:** It adds.\n\n### Task 1: Add\n\nReplace it.\n\n### Task 2: Say so\n\nWrite it.\n";
        let later = UpdateMaker::default().plan(markdown, 1).unwrap();
        assert_eq!(later["entries"][0]["status"], "completed");
        assert_eq!(maker.plan(markdown, 0).unwrap()["entries"].as_array().unwrap().len(), 2);
        let task = json!({"id": "2", "title": "Say so", "index": 1, "total": 2});
        let updates = maker.event(&event(1, json!({"task": {"started": task}})));
        let entries = &updates.last().unwrap()["entries"];
        assert_eq!(
            (&entries[0]["status"], &entries[1]["status"]),
            (&json!("pending"), &json!("in_progress"))
        );
    }
}
