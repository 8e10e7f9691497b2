//! What reaches the upstream, and what comes back when it is not well.

use amelia_drivers::model::Timeouts;
use amelia_drivers::program::MeterReport;
use std::time::Duration;

use serde_json::{Value, json};

use crate::raw::{Fake, answer, stream_of};
use crate::world::{KEY, Setup, World, calls, scripted};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_goes_on_as_it_came_with_the_key_in_the_place_of_the_token() {
    let mut fake = Fake::answering(answer("200 OK", "x-theirs: 1\r\nset-cookie: a=b\r\n", "{}")).await;
    let world = World::with(Setup::new(fake.base_url())).await;
    let body = r#"{ "model":"m" ,"odd":  [1.50]}"#;
    for (path, header) in
        [("/v1/responses", "authorization: bearer "), ("/anthropic/v1/messages", "x-api-key: ")]
    {
        let request = world.client.post(world.url(&format!("{path}?beta=true"))).body(body);
        let request = request
            .header("x-api-key", world.pass.token.reveal())
            .header("content-type", "application/json")
            .header("anthropic-version", "2023-06-01")
            .header("anthropic-beta", "one,two")
            .header("cookie", "mine=1")
            .header("accept-encoding", "gzip");
        let answer = request.send().await.unwrap();
        assert_eq!(answer.headers()["x-theirs"], "1");
        assert!(!answer.headers().contains_key("set-cookie"));
        assert_eq!(answer.text().await.unwrap(), "{}");
        let (head, got) = fake.request().await;
        assert_eq!(String::from_utf8(got).unwrap(), body);
        let below = path.rsplit('/').next().unwrap();
        assert!(head.starts_with(&format!("post /v1/{below}?beta=true http/1.1\r\n")), "{head}");
        for line in [
            &format!("{header}{KEY}"),
            "anthropic-version: 2023-06-01",
            "anthropic-beta: one,two",
            "accept-encoding: identity",
        ] {
            assert!(head.lines().any(|other| other == line), "{line}\n{head}");
        }
        assert!(!head.contains("cookie") && !head.contains("amp-"), "{head}");
        assert_eq!(head.matches(KEY).count(), 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn errors_of_the_upstream_pass_unchanged() {
    let script = "rules: [{reply: {error: {status: 529, message: too much, headers: {x-why: load}}}}]";
    let server = scripted(script).await;
    let world = World::on(&server).await;
    for (wire, path, body) in calls("hi") {
        let direct = path.replace("/anthropic", "");
        let straight =
            world.client.post(format!("{}{direct}", server.url())).json(&body).send().await.unwrap();
        let through = world.post(path, &body).await;
        assert_eq!(through.status(), straight.status());
        assert_eq!(through.headers()["x-why"], "load");
        assert_eq!(through.text().await.unwrap(), straight.text().await.unwrap(), "{wire}");
    }
    assert_eq!(world.spent().calls, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upstream_that_is_not_there_is_looked_for_each_time() {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let nobody = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let mut world = World::with(Setup::new(nobody.clone())).await;
    let (_, path, body) = &calls("hi")[2];
    for _ in 0..8 {
        let answer = world.post(path, body).await;
        assert_eq!(answer.status(), 502, "a program that asks again must learn that it is back");
        let said: Value = answer.json().await.unwrap();
        assert_eq!(said["error"]["type"], "api_error");
        assert!(
            said["error"]["message"].as_str().unwrap().starts_with("scripted cannot be reached"),
            "{said}"
        );
    }
    let MeterReport::Unreached { address, detail } = world.told().await else {
        panic!("the run is not told")
    };
    assert_eq!(address, nobody);
    assert!(detail.contains("refused"), "{detail}");
    assert!(tokio::time::timeout(Duration::from_millis(50), world.told()).await.is_err(), "told once");
    assert_eq!(world.spent().calls, 0, "nothing was asked, nothing is counted");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upstream_that_fails_again_and_again_is_spared_for_a_while() {
    let server = scripted("rules: [{ reply: { error: { status: 500, message: broken } } }]").await;
    let world = World::on(&server).await;
    let (_, path, body) = &calls("hi")[0];
    for _ in 0..5 {
        assert_eq!(world.post(path, body).await.status(), 500);
    }
    let held = world.post(path, body).await;
    assert_eq!(held.status(), 503);
    let seconds: u64 = held.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=30).contains(&seconds));
    assert_eq!(server.requests().len(), 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upstream_that_says_nothing_is_given_up() {
    let silent = Fake::answering("").await;
    let timeouts = Timeouts { idle: Duration::from_millis(50), ..Timeouts::default() };
    let world = World::with(Setup { timeouts, ..Setup::new(silent.base_url()) }).await;
    let (_, path, body) = &calls("hi")[0];
    assert_eq!(world.post(path, body).await.status(), 504);

    let mut stalled = Fake::answering(stream_of("data: {}\n\n")).await;
    let mut world = World::with(Setup { timeouts, ..Setup::new(stalled.base_url()) }).await;
    let answer = world.post(path, &json!({"model": "scripted", "messages": [], "stream": true})).await;
    assert_eq!(answer.status(), 200);
    assert!(answer.text().await.is_err(), "the cut is seen");
    world.told().await;
    stalled.gone().await;
}
