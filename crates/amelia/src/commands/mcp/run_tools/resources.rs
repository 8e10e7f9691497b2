//! Runs as resources: what is at `amelia://runs/r12`, and below it.

use amelia_mcp::ResourceText;
use amelia_wire::rest::travel::Diff;
use anyhow::Result;
use serde_json::{Value, json};

use super::{RunTools, shown};
use crate::client::Client;

/// What all addresses begin with.
const RUNS: &str = "amelia://runs/";
/// Runs that are listed.
const LISTED: usize = 100;

/// How addresses are made.
pub(super) fn templates() -> Vec<Value> {
    let template = |below: &str, name: &str, description: &str, mime_type: &str| {
        json!({"uriTemplate": format!("{RUNS}{{run}}{below}"), "name": name, "description": description,
            "mimeType": mime_type})
    };
    vec![
        template("", "run", "A run: its state, cost, branch and questions", "application/json"),
        template("/plan", "plan", "The plan of a run", "text/markdown"),
        template("/diff", "diff", "What a run has changed", "text/x-diff"),
    ]
}

impl RunTools {
    pub(super) async fn listed_resources(&self) -> Result<Vec<Value>> {
        let client = self.client().await?;
        let runs = client.flat_runs(&format!("limit={LISTED}")).await?;
        let resource = |run: &amelia_wire::rest::flat_run::FlatRun| {
            json!({"uri": format!("{RUNS}{}", run.short_id), "name": run.short_id, "title": run.title,
                "description": shown::headline(run), "mimeType": "application/json"})
        };
        Ok(runs.iter().map(resource).collect())
    }

    /// `None` for an address that is none of ours.
    pub(super) async fn read_resource(&self, uri: &str) -> Result<Option<ResourceText>> {
        let Some(path) = uri.strip_prefix(RUNS) else { return Ok(None) };
        let (run, below) = path.split_once('/').unwrap_or((path, ""));
        if run.is_empty() || !["", "plan", "diff"].contains(&below) {
            return Ok(None);
        }
        let client = self.client().await?;
        read(&client, run, below).await.map(Some)
    }
}

async fn read(client: &Client, run: &str, below: &str) -> Result<ResourceText> {
    let row = client.find(run).await?;
    let id = row.run.id;
    Ok(match below {
        "plan" => {
            let text = client.plan(id).await?;
            ResourceText { mime_type: "text/markdown", text }
        }
        "diff" => {
            let Diff { diff, .. } = client.get(&format!("/workflows/{id}/diff?stat=false")).await?;
            ResourceText { mime_type: "text/x-diff", text: diff }
        }
        _ => {
            let shown = shown::run(client, &row, None).await?;
            let text = serde_json::to_string_pretty(&shown.structured.unwrap_or_default())?;
            ResourceText { mime_type: "application/json", text }
        }
    })
}
