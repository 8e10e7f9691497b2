//! Programs whose conversation is kept: what starts them, what is heard, and what is said, in the order in which it was.

use std::sync::Arc;

use amelia_core::driver::DriverError;
use amelia_core::recording::{Source, Strand};
use amelia_core::redact::{Pieces, Redactor};
use amelia_core::tool::ToolBox;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::{Heard, Launch, Launcher, Program};

/// One thing that happened between us and a program, as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Line {
    Launch(Launch),
    Refused { program: String, detail: String },
    Say(String),
    Hear(Heard),
}

/// Starts programs and keeps what is said.
pub struct Taped {
    pub inner: Arc<dyn Launcher>,
    pub redactor: Arc<Redactor>,
}

impl Taped {
    fn keep(redactor: &Redactor, strand: &Strand, line: Line) {
        // A line of ours always has a text.
        if let Ok(body) = serde_json::to_vec(&redactor.clean(line)) {
            strand.add(Source::Program, body);
        }
    }
}

#[async_trait]
impl Launcher for Taped {
    async fn launch(
        &self,
        launch: Launch,
        strand: &Strand,
        tools: &Arc<dyn ToolBox>,
    ) -> Result<Box<dyn Program>, DriverError> {
        Self::keep(&self.redactor, strand, Line::Launch(launch.clone()));
        let launched = self.inner.launch(launch, strand, tools).await.inspect_err(|error| {
            if let DriverError::Program { program, detail } = error {
                let (program, detail) = (program.clone(), detail.clone());
                Self::keep(&self.redactor, strand, Line::Refused { program, detail });
            }
        });
        let (strand, redactor) = (strand.clone(), Arc::clone(&self.redactor));
        Ok(Box::new(TapedProgram { inner: launched?, strand, redactor, pieces: Pieces::default() }))
    }
}

struct TapedProgram {
    inner: Box<dyn Program>,
    strand: Strand,
    redactor: Arc<Redactor>,
    pieces: Pieces,
}

#[async_trait]
impl Program for TapedProgram {
    async fn hear(&mut self) -> Heard {
        let heard = self.inner.hear().await;
        let kept = match &heard {
            Heard::Line(line) => Heard::Line(self.pieces.clean(&self.redactor, line).into_owned()),
            other => other.clone(),
        };
        Taped::keep(&self.redactor, &self.strand, Line::Hear(kept));
        heard
    }

    async fn say(&mut self, line: &str) {
        Taped::keep(&self.redactor, &self.strand, Line::Say(line.to_owned()));
        self.inner.say(line).await;
    }
}
