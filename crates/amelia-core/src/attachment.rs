//! Files that a person attaches to an issue: how they are named, how large they may be, what they are. Pure.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::message::ImagePart;
use crate::problem::Problem;

/// The directory of a worktree that they are written to. Git ignores them there.
pub const ATTACHMENTS_DIR: &str = ".amelia/attachments";
/// The most files of one issue.
pub const MAX_ATTACHMENTS: usize = 10;
/// The most bytes of one file.
pub const MAX_ATTACHMENT_BYTES: usize = 10 * MB;
/// The most bytes of all files of one issue.
pub const MAX_ATTACHED_BYTES: usize = 20 * MB;
/// An image with more bytes is not sent to models: several providers refuse it, and with it the whole prompt.
const MAX_IMAGE_BYTES: u64 = 3_700_000;
/// The same for all images of a prompt.
const MAX_IMAGES_BYTES: u64 = 15_000_000;
/// The longest name, in bytes. A file system takes 255, and a number may be added.
const MAX_NAME_BYTES: usize = 120;
const MB: usize = 1024 * 1024;

/// A file as it comes with a request.
#[derive(Clone, PartialEq, Eq)]
pub struct AttachedFile {
    pub name: String,
    pub data: Vec<u8>,
}

impl fmt::Debug for AttachedFile {
    /// Without the data: it may be large, and it is not for logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} bytes)", self.name, self.data.len())
    }
}

/// A file as a run knows it. Its content is in the home, under its hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// A base name without special characters, unique in its run.
    pub name: String,
    pub size: u64,
    pub media_type: String,
    /// SHA-256 of the content, in hexadecimal digits.
    pub hash: String,
}

impl Attachment {
    /// Where it is in a worktree.
    #[must_use]
    pub fn path(&self) -> String {
        format!("{ATTACHMENTS_DIR}/{}", self.name)
    }

    /// What stands in a conversation in the place of its content, as base64 would. Logs and recordings have this; the
    /// content is filled in when a request leaves the program.
    #[must_use]
    pub fn placeholder(&self) -> String {
        format!("amelia-attachment-{}", self.hash)
    }

    /// It is one that models take.
    #[must_use]
    pub fn is_image(&self) -> bool {
        IMAGES.iter().any(|(media_type, _)| *media_type == self.media_type)
    }

    fn image(&self) -> ImagePart {
        ImagePart {
            url: format!("data:{};base64,{}", self.media_type, self.placeholder()),
            alt_text: Some(format!("{}, in the file {}", self.name, self.path())),
            dimensions: None,
            format: self.media_type.strip_prefix("image/").map(str::to_owned),
        }
    }
}

/// The images that are sent with a prompt: those that are not too large, and as many as fit.
#[must_use]
pub fn images(all: &[Attachment]) -> Vec<ImagePart> {
    let mut left = MAX_IMAGES_BYTES;
    let mut shown = Vec::new();
    for file in all.iter().filter(|file| file.is_image() && file.size <= MAX_IMAGE_BYTES) {
        if let Some(rest) = left.checked_sub(file.size) {
            left = rest;
            shown.push(file.image());
        }
    }
    shown
}

/// What the prompt says about these files, at the end of an issue. Nothing when there are none.
#[must_use]
pub fn listed(all: &[Attachment]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let line =
        |file: &Attachment| format!("\n- `{}` ({}, {} bytes)", file.path(), file.media_type, file.size);
    let lines: String = all.iter().map(line).collect();
    format!("Attached files, in the working directory; git ignores them:\n{lines}")
}

/// The files under names that can be used; why they are refused, if they are.
pub fn checked(files: Vec<AttachedFile>) -> Result<Vec<AttachedFile>, Problem> {
    if files.len() > MAX_ATTACHMENTS {
        let problem = Problem::new(format!("there are {} attachments", files.len()));
        return Err(problem.with_hint(format!("attach at most {MAX_ATTACHMENTS} files")));
    }
    let all: usize = files.iter().map(|file| file.data.len()).sum();
    if all > MAX_ATTACHED_BYTES {
        let problem = Problem::new(format!("the attachments have {} MB together", all.div_ceil(MB)));
        return Err(problem.with_hint(format!("attach at most {} MB", MAX_ATTACHED_BYTES / MB)));
    }
    let mut used = BTreeSet::new();
    let named = |AttachedFile { name, data }| {
        if data.len() > MAX_ATTACHMENT_BYTES {
            return Err(too_large(&name));
        }
        let Some(base) = base_name(&name) else {
            let problem = Problem::new(format!("`{name}` is not a valid name for an attachment"));
            return Err(problem.with_hint("rename the file: letters, digits, `.`, `-` and `_`"));
        };
        Ok(AttachedFile { name: unused(base, &mut used), data })
    };
    files.into_iter().map(named).collect()
}

/// The refusal of a file that is too large.
#[must_use]
pub fn too_large(name: &str) -> Problem {
    let most = MAX_ATTACHMENT_BYTES / MB;
    Problem::new(format!("the attachment `{name}` is larger than {most} MB"))
        .with_hint("attach a smaller file, or only the part that matters")
}

/// The last part of a path, without what file systems, shells or rules of git read in another way; `None` if nothing
/// is left.
fn base_name(name: &str) -> Option<String> {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain = |c: char| if c.is_alphanumeric() || "._- ()+,@".contains(c) { c } else { '-' };
    let safe: String = last.chars().map(plain).collect();
    // A name that begins with a dot would be hidden, or one that git reads.
    let safe = safe.trim_start_matches(['.', '-', ' ']).trim_end_matches(['.', ' ']);
    let (stem, extension) = parts(safe);
    let is_telling = |text: &str| text.chars().any(char::is_alphanumeric);
    let stem = cut(stem, MAX_NAME_BYTES.saturating_sub(extension.len()));
    is_telling(stem).then(|| format!("{stem}{extension}"))
}

/// The name, with a number if it was used before.
fn unused(name: String, used: &mut BTreeSet<String>) -> String {
    let (stem, extension) = parts(&name);
    let numbered = (2..).map(|number| format!("{stem}-{number}{extension}"));
    // Some file systems do not tell upper case from lower case.
    let mut names = std::iter::once(name.clone()).chain(numbered);
    names.find(|name| used.insert(name.to_lowercase())).unwrap_or(name)
}

/// A name and its extension, with the dot. A long one is part of the name.
fn parts(name: &str) -> (&str, &str) {
    let dot = name.rfind('.').filter(|dot| *dot > 0 && name.len() - dot <= 16);
    name.split_at(dot.unwrap_or(name.len()))
}

/// The beginning, of so many bytes at most.
fn cut(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text.get(..end.unwrap_or(0)).unwrap_or_default()
}

/// Whether a file begins as those of its type do.
type Begins = fn(&[u8]) -> bool;

/// Images that models take, by how their files begin.
const IMAGES: [(&str, Begins); 4] = [
    ("image/png", |data| data.starts_with(b"\x89PNG\r\n\x1a\n")),
    ("image/jpeg", |data| data.starts_with(b"\xff\xd8\xff")),
    ("image/gif", |data| data.starts_with(b"GIF87a") || data.starts_with(b"GIF89a")),
    ("image/webp", |data| data.starts_with(b"RIFF") && data.get(8..12) == Some(b"WEBP".as_slice())),
];

/// What a file is, by its content and never by its name.
#[must_use]
pub fn media_type(data: &[u8]) -> &'static str {
    if let Some((image, _)) = IMAGES.iter().find(|(_, begins)| begins(data)) {
        return image;
    }
    if data.starts_with(b"%PDF-") {
        return "application/pdf";
    }
    let is_text = !data.contains(&0) && std::str::from_utf8(data).is_ok();
    if is_text { "text/plain" } else { "application/octet-stream" }
}

/// The type of an image that a model can be shown: one that models take, and that is not too large.
#[must_use]
pub fn shown_image(data: &[u8]) -> Option<&'static str> {
    let media_type = media_type(data);
    let is_image = IMAGES.iter().any(|(image, _)| *image == media_type);
    (is_image && data.len() as u64 <= MAX_IMAGE_BYTES).then_some(media_type)
}

#[cfg(test)]
#[path = "attachment_tests.rs"]
mod tests;
