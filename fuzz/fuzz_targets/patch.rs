//! A patch and a file: the patch is refused or applied, in either format, and what comes out is made of what went in.
#![no_main]

use amelia_tools::fuzzing::patched;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &str| {
    // The first line of four dashes ends the file and begins the patch.
    let (file, patch) = input.split_once("\n----\n").unwrap_or(("one\ntwo\nthree\n", input));
    for text in patched(file, patch).into_iter().flatten() {
        // Each line may get a carriage return, and the last one a line end.
        assert!(text.len() <= file.len() + 2 * patch.len() + 1, "{text:?}");
    }
});
