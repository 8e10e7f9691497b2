//! A profile for people to read and edit: blocks that only repeat defaults are left out. Pure.

use amelia_wire::amelia::config::profile::Profile;
use amelia_wire::read::read;
use anyhow::Result;
use serde_json::Value;

/// Blocks of which only what differs from the defaults is shown.
const BLOCKS: [&str; 2] = ["sandbox", "budgets"];
/// The same, of every agent. The name of the profile stands above.
const BLOCKS_OF_AGENTS: [&str; 2] = ["sandbox", "profile_name"];

/// The profile without what is the same when it is not written.
pub(super) fn shortened(profile: &Profile) -> Result<Value> {
    let mut document = serde_json::to_value(profile)?;
    let Ok(meant) = read::<Profile>(document.clone()) else { return Ok(document) };
    let mut blocks: Vec<Vec<String>> = BLOCKS.map(|name| vec![name.to_owned()]).into();
    for role in profile.agents.keys() {
        let of_agent = |name: &str| vec!["agents".to_owned(), role.clone(), name.to_owned()];
        blocks.extend(BLOCKS_OF_AGENTS.map(of_agent));
    }
    while let Some(path) = blocks.pop() {
        let mut shorter = document.clone();
        let Some(removed) = remove(&mut shorter, &path) else { continue };
        if read::<Profile>(shorter.clone()).is_ok_and(|read| read == meant) {
            document = shorter;
        } else if let Value::Object(fields) = removed {
            blocks.extend(fields.into_iter().map(|(name, _)| path.iter().cloned().chain([name]).collect()));
        }
    }
    Ok(document)
}

fn remove(document: &mut Value, path: &[String]) -> Option<Value> {
    let (last, above) = path.split_last()?;
    let parent = above.iter().try_fold(document, |value, name| value.get_mut(name))?;
    parent.as_object_mut()?.remove(last)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_differs_from_the_defaults_is_shown_and_it_reads_back_the_same() {
        let given = json!({
            "name": "mine", "repo_root": "/r",
            "agents": {"developer": {"driver": "api", "model": "m", "options": {"base_url": "http://127.0.0.1:9/v1"}}},
            "budgets": {"per_run": {"usd": 2.5}},
        });
        let core = read::<Profile>(given).unwrap();
        let shown = shortened(&core.clone().into()).unwrap();
        assert!(shown.get("sandbox").is_none(), "{shown}");
        let agent = json!({"driver": "api", "model": "m", "options": {"base_url": "http://127.0.0.1:9/v1"}});
        assert_eq!(shown["agents"]["developer"], agent);
        assert_eq!(shown["budgets"], json!({"per_run": {"usd": 2.5}}));
        assert_eq!(read::<Profile>(shown).unwrap(), core);
    }
}
