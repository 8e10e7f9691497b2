//! The calls that a connection has in progress, and what its server asks a person or a model meanwhile. The protocol does
//! not say which call a question belongs to, so it is only passed on when there is one.

use std::sync::Arc;

use amelia_core::elicitation::{Elicitation, ElicitationAnswer, Elicited};
use amelia_core::sampling::{Sampler, SamplingAnswer, SamplingRequest};
use amelia_core::text::capped;
use amelia_core::tool::{Elicit, ToolCx};
use parking_lot::Mutex;
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use serde_json::Value;

const LONGEST: usize = 500;

/// The calls in progress.
#[derive(Clone)]
pub(crate) struct ServerCalls {
    server: String,
    calls: Arc<Mutex<Vec<Arc<CallAsker>>>>,
}

/// Whom a call asks, and what it was not told.
struct CallAsker {
    elicit: Elicit,
    sampler: Option<Arc<dyn Sampler>>,
    declined: Mutex<Vec<String>>,
}

/// A call in progress, until it is dropped.
pub(crate) struct ServerCall {
    asker: Arc<CallAsker>,
    all: ServerCalls,
}

impl ServerCall {
    /// The questions that were declined so far, for the one who reads the result.
    pub(crate) fn declined(&self) -> Vec<String> {
        self.asker.declined.lock().clone()
    }
}

impl Drop for ServerCall {
    fn drop(&mut self) {
        self.all.calls.lock().retain(|other| !Arc::ptr_eq(other, &self.asker));
    }
}

impl ServerCalls {
    pub(crate) fn of(server: &str) -> Self {
        Self { server: server.to_owned(), calls: Arc::default() }
    }

    pub(crate) fn begin(&self, cx: &ToolCx) -> ServerCall {
        let (elicit, sampler) = (Arc::clone(&cx.elicit), cx.sampler.clone());
        let asker = Arc::new(CallAsker { elicit, sampler, declined: Mutex::default() });
        self.calls.lock().push(Arc::clone(&asker));
        ServerCall { asker, all: self.clone() }
    }

    /// The answer of a model, or why there is none.
    pub(crate) async fn sample(&self, request: SamplingRequest) -> Result<SamplingAnswer, String> {
        let sampler = match self.calls.lock().as_slice() {
            [call] => call.sampler.clone(),
            [] => return Err("no call of this server is in progress".to_owned()),
            [_, ..] => {
                return Err(
                    "several calls of this server are in progress: it is not known which asks".to_owned()
                );
            }
        };
        match sampler {
            Some(sampler) => sampler.sample(request).await,
            None => Err("no agent whose model Amelia calls has made this call".to_owned()),
        }
    }

    /// The answer to a question of the server.
    pub(crate) fn elicit(&self, request: ElicitRequestParams) -> ElicitResult {
        let calls = self.calls.lock().clone();
        let (message, elicited) = match (request, calls.as_slice()) {
            (ElicitRequestParams::FormElicitationParams { message, requested_schema, .. }, [call]) => {
                let schema = serde_json::to_value(requested_schema).unwrap_or_default();
                let asked = Elicitation { server: self.server.clone(), message, schema };
                let elicited = (call.elicit)(&asked);
                (asked.message, elicited)
            }
            (ElicitRequestParams::FormElicitationParams { message, .. }, _) => {
                let reason =
                    "several calls of this server were in progress, and it did not say which one asks";
                (message, Elicited::Declined(reason.to_owned()))
            }
            (ElicitRequestParams::UrlElicitationParams { message, url, .. }, _) => {
                (format!("{message} {url}"), Elicited::Declined("Amelia does not open addresses".to_owned()))
            }
            (_, _) => (String::new(), Elicited::Declined("Amelia does not support this kind".to_owned())),
        };
        match elicited {
            Elicited::Answered(ElicitationAnswer::Accept(fields)) => {
                ElicitResult::new(ElicitationAction::Accept).with_content(Value::Object(fields))
            }
            Elicited::Answered(ElicitationAnswer::Decline) => ElicitResult::new(ElicitationAction::Decline),
            Elicited::Answered(ElicitationAnswer::Cancel) | Elicited::Later => {
                ElicitResult::new(ElicitationAction::Cancel)
            }
            Elicited::Declined(reason) => {
                let message = capped(message.trim(), LONGEST);
                for call in &calls {
                    let note =
                        format!("[the server asked a question, which was declined: {reason}: {message}]");
                    call.declined.lock().push(note);
                }
                ElicitResult::new(ElicitationAction::Decline)
            }
        }
    }
}
