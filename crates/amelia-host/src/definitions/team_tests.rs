use std::path::{Path, PathBuf};

use super::*;
use crate::home::Home;

fn write(directory: &Path, file: &str, text: &str) {
    let path = directory.join(file);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

const TEAM: &str = "name: news\nagents:\n  - { name: writer, role: writes, prompt_template: prompts/writer.md }\n  \
                    - { name: critic, role: judges, prompt_template: \"Judge {{ task.prompt }}.\" }\n";

struct Place {
    home: tempfile::TempDir,
    repository: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { home: tempfile::tempdir().unwrap(), repository: tempfile::tempdir().unwrap() };
        write(place.repository.path(), ".git/HEAD", "");
        write(place.repository.path(), ".amelia/teams/prompts/writer.md", "Write about {{ task.prompt }}.\n");
        place
    }

    fn find(&self) -> Definitions {
        Definitions::find(&Home::at(self.home.path()), self.repository.path())
    }

    fn team(&self, file: &str, text: &str) {
        write(self.repository.path(), &format!(".amelia/teams/{file}.yaml"), text);
    }

    /// What is said about a team, without the directory.
    fn refused(&self, name: &str) -> String {
        let all = self.find();
        let refused = all.team(all.file(DefinitionKind::Team, name).unwrap()).unwrap_err();
        let text = refused.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        let top = self.repository.path().display().to_string();
        text.replace(&format!("{top}/.amelia/teams"), "TEAMS")
    }
}

#[test]
fn templates_become_their_text_and_stay_below_the_team() {
    let place = Place::new();
    place.team("news", TEAM);
    let all = place.find();
    let frozen = all.team(all.file(DefinitionKind::Team, "news").unwrap()).unwrap();
    let texts: Vec<&str> = frozen.team.agents.iter().map(|agent| agent.prompt_template.as_str()).collect();
    assert_eq!(texts, ["Write about {{ task.prompt }}.\n", "Judge {{ task.prompt }}."]);
    write(place.repository.path(), "secret.md", "secret");
    write(place.repository.path(), ".amelia/teams/empty.md", " \n");
    std::os::unix::fs::symlink(
        place.repository.path().join("secret.md"),
        place.repository.path().join(".amelia/teams/linked.md"),
    )
    .unwrap();
    for (name, expected) in [
        ("gone.md", "there is no file `gone.md` in TEAMS"),
        ("../../secret.md", "is not below the directory of the team file"),
        ("/etc/motd.txt", "is not below the directory of the team file"),
        ("linked.md", "is not below the directory of the team file"),
        ("empty.md", "`empty.md` is empty"),
    ] {
        place.team("news", &TEAM.replace("prompts/writer.md", name));
        let refused = place.refused("news");
        assert!(refused.contains("TEAMS/news.yaml:3:"), "{refused}");
        assert!(refused.contains(expected), "{name}: {refused}");
    }
}

#[test]
fn the_repository_comes_before_the_home_and_both_before_the_api() {
    let place = Place::new();
    let sent = |all: Definitions| {
        let text = r#"{"name": "news", "description": "of the API", "agents": [{"name": "a", "role": "r", "prompt_template": "Do it.", "llm_config": null}]}"#;
        all.with_teams([("news".to_owned(), text.to_owned())])
    };
    let description = |all: &Definitions| {
        let file = all.file(DefinitionKind::Team, "news").unwrap();
        assert_eq!(all.list(DefinitionKind::Team).len(), 1);
        all.team(file).unwrap().team.description
    };
    assert_eq!(description(&sent(place.find())), "of the API");
    let text = |of: &str| format!("description: {of}\n{}", TEAM.replace("prompts/writer.md", "Write."));
    write(place.home.path(), "teams/news.yaml", &text("of the home"));
    assert_eq!(description(&sent(place.find())), "of the home");
    place.team("news", &text("of the repository"));
    assert_eq!(description(&sent(place.find())), "of the repository");
}

#[test]
fn a_team_that_was_sent_has_no_files() {
    let place = Place::new();
    let all = place.find().with_teams([("news".to_owned(), TEAM.to_owned())]);
    let refused = all.team(all.file(DefinitionKind::Team, "news").unwrap()).unwrap_err();
    let text = refused[0].to_string();
    assert!(text.starts_with("api:teams/news:3:"), "{text}");
    assert!(text.contains("write the text itself"), "{text}");
}

#[test]
fn teams_inside_a_team_are_read_with_it_and_their_problems_are_in_their_files() {
    let place = Place::new();
    let outer = "name: outer\nagents:\n  - { name: a, role: r, team: news }\n";
    place.team("outer", outer);
    place.team("news", TEAM);
    let all = place.find();
    let frozen = all.team(all.file(DefinitionKind::Team, "outer").unwrap()).unwrap();
    assert!(frozen.teams["news"].agents[0].prompt_template.starts_with("Write about"));
    place.team("news", &TEAM.replace("role: judges", "role: \"\""));
    insta::assert_snapshot!(place.refused("outer"), @"TEAMS/news.yaml:4:21: agents[1].role: must not be empty");
    place.team("news", "name: news\nagents:\n  - { name: a, role: r, team: outer }\n");
    insta::assert_snapshot!(place.refused("outer"), @"TEAMS/outer.yaml:3:25: agents[0].team: `outer` is inside itself: outer → news → outer");
    place.team("outer", &outer.replace("news", "nws"));
    insta::assert_snapshot!(place.refused("outer"), @"TEAMS/outer.yaml:3:25: agents[0].team: there is no team `nws`");
}

#[test]
fn a_file_of_a_repository_sends_a_key_only_to_its_provider() {
    let place = Place::new();
    let team = |llm: &str| format!("{TEAM}default_llm: {{ {llm} }}\n");
    for fine in [
        "provider: openai, model: m",
        "provider: openai, model: m, base_url: https://api.openai.com/v1/",
        "provider: ollama, model: m",
        "provider: openai-compatible, model: m, base_url: \"http://127.0.0.1:1/v1\"",
        "provider: claude, model: m",
    ] {
        place.team("news", &team(fine));
        let all = place.find();
        assert!(
            all.team(all.file(DefinitionKind::Team, "news").unwrap()).is_ok(),
            "{fine}: {}",
            place.refused("news")
        );
    }
    for stolen in [
        "provider: openai, model: m, base_url: https://example.org/v1",
        "provider: openai-compatible, model: m, base_url: https://example.org/v1, api_key: \"${OPENAI_API_KEY}\"",
        "provider: groq, model: m, api_key_env: OPENAI_API_KEY",
    ] {
        place.team("news", &team(stolen));
        assert!(place.refused("news").contains("cannot send `OPENAI_API_KEY` to "), "{stolen}");
    }
    place.team("news", &team("provider: deepseek, model: m, base_url: \"http://127.0.0.1:1/v1\""));
    let local = place.refused("news");
    assert!(
        local.contains("use `provider: openai-compatible`, which needs no key, put the file in"),
        "{local}"
    );
}

/// One file of each kind of mistake, and what is said about it.
#[test]
fn every_mistake_is_told_at_its_place() {
    let place = Place::new();
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/teams");
    let mut names: Vec<PathBuf> =
        std::fs::read_dir(files).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    write(place.repository.path(), ".amelia/teams/broken.md", "Hello\n{{ task.prmpt }}\n");
    let mut said = String::new();
    for path in names {
        let name = path.file_stem().unwrap().to_str().unwrap();
        place.team(name, &std::fs::read_to_string(&path).unwrap());
        said.push_str(&format!("{}\n\n", place.refused(name)));
    }
    insta::assert_snapshot!("mistakes", said);
}

/// The examples of the documentation are valid, and so are all patterns in it.
#[test]
fn the_examples_of_the_documentation_are_teams() {
    let docs = include_str!("../../../../docs/teams.md");
    let place = Place::new();
    let examples: Vec<&str> =
        docs.split("```yaml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(examples.len(), 12);
    write(place.repository.path(), ".amelia/teams/tools/count.py", "def count_words(text): return {}\n");
    place.team("news", examples[0]);
    let read = |name: &str| {
        let all = place.find();
        all.team(all.file(DefinitionKind::Team, name).unwrap()).map_err(|_| place.refused(name))
    };
    assert_eq!(read("news").unwrap().team.agents.len(), 2);
    for (index, example) in examples.iter().enumerate().skip(1) {
        let name = format!("team{index}");
        let mut text = format!("name: {name}\nagents:\n");
        for agent in [
            "writer",
            "critic",
            "backend",
            "frontend",
            "lead",
            "researcher",
            "engineer",
            "customer",
            "skeptic",
            "chair",
            "developer",
            "tester",
            "scout",
        ] {
            text.push_str(&format!("  - {{ name: {agent}, role: works, prompt_template: Work. }}\n"));
        }
        text.push_str(example);
        place.team(&name, &text);
        let patterns = usize::from(example.contains("collaboration_patterns:"));
        assert_eq!(read(&name).unwrap().team.collaboration_patterns.len(), patterns, "{example}");
    }
}
