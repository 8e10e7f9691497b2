//! The command `amelia`: reads the command line, runs one command, says how it ended.

mod cli;
mod cli_error;
mod client;
mod commands;
mod dashboard;
mod follow;
mod outcome;
mod reach;
mod terminal;
mod ui;

use std::process::ExitCode;

fn main() -> ExitCode {
    // What this process knows, keys above all, is not for the commands that agents run to read. Where the system does
    // not know how, nothing is lost but that.
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable).ok();
    ui::stop_when_nothing_can_be_said();
    let cli = cli::parse();
    if cli.global.no_color {
        anstream::ColorChoice::Never.write_global();
    }
    match commands::run(cli) {
        Ok(exit) => exit,
        Err(error) => {
            ui::say_error(&error);
            cli_error::exit_of(&error).into()
        }
    }
}
