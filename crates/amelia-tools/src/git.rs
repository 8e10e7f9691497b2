//! Reading a repository with the `git` program: no prompts, no locks, nothing of the repository's own is executed.

use std::ffi::OsString;
use std::time::Duration;

use amelia_core::tool::ToolCx;

use crate::process::{self, End, Group, Job, Stdin};
use crate::toolset::Toolset;

/// Configuration that would run programs, or change what is printed.
const SETTINGS: [&str; 5] = [
    "core.quotepath=off",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "color.ui=never",
    "log.showSignature=false",
];

/// One call of git. `Err` is for the model to read.
pub(crate) async fn git(
    cx: &ToolCx,
    set: &Toolset,
    args: &[&str],
    vars: &[(&'static str, OsString)],
    keep: usize,
) -> Result<String, String> {
    let settings = SETTINGS.iter().flat_map(|setting| ["-c", setting]);
    let args: Vec<OsString> =
        ["--no-pager"].into_iter().chain(settings).chain(args.iter().copied()).map(OsString::from).collect();
    let mut vars = vars.to_vec();
    vars.extend([
        ("GIT_OPTIONAL_LOCKS", "0".into()),
        ("GIT_LITERAL_PATHSPECS", "1".into()),
        ("LC_ALL", "C".into()),
    ]);
    let job = Job {
        program: "git".into(),
        args,
        dir: set.root.path().to_path_buf(),
        environment: &set.environment,
        vars,
        stdin: Stdin::Nothing,
        group: Group::Ours,
        keep,
        timeout: Duration::from_secs(120),
    };
    // What people watch is the result, not the parts it is made of.
    let quiet = ToolCx { cancel: cx.cancel.clone(), ..ToolCx::default() };
    let finished =
        process::run(&quiet, job).await.map_err(|error| format!("git could not be started: {error}"))?;
    match finished.end {
        End::Exited(0) => Ok(finished.output),
        End::Exited(code) => Err(format!("git ended with {code}: {}", finished.output.trim_end())),
        End::Killed(signal) => Err(format!("git was killed by signal {signal}")),
        End::TimedOut => Err("git did not end in time".to_owned()),
        End::Cancelled => Err("cancelled".to_owned()),
    }
}

/// A commit by any of its names, checked before it is used: a model's word must never become an option.
pub(crate) async fn commit(cx: &ToolCx, set: &Toolset, name: &str) -> Result<String, String> {
    let asked = format!("{name}^{{commit}}");
    let found =
        git(cx, set, &["rev-parse", "--verify", "--quiet", "--end-of-options", &asked], &[], 200).await;
    let hash = found.map(|hash| hash.trim().to_owned()).unwrap_or_default();
    if hash.len() >= 40 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        Ok(hash)
    } else {
        Err(format!("there is no commit `{name}` in this repository"))
    }
}
