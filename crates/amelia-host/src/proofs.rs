//! Every field of a profile, an agent and the server's configuration, each with a proof that it does something: a test
//! that shows its effect, or a value that is refused. The fields are those that are written out, so a new one is missing
//! here until a test proves it.

use std::collections::BTreeSet;
use std::path::Path;

use amelia_core::check::CheckCommand;
use amelia_core::config::agent::{AgentConfig, DriverType};
use amelia_core::config::profile::Profile;
use amelia_core::config::sandbox::DaytonaResources;
use amelia_core::config::server::{RateLimit, ServerConfig};
use amelia_core::review::ReviewStrategy;
use amelia_wire::amelia::config::{profile, server};
use amelia_wire::read::read;
use serde_json::{Value, json};

use Proof::{Effect, Refused};

/// Why a field is there.
enum Proof {
    /// A test of this name shows what a change of it does.
    Effect(&'static str),
    /// This value, and with it everything that would do nothing, is refused at the field.
    Refused(&'static str),
}

const SANDBOX: [(&str, &str); 13] = [
    ("mode", "\"container\""),
    ("image", "\"mine\""),
    ("network_allowlist_enabled", "true"),
    ("network_allowed_hosts", "[\"example.org\"]"),
    ("repo_url", "\"https://example.org/r.git\""),
    ("daytona_api_url", "\"https://example.org\""),
    ("daytona_target", "\"eu\""),
    ("daytona_resources.cpu", "3"),
    ("daytona_resources.memory", "3"),
    ("daytona_resources.disk", "3"),
    ("daytona_image", "\"mine\""),
    ("daytona_snapshot", "\"s\""),
    ("daytona_timeout", "3.0"),
];

const PROFILE: [(&str, Proof); 46] = [
    ("name", Effect("a_profile_is_made_read_changed_activated_and_removed")),
    ("tracker", Effect("a_jira_issue_with_a_description_is_planned_and_done")),
    ("repo_root", Effect("the_first_versions_documents_come_in_and_its_state_goes_out")),
    ("plan_output_dir", Effect("a_plan_is_written_where_the_profile_says_and_committed_only_if_it_says_so")),
    ("plan_path_pattern", Effect("a_plan_is_in_the_directory_of_plans_unless_its_pattern_names_another")),
    ("commit_plan", Effect("a_plan_is_written_where_the_profile_says_and_committed_only_if_it_says_so")),
    ("sign_off", Effect("commits_are_signed_off_and_co_authored_as_the_profile_says")),
    ("co_author", Effect("commits_are_signed_off_and_co_authored_as_the_profile_says")),
    ("retry.max_retries", Effect("a_program_that_is_not_available_is_asked_again_as_the_profile_says")),
    ("retry.base_delay", Effect("delays_double_up_to_the_cap_and_end")),
    ("retry.max_delay", Effect("delays_double_up_to_the_cap_and_end")),
    ("agents.*.driver", Effect("claude_plans_codex_works_and_a_model_reviews")),
    ("agents.*.model", Effect("a_profile_brings_its_own_models_and_an_oracle_that_only_reads")),
    ("agents.*.options", Effect("an_option_that_does_nothing_is_refused")),
    ("agents.*.profile_name", Refused("\"other\"")),
    ("checks[].name", Effect("a_check_that_fails_for_ever_or_never_ends_is_a_question")),
    ("checks[].command", Effect("a_failing_check_goes_back_to_the_developer_without_a_review")),
    ("checks[].timeout", Effect("a_check_that_fails_for_ever_or_never_ends_is_a_question")),
    ("strategy", Effect("several_personas_review_at_once_and_their_findings_are_merged")),
    ("personas", Effect("several_personas_review_at_once_and_their_findings_are_merged")),
    ("execution_mode", Effect("commands_of_a_plan_are_run_and_the_developer_does_the_other_steps")),
    (
        "parallel_tasks",
        Effect("a_merge_conflict_between_parallel_tasks_goes_to_the_developer_of_the_later_one"),
    ),
    (
        "max_plan_revisions",
        Effect("a_plan_that_stays_bad_is_shown_after_as_many_revisions_as_the_profile_says"),
    ),
    ("max_review_rounds", Effect("a_check_that_fails_for_ever_or_never_ends_is_a_question")),
    ("max_review_passes", Effect("passes_of_a_review_that_repairs_are_limited_by_the_profile")),
    ("clarify_with", Effect("an_unclear_finding_is_put_to_a_person_where_the_profile_says_so")),
    ("budgets.per_run.usd", Effect(LIMITS_OF_A_RUN)),
    ("budgets.per_run.tokens", Effect(LIMITS_OF_A_RUN)),
    ("budgets.per_run.calls", Effect(LIMITS_OF_A_RUN)),
    ("budgets.per_run.wall_seconds", Effect(LIMITS_OF_A_RUN)),
    ("budgets.per_agent.usd", Effect("each_limit_of_an_agent_and_of_a_day_stops_a_run")),
    ("budgets.per_agent.tokens", Effect("each_limit_of_an_agent_and_of_a_day_stops_a_run")),
    (
        "budgets.per_agent.calls",
        Effect("an_agent_is_stopped_by_its_own_limit_and_goes_on_when_the_profile_allows_more"),
    ),
    ("budgets.per_agent.wall_seconds", Refused("60")),
    ("budgets.per_day.usd", Refused("1.0")),
    ("budgets.per_day.tokens", Refused("1")),
    ("budgets.per_day.calls", Refused("1")),
    ("budgets.per_day.wall_seconds", Refused("1")),
    ("worktree_setup", Effect("a_new_worktree_is_made_ready_as_the_profile_says")),
    ("copy_files", Effect("a_new_worktree_is_made_ready_as_the_profile_says")),
    ("mcp_tools", Effect("the_agents_of_a_profile_call_tools_of_mcp_servers")),
    ("finish.push", Effect(PULLING)),
    ("finish.pull_request", Effect(PULLING)),
    ("finish.comment", Effect(PULLING)),
    ("finish.status", Effect("the_tracker_is_told_when_work_begins_and_when_it_is_done")),
    ("agents.*.sandbox", Effect("a_sandbox_that_would_not_confine_is_refused")),
];

/// Every limit of a run, from the profile and from the server.
const LIMITS_OF_A_RUN: &str = "the_limits_of_a_run_are_the_lower_ones_of_profile_and_server";
/// Every limit of sub-agents.
const SUB_AGENTS: &str = "a_run_keeps_the_limits_of_sub_agents_that_the_server_had";
/// What happens outside at the end.
const PULLING: &str =
    "the_branch_is_pushed_a_pull_request_opened_and_the_issue_commented_as_the_profile_says";

const SERVER: [(&str, Proof); 30] = [
    ("host", Effect("flags_count_above_the_environment_above_the_file_above_what_is_built_in")),
    ("port", Effect("any_free_port_is_taken_only_when_it_is_asked_for_now")),
    ("database_path", Effect("a_store_elsewhere_is_found_by_every_command")),
    (
        "log_retention_days",
        Effect("a_server_forgets_what_is_older_than_its_configuration_says_and_nothing_newer"),
    ),
    (
        "log_retention_max_events",
        Effect("logs_lose_their_debug_events_when_the_server_says_they_are_old_or_long"),
    ),
    ("websocket_idle_timeout_seconds", Effect("a_silent_peer_is_let_go")),
    ("workflow_start_timeout_seconds", Effect("an_order_that_is_not_ready_in_time_is_503")),
    ("max_concurrent", Effect("a_server_works_on_as_many_runs_at_once_as_it_was_told")),
    ("sub_agents.depth", Effect(SUB_AGENTS)),
    ("sub_agents.per_run", Effect(SUB_AGENTS)),
    ("sub_agents.at_once", Effect(SUB_AGENTS)),
    ("task_files", Effect("task_files_follow_a_run_and_are_removed_with_it")),
    ("durability", Effect("sqlite_with_relaxed_durability_conforms")),
    ("auth.mode", Effect("without_sign_in_everybody_on_this_machine_may_call_and_no_page_of_another_site")),
    ("rate_limits.*.requests", Effect("who_asks_too_often_is_told_when_to_come_back")),
    ("rate_limits.*.per_seconds", Effect("who_asks_too_often_is_told_when_to_come_back")),
    ("budgets.per_run.usd", Effect(LIMITS_OF_A_RUN)),
    ("budgets.per_run.tokens", Effect(LIMITS_OF_A_RUN)),
    ("budgets.per_run.calls", Effect(LIMITS_OF_A_RUN)),
    ("budgets.per_run.wall_seconds", Effect(LIMITS_OF_A_RUN)),
    ("budgets.per_agent.usd", Effect("each_limit_of_an_agent_and_of_a_day_stops_a_run")),
    ("budgets.per_agent.tokens", Effect("each_limit_of_an_agent_and_of_a_day_stops_a_run")),
    ("budgets.per_agent.calls", Effect("the_server_limits_agents_above_what_profiles_say")),
    ("budgets.per_agent.wall_seconds", Refused("60")),
    ("budgets.per_day.usd", Effect("each_limit_of_an_agent_and_of_a_day_stops_a_run")),
    ("budgets.per_day.tokens", Effect("each_limit_of_an_agent_and_of_a_day_stops_a_run")),
    (
        "budgets.per_day.calls",
        Effect("what_is_left_of_the_day_is_shared_by_all_runs_and_survives_the_process"),
    ),
    ("budgets.per_day.wall_seconds", Refused("60")),
    ("otlp_endpoint", Effect("the_spans_of_a_run_reach_a_collector_also_over_a_restart")),
    ("api_key_envs", Effect("a_server_lets_out_only_the_keys_it_was_told_and_holds_runs_to_its_budget")),
];

/// Known to the documents, and refused as a whole where a server is started.
const NOT_BUILT: [&str; 1] = ["redis_url"];

/// The paths of all values that are written out: `*` for the names of a map, `[]` for the items of a list of objects.
fn paths(prefix: &str, value: &Value, found: &mut BTreeSet<String>) {
    let below = |name: &str| if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") };
    match value {
        Value::Object(fields) if prefix.ends_with("options") || fields.is_empty() => {
            found.insert(prefix.to_owned());
        }
        Value::Object(fields) => {
            let is_map = ["agents", "rate_limits"].contains(&prefix);
            fields
                .iter()
                .for_each(|(name, value)| paths(&below(if is_map { "*" } else { name }), value, found));
        }
        Value::Array(items) if items.first().is_some_and(Value::is_object) => {
            items.iter().for_each(|item| paths(&format!("{prefix}[]"), item, found));
        }
        Value::Array(_) | Value::String(_) | Value::Number(_) | Value::Bool(_) | Value::Null => {
            found.insert(prefix.to_owned());
        }
    }
}

/// A profile in which everything is there.
fn whole_profile() -> Profile {
    let mut profile = Profile::new("work", "/repo");
    profile.agents.insert("developer".to_owned(), AgentConfig::new(DriverType::Claude, "sonnet"));
    profile.checks = vec![CheckCommand { name: "t".to_owned(), command: "c".to_owned(), timeout: 1 }];
    profile.strategy = ReviewStrategy::Competitive { personas: Vec::new() };
    profile.sandbox.daytona_resources = Some(DaytonaResources::default());
    for agent in profile.agents.values_mut() {
        agent.sandbox.daytona_resources = Some(DaytonaResources::default());
    }
    profile
}

fn whole_server() -> ServerConfig {
    let limit = RateLimit { requests: 1, per_seconds: 1 };
    ServerConfig { rate_limits: [("workflows".to_owned(), limit)].into(), ..ServerConfig::default() }
}

/// Every `fn` of a test in the workspace.
fn tests() -> String {
    fn walk(dir: &Path, text: &mut String) {
        for entry in std::fs::read_dir(dir).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                walk(&path, text);
            } else if path.extension().is_some_and(|ending| ending == "rs") && !path.ends_with("proofs.rs") {
                text.push_str(&std::fs::read_to_string(path).unwrap());
            }
        }
    }
    let mut text = String::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), &mut text);
    text
}

/// Whether there is a test of this name that is run: no helper, and none that is left out.
fn is_test(text: &str, name: &str) -> bool {
    let attributes = |place: usize| {
        let before = text.get(..place).unwrap_or_default().rsplit('\n').skip(1).map(str::trim);
        before.take_while(|line| line.starts_with("#["))
    };
    text.match_indices(&format!("fn {name}(")).any(|(place, _)| {
        attributes(place).any(|line| line.starts_with("#[test]") || line.starts_with("#[tokio::test"))
            && !attributes(place).any(|line| line.starts_with("#[ignore"))
    })
}

#[test]
fn only_a_test_that_is_run_proves_something() {
    let text = "#[test]\nfn one() {}\n    #[tokio::test(start_paused = true)]\n    async fn two() {}\nfn three() {}\n#[test]\n#[ignore = \"slow\"]\nfn four() {}\n";
    assert_eq!(
        ["one", "two", "three", "four", "five"].map(|name| is_test(text, name)),
        [true, true, false, false, false]
    );
}

/// What is wrong with a small document in which one field has this value.
fn problems(path: &str, value: &str, read: impl Fn(Value) -> Vec<String>, small: Value) -> Vec<String> {
    let mut document = small;
    let pointer = path.replace("agents.*", "agents.developer");
    crate::server_config::put(&mut document, &pointer, serde_json::from_str(value).unwrap());
    read(document)
}

fn of_profile(document: Value) -> Vec<String> {
    let refused = read::<profile::Profile>(document).err();
    refused.into_iter().flat_map(|refused| refused.0).map(|problem| problem.path).collect()
}

fn of_server(document: Value) -> Vec<String> {
    let refused = read::<server::ServerConfig>(document).err();
    refused.into_iter().flat_map(|refused| refused.0).map(|problem| problem.path).collect()
}

fn small_profile() -> Value {
    json!({"name": "work", "repo_root": "/r", "agents": {"developer": {"driver": "claude", "model": "sonnet"}}})
}

/// A refusal names the field, or what it is in.
fn check(path: &str, proof: &Proof, tests: &str, refused: impl Fn(&str) -> Vec<String>) {
    match proof {
        Effect(test) => assert!(is_test(tests, test), "{path}: there is no test `{test}` that is run"),
        Refused(value) => {
            let named = path.replace("agents.*", "agents.developer");
            let problems = refused(value);
            let is_named = problems.iter().any(|problem| named.starts_with(problem.as_str()));
            assert!(is_named, "{path}: {value} is not refused there: {problems:?}");
        }
    }
}

#[test]
fn every_field_of_a_profile_and_its_agents_does_something_or_is_refused() {
    let mut found = BTreeSet::new();
    paths("", &serde_json::to_value(profile::Profile::from(whole_profile())).unwrap(), &mut found);
    let in_sandbox = |path: &String| path.starts_with("sandbox.") || path.contains(".sandbox.");
    let (sandboxes, others): (BTreeSet<String>, BTreeSet<String>) = found.into_iter().partition(in_sandbox);
    let expected: BTreeSet<String> = ["sandbox.", "agents.*.sandbox."]
        .iter()
        .flat_map(|prefix| SANDBOX.iter().map(move |(field, _)| format!("{prefix}{field}")))
        .collect();
    assert_eq!(sandboxes, expected);
    for (field, value) in SANDBOX {
        for prefix in ["sandbox.", "agents.*.sandbox."] {
            let path = format!("{prefix}{field}");
            check(&path, &Refused(value), "", |value| problems(&path, value, of_profile, small_profile()));
        }
    }
    let proved: BTreeSet<String> = PROFILE.iter().map(|(path, _)| (*path).to_owned()).collect();
    let proved: BTreeSet<String> = proved.into_iter().filter(|path| path != "agents.*.sandbox").collect();
    assert_eq!(others, proved, "left: fields; right: proofs");
    let tests = tests();
    for (path, proof) in &PROFILE {
        check(path, proof, &tests, |value| problems(path, value, of_profile, small_profile()));
    }
}

#[test]
fn every_field_of_the_servers_configuration_does_something_or_is_refused() {
    let mut found = BTreeSet::new();
    paths("", &serde_json::to_value(server::ServerConfig::from(whole_server())).unwrap(), &mut found);
    for field in NOT_BUILT {
        assert!(found.remove(field), "{field}");
    }
    let proved: BTreeSet<String> = SERVER.iter().map(|(path, _)| (*path).to_owned()).collect();
    assert_eq!(found, proved, "left: fields; right: proofs");
    let tests = tests();
    assert!(tests.contains("fn what_would_have_no_effect_is_refused("), "what is not built is refused");
    for (path, proof) in &SERVER {
        check(path, proof, &tests, |value| problems(path, value, of_server, json!({})));
    }
}
