//! A number from bytes, the same on every machine and in every version: ids, signatures, embeddings. Not for secrets.

/// FNV-1a, then mixed so that near inputs give far numbers.
pub(crate) fn of(bytes: &[u8]) -> u64 {
    let fnv = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    mixed(fnv)
}

/// The finisher of splitmix64.
pub(crate) fn mixed(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// What the model signs its thinking with: a client that changes either is found out.
pub(crate) fn signature(thinking: &str) -> String {
    format!("scripted-{:016x}", of(thinking.as_bytes()))
}
