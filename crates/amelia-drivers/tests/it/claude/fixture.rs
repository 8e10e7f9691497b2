//! `claude` at a desk: the real one, or a program in its place.

use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};

use amelia_drivers::claude::{ClaudeDriver, ClaudeSettings};
use amelia_scripted::ScriptedServer;

use crate::fixture::{ConversationFixture, Work};

/// A desk for the program at a path.
pub(crate) struct Claude {
    pub(crate) program: PathBuf,
    fixture: ConversationFixture,
}

impl Claude {
    pub(crate) fn new(program: &Path) -> Self {
        let fixture = ConversationFixture { model: "claude-sonnet-4-5", ..ConversationFixture::new() };
        Self { program: program.to_owned(), fixture }
    }

    pub(crate) fn start(&self) -> Work {
        let program = self.program.to_str().unwrap().to_owned();
        let settings = ClaudeSettings { program, is_proxied: false };
        self.fixture.start(|stage| ClaudeDriver { stage, settings })
    }
}

impl Deref for Claude {
    type Target = ConversationFixture;

    fn deref(&self) -> &ConversationFixture {
        &self.fixture
    }
}

impl DerefMut for Claude {
    fn deref_mut(&mut self) -> &mut ConversationFixture {
        &mut self.fixture
    }
}

/// The variables by which `claude` finds the scripted model.
pub(crate) fn at(server: &ScriptedServer) -> Vec<(String, String)> {
    [("ANTHROPIC_BASE_URL", server.url()), ("ANTHROPIC_AUTH_TOKEN", "scripted".to_owned())]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec()
}
