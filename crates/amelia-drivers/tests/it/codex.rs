//! The `codex` program: the real one against a scripted model, its own schema, and programs that only claim to be it.

mod fake;
mod real;
mod schema;

use amelia_core::config::agent::CodexMode;
use amelia_drivers::codex::{CodexDriver, CodexSettings};
use amelia_drivers::program::TalkContext;

/// As it comes: spoken with, through our gate, and nobody wants to be asked.
pub(crate) fn settings(program: &str) -> CodexSettings {
    CodexSettings { program: program.to_owned(), mode: CodexMode::Server, is_proxied: true, asks: false }
}

pub(crate) fn with(settings: CodexSettings) -> impl FnOnce(TalkContext) -> CodexDriver {
    move |stage| CodexDriver { stage, settings }
}
