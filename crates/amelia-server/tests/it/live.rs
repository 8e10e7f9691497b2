//! WebSockets.

use amelia_core::config::server::ServerConfig;
use amelia_core::event::Event;
use amelia_core::id::{RunId, Seq};
use amelia_core::run::RunStatus;
use serde_json::{Value, json};

use crate::socket::Socket;
use crate::toys::FLOOD;
use crate::world::World;

fn names(all: &[Value]) -> Vec<String> {
    let name = |said: &Value| match said["type"].as_str().unwrap() {
        "event" => said["payload"]["event_type"].as_str().unwrap().to_owned(),
        other => other.to_owned(),
    };
    all.iter().map(name).collect()
}

fn is(name: &'static str, run: RunId) -> impl Fn(&Value) -> bool {
    move |said| said["payload"]["event_type"] == name && said["payload"]["workflow_id"] == run.to_string()
}

#[tokio::test]
async fn a_new_socket_gets_the_outline_and_a_subscribed_one_everything() {
    let world = World::new().await;
    let mut outline = Socket::open(&world, "/ws/events").await;
    let mut all = Socket::open(&world, "/api/ws/events?subscribe=all").await;
    let run = world.start("talks").await;
    world.finish(run).await;
    let seen = outline.until(is("workflow_completed", run)).await;
    assert_eq!(names(&seen), ["workflow_created", "workflow_started", "workflow_completed"]);
    let seen = all.until(is("workflow_completed", run)).await;
    let events: Vec<String> = names(&seen).into_iter().filter(|name| name != "chunk").collect();
    assert_eq!(
        events,
        [
            "workflow_created",
            "workflow_started",
            "stage_started",
            "agent_output",
            "stage_completed",
            "workflow_completed"
        ]
    );
    let said: String = seen
        .iter()
        .filter(|said| said["type"] == "chunk")
        .inspect(|said| assert_eq!(said["payload"]["type"], "agent_output", "{said}"))
        .map(|said| said["payload"]["content"].as_str().unwrap())
        .collect();
    assert_eq!(said, "Hello, world");
}

#[tokio::test]
async fn subscriptions_choose_runs() {
    let world = World::new().await;
    let (one, two) = (world.start("works").await, world.start("works").await);
    world.until_it_works(one).await;
    world.until_it_works(two).await;
    let mut socket = Socket::open(&world, "/ws/events").await;
    socket.say(json!({"type": "subscribe", "workflow_id": two.to_string()})).await;
    // An answer to nonsense comes after what was said before it.
    socket.say(json!({"type": "nonsense"})).await;
    assert_eq!(socket.next().await.unwrap()["error"]["code"], "INVALID");
    world.finish_both(one, two).await;
    let seen = socket.until(is("workflow_completed", two)).await;
    assert!(seen.iter().all(|said| said["payload"]["workflow_id"] == two.to_string()), "{seen:?}");
    assert_eq!(names(&seen), ["stage_completed", "workflow_completed"]);
    socket.say(json!({"type": "unsubscribe", "workflow_id": two.to_string()})).await;
    socket.say(json!({"type": "subscribe_all"})).await;
    socket.say(json!({"type": "pong"})).await;
    for text in ["[", "7", "\"x\"", "{\"type\":\"subscribe\"}", "{\"type\":\"subscribe\",\"workflow_id\":1}"]
    {
        socket.send(text).await;
        // The end of the other run may still come in between.
        let seen = socket.until(|said| said["type"] == "error").await;
        assert!(seen.iter().rev().skip(1).all(|said| said["type"] == "event"), "{text}: {seen:?}");
    }
}

#[tokio::test]
async fn a_socket_that_comes_back_has_neither_gap_nor_repetition() {
    let world = World::new().await;
    let mut first = Socket::open(&world, "/ws/events?subscribe=all").await;
    let run = world.start("talks").await;
    let seen = first.until(is("stage_started", run)).await;
    let cursor = seen.iter().filter_map(|said| said["cursor"].as_u64()).max().unwrap();
    drop(first);
    world.finish(run).await;
    let mut second = Socket::open(&world, &format!("/ws/events?subscribe=all&since={cursor}")).await;
    let missed = second.until(|said| said["type"] == "backfill_complete").await;
    assert_eq!(
        names(&missed),
        ["agent_output", "stage_completed", "workflow_completed", "backfill_complete"]
    );
    assert_eq!(missed.last().unwrap()["count"], 3);
    let other = world.start("works").await;
    world.finish(other).await;
    let more = second.until(is("workflow_completed", other)).await;
    let mut cursors: Vec<u64> = seen
        .iter()
        .chain(&missed)
        .chain(&more)
        .filter(|said| said["type"] == "event")
        .map(|said| said["cursor"].as_u64().unwrap())
        .collect();
    let all = cursors.clone();
    cursors.sort_unstable();
    cursors.dedup();
    assert_eq!(all, cursors, "in order, each once");
    let mut whole = Socket::open(&world, "/ws/events?since=0").await;
    let replayed = whole.until(|said| said["type"] == "backfill_complete").await;
    let replayed: Vec<u64> = replayed
        .iter()
        .filter(|said| said["type"] == "event")
        .map(|said| said["cursor"].as_u64().unwrap())
        .collect();
    assert_eq!(replayed, all);
}

#[tokio::test]
async fn words_come_before_the_message_that_they_are() {
    let world = World::new().await;
    for _ in 0..20 {
        let run =
            world.all.start(crate::toys::spec("talks"), amelia_orchestrator::orchestrator::StartMode::Told);
        let run = run.await.unwrap();
        let mut socket = Socket::open(&world, &format!("/api/workflows/{run}/stream?format=log")).await;
        world.post_to(run, "start").await;
        let is_finished = |said: &Value| said.to_string().contains("\"finished\"");
        let seen = socket.until(is_finished).await;
        let words: String = seen
            .iter()
            .filter(|said| said["type"] == "delta")
            .map(|said| said["text"].as_str().unwrap())
            .collect();
        assert_eq!(words, "Hello, world", "{seen:?}");
        world.finish(run).await;
    }
}

#[tokio::test]
async fn a_run_is_followed_over_a_restart_by_its_sequence() {
    let world = World::new().await;
    let run = world.start("talks").await;
    let mut socket = Socket::open(&world, &format!("/tasks/{run}/events")).await;
    let mut seen = socket.until(|said| said["type"] == "event_agent_complete").await;
    let after = seen.last().unwrap()["sequence"].as_u64().unwrap();
    let world = world.restart().await;
    assert!(socket.next().await.is_none(), "the server said goodbye");
    let mut socket = Socket::open(&world, &format!("/api/workflows/{run}/events?after={after}")).await;
    world.finish(run).await;
    seen.extend(socket.until(|said| said["type"] == "event_task_complete").await);
    let page = world.shown(&format!("/api/tasks/{run}/events?format=agentx")).await;
    assert_eq!(json!(seen), page["items"], "what was sent is what is in the log");
}

#[tokio::test]
async fn a_stream_carries_events_as_they_are_stored() {
    let world = World::new().await;
    let mut order = world.order("talks");
    order["queue"] = json!(true);
    let (_, body) = world.post("/api/workflows", order).await;
    let run: RunId = body["id"].as_str().unwrap().parse().unwrap();
    let mut socket = Socket::open(&world, &format!("/workflows/{run}/stream?format=log&after=1")).await;
    world.post_to(run, "start").await;
    world.finish(run).await;
    let stored = world.all.runs().store().events(run, Seq(1), 500).await.unwrap();
    let end = json!(stored.last().unwrap().seq);
    let said = socket.until(|said| said["payload"]["seq"] == end).await;
    let (events, chunks): (Vec<&Value>, Vec<&Value>) = said.iter().partition(|said| said["type"] == "event");
    let read: Vec<Event> =
        events.iter().map(|said| serde_json::from_value(said["payload"].clone()).unwrap()).collect();
    assert_eq!(read, stored);
    let text: String = chunks.iter().map(|said| said["text"].as_str().unwrap()).collect();
    assert_eq!(text, "Hello, world");
    assert!(chunks.iter().all(|said| said["type"] == "delta"), "{chunks:?}");
}

#[tokio::test]
async fn a_stream_of_lines_says_the_same_with_many_in_one_frame() {
    let world = World::new().await;
    let run = world.start("floods").await;
    world.finish(run).await;
    let stored = whole_log(&world, run).await;
    let mut socket = Socket::open(&world, &format!("/tasks/{run}/stream?format=lines")).await;
    let (mut read, mut frames) = (Vec::new(), 0);
    while read.len() < stored.len() {
        let frame = socket.frame().await.expect("closed");
        frames += 1;
        for line in frame.lines() {
            let said: Value = serde_json::from_str(line).unwrap();
            assert_eq!(said["type"], "event", "{said}");
            read.push(serde_json::from_value::<Event>(said["payload"].clone()).unwrap());
        }
    }
    assert!(read == stored, "in order, each once");
    assert!(frames * 50 < read.len(), "{} in {frames} frames", read.len());
    let after = stored.len() - 3;
    let mut socket = Socket::open(&world, &format!("/tasks/{run}/stream?format=lines&after={after}")).await;
    assert_eq!(socket.frame().await.unwrap().lines().count(), 3);
}

async fn whole_log(world: &World, run: RunId) -> Vec<Event> {
    let mut all: Vec<Event> = Vec::new();
    loop {
        let after = all.last().map_or(Seq::START, |event| event.seq);
        let page = world.all.runs().store().events(run, after, 1000).await.unwrap();
        if page.is_empty() {
            return all;
        }
        all.extend(page);
    }
}

#[tokio::test]
async fn a_reader_that_comes_in_the_middle_of_an_answer_gets_it_from_its_beginning() {
    let world = World::new().await;
    let mut order = world.order("speaks");
    order["queue"] = json!(true);
    let (_, body) = world.post("/api/workflows", order).await;
    let run: RunId = body["id"].as_str().unwrap().parse().unwrap();
    let mut early = Socket::open(&world, &format!("/tasks/{run}/content")).await;
    world.post_to(run, "start").await;
    for word in ["Hello, ", "world"] {
        assert_eq!(early.next().await.unwrap()["text"], word);
    }
    let mut late = Socket::open(&world, &format!("/tasks/{run}/stream?format=log&unfinished=true")).await;
    let mut said = late.next().await.unwrap();
    let mut last = 0;
    while said["type"] == "event" {
        last = said["payload"]["seq"].as_u64().unwrap();
        said = late.next().await.unwrap();
    }
    assert_eq!((&said["type"], &said["text"]), (&json!("delta"), &json!("Hello, world")), "{said}");
    assert_eq!(last, world.all.runs().store().run(run).await.unwrap().unwrap().view.seq.0, "behind the log");
    world.finish(run).await;
}

#[tokio::test]
async fn content_and_stream_carry_what_is_being_said() {
    let world = World::new().await;
    let mut order = world.order("talks");
    order["queue"] = json!(true);
    let (_, body) = world.post("/api/workflows", order).await;
    let run: RunId = body["id"].as_str().unwrap().parse().unwrap();
    let mut content = Socket::open(&world, &format!("/tasks/{run}/content")).await;
    let mut both = Socket::open(&world, &format!("/tasks/{run}/stream")).await;
    world.post_to(run, "start").await;
    world.finish(run).await;
    let (one, two) = (content.next().await.unwrap(), content.next().await.unwrap());
    assert_eq!(
        (&one["type"], &one["text"], &two["text"]),
        (&json!("content_chunk"), &json!("Hello, "), &json!("world"))
    );
    let all = both.until(|said| said["type"] == "event_task_complete").await;
    let kinds: Vec<&str> = all.iter().map(|said| said["type"].as_str().unwrap()).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == "content_chunk").count(), 2, "{kinds:?}");
    assert!(kinds.contains(&"event_agent_start"), "{kinds:?}");
}

#[tokio::test]
async fn a_socket_for_one_kind_of_event_sends_it_alone_after_a_sequence_number() {
    let world = World::new().await;
    let run = world.start("keeps").await;
    world.until_it_waits(run).await;
    for (path, expected) in [
        ("memory", &["event_memory_store"][..]),
        ("guardrails", &["event_guardrail_policy_update"]),
        ("artifacts", &["event_artifact_modified", "event_artifact_versioned"]),
        ("hitl", &["event_hitl_request"]),
    ] {
        for base in ["/tasks", "/api/workflows"] {
            let mut socket = Socket::open(&world, &format!("{base}/{run}/{path}")).await;
            let mut seen = Vec::new();
            for kind in expected {
                let said = socket.next().await.unwrap();
                assert_eq!(said["type"], *kind, "{path}: {said}");
                seen.push(said["sequence"].as_u64().unwrap());
            }
            let before = seen[seen.len() - 1] - 1;
            let mut late = Socket::open(&world, &format!("{base}/{run}/{path}?after={before}")).await;
            assert_eq!(late.next().await.unwrap()["sequence"], seen[seen.len() - 1], "{path}");
        }
    }
    let mut hitl = Socket::open(&world, &format!("/tasks/{run}/hitl")).await;
    assert_eq!(hitl.next().await.unwrap()["type"], "event_hitl_request");
    world.post_to(run, "approve").await;
    assert_eq!(hitl.next().await.unwrap()["type"], "event_hitl_response");
    world.finish(run).await;
    for path in ["guardrails", "hitl"] {
        assert_eq!(world.get(&format!("/tasks/{run}/{path}")).await.0, 400, "{path} is a WebSocket");
    }
}

#[tokio::test]
async fn a_client_that_never_reads_does_not_slow_a_run_and_is_let_go() {
    let config = ServerConfig { websocket_idle_timeout_seconds: 1.0, ..ServerConfig::default() };
    let world = World::with(config).await;
    let mut deaf = Vec::new();
    for path in ["/ws/events?subscribe=all", "/ws/events?since=0", "/ws/runs"] {
        deaf.push(Socket::open(&world, path).await);
    }
    let run = world.start("floods").await;
    deaf.push(Socket::open(&world, &format!("/tasks/{run}/stream")).await);
    world.finish(run).await;
    let row = world.until(run, |status| status == RunStatus::Completed).await;
    assert!(row.view.seq.0 > FLOOD as u64);
    // The server ends although nobody has read a word: the sockets do not hold it.
    world.stop().await;
}

#[tokio::test]
async fn a_silent_peer_is_let_go() {
    let config = ServerConfig { websocket_idle_timeout_seconds: 0.2, ..ServerConfig::default() };
    let world = World::with(config).await;
    let run = world.start("works").await;
    world.until_it_works(run).await;
    let mut board = Socket::open(&world, "/ws/runs").await;
    assert_eq!(board.next().await.unwrap()["type"], "ready");
    assert!(board.next().await.is_none());
    for path in ["/ws/events".to_owned(), format!("/tasks/{run}/content")] {
        let mut socket = Socket::open(&world, &path).await;
        assert!(socket.next().await.is_none(), "{path}");
    }
}

#[tokio::test]
async fn a_socket_is_refused_like_any_other_request() {
    let world = World::new().await;
    let refused = async |path: &str, headers: &[(&'static str, &str)]| {
        Socket::try_open(&world, path, headers).await.err()
    };
    assert_eq!(refused("/ws/events", &[("authorization", "Bearer no")]).await, Some(401));
    assert_eq!(refused("/ws/events", &[("origin", "http://evil.test")]).await, Some(403));
    assert_eq!(refused("/ws/events", &[("host", "evil.test")]).await, Some(403));
    assert_eq!(refused("/ws/events?since=x", &[]).await, Some(422));
    assert_eq!(refused("/ws/events?subscribe=x", &[]).await, Some(422));
    assert_eq!(refused("/tasks/nonsense/stream", &[]).await, Some(404));
    assert_eq!(refused("/tasks/0199a0de-0000-7000-8000-000000000000/stream", &[]).await, Some(404));
    assert_eq!(world.get("/api/ws/events").await.0, 400, "a plain request is told what this is");
}
