use std::collections::BTreeSet;
use std::path::Path;

use super::*;

fn root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files in the table below a heading of docs/extending.md.
fn listed(heading: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join("docs/extending.md")).unwrap();
    let section = text.split("\n## ").find(|section| section.starts_with(heading)).unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    rows.map(str::to_owned).collect()
}

#[test]
fn names_are_unique_and_found() {
    let names: BTreeSet<&str> = all().iter().map(|pipeline| pipeline.name()).collect();
    assert_eq!(names.len(), all().len());
    for name in names {
        assert_eq!(named(&GraphName::new(name).unwrap()).unwrap().name(), name);
    }
    let error = named(&GraphName::new("nothing").unwrap()).err().unwrap().to_string();
    assert!(error.contains("no graph `nothing`"), "{error}");
}

#[test]
fn a_pipeline_with_a_command_of_its_own_is_not_started_by_its_name() {
    for name in ["consolidation", "implementation", "review", "single", "synthetic"] {
        let pipeline = named(&GraphName::new(name).unwrap()).unwrap();
        let error = pipeline.read_input(Value::Null).unwrap_err().to_string();
        assert_eq!(error, format!("runs of `{name}` have their own command"));
    }
}

#[derive(Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct ToyInput {
    name: String,
}

struct Toy;

#[async_trait]
impl Pipeline for Toy {
    type Input = ToyInput;
    type State = crate::synthetic::state::SyntheticState;

    fn name(&self) -> &'static str {
        "toy"
    }

    fn starts_by_name(&self) -> bool {
        true
    }

    fn initial(&self, _: &ToyInput) -> Self::State {
        Self::State::default()
    }

    async fn graph(&self, _: ToyInput, _: &RunParts<'_>) -> Result<PreparedRun<Self::State>> {
        unreachable!()
    }

    fn drawing(&self, _: &ToyInput) -> Result<Drawing> {
        unreachable!()
    }
}

#[test]
fn what_is_wrong_with_an_input_is_said_without_the_names_of_types() {
    let read = |given| AnyPipeline::read_input(&Toy, given);
    let given = serde_json::json!({"name": "a"});
    assert_eq!(read(given.clone()).unwrap(), given);
    for (given, expected) in [
        (Value::Null, "the pipeline `toy` needs an input"),
        (serde_json::json!({}), "the input of `toy` cannot be used: missing field `name`"),
        (
            serde_json::json!(3),
            "the input of `toy` cannot be used: invalid type: integer `3`, expected an object",
        ),
    ] {
        assert_eq!(read(given).unwrap_err().to_string(), expected);
    }
}

#[test]
fn the_hint_for_an_unknown_pipeline_names_those_that_can_be_started() {
    let hint = |known: &[Arc<dyn AnyPipeline>]| unknown("to", known).hint.unwrap();
    let review: Arc<dyn AnyPipeline> = Arc::new(review::ReviewPipeline);
    let own = "every pipeline of this program has its own command (see `amelia help --all`)";
    assert_eq!(hint(&[Arc::clone(&review)]), own);
    assert_eq!(hint(&[review, Arc::new(Toy)]), "pipelines that can be started: toy");
}

#[test]
fn the_documented_files_exist() {
    // Existing things in the place of NAME, one of each kind.
    for (heading, name) in [
        ("A pipeline", "review"),
        ("A tool", "git_log"),
        ("A driver", "codex"),
        ("An endpoint", "usage"),
        ("A dashboard page", "usage"),
        ("A store", "sqlite"),
    ] {
        let files = listed(heading);
        assert!(!files.is_empty(), "{heading}");
        for file in files.iter().map(|file| file.replace("NAME", name)) {
            assert!(root().join(&file).exists(), "{heading}: {file}");
        }
    }
    assert!(listed("A pipeline").len() <= 5, "adding a pipeline has become more work");
}

/// No file but the documented ones, and those of a command of its own, knows a pipeline by its type or module.
#[test]
fn a_pipeline_is_known_in_the_documented_files_only() {
    fn walk(directory: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(directory).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs")
                && std::fs::read_to_string(&path).unwrap().contains("SyntheticPipeline")
            {
                found.push(path.file_name().unwrap().to_string_lossy().into_owned());
            }
        }
    }
    let mut found = Vec::new();
    walk(&root().join("crates"), &mut found);
    found.retain(|name| name != "pipelines_tests.rs");
    found.sort();
    assert_eq!(found, ["pipelines.rs", "synthetic.rs"]);
}
