//! The real `openai` and `anthropic` Python SDKs through the proxy. Needs Python; the first run needs a network.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use amelia_scripted::Script;

use crate::programs::set_up;
use crate::world::World;

/// What the scripted model's own test asks, and what is answered.
fn sdk_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../amelia-scripted/tests/sdk")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_real_sdks_understand_every_answer_through_the_proxy() {
    let Some(venv) = set_up("setup-sdks.sh", "the openai and anthropic SDKs").await else { return };
    let script =
        Script::from_file(&sdk_folder().join("script.yaml")).unwrap_or_else(|error| panic!("{error}"));
    let server = amelia_scripted::serve(script, ([127, 0, 0, 1], 0).into()).await.unwrap();
    let world = World::on(&server).await;
    let (url, token) = (world.pass.url.clone(), world.token());
    let checked = move || {
        Command::new(venv.join("bin/python"))
            .env_clear()
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("AMELIA_TOKEN", token)
            .arg(sdk_folder().join("check.py"))
            .arg(&url)
            .arg(format!("{url}/anthropic"))
            .output()
    };
    let Output { status, stdout, stderr } = tokio::task::spawn_blocking(checked).await.unwrap().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{stdout}\n{stderr}");
    assert!(stdout.ends_with("all understood\n"), "{stdout}");
    assert!(world.exchanges().len() > 40, "everything went through us");
    assert!(world.spent().tokens > 500, "and was counted: {:?}", world.spent());
}
