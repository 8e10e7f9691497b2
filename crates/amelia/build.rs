//! Puts the dashboard into the program, as `make dashboard` has left it in `dashboard/dist`. Without it the program is
//! built all the same, and says what is missing where the dashboard would be.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    link_for_size();
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let dist = here.join("../../dashboard/dist");
    // A directory that is not there would make every build a new one.
    fs::create_dir_all(&dist).ok();
    println!("cargo::rerun-if-changed={}", dist.display());
    println!("cargo::rerun-if-changed=build.rs");
    let mut files = Vec::new();
    if dist.join("index.html").exists() {
        collect(&dist, &mut files)?;
    }
    files.sort();
    let mut table = "&[".to_owned();
    for file in &files {
        let name = file.strip_prefix(&dist).unwrap_or(file);
        let path = file.canonicalize()?;
        // Both as Rust writes them, with any characters in a name.
        write!(table, "({:?}, include_bytes!({:?})),", name.to_string_lossy(), path.to_string_lossy())
            .map_err(io::Error::other)?;
    }
    table.push(']');
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("dashboard.rs"), table)
}

/// Functions that were compiled to the same bytes are stored once, and relocations as a bitmap: half a megabyte and two.
/// Only where `rust-lld` is the default linker: others do not know the options.
fn link_for_size() {
    let is = |name: &str, value: &str| env::var(name).as_deref() == Ok(value);
    let has_lld = is("TARGET", "x86_64-unknown-linux-gnu");
    if !has_lld || !is("PROFILE", "release") {
        return;
    }
    println!("cargo::rustc-link-arg-bins=-Wl,--icf=all");
    if can_load_bitmaps() {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// Whether the C library of this machine starts programs whose relocations are bitmaps: glibc since 2.36.
fn can_load_bitmaps() -> bool {
    let said = Command::new("getconf").arg("GNU_LIBC_VERSION").output().map(|output| output.stdout);
    let said = String::from_utf8(said.unwrap_or_default()).unwrap_or_default();
    let version = said.trim().strip_prefix("glibc ").and_then(|version| version.split_once('.'));
    version.and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)))
        >= Some((2_u32, 36_u32))
}

/// Everything that is sent: of a file and its `.gz` only one.
fn collect(dir: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if is_sent(&path) {
            files.push(path);
        }
    }
    Ok(())
}

/// Pages go out plain, because something is put into them each time; everything else as small as it can be had.
fn is_sent(path: &Path) -> bool {
    let name = path.to_string_lossy();
    match name.strip_suffix(".gz") {
        Some(plain) => !plain.ends_with(".html"),
        None => name.ends_with(".html") || !PathBuf::from(format!("{name}.gz")).exists(),
    }
}
