//! How the program is started. Through the proxy it has a home of its own and all configuration in its arguments; by the
//! user's own sign-in it has the user's home, and only what we must decide is put on top.

use std::path::Path;

use amelia_core::config::agent::CodexMode;
use amelia_core::driver::AgentRequest;
use amelia_core::tool::WorkArea;
use amelia_core::workplace::Rights;
use serde_json::{Value, json};

use super::CodexSettings;
use crate::program::{Launch, PROXY_URL, Var};

/// Said to it after its own instructions.
const HABITS: &str = "Work only in this directory.";
/// Said besides to the program that gets its input once: it cannot get our tools, and JSON is taken in their place.
const WITHOUT_TOOLS: &str = "Amelia's tools are not available here. Where these instructions tell you to ask with \
                             `ask_human`, decide yourself and say so in your result. Where they tell you to end your \
                             turn by calling a tool, end it with a message instead: the arguments of that call as JSON \
                             and nothing else.";
/// The variable with which it gets its token.
const TOKEN: &str = "AMELIA_PROXY_TOKEN";
/// Gives it as many bytes of our input as there are to read, and then an end: `exec` waits for one.
const GIVE: &str = r#"head -c "$1" | { shift; exec "$@"; }"#;

/// Features with tools that no list of tools can name.
const UNLISTED: [&str; 7] =
    ["apps", "browser_use", "computer_use", "goals", "image_generation", "multi_agent", "plugins"];
/// Features with tools that run commands or read files.
const HELD: [&str; 3] = ["shell_tool", "unified_exec", "view_image"];

/// The program with which both ways are spoken.
pub(super) fn server(settings: &CodexSettings, work_area: &WorkArea) -> Launch {
    let mut args = vec!["app-server".to_owned()];
    args.extend(overrides(settings, work_area));
    let (program, directory) = (settings.program.clone(), work_area.path.clone());
    Launch { program, args, env: environment(settings), directory }
}

/// The program that gets its input once: `input` comes on its standard input.
pub(super) fn exec(
    settings: &CodexSettings,
    request: &AgentRequest,
    work_area: &WorkArea,
    session: Option<&str>,
    input: &str,
) -> Launch {
    let mut args: Vec<String> =
        ["-c", GIVE, "sh", &input.len().to_string(), &settings.program, "exec"].map(str::to_owned).to_vec();
    args.extend(
        ["--json", "--skip-git-repo-check", "--sandbox", sandbox(work_area, settings)].map(str::to_owned),
    );
    args.extend(["--model".to_owned(), request.model.clone()]);
    args.extend(overrides(settings, work_area));
    args.extend(setting("approval_policy", &json!("never")));
    args.extend(setting(
        "developer_instructions",
        &json!(format!("{} {WITHOUT_TOOLS}", instructions(request))),
    ));
    if let Some(effort) = &request.options.reasoning {
        args.extend(setting("model_reasoning_effort", &json!(effort)));
    }
    if let Some(session) = session {
        args.extend(["resume".to_owned(), session.to_owned()]);
    }
    args.push("-".to_owned());
    Launch { program: "sh".to_owned(), args, env: environment(settings), directory: work_area.path.clone() }
}

/// What it reads about its role, beside its own instructions.
pub(super) fn instructions(request: &AgentRequest) -> String {
    format!("{}\n\n{HABITS}", request.system)
}

/// Whether a list of tools leaves it no commands. It has hardly any other tool of its own, so it works with ours then.
pub(super) fn is_held(work_area: &WorkArea) -> bool {
    work_area.listed.is_some_and(|listed| !listed.runs)
}

/// What its commands may touch.
pub(super) fn sandbox(work_area: &WorkArea, settings: &CodexSettings) -> &'static str {
    match work_area.rights {
        Rights::Read => "read-only",
        Rights::Work if is_held(work_area) => "read-only",
        Rights::Work if settings.asks && settings.mode == CodexMode::Server => "danger-full-access",
        Rights::Work => "workspace-write",
    }
}

/// When it must ask.
pub(super) fn policy(work_area: &WorkArea, settings: &CodexSettings) -> &'static str {
    match work_area.rights {
        Rights::Read => "never",
        Rights::Work if is_held(work_area) => "never",
        Rights::Work if settings.asks => "untrusted",
        Rights::Work => "on-request",
    }
}

fn overrides(settings: &CodexSettings, work_area: &WorkArea) -> Vec<String> {
    let mut args = Vec::new();
    let mut set = |key: &str, value: &Value| args.extend(setting(key, value));
    set("check_for_update_on_startup", &json!(false));
    set("sandbox_workspace_write.network_access", &json!(true));
    if settings.is_proxied {
        set("model_provider", &json!("amelia"));
        set("model_providers.amelia.name", &json!("Amelia"));
        set("model_providers.amelia.base_url", &json!(format!("{PROXY_URL}/v1")));
        set("model_providers.amelia.env_key", &json!(TOKEN));
        set("model_providers.amelia.wire_api", &json!("responses"));
        // For the program, and not for the commands that it runs.
        set("shell_environment_policy.exclude", &json!([TOKEN]));
        for off in ["analytics.enabled", "feedback.enabled", "features.apps", "features.plugins"] {
            set(off, &json!(false));
        }
    }
    if work_area.listed.is_some() {
        set("web_search", &json!("disabled"));
        UNLISTED.iter().for_each(|off| set(&format!("features.{off}"), &json!(false)));
    }
    if is_held(work_area) {
        HELD.iter().for_each(|off| set(&format!("features.{off}"), &json!(false)));
    }
    args.extend(["-c".to_owned(), distrust(&work_area.path)]);
    args
}

/// A setting, as the program reads it: a string, a number and a truth value are the same in JSON and in TOML.
fn setting(key: &str, value: &Value) -> [String; 2] {
    ["-c".to_owned(), format!("{key}={value}")]
}

/// Configuration in the worktree does not count: an agent could write it. Said here, it is also not written into the
/// user's own configuration, which the program would do otherwise.
fn distrust(directory: &Path) -> String {
    let directory = json!(directory.to_string_lossy());
    format!(r#"projects={{{directory}={{trust_level="untrusted"}}}}"#)
}

fn environment(settings: &CodexSettings) -> Vec<(String, Var)> {
    match settings.is_proxied {
        false => Vec::new(),
        true => vec![
            ("CODEX_HOME".to_owned(), Var::Kept("codex".to_owned())),
            (TOKEN.to_owned(), Var::ProxyToken),
        ],
    }
}
