//! The models of a profile, each asked once: what works, and what a person should know. The only part of `doctor` that
//! calls anybody and costs anything, so it is asked for by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use amelia_core::clock::{Clock as _, SystemClock};
use amelia_core::config::agent::{AgentConfig, DriverConfig, DriverType};
use amelia_core::config::profile::{Budgets, Profile};
use amelia_core::driver::{DriverError, Usage};
use amelia_core::event::system::SCRIPTED_MODEL;
use amelia_core::id::{AgentName, MessageId};
use amelia_core::message::{ExecutionMode, ImagePart, Message, Object, Part, Role, TextPart};
use amelia_core::recording::Channel;
use amelia_core::tool::{Risk, ToolSpec};
use amelia_drivers::model::{ModelReply, ModelRequest, ReplyChunk, StopReason, Traits};
use anyhow::{Result, anyhow};
use futures_util::StreamExt as _;
use serde_json::json;

use super::agents::is_on_path;
use super::check::DoctorCheck;
use crate::assemble::{Assembly, Probe};
use crate::home::Home;
use crate::run_environment::RunEnvironment;
use crate::server_config;
use crate::upstream::{ResolvedUpstream, driver_config, with_fallbacks};

/// What each line is called.
const NAME: &str = "model";
/// One pixel.
const IMAGE: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// Names that `claude` has for the newest models of Anthropic: only it knows what they stand for.
const CLAUDE_ALIASES: [&str; 4] = ["default", "haiku", "opus", "sonnet"];

/// Asks every model of a profile that is called by Amelia or through its proxy, also those that continue for others.
pub async fn checks(home: &Home, profiles: &BTreeMap<String, Profile>, name: &str) -> Vec<DoctorCheck> {
    let Some(profile) = profiles.get(name) else {
        let message = format!("there is no profile `{name}`");
        return vec![DoctorCheck::error(NAME, message, "amelia config profile list")];
    };
    let (asked, mut checks) = models_of(profile, is_on_path);
    let server = server_config::load(home, Vec::new()).map(|config| config.budgets).unwrap_or_default();
    let needs_price = limits_money(&profile.budgets) || limits_money(&server);
    for AskedModel { agent, program } in &asked {
        let called = match program {
            Some(program) => format!("{} for {program} (which was not started)", agent.model),
            None => agent.model.clone(),
        };
        checks.push(match ask(home, agent).await {
            Ok(answer) => judge(&called, &answer, needs_price),
            Err(error) => DoctorCheck::refused(NAME, &error.context(called)),
        });
    }
    checks
}

/// Whether a limit can only be kept if prices are known.
fn limits_money(budgets: &Budgets) -> bool {
    [budgets.per_run, budgets.per_agent, budgets.per_day].iter().any(|budget| budget.usd.is_some())
}

/// A model that is asked, by Amelia itself.
struct AskedModel {
    agent: AgentConfig,
    /// The program that calls it through the proxy.
    program: Option<&'static str>,
}

/// The model of a program as Amelia calls it: at the same address, with the same key, in the same wire format. `None` if
/// only the program can call it.
fn through_proxy(agent: &AgentConfig) -> Option<AgentConfig> {
    if agent.driver == DriverType::Claude && CLAUDE_ALIASES.contains(&agent.model.as_str()) {
        return None;
    }
    let upstream = ResolvedUpstream::needed(agent).ok()??;
    let options = [
        ("provider", Some(upstream.provider.to_string())),
        ("base_url", Some(upstream.base_url)),
        ("wire", Some(upstream.wire.name().to_owned())),
        ("api_key_env", upstream.key_env),
    ];
    let options = options.into_iter().filter_map(|(name, value)| Some((name.to_owned(), json!(value?))));
    Some(AgentConfig { options: options.collect(), ..AgentConfig::new(DriverType::Api, &agent.model) })
}

/// Only its program can call it, if it is there.
fn not_tried(role: &str, agent: &AgentConfig, is_there: impl Fn(&str) -> bool) -> DoctorCheck {
    let config = driver_config(agent).ok();
    if let Some(program) = config.as_ref().and_then(DriverConfig::program).filter(|name| !is_there(name)) {
        let message = format!("{role}: not tried: `{program}` is not installed");
        return DoctorCheck::error(NAME, message, "amelia doctor says how to install it");
    }
    let message =
        format!("{role}: not tried: the program {} calls {} itself", agent.driver.name(), agent.model);
    let hint = match role {
        "developer" => "amelia do --read-only \"say hello\" tries it",
        _ => "a run tries it",
    };
    DoctorCheck { hint: Some(hint.to_owned()), ..DoctorCheck::optional(NAME, message) }
}

/// Who is asked, each once, and what is said of those who are not.
fn models_of(profile: &Profile, is_there: impl Fn(&str) -> bool) -> (Vec<AskedModel>, Vec<DoctorCheck>) {
    let mut asked: BTreeMap<String, AskedModel> = BTreeMap::new();
    let mut checks = Vec::new();
    let agents = profile.agents.iter();
    let agents =
        agents.flat_map(|(role, agent)| with_fallbacks([agent]).into_iter().map(move |one| (role, one)));
    for (role, agent) in agents {
        let (called, program) = match agent.driver {
            DriverType::Api => (Some(agent.clone()), None),
            DriverType::Claude | DriverType::Codex => (through_proxy(&agent), Some(agent.driver.name())),
            DriverType::Acp | DriverType::Scripted => (None, None),
        };
        let Some(called) = called else {
            checks.push(not_tried(role, &agent, &is_there));
            continue;
        };
        // The same model at the same place is asked once.
        let mut options = called.options.clone();
        options.remove("fallbacks");
        let key = format!("{} {}", called.model, serde_json::Value::Object(options));
        asked.entry(key).or_insert(AskedModel { agent: called, program });
    }
    (asked.into_values().collect(), checks)
}

/// What came of one call.
struct Answer {
    reply: Result<ModelReply, DriverError>,
    notices: Vec<String>,
    /// As it was reported and priced.
    usage: Usage,
    with_image: bool,
    wants_thinking: bool,
}

async fn ask(home: &Home, agent: &AgentConfig) -> Result<Answer> {
    let assembly = Assembly::new(home, &[agent], &RunEnvironment::Live)?;
    let Probe { model, prices, takes_images } = assembly.probe(agent)?;
    let mut options = driver_config(agent)?.model_options();
    // Enough for a budget of thinking.
    options.max_tokens = Some(options.max_tokens.unwrap_or(4096).min(4096));
    let wants_thinking = options.reasoning.as_deref().is_some_and(|word| word != "none");
    let request = ModelRequest {
        model: agent.model.clone(),
        system: "This is a test of the connection. Do what the user says, and nothing else.".to_owned(),
        messages: Arc::new(vec![Arc::new(question(takes_images)?)]),
        changed_from: None,
        tools: Arc::new(vec![ping()]),
        answer: None,
        options,
        traits: Traits::default(),
        channel: Channel::default(),
    };
    let (mut reply, mut notices) = (None, Vec::new());
    let mut pieces = model.ask(request);
    while let Some(piece) = pieces.next().await {
        match piece {
            Ok(ReplyChunk::Reply(said)) => reply = Some(Ok(said)),
            Ok(ReplyChunk::Notice(text)) => notices.push(text),
            Ok(ReplyChunk::Scripted) => notices.push(SCRIPTED_MODEL.to_owned()),
            Ok(ReplyChunk::Delta(..) | ReplyChunk::Arguments(_) | ReplyChunk::Told(_)) => {}
            Err(failure) => reply = Some(Err(model.give_up(failure, &agent.model, 1))),
        }
    }
    let reply = reply.ok_or_else(|| anyhow!("the model returned no answer"))?;
    let usage = reply.as_ref().map(|reply| prices.priced(reply.usage.clone())).unwrap_or_default();
    Ok(Answer { reply, notices, usage, with_image: takes_images, wants_thinking })
}

fn question(with_image: bool) -> Result<Message> {
    let text = Part::Text(TextPart::new("Call the tool `ping` with the word `hello`."));
    let image =
        ImagePart { url: IMAGE.to_owned(), alt_text: None, dimensions: None, format: Some("png".to_owned()) };
    Ok(Message {
        id: MessageId(SystemClock.new_id()),
        at: SystemClock.now(),
        role: Role::User,
        agent: AgentName::new("doctor")?,
        task: None,
        parent: None,
        mode: ExecutionMode::default(),
        memory: Object::new(),
        parts: std::iter::once(text).chain(with_image.then_some(Part::Image(image))).collect(),
        metadata: Object::new(),
    })
}

fn ping() -> ToolSpec {
    let schema = json!({
        "type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"],
        "additionalProperties": false,
    });
    ToolSpec::builtin("ping", "Tests the connection.", Risk::Read, schema)
}

fn judge(model: &str, answer: &Answer, needs_price: bool) -> DoctorCheck {
    let reply = match &answer.reply {
        Ok(reply) => reply,
        Err(error) => {
            return DoctorCheck::refused(NAME, &anyhow::Error::new(error.clone()).context(model.to_owned()));
        }
    };
    let has = |wanted: fn(&Part) -> bool| reply.parts.iter().any(wanted);
    let has_called = has(|part| matches!(part, Part::ToolCall(call) if call.tool.name == "ping"));
    let in_text = answer.notices.iter().any(|notice| notice.contains("in text"));
    let no_images = answer.notices.iter().any(|notice| notice.contains("no images"));
    let has_thought = has(|part| matches!(part, Part::Thinking(_)));
    let facts = [
        Some(match (has_called, in_text) {
            _ if reply.stop == StopReason::Refused => "it declined to answer".to_owned(),
            (true, false) => "tools work".to_owned(),
            (true, true) => "tools work in text".to_owned(),
            (false, _) => "the tool was not called".to_owned(),
        }),
        (has_thought || answer.wants_thinking)
            .then(|| if has_thought { "thinking works" } else { "no thinking is shown" }.to_owned()),
        Some(match (answer.with_image, no_images) {
            (true, false) => "images work".to_owned(),
            (true, true) => "no images".to_owned(),
            (false, _) => "images were not checked".to_owned(),
        }),
        Some(match (answer.usage.input_tokens, answer.usage.output_tokens) {
            (Some(input), Some(output)) => format!("{input} tokens in, {output} out"),
            _ => "usage is not reported".to_owned(),
        }),
        Some(answer.usage.cost_usd.map_or_else(|| "price unknown".to_owned(), |usd| format!("{usd:.6} USD"))),
    ];
    let message = format!("{model}: {}", facts.into_iter().flatten().collect::<Vec<_>>().join(", "));
    if !has_called {
        return DoctorCheck::warning(
            NAME,
            message,
            "a role needs tools: try another model, or `tools: text` for an agent with the `api` driver",
        );
    }
    if needs_price && answer.usage.cost_usd.is_none() && answer.usage.input_tokens.is_some() {
        return DoctorCheck::warning(
            NAME,
            message,
            "limits in USD need a price: amelia models update --file FILE",
        );
    }
    DoctorCheck::ok(NAME, message)
}

#[cfg(test)]
mod tests {
    use super::super::check::CheckState;
    use super::*;

    #[test]
    fn those_who_continue_for_others_are_asked_too_and_each_once() {
        let second = json!({"model": "second", "provider": "openai"});
        let agent = |model: &str, fallbacks: serde_json::Value| json!({"driver": "api", "model": model, "options": {"fallbacks": fallbacks}});
        let program =
            json!({"driver": "claude", "model": "third", "options": {"fallbacks": [{"model": "fourth"}]}});
        let profile: Profile = serde_json::from_value(json!({
            "name": "crew", "repo_root": ".",
            "agents": {
                "architect": {"driver": "api", "model": "first"},
                "developer": agent("first", json!([second])),
                "reviewer": agent("first", json!([second, {"model": "last"}])),
                "oracle": program,
            },
        }))
        .unwrap();
        let (asked, others) = models_of(&profile, |_| true);
        let mut asked: Vec<&str> = asked.iter().map(|asked| asked.agent.model.as_str()).collect();
        asked.sort_unstable();
        assert_eq!(asked, ["first", "last", "second"]);
        assert_eq!(others.len(), 2, "a program, and the same with another model");
        assert!(
            others.iter().all(|check| check.message.starts_with("oracle: not tried: the program claude"))
        );
        assert_eq!(others[0].hint.as_deref(), Some("a run tries it"), "only the developer works alone");
        let (_, without) = models_of(&profile, |_| false);
        assert_eq!(without[0].message, "oracle: not tried: `claude` is not installed");
        assert_eq!(without[0].state, CheckState::Error);
    }

    #[test]
    fn a_model_without_a_price_is_warned_of_only_where_money_is_limited() {
        let call = json!({"tool_call": {"id": "1", "tool": "ping", "args": {}}});
        let usage = Usage { input_tokens: Some(1), output_tokens: Some(1), ..Usage::default() };
        let answer = || Answer {
            reply: Ok(ModelReply {
                parts: vec![serde_json::from_value(call.clone()).unwrap()],
                usage: usage.clone(),
                stop: StopReason::Tools,
            }),
            notices: Vec::new(),
            usage: usage.clone(),
            with_image: false,
            wants_thinking: false,
        };
        assert_eq!(judge("m", &answer(), false).state, CheckState::Ok);
        assert_eq!(judge("m", &answer(), true).state, CheckState::Warning);
        let mut budgets = Budgets::default();
        assert!(!limits_money(&budgets));
        budgets.per_agent.usd = Some(1.0);
        assert!(limits_money(&budgets));
    }

    #[test]
    fn the_model_of_a_program_is_asked_where_the_proxy_would_ask_it() {
        let agent = |model: &str, options: serde_json::Value| -> AgentConfig {
            serde_json::from_value(json!({"driver": "claude", "model": model, "options": options})).unwrap()
        };
        let here = json!({"base_url": "http://127.0.0.1:9/v1"});
        let called = through_proxy(&agent("qwen3", here.clone())).unwrap();
        assert_eq!((called.driver, called.model.as_str()), (DriverType::Api, "qwen3"));
        assert_eq!(called.options["wire"], "messages");
        assert_eq!(called.options["base_url"], "http://127.0.0.1:9/v1");
        assert!(through_proxy(&agent("sonnet", here)).is_none(), "only claude knows which model that is");
        assert!(through_proxy(&agent("qwen3", json!({}))).is_none(), "it has a sign-in of its own");
    }
}
