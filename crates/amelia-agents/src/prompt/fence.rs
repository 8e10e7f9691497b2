//! Tags around what a prompt quotes.

use amelia_core::tag::{CONVENTIONS, UNTRUSTED, tagged};

/// Text from outside.
pub(crate) fn untrusted(text: &str, source: &str) -> String {
    tagged(UNTRUSTED, text, source)
}

/// Text of the repository about itself.
pub(crate) fn conventions(text: &str, source: &str) -> String {
    tagged(CONVENTIONS, text, source)
}
