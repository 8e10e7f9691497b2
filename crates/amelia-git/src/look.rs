//! Looking at a repository that is not trusted: nothing that its configuration names is executed.
//!
//! Filters of the repository's own are switched off by name, hooks and lazy fetches altogether; submodules are compared
//! by their commits, because git would look into them with their own configuration. Filters that the user has set up for
//! all repositories still run: they are the user's.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::Path;

use crate::error::GitError;
use crate::git::Vars;
use crate::repository::Repository;

impl Repository {
    /// The same as [`Repository::open`], for what is only looked at.
    pub async fn look(dir: impl AsRef<Path>, vars: Vars) -> Result<Self, GitError> {
        let repository = Self::open(dir, vars).await?;
        let listed = repository.git.pieces(&["config", "--list", "--show-scope", "-z"]).await?;
        Ok(Self { git: repository.git.looking(overrides(&listed)) })
    }
}

/// Variables that switch off all that the repository's own settings would run. `listed` is a scope, then a key with its
/// value, and so on.
fn overrides(listed: &[OsString]) -> Vec<(OsString, OsString)> {
    let (scopes, settings) = (listed.iter().step_by(2), listed.iter().skip(1).step_by(2));
    let own = scopes.zip(settings).filter(|(scope, _)| *scope == "local" || *scope == "worktree");
    let mut settings: Vec<(Vec<u8>, &str)> = vec![(b"core.hooksPath".to_vec(), "/dev/null")];
    for (_, setting) in own {
        let bytes = setting.as_encoded_bytes();
        let key = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
        settings.extend(harmless(key).map(|value| (key.to_vec(), value)));
    }
    let mut vars: Vec<(OsString, OsString)> = vec![
        ("GIT_ALLOW_PROTOCOL".into(), "none".into()),
        ("GIT_NO_LAZY_FETCH".into(), "1".into()),
        ("GIT_CONFIG_COUNT".into(), settings.len().to_string().into()),
    ];
    for (number, (key, value)) in settings.into_iter().enumerate() {
        vars.push((format!("GIT_CONFIG_KEY_{number}").into(), OsString::from_vec(key)));
        vars.push((format!("GIT_CONFIG_VALUE_{number}").into(), value.into()));
    }
    vars
}

/// What a key is set to so that it runs nothing; nothing for one that does not.
fn harmless(key: &[u8]) -> Option<&'static str> {
    let is_filter = key.starts_with(b"filter.");
    let name = key.rsplit(|byte| *byte == b'.').next()?;
    match name {
        b"clean" | b"smudge" | b"process" if is_filter => Some(""),
        b"required" if is_filter => Some("false"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_repository_itself_would_run_is_switched_off() {
        let listed = [
            "global",
            "filter.lfs.clean\ngit-lfs clean",
            "local",
            "filter.a.b=c.clean\nrm -rf x",
            "local",
            "filter.a.b=c.required",
            "worktree",
            "filter.x.process\nevil",
            "local",
            "user.name\nA\nlocal",
        ];
        let vars = overrides(&listed.map(OsString::from));
        let expected = [
            ("GIT_ALLOW_PROTOCOL", "none"),
            ("GIT_NO_LAZY_FETCH", "1"),
            ("GIT_CONFIG_COUNT", "4"),
            ("GIT_CONFIG_KEY_0", "core.hooksPath"),
            ("GIT_CONFIG_VALUE_0", "/dev/null"),
            ("GIT_CONFIG_KEY_1", "filter.a.b=c.clean"),
            ("GIT_CONFIG_VALUE_1", ""),
            ("GIT_CONFIG_KEY_2", "filter.a.b=c.required"),
            ("GIT_CONFIG_VALUE_2", "false"),
            ("GIT_CONFIG_KEY_3", "filter.x.process"),
            ("GIT_CONFIG_VALUE_3", ""),
        ];
        assert_eq!(vars, expected.map(|(name, value)| (name.into(), value.into())));
    }
}
