//! `shell`: one command line by bash, in the worktree, without a terminal and without anybody to ask.
//!
//! A second bash stands between us and the command: a command that kills its parent kills that one, and when this
//! process dies the supervisor ends the command's group by itself.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use amelia_core::message::Object;
use amelia_core::tool::{DEFAULT_TIMEOUT, Risk, Tool, ToolCx, ToolOutput, ToolSpec};
use amelia_process::{Environment, ProcessEnd, ProcessGroup, StdinSource};
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::json;

use super::parsed;
use crate::confine::Root;
use crate::process::{self, FinishedJob, Job};

/// What runs the commands.
pub const PROGRAM: &str = "bash";
/// No command may ask for more time.
pub const LONGEST: Duration = Duration::from_secs(3600);
/// Below what a registry keeps, so that a text is not cut twice.
const KEEP: usize = 29_000;

/// `$0` is bash, `$1` the command. Descriptor 3 is the lifeline: reading it ends when we do. The supervisor's own
/// messages about ended jobs are not shown.
pub(crate) const SUPERVISOR: &str = r#"
exec 3<&0 </dev/null 4>&2 2>/dev/null
( read -r _ <&3; kill -KILL 0 ) >/dev/null 4>&- &
watch=$!
"$0" -c "$1" 2>&4 3<&- 4>&-
code=$?
kill -KILL "$watch"; wait "$watch"
exit "$code"
"#;

pub struct Shell {
    spec: ToolSpec,
    root: Arc<Root>,
    environment: Arc<Environment>,
    /// Makes a session of its own, so that no command can reach the terminal of the person who started us.
    setsid: Option<OsString>,
}

#[derive(Deserialize)]
struct Args {
    command: String,
    directory: Option<String>,
    timeout_seconds: Option<u64>,
}

impl Shell {
    #[must_use]
    pub fn new(root: Arc<Root>, environment: Arc<Environment>) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "command": {"type": "string", "minLength": 1, "description": "run by `bash -c`"},
                "directory": {"type": "string", "description": "where to run it, the worktree if not given"},
                "timeout_seconds": {"type": "integer", "minimum": 1, "maximum": LONGEST.as_secs(),
                    "description": format!("{} if not given", DEFAULT_TIMEOUT.as_secs())},
            },
            "required": ["command"],
            "additionalProperties": false,
        });
        let text = "Run a command in the worktree with bash. There is no input and no terminal. Standard output \
                    and errors are returned together, and the middle of long output is left out. Processes that are still \
                    running when the command ends are killed, and so is a command that takes too long. Every call is a new shell: `cd` and variables do not carry over.";
        let mut spec = ToolSpec::builtin("shell", text, Risk::Execute, schema);
        // The bound of the argument; the usual time is applied here.
        spec.timeout_seconds = LONGEST.as_secs() + 10;
        let setsid = environment.find("setsid");
        Self { spec, root, environment, setsid }
    }

    fn job(&self, args: &Args) -> Result<Job<'_>, String> {
        let dir = self
            .root
            .directory(args.directory.as_deref().unwrap_or("."))
            .map_err(|refusal| refusal.to_string())?;
        let mut command: Vec<OsString> =
            ["bash", "-c", SUPERVISOR, "bash", &args.command].into_iter().map(OsString::from).collect();
        let group = if let Some(setsid) = &self.setsid {
            command.insert(0, setsid.clone());
            ProcessGroup::Theirs
        } else {
            ProcessGroup::Ours
        };
        Ok(Job {
            program: command.remove(0),
            args: command,
            dir: self.root.path().join(dir.as_path()),
            environment: &self.environment,
            vars: Vec::new(),
            stdin: StdinSource::Lifeline,
            group,
            keep: KEEP,
            timeout: args.timeout_seconds.map_or(DEFAULT_TIMEOUT, Duration::from_secs).min(LONGEST),
        })
    }
}

#[async_trait]
impl Tool for Shell {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, cx: &ToolCx, args: &Object) -> ToolOutput {
        let args: Args = match parsed(args) {
            Ok(args) => args,
            Err(output) => return output,
        };
        let job = match self.job(&args) {
            Ok(job) => job,
            Err(problem) => return ToolOutput::failed(problem),
        };
        let timeout = job.timeout;
        match process::run(cx, job).await {
            Ok(finished) => told(finished, timeout),
            Err(error) if error.raw_os_error() == Some(rustix::io::Errno::TOOBIG.raw_os_error()) => {
                ToolOutput::failed("the command is too long to be started: write it to a file and run that")
            }
            Err(error) => ToolOutput::failed(format!("bash could not be started: {error}")),
        }
    }
}

fn told(finished: FinishedJob, timeout: Duration) -> ToolOutput {
    let FinishedJob { mut output, end, leftovers } = finished;
    if leftovers > 0 && matches!(end, ProcessEnd::Exited(_) | ProcessEnd::Killed(_)) {
        if !output.is_empty() && !output.ends_with('\n') {
            output.push('\n');
        }
        output.push_str(&format!(
            "[{leftovers} processes were still running in the background and were killed]\n"
        ));
    }
    let (exit_code, error) = match end {
        ProcessEnd::Exited(0) => (Some(0), None),
        ProcessEnd::Exited(code) => (Some(code), Some(format!("exit code {code}"))),
        ProcessEnd::Killed(signal) => (None, Some(format!("killed by signal {signal}"))),
        ProcessEnd::TimedOut => {
            (None, Some(format!("timed out after {} s and was killed", timeout.as_secs())))
        }
        ProcessEnd::Cancelled | ProcessEnd::Stopped => (None, Some("cancelled and killed".to_owned())),
    };
    ToolOutput { output, error, exit_code, ..ToolOutput::default() }
}
