use amelia_core::check::CheckCommand;
use amelia_core::config::agent::DriverType;
use amelia_core::config::profile::Profile;
use amelia_core::event::{AgentEvent, EventKind};
use amelia_core::tracker::Design;

use super::*;
use crate::pipeline::implementation::state::ImplementationRequest;
use crate::testing::place::{FakeWorkplace, deps};
use crate::testing::{ScriptedDriver, ScriptedTurn, issue, visit};

const GIVEN: &str = "**Goal:** g\n\n### Task 1: t\n";

fn plan_with(script: &Arc<ScriptedDriver>, place: &Arc<FakeWorkplace>) -> PlanNode {
    let check = CheckCommand { name: "test".to_owned(), command: "./t".to_owned(), timeout: 60 };
    PlanNode(deps(place, script, Profile { checks: vec![check], ..Profile::default() }))
}

fn state() -> Implementation {
    Implementation {
        issue: Some(issue("S-1", "It fails")),
        plan_path: "plan.md".to_owned(),
        ..Implementation::default()
    }
}

/// A draft of the plan that a person has sent back.
fn sent_back() -> Implementation {
    let draft = Some(PlanDraft { markdown: GIVEN.to_owned(), plan: check(GIVEN).0 });
    Implementation { draft, feedback: Some("Smaller.".to_owned()), ..state() }
}

#[test]
fn the_architect_is_told_to_plan_the_issue() {
    let plan = plan_with(&ScriptedDriver::new([]), &Arc::default());
    let first = plan.word(&state(), &[]);
    assert!(first.starts_with("Plan the work") && first.contains("S-1: It fails"), "{first}");
    assert!(first.contains("`./t`") && !first.contains("There is a plan already"), "{first}");
}

#[tokio::test]
async fn an_architect_that_has_not_seen_the_plan_is_told_it_with_what_is_wrong_with_it() {
    let plan = || {
        ScriptedTurn::Calls(
            "write_plan",
            json!({"goal": "g", "tasks": [{"number": "1", "title": "t", "steps": []}]}),
        )
    };
    let wanted = ImplementationRequest { plan: Some(GIVEN.to_owned()), ..ImplementationRequest::default() };
    let given = Implementation { wanted, ..sent_back() };
    // The second state is that of a fork: its log has nothing of the Architect that wrote the draft.
    for state in [given, sent_back()] {
        let script = ScriptedDriver::new([plan()]);
        plan_with(&script, &Arc::default()).run(&visit(&Arc::default()).await, &state).await.unwrap();
        let word = script.last_words().remove(0);
        assert!(word.starts_with("Plan the work") && word.contains("S-1: It fails"), "{word}");
        assert!(word.contains("There is a plan already") && word.ends_with("with `write_plan`."), "{word}");
        assert!(word.contains("Smaller."), "{word}");
    }
}

/// What an Architect is told that has planned before.
async fn told_again(driver: DriverType, state: &Implementation) -> String {
    let (log, script) = (Arc::default(), ScriptedDriver::new([]));
    let mut plan = plan_with(&script, &Arc::default());
    Arc::get_mut(&mut plan.0).unwrap().roles.architect.driver_type = driver;
    let thread = visit(&log).await.thread(THREAD);
    let said = crate::conversation::from_user(&thread, &plan.0.roles.architect.name, "Plan it.");
    let said = EventKind::Agent(AgentEvent::Said(Box::new(said)));
    thread.record(vec![thread.draft(&plan.0.roles.architect.name, said)]).await.unwrap();
    let past = thread.up_to_date();
    plan.word(state, past.past().await.unwrap())
}

#[tokio::test]
async fn an_architect_that_wrote_the_plan_is_only_told_what_is_wrong_with_it() {
    for driver in [DriverType::Api, DriverType::Scripted] {
        let word = told_again(driver, &sent_back()).await;
        assert!(!word.contains("Plan the work") && word.contains("Smaller."), "{word}");
        assert!(!word.contains("### Task 1: t"), "{driver:?} has it in its conversation: {word}");
    }
}

#[tokio::test]
async fn a_program_that_wrote_the_plan_is_told_the_plan_with_what_is_wrong_with_it() {
    let problems = vec!["no steps".to_owned()];
    let refused = Implementation { problems, feedback: None, ..sent_back() };
    for driver in [DriverType::Claude, DriverType::Codex, DriverType::Acp] {
        for (state, wrong) in [(sent_back(), "Smaller."), (refused.clone(), "no steps")] {
            let word = told_again(driver, &state).await;
            assert!(!word.contains("Plan the work") && word.contains(wrong), "{word}");
            let quoted = "<untrusted source=\"plan\">\n**Goal:** g\n\n### Task 1: t\n</untrusted>";
            assert_eq!(word.matches(quoted).count(), 1, "{driver:?}: {word}");
        }
    }
}

#[test]
fn a_design_is_followed() {
    let plan = plan_with(&ScriptedDriver::new([]), &Arc::default());
    let design = Design { content: "Use a loop.".to_owned(), source: "file".to_owned(), sections: None };
    let wanted = ImplementationRequest { design: Some(design), ..ImplementationRequest::default() };
    let word = plan.word(&Implementation { wanted, ..state() }, &[]);
    assert!(word.contains("Follow it:\n\n<untrusted source=\"design\">\nUse a loop."), "{word}");
}

#[tokio::test]
async fn a_plan_is_written_down_whether_it_was_handed_in_or_told() {
    let handed_in = json!({"goal": "It adds.", "tasks": [{"number": "1", "title": "Add", "steps": []}]});
    let told = "**Goal:** It adds.\n\n### Task 1: Add\n";
    for turns in [
        vec![ScriptedTurn::Calls("write_plan", handed_in)],
        vec![ScriptedTurn::Says(told), ScriptedTurn::Says(told), ScriptedTurn::Says(told)],
    ] {
        let (script, place) = (ScriptedDriver::new(turns), Arc::default());
        let cx = visit(&Arc::default()).await;
        let outcome = plan_with(&script, &place).run(&cx, &state()).await.unwrap();
        let Outcome::Done(updates) = outcome else { panic!("it waits") };
        let [Update::Drafted(draft)] = updates.as_slice() else { panic!("{updates:?}") };
        assert_eq!((draft.plan.goal.as_str(), draft.plan.tasks.len()), ("It adds.", 1), "{}", draft.markdown);
        assert_eq!(place.done(), ["write plan.md"]);
    }
}
