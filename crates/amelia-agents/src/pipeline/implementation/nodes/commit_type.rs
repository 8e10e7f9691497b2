//! The type of a commit, in the words of conventional commits. Pure.

use amelia_core::plan::PlanTask;

use crate::pipeline::implementation::state::Implementation;

const TYPES: [&str; 11] =
    ["feat", "fix", "docs", "style", "refactor", "perf", "test", "build", "ci", "chore", "revert"];

/// The title of a commit: its type, the key of the issue, and what the task does.
pub(super) fn subject(state: &Implementation, task: &PlanTask) -> String {
    let (named, title) = named(&task.title);
    let kind = named.unwrap_or_else(|| commit_type(state, task));
    match state.issue.as_ref().map_or("", |issue| issue.key.as_str()) {
        "" => format!("{kind}: {title}"),
        key => format!("{kind}({key}): {title}"),
    }
}

/// What the issue is called by its author, then its labels, then what the issue and the plan speak of.
fn commit_type(state: &Implementation, task: &PlanTask) -> &'static str {
    let (title, description) = match &state.issue {
        Some(issue) => (issue.title.as_str(), issue.description.as_str()),
        None => Default::default(),
    };
    if let Some(named) = named(title).0.or_else(|| labelled(description)) {
        return named;
    }
    let goal = state.draft.as_ref().map_or("", |draft| draft.plan.goal.as_str());
    if is_fix(title) || is_fix(&task.title) || begins_as_fix(goal) { "fix" } else { "feat" }
}

/// The type that a title begins with, as in `docs: say how` or `fix(core)!: sum`, and the rest of it.
fn named(title: &str) -> (Option<&'static str>, &str) {
    let Some((before, rest)) = title.split_once(':') else { return (None, title) };
    let word = before.split('(').next().unwrap_or_default().trim().trim_end_matches('!');
    match TYPES.into_iter().find(|known| known.eq_ignore_ascii_case(word)) {
        Some(known) if !rest.trim().is_empty() => (Some(known), rest.trim()),
        Some(_) | None => (None, title),
    }
}

/// What the labels say; a tracker writes them on a line of the description.
fn labelled(description: &str) -> Option<&'static str> {
    let lines = description.lines().filter_map(|line| line.strip_prefix("Labels: "));
    lines.flat_map(|labels| labels.split(',')).find_map(|label| {
        let label = label.to_lowercase();
        let mut words = label.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.find_map(|word| match word {
            "bug" | "bugfix" | "fix" | "defect" | "regression" => Some("fix"),
            "documentation" | "docs" => Some("docs"),
            "enhancement" | "feature" | "feat" => Some("feat"),
            _ => None,
        })
    })
}

/// Whether a title speaks of something that is broken.
fn is_fix(title: &str) -> bool {
    const ANYWHERE: [&str; 8] = ["bug", "bugs", "crash", "crashes", "broken", "regression", "fails", "wrong"];
    begins_as_fix(title) || words(&title.to_lowercase()).any(|word| ANYWHERE.contains(&word))
}

fn begins_as_fix(text: &str) -> bool {
    const FIRST: [&str; 8] = ["fix", "fixes", "fixed", "bugfix", "hotfix", "repair", "correct", "bug"];
    words(&text.to_lowercase()).next().is_some_and(|word| FIRST.contains(&word))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use amelia_core::plan::Plan;
    use amelia_core::tracker::Issue;

    use super::*;
    use crate::pipeline::implementation::state::PlanDraft;
    use crate::testing::issue;

    #[test]
    fn the_type_comes_from_the_issue_and_the_plan() {
        let of = |(title, labels): (&str, &str), goal: &str, task: &str| {
            let description = format!("It is so.\n\n{labels}\n\n## Comments\n");
            let task = PlanTask { title: task.to_owned(), ..PlanTask::default() };
            let plan = Plan { goal: goal.to_owned(), tasks: vec![task.clone()], ..Plan::default() };
            let draft = Some(PlanDraft { markdown: String::new(), plan });
            let issue = Some(Issue { description, ..issue("S-1", title) });
            subject(&Implementation { issue, draft, ..Implementation::default() }, &task)
        };
        let plain = ("Sum of numbers", "");
        assert_eq!(of(plain, "It adds.", "Add it"), "feat(S-1): Add it");
        assert_eq!(of(("Sum of numbers", "Labels: urgent, bug"), "", "Add it"), "fix(S-1): Add it");
        assert_eq!(of(("Sum of numbers", "Labels: kind/bug"), "", "Add it"), "fix(S-1): Add it");
        assert_eq!(of(("Say how", "Labels: documentation"), "", "Say it"), "docs(S-1): Say it");
        assert_eq!(of(("Crash reports", "Labels: enhancement"), "", "Send it"), "feat(S-1): Send it");
        assert_eq!(of(("docs: say how", ""), "", "Say it"), "docs(S-1): Say it");
        assert_eq!(of(plain, "Fix the sum.", "Add it"), "fix(S-1): Add it");
        assert_eq!(of(plain, "The script fails without a number.", "Refuse it"), "feat(S-1): Refuse it");
        assert_eq!(of(plain, "", "refactor: one function"), "refactor(S-1): one function");
        assert_eq!(of(plain, "", "Note: say it"), "feat(S-1): Note: say it");
    }

    #[test]
    fn the_title_of_an_issue_says_whether_a_commit_is_a_fix() {
        for fix in
            ["Fix the sum", "[Bug] It does not add", "The parser crashes", "fix(core): sum", "Sum is wrong"]
        {
            assert!(is_fix(fix), "{fix}");
        }
        for other in
            ["", "Add a prefix", "Debug output for the sum", "Correctness tests", "Say how it is used"]
        {
            assert!(!is_fix(other), "{other}");
        }
    }
}
