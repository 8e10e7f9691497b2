//! A hundred calls of a tool that only reads, each of which fails at first: a third is never answered, a third loses its
//! connection, a third meets a rate limit. How many come back with an answer, through `amelia mcp call`.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::replayed::timed;
use super::{CaseArgs, repository};

/// Calls at the same time: most of their time they wait.
const AT_ONCE: usize = 16;

pub(super) fn run(args: &CaseArgs) -> Result<Value> {
    repository::make(&args.dir.join("checkout"), 1)?;
    describe(args)?;
    let (next, recovered) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(number) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).filter(|next| *next < args.n)
                {
                    let given = json!({ "message": number.to_string() }).to_string();
                    let called = timed(args, &["mcp", "call", "echo:echo", &given]);
                    recovered.fetch_add(usize::from(called.is_ok()), Ordering::Relaxed);
                }
            });
        }
    });
    let recovered = recovered.into_inner();
    Ok(json!({ "calls": args.n, "recovered": recovered, "lost": args.n - recovered }))
}

fn describe(args: &CaseArgs) -> Result<()> {
    let (config, failed) = (args.dir.join("home/config"), args.dir.join("failed"));
    std::fs::create_dir_all(&config)?;
    std::fs::create_dir_all(&failed)?;
    let own = std::env::current_exe().context("while looking for this program")?;
    let servers = json!({
        "servers": {"echo": {"transport": "stdio", "scope": "run", "trusted": true,
            "config": {"command": own, "args": ["mcp-echo", "--failing", failed]}}},
        "tool_overrides": {"echo:echo": {"risk": "read", "timeout_seconds": 2,
            "retry_on_errors": ["timeout", "rate_limit", "connection"]}},
    });
    Ok(std::fs::write(config.join("mcp_servers.yaml"), servers.to_string())?)
}

/// How a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    Silence,
    Death,
    RateLimit,
}

/// The fault of a call, the first time that it is made. `failed` remembers the calls: the server may have died since.
pub(super) fn fault_of(message: &str, failed: &Path) -> Option<Fault> {
    let number: usize = message.parse().ok()?;
    std::fs::File::create_new(failed.join(message)).ok()?;
    Some(match number % 3 {
        0 => Fault::Silence,
        1 => Fault::Death,
        _ => Fault::RateLimit,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_fails_once() {
        let failed = tempfile::tempdir().unwrap();
        let faults = |message: &str| fault_of(message, failed.path());
        assert_eq!(
            ["3", "4", "5"].map(faults),
            [Some(Fault::Silence), Some(Fault::Death), Some(Fault::RateLimit)]
        );
        assert_eq!(["3", "4", "5", "hello"].map(faults), [None; 4]);
    }
}
