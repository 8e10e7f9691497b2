//! From the JSON of options to their types, one option after the other.

use serde_json::Value;

use super::{
    AcpConfig, ApiConfig, Asks, CodexMode, DriverConfig, Permissions, ProgramConfig, ToolCalls,
    UpstreamConfig,
};
use crate::config::agent::DriverType;
use crate::config::problem::{ProblemReport, is_variable_name};
use crate::config::provider::{Provider, WireFormat};
use crate::driver::ModelOptions;
use crate::object::Object;

const API: &str = "provider, base_url, api_key_env, temperature, max_tokens, reasoning, wire, tools, context_tokens, \
                   timeout, permissions, allow, fallbacks";

const CLAUDE: &str =
    "program, reasoning, permissions, allow, provider, base_url, api_key_env, wire, fallbacks";

const CODEX: &str =
    "program, mode, reasoning, permissions, allow, provider, base_url, api_key_env, wire, fallbacks";

const ACP: &str = "command, permissions, allow, env, fallbacks";

/// Whether some driver has an option of this name.
#[must_use]
pub fn is_driver_option(name: &str) -> bool {
    [API, CLAUDE, CODEX, ACP].iter().any(|options| options.split(", ").any(|known| known == name))
}

/// Options with which a program goes through our proxy.
const UPSTREAM: [&str; 4] = ["provider", "base_url", "api_key_env", "wire"];

/// Options that are the same for an agent and for those who continue for it.
const SHARED: [&str; 2] = ["permissions", "allow"];

/// More would hide that nothing works.
const MAX_FALLBACKS: usize = 5;

/// The options of one who continues for an agent. A program passes its own on, but for the way to its model.
pub(in crate::config::agent) fn inherited(driver: DriverType, options: &Object, given: &Object) -> Object {
    let is_passed_on = |name: &str| match driver {
        DriverType::Api | DriverType::Scripted => false,
        DriverType::Claude | DriverType::Codex | DriverType::Acp => {
            name != "fallbacks" && !UPSTREAM.contains(&name)
        }
    };
    let passed_on = options.iter().filter(|(name, _)| is_passed_on(name));
    passed_on.chain(given).map(|(name, value)| (name.clone(), value.clone())).collect()
}

pub(super) struct Reader<'a> {
    options: &'a Object,
    report: &'a mut ProblemReport,
}

impl<'a> Reader<'a> {
    pub(super) fn new(options: &'a Object, report: &'a mut ProblemReport) -> Self {
        Self { options, report }
    }

    pub(super) fn config(&mut self, driver: DriverType) -> DriverConfig {
        match driver {
            DriverType::Api => DriverConfig::Api(self.api()),
            DriverType::Claude => {
                DriverConfig::Claude(self.program(driver, "claude", CLAUDE, WireFormat::Messages))
            }
            DriverType::Codex => self.codex(),
            DriverType::Acp => DriverConfig::Acp(self.acp()),
            DriverType::Scripted => DriverConfig::Scripted,
        }
    }

    fn api(&mut self) -> ApiConfig {
        self.refuse_others("api", API);
        let upstream = self.upstream(None);
        let tools = [("auto", ToolCalls::Auto), ("native", ToolCalls::Native), ("text", ToolCalls::Text)];
        let tools = self.choice("tools", &tools).unwrap_or_default();
        let temperature = self.options.get("temperature").map(|given| given.as_f64().unwrap_or(f64::NAN));
        if let Some(temperature) = &temperature {
            self.report.range("temperature", temperature, &(0.0..=2.0));
        }
        let (max_tokens, context_tokens) = (self.positive("max_tokens"), self.positive("context_tokens"));
        let silence_seconds = self.positive("timeout");
        let reasoning = self.word("reasoning", "must be a word, such as low, medium or high");
        let permissions = self.permissions();
        self.check_fallbacks(DriverType::Api);
        let model = ModelOptions { temperature, max_tokens, reasoning };
        ApiConfig { upstream, tools, context_tokens, silence_seconds, model, permissions }
    }

    /// A program that supports one protocol, with any upstream.
    fn program(&mut self, driver: DriverType, name: &str, options: &str, wire: WireFormat) -> ProgramConfig {
        self.refuse_others(name, options);
        let program = self.word("program", "must be a word").unwrap_or_else(|| name.to_owned());
        let reasoning = self.word("reasoning", "must be a word");
        let permissions = self.permissions();
        self.check_fallbacks(driver);
        let has_upstream = UPSTREAM.iter().any(|name| self.options.contains_key(*name));
        let upstream = has_upstream.then(|| self.upstream(Some((name, wire))));
        ProgramConfig { program, reasoning, permissions, upstream }
    }

    fn codex(&mut self) -> DriverConfig {
        let program = self.program(DriverType::Codex, "codex", CODEX, WireFormat::Responses);
        let modes = [("app-server", CodexMode::Server), ("exec", CodexMode::Exec)];
        let mode = self.choice("mode", &modes).unwrap_or_default();
        if mode == CodexMode::Exec && program.permissions.asks != Asks::Never {
            let message = "must be never when mode is `exec`: it cannot ask";
            self.report.refuse("permissions", message);
        }
        DriverConfig::Codex { program, mode }
    }

    fn acp(&mut self) -> AcpConfig {
        self.refuse_others("acp", ACP);
        let permissions = self.permissions();
        self.check_fallbacks(DriverType::Acp);
        let command = self.options.get("command").and_then(texts).unwrap_or_default();
        if command.first().is_none_or(String::is_empty) {
            self.report.refuse("command", "must be the program and its arguments, as a list of words");
        }
        let env = self.read("env", |given| {
            let names = texts(given).filter(|names| names.iter().all(|name| is_variable_name(name)));
            names.ok_or_else(|| "must be a list of names of environment variables".to_owned())
        });
        AcpConfig { command, env: env.unwrap_or_default(), permissions }
    }

    /// `only`: who reads it, when it is a program, and the one protocol that this speaks.
    fn upstream(&mut self, only: Option<(&str, WireFormat)>) -> UpstreamConfig {
        let provider = self.choice("provider", &Provider::ALL.map(|provider| (provider.name(), provider)));
        let wire = match only {
            None => self.choice("wire", &WireFormat::ALL.map(|wire| (wire.name(), wire))),
            Some((name, wire)) => self.read("wire", |given| match given.as_str() == Some(wire.name()) {
                true => Ok(wire),
                false => Err(format!("must be {wire}: {name} supports no other")),
            }),
        };
        if let (Some((name, wire)), Some(provider)) = (only, provider)
            && !provider.speaks(wire)
        {
            let message = format!("{provider} does not support {wire}, the only API of {name}");
            self.report.refuse("provider", message);
        }
        let base_url =
            self.options.get("base_url").map(|given| given.as_str().unwrap_or_default().to_owned());
        match &base_url {
            Some(base_url) => self.report.open_url("base_url", base_url),
            None if provider == Some(Provider::OpenAiCompatible) => {
                self.report.refuse("base_url", "is required when provider is `openai-compatible`");
            }
            None => {}
        }
        let api_key_env = self.read("api_key_env", |given| {
            let name = given.as_str().filter(|name| is_variable_name(name)).map(str::to_owned);
            name.ok_or_else(|| "must be the name of an environment variable".to_owned())
        });
        UpstreamConfig { provider, base_url, api_key_env, wire }
    }

    fn permissions(&mut self) -> Permissions {
        let all = [("never", Asks::Never), ("commands", Asks::Commands), ("changes", Asks::Changes)];
        let asks = self.choice("permissions", &all).unwrap_or_default();
        let allowed = self.read("allow", |given| {
            texts(given).ok_or_else(|| "must be a list of rules such as `shell(cargo test*)`".to_owned())
        });
        if allowed.is_some() && asks == Asks::Never {
            self.report.refuse("allow", "has no effect unless permissions is commands or changes");
        }
        Permissions { asks, allowed: allowed.unwrap_or_default() }
    }

    /// Those who continue when this one is not available: a model each, and options of the driver.
    fn check_fallbacks(&mut self, driver: DriverType) {
        let Some(given) = self.options.get("fallbacks") else { return };
        let Some(all) = given.as_array().filter(|all| (1..=MAX_FALLBACKS).contains(&all.len())) else {
            let shape = format!(
                "must be a list of 1 to {MAX_FALLBACKS}, such as [{{ model: NAME, provider: openai }}]"
            );
            return self.report.refuse("fallbacks", shape);
        };
        for (place, one) in all.iter().enumerate() {
            let options = self.options;
            self.report.within(format_args!("fallbacks[{place}]"), |report| match one.as_object() {
                Some(given) => check_fallback(driver, options, given, report),
                None => report.refuse("", "must have a model, and options of the driver"),
            });
        }
    }

    fn refuse_others(&mut self, driver: &str, known: &str) {
        let is_known = |name: &str| known.split(", ").any(|known| known == name);
        for name in self.options.keys().filter(|name| !is_known(name)) {
            self.report.refuse(name, format!("is not an option of the {driver} driver: {known}"));
        }
    }

    fn positive(&mut self, name: &str) -> Option<u64> {
        self.read(name, |given| {
            let number = given.as_u64().filter(|number| *number > 0);
            number.ok_or_else(|| format!("{given} is not a whole number greater than 0"))
        })
    }

    fn word(&mut self, name: &str, problem: &str) -> Option<String> {
        self.read(name, |given| {
            let word = given.as_str().filter(|word| !word.is_empty());
            word.map(str::to_owned).ok_or_else(|| problem.to_owned())
        })
    }

    fn choice<T: Copy>(&mut self, name: &str, all: &[(&str, T)]) -> Option<T> {
        self.read(name, |given| {
            let chosen = all.iter().find(|(word, _)| given.as_str() == Some(word));
            let words = || all.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ");
            chosen.map(|(_, chosen)| *chosen).ok_or_else(|| format!("must be one of {}", words()))
        })
    }

    fn read<T>(&mut self, name: &str, accept: impl FnOnce(&Value) -> Result<T, String>) -> Option<T> {
        accept(self.options.get(name)?).map_err(|problem| self.report.refuse(name, problem)).ok()
    }
}

fn check_fallback(driver: DriverType, options: &Object, given: &Object, report: &mut ProblemReport) {
    let model = given.get("model").and_then(Value::as_str);
    if model.is_none_or(|model| model.trim().is_empty()) {
        report.refuse("model", "is required");
    }
    if given.contains_key("fallbacks") {
        report.refuse("fallbacks", "a fallback cannot have fallbacks");
    }
    for name in SHARED.iter().filter(|name| given.contains_key(**name)) {
        report.refuse(name, "cannot be set for a fallback: it uses the agent's");
    }
    let mut given = given.clone();
    given.retain(|name, _| !matches!(name.as_str(), "model" | "fallbacks"));
    Reader::new(&inherited(driver, options, &given), report).config(driver);
}

fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect()
}
