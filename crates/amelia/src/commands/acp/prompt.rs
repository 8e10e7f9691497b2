//! What a person has typed: words, and commands that begin with a slash. Pure.

use serde_json::{Value, json};

/// What a prompt asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Prompt<'a> {
    /// A task, or an answer.
    Words(&'a str),
    /// A task for one agent.
    Do(&'a str),
    /// A run to follow in this session.
    Follow(&'a str),
    Resume,
    Merge,
}

/// Name, description, and what to type behind it.
const COMMANDS: [(&str, &str, Option<&str>); 4] = [
    ("do", "Run one agent without a plan", Some("the task")),
    ("follow", "Follow another run in this session", Some("the run, such as r12")),
    ("resume", "Resume the run after a pause or a failure", None),
    ("merge", "Merge the changes of the run into your branch", None),
];

impl<'a> Prompt<'a> {
    pub(super) fn of(words: &'a str) -> Self {
        let words = words.trim();
        let (command, rest) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
        match (command, rest.trim()) {
            ("/do", task) => Self::Do(task),
            ("/follow", run) => Self::Follow(run),
            ("/resume", "") => Self::Resume,
            ("/merge", "") => Self::Merge,
            _ => Self::Words(words),
        }
    }
}

/// Tells an editor which commands there are.
pub(super) fn commands_update() -> Value {
    let commands = COMMANDS.map(|(name, description, hint)| {
        let input = hint.map(|hint| json!({"hint": hint}));
        json!({"name": name, "description": description, "input": input})
    });
    json!({"sessionUpdate": "available_commands_update", "availableCommands": commands})
}

/// The text of a prompt: its words, the files that it names, and the text that comes with it.
pub(super) fn words(blocks: &Value) -> String {
    let text = |block: &Value| -> Option<String> {
        match block.get("type")?.as_str()? {
            "text" => Some(block.get("text")?.as_str()?.to_owned()),
            "resource_link" => Some(place(block.get("uri")?.as_str()?).to_owned()),
            "resource" => {
                let resource = block.get("resource")?;
                let uri = place(resource.get("uri")?.as_str()?);
                Some(format!("\n\n{uri}:\n{}\n", resource.get("text")?.as_str()?))
            }
            _ => None,
        }
    };
    blocks.as_array().into_iter().flatten().filter_map(text).collect()
}

/// A file by its path.
fn place(uri: &str) -> &str {
    uri.strip_prefix("file://").unwrap_or(uri)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slash_is_a_command_only_if_there_is_one() {
        for (words, expected) in [
            ("Add a flag", Prompt::Words("Add a flag")),
            (" /do  find the bug ", Prompt::Do("find the bug")),
            ("/do", Prompt::Do("")),
            ("/follow r12", Prompt::Follow("r12")),
            ("/merge", Prompt::Merge),
            ("/merge it all", Prompt::Words("/merge it all")),
            ("/usr/bin is wrong", Prompt::Words("/usr/bin is wrong")),
        ] {
            assert_eq!(Prompt::of(words), expected, "{words}");
        }
    }

    #[test]
    fn files_and_texts_of_a_prompt_are_part_of_its_words() {
        let blocks = json!([
            {"type": "text", "text": "Fix "},
            {"type": "resource_link", "uri": "file:///src/calc.sh", "name": "calc.sh"},
            {"type": "resource", "resource": {"uri": "file:///a", "text": "content"}},
            {"type": "image", "data": "x"},
        ]);
        assert_eq!(words(&blocks), "Fix /src/calc.sh\n\n/a:\ncontent\n");
        assert_eq!(words(&Value::Null), "");
    }
}
