//! A whole answer read without a server, for the fuzz targets.

use super::chat::Chat;
use super::codec::{AnswerReader as _, Codec};
use super::messages::Messages;
use super::responses::Responses;
use super::sse::SseParser;
use super::{Failure, ModelRequest, Reply, WireFormat};

/// All of them.
pub const WIRES: [WireFormat; 3] = [WireFormat::Chat, WireFormat::Responses, WireFormat::Messages];

/// Reads `bytes` in pieces of `size`.
pub fn read(wire: WireFormat, bytes: &[u8], size: usize) -> Result<Reply, Failure> {
    match wire {
        WireFormat::Chat => read_with(&Chat, bytes, size),
        WireFormat::Responses => read_with(&Responses, bytes, size),
        WireFormat::Messages => read_with(&Messages, bytes, size),
    }
}

fn read_with<C: Codec>(codec: &C, bytes: &[u8], size: usize) -> Result<Reply, Failure> {
    let request = ModelRequest {
        model: "fuzzed".to_owned(),
        system: String::new(),
        messages: Default::default(),
        changed_from: None,
        tools: Default::default(),
        answer: None,
        options: Default::default(),
        traits: Default::default(),
        channel: amelia_core::recording::Strand::default(),
    };
    let mut reader = codec.reader(&request);
    let mut parser = SseParser::default();
    for piece in bytes.chunks(size) {
        for event in parser.feed(piece) {
            reader.read(&event?)?;
            if reader.is_complete() {
                return reader.finish();
            }
        }
    }
    reader.finish()
}
