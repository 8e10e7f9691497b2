//! Lines on the screen, and the one that changes below them.

use std::collections::BTreeSet;
use std::io::Write;

use amelia_core::driver::DeltaKind;
use amelia_core::event::run::ResumeReason;
use amelia_core::event::{
    AgentEvent, Event, EventKind, EventLevel, HumanEvent, NodeEvent, RunEvent, SystemEvent,
};
use amelia_core::human::{HumanAction, HumanKind, HumanRequest};
use amelia_core::id::{AgentName, RunId};
use amelia_core::message::{Message, Role};
use amelia_core::text::squeezed;
use amelia_core::tool::{ToolCall, ToolResult};
use amelia_core::view::{RunRow, RunView};
use jiff::Timestamp;
use unicode_width::UnicodeWidthStr as _;

use super::answered::AskedQuestions;
use super::call;
use super::footer::{Running, footer};
use super::markdown::{LiveMarkdown, markdown};
use super::speaker::{AMELIA, NAMES, PERSON, label_of, painted_name};
use crate::ui;
use crate::wrap::{Wrap, fitted};

/// Calls that take less are not worth telling how long they took.
const LONG_CALL: i128 = 1_000;
/// As much of the task of a sub-agent as is shown; all of it is in `trace`.
const LONGEST_TASK: usize = 300;
/// Back to the beginning of the line, and everything on it away.
const WIPE: &str = "\r\x1b[2K";

/// An agent in one of its conversations.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LiveSpeaker {
    pub(crate) agent: AgentName,
    pub(crate) session: Option<RunId>,
}

pub(super) struct Screen {
    /// There is a terminal, where a line can be taken back.
    is_live: bool,
    has_footer: bool,
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
}

impl Screen {
    pub(super) fn new(is_live: bool) -> Self {
        Self {
            is_live,
            has_footer: false,
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

    /// What was in progress when the run stopped is not any more; how it ended may be told later.
    fn interrupt(&mut self, life: &RunEvent) {
        if matches!(life, RunEvent::Resumed { .. } | RunEvent::Paused { .. }) {
            self.dropped.append(&mut self.calls);
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
        self.wipe();
        if !is_open {
            self.close_line();
            let column = self.name(&label_of(&speaker.agent));
            self.wrap = Wrap::new(NAMES, self.width()).begin_at(column);
            self.open = Some((speaker.clone(), kind));
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
        print_piece(kind, &text);
        // A terminal that has gone away must not stop the work.
        std::io::stdout().flush().ok();
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
            // Said by the question, the answer, or what comes next.
            EventKind::Run(RunEvent::Queued | RunEvent::Started) => {}
            EventKind::Run(RunEvent::Resumed { reason: ResumeReason::Replied }) => {}
            EventKind::Run(RunEvent::Paused { reason }) if *reason != HumanKind::Pause => {}
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

    /// Draws the changing line anew, unless someone is in the middle of one.
    pub(super) fn tick(&mut self, view: &RunView) {
        self.say_early();
        if !self.is_live || self.open.is_some() {
            return;
        }
        self.frame = self.frame.wrapping_add(1);
        let words = self.calls.last().map(|(call, since)| (call::in_words(call, 30), *since));
        let running = words.as_ref().map(|(call, since)| Running { call, since: *since });
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

    /// Something that is not in the log.
    pub(super) fn note(&mut self, text: &str) {
        self.line(AMELIA, &ui::painted(ui::WAITS, format!("! {}", ui::clean(text))));
    }

    fn line(&mut self, who: &str, text: &str) {
        self.close_line();
        self.print_line(who, text);
    }

    fn print_line(&mut self, who: &str, text: &str) {
        let column = self.name(who);
        let mut wrap = Wrap::new(NAMES, self.width()).begin_at(column);
        anstream::println!("{}{}", wrap.push(text), wrap.finish());
    }

    /// The name of who speaks, unless it stands above already. Returns the column behind it.
    fn name(&mut self, who: &str) -> usize {
        if self.speaker == who {
            anstream::print!("{:NAMES$}", "");
            return NAMES;
        }
        who.clone_into(&mut self.speaker);
        anstream::print!("{}", painted_name(who));
        who.width().max(NAMES - 1) + 1
    }

    /// Where lines are broken.
    fn width(&self) -> Option<usize> {
        self.is_live.then(ui::width)
    }

    /// The columns behind the names.
    fn room(&self) -> Option<usize> {
        self.width().map(|width| width.saturating_sub(NAMES))
    }

    fn wipe(&mut self) {
        if std::mem::take(&mut self.has_footer) {
            anstream::print!("{WIPE}");
            std::io::stdout().flush().ok();
        }
    }

    fn said(&mut self, speaker: &LiveSpeaker, message: &Message) {
        let has_gap = std::mem::take(&mut self.has_gap);
        let was_interrupted = self.interrupted.remove(speaker);
        let was_streamed = self.streamed.remove(speaker) && !was_interrupted && !has_gap;
        let waits = self.is_anothers_line(speaker);
        if message.role == Role::Assistant {
            self.asked.heard(&message.text());
        }
        match message.role {
            Role::Assistant if was_streamed && waits => {}
            Role::Assistant if was_streamed => self.close_line(),
            Role::Assistant => {
                let text = message.text();
                let (who, text) = (label_of(&speaker.agent), markdown(text.trim(), self.room()));
                match text.is_empty() {
                    true => {}
                    false if waits => self.held.push((who, text)),
                    false => self.line(&who, &text),
                }
            }
            // What an agent is told is in `logs`.
            Role::User | Role::System | Role::Tool => {}
        }
    }

    /// A call and what came of it, on one line.
    fn returned(&mut self, agent: &str, result: &ToolResult, at: Timestamp) {
        let called = self.called(result);
        let taken = called.as_ref().map_or(0, |(_, since)| at.duration_since(*since).as_millis());
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
        self.wipe();
        if let Some((_, kind)) = self.open.take() {
            let rest = self.room().map(|room| self.markdown.finish(room)).unwrap_or_default();
            let rest = self.wrap.push(&rest) + &self.wrap.finish();
            print_piece(kind, &rest);
            anstream::println!();
        }
        for (who, line) in std::mem::take(&mut self.held) {
            self.print_line(&who, &line);
        }
    }
}

fn print_piece(kind: DeltaKind, text: &str) {
    match kind {
        _ if text.is_empty() => {}
        DeltaKind::Thinking => anstream::print!("{}", ui::dim(text)),
        DeltaKind::Text | DeltaKind::Tool => anstream::print!("{text}"),
    }
}

/// What happened, marked if it is not as it should be.
fn fact(kind: &EventKind) -> String {
    let summary = ui::clean(&kind.summary());
    match kind.level() {
        EventLevel::Error => format!("{} {summary}", ui::painted(ui::BAD, "✗")),
        EventLevel::Warning => format!("{} {summary}", ui::painted(ui::WAITS, "!")),
        EventLevel::Info | EventLevel::Debug => summary,
    }
}

#[cfg(test)]
mod tests {
    use amelia_core::clock::{Clock as _, SystemClock};
    use amelia_core::event::Draft;
    use amelia_core::id::Seq;
    use amelia_core::run::Domain;
    use amelia_core::store::trace_of;

    use super::*;

    fn said(speaker: &LiveSpeaker, text: &str) -> Event {
        let message = serde_json::json!({
            "id": SystemClock.new_id(), "at": SystemClock.now(), "role": "assistant", "agent": speaker.agent,
            "parts": [{"text": {"text": text}}],
        });
        let kind = EventKind::Agent(AgentEvent::Said(serde_json::from_value(message).unwrap()));
        let Event { run, seq, trace, draft } = event(kind);
        let draft = Draft { agent: speaker.agent.clone(), session: speaker.session, ..draft };
        Event { run, seq, trace, draft }
    }

    fn event(kind: EventKind) -> Event {
        let draft = Draft::of_system(&SystemClock, Domain::Workflow, kind);
        let run = RunId(SystemClock.new_id());
        Event { run, seq: Seq(1), trace: trace_of(run), draft }
    }

    #[test]
    fn who_joins_in_the_middle_of_a_call_sees_what_was_called() {
        let call: ToolCall = serde_json::from_value(serde_json::json!({
            "id": "c1", "tool": "Bash", "args": {"command": "make"},
        }))
        .unwrap();
        let called = event(EventKind::Agent(AgentEvent::Called(call.clone())));
        let result = ToolResult { error: None, ..ToolResult::interrupted(&call) };
        let mut screen = Screen::new(false);
        screen.recall(std::slice::from_ref(&called));
        assert_eq!(screen.called(&result).map(|(call, _)| call), Some(call.clone()));
        assert_eq!(screen.called(&result), None);
        // The server was killed meanwhile.
        let resumed = event(EventKind::Run(RunEvent::Resumed { reason: ResumeReason::Recovered }));
        screen.recall(&[called, resumed]);
        assert!(screen.calls.is_empty(), "it is not in progress any more");
        assert_eq!(screen.called(&result).map(|(call, _)| call), Some(call));
    }

    #[test]
    fn two_conversations_of_one_agent_do_not_share_a_line() {
        let speaker = || LiveSpeaker {
            agent: AgentName::new("developer").unwrap(),
            session: Some(RunId(SystemClock.new_id())),
        };
        let (first, second) = (speaker(), speaker());
        let mut screen = Screen::new(false);
        screen.delta(first.clone(), DeltaKind::Text, "One ");
        screen.delta(second.clone(), DeltaKind::Text, "Two ");
        screen.delta(first.clone(), DeltaKind::Text, "task.");
        assert_eq!(screen.open, Some((first.clone(), DeltaKind::Text)), "the line is the first one's");
        screen.show(&said(&second, "Two tasks."));
        assert_eq!(screen.held, [("Developer".to_owned(), "Two tasks.".to_owned())]);
        assert_eq!(screen.open, Some((first.clone(), DeltaKind::Text)));
        screen.show(&said(&first, "One task."));
        assert!(screen.open.is_none() && screen.held.is_empty(), "the other one is shown as a whole");
        screen.delta(second.clone(), DeltaKind::Text, "Done.");
        assert_eq!(screen.open, Some((second, DeltaKind::Text)), "it speaks live again");
    }
}
