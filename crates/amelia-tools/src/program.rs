//! A program of the user's as a tool: the arguments are JSON on its standard input, the result is its standard output, and
//! what it writes to standard error is the error when it fails. It works where the run works.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use amelia_core::config::retry::RetryConfig;
use amelia_core::object::Object;
use amelia_core::text::capped;
use amelia_core::tool::{Tool, ToolCx, ToolOutput, ToolSpec};
use amelia_process::{
    CollectLimits, Collected, CommandSpec, Environment, HostSpawner, OnExcess, ProcessEnd, collect,
};
use async_trait::async_trait;
use serde_json::Value;

use crate::process::harmless_text;

/// Bytes of a result that are read; a model is shown less.
const MAX_RESULT: u64 = 1024 * 1024;
const MAX_ERROR: u64 = 20_000;
/// What starts a file of Python.
pub const PYTHON: &str = "python3";
/// Calls a function of a file. What it prints is no result.
const CALL_FUNCTION: &str = r#"
import contextlib, importlib.util, json, os, sys
path, name, as_json = sys.argv[1], sys.argv[2], sys.argv[3] == "json"
args = json.load(sys.stdin)
sys.path.insert(0, os.path.dirname(path))
with contextlib.redirect_stdout(sys.stderr):
    spec = importlib.util.spec_from_file_location("amelia_tool", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not callable(getattr(module, name, None)):
        sys.exit(f"there is no function {name} in {path}")
    result = getattr(module, name)(**args)
if as_json or not (result is None or isinstance(result, str)):
    json.dump(result, sys.stdout)
elif result is not None:
    sys.stdout.write(result)
"#;

/// What a program is, and how it is called.
pub struct ProgramFile {
    pub path: PathBuf,
    /// The first argument; in a file of Python, the function that is called.
    pub function: Option<String>,
    /// Why the file cannot be used as it is now, if it cannot: it may have changed.
    pub check: Arc<dyn Fn() -> Result<(), String> + Send + Sync>,
}

/// Where it works.
#[derive(Clone)]
pub struct ProgramSurroundings {
    pub directory: PathBuf,
    pub environment: Arc<Environment>,
}

pub struct ProgramTool {
    /// With the time of all tries.
    spec: ToolSpec,
    file: ProgramFile,
    at: ProgramSurroundings,
    retry: RetryConfig,
    /// Of one try.
    timeout: Duration,
}

impl ProgramTool {
    /// The time of `spec` is that of one try.
    #[must_use]
    pub fn new(spec: ToolSpec, file: ProgramFile, at: ProgramSurroundings, retry: RetryConfig) -> Self {
        let timeout = Duration::from_secs(spec.timeout_seconds);
        let pauses: Duration = (0..retry.max_retries).filter_map(|try_| retry.delay(try_)).sum();
        let tries = u64::from(retry.max_retries).saturating_add(1);
        let all = spec.timeout_seconds.saturating_mul(tries).saturating_add(pauses.as_secs());
        // The program ends by its own limit.
        let spec = ToolSpec { timeout_seconds: all.saturating_add(10), ..spec };
        Self { spec, file, at, retry, timeout }
    }

    fn command(&self, args: &Object) -> CommandSpec {
        let mut words: Vec<OsString> = Vec::new();
        let path = self.file.path.clone().into_os_string();
        let function = self.file.function.as_ref().map(OsString::from);
        match (is_python(&self.file.path), function) {
            (true, Some(function)) => {
                let form = if self.spec.output_schema.is_some() { "json" } else { "text" };
                words.extend([PYTHON.into(), "-c".into(), CALL_FUNCTION.into(), path, function, form.into()]);
            }
            (true, None) => words.extend([PYTHON.into(), path]),
            (false, function) => {
                words.push(path);
                words.extend(function);
            }
        }
        let environment = &self.at.environment;
        let program = words.remove(0);
        let mut command = CommandSpec::new(program, words, environment.owner());
        command.directory = Some(self.at.directory.clone());
        command.vars = environment.vars().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        command.stdin = amelia_process::StdinSource::Bytes(Value::Object(args.clone()).to_string().into());
        command
    }

    async fn run_once(&self, cx: &ToolCx, args: &Object) -> io::Result<Collected> {
        let limits = CollectLimits {
            stdout: MAX_RESULT,
            stderr: MAX_ERROR,
            on_excess: OnExcess::Drain,
            timeout: Some(self.timeout),
        };
        collect(&HostSpawner, self.command(args), limits, &cx.cancel).await
    }
}

#[async_trait]
impl Tool for ProgramTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, cx: &ToolCx, args: &Object) -> ToolOutput {
        for failed in 0.. {
            if let Err(problem) = (self.file.check)() {
                return ToolOutput::failed(problem);
            }
            let output = match self.run_once(cx, args).await {
                Ok(collected) => self.output_of(&collected),
                Err(error) => {
                    let name = self.file.path.file_name().unwrap_or_default().to_string_lossy();
                    return ToolOutput::failed(format!("the program {name} could not be started: {error}"));
                }
            };
            let Some(pause) = self.retry.delay(failed).filter(|_| output.error.is_some()) else {
                return output;
            };
            (cx.progress)(&format!("{}: {}\n", self.spec.name, self.retry.words(failed, pause)));
            tokio::select! {
                () = cx.cancel.cancelled() => return output,
                () = tokio::time::sleep(pause) => {}
            }
        }
        ToolOutput::failed("cancelled")
    }
}

impl ProgramTool {
    fn output_of(&self, collected: &Collected) -> ToolOutput {
        let (output, said) = (harmless_text(&collected.stdout.bytes), harmless_text(&collected.stderr.bytes));
        let failed = |what: String| match said.trim() {
            "" => what,
            said => format!("{}\n({what})", capped(said, 10_000)),
        };
        let (exit_code, error) = match collected.end {
            ProcessEnd::Exited(0) => (Some(0), None),
            ProcessEnd::Exited(code) => (Some(code), Some(failed(format!("exit code {code}")))),
            ProcessEnd::Killed(signal) => (None, Some(failed(format!("killed by signal {signal}")))),
            ProcessEnd::TimedOut => {
                (None, Some(failed(format!("timed out after {} s", self.timeout.as_secs()))))
            }
            ProcessEnd::Cancelled | ProcessEnd::Stopped => (None, Some("cancelled".to_owned())),
        };
        let is_json = error.is_none() && self.spec.output_schema.is_some();
        if !is_json {
            return ToolOutput { output, error, exit_code, ..ToolOutput::default() };
        }
        match serde_json::from_slice(&collected.stdout.bytes) {
            Ok(value) => ToolOutput { output, exit_code, structured: Some(value), ..ToolOutput::default() },
            Err(_) if collected.stdout.is_cut => {
                let error = Some(format!("the result is larger than {} KB", MAX_RESULT / 1024));
                ToolOutput { output, error, exit_code, ..ToolOutput::default() }
            }
            Err(problem) => {
                let error = Some(format!(
                    "the result must be JSON, because the tool has an output_schema: {problem}"
                ));
                ToolOutput { output, error, exit_code, ..ToolOutput::default() }
            }
        }
    }
}

/// Whether Python runs this file.
#[must_use]
pub fn is_python(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "py")
}

#[cfg(test)]
#[path = "program_tests.rs"]
mod tests;
