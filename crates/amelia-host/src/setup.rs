//! What a first profile can be made of: agents that are there, and checks that run.

mod environment_url;
mod found_agents;
mod listed_models;
mod trial;

pub use environment_url::with_environment_url;
pub use found_agents::{FoundAgent, MissingPart, found_agents};
pub use listed_models::{only_model, with_listed_model, with_models};
pub use trial::{TrialOutcome, TriedCheck, tried_checks};
