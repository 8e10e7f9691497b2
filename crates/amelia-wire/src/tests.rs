//! Snapshots of every shape and name, and what is refused on the way in.

mod config;
mod events;
mod folds;
mod rest;
mod schemas;
mod shapes;
mod trace;
mod typescript;
