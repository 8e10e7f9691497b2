//! Graphs in which agents work, one folder or file each.

pub mod single;
