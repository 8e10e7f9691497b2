//! What a server returned, as a model reads it. Pure.

use amelia_core::text::capped;
use amelia_core::tool::ToolOutput;
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};

use crate::failure::refusal;

/// It may have data in it that no model can read.
const UNKNOWN: &str = "[content of a kind that Amelia does not know]";
const LONGEST_KIND: usize = 100;

/// The result of a call. What is no text is named with its kind and size.
pub(crate) fn output_of(result: &CallToolResult) -> ToolOutput {
    let mut texts: Vec<String> = result.content.iter().map(text_of).collect();
    // Servers repeat structured content as text; those that do not mean it to be read.
    if let (true, Some(value)) = (texts.is_empty(), &result.structured_content) {
        texts.push(value.to_string());
    }
    let text = texts.join("\n");
    if result.is_error != Some(true) {
        return ToolOutput::done(text);
    }
    let failure = refusal(&text);
    let text = if text.is_empty() { "the tool failed and said nothing".to_owned() } else { text };
    ToolOutput { failure: Some(failure), ..ToolOutput::failed(text) }
}

fn text_of(content: &ContentBlock) -> String {
    match content {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => blob("image", &image.mime_type, image.data.len()),
        ContentBlock::Audio(audio) => blob("audio", &audio.mime_type, audio.data.len()),
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => format!("{uri}\n{text}"),
            ResourceContents::BlobResourceContents { uri, mime_type, blob: data, .. } => {
                format!("{uri} {}", blob("resource", mime_type.as_deref().unwrap_or("unknown"), data.len()))
            }
            _ => UNKNOWN.to_owned(),
        },
        ContentBlock::ResourceLink(link) => format!("{} ({})", link.uri, link.name),
        _ => UNKNOWN.to_owned(),
    }
}

/// Base64 has four letters for three bytes.
fn blob(what: &str, kind: &str, letters: usize) -> String {
    let bytes = letters / 4 * 3;
    let size = if bytes < 1_000 { format!("{bytes} bytes") } else { format!("{} kB", bytes / 1_000) };
    format!("[{what} {}, {size}]", capped(kind, LONGEST_KIND))
}
