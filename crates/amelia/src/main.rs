//! The command `amelia`: reads the command line, runs one command, says how it ended.

mod after_failure;
mod after_rounds;
mod cli;
mod cli_error;
mod client;
mod commands;
mod dashboard;
mod event_line;
mod findings;
mod follow;
mod outcome;
mod reach;
mod reviewed;
mod rpc;
mod terminal;
mod ui;
mod usage_error;
mod wrap;

use std::process::ExitCode;

fn main() -> ExitCode {
    // What this process knows, keys above all, is not for the commands that agents run to read. Where the system does
    // not know how, nothing is lost but that.
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable).ok();
    ui::stop_when_nothing_can_be_said();
    commands::completions::answer_shell();
    // What is wrong with the command line has no colours, either.
    if usage_error::is_given("--no-color") {
        anstream::ColorChoice::Never.write_global();
    }
    let cli = match cli::parse() {
        Ok(cli) => cli,
        Err(error) => usage_error::refuse(error),
    };
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
