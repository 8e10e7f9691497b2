//! The log over HTTP, in three dialects.

use amelia_core::event::Event;
use amelia_core::id::Seq;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::world::World;

fn column(page: &Value, name: &str) -> Vec<String> {
    page["items"].as_array().unwrap().iter().map(|item| item[name].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn events_are_told_in_the_words_of_each_dialect() {
    let world = World::new().await;
    let run = world.start("talks").await;
    world.until_it_works(run).await;
    world.finish(run).await;
    let events = async |query: &str| world.shown(&format!("/api/workflows/{run}/events{query}")).await;
    assert_eq!(
        column(&events("").await, "event_type"),
        [
            "workflow_created",
            "workflow_started",
            "stage_started",
            "agent_output",
            "stage_completed",
            "workflow_completed"
        ]
    );
    assert_eq!(
        column(&events("?format=agentx").await, "type"),
        [
            "event_task_start",
            "event_agent_start",
            "event_agent_complete",
            "event_performance_metric",
            "event_task_complete"
        ]
    );
    assert!(column(&events("?format=trace").await, "step_name").contains(&"agent.used".to_owned()));
    assert_eq!(column(&events("?type=workflow_started").await, "event_type"), ["workflow_started"]);
    assert_eq!(column(&events("?type=run.started").await, "event_type"), ["workflow_started"]);
    assert_eq!(column(&events("?agent=talker").await, "event_type"), ["agent_output"]);
    assert_eq!(events("?level=error").await["items"], json!([]));
    for bad in ["?format=odd", "?level=odd", "?after=-1", "?limit=1000"] {
        let (status, _) = world.get(&format!("/api/workflows/{run}/events{bad}")).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{bad}");
    }
}

#[tokio::test]
async fn a_log_is_read_part_by_part_without_gap_or_repetition() {
    let world = World::new().await;
    let run = world.start("talks").await;
    world.finish(run).await;
    for format in ["amelia", "agentx", "trace", "agentic", "log"] {
        let path = format!("/api/workflows/{run}/events?format={format}");
        let whole = world.shown(&path).await;
        let (mut parts, mut cursor) = (Vec::new(), "0".to_owned());
        loop {
            let page = world.shown(&format!("{path}&limit=2&cursor={cursor}")).await;
            parts.extend(page["items"].as_array().unwrap().clone());
            match page["next_cursor"].as_str() {
                Some(next) => cursor = next.to_owned(),
                None => break,
            }
        }
        assert_eq!(json!(parts), whole["items"], "{format}");
    }
}

#[tokio::test]
async fn a_log_is_read_as_it_is_stored() {
    let world = World::new().await;
    let run = world.start("talks").await;
    world.finish(run).await;
    let stored = world.all.runs().store().events(run, Seq::START, 500).await.unwrap();
    let path = format!("/api/tasks/{run}/events?format=log");
    let page = world.shown(&path).await;
    let read: Vec<Event> = serde_json::from_value(page["items"].clone()).unwrap();
    assert_eq!(read, stored);
    let some = world.shown(&format!("{path}&type=agent.used")).await;
    assert_eq!(some["items"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn history_trace_and_metrics_are_folds_of_the_log() {
    let world = World::new().await;
    let run = world.start("talks").await;
    world.finish(run).await;
    assert_eq!(
        world.shown(&format!("/api/tasks/{run}/history")).await,
        json!({"items": [], "next_cursor": null})
    );
    let trace = world.shown(&format!("/api/tasks/{run}/trace")).await;
    assert_eq!(trace["task_id"], run.to_string());
    let metrics = world.shown(&format!("/api/tasks/{run}/metrics")).await;
    assert_eq!(
        metrics["usage"],
        json!({"tokens": 15, "cost_usd": 0.25, "calls": 1, "unpriced_calls": 0, "estimated_calls": 0})
    );
    assert_eq!(metrics["usage_by_model"]["toy-1"], metrics["usage"]);
    assert_eq!(metrics["stages"]["only"]["visits"], 1);
}

#[tokio::test]
async fn usage_adds_up_by_run_agent_model_and_day() {
    let world = World::new().await;
    for _ in 0..2 {
        let run = world.start("talks").await;
        world.finish(run).await;
    }
    let usage = world.shown("/api/usage").await;
    let both = json!({"tokens": 30, "cost_usd": 0.5, "calls": 2, "unpriced_calls": 0, "estimated_calls": 0});
    assert_eq!(usage["total"], both);
    assert_eq!(usage["agents"], json!({"talker": both}));
    assert_eq!(usage["models"], json!({"toy-1": both}));
    assert_eq!(usage["runs"].as_array().unwrap().len(), 2);
    let days: Vec<&Value> = usage["days"].as_object().unwrap().values().collect();
    assert_eq!(days.iter().map(|day| day["tokens"].as_u64().unwrap()).sum::<u64>(), 30);
    let table = world.request(Method::GET, "/api/usage?format=csv").send().await.unwrap();
    assert_eq!(table.headers()["content-type"], "text/csv; charset=utf-8");
    let table = table.text().await.unwrap();
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "id,title,created_at,tokens,cost_usd,calls,unpriced_calls,estimated_calls");
    assert!(lines[1].contains(",\"talks\",") && lines[1].ends_with(",15,0.25,1,0,0"), "{}", lines[1]);
    assert_eq!(lines.len(), 3);
    let none = world.shown("/api/usage?until=2020-01-01T00:00:00Z").await;
    assert_eq!((&none["total"]["tokens"], &none["runs"]), (&json!(0), &json!([])));
}
