//! What holds for every path: one shape of errors, ids of requests, lists, limits.

use std::collections::BTreeSet;

use amelia_core::config::server::{RateLimit, ServerConfig};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::world::{World, answer, code};

#[tokio::test]
async fn every_path_is_served_below_api_and_at_the_root() {
    let world = World::new().await;
    let run = world.start("asks").await;
    world.until_it_waits(run).await;
    for path in ["/inbox".to_owned(), "/workflows".to_owned(), format!("/tasks/{run}")] {
        assert_eq!(world.shown(&path).await, world.shown(&format!("/api{path}")).await);
    }
}

#[tokio::test]
async fn an_unknown_field_is_refused_with_its_path() {
    let world = World::new().await;
    let mut order = world.order("works");
    order["colour"] = json!("red");
    order["budget"] = json!({"usd": 1, "gold": 2});
    let (status, body) = world.post("/api/workflows", order).await;
    assert_eq!((status, code(&body)), (StatusCode::UNPROCESSABLE_ENTITY, "INVALID"));
    let paths: BTreeSet<&str> = body["error"]["details"]["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|problem| problem["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths, BTreeSet::from(["colour", "budget.gold"]));
}

#[tokio::test]
async fn a_wrong_type_a_missing_field_and_a_broken_rule_are_422_with_their_path() {
    let world = World::new().await;
    let cases = [
        (json!({"worktree_path": 7, "title": "works"}), "worktree_path"),
        (json!({"worktree_path": "relative", "title": "works"}), "worktree_path"),
        (json!({"worktree_path": "/x"}), "issue_id"),
        (json!({"worktree_path": "/x", "title": "t", "plan_content": "p", "plan_file": "f"}), "plan_file"),
        (json!({"worktree_path": "/x", "title": "t", "pipeline": 7}), "pipeline"),
        (json!({"worktree_path": "/x", "title": "t", "budget": {"usd": -1}}), "budget.usd"),
        (json!({"worktree_path": "/x", "title": "t", "plan_file": "../secret.txt"}), "plan_file"),
        (json!({"title": "works", "plan_file": "plan.md"}), "plan_file"),
        (json!({"worktree_path": "/x", "title": "t", "budget": {"calls": 0}}), "budget.calls"),
    ];
    for (order, path) in cases {
        let (status, body) = world.post("/api/workflows", order).await;
        assert_eq!((status, code(&body)), (StatusCode::UNPROCESSABLE_ENTITY, "INVALID"), "{body}");
        assert!(body["error"]["message"].as_str().unwrap().starts_with(path), "{path}: {body}");
    }
}

#[tokio::test]
async fn what_is_not_json_is_400_and_what_is_not_called_json_is_415() {
    let world = World::new().await;
    let send = |kind: &'static str, body: String| {
        answer(world.request(Method::POST, "/api/workflows").header("content-type", kind).body(body))
    };
    for body in ["{", "nonsense", "\u{feff}{}"] {
        let (status, body) = send("application/json", body.to_owned()).await;
        assert_eq!((status, code(&body)), (StatusCode::BAD_REQUEST, "MALFORMED"));
    }
    let (status, body) = send("application/json", "[".repeat(100_000)).await;
    assert_eq!((status, code(&body)), (StatusCode::BAD_REQUEST, "MALFORMED"));
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
        let (status, body) = send(kind, "{}".to_owned()).await;
        assert_eq!((status, code(&body)), (StatusCode::UNSUPPORTED_MEDIA_TYPE, "UNSUPPORTED_MEDIA_TYPE"));
    }
    let (status, _) = send("application/json; charset=utf-8", world.order("works").to_string()).await;
    assert_eq!(status, StatusCode::CREATED);
}

#[tokio::test]
async fn a_body_beyond_ten_megabytes_is_413() {
    let world = World::new().await;
    let huge = json!({"worktree_path": "/x", "title": "t", "description": "x".repeat(11 << 20)});
    let (status, body) = world.post("/api/workflows", huge).await;
    assert_eq!((status, code(&body)), (StatusCode::PAYLOAD_TOO_LARGE, "TOO_LARGE"));
    let large = json!({"worktree_path": "/x", "title": "works", "description": "x".repeat(9 << 20)});
    assert_eq!(world.post("/api/workflows", large).await.0, StatusCode::CREATED);
}

#[tokio::test]
async fn only_attachments_make_a_body_larger() {
    let world = World::new().await;
    let send = async |megabytes: usize| {
        let files = [json!({"name": "a.bin", "data": "AAAA".repeat(megabytes << 18)})];
        let order = json!({"worktree_path": "/x", "title": "works", "attachments": files});
        world.post("/api/workflows", order).await
    };
    assert_eq!(send(20).await.0, StatusCode::CREATED);
    let (status, body) = send(40).await;
    assert_eq!((status, code(&body)), (StatusCode::PAYLOAD_TOO_LARGE, "TOO_LARGE"));
    let odd = json!({"worktree_path": "/x", "title": "t", "attachments": [{"name": "a", "data": "?"}]});
    let (status, body) = world.post("/api/workflows", odd).await;
    assert_eq!((status, code(&body)), (StatusCode::UNPROCESSABLE_ENTITY, "INVALID"));
    assert!(body.to_string().contains("attachments[0].data: is not base64"), "{body}");
}

#[tokio::test]
async fn an_unknown_path_is_404_and_a_wrong_method_405_in_the_same_shape() {
    let world = World::new().await;
    for path in ["/api/nothing", "/nothing", "/api", "/api/workflows/", "/api/api/health"] {
        let (status, body) = world.get(path).await;
        assert_eq!((status, code(&body)), (StatusCode::NOT_FOUND, "NOT_FOUND"), "{path}");
    }
    let response = world.request(Method::PATCH, "/api/workflows").send().await.unwrap();
    assert_eq!(response.status(), StatusCode::METHOD_NOT_ALLOWED);
    assert!(response.headers().contains_key("allow"));
    assert_eq!(code(&response.json().await.unwrap()), "METHOD_NOT_ALLOWED");
}

#[tokio::test]
async fn the_id_of_a_request_comes_back_and_a_bad_one_is_replaced() {
    let world = World::new().await;
    let ask = async |id: Option<&str>| {
        let mut request = world.request(Method::GET, "/api/nothing");
        if let Some(id) = id {
            request = request.header("x-request-id", id);
        }
        let response = request.send().await.unwrap();
        let header = response.headers()["x-request-id"].to_str().unwrap().to_owned();
        let body: Value = response.json().await.unwrap();
        assert_eq!(body["request_id"], json!(header));
        header
    };
    assert_eq!(ask(Some("mine-42")).await, "mine-42");
    assert_ne!(ask(Some("has a space")).await, "has a space");
    assert_ne!(ask(Some(&"x".repeat(200))).await.len(), 200);
    assert_ne!(ask(None).await, ask(None).await);
}

#[tokio::test]
async fn a_fault_inside_is_500_says_nothing_of_the_inside_and_harms_no_other_request() {
    let world = World::new().await;
    let run = world.start("fails").await;
    let (status, body) = world.get(&format!("/api/workflows/{run}/graph")).await;
    assert_eq!((status, code(&body)), (StatusCode::INTERNAL_SERVER_ERROR, "INTERNAL"));
    assert_eq!(body["error"]["message"], "internal error");
    world.shown(&format!("/api/workflows/{run}")).await;
}

#[tokio::test]
async fn a_body_is_an_object_or_nothing() {
    let world = World::new().await;
    for body in [json!([]), json!([null, null]), json!(1), json!("x"), json!(true)] {
        let (status, answer) = world.post("/api/workflows/start-batch", body.clone()).await;
        assert_eq!((status, code(&answer)), (StatusCode::UNPROCESSABLE_ENTITY, "INVALID"), "{body}");
    }
    for body in [None, Some(Value::Null), Some(json!({}))] {
        assert_eq!(world.send(Method::POST, "/api/workflows/start-batch", body).await.0, StatusCode::OK);
    }
}

#[tokio::test]
async fn who_asks_too_often_is_told_when_to_come_back() {
    let limit = RateLimit { requests: 2, per_seconds: 600 };
    let rate_limits = [("workflows".to_owned(), limit)].into();
    let world = World::with(ServerConfig { rate_limits, ..ServerConfig::default() }).await;
    let stranger = answer(world.bare(Method::GET, "/api/workflows")).await;
    assert_eq!(stranger.0, StatusCode::UNAUTHORIZED);
    world.shown("/api/workflows").await;
    world.shown("/api/tasks").await;
    let response = world.request(Method::GET, "/api/workflows").send().await.unwrap();
    assert_eq!(response.status(), StatusCode::TOO_MANY_REQUESTS);
    assert!(response.headers()["retry-after"].to_str().unwrap().parse::<u64>().unwrap() > 200);
    assert_eq!(code(&response.json().await.unwrap()), "TOO_MANY_REQUESTS");
    world.shown("/api/profiles").await;
}

#[tokio::test]
async fn a_hint_and_a_field_are_apart_from_the_message() {
    let world = World::new().await;
    let (status, body) = world.post("/api/workflows", world.order("unknown issue")).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    assert_eq!(
        body["error"],
        json!({
            "code": "NOT_FOUND", "message": "issue not found", "hint": "look again",
            "details": {"problems": [{"path": "issue_id", "message": "issue not found"}]},
        })
    );
}

#[tokio::test]
async fn a_query_is_as_strict_as_a_body() {
    let world = World::new().await;
    for query in [
        "limit=0",
        "limit=501",
        "limit=x",
        "limit=",
        "colour=red",
        "status=odd",
        "cursor=odd",
        "since=yesterday",
        "limit=1&limit=2",
    ] {
        let (status, body) = world.get(&format!("/api/workflows?{query}")).await;
        assert_eq!((status, code(&body)), (StatusCode::UNPROCESSABLE_ENTITY, "INVALID"), "{query}");
    }
}

#[tokio::test]
async fn a_list_is_read_part_by_part_without_gap_or_repetition() {
    let world = World::new().await;
    let mut started = Vec::new();
    for _ in 0..7 {
        started.push(json!(world.start("works").await.to_string()));
    }
    started.reverse();
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = world.shown(&format!("/api/workflows?limit=3{cursor}")).await;
        seen.extend(page["items"].as_array().unwrap().iter().map(|item| item["id"].clone()));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(seen, started);
}
