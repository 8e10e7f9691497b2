//! A conversation above its limit, over several visits and a crash.

use amelia_core::budget::{BudgetExceeded, LimitOwner, LimitReached};
use amelia_core::config::agent::DriverType;
use amelia_core::message::Role;

use super::*;
use crate::testing::{Log, ScriptedDriver, ScriptedTurn, later_visit, member};

const LIMIT: u64 = 60;

fn limited(driver: &Arc<ScriptedDriver>) -> Agent {
    let helpers = Helpers { short_term_limit: Some(LIMIT), ..Helpers::default() };
    Agent { helpers, ..member(driver, DriverType::Api) }
}

/// Asks in the visit with this number.
async fn ask(agent: &Agent, log: &Arc<Log>, number: u32) -> AgentAnswer {
    let cx = later_visit(log, number).await.thread("talk");
    let opening = conversation::from_user(&cx, &agent.name, format!("question {number}"));
    let tools = Arc::new(NoTools);
    let question = Question { system: String::new(), opening, tools, hand_ins: &[], shape: None };
    let answer = agent.ask(&cx, &question).await.unwrap();
    // As the end of the visit does.
    cx.record(Vec::new()).await.unwrap();
    answer
}

/// After five questions and answers.
async fn talked(log: &Arc<Log>) {
    let answers = ["answer 1", "answer 2", "answer 3", "answer 4", "answer 5"];
    let driver = ScriptedDriver::new(answers.map(ScriptedTurn::Says));
    let agent = member(&driver, DriverType::Api);
    for number in 1..=5 {
        ask(&agent, log, number).await;
    }
}

fn summaries(log: &Log) -> usize {
    let is_summary = |kind: &EventKind| match kind {
        EventKind::Agent(AgentEvent::Said(said)) => said.metadata.contains_key(FOLDS_BEFORE),
        _ => false,
    };
    log.events().iter().filter(|event| is_summary(&event.draft.kind)).count()
}

#[tokio::test]
async fn the_oldest_part_becomes_a_summary_that_every_later_turn_sees() {
    let log = Arc::<Log>::default();
    talked(&log).await;
    let turns = ["the summary", "answer 6", "answer 7"].map(ScriptedTurn::Says);
    let driver = ScriptedDriver::new(turns);
    let agent = limited(&driver);
    assert_eq!(ask(&agent, &log, 6).await, AgentAnswer::Text("answer 6".to_owned()));
    let requests = driver.requests();
    assert_eq!(requests[0].system, SYSTEM);
    let asked = requests[0].messages[0].text();
    assert!(
        asked.contains("answer 2") && !asked.contains("question 1") && !asked.contains("answer 3"),
        "{asked}"
    );
    let texts: Vec<String> = requests[1].messages.iter().map(|message| message.text()).collect();
    assert_eq!(texts[0], "question 1");
    assert!(texts[1].ends_with("the summary"), "{texts:?}");
    assert_eq!(
        texts[2..],
        ["question 3", "answer 3", "question 4", "answer 4", "question 5", "answer 5", "question 6"]
    );
    assert_eq!(summaries(&log), 1);
    // Another process, without a limit: the conversation in the log is the same.
    let agent = member(&driver, DriverType::Api);
    ask(&agent, &log, 7).await;
    let texts: Vec<String> = driver.requests()[2].messages.iter().map(|message| message.text()).collect();
    assert!(texts[1].ends_with("the summary") && texts[2] == "question 3", "{texts:?}");
}

#[tokio::test]
async fn after_a_crash_the_summary_is_not_asked_for_again() {
    let log = Arc::<Log>::default();
    talked(&log).await;
    let driver = ScriptedDriver::new([ScriptedTurn::Says("the summary")]);
    let agent = limited(&driver);
    let within = async || {
        let cx = later_visit(&log, 6).await.thread("talk");
        let messages = agent.threads.read(&cx, cx.past().await.unwrap(), &agent.name);
        let opening = conversation::from_user(&cx, &agent.name, "question 6");
        agent.within_limit(&cx, messages, &opening).await.unwrap()
    };
    let once: Vec<String> = within().await.iter().map(|message| message.text()).collect();
    let again: Vec<String> = within().await.iter().map(|message| message.text()).collect();
    assert_eq!((once.len(), once == again, driver.requests().len()), (8, true, 1));
    assert_eq!(summaries(&log), 1);
    let roles: Vec<Role> = within().await.iter().map(|message| message.role).collect();
    assert_eq!(roles[..3], [Role::User, Role::User, Role::User]);
}

#[tokio::test]
async fn without_budget_the_oldest_part_is_left_out_and_that_is_said() {
    let log = Arc::<Log>::default();
    talked(&log).await;
    let driver = ScriptedDriver::new([
        ScriptedTurn::Fails(DriverError::Budget(LimitReached {
            whose: LimitOwner::Run,
            limit: BudgetExceeded::Calls { limit: 1, would_be: 2 },
        })),
        ScriptedTurn::Says("answer 6"),
    ]);
    ask(&limited(&driver), &log, 6).await;
    let said = driver.requests()[1].messages[1].text();
    assert!(
        said.starts_with("3 earlier messages of this conversation are left out without a summary"),
        "{said}"
    );
}
