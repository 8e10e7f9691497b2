//! The commands that `docs/workflows.md` shows for trying workflows without a key, run as they are written.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Output, Stdio};

use crate::workflow_examples::examples;
use crate::workflow_limits::WORKING;
use crate::workflows::{exit, said};
use crate::world::World;

/// The commands below a heading, in their order.
fn commands(heading: &str) -> Vec<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/workflows.md");
    let text = std::fs::read_to_string(file).unwrap();
    let section = text.split_once(&format!("\n{heading}\n")).unwrap().1;
    let section = section.split("\n#").next().unwrap();
    section.lines().filter_map(|line| line.strip_prefix("    ")).map(str::to_owned).collect()
}

/// The port that the pages and the examples name.
const DOCUMENTED_PORT: &str = "8899";

/// The model that the first command serves, in the clone of Amelia, on a port that is free here. Ends with the test.
struct ServedModel {
    process: Child,
    port: String,
}

impl ServedModel {
    fn start(world: &World, command: &str) -> Self {
        assert!(command.starts_with("amelia model serve ") && command.contains(DOCUMENTED_PORT), "{command}");
        let clone = examples().join("../..");
        let mut shell = shell(world, &format!("exec {}", command.replace(DOCUMENTED_PORT, "0")));
        let mut process = shell.current_dir(clone).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let port = line.split("127.0.0.1:").nth(1).expect(&line);
        let port = port.chars().take_while(char::is_ascii_digit).collect();
        Self { process, port }
    }
}

impl Drop for ServedModel {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// A shell in which `amelia` is the program under test.
fn shell(world: &World, command: &str) -> std::process::Command {
    let program = Path::new(env!("CARGO_BIN_EXE_amelia")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut shell = std::process::Command::new("sh");
    world.outfit(&mut shell);
    shell.args(["-c", command]).env("PATH", path);
    shell
}

fn run(world: &World, command: &str) -> Output {
    let clone = examples().join("../..").canonicalize().unwrap();
    shell(world, &command.replace("PATH_TO_AMELIA", clone.to_str().unwrap())).output().unwrap()
}

/// The copied examples ask the model at another port.
fn replace_port(world: &World, before: &str, after: &str) {
    let sed = format!("find .amelia -type f -exec sed -i s/{before}/{after}/ {{}} +");
    assert_eq!(exit(&run(world, &sed)), 0);
}

/// One test for both sections: the second continues where the first ends.
#[test]
fn the_documented_commands_run_the_examples() {
    let world = World::new(WORKING);
    let [serve, copy, essay] = <[String; 3]>::try_from(commands("## Try it without a key")).unwrap();
    let model = ServedModel::start(&world, &serve);
    assert_eq!(exit(&run(&world, &copy)), 0);
    replace_port(&world, DOCUMENTED_PORT, &model.port);
    let asked = run(&world, &essay);
    assert_eq!(exit(&asked), 6, "{}", said(&asked));
    assert!(said(&asked).contains("Publish it with a score of 0.9?"), "{}", said(&asked));
    assert_eq!(exit(&run(&world, "amelia cancel")), 0);

    let guide = commands("### Three agents and an MCP server");
    let [serve, list, trust, tools, validate, start, diff] = <[String; 7]>::try_from(guide).unwrap();
    let next = ServedModel::start(&world, &serve);
    replace_port(&world, &model.port, &next.port);
    for (command, expected) in [
        (list, "(not trusted: amelia trust)"),
        (trust, "trusted"),
        (tools, "library:find"),
        (validate, "valid"),
        (start, "The Nile is about 6650 km long."),
        (diff, "+Rivers are long, and none is longer than the Nile (6650 km)."),
    ] {
        let output = run(&world, &command);
        let said = said(&output);
        assert!(exit(&output) == 0 && said.contains(expected), "{command}: {said}");
    }
}
