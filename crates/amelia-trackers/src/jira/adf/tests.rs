//! Each kind of node, and that no text is lost whatever the tree.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::to_markdown;

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn marked(text: &str, marks: &[&str]) -> Value {
    let marks: Vec<Value> = marks.iter().map(|mark| json!({ "type": mark })).collect();
    json!({ "type": "text", "text": text, "marks": marks })
}

fn node(kind: &str, content: &[Value]) -> Value {
    json!({ "type": kind, "content": content })
}

fn paragraph(said: &str) -> Value {
    node("paragraph", &[text(said)])
}

fn linked(said: &str, href: &str) -> Value {
    json!({ "type": "text", "text": said, "marks": [{ "type": "link", "attrs": { "href": href } }] })
}

fn with(kind: &str, attrs: &Value, content: &[Value]) -> Value {
    json!({ "type": kind, "attrs": attrs, "content": content })
}

#[test]
fn text_and_its_marks() {
    let small = |kind: &str, attrs: Value| json!({ "type": kind, "attrs": attrs });
    let line = node(
        "paragraph",
        &[
            text("plain "),
            marked("bold ", &["strong"]),
            marked("both", &["strong", "em"]),
            text(" "),
            marked("a`b", &["code"]),
            text(" "),
            marked("x", &["strike"]),
            marked("y", &["strike"]),
            text(" "),
            linked("docs", "https://x.example/a (b)"),
            text(" "),
            linked("https://x.example", "https://x.example"),
            json!({ "type": "hardBreak" }),
            small("mention", json!({ "id": "1", "text": "@Alice" })),
            text(" "),
            small("emoji", json!({ "shortName": ":smile:", "text": "😄" })),
            small("emoji", json!({ "shortName": ":custom:" })),
            text(" "),
            small("date", json!({ "timestamp": "1582152559000" })),
            text(" "),
            small("status", json!({ "text": "In Progress", "color": "yellow" })),
            text(" "),
            small("inlineCard", json!({ "url": "https://y.example" })),
            text(" "),
            json!({ "type": "text", "text": "2", "marks": [{ "type": "subsup", "attrs": { "type": "sup" } }] }),
            marked("under", &["underline", "textColor", "invented"]),
        ],
    );
    let expected = "plain **bold** ***both*** ``a`b`` ~~xy~~ [docs](<https://x.example/a (b)>) \
                    <https://x.example>  \n@Alice 😄:custom: 2020-02-19 [In Progress] <https://y.example> \
                    <sup>2</sup>under";
    assert_eq!(to_markdown(&node("doc", &[line])), expected);
}

#[test]
fn lists_in_lists() {
    let item = |content: &[Value]| node("listItem", content);
    let inner = node(
        "bulletList",
        &[
            item(&[paragraph("a1"), node("orderedList", &[item(&[paragraph("deep")])])]),
            item(&[paragraph("a2"), with("codeBlock", &json!({ "language": "sh" }), &[text("ls\n\npwd")])]),
        ],
    );
    let outer = with(
        "orderedList",
        &json!({ "order": 9 }),
        &[item(&[paragraph("nine"), inner]), item(&[paragraph("ten"), paragraph("more")])],
    );
    let expected = "9. nine\n   - a1\n     1. deep\n   - a2\n\n     ```sh\n     ls\n\n     pwd\n     ```\n10. ten\n\n    more";
    assert_eq!(to_markdown(&node("doc", &[outer])), expected);
}

#[test]
fn tasks_and_decisions() {
    let task =
        |state: &str, said: &str| with("taskItem", &json!({ "localId": "", "state": state }), &[text(said)]);
    let tasks = node(
        "taskList",
        &[task("TODO", "open"), node("taskList", &[task("DONE", "below")]), task("DONE", "closed")],
    );
    let decision = with("decisionItem", &json!({ "state": "DECIDED" }), &[text("go")]);
    let document = node("doc", &[tasks, node("decisionList", &[decision])]);
    assert_eq!(to_markdown(&document), "- [ ] open\n  - [x] below\n- [x] closed\n\n- Decision: go");
}

#[test]
fn blocks_of_every_kind() {
    let media = |attrs: Value| node("mediaSingle", &[json!({ "type": "media", "attrs": attrs })]);
    let document = node(
        "doc",
        &[
            with("heading", &json!({ "level": 2 }), &[text("Steps "), marked("now", &["em"])]),
            node("blockquote", &[paragraph("one"), paragraph("two")]),
            with("panel", &json!({ "panelType": "warning" }), &[paragraph("hot")]),
            json!({ "type": "rule" }),
            with("codeBlock", &json!({}), &[text("a```b")]),
            with("expand", &json!({ "title": "More" }), &[paragraph("inside")]),
            media(json!({ "type": "file", "id": "7", "alt": "shot.png" })),
            media(json!({ "type": "external", "url": "https://x.example/p.png" })),
            json!({ "type": "blockCard", "attrs": { "url": "https://x.example/card" } }),
            with(
                "holographicProjection",
                &json!({ "text": "from the future" }),
                &[node("newBlock", &[text("kept")])],
            ),
            json!({ "type": "bodilessThing" }),
        ],
    );
    let expected = "## Steps *now*\n\n> one\n>\n> two\n\n> **Warning:**\n>\n> hot\n\n---\n\n````\na```b\n````\n\n\
                    **More**\n\ninside\n\n[attachment: shot.png]\n\n![](https://x.example/p.png)\n\n\
                    <https://x.example/card>\n\nfrom the future\n\nkept";
    assert_eq!(to_markdown(&document), expected);
}

#[test]
fn tables_with_and_without_a_header() {
    let cell =
        |kind: &str, said: &[&str]| node(kind, &said.iter().map(|said| paragraph(said)).collect::<Vec<_>>());
    let row = |cells: &[Value]| node("tableRow", cells);
    let headed = node(
        "table",
        &[
            row(&[cell("tableHeader", &["Name"]), cell("tableHeader", &["Value"])]),
            row(&[cell("tableCell", &["a|b"]), cell("tableCell", &["x", "y"])]),
        ],
    );
    assert_eq!(to_markdown(&headed), "| Name | Value |\n| --- | --- |\n| a\\|b | x<br>y |");
    let wide = with("tableCell", &json!({ "colspan": 2 }), &[paragraph("wide")]);
    let bare = node("table", &[row(&[wide]), row(&[cell("tableCell", &["1"])])]);
    assert_eq!(to_markdown(&bare), "|  |  |\n| --- | --- |\n| wide |  |\n| 1 |  |");
}

#[test]
fn what_is_no_document_is_not_an_error() {
    for (value, expected) in [
        (json!(null), ""),
        (json!("just text"), "just text"),
        (json!(7), ""),
        (json!([1, 2]), ""),
        (json!({ "content": "x", "text": "t" }), "t"),
        (
            json!({ "type": "doc", "content": [null, 1, "loose", { "type": 3, "text": "typed" }] }),
            "loose\n\ntyped",
        ),
        (json!({ "type": "heading", "attrs": { "level": 99 }, "content": [{ "type": "text" }] }), "###### "),
        (json!({ "type": "table", "content": [] }), ""),
        (
            json!({ "type": "orderedList", "attrs": { "order": u64::MAX }, "content": [{}, {}] }),
            "18446744073709551615.\n18446744073709551615.",
        ),
    ] {
        assert_eq!(to_markdown(&value), expected, "{value}");
    }
}

#[test]
fn a_long_text_is_cut_and_a_deep_tree_is_not_lost() {
    let long = to_markdown(&paragraph(&"é".repeat(1_000_000)));
    assert!(long.len() < 1_100_000 && long.ends_with("… the rest is left out …"), "{}", long.len());
    let deep = (0..150).fold(text("bottom"), |inner, _| node("bulletList", &[node("listItem", &[inner])]));
    assert!(to_markdown(&deep).ends_with("bottom"));
}

/// Any of what is known, and some that is not, with text of any kind in it.
fn tree() -> impl Strategy<Value = Value> {
    let words = "[a-z|`*_#<>&()éß漢 \n\t-]{0,12}";
    let leaf =
        (words, prop::sample::select(vec!["strong", "em", "code", "strike", "link", "odd"]), any::<bool>())
            .prop_map(|(said, mark, has)| {
                let mark = json!({ "type": mark, "attrs": { "href": "https://x.example/ y" } });
                if has { json!({ "type": "text", "text": said, "marks": [mark] }) } else { text(&said) }
            });
    let small = (words, prop::sample::select(vec!["mention", "emoji", "status", "placeholder", "strange"]))
        .prop_map(|(said, kind)| json!({ "type": kind, "attrs": { "text": said } }));
    let kinds = vec![
        "doc",
        "paragraph",
        "rule",
        "media",
        "blockCard",
        "heading",
        "bulletList",
        "orderedList",
        "listItem",
        "taskList",
        "taskItem",
        "decisionList",
        "decisionItem",
        "codeBlock",
        "blockquote",
        "panel",
        "table",
        "tableRow",
        "tableHeader",
        "tableCell",
        "expand",
        "mediaSingle",
        "caption",
        "layoutSection",
        "text",
        "mention",
        "hardBreak",
        "new",
    ];
    prop_oneof![leaf, small].prop_recursive(6, 60, 5, move |inner| {
        (prop::sample::select(kinds.clone()), prop::collection::vec(inner, 0..5))
            .prop_map(|(kind, content)| node(kind, &content))
    })
}

fn words(node: &Value, all: &mut Vec<String>) {
    for said in [node.get("text"), node.pointer("/attrs/text")].into_iter().flatten() {
        all.extend(said.as_str().unwrap().split_whitespace().map(str::to_owned));
    }
    for child in node.get("content").and_then(Value::as_array).into_iter().flatten() {
        words(child, all);
    }
}

proptest! {
    #[test]
    fn conversion_never_panics_and_keeps_all_text(tree in tree()) {
        // Bars are escaped in cells, as often as cells are in cells.
        let markdown = to_markdown(&tree).replace('\\', "");
        let mut expected = Vec::new();
        words(&tree, &mut expected);
        for word in expected {
            prop_assert!(markdown.contains(&word), "{word} is not in\n{markdown}");
        }
    }
}
