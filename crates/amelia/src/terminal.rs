//! A run on the terminal, as it happens: text as the model produces it, tool calls folded to a line each. With `--json`
//! the events alone, one per line; with `--quiet` nothing.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};

use amelia_agents::live::Delta;
use amelia_core::driver::DeltaKind;
use amelia_core::event::{AgentEvent, Event, EventKind, NodeEvent, SystemEvent};
use amelia_core::human::HumanRequest;
use amelia_core::id::CallId;
use amelia_core::message::{Message, Role};
use amelia_core::tool::{ToolCall, ToolResult};
use anyhow::Result;
use tokio::sync::Notify;

use crate::cli::Global;
use crate::ui;

/// Characters of arguments that fit a folded line.
const FOLDED: usize = 100;

/// What is shown, and what has been shown already.
pub(crate) struct Terminal {
    mode: Mode,
    screen: Mutex<Screen>,
    said: Mutex<VecDeque<Delta>>,
    heard: Notify,
}

/// What a person said when they were asked whether.
pub(crate) enum Said {
    Yes,
    Words(String),
    Nothing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    People,
    Json,
    Quiet,
}

#[derive(Default)]
struct Screen {
    /// What the line under the cursor belongs to.
    open: Option<DeltaKind>,
    /// Text of this turn has been shown piece by piece.
    has_streamed: bool,
    started: HashMap<CallId, jiff::Timestamp>,
    warned: BTreeSet<String>,
    /// What came while somebody was speaking; shown when they have finished.
    held: Vec<String>,
}

impl Terminal {
    pub(crate) fn new(global: &Global) -> Self {
        let mode = match (global.json, global.quiet) {
            (true, _) => Mode::Json,
            (false, true) => Mode::Quiet,
            (false, false) => Mode::People,
        };
        Self { mode, screen: Mutex::default(), said: Mutex::default(), heard: Notify::new() }
    }

    /// A piece of text that has just been produced; shown by [`Self::show_said`]. What a running tool prints is folded
    /// away.
    pub(crate) fn hear(&self, delta: Delta) {
        if self.mode == Mode::People && delta.kind != DeltaKind::Tool {
            self.said.lock().unwrap_or_else(PoisonError::into_inner).push_back(delta);
            self.heard.notify_one();
        }
    }

    /// Shows what was said, as soon as something is.
    pub(crate) async fn show_said(&self) {
        self.heard.notified().await;
        self.show_all_said();
    }

    /// Shows what was said and not shown yet.
    pub(crate) fn show_all_said(&self) {
        let said = std::mem::take(&mut *self.said.lock().unwrap_or_else(PoisonError::into_inner));
        said.iter().for_each(|delta| self.delta(delta));
    }

    fn delta(&self, delta: &Delta) {
        let mut screen = self.screen();
        if screen.open != Some(delta.kind) {
            screen.close_line();
            screen.open = Some(delta.kind);
        }
        screen.has_streamed |= delta.kind == DeltaKind::Text;
        let text = ui::clean(&delta.text);
        match delta.kind {
            DeltaKind::Thinking => anstream::print!("{}", ui::dim(text)),
            DeltaKind::Text | DeltaKind::Tool => anstream::print!("{text}"),
        }
        // A terminal that has gone away must not stop the work.
        std::io::stdout().flush().ok();
    }

    /// A fact that is durable.
    pub(crate) fn event(&self, event: &Event) -> Result<()> {
        match self.mode {
            Mode::Quiet => {}
            Mode::Json => anstream::println!("{}", serde_json::to_string(event)?),
            Mode::People => self.screen().show(event),
        }
        Ok(())
    }

    /// Somebody is there to see and to answer.
    pub(crate) fn is_interactive(&self) -> bool {
        self.mode == Mode::People && std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
    }

    /// Asks the person at the terminal; `None` when they say nothing.
    pub(crate) async fn ask(&self, request: &HumanRequest) -> Result<Option<String>> {
        let options = request.context.get("options").and_then(serde_json::Value::as_array);
        for (number, option) in (1..).zip(options.into_iter().flatten()) {
            anstream::println!("  {number}. {}", ui::clean(option.as_str().unwrap_or_default()));
        }
        anstream::print!("{} ", ui::painted(ui::WAITS, "your answer ›"));
        std::io::stdout().flush().ok();
        // A thread of its own: whoever presses Ctrl-C does not wait for a line.
        let (tell, told) = tokio::sync::oneshot::channel();
        std::thread::spawn(move || tell.send(std::io::stdin().lines().next().transpose()).ok());
        let line = tokio::select! {
            line = told => line??,
            _ = tokio::signal::ctrl_c() => None,
        };
        let line = line.map(|line| line.trim().to_owned()).filter(|line| !line.is_empty());
        // A number stands for the answer that has it.
        let chosen = line.as_deref().and_then(|line| line.parse::<usize>().ok()?.checked_sub(1));
        let option = chosen.and_then(|place| options?.get(place)?.as_str());
        Ok(option.map(str::to_owned).or(line))
    }

    /// Asks whether a plan is to be carried out.
    pub(crate) async fn ask_whether(&self, request: &HumanRequest) -> Result<Said> {
        let ways = "[y]es, or say what should be different; nothing decides later";
        anstream::println!("{} {}", ui::clean(&request.prompt), ui::dim(ways));
        Ok(match self.ask(request).await?.as_deref() {
            None => Said::Nothing,
            Some("y" | "Y" | "yes" | "Yes") => Said::Yes,
            // A bare "no" says nothing that could be planned.
            Some("n" | "N" | "no" | "No") => {
                anstream::println!("{}", ui::dim("what should be different?"));
                self.ask(request).await?.map_or(Said::Nothing, Said::Words)
            }
            Some(words) => Said::Words(words.to_owned()),
        })
    }

    fn screen(&self) -> std::sync::MutexGuard<'_, Screen> {
        self.screen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Screen {
    fn show(&mut self, event: &Event) {
        match &event.draft.kind {
            EventKind::Agent(AgentEvent::Said(message)) => self.said(message),
            EventKind::Agent(AgentEvent::Called(call)) => self.called(call, event.draft.at),
            EventKind::Agent(AgentEvent::Returned(result)) => self.returned(result, event.draft.at),
            // Counted at the end, or shown as text already.
            EventKind::Agent(AgentEvent::Used(_) | AgentEvent::Thought(_) | AgentEvent::Started { .. }) => {}
            EventKind::Agent(AgentEvent::Finished { is_error: false, .. }) => self.close_line(),
            EventKind::Node(NodeEvent::Entered { node, .. }) => {
                self.line(&format!("{} {}", ui::painted(ui::BUSY, "▶"), ui::bold(node)));
            }
            EventKind::Node(NodeEvent::Left { .. }) => {}
            // What is true all the time is said once.
            EventKind::System(SystemEvent::Warned { message, .. })
                if !self.warned.insert(message.clone()) => {}
            _ => self.line(&ui::event_line(event)),
        }
    }

    fn said(&mut self, message: &Message) {
        let was_streamed = std::mem::take(&mut self.has_streamed);
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

    fn called(&mut self, call: &ToolCall, at: jiff::Timestamp) {
        self.started.insert(call.id.clone(), at);
        let args = serde_json::Value::Object(call.args.clone()).to_string();
        let short: String = args.chars().take(FOLDED).collect();
        let dots = if short.len() < args.len() { "…" } else { "" };
        let line =
            format!("  {} {} {}", ui::painted(ui::BUSY, "⚙"), call.tool, ui::dim(ui::clean(&short) + dots));
        self.line(&line);
    }

    fn returned(&mut self, result: &ToolResult, at: jiff::Timestamp) {
        let started = self.started.remove(&result.call);
        let taken = started.map(|started| at.duration_since(started).as_millis()).unwrap_or(0);
        let line = match &result.error {
            None => {
                let lines = result.output.lines().count();
                format!(
                    "    {} {}",
                    ui::painted(ui::GOOD, "✓"),
                    ui::dim(format!("{taken} ms, {lines} lines"))
                )
            }
            Some(error) => {
                let first: String =
                    error.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(200).collect();
                format!(
                    "    {} {} {}",
                    ui::painted(ui::BAD, "✗"),
                    ui::clean(&first),
                    ui::dim(format!("{taken} ms"))
                )
            }
        };
        // The result of a call that only read may be written down a moment later than the next words are said.
        if self.open.is_some() {
            self.held.push(line);
        } else {
            self.line(&line);
        }
    }

    fn line(&mut self, text: &str) {
        self.close_line();
        anstream::println!("{text}");
    }

    fn close_line(&mut self) {
        if self.open.take().is_some() {
            anstream::println!();
        }
        for line in std::mem::take(&mut self.held) {
            anstream::println!("{line}");
        }
    }
}
