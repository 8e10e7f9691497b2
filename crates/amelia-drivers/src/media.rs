//! Images and sound in a conversation: what they are made of, and what is said of them to those who take none. Pure.

use amelia_core::message::Part;

/// The kind and the data of a `data:` URL.
pub(crate) fn data_url(url: &str) -> Option<(&str, &str)> {
    let (kind, data) = url.strip_prefix("data:")?.split_once(',')?;
    Some((kind.strip_suffix(";base64")?, data))
}

/// What is said in the place of an image or a sound. `None` for everything else.
pub(crate) fn in_words(part: &Part) -> Option<String> {
    let about = |words: &Option<String>, url: &str| match words {
        Some(words) => words.clone(),
        None if url.starts_with("data:") => "no description".to_owned(),
        None => url.to_owned(),
    };
    match part {
        Part::Image(image) => {
            Some(format!("[An image that you cannot see: {}]", about(&image.alt_text, &image.url)))
        }
        Part::Audio(audio) => {
            Some(format!("[A recording that you cannot hear: {}]", about(&audio.transcript, &audio.url)))
        }
        Part::Text(_)
        | Part::Thinking(_)
        | Part::ToolCall(_)
        | Part::ToolResult(_)
        | Part::Artifact(_)
        | Part::Memory(_)
        | Part::Guardrail(_) => None,
    }
}
