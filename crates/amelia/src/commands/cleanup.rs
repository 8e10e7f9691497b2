//! `amelia cleanup`: removes what ended runs have left, or only lists it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use amelia_host::home::Home;
use amelia_host::{place, size};
use amelia_wire::rest::cleanup::{Cleaned, CleanedBranch, CleanedRun, CleanedWorktree, Cleanup};
use anyhow::Result;

use crate::cli::{CleanupArgs as Args, Global};
use crate::reach;
use crate::ui;

/// Ignored files that are named.
const NAMED: usize = 5;

pub(super) async fn run(args: &Args, home: &Home, global: &Global) -> Result<ExitCode> {
    let wanted = Cleanup {
        dry_run: args.dry_run,
        merged_branches: args.merged_branches,
        repository: if args.all { None } else { repository_here().await },
    };
    if !home.has_runs() && global.server.is_none() {
        let nothing = Cleaned { dry_run: args.dry_run, ..Cleaned::default() };
        show(&nothing, &wanted, global)?;
        return Ok(ExitCode::SUCCESS);
    }
    let asks = !args.yes && !args.dry_run && !global.json && !global.quiet && ui::is_interactive();
    if asks {
        let planned = asked(Cleanup { dry_run: true, ..wanted.clone() }, home, global).await?;
        show(&planned, &wanted, global)?;
        let has_more = removes_something(&planned, wanted.merged_branches);
        if !has_more {
            return delete_branches(&planned, wanted, home, global).await;
        }
        if !ui::confirm(&question(&wanted))? {
            ui::say!("nothing was removed");
            return Ok(ExitCode::SUCCESS);
        }
    }
    let cleaned = asked(wanted.clone(), home, global).await?;
    show(&cleaned, &wanted, global)?;
    if asks {
        return delete_branches(&cleaned, wanted, home, global).await;
    }
    let left = left_branches(&cleaned);
    if args.dry_run && left > 0 && !global.quiet && !global.json && !args.merged_branches {
        ui::say!("{}", branches_hint(left, &ui::command(global)));
    }
    Ok(ExitCode::SUCCESS)
}

/// The checkout of this directory's repository, as runs name it.
async fn repository_here() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    Some(place::main_checkout(place::look(&here).await.ok()?.root()))
}

fn show(cleaned: &Cleaned, wanted: &Cleanup, global: &Global) -> Result<()> {
    match global.json {
        true => anstream::println!("{}", serde_json::to_string(cleaned)?),
        false => {
            lines(cleaned, wanted).iter().for_each(|line| ui::say!("{line}"));
        }
    }
    Ok(())
}

fn question(wanted: &Cleanup) -> String {
    match &wanted.repository {
        Some(repository) => format!("Clean up {}?", ui::path(repository)),
        None => "Clean up all repositories?".to_owned(),
    }
}

/// Whether something would go; merged branches only if they are to be deleted.
fn removes_something(planned: &Cleaned, with_branches: bool) -> bool {
    let Cleaned { worktrees, runs, events, attachments, .. } = planned;
    with_branches && left_branches(planned) > 0
        || worktrees.iter().any(|worktree| worktree.removed)
        || runs.iter().any(|old| old.kept_because.is_none())
        || *events > 0
        || *attachments > 0
}

/// Merged branches that are still there.
fn left_branches(cleaned: &Cleaned) -> usize {
    cleaned.merged_branches.iter().filter(|merged| !merged.deleted).count()
}

/// Deletes merged branches, if the person wants that.
async fn delete_branches(
    cleaned: &Cleaned,
    wanted: Cleanup,
    home: &Home,
    global: &Global,
) -> Result<ExitCode> {
    let left = left_branches(cleaned);
    let question = format!("Delete {}?", merged_branches(left));
    if left > 0 && !wanted.merged_branches && ui::confirm(&question)? {
        let deleted = asked(Cleanup { merged_branches: true, ..wanted }, home, global).await?;
        deleted.merged_branches.iter().for_each(|merged| ui::say!("{}", branch_line(merged, false)));
    }
    Ok(ExitCode::SUCCESS)
}

fn merged_branches(count: usize) -> String {
    if count == 1 { "1 merged branch".to_owned() } else { format!("{count} merged branches") }
}

/// Merged branches stay unless a person asks to delete them.
fn branches_hint(count: usize, me: &str) -> String {
    format!("{me} cleanup --merged-branches deletes {}", merged_branches(count))
}

async fn asked(wanted: Cleanup, home: &Home, global: &Global) -> Result<Cleaned> {
    // Looking must not keep others from working.
    let client = match wanted.dry_run {
        true => reach::to_look(home, global).await?,
        false => reach::to_work_here(home, global, Vec::new()).await?,
    };
    let cleaned = client.post("/cleanup", &wanted).await;
    client.close().await?;
    cleaned
}

fn branch_line(merged: &CleanedBranch, would_delete: bool) -> String {
    let (branch, into) = (ui::one_line(&merged.branch), ui::one_line(&merged.into));
    match merged.deleted {
        false if would_delete => format!("would delete the branch {branch}, which was merged into {into}"),
        true => format!("deleted the branch {branch}, which was merged into {into}"),
        false => format!("the branch {branch} was merged into {into}"),
    }
}

fn run_line(old: &CleanedRun, dry_run: bool) -> String {
    let title = ui::one_line(&old.title);
    let days = ui::counted(usize::try_from(old.days).unwrap_or(usize::MAX), "day");
    let label =
        old.label.as_deref().map(|label| format!(", label {}", ui::one_line(label))).unwrap_or_default();
    let run = format!("run {} {title} {}", old.short_id, ui::dim(format!("(kept for {days}{label})")));
    match &old.kept_because {
        Some(why) => format!("{} {run}: {}", ui::painted(ui::WAITS, "kept"), ui::one_line(why)),
        None if dry_run => format!("would remove {run}"),
        None => format!("removed {run}"),
    }
}

/// What belongs to a repository stands below its name, unless only one was asked for.
fn lines(cleaned: &Cleaned, wanted: &Cleanup) -> Vec<String> {
    let would_delete = wanted.merged_branches && cleaned.dry_run;
    let runs = cleaned.runs.iter().map(|old| (&old.repository, run_line(old, cleaned.dry_run)));
    let worktrees = cleaned.worktrees.iter().map(|worktree| (&worktree.repository, line(worktree, cleaned)));
    let branches =
        cleaned.merged_branches.iter().map(|merged| (&merged.repository, branch_line(merged, would_delete)));
    let mut by_repository: BTreeMap<&Option<PathBuf>, Vec<String>> = BTreeMap::new();
    for (repository, line) in runs.chain(worktrees).chain(branches) {
        by_repository.entry(repository).or_default().push(line);
    }
    let mut lines = Vec::new();
    for (repository, of_repository) in by_repository {
        match repository.as_ref().filter(|_| wanted.repository.is_none()) {
            Some(repository) => {
                lines.push(format!("{} {}", ui::dim("in"), ui::path(repository)));
                lines.extend(of_repository.iter().map(|line| format!("  {line}")));
            }
            None => lines.extend(of_repository),
        }
    }
    let (would, freed) = if cleaned.dry_run { ("would be ", "would free") } else { ("", "freed") };
    if cleaned.events > 0 {
        let events = ui::counted(cleaned.events, "debug event");
        lines.push(format!("{events} of old logs {would}removed"));
    }
    if cleaned.attachments > 0 {
        let (files, size) =
            (ui::counted(cleaned.attachments, "attached file"), size::shown(cleaned.attachment_bytes));
        lines.push(format!("{files} that no run refers to {would}removed ({size})"));
    }
    let removed = cleaned.worktrees.iter().filter(|worktree| worktree.removed).count();
    if removed > 0 {
        let worktrees = ui::counted(removed, "worktree");
        lines.push(format!("{worktrees} {freed} {}", size::shown(cleaned.bytes)));
    } else if cleaned.events == 0
        && cleaned.attachments == 0
        && cleaned.merged_branches.is_empty()
        && cleaned.runs.is_empty()
    {
        lines.push("nothing to remove".to_owned());
    }
    lines
}

fn line(worktree: &CleanedWorktree, cleaned: &Cleaned) -> String {
    let path = ui::path(Path::new(&worktree.path));
    let whose = format!("the worktree of {}", worktree.short_id);
    if let Some(why) = &worktree.kept_because {
        // Git names the worktree, too.
        let why = match why.strip_prefix(&format!("`{}` ", worktree.path)) {
            Some(rest) => format!("it {rest}"),
            None => why.clone(),
        };
        let kept = ui::painted(ui::WAITS, "kept");
        return format!("{kept} {whose}, {path}: {}", ui::one_line(&why));
    }
    // A merged branch has a line of its own.
    let mut merged = cleaned.merged_branches.iter();
    let has_line = merged.any(|merged| merged.workflow_id == worktree.workflow_id);
    let branch = match (worktree.branch.as_ref().filter(|_| !has_line), worktree.branch_removed) {
        (Some(branch), true) => format!(" and its branch {branch}, which has no commits"),
        (Some(branch), false) => format!("; its branch {branch} is kept"),
        (None, _) => String::new(),
    };
    let word = if cleaned.dry_run { "would remove" } else { "removed" };
    let size = ui::dim(format!("({})", size::shown(worktree.bytes)));
    format!("{word} {whose} {size}{}{}", ui::one_line(&branch), with_ignored(&worktree.ignored))
}

/// What goes with a worktree although it is nowhere else; nothing when there is nothing of that kind.
pub(super) fn with_ignored(ignored: &[String]) -> String {
    if ignored.is_empty() {
        return String::new();
    }
    let named = ignored.iter().take(NAMED).map(|path| ui::one_line(path)).collect::<Vec<_>>().join(", ");
    let more = ignored.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("; with files that git ignores: {named}{more}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worktree(name: &str, kept_because: Option<&str>, branch_removed: bool) -> CleanedWorktree {
        CleanedWorktree {
            workflow_id: uuid::Uuid::nil(),
            short_id: "r7".to_owned(),
            repository: None,
            path: format!("/w/{name}"),
            branch: Some(format!("amelia/{name}")),
            bytes: 2_000_000,
            removed: kept_because.is_none(),
            branch_removed,
            ignored: if name == "b" { vec!["out.log".to_owned(), "target/".to_owned()] } else { Vec::new() },
            kept_because: kept_because.map(str::to_owned),
        }
    }

    fn plain(cleaned: &Cleaned) -> Vec<String> {
        let strip = |line: &String| anstream::adapter::strip_str(line).to_string();
        let wanted = Cleanup { merged_branches: true, ..Cleanup::default() };
        lines(cleaned, &wanted).iter().map(strip).collect()
    }

    #[test]
    fn what_goes_is_said_by_repository_unless_only_one_is_meant() {
        let of = |repository: &str| CleanedWorktree {
            repository: Some(repository.into()),
            ..worktree("a", None, false)
        };
        let cleaned = Cleaned { worktrees: vec![of("/b"), of("/a"), of("/b")], ..Cleaned::default() };
        let one = "removed the worktree of r7 (2 MB); its branch amelia/a is kept";
        let below = format!("  {one}");
        assert_eq!(plain(&cleaned)[..5], ["in /a", &below, "in /b", &below, &below]);
        let wanted = Cleanup { repository: Some("/a".into()), ..Cleanup::default() };
        let cleaned = Cleaned { worktrees: vec![of("/a")], ..Cleaned::default() };
        assert_eq!(anstream::adapter::strip_str(&lines(&cleaned, &wanted)[0]).to_string(), one);
    }

    #[test]
    fn old_runs_are_listed_with_how_long_they_were_kept() {
        let old = |kept_because: Option<&str>| CleanedRun {
            workflow_id: uuid::Uuid::nil(),
            short_id: "r7".to_owned(),
            repository: None,
            title: "Fix\nit".to_owned(),
            label: Some("debug".to_owned()),
            days: 3,
            removed: kept_because.is_none(),
            kept_because: kept_because.map(str::to_owned),
        };
        let cleaned = Cleaned { runs: vec![old(None), old(Some("it has changes"))], ..Cleaned::default() };
        let run = "run r7 Fix ⏎ it (kept for 3 days, label debug)";
        assert_eq!(plain(&cleaned), [format!("removed {run}"), format!("kept {run}: it has changes")]);
        let dry = Cleaned { dry_run: true, runs: vec![old(None)], ..Cleaned::default() };
        assert_eq!(plain(&dry), [format!("would remove {run}")]);
    }

    #[test]
    fn what_goes_and_what_stays_is_said_line_by_line() {
        let worktrees = vec![
            worktree("a", None, false),
            worktree("b", None, true),
            worktree("c", Some("`/w/c` has changes that are not committed: `x`"), false),
        ];
        let cleaned = Cleaned { dry_run: true, events: 7, bytes: 4_000_000, worktrees, ..Cleaned::default() };
        let expected = [
            "would remove the worktree of r7 (2 MB); its branch amelia/a is kept",
            "would remove the worktree of r7 (2 MB) and its branch amelia/b, which has no commits; with files that git ignores: out.log, target/",
            "kept the worktree of r7, /w/c: it has changes that are not committed: `x`",
            "7 debug events of old logs would be removed",
            "2 worktrees would free 4 MB",
        ];
        assert_eq!(plain(&cleaned), expected);
        let worktrees = vec![worktree("a", None, false)];
        let one = Cleaned { events: 1, bytes: 8_000, worktrees, ..Cleaned::default() };
        let expected = ["1 debug event of old logs removed", "1 worktree freed 8 kB"];
        assert_eq!(plain(&one)[1..], expected);
        let branch = CleanedBranch {
            workflow_id: uuid::Uuid::nil(),
            repository: None,
            branch: "amelia/a".to_owned(),
            into: "main".to_owned(),
            deleted: true,
        };
        let worktrees = vec![worktree("a", None, false)];
        let both = Cleaned { worktrees, merged_branches: vec![branch], ..Cleaned::default() };
        let expected =
            ["removed the worktree of r7 (2 MB)", "deleted the branch amelia/a, which was merged into main"];
        assert_eq!(plain(&both)[..2], expected);
        let files = Cleaned { attachments: 2, attachment_bytes: 3_000_000, ..Cleaned::default() };
        assert_eq!(plain(&files), ["2 attached files that no run refers to removed (3 MB)"]);
        let nothing = Cleaned::default();
        assert_eq!(plain(&nothing), ["nothing to remove"]);
        assert_eq!(branches_hint(1, "amelia"), "amelia cleanup --merged-branches deletes 1 merged branch");
        assert_eq!(branches_hint(2, "amelia"), "amelia cleanup --merged-branches deletes 2 merged branches");
    }
}
