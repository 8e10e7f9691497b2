//! Defects that systems of this kind are known for. A test has the name of the defect, and shows that it is not there.

use std::time::Duration;

use amelia_core::run::RunStatus;
use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::configuration::profile;
use crate::world::{World, answer, code};

#[tokio::test]
async fn approve_blocks_the_request() {
    let world = World::new().await;
    let run = world.start("asks").await;
    world.until_it_waits(run).await;
    // The gate is shut: an answer that waited for the work would never come.
    let approved = tokio::time::timeout(Duration::from_secs(20), world.post_to(run, "approve")).await;
    assert_eq!(approved.unwrap().0, StatusCode::ACCEPTED);
    assert_eq!(world.shown(&format!("/api/workflows/{run}")).await["status"], "running");
}

#[tokio::test]
async fn cancel_fails_after_approval() {
    let world = World::new().await;
    let run = world.start("asks").await;
    world.until_it_waits(run).await;
    world.post_to(run, "approve").await;
    let (status, body) = world.post_to(run, "cancel").await;
    assert_eq!((status, &body["status"]), (StatusCode::ACCEPTED, &json!("cancelled")));
    world.gate.add_permits(1);
    assert_eq!(world.shown(&format!("/api/workflows/{run}")).await["status"], "cancelled", "and stays so");
}

#[tokio::test]
async fn events_are_lost_in_a_restart() {
    let world = World::new().await;
    let run = world.start("talks").await;
    world.finish(run).await;
    let path = format!("/api/workflows/{run}/events");
    let before = world.shown(&path).await;
    let world = world.restart().await;
    assert_eq!(world.shown(&path).await, before);
}

#[tokio::test]
async fn running_work_is_marked_failed_on_restart() {
    let world = World::new().await;
    let working = world.start("works").await;
    world.until_it_works(working).await;
    let asking = world.start("asks").await;
    world.until_it_waits(asking).await;
    let world = world.restart().await;
    let status = async |run| world.shown(&format!("/api/workflows/{run}")).await["status"].clone();
    assert_eq!(status(working).await, "running");
    assert_eq!(status(asking).await, "awaiting_approval");
    assert_eq!(world.post_to(asking, "approve").await.0, StatusCode::ACCEPTED);
    world.gate.add_permits(2);
    for run in [working, asking] {
        world.until(run, |status| status == RunStatus::Completed).await;
    }
}

#[tokio::test]
async fn any_file_is_readable_over_http() {
    let world = World::new().await;
    let run = world.start("works").await;
    let file = async |path: &str| world.bare_file(run, path).await;
    assert_eq!(file("inside.txt").await, (StatusCode::OK, "inside".to_owned()));
    let absolute = world.home.path().join("secret.txt").display().to_string();
    for path in [
        "../secret.txt",
        "%2e%2e/secret.txt",
        "..%2fsecret.txt",
        "./../secret.txt",
        "inside.txt/../../secret.txt",
        "a/../../secret.txt",
        "..\\secret.txt",
        "..",
        "",
        "%00",
        "/etc/passwd",
        "//etc/passwd",
        &absolute,
    ] {
        let (status, body) = file(path).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{path}: {body}");
        assert!(!body.contains("\"secret\""), "{path}");
    }
    let mut order = world.order("works");
    order["plan_file"] = json!("tree/../secret.txt");
    assert_eq!(world.post("/api/workflows", order).await.0, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn cross_origin_requests_are_accepted() {
    let world = World::new().await;
    let run = world.start("asks").await;
    world.until_it_waits(run).await;
    let approve = |origin: String| {
        answer(world.request(Method::POST, &format!("/api/workflows/{run}/approve")).header("origin", origin))
    };
    let port = world.address.port();
    for origin in [
        "http://evil.test".to_owned(),
        "null".to_owned(),
        "http://localhost:1".to_owned(),
        format!("http://evil.test:{port}"),
        format!("http://localhost:{port}"),
        "file://".to_owned(),
    ] {
        let (status, body) = approve(origin.clone()).await;
        assert_eq!((status, code(&body)), (StatusCode::FORBIDDEN, "FORBIDDEN"), "{origin}");
    }
    let socket = world.bare(Method::GET, "/ws/events").header("origin", "http://evil.test");
    assert_eq!(answer(socket).await.0, StatusCode::FORBIDDEN);
    assert_eq!(approve(format!("http://127.0.0.1:{port}")).await.0, StatusCode::ACCEPTED, "our own page may");
}

#[tokio::test]
async fn any_environment_variable_can_be_sent_to_any_url() {
    let world = World::new().await;
    let mut bad = profile("work");
    bad["agents"]["developer"]["options"] =
        json!({"api_key_env": "HOME_SECRET", "base_url": "http://evil.test/v1"});
    let settings = json!({"active_profile": "work", "profiles": {"work": bad}});
    world.post("/api/profiles", profile("work")).await;
    for (method, path, body, place) in [
        (Method::POST, "/api/profiles", &bad, "agents.developer.options.api_key_env"),
        (Method::PUT, "/api/profiles/work", &bad, "agents.developer.options.api_key_env"),
        (Method::PUT, "/api/settings", &settings, "profiles.work.agents.developer.options.api_key_env"),
    ] {
        let (status, answer) = world.send(method, path, Some(body.clone())).await;
        assert_eq!((status, code(&answer)), (StatusCode::UNPROCESSABLE_ENTITY, "INVALID"), "{path}");
        assert_eq!(answer["error"]["details"]["problems"][0]["path"], place);
    }
    let kept = world.shown("/api/profiles/work").await;
    assert!(kept["agents"]["developer"]["options"].get("api_key_env").is_none(), "{kept}");
}
