//! The server about itself.

use reqwest::{Method, StatusCode};

use crate::world::World;

#[tokio::test]
async fn metrics_count_runs_events_requests_tokens_and_sockets() {
    let world = World::new().await;
    let (talks, asks) = (world.start("talks").await, world.start("asks").await);
    world.finish(talks).await;
    world.until_it_waits(asks).await;
    world.get("/api/workflows/x").await;
    world.get("/api/prompts").await;
    world.get("/what/a/stranger/says").await;
    let response = world.request(Method::GET, "/metrics").send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/plain; version=0.0.4; charset=utf-8");
    let text = response.text().await.unwrap();
    for line in [
        "amelia_runs{status=\"completed\"} 1",
        "amelia_runs{status=\"awaiting_approval\"} 1",
        "amelia_runs{status=\"failed\"} 0",
        "amelia_runs_at_work 0",
        "amelia_runs_queued 0",
        "amelia_tokens_total 15",
        "amelia_cost_usd_total 0.25",
        "amelia_websockets 0",
        "amelia_websocket_lagged_total 0",
        "amelia_http_requests_total{class=\"workflows\",status=\"201\"} 2",
        "amelia_http_requests_total{class=\"workflows\",status=\"404\"} 1",
        "amelia_http_requests_total{class=\"prompts\",status=\"200\"} 1",
        "amelia_http_requests_total{class=\"other\",status=\"404\"} 1",
        "amelia_http_request_duration_seconds_count{class=\"workflows\"} 3",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    let events = world.all.runs().store().end().await.unwrap();
    assert!(text.contains(&format!("amelia_events_total {events}\n")), "{text}");
    let named: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")).collect();
    assert_eq!(named.len(), text.lines().filter(|line| line.starts_with("# HELP ")).count());
    assert_eq!(world.bare(Method::GET, "/metrics").send().await.unwrap().status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn the_page_of_routes_has_every_documented_path_and_fetches_nothing() {
    let world = World::new().await;
    let response = world.request(Method::GET, "/api/docs").send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/html; charset=utf-8");
    assert!(
        response.headers()["content-security-policy"].to_str().unwrap().starts_with("default-src 'none'")
    );
    let page = response.text().await.unwrap();
    for path in world.shown("/api/openapi.json").await["paths"].as_object().unwrap().keys() {
        assert!(page.contains(&format!("<code>{path}</code>")), "{path}");
    }
    for way_out in [" src=", "<link", "url(", "@import", "fetch("] {
        assert!(!page.contains(way_out), "{way_out}");
    }
}
