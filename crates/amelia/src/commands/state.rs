//! `amelia state`: what a run knows, shown and changed.

use std::collections::BTreeMap;
use std::process::ExitCode;

use amelia_core::view::RunRow;
use amelia_graph::editing::StateEdit;
use amelia_host::home::Home;
use amelia_wire::rest::travel::{ChangedField, EditState, StateShown};
use amelia_wire::rest::why::{BAD_CONDITION, BAD_TEMPLATE};
use anyhow::Result;
use serde_json::Value;

use super::edit::{edited, kept, text_of};
use super::status::next_step;
use crate::cli::{Global, StateArgs};
use crate::cli_error::{CliError, Exit, exit_of, problem_of};
use crate::client::Client;
use crate::reach;
use crate::ui;

const PREFIX: &str = "state-";
const SUFFIX: &str = ".json";

pub(super) async fn run(args: &StateArgs, home: &Home, global: &Global) -> Result<ExitCode> {
    let edits = args.set.iter().map(|text| StateEdit::parse(text)).collect::<Result<Vec<_>, _>>();
    let edits = edits.map_err(|problem| CliError::new(Exit::Usage, problem))?;
    let is_look = edits.is_empty() && args.file.is_none() && !args.edit;
    let client = match is_look {
        true => reach::to_look(home, global).await?,
        false => reach::to_control(home, global).await?,
    };
    let outcome = async {
        let row = client.find(&args.run).await?;
        match (&args.file, is_look) {
            (_, true) => show(&client, &row).await,
            (Some(file), false) => from_text(&client, &row, &text_of(file)?, global).await,
            (None, false) if args.edit => by_hand(&client, &row, global).await,
            (None, false) => {
                let set = edits.into_iter().map(|edit| (edit.path, edit.value)).collect();
                change(&client, &row, set, global).await
            }
        }
    };
    let outcome = outcome.await;
    client.close().await?;
    outcome?;
    Ok(ExitCode::SUCCESS)
}

async fn shown(client: &Client, row: &RunRow) -> Result<StateShown> {
    client.get(&format!("/workflows/{}/state", row.run.id)).await
}

async fn show(client: &Client, row: &RunRow) -> Result<()> {
    anstream::println!("{}", serde_json::to_string_pretty(&shown(client, row).await?.state)?);
    Ok(())
}

/// In the person's editor. What was typed is not lost when it cannot be used.
async fn by_hand(client: &Client, row: &RunRow, global: &Global) -> Result<()> {
    let before = shown(client, row).await?;
    if !before.can_edit {
        let (run, status) = (row.run.number, row.view.status_words());
        let refusal =
            CliError::new(Exit::Conflict, format!("run {run} is {status}: its state cannot change"));
        return Err(refusal.with_hint(format!("`amelia pause {run}` holds a running run")).into());
    }
    let before = serde_json::to_string_pretty(&before.state)?;
    let after = edited(&before, PREFIX, SUFFIX)?;
    let changed = from_text(client, row, &after, global).await;
    changed.map_err(|error| match kept(&after, PREFIX, SUFFIX) {
        Err(_) => error,
        Ok(path) => {
            let hint =
                format!("your text is kept: amelia state {} --file {}", row.run.number, path.display());
            CliError::new(exit_of(&error), problem_of(&error).message).with_hint(hint).into()
        }
    })
}

/// Changes everything that is different in a text.
async fn from_text(client: &Client, row: &RunRow, text: &str, global: &Global) -> Result<()> {
    let wanted: Value = serde_json::from_str(text)
        .map_err(|error| CliError::new(Exit::Usage, format!("the state is not JSON: {error}")))?;
    if !wanted.is_object() {
        return Err(CliError::new(Exit::Usage, "the state is an object, as `amelia state` prints it").into());
    }
    let mut set = BTreeMap::new();
    differences(&shown(client, row).await?.state, &wanted, "", &mut set);
    change(client, row, set, global).await
}

async fn change(client: &Client, row: &RunRow, set: BTreeMap<String, Value>, global: &Global) -> Result<()> {
    let changed = match set.is_empty() {
        true => None,
        false => {
            let path = format!("/workflows/{}/state", row.run.id);
            Some(client.post::<StateShown>(&path, &EditState { set, user_id: None }).await?)
        }
    };
    let fields = changed.as_ref().map(|shown| shown.changed.as_slice()).unwrap_or_default();
    match (global.json, global.quiet) {
        (true, _) => anstream::println!("{}", serde_json::json!({"run": row.run.id, "changed": fields})),
        (false, false) => {
            fields.iter().for_each(|field| ui::say!("{}", line(field)));
            if fields.is_empty() {
                ui::say!("nothing has changed");
                return Ok(());
            }
            let is_routed_again = row
                .view
                .failure
                .as_ref()
                .is_some_and(|one| [BAD_CONDITION, BAD_TEMPLATE].contains(&one.code.as_str()));
            let me = ui::command(global);
            let next = match is_routed_again {
                true => Some(format!("{me} resume {}", row.run.number)),
                false => {
                    ui::say!("  {}", ui::dim("a route that the run has already taken stays as it is"));
                    next_step(row, &me)
                }
            };
            if let Some(next) = next {
                ui::say!("  {} {next}", ui::dim("next"));
            }
        }
        (false, true) => {}
    }
    Ok(())
}

fn line(ChangedField { path, before, after }: &ChangedField) -> String {
    let after = ui::one_line(&after.to_string());
    format!("{}: {} → {after}", ui::bold(ui::one_line(path)), ui::one_line(before))
}

/// What is to be set so that one value becomes the other. Fields that were added or removed are set with the object that
/// they are in.
fn differences(before: &Value, after: &Value, path: &str, set: &mut BTreeMap<String, Value>) {
    let inner = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    match (before, after) {
        (before, after) if before == after => {}
        (Value::Object(old), Value::Object(new)) if path.is_empty() || old.keys().eq(new.keys()) => {
            for name in old.keys().chain(new.keys().filter(|name| !old.contains_key(*name))) {
                let value = |fields: &serde_json::Map<String, Value>| {
                    fields.get(name).cloned().unwrap_or(Value::Null)
                };
                differences(&value(old), &value(new), &inner(name), set);
            }
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            for (index, (old, new)) in old.iter().zip(new).enumerate() {
                differences(old, new, &inner(&index.to_string()), set);
            }
        }
        (_, after) => drop(set.insert(path.to_owned(), after.clone())),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_is_different_is_set() {
        let before = json!({"a": 1, "m": {"x": [1, {"y": 2}], "z": null}, "n": {"k": 1}, "gone": 5});
        let after = json!({"a": 1, "m": {"x": [1, {"y": 3}], "z": "t"}, "n": {"k": 1, "new": 2}, "more": 7});
        let mut set = BTreeMap::new();
        differences(&before, &after, "", &mut set);
        let expected = json!({"m.x.1.y": 3, "m.z": "t", "n": {"k": 1, "new": 2}, "gone": null, "more": 7});
        assert_eq!(json!(set), expected);
        set.clear();
        differences(&before, &before, "", &mut set);
        assert!(set.is_empty());
    }
}
