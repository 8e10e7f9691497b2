//! Providers that misbehave, seen by a user: the work goes on, or stops with a reason and the way to go on.
//! Every single failure on every wire is tested where it is handled, in the drivers.

use std::thread;

use crate::world::{World, text};

#[test]
fn a_failure_that_passes_is_shown_and_the_work_is_done() {
    let failures = [
        ("error: { status: 408, message: slow }", "408: slow"),
        ("error: { status: 429, message: too fast }", "429: too fast"),
        ("error: { status: 500, message: oops }", "500: oops"),
        ("cut_after: { chunks: 3 }, text: half of what was to be said", "the answer was cut off"),
        (r#"garbage: "data: nonsense\n\n""#, "the answer cannot be read"),
        ("garbage_base64: ZGF0YTog//4KCg==", "not UTF-8"),
    ];
    // The program waits a second before it tries again; all can wait at the same time.
    thread::scope(|scope| {
        for (reply, expected) in failures {
            scope.spawn(move || {
                let world = World::new(&format!(
                    "rules: [{{ when: {{ times: 1 }}, reply: {{ {reply} }} }}, {{ reply: {{ text: here I am }} }}]"
                ));
                let output = world.run_do("chat", &[]);
                let shown = text(&output.stdout);
                assert!(output.status.success(), "{reply}: {}", text(&output.stderr));
                assert!(shown.contains(expected) && shown.contains("here I am"), "{reply}: {shown}");
            });
        }
    });
}

#[test]
fn a_run_that_failed_goes_on_where_it_was_when_the_provider_is_back() {
    let script = "
rules:
  - when: { turn: 0 }
    reply: { tool_calls: [{ name: shell, args: { command: 'echo ran >> runs.txt' } }] }
  - when: { turn: 1, times: 4 }
    reply: { error: { status: 503, message: down, retry_after: 0 } }
  - when: { turn: 1 }
    reply: { text: back again }
";
    let world = World::new(script);
    let output = world.run_do("chat", &[]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("is not available after 4 tries: 503: down"), "{message}");
    assert!(message.contains("check your network, and that the model server is running"), "{message}");
    let output = world.amelia(&["resume", &world.run_id()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("back again"));
    assert_eq!(std::fs::read_to_string(world.worktree().join("runs.txt")).unwrap(), "ran\n");
}

#[test]
fn a_hundred_megabytes_cost_bounded_memory() {
    let world = World::new("rules: [{ reply: { text: '0123456789', repeat: 10000000, chunk: 100000 } }]");
    let arguments = world.doing("chat", &["--quiet"]);
    let ended = world.measured(&arguments);
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert!(ended.stderr.contains("the answer is larger than"), "{}", ended.stderr);
    assert!(ended.peak_megabytes < 160, "{} MB", ended.peak_megabytes);
}

#[test]
fn fifty_calls_in_one_turn_are_all_answered_in_their_order() {
    let reads = (0..50).map(|number| format!("{{ name: read_file, args: {{ path: 'no-{number}' }} }}"));
    let commands =
        (0..50).map(|number| format!("{{ name: shell, args: {{ command: 'echo {number} >> runs.txt' }} }}"));
    let list = |calls: Vec<String>| calls.join(", ");
    let world = World::new(&format!(
        "rules: [{{ when: {{ turn: 0 }}, reply: {{ tool_calls: [{}] }} }}, \
         {{ when: {{ turn: 1 }}, reply: {{ tool_calls: [{}] }} }}, \
         {{ when: {{ turn: 2 }}, reply: {{ text: all done }} }}]",
        list(reads.collect()),
        list(commands.collect()),
    ));
    let output = world.run_do("chat", &[]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let told = world.told(1);
    assert_eq!(told.len(), 50);
    for (number, result) in told.iter().enumerate() {
        assert!(result.contains(&format!("no-{number}`")), "{number}: {result}");
    }
    let ran = std::fs::read_to_string(world.worktree().join("runs.txt")).unwrap();
    let expected: String = (0..50).map(|number| format!("{number}\n")).collect();
    assert_eq!(ran, expected);
}

#[test]
fn a_cost_is_estimated_when_nobody_told_it_and_unknown_without_a_price() {
    let silent = "rules: [{ reply: { text: done, usage: { omit: true } } }]";
    let told = "rules: [{ reply: { text: done, usage: { input: 1000, output: 10 } } }]";
    for wire in ["chat", "responses", "messages"] {
        for (script, model, expected) in [
            (silent, "deepseek-chat", " USD"),
            (told, "deepseek-chat", " USD"),
            (silent, "scripted", "cost unknown"),
        ] {
            let world = World::new(script);
            let output = world.run_do_as(model, wire, &[]);
            let shown = text(&output.stdout);
            assert!(output.status.success(), "{}", text(&output.stderr));
            assert!(shown.contains(expected), "{wire}: {shown}");
            assert!(!shown.contains("0.0000 USD"), "{wire}: {shown}");
        }
    }
}

#[test]
fn nothing_that_a_model_or_a_command_says_moves_the_cursor() {
    let world = World::new(
        r#"
rules:
  - when: { turn: 0 }
    reply:
      thinking: "\e[2Jthinking"
      text: "\e]0;title\x07 and \e[1A\r over"
      tool_calls:
        - { name: shell, args: { command: "printf '\\033[2J\\033]0;t\\007'; printf '\\033[2J' >&2; touch $(printf 'a\\033[2Jb')" } }
        - { name: shell, args: { command: "printf '\\033[2J'; exit 3" } }
        - { name: "\e[2J", args: { "\e[2J": "\e[2J" } }
  - when: { turn: 1 }
    reply: { error: { status: 400, message: "\e[2J\x07 no" } }
"#,
    );
    let arguments = world.doing("chat", &[]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let output = world.command(&arguments).env("CLICOLOR_FORCE", "1").output().unwrap();
    let again = world.command(&["logs", &world.run_id()]).env("CLICOLOR_FORCE", "1").output().unwrap();
    let diff =
        world.command(&["diff", &world.run_id(), "--stat"]).env("CLICOLOR_FORCE", "1").output().unwrap();
    for bytes in [output.stdout, output.stderr, again.stdout, diff.stdout] {
        let shown = text(&bytes);
        assert!(shown.contains("\x1b["), "no colours: nothing is proved by {shown:?}");
        for evil in ["\x1b[2J", "\x1b]", "\x1b[1A", "\x07", "\r"] {
            assert!(!shown.contains(evil), "{evil:?}: {shown:?}");
        }
    }
}
