//! Programs from a recording: nothing is started. What is said must be what was said then.

use std::collections::VecDeque;
use std::sync::Arc;

use amelia_core::driver::{DriverError, Usage};
use amelia_core::problem::Problem;
use amelia_core::recording::wording::without_wording;
use amelia_core::recording::{Channel, FrameSource, FrameTime, NextFrame, Playback, RecordedFrame};
use amelia_core::tool::ToolBox;
use async_trait::async_trait;
use tokio::sync::Notify;

use super::taped::Line;
use super::{Launch, Launcher, MeterReport, ProgramOutput, RunningProgram};

/// Plays programs.
pub struct Played {
    pub playback: Arc<Playback>,
}

#[async_trait]
impl Launcher for Played {
    async fn launch(
        &self,
        launch: Launch,
        channel: &Channel,
        tools: &Arc<dyn ToolBox>,
    ) -> Result<Box<dyn RunningProgram>, DriverError> {
        // Words of people are in the recording.
        let _ = tools;
        let program = launch.program.clone();
        let place = || format!("a program is started ({})", channel.name);
        let now = text(&Line::Launch(launch));
        let then = match self.playback.next(FrameSource::Program, &channel.name) {
            NextFrame::Frame(piece) => String::from_utf8_lossy(&piece.body).into_owned(),
            NextFrame::Nothing => "nothing more".to_owned(),
            NextFrame::NotYet => return std::future::pending().await,
        };
        if !self.playback.compare(place, &without_wording(&then), &without_wording(&now)) {
            return std::future::pending().await;
        }
        let is_next = |body: &[u8]| matches!(serde_json::from_slice(body), Ok(Line::Launch(_)));
        let lines = self.playback.take_until(FrameSource::Program, &channel.name, is_next);
        let read = |piece: &RecordedFrame| Some((piece.when, serde_json::from_slice(&piece.body).ok()?));
        let lines: VecDeque<(FrameTime, Line)> = lines.iter().filter_map(read).collect();
        if let Some((_, Line::Refused { detail, .. })) = lines.front() {
            return Err(DriverError::Program { program, problem: Problem::parse(detail) });
        }
        let (playback, name) = (Arc::clone(&self.playback), channel.name.to_string());
        Ok(Box::new(PlayedProgram { playback, name, lines, said: Notify::new() }))
    }
}

struct PlayedProgram {
    playback: Arc<Playback>,
    name: String,
    lines: VecDeque<(FrameTime, Line)>,
    said: Notify,
}

#[async_trait]
impl RunningProgram for PlayedProgram {
    /// What was heard next, once everything is said that had been said before it.
    async fn hear(&mut self) -> ProgramOutput {
        loop {
            match self.lines.front() {
                Some((when, Line::Hear(_))) => {
                    self.playback.turn(*when).await;
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
            self.playback.compare(|| format!("a program is told ({})", self.name), &then, &line);
        }
        std::future::pending::<()>().await;
    }

    /// Nothing runs.
    async fn close(&mut self) {}

    fn revoke(&mut self) -> Vec<Usage> {
        let heard = self.lines.drain(..).filter_map(|(_, line)| match line {
            Line::Hear(ProgramOutput::Metered(MeterReport::Used(usage))) => Some(usage),
            _ => None,
        });
        heard.collect()
    }
}

fn text(line: &Line) -> String {
    serde_json::to_string(line).unwrap_or_default()
}
