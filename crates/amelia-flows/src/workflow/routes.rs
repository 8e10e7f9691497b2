//! What follows each node: its edges in the file, as one choice. Pure.

use std::collections::BTreeMap;

use amelia_core::config::problem::ConfigProblem;
use amelia_core::config::workflow::{END, EdgeDef, EdgeTarget, Workflow};
use amelia_graph::graph::RouteError;

use crate::chat::Chat;
use crate::condition::{Condition, Verdict};

/// A condition that cannot be decided.
pub(super) const BAD_CONDITION: &str = "bad_condition";

/// What follows every node that has edges.
pub(super) struct Routes(BTreeMap<String, Route>);

/// What follows a node.
#[derive(Clone)]
pub(super) enum Route {
    End,
    To(String),
    Fork(Vec<String>),
    Choice(Choice),
}

/// Edges with conditions, in the order of the file, and what holds when none does.
#[derive(Clone)]
pub(super) struct Choice {
    from: String,
    branches: Vec<Branch>,
    /// The nodes of plain edges.
    otherwise: Vec<String>,
}

#[derive(Clone)]
struct Branch {
    /// `None` looks at `routing_key`.
    condition: Option<(String, Condition)>,
    target: EdgeTarget,
}

impl Routes {
    /// The edges of all nodes; every condition that cannot be used is a problem at its edge.
    pub(super) fn read(workflow: &Workflow) -> Result<Self, Vec<ConfigProblem>> {
        let mut problems = Vec::new();
        let mut branches: BTreeMap<&str, Vec<Branch>> = BTreeMap::new();
        let mut plain: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (index, edge) in workflow.edges.iter().enumerate() {
            match (&edge.condition, &edge.to) {
                (None, EdgeTarget::Node(node)) => {
                    let nodes = plain.entry(edge.from.as_str()).or_default();
                    if !nodes.contains(node) {
                        nodes.push(node.clone());
                    }
                }
                _ => match branch(edge) {
                    Ok(branch) => branches.entry(edge.from.as_str()).or_default().push(branch),
                    Err(message) => {
                        problems.push(ConfigProblem { path: format!("edges[{index}].condition"), message });
                    }
                },
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let route = |name: &String| {
            let (branches, nodes) = (branches.remove(name.as_str()), plain.remove(name.as_str()));
            (name.clone(), route(name, branches.unwrap_or_default(), nodes.unwrap_or_default()))
        };
        Ok(Self(workflow.nodes.keys().map(route).collect()))
    }

    pub(super) fn of(&self, node: &str) -> &Route {
        self.0.get(node).unwrap_or(&Route::End)
    }
}

fn branch(edge: &EdgeDef) -> Result<Branch, String> {
    let condition = match &edge.condition {
        None => None,
        Some(text) => Some((text.clone(), Condition::parse(text).map_err(|error| error.to_string())?)),
    };
    if let (Some((_, condition)), EdgeTarget::Node(_)) = (&condition, &edge.to)
        && condition.is_label()
    {
        return Err("must be true or false, but this is text; `to` can map labels to nodes".to_owned());
    }
    Ok(Branch { condition, target: edge.to.clone() })
}

fn route(name: &str, branches: Vec<Branch>, mut plain: Vec<String>) -> Route {
    if !branches.is_empty() {
        return Route::Choice(Choice { from: name.to_owned(), branches, otherwise: plain });
    }
    // Several ways of which one is the end: the others continue, and the run ends when they have.
    if plain.len() > 1 {
        plain.retain(|node| node != END);
    }
    match plain.as_slice() {
        [] => Route::End,
        [only] if only == END => Route::End,
        [only] => Route::To(only.clone()),
        _ => Route::Fork(plain),
    }
}

impl Route {
    /// Whether a node with these edges can be left with this `routing_key`, as far as that is certain.
    pub(super) fn takes(&self, label: &str) -> bool {
        let Self::Choice(choice) = self else { return true };
        match choice.branches.first() {
            Some(Branch { condition: None, target: EdgeTarget::Choice(labels) }) => {
                labels.contains_key(label) || labels.contains_key("default")
            }
            _ => true,
        }
    }
}

impl Choice {
    /// Every node that may come next, with when it does.
    pub(super) fn targets(&self, fork: &str) -> Vec<(String, Option<String>)> {
        let mut targets = Vec::new();
        for branch in &self.branches {
            let condition = branch.condition.as_ref().map(|(text, _)| text.as_str());
            match &branch.target {
                EdgeTarget::Node(node) => targets.push((node.clone(), condition.map(str::to_owned))),
                EdgeTarget::Choice(labels) => {
                    targets.extend(labels.iter().map(|(label, node)| (node.clone(), Some(label.clone()))));
                }
            }
        }
        match self.otherwise.as_slice() {
            [] => {}
            [only] => targets.push((only.clone(), Some("otherwise".to_owned()))),
            _ => targets.push((fork.to_owned(), Some("otherwise".to_owned()))),
        }
        targets
    }

    /// The nodes that follow together when no condition holds.
    pub(super) fn forks(&self) -> Option<&[String]> {
        (self.otherwise.len() > 1).then_some(self.otherwise.as_slice())
    }

    /// The node that comes next; `fork` stands for all of [`Choice::forks`].
    pub(super) fn choose(&self, state: &Chat, fork: &str) -> Result<String, RouteError> {
        for branch in &self.branches {
            if let Some(node) = branch.choose(state)? {
                return Ok(node);
            }
        }
        match self.otherwise.as_slice() {
            [] => Err(failed(format!(
                "leads nowhere: no condition of `{}` is true, and it has no edge without a condition",
                self.from
            ))),
            [only] => Ok(only.clone()),
            _ => Ok(fork.to_owned()),
        }
    }
}

impl Branch {
    /// The node that this edge leads to now; `None` when it is not taken.
    fn choose(&self, state: &Chat) -> Result<Option<String>, RouteError> {
        let said = match &self.condition {
            None => None,
            Some((text, condition)) => {
                let said = condition.evaluate(state);
                Some(said.map_err(|reason| {
                    failed(format!("cannot be chosen, because `{text}` cannot be evaluated: {reason}"))
                })?)
            }
        };
        match (&self.target, said) {
            (EdgeTarget::Node(node), Some(Verdict::Bool(is_taken))) => Ok(is_taken.then(|| node.clone())),
            (EdgeTarget::Node(_), Some(Verdict::Label(label))) => {
                Err(failed(format!("needs true or false, but its condition is the label `{label}`")))
            }
            (EdgeTarget::Node(node), None) => Ok(Some(node.clone())),
            (EdgeTarget::Choice(labels), said) => {
                let names = match said {
                    Some(Verdict::Bool(true)) => vec!["true".to_owned(), "yes".to_owned()],
                    Some(Verdict::Bool(false)) => vec!["false".to_owned(), "no".to_owned()],
                    Some(Verdict::Label(label)) => vec![label],
                    None => state.routing_key.clone().into_iter().collect(),
                };
                let found = names.iter().chain([&"default".to_owned()]).find_map(|name| labels.get(name));
                match found {
                    Some(node) => Ok(Some(node.clone())),
                    None => {
                        let known: Vec<&str> = labels.keys().map(String::as_str).collect();
                        let what = match (&self.condition, names.first()) {
                            (None, None) => "needs a label, but `routing_key` is not set".to_owned(),
                            (None, Some(label)) => {
                                format!("has no label for `routing_key`, which is `{label}`")
                            }
                            (Some((text, _)), label) => {
                                let label = label.map_or("empty", String::as_str);
                                format!("has no label `{label}`, which is the value of `{text}`")
                            }
                        };
                        Err(failed(format!("{what}; its labels are {}", known.join(", "))))
                    }
                }
            }
        }
    }
}

fn failed(message: String) -> RouteError {
    RouteError { code: BAD_CONDITION, message }
}
