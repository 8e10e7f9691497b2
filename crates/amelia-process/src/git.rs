//! What every call of the `git` program gets: variables and settings that make its answers the same everywhere.
//!
//! Nothing here starts git, and nothing knows what a call means.

use std::ffi::{OsStr, OsString};

/// Variables that tie git to one repository, as `git rev-parse --local-env-vars` lists them. A hook has them set: code that
/// starts git for another repository must not pass them on.
const LOCAL: [&str; 16] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// More of them that `--local-env-vars` does not list: they belong to one of the above, to one command that is under
/// way, or change what is printed.
const ALSO: [&str; 9] = [
    "GIT_DIFF_OPTS",
    "GIT_EXTERNAL_DIFF",
    "GIT_GLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_LITERAL_PATHSPECS",
    "GIT_NAMESPACE",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_QUARANTINE_PATH",
    "GIT_REFLOG_ACTION",
];

/// Keys and values of `GIT_CONFIG_COUNT`.
const PREFIXES: [&str; 2] = ["GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_"];

/// Settings that would change what git prints, or run a program because we look.
pub const SETTINGS: [&str; 12] = [
    "color.ui=never",
    "core.fsmonitor=false",
    "core.quotePath=off",
    "diff.context=3",
    "diff.dstPrefix=b/",
    "diff.interHunkContext=0",
    "diff.mnemonicPrefix=false",
    "diff.noprefix=false",
    "diff.orderFile=/dev/null",
    "diff.relative=false",
    "diff.srcPrefix=a/",
    "log.showSignature=false",
];

/// What every `git diff` of ours says, for any settings of the user or the repository.
pub const DIFF_FLAGS: [&str; 7] = [
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-relative",
    "--submodule=short",
    "--src-prefix=a/",
    "--dst-prefix=b/",
];

/// Whether a variable would tie git to a repository that is not meant, or change its answers.
#[must_use]
pub fn is_local(name: &OsStr) -> bool {
    let name = name.to_str().unwrap_or_default();
    LOCAL.contains(&name) || ALSO.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// These variables without those that belong to another call of git.
pub fn without_local(
    vars: impl IntoIterator<Item = (OsString, OsString)>,
) -> impl Iterator<Item = (OsString, OsString)> {
    vars.into_iter().filter(|(name, _)| !is_local(name))
}

/// What comes before the name of a git command.
#[must_use]
pub fn first_args() -> Vec<OsString> {
    let settings = SETTINGS.iter().flat_map(|setting| ["-c", setting]);
    ["--no-pager"].into_iter().chain(settings).map(OsString::from).collect()
}

/// Variables that keep git from asking and from taking locks that it can do without.
#[must_use]
pub fn fixed_vars() -> [(OsString, OsString); 4] {
    [("GIT_OPTIONAL_LOCKS", "0"), ("GIT_TERMINAL_PROMPT", "0"), ("GIT_EDITOR", "true"), ("LC_ALL", "C")]
        .map(|(name, value)| (name.into(), value.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_git_calls_local_is_known() {
        let output =
            std::process::Command::new("git").args(["rev-parse", "--local-env-vars"]).output().unwrap();
        let listed = String::from_utf8(output.stdout).unwrap();
        let missing: Vec<&str> = listed.lines().filter(|name| !is_local(name.as_ref())).collect();
        assert_eq!(missing, [] as [&str; 0]);
        assert!(listed.contains("GIT_INDEX_FILE"));
    }

    #[test]
    fn numbered_settings_go_with_their_count_and_the_users_identity_stays() {
        let names = [
            "GIT_CONFIG_COUNT",
            "GIT_CONFIG_KEY_0",
            "GIT_CONFIG_VALUE_0",
            "GIT_AUTHOR_NAME",
            "GIT_CONFIG_GLOBAL",
        ];
        let left: Vec<_> =
            without_local(names.map(|name| (name.into(), "x".into()))).map(|(name, _)| name).collect();
        assert_eq!(left, ["GIT_AUTHOR_NAME", "GIT_CONFIG_GLOBAL"]);
    }
}
