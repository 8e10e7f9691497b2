//! MCP servers of a repository, and whether a person trusts them. A server is a program, and a repository can contain files
//! from anyone: it is started only after `amelia trust`, and again only while its description and the files that it names
//! are the same. They are read from the user's checkout, never from the worktree of an agent.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use amelia_core::config::mcp::{McpConfig, McpServer, McpTransport};
use amelia_core::problem::Problem;
use amelia_orchestrator::service::ServiceError;
use amelia_wire::maf::mcp::{McpConfig as McpFile, mcp_schema};
use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::home::Home;
use crate::home_file::{read_path, write_whole};
use crate::place;
use crate::refused_file::RefusedFile;

/// Where a repository describes its servers.
pub const REPOSITORY_SERVERS: &str = ".amelia/mcp_servers.yaml";
/// Where the home keeps what is trusted.
const TRUSTED: &str = "config/trusted_repositories.json";
/// What a program runs that is given a directory.
const STARTED_IN_DIRECTORY: [&str; 3] = ["index.js", "package.json", "__main__.py"];

/// The servers of a repository.
#[derive(Debug, Clone)]
pub struct RepositoryServers {
    /// The top of the user's checkout.
    pub root: PathBuf,
    pub file: PathBuf,
    /// With absolute paths for the files of the checkout.
    pub config: McpConfig,
    /// Files of the repository that are run or read, relative to its top.
    pub files: BTreeSet<PathBuf>,
    digest: String,
}

/// What a person has trusted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustedDefinition {
    /// Over the description of the servers and the files that it names; empty without servers.
    #[serde(default)]
    pub sha256: String,
    #[serde(default)]
    pub at: jiff::Timestamp,
    /// The digests of tools of teams, by `team:tool`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, String>,
}

impl RepositoryServers {
    /// Those of the checkout that counts in `directory`; `None` if it describes none.
    pub fn find(home: &Home, directory: &Path) -> Result<Option<Self>, RefusedFile> {
        let root = place::checkout_of(home, directory);
        let Some(root) = root.and_then(|root| root.canonicalize().ok()) else { return Ok(None) };
        let file = root.join(REPOSITORY_SERVERS);
        let Some(mut config) = read_path::<McpFile>(&file, mcp_schema())? else { return Ok(None) };
        let refused = |error: std::io::Error| RefusedFile::at_start(&file, error.to_string());
        if !file.canonicalize().map_err(refused)?.starts_with(&root) {
            return Err(RefusedFile::at_start(
                &file,
                "is a link that leads out of the repository".to_owned(),
            ));
        }
        if config.mcp_envs.is_some() {
            let message =
                "`mcp_envs` has a meaning only in the home: a repository cannot give itself variables";
            return Err(RefusedFile::at_start(&file, message.to_owned()));
        }
        let mut files = BTreeSet::new();
        for server in &mut config.servers {
            settle_paths(server, &root, &mut files);
        }
        let digest = digest(&root, &file, &files).map_err(refused)?;
        Ok(Some(Self { root, file, config, files, digest }))
    }

    /// The server of this name, if the repository describes it.
    pub(crate) fn server(&self, name: &str) -> Option<&McpServer> {
        self.config.servers.iter().find(|server| server.name == name)
    }

    /// Whether a person trusts them as they are now.
    pub fn is_trusted(&self, home: &Home) -> bool {
        trusted(home).is_ok_and(|all| all.get(&self.key()).is_some_and(|one| one.sha256 == self.digest))
    }

    /// Refuses them unless a person trusts them.
    pub(crate) fn check_trust(&self, home: &Home, server: &str) -> Result<(), ServiceError> {
        if self.is_trusted(home) {
            return Ok(());
        }
        let was_trusted =
            trusted(home).is_ok_and(|all| all.get(&self.key()).is_some_and(|one| !one.sha256.is_empty()));
        let message = match was_trusted {
            true => format!("the MCP server `{server}` of this repository has changed since you trusted it"),
            false => format!("the MCP server `{server}` is described in this repository, and not trusted"),
        };
        let hint = format!("`amelia trust` in {} shows what would run, and asks", self.root.display());
        Err(ServiceError::Conflict(Problem::new(message).with_hint(hint)))
    }

    /// Remembers that a person trusts them as they are.
    pub fn trust(&self, home: &Home) -> Result<()> {
        let mut all = trusted(home)?;
        let one = all.entry(self.key()).or_default();
        (one.sha256, one.at) = (self.digest.clone(), jiff::Timestamp::now());
        keep(home, &all)
    }

    fn key(&self) -> String {
        self.root.display().to_string()
    }
}

/// The repositories whose servers a person trusts, by the top of their checkout.
pub fn trusted(home: &Home) -> Result<BTreeMap<String, TrustedDefinition>> {
    let path = home.path().join(TRUSTED);
    match std::fs::read(&path) {
        Ok(text) => serde_json::from_slice(&text).with_context(|| format!("{}", path.display())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(BTreeMap::new()),
        Err(error) => Err(error).with_context(|| format!("{}", path.display())),
    }
}

/// Trusts a repository no longer. Whether it was trusted.
pub fn revoke(home: &Home, directory: &Path) -> Result<bool> {
    let mut all = trusted(home)?;
    let real = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    let is_it = |above: &Path| all.contains_key(&above.display().to_string());
    let Some(key) = real.ancestors().find(|above| is_it(above)).map(|above| above.display().to_string())
    else {
        return Ok(false);
    };
    all.remove(&key);
    keep(home, &all).map(|()| true)
}

/// Keeps what is trusted now.
pub(crate) fn keep(home: &Home, all: &BTreeMap<String, TrustedDefinition>) -> Result<()> {
    home.make()?;
    write_whole(&home.path().join(TRUSTED), &serde_json::to_string_pretty(all)?)
}

/// Makes the paths of files in the repository absolute, so that they are those of the checkout wherever the server is
/// started, and collects them.
fn settle_paths(server: &mut McpServer, root: &Path, files: &mut BTreeSet<PathBuf>) {
    let McpTransport::Stdio { command, args, env } = &mut server.transport else { return };
    // A command without a slash is looked for on the PATH.
    let command = Some(command).filter(|command| command.contains('/'));
    for word in command.into_iter().chain(args).chain(env.values_mut()) {
        let (before, path) = match word.split_once('=') {
            Some((option, path)) => (format!("{option}="), path),
            None => (String::new(), word.as_str()),
        };
        let Ok(real) = root.join(path).canonicalize() else { continue };
        let Ok(inside) = real.strip_prefix(root) else { continue };
        if real.is_file() {
            files.insert(inside.to_owned());
            *word = format!("{before}{}", real.display());
        } else {
            let started = STARTED_IN_DIRECTORY.map(|name| inside.join(name));
            files.extend(started.into_iter().filter(|file| root.join(file).is_file()));
        }
    }
}

fn digest(root: &Path, file: &Path, files: &BTreeSet<PathBuf>) -> std::io::Result<String> {
    let mut hasher = Sha256::new();
    hasher.update(std::fs::read(file)?);
    for path in files {
        let content = std::fs::read(root.join(path))?;
        // Names and lengths first: no two sets of files read the same.
        hasher.update(format!("\n{}\n{}\n", path.display(), content.len()));
        hasher.update(content);
    }
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_ends_with_every_change_of_the_description_or_a_file_that_it_names() {
        let (home, repository) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let home = Home::at(home.path());
        let write = |file: &str, text: &str| {
            let path = repository.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write(".git/HEAD", "");
        write("tools/server.js", "1");
        write("tools/mcp/index.js", "2");
        write("tools/other.js", "3");
        write("docs/a.md", "4");
        let all = || RepositoryServers::find(&home, &repository.path().join("docs")).unwrap();
        assert!(all().is_none());
        let servers = "servers:\n  a: { transport: stdio, scope: run, config: { command: node, args: \
                       [tools/server.js, --with=tools/mcp, ., gone.js], env: { B: tools/other.js } } }\n";
        write(REPOSITORY_SERVERS, servers);
        let found = all().unwrap();
        let files: Vec<String> = found.files.iter().map(|file| file.display().to_string()).collect();
        assert_eq!(files, ["tools/mcp/index.js", "tools/other.js", "tools/server.js"]);
        let McpTransport::Stdio { command, args, .. } = &found.config.servers[0].transport else { panic!() };
        let real = repository.path().canonicalize().unwrap().join("tools/server.js");
        assert_eq!((command.as_str(), args[0].as_str()), ("node", real.to_str().unwrap()));
        let refused = found.check_trust(&home, "a").unwrap_err().to_string();
        assert!(refused.contains("`a` is described in this repository, and not trusted"), "{refused}");

        found.trust(&home).unwrap();
        assert!(all().unwrap().is_trusted(&home));
        write("docs/a.md", "changed");
        assert!(all().unwrap().is_trusted(&home), "it is not named");
        for (file, text, before) in [
            ("tools/server.js", "x", "1"),
            ("tools/mcp/index.js", "x", "2"),
            ("tools/other.js", "x", "3"),
            ("gone.js", "it is there now", ""),
            (REPOSITORY_SERVERS, "servers: { a: { transport: stdio, config: { command: sh } } }", servers),
        ] {
            write(file, text);
            let refused = all().unwrap().check_trust(&home, "a").unwrap_err().to_string();
            assert!(refused.contains("has changed since you trusted it"), "{file}: {refused}");
            write(file, before);
            if before.is_empty() {
                std::fs::remove_file(repository.path().join(file)).unwrap();
            }
        }
        assert!(all().unwrap().is_trusted(&home), "all is as it was");
        assert!(revoke(&home, &repository.path().join("docs")).unwrap());
        assert!(!all().unwrap().is_trusted(&home) && !revoke(&home, repository.path()).unwrap());
    }
}
