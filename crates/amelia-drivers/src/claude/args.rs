//! How the program is started. Nothing of the user's own configuration counts but their sign-in: rules that an agent
//! could write into the repository must not be able to allow anything.

use amelia_core::driver::AgentRequest;
use amelia_core::tool::WorkArea;
use amelia_core::workplace::{ListedRights, Rights};
use serde_json::json;

use super::ClaudeSettings;
use super::mcp::SERVER;
use crate::program::{Launch, Var};

/// Its own tools for those who only read. Searching and git come from us: its shell could do more than read.
const READING: &str = "Read";
/// Its own tools for those who work.
const WORKING: &str = "Bash,Edit,NotebookEdit,Read,Task,TaskOutput,TaskStop,WebFetch,WebSearch,Write";
/// Its own tools for those with a list of tools. It changes no file that it has not read.
const SHOWING: &str = "Read";
const CHANGING: &str = "Edit,NotebookEdit,Read,Write";
const RUNNING: &str = "Bash,TaskOutput,TaskStop";

/// Said to it after its own instructions, which name our tools without the prefix that the program gives them.
fn habits() -> String {
    format!(
        "Work only in this directory. Amelia's tools have the prefix `mcp__{SERVER}__` here. When these instructions name \
         a tool that you do not have, call it with this prefix: `NAME` is `mcp__{SERVER}__NAME`."
    )
}

/// The start of a conversation, or of one that continues.
pub(super) fn launch(
    settings: &ClaudeSettings,
    request: &AgentRequest,
    work_area: &WorkArea,
    session: Option<&str>,
) -> Launch {
    let servers = json!({"mcpServers": {SERVER: {"type": "sdk", "name": SERVER}}});
    let mut args: Vec<String> = [
        "--output-format",
        "stream-json",
        "--verbose",
        "--input-format",
        "stream-json",
        "--include-partial-messages",
        "--replay-user-messages",
        "--permission-prompt-tool",
        "stdio",
        "--permission-mode",
        "default",
        "--strict-mcp-config",
        "--setting-sources=",
        "--disable-slash-commands",
    ]
    .map(str::to_owned)
    .to_vec();
    args.extend(["--mcp-config".to_owned(), servers.to_string()]);
    // Left to itself it runs commands unasked that it takes for harmless ones.
    let asks = json!({"permissions": {"ask": ["Bash"]}});
    args.extend(["--settings".to_owned(), asks.to_string()]);
    args.extend(["--tools".to_owned(), own_tools(work_area)]);
    args.extend(["--model".to_owned(), request.model.clone()]);
    args.extend(["--max-turns".to_owned(), request.max_turns.to_string()]);
    args.extend(["--append-system-prompt".to_owned(), format!("{}\n\n{}", request.system, habits())]);
    if let Some(effort) = &request.options.reasoning {
        args.extend(["--effort".to_owned(), effort.clone()]);
    }
    if let Some(shape) = &request.answer {
        args.extend(["--json-schema".to_owned(), shape.schema.to_string()]);
    }
    if let Some(session) = session {
        // With `=`: a name that begins with a dash must not become a flag.
        args.push(format!("--resume={session}"));
    }
    let (program, directory) = (settings.program.clone(), work_area.path.clone());
    Launch { program, args, env: environment(settings), directory }
}

/// Its own tools that it may use, as the program reads them; none is an empty text.
fn own_tools(work_area: &WorkArea) -> String {
    match (work_area.rights, work_area.listed) {
        (Rights::Read, None) => READING.to_owned(),
        (Rights::Work, None) => WORKING.to_owned(),
        (rights, Some(ListedRights { reads, writes, runs })) => {
            let works = rights == Rights::Work;
            let files = match (reads, writes && works) {
                (_, true) => Some(CHANGING),
                (true, false) => Some(SHOWING),
                (false, false) => None,
            };
            let commands = (runs && works).then_some(RUNNING);
            files.into_iter().chain(commands).collect::<Vec<_>>().join(",")
        }
    }
}

fn environment(settings: &ClaudeSettings) -> Vec<(String, Var)> {
    let quiet = [
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
        "DISABLE_AUTOUPDATER",
        "DISABLE_ERROR_REPORTING",
        "DISABLE_TELEMETRY",
    ];
    let text = |text: &str| Var::Text(text.to_owned());
    let mut env: Vec<(String, Var)> = quiet.map(|name| (name.to_owned(), text("1"))).to_vec();
    env.push(("CLAUDE_CODE_ENTRYPOINT".to_owned(), text("amelia")));
    if settings.is_proxied {
        env.push(("ANTHROPIC_BASE_URL".to_owned(), Var::ProxyUrl("/anthropic".to_owned())));
        env.push(("ANTHROPIC_AUTH_TOKEN".to_owned(), Var::ProxyToken));
        env.push(("CLAUDE_CONFIG_DIR".to_owned(), Var::Kept("claude".to_owned())));
    }
    env
}
