//! A call that would exceed a budget is not made, and many at once exceed it by one at most.

use amelia_core::budget::{Budget, BudgetExceeded, LimitOwner, LimitReached};
use amelia_drivers::program::MeterReport;
use serde_json::Value;

use crate::world::{Setup, World, calls, scripted};

const SCRIPT: &str = "rules: [{reply: {text: hello, delay_ms: 5, usage: {input: 100, output: 50}}}]";
const AT_ONCE: usize = 16;

/// Asks many times at once, in every format in turn; how many went through.
async fn crowd(world: &World) -> usize {
    // As long as the tokens that the script counts for it.
    let all = calls(&"four".repeat(80));
    let asked = (0..AT_ONCE).map(|number| {
        let (_, path, body) = &all[number % all.len()];
        async move {
            let answer = world.post(path, body).await;
            let status = answer.status().as_u16();
            answer.bytes().await.unwrap();
            status
        }
    });
    let statuses = futures_util::future::join_all(asked).await;
    assert!(statuses.iter().all(|status| matches!(status, 200 | 400)), "{statuses:?}");
    statuses.iter().filter(|status| **status == 200).count()
}

async fn world(server: &amelia_scripted::ScriptedServer, budget: Budget) -> World {
    World::with(Setup { budget, ..Setup::new(format!("{}/v1", server.url())) }).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_calls_at_once_exceed_a_budget_by_one_at_most() {
    let server = scripted(SCRIPT).await;
    let tokens = world(&server, Budget { tokens: Some(1000), ..Budget::default() }).await;
    let through = crowd(&tokens).await;
    assert!((6..=7).contains(&through), "{through} calls of 150 tokens within 1000");
    let calls = world(&server, Budget { calls: Some(7), ..Budget::default() }).await;
    assert_eq!(crowd(&calls).await, 7);
    // 0.2 USD each; 4.2 USD are set aside for one that is alone and does not say how long its answer may be.
    let usd = world(&server, Budget { usd: Some(5.0), ..Budget::default() }).await;
    let through = crowd(&usd).await;
    assert!(usd.spent().usd <= 5.0 + 0.2 && through >= 3, "{through}: {:?}", usd.spent());
    let setup = Setup { prices: "{}", ..Setup::new(format!("{}/v1", server.url())) };
    let unpriced =
        World::with(Setup { budget: Budget { usd: Some(5.0), ..Budget::default() }, ..setup }).await;
    assert_eq!(crowd(&unpriced).await, 0, "nobody knows what the first would cost");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_would_exceed_is_refused_for_good_in_the_words_of_the_api() {
    let server = scripted(SCRIPT).await;
    let mut world = world(&server, Budget { calls: Some(0), ..Budget::default() }).await;
    for (_, path, body) in calls("hi") {
        let answer = world.post(path, &body).await;
        assert_eq!(answer.status(), 400, "clients do not try that again");
        let said: Value = answer.json().await.unwrap();
        let message = said["error"]["message"].as_str().unwrap();
        assert_eq!(message, "the limit of 0 for model calls would be exceeded (1); the call was not made");
        assert_eq!(
            world.told().await,
            MeterReport::Exceeded(LimitReached {
                whose: LimitOwner::Run,
                limit: BudgetExceeded::Calls { limit: 0, would_be: 1 }
            })
        );
    }
    assert!(server.requests().is_empty());
}
