//! Secrets stay out: a file whose name is that of a secret is neither changed nor left behind as an artifact.
//!
//! The names are those of keys, of credentials and of environments. Where it is not known which files changed, a person looks.
//! The module has an objection or it has none, so it is one to stand beside others (`--restrict`): it names no next step.
//! Whether anything was checked is for the engine beside it to ask.

const std = @import("std");

/// The number of the operation that this module has.
const evaluate_operation = 1;
/// How long an input may be: 8 MiB.
const longest_input = 8 << 20;

/// What is read of an envelope. The rest is left to whoever stands beside this policy.
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

/// A call may bring its envelope in a member, or be one.
const Call = struct { envelope: ?Envelope = null };

/// The input and whatever a call makes of it; forgotten when the call ends.
var scratch: std.heap.ArenaAllocator = .init(std.heap.page_allocator);
/// The latest reply, which is there until the next call.
var replies: std.heap.ArenaAllocator = .init(std.heap.page_allocator);
/// What the host reads: where the reply is, and how long.
var record: extern struct { address: u32 = 0, length: u32 = 0 } = .{};

export fn adjudicate_abi_1() i32 {
    return 0;
}

export fn adjudicate_alloc(length: u32) u32 {
    if (length > longest_input) return 0;
    // Even no bytes have an address.
    const buffer = scratch.allocator().alloc(u8, @max(length, 1)) catch return 0;
    return address_of(buffer.ptr);
}

export fn adjudicate_call(operation: i32, address: u32, length: u32) u32 {
    _ = replies.reset(.retain_capacity);
    const input = if (length == 0) "" else @as([*]const u8, @ptrFromInt(address))[0..length];
    var out: std.Io.Writer.Allocating = .init(replies.allocator());
    // What cannot be written for want of memory is a trap, and never half an answer.
    reply(operation, input, &out.writer) catch @trap();
    record = .{ .address = address_of(out.written().ptr), .length = @intCast(out.written().len) };
    _ = scratch.reset(.retain_capacity);
    return address_of(&record);
}

/// Where something is, as the interface says it. Tests of the parts run natively, where addresses are longer and nobody asks.
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

/// The findings, as they are written one after the other.
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

/// Whether the last part of a path is the name of a secret, in whatever case.
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

test "names of secrets, wherever they lie and however they are written" {
    for ([_][]const u8{ ".env", "a/.env", "a\\.ENV", ".env.production", "deploy/Server.PEM", "x.key", "home/id_rsa", "a/.env/" }) |path| {
        try std.testing.expect(isSecret(path));
    }
    for ([_][]const u8{ "", "/", "env", "src/environment.ts", "keys.md", "pem", "id_rsa.pub", ".envrc" }) |path| {
        try std.testing.expect(!isSecret(path));
    }
}
