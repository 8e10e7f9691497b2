//! What is wrong with a text, and the piece of it that people see.

use std::ops::Range;

use super::secrets;

/// Characters of a sample.
const LENGTH: usize = 200;
/// Characters of it before the problem.
const BEFORE: usize = 80;

/// What a rule has found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) message: String,
    /// Where in the text, in bytes, if at one place.
    pub(super) at: Option<Range<usize>>,
    /// It is not shown.
    pub(super) is_private: bool,
}

impl Finding {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), at: None, is_private: false }
    }
}

/// The beginning of the text, or what is around the finding; without secrets.
pub(super) fn shown(text: &str, finding: &Finding) -> String {
    let mut text = std::borrow::Cow::Borrowed(text);
    let mut start = finding.at.as_ref().map_or(0, |at| at.start);
    if let (Some(at), true) = (&finding.at, finding.is_private) {
        let (before, after) = (text.get(..at.start), text.get(at.end..));
        text =
            format!("{}{}{}", before.unwrap_or_default(), secrets::REMOVED, after.unwrap_or_default()).into();
    }
    let from = text.get(..start).unwrap_or_default().char_indices().rev().nth(BEFORE.saturating_sub(1));
    start = from.map_or(0, |(place, _)| place);
    let rest = text.get(start..).unwrap_or_default();
    // More than is shown, so that no secret is cut in the middle and missed.
    let wide: String = rest.chars().take(LENGTH * 4).collect();
    let clean = secrets::without(&wide);
    let mut sample: String = clean.chars().take(LENGTH).collect();
    if start > 0 {
        sample = format!("…{sample}").chars().take(LENGTH).collect();
    }
    sample
}
