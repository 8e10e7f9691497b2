//! From configuration to agents that are programs: where they are started, what they find there, how they reach a model.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use amelia_agents::permission::{Asks, Permissions};
use amelia_core::budget::BudgetScope;
use amelia_core::config::agent::{AgentConfig, DriverType};
use amelia_core::driver::Driver;
use amelia_core::id::{AgentName, RunId};
use amelia_drivers::acp::{AcpDriver, AcpSettings};
use amelia_drivers::claude::{ClaudeDriver, ClaudeSettings};
use amelia_drivers::codex::{CodexDriver, CodexSettings, Mode};
use amelia_drivers::fallback::{FallbackDriver, Substitute};
use amelia_drivers::program::{Launcher, ModelGateway, Spawn, TalkContext};
use amelia_process::Environment;
use amelia_proxy::Access;
use anyhow::{Result, anyhow};
use serde::Deserialize;
use serde_json::Value;

use super::Assembly;
use crate::upstream::{ResolvedUpstream, has_upstream};

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
            Ok(Substitute { driver, model: agent.model.clone(), options: super::model_options(agent) })
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
        Ok(match agent.driver {
            DriverType::Codex => Arc::new(self.codex(name, agent, budget_scope.clone())?),
            DriverType::Claude => Arc::new(self.claude(name, agent, budget_scope.clone())?),
            DriverType::Acp => Arc::new(self.acp(name, agent, budget_scope.clone())?),
            DriverType::Api | DriverType::Scripted => {
                return Err(anyhow!("`{:?}` is no program", agent.driver));
            }
        })
    }

    fn claude(
        &self,
        name: &AgentName,
        agent: &AgentConfig,
        budget_scope: BudgetScope,
    ) -> Result<ClaudeDriver> {
        let text = |name: &str| agent.options.get(name).and_then(Value::as_str);
        let settings = ClaudeSettings {
            program: text("program").unwrap_or("claude").to_owned(),
            effort: text("reasoning").map(str::to_owned),
            is_proxied: has_upstream(agent),
        };
        Ok(ClaudeDriver { stage: self.stage(name, agent, budget_scope, &["CLAUDE_CONFIG_DIR"])?, settings })
    }

    fn codex(&self, name: &AgentName, agent: &AgentConfig, budget_scope: BudgetScope) -> Result<CodexDriver> {
        let text = |name: &str| agent.options.get(name).and_then(Value::as_str);
        let settings = CodexSettings {
            program: text("program").unwrap_or("codex").to_owned(),
            mode: if text("mode") == Some("exec") { Mode::Exec } else { Mode::Server },
            effort: text("reasoning").map(str::to_owned),
            is_proxied: has_upstream(agent),
            asks: permissions(agent).asks != Asks::Never,
        };
        Ok(CodexDriver { stage: self.stage(name, agent, budget_scope, &["CODEX_HOME"])?, settings })
    }

    fn acp(&self, name: &AgentName, agent: &AgentConfig, budget_scope: BudgetScope) -> Result<AcpDriver> {
        let texts = |option: &str| {
            let given = agent.options.get(option).and_then(Value::as_array).into_iter().flatten();
            given.filter_map(Value::as_str).collect::<Vec<_>>()
        };
        let command = texts("command").into_iter().map(str::to_owned).collect();
        Ok(AcpDriver {
            stage: self.stage(name, agent, budget_scope, &texts("env"))?,
            settings: AcpSettings { command },
        })
    }

    /// Where programs are started; `also` are variables that they get although nobody else does.
    fn stage(
        &self,
        name: &AgentName,
        agent: &AgentConfig,
        budget_scope: BudgetScope,
        also: &[&str],
    ) -> Result<TalkContext> {
        let Surroundings { environment, kept, .. } = &self.surroundings;
        let is_metered = has_upstream(agent);
        let gate =
            if self.run_environment.is_played() { None } else { self.gate(name, agent, &budget_scope)? };
        let mut env: Vec<_> =
            environment.vars().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        env.extend(also.iter().filter_map(|name| {
            let key = self.keys.get(name).map(|key| key.reveal().into());
            Some(((*name).into(), key.or_else(|| std::env::var_os(name))?))
        }));
        let owner = environment.owner().to_owned();
        let spawn: Arc<dyn Launcher> =
            Arc::new(Spawn { env, kept: kept.clone(), silence: SILENCE, gate, owner });
        Ok(TalkContext {
            launcher: self.run_environment.launcher(spawn, self.redactor()),
            clock: self.run_environment.clock(),
            prices: Arc::clone(&self.prices),
            budget_gate: self.run_environment.budget_gate(budget_scope),
            quota: self.run_environment.quota(&self.quotas, self.account(agent)?),
            is_metered,
        })
    }

    /// The account that a program uses: one of ours, or that of its own sign-in, which lies in the user's home.
    fn account(&self, agent: &AgentConfig) -> Result<String> {
        if has_upstream(agent) {
            return Ok(super::account(&ResolvedUpstream::of(agent)?));
        }
        let mut vars = self.surroundings.environment.vars();
        let home =
            vars.find(|(name, _)| *name == "HOME").map(|(_, home)| home.to_string_lossy().into_owned());
        let program = agent.options.get("program").and_then(Value::as_str).map(str::to_owned);
        let program = program.unwrap_or_else(|| format!("{:?}", agent.driver).to_lowercase());
        Ok(format!("{program} in {}", home.unwrap_or_default()))
    }

    /// The way to a model for a program that is not to use its own sign-in: through our proxy, with a pass of this run in
    /// the place of a key.
    fn gate(
        &self,
        name: &AgentName,
        agent: &AgentConfig,
        budget_scope: &BudgetScope,
    ) -> Result<Option<Arc<dyn ModelGateway>>> {
        let Some(run) = self.surroundings.run.filter(|_| has_upstream(agent)) else { return Ok(None) };
        let upstream = ResolvedUpstream::of(agent)?;
        Ok(Some(self.token_registry.gate(Access {
            run,
            agent: name.clone(),
            upstream: amelia_proxy::Upstream {
                provider: upstream.provider.to_string(),
                base_url: upstream.base_url.clone(),
                wire: upstream.wire,
                key: self.key(&upstream)?.cloned(),
            },
            budget_scope: budget_scope.clone(),
            prices: Arc::clone(&self.prices),
            breaker: self.breaker(&upstream.base_url),
            redactor: Arc::clone(self.redactor()),
            clock: self.run_environment.clock(),
        })))
    }
}

/// Before what a person wants to be asked.
pub fn permissions(agent: &AgentConfig) -> Permissions {
    let allowed = agent.options.get("allow").and_then(Value::as_array).into_iter().flatten();
    let asks = agent.options.get("permissions").and_then(|asks| Asks::deserialize(asks).ok());
    Permissions {
        asks: asks.unwrap_or_default(),
        allowed: allowed.filter_map(Value::as_str).map(str::to_owned).collect(),
    }
}
