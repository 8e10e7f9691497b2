//! Tags around text that is not ours: what stands between them cannot close them, nor open others of ours. Pure.

/// Around data: what people outside, files, commands and models say.
pub const UNTRUSTED: &str = "untrusted";
/// Around what the repository says about work in it.
pub const CONVENTIONS: &str = "conventions";

/// Text between tags that say where it comes from.
#[must_use]
pub fn tagged(tag: &str, text: &str, source: &str) -> String {
    let source: String = source.chars().map(|c| if "\"<>\n\r".contains(c) { '\'' } else { c }).collect();
    let text = without_tags(text, &[UNTRUSTED, CONVENTIONS]);
    format!("<{tag} source=\"{source}\">\n{}\n</{tag}>", text.trim_end())
}

/// Text in which nothing reads as one of these tags, however it is written. Their names are in lower case.
#[must_use]
pub fn without_tags(text: &str, tags: &[&str]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        out.push(c);
        if is_bracket(c) && tags.iter().any(|tag| begins_with(rest.as_str(), tag)) {
            out.push('\\');
        }
    }
    out
}

/// What a model may read as the beginning of a tag.
fn is_bracket(c: char) -> bool {
    matches!(c, '<' | '\u{ff1c}' | '\u{fe64}' | '\u{2039}' | '\u{3008}')
}

/// Whether a text begins with the name of a tag, slashes, spaces, case and what cannot be seen aside.
fn begins_with(text: &str, tag: &str) -> bool {
    let mut seen = text.chars().filter(|c| !is_invisible(*c)).map(plain);
    let first = seen.find(|c| !c.is_whitespace() && *c != '/');
    first.into_iter().chain(seen).take(tag.len()).eq(tag.chars())
}

/// A letter as it looks: wide forms are letters, too.
fn plain(c: char) -> char {
    let narrow = match u32::from(c) {
        wide @ 0xff01..=0xff5e => char::from_u32(wide - 0xfee0).unwrap_or(c),
        _ => c,
    };
    narrow.to_ascii_lowercase()
}

/// Characters without a look of their own, which can stand inside a word unseen.
fn is_invisible(c: char) -> bool {
    matches!(u32::from(c), 0xad | 0x34f | 0x61c | 0x180e | 0x200b..=0x200f | 0x202a..=0x202e | 0x2060..=0x206f
        | 0xfe00..=0xfe0f | 0xfeff | 0xe0000..=0xe0fff)
        || (c.is_control() && !c.is_whitespace())
}
