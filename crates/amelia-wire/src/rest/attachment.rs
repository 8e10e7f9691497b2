//! Files that come with a request.

use amelia_core::attachment::AttachedFile;
use amelia_core::config::problem::ConfigProblem;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::read::Refused;

/// A file for the agents. At most 10 files of 10 MB, and 20 MB together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct NewAttachment {
    /// File name. Only the last part of a path is used.
    pub name: String,
    /// Content, in base64.
    pub data: String,
}

impl From<AttachedFile> for NewAttachment {
    fn from(AttachedFile { name, data }: AttachedFile) -> Self {
        Self { name, data: STANDARD.encode(data) }
    }
}

/// The files of a request.
pub fn attached_files(given: Vec<NewAttachment>) -> Result<Vec<AttachedFile>, Refused> {
    let file = |(index, NewAttachment { name, data }): (usize, NewAttachment)| {
        let refused = |error| ConfigProblem {
            path: format!("attachments[{index}].data"),
            message: format!("is not base64: {error}"),
        };
        let data = STANDARD.decode(data).map_err(|error| Refused(vec![refused(error)]))?;
        Ok(AttachedFile { name, data })
    };
    given.into_iter().enumerate().map(file).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_comes_as_it_was_sent() {
        let file = AttachedFile { name: "a.bin".to_owned(), data: vec![0, 255, 1] };
        let sent = NewAttachment::from(file.clone());
        assert_eq!((sent.data.as_str(), attached_files(vec![sent.clone()])), ("AP8B", Ok(vec![file])));
    }

    #[test]
    fn what_is_not_base64_is_refused_by_its_place() {
        let bad = |data: &str| NewAttachment { name: "a".to_owned(), data: data.to_owned() };
        let refused = attached_files(vec![bad("AP8B"), bad("?")]).unwrap_err().to_string();
        assert!(refused.starts_with("attachments[1].data: is not base64"), "{refused}");
    }
}
