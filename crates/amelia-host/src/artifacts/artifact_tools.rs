//! The tools for artifacts, in front of the other tools of an agent. In a replay they say what they said then.

use std::fmt::Write as _;
use std::sync::Arc;

use amelia_core::artifact::{ArtifactPath, NewArtifact};
use amelia_core::event::EventKind;
use amelia_core::id::Step;
use amelia_core::problem::Problem;
use amelia_core::tool::{Risk, ToolBox, ToolCall, ToolResult, ToolSpec};
use amelia_orchestrator::service::ServiceError;
use amelia_tools::registry::DEFAULT_OUTPUT_CAP;
use async_trait::async_trait;
use parking_lot::Mutex;

use super::book::WrittenArtifact;
use super::file_versions::versions_of;
use super::live_artifacts::{LiveArtifacts, SharedArtifacts};
use super::media_type_of;
use super::tool_specs::{self, CREATE, CreateArgs, ListArgs, READ, ReadArgs};
use crate::recording::tools::Results;
use crate::run_tools::{LiveTools, MadeEvents, RunTools, parsed, result_of};

/// The most bytes of an artifact that a model reads at once.
const MAX_READ_BYTES: usize = DEFAULT_OUTPUT_CAP;
/// The most artifacts that are listed.
const MAX_LISTED: usize = 200;

/// The artifacts of a run, for its agents.
pub(crate) enum RunArtifacts {
    Live(SharedArtifacts),
    Played(Arc<Results>),
}

impl RunArtifacts {
    /// The tools of an agent, with those for artifacts. A program can write with tools of its own.
    pub(crate) fn before(&self, inner: Arc<dyn ToolBox>, agent: &str, is_program: bool) -> RunTools {
        let specs = tool_specs::specs();
        match self {
            Self::Live(shared) => {
                let writes = |spec: &ToolSpec| spec.risk != Risk::Read;
                let has_writers = is_program || inner.specs().iter().any(writes);
                let live = LiveArtifacts {
                    shared: shared.clone(),
                    agent: agent.to_owned(),
                    has_writers,
                    step: Mutex::default(),
                    made: MadeEvents::default(),
                };
                RunTools::live(inner, specs, Box::new(live))
            }
            Self::Played(results) => RunTools::played(inner, specs, results),
        }
    }
}

/// What a call has to say: what the model reads, and the artifacts that it is about.
type Said = (String, Vec<String>);

#[async_trait]
impl LiveTools for LiveArtifacts {
    async fn call(&self, call: &ToolCall) -> ToolResult {
        let said = match call.tool.name.as_str() {
            CREATE => self.create(call).await,
            READ => self.read(call).await,
            _ => self.list(call).await,
        };
        result_of(call, said)
    }

    async fn file_events(&self, inner: &dyn ToolBox, moment: &str) -> Vec<EventKind> {
        *self.step.lock() = moment.split('/').next().and_then(|step| step.parse().ok()).map(Step);
        let files = match self.has_writers {
            true => inner.file_events(moment).await,
            false => Vec::new(),
        };
        // What was there before an agent began is not its doing, and has no event.
        let is_begin = moment.ends_with("/begin");
        let files = match self.shared.keeps_files && !is_begin {
            true => versions_of(self, &self.writer(), files).await,
            false => files,
        };
        files.into_iter().chain(self.made.take(moment)).collect()
    }
}

impl LiveArtifacts {
    async fn create(&self, call: &ToolCall) -> Result<Said, Problem> {
        let args: CreateArgs = parsed(&call.args)?;
        args.check().map_err(Problem::new)?;
        let content = match (args.content, args.from_file) {
            (Some(content), _) => content.into_bytes(),
            (None, Some(file)) => self.file(&file).await?,
            (None, None) => Vec::new(),
        };
        let media_type =
            args.mime_type.unwrap_or_else(|| media_type_of(args.path.as_ref(), &content).to_owned());
        let path = ArtifactPath::placed(&args.path, &media_type)?;
        let writer = self.writer();
        let new = NewArtifact {
            media_type,
            description: args.description,
            tags: args.tags,
            reason: args.reason,
            ..NewArtifact::default()
        };
        let WrittenArtifact { events, index } = self.keep(&writer, &path, content, new).await?;
        let newest = index.get(&path).and_then(|stored| stored.newest());
        let newest = newest.ok_or_else(|| Problem::new(format!("`{path}` was not kept")))?;
        let (version, bytes) = (newest.name(), newest.size_bytes());
        let said = match (events.is_empty(), newest.conflicts_with()) {
            (true, _) => format!("`{path}` has this content already, in {version}"),
            (false, None) => format!("kept `{path}` as {version}, {bytes} bytes"),
            (false, Some(other)) => format!(
                "kept `{path}` as {version}, {bytes} bytes. Another agent has written {other}, which you have not seen; \
                 both are kept. Read {other}, and create a version that combines both."
            ),
        };
        self.made.note(call, events.into_iter().map(EventKind::Artifact).collect());
        Ok((said, vec![path.uri()]))
    }

    async fn read(&self, call: &ToolCall) -> Result<Said, Problem> {
        let args: ReadArgs = parsed(&call.args)?;
        let index = self.index().await?;
        let (path, stored) = index.find(&args.path)?;
        let version = stored.version(args.version.as_deref())?;
        let (contents, checksum) = (self.shared.contents.clone(), version.checksum().to_owned());
        let read = tokio::task::spawn_blocking(move || contents.read(&checksum));
        let read = read.await.map_err(|error| Problem::new(error.to_string()))?;
        let content = read.map_err(|error: ServiceError| Problem::parse(&error.to_string()))?;
        let is_newest = stored.newest().is_some_and(|newest| newest.number == version.number);
        let uris = if is_newest { vec![path.uri()] } else { Vec::new() };
        if is_newest {
            self.shared.book.note_read(&self.writer(), path).await;
        }
        let Ok(text) = String::from_utf8(content) else {
            let (kind, bytes) = (&version.artifact.mime_type, version.size_bytes());
            return Ok((format!("`{path}` is not text: {kind}, {bytes} bytes"), uris));
        };
        Ok((cut(text, path), uris))
    }

    async fn list(&self, call: &ToolCall) -> Result<Said, Problem> {
        let args: ListArgs = parsed(&call.args)?;
        let index = self.index().await?;
        let has_tag = |tags: &[String]| args.tag.as_ref().is_none_or(|tag| tags.contains(tag));
        let mut lines = String::new();
        let (mut count, mut more) = (0, 0);
        for (path, newest) in index.files().filter_map(|(path, stored)| Some((path, stored.newest()?))) {
            if !has_tag(&newest.artifact.tags) {
                continue;
            }
            if count == MAX_LISTED {
                more += 1;
                continue;
            }
            count += 1;
            let artifact = &newest.artifact;
            write!(lines, "{path}  {}  {} bytes  {}", newest.name(), newest.size_bytes(), artifact.mime_type)
                .ok();
            if let Some(by) = &artifact.created_by {
                write!(lines, "  by {by}").ok();
            }
            if !artifact.tags.is_empty() {
                write!(lines, "  tags: {}", artifact.tags.join(", ")).ok();
            }
            if let Some(words) = &artifact.description {
                let words: Vec<&str> = words.split_whitespace().collect();
                write!(lines, "  {}", words.join(" ")).ok();
            }
            lines.push('\n');
        }
        if more > 0 {
            writeln!(lines, "and {more} more").ok();
        }
        let said = if count == 0 { "there are no artifacts".to_owned() } else { lines.trim_end().to_owned() };
        Ok((said, Vec::new()))
    }
}

fn cut(text: String, path: &ArtifactPath) -> String {
    if text.len() <= MAX_READ_BYTES {
        return text;
    }
    let end = text.floor_char_boundary(MAX_READ_BYTES);
    let kept = text.get(..end).unwrap_or_default();
    format!("{kept}\n[cut: `{path}` has {} bytes, and this is the beginning]", text.len())
}
