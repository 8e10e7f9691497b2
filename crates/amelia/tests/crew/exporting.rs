//! Traces for OpenTelemetry, sent to a collector that reads them with the official protocol.

use std::collections::BTreeSet;
use std::fs::Permissions;
use std::io::{BufRead as _, BufReader, Lines};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::crew::{ARCHITECT, CONTENT, DEVELOPER, start, world};
use crate::programs::set_up_here;
use crate::serving::Server;
use crate::world::{World, text};

struct Collector {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    url: String,
}

impl Collector {
    fn start(world: &World) -> Option<Self> {
        let installed = set_up_here("setup-clients.sh", "a collector of traces")?;
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/crew/otlp_collector.py");
        let mut command = Command::new(installed.join("otlp").join("bin/python"));
        world.outfit(&mut command);
        let mut child = command.arg(script).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let port = lines.next().unwrap().unwrap();
        Some(Self { child, lines, url: format!("http://127.0.0.1:{port}") })
    }

    /// The next request that it took.
    fn next(&mut self) -> Value {
        let request: Value = serde_json::from_str(&self.lines.next().unwrap().unwrap()).unwrap();
        assert_eq!((&request["path"], &request["key"]), (&json!("/v1/traces"), &json!("Bearer k 1")));
        request["spans"].clone()
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn configured(world: &World, collector: &Collector) {
    let config = world.home().join("config");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("server.yaml"), format!("otlp_endpoint: {}\n", collector.url)).unwrap();
    let keys = config.join("keys.env");
    std::fs::write(&keys, "OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20k%201\n").unwrap();
    std::fs::set_permissions(&keys, Permissions::from_mode(0o600)).unwrap();
}

fn names(spans: &Value) -> Vec<&str> {
    spans.as_array().unwrap().iter().map(|span| span["name"].as_str().unwrap()).collect()
}

fn ids(spans: &Value) -> BTreeSet<&str> {
    spans.as_array().unwrap().iter().map(|span| span["id"].as_str().unwrap()).collect()
}

#[test]
fn the_spans_of_a_run_reach_a_collector_also_over_a_restart() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    let Some(mut collector) = Collector::start(&world) else { return };
    configured(&world, &collector);
    let server = Server::start(&world);
    assert_eq!(start(&world, &[]).status.code(), Some(6));
    // It refused the first request, which came again.
    let planned = collector.next();
    assert!(names(&planned).iter().any(|name| name.starts_with("chat ")), "{planned:#}");
    assert!(names(&planned).contains(&"invoke_agent architect"), "{planned:#}");
    drop(server);
    let _server = Server::start(&world);
    let approved = world.amelia(&["approve", "--wait"]);
    assert!(approved.status.success(), "{}", text(&approved.stderr));
    let done = collector.next();
    assert!(ids(&planned).is_disjoint(&ids(&done)), "{planned:#} {done:#}");
    for name in ["wait_for_person", "invoke_agent developer", "execute_tool write_file"] {
        assert!(names(&done).contains(&name), "{name}: {done:#}");
    }
    let run = done.as_array().unwrap().last().unwrap();
    let id = world.run_id().replace('-', "");
    assert_eq!(
        (&run["name"], &run["parent"], &run["trace"], &run["error"]),
        (&json!("invoke_workflow implementation"), &json!(""), &json!(id), &json!(false))
    );
    // All hang together in one tree below the run.
    let all: BTreeSet<&str> = ids(&planned).union(&ids(&done)).copied().collect();
    for span in planned.as_array().unwrap().iter().chain(done.as_array().unwrap()) {
        let parent = span["parent"].as_str().unwrap();
        assert!(span["id"] == run["id"] || all.contains(parent), "{span:#}");
    }
}

#[test]
fn a_collector_that_is_gone_holds_up_no_run() {
    let world = world(&[ARCHITECT, DEVELOPER, CONTENT], "");
    let config = world.home().join("config");
    std::fs::create_dir_all(&config).unwrap();
    // Nothing listens there.
    std::fs::write(config.join("server.yaml"), "otlp_endpoint: http://127.0.0.1:9\n").unwrap();
    let _server = Server::start(&world);
    let done = start(&world, &["--auto"]);
    assert!(done.status.success(), "{}", text(&done.stderr));
}
