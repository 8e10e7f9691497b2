//! Teams from files and over HTTP, as people use them.

use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::looked_at::signed_in;
use crate::process::{Home, Server, text};

fn repository(home: &Home) -> String {
    let sample = home.path().join("sample");
    assert!(Command::new("git").args(["init", "--quiet"]).arg(&sample).status().unwrap().success());
    sample.display().to_string()
}

/// A command in the repository, without the keys in the environment of the test.
fn team(home: &Home, arguments: &[&str]) -> Output {
    let arguments: Vec<&str> = ["team"].into_iter().chain(arguments.iter().copied()).collect();
    let mut command = home.command(&arguments);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().ends_with("_API_KEY")) {
        command.env_remove(name);
    }
    command.current_dir(home.path().join("sample")).output().unwrap()
}

const TEAM: &str = "name: news\ndescription: Writes the news of the day, every day, for all people who want to read what has happened in the world.\n\
                    agents:\n  - { name: writer, role: writes, prompt_template: prompts/writer.md }\n  \
                    - { name: critic, role: judges, prompt_template: Judge. }\n";

#[test]
fn every_template_of_a_new_team_is_valid_and_none_is_overwritten() {
    let home = Home::new();
    repository(&home);
    for template in ["writer-critic", "research", "delivery", "board"] {
        let made = team(&home, &["new", template, "--template", template]);
        let said = text(&made.stderr) + &text(&made.stdout);
        assert!(made.status.success(), "{said}");
        assert!(said.contains(&format!(".amelia/teams/{template}.yaml")), "{said}");
        assert!(said.contains("DEEPSEEK_API_KEY") && said.contains("team validate"), "{said}");
        let again = team(&home, &["new", template]);
        assert_eq!(again.status.code(), Some(5), "{}", text(&again.stderr));
        assert!(text(&again.stderr).contains("exists already"));
    }
    let checked = team(&home, &["validate"]);
    assert_eq!(text(&checked.stdout), "4 teams valid\n", "{}", text(&checked.stderr));
    assert!(team(&home, &["new", "news", "--in-home"]).status.success());
    assert!(home.path().join("teams/news.yaml").is_file());
    for name in ["", "../x", "a b", ".hidden"] {
        assert_eq!(team(&home, &["new", name]).status.code(), Some(2), "{name}");
    }
}

#[test]
fn teams_are_listed_in_eighty_columns_shown_and_checked() {
    let home = Home::new();
    repository(&home);
    assert!(text(&team(&home, &["list"]).stdout).starts_with("no teams yet"));
    home.write("teams/news.yaml", &TEAM.replace("prompts/writer.md", "Write."));
    home.write("sample/.amelia/teams/broken.yaml", TEAM);
    let listed = text(&team(&home, &["list"]).stdout);
    assert_eq!(
        listed,
        "NAME    SOURCE      DESCRIPTION\n\
         broken  repository  2 problems: amelia team validate broken\n\
         news    home        Writes the news of the day, every day, for all people who w…\n"
    );
    assert!(listed.lines().all(|line| line.chars().count() <= 80), "{listed}");
    let listed: Value = serde_json::from_slice(&team(&home, &["list", "--json"]).stdout).unwrap();
    assert_eq!((&listed["items"][1]["source"], &listed["items"][1]["valid"]), (&json!("home"), &json!(true)));
    let shown: Value = serde_json::from_slice(&team(&home, &["show", "news"]).stdout).unwrap();
    assert_eq!(
        (&shown["agents"][0]["prompt_template"], &shown["version"]),
        (&json!("Write."), &json!("1.0.0"))
    );
    assert_eq!(team(&home, &["show", "gone"]).status.code(), Some(4));

    let checked = team(&home, &["validate", ".amelia/teams/broken.yaml"]);
    assert_eq!(checked.status.code(), Some(2));
    assert_eq!(
        text(&checked.stdout),
        ".amelia/teams/broken.yaml:1:1: name: `news` is not the name of the file, `broken`\n\
         .amelia/teams/broken.yaml:4:35: agents[0].prompt_template: there is no file `prompts/writer.md` in .amelia/teams\n"
    );
    let noted = TEAM.replace("prompts/writer.md", "Write.")
        + "execution_config: { human_intervention_points: [end] }\n";
    home.write("teams/news.yaml", &noted);
    let checked = team(&home, &["validate", "news"]);
    let said = text(&checked.stdout) + &text(&checked.stderr);
    assert!(checked.status.success() && said.contains("has no effect in mode `autonomous`"), "{said}");
    let schema = home.command(&["schema", "team"]).output().unwrap();
    let schema: Value = serde_json::from_slice(&schema.stdout).unwrap();
    assert!(schema["properties"]["handoff_rules"]["description"].is_string(), "{schema}");
}

#[test]
fn teams_are_sent_to_the_server_and_files_come_first() {
    let home = Home::new();
    let sample = repository(&home);
    let mut server = Server::start(&home, &mut home.command(&["server", "--port", "0"]));
    let send = |method: &str, path: &str, body: &Value| server.send(method, path, &signed_in(&home), body);
    let get = |path: &str| server.ask("GET", path, &signed_in(&home));
    let document = json!({"name": "news", "description": "Sent.", "default_llm": {"api_key": "${MY_KEY}"},
        "agents": [{"name": "a", "role": "r", "prompt_template": "Do {{ task.prompt }}."}]});

    let (status, made) = send("POST", "/api/teams", &document);
    assert_eq!((status, &made["source"], &made["problems"]), (201, &json!("api"), &json!([])), "{made}");
    assert_eq!(made["definition"]["default_llm"]["api_key_env"], "MY_KEY");
    assert_eq!(send("POST", "/api/teams", &document).0, 409);
    let mut changed = document.clone();
    changed["description"] = json!("Changed.");
    assert_eq!(send("PUT", "/api/teams/news", &changed).1["description"], "Changed.");
    let headers = format!("{}if-match: \"1\"\r\n", signed_in(&home));
    assert_eq!(server.send("PUT", "/api/teams/news", &headers, &document).0, 409, "version 2 is the newest");

    let wrong = json!({"agents": [{"name": "a", "role": "r", "prompt_template": "a.md", "tools": ["fly"]}],
        "handoff_rules": [{"from_agent": "a", "to_agent": "b", "condition": "x >"}], "default_llm": {"api_key": "sk-literal"}});
    let (status, refused) = send("PUT", "/api/teams/wrong", &wrong);
    assert_eq!(status, 422, "{refused}");
    assert!(!refused.to_string().contains("sk-literal"), "{refused}");
    let more = json!({"agents": [{"name": "a", "role": "r", "prompt_template": "a.md", "tools": ["fly"]}]});
    let (_, refused) = send("PUT", "/api/teams/wrong", &more);
    let problems = refused["error"]["details"]["problems"].as_array().unwrap();
    let paths: Vec<&str> = problems.iter().map(|problem| problem["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["agents[0].prompt_template", "agents[0].tools[0]"], "{refused}");

    // The command sees what was sent, and a file hides it.
    let listed = text(&team(&home, &["list"]).stdout);
    assert!(listed.contains("news  api         Changed.\n"), "{listed}");
    home.write("sample/.amelia/teams/prompts/writer.md", "Write.");
    home.write("sample/.amelia/teams/news.yaml", TEAM);
    let (_, shown) = get(&format!("/api/teams/news?worktree_path={sample}"));
    assert_eq!((&shown["source"], &shown["text"]), (&json!("repository"), &json!(TEAM)), "{shown}");
    assert_eq!(shown["definition"]["agents"][0]["prompt_template"], "Write.");
    assert_eq!(get("/api/teams/news").1["source"], "api");
    home.write(
        "teams/mine.yaml",
        &TEAM.replace("name: news", "name: mine").replace("prompts/writer.md", "Write."),
    );
    let mut mine = document;
    mine["name"] = json!("mine");
    assert_eq!(send("PUT", "/api/teams/mine", &mine).0, 409);
    let names = |listed: &Value| {
        let items = listed["items"].as_array().unwrap();
        items.iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&get("/api/teams").1), ["mine", "news"]);

    let text = TEAM.replace("name: critic", "name: writer");
    let (status, checked) =
        send("POST", "/api/teams/validate", &json!({"text": text, "worktree_path": sample}));
    assert_eq!((status, &checked["problems"][0]["line"]), (200, &json!(5)), "{checked}");
    assert_eq!(checked["graph"], Value::Null);
    let (_, checked) = send("POST", "/api/teams/validate", &json!({"text": TEAM, "worktree_path": sample}));
    assert_eq!(checked["graph"]["nodes"], json!(["critic", "team.person", "writer"]), "{checked}");
    assert_eq!(server.ask("DELETE", "/api/teams/news", &signed_in(&home)).0, 204);
    assert_eq!(get("/api/teams/news").0, 404);
    assert_eq!(server.ask("DELETE", "/api/teams/mine", &signed_in(&home)).0, 409);
    assert_eq!(server.ask("GET", "/api/teams", "").0, 401);
    server.stop();
}

#[test]
fn agents_that_write_at_the_same_time_are_told_with_their_line() {
    let home = Home::new();
    repository(&home);
    let both = |provider: &str, tools: &str| {
        format!(
            "name: both\ndescription: Both.\ndefault_llm: {{ provider: {provider}, model: m }}\nagents:\n  \
             - {{ name: p1, role: one, prompt_template: Work., tools: {tools} }}\n  \
             - {{ name: p2, role: two, prompt_template: Work. }}\ncollaboration_patterns:\n  \
             - name: at_once\n    type: parallel\n    agents: [p1, p2]\n"
        )
    };
    home.write("sample/.amelia/teams/both.yaml", &both("claude", "[read_file]"));
    let checked = team(&home, &["validate", "both"]);
    assert_eq!(text(&checked.stdout), "1 team valid\n", "{}", text(&checked.stderr));
    assert_eq!(text(&checked.stderr), "");
    home.write("sample/.amelia/teams/both.yaml", &both("claude", "[shell]"));
    let checked = team(&home, &["validate", "both"]);
    assert_eq!(checked.status.code(), Some(2));
    let problem = ".amelia/teams/both.yaml:8:5: collaboration_patterns[0].config.isolation: a worktree for each agent is \
                   not supported yet, and `p1` can change files: set `isolation: shared`\n";
    assert_eq!(text(&checked.stdout), problem);
    home.write(
        "sample/.amelia/teams/both.yaml",
        &both("codex", "[write_file]").replace("parallel", "sequential"),
    );
    let checked = team(&home, &["validate", "both"]);
    let said = text(&checked.stdout);
    assert!(
        said.starts_with(".amelia/teams/both.yaml:5:") && said.contains("codex cannot change files"),
        "{said}"
    );
}
