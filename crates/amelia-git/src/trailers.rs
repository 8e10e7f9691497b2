//! The lines at the end of a commit message that say who else has made it, and who answers for it.

use crate::error::GitError;
use crate::repository::Repository;

/// Which of them a commit gets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trailers {
    /// `Signed-off-by`, with the name of the committer.
    pub sign_off: bool,
    /// `Co-authored-by`: `Name <address>`.
    pub co_author: Option<String>,
}

impl Repository {
    /// The lines of these trailers in this repository.
    pub async fn trailer_lines(&self, trailers: &Trailers) -> Result<Vec<String>, GitError> {
        let mut lines: Vec<String> =
            trailers.co_author.iter().map(|author| format!("Co-authored-by: {author}")).collect();
        if trailers.sign_off {
            let ident = match self.git.text(&["var", "GIT_COMMITTER_IDENT"]).await {
                Err(GitError::Git { .. }) => return Err(GitError::NoIdentity),
                known => known?,
            };
            // `Name <address> 1767225600 +0000`
            let end = ident.rfind('>').map_or(ident.len(), |end| end + 1);
            lines.push(format!("Signed-off-by: {}", ident.get(..end).unwrap_or(&ident)));
        }
        Ok(lines)
    }
}

/// A message with these lines at its end.
#[must_use]
pub fn with_trailers(message: &str, lines: &[String]) -> String {
    if lines.is_empty() {
        message.to_owned()
    } else {
        format!("{}\n\n{}\n", message.trim(), lines.join("\n"))
    }
}
