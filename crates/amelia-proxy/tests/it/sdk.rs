//! The real `openai` and `anthropic` Python SDKs through the proxy. Needs Python; the first run needs a network.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use amelia_scripted::Script;

use crate::world::World;

/// What the scripted model's own test asks, and what is answered.
fn sdk_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../amelia-scripted/tests/sdk")
}

/// Where the scripts put what tests need.
pub(crate) fn cache() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from);
    folder("AMELIA_CACHE")
        .or_else(|| folder("XDG_CACHE_HOME").map(|cache| cache.join("amelia")))
        .or_else(|| folder("HOME").map(|home| home.join(".cache/amelia")))
}

/// An interpreter that a script of ours has set up, or the reason why there is none.
pub(crate) fn installed(script: &str, venv: &str) -> Result<PathBuf, String> {
    let setup = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts").join(script);
    let output = Command::new("sh").arg(setup).output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    Ok(cache().ok_or("no home directory")?.join(venv).join("bin/python"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_real_sdks_understand_every_answer_through_the_proxy() {
    let found = tokio::task::spawn_blocking(|| installed("setup-sdks.sh", "sdk-venv")).await.unwrap();
    let python = match found {
        Ok(python) => python,
        Err(reason) => {
            eprintln!("SKIPPED: the openai and anthropic SDKs are not here: {reason}");
            return;
        }
    };
    let script =
        Script::from_file(&sdk_folder().join("script.yaml")).unwrap_or_else(|error| panic!("{error}"));
    let server = amelia_scripted::serve(script, ([127, 0, 0, 1], 0).into()).await.unwrap();
    let world = World::on(&server).await;
    let (url, token) = (world.pass.url.clone(), world.token());
    let checked = move || {
        Command::new(python)
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
