//! Examples of wiki text, and text that is none.

use proptest::prelude::*;

use super::*;

#[test]
fn wiki_text_becomes_markdown() {
    for (wiki, expected) in [
        ("h1. Title\nh3. Sub *bold*", "# Title\n### Sub **bold**"),
        ("* a\n** b\n*# c\n# d\n## e\n- f", "- a\n   - b\n   1. c\n1. d\n   1. e\n- f"),
        (
            "{code:java}\nint x = 1; // *not bold*\n{code}\nafter",
            "```java\nint x = 1; // *not bold*\n```\nafter",
        ),
        ("{code:title=A.java|language=java}x{code} tail", "```java\nx\n```\ntail"),
        ("{noformat}\na```b\n{noformat}", "````\na```b\n````"),
        ("see {code}x{code}{code}y{code}", "see \n```\nx\n```\n```\ny\n```"),
        ("{quote}\nsaid\n{quote}\nend", "> said\nend"),
        ("{panel:title=Note}\nmind\n{panel}", "> **Note**\n> mind"),
        ("bq. said", "> said"),
        ("----", "---"),
        ("*bold* _italic_ -gone- +new+ {{mono}}", "**bold** *italic* ~~gone~~ new `mono`"),
        ("2*3*4 snake_case_name a-b-c 1 - 2 - 3", "2*3*4 snake_case_name a-b-c 1 - 2 - 3"),
        (
            "[docs|https://x.example] [https://y.example] [~alice] [^log.txt] [plain]",
            "[docs](https://x.example) <https://y.example> @alice [attachment: log.txt] [plain]",
        ),
        ("!shot.png|thumbnail! Wow! Really!", "![shot.png](shot.png) Wow! Really!"),
        ("{color:red}hot{color} \\{x\\} {unknown}", "hot {x} {unknown}"),
        (
            "||a||b||\n|1|[x|https://x.example]|\n\ntext",
            "| a | b |\n| --- | --- |\n| 1 | [x](https://x.example) |\n\ntext",
        ),
        ("|1|2|", "|  |  |\n| --- | --- |\n| 1 | 2 |"),
        ("{code}\nnever closed", "```\nnever closed\n```"),
        ("", ""),
    ] {
        assert_eq!(to_markdown(wiki), expected, "{wiki}");
    }
}

#[test]
fn long_lines_of_half_open_marks_end() {
    for piece in ["[", "*a ", "{code}", "*_"] {
        let text = piece.repeat(2_000_000 / piece.len());
        assert!(to_markdown(&text).len() < 4_000_000, "{piece}");
    }
}

proptest! {
    #[test]
    fn any_text_is_converted(text in "[ a-c{}*_|!#\\[\\]~^:.h1é\\\\\n-]{0,200}") {
        prop_assert!(to_markdown(&text).len() < 10_000);
    }
}
