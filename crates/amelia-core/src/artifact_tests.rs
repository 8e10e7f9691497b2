//! Versions of artifacts as a fold of facts.

use serde_json::Value;

use super::*;
use crate::event::EventKind;

fn path(text: &str) -> ArtifactPath {
    ArtifactPath::parse(text).unwrap()
}

fn new(content: &str, by: &str) -> NewArtifact {
    NewArtifact {
        media_type: "text/markdown".to_owned(),
        checksum: format!("sha256:{content}"),
        size_bytes: content.len() as u64,
        created_by: Some(by.to_owned()),
        ..NewArtifact::default()
    }
}

fn wrote(index: &mut ArtifactIndex, at: &str, new: NewArtifact) -> Vec<ArtifactEvent> {
    let events = index.write(&path(at), new).unwrap();
    for event in &events {
        index.apply(event, Timestamp::UNIX_EPOCH, None);
    }
    events
}

fn summaries(events: &[ArtifactEvent]) -> Vec<String> {
    events.iter().map(|event| EventKind::Artifact(event.clone()).summary()).collect()
}

#[test]
fn every_change_is_a_version_and_the_same_content_is_none() {
    let mut index = ArtifactIndex::default();
    let first = wrote(
        &mut index,
        "documents/a.md",
        NewArtifact { tags: vec!["draft".to_owned()], ..new("1", "ann") },
    );
    assert_eq!(summaries(&first), ["file://artifacts/documents/a.md created"]);
    assert_eq!(wrote(&mut index, "documents/a.md", new("1", "bob")), []);
    let second = wrote(&mut index, "documents/a.md", NewArtifact { lines: Some((1, 1)), ..new("22", "bob") });
    assert_eq!(
        summaries(&second),
        ["file://artifacts/documents/a.md modified", "file://artifacts/documents/a.md: v1 → v2"]
    );
    let ArtifactEvent::Modified { changes, .. } = &second[0] else { panic!() };
    assert_eq!(Value::Object(changes.clone()), serde_json::json!({"added": 1, "removed": 1, "bytes": 2}));
    let (found, stored) = index.find("a.md").unwrap();
    assert_eq!(found.as_str(), "documents/a.md");
    let newest = stored.newest().unwrap();
    assert_eq!(
        (newest.name(), newest.checksum(), newest.conflicts_with()),
        ("v2".to_owned(), "sha256:22", None)
    );
    assert_eq!(newest.artifact.tags, ["draft"], "what is not said is as before");
    assert_eq!(stored.version(Some("v1")).unwrap().size_bytes(), 1);
    let missing = stored.version(Some("v7")).unwrap_err();
    assert_eq!(
        (missing.message.as_str(), missing.hint.as_deref()),
        ("there is no version `v7`", Some("there are v1 to v2"))
    );
}

#[test]
fn a_writer_who_has_not_seen_the_newest_version_makes_a_conflict_and_both_are_kept() {
    let mut index = ArtifactIndex::default();
    wrote(&mut index, "documents/a.md", NewArtifact { seen: Some(0), ..new("1", "ann") });
    let second = wrote(&mut index, "documents/a.md", NewArtifact { seen: Some(0), ..new("2", "bob") });
    assert_eq!(summaries(&second)[1], "file://artifacts/documents/a.md: v1 → v2");
    let (_, stored) = index.find("documents/a.md").unwrap();
    assert_eq!(stored.versions.len(), 2);
    assert_eq!(stored.newest().unwrap().conflicts_with(), Some("v1"));
    // Two facts of one version: one came from outside.
    let events = index.write(&path("documents/a.md"), new("3", "ann")).unwrap();
    let others = index.write(&path("documents/a.md"), new("4", "a person")).unwrap();
    for event in events.iter().chain(&others) {
        index.apply(event, Timestamp::UNIX_EPOCH, None);
    }
    let (_, stored) = index.find("documents/a.md").unwrap();
    let shown: Vec<_> = stored.versions.iter().map(|one| (one.name(), one.conflicts_with())).collect();
    assert_eq!(
        shown,
        [
            ("v1".to_owned(), None),
            ("v2".to_owned(), Some("v1")),
            ("v3".to_owned(), None),
            ("v4".to_owned(), Some("v3"))
        ]
    );
}

#[test]
fn limits_are_refused_by_name() {
    let mut index = ArtifactIndex::default();
    let refused = |index: &ArtifactIndex, at: &str, size_bytes: u64| {
        let new = NewArtifact { size_bytes, ..new(at, "ann") };
        index.write(&path(at), new).unwrap_err().message
    };
    assert_eq!(
        refused(&index, "data/a", MAX_ARTIFACT_BYTES + 1),
        "`data/a` has 101 MB, but an artifact can have at most 100 MB"
    );
    for number in 0..10 {
        let new = NewArtifact { size_bytes: MAX_ARTIFACT_BYTES, ..new(&number.to_string(), "ann") };
        wrote(&mut index, &format!("data/{number}"), new);
    }
    let same = NewArtifact { size_bytes: MAX_ARTIFACT_BYTES, ..new("1", "ann") };
    assert_eq!(wrote(&mut index, "data/copy", same).len(), 1, "the same content counts once");
    assert!(refused(&index, "data/b", 25 * MB).contains("at most 1024 MB together"));
    assert_eq!(refused(&index, "data/1/b", 1), "`data/1` is an artifact, not a directory");
    assert_eq!(refused(&index, "data", 1), "`data` is a directory with artifacts");
}

#[test]
fn a_removed_artifact_keeps_its_versions_and_facts_about_other_files_are_not_its() {
    let mut index = ArtifactIndex::default();
    wrote(&mut index, "code/a.py", NewArtifact { file: Some("a.py".to_owned()), ..new("1", "ann") });
    assert_eq!(index.of_file("a.py").unwrap().as_str(), "code/a.py");
    let removed = ArtifactEvent::Deleted { uri: "file://artifacts/code/a.py".to_owned() };
    index.apply(&removed, Timestamp::UNIX_EPOCH, None);
    assert_eq!((index.files().count(), index.with_deleted().count()), (0, 1));
    let again = wrote(&mut index, "code/a.py", new("1", "ann"));
    assert_eq!(again.len(), 2, "the same content is a version when the file was gone");
    assert_eq!(index.find("code/a.py").unwrap().1.versions.len(), 2);
    let of_worktree = ArtifactEvent::Deleted { uri: "code/a.py".to_owned() };
    index.apply(&of_worktree, Timestamp::UNIX_EPOCH, None);
    assert_eq!(index.files().count(), 1);
}
