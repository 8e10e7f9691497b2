use amelia_core::config::server::Durability;
use serde_json::json;

use super::*;

fn built_in() -> Value {
    serde_json::to_value(wire::ServerConfig::from(ServerConfig::default())).unwrap()
}

fn said(key: &str, value: Value, source: ConfigSource) -> ConfigValue {
    ConfigValue { key: key.to_owned(), value, source }
}

fn in_file(key: &str, value: Value) -> ConfigValue {
    let tree = amelia_yaml::tree::parse(&format!("# ours\n\n{key}: {value}")).unwrap();
    said(key, value, ConfigSource::File { path: "server.yaml".into(), tree: Some(Arc::new(tree)) })
}

fn in_variable(key: &str, value: Value) -> ConfigValue {
    said(key, value, ConfigSource::Variable("AMELIA_X".to_owned()))
}

fn as_flag(key: &str, value: Value) -> ConfigValue {
    said(key, value, ConfigSource::Flag("--x".to_owned()))
}

#[test]
fn later_layers_win_and_every_value_keeps_its_source() {
    let given = vec![
        in_file("port", json!(1000)),
        in_file("host", json!("localhost")),
        in_file("auth.mode", json!("none")),
        in_variable("port", json!(2000)),
        in_variable("durability", json!("relaxed")),
        as_flag("port", json!(3000)),
    ];
    let merged = MergedConfig::of(built_in(), given);
    let words = |key| merged.source(key).word();
    assert_eq!(
        ["port", "host", "auth.mode", "durability", "max_concurrent"].map(words),
        ["flag", "file", "file", "environment", "default"]
    );
    assert_eq!(
        merged.config().unwrap(),
        ServerConfig {
            port: 3000,
            host: "localhost".to_owned(),
            auth: AuthMode::None,
            durability: Durability::Relaxed,
            ..ServerConfig::default()
        }
    );
}

#[test]
fn a_wrong_value_is_refused_with_its_source_its_place_and_its_range() {
    let cases = [
        (
            in_file("port", json!(0)),
            "server.yaml:3:1: port: 0 is not in 1..=65535 (allowed: 1 to 65535; 0 (any free port) only as an option or variable)",
        ),
        (
            in_variable("port", json!("x")),
            "AMELIA_X: port: invalid type: string \"x\", expected a whole number from 0 to 65535 (allowed: 1 to 65535; 0 (any free port) only as an option or variable)",
        ),
        (
            in_file("log_retention_max_events", json!(10)),
            "server.yaml:3:1: log_retention_max_events: 10 is less than 1000 (allowed: a whole number from 1000)",
        ),
        (
            as_flag("durability", json!("some")),
            "--x: durability: unknown value `some`, expected `full` or `relaxed` (allowed: full or relaxed)",
        ),
        (
            in_file("api_key_envs", json!(["A", "B C"])),
            "server.yaml:3:20: api_key_envs[1]: `B C` is not the name of an environment variable",
        ),
        (
            in_file("auth", json!(7)),
            "server.yaml:3:1: auth: invalid type: integer `7`, expected an object (with the fields mode)",
        ),
        (
            in_file("budgets.per_run", json!({"usd": -1})),
            "server.yaml:3:1: budgets.per_run.usd: -1.0 is not greater than 0",
        ),
    ];
    for (given, expected) in cases {
        assert_eq!(MergedConfig::of(built_in(), vec![given]).config().unwrap_err(), expected);
    }
    let unknown = MergedConfig::of(built_in(), vec![in_file("colour", json!(1)), in_file("size", json!(2))]);
    let lines = unknown.config().unwrap_err();
    assert!(
        lines.lines().count() == 2 && lines.starts_with("server.yaml:3:1: colour: unknown field"),
        "{lines}"
    );
}

#[test]
fn a_rule_over_two_layers_names_one_of_them() {
    let given = vec![in_file("host", json!("0.0.0.0")), in_variable("auth.mode", json!("none"))];
    let lines = MergedConfig::of(built_in(), given).config().unwrap_err();
    assert!(
        lines.starts_with("AMELIA_X: auth.mode: `none` is allowed only on a loopback address"),
        "{lines}"
    );
}

#[test]
fn what_would_have_no_effect_is_refused() {
    let cases = [("auth.mode", json!("jwt")), ("redis_url", json!("redis://127.0.0.1"))];
    for (key, value) in cases {
        let mut given = vec![in_file(key, value)];
        if key == "auth.mode" {
            given.push(in_file("auth.secret_env", json!("A_SECRET")));
        }
        let lines = MergedConfig::of(built_in(), given).config().unwrap_err();
        assert!(
            lines.starts_with(&format!("server.yaml:3:1: {key}: ")) && lines.contains("not supported yet"),
            "{lines}"
        );
    }
}

#[test]
fn any_free_port_is_taken_only_when_it_is_asked_for_now() {
    let port = |given| MergedConfig::of(built_in(), vec![given]).config().map(|config| config.port);
    assert_eq!(port(as_flag("port", json!(0))), Ok(0));
    assert_eq!(port(in_variable("port", json!(0))), Ok(0));
    assert!(port(in_file("port", json!(0))).is_err());
}

#[test]
fn every_field_can_be_set_from_text() {
    let document = built_in();
    let known: Vec<&str> = FIELDS.iter().map(|field| field.key).collect();
    for (name, value) in document.as_object().unwrap() {
        let parts = value.as_object().filter(|parts| !parts.is_empty());
        let keys: Vec<String> = match parts {
            None => vec![name.clone()],
            Some(parts) => parts.keys().map(|part| format!("{name}.{part}")).collect(),
        };
        for key in keys {
            assert!(known.contains(&key.as_str()), "{key}");
        }
    }
}
