//! Every event of the list of document 000 is sent by some run; brainstorming and knowledge are not built yet.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use amelia_wire::amelia::event::EventType;
use serde_json::{Value, json};

use crate::crew::{ROLES, cast_world};
use crate::reviewing::{CRITICAL, IMPLEMENT};
use crate::serving::Server;
use crate::world::{World, until};

const CAST: &str = r#####"
  - when: { model: architect, last_regex: "Plan the work|You have not submitted" }
    reply: { thinking: Which files are there?, text: There is no plan. }
  - when: { model: architect }
    reply:
      tool_calls:
        - name: write_plan
          args:
            goal: The sample adds its two numbers and says how it is used, as the issue asks for it.
            architecture: It stays one shell script with one test beside it, nothing is added to that.
            tasks: [{ number: "1", title: Add instead of subtract, files: [{ operation: modify, path: calc.sh }], steps: [{ description: Replace the minus }] }]
  - when: { model: developer, text: It fails hard }
    reply: { error: { status: 400, message: no } }
  - when: { model: developer, text: It loses its place, turn: 0 }
    reply: { tool_calls: [{ name: shell, args: { command: "rm .git" } }] }
  - when: { model: developer, text: It loses its place }
    reply: { text: Where am I? }
  - when: { model: developer, turn: 0 }
    reply: { thinking: Somebody knows., text: I ask., tool_calls: [{ name: consult_oracle, args: { problem: Which sign? } }, { name: consult_oracle, args: { problem: In vain? } }] }
  - when: { model: developer, turn: 1 }
    reply: { tool_calls: [{ name: edit_file, args: { path: calc.sh, edits: [{ old: '$1 - $2', new: '$1 + $2' }] } }, { name: write_file, args: { path: new.txt, content: "new\n" } }, { name: shell, args: { command: "rm test.sh" } }] }
  - when: { model: developer }
    reply: { text: It adds now. }
  - when: { model: oracle, text: In vain }
    reply: { error: { status: 400, message: no } }
  - when: { model: oracle, turn: 0 }
    reply: { thinking: I look., tool_calls: [{ name: read_file, args: { path: calc.sh } }] }
  - when: { model: oracle }
    reply: { text: Plus. }
  - when: { model: reviewer, text: not now }
    reply: { tool_calls: [{ name: submit_review, args: { approved: true, severity: none, comments: [] } }] }
"#####;

/// A world with a crew that has an Oracle.
fn world() -> World {
    let roles: Vec<&str> = ROLES.into_iter().chain(["oracle"]).collect();
    cast_world(&[CAST, CRITICAL, IMPLEMENT], &roles, "repo_root", "")
}

/// Orders something in the profile's repository, and waits for its plan.
fn ordered(server: &Server, title: &str) -> String {
    let (status, made) = server.ask("POST", "/workflows", Some(json!({"title": title})));
    assert_eq!(status, 201, "{made}");
    let run = made["id"].as_str().unwrap().to_owned();
    until("the plan is there", || server.status(&run) == "awaiting_approval");
    run
}

fn approved(server: &Server, run: &str, end: &str) {
    server.tell(run, "approve", json!({}));
    until(end, || {
        let status = server.status(run);
        assert!(
            status == end || !["failed", "completed"].contains(&status.as_str()),
            "{}",
            server.shown(run, "")
        );
        status == end
    });
}

/// The whole log in Amelia's words.
fn log(server: &Server, run: &str) -> Vec<Value> {
    let (mut events, mut after) = (Vec::new(), "0".to_owned());
    loop {
        let page = server.shown(run, &format!("/events?limit=500&after={after}"));
        events.extend(page["items"].as_array().unwrap().iter().cloned());
        match page["next_cursor"].as_str() {
            Some(next) => after = next.to_owned(),
            None => return events,
        }
    }
}

/// Whether a socket that listens to everything is sent a chunk, and in which shape.
struct Listener(TcpStream);

impl Listener {
    fn open(server: &Server) -> Self {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        let head = format!(
            "GET /ws/events?subscribe=all HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            server.address(),
            server.token()
        );
        stream.write_all(head.as_bytes()).unwrap();
        Self(stream)
    }

    /// The first chunk: looked for in what was sent, whatever stands between.
    fn chunk(mut self) -> Value {
        let (mut all, mut piece) = (Vec::new(), [0; 4096]);
        loop {
            let read = self.0.read(&mut piece).unwrap();
            assert_ne!(read, 0, "the socket was closed");
            all.extend_from_slice(&piece[..read]);
            let said = String::from_utf8_lossy(&all).into_owned();
            let chunks = said.match_indices(r#"{"type":"chunk""#);
            let parsed = |(place, _): (usize, &str)| {
                serde_json::Deserializer::from_str(&said[place..]).into_iter::<Value>().next()?.ok()
            };
            if let Some(chunk) = chunks.filter_map(parsed).next() {
                return chunk;
            }
        }
    }
}

fn of<'a>(events: &'a [Value], name: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["event_type"] == name).collect()
}

#[test]
fn every_event_of_the_document_is_sent_by_some_run() {
    let world = world();
    let server = Server::start(&world);
    let listener = Listener::open(&server);
    let mut events = Vec::new();

    let run = ordered(&server, "It does not add");
    server.tell(&run, "reject", json!({"feedback": "say more"}));
    until("it is planned again", || server.status(&run) == "awaiting_approval");
    approved(&server, &run, "completed");
    let main = log(&server, &run);
    check_files(&main);
    check_causes(&main);
    check_result(&server.shown(&run, "?include=state"));
    check_first_version(&server.shown(&run, "?format=v1"));
    events.extend(main);

    let failing = ordered(&server, "It fails hard");
    approved(&server, &failing, "failed");
    events.extend(log(&server, &failing));

    let cancelled = ordered(&server, "It is not wanted");
    server.tell(&cancelled, "cancel", json!({}));
    events.extend(log(&server, &cancelled));

    let lost = ordered(&server, "It loses its place");
    approved(&server, &lost, "failed");
    events.extend(log(&server, &lost));

    let chunk = listener.chunk();
    let mut shape: Vec<&str> = chunk["payload"].as_object().unwrap().keys().map(String::as_str).collect();
    shape.sort_unstable();
    let expected = ["agent", "content", "id", "timestamp", "tool_input", "tool_name", "type", "workflow_id"];
    assert_eq!(shape, expected, "{chunk}");

    let mut sent: BTreeSet<&str> = events.iter().map(|event| event["event_type"].as_str().unwrap()).collect();
    sent.insert("stream");
    let is_built = |name: &&str| !name.starts_with("brainstorm_") && !name.starts_with("document_ingestion_");
    let missing: Vec<&str> = EventType::ALL
        .iter()
        .map(|name| name.as_str())
        .filter(is_built)
        .filter(|name| !sent.contains(name))
        .collect();
    assert_eq!(missing, [""; 0], "no run sends them");
}

/// Files by what became of them, said by who did it.
fn check_files(events: &[Value]) {
    let paths = |name: &str| -> Vec<String> {
        let of_developer = of(events, name).into_iter().filter(|event| event["agent"] == "developer");
        of_developer.map(|event| event["data"]["file_path"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(paths("file_created"), ["new.txt"]);
    assert_eq!(paths("file_modified"), ["calc.sh"]);
    assert_eq!(paths("file_deleted"), ["test.sh"]);
}

/// Results follow from calls, answers from questions; plans can be told from other questions.
fn check_causes(events: &[Value]) {
    for (result, call) in
        [("claude_tool_result", "claude_tool_call"), ("oracle_tool_result", "oracle_tool_call")]
    {
        let calls: BTreeSet<String> = of(events, call).iter().map(|event| event["id"].to_string()).collect();
        for event in of(events, result) {
            assert!(calls.contains(&event["parent_id"].to_string()), "{event}");
        }
    }
    let asked = of(events, "approval_required");
    let answered = [of(events, "approval_rejected"), of(events, "approval_granted")].concat();
    assert_eq!((asked.len(), answered.len()), (2, 2));
    for (question, answer) in asked.iter().zip(&answered) {
        assert_eq!((&question["id"], &question["data"]["kind"]), (&answer["parent_id"], &json!("plan")));
        assert_eq!((&answer["data"]["kind"], &answer["agent"]), (&json!("plan"), &json!("human")));
    }
    assert_eq!(of(events, "review_completed")[0]["agent"], "reviewer");
    assert_eq!(of(events, "revision_requested")[0]["agent"], "evaluator");
    let handed_in = of(events, "agent_output").into_iter().any(|event| event["agent"] == "architect");
    assert!(handed_in, "what is handed in is an output");
}

/// What has come of it.
fn check_result(shown: &Value) {
    let result = shown["result"].as_str().unwrap_or_default();
    assert!(result.contains("- Add instead of subtract ("), "{shown}");
    assert!(result.contains("Deferred:\n- Later: not now"), "{shown}");
    let outcome = &shown["outcome"];
    assert_eq!(outcome["summary"], shown["result"]);
    assert_eq!(
        (outcome["tasks"][0]["title"].as_str(), outcome["cost_usd"].clone()),
        (Some("Add instead of subtract"), Value::Null)
    );
    assert_eq!(outcome["tasks"][0]["commit"], outcome["commits"][0]);
    assert_eq!((&outcome["deferred"][0]["title"], &outcome["branch"]), (&json!("Later"), &shown["branch"]));
    check_state(&shown["pipeline_state"]);
    let used = shown["token_usage"].as_array().unwrap();
    let of_developer = used.iter().find(|usage| usage["agent"] == "developer").unwrap();
    assert_eq!((&of_developer["model"], &of_developer["cost_usd"]), (&json!("developer"), &Value::Null));
    assert!(
        of_developer["input_tokens"].as_u64() > Some(0) && of_developer["output_tokens"].as_u64() > Some(0)
    );
}

/// Every field of BasePipelineState and ImplementationState, filled from the run.
fn check_state(state: &Value) {
    let mut fields: Vec<&str> = state.as_object().unwrap().keys().map(String::as_str).collect();
    fields.sort_unstable();
    assert_eq!(
        fields,
        [
            "agentic_status",
            "approved_items",
            "architect_error",
            "base_commit",
            "code_changes_for_review",
            "created_at",
            "current_task_index",
            "design",
            "driver_session_id",
            "error",
            "evaluation_result",
            "external_plan",
            "final_response",
            "goal",
            "history",
            "human_approved",
            "human_feedback",
            "issue",
            "key_files",
            "last_review",
            "max_review_passes",
            "oracle_consultations",
            "pending_user_input",
            "pipeline_type",
            "plan_markdown",
            "plan_path",
            "plan_revision_count",
            "plan_validation_result",
            "profile_id",
            "raw_architect_output",
            "review_iteration",
            "review_pass",
            "status",
            "task_review_iteration",
            "tool_calls",
            "tool_results",
            "total_tasks",
            "user_message",
            "workflow_id",
        ]
    );
    for field in [
        "issue",
        "goal",
        "plan_markdown",
        "plan_path",
        "raw_architect_output",
        "final_response",
        "code_changes_for_review",
        "last_review",
        "evaluation_result",
        "plan_validation_result",
    ] {
        assert!(!state[field].is_null(), "{field}");
    }
    let asked = &state["oracle_consultations"];
    assert_eq!((&asked[0]["advice"], &asked[0]["files_consulted"][0]), (&json!("Plus."), &json!("calc.sh")));
    assert_eq!((&asked[1]["outcome"], &asked[1]["cost_usd"]), (&json!("error"), &Value::Null));
    assert_eq!(
        state["tool_calls"].as_array().unwrap().len(),
        state["tool_results"].as_array().unwrap().len()
    );
}

/// ExecutionState of document 001, with its task graph.
fn check_first_version(state: &Value) {
    assert_eq!((&state["workflow_status"], &state["human_approved"]), (&json!("completed"), &json!(true)));
    assert_eq!(state["plan"]["tasks"][0]["description"], "Add instead of subtract");
    assert!(
        state["profile"]["working_dir"].is_string() && state["messages"][0]["role"].is_string(),
        "{state}"
    );
    assert_eq!(state["review_results"][0]["reviewer_persona"], "reviewer");
}
