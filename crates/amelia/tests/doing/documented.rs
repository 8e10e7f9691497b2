//! Scripts that the documents show.

use std::path::Path;

/// The script below a heading of `docs/scripted-model.md`.
pub(crate) fn script(heading: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scripted-model.md");
    let text = std::fs::read_to_string(file).unwrap();
    let section = text.split_once(&format!("\n## {heading}\n")).unwrap().1;
    let script = section.split_once("```yaml\n").unwrap().1;
    script.split_once("```").unwrap().0.to_owned()
}
