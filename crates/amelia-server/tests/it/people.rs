//! Questions and answers.

use amelia_core::run::RunStatus;
use reqwest::{Method, StatusCode};
use serde_json::json;
use uuid::Uuid;

use crate::world::{World, code};

#[tokio::test]
async fn a_run_that_waits_says_for_what_and_how_to_move_it() {
    let world = World::new().await;
    let run = world.start("asks").await;
    let row = world.until_it_waits(run).await;
    let shown = world.shown(&format!("/api/workflows/{run}")).await;
    assert_eq!(shown["status"], "awaiting_approval");
    assert_eq!((&shown["why"]["waiting_for"], &shown["why"]["message"]), (&json!("approval"), &json!("go?")));
    assert!(shown["why"]["unblock"].as_str().unwrap().contains("/approve"));
    let asked = row.view.pending[0].id.to_string();
    let requests = world.shown(&format!("/api/tasks/{run}/hitl/requests")).await;
    assert_eq!(requests["items"][0]["request_id"], asked);
    assert_eq!(shown["pending_requests"], requests["items"]);
    let inbox = world.shown("/api/inbox").await;
    assert_eq!(inbox, requests);
}

#[tokio::test]
async fn approve_is_taken_once_and_reject_after_it_is_refused() {
    let world = World::new().await;
    let run = world.start("asks").await;
    world.until_it_waits(run).await;
    let (status, body) = world.post_to(run, "approve").await;
    assert_eq!((status, &body["status"]), (StatusCode::ACCEPTED, &json!("running")), "{body}");
    let (status, body) = world.post_to(run, "approve").await;
    assert_eq!((status, code(&body)), (StatusCode::CONFLICT, "WRONG_STATE"));
    let reject = format!("/api/workflows/{run}/reject");
    let (status, _) = world.post(&reject, json!({"feedback": "too late"})).await;
    assert_eq!(status, StatusCode::CONFLICT);
    world.finish(run).await;
}

#[tokio::test]
async fn two_who_approve_at_once_do_not_both_succeed() {
    let world = World::new().await;
    let run = world.start("asks").await;
    world.until_it_waits(run).await;
    let (one, two) = tokio::join!(world.post_to(run, "approve"), world.post_to(run, "approve"));
    let mut statuses = [one.0, two.0];
    statuses.sort();
    assert_eq!(statuses, [StatusCode::ACCEPTED, StatusCode::CONFLICT], "{one:?} {two:?}");
}

#[tokio::test]
async fn a_grant_needs_a_question_about_a_tool_call() {
    let world = World::new().await;
    let run = world.start("asks").await;
    let asked = world.until_it_waits(run).await.view.pending[0].id;
    let approve = format!("/api/workflows/{run}/approve");
    let respond = format!("/api/workflows/{run}/hitl/{asked}/respond");
    for grant in [
        json!({"lasts": "forever"}),
        json!({"lasts": "run", "colour": "blue"}),
        json!({"rule": "Bash"}),
        json!({"lasts": "once"}),
        json!({"lasts": "run"}),
        json!({"lasts": "always", "rule": "Bash"}),
    ] {
        let (status, body) = world.post(&approve, json!({"grant": grant})).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{grant}: {body}");
        let (status, body) = world.post(&respond, json!({"response_type": "approved", "grant": grant})).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{grant}: {body}");
    }
    let rejected = json!({"response_type": "rejected", "grant": {"lasts": "run"}});
    assert_eq!(world.post(&respond, rejected).await.0, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(world.until_it_waits(run).await.view.pending[0].id, asked, "the question is still open");
}

#[tokio::test]
async fn reject_needs_words_and_sends_them_on() {
    let world = World::new().await;
    let run = world.start("asks").await;
    let first = world.until_it_waits(run).await.view.pending[0].id;
    let reject = format!("/api/workflows/{run}/reject");
    for body in
        [json!({}), json!({"feedback": null}), json!({"feedback": 7}), json!({"feedback": "x", "y": 1})]
    {
        assert_eq!(world.post(&reject, body).await.0, StatusCode::UNPROCESSABLE_ENTITY);
    }
    assert_eq!(world.post(&reject, json!({"feedback": "smaller steps"})).await.0, StatusCode::ACCEPTED);
    let row = world.until_it_waits(run).await;
    assert_ne!(row.view.pending[0].id, first, "it asks again");
    assert_eq!(world.post_to(run, "replan").await.0, StatusCode::ACCEPTED);
    world.until_it_waits(run).await;
    let page = world.shown(&format!("/api/workflows/{run}/events?type=approval_rejected")).await;
    assert_eq!(page["items"].as_array().unwrap().len(), 2);
    assert!(page["items"][0]["message"].as_str().unwrap().contains("smaller steps"), "{page}");
}

#[tokio::test]
async fn a_plan_is_replaced_while_it_waits_and_not_later() {
    let world = World::new().await;
    let run = world.start("asks").await;
    world.until_it_waits(run).await;
    let plan = format!("/api/workflows/{run}/plan");
    assert_eq!(world.get(&plan).await.0, StatusCode::NOT_FOUND);
    assert_eq!(world.post(&plan, json!({"plan": "# Mine"})).await.0, StatusCode::ACCEPTED);
    let (status, body) = world.post(&plan, json!({"plan": "# Other"})).await;
    assert_eq!((status, code(&body)), (StatusCode::CONFLICT, "WRONG_STATE"));
}

#[tokio::test]
async fn a_question_is_answered_by_its_id_once() {
    let world = World::new().await;
    let run = world.start("wonders").await;
    let asked = world.until_it_waits(run).await.view.pending[0].id;
    let (status, body) = world.post_to(run, "approve").await;
    assert_eq!(status, StatusCode::CONFLICT, "it is not a question for approval");
    assert!(body["error"]["hint"].as_str().unwrap().contains("respond"), "{body}");
    let respond = |id: String, body| {
        let path = format!("/api/tasks/{run}/hitl/{id}/respond");
        let world = &world;
        async move { world.post(&path, body).await }
    };
    let yes = json!({"response_type": "modified", "response_data": {"colour": "blue"}, "message": "blue"});
    let odd = json!({"response_type": "maybe"});
    assert_eq!(respond(asked.to_string(), odd).await.0, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(respond(Uuid::now_v7().to_string(), yes.clone()).await.0, StatusCode::NOT_FOUND);
    assert_eq!(respond("nonsense".to_owned(), yes.clone()).await.0, StatusCode::NOT_FOUND);
    assert_eq!(respond(asked.to_string(), yes.clone()).await.0, StatusCode::ACCEPTED);
    let (status, body) = respond(asked.to_string(), yes.clone()).await;
    assert_eq!((status, code(&body)), (StatusCode::CONFLICT, "WRONG_STATE"));
    world.finish(run).await;
    assert_eq!(respond(asked.to_string(), yes).await.0, StatusCode::CONFLICT, "late");
}

#[tokio::test]
async fn the_inbox_has_questions_of_all_runs_oldest_first_and_loses_answered_ones() {
    let world = World::new().await;
    let one = world.start("asks").await;
    world.until_it_waits(one).await;
    let two = world.start("wonders").await;
    world.until_it_waits(two).await;
    let ids = |page: serde_json::Value| -> Vec<String> {
        let items = page["items"].as_array().unwrap().clone();
        items.iter().map(|item| item["workflow_id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(world.shown("/api/inbox").await), [one.to_string(), two.to_string()]);
    let page = world.shown("/api/inbox?limit=1").await;
    let next = page["next_cursor"].as_str().unwrap().to_owned();
    assert_eq!(ids(world.shown(&format!("/api/inbox?cursor={next}")).await), [two.to_string()]);
    world.send(Method::POST, &format!("/api/workflows/{one}/cancel"), None).await;
    world.until(one, |status| status == RunStatus::Cancelled).await;
    assert_eq!(ids(world.shown("/api/inbox").await), [two.to_string()]);
}
