//! The command `amelia`: reads the command line, runs one command, says how it ended.

mod after_failure;
mod cli;
mod cli_error;
mod client;
mod commands;
mod dashboard;
mod event_line;
mod follow;
mod outcome;
mod reach;
mod rpc;
mod terminal;
mod ui;
mod wrap;

use std::process::ExitCode;

use amelia_core::problem::Problem;

use crate::cli_error::Exit;

fn main() -> ExitCode {
    // What this process knows, keys above all, is not for the commands that agents run to read. Where the system does
    // not know how, nothing is lost but that.
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable).ok();
    ui::stop_when_nothing_can_be_said();
    commands::completions::answer_shell();
    let cli = match cli::parse() {
        Ok(cli) => cli,
        Err(error) => refuse(&error),
    };
    if cli.global.no_color {
        anstream::ColorChoice::Never.write_global();
    }
    let is_json = cli.global.json;
    match commands::run(cli) {
        Ok(exit) => exit,
        Err(error) => {
            let exit = cli_error::exit_of(&error);
            match is_json {
                true => ui::say_error_as_json(exit.code(), &cli_error::problem_of(&error)),
                false => ui::say_error(&error),
            }
            exit.into()
        }
    }
}

/// Says what is wrong with the command line, as JSON if it asks for that, or prints the help that it asks for.
fn refuse(error: &clap::Error) -> ! {
    if error.use_stderr() && std::env::args_os().any(|word| word == "--json") {
        let text = error.render().to_string();
        // Usage and the way to the help come after an empty line.
        let message = text.split("\n\n").next().unwrap_or_default();
        let message = message.strip_prefix("error: ").unwrap_or(message);
        ui::say_error_as_json(Exit::Usage.code(), &Problem::new(message).with_hint("see --help"));
        std::process::exit(error.exit_code());
    }
    error.exit()
}
