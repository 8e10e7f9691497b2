//! Step by step, and breakpoints.

use amelia_core::human::HumanKind;
use amelia_core::id::RunId;
use amelia_core::run::RunStatus;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::world::{World, code};

impl World {
    async fn set(&self, run: RunId, nodes: Value) -> (StatusCode, Value) {
        let path = format!("/api/workflows/{run}/breakpoints");
        self.send(Method::PUT, &path, Some(json!({ "nodes": nodes }))).await
    }

    /// Lets one node through, and says where the run comes to rest.
    async fn one_through(&self, run: RunId) -> RunStatus {
        self.gate.add_permits(1);
        let rests = |status: RunStatus| matches!(status, RunStatus::Waiting(_) | RunStatus::Completed);
        self.until(run, rests).await.view.status
    }

    async fn at(&self, run: RunId) -> Value {
        self.shown(&format!("/api/workflows/{run}/graph")).await["active"].clone()
    }
}

#[tokio::test]
async fn a_run_is_stepped_through_over_a_restart_and_then_goes_on() {
    let world = World::new().await;
    let run = world.start("walks").await;
    world.until_it_works(run).await;
    assert_eq!(world.post_to(run, "step").await.0, StatusCode::ACCEPTED);
    let world = world.restart().await;
    assert_eq!(world.one_through(run).await, RunStatus::Waiting(HumanKind::Step), "nothing was forgotten");
    let shown = world.shown(&format!("/api/workflows/{run}")).await;
    assert_eq!((&shown["status"], &shown["why"]["waiting_for"]), (&json!("paused"), &json!("step")));
    assert!(shown["why"]["unblock"].as_str().unwrap().contains("/step"), "{shown}");
    let (status, body) = world.post_to(run, "step").await;
    assert_eq!((status, &body["status"]), (StatusCode::ACCEPTED, &json!("running")));
    assert_eq!(world.at(run).await, json!(["two"]));
    let world = world.restart().await;
    assert_eq!(world.one_through(run).await, RunStatus::Waiting(HumanKind::Step));
    assert_eq!(world.post_to(run, "continue").await.0, StatusCode::ACCEPTED);
    assert_eq!(world.one_through(run).await, RunStatus::Completed);
    for what in ["step", "continue"] {
        let (status, body) = world.post_to(run, what).await;
        assert_eq!((status, code(&body)), (StatusCode::CONFLICT, "WRONG_STATE"), "{what}");
    }
}

#[tokio::test]
async fn a_pause_is_gone_on_from_by_one_step() {
    let world = World::new().await;
    let run = world.start("walks").await;
    world.until_it_works(run).await;
    world.post_to(run, "pause").await;
    world.until_it_waits(run).await;
    world.post_to(run, "step").await;
    assert_eq!(world.at(run).await, json!(["one"]), "what was under way is the step");
    assert_eq!(world.one_through(run).await, RunStatus::Waiting(HumanKind::Step));
    world.post_to(run, "step").await;
    assert_eq!(world.at(run).await, json!(["two"]));
    world.post_to(run, "continue").await;
    world.gate.add_permits(1);
    assert_eq!(world.one_through(run).await, RunStatus::Completed, "told to go on in the middle of a step");
}

#[tokio::test]
async fn breakpoints_are_set_at_work_and_kept() {
    let world = World::new().await;
    let run = world.start("walks").await;
    world.until_it_works(run).await;
    let (status, body) = world.set(run, json!(["two", "three"])).await;
    assert_eq!((status, &body["nodes"]), (StatusCode::OK, &json!(["three", "two"])), "{body}");
    let world = world.restart().await;
    let shown = world.shown(&format!("/api/workflows/{run}")).await;
    assert_eq!(shown["breakpoints"], json!(["three", "two"]));
    assert_eq!(world.one_through(run).await, RunStatus::Waiting(HumanKind::Breakpoint));
    let (_, body) = world.set(run, json!(["two"])).await;
    assert_eq!(body["nodes"], json!(["two"]), "also while it waits");
    world.post_to(run, "continue").await;
    world.gate.add_permits(1);
    assert_eq!(world.one_through(run).await, RunStatus::Completed);
    let (status, body) = world.set(run, json!([])).await;
    assert_eq!((status, code(&body)), (StatusCode::CONFLICT, "WRONG_STATE"));
}

#[tokio::test]
async fn what_cannot_be_steered_says_what_moves_it_on() {
    let world = World::new().await;
    let run = world.start("asks").await;
    world.until_it_waits(run).await;
    for what in ["step", "continue"] {
        let (status, body) = world.post_to(run, what).await;
        assert_eq!((status, code(&body)), (StatusCode::CONFLICT, "WRONG_STATE"), "{what}");
        assert!(body["error"]["hint"].as_str().unwrap().contains("/approve"), "{body}");
    }
    for nodes in [json!(["nonsense"]), json!(["only", ""]), json!("only"), json!([7])] {
        let (status, body) = world.set(run, nodes.clone()).await;
        assert_eq!((status, code(&body)), (StatusCode::UNPROCESSABLE_ENTITY, "INVALID"), "{nodes}");
    }
    let (_, body) = world.set(run, json!(["nonsense"])).await;
    assert_eq!(
        body["error"]["hint"],
        "the nodes are only; inside a node: `node:NAME`, `turn`, `error`, `handoff`, `agent:NAME`, `tool:GLOB`, `path:GLOB`, `cost:USD` or `event:NAME`, each optionally followed by ` if CONDITION`",
        "{body}"
    );
}
