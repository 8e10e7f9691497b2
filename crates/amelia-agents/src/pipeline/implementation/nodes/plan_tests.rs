use amelia_core::config::profile::{CheckCommand, Profile};
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

#[test]
fn the_architect_is_told_to_plan_or_what_is_wrong_with_the_plan() {
    let plan = plan_with(&ScriptedDriver::new([]), &Arc::default());
    let first = plan.word(&state());
    assert!(first.starts_with("Plan the work") && first.contains("S-1: It fails"), "{first}");
    assert!(first.contains("`./t`") && !first.contains("There is a plan already"), "{first}");
    let draft = Some(PlanDraft { markdown: GIVEN.to_owned(), plan: check(GIVEN).0 });
    let own = Implementation { draft, feedback: Some("Smaller.".to_owned()), ..state() };
    let again = plan.word(&own);
    assert!(!again.contains("Plan the work") && again.contains("Smaller."), "it has seen its plan: {again}");
    let wanted = ImplementationRequest { plan: Some(GIVEN.to_owned()), ..ImplementationRequest::default() };
    let foreign = plan.word(&Implementation { wanted, ..own });
    assert!(foreign.starts_with("Plan the work") && foreign.contains("There is a plan already"), "{foreign}");
    assert!(foreign.contains("Smaller."), "{foreign}");
}

#[test]
fn a_design_is_followed() {
    let plan = plan_with(&ScriptedDriver::new([]), &Arc::default());
    let design = Design { content: "Use a loop.".to_owned(), source: "file".to_owned(), sections: None };
    let wanted = ImplementationRequest { design: Some(design), ..ImplementationRequest::default() };
    let word = plan.word(&Implementation { wanted, ..state() });
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
