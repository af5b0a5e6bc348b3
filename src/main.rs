//! The `fencepost` binary: everything is in `fencepost::cli`.

/// States of a proof are cloned and dropped by the million, in small pieces.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> fencepost::cli::Exit {
    fencepost::cli::main(std::env::args_os())
}
