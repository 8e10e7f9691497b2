//! Callers that go away, stop reading, or have nothing more to say.

use std::time::Duration;

use amelia_core::recording::Channel;
use amelia_drivers::program::{GatewayToken, MeterReport};
use amelia_proxy::frame::ExchangeEnding;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::raw::{Fake, Seen, answer, connected, read_until, request, stream_of};
use crate::world::{Setup, World, scripted};

const PATH: &str = "/proxy/anthropic/v1/messages";
const BODY: &str = r#"{"model":"scripted","max_tokens":9,"messages":[],"stream":true}"#;
const START: &str = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":7}}}\n\n";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_that_leaves_in_the_middle_of_a_stream_ends_the_request() {
    let mut fake = Fake::answering(stream_of(START)).await;
    let mut world = World::with(Setup::new(fake.base_url())).await;
    let mut caller = connected(world.address).await;
    caller.write_all(request(PATH, &world.token(), BODY).as_bytes()).await.unwrap();
    read_until(&mut caller, "message_start").await;
    drop(caller);
    fake.gone().await;
    let MeterReport::Used(used) = world.told().await else { panic!("not used") };
    assert_eq!((used.input_tokens, used.output_tokens), (Some(7), Some(2)), "by what was streamed");
    assert_eq!(world.exchanges()[0].ending, ExchangeEnding::Left);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_that_leaves_before_the_answer_ends_the_request() {
    let mut fake = Fake::answering("").await;
    let mut world = World::with(Setup::new(fake.base_url())).await;
    let mut caller = connected(world.address).await;
    caller.write_all(request(PATH, &world.token(), BODY).as_bytes()).await.unwrap();
    fake.request().await;
    drop(caller);
    fake.gone().await;
    let MeterReport::Used(used) = world.told().await else { panic!("not used") };
    assert!(used.cost_usd.is_some_and(|cost| cost > 0.0), "by what was set aside");
    assert_eq!((world.spent().calls, world.spent().unpriced_calls), (1, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pass_that_ends_ends_what_is_under_way_and_tells_at_once_what_it_took() {
    let mut fake = Fake::answering(stream_of(START)).await;
    let world = World::with(Setup::new(fake.base_url())).await;
    let GatewayToken { token, mut metered, kept, .. } = world.gate.open(&Channel::default()).unwrap();
    let mut caller = connected(world.address).await;
    caller.write_all(request(PATH, token.reveal(), BODY).as_bytes()).await.unwrap();
    read_until(&mut caller, "message_start").await;
    drop(kept);
    let told = metered.try_recv();
    let Ok(MeterReport::Used(used)) = told else { panic!("{told:?}") };
    assert!(used.is_estimated && used.input_tokens == Some(7), "{used:?}");
    fake.gone().await;
    let rest = caller.read(&mut [0; 100]).await;
    assert!(matches!(rest, Ok(0) | Err(_)), "the caller sees the end: {rest:?}");
    assert_eq!(world.spent().calls, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_that_has_nothing_more_to_say_still_gets_its_answer() {
    let server =
        scripted("rules: [{reply: {text: a long answer, delay_ms: 300, chunk: 2, chunk_delay_ms: 20}}]")
            .await;
    let world = World::on(&server).await;
    let body = BODY.replace("[]", r#"[{"role":"user","content":"x"}]"#);
    for body in [body.replace("true", "false"), body] {
        let mut caller = connected(world.address).await;
        caller.write_all(request(PATH, &world.token(), &body).as_bytes()).await.unwrap();
        caller.shutdown().await.unwrap();
        let mut said = String::new();
        caller.read_to_string(&mut said).await.unwrap();
        assert!(said.starts_with("HTTP/1.1 200") && said.contains("end_turn"), "{said}");
    }
    assert_eq!(world.spent().calls, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_that_stops_reading_holds_up_the_upstream_and_is_given_up() {
    let event = format!("data: {}\n\n", "x".repeat(1 << 20));
    let piece = format!("{:x}\r\n{event}\r\n", event.len());
    let mut fake = Fake::answering(format!("{}{}", stream_of(START), piece.repeat(64))).await;
    let setup = Setup { patience: Duration::from_millis(300), ..Setup::new(fake.base_url()) };
    let mut world = World::with(setup).await;
    let mut caller = connected(world.address).await;
    caller.write_all(request(PATH, &world.token(), BODY).as_bytes()).await.unwrap();
    read_until(&mut caller, "message_start").await;
    let MeterReport::Used(used) = world.told().await else { panic!("not used") };
    assert_eq!(used.input_tokens, Some(7));
    fake.gone().await;
    let kept = &world.exchanges()[0];
    assert_eq!(kept.ending, ExchangeEnding::Left);
    assert!(kept.response.len() < 32 << 20, "{} bytes were taken for nobody", kept.response.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pieces_that_come_together_arrive_before_the_break_that_follows_them() {
    let pieces: String = (0..50).map(|piece| format!("9\r\n: {piece:05}\n\n\r\n")).collect();
    let fake = Fake::answering(format!("{}{pieces}no size\r\n", stream_of(START))).await;
    let mut world = World::with(Setup::new(fake.base_url())).await;
    let mut caller = connected(world.address).await;
    caller.write_all(request(PATH, &world.token(), BODY).as_bytes()).await.unwrap();
    let mut said = Vec::new();
    // The connection may also end with an error.
    caller.read_to_end(&mut said).await.ok();
    let said = String::from_utf8_lossy(&said);
    assert!(
        said.contains("message_start") && said.contains(": 00000\n") && said.contains(": 00049\n"),
        "{said}"
    );
    assert!(!said.ends_with("0\r\n\r\n"), "a cut answer does not end like a whole one: {said}");
    let MeterReport::Used(used) = world.told().await else { panic!("not used") };
    assert_eq!(used.input_tokens, Some(7));
    let kept = &world.exchanges()[0];
    assert_eq!(kept.ending, ExchangeEnding::Cut);
    assert_eq!(kept.response.len(), START.len() + 50 * 9);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_connection_serves_many_requests_and_so_does_the_one_to_the_upstream() {
    let mut fake = Fake::answering(answer("200 OK", "", "{}")).await;
    let world = World::with(Setup::new(fake.base_url())).await;
    let mut caller = connected(world.address).await;
    for _ in 0..20 {
        caller.write_all(request(PATH, &world.token(), BODY).as_bytes()).await.unwrap();
        read_until(&mut caller, "{}").await;
        assert!(matches!(fake.seen.recv().await, Some(Seen::Request(..))), "and no connection has ended");
    }
}
