//! `read_file`: lines of a text file, numbered. What is not text is named, not shown.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::sync::Arc;

use amelia_core::message::Object;
use amelia_core::text::capped;
use amelia_core::tool::{Risk, Tool, ToolCx, ToolOutput, ToolSpec};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::json;

use super::{blocking, parsed};
use crate::confine::Root;

const DEFAULT_LIMIT: usize = 2000;
/// Bytes of one line; minified files have one.
const LONGEST_LINE: u64 = 2000;
/// Bytes shown at once.
const LONGEST_OUTPUT: usize = 29_000;
/// A NUL this near the beginning means that it is not text: git's own rule.
const SNIFFED: usize = 8000;

pub struct ReadFile {
    spec: ToolSpec,
    root: Arc<Root>,
}

#[derive(Deserialize)]
struct Args {
    path: String,
    offset: Option<usize>,
    limit: Option<usize>,
}

impl ReadFile {
    #[must_use]
    pub fn new(root: Arc<Root>) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "file, relative to the worktree"},
                "offset": {"type": "integer", "minimum": 1, "description": "first line, from 1"},
                "limit": {"type": "integer", "minimum": 1, "description": "number of lines, 2000 if not given"},
            },
            "required": ["path"],
            "additionalProperties": false,
        });
        let text =
            "Read a text file. Lines are numbered (`12\\ttext`); the numbers are not part of the file.";
        Self { spec: ToolSpec::builtin("read_file", text, Risk::Read, schema), root }
    }
}

#[async_trait]
impl Tool for ReadFile {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, _: &ToolCx, args: &Object) -> ToolOutput {
        let args: Args = match parsed(args) {
            Ok(args) => args,
            Err(output) => return output,
        };
        let root = Arc::clone(&self.root);
        blocking(move || {
            let file = root.file(&args.path).map_err(|refusal| refusal.to_string())?;
            show(&args, file).map_err(|error| format!("`{}`: {error}", args.path))
        })
        .await
    }
}

fn show(args: &Args, file: File) -> std::io::Result<ToolOutput> {
    let size = file.metadata()?.len();
    let mut reader = BufReader::new(file);
    let start = reader.fill_buf()?;
    if start.iter().take(SNIFFED).any(|byte| *byte == 0) {
        return Ok(ToolOutput::done(format!(
            "`{}` is a binary file of {size} bytes; it is not shown",
            args.path
        )));
    }
    let first = args.offset.unwrap_or(1);
    let limit = args.limit.unwrap_or(DEFAULT_LIMIT);
    let (mut output, mut number, mut shown) = (String::new(), 0, 0);
    while let Some(line) = next_line(&mut reader)? {
        number += 1;
        if number < first {
            continue;
        }
        if shown == limit || output.len() > LONGEST_OUTPUT {
            output.push_str(&format!("… the file continues: read more with offset {number} …\n"));
            return Ok(ToolOutput::done(output));
        }
        output.push_str(&format!("{number}\t{line}\n"));
        shown += 1;
    }
    Ok(ToolOutput::done(match (number, shown) {
        (0, _) => format!("`{}` is empty", args.path),
        (_, 0) => format!("`{}` has only {number} lines", args.path),
        _ => output,
    }))
}

/// One line without its end, cut when it is too long: a line of any length costs bounded memory.
fn next_line(reader: &mut BufReader<File>) -> std::io::Result<Option<String>> {
    let mut line = Vec::new();
    if reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    let mut left_out = 0;
    if !line.ends_with(b"\n") {
        left_out = skip_line(reader)?;
    }
    let text = String::from_utf8_lossy(&line);
    let text = text.strip_suffix('\n').unwrap_or(&text);
    Ok(Some(if left_out > 0 {
        format!("{} … {left_out} bytes more in this line …", capped(text, LONGEST_LINE as usize))
    } else {
        text.to_owned()
    }))
}

fn skip_line(reader: &mut BufReader<File>) -> std::io::Result<usize> {
    let mut skipped = 0;
    loop {
        let buffer = reader.fill_buf()?;
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let used = end.map_or(buffer.len(), |at| at + 1);
        skipped += end.unwrap_or(used);
        reader.consume(used);
        if end.is_some() || used == 0 {
            return Ok(skipped);
        }
    }
}
