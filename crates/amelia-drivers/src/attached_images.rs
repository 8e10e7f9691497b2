//! Images that a conversation names and does not contain. What is logged and recorded has the name; the data is filled
//! in on the way out, so that a replay needs neither.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use amelia_core::driver::{DriverError, Usage};
use amelia_core::recording::Channel;
use amelia_core::tool::{ResultImage, ToolBox};
use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::model::{ModelFailure, ModelResponse, ModelTransport, UNREADABLE_RESULT};
use crate::program::{Launch, Launcher, ProgramOutput, RunningProgram};

const UNREADABLE: &str = "an attached image cannot be read";

/// Where the data of images is.
#[derive(Debug, Clone, Default)]
pub struct AttachedImages {
    /// What stands in a conversation for an image, and the file with its data.
    pub attached: Vec<(String, PathBuf)>,
    /// The directory with the images that tools returned.
    pub results: Option<PathBuf>,
}

impl AttachedImages {
    /// Whether all files can be read.
    fn check(&self) -> Result<(), String> {
        self.attached.iter().try_for_each(|(_, path)| match std::fs::File::open(path) {
            Ok(_) => Ok(()),
            Err(error) => Err(format!("{}: {error}", path.display())),
        })
    }

    /// The JSON text with the data in it. A placeholder counts only where a value ends with it: not in the words of a
    /// conversation.
    fn filled<'t>(&self, json: &'t str) -> Result<Cow<'t, str>, ModelFailure> {
        let unreadable = |detail| ModelFailure::Reported { kind: UNREADABLE.to_owned(), detail };
        let mut filled = self.with_results(json)?;
        for (placeholder, path) in &self.attached {
            let ends = [format!("\"{placeholder}\""), format!(";base64,{placeholder}\"")];
            for end in ends.iter().filter(|end| json.contains(end.as_str())) {
                let data = read(path).map_err(unreadable)?;
                let whole = end.replace(placeholder, &STANDARD.encode(data));
                filled = Cow::Owned(filled.replace(end, &whole));
            }
        }
        Ok(filled)
    }

    /// The same for images that tools returned.
    fn with_results<'t>(&self, json: &'t str) -> Result<Cow<'t, str>, ModelFailure> {
        let Some(directory) = self.results.as_ref().filter(|_| json.contains(ResultImage::PLACEHOLDER))
        else {
            return Ok(Cow::Borrowed(json));
        };
        let (mut filled, mut rest) = (String::with_capacity(json.len()), json);
        while let Some((before, after)) = rest.split_once(ResultImage::PLACEHOLDER) {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '.';
            let (name, behind) = after.split_at(after.find(|c| !is_plain(c)).unwrap_or(after.len()));
            let is_value = before.ends_with('"') || before.ends_with(";base64,");
            filled.push_str(before);
            if is_value && behind.starts_with('"') {
                let data = read(&directory.join(name)).map_err(|detail| ModelFailure::Status {
                    status: 400,
                    detail: format!("{UNREADABLE_RESULT}: {detail}"),
                    retry_after: None,
                })?;
                STANDARD.encode_string(data, &mut filled);
            } else {
                filled.push_str(ResultImage::PLACEHOLDER);
                filled.push_str(name);
            }
            rest = behind;
        }
        filled.push_str(rest);
        Ok(Cow::Owned(filled))
    }
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Carries requests with the data of their images.
pub struct AttachingTransport {
    pub inner: Arc<dyn ModelTransport>,
    pub images: AttachedImages,
}

#[async_trait]
impl ModelTransport for AttachingTransport {
    async fn send(
        &self,
        mut request: reqwest::Request,
        channel: &Channel,
        idle: Duration,
    ) -> Result<ModelResponse, ModelFailure> {
        let body = request.body().and_then(reqwest::Body::as_bytes).unwrap_or_default();
        let filled = match std::str::from_utf8(body).map(|body| self.images.filled(body)) {
            Ok(Ok(Cow::Owned(filled))) => Some(filled),
            Ok(Ok(Cow::Borrowed(_))) | Err(_) => None,
            Ok(Err(failure)) => return Err(failure),
        };
        if let Some(filled) = filled {
            *request.body_mut() = Some(filled.into());
        }
        self.inner.send(request, channel, idle).await
    }
}

/// Starts programs that get the data of images.
pub struct AttachingLauncher {
    pub inner: Arc<dyn Launcher>,
    pub images: AttachedImages,
}

#[async_trait]
impl Launcher for AttachingLauncher {
    async fn launch(
        &self,
        launch: Launch,
        channel: &Channel,
        tools: &Arc<dyn ToolBox>,
    ) -> Result<Box<dyn RunningProgram>, DriverError> {
        self.images.check().map_err(|detail| DriverError::Setup(format!("{UNREADABLE}: {detail}")))?;
        let inner = self.inner.launch(launch, channel, tools).await?;
        Ok(Box::new(AttachingProgram { inner, images: self.images.clone() }))
    }
}

struct AttachingProgram {
    inner: Box<dyn RunningProgram>,
    images: AttachedImages,
}

#[async_trait]
impl RunningProgram for AttachingProgram {
    async fn hear(&mut self) -> ProgramOutput {
        self.inner.hear().await
    }

    /// What was there when the program was started is there.
    async fn say(&mut self, line: &str) {
        let filled = self.images.filled(line).unwrap_or(Cow::Borrowed(line));
        self.inner.say(&filled).await;
    }

    async fn close(&mut self) {
        self.inner.close().await;
    }

    fn revoke(&mut self) -> Vec<Usage> {
        self.inner.revoke()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_comes_in_the_place_of_a_value_and_not_into_words() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("image");
        std::fs::write(&path, "abc").unwrap();
        let attached = vec![("amelia-attachment-1".to_owned(), path)];
        let images = AttachedImages { attached, ..AttachedImages::default() };
        let filled = |text: &str| images.filled(text).unwrap().into_owned();
        assert_eq!(filled(r#"{"data":"amelia-attachment-1"}"#), r#"{"data":"YWJj"}"#);
        assert_eq!(
            filled(r#"{"url":"data:image/png;base64,amelia-attachment-1"}"#),
            r#"{"url":"data:image/png;base64,YWJj"}"#
        );
        for words in [
            r#"{"text":"see amelia-attachment-1"}"#,
            r#"{"text":"\"amelia-attachment-1\""}"#,
            r#"{"text":"amelia-attachment-1 is it"}"#,
            r#"{"data":"amelia-attachment-2"}"#,
        ] {
            assert_eq!(filled(words), words);
        }
    }

    #[test]
    fn data_that_is_gone_is_an_error() {
        let attached = vec![("amelia-attachment-1".to_owned(), PathBuf::from("/nowhere"))];
        let images = AttachedImages { attached, results: Some(PathBuf::from("/nowhere")) };
        assert!(images.filled(r#"{"data":"amelia-attachment-1"}"#).is_err());
        assert!(images.filled(r#"{"data":"amelia-result-1.png"}"#).is_err());
        assert_eq!(images.filled("{}").unwrap(), "{}");
    }

    #[test]
    fn an_image_of_a_result_comes_from_the_files_of_the_run() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("1.png"), "abc").unwrap();
        let images = AttachedImages { attached: Vec::new(), results: Some(dir.path().to_owned()) };
        let filled = |text: &str| images.filled(text).unwrap().into_owned();
        assert_eq!(
            filled(r#"{"a":"amelia-result-1.png","b":"data:image/png;base64,amelia-result-1.png"}"#),
            r#"{"a":"YWJj","b":"data:image/png;base64,YWJj"}"#
        );
        for words in [
            r#"{"text":"see amelia-result-1.png"}"#,
            r#"{"text":"\"amelia-result-1.png\""}"#,
            r#"{"text":"amelia-result-../../etc"}"#,
        ] {
            assert_eq!(filled(words), words);
        }
    }
}
