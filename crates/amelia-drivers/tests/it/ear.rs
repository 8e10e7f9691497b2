//! Listens to what is said between a driver and its program.

use std::sync::{Arc, Mutex};

use amelia_core::driver::DriverError;
use amelia_core::recording::Channel;
use amelia_core::tool::ToolBox;
use amelia_drivers::program::{Launch, Launcher, ProgramOutput, RunningProgram, TalkContext};
use async_trait::async_trait;
use serde_json::Value;

/// All that was said, in order.
type Lines = Arc<Mutex<Vec<(Speaker, Value)>>>;

/// Listens in.
#[derive(Default)]
pub(crate) struct Ear(Lines);

impl Ear {
    /// Surroundings in which it does.
    pub(crate) fn at(&self, stage: TalkContext) -> TalkContext {
        let launcher = Arc::new(Listening { inner: Arc::clone(&stage.launcher), lines: Arc::clone(&self.0) });
        TalkContext { launcher, ..stage }
    }

    pub(crate) fn lines(self) -> Vec<(Speaker, Value)> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

struct Listening {
    inner: Arc<dyn Launcher>,
    lines: Lines,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speaker {
    We,
    They,
}

#[async_trait]
impl Launcher for Listening {
    async fn launch(
        &self,
        launch: Launch,
        channel: &Channel,
        tools: &Arc<dyn ToolBox>,
    ) -> Result<Box<dyn RunningProgram>, DriverError> {
        let program = self.inner.launch(launch, channel, tools).await?;
        Ok(Box::new(Overheard { program, lines: Arc::clone(&self.lines) }))
    }
}

struct Overheard {
    program: Box<dyn RunningProgram>,
    lines: Lines,
}

impl Overheard {
    fn keep(&self, speaker: Speaker, line: &str) {
        if let Ok(value) = serde_json::from_str(line) {
            self.lines.lock().unwrap().push((speaker, value));
        }
    }
}

#[async_trait]
impl RunningProgram for Overheard {
    async fn hear(&mut self) -> ProgramOutput {
        let heard = self.program.hear().await;
        if let ProgramOutput::Line(line) = &heard {
            self.keep(Speaker::They, line);
        }
        heard
    }

    async fn say(&mut self, line: &str) {
        self.keep(Speaker::We, line);
        self.program.say(line).await;
    }

    async fn close(&mut self) {
        self.program.close().await;
    }
}
