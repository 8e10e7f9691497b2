//! Teams from files: with the texts of their templates and the teams inside them.

use std::collections::BTreeMap;

use amelia_core::config::problem::{ConfigProblem, ProblemReport, shown_variable};
use amelia_core::config::provider::Provider;
use amelia_core::config::team::llm::LlmConfig;
use amelia_core::config::team::member::template_file;
use amelia_core::config::team::{FrozenTeam, TeamConfig};
use amelia_core::memory::MemoryScope;
use amelia_flows::team::check::{check, nested};
use amelia_wire::agentx::team::TeamConfig as TeamFile;

use super::file_below::path_below;
use super::foreign_tool::{check_programs, models_of};
use super::{DefinitionFile, DefinitionKind, Definitions, check_name, text_of};
use crate::refused_file::RefusedFile;

/// The largest template.
const MAX_TEMPLATE: u64 = 256 * 1024;

impl Definitions {
    /// Reads a team and the teams inside it, or every file of them that cannot be used.
    pub fn team(&self, file: &DefinitionFile) -> Result<FrozenTeam, Vec<RefusedFile>> {
        let text = text_of(file).map_err(|refused| vec![refused])?;
        self.team_in(file, &text)
    }

    /// The same from a text that would be the file.
    pub fn team_in(&self, file: &DefinitionFile, text: &str) -> Result<FrozenTeam, Vec<RefusedFile>> {
        let mut refused = Vec::new();
        let mut teams = BTreeMap::new();
        let mut find = |name: &str| {
            let inner = self.file(DefinitionKind::Team, name).ok()?;
            let read = text_of(inner).and_then(|text| self.one_team(inner, &text, &mut |_| Vec::new()));
            read.map_err(|found| refused.push(found)).ok()
        };
        let read = self.one_team(file, text, &mut |team| match nested(team, &mut find) {
            Ok(found) => {
                teams = found;
                Vec::new()
            }
            Err(problems) => problems,
        });
        match read {
            Ok(team) if refused.is_empty() => {
                self.with_policies(FrozenTeam { team, teams, ..FrozenTeam::default() })
            }
            Ok(_) => Err(refused),
            Err(own) => {
                refused.insert(0, own);
                Err(refused)
            }
        }
    }

    /// One file, with the texts of its templates in their places. `more` finds problems that need other files.
    fn one_team(
        &self,
        file: &DefinitionFile,
        text: &str,
        more: &mut dyn FnMut(&TeamConfig) -> Vec<ConfigProblem>,
    ) -> Result<TeamConfig, RefusedFile> {
        let mut texts = BTreeMap::new();
        let mut team = self.read::<TeamFile>(file, text, |team| {
            let mut report = ProblemReport::default();
            check_name(&team.name, file, &mut report);
            read_templates(team, file, &mut texts, &mut report);
            if !self.knows_programs {
                check_programs(team, file, &mut report);
            }
            if file.is_of_repository {
                check_keys(team, &mut report);
                check_shares(team, &mut report);
            }
            let mut problems = report.into_problems();
            problems.extend(check(team, &texts, &self.known()));
            problems.extend(more(team));
            problems
        })?;
        for member in &mut team.agents {
            // Several agents may have the same file.
            if let Some(text) = template_file(&member.prompt_template).and_then(|file| texts.get(file)) {
                member.prompt_template = text.clone();
            }
        }
        Ok(team)
    }
}

/// A repository can contain files from anyone: its teams write nothing that runs in other repositories would read.
fn check_shares(team: &TeamConfig, report: &mut ProblemReport) {
    let members = team.agents.iter().enumerate().filter_map(|(index, member)| {
        Some((format!("agents[{index}].memory_config"), member.memory_config.as_ref()?))
    });
    for (at, memory) in [("memory_config".to_owned(), &team.memory_config)].into_iter().chain(members) {
        if memory.share.contains(&MemoryScope::Global) {
            let message = "`global` is only for teams in the home: use `team` or `repository`";
            report.refuse(format_args!("{at}.share"), message);
        }
    }
}

fn read_templates(
    team: &TeamConfig,
    file: &DefinitionFile,
    texts: &mut BTreeMap<String, String>,
    report: &mut ProblemReport,
) {
    for (index, member) in team.agents.iter().enumerate() {
        let Some(name) = template_file(&member.prompt_template) else { continue };
        match text_below(file, name) {
            Ok(text) => drop(texts.insert(name.to_owned(), text)),
            Err(message) => report.refuse(format_args!("agents[{index}].prompt_template"), message),
        }
    }
}

/// A file below the directory of the team file, and nowhere else.
fn text_below(file: &DefinitionFile, name: &str) -> Result<String, String> {
    let path = path_below(file, name)?;
    let size = path.metadata().map_err(|error| format!("`{name}` cannot be read: {error}"))?.len();
    if size > MAX_TEMPLATE {
        return Err(format!("`{name}` is larger than {} KB", MAX_TEMPLATE / 1024));
    }
    let text = std::fs::read_to_string(path).map_err(|error| format!("`{name}` cannot be read: {error}"))?;
    match text.trim().is_empty() {
        true => Err(format!("`{name}` is empty")),
        false => Ok(text),
    }
}

/// Anyone can write a file of a repository: it sends a key only to the provider that the key is for.
fn check_keys(team: &TeamConfig, report: &mut ProblemReport) {
    for (field, llm) in models_of(team) {
        if let Some(message) = leaked_key(llm) {
            let key = if llm.base_url.is_some() { "base_url" } else { "api_key_env" };
            report.refuse(format!("{field}.{key}"), message);
        }
    }
}

fn leaked_key(llm: &LlmConfig) -> Option<String> {
    let name = llm.key_env()?;
    let of_provider = || llm.known_provider().and_then(Provider::base_url);
    let address = llm.base_url.as_deref().or_else(of_provider)?.trim_end_matches('/');
    let is_for = |provider: &Provider| {
        provider.key_envs().any(|known| known == name) && provider.base_url() == Some(address)
    };
    let is_leaked = !Provider::ALL.iter().any(is_for);
    is_leaked.then(|| {
        let shown = shown_variable(name);
        let local = match llm.api_key_env.is_none() && llm.base_url.is_some() {
            true => "use `provider: openai-compatible`, which needs no key, ",
            false => "",
        };
        format!(
            "a file in a repository cannot send {shown} to {address}: {local}put the file in `~/.amelia/teams`, or use the \
             address of the provider"
        )
    })
}

#[cfg(test)]
#[path = "team_tests.rs"]
mod tests;
