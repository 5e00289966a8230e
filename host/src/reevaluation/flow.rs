pub(super) fn _x() {}
