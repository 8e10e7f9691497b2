//! Questions to the person at the terminal.

use std::io::Write;

use amelia_core::human::HumanRequest;
use anyhow::Result;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::Terminal;
use crate::ui;

/// What is typed, a line at a time. Read by a thread of its own: a person who presses Ctrl-C, or is answered by someone
/// else, does not wait for a line.
pub(super) struct Keyboard(UnboundedReceiver<std::io::Result<String>>);

impl Keyboard {
    fn new() -> Self {
        let (tell, told) = unbounded_channel();
        std::thread::spawn(move || std::io::stdin().lines().try_for_each(|line| tell.send(line)).ok());
        Self(told)
    }

    fn forget(&mut self) {
        // What is no terminal has nothing to forget.
        rustix::termios::tcflush(std::io::stdin(), rustix::termios::QueueSelector::IFlush).ok();
        while self.0.try_recv().is_ok() {}
    }
}

impl Terminal {
    /// Asks the person at the terminal; `None` when they say nothing.
    pub(crate) async fn ask(&self, request: &HumanRequest) -> Result<Option<String>> {
        let mut keyboard = self.keyboard.lock().await;
        let keyboard = keyboard.get_or_insert_with(Keyboard::new);
        // What was typed before the question was there is no answer to it; what is typed from now on is.
        keyboard.forget();
        let options = request.context.get("options").and_then(serde_json::Value::as_array);
        for (number, option) in (1..).zip(options.into_iter().flatten()) {
            ui::say!("  {number}. {}", ui::clean(option.as_str().unwrap_or_default()));
        }
        anstream::print!("{} ", ui::painted(ui::WAITS, "your answer ›"));
        std::io::stdout().flush().ok();
        let line = tokio::select! {
            line = keyboard.0.recv() => line.transpose()?,
            _ = tokio::signal::ctrl_c() => None,
        };
        let line = line.map(|line| line.trim().to_owned()).filter(|line| !line.is_empty());
        // A number stands for the answer that has it.
        let chosen = line.as_deref().and_then(|line| line.parse::<usize>().ok()?.checked_sub(1));
        let option = chosen.and_then(|place| options?.get(place)?.as_str());
        Ok(option.map(str::to_owned).or(line))
    }
}
