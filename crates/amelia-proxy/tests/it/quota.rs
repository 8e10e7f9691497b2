//! An account that is used up: the program hears it unchanged, and so does the run.

use amelia_drivers::program::MeterReport;

use crate::world::{World, calls, scripted};

async fn told(headers: &str, message: &str) -> Option<MeterReport> {
    let error = format!("{{status: 429, message: {message}, headers: {{{headers}}}}}");
    let script =
        format!("rules: [{{when: {{last: enough}}, reply: {{error: {error}}}}}, {{reply: {{text: ok}}}}]");
    let server = scripted(&script).await;
    let mut world = World::on(&server).await;
    let (_, path, body) = &calls("enough")[0];
    let answer = world.post(path, body).await;
    assert_eq!(answer.status(), 429);
    assert!(answer.text().await.unwrap().contains(message));
    // Whatever is told comes before what the next call took.
    let (_, path, body) = &calls("hi")[0];
    world.post(path, body).await.text().await.unwrap();
    match world.told().await {
        MeterReport::Used(_) => None,
        other => Some(other),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refusal_for_long_is_a_quota_and_one_for_a_moment_is_not() {
    assert_eq!(told("", "slow down").await, None);
    assert_eq!(told("retry-after: '7'", "slow down").await, None);
    let now = jiff::Timestamp::now();
    for headers in [
        "retry-after: '3600'",
        "retry-after-ms: '3600000'",
        "x-ratelimit-remaining-tokens: '0', x-ratelimit-reset-tokens: 60m0s",
    ] {
        let Some(MeterReport::Quota { resets_at, detail, .. }) = told(headers, "slow down").await else {
            panic!("{headers}")
        };
        let wait = resets_at.unwrap().duration_since(now).as_secs();
        assert!((3600..3660).contains(&wait), "{headers}: {wait}");
        assert!(detail.contains("slow down"), "{detail}");
    }
    let used_up = told("", "usage limit reached").await;
    assert!(matches!(used_up, Some(MeterReport::Quota { resets_at: None, .. })), "{used_up:?}");
}
