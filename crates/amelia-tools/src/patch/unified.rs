//! Unified diffs, with or without git's extra headers.

use std::iter::Peekable;

use super::{FilePatch, Hunk, PatchLine, hunk_line};

const NOWHERE: &str = "/dev/null";

pub(super) fn parse(text: &str) -> Result<Vec<FilePatch>, String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut reader = Reader { lines: lines.iter().copied().enumerate().peekable(), all: &lines };
    let mut changes = Vec::new();
    let mut header = Header::default();
    while let Some((at, line)) = reader.lines.next() {
        if line.starts_with("diff --git ") {
            changes.extend(std::mem::take(&mut header).without_hunks());
        } else if line.starts_with("GIT binary patch") || line.starts_with("Binary files ") {
            return Err(format!(
                "line {} of the patch: binary files cannot be patched: change them with a command",
                at + 1
            ));
        } else if reader.is_file_header(at) {
            let new = reader.lines.next().map_or("", |(_, line)| line);
            let (old, new) = (file_name(line, "--- "), file_name(new, "+++ "));
            let hunks = reader.hunks()?;
            changes.push(std::mem::take(&mut header).with_hunks(old, new, hunks)?);
        } else if line.starts_with("@@") {
            return Err(format!(
                "line {} of the patch: a hunk without `--- a/path` and `+++ b/path` before it",
                at + 1
            ));
        } else {
            header.read(line);
        }
    }
    changes.extend(header.without_hunks());
    Ok(changes)
}

struct Reader<'a, I: Iterator<Item = (usize, &'a str)>> {
    lines: Peekable<I>,
    all: &'a [&'a str],
}

impl<'a, I: Iterator<Item = (usize, &'a str)>> Reader<'a, I> {
    fn line(&self, at: usize) -> &'a str {
        self.all.get(at).copied().unwrap_or_default()
    }

    fn is_file_header(&self, at: usize) -> bool {
        self.line(at).starts_with("--- ") && self.line(at + 1).starts_with("+++ ")
    }

    fn hunks(&mut self) -> Result<Vec<Hunk>, String> {
        let mut hunks = Vec::new();
        while let Some((at, line)) = self.lines.next_if(|(_, line)| line.starts_with("@@")) {
            let Ranges { line: number, old, new } = ranges(line);
            let mut hunk = Hunk { header: line.to_owned(), line: number, ..Hunk::default() };
            self.body(&mut hunk, (old, new))?;
            if hunk.lines.is_empty() {
                return Err(format!("line {} of the patch: the hunk `{line}` is empty", at + 1));
            }
            hunks.push(hunk);
        }
        Ok(hunks)
    }

    /// Reads lines until the next header. What the counts of the header cover is never taken for one.
    fn body(&mut self, hunk: &mut Hunk, (old, new): (usize, usize)) -> Result<(), String> {
        let (mut olds, mut news) = (0, 0);
        while let Some((at, line)) = self.lines.peek().copied() {
            let is_covered = olds < old || news < new;
            let next_file = line.starts_with("diff --git ") || self.is_file_header(at);
            if line.starts_with("@@") || (next_file && (!is_covered || self.line(at + 2).starts_with("@@"))) {
                break;
            }
            self.lines.next();
            if line.starts_with('\\') {
                hunk.ends_open |= !matches!(hunk.lines.last(), Some(PatchLine::Remove(_)) | None);
                continue;
            }
            // After the last counted line an empty one is the end of the message, not of the file.
            if line.is_empty() && !is_covered {
                continue;
            }
            let line = hunk_line(line).ok_or_else(|| {
                format!(
                    "line {} of the patch is `{line}`: expected it to begin with a blank, `-` or `+`",
                    at + 1
                )
            })?;
            olds += usize::from(!matches!(line, PatchLine::Insert(_)));
            news += usize::from(!matches!(line, PatchLine::Remove(_)));
            hunk.lines.push(line);
        }
        Ok(())
    }
}

struct Ranges {
    line: Option<usize>,
    old: usize,
    new: usize,
}

/// `@@ -12,3 +12,4 @@`; a model may leave the numbers out.
fn ranges(header: &str) -> Ranges {
    let mut words = header.split_whitespace().skip(1);
    let mut range = |sign: char| {
        let word = words.next()?.strip_prefix(sign)?;
        let (line, count) = word.split_once(',').unwrap_or((word, "1"));
        Some((line.parse::<usize>().ok()?, count.parse::<usize>().ok()?))
    };
    let (old, new) = (range('-'), range('+'));
    let line = old.map(|(line, count)| if count == 0 { line.saturating_add(1) } else { line });
    Ranges { line, old: old.map_or(0, |(_, count)| count), new: new.map_or(0, |(_, count)| count) }
}

/// Git's lines before the hunks.
#[derive(Default)]
struct Header {
    rename: (Option<String>, Option<String>),
    is_new: bool,
    is_deleted: bool,
}

impl Header {
    fn read(&mut self, line: &str) {
        if let Some(path) = line.strip_prefix("rename from ") {
            self.rename.0 = Some(unquoted(path));
        } else if let Some(path) = line.strip_prefix("rename to ") {
            self.rename.1 = Some(unquoted(path));
        }
        self.is_new |= line.starts_with("new file mode");
        self.is_deleted |= line.starts_with("deleted file mode");
    }

    fn with_hunks(self, old: String, new: String, hunks: Vec<Hunk>) -> Result<FilePatch, String> {
        let (old, new) = without_prefixes(old, new);
        if old == NOWHERE || (self.is_new && new != NOWHERE) {
            return Ok(FilePatch::Add { path: new, content: content_of(&hunks)? });
        }
        if new == NOWHERE || self.is_deleted {
            return Ok(FilePatch::Delete { path: old });
        }
        let to = (old != new).then_some(new);
        Ok(FilePatch::Update { path: old, to, hunks })
    }

    /// A rename without changes is the only change that needs no hunk.
    fn without_hunks(self) -> Option<FilePatch> {
        let (from, to) = self.rename;
        Some(FilePatch::Update { path: from?, to: Some(to?), hunks: Vec::new() })
    }
}

fn content_of(hunks: &[Hunk]) -> Result<String, String> {
    let mut content = String::new();
    for line in hunks.iter().flat_map(|hunk| &hunk.lines) {
        match line {
            PatchLine::Insert(text) => content += &format!("{text}\n"),
            PatchLine::Keep(text) if text.is_empty() => content.push('\n'),
            PatchLine::Keep(text) | PatchLine::Remove(text) => {
                return Err(format!("a new file can only have lines with `+`, not `{text}`"));
            }
        }
    }
    if hunks.last().is_some_and(|hunk| hunk.ends_open) {
        content.pop();
    }
    Ok(content)
}

fn file_name(line: &str, prefix: &str) -> String {
    // A time may follow after a tab.
    let name = line.strip_prefix(prefix).unwrap_or(line);
    unquoted(name.split('\t').next().unwrap_or(name).trim_end())
}

/// `a/` and `b/` are git's, unless only one of them is there: then they are directories.
fn without_prefixes(old: String, new: String) -> (String, String) {
    let bare = |path: &str, prefix: &str| {
        if path == NOWHERE { Some(path.to_owned()) } else { path.strip_prefix(prefix).map(str::to_owned) }
    };
    match (bare(&old, "a/"), bare(&new, "b/")) {
        (Some(old), Some(new)) => (old, new),
        _ => (old, new),
    }
}

/// Git puts names with unusual characters in quotes, with C's escapes.
fn unquoted(name: &str) -> String {
    let Some(inner) = name.strip_prefix('"').and_then(|name| name.strip_suffix('"')) else {
        return name.to_owned();
    };
    let (mut bytes, mut rest) = (Vec::new(), inner.bytes().peekable());
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(digit @ b'0'..=b'7') => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    value = rest
                        .next_if(|d| (b'0'..=b'7').contains(d))
                        .map_or(value, |d| value * 8 + u32::from(d - b'0'));
                }
                bytes.push(u8::try_from(value & 0xff).unwrap_or_default());
            }
            other => bytes.extend(other),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
