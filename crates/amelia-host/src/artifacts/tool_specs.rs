//! The tools for artifacts, as they are offered to models, and their arguments.

use amelia_core::tool::{Risk, ToolSpec};
use serde::Deserialize;
use serde_json::json;

use crate::tool_schema::{arguments, text_field};

pub(super) const CREATE: &str = "create_artifact";
pub(super) const READ: &str = "read_artifact";
pub(super) const LIST: &str = "list_artifacts";

/// The most tags of an artifact, and the most characters of one.
const MAX_TAGS: usize = 20;
const MAX_TAG: usize = 64;
/// The most characters of a description or a reason.
const MAX_WORDS: usize = 1000;

/// All of them.
pub(super) fn specs() -> Vec<ToolSpec> {
    let create = arguments(
        &["path"],
        json!({
            "path": text_field("where it is kept, such as report.md or code/main.py"),
            "content": text_field("the whole content"),
            "from_file": text_field("instead of content: a file in the directory that you work in"),
            "mime_type": text_field("the media type, if the file name does not determine it"),
            "description": text_field("what it is, in a sentence"),
            "tags": {"type": "array", "items": {"type": "string"}},
            "reason": text_field("the reason for this version"),
        }),
    );
    let read = arguments(
        &["path"],
        json!({
            "path": text_field("as list_artifacts shows it"),
            "version": text_field("an earlier version, such as v1; the newest if it is missing"),
        }),
    );
    let list = arguments(&[], json!({"tag": text_field("only artifacts with this tag")}));
    let words = "Keep a file as a result of the work, for the others in the team and for the person. The same path makes a \
                 new version; earlier ones are kept.";
    vec![
        ToolSpec::builtin(CREATE, words, Risk::Write, create),
        ToolSpec::builtin(READ, "Read an artifact that is text.", Risk::Read, read),
        ToolSpec::builtin(LIST, "List the artifacts of this task.", Risk::Read, list),
    ]
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CreateArgs {
    pub(super) path: String,
    pub(super) content: Option<String>,
    pub(super) from_file: Option<String>,
    pub(super) mime_type: Option<String>,
    pub(super) description: Option<String>,
    #[serde(default)]
    pub(super) tags: Vec<String>,
    pub(super) reason: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadArgs {
    pub(super) path: String,
    pub(super) version: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListArgs {
    pub(super) tag: Option<String>,
}

impl CreateArgs {
    /// Checks what the types do not.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.content.is_some() == self.from_file.is_some() {
            return Err("give either content or from_file".to_owned());
        }
        let long = |text: &Option<String>| text.as_ref().is_some_and(|text| text.chars().count() > MAX_WORDS);
        if long(&self.description) || long(&self.reason) {
            return Err(format!("description and reason can have at most {MAX_WORDS} characters"));
        }
        let is_bad = |tag: &String| tag.trim().is_empty() || tag.chars().count() > MAX_TAG;
        if self.tags.len() > MAX_TAGS || self.tags.iter().any(is_bad) {
            return Err(format!("there are at most {MAX_TAGS} tags, each of 1 to {MAX_TAG} characters"));
        }
        match &self.mime_type {
            Some(kind) if !is_media_type(kind) => {
                Err(format!("`{kind}` is not a media type: write it like `text/markdown`"))
            }
            _ => Ok(()),
        }
    }
}

/// `type/subtype`, without parameters.
fn is_media_type(text: &str) -> bool {
    let is_name = |name: &str| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "!#$&^_.+-".contains(c);
        !name.is_empty() && name.len() < 64 && name.chars().all(is_plain)
    };
    text.split_once('/').is_some_and(|(kind, subkind)| is_name(kind) && is_name(subkind))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::run_tools::parsed;

    #[test]
    fn arguments_that_cannot_be_used_are_refused_with_the_reason() {
        let refused = |args: Value| {
            let args = parsed::<CreateArgs>(args.as_object().unwrap()).map_err(|problem| problem.message);
            args.and_then(|args| args.check()).unwrap_err()
        };
        assert!(refused(json!({"content": "x"})).contains("missing field `path`"));
        assert_eq!(refused(json!({"path": "a"})), "give either content or from_file");
        assert_eq!(
            refused(json!({"path": "a", "content": "", "from_file": "b"})),
            "give either content or from_file"
        );
        assert!(refused(json!({"path": "a", "content": "", "tags": [""]})).contains("at most 20 tags"));
        for kind in ["html", "text/html; charset=x", "a/b\n", "/", "text/"] {
            let refused = refused(json!({"path": "a", "content": "", "mime_type": kind}));
            assert!(refused.contains("is not a media type"), "{kind}");
        }
        assert!(is_media_type("application/vnd.ms-excel") && is_media_type("image/svg+xml"));
    }
}
