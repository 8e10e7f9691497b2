//! A completed run is merged or gets a pull request, and its log says so.

use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::world::{World, code};

#[tokio::test]
async fn a_merge_and_a_pull_request_are_in_the_log_of_a_run_that_has_ended() {
    let world = World::new().await;
    let run = world.start("works").await;
    world.until_it_works(run).await;
    let at = |what: &str| format!("/api/workflows/{run}/{what}");
    let (status, body) = world.post(&at("merge"), json!({})).await;
    assert_eq!((status, code(&body)), (StatusCode::CONFLICT, "WRONG_STATE"), "it is at work");
    world.finish(run).await;
    let (status, body) = world.send(Method::GET, &at("pull-request"), None).await;
    assert_eq!((status, code(&body)), (StatusCode::NOT_FOUND, "NOT_FOUND"));
    let (status, body) = world.post(&at("merge"), json!({"method": "squash", "delete_branch": true})).await;
    assert_eq!(status, StatusCode::OK, "{body}");
    assert_eq!((&body["merged"]["into"], &body["undo"]), (&json!("main"), &json!("git undo")));
    let (status, body) = world.post(&at("pull-request"), json!({"draft": true, "base": "next"})).await;
    assert_eq!((status, &body["number"]), (StatusCode::OK, &json!(7)), "{body}");
    let shown = world.shown(&format!("/api/workflows/{run}")).await;
    assert_eq!(shown["status"], "completed");
    assert_eq!(shown["outcome"]["merged"]["method"], "squash");
    assert_eq!(shown["outcome"]["pull_request"]["base"], "next");
    let state = world.shown(&at("pull-request")).await;
    assert_eq!((&state["status"], &state["has_conflicts"]), (&json!("open"), &json!(false)));
    assert_eq!(shown["outcome"]["merged"]["undo"], "git undo");
    world.post(&at("merge"), json!({"into": "moved"})).await;
    let shown = world.shown(&format!("/api/workflows/{run}")).await;
    assert_eq!(shown["outcome"]["merged"]["undo"], json!(null), "it would drop newer commits");
    let (status, body) = world.post(&at("merge"), json!({"into": "undone"})).await;
    assert_eq!((status, &body["merged"]["undone"]), (StatusCode::OK, &json!(null)), "{body}");
    let shown = world.shown(&format!("/api/workflows/{run}")).await;
    assert_eq!(shown["outcome"]["merged"]["undone"], "removed", "the host has looked");
    let of_list = async |query: &str| {
        let listed = world.shown(&format!("/api/workflows{query}")).await;
        listed["items"][0]["merged"].clone()
    };
    assert_eq!(of_list("").await["undone"], json!(null), "a list is cheap");
    assert_eq!(of_list("?undone=true").await["undone"], "removed");
    let stored = world.shown(&format!("/api/workflows/{run}?format=row")).await;
    assert_eq!(stored["undone_merge"], "removed");
    for flat in [format!("/api/workflows/{run}?format=flat"), "/api/workflows?format=flat".to_owned()] {
        let shown = world.shown(&flat).await;
        let flat = shown["items"].get(0).unwrap_or(&shown);
        assert_eq!(flat["merged_into"], json!(null), "{flat}");
    }
    world.post(&at("merge"), json!({"into": "again"})).await;
    let shown = world.shown(&format!("/api/workflows/{run}")).await;
    assert_eq!(shown["outcome"]["merged"], json!(null), "another commit has brought the changes");
    for bad in [json!({"into": " "}), json!({"method": "magic"}), json!({"squash": true})] {
        let (status, _) = world.post(&at("merge"), bad.clone()).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{bad}");
    }
}
