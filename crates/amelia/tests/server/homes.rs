//! What stands in the way of a server: another one on the port, another one in the home, a home of tomorrow.

use std::io::{Seek as _, Write as _};
use std::net::TcpListener;

use crate::process::{Home, Server};

#[test]
fn a_port_in_use_by_a_server_of_ours_is_refused_with_its_version_and_process() {
    let (first, second) = (Home::new(), Home::new());
    let server = Server::start(&first, &mut first.command(&["server", "--port", "0"]));
    let port = server.address.rsplit_once(':').unwrap().1;
    let (exit, message) = second.refusal(&mut second.command(&["server", "--port", port]));
    assert_eq!(exit, 5, "{message}");
    let who =
        format!("an Amelia server (version {}, process {})", env!("CARGO_PKG_VERSION"), server.child.id());
    assert!(message.contains(&who) && message.contains("hint: use another --port"), "{message}");
}

#[test]
fn a_port_in_use_by_another_program_is_refused() {
    let home = Home::new();
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = other.local_addr().unwrap().port().to_string();
    let answering = std::thread::spawn(move || {
        let (mut stream, _) = other.accept().unwrap();
        stream.write_all(b"220 mail.test ready\r\n").unwrap();
    });
    let (exit, message) = home.refusal(&mut home.command(&["server", "--port", &port]));
    assert_eq!(exit, 5, "{message}");
    assert!(message.contains("another program listens there"), "{message}");
    answering.join().unwrap();
}

#[test]
fn a_home_in_use_is_refused_with_the_process_that_has_it() {
    let home = Home::new();
    let server = Server::start(&home, &mut home.command(&["server", "--port", "0"]));
    let (exit, message) = home.refusal(&mut home.command(&["server", "--port", "0"]));
    assert_eq!(exit, 5, "{message}");
    let who = format!("(process {})", server.child.id());
    assert!(message.contains("a server already uses this home: http://127.0.0.1:"), "{message}");
    assert!(message.contains(&who), "{message}");
}

#[test]
fn a_home_made_by_a_newer_version_is_refused_and_left_as_it_is() {
    let home = Home::new();
    Server::start(&home, &mut home.command(&["server", "--port", "0"])).stop();
    let file = home.path().join("amelia.db");
    // Where SQLite keeps `user_version`.
    let mut open = std::fs::File::options().write(true).open(&file).unwrap();
    open.seek(std::io::SeekFrom::Start(60)).unwrap();
    open.write_all(&99_u32.to_be_bytes()).unwrap();
    drop(open);
    let before = std::fs::read(&file).unwrap();
    for arguments in [&["server", "--port", "0"][..], &["runs"]] {
        let (exit, message) = home.refusal(&mut home.command(arguments));
        assert_eq!(exit, 1, "{message}");
        assert!(
            message.contains("HOME/amelia.db was written by a newer version (schema 99,")
                && message.contains("hint: use that version, or another home"),
            "{message}"
        );
    }
    assert_eq!(std::fs::read(&file).unwrap(), before);
}

#[test]
fn a_server_whose_home_was_removed_ends() {
    let home = Home::new();
    let mut server = Server::start(&home, &mut home.command(&["server", "--port", "0"]));
    std::fs::remove_dir_all(home.path()).unwrap();
    let since = std::time::Instant::now();
    let status = loop {
        if let Some(status) = server.child.try_wait().unwrap() {
            break status;
        }
        assert!(since.elapsed() < std::time::Duration::from_secs(20), "it is still there");
        std::thread::sleep(std::time::Duration::from_millis(50));
    };
    assert_eq!(status.code(), Some(1));
}

#[test]
fn a_server_in_the_background_inherits_no_descriptors() {
    let home = Home::new();
    let held = home.path().join("held");
    let command = home.command(&["dashboard", "--print"]);
    let mut shell = std::process::Command::new("sh");
    shell
        .args(["-c", "exec 9>\"$0\"; exec \"$@\""])
        .arg(&held)
        .arg(command.get_program())
        .args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{}", crate::process::text(&output.stderr));
    let known = std::fs::read_to_string(home.path().join("server.json")).unwrap();
    let pid = serde_json::from_str::<serde_json::Value>(&known).unwrap()["pid"].to_string();
    let open = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap();
    let inherited =
        open.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok()).any(|path| path == held);
    let status = home.command(&["server", "status", "--json"]).output().unwrap();
    let status: serde_json::Value = serde_json::from_slice(&status.stdout).unwrap();
    assert_eq!(status["process_id"].to_string(), pid);
    assert_eq!(status["version"], env!("CARGO_PKG_VERSION"));
    let shown = home.command(&["server", "status"]).output().unwrap();
    assert!(crate::process::text(&shown.stdout).contains("address  http://"), "{shown:?}");
    let stopped = home.command(&["server", "stop"]).output().unwrap();
    let told = crate::process::text(&stopped.stdout);
    assert!(told.starts_with("stopped the server at http://") && !told.contains("runs"), "{told}");
    let none = home.command(&["server", "status"]).output().unwrap();
    assert_eq!(none.status.code(), Some(3), "{none:?}");
    assert!(stopped.status.success() && !inherited, "the file of the shell is open in the server");
}

#[test]
fn a_command_says_once_that_the_server_is_of_another_build() {
    let home = Home::new();
    let _server = Server::start(&home, &mut home.command(&["server", "--port", "0"]));
    let copy = home.path().join("amelia-copy");
    std::fs::copy(env!("CARGO_BIN_EXE_amelia"), &copy).unwrap();
    let said = |more: &[&str]| {
        let output = home.command_of(&copy, &["status"]).args(more).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(said(&[]), "", "the same program elsewhere");
    // As if it was built again.
    std::fs::File::options().append(true).open(&copy).unwrap().write_all(b"new").unwrap();
    let told = said(&[]);
    assert_eq!(told.matches("runs another build of amelia").count(), 1, "{told}");
    assert!(told.contains("hint: run `amelia server stop`"), "{told}");
    assert_eq!(said(&["--quiet"]), "");
}
