//! The text of a pull request: what was done, how it was checked and reviewed, and the plan; in the template of the
//! repository where there is one. Pure.

use super::Implementation;
use super::summary::summary;

/// Headings of a template, by what belongs below them. The first word that a heading has decides.
const SUMMARY_WORDS: [&str; 6] = ["description", "summary", "what", "change", "overview", "motivation"];
const CHECK_WORDS: [&str; 3] = ["test", "checks", "verif"];
const REVIEW_WORDS: [&str; 1] = ["review"];
const ISSUE_WORDS: [&str; 5] = ["issue", "ticket", "closes", "fixes", "related"];

/// The parts of the text. An empty one is left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PullRequestSections {
    pub summary: String,
    pub checks: String,
    pub review: String,
    /// What closes the issue, where the host understands that.
    pub issue: String,
    /// Markdown.
    pub plan: String,
}

/// The parts of a run's text.
#[must_use]
pub fn sections(state: &Implementation) -> PullRequestSections {
    let checks: Vec<String> = state
        .commits
        .last()
        .iter()
        .flat_map(|commit| &commit.checks)
        .map(|check| {
            let outcome = if check.passed { "passed" } else { "failed" };
            format!("- {}: {outcome} (`{}`)", check.name, check.command)
        })
        .collect();
    let reviews: Vec<String> = state
        .commits
        .iter()
        .filter(|commit| commit.rounds > 0)
        .map(|commit| match commit.accepted_with() {
            Some(left) => format!("- {}: accepted by a person although {left}", commit.title),
            None => format!("- {}: {}", commit.title, rounds(commit.rounds)),
        })
        .collect();
    let key = state.issue.as_ref().map(|issue| issue.key.trim()).unwrap_or_default();
    let number = key.rsplit('#').next().unwrap_or_default();
    let is_numbered = key.contains('#') && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    PullRequestSections {
        summary: summary(state),
        checks: checks.join("\n"),
        review: reviews.join("\n"),
        issue: if is_numbered { format!("Closes {key}") } else { String::new() },
        plan: state.draft.as_ref().map(|draft| draft.markdown.trim().to_owned()).unwrap_or_default(),
    }
}

fn rounds(rounds: u32) -> String {
    match rounds {
        1 => "approved in the first review".to_owned(),
        more => format!("approved in review {more}"),
    }
}

impl PullRequestSections {
    /// Of a run that has nothing but a summary.
    #[must_use]
    pub fn of_summary(summary: &str) -> Self {
        Self { summary: summary.trim().to_owned(), ..Self::default() }
    }

    /// The text, in this template if there is one.
    #[must_use]
    pub fn body(&self, template: Option<&str>) -> String {
        match template.map(str::trim).filter(|template| !template.is_empty()) {
            Some(template) => self.filled(template),
            None => self.plain(),
        }
    }

    fn plain(&self) -> String {
        let mut parts = vec![self.summary.trim().to_owned()];
        parts.extend(titled("Checks", &self.checks));
        parts.extend(titled("Review", &self.review));
        parts.push(self.folded_plan());
        parts.push(self.issue.clone());
        joined(parts)
    }

    /// Every part goes below the first heading that asks for it; what no heading asks for comes after the template.
    fn filled(&self, template: &str) -> String {
        let mut left = self.clone();
        let mut lines = Vec::new();
        for line in template.lines() {
            lines.push(line.to_owned());
            let Some(heading) = line.trim_start().strip_prefix('#') else { continue };
            let text = left.take(&heading.trim_start_matches('#').to_lowercase());
            if !text.is_empty() {
                lines.extend([String::new(), text, String::new()]);
            }
        }
        let filled = lines.join("\n").replace("\n\n\n", "\n\n");
        // Without a heading for it, the summary is what a reader looks for first.
        let first = std::mem::take(&mut left.summary);
        joined(vec![first, filled, left.plain()])
    }

    /// The part that belongs below a heading, which is then used up.
    fn take(&mut self, heading: &str) -> String {
        let asks = |words: &[&str]| words.iter().any(|word| heading.contains(word));
        let part = if asks(&CHECK_WORDS) {
            &mut self.checks
        } else if asks(&REVIEW_WORDS) {
            &mut self.review
        } else if asks(&ISSUE_WORDS) {
            &mut self.issue
        } else if asks(&SUMMARY_WORDS) {
            &mut self.summary
        } else {
            return String::new();
        };
        std::mem::take(part)
    }

    fn folded_plan(&self) -> String {
        match self.plan.as_str() {
            "" => String::new(),
            plan => format!("<details>\n<summary>Plan</summary>\n\n{plan}\n\n</details>"),
        }
    }
}

fn titled(title: &str, text: &str) -> Option<String> {
    (!text.is_empty()).then(|| format!("## {title}\n\n{text}"))
}

fn joined(mut parts: Vec<String>) -> String {
    parts.retain(|part| !part.trim().is_empty());
    parts.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sections() -> PullRequestSections {
        PullRequestSections {
            summary: "It adds.".to_owned(),
            checks: "- tests: passed (`make test`)".to_owned(),
            review: "- Add: approved in the first review".to_owned(),
            issue: "Closes #7".to_owned(),
            plan: "# Plan".to_owned(),
        }
    }

    #[test]
    fn without_a_template_the_summary_comes_first() {
        let expected = "It adds.\n\n## Checks\n\n- tests: passed (`make test`)\n\n## Review\n\n\
            - Add: approved in the first review\n\n<details>\n<summary>Plan</summary>\n\n# Plan\n\n</details>\n\nCloses #7";
        assert_eq!(sections().body(None), expected);
        assert_eq!(sections().body(Some("  \n")), expected);
        assert_eq!(PullRequestSections::of_summary(" Done. ").body(None), "Done.");
    }

    #[test]
    fn a_template_is_filled_in_and_keeps_what_asks_for_something_else() {
        let template = "## What changed\n<!-- say it -->\n\n## How did you test it?\n\n## Screenshots\n";
        let expected = "## What changed\n\nIt adds.\n\n<!-- say it -->\n\n## How did you test it?\n\n\
            - tests: passed (`make test`)\n\n## Screenshots\n\n## Review\n\n\
            - Add: approved in the first review\n\n<details>\n<summary>Plan</summary>\n\n# Plan\n\n</details>\n\nCloses #7";
        assert_eq!(sections().body(Some(template)), expected);
    }

    #[test]
    fn a_template_without_headings_comes_after_the_summary() {
        let body = sections().body(Some("- [ ] I have read the rules"));
        assert!(body.starts_with("It adds.\n\n- [ ] I have read the rules\n\n## Checks"), "{body}");
    }
}
