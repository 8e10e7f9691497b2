//! What agents that are programs can be told. Anything else would do nothing, and is refused.

use serde_json::Value;

use super::API_PROVIDERS;
use crate::config::problem::{ProblemReport, is_variable_name};
use crate::object::Object;

/// When a person wants to see first what a program does.
pub const PERMISSIONS: [&str; 3] = ["never", "commands", "changes"];

/// How `codex` is spoken to.
pub const CODEX_MODES: [&str; 2] = ["app-server", "exec"];

/// Options with which a program goes through our proxy, and not by a sign-in of its own.
pub const UPSTREAM: [&str; 4] = ["provider", "base_url", "api_key_env", "wire"];

const FOR_CLAUDE: [&str; 9] = [
    "program",
    "reasoning",
    "permissions",
    "allow",
    "provider",
    "base_url",
    "api_key_env",
    "wire",
    "fallbacks",
];

const FOR_CODEX: [&str; 10] = [
    "program",
    "mode",
    "reasoning",
    "permissions",
    "allow",
    "provider",
    "base_url",
    "api_key_env",
    "wire",
    "fallbacks",
];

const FOR_ACP: [&str; 5] = ["command", "permissions", "allow", "env", "fallbacks"];

/// Options that are the same for an agent and for those who continue for it.
const SHARED: [&str; 2] = ["permissions", "allow"];

/// The options of one who continues for an agent: the agent's own, but for the way to its model, with what is said of
/// this one on top.
pub(super) fn inherited(options: &Object, given: &Object) -> Object {
    let is_passed_on = |name: &str| name != "fallbacks" && !UPSTREAM.contains(&name);
    let mut merged: Object = options.clone();
    merged.retain(|name, _| is_passed_on(name));
    merged.extend(given.clone());
    merged
}

/// What holds for those who continue: what holds for the agent, too.
fn check_fallbacks(options: &Object, report: &mut ProblemReport, check: fn(&Object, &mut ProblemReport)) {
    let Some(fallbacks) = options.get("fallbacks") else { return };
    super::check_fallbacks(fallbacks, report, &|given, report| {
        for name in SHARED.iter().filter(|name| given.contains_key(**name)) {
            report.refuse(name, "is the agent's own, and the same for its fallbacks");
        }
        check(&inherited(options, given), report);
    });
}

/// Providers that do not have the one protocol that `codex` speaks.
const WITHOUT_RESPONSES: [&str; 2] = ["anthropic", "deepseek"];

/// Providers that have the one protocol that `claude` speaks.
const WITH_MESSAGES: [&str; 2] = ["anthropic", "openai-compatible"];

pub(super) fn check_claude(options: &Object, report: &mut ProblemReport) {
    let text = |name: &str| options.get(name).and_then(Value::as_str);
    check_common("claude", &FOR_CLAUDE, options, report);
    check_fallbacks(options, report, check_claude);
    check_upstream(options, report);
    if options.contains_key("wire") && text("wire") != Some("messages") {
        report.refuse("wire", "must be messages: claude speaks no other");
    }
    if let Some(provider) = text("provider").filter(|provider| !WITH_MESSAGES.contains(provider)) {
        report.refuse(
            "provider",
            format!("{provider} does not speak messages, and claude speaks nothing else"),
        );
    }
}

pub(super) fn check_codex(options: &Object, report: &mut ProblemReport) {
    let text = |name: &str| options.get(name).and_then(Value::as_str);
    check_common("codex", &FOR_CODEX, options, report);
    check_fallbacks(options, report, check_codex);
    check_upstream(options, report);
    if options.contains_key("mode") && !text("mode").is_some_and(|mode| CODEX_MODES.contains(&mode)) {
        report.refuse("mode", format!("must be one of {}", CODEX_MODES.join(", ")));
    }
    if text("mode") == Some("exec") && asks(options) {
        report.refuse("permissions", "must be never when mode is `exec`: nobody can be asked there");
    }
    if options.contains_key("wire") && text("wire") != Some("responses") {
        report.refuse("wire", "must be responses: codex speaks no other");
    }
    if let Some(provider) = text("provider").filter(|provider| WITHOUT_RESPONSES.contains(provider)) {
        report.refuse(
            "provider",
            format!("{provider} does not speak responses, and codex speaks nothing else"),
        );
    }
}

pub(super) fn check_acp(options: &Object, report: &mut ProblemReport) {
    check_common("acp", &FOR_ACP, options, report);
    check_fallbacks(options, report, check_acp);
    let words = options.get("command").and_then(texts);
    if words.is_none_or(|words| words.first().is_none_or(|program| program.is_empty())) {
        report.refuse("command", "must be the program and its arguments, as a list of words");
    }
    if options.contains_key("env")
        && !options.get("env").and_then(texts).is_some_and(|names| names.into_iter().all(is_variable_name))
    {
        report.refuse("env", "must be a list of names of environment variables");
    }
}

/// What holds for all programs.
fn check_common(driver: &str, known: &[&str], options: &Object, report: &mut ProblemReport) {
    let text = |name: &str| options.get(name).and_then(Value::as_str);
    for name in options.keys().filter(|name| !known.contains(&name.as_str())) {
        report.refuse(name, format!("is not an option of the {driver} driver: {}", known.join(", ")));
    }
    for name in ["program", "reasoning"] {
        if options.contains_key(name) && text(name).is_none_or(str::is_empty) {
            report.refuse(name, "must be a word");
        }
    }
    if options.contains_key("permissions")
        && !text("permissions").is_some_and(|given| PERMISSIONS.contains(&given))
    {
        report.refuse("permissions", format!("must be one of {}", PERMISSIONS.join(", ")));
    }
    match options.get("allow") {
        Some(allowed) if texts(allowed).is_none() => {
            report.refuse("allow", "must be a list of rules such as `shell(cargo test*)`");
        }
        Some(_) if !asks(options) => {
            report.refuse("allow", "does nothing unless permissions is commands or changes");
        }
        Some(_) | None => {}
    }
}

/// The way to a model that is not the program's own.
fn check_upstream(options: &Object, report: &mut ProblemReport) {
    let text = |name: &str| options.get(name).and_then(Value::as_str);
    if options.contains_key("provider")
        && !text("provider").is_some_and(|given| API_PROVIDERS.contains(&given))
    {
        report.refuse("provider", format!("must be one of {}", API_PROVIDERS.join(", ")));
    }
    if options.contains_key("base_url") {
        report.open_url("base_url", text("base_url").unwrap_or_default());
    }
    if options.contains_key("api_key_env") && !text("api_key_env").is_some_and(is_variable_name) {
        report.refuse("api_key_env", "must be the name of an environment variable");
    }
    if text("provider") == Some("openai-compatible") && !options.contains_key("base_url") {
        report.refuse("base_url", "is required when provider is `openai-compatible`");
    }
}

/// Whether a person wants to be asked.
fn asks(options: &Object) -> bool {
    options.get("permissions").and_then(Value::as_str).is_some_and(|given| given != "never")
}

fn texts(value: &Value) -> Option<Vec<&str>> {
    value.as_array()?.iter().map(Value::as_str).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::config::agent::{AgentConfig, DriverType};
    use crate::config::problem::Validate;

    fn problem(driver: DriverType, options: &serde_json::Value) -> String {
        let options = options.as_object().cloned().unwrap();
        let agent = AgentConfig { options, ..AgentConfig::new(driver, "gpt-5") };
        agent.problems().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn an_option_that_does_nothing_is_refused() {
        for (driver, options, expected) in [
            (DriverType::Codex, json!({}), ""),
            (DriverType::Codex, json!({"program": "/bin/codex", "mode": "exec", "reasoning": "low"}), ""),
            (DriverType::Codex, json!({"permissions": "commands", "allow": ["shell(ls*)"]}), ""),
            (DriverType::Codex, json!({"provider": "openai", "wire": "responses"}), ""),
            (
                DriverType::Codex,
                json!({"temperature": 1}),
                "options.temperature: is not an option of the codex driver: program, mode, reasoning, permissions, allow, provider, base_url, api_key_env, wire, fallbacks",
            ),
            (
                DriverType::Codex,
                json!({"permissions": "commands", "fallbacks": [{"model": "b", "provider": "openai"}]}),
                "",
            ),
            (
                DriverType::Codex,
                json!({"permissions": "commands", "fallbacks": [{"model": "b", "mode": "exec"}]}),
                "options.fallbacks[0].permissions: must be never when mode is `exec`: nobody can be asked there",
            ),
            (
                DriverType::Claude,
                json!({"fallbacks": [{"model": "b", "permissions": "never"}]}),
                "options.fallbacks[0].permissions: is the agent's own, and the same for its fallbacks",
            ),
            (
                DriverType::Acp,
                json!({"command": ["a"], "fallbacks": [{"command": ["b"]}]}),
                "options.fallbacks[0].model: is required",
            ),
            (DriverType::Codex, json!({"mode": "tui"}), "options.mode: must be one of app-server, exec"),
            (
                DriverType::Codex,
                json!({"mode": "exec", "permissions": "changes"}),
                "options.permissions: must be never when mode is `exec`: nobody can be asked there",
            ),
            (
                DriverType::Codex,
                json!({"allow": ["shell"]}),
                "options.allow: does nothing unless permissions is commands or changes",
            ),
            (DriverType::Codex, json!({"api_key_env": "KEY"}), ""),
            (
                DriverType::Claude,
                json!({"provider": "groq"}),
                "options.provider: groq does not speak messages, and claude speaks nothing else",
            ),
            (
                DriverType::Codex,
                json!({"provider": "anthropic"}),
                "options.provider: anthropic does not speak responses, and codex speaks nothing else",
            ),
            (
                DriverType::Codex,
                json!({"provider": "openai", "wire": "chat"}),
                "options.wire: must be responses: codex speaks no other",
            ),
            (
                DriverType::Acp,
                json!({"command": ["gemini", "--experimental-acp"], "env": ["GEMINI_API_KEY"]}),
                "",
            ),
            (
                DriverType::Acp,
                json!({}),
                "options.command: must be the program and its arguments, as a list of words",
            ),
            (
                DriverType::Acp,
                json!({"command": "gemini"}),
                "options.command: must be the program and its arguments, as a list of words",
            ),
            (
                DriverType::Acp,
                json!({"command": ["x"], "env": {"A": "b"}}),
                "options.env: must be a list of names of environment variables",
            ),
        ] {
            assert_eq!(problem(driver, &options), expected, "{options}");
        }
    }
}
