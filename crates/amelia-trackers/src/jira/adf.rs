//! Rich text of Jira Cloud (the Atlassian Document Format, a tree of nodes) as Markdown. Pure, and never fails.
//!
//! Every text is kept, also of nodes that are not known yet. Text is not escaped: it is read by people and
//! models, and what was written must be found in it.

mod inline;
mod table;

use amelia_core::text::squeezed;
use serde_json::Value;

use inline::is_inline;

/// Nodes inside nodes; below, only the text is kept. What a server sends cannot be that deep.
const DEEPEST: usize = 60;
/// Bytes of text that are written. Indentation makes more of it, so this is cut before and not after.
const LONGEST: usize = 1024 * 1024;

/// The document as Markdown.
#[must_use]
pub(crate) fn to_markdown(document: &Value) -> String {
    let mut writer = Writer { left: LONGEST, was_cut: false };
    let mut text = writer.block(document, 0);
    if writer.was_cut {
        text.push_str("\n\n… the rest is left out …");
    }
    text.trim_matches('\n').to_owned()
}

struct Writer {
    left: usize,
    was_cut: bool,
}

impl Writer {
    fn block(&mut self, node: &Value, depth: usize) -> String {
        if depth > DEEPEST {
            return self.only_text(node);
        }
        match kind(node) {
            "heading" => self.heading(node, depth),
            "bulletList" | "orderedList" | "taskList" | "decisionList" => self.list(node, depth),
            "codeBlock" => self.code(node),
            "blockquote" => quoted(&self.children(node, depth)),
            "panel" => {
                let label = capitalised(attr(node, "panelType").unwrap_or("note"));
                quoted(&format!("**{label}:**\n\n{}", self.children(node, depth)))
            }
            "rule" => join("---".to_owned(), &self.children(node, depth)),
            "table" => self.table(node, depth),
            "expand" | "nestedExpand" => {
                let title = attr(node, "title").filter(|title| !title.trim().is_empty());
                let title = title.map(|title| format!("**{}**\n\n", self.taken(title).trim()));
                format!("{}{}", title.unwrap_or_default(), self.children(node, depth))
            }
            "blockCard" | "embedCard" | "media" => {
                let leaf = self.leaf(node);
                join(leaf, &self.series(content(node), depth))
            }
            "caption" => {
                let text = self.children(node, depth);
                if text.is_empty() { text } else { format!("*{text}*") }
            }
            name if is_inline(name) => self.inline(std::slice::from_ref(node), depth),
            // `doc`, `paragraph`, layouts, and all that will be invented.
            _ => self.unknown(node, depth),
        }
    }

    /// What is in a node, with a text that it should not have itself.
    fn children(&mut self, node: &Value, depth: usize) -> String {
        let own = node.get("text").and_then(Value::as_str).map(|text| self.taken(text)).unwrap_or_default();
        join(own, &self.series(content(node), depth))
    }

    /// One block after the other; text between them is a paragraph.
    fn series(&mut self, nodes: &[Value], depth: usize) -> String {
        let mut parts: Vec<String> = Vec::new();
        let mut rest = nodes;
        while let Some(first) = rest.first() {
            let inline = rest.iter().take_while(|node| is_inline(kind(node))).count();
            let part = match rest.get(..inline) {
                Some(run) if inline > 0 => self.inline(run, depth + 1),
                _ => self.block(first, depth + 1),
            };
            rest = rest.get(inline.max(1)..).unwrap_or_default();
            if !part.trim().is_empty() {
                parts.push(part);
            }
        }
        parts.join("\n\n")
    }

    fn unknown(&mut self, node: &Value, depth: usize) -> String {
        let own = self.own_text(node);
        join(own, &self.series(content(node), depth))
    }

    fn heading(&mut self, node: &Value, depth: usize) -> String {
        let level = node.pointer("/attrs/level").and_then(Value::as_u64).unwrap_or(1).clamp(1, 6);
        let line = squeezed(&self.children(node, depth));
        format!("{} {line}", "#".repeat(usize::try_from(level).unwrap_or(1)))
    }

    fn list(&mut self, node: &Value, depth: usize) -> String {
        let is_ordered = kind(node) == "orderedList";
        let mut number = node.pointer("/attrs/order").and_then(Value::as_u64).unwrap_or(1);
        let mut lines = Vec::new();
        for item in content(node) {
            if is_list(item) {
                // A list of tasks holds its sublists beside its items.
                lines.push(indented(&self.block(item, depth + 1), "  ", "  "));
                continue;
            }
            let bullet = match kind(item) {
                "taskItem" if attr(item, "state") == Some("DONE") => "- [x] ".to_owned(),
                "taskItem" => "- [ ] ".to_owned(),
                "decisionItem" => "- Decision: ".to_owned(),
                _ if is_ordered => format!("{number}. "),
                _ => "- ".to_owned(),
            };
            number = number.saturating_add(1);
            let hang = if is_ordered { " ".repeat(bullet.len()) } else { "  ".to_owned() };
            let text = self.item(item, depth + 1);
            lines.push(indented(&text, &bullet, &hang));
        }
        lines.join("\n")
    }

    /// Like children, with sublists close to their item.
    fn item(&mut self, item: &Value, depth: usize) -> String {
        let nodes = content(item);
        let first_list = nodes.iter().position(is_list).unwrap_or(nodes.len());
        let (text, rest) = nodes.split_at(first_list);
        let own = self.own_text(item);
        let mut out = join(own, &self.series(text, depth));
        let rest = self.series(rest, depth);
        if !rest.is_empty() {
            out.push('\n');
            out.push_str(&rest);
        }
        out
    }

    fn code(&mut self, node: &Value) -> String {
        let text: String = content(node).iter().map(|node| self.only_text(node)).collect();
        let fence = "`".repeat((longest_run(&text) + 1).max(3));
        let language = attr(node, "language").unwrap_or_default();
        let language: String =
            language.chars().filter(|c| !c.is_whitespace() && *c != '`').take(40).collect();
        let end = if text.ends_with('\n') || text.is_empty() { "" } else { "\n" };
        format!("{fence}{language}\n{text}{end}{fence}")
    }

    /// The text of a node and all below, of any kind, without recursion.
    fn only_text(&mut self, node: &Value) -> String {
        let mut out = String::new();
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            let own = self.own_text(node);
            out.push_str(&own);
            if kind(node) == "hardBreak" {
                out.push('\n');
            }
            open.extend(content(node).iter().rev());
        }
        out
    }

    /// What a node says itself, wherever it has it.
    fn own_text(&mut self, node: &Value) -> String {
        if let Some(text) = node.as_str() {
            return self.taken(text);
        }
        let text = node.get("text").and_then(Value::as_str);
        let text = text.or_else(|| ["text", "title", "alt", "url"].iter().find_map(|name| attr(node, name)));
        text.map(|text| self.taken(text)).unwrap_or_default()
    }

    /// As much of `text` as there is room for.
    fn taken(&mut self, text: &str) -> String {
        if text.len() <= self.left {
            self.left -= text.len();
            return text.to_owned();
        }
        self.was_cut = true;
        let end = (0..=self.left).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        self.left = 0;
        text.get(..end).unwrap_or_default().to_owned()
    }
}

fn kind(node: &Value) -> &str {
    node.get("type").and_then(Value::as_str).unwrap_or_default()
}

fn attr<'n>(node: &'n Value, name: &str) -> Option<&'n str> {
    node.get("attrs")?.get(name)?.as_str()
}

fn content(node: &Value) -> &[Value] {
    node.get("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn is_list(node: &Value) -> bool {
    matches!(kind(node), "bulletList" | "orderedList" | "taskList" | "decisionList")
}

fn join(own: String, children: &str) -> String {
    match (own.trim().is_empty(), children.is_empty()) {
        (true, _) => children.to_owned(),
        (false, true) => own,
        (false, false) => format!("{own}\n\n{children}"),
    }
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn quoted(text: &str) -> String {
    indented(text, "> ", "> ")
}

/// `first` before the first line, `other` before the others; nothing after the last letter of a line.
fn indented(text: &str, first: &str, other: &str) -> String {
    let mut out = String::with_capacity(text.len() + first.len());
    for (index, line) in text.split('\n').enumerate() {
        let before = if index == 0 { first } else { other };
        if index > 0 {
            out.push('\n');
        }
        out.push_str(if line.is_empty() { before.trim_end() } else { before });
        out.push_str(line);
    }
    out
}

/// Of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests;
