//! Tags around text that is not ours. What stands between them cannot close them, nor open others of ours.

/// Around data: what people outside, files, commands and other agents say.
const UNTRUSTED: &str = "untrusted";
/// Around what the repository says about work in it.
const CONVENTIONS: &str = "conventions";

/// Text from outside.
pub(crate) fn untrusted(text: &str, source: &str) -> String {
    tagged(UNTRUSTED, text, source)
}

/// Text of the repository about itself.
pub(crate) fn conventions(text: &str, source: &str) -> String {
    tagged(CONVENTIONS, text, source)
}

fn tagged(tag: &str, text: &str, source: &str) -> String {
    let source: String = source.chars().map(|c| if "\"<>\n\r".contains(c) { '\'' } else { c }).collect();
    format!("<{tag} source=\"{source}\">\n{}\n</{tag}>", without_tags(text).trim_end())
}

/// Text in which nothing reads as one of our tags, however it is written.
fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        let bare = after.trim_start_matches(|c: char| c == '/' || c.is_whitespace());
        let starts = |tag: &str| bare.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag));
        out.push_str(if starts(UNTRUSTED) || starts(CONVENTIONS) { "<\\" } else { "<" });
        rest = after;
    }
    out.push_str(rest);
    out
}
