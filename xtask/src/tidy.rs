//! `cargo xtask tidy`: what a machine can check of ARCHITECTURE.md and of the style guide.
//!
//! Each rule is a pure function from a file's text to findings, in a file of its own under `tidy/`;
//! this file only collects the files, prints, and runs fmt and clippy. Rules never read the disk.

mod circles;
mod dialect;
mod finding;
mod form;
mod hints;
mod layers;
mod names;
mod places;
mod size;
mod source;
mod sql;
mod wording;

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use finding::{Finding, FindingLevel};
use source::SourceFile;

/// Everything: the invariants, `cargo fmt --check` and clippy. True when there is nothing to fix.
pub(crate) fn run(root: &Path) -> Result<bool> {
    let invariants = run_fast(root)?;
    let formatted = cargo(root, &["fmt", "--all", "--check"])?;
    let linted = cargo(root, &["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"])?;
    Ok(invariants && formatted && linted)
}

/// The invariants alone: no compiler, well under a second.
pub(crate) fn run_fast(root: &Path) -> Result<bool> {
    let files = tracked_text(root)?;
    let mut findings = check(&files)?;
    findings.sort();
    for finding in &findings {
        println!("{finding}");
    }
    let errors = findings.iter().filter(|finding| finding.level == FindingLevel::Error).count();
    let notes = findings.len() - errors;
    println!("tidy: {} files, {errors} errors, {notes} notes", files.len());
    Ok(errors == 0)
}

/// A tracked file, its path relative to the root with forward slashes.
struct TextFile {
    path: String,
    text: String,
}

fn check(files: &[TextFile]) -> Result<Vec<Finding>> {
    let mut findings = layers::check(files)?;
    findings.extend(files.iter().flat_map(|file| places::check(&file.path, &file.text)));
    let rust = files.iter().filter(|file| file.path.ends_with(".rs"));
    let sources: Vec<SourceFile> = rust.map(|file| SourceFile::parse(&file.path, &file.text)).collect();
    for source in &sources {
        findings.extend(form::check(source));
        findings.extend(hints::check(source));
        findings.extend(size::check(source));
        findings.extend(sql::check(source));
        findings.extend(dialect::check(source));
        findings.extend(wording::check(source));
    }
    findings.extend(circles::check(&sources));
    findings.extend(names::check(&sources));
    Ok(findings)
}

/// Files that git tracks or would track: a new file is checked before its first commit. Binary files are left out.
fn tracked_text(root: &Path) -> Result<Vec<TextFile>> {
    let listing = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"])
        .current_dir(root)
        .output()
        .context("while running git ls-files")?;
    if !listing.status.success() {
        bail!("git ls-files: {}", String::from_utf8_lossy(&listing.stderr).trim());
    }
    let listing = String::from_utf8(listing.stdout).context("a tracked path is not UTF-8")?;
    let mut files = Vec::new();
    for path in listing.split('\0').filter(|path| !path.is_empty()) {
        // Absent: deleted, but not yet from the index.
        let Ok(bytes) = std::fs::read(root.join(path)) else { continue };
        if let Ok(text) = String::from_utf8(bytes) {
            files.push(TextFile { path: path.to_owned(), text });
        }
    }
    Ok(files)
}

fn cargo(root: &Path, args: &[&str]) -> Result<bool> {
    eprintln!("tidy: cargo {}", args.join(" "));
    let status = Command::new("cargo")
        .args(args)
        .current_dir(root)
        .status()
        .with_context(|| format!("while running cargo {}", args.join(" ")))?;
    Ok(status.success())
}
