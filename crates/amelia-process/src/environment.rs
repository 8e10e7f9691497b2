//! What a command finds in its environment: an allow-list of ours, and answers for programs that would ask a person.
//!
//! Nothing is read from this process here: the assembly of the program passes its variables in once.

use std::ffi::{OsStr, OsString};

use amelia_core::redact::is_secret_name;

/// The variable by which a command's descendants are known, wherever they went.
pub const MARK: &str = "AMELIA_MARK";

/// Passed on when set. A trailing `*` stands for any ending.
const ALLOWED: [&str; 30] = [
    "CARGO_HOME",
    "CARGO_TARGET_DIR",
    "GOCACHE",
    "GOMODCACHE",
    "GOPATH",
    "GOROOT",
    "HOME",
    "JAVA_HOME",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "LD_LIBRARY_PATH",
    "LOGNAME",
    "NVM_DIR",
    "PATH",
    "PKG_CONFIG_PATH",
    "PNPM_HOME",
    "PYENV_ROOT",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "SHELL",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TMPDIR",
    "TZ",
    "USER",
    "VIRTUAL_ENV",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
];

/// There is no person who answers or looks at colors; and what Python compiles would be committed where it is not ignored.
const FIXED: [(&str, &str); 9] = [
    ("CI", "true"),
    ("DEBIAN_FRONTEND", "noninteractive"),
    ("GIT_EDITOR", "true"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("NO_COLOR", "1"),
    ("PAGER", "cat"),
    ("PYTHONDONTWRITEBYTECODE", "1"),
    ("TERM", "dumb"),
];

/// The environment of every command of one run.
#[derive(Debug, Clone)]
pub struct Environment {
    vars: Vec<(OsString, OsString)>,
    owner: String,
}

impl Environment {
    /// What is allowed of `vars`, never anything that holds a secret: by the built-in list and the names in `also` (`NAME` or `PREFIX*`). `owner` names
    /// the run: by it [`end_leftovers`](crate::end_leftovers) finds processes after a crash.
    pub fn new(
        vars: impl IntoIterator<Item = (OsString, OsString)>,
        also: &[String],
        owner: impl Into<String>,
    ) -> Self {
        let allows = |name: &OsStr| {
            let listed = ALLOWED.into_iter().chain(also.iter().map(String::as_str));
            name.to_str()
                .is_some_and(|name| !is_secret_name(name) && listed.into_iter().any(|rule| fits(rule, name)))
        };
        let mut vars: Vec<_> = vars.into_iter().filter(|(name, _)| allows(name)).collect();
        vars.retain(|(name, _)| !FIXED.iter().any(|(fixed, _)| name == fixed));
        vars.extend(FIXED.map(|(name, value)| (name.into(), value.into())));
        Self { vars, owner: owner.into() }
    }

    /// Also without this one, for a key whose name does not tell.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.vars.retain(|(other, _)| other != name);
        self
    }

    /// Where a program is, by this environment's `PATH`.
    #[must_use]
    pub fn find(&self, program: &str) -> Option<OsString> {
        let (_, path) = self.vars.iter().find(|(name, _)| name == "PATH")?;
        let found = std::env::split_paths(path).map(|dir| dir.join(program)).find(|file| file.is_file())?;
        Some(found.into_os_string())
    }

    /// All of it, for programs that are started elsewhere.
    pub fn vars(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.vars.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// Who the commands belong to.
    #[must_use]
    pub fn owner(&self) -> &str {
        &self.owner
    }
}

fn fits(rule: &str, name: &str) -> bool {
    rule.strip_suffix('*').map_or(rule == name, |prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_listed_gets_through_and_never_a_secret() {
        let given =
            ["PATH", "LC_ALL", "OPENAI_API_KEY", "LC_TOKEN", "MY_VAR", "MY_SECRET", "OTHER", "TERM", "QUIET"];
        let vars = given.map(|name| (OsString::from(name), OsString::from("x")));
        let also = ["MY_*", "OPENAI_API_KEY", "QUIET"].map(str::to_owned);
        let environment = Environment::new(vars, &also, "run").without("QUIET");
        let mut names: Vec<_> =
            environment.vars().map(|(name, _)| name.to_str().unwrap().to_owned()).collect();
        names.retain(|name| !FIXED.iter().any(|(fixed, _)| fixed == name));
        assert_eq!(names, ["PATH", "LC_ALL", "MY_VAR"]);
        assert!(environment.vars().any(|pair| pair == ("TERM".as_ref(), "dumb".as_ref())));
        let compiled = ("PYTHONDONTWRITEBYTECODE".as_ref(), "1".as_ref());
        assert!(environment.vars().any(|pair| pair == compiled), "compiled files would be committed");
    }
}
