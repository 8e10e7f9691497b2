//! From configuration to drivers that work: keys, prices, one HTTP client, one breaker per upstream.

mod program;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use amelia_core::budget::{Purse, Purses};
use amelia_core::config::agent::{AgentConfig, DriverType};
use amelia_core::config::retry::RetryConfig;
use amelia_core::config::sandbox::SandboxMode;
use amelia_core::config::secret::Secret;
use amelia_core::driver::{Driver, ModelOptions};
use amelia_core::id::{AgentName, RunId};
use amelia_core::loopback::is_loopback_url;
use amelia_core::redact::Redactor;
use amelia_drivers::api::{ApiDriver, Fallback};
use amelia_drivers::hold::Holds;
use amelia_drivers::model::{
    Breaker, Catalog, HttpModel, Model, ModelInfo, Prices, Provider, Textual, Thinking, Timeouts, Traits,
    client, client_for, local_client,
};
use amelia_drivers::timed::Timed;
use amelia_process::Environment;
use amelia_proxy::Passes;
use anyhow::{Context, Result, anyhow};

use self::program::Surroundings;
use crate::home::Home;
use crate::keys::Keys;
use crate::outside::Outside;
use crate::upstream::{ToolCalls, Upstream};
use amelia_orchestrator::service::ServiceError;

pub use self::program::permissions;

/// Tokens that fit the models of today when nothing else is known.
const CONTEXT_TOKENS: u64 = 128_000;
/// The same for Ollama, which leaves out what does not fit without saying so.
const OLLAMA_TOKENS: u64 = 32_000;
/// Above this several providers charge twice as much for the whole request.
const CHEAP_TOKENS: u64 = 200_000;

/// How the runs of a server reach models.
#[derive(Clone, Default)]
pub struct Ways {
    /// Through our proxy, for programs.
    pub passes: Passes,
    /// Accounts that are used up.
    pub holds: Arc<Holds>,
}

/// A model outside of any run.
pub struct Probe {
    pub model: Arc<dyn Model>,
    pub prices: Arc<Prices>,
    /// It is known to.
    pub takes_images: bool,
}

/// What all drivers of a process share.
pub struct Assembly {
    keys: Keys,
    outside: Outside,
    catalog: Catalog,
    prices: Arc<Prices>,
    timeouts: Timeouts,
    /// Made when they are needed: reading certificates takes longer than everything else at start.
    client: OnceLock<reqwest::Client>,
    local_client: OnceLock<reqwest::Client>,
    breakers: Mutex<HashMap<String, Arc<Mutex<Breaker>>>>,
    surroundings: Surroundings,
    passes: Passes,
    holds: Arc<Holds>,
}

impl Assembly {
    /// With the keys and prices of a home. `agents` name the keys that will be needed.
    pub fn new(home: &Home, agents: &[&AgentConfig], outside: &Outside) -> Result<Self> {
        let upstreams: Vec<Upstream> =
            agents.iter().filter_map(|agent| Upstream::needed(agent).ok().flatten()).collect();
        let names: Vec<&str> = upstreams.iter().filter_map(|upstream| upstream.key_env.as_deref()).collect();
        let timeouts = Timeouts::default();
        let catalog = catalog(home)?;
        Ok(Self {
            keys: Keys::gather(home, &names)?,
            outside: outside.clone(),
            prices: Arc::new(prices(home, catalog.clone())?),
            catalog,
            timeouts,
            client: OnceLock::new(),
            local_client: OnceLock::new(),
            breakers: Mutex::default(),
            passes: Passes::default(),
            holds: Arc::default(),
            surroundings: Surroundings {
                environment: Environment::new(std::env::vars_os(), &[], ""),
                kept: home.path().join("agents"),
                run: None,
            },
        })
    }

    /// For one run: what its programs find around them, where they keep what is only for it, and how they reach models.
    #[must_use]
    pub fn for_run(mut self, run: RunId, environment: Environment, ways: &Ways) -> Self {
        self.surroundings.environment = environment;
        self.surroundings.kept.push(run.to_string());
        self.surroundings.run = Some(run);
        self.passes = ways.passes.clone();
        self.holds = Arc::clone(&ways.holds);
        self
    }

    /// What takes secrets out of text.
    pub fn redactor(&self) -> &Arc<Redactor> {
        self.keys.redactor()
    }

    /// The driver that an agent's configuration asks for.
    pub fn driver(
        &self,
        name: &AgentName,
        agent: &AgentConfig,
        retry: RetryConfig,
        purses: &Purses,
    ) -> Result<Arc<dyn Driver>> {
        if agent.sandbox.mode != SandboxMode::None {
            let message = "sandboxes are not built into this version: commands run on this machine\n  hint: set sandbox.mode to none, if that is what you want";
            return Err(ServiceError::invalid(message).into());
        }
        let purse = purses.of(name);
        let inner: Arc<dyn Driver> = match agent.driver {
            DriverType::Api => Arc::new(self.api(agent, retry, &purse)?),
            DriverType::Codex | DriverType::Claude | DriverType::Acp => {
                self.with_substitutes(name, agent, &purse)?
            }
            DriverType::Scripted => {
                let message = format!(
                    "the driver `{}` is not built into this version\n  hint: use driver `api` with a provider and a model",
                    serde_json::to_value(agent.driver)?.as_str().unwrap_or_default()
                );
                return Err(ServiceError::invalid(message).into());
            }
        };
        Ok(Arc::new(Timed { inner, purser: self.outside.purser(purse), clock: self.outside.clock() }))
    }

    fn api(&self, agent: &AgentConfig, retry: RetryConfig, purse: &Purse) -> Result<ApiDriver> {
        let upstream = Upstream::of(agent)?;
        self.check_effort(agent)?;
        Ok(ApiDriver {
            model: self.spoken_to(agent, &upstream)?,
            clock: self.outside.clock(),
            retry,
            prices: Arc::clone(&self.prices),
            purser: self.outside.purser(purse.clone()),
            hold: self.outside.hold(&self.holds, account(&upstream)).of_model(&agent.model),
            breaker: self.breaker(&upstream.base_url),
            ears: self.outside.ears(self.redactor()),
            context_tokens: Arc::new(AtomicU64::new(self.window(agent, &upstream))),
            fallbacks: self.fallbacks(agent, retry, purse)?,
        })
    }

    fn fallbacks(&self, agent: &AgentConfig, retry: RetryConfig, purse: &Purse) -> Result<Vec<Fallback>> {
        let fallback = |agent: &AgentConfig| {
            let driver = self.api(agent, retry, purse)?;
            Ok(Fallback { driver, model: agent.model.clone(), options: model_options(agent) })
        };
        agent.fallbacks().iter().map(fallback).collect()
    }

    /// A model, in the way that its tools are called.
    fn spoken_to(&self, agent: &AgentConfig, upstream: &Upstream) -> Result<Arc<dyn Model>> {
        let http: Arc<dyn Model> = Arc::new(self.model(agent, upstream)?);
        Ok(match upstream.tools {
            ToolCalls::Native => http,
            ToolCalls::Text => Arc::new(Textual::always(http)),
            ToolCalls::Auto => Arc::new(Textual::when_needed(http)),
        })
    }

    /// A model that is to be tried once.
    pub fn probe(&self, agent: &AgentConfig) -> Result<Probe> {
        self.check_effort(agent)?;
        let model = self.spoken_to(agent, &Upstream::of(agent)?)?;
        let takes_images = self.catalog.of(&agent.model).is_some_and(|info| info.images);
        Ok(Probe { model, prices: Arc::clone(&self.prices), takes_images })
    }

    /// Tokens that fit a model: as configured, else as far as it is known, and not so many that providers charge more.
    fn window(&self, agent: &AgentConfig, upstream: &Upstream) -> u64 {
        let cheap = |info: &ModelInfo| {
            let long = info.price.and_then(|price| price.long);
            info.context.min(CHEAP_TOKENS).min(long.map_or(u64::MAX, |long| long.above))
        };
        let known = self.catalog.of(&agent.model).map(cheap);
        let unknown = if upstream.provider == Provider::Ollama { OLLAMA_TOKENS } else { CONTEXT_TOKENS };
        upstream.context_tokens.or(known).unwrap_or(unknown)
    }

    /// Whether every key is there that these agents need.
    pub fn check(&self, agents: &[&AgentConfig]) -> Result<()> {
        let upstreams: Vec<Upstream> =
            agents.iter().filter_map(|agent| Upstream::needed(agent).transpose()).collect::<Result<_>>()?;
        upstreams.iter().try_for_each(|upstream| self.key(upstream).map(|_| ()))
    }

    fn key(&self, upstream: &Upstream) -> Result<Option<&Secret>> {
        let key = upstream.key_env.as_deref().and_then(|name| self.keys.get(name));
        if let (None, Some(name), true) =
            (key, &upstream.key_env, upstream.needs_key() && !self.outside.is_played())
        {
            let message = format!(
                "the variable `{name}` is not set\n  hint: it must hold the key for {}, also where the server was started (`amelia server stop` ends that one); or write {name}=… into config/keys.env in the home",
                upstream.provider
            );
            return Err(ServiceError::invalid(message).into());
        }
        Ok(key)
    }

    /// A word for how much to think that the model is known not to take is refused before anything is paid.
    fn check_effort(&self, agent: &AgentConfig) -> Result<()> {
        let asked = agent.options.get("reasoning").and_then(serde_json::Value::as_str);
        let (Some(word), Some(info)) = (asked, self.catalog.of(&agent.model)) else { return Ok(()) };
        let is_known = info.thinking != Thinking::None && info.efforts.iter().any(|effort| effort == word);
        if is_known {
            return Ok(());
        }
        let hint = match info.efforts.is_empty() {
            true => "leave `reasoning` away: it cannot be told how much to think".to_owned(),
            false => format!("it takes {}", info.efforts.join(", ")),
        };
        let message = format!("`{}` does not take reasoning `{word}`\n  hint: {hint}", agent.model);
        Err(ServiceError::invalid(message).into())
    }

    fn model(&self, agent: &AgentConfig, upstream: &Upstream) -> Result<HttpModel> {
        let info = self.catalog.of(&agent.model);
        let traits = Traits::of(upstream.provider, upstream.wire, info);
        let client = self.client(upstream)?;
        Ok(HttpModel {
            name: upstream.provider.to_string(),
            wire: upstream.wire,
            base_url: upstream.base_url.clone(),
            key: self.key(upstream)?.cloned(),
            key_env: upstream.key_env.clone().unwrap_or_else(|| "--api-key-env".to_owned()),
            redactor: Arc::clone(self.redactor()),
            timeouts: self.timeouts,
            carrier: self.outside.carrier(&client, self.redactor()),
            traits: Arc::new(Mutex::new(traits)),
            client,
        })
    }

    fn client(&self, upstream: &Upstream) -> Result<reqwest::Client> {
        if is_loopback_url(&upstream.base_url) && !upstream.is_local() {
            // With TLS, which is rare.
            return client_for(&upstream.base_url, self.timeouts).context("while making the HTTP client");
        }
        let (kept, make): (_, fn(Timeouts) -> _) = match upstream.is_local() || self.outside.is_played() {
            true => (&self.local_client, local_client),
            false => (&self.client, client),
        };
        if let Some(client) = kept.get() {
            return Ok(client.clone());
        }
        let made = make(self.timeouts).context("while making the HTTP client")?;
        Ok(kept.get_or_init(|| made).clone())
    }

    fn breaker(&self, base_url: &str) -> Arc<Mutex<Breaker>> {
        let mut breakers = self.breakers.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(breakers.entry(base_url.to_owned()).or_default())
    }
}

/// What all who call with the same key have in common.
fn account(upstream: &Upstream) -> String {
    let key = upstream.key_env.as_deref().unwrap_or("no key");
    format!("{} {} {key}", upstream.provider, upstream.base_url)
}

/// What is known of models, with what the home says on top.
pub fn catalog(home: &Home) -> Result<Catalog> {
    let shipped = Catalog::shipped().map_err(|error| anyhow!(error))?;
    match own(home, "models.json")? {
        None => Ok(shipped),
        Some((path, text)) => Ok(shipped.overridden_by(Catalog::parse(&text).map_err(unreadable(&path))?)),
    }
}

/// The prices of these models, with those of the home on top.
fn prices(home: &Home, catalog: Catalog) -> Result<Prices> {
    let shipped = Prices::of_models(catalog);
    match own(home, "prices.json")? {
        None => Ok(shipped),
        Some((path, text)) => Ok(shipped.with_own(&text).map_err(unreadable(&path))?),
    }
}

/// A file of the home's configuration, if it is there.
fn own(home: &Home, name: &str) -> Result<Option<(PathBuf, String)>> {
    let path = home.path().join("config").join(name);
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(Some((path, text))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("{} cannot be read", path.display())),
    }
}

fn unreadable(path: &Path) -> impl FnOnce(String) -> ServiceError {
    move |error| ServiceError::invalid(format!("{}: {error}", path.display()))
}

/// How often an agent as a whole is asked again. The `api` driver repeats its single calls instead.
pub fn agent_retry(agent: &AgentConfig, retry: RetryConfig) -> RetryConfig {
    match agent.driver {
        DriverType::Api | DriverType::Scripted => RetryConfig { max_retries: 0, ..retry },
        DriverType::Claude | DriverType::Codex | DriverType::Acp => retry,
    }
}

/// Settings of the model itself, from an agent's options.
pub fn model_options(agent: &AgentConfig) -> ModelOptions {
    let text = |name: &str| agent.options.get(name).and_then(serde_json::Value::as_str);
    ModelOptions {
        temperature: agent.options.get("temperature").and_then(serde_json::Value::as_f64),
        max_tokens: agent.options.get("max_tokens").and_then(serde_json::Value::as_u64),
        reasoning: text("reasoning").map(str::to_owned),
    }
}
