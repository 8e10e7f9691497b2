//! Which transition means "started" or "done". Projects name their steps as they like; the category of the status
//! that a step leads to is what they have in common. Pure.

use amelia_core::tracker::IssueProgress;

use super::shapes::{Status, Transition};

const STARTED: [&str; 4] = ["in progress", "start progress", "in development", "doing"];
const DONE: [&str; 6] = ["done", "resolved", "resolve issue", "closed", "close issue", "complete"];
/// Ends without the work: never chosen for it.
const GIVEN_UP: [&str; 8] =
    ["won't", "wont", "will not", "cancel", "reject", "duplicate", "declined", "abandon"];

/// Whether an issue is there already.
pub(super) fn is_at(status: &Status, to: IssueProgress) -> bool {
    status.category.key == category(to)
}

/// The transition to take, or why there is none.
pub(super) fn choose(transitions: &[Transition], to: IssueProgress) -> Result<&Transition, String> {
    let leads = |transition: &&Transition| is_at(&transition.to, to) && !is_given_up(transition);
    let names: &[&str] = match to {
        IssueProgress::Started => &STARTED,
        IssueProgress::Done => &DONE,
    };
    let candidates: Vec<&Transition> = transitions.iter().filter(leads).collect();
    let by_name = names.iter().find_map(|wanted| {
        let is_called = |name: &str| name.trim().eq_ignore_ascii_case(wanted);
        candidates.iter().find(|found| is_called(&found.to.name) || is_called(&found.name))
    });
    by_name.or_else(|| candidates.first()).copied().ok_or_else(|| missing(transitions, to))
}

fn category(to: IssueProgress) -> &'static str {
    match to {
        IssueProgress::Started => "indeterminate",
        IssueProgress::Done => "done",
    }
}

fn is_given_up(transition: &Transition) -> bool {
    let named = |name: &str| {
        let name = name.to_lowercase().replace('’', "'");
        GIVEN_UP.iter().any(|word| name.contains(word))
    };
    named(&transition.name) || named(&transition.to.name)
}

fn missing(transitions: &[Transition], to: IssueProgress) -> String {
    let wanted = match to {
        IssueProgress::Started => "work in progress",
        IssueProgress::Done => "work that is done",
    };
    if transitions.is_empty() {
        return format!("no transition leads to {wanted}: there is none at all for this account");
    }
    let listed = transitions.iter().map(|found| format!("`{}` to `{}`", found.name, found.to.name));
    let listed: Vec<String> = listed.collect();
    format!("no transition leads to {wanted}; there are {}", listed.join(", "))
}

#[cfg(test)]
mod tests {
    use super::super::shapes::Category;
    use super::*;

    fn transitions(all: &[(&str, &str, &str)]) -> Vec<Transition> {
        let one = |(name, to, key): &(&str, &str, &str)| Transition {
            id: name.to_lowercase(),
            name: (*name).to_owned(),
            to: Status { name: (*to).to_owned(), category: Category { key: (*key).to_owned() } },
        };
        all.iter().map(one).collect()
    }

    fn chosen(all: &[(&str, &str, &str)], to: IssueProgress) -> Result<String, String> {
        choose(&transitions(all), to).map(|found| found.name.clone())
    }

    #[test]
    fn names_are_preferred_and_categories_decide() {
        let usual = [
            ("Backlog", "Backlog", "new"),
            ("Review", "In Review", "indeterminate"),
            ("Begin", "In Progress", "indeterminate"),
            ("Won’t do", "Won't Do", "done"),
            ("Finish", "Released", "done"),
            ("Close Issue", "Closed", "done"),
        ];
        assert_eq!(chosen(&usual, IssueProgress::Started), Ok("Begin".to_owned()));
        assert_eq!(chosen(&usual, IssueProgress::Done), Ok("Close Issue".to_owned()));
        let other = [("Los", "In Arbeit", "indeterminate"), ("Fertig", "Erledigt", "done")];
        assert_eq!(chosen(&other, IssueProgress::Started), Ok("Los".to_owned()));
        assert_eq!(chosen(&other, IssueProgress::Done), Ok("Fertig".to_owned()));
    }

    #[test]
    fn a_missing_transition_lists_those_there_are() {
        let only = [("Start", "In Progress", "indeterminate"), ("Cancel", "Cancelled", "done")];
        let expected = "no transition leads to work that is done; there are `Start` to `In Progress`, \
                        `Cancel` to `Cancelled`";
        assert_eq!(chosen(&only, IssueProgress::Done), Err(expected.to_owned()));
        assert!(chosen(&[], IssueProgress::Started).unwrap_err().contains("none at all"));
    }
}
