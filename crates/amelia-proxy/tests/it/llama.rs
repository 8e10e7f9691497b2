//! A real model server behind the proxy: llama.cpp with a small model. Needs Python; the first run needs a network.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use amelia_drivers::program::MeterReport;
use serde_json::json;

use crate::programs::set_up_here;
use crate::world::{Setup, World, calls};

/// The server, ended with its standard input.
struct Llama {
    child: Child,
    url: String,
}

impl Drop for Llama {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        self.child.wait().ok();
    }
}

fn started() -> Option<Llama> {
    let venv = set_up_here("setup-llama.sh", "llama.cpp")?;
    let serve = Path::new(env!("CARGO_MANIFEST_DIR")).join("../amelia-drivers/tests/llama/serve.py");
    let mut child = Command::new(venv.join("bin/python"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .arg(serve)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut url = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
    assert!(url.starts_with("http://"), "no address: {url:?}");
    Some(Llama { child, url: url.trim().to_owned() })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_real_server_is_reached_and_counted_on_every_wire() {
    let Some(llama) = tokio::task::spawn_blocking(started).await.unwrap() else { return };
    let mut world = World::with(Setup::new(format!("{}/v1", llama.url))).await;
    for (wire, path, mut body) in calls("What is the capital of France? Answer in one short sentence.") {
        for is_stream in [false, true] {
            body["stream"] = json!(is_stream);
            body["temperature"] = json!(0);
            let answer = world.post(path, &body).await;
            let status = answer.status();
            let said = answer.text().await.unwrap();
            assert_eq!(status, 200, "{wire} {is_stream}: {said}");
            assert!(said.contains("Paris"), "{wire}: {said}");
            let MeterReport::Used(used) = world.told().await else { panic!("not used") };
            assert!(
                used.input_tokens > Some(10) && used.output_tokens > Some(1),
                "{wire} {is_stream}: {used:?}"
            );
        }
    }
    assert_eq!(world.exchanges().len(), 6);
    tokio::task::spawn_blocking(move || drop(llama)).await.unwrap();
}
