//! Files below a directory of the worktree, as git sees them: ignored ones and `.git` left out, links not followed.

use ignore::types::{Types, TypesBuilder};
use ignore::{DirEntry, WalkBuilder};

use crate::confine::{Inside, Root};
use crate::near::near;

/// Files in the order of their names. Only names come from here: contents are opened through the root.
pub(super) fn files(
    root: &Root,
    from: &Inside,
    types: Option<Types>,
) -> impl Iterator<Item = Inside> + use<> {
    let top = root.path().to_path_buf();
    let mut walk = WalkBuilder::new(top.join(from.as_path()));
    walk.hidden(false).follow_links(false).require_git(false).sort_by_file_name(Ord::cmp);
    walk.filter_entry(|entry| entry.depth() == 0 || entry.file_name() != ".git");
    if let Some(types) = types {
        walk.types(types);
    }
    let is_file = |entry: &DirEntry| entry.file_type().is_some_and(|kind| !kind.is_dir());
    walk.build()
        .flatten()
        .filter(is_file)
        .filter_map(move |entry| entry.path().strip_prefix(&top).ok().map(Inside::found))
}

/// ripgrep's file types by name: `rust`, `py`, …
pub(super) fn types(name: &str) -> Result<Types, String> {
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    let known: Vec<String> = builder.definitions().iter().map(|kind| kind.name().to_owned()).collect();
    builder.select(name);
    builder.build().map_err(|_| {
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let near = near(name, &known);
        format!("there is no file type `{name}`; near it: {}", near.join(", "))
    })
}
