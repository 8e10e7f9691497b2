//! Commands that say where a run stops, with which state it continues, and how.

use std::path::PathBuf;

use clap::Args;

use super::WatchArgs;

#[derive(Args)]
#[command(after_help = "\
Examples:
  amelia step r12             Stop an active run before its next node
  amelia step r12 --follow    Run the next node and show its progress
  amelia continue r12         Continue without stopping")]
pub(crate) struct StepArgs {
    /// Run id (`r12`), issue or branch [default: the only unfinished run of this repository]
    pub(crate) run: Option<String>,
    #[command(flatten)]
    pub(crate) watch: WatchArgs,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  amelia continue r12
  amelia continue r12 --follow    Follow until it ends or stops again")]
pub(crate) struct ContinueArgs {
    /// Run id (`r12`), issue or branch [default: the only unfinished run of this repository]
    pub(crate) run: Option<String>,
    #[command(flatten)]
    pub(crate) watch: WatchArgs,
}

#[derive(Args)]
#[command(after_help = "\
You can change the state of a run that waits, is paused or has failed: existing
fields, and values that the workflow sets or reads. A change does not affect a
route that the run has already taken: its next node stays the same. The command
`amelia logs` shows each change.

Examples:
  amelia state r12                         Print the state as JSON
  amelia state r12 --set score=0.9         Set a value of a workflow
  amelia state r12 --set routing_key=approve --set 'messages.2.text=Yes'
  amelia state r12 > state.json            Edit the file, then:
  amelia state r12 --file state.json       Set the fields that you changed
  amelia state r12 --edit                  The same, in your editor")]
pub(crate) struct StateArgs {
    /// Run id (`r12`), issue or branch
    pub(crate) run: String,
    /// Set a state field; PATH is dotted (a.b), VALUE is JSON or text
    #[arg(long, value_name = "PATH=VALUE")]
    pub(crate) set: Vec<String>,
    /// Set all fields that differ in this JSON file; `-` reads standard input
    #[arg(long, value_name = "FILE", conflicts_with = "set")]
    pub(crate) file: Option<PathBuf>,
    /// Edit the state in $VISUAL or $EDITOR
    #[arg(long, conflicts_with_all = ["set", "file"])]
    pub(crate) edit: bool,
}

#[derive(Args)]
#[command(after_help = "\
BREAKPOINT is the name of a node, to stop before it runs, or one of these:
  turn          Before every model call
  agent:NAME    Before the first model call of an agent
  tool:GLOB     Before a tool call, such as tool:shell or 'tool:memory:*'
  path:GLOB     Before a tool call that names a file, such as 'path:src/**'
  error         After a failed tool call
  handoff       After an agent of a team has handed off
  cost:USD      Once, when the run has cost this much
  event:NAME    After an event, such as event:task.checked

Add ' if CONDITION' to stop only if it is true. Conditions are written as on the
edges of a workflow, and see the state as it was when the node began. If a
condition cannot be evaluated, the run stops and says why.

Examples:
  amelia breakpoint r12                      Show breakpoints and nodes
  amelia breakpoint r12 review tool:shell    Stop only there
  amelia breakpoint r12 'save if state.score > 0.5'
  amelia breakpoint r12 --clear              Remove all breakpoints")]
pub(crate) struct BreakpointArgs {
    /// Run id (`r12`), issue or branch
    pub(crate) run: String,
    /// Where to stop (see below); replaces the existing breakpoints
    #[arg(value_name = "BREAKPOINT")]
    pub(crate) nodes: Vec<String>,
    /// Remove all breakpoints
    #[arg(long, conflicts_with = "nodes")]
    pub(crate) clear: bool,
}

#[derive(Args)]
#[command(override_usage = "amelia say [OPTIONS] [RUN] <TEXT>")]
pub(crate) struct SayArgs {
    /// Run id (`r12`), issue or branch [default: the only unfinished run of this repository]
    #[arg(value_name = "RUN")]
    first: Option<String>,
    /// Message to the agent
    #[arg(value_name = "TEXT")]
    second: Option<String>,
    /// Agent that gets the message [default: the agent that takes the next step]
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
}

impl SayArgs {
    /// The run, if one is named, and the message. A single word is the message. They are no positions of their own kind:
    /// options may stand between the two.
    pub(crate) fn run_and_message(&self) -> (Option<&str>, Option<&str>) {
        match (&self.first, &self.second) {
            (Some(run), Some(message)) => (Some(run), Some(message)),
            (message, _) => (None, message.as_deref()),
        }
    }
}

#[derive(Args)]
pub(crate) struct PauseArgs {
    /// Run id (`r12`), issue or branch [default: the only unfinished run of this repository]
    pub(crate) run: Option<String>,
}

#[derive(Args)]
pub(crate) struct CancelArgs {
    /// Run id (`r12`), issue or branch [default: the only unfinished run of this repository]
    pub(crate) run: Option<String>,
}
