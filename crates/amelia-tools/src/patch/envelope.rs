//! The `*** Begin Patch` format: files by name, hunks by context instead of line numbers.

use super::{FilePatch, Hunk, hunk_line};

pub(super) const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const END_OF_FILE: &str = "*** End of File";

pub(super) fn parse(text: &str) -> Result<Vec<FilePatch>, String> {
    let mut changes: Vec<FilePatch> = Vec::new();
    let inside = (1..).zip(text.lines()).skip_while(|(_, line)| line.trim_end() != BEGIN).skip(1);
    for (number, line) in inside {
        if line.trim_end() == END {
            return Ok(changes);
        }
        let bad = |expected: &str| format!("line {number} of the patch is `{line}`: expected {expected}");
        if let Some(change) = heading(line) {
            changes.push(change);
            continue;
        }
        match changes.last_mut() {
            None if line.trim().is_empty() => {}
            None => return Err(bad("`*** Add File:`, `*** Update File:` or `*** Delete File:` with a path")),
            Some(FilePatch::Delete { .. }) if line.trim().is_empty() => {}
            Some(FilePatch::Delete { .. }) => return Err(bad("nothing after `*** Delete File:`")),
            Some(FilePatch::Add { content, .. }) => match line.strip_prefix('+') {
                Some(added) => *content += &format!("{added}\n"),
                None if line.trim().is_empty() => {}
                None => return Err(bad("a line that begins with `+`")),
            },
            Some(FilePatch::Update { to, hunks, .. }) => update(line, to, hunks)
                .ok_or_else(|| bad("`@@`, or a line that begins with a blank, `-` or `+`"))?,
        }
    }
    Err(format!("the patch does not end with `{END}`: it was cut off"))
}

fn heading(line: &str) -> Option<FilePatch> {
    let named = |prefix: &str| line.strip_prefix(prefix).map(|path| path.trim().to_owned());
    if let Some(path) = named("*** Add File:") {
        return Some(FilePatch::Add { path, content: String::new() });
    }
    if let Some(path) = named("*** Delete File:") {
        return Some(FilePatch::Delete { path });
    }
    named("*** Update File:").map(|path| FilePatch::Update { path, to: None, hunks: Vec::new() })
}

/// Nothing when the line has no place in an update.
fn update(line: &str, to: &mut Option<String>, hunks: &mut Vec<Hunk>) -> Option<()> {
    if let Some(path) = line.strip_prefix("*** Move to:") {
        *to = Some(path.trim().to_owned());
    } else if line.trim_end() == END_OF_FILE {
        hunks.last_mut()?.is_at_end = true;
    } else if let Some(after) = line.strip_prefix("@@") {
        let after = Some(after.trim_end_matches("@@").trim().to_owned()).filter(|text| !text.is_empty());
        hunks.push(Hunk { header: line.to_owned(), after, ..Hunk::default() });
    } else {
        let line = hunk_line(line)?;
        if hunks.is_empty() {
            hunks.push(Hunk::default());
        }
        hunks.last_mut()?.lines.push(line);
    }
    Some(())
}
