//! `config/webhooks.yaml`: where notifications go, and which.

use std::path::Path;

use amelia_core::problem::Problem;
use amelia_orchestrator::service::ServiceError;
use anyhow::{Context as _, Result};
use serde::Deserialize;

/// What a notification is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum NoticeKind {
    NeedsYou,
    Completed,
    Failed,
}

impl NoticeKind {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::NeedsYou => "needs_you",
            Self::Completed => "completed",
            Self::Failed => "failed",
        }
    }
}

/// The shape of the request's body.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum WebhookFormat {
    /// An object with the run in it.
    #[default]
    Json,
    /// `{"text": …}`, as Slack and programs like it take it.
    Slack,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Webhook {
    #[serde(default)]
    pub(super) url: Option<String>,
    /// The variable that holds the URL, when the URL itself is a secret.
    #[serde(default)]
    pub(super) url_env: Option<String>,
    #[serde(default)]
    pub(super) format: WebhookFormat,
    /// The variable that holds the key with which requests are signed.
    #[serde(default)]
    pub(super) secret_env: Option<String>,
    /// Everything, when nothing is said.
    #[serde(default)]
    on: Option<Vec<NoticeKind>>,
}

impl Webhook {
    pub(super) fn wants(&self, kind: NoticeKind) -> bool {
        self.on.as_ref().is_none_or(|on| on.contains(&kind))
    }

    /// Variables that hold something secret.
    pub(super) fn variables(&self) -> impl Iterator<Item = &str> {
        [&self.url_env, &self.secret_env].into_iter().flatten().map(String::as_str)
    }

    fn problem(&self) -> Option<&'static str> {
        match (&self.url, &self.url_env) {
            (None, None) => Some("url: is missing; give url, or url_env if the URL is a secret"),
            (Some(_), Some(_)) => Some("url: give url or url_env, not both"),
            (Some(url), None) if !is_http(url) => Some("url: must start with http:// or https://"),
            _ if self.on.as_ref().is_some_and(Vec::is_empty) => {
                Some("on: is empty; omit it to be notified of everything")
            }
            _ => None,
        }
    }
}

pub(super) fn is_http(url: &str) -> bool {
    reqwest::Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

/// The webhooks in a file; none when there is no file.
pub(super) fn read(file: &Path) -> Result<Vec<Webhook>> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error).with_context(|| format!("{} cannot be read", file.display())),
    };
    parse(&text).map_err(|problem| {
        let problem = Problem::new(format!("{}: {problem}", file.display()));
        ServiceError::invalid(problem.with_hint("see docs/http.md, Notifications")).into()
    })
}

fn parse(text: &str) -> Result<Vec<Webhook>, String> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let hooks: Vec<Webhook> = serde_saphyr::from_str(text).map_err(|error| error.to_string())?;
    for (place, hook) in hooks.iter().enumerate() {
        if let Some(problem) = hook.problem() {
            return Err(format!("[{place}].{problem}"));
        }
    }
    Ok(hooks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_webhook_has_an_address_a_format_and_what_it_is_for() {
        let hooks = parse(
            "- url_env: SLACK_URL\n  format: slack\n  on: [needs_you]\n- url: https://example.org/hook\n  secret_env: S\n",
        )
        .unwrap();
        assert!(hooks[0].wants(NoticeKind::NeedsYou) && !hooks[0].wants(NoticeKind::Failed));
        assert!(hooks[1].wants(NoticeKind::Failed) && hooks[1].format == WebhookFormat::Json);
        assert_eq!(hooks.iter().flat_map(Webhook::variables).collect::<Vec<_>>(), ["SLACK_URL", "S"]);
        assert_eq!(parse("").unwrap(), []);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (text, expected) in [
            ("- format: slack", "[0].url: is missing"),
            ("- url: ftp://x", "[0].url: must start with"),
            ("- url: https://x.org\n  url_env: X", "not both"),
            ("- url: https://x.org\n  on: []", "[0].on: is empty"),
            ("- url: https://x.org\n  on: [sometimes]", "sometimes"),
            ("- url: https://x.org\n  secret: x", "secret"),
            ("url: https://x.org", ""),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
