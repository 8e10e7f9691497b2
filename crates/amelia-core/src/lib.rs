//! The model: one word per thing, and the ports through which the rest of the program acts on the world.
//!
//! No runtime, no I/O, no dialect. Everything here is plain data, pure functions over it, and traits.
//! Modules are listed in reading order.

pub mod any_path;
pub mod artifact;
pub mod ask_human;
pub mod attachment;
pub mod budget;
pub mod check;
pub mod checkpoint;
pub mod claim;
pub mod clock;
pub mod config;
pub mod definition;
pub mod delivery;
pub mod design;
pub mod document;
pub mod driver;
pub mod effect;
pub mod elicitation;
pub mod event;
pub mod failing_calls;
pub mod guardrail;
pub mod human;
pub mod human_tool;
pub mod id;
pub mod journal;
pub mod key_source;
pub mod loopback;
pub mod memory;
pub mod message;
pub mod object;
pub mod oracle;
pub mod permission;
pub mod plan;
pub mod problem;
pub mod quota;
pub mod recording;
pub mod redact;
pub mod review;
pub mod rights;
pub mod run;
pub mod sampling;
pub mod state_updates;
pub mod stop_rule;
pub mod store;
pub mod survey;
pub mod tag;
pub mod text;
pub mod tool;
pub mod tool_call;
pub mod tool_failure;
pub mod tracker;
pub mod usage;
pub mod view;
pub mod workplace;
