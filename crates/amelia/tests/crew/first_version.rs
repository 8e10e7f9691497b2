//! Document 001 over HTTP: a task graph and a design come in, the work is done where `working_dir` says, and the state goes
//! out with every field.

use serde_json::{Value, json};

use crate::crew::{CONTENT, ROLES, cast_world};
use crate::serving::Server;
use crate::world::{World, until};

const WORK: &str = r#####"
  - when: { model: developer, text: "### Task 2: Add", turn: 0 }
    reply: { tool_calls: [{ name: edit_file, args: { path: calc.sh, edits: [{ old: '$1 - $2', new: '$1 + $2' }] } }] }
  - when: { model: developer, text: "### Task 1: Tell", turn: 0 }
    reply: { tool_calls: [{ name: write_file, args: { path: README.md, content: "calc.sh A B\n" } }] }
  - when: { model: developer }
    reply: { text: Done. }
"#####;

fn task(id: &str, description: &str, status: &str, dependencies: &[&str]) -> Value {
    json!({
        "id": id,
        "description": description,
        "status": status,
        "dependencies": dependencies,
        "files": [],
        "steps": [],
        "commit_message": null,
    })
}

/// With every field of every part, one task that is done, and ids that are no numbers.
fn graph(status: &str) -> Value {
    let mut add = task("add", "Add instead of\nsubtract", status, &["look"]);
    add["files"] = json!([{"operation": "modify", "path": "calc.sh", "line_range": "2-2"}]);
    add["steps"] = json!([{
        "description": "Replace the minus",
        "code": "echo $(($1 + $2))",
        "command": "./test.sh",
        "expected_output": "ok",
    }]);
    add["commit_message"] = json!("fix: add");
    let tell = task("tell", "Tell how it is used", status, &["add", "look"]);
    let look = task("look", "Look at it", "completed", &[]);
    json!({"tasks": [tell, look, add], "original_issue": "2 and 3 give -1.\nThey should give 5."})
}

fn design() -> Value {
    json!({
        "title": "A sum",
        "goal": "It adds",
        "architecture": "One script",
        "tech_stack": ["sh"],
        "components": ["calc.sh"],
        "data_flow": "in, out",
        "error_handling": "none",
        "testing_strategy": "test.sh",
        "relevant_files": ["calc.sh"],
        "conventions": "short",
        "raw_content": "Whatever was written",
    })
}

#[test]
fn the_first_versions_documents_come_in_and_its_state_goes_out() {
    // The profile says with the first version's word where the work is.
    let world = cast_world(&[WORK, CONTENT], &ROLES, "working_dir", "");
    let server = Server::start(&world);
    // Without `worktree_path`: the profile's `working_dir` is where the work is.
    let order = json!({
        "issue_id": "S-1",
        "title": "It does not add",
        "plan": graph("pending"),
        "design": design().to_string(),
    });
    let (status, made) = server.ask("POST", "/workflows", Some(order));
    assert_eq!(status, 201, "{made}");
    let run = made["id"].as_str().unwrap().to_owned();
    until("the plan is there", || server.status(&run) == "awaiting_approval");
    let waiting = server.shown(&run, "?format=v1");
    assert_eq!((&waiting["plan"], &waiting["human_approved"]), (&graph("pending"), &Value::Null));
    assert_eq!((&waiting["workflow_status"], &waiting["current_task_id"]), (&json!("running"), &Value::Null));
    server.tell(&run, "approve", json!({}));
    until("completed", || server.status(&run) == "completed");

    let shown = server.shown(&run, "");
    assert_eq!(shown["worktree_path"], json!(world.repository()), "working_dir has its effect");
    let subjects = world.git(&["log", "--format=%s", "--reverse", "main..amelia/s-1"]);
    let subjects: Vec<&str> = subjects.lines().collect();
    assert_eq!(subjects.len(), 2, "what was completed before is not done again: {subjects:?}");
    assert_eq!(subjects[0], "fix: add");
    let kept = &shown["pipeline_state"]["design"];
    assert_eq!((&kept["sections"], &kept["source"]), (&design(), &json!("import")));
    assert_eq!(shown["pipeline_state"]["external_plan"], true);
    check_state(&world, &server.shown(&run, "?format=v1&include=state"));
}

/// Every field of ExecutionState.
fn check_state(world: &World, state: &Value) {
    let mut state = state.clone();
    let messages = state["messages"].take();
    let changes = state["code_changes_for_review"].take();
    assert!(changes.as_str().unwrap().contains("+echo $(($1 + $2))"), "{changes}");
    let review = json!({"reviewer_persona": "reviewer", "approved": true, "comments": [], "severity": "low"});
    let expected = json!({
        "profile": {
            "name": "crew",
            "driver": "api",
            "tracker": "noop",
            "strategy": "single",
            "execution_mode": "agentic",
            "plan_output_dir": "docs/plans",
            "working_dir": world.repository(),
        },
        "issue": {"id": "S-1", "title": "It does not add", "description": "", "status": "open"},
        "plan": graph("completed"),
        "current_task_id": "tell",
        "human_approved": true,
        "review_results": [review, review],
        "messages": null,
        "code_changes_for_review": null,
        "claude_session_id": null,
        "workflow_status": "completed",
    });
    assert_eq!(state, expected);
    let messages = messages.as_array().unwrap();
    for message in messages {
        let mut fields: Vec<&str> = message.as_object().unwrap().keys().map(String::as_str).collect();
        fields.sort_unstable();
        assert_eq!(fields, ["content", "role", "tool_calls"], "{message}");
    }
    let said = |role: &str| messages.iter().filter(|message| message["role"] == role).collect::<Vec<_>>();
    assert!(said("user")[0]["content"].as_str().unwrap().contains("Add instead of subtract"), "{messages:?}");
    let called = said("assistant")[0];
    assert_eq!(called["tool_calls"][0]["tool_name"], "edit_file");
    assert_eq!(called["tool_calls"][0]["tool_input"]["path"], "calc.sh");
    assert!(said("assistant").iter().any(|said| said["content"] == "Done." && said["tool_calls"].is_null()));
}
