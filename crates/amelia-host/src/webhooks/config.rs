//! `config/webhooks.yaml`: where notifications go, and which.

use std::path::Path;

use amelia_core::config::problem::ConfigProblem;
use amelia_core::problem::Problem;
use amelia_orchestrator::service::ServiceError;
use amelia_wire::read::shape;
use anyhow::{Context as _, Result};
use serde::Deserialize;
use serde_json::Value;

use crate::home_file;
use crate::refused_file::RefusedFile;

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

    /// A field, and what is wrong with it.
    fn problem(&self) -> Option<(&'static str, &'static str)> {
        match (&self.url, &self.url_env) {
            (None, None) => Some(("url", "is missing; give url, or url_env if the URL is a secret")),
            (Some(_), Some(_)) => Some(("url", "give url or url_env, not both")),
            (Some(url), None) if !is_http(url) => Some(("url", "must start with http:// or https://")),
            _ if self.on.as_ref().is_some_and(Vec::is_empty) => {
                Some(("on", "is empty; omit it to be notified of everything"))
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
    parse(file, &text).map_err(|refused| {
        let problem = Problem::new(refused.to_string());
        ServiceError::invalid(problem.with_hint("see docs/http.md, Notifications")).into()
    })
}

fn parse(file: &Path, text: &str) -> Result<Vec<Webhook>, RefusedFile> {
    let (document, tree) = home_file::parse(file, text, Value::Array(Vec::new()))?;
    let refused =
        |problems: &[ConfigProblem]| RefusedFile::of(file, home_file::placed(problems, &document, &tree));
    let hooks = shape::<Vec<Webhook>>(document.clone()).map_err(|problems| refused(&problems.0))?;
    let rules = |(place, hook): (usize, &Webhook)| {
        let (field, message) = hook.problem()?;
        Some(ConfigProblem { path: format!("[{place}].{field}"), message: message.to_owned() })
    };
    let problems: Vec<ConfigProblem> = hooks.iter().enumerate().filter_map(rules).collect();
    if problems.is_empty() { Ok(hooks) } else { Err(refused(&problems)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Vec<Webhook>, String> {
        super::parse(Path::new("hooks"), text).map_err(|refused| refused.to_string())
    }

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
            ("- format: slack", "hooks:1:3: [0].url: is missing"),
            ("- url: ftp://x", "hooks:1:3: [0].url: must start with"),
            ("- url: https://x.org\n  url_env: X", "not both"),
            ("- url: https://x.org\n  on: []", "hooks:2:3: [0].on: is empty"),
            (
                "- url: https://x.org\n  on: [sometimes]\n- on: no",
                "hooks:2:8: [0].on[0]: unknown value `sometimes`",
            ),
            ("- url: https://x.org\n  on: [sometimes]\n- on: no", "\nhooks:3:3: [1].on: "),
            ("- url: https://x.org\n  secret: x", "hooks:2:3: [0].secret: unknown field"),
            (
                "- format: json\n- url: ftp://x",
                "[0].url: is missing; give url, or url_env if the URL is a secret\nhooks:2:3: [1].url",
            ),
            ("url: https://x.org", "hooks:1:1: invalid type: map"),
            ("- [", "hooks:"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
