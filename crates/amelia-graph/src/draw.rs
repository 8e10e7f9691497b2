//! Drawings of a graph: mermaid for people, data for the dashboard.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use crate::graph::{END, Edge, EdgeEnd, Graph, target_name};
use crate::state::State;

/// A graph as data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Drawing {
    pub name: String,
    pub nodes: Vec<String>,
    /// What kind of work a node does, where that is said.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub kinds: BTreeMap<String, &'static str>,
    pub edges: Vec<DrawnEdge>,
}

/// One arrow. The start is named `__start__`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DrawnEdge {
    pub from: String,
    pub to: String,
    pub kind: EdgeKind,
    /// When it is taken, where that is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EdgeKind {
    Plain,
    Fork,
    Route,
    /// Waits for the other sources of the join it leads to.
    Join,
}

const START: &str = "__start__";

impl<S: State> Graph<S> {
    /// The graph as data.
    #[must_use]
    pub fn drawing(&self) -> Drawing {
        let from_nodes = self.nodes.iter().map(|(node, place)| (node.as_str(), &place.edge));
        let edges = [(START, &self.entry)].into_iter().chain(from_nodes);
        Drawing {
            name: self.name.to_string(),
            nodes: self.nodes.keys().map(ToString::to_string).collect(),
            kinds: self
                .nodes
                .iter()
                .filter_map(|(node, place)| Some((node.to_string(), place.kind?)))
                .collect(),
            edges: edges.flat_map(|(from, edge)| self.arrows(from, edge)).collect(),
        }
    }

    /// The graph as a mermaid flowchart.
    #[must_use]
    pub fn mermaid(&self) -> String {
        let mut text = String::from("flowchart TD\n");
        let Drawing { edges, nodes, kinds, .. } = self.drawing();
        let shape = |name: &str| shape(name, &nodes, kinds.get(name).copied());
        for DrawnEdge { from, to, kind, label } in edges {
            let arrow = match kind {
                EdgeKind::Plain => "-->",
                EdgeKind::Fork => "==>",
                EdgeKind::Route => "-.->",
                EdgeKind::Join => "--o",
            };
            // Writing to a string cannot fail.
            let label = label.map(|label| format!("|\"{}\"|", quoted(&label))).unwrap_or_default();
            writeln!(text, "    {} {arrow}{label} {}", shape(&from), shape(&to)).ok();
        }
        text
    }

    fn arrows(&self, from: &str, edge: &Edge<S>) -> Vec<DrawnEdge> {
        let kind = match edge {
            Edge::To(_) | Edge::End => EdgeKind::Plain,
            Edge::Fork(_) => EdgeKind::Fork,
            Edge::Route { .. } => EdgeKind::Route,
        };
        let arrow = |target: &EdgeEnd| {
            let to = target_name(target);
            let joins = self.joins.iter().any(|(join, sources)| {
                join.as_str() == to && sources.iter().any(|source| source.as_str() == from)
            });
            let kind = if joins { EdgeKind::Join } else { kind };
            let label = match edge {
                Edge::Route { labels, .. } => labels.get(target).cloned(),
                Edge::To(_) | Edge::Fork(_) | Edge::End => None,
            };
            DrawnEdge { from: from.to_owned(), to: to.to_owned(), kind, label }
        };
        edge.targets().iter().map(arrow).collect()
    }
}

/// A node in mermaid: an id made of safe characters, and its name as a quoted label in the shape of its kind.
fn shape(name: &str, nodes: &[String], kind: Option<&str>) -> String {
    match name {
        START => "start((start))".to_owned(),
        END => "done((end))".to_owned(),
        name => {
            let plain = |name: &str| -> String {
                name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect()
            };
            let id = plain(name);
            // Names that differ only in other characters are still different nodes.
            let twins =
                nodes.iter().take_while(|node| *node != name).filter(|node| plain(node) == id).count();
            let number = if twins == 0 { String::new() } else { format!("_{twins}") };
            let (open, close) = brackets(kind);
            format!("n_{id}{number}{open}\"{}\"{close}", quoted(name))
        }
    }
}

/// What stands around the label of a node: agents are rounded, decisions are rhombs, and a person's work is slanted.
fn brackets(kind: Option<&str>) -> (&'static str, &'static str) {
    match kind {
        Some("agent") => ("(", ")"),
        Some("condition") => ("{", "}"),
        Some("human") => ("[/", "/]"),
        Some("join" | "parallel") => ("{{", "}}"),
        Some("map" | "pattern" | "team" | "workflow") => ("[[", "]]"),
        Some("wait") => ("([", "])"),
        // A tool, and what says nothing.
        Some(_) | None => ("[", "]"),
    }
}

/// Text between quotes of mermaid.
fn quoted(text: &str) -> String {
    text.replace('"', "#quot;")
}
