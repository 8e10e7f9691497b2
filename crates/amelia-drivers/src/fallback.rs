//! Programs that continue for one that is not available. The conversation goes with them as far as it was said; what the
//! first one did to files is there to be seen.

use std::sync::Arc;

use amelia_core::driver::{
    AgentMessage, AgentMessageStream, AgentRequest, Driver, DriverError, ModelOptions,
};
use amelia_core::message::Message;
use amelia_core::tool::{ToolBox, ToolCx};
use futures_util::StreamExt;

/// A program, and others for when it is not available.
pub struct FallbackDriver {
    pub first: Arc<dyn Driver>,
    /// In this order.
    pub others: Vec<Substitute>,
}

/// Who continues.
#[derive(Clone)]
pub struct Substitute {
    pub driver: Arc<dyn Driver>,
    pub model: String,
    pub options: ModelOptions,
}

impl Driver for FallbackDriver {
    fn run(&self, request: AgentRequest, tools: Arc<dyn ToolBox>, cx: ToolCx) -> AgentMessageStream {
        let (mut driver, mut others) = (Arc::clone(&self.first), self.others.clone().into_iter());
        Box::pin(async_stream::try_stream! {
            let mut so_far = SoFar::new(request);
            loop {
                let mut said = driver.run(so_far.request.clone(), Arc::clone(&tools), cx.clone());
                let mut gone = None;
                while let Some(next) = said.next().await {
                    match next {
                        Ok(message) => {
                            so_far.heard(&message);
                            yield message;
                        }
                        Err(error) if others.len() > 0 && is_elsewhere_better(&error) => gone = Some(error),
                        Err(error) => Err(error)?,
                    }
                }
                let Some((error, next)) = gone.and_then(|error| Some((error, others.next()?))) else { return };
                yield AgentMessage::Notice { text: continues(&next.model, &error) };
                so_far.continued_by(&next);
                driver = next.driver;
            }
        })
    }
}

/// The conversation as the next one gets it.
struct SoFar {
    request: AgentRequest,
    said: Vec<Arc<Message>>,
}

impl SoFar {
    fn new(request: AgentRequest) -> Self {
        Self { request, said: Vec::new() }
    }

    fn heard(&mut self, message: &AgentMessage) {
        match message {
            AgentMessage::Said(message) => self.said.push(Arc::new((**message).clone())),
            // The same program with another model still has it; another one says that it does not.
            AgentMessage::Session(session) => self.request.session = Some(session.clone()),
            AgentMessage::Delta { .. }
            | AgentMessage::Thinking { .. }
            | AgentMessage::ToolCall(_)
            | AgentMessage::ToolResult(_)
            | AgentMessage::Nested { .. }
            | AgentMessage::Usage(_)
            | AgentMessage::Notice { .. }
            | AgentMessage::ScriptedModel
            | AgentMessage::Retry { .. }
            | AgentMessage::Result { .. } => {}
        }
    }

    fn continued_by(&mut self, next: &Substitute) {
        self.request.messages.append(&mut self.said);
        self.request.model.clone_from(&next.model);
        self.request.options = next.options.clone();
        self.request.unheard = self.request.messages.len();
    }
}

/// Whether another one may answer where this one did not.
pub(crate) fn is_elsewhere_better(error: &DriverError) -> bool {
    matches!(error, DriverError::Unavailable { .. } | DriverError::Held { .. } | DriverError::Quota { .. })
}

/// The message to people.
pub(crate) fn continues(model: &str, error: &DriverError) -> String {
    let why = error.to_string();
    format!("{model} continues: {}", why.lines().next().unwrap_or_default())
}
