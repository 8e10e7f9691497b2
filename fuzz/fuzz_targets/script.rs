//! A script of the scripted model: sound, or refused with what is wrong with it.
#![no_main]

use amelia_scripted::Script;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Err(error) = Script::parse(text) {
        assert!(!error.to_string().is_empty());
    }
});
