//! A home of its own, commands in it, and a server that ends with the test.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

pub(crate) struct Home(TempDir);

impl Home {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        self.command_of(Path::new(env!("CARGO_BIN_EXE_amelia")), arguments)
    }

    /// The same for a copy of the program.
    pub(crate) fn command_of(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        let given = std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("AMELIA_"));
        for (name, _) in given {
            command.env_remove(name);
        }
        command.args(arguments).env("AMELIA_HOME", self.path()).stdin(Stdio::null());
        command
    }

    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let output = self.command(arguments).arg("--json").output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Exit code and message of a command that is refused.
    pub(crate) fn refusal(&self, command: &mut Command) -> (i32, String) {
        let Output { status, stdout, stderr } = command.output().unwrap();
        assert!(stdout.is_empty(), "{}", text(&stdout));
        (status.code().unwrap(), text(&stderr).replace(&self.path().display().to_string(), "HOME"))
    }

    pub(crate) fn write(&self, name: &str, content: &str) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) address: String,
}

impl Server {
    /// Its standard error goes into `server.log` of its home.
    pub(crate) fn start(home: &Home, command: &mut Command) -> Self {
        let log = std::fs::File::create(home.path().join("server.log")).unwrap();
        let mut child = command.arg("--json").stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap_or_else(|_| {
            panic!("{}", std::fs::read_to_string(home.path().join("server.log")).unwrap())
        });
        let address = said["url"].as_str().unwrap().trim_start_matches("http://").to_owned();
        Self { child, address }
    }

    /// Status and body of one request; `head` has more headers.
    pub(crate) fn ask(&self, method: &str, path: &str, head: &str) -> (u16, Value) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let request = format!("{method} {path} HTTP/1.0\r\nhost: {}\r\n{head}\r\n", self.address);
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        let body = answer.split_once("\r\n\r\n").map(|(_, body)| body).unwrap_or_default();
        (status, serde_json::from_str(body).unwrap_or_default())
    }

    /// The same with a document; `head` has more headers.
    pub(crate) fn send(&self, method: &str, path: &str, head: &str, body: &Value) -> (u16, Value) {
        let body = body.to_string();
        let length = body.len();
        let head = format!("{head}content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}");
        self.ask(method, path, &head)
    }

    /// Ends it as an init system would, and waits.
    pub(crate) fn stop(&mut self) {
        let status = Command::new("kill").arg(self.child.id().to_string()).status().unwrap();
        assert!(status.success());
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
