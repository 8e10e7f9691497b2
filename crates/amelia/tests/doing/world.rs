//! A sample repository with a failing test, a home, and a scripted model.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use amelia_scripted::{Script, ScriptedServer, serve};
use tempfile::TempDir;

/// The four turns that mend the sample: look, edit, test, tell.
pub(crate) const FIX: &str = r#"
rules:
  - when: { turn: 0 }
    reply:
      thinking: The test says 5, the sum must be wrong.
      text: I look at the code first.
      tool_calls:
        - { name: read_file, args: { path: calc.sh } }
        - { name: list_files, args: {} }
  - when: { turn: 1 }
    reply:
      tool_calls:
        - name: edit_file
          args: { path: calc.sh, edits: [{ old: '$1 - $2', new: '$1 + $2' }] }
  - when: { turn: 2 }
    reply:
      tool_calls: [{ name: shell, args: { command: "echo ran >> runs.log; ./test.sh" } }]
  - when: { turn: 3 }
    reply:
      text: The sum was a difference. It is a sum now, and the test passes.
      usage: { input: 1000, output: 50, cache_read: 400 }
"#;

/// Everything a test needs. The server runs on its own thread, and stops with its runtime.
pub(crate) struct World {
    dir: TempDir,
    /// The home of the user, where it is not that of whoever runs the tests.
    user: Option<PathBuf>,
    pub(crate) server: ScriptedServer,
    _runtime: tokio::runtime::Runtime,
}

impl World {
    pub(crate) fn new(script: &str) -> Self {
        Self::at(tempfile::tempdir().unwrap(), script)
    }

    /// For programs that keep things in the user's home, run its scripts, and refuse to do so below a temporary
    /// directory.
    pub(crate) fn lasting(script: &str) -> Self {
        let mut world = Self::at(tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap(), script);
        let user = world.dir.path().join("user");
        std::fs::create_dir(&user).unwrap();
        world.user = Some(user);
        world
    }

    fn at(dir: TempDir, script: &str) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let script = Script::parse(script).unwrap_or_else(|error| panic!("{error}"));
        let server = runtime.block_on(serve(script, ([127, 0, 0, 1], 0).into())).unwrap();
        let world = Self { dir, user: None, server, _runtime: runtime };
        world.make_repository();
        world
    }

    pub(crate) fn repository(&self) -> PathBuf {
        self.dir.path().join("sample")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    fn make_repository(&self) {
        let repository = self.repository();
        std::fs::create_dir(&repository).unwrap();
        write(&repository.join("calc.sh"), "#!/bin/sh\necho $(($1 - $2))\n");
        write(
            &repository.join("test.sh"),
            "#!/bin/sh\n[ \"$(./calc.sh 2 3)\" = 5 ] || { echo 'expected 5'; exit 1; }\necho ok\n",
        );
        write(&repository.join(".gitignore"), "runs.log\n");
        for arguments in [
            &["init", "-q", "-b", "main"][..],
            &["config", "user.name", "Sample"],
            &["config", "user.email", "sample@example.org"],
            &["add", "-A"],
            &["commit", "-q", "-m", "A sum that is wrong"],
        ] {
            self.git(arguments);
        }
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let output = Command::new("git").args(arguments).current_dir(self.repository()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// `amelia`, in the sample repository.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_amelia"));
        command.args(arguments).current_dir(self.repository()).env("AMELIA_HOME", self.home());
        for name in [
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "OPENAI_API_KEY",
            "DEEPSEEK_API_KEY",
            "OPENROUTER_API_KEY",
            "GROQ_API_KEY",
        ] {
            command.env_remove(name);
        }
        // Servers of tests do not meet on one port.
        command.env("AMELIA_PORT", "0").env_remove("AMELIA_SERVER").env_remove("AMELIA_TOKEN");
        command.env("SAMPLE_KEY", KEY).stdin(Stdio::null());
        if let Some(own) = &self.user {
            command.env("HOME", own);
        }
        command
    }

    /// The same, started by another program.
    pub(crate) fn wrapped(&self, wrapper: &[&str], arguments: &[&str]) -> Command {
        let plain = self.command(arguments);
        let mut command = Command::new(wrapper[0]);
        command.args(&wrapper[1..]).arg(plain.get_program()).args(plain.get_args());
        self.outfit(&mut command);
        command
    }

    /// Gives another program what `amelia` has here: directory and environment.
    pub(crate) fn outfit(&self, command: &mut Command) {
        command.current_dir(self.repository()).stdin(Stdio::null());
        for (name, value) in self.command(&[]).get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
    }

    pub(crate) fn amelia(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// The arguments of `amelia do` for this world's model.
    pub(crate) fn doing<'a>(&self, wire: &'a str, more: &[&'a str]) -> Vec<String> {
        self.doing_as("scripted", wire, more)
    }

    fn doing_as(&self, model: &str, wire: &str, more: &[&str]) -> Vec<String> {
        let base = format!("{}/v1", self.server.url());
        let fixed = ["do", "make the failing test pass", "--model", model, "--base-url", &base];
        let key = ["--api-key-env", "SAMPLE_KEY", "--wire", wire];
        fixed.iter().chain(&key).chain(more).map(|word| (*word).to_owned()).collect()
    }

    pub(crate) fn run_do(&self, wire: &str, more: &[&str]) -> Output {
        let arguments = self.doing(wire, more);
        self.amelia(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// With a model of another name.
    pub(crate) fn run_do_as(&self, model: &str, wire: &str, more: &[&str]) -> Output {
        let arguments = self.doing_as(model, wire, more);
        self.amelia(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
    }

    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        let said = std::fs::File::create(self.said()).unwrap();
        self.command(arguments).stdout(Stdio::null()).stderr(said).spawn().unwrap()
    }

    /// The file with what the last program that was started has said.
    pub(crate) fn said(&self) -> PathBuf {
        self.dir.path().join("said")
    }

    /// The only run there is.
    pub(crate) fn run(&self) -> Option<serde_json::Value> {
        let output = self.amelia(&["runs", "--json", "--stored"]);
        let rows: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
        rows.get(0).cloned()
    }

    pub(crate) fn run_id(&self) -> String {
        self.run().unwrap()["run"]["id"].as_str().unwrap().to_owned()
    }

    /// The worktree of the only run.
    pub(crate) fn worktree(&self) -> PathBuf {
        let entries = std::fs::read_dir(self.home().join("worktrees")).unwrap();
        // Notes about it are files beside it.
        entries.map(|entry| entry.unwrap().path()).find(|path| path.is_dir()).unwrap()
    }
}

impl Drop for World {
    /// Whatever server a command has started in the background ends with the test.
    fn drop(&mut self) {
        let found = std::fs::read(self.home().join("server.json")).unwrap_or_default();
        let found: serde_json::Value = serde_json::from_slice(&found).unwrap_or_default();
        if let Some(pid) = found["pid"].as_u64() {
            Command::new("kill").args(["-9", &pid.to_string()]).stderr(Stdio::null()).status().ok();
        }
    }
}

/// Processes that commands of a run have left.
pub(crate) fn orphans(run: &str) -> Vec<String> {
    let mark = format!("AMELIA_MARK={run}/");
    let processes = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let marked = processes.filter(|process| {
        let environment = std::fs::read(process.join("environ")).unwrap_or_default();
        text(&environment).contains(&mark)
    });
    marked.map(|process| text(&std::fs::read(process.join("cmdline")).unwrap_or_default())).collect()
}

/// Waits until something is so. Only a broken program takes long. Looks now and then: what is waited for needs the
/// processor, too.
pub(crate) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = std::time::Instant::now();
    while !is_so() {
        assert!(started.elapsed().as_secs() < 120, "never: {what}");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

/// How the program ended, and what it took at most.
pub(crate) struct Measured {
    pub(crate) code: Option<i32>,
    pub(crate) stderr: String,
    pub(crate) peak_megabytes: u64,
}

impl World {
    /// Runs the program and watches its memory.
    pub(crate) fn measured(&self, arguments: &[String]) -> Measured {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let errors = self.dir.path().join("errors");
        let stderr = std::fs::File::create(&errors).unwrap();
        let mut child = self.command(&arguments).stdout(Stdio::null()).stderr(stderr).spawn().unwrap();
        let status = format!("/proc/{}/status", child.id());
        let held = || {
            let text = std::fs::read_to_string(&status).ok()?;
            // Not the pages of the program itself: those of a debug build are many, and more with every feature.
            let line = text.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
            line.trim().trim_end_matches(" kB").parse::<u64>().ok()
        };
        let mut kilobytes = 0;
        loop {
            kilobytes = kilobytes.max(held().unwrap_or_default());
            if let Some(status) = child.try_wait().unwrap() {
                let peak_megabytes = kilobytes / 1024;
                let stderr = std::fs::read_to_string(errors).unwrap();
                return Measured { code: status.code(), stderr, peak_megabytes };
            }
            std::thread::yield_now();
        }
    }

    /// What the model was told of its calls with its request of this number, in order. Chat only.
    pub(crate) fn told(&self, request: usize) -> Vec<String> {
        let body = self.server.requests()[request].body.clone();
        let messages = body["messages"].as_array().unwrap().clone();
        let tail = messages.iter().rev().take_while(|message| message["role"] == "tool");
        let mut told: Vec<String> =
            tail.map(|message| message["content"].as_str().unwrap().to_owned()).collect();
        told.reverse();
        told
    }
}

/// A key that must never show up anywhere.
pub(crate) const KEY: &str = "sk-sample-0123456789abcdef";

fn write(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The next of a series that is the same every time (xorshift).
pub(crate) fn random(seed: &mut u64) -> u64 {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    *seed
}
