//! What agents are told about this machine and a repository at its base.

use amelia_core::survey::{ShellFacts, Survey, layout};
use amelia_core::tool::DEFAULT_TIMEOUT;
use amelia_sandbox::{Repository, SandboxError};
use amelia_tools::builtin::shell;

/// The machine that this process runs on, and the repository as it is at `commit`.
pub(crate) async fn survey(repository: &Repository, commit: &str) -> Result<Survey, SandboxError> {
    let files = repository.committed_files(commit).await?;
    Ok(Survey {
        system: format!("{} ({})", std::env::consts::OS, std::env::consts::ARCH),
        shell: ShellFacts {
            program: shell::PROGRAM.to_owned(),
            timeout_seconds: DEFAULT_TIMEOUT.as_secs(),
            max_timeout_seconds: shell::LONGEST.as_secs(),
        },
        layout: layout(files.iter().map(|file| file.path.as_str())),
    })
}
