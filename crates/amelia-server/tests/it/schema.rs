//! Everything that the OpenAPI document promises, tried by schemathesis: thousands of requests, good and bad, from a fixed
//! seed. Needs Python; the first run needs a network.

use std::process::{Command, Output};

use amelia_core::run::RunStatus;
use reqwest::Method;

use crate::configuration::profile;
use crate::programs::set_up;
use crate::world::{TOKEN, World};

/// What must hold for every answer.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,\
                      response_schema_conformance";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn real_schemathesis_finds_no_answer_that_is_not_documented() {
    let Some(venv) = set_up("setup-schemathesis.sh", "schemathesis").await else { return };
    let world = World::new().await;
    let config = world.home.path().join("schemathesis.toml");
    std::fs::write(&config, parameters(&world).await).unwrap();
    let url = world.url("/api/openapi.json");
    let work = world.home.path().to_owned();
    let run = move || {
        Command::new(venv.join("bin/schemathesis"))
            .arg("--no-color")
            .arg("--config-file")
            .arg(config)
            .args(["run", &url, "--header", &format!("Authorization: Bearer {TOKEN}"), "--checks", CHECKS])
            .args(["--phases", "coverage,fuzzing", "--seed", "1", "--max-examples", "6", "--warnings", "off"])
            .args(["--generation-database", "none", "--continue-on-failure"])
            .current_dir(work)
            .output()
    };
    let Output { status, stdout, stderr } = tokio::task::spawn_blocking(run).await.unwrap().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{stdout}\n{stderr}");
    assert!(stdout.contains("No issues found"), "{stdout}");
    // Only a run that is there, and not where it was asked to be, is answered so: the paths did lead somewhere.
    let counters = world.request(Method::GET, "/metrics").send().await.unwrap().text().await.unwrap();
    assert!(counters.contains("{class=\"workflows\",status=\"409\"}"), "{counters}");
}

/// Runs in several states, a profile and a prompt, so that paths lead somewhere now and then.
async fn parameters(world: &World) -> String {
    let talks = world.start("talks").await;
    // Before another run can take its permit of the gate.
    world.finish(talks).await;
    let (asks, works) = (world.start("asks").await, world.start("works").await);
    world.until_it_waits(asks).await;
    world.until(works, |status| status == RunStatus::Running).await;
    world.post("/api/profiles", profile("work")).await;
    let one = |path: &str| {
        format!(
            "[[operations]]\ninclude-name = \"DELETE {path}\"\nparameters = {{ \"path.id\" = \"{talks}\" }}\n"
        )
    };
    // What is removed must not be what everything else is tried on.
    let removed = [one("/workflows/{id}"), one("/tasks/{id}")].concat();
    format!(
        "[parameters]\n\"path.id\" = \"{asks}\"\n\"query.a\" = \"{works}\"\n\"query.b\" = \"{asks}\"\n{removed}"
    )
}
