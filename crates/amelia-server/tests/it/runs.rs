//! Runs: ordered, listed, shown, started, paused, cancelled, removed.

use std::time::Duration;

use amelia_core::config::server::ServerConfig;
use amelia_core::run::RunStatus;
use amelia_core::view::RunRow;
use amelia_wire::rest::run::StoredRun;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::world::{World, answer, code};

#[tokio::test]
async fn an_order_becomes_a_run_that_starts_by_itself() {
    let world = World::new().await;
    let run = world.start("works").await;
    world.until_it_works(run).await;
    let shown = world.shown(&format!("/api/workflows/{run}")).await;
    assert_eq!(shown["status"], "running");
    assert_eq!(shown["why"]["waiting_for"], "work");
    assert_eq!(shown["stages"], json!({"only": {"visits": 1, "active": true}}));
    assert_eq!((&shown["title"], &shown["pipeline"]), (&json!("works"), &json!("toy")));
    assert_eq!(shown["branch"], "toy/branch");
    assert_eq!(shown["worktree"], json!(world.home.path().join("tree")));
    world.finish(run).await;
    let shown = world.shown(&format!("/api/tasks/{run}")).await;
    assert_eq!((&shown["status"], &shown["why"]), (&json!("completed"), &Value::Null));
    assert!(shown["completed_at"].is_string());
}

#[tokio::test]
async fn a_queued_order_waits_to_be_started() {
    let world = World::new().await;
    let mut order = world.order("works");
    order["queue"] = json!(true);
    let (status, body) = world.post("/api/workflows", order.clone()).await;
    assert_eq!((status, &body["status"]), (StatusCode::CREATED, &json!("pending")));
    let id = body["id"].as_str().unwrap().to_owned();
    let shown = world.shown(&format!("/api/workflows/{id}")).await;
    assert_eq!(shown["why"]["waiting_for"], "start");
    let start = format!("/api/workflows/{id}/start");
    assert_eq!(world.send(Method::POST, &start, None).await.0, StatusCode::ACCEPTED);
    world.until_it_works(id.parse().unwrap()).await;
    let (status, body) = world.send(Method::POST, &start, None).await;
    assert_eq!((status, code(&body)), (StatusCode::CONFLICT, "WRONG_STATE"));
    order["plan_now"] = json!(true);
    let (_, body) = world.post("/api/workflows", order).await;
    world.until_it_works(body["id"].as_str().unwrap().parse().unwrap()).await;
}

#[tokio::test]
async fn a_pipeline_is_started_by_its_name_with_the_input_that_it_reads() {
    let world = World::new().await;
    let mut order = world.order("works");
    (order["pipeline"], order["input"]) = (json!("greeting"), json!({"name": "world"}));
    let (status, body) = world.post("/api/workflows", order.clone()).await;
    assert_eq!(status, StatusCode::CREATED, "{body}");
    let row = world.shown(&format!("/api/workflows/{}?format=row", body["id"].as_str().unwrap())).await;
    let expected = json!({"pipeline": "greeting", "input": {"name": "world"}});
    assert_eq!(row["run"]["spec"]["input"], expected);
    order["issue_id"] = json!("S-1");
    assert_eq!(world.post("/api/workflows", order.clone()).await.0, StatusCode::UNPROCESSABLE_ENTITY);
    // An issue needs no input.
    order["pipeline"] = json!("implementation");
    assert_eq!(world.post("/api/workflows", order).await.0, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn the_same_key_is_the_same_run_also_in_place() {
    let world = World::new().await;
    let mut order = world.order("works");
    order["in_place"] = json!(true);
    let send = |key: &'static str| {
        answer(world.request(Method::POST, "/api/workflows").header("idempotency-key", key).json(&order))
    };
    let (first, again) = (send("one").await, send("one").await);
    assert_eq!(first.0, StatusCode::CREATED);
    assert_eq!(first.1["id"], again.1["id"]);
    let (status, body) = send("two").await;
    assert_eq!((status, code(&body)), (StatusCode::CONFLICT, "CONFLICT"), "the checkout is in use");
    assert_eq!(send("").await.0, StatusCode::BAD_REQUEST);
    assert_eq!(world.shown("/api/workflows").await["items"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn an_order_that_is_not_ready_in_time_is_503() {
    let config = ServerConfig { workflow_start_timeout_seconds: 0.05, ..ServerConfig::default() };
    let world = World::with(config).await;
    let (status, body) = world.post("/api/workflows", world.order("never")).await;
    assert_eq!((status, code(&body)), (StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE"));
}

#[tokio::test]
async fn a_review_is_ordered_by_base_or_diff_and_not_by_both() {
    let world = World::new().await;
    let order = |more: Value| {
        let mut order = json!({"worktree_path": world.home.path(), "mode": "review_fix"});
        order.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        order
    };
    let (status, body) = world.post("/api/workflows/review", order(json!({"base": "main"}))).await;
    assert_eq!(status, StatusCode::CREATED, "{body}");
    let both = order(json!({"base": "main", "diff": "d"}));
    assert_eq!(world.post("/api/workflows/review", both).await.0, StatusCode::UNPROCESSABLE_ENTITY);
    let odd = order(json!({"mode": "odd"}));
    assert_eq!(world.post("/api/workflows/review", odd).await.0, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn a_list_is_filtered_by_every_condition_and_shows_what_just_happened() {
    let world = World::new().await;
    let mut order = world.order("works");
    order["profile"] = json!("home");
    order["branch"] = json!("feature/Blue");
    let (_, body) = world.post("/api/workflows", order).await;
    let first: amelia_core::id::RunId = body["id"].as_str().unwrap().parse().unwrap();
    world.until_it_works(first).await;
    let second = world.start("fails").await;
    world.until(second, |status| status == RunStatus::Failed).await;
    let home = world.home.path().display().to_string();
    let cases = [
        (String::new(), vec![second, first]),
        ("?status=running".to_owned(), vec![first]),
        ("?status=failed,completed".to_owned(), vec![second]),
        ("?status=in_progress".to_owned(), vec![first]),
        ("?pipeline=toy".to_owned(), vec![second, first]),
        ("?pipeline=other".to_owned(), vec![]),
        ("?profile=home".to_owned(), vec![first]),
        (format!("?worktree={home}"), vec![second, first]),
        ("?worktree=/elsewhere".to_owned(), vec![]),
        ("?q=FAIL".to_owned(), vec![second]),
        ("?q=blue".to_owned(), vec![first]),
        (format!("?q={first}"), vec![first]),
        ("?since=2020-01-01T00:00:00Z".to_owned(), vec![second, first]),
        ("?until=2020-01-01T00:00:00Z".to_owned(), vec![]),
        ("?limit=1".to_owned(), vec![second]),
    ];
    for (query, expected) in cases {
        let page = world.shown(&format!("/api/workflows{query}")).await;
        let ids: Vec<String> = page["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["id"].as_str().unwrap().to_owned())
            .collect();
        let expected: Vec<String> = expected.iter().map(ToString::to_string).collect();
        assert_eq!(ids, expected, "{query}");
    }
    world.send(Method::POST, &format!("/api/workflows/{first}/cancel"), None).await;
    assert_eq!(world.shown("/api/workflows?status=running").await["items"], json!([]));
}

#[tokio::test]
async fn runs_are_read_as_they_are_stored() {
    let world = World::new().await;
    let (talks, asks) = (world.start("talks").await, world.start("asks").await);
    world.finish(talks).await;
    world.until_it_waits(asks).await;
    let mut stored = Vec::new();
    for run in [asks, talks] {
        stored.push(world.all.runs().store().run(run).await.unwrap().unwrap());
    }
    let one = world.shown(&format!("/api/tasks/{talks}?format=row")).await;
    assert_eq!(serde_json::from_value::<RunRow>(one).unwrap(), stored[1]);
    let page = world.shown("/api/workflows?format=row&limit=1").await;
    assert_eq!(serde_json::from_value::<Vec<RunRow>>(page["items"].clone()).unwrap(), stored[..1]);
    let next = page["next_cursor"].as_str().unwrap();
    let page = world.shown(&format!("/api/tasks?format=row&status=completed&cursor={next}")).await;
    let StoredRun { run, view, is_moving, .. } = serde_json::from_value(page["items"][0].clone()).unwrap();
    assert_eq!((RunRow { run, view }, is_moving), (stored[1].clone(), false));
    assert_eq!((page["items"].as_array().unwrap().len(), &page["next_cursor"]), (1, &json!(null)));
    let odd = world.get(&format!("/api/workflows/{talks}?format=odd")).await;
    assert_eq!(odd.0, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn a_paused_run_goes_on_when_it_is_resumed() {
    let world = World::new().await;
    let run = world.start("works").await;
    world.until_it_works(run).await;
    let post = |what: &'static str| world.post_to(run, what);
    assert_eq!(post("resume").await.0, StatusCode::CONFLICT, "it is at work");
    assert_eq!(post("pause").await.0, StatusCode::ACCEPTED);
    world.until_it_waits(run).await;
    let shown = world.shown(&format!("/api/workflows/{run}")).await;
    assert_eq!((&shown["status"], &shown["why"]["waiting_for"]), (&json!("paused"), &json!("pause")));
    assert_eq!(post("pause").await.0, StatusCode::CONFLICT);
    assert_eq!(post("approve").await.0, StatusCode::CONFLICT, "a pause is no question for approval");
    assert_eq!(post("resume").await.0, StatusCode::ACCEPTED);
    world.until_it_works(run).await;
    world.finish(run).await;
    for what in ["pause", "resume", "start", "approve", "cancel"] {
        let (status, body) = post(what).await;
        assert_eq!((status, code(&body)), (StatusCode::CONFLICT, "WRONG_STATE"), "{what}");
    }
}

#[tokio::test]
async fn a_failed_run_says_why_and_is_tried_again() {
    let world = World::new().await;
    let run = world.start("fails").await;
    world.until(run, |status| status == RunStatus::Failed).await;
    let shown = world.shown(&format!("/api/workflows/{run}")).await;
    assert_eq!(shown["why"]["waiting_for"], "retry");
    assert!(shown["error"].as_str().unwrap().contains("the toy is broken"));
    let (status, body) = world.post_to(run, "start").await;
    assert_eq!((status, code(&body)), (StatusCode::CONFLICT, "WRONG_STATE"));
    assert!(body["error"]["hint"].as_str().unwrap().contains("resume"));
    assert_eq!(world.post_to(run, "resume").await.0, StatusCode::ACCEPTED);
}

#[tokio::test]
async fn cancel_works_in_every_state_and_only_once() {
    let world = World::new().await;
    let working = world.start("works").await;
    world.until_it_works(working).await;
    let waiting = world.start("asks").await;
    world.until_it_waits(waiting).await;
    let paused = world.start("works").await;
    world.until_it_works(paused).await;
    world.post_to(paused, "pause").await;
    let failed = world.start("fails").await;
    world.until(failed, |status| status == RunStatus::Failed).await;
    let mut order = world.order("works");
    order["queue"] = json!(true);
    let (_, body) = world.post("/api/workflows", order).await;
    let created = body["id"].as_str().unwrap().parse().unwrap();
    let busy = [world.start("works").await, world.start("works").await];
    for run in busy {
        world.until_it_works(run).await;
    }
    let queued = world.start("works").await;
    assert_eq!(world.shown(&format!("/api/workflows/{queued}")).await["why"]["waiting_for"], "turn");
    for run in [queued, working, waiting, paused, failed, created] {
        let (status, body) = world.post_to(run, "cancel").await;
        assert_eq!((status, &body["status"]), (StatusCode::ACCEPTED, &json!("cancelled")), "{body}");
        assert_eq!(world.post_to(run, "cancel").await.0, StatusCode::CONFLICT);
        for what in ["approve", "resume", "start"] {
            assert_eq!(world.post_to(run, what).await.0, StatusCode::CONFLICT, "{what}");
        }
    }
    world.finish_both(busy[0], busy[1]).await;
    let (status, body) = world.post_to(busy[0], "cancel").await;
    assert_eq!((status, code(&body)), (StatusCode::CONFLICT, "WRONG_STATE"), "it was completed before");
}

#[tokio::test]
async fn a_second_order_in_place_on_the_same_worktree_is_refused() {
    let world = World::new().await;
    let mut order = world.order("works");
    order["in_place"] = json!(true);
    let (status, first) = world.post("/api/workflows", order.clone()).await;
    assert_eq!(status, StatusCode::CREATED);
    let (status, body) = world.post("/api/workflows", order.clone()).await;
    assert_eq!((status, code(&body)), (StatusCode::CONFLICT, "CONFLICT"));
    let message = body["error"]["message"].as_str().unwrap();
    assert!(message.contains(first["id"].as_str().unwrap()), "it says which run: {message}");
    assert_eq!(world.post("/api/workflows", world.order("works")).await.0, StatusCode::CREATED, "beside it");
    world.finish(first["id"].as_str().unwrap().parse().unwrap()).await;
    assert_eq!(world.post("/api/workflows", order).await.0, StatusCode::CREATED, "after it");
}

#[tokio::test]
async fn a_removed_run_is_gone_from_everywhere() {
    let world = World::new().await;
    let (run, other) = (world.start("works").await, world.start("works").await);
    world.until_it_works(run).await;
    world.shown("/api/workflows").await;
    let path = format!("/api/workflows/{run}");
    assert_eq!(world.send(Method::DELETE, &path, None).await.0, StatusCode::NO_CONTENT);
    assert_eq!(world.get(&path).await.0, StatusCode::NOT_FOUND);
    assert_eq!(world.send(Method::DELETE, &path, None).await.0, StatusCode::NOT_FOUND);
    let items = world.shown("/api/workflows").await["items"].clone();
    assert_eq!(items.as_array().unwrap().len(), 1);
    assert_eq!(items[0]["id"], other.to_string());
}

#[tokio::test]
async fn an_unknown_run_is_404_on_every_path() {
    let world = World::new().await;
    for id in [Uuid::now_v7().to_string(), "nonsense".to_owned(), "%00".to_owned(), "..%2f..".to_owned()] {
        for rest in [
            "",
            "/events",
            "/history",
            "/trace",
            "/sessions",
            "/sessions/00000000-0000-0000-0000-000000000000",
            "/plan",
            "/diff",
            "/graph",
            "/checkpoints",
            "/checkpoints/1",
            "/metrics",
            "/hitl/requests",
            "/files?path=a",
        ] {
            let (status, body) = world.get(&format!("/api/workflows/{id}{rest}")).await;
            assert_eq!((status, code(&body)), (StatusCode::NOT_FOUND, "NOT_FOUND"), "{id}{rest}");
        }
        for rest in ["start", "pause", "resume", "cancel", "approve", "replan"] {
            let (status, _) = world.send(Method::POST, &format!("/api/tasks/{id}/{rest}"), None).await;
            assert_eq!(status, StatusCode::NOT_FOUND, "{id}/{rest}");
        }
    }
}

#[tokio::test]
async fn a_batch_starts_what_waits_and_says_what_it_could_not() {
    let world = World::new().await;
    let mut order = world.order("works");
    order["queue"] = json!(true);
    let (_, one) = world.post("/api/workflows", order.clone()).await;
    let (_, two) = world.post("/api/workflows", order).await;
    let stranger = Uuid::now_v7();
    let (status, body) =
        world.post("/api/workflows/start-batch", json!({"ids": [one["id"], stranger]})).await;
    assert_eq!((status, &body["started"]), (StatusCode::OK, &json!([one["id"]])));
    assert!(body["errors"][stranger.to_string()].is_string(), "{body}");
    let (_, none) = world.post("/api/workflows/start-batch", json!({"worktree": "/elsewhere"})).await;
    assert_eq!(none["started"], json!([]));
    let (_, rest) = world.post("/api/workflows/start-batch", json!({})).await;
    assert_eq!(rest, json!({"started": [two["id"]], "errors": {}}));
}

#[tokio::test]
async fn health_counts_runs_and_says_the_version() {
    let world = World::new().await;
    let run = world.start("works").await;
    world.until_it_works(run).await;
    let health = world.shown("/health").await;
    assert_eq!((&health["status"], &health["version"]), (&json!("ok"), &json!("1.2.3")));
    assert_eq!((&health["active_workflows"], &health["queued_workflows"]), (&json!(1), &json!(0)));
    assert_eq!(world.shown("/health/ready").await["dependencies"], json!({"store": "ok"}));
    world.all.runs().store().close().await.unwrap();
    let (status, body) = world.get("/health/ready").await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(body["dependencies"], json!({"store": "cannot be read"}));
    assert_eq!(world.get("/api/workflows").await.0, StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test]
async fn a_pull_request_is_reviewed_by_its_number_and_by_nothing_beside() {
    let world = World::new().await;
    let order = |more: Value| {
        let mut order = json!({"worktree_path": "/r", "pull_request": 12});
        order.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        order
    };
    let (status, made) = world.post("/api/workflows/review", order(json!({}))).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    let shown = world.shown(&format!("/api/workflows/{}?format=row", made["id"].as_str().unwrap())).await;
    assert_eq!(shown["run"]["spec"]["input"]["what"], "pull request 12", "{shown}");
    for more in [
        json!({"mode": "review_fix"}),
        json!({"base": "main"}),
        json!({"diff": "--- a"}),
        json!({"pull_request": 0}),
    ] {
        let (status, refused) = world.post("/api/workflows/review", order(more.clone())).await;
        assert_eq!((status, code(&refused)), (StatusCode::UNPROCESSABLE_ENTITY, "INVALID"), "{more}");
    }
}

#[tokio::test]
async fn only_what_ended_runs_have_left_is_cleaned_up() {
    let world = World::new().await;
    let talks = world.start("talks").await;
    world.finish(talks).await;
    let works = world.start("works").await;
    world.until_it_works(works).await;
    let (status, looked) = world.post("/api/cleanup", json!({"dry_run": true})).await;
    assert_eq!(status, StatusCode::OK, "{looked}");
    assert_eq!(looked["worktrees"].as_array().unwrap().len(), 1, "one is still at work: {looked}");
    assert_eq!(
        (&looked["dry_run"], &looked["worktrees"][0]["branch_removed"]),
        (&json!(true), &json!(false))
    );
    world.finish(works).await;
    let (_, done) = world.post("/api/cleanup", json!({})).await;
    assert_eq!(
        (&done["dry_run"], &done["bytes"]),
        (&json!(false), &json!(10)),
        "what is kept is not counted"
    );
    let kept: Vec<&Value> =
        done["worktrees"].as_array().unwrap().iter().map(|left| &left["kept_because"]).collect();
    assert!(kept.contains(&&Value::Null) && kept.contains(&&json!("it holds work")), "{done}");
    let (status, refused) = world.post("/api/cleanup", json!({"dry": true})).await;
    assert_eq!((status, code(&refused)), (StatusCode::UNPROCESSABLE_ENTITY, "INVALID"));
}

#[tokio::test]
async fn the_running_time_for_scripts_grows_while_nothing_is_written() {
    let world = World::new().await;
    let run = world.start("works").await;
    world.until_it_works(run).await;
    let flat = async || world.shown(&format!("/api/workflows/{run}?format=flat")).await;
    let first = flat().await;
    let grown = async {
        loop {
            let now = flat().await;
            if now["active_ms"].as_u64() > first["active_ms"].as_u64() {
                return now;
            }
        }
    };
    let now = tokio::time::timeout(Duration::from_secs(20), grown).await.expect("the time stands still");
    assert_eq!(now["updated_at"], first["updated_at"], "no event was written");
    world.finish(run).await;
    assert_eq!(flat().await["active_ms"], flat().await["active_ms"], "it has ended");
}
