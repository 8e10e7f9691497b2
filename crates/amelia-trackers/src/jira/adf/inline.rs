//! Text with its marks, and the small things that stand in a line.

use jiff::Timestamp;
use serde_json::Value;

use super::{Writer, attr, content, kind, longest_run};

pub(super) fn is_inline(kind: &str) -> bool {
    matches!(
        kind,
        "text"
            | "hardBreak"
            | "mention"
            | "emoji"
            | "date"
            | "status"
            | "inlineCard"
            | "placeholder"
            | "mediaInline"
            | "inlineExtension"
    )
}

impl Writer {
    /// One run of text. Neighbours with the same marks are one: `**a****b**` is not bold.
    pub(super) fn inline(&mut self, nodes: &[Value], depth: usize) -> String {
        let mut out = String::new();
        let mut at = 0;
        while let Some(node) = nodes.get(at) {
            let same = |other: &&Value| kind(other) == "text" && marks(other) == marks(node);
            let run = nodes.get(at..).unwrap_or_default().iter().take_while(same).count();
            if kind(node) == "text" && run > 0 {
                let run = nodes.get(at..at + run).unwrap_or_default();
                let text: String = run.iter().map(|node| self.own_text(node)).collect();
                out.push_str(&marked(&text, marks(node)));
                // Children of a text are not allowed, and not lost.
                for node in run.iter().filter(|node| node.get("content").is_some()) {
                    out.push_str(&self.series(content(node), depth));
                }
                at += run.len();
                continue;
            }
            out.push_str(&self.leaf(node));
            if node.get("content").is_some() {
                out.push_str(&self.series(content(node), depth));
            }
            at += 1;
        }
        out
    }

    /// A node that is more than its text.
    pub(super) fn leaf(&mut self, node: &Value) -> String {
        let text = match kind(node) {
            "hardBreak" => return "  \n".to_owned(),
            "mention" => {
                attr(node, "text").map(str::to_owned).or_else(|| Some(format!("@{}", attr(node, "id")?)))
            }
            "emoji" => attr(node, "text").or_else(|| attr(node, "shortName")).map(str::to_owned),
            "date" => date(node),
            "status" => attr(node, "text").map(|text| format!("[{text}]")),
            "inlineCard" | "blockCard" | "embedCard" => card(node),
            "media" | "mediaInline" => media(node),
            _ => None,
        };
        match text {
            Some(text) => self.taken(&text),
            None => self.own_text(node),
        }
    }
}

fn marks(node: &Value) -> &[Value] {
    node.get("marks").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn marked(text: &str, marks: &[Value]) -> String {
    let has = |name: &str| marks.iter().any(|mark| kind(mark) == name);
    // Delimiters next to a space are no delimiters.
    let inner = text.trim();
    if inner.is_empty() || marks.is_empty() {
        return text.to_owned();
    }
    let start = text.len() - text.trim_start().len();
    let (before, after) = (text.get(..start), text.get(start + inner.len()..));
    let mut out = if has("code") { code(inner) } else { inner.to_owned() };
    for (name, sign) in [("strike", "~~"), ("em", "*"), ("strong", "**")] {
        if has(name) {
            out = format!("{sign}{out}{sign}");
        }
    }
    if let Some(mark) = marks.iter().find(|mark| kind(mark) == "subsup") {
        let tag = if attr(mark, "type") == Some("sup") { "sup" } else { "sub" };
        out = format!("<{tag}>{out}</{tag}>");
    }
    if let Some(href) = marks.iter().find(|mark| kind(mark) == "link").and_then(|mark| attr(mark, "href")) {
        out = if href == inner { format!("<{href}>") } else { format!("[{out}]({})", target(href)) };
    }
    format!("{}{out}{}", before.unwrap_or_default(), after.unwrap_or_default())
}

fn code(text: &str) -> String {
    let ticks = "`".repeat(longest_run(text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

fn target(href: &str) -> String {
    let is_plain = !href.contains(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '<' | '>'));
    if is_plain { href.to_owned() } else { format!("<{}>", href.replace(['<', '>', '\n', '\r'], "")) }
}

/// Milliseconds, as text or as a number.
fn date(node: &Value) -> Option<String> {
    let held = node.get("attrs")?.get("timestamp")?;
    let millis = held.as_i64().or_else(|| held.as_str()?.parse().ok())?;
    let at = Timestamp::from_millisecond(millis).ok()?;
    Some(at.strftime("%Y-%m-%d").to_string())
}

fn card(node: &Value) -> Option<String> {
    let url = attr(node, "url").or_else(|| node.pointer("/attrs/data/url").and_then(Value::as_str))?;
    let name = node.pointer("/attrs/data/name").and_then(Value::as_str);
    Some(name.map_or_else(|| format!("<{url}>"), |name| format!("[{name}]({})", target(url))))
}

/// Named only: files of an issue are not read.
fn media(node: &Value) -> Option<String> {
    let name = attr(node, "alt").filter(|name| !name.is_empty());
    match attr(node, "url") {
        Some(url) => Some(format!("![{}]({})", name.unwrap_or_default(), target(url))),
        None => Some(format!("[attachment: {}]", name.or_else(|| attr(node, "id")).unwrap_or("no name"))),
    }
}
