//! A commit of one large binary file, with what is kept of it for a replay: ours against `git add` and `git commit` alone,
//! in turns.

use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use amelia_git::commits::NewCommit;
use amelia_git::{NewWorktree, Repository, Worktree, Worktrees};
use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::{CaseArgs, own, repository};

/// Bytes of the file.
const SIZE: u64 = 60_000_000;

pub(super) fn run(args: &CaseArgs) -> Result<Value> {
    let (dir, rounds) = (args.dir.clone(), args.rounds);
    let checkout = dir.join("checkout");
    repository::make(&checkout, 10)?;
    repository::git(&checkout, &["config", "user.name", "bench"])?;
    repository::git(&checkout, &["config", "user.email", "bench@localhost"])?;
    own::block_on(async move {
        let vars: Arc<[_]> = std::env::vars_os().collect();
        let repository = Repository::open(&checkout, vars).await?;
        let worktrees = Worktrees::new(repository.clone(), dir.join("trees"))?;
        let new = NewWorktree { run: "one", key: "one", base: None, branch: None, start: None, tree: None };
        let worktree = worktrees.create(new).await?;
        let (mut ours, mut gits) = (Vec::new(), Vec::new());
        for round in 0..rounds {
            // Who is first changes: the second one may find more of the machine warm.
            for is_ours in [round % 2 == 0, round % 2 != 0] {
                write_noise(&worktree.path)?;
                if is_ours {
                    ours.push(by_us(&repository, &worktree, round).await?);
                } else {
                    gits.push(by_git(&worktree.path)?);
                }
            }
        }
        let best = |times: Vec<Duration>| {
            times.into_iter().min().map(|time| 1e3 * time.as_secs_f64()).context("no rounds")
        };
        let (ours, git) = (best(ours)?, best(gits)?);
        Ok(json!({ "ours_ms": ours, "git_ms": git, "times_git": ours / git }))
    })
}

/// Another content every time, that cannot be compressed.
fn write_noise(worktree: &Path) -> Result<()> {
    let mut noise = std::fs::File::open("/dev/urandom")?.take(SIZE);
    std::io::copy(&mut noise, &mut std::fs::File::create(worktree.join("noise.bin"))?)?;
    Ok(())
}

async fn by_us(repository: &Repository, worktree: &Worktree, round: usize) -> Result<Duration> {
    let start = Instant::now();
    let marker = format!("round {round}");
    let commit = NewCommit { message: "noise", marker: &marker, trailers: &[] };
    repository.commit_without(worktree, commit, &[]).await?;
    // Too large to be kept, which must be found out quickly.
    repository.tree(worktree).await.ok();
    Ok(start.elapsed())
}

fn by_git(worktree: &Path) -> Result<Duration> {
    let start = Instant::now();
    repository::git(worktree, &["add", "--all"])?;
    repository::git(worktree, &["commit", "--quiet", "--message", "noise"])?;
    Ok(start.elapsed())
}
