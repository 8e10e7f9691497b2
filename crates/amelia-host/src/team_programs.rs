//! Programs of the user's that are tools of the agents of a team. A run uses them only as they were when it was started.

use std::path::PathBuf;
use std::sync::Arc;

use amelia_core::config::team::tool::{ToolConfig, ToolSource};
use amelia_core::tool::{Tool, ToolSpec};
use amelia_flows::team::PlacedMember;
use amelia_tools::program::{ProgramFile, ProgramSurroundings, ProgramTool};
use serde::{Deserialize, Serialize};

use crate::definitions::{ForeignSource, ForeignTool, content_hash};

/// A program as a run keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TeamProgram {
    /// Whose tool it is.
    pub(crate) team: String,
    pub(crate) tool: String,
    pub(crate) path: PathBuf,
    /// Of its content.
    pub(crate) sha256: String,
}

impl TeamProgram {
    /// The programs among the tools of a team.
    pub(crate) fn of(tools: &[ForeignTool]) -> Vec<Self> {
        let program = |tool: &ForeignTool| match &tool.source {
            ForeignSource::Tool { config, program: Some((path, sha256)) } => Some(Self {
                team: tool.team.clone(),
                tool: config.name.clone(),
                path: path.clone(),
                sha256: sha256.clone(),
            }),
            ForeignSource::Tool { program: None, .. } | ForeignSource::Agent { .. } => None,
        };
        tools.iter().filter_map(program).collect()
    }
}

/// The programs that an agent lists, with what a model is offered of them.
pub(crate) fn programs_of<'a>(placed: &PlacedMember<'a>) -> Vec<(&'a ToolConfig, ToolSpec)> {
    let listed = |tool: &&ToolConfig| placed.member.tools.contains(&tool.name);
    let tools = placed.team.tools.iter().filter(listed);
    tools.filter_map(|tool| Some((tool, tool.program_spec()?))).collect()
}

/// A program as a tool.
pub(crate) fn program_tool(
    config: &ToolConfig,
    spec: ToolSpec,
    team: &str,
    known: &[TeamProgram],
    at: &ProgramSurroundings,
) -> Option<Arc<dyn Tool>> {
    let found = known.iter().find(|one| one.team == team && one.tool == config.name)?.clone();
    let function = match &config.source {
        ToolSource::Custom { function, .. } => function.clone(),
        _ => None,
    };
    let path = found.path.clone();
    let file = ProgramFile { path, function, check: Arc::new(move || unchanged(&found)) };
    Some(Arc::new(ProgramTool::new(spec, file, at.clone(), config.program_retry())))
}

fn unchanged(program: &TeamProgram) -> Result<(), String> {
    let name = &program.tool;
    match content_hash(&program.path) {
        Ok(hash) if hash == program.sha256 => Ok(()),
        Ok(_) => Err(format!(
            "the program of the tool `{name}` has changed since this run was started, and was not run: continue without it"
        )),
        Err(error) => Err(format!("the program of the tool `{name}` cannot be read: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_has_changed_since_the_run_was_started_is_not_run() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("count.py");
        std::fs::write(&path, "1").unwrap();
        let sha256 = content_hash(&path).unwrap();
        let program = TeamProgram { team: "t".to_owned(), tool: "count".to_owned(), path, sha256 };
        assert_eq!(unchanged(&program), Ok(()));
        std::fs::write(&program.path, "2").unwrap();
        assert!(unchanged(&program).unwrap_err().contains("`count` has changed since this run was started"));
        std::fs::remove_file(&program.path).unwrap();
        assert!(unchanged(&program).unwrap_err().contains("cannot be read"));
    }
}
