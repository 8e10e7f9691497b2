//! Tools that the agents of a run have besides those of their place, in front of them: for artifacts, for memory. In a replay
//! they say what they said then.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use amelia_core::event::EventKind;
use amelia_core::id::CallId;
use amelia_core::object::Object;
use amelia_core::problem::Problem;
use amelia_core::tool::{ToolBox, ToolCall, ToolCx, ToolLayer, ToolName, ToolResult, ToolSpec, WorkArea};
use amelia_core::workplace::Rights;
use async_trait::async_trait;
use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::recording::tools::{PlayedTools, Results};

/// Tools that do what they say.
#[async_trait]
pub(crate) trait LiveTools: Send + Sync {
    async fn call(&self, call: &ToolCall) -> ToolResult;

    /// What is noticed at a moment, with what the tools behind notice.
    async fn file_events(&self, inner: &dyn ToolBox, moment: &str) -> Vec<EventKind>;
}

/// The tools of an agent, with some of the run in front.
pub(crate) struct RunTools {
    inner: Arc<dyn ToolBox>,
    specs: Vec<ToolSpec>,
    source: ToolsSource,
}

enum ToolsSource {
    Live(Box<dyn LiveTools>),
    Played(PlayedTools),
}

impl RunTools {
    pub(crate) fn live(inner: Arc<dyn ToolBox>, specs: Vec<ToolSpec>, own: Box<dyn LiveTools>) -> Self {
        Self { inner, specs, source: ToolsSource::Live(own) }
    }

    pub(crate) fn played(inner: Arc<dyn ToolBox>, specs: Vec<ToolSpec>, results: &Arc<Results>) -> Self {
        let work_area = WorkArea::new(PathBuf::new(), Rights::Work);
        let played = PlayedTools { specs: specs.clone(), work_area, results: Arc::clone(results) };
        Self { inner, specs, source: ToolsSource::Played(played) }
    }

    fn is_own(&self, tool: &ToolName) -> bool {
        self.specs.iter().any(|spec| spec.name == *tool)
    }

    fn with_own(&self, specs: Vec<ToolSpec>) -> Vec<ToolSpec> {
        specs.into_iter().chain(self.specs.iter().cloned()).collect()
    }
}

#[async_trait]
impl ToolLayer for RunTools {
    fn inner(&self) -> &dyn ToolBox {
        &*self.inner
    }

    fn specs(&self) -> Vec<ToolSpec> {
        self.with_own(self.inner.specs())
    }

    fn extras(&self) -> Vec<ToolSpec> {
        self.with_own(self.inner.extras())
    }

    async fn refresh(&self, recorded: Option<&[ToolSpec]>) -> Option<Vec<ToolSpec>> {
        self.inner.refresh(recorded).await.map(|specs| self.with_own(specs))
    }

    async fn call(&self, cx: &ToolCx, call: &ToolCall) -> ToolResult {
        match &self.source {
            _ if !self.is_own(&call.tool) => self.inner.call(cx, call).await,
            ToolsSource::Played(played) => played.call(cx, call).await,
            ToolsSource::Live(live) => live.call(call).await,
        }
    }

    async fn file_events(&self, moment: &str) -> Vec<EventKind> {
        match &self.source {
            // Everything of this moment, whichever tools noticed it.
            ToolsSource::Played(played) => played.file_events(moment).await,
            ToolsSource::Live(live) => live.file_events(&*self.inner, moment).await,
        }
    }

    /// The same again changes nothing.
    fn may_repeat(&self, tool: &ToolName) -> bool {
        self.is_own(tool) || self.inner.may_repeat(tool)
    }
}

/// What calls have made, until it is written with their results.
#[derive(Default)]
pub(crate) struct MadeEvents(Mutex<BTreeMap<CallId, Vec<EventKind>>>);

impl MadeEvents {
    pub(crate) fn note(&self, call: &ToolCall, events: Vec<EventKind>) {
        self.0.lock().insert(call.id.clone(), events);
    }

    /// What the call that this moment follows has made.
    pub(crate) fn take(&self, moment: &str) -> Vec<EventKind> {
        let mut made = self.0.lock();
        let is_meant =
            |call: &&CallId| moment.strip_suffix(call.as_str()).is_some_and(|before| before.ends_with('/'));
        let call = made.keys().find(is_meant).cloned();
        call.and_then(|call| made.remove(&call)).unwrap_or_default()
    }
}

/// The result of a call: what the model reads, and the artifacts that it is about.
pub(crate) fn result_of(call: &ToolCall, said: Result<(String, Vec<String>), Problem>) -> ToolResult {
    let result = ToolResult { error: None, ..ToolResult::interrupted(call) };
    match said {
        Ok((output, artifacts)) => ToolResult { output, artifacts, ..result },
        Err(problem) => {
            let hint = problem.hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
            ToolResult { error: Some(format!("{}{hint}", problem.message)), ..result }
        }
    }
}

/// The arguments of a call, or why they cannot be used.
pub(crate) fn parsed<T: DeserializeOwned>(args: &Object) -> Result<T, Problem> {
    let read = serde_json::from_value(Value::Object(args.clone()));
    read.map_err(|error| Problem::new(format!("the arguments cannot be used: {error}")))
}
