//! Clients that disconnect in the middle of a command: it is carried out to its end, or was never begun.

use std::time::Duration;

use amelia_core::run::RunStatus;
use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::world::{TOKEN, World};

impl World {
    /// Sends a whole request and never reads the answer.
    async fn send_only(&self, path: &str, body: &Value) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let body = body.to_string();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
        stream
    }

    /// Every run of the store is in the list, with the same status.
    async fn list_is_true(&self) -> Vec<Value> {
        let rows = self.all.runs().store().runs(&Default::default()).await.unwrap();
        let list = self.shown("/api/workflows?limit=100").await;
        let items = list["items"].as_array().unwrap().clone();
        assert_eq!(items.len(), rows.len().min(100), "{list}");
        items
    }
}

#[tokio::test]
async fn a_start_whose_client_has_gone_is_carried_out() {
    let world = World::new().await;
    let client = world.send_only("/api/workflows", &world.order("held")).await;
    world.held.acquire().await.unwrap().forget();
    drop(client);
    // The server has noticed when it could: other requests are answered meanwhile.
    for _ in 0..20 {
        world.shown("/api/workflows").await;
    }
    world.gate.add_permits(2);
    let mut changes = world.all.feed(0);
    let (_, created) = tokio::time::timeout(Duration::from_secs(20), changes.next()).await.unwrap().unwrap();
    let run = created.run;
    world.until(run, |status| status == RunStatus::Completed).await;
    assert_eq!(world.list_is_true().await[0]["id"], json!(run));
}

#[tokio::test]
async fn commands_abandoned_at_any_moment_leave_no_run_that_is_stuck_or_missing() {
    let world = World::new().await;
    world.gate.add_permits(1000);
    for pause in 0..40_u64 {
        let client = world.send_only("/api/workflows", &world.order("works")).await;
        tokio::time::sleep(Duration::from_micros(pause * 150)).await;
        drop(client);
    }
    // Commands that came before this one have been read.
    let last = world.start("works").await;
    world.until(last, |status| status == RunStatus::Completed).await;
    let rows = world.all.runs().store().runs(&Default::default()).await.unwrap();
    for row in &rows {
        world.until(row.run.id, |status| status == RunStatus::Completed).await;
    }
    assert!(world.list_is_true().await.iter().all(|item| item["status"] == "completed"));
    let before = rows.len();
    let world = world.restart().await;
    assert_eq!(world.all.load(), (0, 0), "nothing starts by itself");
    assert_eq!(world.list_is_true().await.len(), before.min(100));
}

#[tokio::test]
async fn a_cancel_whose_client_has_gone_shows_in_the_list() {
    let world = World::new().await;
    let run = world.start("asks").await;
    world.until_it_waits(run).await;
    drop(world.send_only(&format!("/api/workflows/{run}/cancel"), &json!({})).await);
    world.until(run, |status| status == RunStatus::Cancelled).await;
    assert_eq!(world.list_is_true().await[0]["status"], "cancelled");
    let (status, _) = world.post_to(run, "cancel").await;
    assert_eq!(status, StatusCode::CONFLICT);
}
