//! What a profile refuses because it would do nothing, and where its plans are.

use super::*;
use crate::config::agent::DriverType;
use crate::config::sandbox::SandboxMode;

/// What `change` makes wrong with a profile that has a Developer.
fn problems(change: impl FnOnce(&mut Profile)) -> Vec<String> {
    let mut profile = Profile::new("work", "/repo");
    profile.agents.insert("developer".to_owned(), AgentConfig::new(DriverType::Claude, "sonnet"));
    assert_eq!(profile.problems(), []);
    change(&mut profile);
    profile.problems().iter().map(ToString::to_string).collect()
}

#[test]
fn a_role_that_is_never_given_work_is_refused() {
    let with = |role: &str| {
        problems(|profile| {
            profile.agents.insert(role.to_owned(), AgentConfig::new(DriverType::Claude, "sonnet"));
        })
    };
    assert_eq!(
        with("reviwer"),
        ["agents.reviwer: is not a role: architect, developer, reviewer, evaluator, oracle"]
    );
    assert_eq!(with("brainstormer"), ["agents.brainstormer: is not used: this version has no brainstorming"]);
    for role in role::ROLES {
        assert_eq!(with(role), [""; 0]);
    }
}

#[test]
fn a_name_is_no_path() {
    let refused = "name: must not begin with a dot, begin or end with a space, or contain slashes or control characters";
    for name in ["..", ".", ".hidden", "a/b", "a\\b", " a", "a ", "a\nb"] {
        assert_eq!(problems(|profile| profile.name = name.to_owned()), [refused], "{name:?}");
    }
    assert_eq!(
        problems(|profile| profile.name = "n".repeat(101)),
        ["name: must have 100 characters at most"]
    );
    for name in ["work", "my work", "a.b", "über", "a-1_2"] {
        assert_eq!(problems(|profile| profile.name = name.to_owned()), [""; 0], "{name:?}");
    }
}

#[test]
fn the_name_in_an_agent_is_the_profiles() {
    let with = |name: &str| {
        problems(|profile| profile.agents.get_mut("developer").unwrap().profile_name = name.to_owned())
    };
    assert_eq!(with("home"), ["agents.developer.profile_name: is set by the profile itself: remove it"]);
    assert_eq!((with("default"), with("work")), (Vec::new(), Vec::new()));
}

#[test]
fn a_sandbox_that_would_not_confine_is_refused() {
    let built_in = "mode: must be none: this version has no sandboxes; commands run on this machine";
    let nothing = "has no effect without a sandbox, and this version has none: remove it";
    assert_eq!(
        problems(|profile| profile.sandbox.mode = SandboxMode::Container),
        [format!("sandbox.{built_in}")]
    );
    assert_eq!(
        problems(|profile| profile.sandbox.network_allowlist_enabled = true),
        [format!("sandbox.network_allowlist_enabled: {nothing}")]
    );
    let in_agent = |change: fn(&mut SandboxConfig)| {
        problems(|profile| change(&mut profile.agents.get_mut("developer").unwrap().sandbox))
    };
    assert_eq!(
        in_agent(|sandbox| sandbox.mode = SandboxMode::Container),
        [format!("agents.developer.sandbox.{built_in}")]
    );
    assert_eq!(
        in_agent(|sandbox| sandbox.image = "mine".to_owned()),
        [format!("agents.developer.sandbox.image: {nothing}")]
    );
}

#[test]
fn empty_commands_and_names_are_refused_with_their_place() {
    assert_eq!(
        problems(|profile| profile.worktree_setup = vec!["make".to_owned(), String::new(), " \t".to_owned()]),
        ["worktree_setup[1]: must not be empty", "worktree_setup[2]: must not be empty"]
    );
    assert_eq!(
        problems(|profile| profile.copy_files = vec![" ".to_owned(), ".env".to_owned()]),
        ["copy_files[0]: must not be empty"]
    );
    assert_eq!(
        problems(|profile| profile.mcp_tools = vec!["memory:*".to_owned(), "search".to_owned()]),
        ["mcp_tools[1]: must be a tool of an MCP server, such as `files:read_file` or `files:*`"]
    );
}

#[test]
fn more_tasks_at_once_than_there_are_lanes_are_refused() {
    assert_eq!(problems(|profile| profile.parallel_tasks = 17), ["parallel_tasks: 17 is not in 1..=16"]);
    assert_eq!(problems(|profile| profile.parallel_tasks = 16), [""; 0]);
}

#[test]
fn a_plan_is_in_the_directory_of_plans_unless_its_pattern_names_another() {
    let path = |directory: &str, pattern: &str| {
        let mut profile = Profile::new("work", "/repo");
        profile.plan_output_dir = directory.to_owned();
        profile.plan_path_pattern = pattern.to_owned();
        let problems: Vec<String> = profile.problems().iter().map(ToString::to_string).collect();
        if problems.is_empty() { profile.plan_path() } else { problems.join("\n") }
    };
    let usual = "docs/plans/{date}-{issue_key}.md";
    for (directory, pattern, expected) in [
        ("docs/plans", usual, usual),
        ("plans", usual, "plans/{date}-{issue_key}.md"),
        ("plans/", "{issue_key}.md", "plans/{issue_key}.md"),
        ("docs/plans", "notes/{date}.md", "notes/{date}.md"),
        ("notes", "notes/{date}.md", "notes/{date}.md"),
        ("docs/plans", "./plan.md", "plan.md"),
        ("/etc", usual, "plan_output_dir: must stay inside the repository"),
        (
            "plans",
            "notes/{date}.md",
            "plan_output_dir: has no effect with a plan_path_pattern that has a directory: remove the directory \
             from the pattern",
        ),
    ] {
        assert_eq!(path(directory, pattern), expected, "{directory} {pattern}");
    }
}
