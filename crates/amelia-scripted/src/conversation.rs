//! What was asked, the same for all three APIs: rules are matched on this and on nothing else.

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;

/// An API that the scripted model speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScriptedApi {
    Chat,
    Responses,
    Messages,
}

impl fmt::Display for ScriptedApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Chat => "chat",
            Self::Responses => "responses",
            Self::Messages => "messages",
        })
    }
}

#[derive(Debug, Clone)]
pub(crate) struct ScriptedRequest {
    pub(crate) wire: ScriptedApi,
    pub(crate) model: String,
    pub(crate) system: String,
    pub(crate) said: Vec<SpokenTurn>,
    /// Names of the tools that are offered.
    pub(crate) tools: Vec<String>,
    pub(crate) wants: Wants,
}

/// How the answer should come.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wants {
    pub(crate) stream: bool,
    /// Chat reports usage in a stream only when asked.
    pub(crate) usage_in_stream: bool,
    /// Responses sends encrypted reasoning only when asked.
    pub(crate) encrypted_reasoning: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct SpokenTurn {
    pub(crate) by: Speaker,
    pub(crate) text: String,
    /// Ids of the tool calls that are made here.
    pub(crate) calls: Vec<String>,
    /// Ids of the tool calls that are answered here.
    pub(crate) results: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speaker {
    User,
    Assistant,
    Tool,
}

impl SpokenTurn {
    pub(crate) fn new(by: Speaker, text: String) -> Self {
        Self { by, text, calls: Vec::new(), results: Vec::new() }
    }
}

impl ScriptedRequest {
    /// Turns of the model so far. Neighbouring items of the model are one turn: Responses has one for each call.
    pub(crate) fn turn(&self) -> u32 {
        let mut turns = 0;
        let mut before = Speaker::User;
        for said in &self.said {
            if said.by == Speaker::Assistant && before != Speaker::Assistant {
                turns += 1;
            }
            before = said.by;
        }
        turns
    }

    pub(crate) fn text(&self) -> String {
        joined(&self.said)
    }

    /// What came after the model's last turn.
    pub(crate) fn last(&self) -> String {
        let after = self.said.iter().rposition(|said| said.by == Speaker::Assistant).map_or(0, |at| at + 1);
        joined(self.said.get(after..).unwrap_or_default())
    }

    /// What a person said while the model was at work: beside the results of calls, or after the words that it was given
    /// to begin with.
    pub(crate) fn spoken(&self) -> Option<String> {
        let after = self.said.iter().rposition(|said| said.by == Speaker::Assistant).map_or(0, |at| at + 1);
        let last = self.said.get(after..).unwrap_or_default();
        let is_in_the_middle = last.iter().any(|said| said.by == Speaker::Tool || !said.results.is_empty());
        let users = last.iter().filter(|said| said.by == Speaker::User && !said.text.is_empty());
        let words: Vec<&str> =
            users.skip(usize::from(!is_in_the_middle)).map(|said| said.text.as_str()).collect();
        (!words.is_empty()).then(|| words.join("\n"))
    }

    /// A token is about four characters; enough for a script that does not care.
    pub(crate) fn estimated_tokens(&self) -> u64 {
        estimate(self.system.len() + self.said.iter().map(|said| said.text.len()).sum::<usize>())
    }
}

pub(crate) fn estimate(characters: usize) -> u64 {
    (characters as u64).div_ceil(4)
}

fn joined(said: &[SpokenTurn]) -> String {
    let texts: Vec<&str> = said.iter().map(|said| said.text.as_str()).collect();
    texts.join("\n")
}
