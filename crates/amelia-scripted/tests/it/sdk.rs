//! The real `openai` and `anthropic` Python SDKs against the server. Needs Python; the first run needs a network.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use amelia_scripted::{Script, serve};

use crate::programs::set_up;

fn sdk_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sdk")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_real_sdks_understand_every_answer() {
    let Some(venv) = set_up("setup-sdks.sh", "the openai and anthropic SDKs").await else { return };
    let script =
        Script::from_file(&sdk_folder().join("script.yaml")).unwrap_or_else(|error| panic!("{error}"));
    let server = serve(script, ([127, 0, 0, 1], 0).into()).await.unwrap();
    let url = server.url();
    let checked = move || {
        Command::new(venv.join("bin/python"))
            .env_clear()
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .arg(sdk_folder().join("check.py"))
            .arg(url)
            .output()
    };
    let Output { status, stdout, stderr } = tokio::task::spawn_blocking(checked).await.unwrap().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{stdout}\n{stderr}");
    assert!(stdout.ends_with("all understood\n"), "{stdout}");
}
