//! `amelia team validate`: every problem of team files, and what has no effect in them or is not supported yet.

use std::process::ExitCode;

use amelia_flows::team::check::notes;
use amelia_flows::team::compile;
use amelia_host::definitions::{DefinitionKind, Definitions, text_of};
use amelia_yaml::problem::{FileProblem, steps};
use amelia_yaml::tree;
use anyhow::Result;

use crate::cli::{Global, ValidateArgs};
use crate::commands::definitions;
use crate::ui;

pub(super) fn run(args: &ValidateArgs, all: &Definitions, global: &Global) -> Result<ExitCode> {
    let kind = DefinitionKind::Team;
    if !global.json {
        for file in definitions::files(kind, args, all)? {
            // What is wrong with a file is reported below.
            let Ok(frozen) = all.team(&file) else { continue };
            let unsupported = compile(&frozen, None).err().unwrap_or_default();
            let tree = text_of(&file).ok().and_then(|text| tree::parse(&text).ok());
            for note in notes(&frozen.team).into_iter().chain(unsupported) {
                let path = definitions::shown_path(&file.path);
                match &tree {
                    Some(tree) => {
                        let placed = FileProblem::at(tree, &steps(&note.path), note.message);
                        ui::say!("note: {path}:{placed}");
                    }
                    None => ui::say!("note: {path}: {note}"),
                }
            }
        }
    }
    definitions::validate(kind, args, all, global)
}
