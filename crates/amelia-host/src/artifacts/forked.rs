//! A fork has the artifacts of its run as they were at its checkpoint, with their versions.

use amelia_core::artifact::ArtifactIndex;
use amelia_core::clock::SystemClock;
use amelia_core::event::{ArtifactEvent, Draft, EventKind};
use amelia_core::id::{RunId, Seq};
use amelia_core::object::Object;
use amelia_core::store::{Commit, Store};
use amelia_core::view::RunRow;
use anyhow::Result;

use super::{ArtifactContents, folded_logs::FoldedLog};
use crate::home::Home;

/// Writes what the log of `row` tells of artifacts until `until` into the log of its fork.
pub(crate) async fn copy(
    home: &Home,
    store: &dyn Store,
    row: &RunRow,
    until: Seq,
    fork: RunId,
) -> Result<()> {
    let mut folded = FoldedLog::default();
    folded.read_until(store, row.run.id, until).await?;
    let facts = facts(&folded.index);
    if facts.is_empty() {
        return Ok(());
    }
    ArtifactContents::of(home, fork).take_over(&ArtifactContents::of(home, row.run.id))?;
    let Some(forked) = store.run(fork).await? else { return Ok(()) };
    let draft = |fact| Draft::of_system(&SystemClock, forked.run.spec.domain, EventKind::Artifact(fact));
    let drafts = facts.into_iter().map(draft).collect();
    store.commit(fork, forked.view.seq, Commit { drafts, ..Commit::default() }).await?;
    Ok(())
}

/// The facts that lead to these artifacts.
fn facts(index: &ArtifactIndex) -> Vec<ArtifactEvent> {
    let mut facts = Vec::new();
    for (path, stored) in index.with_deleted() {
        let uri = path.uri();
        for version in &stored.versions {
            let artifact = version.artifact.clone();
            facts.push(match version.number {
                1 => ArtifactEvent::Created(artifact),
                _ => ArtifactEvent::Modified {
                    uri: uri.clone(),
                    version: version.name(),
                    changes: Object::new(),
                    artifact: Some(Box::new(artifact)),
                },
            });
        }
        if stored.is_deleted {
            facts.push(ArtifactEvent::Deleted { uri });
        }
    }
    facts
}

#[cfg(test)]
mod tests {
    use amelia_core::artifact::{ArtifactPath, NewArtifact};
    use jiff::Timestamp;

    use super::*;

    #[test]
    fn facts_of_a_copy_lead_to_the_same_artifacts() {
        let mut index = ArtifactIndex::default();
        let apply = |index: &mut ArtifactIndex, events: Vec<ArtifactEvent>| {
            for event in events {
                index.apply(&event, Timestamp::UNIX_EPOCH, None);
            }
        };
        for content in ["one", "two"] {
            for path in ["documents/a.md", "data/b.json"] {
                let new =
                    NewArtifact { checksum: content.to_owned(), size_bytes: 3, ..NewArtifact::default() };
                let events = index.write(&ArtifactPath::parse(path).unwrap(), new).unwrap();
                apply(&mut index, events);
            }
        }
        let removed = ArtifactEvent::Deleted { uri: "file://artifacts/data/b.json".to_owned() };
        apply(&mut index, vec![removed]);
        let mut copy = ArtifactIndex::default();
        apply(&mut copy, facts(&index));
        assert_eq!(copy, index);
    }
}
