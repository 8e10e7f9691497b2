//! The tools with which an agent ends its turn: `handoff` and `finish`.

use amelia_agents::handing_in::HandIn;
use amelia_core::object::Object;
use schemars::JsonSchema;
use serde::Deserialize;

use super::rules::TeamRules;

pub(super) const HANDOFF: &str = "handoff";
pub(super) const FINISH: &str = "finish";
/// Bytes of what is handed over beside the conversation.
const MAX_CONTEXT: usize = 64 * 1024;

/// Arguments of `handoff`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HandoffArgs {
    /// Name of the agent that continues
    pub(super) destination_agent: String,
    /// Why it continues, and what it should do
    pub(super) reason: String,
    /// Values that it needs
    #[serde(default)]
    pub(super) context: Object,
}

/// Arguments of `finish`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FinishArgs {
    /// The complete result of the task, for the person who gave it
    pub(super) result: String,
}

/// What an agent may end its turn with.
pub(super) fn of_agent(rules: &TeamRules, agent: &str) -> Vec<HandIn> {
    let allowed: Vec<String> = rules.allowed(agent).into_iter().map(str::to_owned).collect();
    let finish = HandIn::of(
        FINISH,
        "End the whole task with its result. Call it only when nothing is left to do for any agent.",
        |args: &FinishArgs| match args.result.trim().is_empty() {
            true => Err("`result` must not be empty".to_owned()),
            false => Ok(()),
        },
    );
    if allowed.is_empty() {
        return vec![finish];
    }
    let known: Vec<String> = rules.team.agents.iter().map(|member| member.name.clone()).collect();
    let own = agent.to_owned();
    let description = format!("End your turn and let another agent continue: {}.", allowed.join(", "));
    let handoff = HandIn::of(HANDOFF, &description, move |args: &HandoffArgs| {
        refusal(args, &own, &known, &allowed).map_or(Ok(()), Err)
    });
    vec![handoff, finish]
}

/// Why an agent cannot hand over like this.
fn refusal(args: &HandoffArgs, own: &str, known: &[String], allowed: &[String]) -> Option<String> {
    let to = &args.destination_agent;
    let choices = || format!("hand off to one of: {}", allowed.join(", "));
    if to == own {
        return Some(format!("`{own}` is you; {}", choices()));
    }
    if !known.contains(to) {
        return Some(format!("there is no agent `{to}`; {}", choices()));
    }
    if !allowed.contains(to) {
        return Some(format!("no handoff rule leads from you to `{to}`; {}", choices()));
    }
    if args.reason.trim().is_empty() {
        return Some("`reason` must not be empty".to_owned());
    }
    let size = serde_json::to_vec(&args.context).map_or(0, |bytes| bytes.len());
    (size > MAX_CONTEXT).then(|| format!("`context` is larger than {} KB", MAX_CONTEXT / 1024))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::team::deciding::tests::team;

    fn refused(args: Value) -> String {
        let rules = TeamRules::read(&team(&json!([
            {"from_agent": "writer", "to_agent": "critic"}
        ])))
        .unwrap();
        let known: Vec<String> = rules.team.agents.iter().map(|member| member.name.clone()).collect();
        let allowed: Vec<String> = rules.allowed("writer").into_iter().map(str::to_owned).collect();
        refusal(&serde_json::from_value(args).unwrap(), "writer", &known, &allowed).unwrap_or_default()
    }

    #[test]
    fn a_handoff_that_is_not_possible_is_explained_to_the_model() {
        let to = |agent: &str| refused(json!({"destination_agent": agent, "reason": "go"}));
        assert_eq!(to("critic"), "");
        assert_eq!(to("writer"), "`writer` is you; hand off to one of: critic");
        assert_eq!(to("nobody"), "there is no agent `nobody`; hand off to one of: critic");
        assert_eq!(to("editor"), "no handoff rule leads from you to `editor`; hand off to one of: critic");
        assert_eq!(
            refused(json!({"destination_agent": "critic", "reason": " "})),
            "`reason` must not be empty"
        );
        let large = "x".repeat(70_000);
        let large = refused(json!({"destination_agent": "critic", "reason": "go", "context": {"a": large}}));
        assert_eq!(large, "`context` is larger than 64 KB");
    }

    #[test]
    fn an_agent_that_is_alone_can_only_finish() {
        let mut alone = team(&json!([]));
        alone.agents.truncate(1);
        let names = |team, agent| -> Vec<String> {
            let rules = TeamRules::read(team).unwrap();
            of_agent(&rules, agent).iter().map(|tool| tool.name().to_owned()).collect()
        };
        assert_eq!(names(&alone, "writer"), ["finish"]);
        assert_eq!(names(&team(&json!([])), "writer"), ["handoff", "finish"]);
    }
}
