//! `amelia do`, as a process, against the scripted model: real git, real files, real commands.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::panic,
    dead_code,
    reason = "helpers of tests"
)]

mod acp;
mod bad;
mod checkpoints;
mod codex;
mod commands;
mod disks;
mod editing;
mod fixing;
mod guardrails;
mod helping;
mod holding;
mod interrupting;
mod kills;
mod limits;
mod mcp;
mod mcp_asking;
mod mcp_failing;
mod mcp_images;
mod mcp_of_repository;
mod mcp_passed_on;
mod mcp_serving;
mod mcp_signing_in;
mod permissions;
#[path = "../../../amelia-drivers/tests/it/programs.rs"]
mod programs;
mod programs_asking;
mod programs_failing;
mod programs_writing;
mod providers;
mod repositories;
mod secrets;
#[path = "../crew/stdio_peer.rs"]
mod stdio_peer;
mod team_acp;
mod team_artifacts;
mod team_consolidation;
mod team_events;
mod team_examples;
mod team_memory;
mod team_patterns;
mod team_people;
mod team_plans;
mod team_profiles;
mod team_steps;
mod team_tools;
mod workflow_answers;
mod workflow_commands;
mod workflow_documented;
mod workflow_examples;
mod workflow_limits;
mod workflow_patterns;
mod workflow_places;
mod workflow_visits;
mod workflows;
mod world;
