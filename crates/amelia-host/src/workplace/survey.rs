//! What agents learn about this machine and a repository at its base.

use amelia_core::survey::{ShellFacts, Survey, conventions, is_convention, is_skill, layout, skills};
use amelia_core::tool::DEFAULT_TIMEOUT;
use amelia_git::{GitError, Repository};
use amelia_tools::builtin::shell;

/// Files of each kind that are read. A repository with more has them in subprojects, and names of files are enough there.
const MAX_TOLD_FILES: usize = 64;

/// The machine that this process runs on, and the repository as it is at `commit`.
pub(crate) async fn survey(repository: &Repository, commit: &str) -> Result<Survey, GitError> {
    let files = repository.committed_files(commit).await?;
    // A link could lead out of the repository.
    let wanted = |wanted: fn(&str) -> bool| {
        files.iter().filter(move |file| file.is_regular && wanted(&file.path)).take(MAX_TOLD_FILES)
    };
    let read: Vec<_> = wanted(is_convention).chain(wanted(is_skill)).collect();
    let objects: Vec<&str> = read.iter().map(|file| file.object.as_str()).collect();
    let texts = repository.committed_texts(&objects).await?;
    let told: Vec<(&str, &str)> =
        read.iter().zip(&texts).map(|(file, text)| (file.path.as_str(), text.as_str())).collect();
    Ok(Survey {
        system: format!("{} ({})", std::env::consts::OS, std::env::consts::ARCH),
        shell: ShellFacts {
            program: shell::PROGRAM.to_owned(),
            timeout_seconds: DEFAULT_TIMEOUT.as_secs(),
            max_timeout_seconds: shell::LONGEST.as_secs(),
        },
        layout: layout(files.iter().map(|file| file.path.as_str())),
        conventions: conventions(told.iter().filter(|(path, _)| is_convention(path)).copied()),
        skills: skills(told.iter().filter(|(path, _)| is_skill(path)).copied()),
    })
}
