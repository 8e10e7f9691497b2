//! Agents of the Agent Client Protocol: two real ones against a scripted model, the protocol's schema, and programs that
//! only claim to be one.

mod fake;
pub(crate) mod real;
mod schema;

use amelia_drivers::acp::{AcpDriver, AcpSettings};
use amelia_drivers::program::TalkContext;

pub(crate) fn with(command: &[String]) -> impl FnOnce(TalkContext) -> AcpDriver + use<> {
    let settings = AcpSettings { command: command.to_vec() };
    move |stage| AcpDriver { stage, settings }
}
