//! What a failing check needs and this machine does not have, from what it printed. Counts only what no agent of a run
//! could write: a path may be a file, and a module of Python a part of the repository, that is still to come.

use super::CheckResult;

/// What a shell exits with when it does not find a program.
const NOT_FOUND: i32 = 127;

/// What is run as `python3 -m …` and comes with no repository of its own.
const PYTHON_TOOLS: [&str; 14] = [
    "bandit", "behave", "black", "coverage", "flake8", "isort", "mypy", "nose2", "nox", "pylint", "pyright",
    "pytest", "ruff", "tox",
];

/// How shells and other programs quote a name.
const QUOTES: [char; 5] = ['\'', '"', '`', '‘', '’'];

pub(super) fn missing_program(check: &CheckResult) -> Option<&str> {
    let code = check.exit_code.filter(|_| !check.passed)?;
    // What ended the check is printed last.
    let lines = || check.output.lines().rev().map(str::trim_end);
    let name = lines().find_map(|line| by_runner(check, line)).or_else(|| {
        let is_not_found = code == NOT_FOUND || lines().any(is_not_found_by_make);
        lines().find_map(by_shell).filter(|_| is_not_found)
    })?;
    (!name.is_empty() && !name.contains('/')).then_some(name)
}

/// What a program that runs others says about one that it does not have, with an exit code of its own.
fn by_runner<'a>(check: &CheckResult, line: &'a str) -> Option<&'a str> {
    let named = |prefix: &str| line.strip_prefix(prefix).map(unquoted);
    // The words alone could be those of a program that is tested, so each needs a second sign of its runner.
    let by_cargo = || named("error: no such command: ").filter(|_| check.output.contains("`cargo --list`"));
    let by_uv = || named("error: Failed to spawn: ").filter(|_| check.command.contains("uv "));
    let by_poetry = || named("Command not found: ").filter(|_| check.command.contains("poetry "));
    by_python(line).or_else(by_cargo).or_else(by_uv).or_else(by_poetry)
}

/// `/usr/bin/python3: No module named pytest`
fn by_python(line: &str) -> Option<&str> {
    let (program, module) = line.split_once(": No module named ")?;
    let is_python = program.rsplit('/').next()?.starts_with("python");
    Some(unquoted(module)).filter(|module| is_python && PYTHON_TOOLS.contains(module))
}

/// `sh: 1: pytest: not found`, `bash: line 1: pytest: command not found`, `bundler: command not found: rspec`,
/// `env: 'node': No such file or directory`
fn by_shell(line: &str) -> Option<&str> {
    if let Some((_, name)) = line.split_once(": command not found: ") {
        return Some(unquoted(name));
    }
    let of_file = || line.strip_suffix(": No such file or directory").filter(|_| starts_programs(line));
    let before = line.strip_suffix(": not found").or_else(|| line.strip_suffix(": command not found"));
    Some(unquoted(before.or_else(of_file)?.rsplit(": ").next()?))
}

/// Whether a line comes from a program that starts others. What it does not find is a program, not just a file.
fn starts_programs(line: &str) -> bool {
    let program = line.split([':', '[']).next().and_then(|path| path.rsplit('/').next());
    program.is_some_and(|program| ["env", "make"].contains(&program))
}

/// `make: *** [Makefile:2: test] Error 127`: it exits with a code of its own.
fn is_not_found_by_make(line: &str) -> bool {
    line.starts_with("make") && line.ends_with("] Error 127")
}

fn unquoted(name: &str) -> &str {
    name.trim().trim_matches(QUOTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(command: &str, exit_code: i32, output: &str) -> Option<String> {
        let check = CheckResult {
            command: command.to_owned(),
            exit_code: Some(exit_code),
            output: output.to_owned(),
            ..CheckResult::default()
        };
        missing_program(&check).map(str::to_owned)
    }

    #[test]
    fn a_program_that_no_shell_finds_is_known_by_its_name() {
        for (exit_code, output, expected) in [
            (127, "sh: 1: pytest: not found\n", Some("pytest")),
            (127, "bash: line 1: cargo: command not found", Some("cargo")),
            (127, "bundler: command not found: rspec\n", Some("rspec")),
            (127, "/usr/bin/env: ‘node’: No such file or directory\n", Some("node")),
            (2, "/bin/sh: 1: jest: not found\nmake: *** [Makefile:2: test] Error 127\n", Some("jest")),
            (2, "make: jest: No such file or directory\nmake: *** [test] Error 127\n", Some("jest")),
            (2, "make: *** [Makefile:2: test] Error 1\n", None),
            (127, "sh: 1: ./test.sh: not found\n", None),
            (127, "cat: notes: No such file or directory\n", None),
            (1, "sh: 1: pytest: not found\n", None),
            (127, "no reason", None),
        ] {
            assert_eq!(of("test", exit_code, output).as_deref(), expected, "{exit_code}: {output}");
        }
    }

    #[test]
    fn a_tool_that_a_runner_does_not_have_is_known_by_its_name() {
        let no_cargo_command =
            "error: no such command: `nextest`\n\nhelp: view all installed commands with `cargo --list`\n";
        for (command, exit_code, output, expected) in [
            ("python3 -m pytest", 1, "/usr/bin/python3: No module named pytest\n", Some("pytest")),
            ("make", 2, "python: No module named 'ruff'\nmake: *** [lint] Error 1\n", Some("ruff")),
            ("cargo nextest run", 101, no_cargo_command, Some("nextest")),
            ("uv run pytest", 2, "error: Failed to spawn: `pytest`\n  Caused by: …\n", Some("pytest")),
            ("poetry run pytest", 1, "Command not found: pytest\n", Some("pytest")),
            // What the repository itself says, imports or still lacks is its own matter.
            ("python3 -m calc.tests", 1, "/usr/bin/python3: No module named calc.tests\n", None),
            ("python3 -m pytest", 1, "ModuleNotFoundError: No module named 'requests'\n", None),
            ("./test.sh", 1, "Command not found: pytest\n", None),
            ("./test.sh", 1, "error: no such command: `fly`\n", None),
            ("python3 -m pytest", 1, "1 failed\n", None),
        ] {
            assert_eq!(of(command, exit_code, output).as_deref(), expected, "{command}: {output}");
        }
    }

    #[test]
    fn a_check_that_passed_or_was_killed_lacks_nothing() {
        let output = "python3: No module named pytest\n".to_owned();
        let passed = CheckResult { exit_code: Some(0), passed: true, output, ..CheckResult::default() };
        assert_eq!(missing_program(&passed), None);
        assert_eq!(missing_program(&CheckResult { passed: false, exit_code: None, ..passed }), None);
    }
}
