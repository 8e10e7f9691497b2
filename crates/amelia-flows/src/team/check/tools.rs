//! Where the tools of the agents do not fit: with the program that is to work with them, or with agents that work at the
//! same time.

use amelia_core::config::problem::ProblemReport;
use amelia_core::config::team::member::Member;
use amelia_core::config::team::pattern::settings::{MemberIsolation, ParallelSettings};
use amelia_core::config::team::pattern::{CollaborationPattern, PatternKind};
use amelia_core::config::team::tool::{ToolConfig, ToolSource};
use amelia_core::config::team::{TeamConfig, is_reserved};
use amelia_core::tool::Risk;
use amelia_core::workplace::ListedRights;

use crate::team::rules::whole_pattern;

/// Tools that change nothing. Agents with others need a place of their own to work at the same time.
const READING: [&str; 6] = ["read_file", "list_files", "search", "git_diff", "git_log", "ask_human"];

pub(super) fn check(team: &TeamConfig, report: &mut ProblemReport) {
    for (index, member) in team.agents.iter().enumerate() {
        report.within(format_args!("agents[{index}]"), |report| check_program(team, member, report));
    }
    for (index, tool) in team.tools.iter().enumerate() {
        report.within(format_args!("tools[{index}].config"), |report| check_schemas(tool, report));
    }
    let whole = whole_pattern(team).map(|pattern| &pattern.name);
    for (index, pattern) in team.collaboration_patterns.iter().enumerate() {
        if pattern.kind == PatternKind::Parallel && whole == Some(&pattern.name) {
            let at = format!("collaboration_patterns[{index}]");
            report.within(&at, |report| check_isolation(team, pattern, report));
        }
    }
}

/// The schemas of a program can be used.
fn check_schemas(tool: &ToolConfig, report: &mut ProblemReport) {
    for key in ["input_schema", "output_schema"] {
        let schema = tool.config.get(key).filter(|schema| schema.is_object());
        if let Some(Err(error)) = schema.map(jsonschema::validator_for) {
            report.refuse(key, format!("is not a JSON Schema: {error}"));
        }
    }
}

/// A list of tools must hold for a program, too. `codex` changes files only with commands, and a program of `acp` asks before it
/// changes something, but not before it reads.
fn check_program(team: &TeamConfig, member: &Member, report: &mut ProblemReport) {
    let llm = member.llm_config.as_ref().unwrap_or(&team.default_llm);
    let listed = ListedRights::of(member.tools.iter().map(String::as_str));
    if member.team.is_some() {
        return;
    }
    if llm.provider == "codex" && listed.writes && !listed.runs {
        let message =
            "codex cannot change files without running commands: also list `shell`, or use another provider";
        report.refuse("tools", message);
    }
    if llm.is_acp() && !listed.reads {
        let message =
            "a program of `acp` reads files without asking: also list `read_file`, or use another provider";
        report.refuse("tools", message);
    }
}

/// Agents that change files at the same time do so in one place: a place for each does not exist yet.
fn check_isolation(team: &TeamConfig, pattern: &CollaborationPattern, report: &mut ProblemReport) {
    let settings = pattern.settings::<ParallelSettings>().unwrap_or_default();
    let is_member = |member: &&Member| pattern.agents.contains(&member.name);
    let writer = team.agents.iter().filter(is_member).find(|member| may_write(team, member));
    if let (Some(writer), true) = (writer, settings.isolation != Some(MemberIsolation::Shared)) {
        let message = format!(
            "a worktree for each agent is not supported yet, and `{}` can change files: set `isolation: shared`",
            writer.name
        );
        report.refuse("config.isolation", message);
    }
}

/// Whether an agent can change files.
fn may_write(team: &TeamConfig, member: &Member) -> bool {
    let own = |tool: &str| {
        team.tools.iter().any(|own| match &own.source {
            _ if own.name != tool => false,
            ToolSource::Hitl { .. } => true,
            ToolSource::Custom { .. } => own.risk() == Risk::Read,
            ToolSource::Builtin | ToolSource::Mcp { .. } => false,
        })
    };
    let changes = |tool: &str| !READING.contains(&tool) && !is_reserved(tool) && !own(tool);
    member.tools.iter().any(|tool| changes(tool))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::team::deciding::tests::team;

    fn problems(team: &TeamConfig) -> String {
        let mut report = ProblemReport::default();
        check(team, &mut report);
        report.into_problems().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn agents_that_change_files_at_the_same_time_share_a_directory() {
        let beside = |isolation: Option<&str>, tool: &str, provider: &str| {
            let mut team = team(&json!([]));
            let agents = ["writer", "critic", "editor"];
            let config = isolation.map_or(json!({}), |isolation| json!({"isolation": isolation}));
            let pattern = json!({"name": "both", "kind": "parallel", "agents": agents, "config": config});
            team.collaboration_patterns = vec![serde_json::from_value(pattern).unwrap()];
            team.agents[1].tools = vec![tool.to_owned()];
            provider.clone_into(&mut team.default_llm.provider);
            problems(&team)
        };
        for provider in ["deepseek", "claude", "codex"] {
            for reading in ["read_file", "ask_human", "request_approval"] {
                assert_eq!(beside(None, reading, provider), "", "{provider} {reading}");
            }
            assert_eq!(beside(Some("shared"), "shell", provider), "");
            for isolation in [None, Some("branch")] {
                let found = beside(isolation, "shell", provider);
                let expected = "collaboration_patterns[0].config.isolation: a worktree for each agent is not supported \
                                yet, and `critic` can change files: set `isolation: shared`";
                assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn codex_cannot_be_held_to_changing_files() {
        let with = |tools: Value| {
            let mut team = team(&json!([]));
            "codex".clone_into(&mut team.default_llm.provider);
            team.agents[1].tools = serde_json::from_value(tools).unwrap();
            problems(&team)
        };
        assert!(
            with(json!(["read_file", "edit_file"])).starts_with("agents[1].tools: codex cannot change files")
        );
        assert_eq!(with(json!(["read_file", "edit_file", "shell"])), "");
        assert_eq!(with(json!(["read_file"])), "");
    }

    #[test]
    fn a_program_of_acp_cannot_be_held_to_not_reading() {
        let with = |tools: Value| {
            let mut team = team(&json!([]));
            team.agents.truncate(1);
            "acp".clone_into(&mut team.default_llm.provider);
            team.agents[0].tools = serde_json::from_value(tools).unwrap();
            problems(&team)
        };
        for tools in [json!([]), json!(["search"]), json!(["write_file"]), json!(["shell"])] {
            assert!(
                with(tools.clone()).starts_with("agents[0].tools: a program of `acp` reads files"),
                "{tools}"
            );
        }
        for tools in [json!(["read_file"]), json!(["read_file", "edit_file"]), json!(["read_file", "shell"])]
        {
            assert_eq!(with(tools.clone()), "", "{tools}");
        }
    }
}
