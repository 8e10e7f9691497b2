//! What an agent has of our tools, and what is left to them. With a list of tools, it has what is in it.

use amelia_core::tool::{Risk, ToolBox, ToolSpec, WorkArea};
use amelia_core::workplace::ListedRights;

/// What an agent has of our tools.
pub(super) struct GivenTools {
    /// Those that are described to it.
    pub(super) described: Vec<ToolSpec>,
    /// Files that it wants to write are left to us, and commands that it wants to run.
    pub(super) writes: bool,
    pub(super) runs: bool,
    /// What a list does not let it do with its own ones, in words.
    pub(super) limits: &'static str,
}

impl GivenTools {
    /// With a list, what is in it: its own tools do the rest of what the list allows.
    pub(super) fn of(work_area: &WorkArea, tools: &dyn ToolBox) -> Self {
        let all = tools.specs();
        let has = |name: &str| {
            work_area.listed.is_none()
                || all.iter().any(|spec| spec.name.server.is_none() && spec.name.name == name)
        };
        let (writes, runs) = (has("write_file"), has("shell"));
        let is_replaced =
            |spec: &ToolSpec| spec.name.server.is_none() && ListedRights::is_replaced(&spec.name.name);
        let described = match work_area.listed {
            Some(_) => all.into_iter().filter(|spec| !is_replaced(spec)).collect(),
            None => tools.extras(),
        };
        Self {
            described,
            writes: writes && work_area.allows(Risk::Write),
            runs: runs && work_area.allows(Risk::Execute),
            limits: work_area.listed.map(limits).unwrap_or_default(),
        }
    }
}

fn limits(listed: ListedRights) -> &'static str {
    match (listed.writes, listed.runs) {
        (_, true) => "",
        (true, false) => {
            "With your own tools, you may read files, and change files in this directory. You may not run commands or use \
             the network: what you try is refused.\n\n"
        }
        (false, false) => {
            "With your own tools, you may only read files. You may not change files, run commands or use the network: what \
             you try is refused.\n\n"
        }
    }
}
