//! A tool call as a model writes it: refused or done, and nothing outside of the root is ever touched.
#![no_main]

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use amelia_core::id::CallId;
use amelia_core::message::Object;
use amelia_core::tool::{CallOptions, ToolBox, ToolCall, ToolCx, ToolName};
use amelia_process::Environment;
use amelia_tools::{Root, Tools, Toolset};
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

/// Those that start no process: a fuzzer must not write command lines.
const TOOLS: [&str; 6] = ["read_file", "write_file", "edit_file", "apply_patch", "list_files", "search"];

struct Bench {
    dir: TempDir,
    tools: Tools,
    runtime: tokio::runtime::Runtime,
}

thread_local! {
    static BENCH: RefCell<Option<Bench>> = const { RefCell::new(None) };
}

impl Bench {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        std::fs::create_dir_all(root.join("sub")).unwrap();
        std::fs::write(dir.path().join("outside"), "untouched").unwrap();
        std::fs::write(root.join("a"), "one\ntwo\n").unwrap();
        std::os::unix::fs::symlink("..", root.join("out")).unwrap();
        std::os::unix::fs::symlink("../outside", root.join("link")).unwrap();
        let set = Toolset {
            root: Arc::new(Root::open(&root).unwrap()),
            environment: Arc::new(Environment::new([], &[], "fuzz")),
            base: None,
        };
        let tools = set.full().into_iter().filter(|tool| TOOLS.contains(&tool.spec().name.name.as_str()));
        let tools = Tools::new(tools).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        Self { dir, tools, runtime }
    }

    fn call(&self, tool: &str, args: Object) {
        let call = ToolCall {
            id: CallId::repaired("1"),
            tool: ToolName::builtin(tool),
            args,
            at: None,
            options: CallOptions::default(),
        };
        let result = self.runtime.block_on(self.tools.call(&ToolCx::default(), &call));
        assert!(!result.error.as_deref().unwrap_or_default().contains("broke ("), "{:?}", result.error);
        assert_outside(self.dir.path());
    }
}

fn assert_outside(dir: &Path) {
    assert_eq!(std::fs::read_to_string(dir.join("outside")).unwrap(), "untouched");
    assert_eq!(std::fs::read_dir(dir).unwrap().count(), 2);
}

// The first byte chooses the tool.
fuzz_target!(|input: &[u8]| {
    let [tool, text @ ..] = input else { return };
    let Ok(args) = serde_json::from_slice::<Object>(text) else { return };
    BENCH.with_borrow_mut(|bench| {
        let bench = bench.get_or_insert_with(Bench::new);
        bench.call(TOOLS[usize::from(*tool) % TOOLS.len()], args);
    });
});
