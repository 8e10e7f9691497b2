//! What the nodes that Amelia adds to a team do, for people: their names do not say it. Pure.

use std::borrow::Cow;

use super::after::HELPERS;
use super::{CHECK, PERSON, PLAN};

/// A node of a run, as people read it.
#[must_use]
pub fn node_label(node: &str) -> Cow<'_, str> {
    let (place, name) = match node.rsplit_once('/') {
        Some((member, name)) => (format!("{member}: "), name),
        None => (String::new(), node),
    };
    let words = match name {
        PLAN => "tasks of the plan",
        CHECK => "success criteria",
        PERSON => "a question to you",
        name => match name.strip_suffix(HELPERS) {
            Some(agent) => return format!("{place}agents that work for {agent}").into(),
            None => return node.into(),
        },
    };
    format!("{place}{words}").into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::team::after::helpers_of;

    #[test]
    fn nodes_of_amelia_are_told_by_what_they_do_and_all_others_by_their_names() {
        for (node, expected) in [
            (PLAN, "tasks of the plan"),
            (CHECK, "success criteria"),
            ("press/team.check", "press: success criteria"),
            ("press/shop/team.person", "press/shop: a question to you"),
            (&helpers_of("lead"), "agents that work for lead"),
            ("press/writer", "press/writer"),
            ("writer.2", "writer.2"),
        ] {
            assert_eq!(node_label(node), expected);
        }
    }
}
