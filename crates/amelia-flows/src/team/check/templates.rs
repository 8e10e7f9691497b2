//! Templates of a team, tried with values as they will be in a run.

use std::collections::BTreeMap;

use amelia_core::config::problem::ProblemReport;
use amelia_core::config::team::TeamConfig;
use amelia_core::config::team::member::{Member, template_file};
use amelia_core::config::team::pattern::settings::{CustomSettings, CustomStep, ParallelSettings};
use amelia_core::config::team::pattern::{CollaborationPattern, PatternKind};
use amelia_core::object::Object;
use serde_json::{Value, json};

use crate::template;

pub(super) fn check(team: &TeamConfig, texts: &BTreeMap<String, String>, report: &mut ProblemReport) {
    for (index, member) in team.agents.iter().enumerate().filter(|(_, member)| member.team.is_none()) {
        let file = template_file(&member.prompt_template);
        let text = match file {
            Some(file) => texts.get(file),
            None => Some(&member.prompt_template),
        };
        let problem = text.and_then(|text| template::problem_with(text, &sample(team, member)));
        if let Some(problem) = problem {
            let place = file.map(|file| format!("`{file}`, ")).unwrap_or_default();
            report.refuse(format_args!("agents[{index}].prompt_template"), format!("{place}{problem}"));
        }
    }
    for (index, pattern) in team.collaboration_patterns.iter().enumerate() {
        report.within(format_args!("collaboration_patterns[{index}].config"), |report| {
            for (field, agent, text) in tasks_of(pattern) {
                let Some(member) = team.agents.iter().find(|member| member.name == agent) else { continue };
                if let Some(problem) = template::problem_with(&text, &sample(team, member)) {
                    report.refuse(field, problem);
                }
            }
            for (field, text) in questions_of(pattern) {
                if let Some(problem) = template::problem_with(&text, &sample_of_question(team)) {
                    report.refuse(field, problem);
                }
            }
        });
    }
}

/// What a pattern tells its agents: the field, the agent and the template. A config that cannot be read has been refused.
fn tasks_of(pattern: &CollaborationPattern) -> Vec<(String, String, String)> {
    match pattern.kind {
        PatternKind::Parallel => {
            let tasks = pattern.settings::<ParallelSettings>().unwrap_or_default().tasks.into_iter();
            tasks.map(|(agent, text)| (format!("tasks.{agent}"), agent, text)).collect()
        }
        PatternKind::Custom => {
            let task = |(index, step): (usize, CustomStep)| {
                Some((format!("workflow[{index}].task"), step.agent?, step.task?))
            };
            steps_of(pattern).enumerate().filter_map(task).collect()
        }
        PatternKind::Sequential | PatternKind::Hierarchical | PatternKind::Consensus => Vec::new(),
    }
}

fn steps_of(pattern: &CollaborationPattern) -> impl Iterator<Item = CustomStep> {
    pattern.settings::<CustomSettings>().unwrap_or_default().workflow.into_iter()
}

/// What a pattern asks a person: the field and the template.
fn questions_of(pattern: &CollaborationPattern) -> Vec<(String, String)> {
    if pattern.kind != PatternKind::Custom {
        return Vec::new();
    }
    let question = |(index, step): (usize, CustomStep)| Some((format!("workflow[{index}].ask"), step.ask?));
    steps_of(pattern).enumerate().filter_map(question).collect()
}

/// Values as the template of a question sees them: no agent has the turn.
fn sample_of_question(team: &TeamConfig) -> Object {
    let mut values = sample(team, &Member::default());
    for of_agent in ["agent", "tools", "memory"] {
        values.remove(of_agent);
    }
    values
}

/// Values as a template sees them in a turn of `member`.
#[must_use]
pub fn sample(team: &TeamConfig, member: &Member) -> Object {
    let agents: Vec<Value> =
        team.agents.iter().map(|agent| json!({"name": agent.name, "role": agent.role})).collect();
    let now = "2026-01-02T03:04:05Z";
    let values = json!({
        "task": {"id": "r1", "title": "A title", "prompt": "A prompt"},
        "agent": {"name": member.name, "role": member.role},
        "team": {"name": team.name, "description": team.description},
        "agents": agents,
        "tools": [{"name": "read_file", "description": "Reads a file."}],
        "history": [{"agent": member.name, "role": "user", "text": "A text", "at": now}],
        "memory": [{"key": "a_key", "text": "A text", "type": "long_term", "score": 0.5}],
        "plan": {"goal": "A goal", "tasks": [{
            "task_id": "1", "description": "A task", "status": "pending", "assigned_agent": member.name, "priority": 2,
            "dependencies": [], "estimated_duration": "15m", "metadata": {},
        }]},
        "now": now,
    });
    match values {
        Value::Object(values) => values,
        _ => Object::new(),
    }
}
