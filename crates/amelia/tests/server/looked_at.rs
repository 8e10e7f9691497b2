//! What a browser needs of a server: its link, its token, and the machine behind it.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::process::{Home, Server, text};

pub(crate) fn signed_in(home: &Home) -> String {
    let token = std::fs::read_to_string(home.path().join("token")).unwrap();
    format!("authorization: Bearer {token}\r\n")
}

fn put(server: &Server, home: &Home, body: &Value) -> (u16, Value) {
    server.send("PUT", "/api/settings/server", &signed_in(home), body)
}

#[test]
fn the_link_of_the_dashboard_signs_in_and_a_new_token_ends_the_old_one() {
    let home = Home::new();
    let server = Server::start(&home, &mut home.command(&["server", "--port", "0"]));
    let output = home.command(&["dashboard", "--print"]).output().unwrap();
    let link = text(&output.stdout).trim().to_owned();
    let path = link.strip_prefix(&format!("http://{}", server.address)).unwrap_or_else(|| panic!("{link}"));
    assert_eq!(server.ask("GET", path, "").0, 303);
    assert!(path.ends_with("&next=/ui/"), "{path}");

    let old = signed_in(&home);
    let shown = home.json(&["token", "show"])["token"].as_str().unwrap().to_owned();
    assert_eq!(old, format!("authorization: Bearer {shown}\r\n"));
    let new = home.json(&["token", "rotate"])["token"].as_str().unwrap().to_owned();
    assert_ne!(new, shown);
    assert_eq!(server.ask("GET", "/api/workflows", &old).0, 401);
    assert_eq!(server.ask("GET", "/api/workflows", &signed_in(&home)).0, 200);
    assert_eq!(signed_in(&home), format!("authorization: Bearer {new}\r\n"));
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &std::fs::metadata(home.path().join("token")).unwrap().permissions(),
    );
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_token_is_shown_and_replaced_where_no_server_is() {
    let home = Home::new();
    let first = home.json(&["token", "show"]);
    assert_eq!(home.json(&["token", "show"]), first);
    let second = home.json(&["token", "rotate"]);
    assert_ne!(second, first);
    assert_eq!(home.json(&["token", "show"]), second);
}

#[test]
fn a_server_in_the_foreground_says_where_its_dashboard_is() {
    use std::io::BufRead as _;
    let home = Home::new();
    let mut command = home.command(&["server", "--port", "0"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let lines = std::io::BufReader::new(child.stdout.take().unwrap()).lines();
    let said: Vec<String> = lines.take(2).map(Result::unwrap).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    let token = std::fs::read_to_string(home.path().join("token")).unwrap();
    assert!(said[1].contains("/ui/ (`") && said[1].contains("dashboard` opens it signed in"), "{said:?}");
    assert!(!said.concat().contains(&token), "it may be kept in a file: {said:?}");
}

#[test]
fn the_dashboard_opens_in_the_browser_that_was_named_or_is_printed() {
    let home = Home::new();
    let _server = Server::start(&home, &mut home.command(&["server", "--port", "0"]));
    let run = |browser: &str| {
        let output = home.command(&["dashboard"]).env("BROWSER", browser).output().unwrap();
        text(&output.stdout)
    };
    assert!(run("true").contains("opens in your browser"));
    for broken in ["false", "/no/such/program"] {
        assert!(run(broken).contains("/session?code="), "{broken}");
    }
    let token = std::fs::read_to_string(home.path().join("token")).unwrap();
    let arguments = home.path().join("arguments");
    let browser = home.path().join("browser");
    std::fs::write(&browser, format!("#!/bin/sh\necho \"$@\" > {}\n", arguments.display())).unwrap();
    std::fs::set_permissions(&browser, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    run(browser.to_str().unwrap());
    let given = std::fs::read_to_string(arguments).unwrap();
    assert!(given.contains("/session?code=") && !given.contains(&token), "{given}");
}

#[test]
fn the_doctor_of_a_server_is_asked_about_a_repository_and_else_looks_at_that_of_the_active_profile() {
    let home = Home::new();
    let server = Server::start(&home, &mut home.command(&["server", "--port", "0"]));
    let sample = home.path().join("sample");
    let git = |arguments: &[&str]| {
        let made = Command::new("git").arg("-C").arg(home.path()).args(arguments).status().unwrap();
        assert!(made.success(), "{arguments:?}");
    };
    git(&["init", "--quiet", "sample"]);
    git(&["-C", "sample", "config", "user.name", "Sample"]);
    git(&["-C", "sample", "config", "user.email", "sample@example.org"]);
    let identity = |query: &str| {
        let (_, body) = server.ask("GET", &format!("/api/doctor{query}"), &signed_in(&home));
        let check = body["checks"].as_array().unwrap().iter().find(|check| check["name"] == "identity");
        check.unwrap()["message"].as_str().unwrap().to_owned()
    };
    let root = sample.canonicalize().unwrap();
    let expected = format!("commits in {} are by Sample <sample@example.org>", root.display());
    assert_ne!(identity(""), expected, "nothing was asked about");
    assert_eq!(identity(&format!("?worktree_path={}", sample.display())), expected);
    let developer = json!({"driver": "claude", "model": "opus"});
    let profile = json!({"name": "work", "repo_root": sample, "agents": {"developer": developer}});
    let (status, made) = server.send("POST", "/api/profiles", &signed_in(&home), &profile);
    assert_eq!(status, 201, "{made}");
    let (status, _) = server.send("POST", "/api/profiles/work/activate", &signed_in(&home), &json!({}));
    assert_eq!(status, 200);
    assert_eq!(identity(""), expected);
}

#[test]
fn the_machine_behind_a_server_is_shown() {
    let home = Home::new();
    let mut command = home.command(&["server", "--port", "0", "--set", "log_retention_days=3"]);
    let server = Server::start(&home, &mut command);
    let get = |path: &str| server.ask("GET", path, &signed_in(&home));

    let (status, body) = get("/api/doctor");
    assert_eq!(status, 200);
    let names: Vec<&str> =
        body["checks"].as_array().unwrap().iter().map(|check| check["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"git") && names.contains(&"server") && names.contains(&"disk"), "{names:?}");

    let sample = home.path().join("sample");
    let made = Command::new("git").args(["init", "--quiet"]).arg(&sample).status().unwrap();
    assert!(made.success());
    let (_, look) = get(&format!("/api/repositories/look?path={}", home.path().join("sam").display()));
    assert_eq!(look["suggestions"], json!([sample.to_str().unwrap()]));
    assert_eq!(get("/api/repositories/look?path=%00half").0, 200);

    let (status, body) = get("/api/issues");
    assert_eq!((status, &body["error"]["code"]), (422, &json!("INVALID")), "no profile is active: {body}");

    let (_, body) = get("/api/settings/server");
    let value = |body: &Value, key: &str| {
        body["items"].as_array().unwrap().iter().find(|value| value["key"] == key).unwrap().clone()
    };
    let port: u16 = server.address.rsplit(':').next().unwrap().parse().unwrap();
    assert_eq!(value(&body, "port")["value"], json!(port), "the one that it listens on");
    let days = value(&body, "log_retention_days");
    assert_eq!(
        days,
        json!({"key": "log_retention_days", "value": 3, "source": "flag", "source_name": "--set", "next": null})
    );

    let change = json!({"values": {"max_concurrent": 9, "port": 70_000}});
    let (status, body) = put(&server, &home, &change);
    assert_eq!((status, &body["error"]["details"]["problems"][0]["path"]), (422, &json!("port")), "{body}");
    assert!(!home.path().join("config/server.yaml").exists(), "all or nothing");
    let (status, body) = put(&server, &home, &json!({"values": {"nonsense": 1}}));
    assert_eq!((status, &body["error"]["details"]["problems"][0]["path"]), (422, &json!("nonsense")));
    let change = json!({"values": {"max_concurrent": 9, "budgets.per_run": {"usd": 2.5}}});
    let (status, body) = put(&server, &home, &change);
    assert_eq!(status, 200, "{body}");
    let most = value(&body, "max_concurrent");
    assert_eq!((&most["value"], &most["source"], &most["next"]), (&json!(5), &json!("default"), &json!(9)));
    let (status, body) = put(&server, &home, &json!({"values": {"max_concurrent": null}}));
    assert_eq!((status, &value(&body, "max_concurrent")["next"]), (200, &Value::Null));
    let kept = std::fs::read_to_string(home.path().join("config/server.yaml")).unwrap();
    assert_eq!(kept, "budgets:\n  per_run:\n    usd: 2.5\n");
}
