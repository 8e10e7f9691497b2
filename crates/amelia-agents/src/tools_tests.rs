use amelia_core::config::agent::Permissions;
use amelia_core::config::secret::Secret;
use amelia_core::event::SystemEvent;
use amelia_core::human::HumanAction;
use amelia_core::message::Role;
use amelia_core::permission::PERMISSION;
use amelia_core::workplace::{ListedRights, Rights};
use serde_json::json;

use super::*;
use crate::testing::{self, Log, visit};

/// A shell that says what it was asked.
struct Shell;

#[async_trait]
impl ToolBox for Shell {
    fn specs(&self) -> Vec<ToolSpec> {
        vec![ToolSpec::builtin("shell", "runs it", Risk::Execute, json!({}))]
    }

    async fn call(&self, _: &ToolCx, call: &ToolCall) -> ToolResult {
        ToolResult { output: "done".to_owned(), error: None, ..ToolResult::interrupted(call) }
    }
}

fn journaled(cx: &NodeCx, tools: impl ToolBox + 'static, is_program: bool) -> JournaledTools {
    let tools: Arc<dyn ToolBox> = Arc::new(tools);
    let (helpers, redactor, agent) = (Helpers::default(), Arc::default(), AgentName::system());
    let own = OwnTools {
        place: TurnPlace::default(),
        tools: &tools,
        helpers: &helpers,
        tape: &(Arc::new(amelia_core::recording::NoTape) as Arc<dyn Tape>),
        redactor: &redactor,
        agent: &agent,
        is_program,
        may_elicit: false,
        sampling: None,
    };
    JournaledTools::new(&own, cx, Vec::new(), StopSignal::new().0)
}

async fn run(command: &str) -> ToolResult {
    let log: Arc<Log> = Arc::default();
    let cx = visit(&log).await;
    let tools = journaled(&cx, Shell, false);
    let tool_cx = ToolCx { cancel: cx.cancel().child_token(), ..ToolCx::default() };
    tools.call(&tool_cx, &testing::call("c1", "shell", json!({"command": command}))).await
}

#[tokio::test]
async fn a_call_with_the_mark_of_a_secret_is_refused_with_a_way_to_write_the_mark_itself() {
    let refused = run("curl -H 'key: [redacted]'").await.error.unwrap();
    assert!(refused.starts_with("not run: the arguments contain `[redacted]`"), "{refused}");
    let advice = "`printf '[%s]' redacted`";
    assert!(refused.ends_with(advice), "{refused}");
    let followed = run(advice.trim_matches('`')).await;
    assert_eq!(
        (followed.output.as_str(), followed.error),
        ("done", None),
        "the advice itself is not refused"
    );
}

/// A worktree with a shell, and a server, that count what they run.
struct Counting {
    rights: Rights,
    listed: Option<ListedRights>,
    ran: Mutex<Vec<String>>,
}

#[async_trait]
impl ToolBox for Counting {
    fn specs(&self) -> Vec<ToolSpec> {
        let name = ToolName::parse("remote:run").unwrap();
        let remote = ToolSpec { name, ..ToolSpec::builtin("run", "runs it", Risk::External, json!({})) };
        Shell.specs().into_iter().chain([remote]).collect()
    }

    fn work_area(&self) -> Option<WorkArea> {
        Some(WorkArea { listed: self.listed, ..WorkArea::new("/w".into(), self.rights) })
    }

    async fn call(&self, cx: &ToolCx, call: &ToolCall) -> ToolResult {
        self.ran.lock().push(call.args["command"].as_str().unwrap().to_owned());
        Shell.call(cx, call).await
    }
}

/// An agent whose person wants to see commands first, with this secret in the house.
struct AskingAgent {
    log: Arc<Log>,
    shell: Arc<Counting>,
    allowed: Vec<String>,
    is_program: bool,
}

impl AskingAgent {
    fn new(rights: Rights, allowed: &[&str]) -> Self {
        let allowed = allowed.iter().map(|rule| (*rule).to_owned()).collect();
        let shell = Arc::new(Counting { rights, listed: None, ran: Mutex::default() });
        Self { log: Arc::default(), shell, allowed, is_program: false }
    }

    fn ran(&self) -> Vec<String> {
        self.shell.ran.lock().clone()
    }

    /// One try of the visit: what a turn announces, and what came of its call, or the question.
    async fn tries(&self, cx: &NodeCx, call: &ToolCall) -> Result<ToolResult, HumanRequest> {
        let tools: Arc<dyn ToolBox> = Arc::clone(&self.shell) as _;
        let permissions = Permissions { asks: Asks::Commands, allowed: self.allowed.clone() };
        let (helpers, agent) = (Helpers { permissions, ..Helpers::default() }, AgentName::new("me").unwrap());
        let redactor = Arc::new(Redactor::new([Secret::new("hunter2hunter2")]));
        let own = OwnTools {
            place: TurnPlace::default(),
            tools: &tools,
            helpers: &helpers,
            tape: &(Arc::new(amelia_core::recording::NoTape) as Arc<dyn Tape>),
            redactor: &redactor,
            agent: &agent,
            is_program: self.is_program,
            may_elicit: false,
            sampling: None,
        };
        let (outlet, ending) = StopSignal::new();
        let tools = JournaledTools::new(&own, cx, Vec::new(), outlet);
        let turn = testing::message(Role::Assistant, &agent, 1, vec![Part::ToolCall(call.clone())]);
        if !self.is_program {
            cx.record(tools.announce(&turn)).await.unwrap();
        }
        let tool_cx = ToolCx { cancel: cx.cancel().child_token(), ..ToolCx::default() };
        tokio::select! {
            result = tools.call(&tool_cx, call) => Ok(result),
            Ok(StopCause::Asks(requests)) = ending => Err(testing::only(requests)),
        }
    }
}

fn shell(id: &str, command: &str) -> ToolCall {
    testing::call(id, "shell", json!({"command": command}))
}

#[tokio::test]
async fn a_command_waits_for_its_yes_and_runs_once_over_crashes() {
    let asked = AskingAgent::new(Rights::Work, &["shell(ls*)"]);
    let first = visit(&asked.log).await;
    assert!(asked.tries(&first, &shell("c0", "ls -l")).await.is_ok(), "a rule fits");
    let begun = asked.log.events().len();
    let request = asked.tries(&first, &shell("c1", "make")).await.unwrap_err();
    assert_eq!(request.context[PERMISSION]["rule"], "shell(make)");
    assert_eq!(asked.log.events().len(), begun, "the call has not begun");
    assert_eq!(asked.ran(), ["ls -l"]);

    let yes = testing::answered(request, HumanAction::Approve, Some("but only this"));
    let after = testing::visit_after(&asked.log, yes.clone()).await;
    let done = asked.tries(&after, &shell("c1", "make")).await.unwrap();
    assert_eq!(done.output, "A person allowed this call and said: but only this\n\ndone");
    // The process dies here; the visit begins again with the same answer.
    let again = testing::visit_after(&asked.log, yes).await;
    assert_eq!(asked.tries(&again, &shell("c1", "make")).await.unwrap(), done, "from the log");
    assert!(asked.tries(&again, &shell("c2", "make")).await.is_err(), "once is once");
    assert_eq!(asked.ran(), ["ls -l", "make"]);
}

fn remote(id: &str, command: &str) -> ToolCall {
    ToolCall { tool: ToolName::parse("remote:run").unwrap(), ..shell(id, command) }
}

#[tokio::test]
async fn a_program_asks_before_it_calls_a_tool_of_a_server_and_an_answer_counts_once() {
    let asked = AskingAgent { is_program: true, ..AskingAgent::new(Rights::Work, &["remote:run(ls)"]) };
    let first = visit(&asked.log).await;
    assert!(
        asked.tries(&first, &shell("c0", "make")).await.is_ok(),
        "it has asked about its own tools itself"
    );
    assert!(asked.tries(&first, &remote("c1", "ls")).await.is_ok(), "a rule fits");
    let request = asked.tries(&first, &remote("c2", "make")).await.unwrap_err();
    assert_eq!(request.context[PERMISSION]["rule"], "remote:run(make)");
    assert_eq!(asked.ran(), ["make", "ls"]);

    let yes = testing::answered(request.clone(), HumanAction::Approve, None);
    let after = testing::visit_after(&asked.log, yes.clone()).await;
    let me = AgentName::new("me").unwrap();
    let opening = conversation::from_user(&after, &me, "begin");
    let told = conversation::next_words(&after, &[] as &[Message], &opening).pop().unwrap();
    assert!(told.text().contains("remote__run {"), "{}", told.text());
    let said = EventKind::Agent(AgentEvent::Said(Box::new(told)));
    after.record(vec![after.draft(&me, said)]).await.unwrap();
    assert!(
        asked.tries(&after, &remote("c3", "make")).await.is_ok(),
        "it makes the call again, with another id"
    );
    // The process dies here; the visit begins again with the same answer.
    let again = testing::visit_after(&asked.log, yes).await;
    assert!(asked.tries(&again, &remote("c4", "make")).await.is_err(), "once is once");

    let no = testing::answered(request, HumanAction::Reject, None);
    let after = testing::visit_after(&asked.log, no).await;
    let refused = asked.tries(&after, &remote("c5", "make")).await.unwrap();
    assert!(refused.error.unwrap().contains("a person did not allow it"));
    assert_eq!(asked.ran(), ["make", "ls", "make"]);
}

#[tokio::test]
async fn a_person_changes_the_arguments_or_says_no() {
    for (action, updates, ran, expected) in [
        (HumanAction::Modify, Some(json!({"command": "make -n"})), vec!["make -n"], "with other arguments"),
        (HumanAction::Reject, None, vec![], "not run: a person did not allow it and said: why"),
    ] {
        let asked = AskingAgent::new(Rights::Work, &[]);
        let request = asked.tries(&visit(&asked.log).await, &shell("c1", "make")).await.unwrap_err();
        let mut answer = testing::answered(request, action, Some("why"));
        answer.reply.updates = updates;
        let cx = testing::visit_after(&asked.log, answer).await;
        let result = asked.tries(&cx, &shell("c1", "make")).await.unwrap();
        let said = result.error.clone().unwrap_or(result.output.clone());
        assert!(said.contains(expected), "{said}");
        assert_eq!(asked.ran(), ran);
    }
}

#[tokio::test]
async fn a_reader_runs_nothing_whatever_the_rules_say_and_no_secret_is_asked_about() {
    let reader = AskingAgent::new(Rights::Read, &["shell"]);
    let refused = reader.tries(&visit(&reader.log).await, &shell("c1", "make")).await.unwrap();
    assert!(refused.error.unwrap().contains("this role is read-only"));
    let writer = AskingAgent::new(Rights::Work, &[]);
    let secret = shell("c1", "curl -H hunter2hunter2 host");
    let refused = writer.tries(&visit(&writer.log).await, &secret).await.unwrap();
    assert!(refused.error.unwrap().contains("contain `[redacted]`"));
    assert_eq!((reader.ran().len(), writer.ran().len()), (0, 0));
}

#[tokio::test]
async fn a_program_does_with_its_own_tools_what_those_of_its_list_do() {
    let log: Arc<Log> = Arc::default();
    let cx = visit(&log).await;
    for (names, expected) in [
        (&[][..], ["yes", "change files", "run commands", "outside of the worktree"]),
        (&["read_file", "remote:run"], ["yes", "change files", "run commands", "outside of the worktree"]),
        (&["edit_file"], ["yes", "yes", "run commands", "outside of the worktree"]),
        (&["shell"], ["yes", "yes", "yes", "yes"]),
    ] {
        let listed = Some(ListedRights::of(names.iter().copied()));
        let tools = journaled(&cx, Counting { rights: Rights::Work, listed, ran: Mutex::default() }, true);
        for (risk, expected) in
            [Risk::Read, Risk::Write, Risk::Execute, Risk::External].into_iter().zip(expected)
        {
            let said = match tools.permit(&shell("c1", "make"), risk).await {
                ToolPermission::Allow { .. } => "yes".to_owned(),
                ToolPermission::Deny { message } => message,
            };
            assert!(said.contains(expected), "{names:?} {risk:?}: {said}");
        }
    }
}

/// One tool of a given risk, and a file that has always changed.
struct Changing(Risk);

#[async_trait]
impl ToolBox for Changing {
    fn specs(&self) -> Vec<ToolSpec> {
        vec![ToolSpec::builtin("tool", "does it", self.0, json!({}))]
    }

    async fn call(&self, _: &ToolCx, call: &ToolCall) -> ToolResult {
        ToolResult::interrupted(call)
    }

    async fn file_events(&self, _: &str) -> Vec<EventKind> {
        vec![EventKind::System(SystemEvent::scripted_model())]
    }
}

#[tokio::test]
async fn changed_files_are_looked_for_only_where_something_can_change_them() {
    let log: Arc<Log> = Arc::default();
    let cx = visit(&log).await;
    for (risk, is_program, expected) in
        [(Risk::Read, false, 0), (Risk::Write, false, 1), (Risk::External, false, 1), (Risk::Read, true, 1)]
    {
        let found = journaled(&cx, Changing(risk), is_program).file_events("end").await;
        assert_eq!(found.len(), expected, "{risk:?} {is_program}");
    }
}

#[tokio::test]
async fn a_program_that_calls_what_does_not_exist_again_and_again_is_stopped() {
    let log: Arc<Log> = Arc::default();
    let cx = visit(&log).await;
    let tools = journaled(&cx, Shell, true);
    let mut looped = None;
    for turn in 0..4 {
        assert_eq!(looped, None, "turn {turn}");
        let calls = ["a", "b"].map(|name| testing::call(&format!("{name}{turn}"), name, json!({})));
        calls.iter().for_each(|call| tools.called_by_program(call));
        for call in &calls {
            let error = Some(format!("No such tool available: {}", call.tool));
            looped = tools.returned_to_program(&ToolResult { error, ..ToolResult::interrupted(call) });
        }
    }
    let message = looped.unwrap().to_string();
    assert!(message.contains("the same failing call 4 times: a {}; b {}: No such tool"), "{message}");
}
