use amelia_core::config::agent::DriverType;
use amelia_core::event::{AgentEvent, EventKind};
use amelia_core::message::Role;

use super::*;
use crate::testing::{Log, ScriptedDriver, ScriptedTurn, member, visit};

fn request(prompt: &str) -> SamplingRequest {
    SamplingRequest { prompt: prompt.to_owned(), max_tokens: Some(50) }
}

fn call() -> CallId {
    CallId::new("c1").unwrap()
}

#[tokio::test]
async fn the_model_of_the_agent_answers_alone_and_only_once() {
    let log: Arc<Log> = Arc::default();
    let driver = ScriptedDriver::new([ScriptedTurn::Says("Blue."), ScriptedTurn::Says("Deep.")]);
    let model = SamplingModel::of(&member(&driver, DriverType::Api)).unwrap();
    let cx = visit(&log).await;
    let sampler = model.for_call(&cx, &call());
    let first = sampler.sample(request("What colour?")).await.unwrap();
    assert_eq!((first.text.as_str(), first.model.as_str()), ("Blue.", "m"));
    assert_eq!(sampler.sample(request("How deep?")).await.unwrap().text, "Deep.");
    let asked = driver.requests();
    assert_eq!(driver.last_words(), ["What colour?", "How deep?"]);
    assert_eq!((asked[1].messages.len(), asked[1].options.max_tokens), (1, Some(50)));

    // The call is made again, after a crash or an answer of a person: the script has no further turn.
    let again = model.for_call(&cx.up_to_date(), &call());
    assert_eq!(again.sample(request("What colour?")).await.unwrap(), first);
}

#[tokio::test]
async fn an_answer_is_found_by_its_place_in_the_call() {
    let log: Arc<Log> = Arc::default();
    let driver = ScriptedDriver::new([ScriptedTurn::Says("Blue.")]);
    let cx = visit(&log).await;
    let sampler = SamplingModel::of(&member(&driver, DriverType::Api)).unwrap().for_call(&cx, &call());
    sampler.sample(request("What colour?")).await.unwrap();
    let session = session_of(cx.run(), cx.step(), &call(), 0);
    let is_question = |kind: &EventKind| match kind {
        EventKind::Agent(AgentEvent::Said(said)) => said.role == Role::User && said.text() == "What colour?",
        _ => false,
    };
    let mut of_session = log.events().into_iter().filter(|event| event.draft.session == Some(session));
    assert!(of_session.any(|event| is_question(&event.draft.kind)));
}

#[tokio::test]
async fn a_server_that_asks_without_end_and_a_program_get_no_answer() {
    let log: Arc<Log> = Arc::default();
    let driver = ScriptedDriver::new((0..MOST).map(|_| ScriptedTurn::Says("Yes.")));
    let cx = visit(&log).await;
    let sampler = SamplingModel::of(&member(&driver, DriverType::Api)).unwrap().for_call(&cx, &call());
    for _ in 0..MOST {
        sampler.sample(request("Again?")).await.unwrap();
    }
    let refused = sampler.sample(request("Again?")).await.unwrap_err();
    assert_eq!(refused, "a server may ask a model at most 20 times in one call");
    assert!(SamplingModel::of(&member(&driver, DriverType::Claude)).is_none());
}
