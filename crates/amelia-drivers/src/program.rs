//! Programs that are agents: the port through which they are started, heard and spoken to. One line is one message.
//!
//! What a driver decides follows from what it hears here, and from nothing else: not from a clock, not from a file. So a
//! recording of this port plays a whole conversation again.

mod gateway;
mod live;
mod message_factory;
mod played;
mod problems;
pub(crate) mod rpc;
mod steered_word;
mod talk;
mod taped;
mod user_input;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use amelia_core::budget::LimitReached;
use amelia_core::driver::{DriverError, Usage};
use amelia_core::message::Message;
use amelia_core::recording::Channel;
use amelia_core::tool::ToolBox;
use async_trait::async_trait;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use gateway::{GatewayToken, ModelGateway};
pub use live::Spawn;
pub use message_factory::MessageFactory;
pub use played::Played;
pub(crate) use problems::{not_installed, was_silent};
pub(crate) use steered_word::{SteeredWord, in_conversation};
pub(crate) use talk::is_of_proxy;
pub use talk::{ProgramRetry, Protocol, ProtocolAction, TalkContext, converse};
pub use taped::Taped;
pub(crate) use user_input::EncodedInput;
pub use user_input::{UserInput, from_the_start, next_words};

/// Stands in an argument for where our proxy listens: it is known only where the program is started.
pub const PROXY_URL: &str = "{amelia-proxy}";

/// How a program is started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// A name that is looked for, or a path.
    pub program: String,
    pub args: Vec<String>,
    /// On top of the plain environment that every program gets.
    pub env: Vec<(String, Var)>,
    pub directory: PathBuf,
}

/// The value of a variable. Secrets are filled in where the program is started, and nowhere else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Var {
    Text(String),
    /// Where our proxy listens, with this path behind it.
    ProxyUrl(String),
    ProxyToken,
    /// A directory of ours that outlives the program and is only for this run, with this path below it.
    Kept(String),
}

/// What comes from a program, and about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProgramOutput {
    Line(String),
    /// What it used of a model, as the proxy has counted it.
    Metered(MeterReport),
    /// A person said this to the agent.
    Steered(Box<Message>),
    /// Nothing came for this long.
    Silent(Duration),
    /// It has ended; nothing more comes. `last_words` is the end of what it said on stderr.
    Ended {
        code: Option<i32>,
        last_words: String,
    },
}

/// What the proxy has to say about a program's calls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MeterReport {
    Used(Usage),
    /// A call was not made: it would have broken this limit.
    Exceeded(LimitReached),
    /// The account is used up until then.
    Quota {
        provider: String,
        resets_at: Option<Timestamp>,
        detail: String,
    },
    /// Nothing answers where its model should be. Reported once, until something does.
    Unreached {
        address: String,
        detail: String,
    },
}

/// A program that is running. Dropping it kills it, and everything that it has started.
#[async_trait]
pub trait RunningProgram: Send {
    /// What comes next. May be dropped and called again without losing anything. After [`Heard::Ended`] it says so again.
    async fn hear(&mut self) -> ProgramOutput;

    /// Says one line to it. A program that does not listen any more is heard to have ended.
    async fn say(&mut self, line: &str);

    /// Nothing more is said to it: lets it end by itself, for a bounded time. Some write down their conversation only
    /// after their last word, and would not have that word when they are started again.
    async fn close(&mut self);

    /// Takes its way to the model away, at once. Returns what was used and not heard yet: also by the call that is under
    /// way, as far as it can be estimated.
    fn revoke(&mut self) -> Vec<Usage> {
        Vec::new()
    }
}

/// Starts programs.
#[async_trait]
pub trait Launcher: Send + Sync {
    /// Starts a program; what is heard and said is kept on `channel`. People reach it through `tools`.
    async fn launch(
        &self,
        launch: Launch,
        channel: &Channel,
        tools: &Arc<dyn ToolBox>,
    ) -> Result<Box<dyn RunningProgram>, DriverError>;
}
