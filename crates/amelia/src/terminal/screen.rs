//! Lines on the screen, and below them what still changes: words that are being said, and where the run stands.

use std::collections::BTreeSet;
use std::io::Write;
use std::time::{Duration, Instant};

use amelia_core::driver::DeltaKind;
use amelia_core::event::run::ResumeReason;
use amelia_core::event::{
    AgentEvent, Event, EventKind, EventLevel, HumanEvent, NodeEvent, RunEvent, SystemEvent, TeamEvent,
};
use amelia_core::human::{HumanAction, HumanRequest};
use amelia_core::id::{AgentName, RunId};
use amelia_core::message::{Message, Role};
use amelia_core::text::squeezed;
use amelia_core::tool::{ToolCall, ToolResult};
use amelia_core::view::{RunRow, RunView};
use anstream::adapter::strip_str;
use jiff::Timestamp;
use unicode_width::UnicodeWidthStr as _;

use super::answered::AskedQuestions;
use super::call;
use super::footer::{Running, footer, waiting_footer};
use super::live_area::LiveArea;
use super::markdown::{LiveMarkdown, markdown};
use super::said_texts::SaidTexts;
use super::speaker::{AMELIA, NAMES, PERSON, label_of, painted_name};
use crate::ui;
use crate::wrap::{Wrap, fitted};

/// Calls that take less are not worth telling how long they took.
const LONG_CALL: i128 = 1_000;
/// As much of the task of a sub-agent as is shown; all of it is in `trace`.
const LONGEST_TASK: usize = 300;
/// Words that come faster are shown together.
const REDRAW_INTERVAL: Duration = Duration::from_millis(30);
/// Rows of words that may still change, where the terminal has room for them.
const MAX_OPEN_ROWS: usize = 8;

/// An agent in one of its conversations.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LiveSpeaker {
    pub(crate) agent: AgentName,
    pub(crate) session: Option<RunId>,
}

pub(super) struct Screen {
    /// There is a terminal, where a line can be taken back.
    is_live: bool,
    has_colours: bool,
    area: LiveArea,
    /// Where the run stands.
    status: String,
    drawn_at: Option<Instant>,
    frame: usize,
    /// Whose name stands above the next line.
    speaker: String,
    /// What the line under the cursor belongs to.
    open: Option<(LiveSpeaker, DeltaKind)>,
    wrap: Wrap,
    markdown: LiveMarkdown,
    /// Whose text of this turn has been shown piece by piece.
    streamed: BTreeSet<LiveSpeaker>,
    /// Who spoke while the line was another's: their text is shown as a whole.
    interrupted: BTreeSet<LiveSpeaker>,
    /// Some of it is missing.
    has_gap: bool,
    /// Calls that have not returned, oldest first.
    calls: Vec<(ToolCall, Timestamp)>,
    /// Calls that were in progress when the run stopped.
    dropped: Vec<(ToolCall, Timestamp)>,
    /// Words that came before the results of the turn before.
    early: Vec<(LiveSpeaker, DeltaKind, String)>,
    warned: BTreeSet<String>,
    /// What came while someone was speaking; shown when they have finished.
    held: Vec<(String, String)>,
    /// Nodes are shown by name: they do not work on files, and say nothing else.
    shows_nodes: bool,
    asked: AskedQuestions,
    said: SaidTexts,
}

impl Screen {
    pub(super) fn new(is_live: bool) -> Self {
        Self {
            is_live,
            has_colours: anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never,
            area: LiveArea::default(),
            status: String::new(),
            drawn_at: None,
            frame: 0,
            speaker: String::new(),
            open: None,
            wrap: Wrap::new(NAMES, None),
            markdown: LiveMarkdown::default(),
            streamed: BTreeSet::new(),
            interrupted: BTreeSet::new(),
            has_gap: false,
            calls: Vec::new(),
            dropped: Vec::new(),
            early: Vec::new(),
            warned: BTreeSet::new(),
            held: Vec::new(),
            shows_nodes: false,
            asked: AskedQuestions::default(),
            said: SaidTexts::default(),
        }
    }

    /// What is shown from here on is of this run.
    pub(super) fn follow(&mut self, row: &RunRow) {
        self.shows_nodes = row.run.spec.place.is_none();
        row.view.pending.iter().for_each(|request| self.asked.note(request));
    }

    /// Calls that were made before and have not returned.
    pub(super) fn recall(&mut self, events: &[Event]) {
        for event in events {
            match &event.draft.kind {
                EventKind::Agent(AgentEvent::Called(call)) => self.calls.push((call.clone(), event.draft.at)),
                EventKind::Agent(AgentEvent::Returned(result)) => drop(self.called(result)),
                EventKind::Run(life) if event.draft.session.is_none() => self.interrupt(life),
                _ => {}
            }
        }
    }

    /// What was in progress when the run stopped is not any more; how it ended may be reported later.
    fn interrupt(&mut self, life: &RunEvent) {
        if matches!(life, RunEvent::Resumed { .. } | RunEvent::Paused { .. }) {
            self.dropped.append(&mut self.calls);
            // An answer that was cut is said anew.
            self.streamed.clear();
        }
    }

    /// The call that a result belongs to.
    fn called(&mut self, result: &ToolResult) -> Option<(ToolCall, Timestamp)> {
        let calls = if self.calls.iter().any(|(call, _)| call.id == result.call) {
            &mut self.calls
        } else {
            &mut self.dropped
        };
        let place = calls.iter().position(|(call, _)| call.id == result.call)?;
        Some(calls.remove(place))
    }

    /// What only read is written down a moment later: words wait for it, for a moment.
    pub(super) fn delta(&mut self, speaker: LiveSpeaker, kind: DeltaKind, text: &str) {
        if self.calls.is_empty() {
            self.say(&speaker, kind, text);
        } else {
            self.early.push((speaker, kind, text.to_owned()));
        }
    }

    /// What is missing is shown with the whole text, when that is there.
    pub(super) fn missed(&mut self) {
        self.has_gap = true;
        self.early.clear();
        self.close_line();
    }

    fn say_early(&mut self) {
        for (speaker, kind, text) in std::mem::take(&mut self.early) {
            self.say(&speaker, kind, &text);
        }
    }

    fn say(&mut self, speaker: &LiveSpeaker, kind: DeltaKind, text: &str) {
        if self.is_anothers_line(speaker) {
            self.interrupted.insert(speaker.clone());
        }
        if self.interrupted.contains(speaker) {
            return;
        }
        let is_open = self.open.as_ref().is_some_and(|open| open.0 == *speaker && open.1 == kind);
        // A line that begins with blanks begins with its first word.
        let text = if is_open { text } else { text.trim_start() };
        if self.has_gap || text.is_empty() {
            return;
        }
        if !is_open {
            self.close_line();
            let (name, column) = self.name(&label_of(&speaker.agent));
            self.wrap = Wrap::new(NAMES, self.width()).begin_at(column);
            self.open = Some((speaker.clone(), kind));
            self.write(&name);
        }
        if kind == DeltaKind::Text {
            self.streamed.insert(speaker.clone());
        }
        let text = ui::clean(text);
        let text = match (kind, self.room()) {
            (DeltaKind::Text, Some(room)) => self.markdown.push(&text, room),
            _ => text,
        };
        let text = self.wrap.push(&text);
        self.write(&painted(kind, text));
        // What is below was taken back for what was written.
        let is_taken_back = !self.area.is_drawn();
        if is_taken_back || self.drawn_at.is_none_or(|at| at.elapsed() >= REDRAW_INTERVAL) {
            self.redraw();
        }
    }

    /// Another speaker is in the middle of a line.
    fn is_anothers_line(&self, speaker: &LiveSpeaker) -> bool {
        self.open.as_ref().is_some_and(|(open, _)| open != speaker)
    }

    pub(super) fn show(&mut self, event: &Event) {
        let is_result = matches!(event.draft.kind, EventKind::Agent(AgentEvent::Returned(_)));
        if !is_result {
            self.say_early();
        }
        if let (EventKind::Run(life), None) = (&event.draft.kind, event.draft.session) {
            self.interrupt(life);
        }
        let agent = label_of(&event.draft.agent);
        let speaker = LiveSpeaker { agent: event.draft.agent.clone(), session: event.draft.session };
        match &event.draft.kind {
            EventKind::Agent(AgentEvent::Said(message)) => self.said(&speaker, message),
            EventKind::Agent(AgentEvent::Called(call)) => self.calls.push((call.clone(), event.draft.at)),
            EventKind::Agent(AgentEvent::Returned(result)) => self.returned(&agent, result, event.draft.at),
            EventKind::Agent(AgentEvent::Finished { is_error: false, .. }) => {
                if !self.is_anothers_line(&speaker) {
                    self.close_line();
                }
            }
            EventKind::Node(NodeEvent::Left { node, .. }) if self.shows_nodes => {
                self.line(AMELIA, &ui::dim(format!("{node} done")));
            }
            EventKind::Node(_) => {}
            EventKind::Artifact(change) if self.calls.iter().any(|(call, _)| call::is_at(call, change)) => {}
            EventKind::Human(HumanEvent::Requested(request)) => {
                self.asked.note(request);
                let prompt = self.asked.unsaid(&request.prompt).to_owned();
                self.asks(request, &prompt);
            }
            EventKind::Human(HumanEvent::Replied(reply))
                if reply.action == HumanAction::TimedOut || reply.is_automatic() =>
            {
                self.line(AMELIA, &event.draft.kind.summary());
            }
            EventKind::Human(human) => {
                let words = self.asked.told(human, event.draft.kind.summary());
                self.line(PERSON, &ui::clean(&words));
            }
            EventKind::Run(life) if event.draft.session.is_some() => self.sub_agent(&agent, life),
            // Said by the task that it gets, and by its answer.
            EventKind::Team(TeamEvent::HandedOff { .. }) if event.draft.session.is_some() => {}
            // Said by the question, the answer, or what comes next.
            EventKind::Run(RunEvent::Queued | RunEvent::Started) => {}
            EventKind::Run(RunEvent::Resumed { reason: ResumeReason::Replied }) => {}
            EventKind::Run(RunEvent::Paused { .. }) => {}
            // The result stands above, where an agent said it.
            EventKind::Run(RunEvent::Completed { summary: Some(summary) }) if self.said.has(summary) => {
                self.line(AMELIA, "completed");
            }
            // The end of the command says why, once.
            EventKind::System(SystemEvent::Failed(_)) => {}
            EventKind::Run(RunEvent::Failed { .. }) => self.line(AMELIA, &ui::painted(ui::BAD, "✗ failed")),
            // What is true all the time is said once.
            EventKind::System(SystemEvent::Warned { message, .. })
                if !self.warned.insert(message.clone()) => {}
            kind if kind.level() == EventLevel::Debug => {}
            kind => {
                self.line(AMELIA, &fact(kind));
                let output = fitted(&ui::lines_below(kind, NAMES), 2, self.width());
                anstream::print!(
                    "{}",
                    output.strip_prefix('\n').map(|lines| format!("{lines}\n")).unwrap_or_default()
                );
            }
        }
    }

    /// What it does and says is shown as that of any agent.
    fn sub_agent(&mut self, agent: &str, life: &RunEvent) {
        match life {
            RunEvent::Created { spec } => {
                let task = ui::cut(&ui::one_line(&spec.title), LONGEST_TASK);
                self.line(agent, &format!("{} {task}", ui::dim("gets a task:")));
            }
            RunEvent::Failed { failure } => {
                let cause = ui::clean(&failure.message);
                self.line(agent, &ui::painted(ui::BAD, format!("✗ did not finish the task: {cause}")));
            }
            _ => {}
        }
    }

    pub(super) fn question(&mut self, request: &HumanRequest) {
        self.asks(request, &request.prompt);
    }

    fn asks(&mut self, request: &HumanRequest, prompt: &str) {
        let asked = format!("{} {}", ui::painted(ui::WAITS, "?"), ui::clean(prompt));
        self.line(&label_of(&request.by), &asked);
    }

    /// Draws anew what changes.
    pub(super) fn tick(&mut self, view: &RunView) {
        self.say_early();
        self.frame = self.frame.wrapping_add(1);
        let words = self.calls.last().map(|(call, since)| (call::in_words(call, 30), *since));
        let running = words.as_ref().map(|(call, since)| Running { call, since: *since });
        let line =
            footer(view, running.as_ref(), self.frame, Timestamp::now(), ui::width().saturating_sub(1));
        self.status = ui::dim(ui::one_line(&line));
        self.redraw();
    }

    /// No time of the run passes while no server moves it.
    pub(super) fn tick_without_server(&mut self, left: Duration) {
        self.say_early();
        self.frame = self.frame.wrapping_add(1);
        self.status = ui::dim(waiting_footer(self.frame, left, ui::width().saturating_sub(1)));
        self.redraw();
    }

    /// The words of an open line that are not written for good, and the status below them.
    fn redraw(&mut self) {
        if !self.is_live {
            return;
        }
        let rows = ui::rows().saturating_sub(3).max(1);
        let words = self.open_words(rows.min(MAX_OPEN_ROWS));
        // What does not fit cannot be taken back.
        let words = if words.matches('\n').count() < rows { words } else { String::new() };
        let (words, status) = (self.coloured(&words), self.coloured(&self.status));
        let out = self.area.draw(&words, &status, ui::width());
        put(&out);
        std::io::stdout().flush().ok();
        self.drawn_at = Some(Instant::now());
    }

    fn open_words(&mut self, limit: usize) -> String {
        let Some(kind) = self.open.as_ref().map(|(_, kind)| *kind) else { return String::new() };
        let mut rest = String::new();
        if let (DeltaKind::Text, Some(room)) = (kind, self.room()) {
            let settled = self.markdown.settle(room, limit);
            let settled = self.wrap.push(&settled);
            self.write(&settled);
            rest = self.markdown.clone().finish(room);
        }
        let mut wrap = self.wrap.clone();
        let words = wrap.push(&rest) + &wrap.finish();
        painted(kind, words.replace('\t', "    "))
    }

    /// Writes for good what begins where the last words end.
    fn write(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.is_live {
            let text = self.coloured(text);
            let out = self.area.write(&text);
            put(&out);
        } else {
            anstream::print!("{text}");
            std::io::stdout().flush().ok();
        }
    }

    fn coloured(&self, text: &str) -> String {
        if self.has_colours { text.to_owned() } else { strip_str(text).to_string() }
    }

    pub(super) fn finish(&mut self) {
        self.say_early();
        self.close_line();
    }

    /// Something that is not in the log.
    pub(super) fn note(&mut self, text: &str) {
        self.line(AMELIA, &ui::painted(ui::WAITS, format!("! {}", ui::clean(text))));
    }

    fn line(&mut self, who: &str, text: &str) {
        self.close_line();
        self.print_line(who, text);
    }

    fn print_line(&mut self, who: &str, text: &str) {
        let (name, column) = self.name(who);
        let mut wrap = Wrap::new(NAMES, self.width()).begin_at(column);
        anstream::println!("{name}{}{}", wrap.push(text), wrap.finish());
    }

    /// The name of who speaks, unless it stands above already, and the column behind it.
    fn name(&mut self, who: &str) -> (String, usize) {
        if self.speaker == who {
            return (" ".repeat(NAMES), NAMES);
        }
        who.clone_into(&mut self.speaker);
        (painted_name(who), who.width().max(NAMES - 1) + 1)
    }

    /// Where lines are broken.
    fn width(&self) -> Option<usize> {
        self.is_live.then(ui::width)
    }

    /// The columns behind the names.
    fn room(&self) -> Option<usize> {
        self.width().map(|width| width.saturating_sub(NAMES))
    }

    fn said(&mut self, speaker: &LiveSpeaker, message: &Message) {
        // The prompt of an agent is in `logs`. It may be written down after the first words of the answer.
        if message.role != Role::Assistant {
            return;
        }
        let has_gap = std::mem::take(&mut self.has_gap);
        let was_interrupted = self.interrupted.remove(speaker);
        let was_streamed = self.streamed.remove(speaker) && !was_interrupted && !has_gap;
        let waits = self.is_anothers_line(speaker);
        let text = message.text();
        self.asked.heard(&text);
        self.said.note(&text);
        let (who, text) = (label_of(&speaker.agent), markdown(text.trim(), self.room()));
        match (was_streamed, waits) {
            (true, true) => {}
            (true, false) => self.close_line(),
            (false, _) if text.is_empty() => {}
            (false, true) => self.held.push((who, text)),
            (false, false) => self.line(&who, &text),
        }
    }

    /// A call and what came of it, on one line.
    fn returned(&mut self, agent: &str, result: &ToolResult, at: Timestamp) {
        let called = self.called(result);
        let taken = called
            .as_ref()
            .filter(|_| !result.is_interrupted())
            .map_or(0, |(_, since)| at.duration_since(*since).as_millis());
        let time = if taken < LONG_CALL { String::new() } else { format!("  {:.1} s", taken as f64 / 1e3) };
        // Behind the name and the mark, and before the time.
        let room = self.width().unwrap_or(200).saturating_sub(NAMES + 2 + time.len());
        let words = called.map_or_else(|| result.tool.to_string(), |(call, _)| call::in_words(&call, room));
        let line = match &result.error {
            None => format!("{} {words}{}", ui::painted(ui::GOOD, "✓"), ui::dim(time)),
            Some(error) => {
                let first: String = squeezed(error).chars().take(200).collect();
                format!("{} {words}: {}{}", ui::painted(ui::BAD, "✗"), ui::clean(&first), ui::dim(time))
            }
        };
        if self.open.is_some() {
            self.held.push((agent.to_owned(), line));
        } else {
            self.line(agent, &line);
        }
        if self.calls.is_empty() {
            self.say_early();
        }
    }

    fn close_line(&mut self) {
        if let Some((_, kind)) = self.open.take() {
            let rest = self.room().map(|room| self.markdown.finish(room)).unwrap_or_default();
            let rest = self.wrap.push(&rest) + &self.wrap.finish();
            self.write(&(painted(kind, rest) + "\n"));
        }
        let out = self.area.wipe();
        put(&out);
        std::io::stdout().flush().ok();
        for (who, line) in std::mem::take(&mut self.held) {
            self.print_line(&who, &line);
        }
    }
}

fn painted(kind: DeltaKind, text: String) -> String {
    match kind {
        DeltaKind::Thinking if !text.is_empty() => ui::dim(text),
        DeltaKind::Thinking | DeltaKind::Text | DeltaKind::Tool => text,
    }
}

/// Moves the cursor, too, where colours are not wanted. A terminal that has gone away must not stop the work.
fn put(out: &str) {
    std::io::stdout().write_all(out.as_bytes()).ok();
}

/// What happened, marked if it is not as it should be.
fn fact(kind: &EventKind) -> String {
    let summary = ui::clean(&ui::summary(kind));
    match kind.level() {
        EventLevel::Error => format!("{} {summary}", ui::painted(ui::BAD, "✗")),
        EventLevel::Warning => format!("{} {summary}", ui::painted(ui::WAITS, "!")),
        EventLevel::Info | EventLevel::Debug => summary,
    }
}

#[cfg(test)]
mod tests;
