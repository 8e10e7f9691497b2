//! What a server returned, as a model reads it. Images, audio and resources are kept as files, and named in the text.

use amelia_core::text::capped;
use amelia_core::tool::{KeepFile, ResultFile, ToolOutput};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};

use crate::failure::refusal;
use crate::linked::LinkedResources;

/// It may have data in it that no model can read.
const UNKNOWN: &str = "[content of a kind that Amelia does not know]";
/// Where a kept file is, before its name.
const KEPT_IN: &str = "results/";
const LONGEST_KIND: usize = 100;

/// The result of a call. What is no text is named with its kind and size, and with its file if it is kept.
pub(crate) fn output_of(
    result: &CallToolResult,
    linked: &LinkedResources,
    keep: Option<&KeepFile>,
) -> ToolOutput {
    let mut reader = ResultReader { linked, keep, kept: Vec::new() };
    let mut texts: Vec<String> = result.content.iter().map(|content| reader.text_of(content)).collect();
    // Servers repeat structured content as text; those that do not mean it to be read.
    if let (true, Some(value)) = (texts.is_empty(), &result.structured_content) {
        texts.push(value.to_string());
    }
    let (text, artifacts) = (texts.join("\n"), reader.kept);
    if result.is_error != Some(true) {
        return ToolOutput { artifacts, ..ToolOutput::done(text) };
    }
    let failure = refusal(&text);
    let text = if text.is_empty() { "the tool failed and said nothing".to_owned() } else { text };
    ToolOutput { failure: Some(failure), artifacts, ..ToolOutput::failed(text) }
}

/// Content as text alone: what is none is named with its kind and size.
pub(crate) fn plain_text(content: &ContentBlock) -> String {
    ResultReader { linked: &LinkedResources::default(), keep: None, kept: Vec::new() }.text_of(content)
}

struct ResultReader<'a> {
    linked: &'a LinkedResources,
    keep: Option<&'a KeepFile>,
    kept: Vec<String>,
}

impl ResultReader<'_> {
    fn text_of(&mut self, content: &ContentBlock) -> String {
        match content {
            ContentBlock::Text(text) => text.text.clone(),
            ContentBlock::Image(image) => self.encoded("image", &image.mime_type, &image.data),
            ContentBlock::Audio(audio) => self.encoded("audio", &audio.mime_type, &audio.data),
            ContentBlock::Resource(embedded) => self.resource(&embedded.resource),
            ContentBlock::ResourceLink(link) => {
                let named = format!("{} ({})", link.uri, link.name);
                let linked = self.linked;
                let behind: Vec<String> = linked.of(&link.uri).iter().map(|one| self.resource(one)).collect();
                [vec![named], behind].concat().join("\n")
            }
            _ => UNKNOWN.to_owned(),
        }
    }

    fn resource(&mut self, resource: &ResourceContents) -> String {
        match resource {
            ResourceContents::TextResourceContents { uri, text, mime_type, .. } => {
                let kind = mime_type.as_deref().unwrap_or("text/plain");
                match self.keep {
                    Some(_) => format!("{uri} {}\n{text}", self.file("resource", kind, text.as_bytes())),
                    None => format!("{uri}\n{text}"),
                }
            }
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                let kind = mime_type.as_deref().unwrap_or("unknown");
                format!("{uri} {}", self.encoded("resource", kind, blob))
            }
            _ => UNKNOWN.to_owned(),
        }
    }

    fn encoded(&mut self, what: &str, kind: &str, data: &str) -> String {
        match STANDARD.decode(data) {
            Ok(bytes) => self.file(what, kind, &bytes),
            Err(_) => described(what, kind, data.len(), "not kept: it is not base64"),
        }
    }

    fn file(&mut self, what: &str, kind: &str, data: &[u8]) -> String {
        let Some(keep) = self.keep else { return described(what, kind, data.len(), "") };
        match keep(ResultFile { media_type: kind, data }) {
            Ok(name) => {
                let path = format!("{KEPT_IN}{name}");
                let text = described(what, kind, data.len(), &format!("kept as {path}"));
                self.kept.push(path);
                text
            }
            Err(reason) => described(what, kind, data.len(), &format!("not kept: {reason}")),
        }
    }
}

fn described(what: &str, kind: &str, bytes: usize, more: &str) -> String {
    let size = if bytes < 1_000 { format!("{bytes} bytes") } else { format!("{} kB", bytes / 1_000) };
    let more = if more.is_empty() { String::new() } else { format!(", {more}") };
    format!("[{what} {}, {size}{more}]", capped(kind, LONGEST_KIND))
}
