//! Profiles and settings.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::world::{World, code};

fn profile(name: &str) -> Value {
    let agent = json!({"driver": "api", "model": "m"});
    json!({
        "name": name, "repo_root": "/repo",
        "agents": {"architect": agent, "developer": agent, "reviewer": agent}
    })
}

#[tokio::test]
async fn a_profile_is_made_read_changed_activated_and_removed() {
    let world = World::new().await;
    let (status, body) = world.post("/api/profiles", profile("work")).await;
    assert_eq!((status, &body["is_active"]), (StatusCode::CREATED, &json!(true)), "{body}");
    let (status, body) = world.post("/api/profiles", profile("work")).await;
    assert_eq!((status, code(&body)), (StatusCode::CONFLICT, "CONFLICT"));
    world.post("/api/profiles", profile("home")).await;
    let mut changed = profile("home");
    changed["repo_root"] = json!("/other");
    changed.as_object_mut().unwrap().remove("name");
    let (status, body) = world.send(Method::PUT, "/api/profiles/home", Some(changed)).await;
    assert_eq!((status, &body["repo_root"]), (StatusCode::OK, &json!("/other")), "{body}");
    let (status, body) = world.send(Method::PUT, "/api/profiles/home", Some(profile("work"))).await;
    assert_eq!((status, code(&body)), (StatusCode::UNPROCESSABLE_ENTITY, "INVALID"));
    let (status, body) = world.send(Method::POST, "/api/profiles/home/activate", None).await;
    assert_eq!((status, &body["is_active"]), (StatusCode::OK, &json!(true)));
    let items = world.shown("/api/profiles").await["items"].clone();
    let active: Vec<bool> =
        items.as_array().unwrap().iter().map(|item| item["is_active"].as_bool().unwrap()).collect();
    assert_eq!(active, [true, false]);
    assert_eq!(world.send(Method::DELETE, "/api/profiles/work", None).await.0, StatusCode::NO_CONTENT);
    for (method, path) in [
        (Method::GET, "/api/profiles/work"),
        (Method::PUT, "/api/profiles/work"),
        (Method::DELETE, "/api/profiles/work"),
        (Method::POST, "/api/profiles/work/activate"),
    ] {
        let body = (method == Method::PUT).then(|| profile("work"));
        assert_eq!(world.send(method, path, body).await.0, StatusCode::NOT_FOUND, "{path}");
    }
}

#[tokio::test]
async fn a_profile_cannot_name_a_key_that_the_server_does_not_let_out() {
    let world = World::new().await;
    let mut bad = profile("work");
    bad["agents"]["developer"]["options"] = json!({"api_key_env": "HOME_SECRET"});
    let (status, body) = world.post("/api/profiles", bad).await;
    assert_eq!((status, code(&body)), (StatusCode::UNPROCESSABLE_ENTITY, "INVALID"));
    let problems = &body["error"]["details"]["problems"];
    assert_eq!(problems[0]["path"], "agents.developer.options.api_key_env");
}

#[tokio::test]
async fn settings_are_shown_with_the_server_and_replaced_without_it() {
    let world = World::new().await;
    let settings =
        json!({"active_profile": "home", "profiles": {"home": profile("home"), "work": profile("work")}});
    let (status, body) = world.send(Method::PUT, "/api/settings", Some(settings.clone())).await;
    assert_eq!(status, StatusCode::OK, "{body}");
    let shown = world.shown("/api/settings").await;
    assert_eq!((&shown["active_profile"], &shown["server"]["port"]), (&json!("home"), &json!(8420)));
    assert_eq!(shown["profiles"].as_object().unwrap().len(), 2);
    let mut odd = settings.clone();
    odd["active_profile"] = json!("nowhere");
    assert_eq!(world.send(Method::PUT, "/api/settings", Some(odd)).await.0, StatusCode::UNPROCESSABLE_ENTITY);
    let mut odd = settings;
    odd["server"] = json!({"port": 1});
    assert_eq!(world.send(Method::PUT, "/api/settings", Some(odd)).await.0, StatusCode::UNPROCESSABLE_ENTITY);
}
