//! The program's own tools: what each can do to the world, and where. Pure.

use std::path::{Component, Path, PathBuf};

use amelia_core::tool::Risk;
use serde_json::Value;

/// What a tool of the program can do. An unknown one may do anything.
pub(super) fn risk_of(tool: &str) -> Risk {
    match tool {
        "Read" | "Glob" | "Grep" | "LS" | "NotebookRead" | "TodoWrite" | "Task" | "Agent" | "TaskCreate"
        | "TaskGet" | "TaskList" | "TaskOutput" | "TaskStop" | "TaskUpdate" | "BashOutput" | "KillShell"
        | "ToolSearch" | "StructuredOutput" => Risk::Read,
        "Write" | "Edit" | "MultiEdit" | "NotebookEdit" => Risk::Write,
        "Bash" => Risk::Execute,
        _ => Risk::External,
    }
}

/// The path that a call names and that is not in the directory, if there is one.
pub(super) fn outside<'v>(directory: &Path, input: &'v Value) -> Option<&'v str> {
    let named = ["file_path", "notebook_path", "path"];
    let mut paths = named.iter().filter_map(|name| input.get(name).and_then(Value::as_str));
    paths.find(|path| match below(directory, path) {
        // What git runs by itself is written there.
        Some(inside) => inside.components().any(|part| part.as_os_str().eq_ignore_ascii_case(".git")),
        None => true,
    })
}

/// Why a path of [`outside`] may not be used, for the model.
pub(super) fn refusal(directory: &Path, path: &str) -> String {
    match below(directory, path) {
        Some(_) => format!("{path} belongs to git itself: use git commands"),
        None => format!("{path} is outside of {}: work only there", directory.display()),
    }
}

/// The path as seen from the directory, when it is in there.
fn below(directory: &Path, path: &str) -> Option<PathBuf> {
    plain(&directory.join(path)).strip_prefix(plain(directory)).ok().map(Path::to_path_buf)
}

/// The path without `.` and `..`, as it is written: links are not followed.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(component),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_belongs_to_git_is_not_said_to_be_elsewhere() {
        let directory = Path::new("/tree");
        assert!(refusal(directory, "/tree/.git/config").contains("belongs to git itself"));
        assert!(refusal(directory, "/etc/passwd").contains("is outside of /tree"));
    }

    #[test]
    fn a_path_is_inside_only_when_all_of_it_is() {
        let directory = Path::new("/repo/tree");
        for (input, is_outside) in [
            (json!({"file_path": "/repo/tree/a"}), false),
            (json!({"file_path": "src/a"}), false),
            (json!({"file_path": "/repo/tree/../tree/a"}), false),
            (json!({"file_path": "/repo/tree/../other/a"}), true),
            (json!({"file_path": "/repo/tree-2/a"}), true),
            (json!({"path": "/etc/passwd"}), true),
            (json!({"file_path": ".git/config"}), true),
            (json!({"file_path": "/repo/tree/sub/.GIT"}), true),
            (json!({"file_path": ".gitignore"}), false),
            (json!({"notebook_path": "../x"}), true),
            (json!({"command": "cat /etc/passwd"}), false),
        ] {
            assert_eq!(outside(directory, &input).is_some(), is_outside, "{input}");
        }
    }

    #[test]
    fn what_nobody_knows_may_do_anything() {
        assert_eq!(risk_of("Read"), Risk::Read);
        assert_eq!(risk_of("Edit"), Risk::Write);
        assert_eq!(risk_of("Bash"), Risk::Execute);
        assert_eq!(risk_of("mcp__other__thing"), Risk::External);
        assert_eq!(risk_of("SomethingNew"), Risk::External);
    }
}
