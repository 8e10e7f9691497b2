//! `amelia team validate`: every problem of team files, and what has no effect in them or is not supported yet.

use std::process::ExitCode;

use amelia_flows::team::check::notes;
use amelia_flows::team::compile;
use amelia_host::definitions::{DefinitionKind, Definitions};
use anyhow::Result;

use crate::cli::{Global, ValidateArgs};
use crate::commands::definitions;
use crate::ui;

pub(super) fn run(args: &ValidateArgs, all: &Definitions, global: &Global) -> Result<ExitCode> {
    let kind = DefinitionKind::Team;
    if !global.json {
        for file in definitions::files(kind, args, all)? {
            // What is wrong with a file is told below.
            let Ok(frozen) = all.team(&file) else { continue };
            let unsupported = compile(&frozen, None).err().unwrap_or_default();
            for note in notes(&frozen.team).into_iter().chain(unsupported) {
                ui::say!("note: {}: {note}", definitions::shown_path(&file.path));
            }
        }
    }
    definitions::validate(kind, args, all, global)
}
