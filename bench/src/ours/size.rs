//! How large the program is, as it is handed out.

use anyhow::Result;
use serde_json::{Value, json};

use super::CaseArgs;
use super::server::program;

pub(super) fn run(_: &CaseArgs) -> Result<Value> {
    let bytes = u32::try_from(std::fs::metadata(program()?)?.len())?;
    Ok(json!({ "mb": f64::from(bytes) / 1e6 }))
}
