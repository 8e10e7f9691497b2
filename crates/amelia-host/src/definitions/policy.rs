//! Guardrail policies from files, and those that a team names.

use amelia_core::config::problem::ProblemReport;
use amelia_core::config::team::FrozenTeam;
use amelia_core::config::team::guardrail::{GuardrailPolicy, PolicyAction, PolicyKind};
use amelia_core::object::Object;
use amelia_core::review::Severity;
use amelia_flows::guardrail::check_rules;
use amelia_flows::team::policies::shared_names;
use amelia_wire::agentx::team::parts::GuardrailPolicy as PolicyFile;
use amelia_yaml::problem::{FileProblem, steps};

use super::{DefinitionFile, DefinitionKind, Definitions, check_name, text_of};
use crate::refused_file::RefusedFile;

impl Definitions {
    /// Reads a policy.
    pub fn policy(&self, file: &DefinitionFile) -> Result<GuardrailPolicy, RefusedFile> {
        self.policy_in(file, &text_of(file)?)
    }

    /// The same from a text that would be the file.
    pub fn policy_in(&self, file: &DefinitionFile, text: &str) -> Result<GuardrailPolicy, RefusedFile> {
        let read = self.read::<PolicyFile>(file, text, |policy| {
            let mut report = ProblemReport::default();
            check_name(&policy.name, file, &mut report);
            check_rules(policy, &mut report);
            report.into_problems()
        });
        read.map_err(|refused| with_problems_of_rules(refused, text))
    }

    /// A team with the shared policies that its agents name, or every file of them that cannot be used.
    pub(super) fn with_policies(&self, mut frozen: FrozenTeam) -> Result<FrozenTeam, Vec<RefusedFile>> {
        let (mut found, mut refused) = (Vec::new(), Vec::new());
        // One that is missing is reported where it is named.
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

/// The keys that rules of each type have, and those of no other type.
const KEYS: [(PolicyKind, &[&str]); 4] = [
    (PolicyKind::InputValidation, &["max_length", "min_length", "pattern", "not_pattern", "json_schema"]),
    (PolicyKind::ContentFilter, &["patterns", "secrets", "personal_data", "replace"]),
    (PolicyKind::RateLimit, &["calls", "per_seconds", "agent", "tool"]),
    (PolicyKind::Compliance, &["cel"]),
];

/// The type that rules with these keys are probably of.
fn likely_kind(rules: &[Object]) -> Option<PolicyKind> {
    let fitting = |keys: &[&str]| {
        rules.iter().flat_map(Object::keys).filter(|key| keys.contains(&key.as_str())).count()
    };
    let counted = KEYS.iter().map(|(kind, keys)| (*kind, fitting(keys)));
    counted.filter(|(_, count)| *count > 0).max_by_key(|(_, count)| *count).map(|(kind, _)| kind)
}

/// The same with what is wrong with the rules, which is not looked at while the shape of the file is wrong. Without a type, they
/// are taken for rules of the type that their keys are of.
fn with_problems_of_rules(mut refused: RefusedFile, text: &str) -> RefusedFile {
    let Ok(tree) = amelia_yaml::tree::parse(text) else { return refused };
    let document = tree.to_json();
    let rules = document.get("rules").cloned().and_then(|rules| serde_json::from_value(rules).ok());
    let Some(rules): Option<Vec<Object>> = rules else { return refused };
    let kind: Option<PolicyKind> =
        document.get("type").cloned().and_then(|kind| serde_json::from_value(kind).ok());
    let Some(kind) = kind.or_else(|| likely_kind(&rules)) else { return refused };
    let (severity, action) = (Severity::Medium, PolicyAction::default());
    let policy = GuardrailPolicy { name: String::new(), kind, rules, severity, action };
    let mut report = ProblemReport::default();
    check_rules(&policy, &mut report);
    for problem in report.into_problems() {
        let problem = FileProblem::at(&tree, &steps(&problem.path), problem.message);
        if !refused.problems.contains(&problem) {
            refused.problems.push(problem);
        }
    }
    refused.problems.sort_by_key(|problem| (problem.line, problem.column));
    refused
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::home::Home;

    #[test]
    fn a_wrong_type_does_not_hide_what_is_wrong_with_the_rules() {
        let home = tempfile::tempdir().unwrap();
        let all = Definitions::of_home(&Home::at(home.path()));
        let text = "name: names\ntype: content_filtr\nrules:\n  - patterns: [\"(?=x)\"]\n    on: [answr]\n";
        let file = DefinitionFile::stored(DefinitionKind::Policy, "names".to_owned(), text.to_owned());
        let refused = all.policy(&file).unwrap_err();
        let found: Vec<(u64, &str)> =
            refused.problems.iter().map(|problem| (problem.line, problem.path.as_str())).collect();
        assert_eq!(found, [(2, "type"), (4, "rules[0].patterns[0]"), (5, "rules[0].on[0]")], "{refused}");
        let known = DefinitionFile { stored: Some(text.replace("filtr", "filter")), ..file };
        assert_eq!(all.policy(&known).unwrap_err().problems.len(), 2, "none is told twice");
    }
}
