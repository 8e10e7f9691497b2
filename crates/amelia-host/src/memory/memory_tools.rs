//! The tools for memory at work.

use std::sync::Arc;

use amelia_core::clock::{Clock, SystemClock};
use amelia_core::event::{EventKind, MemoryEvent};
use amelia_core::id::RunId;
use amelia_core::memory::{
    FoundMemory, MemoryEntry, MemoryFilter, MemoryQuery, MemoryScope, MemorySpace, NewMemory, expiry,
};
use amelia_core::problem::{Hinted as _, Problem};
use amelia_core::redact::Redactor;
use amelia_core::store::StoreError;
use amelia_core::tag::{UNTRUSTED, tagged};
use amelia_core::tool::{ToolBox, ToolCall, ToolResult};
use async_trait::async_trait;

use super::tool_specs::{MAX_FOUND, RETRIEVE, RetrieveArgs, STORE, SearchArgs, StoreArgs};
use super::{MemberMemory, SharedMemory};
use crate::run_tools::{LiveTools, MadeEvents, parsed, result_of};

/// The memory of one agent of a run at work.
pub(super) struct LiveMemory {
    pub(super) memory: SharedMemory,
    pub(super) member: MemberMemory,
    pub(super) redactor: Arc<Redactor>,
    pub(super) run: RunId,
    pub(super) agent: String,
    pub(super) made: MadeEvents,
}

/// What the model reads, and the event about it.
type Said = Result<(String, MemoryEvent), Problem>;

#[async_trait]
impl LiveTools for LiveMemory {
    async fn call(&self, call: &ToolCall) -> ToolResult {
        let said = match call.tool.name.as_str() {
            STORE => self.store(call).await,
            RETRIEVE => self.retrieve(call).await,
            _ => self.search(call).await,
        };
        let said = said.map(|(output, event)| {
            self.made.note(call, vec![EventKind::Memory(event)]);
            (output, Vec::new())
        });
        result_of(call, said)
    }

    async fn file_events(&self, inner: &dyn ToolBox, moment: &str) -> Vec<EventKind> {
        let noticed = inner.file_events(moment).await;
        noticed.into_iter().chain(self.made.take(moment)).collect()
    }
}

impl LiveMemory {
    async fn store(&self, call: &ToolCall) -> Said {
        let args: StoreArgs = parsed(&call.args)?;
        let kind = args.kind(&self.member).map_err(Problem::new)?;
        let space = self.writable(args.scope)?;
        let now = SystemClock.now();
        let new = NewMemory {
            space: space.clone(),
            kind,
            key: args.key.map(|key| self.redactor.text(key.trim()).into_owned()),
            text: self.redactor.text(&args.value).into_owned(),
            by: self.agent.clone(),
            run: Some(self.run),
            at: now,
            expires_at: expiry(now, args.ttl_seconds)?,
        };
        new.check()?;
        let written = self.memory.remember(new).await.map_err(|error| unavailable(&error))?;
        let (id, version) = (written.entry.id(), written.entry.version);
        let said = match (written.is_known, version) {
            (true, _) => format!("{id} has this value already"),
            (false, 1) => format!("stored as {id}, for this {}", place_of(args.scope)),
            (false, _) => format!("stored as version {version} of {id}, for this {}", place_of(args.scope)),
        };
        let size = u64::try_from(written.entry.text.len()).unwrap_or(u64::MAX);
        Ok((said, MemoryEvent::Stored { memory: id, kind, size }))
    }

    async fn retrieve(&self, call: &ToolCall) -> Said {
        let args: RetrieveArgs = parsed(&call.args)?;
        let key = args.key.trim().to_owned();
        let wanted = args.scope.map(|scope| vec![scope]);
        let spaces = self.readable(wanted.as_deref().unwrap_or_default());
        let filter = MemoryFilter { spaces, key: Some(key.clone()), ..MemoryFilter::default() };
        let found = self
            .memory
            .memories
            .memories(filter, SystemClock.now())
            .await
            .map_err(|error| unavailable(&error))?;
        let nearest = found.into_iter().min_by_key(|entry| entry.space.scope);
        let results = u64::from(nearest.is_some());
        let event = MemoryEvent::Retrieved { query: key.clone(), results, threshold: None };
        Ok(match nearest {
            Some(entry) => (shown(&entry), event),
            None => (format!("nothing is stored under `{key}`"), event),
        })
    }

    async fn search(&self, call: &ToolCall) -> Said {
        let args: SearchArgs = parsed(&call.args)?;
        let query = MemoryQuery {
            text: args.query.clone(),
            spaces: Some(self.readable(&args.scopes)),
            scopes: Vec::new(),
            kinds: args.types,
            with_sources: false,
            limit: args.limit.clamp(1, MAX_FOUND),
        };
        let found = self.memory.find(query).await.map_err(|error| unavailable(&error))?;
        let results = u64::try_from(found.len()).unwrap_or(u64::MAX);
        let event = MemoryEvent::Retrieved { query: args.query, results, threshold: None };
        let all: Vec<String> = found.iter().map(|FoundMemory { entry, .. }| shown(entry)).collect();
        let said = if all.is_empty() { "nothing was found".to_owned() } else { all.join("\n\n") };
        Ok((said, event))
    }

    fn writable(&self, scope: MemoryScope) -> Result<&MemorySpace, Problem> {
        let refused = || {
            let allowed: Vec<&str> = self.member.shares.iter().map(|scope| scope.name()).collect();
            let message = format!("this team may not store with the scope `{scope}`");
            Problem::new(message).with_hint(format!("allowed: {}", allowed.join(", ")))
        };
        if !self.member.shares.contains(&scope) {
            return Err(refused());
        }
        let missing = || Problem::new("this run works in no repository: use another scope");
        self.member.space(scope).ok_or_else(missing)
    }

    /// All spaces of the run, or those with these scopes.
    fn readable(&self, scopes: &[MemoryScope]) -> Vec<MemorySpace> {
        let is_wanted = |space: &&MemorySpace| scopes.is_empty() || scopes.contains(&space.scope);
        self.member.spaces.iter().filter(is_wanted).cloned().collect()
    }
}

/// An entry, as a model reads it: what another agent wrote is never an instruction.
pub(super) fn shown(entry: &MemoryEntry) -> String {
    let key = entry.key.as_deref().map(|key| format!(" {key}")).unwrap_or_default();
    let day = entry.at.strftime("%Y-%m-%d");
    let source = format!("{}{key}, {}, by {}, {day}", entry.id(), entry.space.scope, entry.by);
    tagged(UNTRUSTED, &entry.text, &source)
}

fn place_of(scope: MemoryScope) -> &'static str {
    match scope {
        MemoryScope::Run => "run",
        MemoryScope::Team => "team",
        MemoryScope::Repository => "repository",
        MemoryScope::Global => "home",
    }
}

fn unavailable(error: &StoreError) -> Problem {
    let problem = Problem::new(format!("memory cannot be used now: {error}"));
    match error.hint() {
        Some(hint) => problem.with_hint(hint),
        None => problem,
    }
}
