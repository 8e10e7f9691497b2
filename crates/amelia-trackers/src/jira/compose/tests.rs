//! A summary of ours in both kinds of Jira.

use super::*;

const SUMMARY: &str = "Add a `greet` command\nwith **care**\n\n## Done\n- one (1a2b)\n- see [the docs](https://x.example/a)\n\n1. first\n2. second\n\n```rust\nfn main() {}\n{code}\n```\n---\nDeferred: [~admin] {include:x} !http://evil.example/a.png!";

#[test]
fn a_summary_becomes_a_tree() {
    let text = |text: &str| json!({ "type": "text", "text": text });
    let marked = |text: &str, mark: Value| json!({ "type": "text", "text": text, "marks": [mark] });
    let item = |content: Value| json!({ "type": "listItem", "content": [{ "type": "paragraph", "content": content }] });
    let expected = json!({ "version": 1, "type": "doc", "content": [
        { "type": "paragraph", "content": [
            text("Add a "), marked("greet", json!({ "type": "code" })), text(" command"), { "type": "hardBreak" },
            text("with "), marked("care", json!({ "type": "strong" })),
        ] },
        { "type": "heading", "attrs": { "level": 2 }, "content": [text("Done")] },
        { "type": "bulletList", "content": [
            item(json!([text("one (1a2b)")])),
            item(json!([text("see "), marked("the docs", json!({ "type": "link", "attrs": { "href": "https://x.example/a" } }))])),
        ] },
        { "type": "orderedList", "content": [item(json!([text("first")])), item(json!([text("second")]))] },
        { "type": "codeBlock", "attrs": { "language": "rust" }, "content": [text("fn main() {}\n{code}")] },
        { "type": "rule" },
        { "type": "paragraph", "content": [text("Deferred: [~admin] {include:x} !http://evil.example/a.png!")] },
        { "type": "paragraph", "content": [marked("amelia:1", json!({ "type": "code" }))] },
    ] });
    assert_eq!(tree(SUMMARY, "amelia:1"), expected);
}

#[test]
fn a_summary_becomes_wiki_text_without_macros_mentions_or_pictures() {
    let expected = "Add a {{greet}} command\nwith *care*\n\nh2. Done\n\n* one (1a2b)\n* see [the docs|https://x.example/a]\n\n# first\n# second\n\n{code}\nfn main() {}\n{ code}\n{code}\n\n----\n\nDeferred: \\[~admin\\] \\{include:x} \\!http://evil.example/a.png\\!\n\n{{amelia:1}}";
    assert_eq!(wiki(SUMMARY, "amelia:1"), expected);
}

#[test]
fn half_written_marks_stay_as_they_are() {
    for text in ["a ` b", "a ** b", "[a](b", "[a](javascript:x)", "``", "****", "[](https://a)", "é`"] {
        assert_eq!(spans(text), [Span::Text(text)], "{text}");
    }
    assert_eq!(tree("", "m")["content"].as_array().unwrap().len(), 1);
}
