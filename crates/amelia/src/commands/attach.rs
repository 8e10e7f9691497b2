//! `--attach FILE`: files are read here, because the server may be elsewhere, and refused here, before they are sent.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use amelia_core::attachment::{AttachedFile, MAX_ATTACHMENT_BYTES, checked, too_large};
use amelia_core::problem::Problem;
use amelia_wire::rest::attachment::NewAttachment;
use anyhow::Result;

use crate::cli_error::{CliError, Exit};

/// The files, as they are sent.
pub(super) fn read(paths: &[PathBuf]) -> Result<Vec<NewAttachment>> {
    let files = paths.iter().map(|path| read_one(path)).collect::<Result<_, _>>()?;
    let files = checked(files).map_err(wrong)?;
    Ok(files.into_iter().map(NewAttachment::from).collect())
}

fn wrong(problem: Problem) -> CliError {
    CliError::new(Exit::Usage, problem)
}

fn read_one(path: &Path) -> Result<AttachedFile, CliError> {
    let shown = path.display();
    let unreadable = |error: std::io::Error| {
        CliError::new(Exit::Failed, format!("--attach {shown}: the file cannot be read: {error}"))
    };
    let found = std::fs::metadata(path).map_err(unreadable)?;
    if found.is_dir() {
        let problem = Problem::new(format!("--attach {shown} is a directory"));
        return Err(wrong(problem.with_hint("attach its files, or an archive of it")));
    }
    if !found.is_file() {
        return Err(wrong(Problem::new(format!("--attach {shown} is not a file"))));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (mut data, most) = (Vec::new(), MAX_ATTACHMENT_BYTES as u64);
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(most + 1).read_to_end(&mut data).map_err(unreadable)?;
    if data.len() as u64 > most {
        return Err(wrong(too_large(&name)));
    }
    Ok(AttachedFile { name, data })
}
