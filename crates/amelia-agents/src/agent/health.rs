//! Whether the model of an agent answers, as facts of the log; and the wait for it when it does not.

use std::time::Duration;

use amelia_core::driver::{AgentMessage, DriverError};
use amelia_core::event::system::HealthStatus;
use amelia_core::event::{Draft, EventKind, SystemEvent};
use amelia_core::object::Object;
use amelia_graph::node::NodeCx;

use super::{Agent, AgentAnswer, AgentStop};

impl Agent {
    /// How long to wait before the agent is asked again; `None` when it is not. What has been tried again by the driver
    /// or by a program is not multiplied here: a person would wait for an hour.
    pub(super) fn wait(&self, how: &AgentStop, attempt: u32) -> Option<Duration> {
        let AgentStop::Driver(DriverError::Unavailable { retry_after, tries: ..=1, .. }) = how else {
            return None;
        };
        let own = self.retry.delay(attempt)?;
        Some(retry_after.map_or(own, |wish| wish.max(own)))
    }

    pub(super) async fn wait_out(
        &self,
        cx: &NodeCx,
        answer: &Result<AgentAnswer, AgentStop>,
        attempt: u32,
        wait: Duration,
    ) -> Result<(), AgentStop> {
        if let Err(AgentStop::Driver(DriverError::Unavailable { provider, detail, .. })) = answer {
            let again = self.retry.words(attempt, wait);
            let retry = SystemEvent::retry(format!("{provider}: {detail}; {again}"));
            // Said once: all tries are about the same state.
            let health = (attempt == 0).then(|| self.health(cx, HealthStatus::Unhealthy));
            let retry = cx.draft(&self.name, EventKind::System(retry));
            cx.record(health.into_iter().chain([retry]).collect()).await?;
        }
        tokio::time::sleep(wait).await;
        Ok(())
    }

    /// That the model of the agent answers, or does not.
    pub(super) fn health(&self, cx: &NodeCx, status: HealthStatus) -> Draft {
        let component = format!("model:{}", self.model);
        let checked = SystemEvent::Checked { component, status, metrics: Object::new() };
        cx.draft(&self.name, EventKind::System(checked))
    }

    /// A driver that asks its model again says so each time; that the model fails, and answers again, is said once.
    pub(super) fn note_health(&self, cx: &NodeCx, message: &AgentMessage, is_failing: &mut bool) {
        let status = match message {
            AgentMessage::Retry { .. } if !*is_failing => HealthStatus::Unhealthy,
            AgentMessage::Said(_) if *is_failing => HealthStatus::Healthy,
            _ => return,
        };
        *is_failing = status == HealthStatus::Unhealthy;
        cx.note(vec![self.health(cx, status)]);
    }
}
