//! Lines on the screen, and the one that changes below them.

use std::collections::BTreeSet;
use std::io::Write;

use amelia_core::driver::DeltaKind;
use amelia_core::event::{AgentEvent, Event, EventKind, NodeEvent, RunEvent, SystemEvent};
use amelia_core::message::{Message, Role};
use amelia_core::text::squeezed;
use amelia_core::tool::{ToolCall, ToolResult};
use amelia_core::view::RunView;
use jiff::Timestamp;

use super::footer::{Running, footer};
use crate::ui;

/// Characters of arguments that fit a folded line.
const FOLDED: usize = 100;
/// Back to the beginning of the line, and everything on it away.
const WIPE: &str = "\r\x1b[2K";

pub(super) struct Screen {
    /// There is a terminal, where a line can be taken back.
    is_live: bool,
    has_footer: bool,
    frame: usize,
    /// What the line under the cursor belongs to.
    open: Option<DeltaKind>,
    /// Text of this turn has been shown piece by piece.
    has_streamed: bool,
    /// Some of it is missing.
    has_gap: bool,
    /// Calls that have not returned, oldest first.
    calls: Vec<(ToolCall, Timestamp)>,
    /// Words that came before the results of the turn before.
    early: Vec<(DeltaKind, String)>,
    warned: BTreeSet<String>,
    /// What came while somebody was speaking; shown when they have finished.
    held: Vec<String>,
}

impl Screen {
    pub(super) fn new(is_live: bool) -> Self {
        Self {
            is_live,
            has_footer: false,
            frame: 0,
            open: None,
            has_streamed: false,
            has_gap: false,
            calls: Vec::new(),
            early: Vec::new(),
            warned: BTreeSet::new(),
            held: Vec::new(),
        }
    }

    /// What only read is written down a moment later: words wait for it, for a moment.
    pub(super) fn delta(&mut self, kind: DeltaKind, text: &str) {
        if self.calls.is_empty() {
            self.say(kind, text);
        } else {
            self.early.push((kind, text.to_owned()));
        }
    }

    /// What is missing is shown with the whole text, when that is there.
    pub(super) fn missed(&mut self) {
        self.has_gap = true;
        self.early.clear();
        self.close_line();
    }

    fn say_early(&mut self) {
        for (kind, text) in std::mem::take(&mut self.early) {
            self.say(kind, &text);
        }
    }

    fn say(&mut self, kind: DeltaKind, text: &str) {
        if self.has_gap {
            return;
        }
        self.wipe();
        if self.open != Some(kind) {
            self.close_line();
            self.open = Some(kind);
        }
        self.has_streamed |= kind == DeltaKind::Text;
        let text = ui::clean(text);
        match kind {
            DeltaKind::Thinking => anstream::print!("{}", ui::dim(text)),
            DeltaKind::Text | DeltaKind::Tool => anstream::print!("{text}"),
        }
        // A terminal that has gone away must not stop the work.
        std::io::stdout().flush().ok();
    }

    pub(super) fn show(&mut self, event: &Event) {
        let is_result = matches!(event.draft.kind, EventKind::Agent(AgentEvent::Returned(_)));
        if !is_result {
            self.say_early();
        }
        match &event.draft.kind {
            EventKind::Agent(AgentEvent::Said(message)) => self.said(message),
            EventKind::Agent(AgentEvent::Called(call)) => self.calls.push((call.clone(), event.draft.at)),
            EventKind::Agent(AgentEvent::Returned(result)) => self.returned(result, event.draft.at),
            // Counted at the end, or shown as text already.
            EventKind::Agent(AgentEvent::Used(_) | AgentEvent::Thought(_) | AgentEvent::Started { .. })
            | EventKind::Node(NodeEvent::Left { .. })
            | EventKind::Run(RunEvent::Queued) => {}
            EventKind::Agent(AgentEvent::Finished { is_error: false, .. }) => self.close_line(),
            EventKind::Node(NodeEvent::Entered { node, .. }) => {
                self.line(&format!("{} {}", ui::painted(ui::BUSY, "▶"), ui::bold(node)));
            }
            // What is true all the time is said once.
            EventKind::System(SystemEvent::Warned { message, .. })
                if !self.warned.insert(message.clone()) => {}
            _ => self.line(&ui::event_line(event)),
        }
    }

    /// Draws the changing line anew, unless somebody is in the middle of one.
    pub(super) fn tick(&mut self, view: &RunView) {
        self.say_early();
        if !self.is_live || self.open.is_some() {
            return;
        }
        self.frame = self.frame.wrapping_add(1);
        let running =
            self.calls.last().map(|(call, since)| Running { tool: call.tool.name.as_str(), since: *since });
        let line =
            footer(view, running.as_ref(), self.frame, Timestamp::now(), ui::width().saturating_sub(1));
        anstream::print!("{WIPE}{}", ui::dim(ui::one_line(&line)));
        std::io::stdout().flush().ok();
        self.has_footer = true;
    }

    pub(super) fn finish(&mut self) {
        self.say_early();
        self.close_line();
    }

    pub(super) fn line(&mut self, text: &str) {
        self.close_line();
        anstream::println!("{text}");
    }

    fn wipe(&mut self) {
        if std::mem::take(&mut self.has_footer) {
            anstream::print!("{WIPE}");
            std::io::stdout().flush().ok();
        }
    }

    fn said(&mut self, message: &Message) {
        let has_gap = std::mem::take(&mut self.has_gap);
        let was_streamed = std::mem::take(&mut self.has_streamed) && !has_gap;
        match message.role {
            Role::Assistant if was_streamed => self.close_line(),
            Role::Assistant => {
                let text = message.text();
                if !text.trim().is_empty() {
                    self.line(&ui::clean(text.trim_end()));
                }
            }
            Role::User => {
                let text = message.text();
                let (first, more) =
                    (text.lines().next().unwrap_or_default(), text.lines().count().saturating_sub(1));
                let more = if more > 0 { ui::dim(format!(" … {more} more lines")) } else { String::new() };
                self.line(&format!("{} {}{more}", ui::painted(ui::WAITS, "›"), ui::clean(first)));
            }
            Role::System | Role::Tool => {}
        }
    }

    /// A call and what came of it, on one line.
    fn returned(&mut self, result: &ToolResult, at: Timestamp) {
        let place = self.calls.iter().position(|(call, _)| call.id == result.call);
        let called = place.map(|place| self.calls.remove(place));
        let taken = called.as_ref().map_or(0, |(_, since)| at.duration_since(*since).as_millis());
        let (mark, told) = match &result.error {
            None => {
                let lines = result.output.lines().count();
                let word = if lines == 1 { "line" } else { "lines" };
                (ui::painted(ui::GOOD, "✓"), ui::dim(format!("{taken} ms, {lines} {word}")))
            }
            Some(error) => {
                let first: String = squeezed(error).chars().take(200).collect();
                let told = format!("{} {}", ui::clean(&first), ui::dim(format!("{taken} ms")));
                (ui::painted(ui::BAD, "✗"), told)
            }
        };
        let line = format!("  {mark} {} {told}", called.map(|(call, _)| folded(&call)).unwrap_or_default());
        if self.open.is_some() {
            self.held.push(line);
        } else {
            self.line(&line);
        }
        if self.calls.is_empty() {
            self.say_early();
        }
    }

    fn close_line(&mut self) {
        self.wipe();
        if self.open.take().is_some() {
            anstream::println!();
        }
        for line in std::mem::take(&mut self.held) {
            anstream::println!("{line}");
        }
    }
}

/// A call in a few words: its tool, and the beginning of what it was given.
fn folded(call: &ToolCall) -> String {
    let args = serde_json::Value::Object(call.args.clone()).to_string();
    let short: String = args.chars().take(FOLDED).collect();
    let dots = if short.len() < args.len() { "…" } else { "" };
    // A model may call what no tool is called.
    format!("{} {}", ui::one_line(&call.tool.to_string()), ui::dim(ui::one_line(&short) + dots))
}

#[cfg(test)]
mod tests {
    use amelia_core::id::CallId;
    use amelia_core::message::Object;
    use amelia_core::tool::{CallOptions, ToolName};

    use super::*;

    #[test]
    fn the_name_of_a_tool_that_a_model_made_up_cannot_steer_the_terminal() {
        let call = ToolCall {
            id: CallId::new("1").unwrap(),
            tool: ToolName::builtin("evil\x1b[2J\nname"),
            args: Object::new(),
            at: None,
            options: CallOptions::default(),
        };
        let shown = anstream::adapter::strip_str(&folded(&call)).to_string();
        assert_eq!(shown, "evil\u{FFFD}[2J\u{FFFD}name {}");
    }
}
