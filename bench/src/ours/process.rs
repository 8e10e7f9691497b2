//! Cases that need a process of their own: starting it, and what it weighs.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::{BenchDurability, CaseArgs};

/// Runs this case once more as a child on `dir`, and returns the figures it prints.
pub(super) fn child(args: &CaseArgs, dir: &Path) -> Result<Value> {
    let durability = match args.durability {
        BenchDurability::D0 => "d0",
        BenchDurability::D1 => "d1",
        BenchDurability::D2 => "d2",
    };
    let own = std::env::current_exe().context("while looking for this program")?;
    let output = Command::new(own)
        .args(["ours", &args.case, "--child", "--durability", durability, "--dir"])
        .arg(dir)
        .output()
        .context("while starting the child")?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr).trim());
    serde_json::from_slice(&output.stdout).context("while reading what the child printed")
}

/// KiB of memory that this process holds now.
pub(super) fn resident_kib() -> Result<u64> {
    status_field("self", "VmRSS:")
}

/// KiB of memory that this process has held at most.
pub(super) fn peak_resident_kib() -> Result<u64> {
    peak_resident_kib_of("self")
}

/// KiB of memory that another process holds now.
pub(super) fn resident_kib_of(process: &str) -> Result<u64> {
    status_field(process, "VmRSS:")
}

/// The same of another process.
pub(super) fn peak_resident_kib_of(process: &str) -> Result<u64> {
    status_field(process, "VmHWM:")
}

fn status_field(process: &str, name: &str) -> Result<u64> {
    let file = format!("/proc/{process}/status");
    let status = std::fs::read_to_string(&file).with_context(|| format!("while reading {file}"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|rest| rest.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).with_context(|| format!("no {name} in {file}"))
}
