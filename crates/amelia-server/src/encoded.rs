//! Events as they are sent, written once for all sockets that tell them.

use std::collections::HashMap;

use amelia_core::id::{RunId, Seq};
use amelia_wire::rest::live::StreamFormat;
use axum::extract::ws::Utf8Bytes;
use parking_lot::Mutex;

/// Events that are kept; beyond, all are forgotten and written again when they are asked for.
const KEPT: usize = 2048;

/// `None`: these words have no name for the event.
type Text = Option<Utf8Bytes>;

#[derive(Default)]
pub(crate) struct EncodedEvents(Mutex<HashMap<(RunId, Seq, StreamFormat), Text>>);

impl EncodedEvents {
    /// The text of an event, made by the first reader. What a log says does not change.
    pub(crate) fn text(
        &self,
        run: RunId,
        seq: Seq,
        format: StreamFormat,
        make: impl FnOnce() -> Text,
    ) -> Text {
        let key = (run, seq, format);
        if let Some(text) = self.0.lock().get(&key) {
            return text.clone();
        }
        let text = make();
        let mut kept = self.0.lock();
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(key, text.clone());
        text
    }
}
