//! The tools of MCP servers in a run: those that it was offered when it was started, and what their servers have now. What
//! agents are offered changes only between two turns, because they ask for it there.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use amelia_core::config::mcp::McpServer;
use amelia_core::stop_rule::ToolPattern;
use amelia_core::tool::{KeepFile, Risk, ToolBox, ToolCall, ToolCx, ToolName, ToolResult, ToolSpec};
use amelia_tools::Tools;
use async_trait::async_trait;
use parking_lot::RwLock;

use super::McpServers;

/// What a run has of MCP servers.
#[derive(Clone)]
pub(crate) struct OfferedToRun {
    /// When it was started.
    pub(crate) specs: Vec<ToolSpec>,
    /// The names that it was given: `server:tool`, or `server:*` for all tools, also those that come later.
    pub(crate) wanted: Vec<String>,
    pub(crate) only_reads: bool,
    pub(crate) owner: String,
    /// Where servers of one run work, and the user's checkout.
    pub(crate) directory: PathBuf,
    pub(crate) repository: Option<PathBuf>,
    /// Servers that only this run knows.
    pub(crate) own: Vec<McpServer>,
    pub(crate) keep: KeepFile,
}

impl OfferedToRun {
    pub(super) fn is_wanted(&self, spec: &ToolSpec) -> bool {
        let name = &spec.name;
        let is_named = self.wanted.iter().any(|wanted| is_named(spec, wanted));
        let was_offered = self.specs.iter().any(|offered| offered.name == *name);
        (is_named || was_offered) && (!self.only_reads || spec.risk == Risk::Read)
    }
}

/// Whether `server:tool`, `server:*` or another glob means this tool.
pub(crate) fn is_named(spec: &ToolSpec, wanted: &str) -> bool {
    let wanted = ToolName::repaired(wanted);
    wanted.server == spec.name.server && fits(&spec.name.name, &wanted.name)
}

/// Whether a name or glob means the tool of this name.
pub(super) fn fits(tool: &str, wanted: &str) -> bool {
    let is_glob = || ToolPattern::parse(wanted).is_some_and(|pattern| pattern.fits(tool));
    wanted == tool || wanted == super::ALL || (has_wildcard(wanted) && is_glob())
}

/// Whether a name stands for several tools.
pub(super) fn has_wildcard(wanted: &str) -> bool {
    wanted.contains(['*', '?', '[', '{'])
}

/// A toolbox of a run.
pub(crate) struct RunServerTools {
    servers: Arc<McpServers>,
    offered: OfferedToRun,
    current: RwLock<Arc<Tools>>,
    /// They have changed since the run was started.
    has_changed: AtomicBool,
}

impl RunServerTools {
    pub(crate) fn new(servers: &Arc<McpServers>, offered: OfferedToRun) -> anyhow::Result<Self> {
        let tools = servers.tools_of(&offered, &offered.specs)?;
        let current = RwLock::new(Arc::new(Tools::new(tools)?));
        Ok(Self { servers: Arc::clone(servers), offered, current, has_changed: AtomicBool::new(false) })
    }

    fn current(&self) -> Arc<Tools> {
        Arc::clone(&self.current.read())
    }
}

/// The order in which a server lists its tools means nothing.
fn by_name(specs: &[ToolSpec]) -> BTreeMap<&ToolName, &ToolSpec> {
    specs.iter().map(|spec| (&spec.name, spec)).collect()
}

#[async_trait]
impl ToolBox for RunServerTools {
    fn specs(&self) -> Vec<ToolSpec> {
        self.offered.specs.clone()
    }

    async fn call(&self, cx: &ToolCx, call: &ToolCall) -> ToolResult {
        let cx = ToolCx { keep: Some(Arc::clone(&self.offered.keep)), ..cx.clone() };
        self.current().call(&cx, call).await
    }

    async fn refresh(&self, _: Option<&[ToolSpec]>) -> Option<Vec<ToolSpec>> {
        let before = self.current().specs();
        let now = self.servers.current_tools(&self.offered, &before).await;
        if by_name(&now) != by_name(&before) {
            let tools =
                self.servers.tools_of(&self.offered, &now).ok().and_then(|tools| Tools::new(tools).ok());
            // One that cannot be used changes nothing.
            *self.current.write() = Arc::new(tools?);
            self.has_changed.store(true, Ordering::Relaxed);
        }
        self.has_changed.load(Ordering::Relaxed).then(|| self.current().specs())
    }
}
