use super::*;

fn code(text: &str) -> String {
    SourceFile::parse("x.rs", text).code.join("\n")
}

#[test]
fn strings_comments_and_char_literals_are_not_code() {
    assert_eq!(code("let a = \"{\"; // {"), "let a = \" \";     ");
    assert_eq!(code(r#"let a = "\"{";"#), r#"let a = "   ";"#);
    assert_eq!(code("f('{', '\\'', '\\u{7b}')"), "f(   ,     ,         )");
    assert_eq!(code("fn f<'a>(x: &'a str) {}"), "fn f<'a>(x: &'a str) {}");
    assert_eq!(code("a /* { /* } */ { */ b").split_whitespace().collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
fn raw_strings_end_at_their_own_hashes() {
    let source = SourceFile::parse("x.rs", "let a = r#\"say \"hi\" {\"#; let b = br\"x\"; var\"y\"");
    let texts: Vec<&str> = source.strings.iter().map(|piece| piece.text.as_str()).collect();
    assert_eq!(texts, ["say \"hi\" {", "x", "y"]);
}

#[test]
fn pieces_carry_the_line_they_start_on() {
    let source = SourceFile::parse("x.rs", "//! a\nlet x = \"one\ntwo\";\n// b\n");
    assert_eq!(source.strings, [SourceText { line: 2, text: "one\ntwo".into() }]);
    assert_eq!(source.comments.iter().map(|piece| piece.line).collect::<Vec<_>>(), [1, 4]);
    assert_eq!(source.code.len(), 4);
}

#[test]
fn an_unfinished_literal_ends_with_the_file() {
    for text in ["\"abc", "r#\"abc\"", "/* abc", "'", "'\\", "b", "r#"] {
        assert_eq!(code(text).len(), text.len(), "{text}");
    }
}

#[test]
fn items_under_cfg_test_are_test_lines() {
    let source =
        SourceFile::parse("x.rs", "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\nfn c() {}\n");
    let tests: Vec<usize> = (1..=6).filter(|line| source.is_test_line(*line)).collect();
    assert_eq!(tests, [2, 3, 4, 5]);
}

#[test]
fn test_files_are_known_by_name() {
    let is_test = |path| SourceFile::parse(path, "").is_test_file();
    assert!(is_test("crates/a/src/plan_tests.rs"));
    assert!(is_test("crates/a/src/plan/tests.rs"));
    assert!(is_test("crates/a/tests/it.rs"));
    assert!(!is_test("crates/a/src/contests.rs"));
}
