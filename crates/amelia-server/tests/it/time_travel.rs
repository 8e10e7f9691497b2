//! Diffs, files, graphs, checkpoints and forks.

use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::world::{World, code};

#[tokio::test]
async fn diff_file_and_graph_come_from_the_desk() {
    let world = World::new().await;
    let run = world.start("works").await;
    world.until_it_works(run).await;
    let diff = world.shown(&format!("/api/workflows/{run}/diff")).await;
    assert_eq!(
        diff["files"],
        json!([{"path": "a.txt", "added": 2, "removed": 1}, {"path": "b.png", "added": null, "removed": null}])
    );
    for (query, end) in
        [("", "+++ b\n"), ("?at=7", "at 7"), ("?task=2.1", "of 2.1"), ("?task=1&stat=true", "of 1")]
    {
        let diff = world.shown(&format!("/api/workflows/{run}/diff{query}")).await;
        assert!(diff["diff"].as_str().unwrap().ends_with(end), "{query}: {diff}");
    }
    for query in ["?at=1&task=1", "?at=x", "?at=-1", "?since=1"] {
        let (status, _) = world.get(&format!("/api/workflows/{run}/diff{query}")).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{query}");
    }
    let path = format!("/api/workflows/{run}/files?path=inside.txt");
    let response = world.request(Method::GET, &path).send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/plain; charset=utf-8");
    assert_eq!(response.headers()["x-content-type-options"], "nosniff");
    assert_eq!(response.headers()["cache-control"], "no-store");
    assert_eq!(response.text().await.unwrap(), "inside");
    for (query, code) in
        [("from=results", StatusCode::NOT_FOUND), ("from=home", StatusCode::UNPROCESSABLE_ENTITY)]
    {
        let (status, _) = world.get(&format!("/api/workflows/{run}/files?path=inside.txt&{query}")).await;
        assert_eq!(status, code, "{query}: a file that a tool returned is none of the worktree");
    }
    let graph = world.shown(&format!("/api/workflows/{run}/graph")).await;
    assert_eq!(graph["active"], json!(["only"]));
    assert_eq!(graph["graph"]["nodes"], json!(["only"]));
}

#[tokio::test]
async fn every_plan_is_shown_with_what_was_said_to_it() {
    let world = World::new().await;
    let mut order = world.order("works");
    order["plan_content"] = json!("a plan");
    let (_, made) = world.post("/api/workflows", order).await;
    let path = format!("/api/workflows/{}/plans", made["id"].as_str().unwrap());
    let page = world.shown(&path).await;
    let first = &page["items"][0];
    assert_eq!((&first["revision"], &first["plan"]), (&json!(1), &json!("a plan")));
    assert_eq!((&first["problems"], &first["feedback"]), (&json!(["it is short"]), &json!(null)));
    assert!(first["sequence"].is_u64() && first["created_at"].is_string(), "{first}");
    assert_eq!(world.shown(&format!("{path}?cursor=1")).await["items"], json!([]));
}

#[tokio::test]
async fn two_runs_are_put_side_by_side() {
    let world = World::new().await;
    let (talks, works) = (world.start("talks").await, world.start("works").await);
    world.finish_both(talks, works).await;
    let both = world.shown(&format!("/api/compare?a={talks}&b={works}")).await;
    assert_eq!((&both["a"]["id"], &both["b"]["id"]), (&json!(talks.to_string()), &json!(works.to_string())));
    assert_eq!(both["different"], json!(["usage"]));
    assert_eq!(both["a"]["usage"]["tokens"], 15);
    assert_eq!(both["a"]["files"][0], json!({"path": "a.txt", "added": 2, "removed": 1}));
    assert_eq!(both["b"]["visits"], json!({"only": {"visits": 1, "active": false}}));
    let itself = world.shown(&format!("/api/compare?a={talks}&b={talks}")).await;
    assert_eq!(itself["different"], json!([]));
    let nobody = "0199a0de-0000-7000-8000-000000000000";
    assert_eq!(world.get(&format!("/api/compare?a={talks}&b={nobody}")).await.0, StatusCode::NOT_FOUND);
    for query in ["", "?a=x&b=y", &format!("?a={talks}")] {
        let (status, _) = world.get(&format!("/api/compare{query}")).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{query}");
    }
}

#[tokio::test]
async fn a_past_state_is_read_and_forked() {
    let world = World::new().await;
    let run = world.start("asks").await;
    world.until_it_waits(run).await;
    let page = world.shown(&format!("/api/workflows/{run}/checkpoints")).await;
    let last = page["items"].as_array().unwrap().last().unwrap()["number"].as_u64().unwrap();
    let past = world.shown(&format!("/api/workflows/{run}/checkpoints/{last}")).await;
    assert_eq!((&past["number"], &past["state"]["checkpoint"]), (&json!(last), &json!(last)));
    for number in ["0", "999", "-1", "x"] {
        let (status, body) = world.get(&format!("/api/workflows/{run}/checkpoints/{number}")).await;
        assert_eq!((status, code(&body)), (StatusCode::NOT_FOUND, "NOT_FOUND"), "{number}");
    }
    let fork = format!("/api/workflows/{run}/fork");
    let (status, body) = world.post(&fork, json!({"at": last, "set": {"n": 41}})).await;
    assert_eq!((status, &body["status"]), (StatusCode::CREATED, &json!("awaiting_approval")), "{body}");
    let forked = body["id"].as_str().unwrap().parse().unwrap();
    let items = world.shown("/api/workflows").await["items"].clone();
    assert_eq!(items[0]["id"], body["id"], "it is in the list at once");
    let shown = world.shown(&format!("/api/workflows/{forked}")).await;
    assert_eq!(shown["forked_from"], json!({"workflow_id": run.to_string(), "checkpoint": last}));
    assert_eq!(world.post_to(forked, "approve").await.0, StatusCode::ACCEPTED);
    world.finish(forked).await;
    assert_eq!(world.post(&fork, json!({"at": 999})).await.0, StatusCode::NOT_FOUND);
    assert_eq!(world.post(&fork, json!({"at": "x"})).await.0, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(
        world.post(&fork, json!({"at": last, "set": {"m": 1}})).await.0,
        StatusCode::UNPROCESSABLE_ENTITY
    );
}

#[tokio::test]
async fn the_state_of_a_run_that_waits_is_changed_and_kept_over_a_restart() {
    let world = World::new().await;
    let run = world.start("asks").await;
    world.until_it_waits(run).await;
    let path = format!("/api/workflows/{run}/state");
    let before = world.shown(&path).await;
    assert_eq!((&before["state"]["n"], &before["can_edit"]), (&json!(0), &json!(true)), "{before}");
    let (status, body) = world.post(&path, json!({"set": {"n": 41}, "user_id": "ada"})).await;
    assert_eq!((status, &body["state"]["n"]), (StatusCode::OK, &json!(41)), "{body}");
    assert_eq!(body["changed"], json!([{"path": "n", "before": "0", "after": 41}]));
    assert_eq!(body["checkpoint"].as_u64(), before["checkpoint"].as_u64().map(|number| number + 1));
    let world = world.restart().await;
    let log = world.shown(&format!("/api/workflows/{run}/events?format=log&limit=500")).await;
    let last = log["items"].as_array().unwrap().last().unwrap().clone();
    let edited = json!({"by": "ada", "edits": [{"path": "n", "before": "0", "after": 41}]});
    assert_eq!(last["kind"]["run"]["state_edited"], edited, "{last}");
    // The same again is no change.
    let (_, body) = world.post(&path, json!({"set": {"n": 41}})).await;
    assert_eq!(
        (&body["checkpoint"], &body["changed"]),
        (&json!(before["checkpoint"].as_u64().unwrap() + 1), &json!(null))
    );
    assert_eq!(world.post_to(run, "approve").await.0, StatusCode::ACCEPTED);
    world.finish(run).await;
    let after = world.shown(&path).await;
    assert_eq!(
        (&after["state"]["n"], &after["can_edit"]),
        (&json!(42), &json!(false)),
        "it went on from there"
    );
    let (status, body) = world.post(&path, json!({"set": {"n": 1}})).await;
    assert_eq!((status, code(&body)), (StatusCode::CONFLICT, "WRONG_STATE"), "{body}");
}

#[tokio::test]
async fn a_change_that_does_not_fit_or_of_a_run_at_work_is_refused() {
    let world = World::new().await;
    let run = world.start("works").await;
    world.until_it_works(run).await;
    let path = format!("/api/workflows/{run}/state");
    let (status, body) = world.post(&path, json!({"set": {"n": 1}})).await;
    assert_eq!((status, code(&body)), (StatusCode::CONFLICT, "WRONG_STATE"), "{body}");
    assert_eq!(body["error"]["hint"], "pause it first");
    world.post_to(run, "pause").await;
    world.until_it_waits(run).await;
    for (set, message) in [
        (json!({"n": -1}), "`n` cannot be set: invalid value: integer `-1`, expected u32"),
        (json!({"m": 1}), "`m` cannot be set: there is no such field; there are n"),
        (json!({}), "no field is to be changed"),
    ] {
        let (status, body) = world.post(&path, json!({ "set": set })).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{body}");
        assert_eq!(body["error"]["message"], message);
    }
    let (status, body) = world.post(&path, json!({"set": {"n": "x".repeat(300_000)}})).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{body}");
    let (status, _) = world.post(&path, json!({"set": {"n": 5}})).await;
    assert_eq!(status, StatusCode::OK, "a pause holds it");
    // An answer to a stop can bring changes along, which are checked first.
    let request = world.until_it_waits(run).await.view.pending[0].id;
    let respond = format!("/api/workflows/{run}/hitl/{request}/respond");
    for (updates, message) in [
        (json!({"m": 1}), "`m` cannot be set: there is no such field; there are n"),
        (json!([1]), "`state_updates` must be an object"),
    ] {
        let (status, body) =
            world.post(&respond, json!({"action": "modify", "state_updates": updates})).await;
        assert_eq!((status, &body["error"]["message"]), (StatusCode::UNPROCESSABLE_ENTITY, &json!(message)));
    }
    let (status, _) = world.post(&respond, json!({"action": "modify", "state_updates": {"n": 7}})).await;
    assert_eq!(status, StatusCode::ACCEPTED);
    world.finish(run).await;
    assert_eq!(world.shown(&path).await["state"]["n"], 8);
}
