//! Images that a conversation names and does not contain. What is logged and recorded has the name; the data is filled
//! in on the way out, so that a replay needs neither.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use amelia_core::driver::{DriverError, Usage};
use amelia_core::recording::Channel;
use amelia_core::tool::ToolBox;
use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::model::{ModelFailure, ModelResponse, ModelTransport};
use crate::program::{Launch, Launcher, ProgramOutput, RunningProgram};

const UNREADABLE: &str = "an attached image cannot be read";

/// What stands in a conversation for an image, and the file with its data.
#[derive(Debug, Clone, Default)]
pub struct AttachedImages(pub Vec<(String, PathBuf)>);

impl AttachedImages {
    /// Whether all files can be read.
    fn check(&self) -> Result<(), String> {
        self.0.iter().try_for_each(|(_, path)| match std::fs::File::open(path) {
            Ok(_) => Ok(()),
            Err(error) => Err(format!("{}: {error}", path.display())),
        })
    }

    /// The JSON text with the data in it. A placeholder counts only where a value ends with it: not in the words of a
    /// conversation.
    fn filled<'t>(&self, json: &'t str) -> Result<Cow<'t, str>, String> {
        let mut filled = Cow::Borrowed(json);
        for (placeholder, path) in &self.0 {
            let ends = [format!("\"{placeholder}\""), format!(";base64,{placeholder}\"")];
            for end in ends.iter().filter(|end| json.contains(end.as_str())) {
                let data = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
                let whole = end.replace(placeholder, &STANDARD.encode(data));
                filled = Cow::Owned(filled.replace(end, &whole));
            }
        }
        Ok(filled)
    }
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
            Ok(Err(detail)) => {
                return Err(ModelFailure::Reported { kind: UNREADABLE.to_owned(), detail });
            }
        };
        if let Some(filled) = filled {
            *request.body_mut() = Some(filled.into());
        }
        self.inner.send(request, channel, idle).await
    }
}

/// Starts programs that are told the data of images.
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
        let images = AttachedImages(vec![("amelia-attachment-1".to_owned(), path)]);
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
        let images = AttachedImages(vec![("amelia-attachment-1".to_owned(), PathBuf::from("/nowhere"))]);
        assert!(images.filled(r#"{"data":"amelia-attachment-1"}"#).is_err());
        assert_eq!(images.filled("{}").unwrap(), "{}");
    }
}
