//! The schemas of files, against what is read.

use serde_json::{Value, json};

use crate::agentx;
use crate::amelia::config as amelia;
use crate::read::read;
use crate::tests::config::round_trip;

#[test]
fn the_schema_of_a_profile_accepts_what_is_read_and_refuses_what_is_not() {
    let schema = amelia::profile::profile_schema();
    let fits = |text: &str| amelia_yaml::read::<Value>(text, schema).map(|(document, _)| document);
    // Editors check it; our own reader has the words themselves.
    let driver = schema.pointer("/properties/agents/additionalProperties/properties/driver/pattern");
    assert_eq!(driver, Some(&json!(crate::amelia::spelling::DRIVER_PATTERN)));
    let docs = include_str!("../../../../docs/profiles.md");
    let example = docs.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
    let whole =
        serde_json::to_string(&round_trip::<amelia::profile::Profile>(fits(example).unwrap())).unwrap();
    assert!(whole.contains("\"max_review_rounds\""), "{whole}");
    for text in [
        "name: a\nworking_dir: /r\ndriver: cli:claude\ntracker: none\n",
        "name: a\nrepo_root: /r\nagents: { developer: { driver: 'api:openai', model: m } }\n",
    ] {
        assert!(read::<amelia::profile::Profile>(fits(text).unwrap()).is_ok(), "{text}");
    }
    for (text, path) in [
        ("name: a\nrepo_rot: /r\n", ""),
        ("name: 3\n", "name"),
        ("tracker: gitlab\n", "tracker"),
        ("agents: { developer: { driver: api } }\n", "agents.developer"),
        ("budgets: { per_run: { usd: much } }\n", "budgets.per_run.usd"),
        ("strategy: both\n", "strategy"),
    ] {
        let problems = fits(text).unwrap_err();
        assert!(problems.iter().any(|problem| problem.path.starts_with(path)), "{text}: {problems:?}");
        let document = amelia_yaml::read::<Value>(text, &json!({})).unwrap().0;
        assert!(read::<amelia::profile::Profile>(document).is_err(), "{text}");
    }
}

#[test]
fn every_field_in_the_schema_of_a_profile_and_of_a_team_has_a_description() {
    fn collect(place: &str, schema: &Value, missing: &mut Vec<String>) {
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            let place = format!("{place}/{name}");
            if !field["description"].is_string() {
                missing.push(place.clone());
            }
            let choices = field["anyOf"].as_array().into_iter().flatten();
            for part in [field, &field["items"], &field["additionalProperties"]].into_iter().chain(choices) {
                collect(&place, part, missing);
            }
        }
    }
    let mut missing = Vec::new();
    collect("profile", amelia::profile::profile_schema(), &mut missing);
    collect("team", agentx::team::team_schema(), &mut missing);
    collect("policy", agentx::team::parts::policy_schema(), &mut missing);
    assert_eq!(missing, Vec::<String>::new());
}
