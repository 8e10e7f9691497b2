//! Servers that fail in every way there is: a named end, no hang, no panic, bounded memory.

use std::time::Duration;

use amelia_drivers::model::WireFormat;
use amelia_scripted::{Script, ScriptedServer, serve};

use crate::asking::{Asking, notices, result};

const WIRES: [WireFormat; 3] = [WireFormat::Chat, WireFormat::Responses, WireFormat::Messages];

async fn server(script: &str) -> ScriptedServer {
    let script = Script::parse(script).unwrap_or_else(|error| panic!("{error}"));
    serve(script, ([127, 0, 0, 1], 0).into()).await.unwrap()
}

/// How it ends when the server always answers so, and how often it was asked.
async fn always(wire: WireFormat, reply: &str) -> (String, usize) {
    let server = server(&format!("rules: [{{ reply: {{ {reply} }} }}]")).await;
    let asking = Asking { retries: 2, ..Asking::new(format!("{}/v1", server.url()), wire) };
    let (_, error) = asking.ask("hello").await;
    let asked = server.requests().len();
    server.shutdown().await;
    (error.map(|error| error.to_string()).unwrap_or_default(), asked)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_may_pass_is_tried_again_and_then_named() {
    for (reply, expected) in [
        ("error: { status: 408, message: slow }", "408: slow"),
        ("error: { status: 429, message: too fast }", "429: too fast"),
        ("error: { status: 429, message: too fast, retry_after: 0 }", "429: too fast"),
        ("error: { status: 500, message: oops }", "500: oops"),
        ("error: { status: 503, message: busy }", "503: busy"),
        ("error: { status: 529, message: overloaded }", "529: overloaded"),
        ("error: { status: 503, body: '<html>a proxy says no</html>' }", "503: <html>a proxy says no</html>"),
        ("error: { status: 500, message: 'in the middle', after: 2 }, text: some words", "in the middle"),
        ("cut_after: { bytes: 0 }, text: hello", "cut off"),
        ("cut_after: { chunks: 2 }, text: a long enough answer that has several chunks", "cut off"),
        ("garbage: '<html>not a model</html>'", "not a stream of events but `<html>not a model</html>`"),
        (r#"garbage: '{"choices": []}'"#, r#"not a stream of events but `{"choices": []}`"#),
        ("garbage: ''", "cut off"),
        (r#"garbage: "data: {\"a\":\n\n""#, "the answer cannot be read"),
        // `data: ` and two bytes that no text has.
        ("garbage_base64: ZGF0YTog//4KCg==", "the answer cannot be read: not UTF-8"),
    ] {
        for wire in WIRES {
            let (message, asked) = always(wire, reply).await;
            assert!(
                message.starts_with("here is not available after 3 tries: "),
                "{wire} {reply}: {message}"
            );
            assert!(message.contains(expected), "{wire} {reply}: {message}");
            assert_eq!(asked, 3, "{wire} {reply}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn permanent_errors_are_not_retried_as_transient() {
    for (reply, expected, tries) in [
        ("error: { status: 400, message: bad field }", "here refused the request (400): bad field", 1),
        ("error: { status: 401, message: who }", "here refused the key: 401: who", 1),
        ("error: { status: 403, message: no }", "here refused the key: 403: no", 1),
        ("error: { status: 404, message: no model }", "here does not know the model `scripted`", 1),
        // One message cannot be shortened.
        ("error: { status: 413, message: big }", "the conversation is too long for `scripted`", 1),
        (
            "error: { status: 429, message: later, retry_after: 7200 }",
            "the usage limit of here is reached",
            1,
        ),
        ("error: { status: 503, message: later, retry_after: 7200 }", "here is not available: ", 1),
    ] {
        for wire in WIRES {
            let (message, asked) = always(wire, reply).await;
            assert!(message.starts_with(expected), "{wire} {reply}: {message}");
            assert_eq!(asked, tries, "{wire} {reply}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_that_stalls_is_left_and_asked_again() {
    for wire in WIRES {
        let server = server(
            "rules: [{ when: { times: 1 }, reply: { stall_after: { chunks: 2 }, text: half of it } }, \
             { reply: { text: all of it } }]",
        )
        .await;
        let idle = Duration::from_secs(1);
        let asking = Asking { idle, retries: 1, ..Asking::new(format!("{}/v1", server.url()), wire) };
        let (said, error) = asking.ask("hello").await;
        assert_eq!((result(&said), error), (Some("all of it"), None), "{wire}");
        let [notice] = notices(&said)[..] else { panic!("{wire}: {said:?}") };
        let address = format!("at {}/v1: no data for 1 s; trying again in 0.0 s (2 of 2)", server.url());
        assert!(notice.ends_with(&address), "{wire}: {notice}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_at_the_address_is_said_so() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let asking = Asking { retries: 1, ..Asking::new(format!("http://{closed}/v1"), WireFormat::Chat) };
    let (_, error) = asking.ask("hello").await;
    let message = error.unwrap().to_string();
    assert!(message.starts_with("here is not available after 2 tries: cannot connect: "), "{message}");
}

/// So many megabytes, in events of so many characters.
async fn is_too_much(wire: WireFormat, megabytes: u32, chunk: u32) {
    let tens = megabytes * 100_000;
    let (message, asked) = always(wire, &format!("text: '0123456789', repeat: {tens}, chunk: {chunk}")).await;
    assert!(message.starts_with("here returned no usable response: the answer is larger than "), "{message}");
    assert_eq!(asked, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_megabytes_over_chat_are_refused() {
    is_too_much(WireFormat::Chat, 100, 100_000).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_megabytes_over_responses_are_refused() {
    is_too_much(WireFormat::Responses, 100, 100_000).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_megabytes_in_a_single_event_are_refused() {
    is_too_much(WireFormat::Messages, 20, u32::MAX).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_with_impossible_names_are_answered_not_dropped() {
    let long = "x".repeat(300);
    for (name, id) in
        [("", "a"), (".", "a"), ("a.", "a"), ("a\\nb", "a"), ("tool", ""), ("tool", "a\\tb"), (&long, &long)]
    {
        for wire in WIRES {
            let server = server(&format!(
                "rules: [{{ when: {{ turn: 0 }}, reply: {{ tool_calls: [{{ name: \"{name}\", id: \"{id}\" }}] }} }}, \
                 {{ when: {{ last: there is no tool }}, reply: {{ text: I see. }} }}]"
            ))
            .await;
            let (said, error) = Asking::new(format!("{}/v1", server.url()), wire).ask("hello").await;
            assert_eq!((result(&said), error), (Some("I see."), None), "{wire} {name:?} {id:?}");
        }
    }
}
