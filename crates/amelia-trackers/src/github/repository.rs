//! Which repository: read from the URL of a git remote, in all the ways git writes them.

use amelia_core::tracker::TrackerError;

/// A repository on a host that speaks GitHub's API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitHubRepository {
    /// With its port, where a web address names one.
    pub host: String,
    pub owner: String,
    pub name: String,
}

impl GitHubRepository {
    /// From `https://host/owner/name.git`, `ssh://git@host/owner/name`, `git@host:owner/name.git`.
    pub fn from_remote(url: &str) -> Result<Self, TrackerError> {
        // The URL is not repeated: it may hold a password.
        Self::parsed(url.trim()).ok_or_else(|| {
            let forms = "https://HOST/OWNER/NAME.git or git@HOST:OWNER/NAME.git";
            let message = format!("the remote is not a repository on GitHub: it should look like {forms}");
            TrackerError::Setup(message.into())
        })
    }

    /// Of its parts, when all of them can be parts of a path.
    #[must_use]
    pub fn new(host: &str, owner: &str, name: &str) -> Option<Self> {
        let host = host.to_ascii_lowercase();
        let fine = is_host(&host) && is_name(owner) && is_name(name);
        fine.then(|| Self { host, owner: owner.to_owned(), name: name.to_owned() })
    }

    fn parsed(url: &str) -> Option<Self> {
        let (host, path) = match url.split_once("://") {
            Some((scheme, rest)) => {
                let (authority, path) = rest.split_once('/')?;
                let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
                match scheme.to_ascii_lowercase().as_str() {
                    "https" | "http" => (host, path),
                    // The port is that of SSH, not of the API.
                    "ssh" | "git" | "git+ssh" => (host.split(':').next()?, path),
                    _ => return None,
                }
            }
            None => {
                let (host, path) = url.split_once(':')?;
                (host.rsplit_once('@').map_or(host, |(_, host)| host), path.trim_start_matches('/'))
            }
        };
        let path = path.trim_end_matches('/');
        let (owner, name) = path.strip_suffix(".git").unwrap_or(path).split_once('/')?;
        let host = match host.to_ascii_lowercase().as_str() {
            // SSH over the HTTPS port has a host of its own.
            "www.github.com" | "ssh.github.com" => "github.com".to_owned(),
            host => host.to_owned(),
        };
        Self::new(&host, owner, name)
    }

    /// Whether the host is GitHub itself, not a server that others run.
    #[must_use]
    pub fn is_github(&self) -> bool {
        self.host == "github.com" || self.host.ends_with(".ghe.com")
    }

    /// Where its API is.
    #[must_use]
    pub fn api_base(&self) -> String {
        let host = &self.host;
        if self.is_github() { format!("https://api.{host}") } else { format!("https://{host}/api/v3") }
    }

    pub(super) fn path(&self) -> String {
        format!("repos/{}/{}", self.owner, self.name)
    }
}

fn is_host(host: &str) -> bool {
    let (name, port) = host.split_once(':').unwrap_or((host, "443"));
    let letters = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
    !name.is_empty() && !name.starts_with('-') && name.chars().all(letters) && port.parse::<u16>().is_ok()
}

/// What GitHub allows, and nothing that leads elsewhere in a path.
pub(super) fn is_name(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    !name.is_empty() && name.len() <= 100 && name != "." && name != ".." && name.chars().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_a_remote_names_the_repository() {
        for (url, host, base) in [
            ("https://github.com/o/r.git", "github.com", "https://api.github.com"),
            ("https://github.com/o/r/", "github.com", "https://api.github.com"),
            ("https://user:pass@GitHub.com/o/r", "github.com", "https://api.github.com"),
            ("http://www.github.com/o/r", "github.com", "https://api.github.com"),
            ("git@github.com:o/r.git", "github.com", "https://api.github.com"),
            ("github.com:/o/r", "github.com", "https://api.github.com"),
            ("ssh://git@ssh.github.com:443/o/r.git", "github.com", "https://api.github.com"),
            ("git+ssh://git@github.com/o/r.git", "github.com", "https://api.github.com"),
            ("git://github.com/o/r.git", "github.com", "https://api.github.com"),
            ("https://acme.ghe.com/o/r", "acme.ghe.com", "https://api.acme.ghe.com"),
            (
                "ssh://git@code.acme.example:2222/o/r.git",
                "code.acme.example",
                "https://code.acme.example/api/v3",
            ),
            (
                "https://code.acme.example:8443/o/r",
                "code.acme.example:8443",
                "https://code.acme.example:8443/api/v3",
            ),
        ] {
            let repository = GitHubRepository::from_remote(url).unwrap();
            assert_eq!(repository, GitHubRepository::new(host, "o", "r").unwrap(), "{url}");
            assert_eq!(repository.api_base(), base, "{url}");
        }
    }

    #[test]
    fn what_is_no_repository_is_refused_and_not_repeated() {
        for url in [
            "",
            "/srv/git/r.git",
            "../other",
            "file:///srv/o/r",
            "https://github.com/o",
            "https://github.com/o/r/more",
            "https://github.com/../r",
            "https://u:hunter2hunter2@ex ample/o/r",
            "git@-oProxyCommand=x:o/r",
            "ext::sh -c x",
            "git@github.com:o/r?x=1",
        ] {
            let error = GitHubRepository::from_remote(url).unwrap_err().to_string();
            assert!(error.starts_with("the remote is not a repository on GitHub"), "{url}: {error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
    }
}
