//! What a server returned, as a model reads it. Images, audio and resources are kept as files, and named in the text.

use amelia_core::attachment::shown_image;
use amelia_core::text::capped;
use amelia_core::tool::{KeepFile, ResultFile, ResultImage, ToolOutput};
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
/// A model is shown at most so many images of one result, with so many bytes together.
const MAX_IMAGES: usize = 5;
const MAX_IMAGES_BYTES: u64 = 3_700_000;

/// The result of a call. What is no text is named with its kind and size, and with its file if it is kept.
pub(crate) fn output_of(
    result: &CallToolResult,
    linked: &LinkedResources,
    keep: Option<&KeepFile>,
) -> ToolOutput {
    let mut reader = ResultReader { linked, keep, kept: Vec::new(), images: Vec::new() };
    let mut texts: Vec<String> = result.content.iter().map(|content| reader.text_of(content)).collect();
    // Servers repeat structured content as text; those that do not mean it to be read.
    if let (true, Some(value)) = (texts.is_empty(), &result.structured_content) {
        texts.push(value.to_string());
    }
    let (text, artifacts, images) = (texts.join("\n"), reader.kept, reader.images);
    if result.is_error != Some(true) {
        let structured = result.structured_content.clone().map(Box::new);
        return ToolOutput { artifacts, images, structured, ..ToolOutput::done(text) };
    }
    // Providers take only text for a failure.
    let failure = refusal(&text);
    let text = if text.is_empty() { "the tool failed and said nothing".to_owned() } else { text };
    ToolOutput { failure: Some(failure), artifacts, ..ToolOutput::failed(text) }
}

/// Content as text alone: what is none is named with its kind and size.
pub(crate) fn plain_text(content: &ContentBlock) -> String {
    let linked = LinkedResources::default();
    ResultReader { linked: &linked, keep: None, kept: Vec::new(), images: Vec::new() }.text_of(content)
}

struct ResultReader<'a> {
    linked: &'a LinkedResources,
    keep: Option<&'a KeepFile>,
    kept: Vec<String>,
    /// Those of them that a model is shown.
    images: Vec<ResultImage>,
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
                self.show(&path, data);
                self.kept.push(path);
                text
            }
            Err(reason) => described(what, kind, data.len(), &format!("not kept: {reason}")),
        }
    }

    /// What it is follows from its content, not from what the server says: providers refuse another type.
    fn show(&mut self, path: &str, data: &[u8]) {
        let Some(media_type) = shown_image(data) else { return };
        let bytes = data.len() as u64;
        let shown: u64 = self.images.iter().map(|image| image.bytes).sum();
        if self.images.len() < MAX_IMAGES && shown + bytes <= MAX_IMAGES_BYTES {
            self.images.push(ResultImage { path: path.to_owned(), media_type: media_type.to_owned(), bytes });
        }
    }
}

fn described(what: &str, kind: &str, bytes: usize, more: &str) -> String {
    let size = if bytes < 1_000 { format!("{bytes} bytes") } else { format!("{} kB", bytes / 1_000) };
    let more = if more.is_empty() { String::new() } else { format!(", {more}") };
    format!("[{what} {}, {size}{more}]", capped(kind, LONGEST_KIND))
}
