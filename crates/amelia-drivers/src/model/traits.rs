//! How a model is spoken to: what it takes, what it refuses, what it wants to see again. Begins with what is known of the
//! model and its provider; what a server refuses in known words is corrected, and asked again. Pure.

use super::Failure;
use super::catalog::{Echo, ModelInfo, Thinking};
use super::provider::{Provider, Wire};

/// Tokens of an answer by default: a large file fits.
const USUAL_OUTPUT: u64 = 32_000;
/// The same for a model of which nothing is known.
const SAFE_OUTPUT: u64 = 16_000;

/// What a request for a model may hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Traits {
    /// Tokens of an answer, where a limit must be sent.
    pub output: u64,
    /// The limit is called `max_completion_tokens`.
    pub completion_tokens: bool,
    /// It takes a temperature.
    pub sampling: bool,
    pub thinking: Thinking,
    /// In Chat, function tools come only with `reasoning_effort: none`.
    pub effort_none: bool,
    pub echo: Echo,
    pub images: bool,
    /// It can be held to the shape of an answer, with tools beside it.
    pub shapes: bool,
}

impl Default for Traits {
    fn default() -> Self {
        Self::of(Provider::OpenAiCompatible, Wire::Chat, None)
    }
}

impl Traits {
    /// Of a model of which this is known.
    #[must_use]
    pub fn of(provider: Provider, wire: Wire, info: Option<&ModelInfo>) -> Self {
        let echo = match (provider, info) {
            (Provider::OpenRouter, _) => Echo::ReasoningDetails,
            (_, Some(info)) => info.echo,
            (Provider::DeepSeek, None) => Echo::ReasoningContent,
            (_, None) => Echo::Nothing,
        };
        let unknown = match wire {
            Wire::Messages => Thinking::Adaptive,
            Wire::Chat | Wire::Responses => Thinking::Effort,
        };
        Self {
            output: info.map_or(SAFE_OUTPUT, |info| info.output.min(USUAL_OUTPUT)),
            completion_tokens: provider == Provider::OpenAi,
            sampling: info.is_none_or(|info| info.sampling),
            thinking: info.map_or(unknown, |info| info.thinking),
            effort_none: false,
            echo,
            images: info.is_none_or(|info| info.images),
            shapes: true,
        }
    }

    /// What to do differently after this refusal, and what people are told of it; `None` when nothing helps.
    #[must_use]
    pub fn corrected(&self, failure: &Failure, wants_thinking: bool) -> Option<(Self, &'static str)> {
        let Failure::Status { status: 400 | 422, detail, .. } = failure else { return None };
        let detail = detail.to_lowercase();
        let says = |words: &[&str]| words.iter().all(|word| detail.contains(word));
        let changed = |change: &dyn Fn(&mut Self), notice| {
            let mut better = self.clone();
            change(&mut better);
            (better != *self).then_some((better, notice))
        };
        if says(&["'max_tokens'", "max_completion_tokens"]) {
            return changed(&|it| it.completion_tokens = true, "the model takes `max_completion_tokens`");
        }
        if says(&["temperature"]) || says(&["sampling"]) {
            return changed(&|it| it.sampling = false, "the model takes no temperature: it is left out");
        }
        if says(&["function tools", "reasoning_effort", "'none'"]) && !wants_thinking {
            return changed(&|it| it.effort_none = true, "the model takes tools here only without reasoning");
        }
        // OpenAI and Azure, for models that do not reason.
        if says(&["encrypted content is not supported"]) && !wants_thinking {
            return changed(&|it| it.thinking = Thinking::None, "the model does not reason");
        }
        // DeepSeek, and Kimi.
        if says(&["reasoning_content", "passed back"]) || says(&["reasoning_content", "missing"]) {
            let echo = Echo::ReasoningContent;
            return changed(&|it| it.echo = echo, "the model wants its reasoning back");
        }
        if says(&["thinking.type.adaptive"]) {
            return changed(&|it| it.thinking = Thinking::Adaptive, "the model thinks as it sees fit");
        }
        if says(&["thinking", "'enabled'"]) {
            return changed(&|it| it.thinking = Thinking::Budget, "the model takes a budget for thinking");
        }
        // DeepSeek, OpenAI's older models, Groq, Gemini, llama.cpp.
        let shape = ["response_format", "response format", "json_schema", "response mime type", "grammar"];
        if shape.iter().any(|word| says(&[word])) {
            return changed(
                &|it| it.shapes = false,
                "the model is only asked in words for the shape of an answer",
            );
        }
        if says(&["image"]) {
            return changed(&|it| it.images = false, "the model takes no images: they are left out");
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(detail: &str) -> Failure {
        Failure::Status { status: 400, detail: detail.to_owned(), retry_after: None }
    }

    #[test]
    fn known_refusals_are_corrected_once() {
        let start = Traits { thinking: Thinking::Budget, ..Traits::default() };
        for detail in [
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
            "invalid temperature: only 1 is allowed for this model",
            "Function tools with reasoning_effort are not supported for gpt-6-sol in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
            "Encrypted content is not supported with this model.",
            "The `reasoning_content` in the thinking mode must be passed back to the API.",
            "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2",
            "This response_format type is unavailable now",
            "Cannot use custom grammar constraints with tools.",
            "Function calling with a response mime type: 'application/json' is unsupported",
            "\"thinking.type.enabled\" is not supported for this model. Use \"thinking.type.adaptive\" and \"output_config.effort\" to control thinking behavior.",
        ] {
            let (better, _) = start.corrected(&refused(detail), false).unwrap_or_else(|| panic!("{detail}"));
            assert_eq!(better.corrected(&refused(detail), false), None, "{detail}");
        }
        // What was asked for is not given up silently.
        let tools = refused("Function tools with reasoning_effort … set reasoning_effort to 'none'.");
        assert_eq!(start.corrected(&tools, true), None);
        assert_eq!(start.corrected(&refused("bad field"), false), None);
    }
}
