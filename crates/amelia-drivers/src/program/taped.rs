//! Programs whose conversation is kept: what starts them, what is heard, and what is said, in the order in which it was.

use std::sync::Arc;

use amelia_core::driver::{DriverError, Usage};
use amelia_core::recording::{Channel, FrameSource};
use amelia_core::redact::{Redactor, StreamRedactor};
use amelia_core::tool::ToolBox;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::{Launch, Launcher, MeterReport, ProgramOutput, RunningProgram};

/// One thing that happened between us and a program, as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Line {
    Launch(Launch),
    Refused { program: String, detail: String },
    Say(String),
    Hear(ProgramOutput),
}

/// Starts programs and keeps what is said.
pub struct Taped {
    pub inner: Arc<dyn Launcher>,
    pub redactor: Arc<Redactor>,
}

impl Taped {
    fn keep(redactor: &Redactor, channel: &Channel, line: Line) {
        // A line of ours always has a text.
        if let Ok(body) = serde_json::to_vec(&redactor.clean(line)) {
            channel.add(FrameSource::Program, body);
        }
    }
}

#[async_trait]
impl Launcher for Taped {
    async fn launch(
        &self,
        launch: Launch,
        channel: &Channel,
        tools: &Arc<dyn ToolBox>,
    ) -> Result<Box<dyn RunningProgram>, DriverError> {
        Self::keep(&self.redactor, channel, Line::Launch(launch.clone()));
        let launched = self.inner.launch(launch, channel, tools).await.inspect_err(|error| {
            if let DriverError::Program { program, problem } = error {
                let (program, detail) = (program.clone(), problem.to_text());
                Self::keep(&self.redactor, channel, Line::Refused { program, detail });
            }
        });
        let (channel, redactor) = (channel.clone(), Arc::clone(&self.redactor));
        Ok(Box::new(TapedProgram { inner: launched?, channel, redactor, pieces: StreamRedactor::default() }))
    }
}

struct TapedProgram {
    inner: Box<dyn RunningProgram>,
    channel: Channel,
    redactor: Arc<Redactor>,
    pieces: StreamRedactor,
}

#[async_trait]
impl RunningProgram for TapedProgram {
    async fn hear(&mut self) -> ProgramOutput {
        let heard = self.inner.hear().await;
        let kept = match &heard {
            ProgramOutput::Line(line) => {
                ProgramOutput::Line(self.pieces.clean(&self.redactor, line).into_owned())
            }
            other => other.clone(),
        };
        Taped::keep(&self.redactor, &self.channel, Line::Hear(kept));
        heard
    }

    async fn say(&mut self, line: &str) {
        Taped::keep(&self.redactor, &self.channel, Line::Say(line.to_owned()));
        self.inner.say(line).await;
    }

    /// Not kept: nothing is said, and nothing is heard.
    async fn close(&mut self) {
        self.inner.close().await;
    }

    fn revoke(&mut self) -> Vec<Usage> {
        let used = self.inner.revoke();
        for usage in &used {
            let heard = ProgramOutput::Metered(MeterReport::Used(usage.clone()));
            Taped::keep(&self.redactor, &self.channel, Line::Hear(heard));
        }
        used
    }
}
