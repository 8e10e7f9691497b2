//! From configuration to agents that are programs: where they are started, what they find there, how they reach a model.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use amelia_core::budget::BudgetScope;
use amelia_core::config::agent::{AcpConfig, AgentConfig, Asks, DriverConfig, ProgramConfig};
use amelia_core::config::provider::is_bearer_token;
use amelia_core::driver::Driver;
use amelia_core::id::{AgentName, RunId};
use amelia_core::problem::Problem;
use amelia_drivers::acp::{AcpDriver, AcpSettings};
use amelia_drivers::claude::{ClaudeDriver, ClaudeSettings};
use amelia_drivers::codex::{CodexDriver, CodexSettings};
use amelia_drivers::fallback::{FallbackDriver, Substitute};
use amelia_drivers::program::{Launcher, ModelGateway, Spawn, TalkContext};
use amelia_orchestrator::service::ServiceError;
use amelia_process::Environment;
use amelia_proxy::Access;
use anyhow::Result;

use super::Assembly;
use crate::upstream::{ResolvedUpstream, driver_config};

/// A program that has said nothing for so long hangs: its model has answered or failed by then, and its commands tell
/// how they are.
const SILENCE: Duration = Duration::from_secs(900);

/// What the programs of one run find around them.
pub(super) struct Surroundings {
    pub(super) environment: Environment,
    /// What must outlive them.
    pub(super) kept: PathBuf,
    /// Whose they are.
    pub(super) run: Option<RunId>,
}

impl Assembly {
    /// A program, with those who continue for it.
    pub(super) fn with_substitutes(
        &self,
        name: &AgentName,
        agent: &AgentConfig,
        budget_scope: &BudgetScope,
    ) -> Result<Arc<dyn Driver>> {
        let first = self.program(name, agent, budget_scope)?;
        let substitute = |agent: &AgentConfig| {
            let driver = self.program(name, agent, budget_scope)?;
            let options = driver_config(agent)?.model_options();
            Ok(Substitute { driver, model: agent.model.clone(), options })
        };
        let others: Vec<Substitute> = agent.fallbacks().iter().map(substitute).collect::<Result<_>>()?;
        Ok(if others.is_empty() { first } else { Arc::new(FallbackDriver { first, others }) })
    }

    fn program(
        &self,
        name: &AgentName,
        agent: &AgentConfig,
        budget_scope: &BudgetScope,
    ) -> Result<Arc<dyn Driver>> {
        let config = driver_config(agent)?;
        let is_proxied = config.upstream().is_some();
        let stage = |also: &[&str]| self.stage(name, agent, &config, budget_scope.clone(), also);
        Ok(match &config {
            DriverConfig::Claude(ProgramConfig { program, .. }) => {
                let settings = ClaudeSettings { program: program.clone(), is_proxied };
                Arc::new(ClaudeDriver { stage: stage(&["CLAUDE_CONFIG_DIR"])?, settings })
            }
            DriverConfig::Codex { program: ProgramConfig { program, permissions, .. }, mode } => {
                let asks = permissions.asks != Asks::Never;
                let settings = CodexSettings { program: program.clone(), mode: *mode, is_proxied, asks };
                Arc::new(CodexDriver { stage: stage(&["CODEX_HOME"])?, settings })
            }
            DriverConfig::Acp(AcpConfig { command, env, .. }) => {
                let env: Vec<&str> = env.iter().map(String::as_str).collect();
                let settings = AcpSettings { command: command.clone() };
                Arc::new(AcpDriver { stage: stage(&env)?, settings })
            }
            DriverConfig::Api(_) | DriverConfig::Scripted => {
                let driver = serde_json::to_value(agent.driver)?;
                let driver = driver.as_str().unwrap_or_default();
                let problem = Problem::new(format!("this version has no driver `{driver}`"))
                    .with_hint("use driver `api` with a provider and a model");
                return Err(ServiceError::invalid(problem).into());
            }
        })
    }

    /// Where programs are started; `also` are variables that only they get.
    fn stage(
        &self,
        name: &AgentName,
        agent: &AgentConfig,
        config: &DriverConfig,
        budget_scope: BudgetScope,
        also: &[&str],
    ) -> Result<TalkContext> {
        let Surroundings { environment, kept, .. } = &self.surroundings;
        let upstream = ResolvedUpstream::needed(agent)?;
        let gate = match &upstream {
            Some(upstream) if !self.run_environment.is_played() => {
                self.gate(name, upstream, &budget_scope)?
            }
            Some(_) | None => None,
        };
        let mut env: Vec<_> =
            environment.vars().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        env.extend(also.iter().filter_map(|name| {
            let key = self.keys.get(name).map(|key| key.reveal().into());
            Some(((*name).into(), key.or_else(|| std::env::var_os(name))?))
        }));
        let owner = environment.owner().to_owned();
        let account = match &upstream {
            Some(upstream) => super::account(upstream),
            None => self.own_account(config),
        };
        let spawn: Arc<dyn Launcher> =
            Arc::new(Spawn { env, kept: kept.clone(), silence: SILENCE, gate, owner });
        Ok(TalkContext {
            launcher: self.run_environment.launcher(spawn, self.redactor(), &self.images),
            clock: self.run_environment.clock(),
            prices: Arc::clone(&self.prices),
            budget_gate: self.run_environment.budget_gate(budget_scope),
            quota: self.run_environment.quota(&self.quotas, account),
            is_metered: upstream.is_some(),
            key_source: upstream.map(|upstream| upstream.key_source()).unwrap_or_default(),
        })
    }

    /// The account of a program's own sign-in, which lies in the user's home.
    fn own_account(&self, config: &DriverConfig) -> String {
        let mut vars = self.surroundings.environment.vars();
        let home = vars.find(|(name, _)| *name == "HOME").map(|(_, home)| home.to_string_lossy());
        let program = match config {
            DriverConfig::Acp(_) => "acp",
            config => config.program().unwrap_or_default(),
        };
        format!("{program} in {}", home.unwrap_or_default())
    }

    /// The way to a model for a program that is not to use its own sign-in: through our proxy, with a pass of this run in
    /// the place of a key.
    fn gate(
        &self,
        name: &AgentName,
        upstream: &ResolvedUpstream,
        budget_scope: &BudgetScope,
    ) -> Result<Option<Arc<dyn ModelGateway>>> {
        let Some(run) = self.surroundings.run else { return Ok(None) };
        Ok(Some(self.token_registry.gate(Access {
            run,
            agent: name.clone(),
            upstream: amelia_proxy::Upstream {
                provider: upstream.provider.to_string(),
                base_url: upstream.base_url.clone(),
                wire: upstream.wire,
                key: self.key(upstream)?.cloned(),
                is_token: upstream.key_env.as_deref().is_some_and(is_bearer_token),
            },
            budget_scope: budget_scope.clone(),
            prices: Arc::clone(&self.prices),
            breaker: self.breaker(&upstream.base_url),
            redactor: Arc::clone(self.redactor()),
            clock: self.run_environment.clock(),
        })))
    }
}
