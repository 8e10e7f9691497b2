//! A model server that plays a script: no key, no network, the same answer every time.
//!
//! It speaks OpenAI Chat Completions, OpenAI Responses and Anthropic Messages, streaming and not, and fails in every
//! way a script asks for. A request that no rule expects is refused with what was asked and what was expected. It
//! must never be taken for a real model: every answer carries the header `x-amelia-scripted`.
//!
//! ```
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use amelia_scripted::{Script, serve};
//!
//! let script = Script::parse("rules: [{reply: {text: hello}}]")?;
//! let server = serve(script, ([127, 0, 0, 1], 0).into()).await?;
//! println!("OPENAI_BASE_URL={}/v1", server.url());
//! server.shutdown().await;
//! # Ok(())
//! # }
//! ```

mod script;

mod conversation;
mod matching;
mod player;

mod answer;
mod fingerprint;
mod wire;

mod delivery;
mod embedding;
mod server;

pub use conversation::ScriptedApi;
pub use player::{PlayOutcome, RecordedRequest};
pub use script::{Script, ScriptError, schema};
pub use server::{ScriptedServer, serve};
