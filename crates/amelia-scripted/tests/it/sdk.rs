//! The real `openai` and `anthropic` Python SDKs against the server. Needs Python; the first run needs a network.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use amelia_scripted::{Script, serve};

fn sdk_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sdk")
}

/// Where `scripts/setup-sdks.sh` puts the SDKs.
fn python() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let cache = folder("AMELIA_CACHE")
        .or_else(|| folder("XDG_CACHE_HOME").map(|cache| cache.join("amelia")))
        .or_else(|| folder("HOME").map(|home| home.join(".cache/amelia")))?;
    Some(cache.join("sdk-venv/bin/python"))
}

/// The interpreter with both SDKs, or the reason why there is none.
fn installed() -> Result<PathBuf, String> {
    let setup = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/setup-sdks.sh");
    let output = Command::new("sh").arg(setup).output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    python().ok_or_else(|| "no home directory".to_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_real_sdks_understand_every_answer() {
    let python = match tokio::task::spawn_blocking(installed).await.unwrap() {
        Ok(python) => python,
        Err(reason) => {
            eprintln!("SKIPPED: the openai and anthropic SDKs are not here: {reason}");
            return;
        }
    };
    let script =
        Script::from_file(&sdk_folder().join("script.yaml")).unwrap_or_else(|error| panic!("{error}"));
    let server = serve(script, ([127, 0, 0, 1], 0).into()).await.unwrap();
    let url = server.url();
    let checked = move || {
        Command::new(python)
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
