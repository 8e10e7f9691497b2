//! The description of an issue as people and models read it: its text, its labels, its comments, all bounded.
//!
//! Nothing is taken out and nothing is made safe here: this is data, and prompts fence it.

use amelia_core::text::capped;

/// Bytes of the text itself, of one comment, and of all comments together.
const LONGEST_BODY: usize = 120_000;
const LONGEST_COMMENT: usize = 20_000;
const LONGEST_COMMENTS: usize = 60_000;

pub(crate) struct Comment {
    pub(crate) author: String,
    pub(crate) at: String,
    pub(crate) text: String,
}

/// One Markdown text of it all.
pub(crate) fn description(body: &str, labels: &[String], comments: &[Comment]) -> String {
    let mut parts = Vec::new();
    let body = body.trim();
    if !body.is_empty() {
        parts.push(capped(body, LONGEST_BODY));
    }
    if !labels.is_empty() {
        parts.push(format!("Labels: {}", labels.join(", ")));
    }
    let comments: Vec<String> = comments.iter().filter_map(shown).collect();
    if !comments.is_empty() {
        parts.push("## Comments".to_owned());
        parts.push(capped(&comments.join("\n\n"), LONGEST_COMMENTS));
    }
    parts.join("\n\n")
}

fn shown(comment: &Comment) -> Option<String> {
    let Comment { author, at, text } = comment;
    let text = text.trim();
    (!text.is_empty()).then(|| format!("### {author}, {at}\n\n{}", capped(text, LONGEST_COMMENT)))
}

/// Only what cannot end the place a marker stands in.
pub(crate) fn marker_text(marker: &str) -> String {
    let safe = marker.chars().filter(|c| c.is_ascii_alphanumeric() || "-_".contains(*c));
    format!("amelia:{}", safe.collect::<String>())
}
