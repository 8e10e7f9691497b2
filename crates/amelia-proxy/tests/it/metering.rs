//! What a call took is what the provider says, in every format, streaming and not.

use amelia_core::driver::Usage;
use amelia_drivers::model::WireFormat;
use amelia_drivers::program::MeterReport;
use serde_json::json;

use crate::world::{MODEL, World, calls, scripted};

const SCRIPT: &str = "
rules:
  - when: {last: cut}
    reply: {text: a text that is cut, chunk: 2, cut_after: {chunks: 4}, usage: {input: 100, output: 20}}
  - when: {last: silent}
    reply: {text: hello, usage: {omit: true}}
  - when: {last: wrong}
    reply: {error: {status: 400, message: bad}}
  - reply: {text: hello there, chunk: 3, usage: {input: 100, output: 20, cache_read: 60, cache_write: 5}}
";

fn usage(told: MeterReport) -> Usage {
    let MeterReport::Used(usage) = told else { panic!("{told:?}") };
    assert!(usage.duration_ms.is_some());
    Usage { duration_ms: None, ..usage }
}

fn numbers(usage: &Usage) -> (Option<u64>, Option<u64>, Option<u64>) {
    (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn usage_is_what_the_provider_says_in_every_format() {
    let server = scripted(SCRIPT).await;
    all_are_counted(World::on(&server).await).await;
}

/// Another address of this machine is as far away as any.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upstream_that_is_far_away_is_counted_too() {
    let script = amelia_scripted::Script::parse(SCRIPT).unwrap();
    let server = amelia_scripted::serve(script, ([127, 0, 0, 2], 0).into()).await.unwrap();
    all_are_counted(World::on(&server).await).await;
}

async fn all_are_counted(mut world: World) {
    for (wire, path, mut body) in calls("hi") {
        for is_stream in [false, true] {
            body["stream"] = json!(is_stream);
            let answer = world.post(path, &body).await;
            assert_eq!(answer.status(), 200);
            let text = answer.text().await.unwrap();
            assert!(text.contains("hel"), "{text}");
            let used = usage(world.told().await);
            // What was written to a cache is not input of ours; Chat does not tell it.
            let input = if wire == WireFormat::Chat { 100 } else { 95 };
            assert_eq!(numbers(&used), (Some(input), Some(20), Some(60)), "{wire} {is_stream}");
            assert_eq!((used.model.as_deref(), used.num_turns), (Some(MODEL), Some(1)));
            assert!(used.cost_usd.unwrap() > 0.0);
        }
    }
    let spent = world.spent();
    // It counts as tokens all the same.
    assert_eq!((spent.calls, spent.tokens, spent.unpriced_calls), (6, 6 * 120, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_chat_stream_tells_its_usage_although_nobody_asked() {
    let server = scripted(SCRIPT).await;
    let mut world = World::on(&server).await;
    let [(_, path, mut body), ..] = calls("hi");
    body["stream"] = json!(true);
    world.post(path, &body).await.text().await.unwrap();
    assert_eq!(numbers(&usage(world.told().await)), (Some(100), Some(20), Some(60)));
    body["stream_options"] = json!({"include_usage": true});
    assert_eq!(server.requests()[0].body, body, "nothing else is changed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_that_is_cut_counts_with_what_is_known_or_estimated() {
    let server = scripted(SCRIPT).await;
    let mut world = World::on(&server).await;
    for (wire, path, mut body) in calls("cut") {
        body["stream"] = json!(true);
        assert!(world.post(path, &body).await.text().await.is_err(), "{wire}: the cut goes through");
        let used = usage(world.told().await);
        assert!(used.input_tokens > Some(0) && used.cost_usd > Some(0.0), "{wire}: {used:?}");
    }
    let spent = world.spent();
    assert_eq!((spent.calls, spent.unpriced_calls), (3, 0));
    assert!(spent.tokens > 0 && spent.usd > 0.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_without_usage_is_estimated_and_a_refused_one_not_counted_at_all() {
    let server = scripted(SCRIPT).await;
    let mut world = World::on(&server).await;
    for (_, path, body) in calls("silent") {
        world.post(path, &body).await.text().await.unwrap();
        let used = usage(world.told().await);
        assert!(used.input_tokens > Some(0) && used.cost_usd > Some(0.0), "{used:?}");
    }
    for (_, path, body) in calls("wrong") {
        assert_eq!(world.post(path, &body).await.status(), 400);
    }
    let spent = world.spent();
    assert_eq!((spent.calls, spent.unpriced_calls), (3, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn embeddings_count_and_looking_does_not() {
    let server = scripted(SCRIPT).await;
    let mut world = World::on(&server).await;
    let models = world.client.get(world.url("/v1/models")).bearer_auth(world.token()).send().await.unwrap();
    assert_eq!(models.status(), 200);
    let counted = json!({"model": MODEL, "messages": [{"role": "user", "content": "hi"}]});
    assert_eq!(world.post("/anthropic/v1/messages/count_tokens", &counted).await.status(), 200);
    let embedded = world.post("/v1/embeddings", &json!({"model": MODEL, "input": "a cat"})).await;
    assert_eq!(embedded.status(), 200);
    embedded.bytes().await.unwrap();
    let used = usage(world.told().await);
    assert!(
        used.input_tokens > Some(0) && used.output_tokens == Some(0) && used.cost_usd.is_some(),
        "{used:?}"
    );
    assert_eq!(world.spent().calls, 1);
}
