//! What a workflow needs from the person who starts it: values that its nodes and conditions look at, and that no node sets.
//! Pure.

use std::collections::BTreeSet;

use amelia_core::config::workflow::{NodeDef, NodeKind, Pattern, Workflow};
use amelia_core::object::Object;
use serde_json::Value;

use crate::condition::{Condition, is_field};
use crate::template;

/// What a task of a `map` node sees beside the state.
const OF_MAP: [&str; 2] = ["item", "index"];

/// The values that a run begins with. A value that is set later, too, is not among them: the workflow can do without it.
#[must_use]
pub fn inputs(workflow: &Workflow) -> BTreeSet<String> {
    let set: BTreeSet<&str> = workflow.nodes.values().flat_map(sets).collect();
    needed(workflow).filter(|key| !set.contains(key.as_str())).collect()
}

/// Every value that a node or a condition of the workflow sets or looks at.
#[must_use]
pub fn names(workflow: &Workflow) -> BTreeSet<String> {
    let set = workflow.nodes.values().flat_map(sets).map(str::to_owned);
    needed(workflow).chain(set).collect()
}

/// The given values that the workflow names nowhere. None where a template or a condition looks at all values.
#[must_use]
pub fn unused_inputs(workflow: &Workflow, given: &Object) -> Vec<String> {
    let conditions = workflow.edges.iter().filter_map(|edge| edge.condition.clone());
    let mut texts = workflow.nodes.values().flat_map(texts).chain(conditions);
    if texts.any(|text| looks_at_all(&text)) {
        return Vec::new();
    }
    let names = names(workflow);
    given.keys().filter(|key| !is_field(key) && !names.contains(*key)).cloned().collect()
}

/// The values that a template needs, and that neither a node nor the person who starts the run sets. Templates that may do
/// without a value do not count.
#[must_use]
pub fn missing_inputs(workflow: &Workflow, given: &Object) -> BTreeSet<String> {
    let inputs = inputs(workflow);
    let plain = workflow.nodes.values().flat_map(texts).flat_map(|text| plain_keys(&text));
    plain.filter(|key| inputs.contains(key) && !given.contains_key(key)).collect()
}

/// The templates of a node.
fn texts(node: &NodeDef) -> Vec<String> {
    match &node.kind {
        NodeKind::Human { prompt: Some(prompt) } => vec![prompt.clone()],
        NodeKind::Tool { arguments, .. } => arguments.values().flat_map(texts_in).collect(),
        _ => Vec::new(),
    }
}

fn texts_in(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(texts_in).collect(),
        Value::Object(fields) => fields.values().flat_map(texts_in).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

/// Whether a text names the state, or the values in it, as a whole.
fn looks_at_all(text: &str) -> bool {
    ["state", "metadata"].iter().any(|name| text.split(name).skip(1).any(|rest| !rest.starts_with('.')))
}

/// The names in `{{ state.NAME }}`, without filters, of a template without statements.
fn plain_keys(text: &str) -> Vec<String> {
    if text.contains("{%") {
        return Vec::new();
    }
    let inner = text.split("{{").skip(1).filter_map(|part| part.split_once("}}"));
    let keys = inner.filter_map(|(inner, _)| inner.trim().strip_prefix("state."));
    let is_name = |key: &&str| key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    keys.filter(is_name).map(str::to_owned).collect()
}

/// What nodes and conditions look at.
fn needed(workflow: &Workflow) -> impl Iterator<Item = String> {
    let conditions = workflow.edges.iter().filter_map(|edge| edge.condition.as_deref());
    let conditions = conditions.filter_map(|text| Condition::parse(text).ok());
    let of_conditions = conditions.flat_map(|found| found.keys().map(str::to_owned).collect::<Vec<_>>());
    let is_own = |key: &String| !is_field(key) && !OF_MAP.contains(&key.as_str()) && key != "metadata";
    workflow.nodes.values().flat_map(needs).chain(of_conditions).filter(is_own)
}

fn needs(node: &NodeDef) -> Vec<String> {
    let more = match &node.kind {
        NodeKind::Human { prompt: Some(prompt) } => template::keys(prompt),
        NodeKind::Tool { arguments, .. } => arguments.values().flat_map(keys_in).collect(),
        NodeKind::Map { over, .. } => vec![over.clone()],
        _ => Vec::new(),
    };
    node.inputs.iter().cloned().chain(more).collect()
}

fn keys_in(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => template::keys(text),
        Value::Array(items) => items.iter().flat_map(keys_in).collect(),
        Value::Object(fields) => fields.values().flat_map(keys_in).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

fn sets(node: &NodeDef) -> Vec<&str> {
    let by_pattern: &[&str] = match &node.kind {
        NodeKind::Pattern(used) => match used.pattern {
            Pattern::Reflection => &["score", "feedback"],
            Pattern::Debate => &["winner"],
            Pattern::Tot => &["score"],
            Pattern::React | Pattern::Cot => &[],
        },
        _ => &[],
    };
    node.outputs.iter().map(String::as_str).chain(by_pattern.iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use amelia_core::config::workflow::{EdgeDef, EdgeTarget};
    use serde_json::json;

    use super::*;

    fn node(kind: serde_json::Value, outputs: &[&str]) -> NodeDef {
        let kind: NodeKind = serde_json::from_value(kind).unwrap();
        NodeDef { outputs: outputs.iter().map(|name| (*name).to_owned()).collect(), ..NodeDef::new(kind) }
    }

    #[test]
    fn what_no_node_sets_is_asked_for() {
        let say = "{{ state.greeting }} {{ state.score }} {{ last }} {{ state.user.name }} {{ state.messages[0].text }}";
        let arguments = json!({"path": "x", "content": [say]});
        let nodes = [
            ("write", node(json!({"agent": {"agent": "writer"}}), &["score", "items"])),
            ("each", node(json!({"map": {"over": "items", "task": "one", "concurrency": 2}}), &[])),
            ("all", node(json!({"map": {"over": "files", "task": "two", "concurrency": 2}}), &[])),
            ("save", node(json!({"tool": {"tool": "write_file", "arguments": arguments}}), &[])),
        ];
        let reads = NodeDef {
            inputs: vec!["item".to_owned(), "tone".to_owned()],
            ..node(json!({"agent": {"agent": "writer"}}), &[])
        };
        let nodes = nodes.into_iter().chain([("one", reads)]).map(|(name, node)| (name.to_owned(), node));
        let edge = EdgeDef {
            from: "write".to_owned(),
            to: EdgeTarget::Node("save".to_owned()),
            condition: Some("state.score >= state.limit && routing_key != 'x' && metadata.strict".to_owned()),
        };
        let workflow = Workflow {
            name: "w".to_owned(),
            description: None,
            patterns: Vec::new(),
            nodes: nodes.collect::<BTreeMap<_, _>>(),
            edges: vec![edge],
            entry_point: "write".to_owned(),
            checkpoints: Vec::new(),
            max_iterations: 50,
        };
        let inputs: Vec<String> = inputs(&workflow).into_iter().collect();
        assert_eq!(inputs, ["files", "greeting", "limit", "strict", "tone", "user"]);
    }

    #[test]
    fn a_given_value_is_used_and_a_plain_one_is_given() {
        let workflow = |content: &str| {
            let arguments = json!({"path": "x", "content": content});
            let save = node(json!({"tool": {"tool": "write_file", "arguments": arguments}}), &["saved"]);
            Workflow {
                name: "w".to_owned(),
                description: None,
                patterns: Vec::new(),
                nodes: BTreeMap::from([("save".to_owned(), save)]),
                edges: Vec::new(),
                entry_point: "save".to_owned(),
                checkpoints: Vec::new(),
                max_iterations: 50,
            }
        };
        let given =
            |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), json!("x"))).collect::<Object>();
        let missing = |content: &str| {
            missing_inputs(&workflow(content), &given(&["topic"])).into_iter().collect::<Vec<_>>()
        };
        let unused = |content: &str| unused_inputs(&workflow(content), &given(&["topic", "wat"]));
        assert_eq!(unused("{{ state.topic }}"), ["wat"]);
        assert_eq!(unused("{{ state.topic }}{{ state | tojson }}"), [""; 0]);
        assert_eq!(
            missing("{{ state.topic }} {{state.dsh}} {{ state.saved }} {{ state.messages }}"),
            ["dsh"]
        );
        assert_eq!(missing("{{ state.dsh | default('soup') }}"), [""; 0]);
        assert_eq!(missing("{% if state.dsh %}{{ state.dsh }}{% endif %}"), [""; 0]);
    }
}
