//! `amelia team list`: teams, where each is from, and what it is for.

use std::process::ExitCode;

use amelia_host::definitions::{DefinitionFile, DefinitionKind, Definitions};
use amelia_host::refused_file::RefusedFile;
use anyhow::Result;
use serde_json::{Value, json};

use crate::cli::Global;
use crate::commands::definitions;
use crate::ui;

/// The longest name that has a column of its own.
const NAME_WIDTH: usize = 30;
/// A line of the table, whether or not there is a terminal.
const MAX_WIDTH: usize = 80;

pub(super) fn run(all: &Definitions, global: &Global) -> Result<ExitCode> {
    let rows: Vec<Row<'_>> = all.list(DefinitionKind::Team).into_iter().map(|file| row(all, file)).collect();
    if global.json {
        let items: Vec<Value> = rows.iter().map(Row::document).collect();
        anstream::println!("{}", json!({ "items": items }));
    } else if rows.is_empty() {
        anstream::println!("no teams yet: create one with `amelia team new NAME`");
    } else {
        anstream::print!("{}", table(&rows, ui::width().min(MAX_WIDTH)));
    }
    Ok(ExitCode::SUCCESS)
}

struct Row<'a> {
    file: &'a DefinitionFile,
    read: Result<String, Vec<RefusedFile>>,
}

fn row<'a>(all: &Definitions, file: &'a DefinitionFile) -> Row<'a> {
    Row { file, read: all.team(file).map(|frozen| frozen.team.description) }
}

impl Row<'_> {
    fn about(&self) -> String {
        match &self.read {
            Ok(description) => ui::one_line(description),
            Err(refused) => {
                let count = refused.iter().map(|refused| refused.problems.len()).sum();
                format!("{}: amelia team validate {}", ui::counted(count, "problem"), self.file.name)
            }
        }
    }

    fn document(&self) -> Value {
        let problems = self.read.as_ref().err().map(|refused| definitions::lines_of(refused));
        json!({"name": self.file.name, "source": definitions::source(self.file), "file": self.file.path,
               "description": self.read.as_ref().ok(), "valid": problems.is_none(), "problems": problems})
    }
}

/// Name, source and description, each line at most `width` wide.
fn table(rows: &[Row<'_>], width: usize) -> String {
    let names = rows.iter().map(|row| row.file.name.chars().count()).max().unwrap_or(0);
    let names = names.clamp("NAME".len(), NAME_WIDTH);
    let line = |name: &str, source: &str, about: &str| {
        let start = format!("{:names$}  {source:10}  ", ui::cut(name, names));
        let room = width.saturating_sub(start.chars().count());
        format!("{}\n", format!("{start}{}", ui::cut(about, room)).trim_end())
    };
    let mut text = line("NAME", "SOURCE", "DESCRIPTION");
    for row in rows {
        text.push_str(&line(&row.file.name, definitions::source(row.file), &row.about()));
    }
    text
}
