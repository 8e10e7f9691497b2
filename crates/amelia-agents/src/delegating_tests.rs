use amelia_core::config::agent::DriverType;
use amelia_core::config::team::tool::EscalationRule;
use amelia_core::driver::DriverError;
use amelia_core::human::{HumanAction, WaitMode};
use amelia_core::human_tool::HumanToolKind;
use amelia_core::id::{AgentName, RunId};

use super::*;
use crate::helpers::Helpers;
use crate::human_tool::{DEFAULT_TIMEOUT, HumanTool};
use crate::testing::{
    self, Log, NoTools, ScriptedDriver, ScriptedTurn, answered, member, only, visit, visit_after,
};

const LIMITS: SubAgentLimits = SubAgentLimits { depth: 2, per_run: 2, at_once: 1 };

fn sub_agent(script: &Arc<ScriptedDriver>, name: &str, sub_agents: &[&str]) -> (String, SubAgent) {
    let agent = Agent { name: AgentName::new(name).unwrap(), ..member(script, DriverType::Api) };
    let agent = Agent { helpers: Helpers { person: true, ..Helpers::default() }, ..agent };
    let sub_agents = sub_agents.iter().map(ToString::to_string).collect();
    let (role, system, tools) = ("finds facts".to_owned(), "Find.".to_owned(), Arc::new(NoTools));
    (name.to_owned(), SubAgent { agent, role, system, tools, sub_agents })
}

fn scout(turns: impl IntoIterator<Item = ScriptedTurn>) -> (Arc<ScriptedDriver>, Arc<dyn OwnTool>) {
    let script = ScriptedDriver::new(turns);
    let all = SubAgents::new([sub_agent(&script, "scout", &[])].into(), LIMITS, 0);
    let tool = all.tool(&["scout".to_owned()]).unwrap();
    (script, tool)
}

fn call(id: &str) -> ToolCall {
    testing::call(id, NAME, json!({"agent": "scout", "task": "Find the port.", "context": "It listens."}))
}

/// The events of the sub-agent's life, and who wrote them.
fn life(log: &Log) -> Vec<(&'static str, Option<RunId>, String)> {
    let events = log.events().into_iter().filter(|event| matches!(event.draft.kind, EventKind::Run(_)));
    let of_child = events.filter(|event| event.draft.session.is_some());
    of_child.map(|e| (e.draft.kind.name(), e.draft.session, e.draft.agent.to_string())).collect()
}

#[tokio::test]
async fn only_the_summary_returns_and_the_conversation_is_its_own() {
    let log: Arc<Log> = Arc::default();
    let cx = visit(&log).await;
    let (script, tool) = scout([ScriptedTurn::Says("It is 80.")]);
    let result = tool.call(&cx, &call("c1")).await.unwrap();
    assert_eq!(result.output, "<untrusted source=\"scout\">\nIt is 80.\n</untrusted>");
    assert!(result.duration_ms.is_some());
    let asked = script.requests();
    assert_eq!((asked[0].messages.len(), asked[0].system.as_str()), (1, "Find."));
    let words = asked[0].messages[0].text();
    assert!(words.contains("Find the port.") && words.contains("It listens."), "{words}");
    let session = cx.sub_agent("c1").session();
    let names = ["run.created", "run.started", "run.completed"];
    assert_eq!(life(&log), names.map(|name| (name, session, "scout".to_owned())));
}

#[tokio::test]
async fn a_long_answer_is_summarised_and_then_cut() {
    let long: &'static str = Box::leak("ab ".repeat(2_000).into_boxed_str());
    for (second, expected) in [("Short.", "Short.".to_owned()), (long, format!("{}…", &long[..4_000]))] {
        let (script, tool) = scout([ScriptedTurn::Says(long), ScriptedTurn::Says(second)]);
        let result = tool.call(&visit(&Arc::default()).await, &call("c1")).await.unwrap();
        assert_eq!(result.output, fence::untrusted(&expected, "scout"));
        assert_eq!(script.last_words()[1], SUMMARISE);
    }
}

#[tokio::test]
async fn a_question_of_a_sub_agent_is_answered_to_it_alone() {
    let log: Arc<Log> = Arc::default();
    let cx = visit(&log).await;
    let asks = || ScriptedTurn::Calls("ask_human", json!({"question": "Which port?"}));
    let (_, tool) = scout([asks()]);
    let Err(OwnStop::Asks(requests)) = tool.call(&cx, &call("c1")).await else { panic!("it asks") };
    let request = only(requests);
    assert_eq!((request.prompt.as_str(), request.session), ("Which port?", cx.sub_agent("c1").session()));
    let cx = visit_after(&log, answered(request, HumanAction::Approve, Some("8080"))).await;
    assert_eq!(cx.answered(), None, "the one who delegated did not ask");
    assert_eq!(cx.sub_agent("c2").answered(), None);
    // The driver makes the open call again, and says what it returns.
    let (_, tool) = scout([asks()]);
    let result = tool.call(&cx, &call("c1")).await.unwrap();
    assert_eq!(result.output, fence::untrusted("8080", "scout"));
    assert_eq!(life(&log).len(), 3, "it was created once");
}

#[tokio::test]
async fn a_sub_agent_asks_with_the_tools_that_it_has_of_its_own() {
    let log: Arc<Log> = Arc::default();
    let cx = visit(&log).await;
    let escalates = ScriptedTurn::Calls("escalate_to_human", json!({"issue": "The disk is full."}));
    let script = ScriptedDriver::new([escalates]);
    let (name, mut scout) = sub_agent(&script, "scout", &[]);
    scout.agent.helpers.tools.push(Arc::new(HumanTool {
        agent: scout.agent.name.clone(),
        name: "escalate_to_human".to_owned(),
        kind: HumanToolKind::Escalation,
        mode: WaitMode::Asynchronous,
        prompt: None,
        timeout: DEFAULT_TIMEOUT,
        on_timeout: EscalationRule::Escalate(None),
        redactor: Arc::default(),
    }));
    let tool = SubAgents::new([(name, scout)].into(), LIMITS, 0).tool(&["scout".to_owned()]).unwrap();
    let Err(OwnStop::Asks(requests)) = tool.call(&cx, &call("c1")).await else { panic!("it asks") };
    let request = only(requests);
    assert!(request.prompt.contains("The disk is full."), "{}", request.prompt);
    assert_eq!(request.session, cx.sub_agent("c1").session());
}

#[tokio::test]
async fn what_had_ended_before_a_crash_is_not_done_again() {
    let log: Arc<Log> = Arc::default();
    let failure = || DriverError::Setup("no key".to_owned());
    for (id, turn) in [("c1", ScriptedTurn::Says("It is 80.")), ("c2", ScriptedTurn::Fails(failure()))] {
        let (_, tool) = scout([turn]);
        let first = tool.call(&visit(&log).await, &call(id)).await.unwrap();
        let (script, tool) = scout([]);
        let second = tool.call(&visit(&log).await, &call(id)).await.unwrap();
        assert_eq!((&second.output, &second.error), (&first.output, &first.error));
        assert_eq!(second.duration_ms, first.duration_ms, "the log says how long it took");
        assert!(script.requests().is_empty());
    }
    let (_, tool) = scout([]);
    let failed = tool.call(&visit(&log).await, &call("c2")).await.unwrap();
    assert_eq!(failed.error.as_deref(), Some("`scout` did not finish the task: no key"));
}

#[tokio::test]
async fn depth_and_number_have_limits() {
    let deeper = || ScriptedTurn::Calls(NAME, json!({"agent": "scout", "task": "Do it for me."}));
    let script = ScriptedDriver::new([deeper(), deeper(), ScriptedTurn::Says("unused")]);
    let all = SubAgents::new([sub_agent(&script, "scout", &["scout"])].into(), LIMITS, 0);
    let tool = all.tool(&["scout".to_owned()]).unwrap();
    let result = tool.call(&visit(&Arc::default()).await, &call("c1")).await.unwrap();
    // On the second level the tool is not there: with one place for all, it would otherwise wait for itself.
    assert!(result.output.contains("there are no tools"), "{result:?}");
    assert_eq!(script.requests().len(), 2);
    let refused = tool.call(&visit(&Arc::default()).await, &call("c9")).await.unwrap();
    let most = "this run has reached its limit of sub-agents (2)";
    assert_eq!(refused.error.as_deref(), Some(most));
}

#[tokio::test]
async fn a_call_that_cannot_be_meant_is_refused_with_what_to_do() {
    let (_, tool) = scout([]);
    let cx = visit(&Arc::default()).await;
    for (args, expected) in [
        (json!({"task": "x"}), "`agent` is missing: call again"),
        (json!({"agent": "scout", "task": " "}), "`task` is missing: call again"),
        (json!({"agent": "me", "task": "x"}), "there is no agent `me` to delegate to: use scout"),
    ] {
        let error = tool.call(&cx, &testing::call("c1", NAME, args)).await.unwrap().error.unwrap();
        assert!(error.starts_with(expected), "{error}");
    }
    let spec = tool.spec();
    assert!(spec.description.ends_with("Agents: `scout` (finds facts)."), "{}", spec.description);
    assert_eq!(spec.input_schema["properties"]["agent"]["enum"], json!(["scout"]));
}

#[tokio::test]
async fn a_limit_of_a_sub_agent_is_a_question_and_a_no_ends_it_alone() {
    for (action, expected) in [
        (HumanAction::Approve, Ok("<untrusted source=\"scout\">\nIt is 80.\n</untrusted>")),
        (HumanAction::Reject, Err("`scout` did not finish the task: a person stopped the agent")),
    ] {
        let log: Arc<Log> = Arc::default();
        let cx = visit(&log).await;
        let (_, tool) = scout([ScriptedTurn::Fails(DriverError::Turns { turns: 10 })]);
        let Err(OwnStop::Asks(requests)) = tool.call(&cx, &call("c1")).await else { panic!("it asks") };
        let request = only(requests);
        assert_eq!((request.by.as_str(), request.session), ("scout", cx.sub_agent("c1").session()));
        let cx = visit_after(&log, answered(request, action, None)).await;
        let (_, tool) = scout([ScriptedTurn::Says("It is 80.")]);
        let result = tool.call(&cx, &call("c1")).await.unwrap();
        assert_eq!(result.error.as_deref().map_or(Ok(result.output.as_str()), Err), expected);
    }
}
