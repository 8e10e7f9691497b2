//! Profiles and settings.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::world::{World, code};

pub(crate) fn profile(name: &str) -> Value {
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
async fn a_change_of_a_version_that_is_not_the_newest_is_refused() {
    let world = World::new().await;
    world.post("/api/profiles", profile("work")).await;
    let prompt = world.shown("/api/prompts").await["items"][0]["name"].as_str().unwrap().to_owned();
    for (path, body) in [
        ("/api/profiles/work".to_owned(), profile("work")),
        (format!("/api/prompts/{prompt}"), json!({"text": "Do it well."})),
    ] {
        let put =
            |tag: &str, body: Value| world.request(Method::PUT, &path).header("if-match", tag).json(&body);
        let read = world.request(Method::GET, &path).send().await.unwrap();
        let tag = read.headers()["etag"].to_str().unwrap().to_owned();
        let mut mine = body.clone();
        match mine.get("text") {
            Some(_) => mine["text"] = json!("Do it better."),
            None => mine["repo_root"] = json!("/mine"),
        }
        let saved = put(&tag, mine).send().await.unwrap();
        assert_eq!(saved.status(), StatusCode::OK, "{path}");
        let (status, refused) = crate::world::answer(put(&tag, body.clone())).await;
        assert_eq!((status, code(&refused)), (StatusCode::CONFLICT, "CONFLICT"), "{path}: {refused}");
        let newest = saved.headers()["etag"].to_str().unwrap().to_owned();
        assert_eq!(put(&newest, body).send().await.unwrap().status(), StatusCode::OK, "{path}");
        let (status, _) = crate::world::answer(put("nonsense", json!({}))).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{path}");
    }
}

#[tokio::test]
async fn a_prompt_is_read_replaced_and_put_back_with_every_version_kept() {
    let world = World::new().await;
    let all = world.shown("/api/prompts").await;
    let shipped = all["items"][0].clone();
    let name = shipped["name"].as_str().unwrap();
    assert_eq!((&shipped["is_own"], &shipped["version"]), (&json!(false), &Value::Null));
    let path = format!("/api/prompts/{name}");
    let (status, body) = world.send(Method::PUT, &path, Some(json!({"text": "Be brief, {{ name }}."}))).await;
    let own = json!({"name": name, "text": "Be brief, {{ name }}.", "shipped": shipped["text"], "is_own": true, "version": 1, "problem": null});
    assert_eq!((status, &body), (StatusCode::OK, &own));
    assert_eq!(world.shown(&path).await, own);
    let (_, broken) = world.send(Method::PUT, &path, Some(json!({"text": "{{ oops"}))).await;
    assert!(broken["problem"].is_string(), "it is used as it stands, and whoever wrote it is told");
    let (status, body) = world.send(Method::DELETE, &path, None).await;
    assert_eq!((status, &body), (StatusCode::OK, &shipped));
    let history = world.shown(&format!("{path}/versions")).await;
    let texts: Vec<&Value> = history["items"].as_array().unwrap().iter().map(|item| &item["text"]).collect();
    assert_eq!(texts, [&json!("Be brief, {{ name }}."), &json!("{{ oops"), &Value::Null]);
    for body in [json!({"text": " "}), json!({"text": "x".repeat(300_000)}), json!({"text": 1}), json!({})] {
        assert_eq!(world.send(Method::PUT, &path, Some(body)).await.0, StatusCode::UNPROCESSABLE_ENTITY);
    }
    for (method, path) in [
        (Method::GET, "/api/prompts/none"),
        (Method::PUT, "/api/prompts/none"),
        (Method::DELETE, "/api/prompts/none"),
        (Method::GET, "/api/prompts/none/versions"),
    ] {
        let body = (method == Method::PUT).then(|| json!({"text": "x"}));
        assert_eq!(world.send(method, path, body).await.0, StatusCode::NOT_FOUND, "{path}");
    }
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

#[tokio::test]
async fn the_machine_of_the_server_is_looked_at_through_its_port() {
    let world = World::new().await;
    let one = world.shown("/api/repositories/look?path=~/wo").await;
    assert_eq!(one["path"], "~/wo");
    assert_eq!(world.shown("/api/doctor").await["checks"][0]["state"], "ok");
    let asked = world.shown("/api/doctor?worktree_path=/work").await;
    assert_eq!(asked["checks"][0]["message"], "all there in /work");
    let issues = world.shown("/api/issues?q=toys").await;
    assert_eq!((&issues["items"][0]["title"], &issues["next_cursor"]), (&json!("toys"), &json!(null)));
    assert_eq!(world.get("/api/issues?profile=x").await.0, StatusCode::UNPROCESSABLE_ENTITY);
    let change = json!({"values": {"port": 1}});
    let (status, body) = world.send(Method::PUT, "/api/settings/server", Some(change)).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(body["error"]["details"]["problems"][0]["path"], "port", "{body}");
    let nothing = json!({"values": {}});
    let (status, body) = world.send(Method::PUT, "/api/settings/server", Some(nothing)).await;
    assert_eq!((status, &body["items"]), (StatusCode::OK, &json!([])));
}

#[tokio::test]
async fn repositories_are_known_by_their_runs_the_last_one_first() {
    let world = World::new().await;
    assert_eq!(world.shown("/api/repositories").await["items"], json!([]));
    for (title, path) in [("one", "/a"), ("two", "/b"), ("three", "/a")] {
        let order = json!({"title": title, "worktree_path": path, "queue": true});
        assert_eq!(world.post("/api/workflows", order).await.0, StatusCode::CREATED);
    }
    let items = world.shown("/api/repositories").await["items"].clone();
    let shown: Vec<_> = items.as_array().unwrap().iter().map(|item| (&item["path"], &item["runs"])).collect();
    assert_eq!(shown, [(&json!("/a"), &json!(2)), (&json!("/b"), &json!(1))]);
    assert!(items[0]["last_used"].is_string());
}
