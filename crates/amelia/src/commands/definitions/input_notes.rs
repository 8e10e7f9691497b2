//! What a person should know about the values that a workflow begins with. Nothing here stops a run: a template may do without a
//! value, and an agent may set one that no node names.

use amelia_core::config::workflow::Workflow;
use amelia_core::object::Object;
use amelia_core::problem::Problem;
use amelia_flows::workflow::{inputs, missing_inputs, unused_inputs};
use amelia_host::definitions::{DefinitionFile, DefinitionKind};
use amelia_host::home::Home;

use super::{here, shown_path};
use crate::cli::Global;
use crate::ui;

/// Says what seems wrong with the values that are given to a run. A definition that cannot be read is refused elsewhere.
pub(super) async fn say_about(name: &str, given: &Object, home: &Home, global: &Global) {
    if global.json || global.quiet {
        return;
    }
    let Ok(all) = here(home).await else { return };
    let Ok(file) = all.file(DefinitionKind::Workflow, name) else { return };
    let Ok(workflow) = all.workflow(file) else { return };
    about(&workflow, given).iter().for_each(ui::say_note);
}

fn about(workflow: &Workflow, given: &Object) -> Vec<Problem> {
    let expected: Vec<String> = inputs(workflow).into_iter().collect();
    let unused = unused_inputs(workflow, given).into_iter().map(|name| {
        let problem = Problem::new(format!("no node, template or condition uses the input `{name}`"));
        match expected.as_slice() {
            [] => problem,
            names => problem.with_hint(format!("the workflow uses {}", names.join(", "))),
        }
    });
    let missing = missing_inputs(workflow, given).into_iter().map(|name| {
        let problem = Problem::new(format!("a template uses `{name}`, which no node sets"));
        problem.with_hint(format!("--input {name}=VALUE"))
    });
    unused.chain(missing).collect()
}

/// The values that a run of a workflow begins with, as a line; nothing if it needs none.
pub(super) fn expected(workflow: &Workflow, file: &DefinitionFile) -> Option<String> {
    let names: Vec<String> =
        inputs(workflow).into_iter().map(|name| format!("--input {name}=VALUE")).collect();
    (!names.is_empty())
        .then(|| format!("note: {}: no node sets these values: {}", shown_path(&file.path), names.join(", ")))
}
