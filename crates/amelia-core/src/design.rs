//! The sections of a design document, as far as its text has them. Pure: a design without any is a text like any other.

use crate::tracker::{Design, DesignSections};

impl Design {
    /// A design from Markdown, with the sections that are recognised in it.
    #[must_use]
    pub fn read(content: String, source: impl Into<String>) -> Self {
        let sections = sections(&content);
        Self { content, source: source.into(), sections }
    }
}

/// `None` unless the text says at least what it is about and what is wanted.
fn sections(markdown: &str) -> Option<DesignSections> {
    let mut sections = DesignSections::default();
    let mut is_fenced = false;
    let (mut heading, mut body) = (String::new(), String::new());
    for line in markdown.lines() {
        is_fenced ^= line.trim_start().starts_with("```");
        match line.strip_prefix('#').filter(|_| !is_fenced) {
            Some(rest) => {
                fill(&mut sections, &heading, &body);
                heading = rest.trim_start_matches('#').trim().to_owned();
                if sections.title.is_empty() && !rest.starts_with('#') {
                    sections.title.clone_from(&heading);
                }
                body.clear();
            }
            None => {
                body.push_str(line);
                body.push('\n');
            }
        }
    }
    fill(&mut sections, &heading, &body);
    (!sections.title.is_empty() && !sections.goal.is_empty()).then_some(sections)
}

/// Puts the text below a heading into its section, the first time it comes.
fn fill(sections: &mut DesignSections, heading: &str, body: &str) {
    let text = body.trim();
    if text.is_empty() {
        return;
    }
    let name: String = heading.to_lowercase().chars().filter(|sign| sign.is_alphabetic()).collect();
    let once = |section: &mut Option<String>| {
        section.get_or_insert_with(|| text.to_owned());
    };
    match name.as_str() {
        "goal" | "goals" if sections.goal.is_empty() => text.clone_into(&mut sections.goal),
        "architecture" if sections.architecture.is_empty() => text.clone_into(&mut sections.architecture),
        "techstack" | "technologies" if sections.tech_stack.is_empty() => sections.tech_stack = items(text),
        "components" if sections.components.is_empty() => sections.components = items(text),
        "relevantfiles" | "files" if sections.relevant_files.is_empty() => {
            sections.relevant_files = items(text);
        }
        "dataflow" => once(&mut sections.data_flow),
        "errorhandling" => once(&mut sections.error_handling),
        "testing" | "testingstrategy" | "tests" => once(&mut sections.testing_strategy),
        "conventions" => once(&mut sections.conventions),
        _ => {}
    }
}

/// The items of a list, or the lines of a text that is none.
fn items(text: &str) -> Vec<String> {
    let lines = text.lines().map(|line| line.trim().trim_start_matches(['-', '*', '+']).trim());
    lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_recognised_by_their_headings() {
        let text = "# Parser\n\nIntro.\n\n## Goal\nParse it.\n\n## Architecture\nOne pass.\n```\n# no heading\n```\n\
                    ## Tech Stack\n- Rust\n* winnow\n\n## Data flow\nIn, out.\n\n## Testing strategy\nTables.\n\
                    ## Relevant files\n- src/lib.rs\n";
        let expected = DesignSections {
            title: "Parser".to_owned(),
            goal: "Parse it.".to_owned(),
            architecture: "One pass.\n```\n# no heading\n```".to_owned(),
            tech_stack: vec!["Rust".to_owned(), "winnow".to_owned()],
            data_flow: Some("In, out.".to_owned()),
            testing_strategy: Some("Tables.".to_owned()),
            relevant_files: vec!["src/lib.rs".to_owned()],
            ..DesignSections::default()
        };
        assert_eq!(Design::read(text.to_owned(), "file").sections, Some(expected));
    }

    #[test]
    fn a_text_without_sections_is_a_design_without_them() {
        for text in ["", "just words", "# Title only", "## Goal\nwithout a title"] {
            assert_eq!(Design::read(text.to_owned(), "file").sections, None, "{text}");
        }
    }
}
