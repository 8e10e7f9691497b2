//! A worktree of a large repository, ready to use: ours against `git worktree add` alone, in turns. Removing is not
//! timed.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use amelia_core::workplace::UncommittedWork;
use amelia_git::{NewWorktree, Repository, Worktrees};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::{CaseArgs, own, repository};

pub(super) fn run(args: &CaseArgs) -> Result<Value> {
    let (dir, rounds, files) = (args.dir.clone(), args.rounds, args.n);
    let checkout = dir.join("checkout");
    repository::make(&checkout, files)?;
    own::block_on(async move {
        let (mut ours, mut gits) = (Vec::new(), Vec::new());
        for round in 0..rounds {
            // Who is first changes: the second one may find more of the repository in memory.
            for is_ours in [round % 2 == 0, round % 2 != 0] {
                // What the ones before have left to write must not be paid for by this one.
                Command::new("sync").status().context("while starting sync")?;
                if is_ours {
                    ours.push(by_us(&checkout, &dir.join("ours"), files).await?);
                } else {
                    gits.push(by_git(&checkout, &dir.join("git"), files)?);
                }
            }
        }
        let best = |times: Vec<Duration>| {
            times.into_iter().min().map(|time| 1e3 * time.as_secs_f64()).context("no rounds")
        };
        Ok(json!({ "ours_ms": best(ours)?, "git_ms": best(gits)? }))
    })
}

/// All that a run pays for: the repository is found, the worktree is made.
async fn by_us(checkout: &Path, dir: &Path, files: usize) -> Result<Duration> {
    let start = Instant::now();
    let vars: Arc<[_]> = std::env::vars_os().collect();
    let worktrees = Worktrees::new(Repository::open(checkout, vars).await?, dir)?;
    let worktree = worktrees
        .create(NewWorktree { run: "one", key: "one", base: None, branch: None, start: None, tree: None })
        .await?;
    let took = start.elapsed();
    check(&worktree.path, files)?;
    worktrees.remove(&worktree, UncommittedWork::Discard).await?;
    let branch = worktree.branch.context("it has no branch")?;
    repository::git(checkout, &["branch", "--quiet", "-D", &branch])?;
    Ok(took)
}

fn by_git(checkout: &Path, path: &Path, files: usize) -> Result<Duration> {
    let place = path.to_str().context("the directory has an odd name")?;
    let start = Instant::now();
    repository::git(checkout, &["worktree", "add", "--quiet", "-b", "bench", place])?;
    let took = start.elapsed();
    check(path, files)?;
    repository::git(checkout, &["worktree", "remove", "--force", place])?;
    repository::git(checkout, &["branch", "--quiet", "-D", "bench"])?;
    Ok(took)
}

fn check(worktree: &Path, files: usize) -> Result<()> {
    let mut found = 0;
    for directory in std::fs::read_dir(worktree)? {
        let directory = directory?.path();
        found += if directory.is_dir() { std::fs::read_dir(directory)?.count() } else { 0 };
    }
    ensure!(found == files, "{found} files are there, not {files}");
    Ok(())
}
