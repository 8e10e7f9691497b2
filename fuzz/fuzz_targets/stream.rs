//! The answer of a model server, in any pieces, read as each of the three wires: never a panic, and the pieces do not
//! matter.
#![no_main]

use amelia_drivers::fuzzing::{WIRES, read};
use libfuzzer_sys::fuzz_target;

// The first byte chooses the wire, the second the size of the pieces.
fuzz_target!(|input: &[u8]| {
    let [wire, piece, bytes @ ..] = input else { return };
    let wire = WIRES[usize::from(*wire) % WIRES.len()];
    let whole = read(wire, bytes, bytes.len().max(1));
    let in_pieces = read(wire, bytes, usize::from(*piece) + 1);
    assert_eq!(whole, in_pieces);
});
