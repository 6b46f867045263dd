import { Buffer } from 'node:buffer';
/**
 * Changes top-level members of a JSON object in its bytes. Everything else (unknown fields, large numbers, key order)
 * reaches the upstream unchanged.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

interface Member {
  key: string;
  /** Start of the key's quote. */
  from: number;
  /** Start of the value; `end` is exclusive. */
  start: number;
  end: number;
}

/** Sets members to JSON texts and appends missing ones. `json` must be a valid JSON object. */
export function spliceMembers(json: Buffer, changes: Record<string, string>): Buffer {
  const values = new Map(Object.entries(changes));
  const left = new Map(values);
  const pieces: Buffer[] = [];
  let from = 0;
  const { members, close } = topLevel(json);
  for (const { key, start, end } of members) {
    const value = values.get(key);
    if (value === undefined) continue;
    // A duplicate key is changed everywhere, whichever value a parser picks.
    pieces.push(json.subarray(from, start), Buffer.from(value));
    from = end;
    left.delete(key);
  }
  pieces.push(json.subarray(from, close));
  let separator = members.length > 0 ? ',' : '';
  for (const [key, value] of left) {
    pieces.push(Buffer.from(`${separator}${JSON.stringify(key)}:${value}`));
    separator = ',';
  }
  pieces.push(json.subarray(close));
  return Buffer.concat(pieces);
}

/** Removes members; all others keep their bytes. `json` must be a valid JSON object. */
export function withoutMembers(json: Buffer, names: readonly string[]): Buffer {
  const pieces: Buffer[] = [Buffer.from('{')];
  for (const { key, from, end } of topLevel(json).members) {
    if (names.includes(key)) continue;
    if (pieces.length > 1) pieces.push(Buffer.from(','));
    pieces.push(json.subarray(from, end));
  }
  pieces.push(Buffer.from('}'));
  return Buffer.concat(pieces);
}

/** Positions of the members and of the closing brace. */
function topLevel(json: Buffer): { members: Member[]; close: number } {
  const members: Member[] = [];
  let depth = 0;
  let key: string | undefined;
  let from = 0;
  let start = 0;
  const finish = (end: number) => {
    if (key !== undefined) members.push({ key, from, start, end: trimmedEnd(json, start, end) });
    key = undefined;
  };
  for (let i = 0; i < json.length; i++) {
    switch (json[i]) {
      case QUOTE: {
        const end = stringEnd(json, i);
        if (depth === 1 && key === undefined) {
          key = String(JSON.parse(json.toString('utf8', i, end)));
          from = i;
          i = json.indexOf(0x3a, end); // the colon
          start = i + 1;
          while (isSpace(json[start])) start++;
        } else i = end - 1;
        break;
      }
      case 0x7b: // {
      case 0x5b: // [
        depth++;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        depth--;
        if (depth === 0) {
          finish(i);
          return { members, close: i };
        }
        break;
      case 0x2c: // ,
        if (depth === 1) finish(i);
    }
  }
  throw new SyntaxError('not a JSON object');
}

/** Index after the closing quote of the string at `open`. */
function stringEnd(json: Buffer, open: number): number {
  let end = open;
  for (;;) {
    end = json.indexOf(QUOTE, end + 1);
    if (end < 0) throw new SyntaxError('not a JSON object');
    let backslashes = 0;
    while (json[end - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end + 1;
  }
}

function trimmedEnd(json: Buffer, start: number, end: number): number {
  let last = end;
  while (last > start && isSpace(json[last - 1])) last--;
  return last;
}

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
