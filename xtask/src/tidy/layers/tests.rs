use super::*;

fn messages(manifest: &str) -> Vec<String> {
    let files = [
        TextFile {
            path: "Cargo.toml".into(),
            text: "[workspace.dependencies]\nsql = { package = \"rusqlite\", version = \"1\" }".into(),
        },
        TextFile { path: "crates/a/Cargo.toml".into(), text: manifest.into() },
    ];
    check(&files).unwrap().iter().map(ToString::to_string).collect()
}

#[test]
fn an_edge_against_the_layers_is_found_with_its_line() {
    let manifest = "[package]\nname = \"amelia-graph\"\n[dependencies]\namelia-core.workspace = true\namelia-store.workspace = true";
    let expected =
        "crates/a/Cargo.toml:5: error: `amelia-graph` must not use `amelia-store`: not an edge of the layers";
    assert_eq!(messages(manifest), [expected]);
}

#[test]
fn tests_may_use_the_store_and_the_binary_everything() {
    let graph = "[package]\nname = \"amelia-graph\"\n[dev-dependencies]\namelia-store.workspace = true";
    assert_eq!(messages(graph), [] as [&str; 0]);
    let wire = "[package]\nname = \"amelia-graph\"\n[dev-dependencies]\namelia-wire.workspace = true";
    assert_eq!(messages(wire).len(), 1);
    let binary = "[package]\nname = \"amelia\"\n[dependencies]\namelia-server = \"1\"\namelia-store = \"1\"";
    assert_eq!(messages(binary), [] as [&str; 0]);
}

#[test]
fn a_crate_outside_the_table_is_found() {
    assert_eq!(messages("[package]\nname = \"amelia-new\"").len(), 1);
}

#[test]
fn the_core_has_no_runtime_but_its_tests_may() {
    let core =
        |section: &str| format!("[package]\nname = \"amelia-core\"\n[{section}]\ntokio.workspace = true");
    assert_eq!(messages(&core("dependencies")).len(), 1);
    assert_eq!(messages(&core("target.'cfg(unix)'.dependencies")).len(), 1);
    assert_eq!(messages(&core("dev-dependencies")), [] as [&str; 0]);
}

#[test]
fn sql_and_http_crates_have_owners_even_under_another_name() {
    let with = |name: &str, dependency: &str| {
        messages(&format!("[package]\nname = \"{name}\"\n[dependencies]\n{dependency}"))
    };
    assert_eq!(with("amelia-graph", "sql.workspace = true").len(), 1);
    assert_eq!(with("amelia-store", "sql.workspace = true"), [] as [&str; 0]);
    assert_eq!(with("amelia", "web = { package = \"axum\", version = \"1\" }").len(), 1);
    assert_eq!(with("amelia-server", "axum.workspace = true"), [] as [&str; 0]);
}
