//! Our own Markdown as a comment of Jira: a tree for the Cloud, wiki text for servers. Pure.
//!
//! Knows what summaries are made of: headings, flat lists, code, bold, links. Anything else is written as it is.
//! Text of a model must stay text: in wiki text, macros, mentions and pictures are taken the effect.

use serde_json::{Value, json};

/// As a document tree, with the marker in its last paragraph.
pub(super) fn tree(markdown: &str, marker: &str) -> Value {
    let mut content: Vec<Value> = blocks(markdown).iter().map(tree_block).collect();
    let code = json!({ "type": "text", "text": marker, "marks": [{ "type": "code" }] });
    content.push(json!({ "type": "paragraph", "content": [code] }));
    json!({ "version": 1, "type": "doc", "content": content })
}

/// As wiki text, with the marker in its last line.
pub(super) fn wiki(markdown: &str, marker: &str) -> String {
    let mut parts: Vec<String> = blocks(markdown).iter().map(wiki_block).collect();
    parts.push(format!("{{{{{marker}}}}}"));
    parts.join("\n\n")
}

#[derive(Debug, PartialEq, Eq)]
enum Block<'m> {
    Heading(usize, &'m str),
    Paragraph(Vec<&'m str>),
    Bullets(Vec<&'m str>),
    Numbers(Vec<&'m str>),
    Code(&'m str, Vec<&'m str>),
    Rule,
}

#[derive(Debug, PartialEq, Eq)]
enum Span<'m> {
    Text(&'m str),
    Code(&'m str),
    Strong(&'m str),
    Link(&'m str, &'m str),
}

fn blocks(markdown: &str) -> Vec<Block<'_>> {
    let mut all = Vec::new();
    let mut lines = markdown.lines();
    // Where a blank line was, a paragraph does not continue.
    let mut apart = true;
    while let Some(line) = lines.next() {
        let trimmed = line.trim();
        if let Some(language) = trimmed.strip_prefix("```") {
            let body = lines.by_ref().take_while(|line| line.trim() != "```").collect();
            all.push(Block::Code(language.trim(), body));
        } else if trimmed.is_empty() {
            apart = true;
            continue;
        } else if let Some((level, text)) = heading(trimmed) {
            all.push(Block::Heading(level, text));
        } else if trimmed == "---" {
            all.push(Block::Rule);
        } else if let Some(item) = trimmed.strip_prefix("- ").or_else(|| trimmed.strip_prefix("* ")) {
            match all.last_mut() {
                Some(Block::Bullets(items)) => items.push(item),
                _ => all.push(Block::Bullets(vec![item])),
            }
        } else if let Some(item) = numbered(trimmed) {
            match all.last_mut() {
                Some(Block::Numbers(items)) => items.push(item),
                _ => all.push(Block::Numbers(vec![item])),
            }
        } else {
            match all.last_mut() {
                Some(Block::Paragraph(lines)) if !apart => lines.push(trimmed),
                _ => all.push(Block::Paragraph(vec![trimmed])),
            }
        }
        apart = false;
    }
    all
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let (signs, text) = line.split_once(' ')?;
    let is_heading = (1..=6).contains(&signs.len()) && signs.bytes().all(|byte| byte == b'#');
    is_heading.then(|| (signs.len(), text.trim()))
}

fn numbered(line: &str) -> Option<&str> {
    let (number, text) = line.split_once(". ")?;
    let is_number =
        !number.is_empty() && number.len() < 4 && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some(text)
}

fn spans(text: &str) -> Vec<Span<'_>> {
    let mut all = Vec::new();
    let (mut start, mut at) = (0, 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        match span(rest) {
            Some((span, length)) => {
                all.push(Span::Text(text.get(start..at).unwrap_or_default()));
                all.push(span);
                at += length;
                start = at;
            }
            None => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    all.push(Span::Text(text.get(start..).unwrap_or_default()));
    all.retain(|span| *span != Span::Text(""));
    all
}

fn span(rest: &str) -> Option<(Span<'_>, usize)> {
    if let Some(body) = rest.strip_prefix('`') {
        let end = body.find('`').filter(|end| *end > 0)?;
        return Some((Span::Code(body.get(..end)?), end + 2));
    }
    if let Some(body) = rest.strip_prefix("**") {
        let end = body.find("**").filter(|end| *end > 0)?;
        return Some((Span::Strong(body.get(..end)?), end + 4));
    }
    let body = rest.strip_prefix('[')?;
    let (text, after) = body.split_once("](")?;
    let (url, _) = after.split_once(')')?;
    let is_web =
        (url.starts_with("https://") || url.starts_with("http://")) && !url.contains(char::is_whitespace);
    let is_link = is_web && !text.is_empty() && !text.contains(['[', ']']);
    is_link.then(|| (Span::Link(text, url), text.len() + url.len() + 4))
}

fn tree_block(block: &Block<'_>) -> Value {
    let list = |kind: &str, items: &[&str]| {
        let item = |text: &&str| json!({ "type": "listItem", "content": [paragraph(&[text])] });
        json!({ "type": kind, "content": items.iter().map(item).collect::<Vec<_>>() })
    };
    match block {
        Block::Heading(level, text) => {
            json!({ "type": "heading", "attrs": { "level": level }, "content": tree_spans(text) })
        }
        Block::Paragraph(lines) => paragraph(lines),
        Block::Bullets(items) => list("bulletList", items),
        Block::Numbers(items) => list("orderedList", items),
        Block::Code(language, lines) => {
            let text = lines.join("\n");
            // An empty text is not allowed in a tree.
            let content = if text.is_empty() { json!([]) } else { json!([{ "type": "text", "text": text }]) };
            let attrs = if language.is_empty() { json!({}) } else { json!({ "language": language }) };
            json!({ "type": "codeBlock", "attrs": attrs, "content": content })
        }
        Block::Rule => json!({ "type": "rule" }),
    }
}

fn paragraph(lines: &[&str]) -> Value {
    let mut content = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if index > 0 {
            content.push(json!({ "type": "hardBreak" }));
        }
        content.extend(tree_spans(line));
    }
    json!({ "type": "paragraph", "content": content })
}

fn tree_spans(text: &str) -> Vec<Value> {
    let marked = |text: &str, mark: Value| json!({ "type": "text", "text": text, "marks": [mark] });
    let one = |span: Span<'_>| match span {
        Span::Text(text) => json!({ "type": "text", "text": text }),
        Span::Code(text) => marked(text, json!({ "type": "code" })),
        Span::Strong(text) => marked(text, json!({ "type": "strong" })),
        Span::Link(text, url) => marked(text, json!({ "type": "link", "attrs": { "href": url } })),
    };
    spans(text).into_iter().map(one).collect()
}

fn wiki_block(block: &Block<'_>) -> String {
    let lines = |sign: &str, items: &[&str]| {
        let item = |text: &&str| format!("{sign}{}", wiki_spans(text));
        items.iter().map(item).collect::<Vec<_>>().join("\n")
    };
    match block {
        Block::Heading(level, text) => format!("h{level}. {}", wiki_spans(text)),
        Block::Paragraph(text) => lines("", text),
        Block::Bullets(items) => lines("* ", items),
        Block::Numbers(items) => lines("# ", items),
        Block::Code(_, lines) => {
            // Its own end must not stand in it.
            format!("{{code}}\n{}\n{{code}}", lines.join("\n").replace("{code", "{ code"))
        }
        Block::Rule => "----".to_owned(),
    }
}

fn wiki_spans(text: &str) -> String {
    let one = |span: Span<'_>| match span {
        Span::Text(text) => escaped(text),
        Span::Code(text) => format!("{{{{{}}}}}", escaped(text)),
        Span::Strong(text) => format!("*{}*", escaped(text)),
        Span::Link(text, url) => format!("[{}|{}]", escaped(text), url.replace(['|', ']'], "")),
    };
    spans(text).into_iter().map(one).collect()
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '{' | '[' | ']' | '!' | '|') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests;
