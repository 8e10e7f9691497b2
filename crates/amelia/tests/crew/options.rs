//! Options of a profile and of commands that decide something, each seen from outside.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use crate::crew::{ARCHITECT, CONTENT, DEVELOPER, commits, logs, start, world};
use crate::reviewing::{CRITICAL, IMPLEMENT};
use crate::world::{World, text, until};

const UNCLEAR: &str = r#####"
  - when: { model: evaluator, last: "They mean the name of the script" }
    reply: { tool_calls: [{ name: submit_evaluation, args: { decisions: [{ number: 1, title: Nicer, disposition: reject, reason: the name stays }, { number: 2, title: Later, disposition: defer, reason: not now }] } }] }
  - when: { model: evaluator, turn: 0 }
    reply: { tool_calls: [{ name: submit_evaluation, args: { decisions: [{ number: 1, title: Nicer, disposition: clarify, reason: what is not nice }, { number: 2, title: Later, disposition: defer, reason: not now }] } }] }
"#####;

#[test]
fn an_unclear_finding_is_put_to_a_person_where_the_profile_says_so() {
    let world = world(&[ARCHITECT, DEVELOPER, CRITICAL, UNCLEAR], "clarify_with: person");
    let asked = start(&world, &["--auto"]);
    let message = text(&asked.stderr);
    assert_eq!(asked.status.code(), Some(6), "{message}");
    assert!(message.contains("what do these findings of the review mean?"), "{message}");
    assert!(message.contains("- Nicer: what is not nice"), "{message}");
    let run = world.run_id();
    let words = "They mean the name of the script";
    let told = world.amelia(&["answer", &run, "--message", words, "--follow"]);
    // The second task is reviewed in the same words, and its Evaluator knows what the person said about them.
    assert!(told.status.success(), "{}\n{}", text(&told.stderr), logs(&world));
    assert_eq!(commits(&world).len(), 2);
    let row = world.run().unwrap();
    assert_eq!(row["view"]["status"], "completed", "{row}");
}

#[test]
fn a_plan_is_written_where_the_profile_says_and_committed_only_if_it_says_so() {
    for (more, is_committed) in
        [("plan_output_dir: notes\ncommit_plan: true", true), ("plan_output_dir: notes", false)]
    {
        let world = world(&[ARCHITECT, DEVELOPER, CONTENT], more);
        let output = start(&world, &["--auto"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let is_plan = |file: &str| file.starts_with("notes/") && file.ends_with("-S-1.md");
        let files = world.git(&["ls-tree", "-r", "--name-only", "amelia/s-1"]);
        assert_eq!(files.lines().any(is_plan), is_committed, "{files}");
        assert!(!files.contains("notes/.gitignore"), "{files}");
        // It is there for people to read, and does not get in their way.
        let notes = std::fs::read_dir(world.worktree().join("notes")).unwrap();
        let names: Vec<String> =
            notes.map(|file| format!("notes/{}", file.unwrap().file_name().display())).collect();
        assert!(names.iter().any(|name| is_plan(name)), "{names:?}");
        let changed = text(&world.amelia(&["diff"]).stdout);
        assert_eq!(changed.contains("notes/"), is_committed, "{changed}");
        let cleaned = text(&world.amelia(&["cleanup"]).stdout);
        assert!(cleaned.contains("removed "), "{cleaned}");
    }
}

#[test]
fn a_plan_stays_out_of_commits_beside_the_rules_of_the_repository() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "plan_path_pattern: ./plan-{issue_key}.md");
    let rules = world.git(&["show", "HEAD:.gitignore"]);
    let output = start(&world, &["--auto"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let files = world.git(&["ls-tree", "-r", "--name-only", "amelia/s-1"]);
    assert!(!files.contains("plan-"), "{files}");
    assert_eq!(world.git(&["show", "amelia/s-1:.gitignore"]), rules, "they are the repository's own");
}

#[test]
fn commits_are_signed_off_and_co_authored_as_the_profile_says() {
    let world =
        world(&[ARCHITECT, DEVELOPER, CONTENT], "sign_off: true\nco_author: Robot <robot@example.org>");
    let output = start(&world, &["--auto"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let who = world.git(&["log", "-1", "--format=%cn <%ce>", "amelia/s-1"]);
    let trailers = |name: &str| {
        let format = format!("--format=%(trailers:key={name},valueonly)");
        world.git(&["log", "-1", &format, "amelia/s-1"]).trim().to_owned()
    };
    assert_eq!(trailers("Signed-off-by"), who.trim());
    assert_eq!(trailers("Co-authored-by"), "Robot <robot@example.org>");
    let merged = world.amelia(&["merge", "--squash"]);
    assert!(merged.status.success(), "{}", text(&merged.stderr));
    let message = world.git(&["log", "-1", "--format=%B", "main"]);
    assert!(message.contains("Co-authored-by: Robot") && message.contains("Signed-off-by: "), "{message}");
}

#[test]
fn the_prompt_of_one_agent_is_listed_and_can_be_replaced() {
    let world = World::new("rules:\n  - when: { system: the walrus }\n    reply: { text: I am. }\n");
    let listed = text(&world.amelia(&["prompt", "list"]).stdout);
    assert!(listed.contains("oracle.system") && listed.contains("single.system"), "{listed}");
    let file = world.repository().join("../prompt.md");
    std::fs::write(&file, "You are the walrus in {{ directory }}.").unwrap();
    let kept = world.amelia(&["prompt", "set", "single.system", "-f", file.to_str().unwrap()]);
    assert!(kept.status.success(), "{}", text(&kept.stderr));
    let done = world.run_do("chat", &[]);
    assert!(done.status.success(), "{}", text(&done.stderr));
}

#[test]
fn a_limit_in_money_on_a_model_without_a_price_is_asked_about_before_it_is_called() {
    let world = World::new("rules:\n  - reply: { text: Done. }\n");
    let asked = world.run_do("chat", &["--budget", "1"]);
    let message = text(&asked.stderr);
    assert_eq!(asked.status.code(), Some(6), "{message}");
    assert!(message.contains("the price of the model is unknown"), "{message}");
    assert!(message.contains("config/prices.json") && message.contains("--no-budget"), "{message}");
    assert_eq!(world.server.requests().len(), 0, "nothing was spent");
    let run = world.run_id();
    let done = world.amelia(&["resume", &run, "--no-budget"]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert_eq!(world.run().unwrap()["view"]["budget"], serde_json::json!({}));
}

#[test]
fn limits_for_a_run_at_work_are_refused_and_not_dropped() {
    let waits = r#####"
  - when: { model: developer, text: "### Task 1:", turn: 0 }
    reply: { tool_calls: [{ name: shell, args: { command: "echo begun > begun; while [ ! -e go ]; do sleep 0.05; done; rm begun go" } }] }
"#####;
    let world = world(&[ARCHITECT, waits, DEVELOPER, CONTENT], "");
    let mut ordered = world.start(&["start", "S-1", "--title", "It does not add", "--auto"]);
    until("the developer works", || worktree(&world).is_some_and(|place| place.join("begun").exists()));
    let run = world.run_id();
    let limited = world.amelia(&["resume", &run, "--max-calls", "1"]);
    assert_eq!(limited.status.code(), Some(5), "{}", text(&limited.stderr));
    assert!(text(&limited.stderr).contains("is running"), "{}", text(&limited.stderr));
    std::fs::write(worktree(&world).unwrap().join("go"), "").unwrap();
    assert!(ordered.wait().unwrap().success());
}

#[test]
fn passes_of_a_review_that_repairs_are_limited_by_the_profile() {
    let developer = r#####"
  - when: { model: developer }
    reply: { text: I did. }
"#####;
    let world = world(&[developer, CRITICAL, IMPLEMENT], "max_review_passes: 2");
    std::fs::write(world.repository().join("note.txt"), "new\n").unwrap();
    let asked = world.amelia(&["review", "--fix"]);
    let message = text(&asked.stderr);
    assert_eq!(asked.status.code(), Some(6), "{message}");
    assert!(message.contains("2 review rounds are used up"), "{message}");
}

#[test]
fn a_plan_that_stays_bad_is_shown_after_as_many_revisions_as_the_profile_says() {
    let bad = r#####"
  - when: { model: architect }
    reply: { text: There is no plan. }
"#####;
    let world = world(&[bad], "max_plan_revisions: 1");
    let asked = start(&world, &[]);
    assert_eq!(asked.status.code(), Some(6), "{}", text(&asked.stderr));
    let refused = logs(&world).matches("plan rejected").count();
    // Each time it is also reminded twice to hand it in.
    assert_eq!((refused, world.server.requests().len()), (2, 6), "{}", logs(&world));
    let shown = text(&world.amelia(&["plan", "show"]).stdout);
    assert!(shown.ends_with("\nEstimate: none, because the plan has no tasks\n"), "{shown}");
}

#[test]
fn a_new_worktree_is_made_ready_as_the_profile_says() {
    let ready = "copy_files: [runs.log]\nworktree_setup: ['echo made > ready.txt']";
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], ready);
    std::fs::write(world.repository().join("runs.log"), "KEY=1\n").unwrap();
    let output = start(&world, &["--auto"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let place = worktree(&world).unwrap();
    assert!(std::fs::read_to_string(place.join("runs.log")).unwrap().starts_with("KEY=1\n"));
    assert_eq!(std::fs::read_to_string(place.join("ready.txt")).unwrap(), "made\n");
}

/// The worktree of the only run, once git knows it.
fn worktree(world: &World) -> Option<PathBuf> {
    let listed = world.git(&["worktree", "list", "--porcelain"]);
    let mut paths = listed.lines().filter_map(|line| line.strip_prefix("worktree "));
    paths.nth(1).map(PathBuf::from)
}

/// A Jira with one issue; says where it is, and what it was sent.
fn jira() -> (String, Arc<Mutex<Vec<String>>>) {
    const ISSUE: &str = r#"{"comments": [], "total": 0, "startAt": 0, "maxResults": 50, "key": "CALC-7", "fields": {"summary": "It does not add", "description": "x", "status": {"name": "Open"}, "labels": [], "comment": {"comments": [], "total": 0}}}"#;
    const WAYS: &str = r#"{"transitions": [{"id": "11", "name": "Start", "to": {"name": "In Progress", "statusCategory": {"key": "indeterminate"}}}, {"id": "31", "name": "Finish", "to": {"name": "Done", "statusCategory": {"key": "done"}}}]}"#;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let sent: Arc<Mutex<Vec<String>>> = Arc::default();
    let taken = Arc::clone(&sent);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut reader = BufReader::new(&stream);
            let (mut head, mut length) = (String::new(), 0);
            for line in reader.by_ref().lines().map_while(Result::ok).take_while(|line| !line.is_empty()) {
                if let Some(number) = line.to_lowercase().strip_prefix("content-length:") {
                    length = number.trim().parse().unwrap_or(0);
                }
                head.push_str(&line);
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).ok();
            let (status, answer) = match (head.starts_with("POST"), head.contains("/transitions")) {
                (true, _) => ("204 No Content", ""),
                (false, true) => ("200 OK", WAYS),
                (false, false) => ("200 OK", ISSUE),
            };
            if head.starts_with("POST") {
                taken.lock().unwrap().push(String::from_utf8_lossy(&body).into_owned());
            }
            let length = answer.len();
            let head = format!(
                "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{answer}"
            );
            stream.write_all(head.as_bytes()).ok();
        }
    });
    (url, sent)
}

#[test]
fn the_tracker_is_told_when_work_begins_and_when_it_is_done() {
    let (url, sent) = jira();
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "tracker: jira\nfinish: { status: true }");
    let mut command = world.command(&["start", "CALC-7", "--auto", "--follow"]);
    let output = command.env("JIRA_BASE_URL", url).env("JIRA_API_TOKEN", "token-of-a-test").output().unwrap();
    assert!(output.status.success(), "{}\n{}", text(&output.stderr), logs(&world));
    let sent = sent.lock().unwrap().clone();
    let ids: Vec<bool> = sent.iter().map(|body| body.contains("\"11\"")).collect();
    assert_eq!(ids, [true, false], "{sent:?}");
}

#[test]
fn another_model_continues_the_conversation_when_the_first_is_not_available() {
    let script = r#####"
  - when: { model: first, turn: 0 }
    reply: { thinking: hm, tool_calls: [{ name: edit_file, args: { path: calc.sh, edits: [{ old: '$1 - $2', new: '$1 + $2' }] } }] }
  - when: { model: first }
    reply: { error: { status: 529, message: overloaded } }
  - when: { model: second, turn: 1 }
    reply: { tool_calls: [{ name: shell, args: { command: "./test.sh" } }], usage: { input: 50, output: 5 } }
  - when: { model: second, turn: 2 }
    reply: { text: It adds now. }
"#####;
    let world = World::new(&format!("rules:\n{script}"));
    let url = world.server.url();
    let profile = format!(
        "name: chained\nrepo_root: {}\nretry: {{ max_retries: 0 }}\nagents:\n  developer: {{ driver: api, model: first, options: {{ base_url: '{url}/v1', fallbacks: [{{ model: second, base_url: '{url}/v1' }}] }} }}\n",
        world.repository().display()
    );
    let file = world.repository().join("../chained.yaml");
    std::fs::write(&file, &profile).unwrap();
    let apply = ["config", "profile", "apply", "-f", file.to_str().unwrap()];
    assert!(world.amelia(&apply).status.success());
    let done = world.amelia(&["do", "--profile", "chained", "make it add"]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let run = world.run_id();
    let log = text(&world.amelia(&["logs", &run]).stdout);
    assert!(log.contains("overloaded") && log.contains("second continues"), "{log}");
    let last = world.server.requests().last().unwrap().body.to_string();
    assert!(last.contains("second") && last.contains("edit_file"), "the same conversation: {last}");
    let used = text(&world.amelia(&["usage", "--by", "model", "--json"]).stdout);
    assert!(used.contains("\"second\""), "{used}");
    let played = world.amelia(&["replay", &run]);
    assert!(played.status.success(), "{}{}", text(&played.stdout), text(&played.stderr));

    std::fs::write(&file, profile.replace("model: second, ", "")).unwrap();
    let refused = text(&world.amelia(&apply).stderr);
    assert!(refused.contains("fallbacks[0].model: is required"), "{refused}");
}

/// A program in the place of `claude`; what it is told is kept in a file beside it.
fn program(world: &World, name: &str, then: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let path = world.repository().join(format!("../{name}"));
    let init = r#"{"type":"system","subtype":"init","session_id":"s1","claude_code_version":"2.1.0"}"#;
    let body = format!(
        "#!/bin/sh\nread hello; read words; printf '%s\\n' \"$@\" \"$words\" > \"$0.told\"\necho '{init}'\n{then}\n"
    );
    std::fs::write(&path, body).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn a_program_that_is_used_up_is_continued_for_by_the_next_one() {
    let world = World::new("rules:\n  - reply: { text: Nothing is asked here. }\n");
    let first = program(
        &world,
        "first",
        r#"echo '{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"I have read the file."}]}}'
echo '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","rateLimitType":"five_hour"}}'; cat > /dev/null"#,
    );
    let second = program(
        &world,
        "second",
        r#"echo '{"type":"stream_event","event":{"type":"message_start","message":{"model":"backup","usage":{"input_tokens":7}}}}'
echo '{"type":"stream_event","event":{"type":"message_delta","delta":{},"usage":{"output_tokens":3}}}'
echo '{"type":"stream_event","event":{"type":"message_stop"}}'
echo '{"type":"result","subtype":"success","is_error":false,"result":"It adds now.","session_id":"s1"}'; cat > /dev/null"#,
    );
    let profile = format!(
        "name: chained\nrepo_root: {}\nretry: {{ max_retries: 0 }}\nagents:\n  developer: {{ driver: claude, model: best, options: {{ program: '{}', permissions: commands, fallbacks: [{{ model: backup, program: '{}' }}] }} }}\n",
        world.repository().display(),
        first.display(),
        second.display()
    );
    let file = world.repository().join("../chained.yaml");
    std::fs::write(&file, &profile).unwrap();
    let apply = ["config", "profile", "apply", "-f", file.to_str().unwrap()];
    let applied = world.amelia(&apply);
    assert!(applied.status.success(), "{}", text(&applied.stderr));
    let done = world.amelia(&["do", "--profile", "chained", "make it add"]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let run = world.run_id();
    let log = text(&world.amelia(&["logs", &run]).stdout);
    assert!(log.contains("backup continues") && log.contains("five_hour"), "{log}");
    let told = std::fs::read_to_string(second.with_file_name("second.told")).unwrap();
    assert!(told.contains("backup") && told.contains("--resume=s1"), "{told}");
    let used = text(&world.amelia(&["usage", "--by", "model", "--json"]).stdout);
    assert!(used.contains("\"backup\""), "{used}");
    let played = world.amelia(&["replay", &run]);
    assert!(played.status.success(), "{}{}", text(&played.stdout), text(&played.stderr));

    // Who may do what is the agent's own, and not that of who continues.
    std::fs::write(&file, profile.replace("model: backup,", "model: backup, permissions: never,")).unwrap();
    let refused = text(&world.amelia(&apply).stderr);
    assert!(refused.contains("fallbacks[0].permissions: cannot be set for a fallback"), "{refused}");
}

#[test]
fn a_person_is_asked_before_a_profile_is_deleted() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    let delete = ["config", "profile", "delete", "crew"];
    let mut session = crate::terminal::Session::start_with(&world, &delete, |_| ());
    session.until("Delete the profile crew?");
    session.until("[y/N]");
    session.type_line("n");
    assert!(session.end().contains("nothing was deleted"));
    assert!(world.amelia(&["config", "profile", "show", "crew"]).status.success(), "it is kept");
    let session = crate::terminal::Session::start_with(&world, &[&delete[..], &["--yes"]].concat(), |_| ());
    assert!(session.finish().contains("crew is deleted"));
}
