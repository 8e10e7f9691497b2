//! Programs from a recording: nothing is started. What is said must be what was said then.

use std::collections::VecDeque;
use std::sync::Arc;

use amelia_core::driver::DriverError;
use amelia_core::recording::wording::without_wording;
use amelia_core::recording::{Next, Piece, Reel, Source, Strand, When};
use amelia_core::tool::ToolBox;
use async_trait::async_trait;
use tokio::sync::Notify;

use super::taped::Line;
use super::{Heard, Launch, Launcher, Program};

/// Plays programs.
pub struct Played {
    pub reel: Arc<Reel>,
}

#[async_trait]
impl Launcher for Played {
    async fn launch(
        &self,
        launch: Launch,
        strand: &Strand,
        tools: &Arc<dyn ToolBox>,
    ) -> Result<Box<dyn Program>, DriverError> {
        // Words of people are in the recording.
        let _ = tools;
        let program = launch.program.clone();
        let place = || format!("a program is started ({})", strand.name);
        let now = text(&Line::Launch(launch));
        let then = match self.reel.next(Source::Program, &strand.name) {
            Next::Frame(piece) => String::from_utf8_lossy(&piece.body).into_owned(),
            Next::Nothing => "nothing more".to_owned(),
            Next::NotYet => return std::future::pending().await,
        };
        if !self.reel.compare(place, &without_wording(&then), &without_wording(&now)) {
            return std::future::pending().await;
        }
        let is_next = |body: &[u8]| matches!(serde_json::from_slice(body), Ok(Line::Launch(_)));
        let lines = self.reel.take_until(Source::Program, &strand.name, is_next);
        let read = |piece: &Piece| Some((piece.when, serde_json::from_slice(&piece.body).ok()?));
        let lines: VecDeque<(When, Line)> = lines.iter().filter_map(read).collect();
        if let Some((_, Line::Refused { detail, .. })) = lines.front() {
            return Err(DriverError::Program { program, detail: detail.clone() });
        }
        let (reel, name) = (Arc::clone(&self.reel), strand.name.to_string());
        Ok(Box::new(PlayedProgram { reel, name, lines, said: Notify::new() }))
    }
}

struct PlayedProgram {
    reel: Arc<Reel>,
    name: String,
    lines: VecDeque<(When, Line)>,
    said: Notify,
}

#[async_trait]
impl Program for PlayedProgram {
    /// What was heard next, once everything is said that had been said before it.
    async fn hear(&mut self) -> Heard {
        loop {
            match self.lines.front() {
                Some((when, Line::Hear(_))) => {
                    self.reel.turn(*when).await;
                    if let Some((_, Line::Hear(heard))) = self.lines.pop_front() {
                        return heard;
                    }
                }
                Some((_, Line::Say(_))) => self.said.notified().await,
                // The process died here.
                Some((_, Line::Launch(_) | Line::Refused { .. })) | None => std::future::pending().await,
            }
        }
    }

    /// Which of two answers is said first may be otherwise than it was.
    async fn say(&mut self, line: &str) {
        let line = without_wording(line);
        let is_it = |kept: &Line| matches!(kept, Line::Say(then) if without_wording(then) == line);
        let place = self.lines.iter().position(|(_, kept)| is_it(kept));
        if let Some(place) = place {
            self.lines.remove(place);
            self.said.notify_one();
            return;
        }
        // When nothing more was said then, the process had died before it could.
        if let Some((_, Line::Say(then))) = self.lines.iter().find(|(_, line)| matches!(line, Line::Say(_))) {
            let then = without_wording(then);
            self.reel.compare(|| format!("a program is told ({})", self.name), &then, &line);
        }
        std::future::pending::<()>().await;
    }
}

fn text(line: &Line) -> String {
    serde_json::to_string(line).unwrap_or_default()
}
