//! MCP servers that are configured: whether they could be started. None is.

use std::path::Path;

use amelia_core::config::mcp::{McpServer, McpTransport};
use amelia_core::problem::Hinted as _;
use amelia_wire::maf::files::MCP_SERVERS;

use super::agents::is_on_path;
use super::check::DoctorCheck;
use crate::home::Home;
use crate::mcp_servers::{McpServers, config};
use crate::repository_servers::{REPOSITORY_SERVERS, RepositoryServers};

const NAME: &str = "mcp";
/// Programs that download what they run.
const RUNNERS: [&str; 4] = ["npx", "bunx", "uvx", "pipx"];
/// Options of theirs that name the package, or the Python that it needs.
const PACKAGE_OPTIONS: [&str; 4] = ["-p", "--package", "--from", "--spec"];
const OTHER_OPTIONS: [&str; 2] = ["--python", "--with"];

/// A line for everything that is wrong, or one that says that nothing is. Nothing when no server is configured.
pub(super) async fn checks(home: &Home, directory: Option<&Path>) -> Vec<DoctorCheck> {
    let mut found = of_home(home).await;
    found.extend(directory.and_then(|directory| of_repository(home, directory)));
    found
}

/// The servers that the repository describes.
fn of_repository(home: &Home, directory: &Path) -> Option<DoctorCheck> {
    Some(match RepositoryServers::find(home, directory) {
        Ok(None) => return None,
        Ok(Some(found)) if found.is_trusted(home) => {
            DoctorCheck::ok(NAME, format!("you trust the servers of {REPOSITORY_SERVERS}"))
        }
        Ok(Some(_)) => {
            let message = format!("the servers of {REPOSITORY_SERVERS} are not trusted");
            DoctorCheck::warning(NAME, message, "`amelia trust` shows what would run, and asks")
        }
        Err(refused) => {
            DoctorCheck::error(NAME, refused.to_string(), "fix the file; `amelia schema mcp` describes it")
        }
    })
}

async fn of_home(home: &Home) -> Vec<DoctorCheck> {
    let mut config = match config(home) {
        Ok(config) => config,
        Err(refused) => {
            let hint = format!("fix {MCP_SERVERS} of the home; `amelia schema mcp` describes it");
            return vec![DoctorCheck::error(NAME, refused.to_string(), hint)];
        }
    };
    let servers = McpServers::of(home);
    if let Err(error) = servers.load_stored().await {
        return vec![DoctorCheck::error(NAME, error.to_string(), "see the check of the database")];
    }
    config.servers.extend(servers.stored_beside(&config));
    let enabled: Vec<&McpServer> = config.servers.iter().filter(|server| server.enabled).collect();
    let found: Vec<DoctorCheck> = enabled.iter().flat_map(|server| check(&servers, server)).collect();
    if !found.is_empty() || config.servers.is_empty() {
        return found;
    }
    let names: Vec<&str> = enabled.iter().map(|server| server.name.as_str()).collect();
    let message = match names.as_slice() {
        [] => "all configured servers are disabled".to_owned(),
        names => format!("configured, and not started by this check: {}", names.join(", ")),
    };
    vec![DoctorCheck::ok(NAME, message)]
}

fn check(servers: &McpServers, server: &McpServer) -> Vec<DoctorCheck> {
    // A variable that is not set is found by this, too.
    let program = match servers.program(server) {
        Ok(program) => program,
        Err(error) => {
            let hint = error.hint().unwrap_or_else(|| format!("see {MCP_SERVERS} of the home"));
            return vec![DoctorCheck::error(NAME, error.to_string(), hint)];
        }
    };
    judge(server, program.as_deref().map(|program| (program, is_on_path(program))))
}

/// `program` is what is started, if it is a program, and whether it is there.
fn judge(server: &McpServer, program: Option<(&str, bool)>) -> Vec<DoctorCheck> {
    let name = &server.name;
    let mut found = Vec::new();
    if let Some((program, false)) = program {
        let message = format!("`{name}`: `{program}` is not installed");
        let hint = format!("install it, or change `command` in {MCP_SERVERS} of the home");
        found.push(DoctorCheck::error(NAME, message, hint));
    }
    if let McpTransport::Stdio { command, args, .. } = &server.transport
        && let Some(package) = unpinned(command, args)
    {
        let message = format!("`{name}` runs the newest version of `{package}` each time it starts");
        found.push(DoctorCheck::warning(NAME, message, "name a version, such as `package@1.2.3`"));
    }
    found
}

/// The package that a program downloads in no certain version.
#[must_use]
pub fn unpinned<'a>(command: &str, args: &'a [String]) -> Option<&'a str> {
    let program = command.rsplit('/').next().unwrap_or(command);
    if !RUNNERS.contains(&program) {
        return None;
    }
    let mut named = None;
    let mut words = args.iter().map(String::as_str).filter(|word| *word != "run");
    while let Some(word) = words.next() {
        let option = word.split_once('=').filter(|(option, _)| option.starts_with("--"));
        match option {
            Some((option, package)) if PACKAGE_OPTIONS.contains(&option) => named = Some(package),
            Some(_) => {}
            None if PACKAGE_OPTIONS.contains(&word) => named = words.next(),
            None if OTHER_OPTIONS.contains(&word) => drop(words.next()),
            None if word.starts_with('-') => {}
            None => {
                named = named.or(Some(word));
                break;
            }
        }
        if named.is_some() {
            break;
        }
    }
    named.filter(|package| !is_pinned(package))
}

fn is_pinned(package: &str) -> bool {
    let is_path = package.starts_with(['.', '/']);
    // A scope begins with `@`, too.
    let version = package.get(1..).and_then(|rest| rest.split_once("==").or_else(|| rest.split_once('@')));
    is_path || version.is_some_and(|(_, version)| version.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::check::CheckState;
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn a_package_without_a_version_is_found() {
        for (line, package) in [
            ("npx -y @scope/server", Some("@scope/server")),
            ("npx -y @scope/server@latest --root /x", Some("@scope/server@latest")),
            ("npx --package=server run-it", Some("server")),
            ("/usr/bin/uvx mcp-server-git --repository /x", Some("mcp-server-git")),
            ("uvx --python 3.12 --from server@latest run-it", Some("server@latest")),
            ("npx -y @scope/server@1.2.3", None),
            ("npx -y server@2026.8.31 x", None),
            ("uvx mcp-server-git==2026.10.19", None),
            ("uvx --from server==1.0 run-it", None),
            ("uvx mcp-server-git@1.0", None),
            ("npx ./server", None),
            ("node server.js", None),
        ] {
            let line = words(line);
            let (command, args) = line.split_first().unwrap();
            assert_eq!(unpinned(command, args), package, "{line:?}");
        }
    }

    #[test]
    fn what_is_missing_is_an_error_and_what_may_change_a_warning() {
        let command = |command: &str, args: &str| {
            let (command, args, env) = (command.to_owned(), words(args), BTreeMap::new());
            McpServer::new("it", McpTransport::Stdio { command, args, env })
        };
        let states = |checks: Vec<DoctorCheck>| checks.iter().map(|check| check.state).collect::<Vec<_>>();
        assert_eq!(states(judge(&command("node", "a.js"), Some(("node", true)))), []);
        assert_eq!(states(judge(&command("gone", ""), Some(("gone", false)))), [CheckState::Error]);
        assert_eq!(states(judge(&command("npx", "server"), Some(("npx", true)))), [CheckState::Warning]);
    }

    #[tokio::test]
    async fn the_file_and_the_variables_of_a_home_are_looked_at() {
        let home = tempfile::tempdir().unwrap();
        let of = async |text: &str| {
            std::fs::create_dir_all(home.path().join("config")).unwrap();
            std::fs::write(home.path().join(MCP_SERVERS), text).unwrap();
            checks(&Home::at(home.path()), None).await
        };
        assert_eq!(checks(&Home::at(home.path()), None).await, []);
        let refused = of("servers: { a: { transport: pigeon } }").await;
        assert_eq!(refused[0].state, CheckState::Error);
        assert!(refused[0].message.contains("mcp_servers.yaml:1:"), "{refused:?}");
        let unset = of(
            "servers: { a: { transport: sse, config: { url: \"https://x.org\", headers: { A: \"${AMELIA_TEST_UNSET}\" } } } }",
        )
        .await;
        assert!(unset[0].message.contains("needs `${AMELIA_TEST_UNSET}`"), "{unset:?}");
        let fine = of("servers: { a: { transport: sse, config: { url: \"https://x.org\" } } }").await;
        assert_eq!((fine.len(), fine[0].state), (1, CheckState::Ok), "{fine:?}");
        // A repository that describes servers, too.
        let repository = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(repository.path().join(".git")).unwrap();
        std::fs::write(repository.path().join(".git/HEAD"), "").unwrap();
        std::fs::create_dir_all(repository.path().join(".amelia")).unwrap();
        let of = async |text: &str| {
            std::fs::write(repository.path().join(REPOSITORY_SERVERS), text).unwrap();
            checks(&Home::at(home.path()), Some(repository.path())).await.pop().unwrap()
        };
        let found = of("servers: { b: { transport: stdio, config: { command: b } } }").await;
        assert_eq!((found.state, found.hint.unwrap().contains("amelia trust")), (CheckState::Warning, true));
        assert!(of("servers: 3").await.message.contains(".amelia/mcp_servers.yaml:1:1"));
    }
}
