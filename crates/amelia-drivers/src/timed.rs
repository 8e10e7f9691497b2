//! The time that a run may take: it ends a conversation in the middle of a call, too.

use std::sync::Arc;

use amelia_core::budget::BudgetGate;
use amelia_core::clock::Clock;
use amelia_core::driver::{AgentMessageStream, AgentRequest, Driver, DriverError};
use amelia_core::tool::{ToolBox, ToolCx};
use futures_util::StreamExt;

/// A driver within the time of its run. What it is doing when the time is used up is dropped, as when the run is paused.
pub struct Timed {
    pub inner: Arc<dyn Driver>,
    pub budget_gate: BudgetGate,
    pub clock: Arc<dyn Clock>,
}

impl Driver for Timed {
    fn run(&self, request: AgentRequest, tools: Arc<dyn ToolBox>, cx: ToolCx) -> AgentMessageStream {
        let (budget_gate, now, channel) =
            (self.budget_gate.clone(), self.clock.now(), request.channel.clone());
        let mut said = self.inner.run(request, tools, cx);
        Box::pin(async_stream::try_stream! {
            let mut over = std::pin::pin!(budget_gate.time_is_over(now, &channel, tokio::time::sleep));
            loop {
                let next = tokio::select! {
                    // First, so that nothing is begun without any time left.
                    biased;
                    limit = &mut over => Some(Err(DriverError::Budget(limit))),
                    next = said.next() => next,
                };
                match next {
                    Some(message) => yield message?,
                    None => return,
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use amelia_core::budget::{
        Account, Budget, BudgetExceeded, BudgetScope, LimitOwner, LimitReached, Spend,
    };
    use amelia_core::clock::SystemClock;
    use amelia_core::driver::{AgentMessage, ModelOptions, UsageMeter};
    use amelia_core::id::AgentName;
    use amelia_core::recording::Channel;
    use amelia_core::tool::{ToolCall, ToolResult, ToolSpec};
    use async_trait::async_trait;
    use jiff::SignedDuration;

    use super::*;

    /// Says one thing and is then silent for ever.
    struct Silent;

    impl Driver for Silent {
        fn run(&self, _: AgentRequest, _: Arc<dyn ToolBox>, _: ToolCx) -> AgentMessageStream {
            let said =
                futures_util::stream::once(async { Ok(AgentMessage::Notice { text: "hm".to_owned() }) });
            Box::pin(said.chain(futures_util::stream::pending()))
        }
    }

    struct NoTools;

    #[async_trait]
    impl ToolBox for NoTools {
        fn specs(&self) -> Vec<ToolSpec> {
            Vec::new()
        }

        async fn call(&self, _: &ToolCx, call: &ToolCall) -> ToolResult {
            ToolResult::interrupted(call)
        }
    }

    fn request() -> AgentRequest {
        AgentRequest {
            agent: AgentName::new("developer").unwrap(),
            model: "m".to_owned(),
            system: String::new(),
            messages: Vec::new(),
            answer: None,
            options: ModelOptions::default(),
            max_turns: 1,
            session: None,
            unheard: usize::MAX,
            channel: Channel::default(),
            meter: UsageMeter::default(),
        }
    }

    async fn said(spent: i64) -> Vec<Result<AgentMessage, DriverError>> {
        let budget = Budget { wall_seconds: Some(60), ..Budget::default() };
        let account = Account::new(budget, Spend::default());
        let account = account.going_on(SystemClock.now(), SignedDuration::from_secs(spent));
        let budget_gate = BudgetGate::live(BudgetScope::new(account));
        let timed = Timed { inner: Arc::new(Silent), budget_gate, clock: Arc::new(SystemClock) };
        timed.run(request(), Arc::new(NoTools), ToolCx::default()).collect().await
    }

    fn used_up() -> Result<AgentMessage, DriverError> {
        let limit = BudgetExceeded::Time { limit: 60, taken: 60 };
        Err(DriverError::Budget(LimitReached { whose: LimitOwner::Run, limit }))
    }

    #[tokio::test(start_paused = true)]
    async fn a_driver_that_says_nothing_more_ends_with_the_time_of_its_run() {
        assert_eq!(said(0).await, [Ok(AgentMessage::Notice { text: "hm".to_owned() }), used_up()]);
        assert_eq!(said(61).await, [used_up()]);
    }
}
