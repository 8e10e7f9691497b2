//! Tools as data: what can be called, a call, and what came of it.

use std::fmt;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::id::{BadName, CallId};
use crate::object::Object;
use crate::text::one_line;
use crate::tool_failure::{RetryableFailure, ToolFailure};

/// How long a tool may take by default.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(300);

/// A tool, by the server that owns it and its name there; written `server:name`, or `name` for a built-in.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/", type = "string"))]
pub struct ToolName {
    pub server: Option<String>,
    pub name: String,
}

impl ToolName {
    /// A tool of our own.
    #[must_use]
    pub fn builtin(name: impl Into<String>) -> Self {
        Self { server: None, name: name.into() }
    }

    /// Parses `name` or `server:name`, also `server.name`, as older logs have it; everything after the first mark is the
    /// name.
    pub fn parse(text: &str) -> Result<Self, BadName> {
        let bad = || BadName {
            what: "ToolName",
            text: text.chars().take(64).collect(),
            expected: "`name` or `server:name`",
        };
        let is_plain = |server: &str| {
            !server.is_empty() && server.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
        };
        // Programs call their tools by any text: `Run: make` is no tool of a server.
        let is_name = |name: &str| !name.is_empty() && !name.starts_with(char::is_whitespace);
        let of_server = text.split_once(':').filter(|(server, name)| is_plain(server) && is_name(name));
        match of_server.or_else(|| text.split_once('.')) {
            _ if text.is_empty() || text.chars().any(char::is_control) => Err(bad()),
            None => Ok(Self::builtin(text)),
            Some((server, name)) if !server.is_empty() && !name.is_empty() => {
                Ok(Self { server: Some(server.to_owned()), name: name.to_owned() })
            }
            Some(_) => Err(bad()),
        }
    }
}

impl ToolName {
    /// The nearest possible name, for a model that called what no tool can be called: it learns that there is none.
    #[must_use]
    pub fn repaired(text: &str) -> Self {
        Self::parse(text).unwrap_or_else(|_| {
            let plain = text.chars().map(|c| if c == '.' || c.is_control() { '_' } else { c });
            Self::builtin(if text.is_empty() { "unnamed".to_owned() } else { plain.collect() })
        })
    }
}

/// Names that every provider takes have at most this many letters.
const LONGEST_FOR_MODELS: usize = 64;

impl ToolName {
    /// The name as models see it, `server__tool`: letters, digits, `_` and `-`. A longer one is cut and ends with six digits
    /// that tell it from others.
    #[must_use]
    pub fn for_models(&self) -> String {
        let Some(server) = &self.server else { return self.name.clone() };
        let full = format!("{server}__{}", self.name);
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
        let name: String = full.chars().map(plain).collect();
        if name == full && name.len() <= LONGEST_FOR_MODELS {
            return name;
        }
        let kept: String = name.chars().take(LONGEST_FOR_MODELS - 7).collect();
        format!("{kept}_{:06x}", fnv(full.as_bytes()) & 0x00ff_ffff)
    }

    /// The tool of `offered` that a model calls by this name, also when it names a server that does not have it; the name
    /// itself if there is none.
    #[must_use]
    pub fn from_models(self, offered: &[ToolSpec]) -> Self {
        if self.server.is_some() || offered.iter().any(|spec| spec.name == self) {
            return self;
        }
        let of_servers = || offered.iter().map(|spec| &spec.name).filter(|name| name.server.is_some());
        if let Some(called) = of_servers().find(|name| name.for_models() == self.name) {
            return called.clone();
        }
        // The tool of another server, or of none: the one that has it is meant, if there is only one.
        let tool = self.name.split_once("__").map_or(self.name.as_str(), |(_, tool)| tool);
        let mut others = of_servers().filter(|name| name.name == tool);
        match (others.next(), others.next()) {
            (Some(only), None) => only.clone(),
            _ => self,
        }
    }
}

/// FNV-1a: the same in every version, unlike the hash of the standard library.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.server {
            Some(server) => write!(f, "{server}:{}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

impl Serialize for ToolName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ToolName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

/// What a tool is and takes, as offered to a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    pub name: ToolName,
    pub description: String,
    /// JSON Schema of the arguments.
    pub input_schema: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    pub risk: Risk,
    #[serde(default = "default_timeout_seconds")]
    pub timeout_seconds: u64,
    /// Tools to try, in order, when this one fails.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<ToolName>,
    /// Failures after which a call is made again, if it only reads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub retry_on: Vec<RetryableFailure>,
}

impl ToolSpec {
    /// A tool of ours with the usual timeout.
    #[must_use]
    pub fn builtin(name: &str, description: &str, risk: Risk, input_schema: Value) -> Self {
        Self {
            name: ToolName::builtin(name),
            description: description.to_owned(),
            input_schema,
            output_schema: None,
            risk,
            timeout_seconds: default_timeout_seconds(),
            fallbacks: Vec::new(),
            retry_on: Vec::new(),
        }
    }
}

fn default_timeout_seconds() -> u64 {
    DEFAULT_TIMEOUT.as_secs()
}

/// What a tool can do to the world. Decides whether an interrupted call may run again.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    Read,
    Write,
    Execute,
    External,
}

impl Risk {
    /// Only reading can be repeated when it is unknown whether it happened.
    #[must_use]
    pub fn is_repeatable(self) -> bool {
        match self {
            Self::Read => true,
            Self::Write | Self::Execute | Self::External => false,
        }
    }
}

/// A request to run a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct ToolCall {
    pub id: CallId,
    pub tool: ToolName,
    pub args: Object,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "CallOptions::is_empty")]
    pub options: CallOptions,
}

/// Key under which arguments that were not a JSON object are kept, word for word.
pub const UNPARSED: &str = "_unparsed";

impl ToolCall {
    /// The argument that says most.
    #[must_use]
    pub fn target(&self) -> Option<&str> {
        const TELLING: [&str; 9] =
            ["command", "path", "file_path", "pattern", "query", "url", "question", "description", "task"];
        TELLING.iter().find_map(|name| self.args.get(*name)?.as_str())
    }

    /// The call in one line: the tool, and the argument that says most.
    #[must_use]
    pub fn brief(&self) -> String {
        match self.target() {
            Some(said) => format!("{} {}", self.tool, one_line(said)),
            None => self.tool.to_string(),
        }
    }

    /// Why the call cannot be run as it was written, if it cannot: its arguments were not a JSON object.
    #[must_use]
    pub fn unreadable(&self) -> Option<String> {
        let raw = self.args.get(UNPARSED)?.as_str()?;
        let error = match serde_json::from_str::<Value>(raw) {
            Ok(_) => "they are not an object".to_owned(),
            Err(error) if error.is_eof() => {
                return Some(
                    "the arguments are not a JSON object: they end in the middle, so the call was cut off by the output limit and was not made; make it shorter: write a long file in smaller parts, with several calls, but submit a result as a whole, in one call and in fewer words"
                        .to_owned(),
                );
            }
            Err(error) => error.to_string(),
        };
        Some(format!("the arguments are not a JSON object ({error}); call again with one"))
    }
}

/// Wishes that came with a call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct CallOptions {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<Object>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expects: Option<String>,
}

impl CallOptions {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What the model reads of a call whose outcome is unknown.
const INTERRUPTED: &str = "interrupted, outcome unknown, check before repeating";

/// What came of a call. Failure is a value here: the model reads it and decides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct ToolResult {
    pub call: CallId,
    pub tool: ToolName,
    pub output: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<String>,
    /// Those of the artifacts that are shown to a model that takes images.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<ResultImage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<Object>,
    /// Why it failed, for those who may try again; not kept.
    #[serde(skip)]
    pub failure: Option<ToolFailure>,
}

/// An image that a tool returned. Its data is a file of the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(export_to = "log/"))]
pub struct ResultImage {
    /// One of the artifacts of the result.
    pub path: String,
    pub media_type: String,
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub bytes: u64,
}

impl ResultImage {
    /// What stands in requests in the place of the data, before the name of the file. The data is filled in when a request
    /// leaves the program, so recordings do not have it.
    pub const PLACEHOLDER: &str = "amelia-result-";

    /// In the place of the data, as base64 would be.
    #[must_use]
    pub fn placeholder(&self) -> String {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        format!("{}{name}", Self::PLACEHOLDER)
    }

    /// As an address of data.
    #[must_use]
    pub fn url(&self) -> String {
        format!("data:{};base64,{}", self.media_type, self.placeholder())
    }
}

impl ToolResult {
    /// The call did what it was asked.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.error.is_none()
    }

    /// Whether the outcome of the call is unknown.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.error.as_deref() == Some(INTERRUPTED)
    }

    /// The result of a call that was under way when the process died and must not simply run again.
    #[must_use]
    pub fn interrupted(call: &ToolCall) -> Self {
        Self {
            call: call.id.clone(),
            tool: call.tool.clone(),
            output: String::new(),
            error: Some(INTERRUPTED.to_owned()),
            exit_code: None,
            artifacts: Vec::new(),
            images: Vec::new(),
            duration_ms: None,
            resources: None,
            failure: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_names_round_trip_through_text() {
        for text in ["shell", "files:read", "files:read.all", "files:read:all", "Run: make"] {
            assert_eq!(ToolName::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(ToolName::parse("files.read").unwrap(), ToolName::parse("files:read").unwrap());
        for text in ["", ".read", "files.", "a\nb"] {
            assert!(ToolName::parse(text).is_err(), "{text:?}");
            let repaired = ToolName::repaired(text);
            assert_eq!(ToolName::parse(&repaired.to_string()), Ok(repaired));
        }
    }

    #[test]
    fn models_see_names_that_every_provider_takes_and_they_lead_back() {
        let spec = |server: Option<&str>, name: &str| {
            let tool = ToolName { server: server.map(str::to_owned), name: name.to_owned() };
            ToolSpec { name: tool, ..ToolSpec::builtin("x", "", Risk::Read, Value::Null) }
        };
        let long = "n".repeat(200);
        let offered = [
            spec(None, "shell"),
            spec(Some("git"), "log"),
            spec(Some("git"), "a.b/c"),
            spec(Some("git"), "a_b_c"),
            spec(Some("git"), &long),
            spec(Some("git"), &format!("{long}x")),
        ];
        let seen: Vec<String> = offered.iter().map(|spec| spec.name.for_models()).collect();
        assert_eq!(seen[..2], ["shell", "git__log"]);
        for (name, spec) in seen.iter().zip(&offered) {
            assert!(name.len() <= 64 && !name.contains(['.', ':', '/']), "{name}");
            assert_eq!(ToolName::repaired(name).from_models(&offered), spec.name);
        }
        assert_eq!(ToolName::repaired("git__no").from_models(&offered), ToolName::builtin("git__no"));
        for corrected in ["files__log", "log"] {
            assert_eq!(ToolName::repaired(corrected).from_models(&offered), offered[1].name);
        }
    }
}
