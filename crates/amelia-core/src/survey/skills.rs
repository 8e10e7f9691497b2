//! Skills of a repository: instructions for some kind of work, each in a directory of its own. Agents learn what there
//! is; they read a skill when they need it.

use serde::{Deserialize, Serialize};

/// Where skills are.
const DIRECTORIES: [&str; 2] = [".agents/skills/", ".claude/skills/"];
const MAX_SKILLS: usize = 30;
const MAX_DESCRIPTION_CHARS: usize = 300;

/// One skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skill {
    pub name: String,
    pub description: String,
    pub path: String,
}

/// Whether a path is that of a skill.
#[must_use]
pub fn is_skill(path: &str) -> bool {
    directory(path).is_some()
}

/// The directory of a skill.
fn directory(path: &str) -> Option<&str> {
    let inside = DIRECTORIES.iter().find_map(|directory| path.strip_prefix(directory))?;
    inside.strip_suffix("/SKILL.md").filter(|name| !name.contains('/'))
}

/// What the first lines of these files say; each name once.
#[must_use]
pub fn skills<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<Skill> {
    let mut found: Vec<Skill> = Vec::new();
    for (path, text) in files {
        let fields = front_matter(text);
        let field = |name: &str| fields.iter().find(|(key, _)| *key == name).map(|(_, value)| value.clone());
        let name = field("name").or_else(|| directory(path).map(str::to_owned)).unwrap_or_default();
        let description = field("description").unwrap_or_default();
        if found.len() < MAX_SKILLS && !found.iter().any(|skill| skill.name == name) {
            let description = description.chars().take(MAX_DESCRIPTION_CHARS).collect();
            found.push(Skill { name: name.chars().take(80).collect(), description, path: path.to_owned() });
        }
    }
    found
}

/// The fields between the first two lines of dashes. Lines that are indented belong to the field before them.
fn front_matter(text: &str) -> Vec<(&str, String)> {
    let mut lines = text.trim_start_matches('\u{feff}').lines();
    if lines.next().map(str::trim_end) != Some("---") {
        return Vec::new();
    }
    let mut fields: Vec<(&str, String)> = Vec::new();
    for line in lines.take_while(|line| line.trim_end() != "---") {
        match (line.starts_with([' ', '\t']), line.split_once(':'), fields.last_mut()) {
            (true, _, Some((_, value))) => {
                let is_begun = !value.is_empty();
                value.push_str(if is_begun { " " } else { "" });
                value.push_str(line.trim());
            }
            (false, Some((key, value)), _) => {
                let value = value.trim();
                // How the lines below are to be joined says nothing itself.
                let value = if value.starts_with(['|', '>']) { "" } else { value };
                fields.push((key.trim(), value.trim_matches(['"', '\'']).to_owned()));
            }
            _ => {}
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skills_are_known_by_their_front_matter() {
        let release = "---\nname: \"release\"\ndescription: >-\n  Cut a release.\n  Use it for tags.\n---\n# Not this: name\n";
        let files = [
            (".claude/skills/rel/SKILL.md", release),
            (".agents/skills/rel/SKILL.md", release),
            (".claude/skills/bare/SKILL.md", "No front matter.\nname: no\n"),
        ];
        let skill = |name: &str, description: &str, path: &str| Skill {
            name: name.to_owned(),
            description: description.to_owned(),
            path: path.to_owned(),
        };
        let expected = [
            skill("release", "Cut a release. Use it for tags.", ".claude/skills/rel/SKILL.md"),
            skill("bare", "", ".claude/skills/bare/SKILL.md"),
        ];
        assert_eq!(skills(files), expected);
    }

    #[test]
    fn only_skills_are_skills_and_there_are_not_too_many() {
        assert!(is_skill(".claude/skills/a/SKILL.md"));
        assert!(!is_skill(".claude/skills/a/b/SKILL.md") && !is_skill("skills/a/SKILL.md"));
        let names: Vec<String> = (0..50).map(|number| format!(".claude/skills/{number}/SKILL.md")).collect();
        let long = format!("---\ndescription: {}\n---", "d".repeat(5000));
        let found = skills(names.iter().map(|name| (name.as_str(), long.as_str())));
        assert_eq!((found.len(), found[0].description.len()), (MAX_SKILLS, MAX_DESCRIPTION_CHARS));
    }
}
