//! A file with the name of a secret must neither change nor be an artifact.
//!
//! The names are those of keys, credentials and environments. If the changed files are unknown, a human decides.
//!
//! The module never names a next step and does not check whether tests ran. Run it beside the engine (`--restrict`),
//! which does both.

const std = @import("std");

/// The number of the operation `evaluate`.
const evaluate_operation = 1;
/// The largest input: 8 MiB.
const longest_input = 8 << 20;

/// The fields that this policy reads. The engine beside it checks the others.
const Envelope = struct {
    allowed_next_steps: []const []const u8,
    evidence: struct {
        workspace_diff_summary: []const u8,
        artifacts: []const []const u8,
        diff: ?struct {
            files: []const struct { path: []const u8, from: ?[]const u8 = null },
        } = null,
    },
};

/// The envelope is a field of the call, or the whole call.
const Call = struct { envelope: ?Envelope = null };

/// The memory of the input and of the call. It is freed when the call ends.
var scratch: std.heap.ArenaAllocator = .init(std.heap.page_allocator);
/// The memory of the latest reply. It stays until the next call.
var replies: std.heap.ArenaAllocator = .init(std.heap.page_allocator);
/// The record that the host reads: address and length of the reply.
var record: extern struct { address: u32 = 0, length: u32 = 0 } = .{};

export fn adjudicate_abi_1() i32 {
    return 0;
}

export fn adjudicate_alloc(length: u32) u32 {
    if (length > longest_input) return 0;
    // An empty input also needs an address.
    const buffer = scratch.allocator().alloc(u8, @max(length, 1)) catch return 0;
    return address_of(buffer.ptr);
}

export fn adjudicate_call(operation: i32, address: u32, length: u32) u32 {
    _ = replies.reset(.retain_capacity);
    const input = if (length == 0) "" else @as([*]const u8, @ptrFromInt(address))[0..length];
    var out: std.Io.Writer.Allocating = .init(replies.allocator());
    // If memory is too small for the reply, the call traps. So the host never reads half an answer.
    reply(operation, input, &out.writer) catch @trap();
    record = .{ .address = address_of(out.written().ptr), .length = @intCast(out.written().len) };
    _ = scratch.reset(.retain_capacity);
    return address_of(&record);
}

/// Returns an address as the interface needs it. Native tests, where addresses are longer, never call this.
fn address_of(pointer: anytype) u32 {
    return @intCast(@intFromPtr(pointer));
}

fn reply(operation: i32, input: []const u8, out: *std.Io.Writer) !void {
    if (operation != evaluate_operation) {
        return out.writeAll(
            \\{"error":{"code":"unsupported_operation","message":"evaluate only","path":""}}
        );
    }
    const envelope = read(input) catch |err| return out.print(
        \\{{"error":{{"code":"{s}","message":"the input is no envelope","path":""}}}}
    , .{code(err)});
    try answer(envelope, out);
}

fn read(input: []const u8) !Envelope {
    const options: std.json.ParseOptions = .{ .ignore_unknown_fields = true };
    const call = try std.json.parseFromSliceLeaky(Call, scratch.allocator(), input, options);
    return call.envelope orelse std.json.parseFromSliceLeaky(Envelope, scratch.allocator(), input, options);
}

fn code(err: anyerror) []const u8 {
    return switch (err) {
        error.SyntaxError, error.UnexpectedEndOfInput => "malformed_json",
        error.DuplicateField => "duplicate_key",
        error.MissingField => "missing_field",
        else => "invalid_value",
    };
}

fn answer(envelope: Envelope, out: *std.Io.Writer) !void {
    const evidence = envelope.evidence;
    var findings: std.Io.Writer.Allocating = .init(scratch.allocator());
    var found: Found = .{ .out = &findings.writer };
    if (evidence.diff) |diff| {
        for (diff.files, 0..) |file, place| {
            const was = file.from orelse file.path;
            if (isSecret(file.path) or isSecret(was)) try found.secret("/evidence/diff/files", place, file.path);
        }
    } else if (std.mem.trim(u8, evidence.workspace_diff_summary, " \t\r\n").len > 0) {
        try found.unknown();
    }
    for (evidence.artifacts, 0..) |artifact, place| {
        if (isSecret(artifact)) try found.secret("/evidence/artifacts", place, artifact);
    }
    const status = if (found.secrets > 0) "unsafe" else if (found.all > 0) "needs_human" else "success";
    const flags = if (found.secrets > 0) "\"secret_file\"" else "";
    try out.print(
        \\{{"ok":{{"decision":{{"status":"{s}","next_step":null,"fix_instructions":null,"blockers":[],"risk_flags":[{s}]}},
    , .{ status, flags });
    try out.print(
        \\"findings":[{s}],
    , .{findings.written()});
    try out.writeAll(
        \\"loop":{"consecutive_partials":0,"review_completed":false,"refinement":{"cap":1,"spent":0,"requested":false},"escalation":null},"policy":null}}
    );
}

/// Writes findings one after the other.
const Found = struct {
    out: *std.Io.Writer,
    all: usize = 0,
    secrets: usize = 0,

    fn secret(self: *Found, list: []const u8, place: usize, path: []const u8) !void {
        try self.separate();
        self.secrets += 1;
        try self.out.print(
            \\{{"rule":"secret-files","status":"unsafe","flag":"secret_file","severity":"high","summary":"a file has the name of a secret","evidence_ref":"{s}/{d}","actual":
        , .{ list, place });
        try std.json.Stringify.encodeJsonString(path, .{}, self.out);
        try self.out.writeAll(
            \\,"resolution":{"kind":"terminal","hint":"take it out of the workspace, and renew the secret"}}
        );
    }

    fn unknown(self: *Found) !void {
        try self.separate();
        try self.out.writeAll(
            \\{"rule":"secret-files","status":"needs_human","severity":"medium","summary":"it is not known which files changed","evidence_ref":"/evidence/workspace_diff_summary","resolution":{"kind":"provide_evidence","hint":"hand over a typed diff"}}
        );
    }

    fn separate(self: *Found) !void {
        if (self.all > 0) try self.out.writeByte(',');
        self.all += 1;
    }
};

/// Returns whether the last segment of a path is the name of a secret, ignoring case.
fn isSecret(path: []const u8) bool {
    var name = std.mem.trimEnd(u8, path, "/\\. ");
    if (std.mem.lastIndexOfAny(u8, name, "/\\")) |slash| name = name[slash + 1 ..];
    const whole = [_][]const u8{ ".env", ".netrc", ".npmrc", ".pypirc", "id_rsa", "id_ed25519", "credentials" };
    for (whole) |known| if (std.ascii.eqlIgnoreCase(name, known)) return true;
    const begins = [_][]const u8{".env."};
    for (begins) |known| if (std.ascii.startsWithIgnoreCase(name, known)) return true;
    const ends = [_][]const u8{ ".pem", ".key", ".p12", ".pfx", ".keystore" };
    for (ends) |known| if (std.ascii.endsWithIgnoreCase(name, known)) return true;
    return false;
}

test "names of secrets are found in every folder and spelling" {
    for ([_][]const u8{ ".env", "a/.env", "a\\.ENV", ".env.production", "deploy/Server.PEM", "x.key", "home/id_rsa", "a/.env/" }) |path| {
        try std.testing.expect(isSecret(path));
    }
    for ([_][]const u8{ "", "/", "env", "src/environment.ts", "keys.md", "pem", "id_rsa.pub", ".envrc" }) |path| {
        try std.testing.expect(!isSecret(path));
    }
}
