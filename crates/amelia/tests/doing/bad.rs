use crate::world::{FIX, KEY, World, text};

/// Exit code and message of `amelia do` with a script.
fn refused(script: &str, more: &[&str]) -> (i32, String) {
    let world = World::new(script);
    let output = world.run_do("chat", more);
    (output.status.code().unwrap(), text(&output.stderr))
}

fn error(status: u16, more: &str) -> String {
    format!("rules: [{{ reply: {{ error: {{ status: {status}, message: 'no, {KEY} is wrong' {more} }} }} }}]")
}

#[test]
fn a_model_that_is_not_there_is_named_with_its_address() {
    let world = World::new("rules:\n  - reply: { text: x }\n");
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let base = format!("http://{free}/v1");
    let output =
        world.amelia(&["do", "it", "--model", "m", "--base-url", &base, "--api-key-env", "SAMPLE_KEY"]);
    let message = text(&output.stderr);
    assert!(message.contains(&format!("{free}: Connection refused")), "{message}");
}

#[test]
fn each_refusal_of_a_provider_has_its_name_and_keeps_the_key_out() {
    for (status, code, expected) in [
        (400, 1, "refused the request (400)"),
        (401, 1, "refused the key"),
        (403, 1, "refused the key"),
        (404, 1, "does not know the model `scripted`"),
        (413, 1, "too long for `scripted`"),
    ] {
        let (found, message) = refused(&error(status, ""), &[]);
        assert_eq!(found, code, "{status}: {message}");
        assert!(message.contains(expected), "{status}: {message}");
        assert!(!message.contains(KEY), "{status}: {message}");
        assert!(message.contains("hint:"), "{status}: {message}");
    }
}

#[test]
fn a_usage_limit_pauses_the_run_with_its_reason() {
    let (code, message) = refused(&error(429, ", retry_after: 3600"), &[]);
    assert_eq!(code, 6, "{message}");
    assert!(message.contains("the usage limit of openai-compatible is reached until "), "{message}");
}

#[test]
fn a_passing_failure_is_tried_again() {
    let script = "
rules:
  - when: { times: 1 }
    reply: { error: { status: 529, message: overloaded, retry_after: 0 } }
  - when: { times: 1 }
    reply: { error: { status: 503, message: busy, retry_after: 0 } }
  - reply: { text: here I am }
";
    let world = World::new(script);
    let output = world.run_do("chat", &[]);
    let shown = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(shown.contains("529") && shown.contains("503") && shown.contains("here I am"), "{shown}");
}

#[test]
fn a_model_that_repeats_a_failing_call_is_stopped_and_can_go_on() {
    let script = "
rules:
  - when: { last: try another way }
    reply: { text: I give up on that file. }
  - reply: { tool_calls: [{ name: read_file, args: { path: nowhere.txt } }] }
";
    let world = World::new(script);
    let output = world.run_do("chat", &[]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(6), "{message}");
    assert!(message.contains("the agent made the same failing call 4 times: read_file"), "{message}");
    let output =
        world.amelia(&["resume", &world.run_id(), "--approve", "--message", "please try another way"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("I give up on that file."));
}

#[test]
fn a_model_that_repeats_several_failing_calls_is_stopped_too() {
    let calls =
        "[{ name: read_file, args: { path: nowhere } }, { name: shell, args: { command: 'exit 3' } }]";
    let (code, message) = refused(&format!("rules: [{{ reply: {{ tool_calls: {calls} }} }}]"), &[]);
    assert_eq!(code, 6, "{message}");
    assert!(message.contains("the agent made the same failing call 4 times: read_file"), "{message}");
    assert!(message.contains("exit code 3"), "{message}");
}

#[test]
fn turns_are_limited_and_silence_is_named() {
    let endless = "rules: [{ reply: { tool_calls: [{ name: list_files, args: {} }] } }]";
    let (code, message) = refused(endless, &["--max-turns", "3"]);
    assert_eq!(code, 6, "{message}");
    assert!(message.contains("3 turns are used up"), "{message}");
    let (code, message) = refused("rules: [{ reply: { text: '' } }]", &[]);
    assert_eq!(code, 6, "{message}");
    assert!(message.contains("the model returned no answer 3 times"), "{message}");
}

#[test]
fn bad_tool_calls_are_explained_to_the_model() {
    let script = r#"
rules:
  - when: { turn: 0 }
    reply:
      tool_calls:
        - { name: read_file, raw_args: '{"path": ' }
        - { name: read_file, args: { path: 7 } }
        - { name: reed_file, args: { path: calc.sh } }
        - { name: read_file, args: { path: ../../../../../../etc/passwd } }
        - { name: read_file, args: { path: /etc/passwd } }
  - when: { turn: 1 }
    reply: { text: I see. }
"#;
    for wire in ["chat", "responses", "messages"] {
        let world = World::new(script);
        let output = world.run_do(wire, &[]);
        assert!(output.status.success(), "{wire}: {}", text(&output.stderr));
        let told = world.server.requests()[1].body.to_string();
        for expected in [
            "the arguments are not a JSON object",
            "`/path`: the value is not of type",
            "there is no tool `reed_file`; did you mean read_file",
            "leads outside the worktree",
        ] {
            assert!(told.contains(expected), "{wire}: {expected}: {told}");
        }
        assert!(!told.contains("root:x:"), "{wire}: {told}");
    }
}

#[test]
fn a_budget_stops_before_it_is_exceeded_and_can_be_raised() {
    let script = "
rules:
  - when: { turn: 0 }
    reply: { tool_calls: [{ name: list_files, args: {} }], usage: { input: 100000, output: 1000 } }
  - when: { turn: 1 }
    reply: { text: finished, usage: { input: 1000, output: 10 } }
";
    let world = World::new(script);
    let arguments = world.doing("chat", &["--budget", "0.01"]);
    let arguments: Vec<&str> = arguments
        .iter()
        .map(|word| if word == "scripted" { "deepseek-chat" } else { word.as_str() })
        .collect();
    let output = world.amelia(&arguments);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(6), "{message}");
    assert!(message.contains("the budget of 0.0100 USD would be exceeded"), "{message}");
    assert_eq!(world.server.requests().len(), 1, "at most one call beyond");
    let output = world.amelia(&["resume", &world.run_id(), "--approve", "--budget", "1"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn places_that_cannot_be_worked_in_are_refused() {
    let world = World::new(FIX);
    let arguments = world.doing("chat", &[]);
    let elsewhere = tempfile::tempdir().unwrap();
    let output = world
        .command(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
        .current_dir(&elsewhere)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(5));
    assert!(text(&output.stderr).contains("is not in a git repository"), "{}", text(&output.stderr));

    std::fs::write(world.repository().join("calc.sh"), "changed").unwrap();
    let output = world.run_do("chat", &["--in-place"]);
    assert_eq!(output.status.code(), Some(5));
    assert!(
        text(&output.stderr).contains("has changes that are not committed: `calc.sh`"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn wrong_usage_says_what_is_missing() {
    let world = World::new(FIX);
    for (arguments, expected) in [
        (&["do", "x"][..], "no API key is set: none of ANTHROPIC_API_KEY"),
        (&["do", " "], "the task is missing"),
        (&["do", "x", "--provider", "nobody"], "`nobody` is not a provider"),
        (&["do", "x", "--provider", "groq"], "there is no default model of groq"),
        (&["do", "x", "--provider", "openai"], "the variable `OPENAI_API_KEY` is not set"),
        (&["do", "x", "--budget", "-1"], "expected an amount in USD"),
    ] {
        let output = world.amelia(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(expected), "{arguments:?}: {}", text(&output.stderr));
    }
}

#[test]
fn a_run_whose_model_said_nothing_readable_is_played_again() {
    for reply in [
        "garbage: 'data: {nothing'",
        "garbage: \"data: {nothing\\n\\n\"",
        "{ text: one two three, error: { status: 500, message: broken, after: 2 } }",
    ] {
        let reply = if reply.starts_with('{') { reply.to_owned() } else { format!("{{ {reply} }}") };
        let world = World::new(&format!("rules: [{{ reply: {reply} }}]"));
        let out = world.run_do("chat", &["--max-turns", "3"]);
        assert!(!out.status.success(), "{reply}: {}", text(&out.stdout));
        let played = world.amelia(&["replay", &world.run_id()]);
        assert!(played.status.success(), "{reply}: {}{}", text(&played.stdout), text(&played.stderr));
    }
}

#[test]
fn a_damaged_event_is_named_in_its_place_and_the_rest_of_the_log_is_shown() {
    let world = World::new(FIX);
    assert!(world.run_do("chat", &["--quiet"]).status.success());
    let whole = text(&world.amelia(&["logs", &world.run_id()]).stdout);
    let file = world.home().join("amelia.db");
    let mut bytes = std::fs::read(&file).unwrap();
    let words = b"I look at the code first.";
    let places: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(words)).collect();
    assert!(!places.is_empty());
    places.into_iter().for_each(|at| bytes[at] = b'~');
    std::fs::write(&file, bytes).unwrap();
    for more in [&[][..], &["--follow"]] {
        let shown = world.amelia(&[&["logs", &world.run_id()], more].concat());
        assert!(shown.status.success(), "{}", text(&shown.stderr));
        let shown = text(&shown.stdout);
        assert!(shown.contains("is damaged: its checksum does not match"), "{shown}");
        assert!(shown.contains("created:") && shown.contains("completed"), "{shown}");
        if more.is_empty() {
            assert_eq!(shown.lines().count(), whole.lines().count(), "{shown}");
            assert_eq!(shown.lines().last(), whole.lines().last());
        }
    }
}
