use proptest::prelude::*;

use super::*;

fn one(text: &str) -> (String, Vec<Hunk>) {
    match parse(text).unwrap().remove(0) {
        FilePatch::Update { path, hunks, .. } => (path, hunks),
        other => panic!("{other:?}"),
    }
}

fn check(before: &str, patch: &str, after: Result<&str, &[&str]>) {
    let (_, hunks) = one(patch);
    let done = apply(before, &hunks);
    let done =
        done.as_ref().map(String::as_str).map_err(|p| p.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(done, after.map_err(<[&str]>::to_vec));
}

const FILE: &str = "one\ntwo\nthree\nfour\nfive\n";

#[test]
fn a_unified_diff_is_applied_where_its_text_is() {
    let hunk = " two\n-three\n+3\n four\n";
    for header in ["@@ -2,3 +2,3 @@", "@@ -40,3 +40,3 @@ fn x()", "@@ -1,99 +1,99 @@", "@@ @@", "@@"] {
        let patch = format!("--- a/f\n+++ b/f\n{header}\n{hunk}");
        check(FILE, &patch, Ok("one\ntwo\n3\nfour\nfive\n"));
    }
    check(FILE, "--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+zero\n", Ok("zero\none\ntwo\nthree\nfour\nfive\n"));
    check("a\r\nb\r\n", "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n", Ok("a\r\nc\r\n"));
    check("a\n", "--- f\n+++ f\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n", Ok("b"));
    check("a", "--- f\n+++ f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n", Ok("b\n"));
    check("x\na\nx\na\n", "--- f\n+++ f\n@@ -4 +4 @@\n-a\n+b\n", Ok("x\na\nx\nb\n"));
    check("-- a\n", "--- f\n+++ f\n@@ -1 +1 @@\n--- a\n+++ b\n", Ok("++ b\n"));
}

#[test]
fn a_hunk_that_does_not_fit_is_named_with_the_line_that_is_otherwise() {
    check(
        FILE,
        "--- a/f\n+++ b/f\n@@ -2,3 +2,3 @@\n two\n-drei\n+3\n four\n@@ -9 +9 @@\n-nine\n+9\n",
        Err(&[
            "hunk 1 (`@@ -2,3 +2,3 @@`): it expects `drei`, but line 3 of the file is `three`",
            "hunk 2 (`@@ -9 +9 @@`): none of its lines are in the file; the first is `nine`: read the file again",
        ]),
    );
    check(
        FILE,
        "--- a/f\n+++ b/f\n@@ -5,2 +5,2 @@\n five\n-six\n+6\n",
        Err(&["hunk 1 (`@@ -5,2 +5,2 @@`): it expects `six`, but the file ends before line 6"]),
    );
}

/// Each of these would take minutes if every line were compared with every other.
#[test]
fn large_patches_and_files_of_equal_lines_take_no_longer_than_reading_them() {
    let file = "same\n".repeat(60_000);
    let old = "-same\n".repeat(30_000);
    let patch = format!("--- f\n+++ f\n@@ -1 +1 @@\n{old}-other\n");
    let (_, hunks) = one(&patch);
    let problem = apply(&file, &hunks).unwrap_err().remove(0);
    assert!(problem.ends_with("it expects `other`, but line 30001 of the file is `same`"), "{problem}");
    let many = "@@\n-other\n+x\n".repeat(2_000);
    let (_, hunks) = one(&format!("--- f\n+++ f\n{many}"));
    let problems = apply(&file, &hunks).unwrap_err();
    assert_eq!(problems.last().unwrap(), "the 1990 hunks after it were not tried");
    assert_eq!(problems.len(), 11);
}

#[test]
fn a_hunk_is_found_where_a_part_of_it_comes_before() {
    check("a\na\nb\na\na\nc\n", "--- f\n+++ f\n@@\n a\n a\n-c\n+d\n", Ok("a\na\nb\na\na\nd\n"));
    check("a\na\na\n", "--- f\n+++ f\n@@ -2,2 +2,2 @@\n a\n-a\n+b\n", Ok("a\na\nb\n"));
}

#[test]
fn the_envelope_format_finds_its_place_by_context() {
    let file = "fn a() {\n    x();\n}\nfn b() {\n    x();\n}\n";
    check(
        file,
        "*** Begin Patch\n*** Update File: f\n@@ fn b() {\n-    x();\n+    y();\n }\n*** End of File\n*** End Patch\n",
        Ok("fn a() {\n    x();\n}\nfn b() {\n    y();\n}\n"),
    );
    check(
        file,
        "*** Begin Patch\n*** Update File: f\n@@ fn c() {\n-    x();\n*** End Patch",
        Err(&["hunk 1 (`@@ fn c() {`): the line `fn c() {` of its header is not in the file after line 0"]),
    );
}

#[test]
fn whole_files_are_added_deleted_and_moved() {
    let envelope = "*** Begin Patch\n*** Add File: a b\n+x\n+\n*** Delete File: c\n*** Update File: d\n*** Move to: e\n@@\n-1\n+2\n*** End Patch";
    let diff = "diff --git a/a b b/a b\nnew file mode 100644\n--- /dev/null\n+++ b/a b\n@@ -0,0 +1,2 @@\n+x\n+\n\
                diff --git a/c b/c\ndeleted file mode 100644\n--- a/c\n+++ /dev/null\n@@ -1 +0,0 @@\n-z\n\
                diff --git a/d b/e\nrename from d\nrename to e\n--- a/d\n+++ b/e\n@@ -1 +1 @@\n-1\n+2\n";
    for text in [envelope, diff] {
        let changes = parse(text).unwrap();
        assert_eq!(changes[0], FilePatch::Add { path: "a b".to_owned(), content: "x\n\n".to_owned() });
        assert_eq!(changes[1], FilePatch::Delete { path: "c".to_owned() });
        let FilePatch::Update { path, to, hunks } = &changes[2] else { panic!("{changes:?}") };
        assert_eq!((path.as_str(), to.as_deref(), hunks.len()), ("d", Some("e"), 1));
    }
    let renamed = "diff --git a/d b/e\nsimilarity index 100%\nrename from d\nrename to \"e\\303\\251\"\n";
    let expected = FilePatch::Update { path: "d".to_owned(), to: Some("eé".to_owned()), hunks: Vec::new() };
    assert_eq!(parse(renamed).unwrap(), [expected]);
}

#[test]
fn what_is_not_a_patch_is_refused_with_the_line() {
    for (text, problem) in [
        ("hello", "there is no change in this patch"),
        ("--- a/f\n+++ b/f\n@@ -1 +1 @@\n*oops\n", "line 4 of the patch is `*oops`"),
        ("@@ -1 +1 @@\n-a\n+b\n", "line 1 of the patch: a hunk without"),
        ("*** Begin Patch\n*** Update File: f\n@@\n-a\n", "does not end with `*** End Patch`"),
        ("*** Begin Patch\nhello\n*** End Patch", "line 2 of the patch is `hello`"),
        ("diff --git a/f b/f\nGIT binary patch\n", "line 2 of the patch: binary files"),
    ] {
        let found = parse(text).unwrap_err();
        assert!(found.contains(problem), "{found}");
    }
}

fn any_patch() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        prop::sample::select(vec![
            "*** Begin Patch",
            "*** End Patch",
            "*** Update File: f",
            "*** Add File: g",
            "*** Delete File: h",
            "*** Move to: i",
            "*** End of File",
            "@@",
            "@@ -1,2 +1,3 @@",
            "@@ -0,0 +1 @@",
            "@@ one",
            "--- a/f",
            "+++ b/f",
            "+++ /dev/null",
            "--- /dev/null",
            "diff --git a/f b/f",
            "rename from f",
            "rename to \"\\37",
            "\\ No newline",
            "",
            " one",
            "-one",
            "+two",
            "-",
            "+",
            " ",
            "@@ -99999999999999999999 +1 @@",
            "@@ -18446744073709551615,18446744073709551615 +1 @@",
            "new file mode 1",
            "deleted file mode",
        ])
        .prop_map(str::to_owned),
        "[ +-]?(one|two)?\\PC{0,3}\r?",
    ];
    prop::collection::vec(line, 0..25).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn no_patch_panics(text in any_patch(), file in "((one|two|\\PC{0,3})\r?\n?){0,8}") {
        for change in parse(&text).unwrap_or_default() {
            if let FilePatch::Update { hunks, .. } = change {
                apply(&file, &hunks).ok();
            }
        }
    }

    #[test]
    fn a_diff_of_any_two_texts_leads_from_one_to_the_other(
        before in "([a-c]\n){0,12}", after in "([a-c]\n){0,12}([a-c])?"
    ) {
        prop_assume!(before != after);
        let diff = crate::line_diff::unified("f", &before, &after);
        let (_, hunks) = one(&diff);
        prop_assert_eq!(apply(&before, &hunks).unwrap(), after, "{}", diff);
    }
}
