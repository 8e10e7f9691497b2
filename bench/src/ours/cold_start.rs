//! A fresh process: open a new store, make a run, do its first step. Measured from outside, to the child's end;
//! ours closes its store properly, the peer's child just exits.

use std::time::Instant;

use amelia_graph::graph::{END, Graph};
use amelia_graph::node::pure;
use amelia_graph::state::State;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{CaseArgs, own, process};

/// As often as the peer, and like there one more that does not count: the program is in the page cache then.
const STARTS: usize = 3;

#[derive(Clone, Serialize, Deserialize)]
struct Talk {
    step: usize,
    messages: Vec<String>,
}

impl State for Talk {
    type Update = String;

    fn apply(&mut self, message: String) {
        self.step += 1;
        self.messages.push(message);
    }
}

pub(super) fn run(args: &CaseArgs) -> Result<Value> {
    if args.child {
        return first_step(args);
    }
    let (mut wall_ms, mut rss_kb) = (f64::INFINITY, u64::MAX);
    for start in 0..=STARTS {
        let dir = args.dir.join(format!("start-{start}"));
        std::fs::create_dir_all(&dir)?;
        let at = Instant::now();
        let printed = process::child(args, &dir)?;
        let took = 1e3 * at.elapsed().as_secs_f64();
        if start > 0 {
            wall_ms = wall_ms.min(took);
            rss_kb = rss_kb.min(printed.get("rss_kb").and_then(Value::as_u64).context("no rss_kb")?);
        }
    }
    Ok(json!({ "wall_ms": wall_ms, "rss_kb": rss_kb }))
}

fn first_step(args: &CaseArgs) -> Result<Value> {
    let runs = own::open(args)?;
    own::block_on(async move {
        let graph = Graph::builder("start")
            .entry("architect")
            .node("architect", pure(|_: &Talk| vec!["a".to_owned()]))
            .edge(END)
            .build()?;
        own::complete(&runs, &graph, Talk { step: 0, messages: Vec::new() }).await?;
        let rss_kb = process::resident_kib()?;
        runs.store().close().await?;
        Ok(json!({ "rss_kb": rss_kb }))
    })
}
