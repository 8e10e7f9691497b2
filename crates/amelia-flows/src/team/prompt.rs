//! The prompt of an agent: who it is, by its template and the rules of the team, and what was said since its last turn.

use amelia_core::config::team::member::Member;
use amelia_core::event::team::HandoffKind;
use amelia_core::message::MemoryPart;
use amelia_core::object::Object;
use amelia_core::tag::{UNTRUSTED, tagged};
use amelia_graph::node::NodeError;
use serde_json::{Value, json};

use super::hand_ins::{FINISH, HANDOFF};
use super::reminding;
use super::rules::TeamRules;
use super::seat::Turn;
use crate::chat::{Chat, TurnOutcome};
use crate::condition::Variables as _;
use crate::hearing::{is_at, team_messages_since};
use crate::template::render_with;
use crate::workflow::FlowAgent;

/// The system prompt of a turn: the template of the agent, and how turns end in this team.
pub(super) fn system(
    turn: &Turn<'_>,
    agent: &FlowAgent,
    manners: &str,
    reminder: Option<&MemoryPart>,
) -> Result<String, NodeError> {
    let text = rendered(turn, Some(agent), &agent.system, "prompt_template", reminder)?;
    Ok(format!("{}\n\n{manners}", text.trim_end()))
}

/// What a pattern tells an agent, by a template of its config.
pub(super) fn task(turn: &Turn<'_>, template: &str, field: &str) -> Result<String, NodeError> {
    let text = rendered(turn, Some(turn.flow_agent()?), template, field, None)?;
    Ok(text.trim_end().to_owned())
}

/// What a pattern asks a person, by a template of its config. It sees nothing of an agent.
pub(super) fn question(turn: &Turn<'_>, template: &str) -> Result<String, NodeError> {
    let text = rendered(turn, None, template, "ask", None)?;
    Ok(text.trim_end().to_owned())
}

fn rendered(
    turn: &Turn<'_>,
    agent: Option<&FlowAgent>,
    template: &str,
    field: &str,
    reminder: Option<&MemoryPart>,
) -> Result<String, NodeError> {
    render_with(template, &values(turn, agent, reminder)).map_err(|error| {
        let message = format!("the {field} of `{}` cannot be filled in: {error}", turn.agent);
        NodeError::new("bad_template", message)
    })
}

/// What templates see.
fn values(turn: &Turn<'_>, agent: Option<&FlowAgent>, reminder: Option<&MemoryPart>) -> Object {
    let (rules, parts, cx) = (turn.rules, turn.parts, turn.cx);
    let team = &rules.team;
    let about = |member: &Member| json!({"name": member.name, "role": member.role});
    let own = team.agents.iter().find(|member| member.name == turn.agent).map(about);
    let specs = agent.map(|agent| agent.tools.specs()).unwrap_or_default();
    let tools: Vec<Value> = specs
        .iter()
        .map(|spec| json!({"name": spec.name.to_string(), "description": spec.description}))
        .collect();
    let history: Vec<Value> = turn
        .state
        .visible()
        .iter()
        .filter(|said| is_at(said, &rules.path))
        .map(|said| json!({"agent": said.agent, "role": said.role, "text": said.text, "at": said.at}))
        .collect();
    let values = json!({
        "task": {"id": cx.run(), "title": parts.title, "prompt": parts.prompt},
        "agent": own,
        "team": {"name": team.name, "description": team.description},
        "agents": team.agents.iter().map(about).collect::<Vec<_>>(),
        "tools": tools,
        "history": history,
        "memory": reminder.map(reminding::items).unwrap_or_default(),
        "plan": {"goal": parts.prompt, "tasks": turn.state.variable("plan")},
        "now": cx.now(),
    });
    match values {
        Value::Object(values) => values,
        _ => Object::new(),
    }
}

/// Who an agent is.
pub(super) fn place(rules: &TeamRules, name: &str) -> String {
    format!("# Your team\nYou are `{name}` in the team `{}`.", rules.team.name)
}

/// An agent, with the first line of its role.
pub(super) fn role(rules: &TeamRules, name: &str) -> String {
    let member = rules.team.agents.iter().find(|member| member.name == name);
    let role = member.map(|member| member.role.lines().next().unwrap_or_default().trim());
    format!("- {name}: {}", role.unwrap_or_default())
}

/// How a turn ends in this team.
pub(super) fn manners(rules: &TeamRules, name: &str) -> String {
    let allowed = rules.allowed(name);
    let mut lines = vec![place(rules, name)];
    if !allowed.is_empty() {
        let lent = rules.lent_to(name);
        let noted = |other: &&str| match lent.contains(other) {
            true => format!("{} (works for you: you continue with its answer)", role(rules, other)),
            false => role(rules, other),
        };
        let roles: Vec<String> = allowed.iter().map(noted).collect();
        lines.push(format!(
            "Call `{HANDOFF}` to let another agent continue. You can hand off to:\n{}",
            roles.join("\n")
        ));
    }
    lines.push(format!("Call `{FINISH}` with the result when the whole task is done."));
    lines.push(match rules.plain_targets(name).as_slice() {
        [] => "If you end your turn without either, your answer is the result of the team.".to_owned(),
        [only] if rules.kind_of(name, only) != HandoffKind::Sequential => format!(
            "If you end your turn without either, what you say is a task for `{only}`. After you have got an answer, your \
             next answer is the result of the team."
        ),
        [only] => format!("If you end your turn without either, `{only}` continues."),
        _ => "End your turn with one of them.".to_owned(),
    });
    if rules.has_plan {
        lines.push(
            "The team has a plan: read it with `plan_read`, and change it with the other plan tools. When your turn ends \
             without `handoff` and `finish`, agents work on the tasks that can start, and you continue with their results."
                .to_owned(),
        );
    }
    lines.join("\n")
}

/// The word with which a turn begins.
pub(super) fn word(rules: &TeamRules, name: &str, state: &Chat, is_asked: bool) -> String {
    if is_asked {
        let targets = rules.plain_targets(name).join(", ");
        return format!(
            "Who continues? Call `{HANDOFF}` with one of: {targets}. If the whole task is done, call `{FINISH}` with \
             its result."
        );
    }
    let heard = team_messages_since(state, &rules.full(name), &rules.path);
    let handed = rules.run(state).turn.as_ref().and_then(|turn| match &turn.outcome {
        TurnOutcome::HandedOff { to, reason, context } if to == name => {
            let context = match context.is_empty() {
                true => String::new(),
                false => format!("\n{}", Value::Object(context.clone())),
            };
            let from = &turn.agent;
            let said = tagged(UNTRUSTED, &format!("{reason}{context}"), from);
            Some(format!("`{from}` has handed off to you:\n{said}"))
        }
        _ => None,
    });
    let parts: Vec<String> = [heard].into_iter().filter(|text| !text.is_empty()).chain(handed).collect();
    match parts.is_empty() {
        true => "It is your turn.".to_owned(),
        false => parts.join("\n\n"),
    }
}

#[cfg(test)]
mod tests {
    use amelia_graph::state::State as _;
    use jiff::Timestamp;

    use super::*;
    use crate::chat::{ChatMessage, ChatUpdate, TeamUpdate, TurnEnd};
    use crate::team::deciding::tests::team;

    #[test]
    fn an_agent_hears_what_others_said_since_its_turn_and_why_it_continues() {
        let rules = TeamRules::read(&team(&json!([]))).unwrap();
        let at = Timestamp::UNIX_EPOCH;
        let mut state = Chat::begin("About rivers", Object::new(), at);
        assert_eq!(word(&rules, "writer", &state, false), "About rivers");
        let said = |agent: &str, text: &str| {
            ChatUpdate::Said(ChatMessage::of_agent(agent, agent, text.to_owned(), at))
        };
        state.apply(said("writer", "Rivers are long."));
        state.apply(ChatUpdate::Visited { node: "writer".to_owned(), seen: 1 });
        state.apply(said("critic", "Too short."));
        let outcome = TurnOutcome::HandedOff {
            to: "writer".to_owned(),
            reason: "say more".to_owned(),
            context: Object::from_iter([("words".to_owned(), json!(50))]),
        };
        let end = TurnEnd::new("critic", "Too short.".to_owned(), outcome);
        state.apply(ChatUpdate::Team(TeamUpdate::TurnEnded(end)));
        let told = word(&rules, "writer", &state, false);
        for expected in ["Too short.", "`critic` has handed off to you", "say more", "{\"words\":50}"] {
            assert!(told.contains(expected), "{expected}: {told}");
        }
        assert!(!told.contains("About rivers") && !told.contains("Rivers are long."), "{told}");
        let others = word(&rules, "editor", &state, false);
        assert!(others.contains("About rivers") && others.contains("Too short."), "{others}");
        assert!(!others.contains("say more"), "a handoff is for the agent that continues: {others}");
    }

    #[test]
    fn an_agent_is_told_how_its_turn_ends() {
        let rules = TeamRules::read(&team(&json!([{"from_agent": "writer", "to_agent": "critic"}]))).unwrap();
        let manners = manners(&rules, "writer");
        assert!(manners.contains("- critic: critic") && !manners.contains("- editor"), "{manners}");
        assert!(manners.contains("without either, `critic` continues"), "{manners}");
    }
}
