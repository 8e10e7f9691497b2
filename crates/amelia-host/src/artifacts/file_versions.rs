//! Files of the directory of a run without a repository: what its tools write there becomes artifacts.

use amelia_core::artifact::{ArtifactPath, NewArtifact, too_large};
use amelia_core::event::{ArtifactEvent, EventKind, SystemEvent};
use amelia_core::object::Object;
use amelia_core::problem::Problem;
use amelia_tools::Root;

use super::book::ArtifactWriter;
use super::live_artifacts::LiveArtifacts;
use super::{media_type_of, read_whole};
use crate::workplace::watch::MORE_FILES;

/// Facts about files of the directory, as facts about artifacts.
pub(super) async fn versions_of(
    tools: &LiveArtifacts,
    writer: &ArtifactWriter,
    files: Vec<EventKind>,
) -> Vec<EventKind> {
    let mut kinds = Vec::new();
    for kind in files {
        let (uri, is_gone) = match &kind {
            EventKind::Artifact(ArtifactEvent::Created(artifact)) => (artifact.uri.clone(), false),
            EventKind::Artifact(ArtifactEvent::Modified { uri, .. }) => (uri.clone(), false),
            EventKind::Artifact(ArtifactEvent::Deleted { uri }) => (uri.clone(), true),
            _ => {
                kinds.push(kind);
                continue;
            }
        };
        let events = match is_gone {
            true => removed(tools, &uri).await,
            false => written(tools, writer, &uri).await,
        };
        match events {
            Ok(events) => kinds.extend(events.into_iter().map(EventKind::Artifact)),
            Err(problem) => kinds.push(warned(&uri, &problem)),
        }
    }
    kinds
}

async fn removed(tools: &LiveArtifacts, file: &str) -> Result<Vec<ArtifactEvent>, Problem> {
    let index = tools.index().await?;
    let Some(path) = index.of_file(file).cloned() else { return Ok(Vec::new()) };
    tools.shared.book.remove(&path).await;
    Ok(vec![ArtifactEvent::Deleted { uri: path.uri() }])
}

async fn written(
    tools: &LiveArtifacts,
    writer: &ArtifactWriter,
    file: &str,
) -> Result<Vec<ArtifactEvent>, Problem> {
    let Some(content) = content_of(tools, file).await? else { return Ok(Vec::new()) };
    let media_type = media_type_of(file.as_ref(), &content);
    let path = match tools.index().await?.of_file(file) {
        Some(known) => known.clone(),
        None => ArtifactPath::placed(file, media_type)?,
    };
    let new = NewArtifact {
        media_type: media_type.to_owned(),
        file: Some(file.to_owned()),
        ..NewArtifact::default()
    };
    Ok(tools.keep(writer, &path, content, new).await?.events)
}

/// What is in a file; `None` for links, and for what is gone already.
async fn content_of(tools: &LiveArtifacts, file: &str) -> Result<Option<Vec<u8>>, Problem> {
    let Some(root) = tools.shared.root.clone() else { return Ok(None) };
    let name = file.to_owned();
    let read = tokio::task::spawn_blocking(move || read_plain(&root, &name)).await;
    match read.map_err(|error| Problem::new(error.to_string()))? {
        Ok(Some(Ok(content))) => Ok(Some(content)),
        Ok(Some(Err(bytes))) => Err(too_large(&ArtifactPath::parse(file)?, bytes)),
        Ok(None) => Ok(None),
        Err(error) => Err(Problem::new(error.to_string())),
    }
}

type ReadFile = Option<Result<Vec<u8>, u64>>;

fn read_plain(root: &Root, file: &str) -> std::io::Result<ReadFile> {
    let is_file = root.path().join(file).symlink_metadata().is_ok_and(|found| found.is_file());
    // Again by handle: nothing outside is opened.
    let Some(opened) = is_file.then(|| root.file(file).ok()).flatten() else { return Ok(None) };
    read_whole(opened).map(Some)
}

/// That a file is no artifact. A replay finds it by its detail.
fn warned(file: &str, problem: &Problem) -> EventKind {
    let message = format!("`{file}` is not kept as an artifact: {}", problem.message);
    let details = Object::from_iter([(MORE_FILES.to_owned(), 1.into())]);
    EventKind::System(SystemEvent::Warned { message, details })
}
