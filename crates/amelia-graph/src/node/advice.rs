//! Questions that nothing waits for: the agent that asks continues, and gets the answer as a message.

use amelia_core::event::{Draft, EventKind, HumanEvent};
use amelia_core::human::HumanRequest;
use amelia_core::id::{AgentName, RequestId};
use amelia_core::store::StoreError;

use super::{NodeCx, Shared};

impl Shared {
    /// Takes the answer to this question when it comes, though nothing waits for it.
    pub(crate) fn await_advice(&self, request: HumanRequest) {
        self.advice.lock().push(request);
    }

    /// The question that nothing waits for, if it has no answer yet.
    pub(crate) fn take_advice(&self, id: RequestId) -> Option<HumanRequest> {
        let mut advice = self.advice.lock();
        let place = advice.iter().position(|request| request.id == id)?;
        Some(advice.remove(place))
    }
}

impl NodeCx {
    /// Asks a person, and does not wait: the agent that asks gets the answer as a message. Durable when it returns.
    pub async fn ask_for_advice(&self, request: HumanRequest) -> Result<(), StoreError> {
        // Before people see it: the answer may come at once.
        self.shared.await_advice(request.clone());
        let draft = self.draft(&AgentName::system(), EventKind::Human(HumanEvent::Requested(request)));
        self.record(vec![Draft { session: None, domain: self.shared.domain, ..draft }]).await
    }
}
