//! A recording as a file: one JSON object a line, so that it can be read, compared and kept in a repository.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use amelia_core::checkpoint::{Checkpoint, SavedState};
use amelia_core::event::{Event, EventKind, RunEvent};
use amelia_core::id::{RunId, Seq};
use amelia_core::recording::{Frame, FrameSource, StoredFrame};
use amelia_core::store::Store;
use amelia_graph::travel;
use anyhow::{Context, Result, anyhow};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The shape of the file. Another number is another shape.
const VERSION: u32 = 1;
/// The number of a run's first checkpoint.
const FIRST: u32 = 1;

/// A run, and everything that came from outside while it was at work.
#[derive(Debug, Clone)]
pub struct Recording {
    pub run: RunId,
    /// Where a fork begins.
    pub start: Option<Beginning>,
    pub events: Vec<Event>,
    pub frames: Vec<StoredFrame>,
}

/// The first checkpoint of a fork, and the end of the log there.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Beginning {
    pub seq: Seq,
    pub checkpoint: Checkpoint,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    AmeliaRecording { version: u32, run: RunId, events: usize, frames: usize },
    Beginning(Box<Beginning>),
    Event(Box<Event>),
    Frame(FrameLine),
}

#[derive(Serialize, Deserialize)]
struct FrameLine {
    after: Seq,
    end: Seq,
    #[serde(rename = "strand")]
    channel: String,
    source: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
}

impl Recording {
    /// What a store has of a run.
    pub async fn of(store: &dyn Store, run: RunId) -> Result<Self> {
        let mut events: Vec<Event> = Vec::new();
        loop {
            let after = events.last().map_or(Seq::START, |event| event.seq);
            let page = store.events(run, after, 1000).await?;
            if page.is_empty() {
                break;
            }
            events.extend(page);
        }
        let start = Beginning::of(store, run, &events).await?;
        let recording = Self { run, start, events, frames: store.frames(run).await? };
        if !recording.is_numbered() {
            return Err(anyhow!("retention removed parts of the log of this run: it cannot be replayed"));
        }
        Ok(recording)
    }

    /// Whether no fact is missing.
    fn is_numbered(&self) -> bool {
        (1..).zip(&self.events).all(|(number, event)| event.seq == Seq(number))
    }

    /// The repository that it worked on.
    pub fn repository(&self) -> Option<PathBuf> {
        self.events.iter().find_map(|event| match &event.draft.kind {
            EventKind::Run(RunEvent::Created { spec }) => Some(spec.place.as_ref()?.repository.clone()),
            _ => None,
        })
    }

    /// As the text of a file.
    pub fn to_text(&self) -> Result<String> {
        let mut text = String::new();
        let mut line = |line: &Line| -> Result<()> {
            writeln!(text, "{}", serde_json::to_string(line)?)?;
            Ok(())
        };
        let (events, frames) = (self.events.len(), self.frames.len());
        line(&Line::AmeliaRecording { version: VERSION, run: self.run, events, frames })?;
        if let Some(start) = &self.start {
            line(&Line::Beginning(Box::new(start.clone())))?;
        }
        for event in &self.events {
            line(&Line::Event(Box::new(event.clone())))?;
        }
        for written in &self.frames {
            line(&Line::Frame(FrameLine::of(written)))?;
        }
        Ok(text)
    }

    /// From the text of a file; the error names the line.
    pub fn parse(text: &str) -> Result<Self> {
        let mut recording: Option<Self> = None;
        let mut counted = (0, 0);
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let line: Line = serde_json::from_str(line).with_context(|| format!("line {number}"))?;
            match (line, &mut recording) {
                (Line::AmeliaRecording { version: VERSION, run, events, frames }, None) => {
                    counted = (events, frames);
                    recording = Some(Self { run, start: None, events: Vec::new(), frames: Vec::new() });
                }
                (Line::AmeliaRecording { version, .. }, None) => {
                    return Err(anyhow!("it has format {version}, and this program reads format {VERSION}"));
                }
                (_, None) => return Err(anyhow!("line {number}: this is not the start of a recording")),
                (Line::AmeliaRecording { .. }, Some(_)) => {
                    return Err(anyhow!("line {number}: a second start"));
                }
                (Line::Beginning(start), Some(recording)) => recording.start = Some(*start),
                (Line::Event(event), Some(recording)) => recording.events.push(*event),
                (Line::Frame(frame), Some(recording)) => {
                    recording.frames.push(frame.read().with_context(|| format!("line {number}"))?);
                }
            }
        }
        let recording = recording.ok_or_else(|| anyhow!("it is empty"))?;
        let found = (recording.events.len(), recording.frames.len());
        if found != counted || found.0 == 0 {
            return Err(anyhow!(
                "it is not complete: it has {} events and {} frames of {} and {}",
                found.0,
                found.1,
                counted.0,
                counted.1
            ));
        }
        if !recording.is_numbered() {
            return Err(anyhow!("its events are not numbered 1, 2, 3 …"));
        }
        Ok(recording)
    }
}

impl Beginning {
    /// Where a run begins that is a fork; nothing for any other.
    async fn of(store: &dyn Store, run: RunId, events: &[Event]) -> Result<Option<Self>> {
        let is_fork = events.iter().any(|event| {
            matches!(&event.draft.kind, EventKind::Run(RunEvent::Created { spec }) if spec.forked_from.is_some())
        });
        if !is_fork {
            return Ok(None);
        }
        let first = travel::read(store, run, FIRST).await?;
        let state = SavedState::Snapshot(RawValue::from_string(first.snapshot)?);
        let (graph, version, at, position) = (first.graph, first.version, first.at, first.position);
        let checkpoint = Checkpoint { graph, version, at, position, state };
        Ok(Some(Self { seq: first.seq, checkpoint }))
    }
}

impl FrameLine {
    fn of(StoredFrame { after, end, frame }: &StoredFrame) -> Self {
        let (text, base64) = match String::from_utf8(frame.body.clone()) {
            Ok(text) => (Some(text), None),
            Err(other) => (None, Some(STANDARD.encode(other.as_bytes()))),
        };
        Self {
            after: *after,
            end: *end,
            channel: frame.channel.to_string(),
            source: frame.source.to_string(),
            text,
            base64,
        }
    }

    fn read(self) -> Result<StoredFrame> {
        let source = FrameSource::ALL.into_iter().find(|source| source.to_string() == self.source);
        let source = source.ok_or_else(|| anyhow!("there is no source `{}`", self.source))?;
        let body = match (self.text, self.base64) {
            (Some(text), None) => text.into_bytes(),
            (None, Some(base64)) => STANDARD.decode(base64)?,
            _ => return Err(anyhow!("a frame has either `text` or `base64`")),
        };
        let frame = Frame { channel: Arc::from(self.channel), source, body };
        Ok(StoredFrame { after: self.after, end: self.end, frame })
    }
}
