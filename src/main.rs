//! The `fencepost` binary: everything is in `fencepost::cli`.

fn main() -> fencepost::cli::Exit {
    fencepost::cli::main(std::env::args_os())
}
