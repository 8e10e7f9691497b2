use super::*;

fn found(files: &[(&str, &str)]) -> Vec<String> {
    let parse = |(path, text): &(&str, &str)| SourceFile::parse(&format!("crates/x/src/{path}"), text);
    let sources: Vec<SourceFile> = files.iter().map(parse).collect();
    check(&sources).into_iter().map(|finding| finding.message).collect()
}

#[test]
fn modules_that_use_each_other_are_found_however_the_path_is_written() {
    for (one, other) in [
        ("use crate::b::B;", "use crate::a::A;"),
        ("use crate::{\n    c::C,\n    b::{B, D},\n};", "fn f() -> super::a::A {}"),
        ("fn f() { crate::b::g() }", "pub use crate::a as first;"),
    ] {
        let found =
            found(&[("lib.rs", "mod a; mod b; mod c;"), ("a.rs", one), ("b.rs", other), ("c.rs", "")]);
        assert_eq!(found, ["modules use each other in a circle: a → b → a"], "{one} {other}");
    }
}

#[test]
fn a_circle_may_lead_over_several_modules_and_their_children() {
    let files = [
        ("a/deep.rs", "use crate::b::B;"),
        ("b.rs", "use crate::c::C;"),
        ("c.rs", "use crate::a::deep::A;"),
        ("a.rs", ""),
    ];
    assert_eq!(found(&files), ["modules use each other in a circle: a → b → c → a"]);
    let below = [("p.rs", ""), ("p/a.rs", "use super::b::B;"), ("p/b.rs", "use super::a::A;")];
    assert_eq!(found(&below), ["modules use each other in a circle: a → b → a"]);
}

#[test]
fn parents_children_tests_and_words_in_text_make_no_circle() {
    let files = [
        ("a.rs", "mod deep;\nuse deep::D;\nuse crate::b::B;\n"),
        ("a/deep.rs", "use super::A;\nuse crate::a::A;\n"),
        (
            "b.rs",
            "// crate::a::A\nconst T: &str = \"crate::a::A\";\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}\n",
        ),
        ("b_tests.rs", "use crate::a::A;"),
    ];
    assert_eq!(found(&files), [] as [&str; 0]);
}
