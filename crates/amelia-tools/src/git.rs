//! Reading a repository with the `git` program: no prompts, no locks, nothing of the repository's own is executed.

use std::ffi::OsString;
use std::time::Duration;

use amelia_core::tool::ToolCx;
use amelia_process::{ProcessEnd, ProcessGroup, StdinSource, git as fixed};

use crate::process::{self, Job};
use crate::toolset::Toolset;

/// On top of what every call of git gets: nothing of the repository's own is run.
const SETTINGS: [&str; 2] = ["-c", "core.hooksPath=/dev/null"];

/// One call of git. `Err` is for the model to read.
pub(crate) async fn git(
    cx: &ToolCx,
    set: &Toolset,
    args: &[&str],
    vars: &[(&'static str, OsString)],
    keep: usize,
) -> Result<String, String> {
    let args = SETTINGS.iter().chain(args).map(OsString::from);
    let mut vars: Vec<(OsString, OsString)> =
        vars.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
    vars.extend(fixed::fixed_vars());
    vars.push(("GIT_LITERAL_PATHSPECS".into(), "1".into()));
    let job = Job {
        program: "git".into(),
        args: fixed::first_args().into_iter().chain(args).collect(),
        dir: set.root.path().to_path_buf(),
        environment: &set.environment,
        vars,
        stdin: StdinSource::Nothing,
        group: ProcessGroup::Ours,
        keep,
        timeout: Duration::from_secs(120),
    };
    // What people watch is the result, not the parts it is made of.
    let quiet = ToolCx { cancel: cx.cancel.clone(), ..ToolCx::default() };
    let finished =
        process::run(&quiet, job).await.map_err(|error| format!("git could not be started: {error}"))?;
    match finished.end {
        ProcessEnd::Exited(0) => Ok(finished.output),
        ProcessEnd::Exited(code) => Err(format!("git ended with {code}: {}", finished.output.trim_end())),
        ProcessEnd::Killed(signal) => Err(format!("git was killed by signal {signal}")),
        ProcessEnd::TimedOut => Err("git did not end in time".to_owned()),
        ProcessEnd::Cancelled | ProcessEnd::Stopped => Err("cancelled".to_owned()),
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
