use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::process::Command;
use std::sync::Arc;

use amelia_core::tool::{Risk, ToolBox as _, ToolCall, ToolCx, ToolResult};
use amelia_process::Environment;
use proptest::prelude::*;
use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::{Tools, Toolset};

struct Tree {
    dir: TempDir,
    tools: Tools,
}

impl Tree {
    fn new(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let tools = Tools::new(toolset(&dir).full()).unwrap();
        Self { dir, tools }
    }

    fn git(&self, args: &[&str]) -> String {
        let output = Command::new("git")
            .args(["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main"])
            .args(args)
            .current_dir(self.dir.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    async fn result(&self, tool: &str, args: Value) -> ToolResult {
        self.tools.call(&ToolCx::default(), &call(tool, &args)).await
    }

    async fn ok(&self, tool: &str, args: Value) -> String {
        let result = self.result(tool, args).await;
        assert_eq!(result.error, None);
        result.output
    }

    async fn error(&self, tool: &str, args: Value) -> String {
        self.result(tool, args).await.error.unwrap()
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.dir.path().join(path)).unwrap()
    }
}

fn toolset(dir: &TempDir) -> Toolset {
    Toolset {
        root: Arc::new(Root::open(dir.path()).unwrap()),
        environment: Arc::new(Environment::new(std::env::vars_os(), &[], "test")),
        base: None,
    }
}

fn call(tool: &str, args: &Value) -> ToolCall {
    serde_json::from_value(json!({"id": "1", "tool": tool, "args": args})).unwrap()
}

#[test]
fn a_read_only_role_has_nothing_that_writes_or_executes() {
    let dir = tempfile::tempdir().unwrap();
    let names = |tools: Vec<Arc<dyn amelia_core::tool::Tool>>, risk: Risk| -> Vec<String> {
        tools
            .iter()
            .map(|tool| tool.spec())
            .filter(|spec| spec.risk == risk)
            .map(|spec| spec.name.to_string())
            .collect()
    };
    let reading = ["read_file", "list_files", "search", "git_diff", "git_log"];
    let set = toolset(&dir);
    assert_eq!(names(set.read_only(), Risk::Read), reading);
    assert_eq!(set.read_only().len(), reading.len());
    assert_eq!(names(set.full(), Risk::Read), reading);
    assert_eq!(names(set.full(), Risk::Write), ["write_file", "edit_file", "apply_patch"]);
    assert_eq!(names(set.full(), Risk::Execute), ["shell"]);
}

#[tokio::test]
async fn files_are_read_by_numbered_lines() {
    let long = format!("{}\nend", "x".repeat(5000));
    let tree = Tree::new(&[
        ("a b", "one\ntwo\r\nthree"),
        ("-rf", "dash"),
        ("empty", ""),
        ("long", &long),
        ("bin", "a\0b"),
    ]);
    assert_eq!(tree.ok("read_file", json!({"path": "a b"})).await, "1\tone\n2\ttwo\r\n3\tthree\n");
    let page = tree.ok("read_file", json!({"path": "a b", "offset": 2, "limit": 1})).await;
    assert_eq!(page, "2\ttwo\r\n… the file continues: read more with offset 3 …\n");
    assert_eq!(tree.ok("read_file", json!({"path": "-rf"})).await, "1\tdash\n");
    assert_eq!(tree.ok("read_file", json!({"path": "empty"})).await, "`empty` is empty");
    assert_eq!(tree.ok("read_file", json!({"path": "a b", "offset": 9})).await, "`a b` has only 3 lines");
    assert_eq!(
        tree.ok("read_file", json!({"path": "bin"})).await,
        "`bin` is a binary file of 3 bytes; it is not shown"
    );
    let long = tree.ok("read_file", json!({"path": "long"})).await;
    assert!(long.ends_with("x … 3000 bytes more in this line …\n2\tend\n"), "{long}");
    assert!(tree.error("read_file", json!({"path": "../x"})).await.contains("leads outside"));
}

#[tokio::test]
async fn a_huge_file_is_read_in_pages_and_not_taken_in_to_be_changed() {
    let tree = Tree::new(&[]);
    let file = fs::File::create(tree.dir.path().join("huge")).unwrap();
    std::io::Write::write_all(&mut &file, "line\n".repeat(100_000).as_bytes()).unwrap();
    file.set_len(1 << 33).unwrap();
    let page = tree.ok("read_file", json!({"path": "huge", "limit": 100_000})).await;
    assert!(page.len() < 30_000 && page.contains("the file continues"), "{}", page.len());
    let refused =
        tree.error("edit_file", json!({"path": "huge", "edits": [{"old": "line", "new": "x"}]})).await;
    assert!(refused.contains("larger than"), "{refused}");
}

#[tokio::test]
async fn files_are_written_and_edited_whole_or_not_at_all() {
    let tree = Tree::new(&[("f", "one\ntwo\n")]);
    let written = tree.result("write_file", json!({"path": "new/deep file", "content": "é"})).await;
    assert_eq!(
        (written.output.as_str(), written.artifacts),
        ("created `new/deep file`, 2 bytes", vec!["new/deep file".to_owned()])
    );
    let good = json!({"old": "one", "new": "1"});
    let bad =
        tree.error("edit_file", json!({"path": "f", "edits": [good, {"old": "three", "new": "3"}]})).await;
    assert!(bad.starts_with("`f` was not changed:\nedit 2: `old` is not in the file"), "{bad}");
    assert_eq!(tree.text("f"), "one\ntwo\n");
    let diff = tree.ok("edit_file", json!({"path": "f", "edits": [good]})).await;
    assert_eq!(diff, "--- f\n+++ f\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n");
    assert!(
        tree.error("write_file", json!({"path": ".git/config", "content": ""}))
            .await
            .contains("belongs to git")
    );
}

#[tokio::test]
async fn a_patch_changes_all_its_files_or_none() {
    let tree = Tree::new(&[("a", "1\n"), ("b", "1\n"), ("gone", "x\n")]);
    let patch = |second: &str| {
        format!(
            "*** Begin Patch\n*** Update File: a\n@@\n-1\n+2\n*** Update File: b\n*** Move to: c/b\n@@\n-{second}\n+2\n\
             *** Delete File: gone\n*** Add File: new\n+n\n*** End Patch"
        )
    };
    let refused = tree.error("apply_patch", json!({"patch": patch("7")})).await;
    assert_eq!(
        refused,
        "nothing was changed: the patch does not apply\n\
         `b`, hunk 1 (`@@`): none of its lines are in the file; the first is `7`: read the file again"
    );
    assert_eq!((tree.text("a"), tree.text("gone")), ("1\n".to_owned(), "x\n".to_owned()));
    let done = tree.ok("apply_patch", json!({"patch": patch("1")})).await;
    assert_eq!(done, "changed `a`\nremoved `b`\ncreated `c/b`\nremoved `gone`\ncreated `new`");
    assert_eq!(
        (tree.text("a"), tree.text("c/b"), tree.text("new")),
        ("2\n".to_owned(), "2\n".to_owned(), "n\n".to_owned())
    );
    // The last step cannot be done: a file stands where a directory is needed. The first is undone.
    let blocked =
        "*** Begin Patch\n*** Update File: a\n@@\n-2\n+3\n*** Add File: c/b/below\n+x\n*** End Patch";
    assert!(tree.error("apply_patch", json!({"patch": blocked})).await.starts_with("nothing was changed"));
    assert_eq!(tree.text("a"), "2\n");
    let outside = "--- /dev/null\n+++ b/../x\n@@ -0,0 +1 @@\n+x\n";
    assert!(tree.error("apply_patch", json!({"patch": outside})).await.contains("leads outside"));
}

#[tokio::test]
async fn a_patch_may_spell_a_path_in_two_ways_and_a_renamed_program_stays_one() {
    use std::os::unix::fs::PermissionsExt as _;
    let tree = Tree::new(&[("a", "1\n2\n3\n4\n5\n6\n7\n8\n9\n"), ("run.sh", "old\n")]);
    let program = tree.dir.path().join("run.sh");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let patch = "*** Begin Patch\n*** Update File: a\n@@\n-1\n+one\n*** Update File: ./a\n@@\n-9\n+nine\n\
                 *** Update File: run.sh\n*** Move to: bin/run\n@@\n-old\n+new\n*** End Patch\n";
    tree.ok("apply_patch", json!({"patch": patch})).await;
    assert_eq!(fs::read_to_string(tree.dir.path().join("a")).unwrap(), "one\n2\n3\n4\n5\n6\n7\n8\nnine\n");
    assert!(!program.exists());
    let renamed = tree.dir.path().join("bin/run");
    assert_eq!(fs::read_to_string(&renamed).unwrap(), "new\n");
    assert_eq!(fs::metadata(&renamed).unwrap().permissions().mode() & 0o777, 0o755);
}

#[tokio::test]
async fn line_ends_of_a_file_stay_as_they_are() {
    let tree = Tree::new(&[("w", "1\r\n2\r\n"), ("e", "1\r\n2\r\n"), ("p", "1\r\n2")]);
    tree.ok("write_file", json!({"path": "w", "content": "a\nb\n"})).await;
    tree.ok("edit_file", json!({"path": "e", "edits": [{"old": "2", "new": "b\nc"}]})).await;
    let patch = "--- a/p\n+++ b/p\n@@ -1,2 +1,3 @@\n 1\n 2\n+3\n\\ No newline at end of file\n";
    tree.ok("apply_patch", json!({"patch": patch})).await;
    let read = |name: &str| fs::read_to_string(tree.dir.path().join(name)).unwrap();
    assert_eq!([read("w"), read("e"), read("p")], ["a\r\nb\r\n", "1\r\nb\r\nc\r\n", "1\r\n2\r\n3"]);
}

#[tokio::test]
async fn listing_and_searching_respect_gitignore_and_say_what_was_left_out() {
    let tree = Tree::new(&[
        (".gitignore", "target/\n*.log\n"),
        (".github/ci.yml", "needle"),
        ("src/a.rs", "before\nlet needle = 1;\nafter\n"),
        ("src/deep/b.txt", "Needle\n"),
        ("target/x.rs", "needle"),
        ("x.log", "needle"),
        ("bin", "needle\0"),
    ]);
    let odd = std::ffi::OsStr::from_bytes(b"new\nline \xff");
    fs::write(tree.dir.path().join(odd), "needle").unwrap();
    let all = tree.ok("list_files", json!({})).await;
    assert_eq!(all, ".github/ci.yml\n.gitignore\nbin\nnew\\nline \u{fffd}\nsrc/a.rs\nsrc/deep/b.txt");
    assert_eq!(tree.ok("list_files", json!({"glob": "*.rs"})).await, "src/a.rs");
    assert_eq!(tree.ok("list_files", json!({"glob": "src/**/*.txt"})).await, "src/deep/b.txt");
    assert_eq!(
        tree.ok("list_files", json!({"path": "src", "limit": 1})).await,
        "src/a.rs\n… 1 more: narrow the glob or the path …"
    );
    let found = tree.ok("search", json!({"pattern": "needle"})).await;
    assert_eq!(found, ".github/ci.yml:1:needle\nnew\\nline \u{fffd}:1:needle\nsrc/a.rs:2:let needle = 1;\n");
    let found = tree.ok("search", json!({"pattern": "needle =", "type": "rust", "context": 1})).await;
    assert_eq!(found, "src/a.rs-1-before\nsrc/a.rs:2:let needle = 1;\nsrc/a.rs-3-after\n");
    let found = tree.ok("search", json!({"pattern": "needle", "ignore_case": true, "glob": "*.txt"})).await;
    assert_eq!(found, "src/deep/b.txt:1:Needle\n");
    assert_eq!(
        tree.ok("search", json!({"pattern": "=", "path": "src/a.rs"})).await,
        "src/a.rs:2:let needle = 1;\n"
    );
    let cut = tree.ok("search", json!({"pattern": "e", "limit": 1})).await;
    assert!(cut.ends_with("… there is more: narrow the pattern, the path or the glob …\n"), "{cut}");
    assert!(tree.error("search", json!({"pattern": "a("})).await.contains("set `fixed`"));
    assert_eq!(tree.ok("search", json!({"pattern": "a(", "fixed": true})).await, "no matches");
    for (pattern, fixed) in [("a\\nb", false), ("a\nb", false), ("a\nb", true)] {
        let error = tree.error("search", json!({"pattern": pattern, "fixed": fixed})).await;
        assert!(error.contains("cannot match more than one line"), "{pattern:?}: {error}");
    }
    assert!(tree.error("search", json!({"pattern": "a", "type": "rusty"})).await.contains("rust"));
    assert!(tree.error("search", json!({"pattern": "a", "path": "/etc"})).await.contains("leads outside"));
    assert!(
        tree.error("search", json!({"pattern": "a", "path": "nowhere"})).await.contains("does not exist")
    );
}

#[tokio::test]
async fn git_shows_all_changes_without_touching_the_index() {
    let tree = Tree::new(&[("a", "1\n"), ("-rf", "x\n")]);
    tree.git(&["init", "-q"]);
    assert!(tree.error("git_log", json!({})).await.contains("there is no commit `HEAD`"));
    tree.git(&["add", "-A"]);
    tree.git(&["commit", "-qm", "First words"]);
    assert_eq!(tree.ok("git_diff", json!({})).await, "no changes");
    fs::write(tree.dir.path().join("a"), "2\n").unwrap();
    fs::write(tree.dir.path().join("new file"), "n\n").unwrap();
    fs::write(tree.dir.path().join("bin"), "a\0b").unwrap();
    Command::new("git").args(["init", "-q"]).arg(tree.dir.path().join("nested")).status().unwrap();
    let index = fs::read(tree.dir.path().join(".git/index")).unwrap();
    let diff = tree.ok("git_diff", json!({})).await;
    assert!(
        diff.contains("-1\n+2\n") && diff.contains("b/new file") && diff.contains("Binary files"),
        "{diff}"
    );
    let stat = tree.ok("git_diff", json!({"stat": true, "path": "a"})).await;
    assert_eq!(stat, "1\t1\ta\n");
    assert_eq!(fs::read(tree.dir.path().join(".git/index")).unwrap(), index);
    let log = tree.ok("git_log", json!({"path": "-rf"})).await;
    assert!(log.ends_with(" t: First words\n"), "{log}");
    for base in ["--output=stolen", "nowhere", "HEAD --output=stolen"] {
        let refused = tree.error("git_diff", json!({"base": base})).await;
        assert_eq!(refused, format!("there is no commit `{base}` in this repository"));
    }
    assert!(!tree.dir.path().join("stolen").exists());
}

#[tokio::test]
async fn git_tools_outside_a_repository_say_so() {
    let tree = Tree::new(&[]);
    assert!(tree.error("git_diff", json!({})).await.contains("there is no commit `HEAD`"));
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (0..9_u64).prop_map(Value::from),
        "\\PC{0,8}|\\.\\./.{0,3}|f|\\*\\*|\\[|a{9999}|\0".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("old|new|all|\\PC{0,3}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

const ARGUMENTS: &str = "path|offset|limit|content|edits|patch|glob|pattern|type|context|fixed|ignore_case|base|stat|from|\\PC{0,3}";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn arguments_of_any_shape_give_a_result(
        args in prop::collection::btree_map(ARGUMENTS, any_value(), 0..5)
    ) {
        let tree = Tree::new(&[("f", "text\n")]);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let args = Value::Object(args.into_iter().collect());
        // Not the shell: what it is given it does.
        for tool in ["read_file", "write_file", "edit_file", "apply_patch", "list_files", "search", "git_diff", "git_log"] {
            let result = runtime.block_on(tree.result(tool, args.clone()));
            prop_assert!(!result.error.unwrap_or_default().contains("broke"), "{tool} {args}");
        }
    }
}
