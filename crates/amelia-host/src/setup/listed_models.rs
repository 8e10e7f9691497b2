//! The models that a server says it has. It is asked once and for a short time, with the key that its calls will have: what
//! it does not say is not known.

use std::time::Duration;

use amelia_core::config::agent::AgentConfig;
use amelia_core::config::provider::is_bearer_token;
use amelia_core::config::secret::Secret;
use amelia_core::loopback::is_loopback_url;
use amelia_core::problem::Problem;
use amelia_core::text::innermost;
use amelia_drivers::model::{Timeouts, WireFormat, client_for};
use reqwest::RequestBuilder;
use serde_json::Value;

use super::found_agents::{FoundAgent, MissingPart};
use crate::keys::Keys;
use crate::upstream::ResolvedUpstream;

/// How long an answer may take.
const MODEL_LIST_TIMEOUT: Duration = Duration::from_secs(3);
/// Models that are named.
const NAMED: usize = 8;
/// No list is longer than this.
const LARGEST: usize = 1024 * 1024;

/// The header that Anthropic wants with every request.
const VERSION: (&str, &str) = ("anthropic-version", "2023-06-01");

/// What a server at an address answered.
enum Listed {
    Models(Vec<String>),
    /// There is no answer.
    Unreached(String),
    /// It wants a key, or has no list.
    Unknown,
}

/// A key as the calls to a model have it.
struct SentKey<'a> {
    secret: &'a Secret,
    wire: WireFormat,
    is_token: bool,
}

impl SentKey<'_> {
    fn put_on(&self, request: RequestBuilder) -> RequestBuilder {
        let key = self.secret.reveal();
        match self.wire {
            WireFormat::Messages if self.is_token => request.bearer_auth(key).header(VERSION.0, VERSION.1),
            WireFormat::Messages => request.header("x-api-key", key).header(VERSION.0, VERSION.1),
            WireFormat::Chat | WireFormat::Responses => request.bearer_auth(key),
        }
    }
}

/// The agent with the only model that the server at its address has, unless a person named one; and what is wrong with its
/// model, by what the server says.
pub async fn with_listed_model(found: FoundAgent, keys: &Keys, is_named: bool) -> FoundAgent {
    let Some(url) = found.agent.options.get("base_url").and_then(Value::as_str) else { return found };
    let Ok(upstream) = ResolvedUpstream::of(&found.agent) else { return found };
    let key = upstream.key_env.as_ref().and_then(|name| keys.get(name));
    let sent = key.map(|secret| SentKey {
        secret,
        wire: upstream.wire,
        is_token: upstream.key_env.as_deref().is_some_and(is_bearer_token),
    });
    let listed = listed(url, sent.as_ref()).await;
    match &listed {
        Listed::Models(models) if !is_named && models.len() == 1 => with_model(found, models.concat()),
        // A gateway that wants a key need not be reachable from here at this moment; a server of this machine should be.
        Listed::Unreached(_) if key.is_some() && !is_loopback_url(url) => found,
        listed => FoundAgent { missing: judged(&found.agent.model, url, listed), ..found },
    }
}

fn with_model(found: FoundAgent, model: String) -> FoundAgent {
    let label = found.label.replacen(&found.agent.model, &model, 1);
    FoundAgent { label, agent: AgentConfig { model, ..found.agent }, ..found }
}

/// The model of a server that has only one.
pub async fn only_model(url: &str) -> Option<String> {
    match listed(url, None).await {
        Listed::Models(models) if models.len() == 1 => Some(models.concat()),
        Listed::Models(_) | Listed::Unreached(_) | Listed::Unknown => None,
    }
}

/// The same problem, with the models that the server has, for who named none.
pub async fn with_models(problem: Problem, url: &str) -> Problem {
    match listed(url, None).await {
        Listed::Models(models) if !models.is_empty() => {
            problem.with_hint(format!("set --model; the server has {}", named(&models)))
        }
        Listed::Models(_) | Listed::Unreached(_) | Listed::Unknown => problem,
    }
}

fn judged(model: &str, url: &str, listed: &Listed) -> Option<MissingPart> {
    // A local server may know a model by its tag.
    let is_it = |listed: &String| listed == model || listed.strip_suffix(":latest") == Some(model);
    let problem = match listed {
        Listed::Models(models) if models.is_empty() || models.iter().any(is_it) => return None,
        Listed::Models(models) => format!("{url} does not list `{model}`; it has {}", named(models)),
        Listed::Unreached(why) => {
            let problem = format!("{url} does not answer: {why}");
            return Some(MissingPart { problem, remedy: "start the model server".to_owned() });
        }
        Listed::Unknown => return None,
    };
    let remedy = format!("choose one: `amelia init --force --base-url {url} --model MODEL`");
    Some(MissingPart { problem, remedy })
}

fn named(models: &[String]) -> String {
    let more = models.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", models.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", "))
}

async fn listed(url: &str, key: Option<&SentKey<'_>>) -> Listed {
    tokio::time::timeout(MODEL_LIST_TIMEOUT, ask(url, key))
        .await
        .unwrap_or_else(|_| Listed::Unreached(format!("no answer for {} s", MODEL_LIST_TIMEOUT.as_secs())))
}

async fn ask(url: &str, key: Option<&SentKey<'_>>) -> Listed {
    let Ok(client) = client_for(url, Timeouts { connect: MODEL_LIST_TIMEOUT, idle: MODEL_LIST_TIMEOUT })
    else {
        return Listed::Unknown;
    };
    let request = client.get(format!("{}/models", url.trim_end_matches('/')));
    let request = match key {
        Some(key) => key.put_on(request),
        None => request,
    };
    let mut answer = match request.send().await {
        Ok(answer) if answer.status().is_success() => answer,
        Ok(_) => return Listed::Unknown,
        Err(error) => return Listed::Unreached(innermost(&error)),
    };
    let mut body = Vec::new();
    while let Ok(Some(piece)) = answer.chunk().await {
        body.extend_from_slice(&piece);
        if body.len() > LARGEST {
            return Listed::Unknown;
        }
    }
    let Ok(list) = serde_json::from_slice::<Value>(&body) else { return Listed::Unknown };
    let Some(models) = list.get("data").and_then(Value::as_array) else { return Listed::Unknown };
    let id = |model: &Value| model.get("id").and_then(Value::as_str).map(str::to_owned);
    Listed::Models(models.iter().filter_map(id).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_that_a_server_does_not_list_is_told_with_those_that_it_has() {
        let url = "http://127.0.0.1:1/v1";
        let all = |names: &[&str]| Listed::Models(names.iter().map(|name| (*name).to_owned()).collect());
        let told = |model: &str, listed: &Listed| judged(model, url, listed).map(|missing| missing.problem);
        assert_eq!(told("a", &all(&["a", "b"])), None);
        assert_eq!(told("a", &all(&["a:latest"])), None);
        assert_eq!(told("a", &all(&[])), None, "it says nothing");
        assert_eq!(told("a", &Listed::Unknown), None);
        let other = told("c", &all(&["a", "b"])).unwrap();
        assert_eq!(other, "http://127.0.0.1:1/v1 does not list `c`; it has a, b");
        let unreached = told("a", &Listed::Unreached("Connection refused".to_owned())).unwrap();
        assert!(unreached.ends_with("does not answer: Connection refused"), "{unreached}");
        let many: Vec<String> = (0..10).map(|number| format!("m{number}")).collect();
        assert!(named(&many).ends_with("m7 and 2 more"));
    }

    #[tokio::test]
    async fn a_server_that_is_not_there_does_not_answer() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        drop(listener);
        assert!(matches!(listed(&url, None).await, Listed::Unreached(_)));
    }
}
