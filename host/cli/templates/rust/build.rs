fn main() {
    adjudicate_guest::build::main();
}
