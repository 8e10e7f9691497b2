//! `/ws/runs`: all runs as they stand.

use std::time::{Duration, Instant};

use amelia_core::id::RunId;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::socket::Socket;
use crate::toys::FLOOD;
use crate::world::World;

async fn open(world: &World) -> Socket {
    let mut board = Socket::open(world, "/api/ws/runs").await;
    assert_eq!(board.next().await.unwrap(), json!({"type": "ready"}));
    board
}

fn has(run: RunId, status: &'static str) -> impl Fn(&Value) -> bool {
    move |said| said["run"]["id"] == run.to_string() && said["run"]["status"] == status
}

#[tokio::test]
async fn a_change_is_on_every_screen_at_once_and_the_last_word_is_the_truth() {
    let world = World::new().await;
    let mut boards = [open(&world).await, open(&world).await];
    let run = world.start("asks").await;
    world.until_it_waits(run).await;
    for board in &mut boards {
        let said = board.until(has(run, "awaiting_approval")).await;
        let last = said.last().unwrap();
        assert_eq!(
            (&last["pending"][0]["kind"], &last["run"]["pending_requests"]),
            (&json!("approval"), &json!(1))
        );
    }
    // Quiet for longer than a beat: the next change is told without waiting for one.
    tokio::time::sleep(Duration::from_millis(60)).await;
    let begun = Instant::now();
    world.post_to(run, "approve").await;
    let [one, two] = &mut boards;
    one.until(has(run, "running")).await;
    assert!(begun.elapsed() < Duration::from_millis(200), "{:?}", begun.elapsed());
    world.finish(run).await;
    for board in [one, two] {
        let said = board.until(has(run, "completed")).await;
        let listed = world.shown("/api/workflows").await["items"][0].clone();
        assert_eq!(said.last().unwrap()["run"], listed, "the same as in a list");
    }
    let gone = world.send(Method::DELETE, &format!("/api/workflows/{run}"), None).await;
    assert_eq!(gone.0, StatusCode::NO_CONTENT);
    let said = boards[0].until(|said| said["type"] == "removed").await;
    assert_eq!(said.last().unwrap()["id"], run.to_string());
}

#[tokio::test]
async fn a_flood_of_events_is_a_trickle_of_rows() {
    let world = World::new().await;
    let mut board = open(&world).await;
    let begun = Instant::now();
    let run = world.start("floods").await;
    world.gate.add_permits(1);
    let said = board.until(has(run, "completed")).await;
    let row = world.shown(&format!("/api/workflows/{run}")).await;
    assert!(row["sequence"].as_u64().unwrap() > FLOOD as u64);
    let beats = begun.elapsed().as_millis() / 40 + 2;
    assert!(said.len() as u128 <= beats, "{} messages in {beats} beats", said.len());
}

#[tokio::test]
async fn a_fork_waits_to_be_started_and_says_so_on_the_board_and_in_the_list() {
    let world = World::new().await;
    let run = world.start("works").await;
    world.until_it_works(run).await;
    let mut board = open(&world).await;
    let (_, body) = world.post(&format!("/api/workflows/{run}/fork"), json!({"at": 1})).await;
    let forked: RunId = body["id"].as_str().unwrap().parse().unwrap();
    let said = board.until(has(forked, "pending")).await;
    let of = |why: &Value| why["waiting_for"].as_str().unwrap().to_owned();
    assert_eq!(of(&said.last().unwrap()["run"]["why"]), "start");
    let listed = async || world.shown("/api/workflows").await["items"].clone();
    let items = listed().await;
    assert_eq!((of(&items[0]["why"]), of(&items[1]["why"])), ("start".to_owned(), "work".to_owned()));
    world.post_to(forked, "start").await;
    board.until(|said| has(forked, "running")(said) && of(&said["run"]["why"]) == "work").await;
    assert_eq!(of(&listed().await[0]["why"]), "work");
    let world = world.restart().await;
    let why = world.shown("/api/workflows").await["items"][0]["why"].clone();
    assert_eq!(of(&why), "work", "it was taken up again");
}
