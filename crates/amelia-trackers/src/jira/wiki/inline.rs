//! Wiki marks inside a line: bold, italic, code, links, pictures.

/// Bytes between a mark and its end. A lone sign must not cost a look at all that follows, again and again.
const LONGEST: usize = 1000;

/// The line as Markdown.
pub(super) fn inline(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    let mut before = ' ';
    while let Some(c) = rest.chars().next() {
        let near = rest.get(..LONGEST).or_else(|| (LONGEST - 3..LONGEST).find_map(|end| rest.get(..end)));
        let (text, length) = match special(c, near.unwrap_or(rest), before) {
            Some(found) => found,
            None => (c.to_string(), c.len_utf8()),
        };
        let passed = rest.get(..length).unwrap_or(rest);
        before = passed.chars().next_back().unwrap_or(' ');
        out.push_str(&text);
        rest = rest.get(length..).unwrap_or_default();
    }
    out
}

/// What stands at the beginning of `rest`, as Markdown, and how long it was.
fn special(c: char, rest: &str, before: char) -> Option<(String, usize)> {
    match c {
        '{' => braces(rest),
        '[' => link(rest),
        '!' => picture(rest, before),
        '*' => span(rest, '*', before).map(|(text, length)| (format!("**{}**", inline(text)), length)),
        '_' => span(rest, '_', before).map(|(text, length)| (format!("*{}*", inline(text)), length)),
        '-' => span(rest, '-', before).map(|(text, length)| (format!("~~{}~~", inline(text)), length)),
        '+' => span(rest, '+', before).map(|(text, length)| (inline(text), length)),
        '\\' if rest.starts_with("\\\\") => Some(("  \n".to_owned(), 2)),
        '\\' => {
            let next = rest.chars().nth(1).filter(char::is_ascii_punctuation)?;
            Some((next.to_string(), 2))
        }
        _ => None,
    }
}

/// `*text*`: not inside a word, and no spaces at its inner edges.
fn span(rest: &str, sign: char, before: char) -> Option<(&str, usize)> {
    let body = rest.strip_prefix(sign)?;
    if before.is_alphanumeric() || body.starts_with(char::is_whitespace) || body.starts_with(sign) {
        return None;
    }
    let mut last = sign;
    for (at, c) in body.char_indices() {
        if c == sign && !last.is_whitespace() && at > 0 {
            let after = body.get(at + 1..).and_then(|after| after.chars().next());
            if !after.is_some_and(|after| after.is_alphanumeric() || after == sign) {
                return Some((body.get(..at)?, at + 2));
            }
        }
        last = c;
    }
    None
}

/// `{{code}}`; colours are dropped and what they colour is kept.
fn braces(rest: &str) -> Option<(String, usize)> {
    if let Some(body) = rest.strip_prefix("{{") {
        let end = body.find("}}")?;
        let text = body.get(..end)?;
        let ticks = if text.contains('`') { "``" } else { "`" };
        return Some((format!("{ticks}{text}{ticks}"), end + 4));
    }
    let end = rest.find('}')?;
    let name = rest.get(1..end)?;
    let is_colour = name == "color" || name.starts_with("color:");
    is_colour.then(|| (String::new(), end + 1))
}

/// `[text|address]`, `[address]`, `[~person]`, `[^file]`.
fn link(rest: &str) -> Option<(String, usize)> {
    let end = rest.find(']')?;
    let body = rest.get(1..end)?;
    let length = end + 1;
    if let Some(person) = body.strip_prefix('~') {
        let person = person.strip_prefix("accountid:").unwrap_or(person);
        return Some((format!("@{person}"), length));
    }
    if let Some(file) = body.strip_prefix('^') {
        return Some((format!("[attachment: {file}]"), length));
    }
    if let Some((text, address)) = body.split_once('|') {
        let address = address.split('|').next().unwrap_or(address).trim();
        return Some((format!("[{}]({address})", text.trim()), length));
    }
    let is_address = body.contains("://") || body.starts_with("mailto:");
    is_address.then(|| (format!("<{body}>"), length))
}

/// `!picture.png|width=10!`, never a sentence that ends with an exclamation mark.
fn picture(rest: &str, before: char) -> Option<(String, usize)> {
    let body = rest.strip_prefix('!')?;
    let end = body.find('!')?;
    let inner = body.get(..end)?;
    let name = inner.split('|').next()?;
    let is_file = name.contains('.') && !name.contains(char::is_whitespace) && !before.is_alphanumeric();
    is_file.then(|| (format!("![{name}]({name})"), end + 2))
}
