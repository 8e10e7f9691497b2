use proptest::prelude::*;

use super::*;
use crate::clock::{Clock, TickingClock};
use crate::event::run::{ResumeReason, Steering};
use crate::event::{Draft, SystemEvent};
use crate::human::{HumanAction, HumanKind, HumanReply, OnTimeout};
use crate::id::{EventId, GraphName, RequestId, RunId, Step};
use crate::object::Object;
use crate::permission::GrantDuration;
use crate::run::{Domain, RunSpec};
use crate::store::trace_of;

fn event(clock: &TickingClock, seq: u64, session: Option<RunId>, kind: EventKind) -> Event {
    let run = RunId(uuid::Uuid::nil());
    let draft = Draft {
        id: EventId(clock.new_id()),
        at: clock.now(),
        agent: AgentName::system(),
        domain: Domain::default(),
        session,
        step: None,
        cause: None,
        kind,
    };
    Event { run, seq: Seq(seq), trace: trace_of(run), draft }
}

fn fold(kinds: Vec<EventKind>) -> RunView {
    let clock = TickingClock::default();
    let mut view = RunView::default();
    for (seq, kind) in (1..).zip(kinds) {
        view.apply(&event(&clock, seq, None, kind));
    }
    view
}

fn created() -> EventKind {
    let spec = RunSpec::new(GraphName::new("g").unwrap(), "t");
    EventKind::Run(RunEvent::Created { spec: Box::new(spec) })
}

fn request(number: u128) -> HumanRequest {
    HumanRequest {
        id: RequestId(uuid::Uuid::from_u128(number)),
        kind: HumanKind::Approval,
        by: AgentName::system(),
        at: Timestamp::UNIX_EPOCH,
        prompt: "may I?".to_owned(),
        context: serde_json::Value::Null,
        deadline: None,
        on_timeout: OnTimeout::default(),
        session: None,
        mode: None,
    }
}

#[test]
fn a_child_run_does_not_end_its_parent() {
    let clock = TickingClock::default();
    let mut view = fold(vec![created(), EventKind::Run(RunEvent::Started)]);
    let child = Some(RunId(uuid::Uuid::from_u128(7)));
    let completed = EventKind::Run(RunEvent::Completed { summary: None });
    view.apply(&event(&clock, 3, child, completed));
    assert_eq!(view.status, RunStatus::Running);
    let used = Usage { cost_usd: Some(0.5), ..Usage::default() };
    view.apply(&event(&clock, 4, child, EventKind::Agent(AgentEvent::Used(used))));
    assert!((view.spend.usd - 0.5).abs() < 1e-9, "its cost is the parent's");
}

#[test]
fn a_failed_run_that_is_retried_is_running_again_without_its_failure() {
    let failure = RunFailure { code: "x".to_owned(), message: "y".to_owned(), node: None };
    let failed = EventKind::Run(RunEvent::Failed { failure });
    let view = fold(vec![created(), EventKind::Run(RunEvent::Started), failed.clone()]);
    assert_eq!((view.status, view.failure.is_some()), (RunStatus::Failed, true));
    let retried = EventKind::Run(RunEvent::Resumed { reason: ResumeReason::Retried });
    let view = fold(vec![created(), EventKind::Run(RunEvent::Started), failed, retried]);
    assert_eq!((view.status, view.failure, view.ended_at), (RunStatus::Running, None, None));
}

#[test]
fn a_rule_that_is_granted_twice_is_one_and_belongs_to_its_agent() {
    let granted = |agent: &str, lasts| {
        let (agent, rule) = (AgentName::new(agent).unwrap(), "Bash(make)".to_owned());
        EventKind::Run(RunEvent::PermissionGranted(PermissionGrant { agent, rule, lasts }))
    };
    let (run, always) = (GrantDuration::Run, GrantDuration::Always);
    let view = fold(vec![created(), granted("a", run), granted("b", run), granted("a", always)]);
    let rules: Vec<_> = view.granted.iter().map(|grant| (grant.agent.as_str(), grant.lasts)).collect();
    assert_eq!(rules, [("b", run), ("a", always)]);
    let ended = vec![created(), granted("a", run), EventKind::Run(RunEvent::Cancelled { by: None })];
    assert_eq!(fold(ended).granted.len(), 1, "a fork of it begins with them");
}

#[test]
fn a_rule_that_is_removed_holds_no_more_and_others_do() {
    let granted = |agent: &str| {
        let (agent, rule) = (AgentName::new(agent).unwrap(), "Bash(make)".to_owned());
        EventKind::Run(RunEvent::PermissionGranted(PermissionGrant {
            agent,
            rule,
            lasts: GrantDuration::Run,
        }))
    };
    let (agent, rule) = (AgentName::new("a").unwrap(), "Bash(make)".to_owned());
    let removed = EventKind::Run(RunEvent::Steered(Steering::RemoveRule { agent, rule }));
    assert_eq!(removed.summary(), "a may no longer use Bash(make) without asking");
    let view = fold(vec![created(), granted("a"), granted("b"), removed]);
    let agents: Vec<_> = view.granted.iter().map(|grant| grant.agent.as_str()).collect();
    assert_eq!(agents, ["b"]);
}

fn any_kind() -> impl Strategy<Value = EventKind> {
    let node = |name: u8| NodeId::new(format!("n{}", name % 3)).unwrap();
    prop_oneof![
        Just(EventKind::Run(RunEvent::Started)),
        Just(EventKind::Run(RunEvent::Paused { reason: HumanKind::Approval })),
        Just(EventKind::Run(RunEvent::Resumed { reason: ResumeReason::Replied })),
        any::<u8>().prop_map(move |name| {
            EventKind::Node(NodeEvent::Entered { node: node(name), step: Step(u32::from(name)) })
        }),
        any::<u8>().prop_map(move |name| {
            EventKind::Node(NodeEvent::Left { node: node(name), step: Step(u32::from(name)), duration_ms: 1 })
        }),
        (0_u128..4).prop_map(|number| EventKind::Human(HumanEvent::Requested(request(number)))),
        (0_u128..4).prop_map(|number| EventKind::Human(HumanEvent::Replied(HumanReply {
            request: request(number).id,
            action: HumanAction::Approve,
            at: Timestamp::UNIX_EPOCH,
            by: None,
            message: None,
            updates: None,
            grant: None,
        }))),
        (0_u32..1000, any::<bool>()).prop_map(|(tokens, priced)| EventKind::Agent(AgentEvent::Used(Usage {
            input_tokens: Some(u64::from(tokens)),
            cost_usd: priced.then(|| f64::from(tokens) / 1e3),
            ..Usage::default()
        }))),
    ]
}

proptest! {
    /// A view can be put away and taken up again at any event: the fold does not need its past.
    #[test]
    fn a_stored_view_goes_on_like_one_that_was_never_stored(
        kinds in prop::collection::vec(any_kind(), 1..40), cut in any::<prop::sample::Index>()
    ) {
        let cut = cut.index(kinds.len());
        let clock = TickingClock::default();
        let mut view = RunView::default();
        for (seq, kind) in (1..).zip(&kinds) {
            if seq as usize == cut + 1 {
                view = serde_json::from_str(&serde_json::to_string(&view).unwrap()).unwrap();
            }
            view.apply(&event(&clock, seq, None, kind.clone()));
        }
        prop_assert_eq!(&view, &fold(kinds.clone()));
        prop_assert_eq!(view.seq, Seq(kinds.len() as u64));
    }

    /// What is pending was asked and not answered since.
    #[test]
    fn questions_are_pending_until_they_are_answered(kinds in prop::collection::vec(any_kind(), 0..40)) {
        let mut pending = Vec::new();
        for kind in &kinds {
            match kind {
                EventKind::Human(HumanEvent::Requested(request)) => pending.push(request.id),
                EventKind::Human(HumanEvent::Replied(reply)) => pending.retain(|id| *id != reply.request),
                _ => {}
            }
        }
        let view = fold(kinds);
        let found: Vec<RequestId> = view.pending.iter().map(|request| request.id).collect();
        prop_assert_eq!(found, pending);
    }
}

#[test]
fn a_model_that_is_asked_again_is_named_until_its_agent_does_something() {
    let retry = || EventKind::System(SystemEvent::retry("cannot reach m; trying again (2 of 4)".to_owned()));
    let asked = vec![created(), EventKind::Run(RunEvent::Started), retry()];
    let view = fold(asked.clone());
    assert_eq!(view.retry.map(|retry| retry.text), Some("cannot reach m; trying again (2 of 4)".to_owned()));
    let other =
        SystemEvent::Warned { message: "2 old messages were shortened".to_owned(), details: Object::new() };
    assert!(fold([asked.clone(), vec![EventKind::System(other)]].concat()).retry.is_some());
    let answered = EventKind::Agent(AgentEvent::Used(Usage::default()));
    assert!(fold([asked.clone(), vec![answered]].concat()).retry.is_none());
    let ended = EventKind::Run(RunEvent::Cancelled { by: None });
    assert!(fold([asked, vec![ended]].concat()).retry.is_none());
}

#[test]
fn a_run_that_lacks_a_key_waits_for_it_until_it_is_cancelled() {
    let failure = RunFailure { code: MISSING_KEY.into(), message: "`A_KEY` is not set".into(), node: None };
    let failed =
        vec![created(), EventKind::Run(RunEvent::Started), EventKind::Run(RunEvent::Failed { failure })];
    assert_eq!(fold(failed.clone()).status_words(), "waiting (key)");
    let ended = EventKind::Run(RunEvent::Cancelled { by: None });
    assert_eq!(fold([failed, vec![ended]].concat()).status_words(), "cancelled");
}
