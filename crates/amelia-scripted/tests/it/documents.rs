//! The documents of the repository are what the code does.

use std::path::PathBuf;

use amelia_scripted::{Script, schema};

fn document(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name)
}

/// Written anew with `INSTA_UPDATE=always`, like a snapshot.
#[test]
fn the_published_schema_is_fresh() {
    let path = document("scripted-model.schema.json");
    let made = format!("{:#}\n", schema());
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        std::fs::write(&path, &made).unwrap();
    }
    let published = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(published == made, "stale: run `INSTA_UPDATE=always cargo test -p amelia-scripted` and commit");
}

#[test]
fn the_example_of_the_document_is_a_script() {
    let text = std::fs::read_to_string(document("scripted-model.md")).unwrap();
    let examples: Vec<&str> =
        text.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    // A team that uses the model is no script.
    let scripts: Vec<&str> = examples.into_iter().filter(|text| text.contains("rules:")).collect();
    assert!(!scripts.is_empty());
    for example in scripts {
        Script::parse(example).unwrap_or_else(|error| panic!("{error}\n{example}"));
    }
}
