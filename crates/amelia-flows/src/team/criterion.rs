//! What must hold before a team is done, or must not hold after a turn: `text_mention:T`, `cel:EXPR`, `file:GLOB`,
//! `check:COMMAND`, or a sentence that a model judges.

use amelia_agents::agent::AgentStop;
use amelia_core::check::CheckCommand;
use amelia_core::id::CallId;
use amelia_core::object::Object;
use amelia_core::tool::{CallOptions, ToolCall, ToolCx, ToolName};
use amelia_graph::node::{NodeCx, NodeError};
use serde_json::json;

use super::TeamParts;
use crate::condition::{Condition, Variables, Verdict};

/// The tool that finds files, and what it says when there are none.
const LIST_FILES: &str = "list_files";
const NO_FILES: &str = "no files";

/// One criterion.
pub(super) struct Criterion {
    /// As it is written.
    pub(super) text: String,
    kind: CriterionKind,
}

enum CriterionKind {
    /// An agent says this.
    Mention(String),
    Cel(Condition),
    /// There is such a file.
    File(String),
    /// This command succeeds.
    Check(String),
    /// A model says that it holds.
    Sentence,
}

impl Criterion {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let filled = |rest: &str| match rest.trim() {
            "" => Err("has nothing after the colon".to_owned()),
            rest => Ok(rest.to_owned()),
        };
        let kind = match text.split_once(':') {
            Some(("text_mention", rest)) => CriterionKind::Mention(filled(rest)?),
            Some(("cel", rest)) => {
                CriterionKind::Cel(Condition::parse(&filled(rest)?).map_err(|error| error.to_string())?)
            }
            Some(("file", rest)) => CriterionKind::File(filled(rest)?),
            Some(("check", rest)) => CriterionKind::Check(filled(rest)?),
            Some((kind, rest)) if is_name(kind) && !rest.starts_with(' ') => {
                return Err(format!(
                    "there is no criterion `{kind}:`: use `text_mention:`, `cel:`, `file:`, `check:`, or write a sentence"
                ));
            }
            _ if text.trim().contains(' ') => CriterionKind::Sentence,
            _ => {
                return Err("must be a sentence, or begin with `text_mention:`, `cel:`, `file:` or `check:`"
                    .to_owned());
            }
        };
        Ok(Self { text: text.to_owned(), kind })
    }

    /// Whether only a look at the files can decide it.
    pub(super) fn needs_files(&self) -> bool {
        matches!(self.kind, CriterionKind::File(_) | CriterionKind::Check(_))
    }

    /// Whether only a model can decide it.
    pub(super) fn is_sentence(&self) -> bool {
        matches!(self.kind, CriterionKind::Sentence)
    }

    pub(super) fn condition(&self) -> Option<&Condition> {
        match &self.kind {
            CriterionKind::Cel(condition) => Some(condition),
            _ => None,
        }
    }

    /// Whether it holds in this state, after these words; `None` when that is not enough to know.
    pub(super) fn holds(&self, state: &dyn Variables, words: &[&str]) -> Option<Result<bool, String>> {
        match &self.kind {
            CriterionKind::Mention(text) => Some(Ok(words.iter().any(|said| said.contains(text.as_str())))),
            CriterionKind::Cel(condition) => Some(match condition.evaluate(state) {
                Ok(Verdict::Bool(holds)) => Ok(holds),
                Ok(Verdict::Label(label)) => Err(format!("needs true or false, but is `{label}`")),
                Err(reason) => Err(reason),
            }),
            CriterionKind::File(_) | CriterionKind::Check(_) | CriterionKind::Sentence => None,
        }
    }

    /// Looks at the files of the run. `None` when the criterion holds, else what was found.
    pub(super) async fn look(
        &self,
        cx: &NodeCx,
        parts: &TeamParts,
        index: usize,
    ) -> Result<Option<String>, AgentStop> {
        match &self.kind {
            CriterionKind::File(glob) => {
                let call = ToolCall {
                    id: CallId::repaired(&format!("criterion-{}-{index}", cx.step())),
                    tool: ToolName::builtin(LIST_FILES),
                    args: Object::from_iter([
                        ("glob".to_owned(), json!(glob)),
                        ("limit".to_owned(), json!(1)),
                    ]),
                    at: Some(cx.now()),
                    options: CallOptions::default(),
                };
                let result = parts.tools.call(cx, &call).await?;
                if let Some(error) = result.error {
                    return Err(NodeError::new("criterion", format!("`{}`: {error}", self.text)).into());
                }
                Ok((result.output.trim() == NO_FILES).then(|| "there is no such file".to_owned()))
            }
            CriterionKind::Check(command) => {
                let Some(place) = &parts.place else {
                    return Err(NodeError::new("criterion", format!("`{}` needs files", self.text)).into());
                };
                let check = CheckCommand {
                    name: "criterion".to_owned(),
                    command: command.clone(),
                    timeout: CheckCommand::DEFAULT_TIMEOUT,
                };
                let tool_cx = ToolCx { cancel: cx.cancel().child_token(), ..ToolCx::default() };
                let result = place.check(&tool_cx, &check).await;
                let tail = || result.tail().map(|tail| format!(":\n{tail}")).unwrap_or_default();
                Ok((!result.passed).then(|| format!("{}{}", result.end(), tail())))
            }
            CriterionKind::Mention(_) | CriterionKind::Cel(_) | CriterionKind::Sentence => Ok(None),
        }
    }
}

/// Whether a text could be the kind of a criterion.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase() || c == '_')
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::chat::Chat;

    fn holds(text: &str, words: &[&str]) -> Option<Result<bool, String>> {
        let state = Chat::begin("Write", Object::new(), Timestamp::UNIX_EPOCH);
        Criterion::parse(text).unwrap().holds(&state, words)
    }

    #[test]
    fn every_form_is_read_and_everything_else_is_refused() {
        assert_eq!(holds("text_mention:DONE", &["a", "It is DONE."]), Some(Ok(true)));
        assert_eq!(holds("text_mention:DONE", &["It is done."]), Some(Ok(false)));
        assert_eq!(holds("cel: last == 'Write'", &[]), Some(Ok(true)));
        assert!(matches!(holds("cel: 'label'", &[]), Some(Err(_))));
        assert_eq!((holds("file:*.md", &[]), holds("check:make test", &[])), (None, None));
        for sentence in ["The text is good.", "Good: the text", "good: the text"] {
            assert!(Criterion::parse(sentence).unwrap().is_sentence(), "{sentence}");
            assert_eq!(holds(sentence, &[]), None);
        }
        for (bad, expected) in [
            ("mention:DONE", "there is no criterion `mention:`"),
            ("good", "must be a sentence"),
            ("file: ", "nothing after the colon"),
            ("cel:last ==", "not an expression"),
        ] {
            let problem = Criterion::parse(bad).err().unwrap();
            assert!(problem.contains(expected), "{bad}: {problem}");
        }
    }
}
