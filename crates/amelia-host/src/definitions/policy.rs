//! Guardrail policies from files, and those that a team names.

use amelia_core::config::problem::ProblemReport;
use amelia_core::config::team::FrozenTeam;
use amelia_core::config::team::guardrail::GuardrailPolicy;
use amelia_flows::guardrail::check_rules;
use amelia_flows::team::policies::shared_names;
use amelia_wire::agentx::team::parts::GuardrailPolicy as PolicyFile;

use super::{DefinitionFile, DefinitionKind, Definitions, check_name, text_of};
use crate::refused_file::RefusedFile;

impl Definitions {
    /// Reads a policy.
    pub fn policy(&self, file: &DefinitionFile) -> Result<GuardrailPolicy, RefusedFile> {
        self.policy_in(file, &text_of(file)?)
    }

    /// The same from a text that would be the file.
    pub fn policy_in(&self, file: &DefinitionFile, text: &str) -> Result<GuardrailPolicy, RefusedFile> {
        self.read::<PolicyFile>(file, text, |policy| {
            let mut report = ProblemReport::default();
            check_name(&policy.name, file, &mut report);
            check_rules(policy, &mut report);
            report.into_problems()
        })
    }

    /// A team with the shared policies that its agents name, or every file of them that cannot be used.
    pub(super) fn with_policies(&self, mut frozen: FrozenTeam) -> Result<FrozenTeam, Vec<RefusedFile>> {
        let (mut found, mut refused) = (Vec::new(), Vec::new());
        // One that is not there is told about where it is named.
        for file in
            shared_names(&frozen).iter().filter_map(|name| self.file(DefinitionKind::Policy, name).ok())
        {
            match self.policy(file) {
                Ok(policy) => found.push((file.name.clone(), policy)),
                Err(problems) => refused.push(problems),
            }
        }
        frozen.policies.extend(found);
        if refused.is_empty() { Ok(frozen) } else { Err(refused) }
    }
}
