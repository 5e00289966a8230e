/** A strict JSON reader: from bytes to a tree, with only the parts that this policy needs. You can use a library instead. */

export enum Kind {
  Null,
  Bool,
  Number,
  Text,
  List,
  Object,
}

/** The greatest depth of containers, plus one for the object around an envelope. */
const MAX_DEPTH = 129;
/** The largest accepted amount. Larger numbers are not exact in every language. */
const MAX_AMOUNT: i64 = 9007199254740991;

/** The reason why a text cannot be read. */
export class Fault {
  code: string = "malformed_json";
  message: string = "the input is not JSON";
  path: string = "";
}

/** A value. */
export class Json {
  kind: Kind = Kind.Null;
  text: string = "";
  number: i64 = 0;
  /** True for a number of digits alone, up to the largest amount. */
  isWhole: bool = false;
  keys: string[] = [];
  values: Json[] = [];

  /** The field of that name, if this is an object that has it. */
  member(name: string): Json | null {
    if (this.kind != Kind.Object) return null;
    const place = this.keys.indexOf(name);
    return place < 0 ? null : this.values[place];
  }

  /** The whole number of 0 or more; -1 for other values. */
  amount(): i64 {
    return this.kind == Kind.Number && this.isWhole ? this.number : -1;
  }
}

/** Reads the text at an address. Returns null if it is not JSON, with the reason in `fault`. */
export function read(address: usize, length: i32, fault: Fault): Json | null {
  const reader = new Reader(address, address + length, fault);
  reader.space();
  const value = reader.value(0);
  reader.space();
  return value !== null && reader.at == reader.end ? value : null;
}

class Reader {
  constructor(
    public at: usize,
    public end: usize,
    public fault: Fault,
  ) {}

  /** The byte at the cursor, or 0 at the end. JSON has no byte 0. */
  peek(): u8 {
    return this.at < this.end ? load<u8>(this.at) : 0;
  }

  take(byte: u8): bool {
    if (this.peek() != byte) return false;
    this.at++;
    return true;
  }

  space(): void {
    for (let byte = this.peek(); byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09; byte = this.peek()) this.at++;
  }

  word(word: string): bool {
    for (let place = 0; place < word.length; place++) {
      if (!this.take(<u8>word.charCodeAt(place))) return false;
    }
    return true;
  }

  value(depth: i32): Json | null {
    const value = new Json();
    const byte = this.peek();
    if (byte == 0x7b || byte == 0x5b) {
      if (depth >= MAX_DEPTH) {
        this.fault.code = "limit_exceeded";
        this.fault.message = "more than 128 nested containers";
        return null;
      }
      value.kind = byte == 0x7b ? Kind.Object : Kind.List;
      return this.container(value, depth) ? value : null;
    }
    if (byte == 0x22) {
      value.kind = Kind.Text;
      const text = this.string();
      if (text === null) return null;
      value.text = text;
      return value;
    }
    if (byte == 0x6e) return this.word("null") ? value : null;
    if (byte == 0x74 || byte == 0x66) {
      value.kind = Kind.Bool;
      return this.word(byte == 0x74 ? "true" : "false") ? value : null;
    }
    value.kind = Kind.Number;
    return this.number(value) ? value : null;
  }

  container(value: Json, depth: i32): bool {
    const isObject = value.kind == Kind.Object;
    const close: u8 = isObject ? 0x7d : 0x5d;
    this.at++;
    this.space();
    if (this.take(close)) return true;
    while (true) {
      if (isObject) {
        if (this.peek() != 0x22) return false;
        const key = this.string();
        if (key === null) return false;
        if (value.keys.includes(key)) {
          this.fault.code = "duplicate_key";
          this.fault.message = "repeated key";
          return false;
        }
        value.keys.push(key);
        this.space();
        if (!this.take(0x3a)) return false;
        this.space();
      }
      const item = this.value(depth + 1);
      if (item === null) return false;
      value.values.push(item);
      this.space();
      if (this.take(close)) return true;
      if (!this.take(0x2c)) return false;
      this.space();
    }
  }

  digits(): i32 {
    let count = 0;
    for (let byte = this.peek(); byte >= 0x30 && byte <= 0x39; byte = this.peek()) {
      this.at++;
      count++;
    }
    return count;
  }

  number(value: Json): bool {
    const isNegative = this.take(0x2d);
    const start = this.at;
    const whole = this.digits();
    if (whole == 0 || (whole > 1 && load<u8>(start) == 0x30)) return false;
    let amount: i64 = 0;
    // 15 digits are below the largest amount.
    for (let place = start; place < this.at && whole <= 15; place++) amount = amount * 10 + (load<u8>(place) - 0x30);
    value.number = amount;
    value.isWhole = !isNegative && whole <= 15 && amount <= MAX_AMOUNT;
    if (this.take(0x2e)) {
      value.isWhole = false;
      if (this.digits() == 0) return false;
    }
    if (this.take(0x65) || this.take(0x45)) {
      value.isWhole = false;
      if (!this.take(0x2b)) this.take(0x2d);
      if (this.digits() == 0) return false;
    }
    return true;
  }

  string(): string | null {
    this.at++;
    let text = "";
    let plain = this.at;
    while (this.at < this.end) {
      const byte = load<u8>(this.at);
      if (byte < 0x20) return null;
      if (byte != 0x22 && byte != 0x5c) {
        this.at++;
        continue;
      }
      text += String.UTF8.decodeUnsafe(plain, this.at - plain);
      this.at++;
      if (byte == 0x22) return text;
      const escaped = this.escaped();
      if (escaped === null) return null;
      text += escaped;
      plain = this.at;
    }
    return null;
  }

  escaped(): string | null {
    const byte = this.peek();
    this.at++;
    switch (byte) {
      case 0x22:
        return '"';
      case 0x5c:
        return "\\";
      case 0x2f:
        return "/";
      case 0x62:
        return "\b";
      case 0x66:
        return "\f";
      case 0x6e:
        return "\n";
      case 0x72:
        return "\r";
      case 0x74:
        return "\t";
      case 0x75: {
        let unit = 0;
        for (let place = 0; place < 4; place++) {
          const digit = hexadecimal(this.peek());
          if (digit < 0) return null;
          unit = unit * 16 + digit;
          this.at++;
        }
        return String.fromCharCode(unit);
      }
      default:
        return null;
    }
  }
}

function hexadecimal(byte: u8): i32 {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
