use std::sync::Arc;
use std::time::Duration;

use amelia_core::budget::{BudgetExceeded, LimitOwner};
use amelia_core::human::HumanAction;
use amelia_core::id::AgentName;
use amelia_core::key_source::KeySource;
use amelia_core::problem::Problem;
use serde_json::Value;

use super::*;
use crate::testing::{answered, only, request, visit, visit_after};

const KINDS: [HumanKind; 10] = [
    HumanKind::Approval,
    HumanKind::Question,
    HumanKind::Escalation,
    HumanKind::Breakpoint,
    HumanKind::Step,
    HumanKind::Pause,
    HumanKind::StepLimit,
    HumanKind::Budget,
    HumanKind::Quota,
    HumanKind::Rounds,
];

#[tokio::test]
async fn only_a_no_to_a_limit_stops_the_agent() {
    let limits = [HumanKind::Budget, HumanKind::Quota, HumanKind::Rounds, HumanKind::Escalation];
    for kind in KINDS {
        for action in [HumanAction::Approve, HumanAction::Modify, HumanAction::Reject, HumanAction::TimedOut]
        {
            let cx = visit_after(&Arc::default(), answered(request(kind, Value::Null), action, None)).await;
            let is_no = matches!(action, HumanAction::Reject | HumanAction::TimedOut);
            let code = check_answer(&cx).err().map(|error| error.code);
            let expected = (is_no && limits.contains(&kind)).then(|| "stopped".to_owned());
            assert_eq!(code, expected, "{kind:?} {action:?}");
        }
    }
    assert_eq!(check_answer(&visit(&Arc::default()).await).err(), None, "no person was asked");
}

#[tokio::test]
async fn a_limit_is_a_question_and_anything_else_a_failure() {
    let cx = visit(&Arc::default()).await;
    let (provider, detail) = (|| "p".to_owned(), || "d".to_owned());
    let waits = |kind: HumanKind| format!("waits for {kind:?}");
    for (error, end) in [
        (DriverError::Loop { times: 3, call: detail() }, waits(HumanKind::Rounds)),
        (DriverError::Silent { times: 3 }, waits(HumanKind::Rounds)),
        (DriverError::Turns { turns: 3 }, waits(HumanKind::Rounds)),
        (
            DriverError::Quota { provider: provider(), resets_at: None, detail: detail(), account: None },
            waits(HumanKind::Quota),
        ),
        (
            DriverError::Unauthorised { provider: provider(), key: KeySource::SignIn, detail: detail() },
            "unauthorised".to_owned(),
        ),
        (
            DriverError::UnknownModel { provider: provider(), model: "m".to_owned(), detail: detail() },
            "unknown_model".to_owned(),
        ),
        (DriverError::Refused { provider: provider(), status: None, detail: detail() }, "refused".to_owned()),
        (DriverError::Unusable { provider: provider(), detail: detail() }, "unusable".to_owned()),
        (DriverError::TooLong { model: "m".to_owned(), detail: detail() }, "too_long".to_owned()),
        (
            DriverError::Unavailable { provider: provider(), tries: 1, retry_after: None, detail: detail() },
            "unavailable".to_owned(),
        ),
        (
            DriverError::Held { provider: provider(), wait: Duration::ZERO, detail: detail() },
            "held".to_owned(),
        ),
        (DriverError::BadAnswer(detail()), "bad_answer".to_owned()),
        (DriverError::Program { program: provider(), problem: detail().into() }, "program".to_owned()),
        (DriverError::Setup(detail()), "setup".to_owned()),
    ] {
        let (text, problem) = (error.to_string(), Problem::from(&error));
        let came = match stopped::<()>(&cx, AgentStop::Driver(error)) {
            Ok(Outcome::Wait(requests)) => {
                let request = only(requests);
                assert_eq!(request.prompt, format!("{text}: continue?"));
                waits(request.kind)
            }
            Ok(Outcome::Done(_)) => "done".to_owned(),
            Err(failed) => {
                assert_eq!(failed.problem, problem);
                failed.code
            }
        };
        assert_eq!(came, end, "{text}");
    }
}

#[tokio::test]
async fn a_question_of_the_agent_and_a_broken_log_are_passed_on() {
    let cx = visit(&Arc::default()).await;
    let asks = vec![request(HumanKind::Question, Value::Null)];
    assert!(matches!(
        stopped::<()>(&cx, AgentStop::Asks(asks.clone())),
        Ok(Outcome::Wait(passed)) if passed == asks
    ));
    let broken = NodeError::new("store", "disk full");
    assert_eq!(stopped::<()>(&cx, AgentStop::Node(broken.clone())).err(), Some(broken));
}

#[tokio::test]
async fn a_question_about_a_quota_says_when_it_is_over() {
    let cx = visit(&Arc::default()).await;
    let resets_at = cx.now();
    let error = DriverError::Quota {
        provider: "p".to_owned(),
        resets_at: Some(resets_at),
        detail: "d".to_owned(),
        account: Some("a".to_owned()),
    };
    let Ok(Outcome::Wait(requests)) = stopped::<()>(&cx, AgentStop::Driver(error)) else {
        panic!("it waits")
    };
    let request = only(requests);
    let used_up = ExhaustedQuota { account: "a".to_owned(), provider: "p".to_owned(), resets_at };
    assert_eq!(request.context, used_up.context());
}

#[tokio::test]
async fn a_question_about_a_budget_has_its_limit_as_data() {
    let cx = visit(&Arc::default()).await;
    let developer = || LimitOwner::Agent(AgentName::new("developer").unwrap());
    for (whose, limit, context) in [
        (
            LimitOwner::Run,
            BudgetExceeded::Usd { limit: 0.5, would_be: 0.75 },
            json!({"limit": {"usd": {"limit": 0.5, "would_be": 0.75}}}),
        ),
        (
            LimitOwner::Run,
            BudgetExceeded::Time { limit: 60, taken: 61 },
            json!({"limit": {"time": {"limit": 60, "taken": 61}}}),
        ),
        (
            LimitOwner::Run,
            BudgetExceeded::Unpriced { calls: 1 },
            json!({"whose": "run", "limit": {"unpriced": {"calls": 1}}}),
        ),
        (
            developer(),
            BudgetExceeded::Tokens { limit: 300, would_be: 545 },
            json!({"whose": {"agent": "developer"}, "limit": {"tokens": {"limit": 300, "would_be": 545}}}),
        ),
        (
            developer(),
            BudgetExceeded::Calls { limit: 1, would_be: 2 },
            json!({"whose": {"agent": "developer"}, "limit": {"calls": {"limit": 1, "would_be": 2}}}),
        ),
    ] {
        let reached = LimitReached { whose, limit };
        let stop = AgentStop::Driver(DriverError::Budget(reached));
        let Ok(Outcome::Wait(requests)) = stopped::<()>(&cx, stop) else { panic!("it waits") };
        let request = only(requests);
        assert_eq!((request.kind, request.context), (HumanKind::Budget, context));
    }
}
