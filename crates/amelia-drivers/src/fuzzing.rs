//! What the fuzz targets may see of the private parts. In no other build.

pub use crate::model::fuzzing::{WIRES, read};
