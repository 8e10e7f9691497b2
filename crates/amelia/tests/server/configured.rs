//! Where values come from, and what is refused.

use serde_json::{Value, json};

use crate::process::{Home, Server, text};

#[test]
fn flags_count_above_the_environment_above_the_file_above_what_is_built_in() {
    let home = Home::new();
    home.write("config/server.yaml", "port: 1\nmax_concurrent: 7\nworkflow_start_timeout_seconds: 5\n");
    let mut command = home.command(&["server", "--port", "0", "--set", "log_retention_days=3"]);
    command.env("AMELIA_PORT", "2").env("AMELIA_MAX_CONCURRENT", "8").env("AMELIA_HOST", "localhost");
    let server = Server::start(&home, &mut command);
    let token = std::fs::read_to_string(home.path().join("token")).unwrap();
    let (status, body) = server.ask("GET", "/api/settings", &format!("authorization: Bearer {token}\r\n"));
    let config = &body["server"];
    assert_eq!(status, 200);
    assert_eq!(
        json!([
            config["host"],
            config["max_concurrent"],
            config["workflow_start_timeout_seconds"],
            config["log_retention_days"],
            config["log_retention_max_events"]
        ]),
        json!(["localhost", 8, 5.0, 3, 100_000])
    );
}

#[test]
fn show_says_for_each_value_where_it_comes_from() {
    let home = Home::new();
    home.write("config/server.yaml", "port: 9000\nauth:\n  mode: none\n");
    let output = home
        .command(&["config", "server", "show", "--json"])
        .env("AMELIA_DURABILITY", "relaxed")
        .output()
        .unwrap();
    let shown: Value = serde_json::from_slice(&output.stdout).unwrap();
    let file = home.path().join("config/server.yaml");
    assert_eq!(shown["port"], json!({"value": 9000, "source": "file", "place": file}));
    assert_eq!(shown["auth.mode"], json!({"value": "none", "source": "file", "place": file}));
    assert_eq!(
        shown["durability"],
        json!({"value": "relaxed", "source": "environment", "place": "AMELIA_DURABILITY"})
    );
    assert_eq!(shown["host"], json!({"value": "127.0.0.1", "source": "default", "place": "built in"}));
    let lines = text(&home.command(&["config", "server", "show"]).output().unwrap().stdout);
    assert_eq!(lines.lines().count(), shown.as_object().unwrap().len());
}

#[test]
fn set_keeps_a_value_and_everything_else_in_the_file() {
    let home = Home::new();
    home.write("config/server.yaml", "# ours\nport: 9000 # the usual one\nmax_concurrent: 2\n");
    let said = home.json(&["config", "server", "set", "max_concurrent", "4"]);
    assert_eq!((&said["key"], &said["value"]), (&json!("max_concurrent"), &json!(4)));
    home.json(&["config", "server", "set", "api_key_envs", "OPENAI_API_KEY,MY_KEY"]);
    let file = std::fs::read_to_string(home.path().join("config/server.yaml")).unwrap();
    assert_eq!(
        file,
        "# ours\nport: 9000 # the usual one\nmax_concurrent: 4\napi_key_envs:\n- OPENAI_API_KEY\n- MY_KEY\n"
    );
    for (key, value) in [("port", "0"), ("port", "many"), ("colour", "red"), ("redis_url", "redis://x")] {
        let (exit, message) = home.refusal(&mut home.command(&["config", "server", "set", key, value]));
        assert_eq!(exit, 2, "{message}");
    }
    assert_eq!(std::fs::read_to_string(home.path().join("config/server.yaml")).unwrap(), file, "untouched");
}

#[test]
fn a_server_does_not_start_with_a_wrong_value() {
    let home = Home::new();
    let check = |file: &str, variable: Option<(&str, &str)>, flags: &[&str], expected: &str| {
        home.write("config/server.yaml", file);
        let mut command = home.command(&["server"]);
        command.args(flags).envs(variable);
        let (exit, message) = home.refusal(&mut command);
        assert_eq!(exit, 2, "{message}");
        assert!(message.contains(expected), "{message}");
    };
    check("# ours\nport: 70000\n", None, &[], "HOME/config/server.yaml:2:1: port: ");
    check("colour: red\n", None, &[], "HOME/config/server.yaml:1:1: colour: unknown field");
    check(
        "port: 9000\nauth: 7\n",
        None,
        &[],
        "HOME/config/server.yaml:2:1: auth: invalid type: integer `7`, expected an object (with the fields mode)",
    );
    check("port: [\n", None, &[], "HOME/config/server.yaml:");
    check("- port\n", None, &[], "HOME/config/server.yaml:1:1: must be a map of fields");
    check(
        "otlp_endpoint: 127.0.0.1:4318\n",
        None,
        &[],
        "otlp_endpoint: must be a URL that starts with https:// or http://",
    );
    check(
        "",
        Some(("AMELIA_MAX_CONCURRENT", "0")),
        &[],
        "AMELIA_MAX_CONCURRENT: max_concurrent: 0 is less than 1",
    );
    check(
        "",
        Some(("AMELIA_REDIS_URL", "redis://x")),
        &[],
        "AMELIA_REDIS_URL: redis_url: more than one server",
    );
    check("", None, &["--set", "durability=odd"], "--set: durability: unknown value `odd`");
    check("", None, &["--set", "durability"], "--set durability: expected KEY=VALUE");
    check("", None, &["--set", "odd=1"], "there is no setting `odd`");
    check(
        "",
        None,
        &["--host", "0.0.0.0", "--set", "auth.mode=none"],
        "--set: auth.mode: `none` is allowed only",
    );
    assert!(!home.path().join("amelia.db").exists(), "nothing was begun");
}

#[test]
fn a_store_elsewhere_is_found_by_every_command() {
    let home = Home::new();
    let other = tempfile::tempdir().unwrap();
    let database = other.path().join("sub/runs.db");
    home.json(&["config", "server", "set", "database_path", database.to_str().unwrap()]);
    let mut server = Server::start(&home, &mut home.command(&["server", "--port", "0"]));
    assert_eq!(home.json(&["runs"]), json!([]));
    server.stop();
    assert!(database.exists() && !home.path().join("amelia.db").exists());
}
