//! A run on the terminal, as it happens: who speaks, text as the model produces it, a line for every tool call, and below
//! it where the run stands. With `--json` the events alone, one per line; with `--quiet` nothing.

mod answered;
mod asking;
mod call;
mod footer;
mod live_area;
mod markdown;
mod said_texts;
mod screen;
mod speaker;

use std::cell::RefCell;
use std::io::IsTerminal;
use std::time::Duration;

use amelia_core::driver::DeltaKind;
use amelia_core::event::{Event, EventKind};
use amelia_core::human::HumanRequest;
use amelia_core::view::{RunRow, RunView};
use anyhow::Result;
use tokio::sync::Mutex;

use self::asking::Keyboard;
use self::screen::Screen;
use crate::cli::Global;
use crate::ui;

pub(crate) use answered::AskedQuestions;
pub(crate) use call::in_words;
pub(crate) use markdown::markdown;
pub(crate) use screen::LiveSpeaker;
pub(crate) use speaker::{AMELIA, NAMES, label_of, painted_name, speaker_of};

/// What is shown, and what has been shown already.
pub(crate) struct Terminal {
    mode: Mode,
    screen: RefCell<Screen>,
    keyboard: Mutex<Option<Keyboard>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    People,
    Json,
    /// For who waits for the end.
    Waiting,
    Quiet,
}

impl Terminal {
    pub(crate) fn new(global: &Global) -> Self {
        let mode = match (global.json, global.quiet) {
            (true, _) => Mode::Json,
            (false, true) => Mode::Quiet,
            (false, false) => Mode::People,
        };
        let is_live = mode == Mode::People && std::io::stdout().is_terminal();
        Self { mode, screen: RefCell::new(Screen::new(is_live)), keyboard: Mutex::default() }
    }

    /// Shows nothing, except on standard error that a model does not answer.
    pub(crate) fn waiting(global: &Global) -> Self {
        let mode = if global.quiet { Mode::Quiet } else { Mode::Waiting };
        Self { mode, screen: RefCell::new(Screen::new(false)), keyboard: Mutex::default() }
    }

    /// What is shown from here on is of this run.
    pub(crate) fn follow(&self, row: &RunRow) {
        self.screen.borrow_mut().follow(row);
    }

    /// Whether calls are shown in words.
    pub(crate) fn shows_calls(&self) -> bool {
        self.mode == Mode::People
    }

    /// What has happened before is not shown, but belongs to what comes.
    pub(crate) fn recall(&self, events: &[Event]) {
        self.screen.borrow_mut().recall(events);
    }

    /// A piece of text that has just been produced. What a running tool prints is folded away.
    pub(crate) fn delta(&self, speaker: LiveSpeaker, kind: DeltaKind, text: &str) {
        if self.mode == Mode::People && kind != DeltaKind::Tool {
            self.screen.borrow_mut().delta(speaker, kind, text);
        }
    }

    /// Pieces of text are missing.
    pub(crate) fn missed(&self) {
        self.screen.borrow_mut().missed();
    }

    /// A fact that is durable.
    pub(crate) fn event(&self, event: &Event) -> Result<()> {
        match self.mode {
            Mode::Quiet => {}
            Mode::Waiting => {
                if let EventKind::System(system) = &event.draft.kind
                    && let Some(retry) = system.as_retry()
                {
                    anstream::eprintln!("{} {}", ui::painted(ui::WAITS, "!"), ui::clean(retry));
                }
            }
            Mode::Json => anstream::println!("{}", serde_json::to_string(event)?),
            Mode::People => self.screen.borrow_mut().show(event),
        }
        Ok(())
    }

    /// Something that is not in the log.
    pub(crate) fn note(&self, text: &str) {
        if self.mode == Mode::People {
            self.screen.borrow_mut().note(text);
        }
    }

    /// What a run asks, which was asked before.
    pub(crate) fn question(&self, request: &HumanRequest) {
        if self.mode == Mode::People {
            self.screen.borrow_mut().question(request);
        }
    }

    /// A moment has passed.
    pub(crate) fn tick(&self, view: &RunView) {
        if self.mode == Mode::People {
            self.screen.borrow_mut().tick(view);
        }
    }

    /// The same, while the server is gone.
    pub(crate) fn tick_without_server(&self, left: Duration) {
        if self.mode == Mode::People {
            self.screen.borrow_mut().tick_without_server(left);
        }
    }

    /// Nothing more is shown for now.
    pub(crate) fn finish(&self) {
        self.screen.borrow_mut().finish();
    }

    /// A person is there to see and to answer.
    pub(crate) fn is_interactive(&self) -> bool {
        self.mode == Mode::People && std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
    }
}
