//! The tools as a client sees them. Pure.

use serde_json::{Value, json};

pub(super) const INSTRUCTIONS: &str = "\
Amelia runs coding agents on a git repository: they plan, change and review code in a separate worktree. `start` creates \
a run. The run asks for approval of its plan: show the plan to the person, then call `approve`, or `reject` with feedback. \
`status` with `wait: true` waits until a run ends or needs a person. `diff` shows the changes of a run; `merge` puts them \
into the person's branch. Approve, merge and cancel only what the person has agreed to.";

/// What a tool does to the world.
#[derive(Clone, Copy)]
enum Effect {
    Reads,
    /// It can be undone, or changes only the run.
    Changes,
    /// Code is changed or commands are run, or work ends.
    Decides,
}

/// Every tool. Without a directory of its own, a server needs to know where a run works.
pub(super) fn tools(has_directory: bool) -> Vec<Value> {
    let run =
        json!({"type": "string", "description": "Id of the run, such as `r12`, its issue or its branch"});
    let wait = json!({"type": "boolean", "default": false,
        "description": "Wait until the run ends or needs a person. Reports progress"});
    let with_run = |mut properties: Value| {
        if let Value::Object(fields) = &mut properties {
            fields.insert("run".to_owned(), run.clone());
        }
        properties
    };
    vec![
        tool(
            "start",
            START,
            Effect::Changes,
            &start_properties(&wait, has_directory),
            start_required(has_directory),
        ),
        tool("status", STATUS, Effect::Reads, &with_run(json!({"wait": wait})), &[]),
        tool("plan", "Show the plan of a run, in Markdown.", Effect::Reads, &with_run(json!({})), &["run"]),
        tool("approve", APPROVE, Effect::Decides, &with_run(approve_properties(&wait)), &["run"]),
        tool(
            "reject",
            REJECT,
            Effect::Changes,
            &with_run(json!({"feedback": text("What to change, or why"), "wait": wait})),
            &["run"],
        ),
        tool(
            "answer",
            ANSWER,
            Effect::Changes,
            &with_run(json!({"message": text("The person's answer"),
                "question": text("Id of the question, if the run asks several"), "wait": wait})),
            &["run", "message"],
        ),
        tool("resume", RESUME, Effect::Changes, &with_run(json!({"wait": wait})), &["run"]),
        tool(
            "cancel",
            "Cancel a run. Its changes so far are kept.",
            Effect::Decides,
            &with_run(json!({})),
            &["run"],
        ),
        tool(
            "diff",
            "Show what a run has changed, as a unified diff.",
            Effect::Reads,
            &with_run(json!({"stat": {"type": "boolean", "default": false,
                "description": "Only the names of files and the number of changed lines"}})),
            &["run"],
        ),
        tool("events", EVENTS, Effect::Reads, &with_run(events_properties()), &["run"]),
        tool("artifacts", ARTIFACTS, Effect::Reads, &with_run(artifacts_properties()), &["run"]),
        tool("merge", MERGE, Effect::Decides, &with_run(merge_properties()), &["run"]),
    ]
}

const START: &str = "Start a run. In the mode `start`, agents write a plan, wait for its approval, then implement and review \
it, with a commit for each task. In the mode `do`, one agent does the task without a plan. Both work in a separate worktree.";
const STATUS: &str =
    "List the newest runs, or show one run: its state, what it waits for, and what to do next.";
const APPROVE: &str = "Approve the plan or the tool call that a run asks about. Ask the person first.";
const REJECT: &str =
    "Reject the plan or the tool call that a run asks about. A rejected plan is revised with your feedback.";
const ANSWER: &str = "Answer a question of a run: a question of an agent in words; `yes`, `accept` or `stop` when rounds are \
used up; a new limit, such as `5 USD`, when a limit is reached.";
const RESUME: &str = "Resume a run that is paused, interrupted or failed, or start one that is queued.";
const EVENTS: &str = "Show what happened in a run: the newest events, or those after a number.";
const ARTIFACTS: &str =
    "List the files that the agents of a run have kept as artifacts, or show the text of one.";
const MERGE: &str = "Merge the changes of a completed run into the person's branch. Ask the person first.";

fn tool(name: &str, description: &str, effect: Effect, properties: &Value, required: &[&str]) -> Value {
    let (is_read_only, is_destructive) = match effect {
        Effect::Reads => (true, false),
        Effect::Changes => (false, false),
        Effect::Decides => (false, true),
    };
    json!({
        "name": name,
        "description": description,
        "inputSchema": {
            "type": "object", "properties": properties, "required": required, "additionalProperties": false,
        },
        "annotations": {
            "readOnlyHint": is_read_only, "destructiveHint": is_destructive, "idempotentHint": is_read_only,
            "openWorldHint": name == "start",
        },
    })
}

fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

fn start_properties(wait: &Value, has_directory: bool) -> Value {
    let directory = match has_directory {
        true => "Directory in the repository [default: the directory of this server]",
        false => "Absolute path of a directory in the repository",
    };
    json!({
        "task": text("What to do. The first line becomes the title"),
        "issue": text("Key of an issue in the profile's tracker, instead of a task or with it"),
        "mode": {"type": "string", "enum": ["start", "do"], "default": "start"},
        "directory": text(directory),
        "profile": text("Profile to use [default: the profile of the repository]"),
        "base": text("Commit or branch to start from"),
        "read_only": {"type": "boolean", "default": false,
            "description": "Allow only read-only tools. Only in the mode `do`"},
        "max_usd": {"type": "number", "exclusiveMinimum": 0, "description": "Stop and ask at this cost"},
        "wait": wait,
    })
}

fn start_required(has_directory: bool) -> &'static [&'static str] {
    if has_directory { &[] } else { &["directory"] }
}

fn approve_properties(wait: &Value) -> Value {
    json!({
        "feedback": text("Message to the agents"),
        "plan": text("Another plan, in Markdown, that replaces the one that is shown"),
        "allow": {"type": "string", "enum": ["once", "run", "always"], "default": "once",
            "description": "For a tool call: only this one, every call in this run that matches the rule, or in later runs, too"},
        "rule": text("For a tool call: the rule, such as `Bash(cargo test*)` [default: this call]"),
        "wait": wait,
    })
}

fn events_properties() -> Value {
    json!({
        "after": {"type": "integer", "minimum": 0,
            "description": "Show events after this number [default: the newest]"},
        "limit": {"type": "integer", "minimum": 1, "maximum": 500, "default": 50},
    })
}

fn artifacts_properties() -> Value {
    json!({
        "path": text("Path of an artifact, as in the list [default: list all]"),
        "version": text("Version of it, such as `v1` [default: the newest]"),
    })
}

fn merge_properties() -> Value {
    json!({
        "into": text("Branch to merge into [default: the branch that the run started from]"),
        "method": {"type": "string", "enum": ["merge", "squash", "rebase"], "default": "merge"},
        "delete_branch": {"type": "boolean", "default": false,
            "description": "Delete the branch and the worktree of the run afterwards"},
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_reads_and_what_decides_is_said_and_required_arguments_exist() {
        for tool in tools(true).into_iter().chain(tools(false)) {
            let name = tool["name"].as_str().unwrap();
            let reads = ["status", "plan", "diff", "events", "artifacts"].contains(&name);
            let decides = ["approve", "cancel", "merge"].contains(&name);
            let said = &tool["annotations"];
            assert_eq!((&said["readOnlyHint"], &said["destructiveHint"]), (&json!(reads), &json!(decides)));
            let schema = &tool["inputSchema"];
            for required in schema["required"].as_array().unwrap() {
                let property = &schema["properties"][required.as_str().unwrap()];
                assert!(property.is_object(), "{name}: {required}");
            }
        }
        assert_eq!(tools(false)[0]["inputSchema"]["required"], json!(["directory"]));
    }
}
