//! Known providers: where they are, how they are spoken to, and which variable has their key.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WireFormat {
    /// OpenAI Chat Completions, and everything compatible with it.
    Chat,
    /// OpenAI Responses.
    Responses,
    /// Anthropic Messages.
    Messages,
}

impl WireFormat {
    pub const ALL: [Self; 3] = [Self::Chat, Self::Responses, Self::Messages];

    /// As it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Responses => "responses",
            Self::Messages => "messages",
        }
    }
}

impl fmt::Display for WireFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The library of Anthropic, and `claude`, read it beside `ANTHROPIC_API_KEY`.
const ANTHROPIC_TOKEN: &str = "ANTHROPIC_AUTH_TOKEN";

/// Whether the value of this variable is sent as `Authorization: Bearer`, not in the header of the wire format:
/// gateways in front of Anthropic expect that.
#[must_use]
pub fn is_bearer_token(variable: &str) -> bool {
    variable == ANTHROPIC_TOKEN
}

/// Who is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Provider {
    DeepSeek,
    OpenAi,
    Anthropic,
    OpenRouter,
    Groq,
    Ollama,
    /// Anything that speaks like OpenAI: vLLM, llama.cpp, a proxy. Needs a base URL.
    OpenAiCompatible,
}

impl Provider {
    /// Every provider, in the order in which a key is looked for.
    pub const ALL: [Self; 7] = [
        Self::Anthropic,
        Self::OpenAi,
        Self::DeepSeek,
        Self::OpenRouter,
        Self::Groq,
        Self::Ollama,
        Self::OpenAiCompatible,
    ];

    /// As it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::DeepSeek => "deepseek",
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::OpenRouter => "openrouter",
            Self::Groq => "groq",
            Self::Ollama => "ollama",
            Self::OpenAiCompatible => "openai-compatible",
        }
    }

    /// Where it is, up to and without the path of a wire format.
    #[must_use]
    pub fn base_url(self) -> Option<&'static str> {
        match self {
            Self::DeepSeek => Some("https://api.deepseek.com/v1"),
            Self::OpenAi => Some("https://api.openai.com/v1"),
            Self::Anthropic => Some("https://api.anthropic.com/v1"),
            Self::OpenRouter => Some("https://openrouter.ai/api/v1"),
            Self::Groq => Some("https://api.groq.com/openai/v1"),
            Self::Ollama => Some("http://127.0.0.1:11434/v1"),
            Self::OpenAiCompatible => None,
        }
    }

    /// The variable that holds its key; `None` for those that need none.
    #[must_use]
    pub fn key_env(self) -> Option<&'static str> {
        match self {
            Self::DeepSeek => Some("DEEPSEEK_API_KEY"),
            Self::OpenAi => Some("OPENAI_API_KEY"),
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::OpenRouter => Some("OPENROUTER_API_KEY"),
            Self::Groq => Some("GROQ_API_KEY"),
            Self::Ollama | Self::OpenAiCompatible => None,
        }
    }

    /// The variable that may hold a token for it in the place of a key.
    #[must_use]
    pub fn token_env(self) -> Option<&'static str> {
        match self {
            Self::Anthropic => Some(ANTHROPIC_TOKEN),
            Self::DeepSeek
            | Self::OpenAi
            | Self::OpenRouter
            | Self::Groq
            | Self::Ollama
            | Self::OpenAiCompatible => None,
        }
    }

    /// The variables that may hold its key, the usual one first.
    pub fn key_envs(self) -> impl Iterator<Item = &'static str> {
        self.key_env().into_iter().chain(self.token_env())
    }

    /// The protocol unless the configuration names another.
    #[must_use]
    pub fn wire(self) -> WireFormat {
        match self {
            Self::Anthropic => WireFormat::Messages,
            // Its newest models take tools only there.
            Self::OpenAi => WireFormat::Responses,
            Self::DeepSeek | Self::OpenRouter | Self::Groq | Self::Ollama | Self::OpenAiCompatible => {
                WireFormat::Chat
            }
        }
    }

    /// Whether it has a protocol, as far as is known.
    #[must_use]
    pub fn speaks(self, wire: WireFormat) -> bool {
        match wire {
            WireFormat::Chat => true,
            WireFormat::Responses => !matches!(self, Self::Anthropic | Self::DeepSeek),
            WireFormat::Messages => matches!(self, Self::Anthropic | Self::OpenAiCompatible),
        }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Provider {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|provider| provider.name() == text).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("`{text}` is not a provider: expected one of {names}")
        })
    }
}
