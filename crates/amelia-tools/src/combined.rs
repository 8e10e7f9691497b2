//! Several toolboxes as one, and what happens when a call fails: a call that only reads is made again, then the tools
//! that stand in for it are tried.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use amelia_core::tool::{ToolBox, ToolCall, ToolCx, ToolLayer, ToolName, ToolResult, ToolSpec};
use amelia_core::tool_failure::ToolFailure;
use async_trait::async_trait;
use parking_lot::RwLock;

/// How often a call is made, the first time included.
const TRIES: u32 = 3;
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// Toolboxes; the first is where the work happens.
pub struct CombinedTools {
    first: Arc<dyn ToolBox>,
    others: Vec<Arc<dyn ToolBox>>,
    known: RwLock<Arc<KnownTools>>,
    first_pause: Duration,
}

/// What there is in a turn.
#[derive(Default)]
struct KnownTools {
    specs: BTreeMap<ToolName, ToolSpec>,
    /// The place among the others of tools that are not of the first.
    owners: BTreeMap<ToolName, usize>,
}

impl KnownTools {
    fn of(first: Vec<ToolSpec>, others: &[Vec<ToolSpec>]) -> Arc<Self> {
        let mut known = Self::default();
        known.specs.extend(first.into_iter().map(|spec| (spec.name.clone(), spec)));
        for (index, specs) in others.iter().enumerate() {
            for spec in specs {
                known.owners.insert(spec.name.clone(), index);
                known.specs.insert(spec.name.clone(), spec.clone());
            }
        }
        Arc::new(known)
    }

    /// What stands in for a tool, if that can do no more than the tool itself: a call that was taken for reading may be
    /// made again after a crash. The second ones can do more.
    fn fallbacks(&self, tool: &ToolName) -> (Vec<&ToolSpec>, Vec<&ToolSpec>) {
        let Some(spec) = self.specs.get(tool) else { return Default::default() };
        let others = spec.fallbacks.iter().filter_map(|name| self.specs.get(name));
        others.partition(|other| other.risk <= spec.risk)
    }
}

impl CombinedTools {
    #[must_use]
    pub fn new(first: Arc<dyn ToolBox>, others: Vec<Arc<dyn ToolBox>>) -> Self {
        let of_others: Vec<Vec<ToolSpec>> = others.iter().map(|other| other.specs()).collect();
        let known = RwLock::new(KnownTools::of(first.specs(), &of_others));
        Self { first, others, known, first_pause: FIRST_PAUSE }
    }

    fn known(&self) -> Arc<KnownTools> {
        Arc::clone(&self.known.read())
    }

    /// Who has a tool. One that does not exist is refused by those who have its server: they know what there is.
    fn owner(&self, tool: &ToolName) -> &dyn ToolBox {
        let known = self.known();
        let of_server = || {
            let mut owners = known.owners.iter().filter(|_| tool.server.is_some());
            owners.find(|(name, _)| name.server == tool.server).map(|(_, index)| index)
        };
        let index = known.owners.get(tool).or_else(of_server);
        let owner = index.and_then(|index| self.others.get(*index));
        &**owner.unwrap_or(&self.first)
    }

    /// Makes a call, again if its failure may pass and repeating it does no harm.
    async fn persistently(&self, cx: &ToolCx, call: &ToolCall) -> ToolResult {
        let known = self.known();
        let spec = known.specs.get(&call.tool);
        let mut pause = self.first_pause;
        for _ in 1..TRIES {
            let result = self.owner(&call.tool).call(cx, call).await;
            let Some(ToolFailure::MayPass(kind)) = result.failure else { return result };
            let is_retried =
                spec.is_some_and(|spec| spec.risk.is_repeatable() && spec.retry_on.contains(&kind));
            if !is_retried || cx.cancel.is_cancelled() {
                return result;
            }
            (cx.progress)(&format!("{}: {}, trying again\n", call.tool, kind.words()));
            tokio::select! {
                () = cx.cancel.cancelled() => return result,
                () = tokio::time::sleep(pause) => pause *= 2,
            }
        }
        let mut last = self.owner(&call.tool).call(cx, call).await;
        if let (Some(error), Some(ToolFailure::MayPass(_))) = (&mut last.error, last.failure) {
            error.push_str(&format!(" (tried {TRIES} times)"));
        }
        last
    }
}

#[async_trait]
impl ToolLayer for CombinedTools {
    fn inner(&self) -> &dyn ToolBox {
        &*self.first
    }

    fn specs(&self) -> Vec<ToolSpec> {
        let others = self.others.iter().flat_map(|other| other.specs());
        self.first.specs().into_iter().chain(others).collect()
    }

    /// Programs bring tools for files and commands, not those of servers.
    fn extras(&self) -> Vec<ToolSpec> {
        let others = self.others.iter().flat_map(|other| other.specs());
        self.first.extras().into_iter().chain(others).collect()
    }

    async fn refresh(&self, recorded: Option<&[ToolSpec]>) -> Option<Vec<ToolSpec>> {
        let (mut may_differ, mut of_others) = (false, Vec::new());
        for other in &self.others {
            let fresh = other.refresh(recorded).await;
            may_differ |= fresh.is_some();
            of_others.push(fresh.unwrap_or_else(|| other.specs()));
        }
        if !may_differ {
            return None;
        }
        let of_first = self.first.specs();
        *self.known.write() = KnownTools::of(of_first.clone(), &of_others);
        Some(of_first.into_iter().chain(of_others.into_iter().flatten()).collect())
    }

    /// All tries and fallbacks are one call, and it took as long as they did.
    async fn call(&self, cx: &ToolCx, call: &ToolCall) -> ToolResult {
        let started = Instant::now();
        let result = self.called(cx, call).await;
        let duration_ms =
            result.duration_ms.map(|_| u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX));
        ToolResult { duration_ms, ..result }
    }
}

impl CombinedTools {
    async fn called(&self, cx: &ToolCx, call: &ToolCall) -> ToolResult {
        let result = self.persistently(cx, call).await;
        let is_final =
            result.is_success() || result.failure.is_none_or(|kind| kind == ToolFailure::InvalidCall);
        if is_final || cx.cancel.is_cancelled() {
            return result;
        }
        let mut failed = vec![format!("{}: {}", call.tool, result.error.as_deref().unwrap_or_default())];
        let known = self.known();
        let (others, riskier) = known.fallbacks(&call.tool);
        for other in others {
            let instead = ToolCall { tool: other.name.clone(), ..call.clone() };
            let answer = self.persistently(cx, &instead).await;
            if answer.is_success() {
                let output =
                    format!("{}\n(answered by {})\n\n{}", failed.join("\n"), other.name, answer.output);
                return ToolResult { tool: call.tool.clone(), output, ..answer };
            }
            failed.push(format!("{}: {}", other.name, answer.error.as_deref().unwrap_or_default()));
        }
        failed.extend(riskier.iter().map(|other| {
            let name = &other.name;
            format!(
                "{name}: not called, because its risk is higher; if it only reads, set its `risk` to read"
            )
        }));
        match failed.len() {
            1 => result,
            _ => ToolResult { error: Some(failed.join("\n")), ..result },
        }
    }
}

#[cfg(test)]
#[path = "combined_tests.rs"]
mod tests;
