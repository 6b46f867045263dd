import type { Buffer } from 'node:buffer';

const MAX_NAME_LENGTH = 1000;

/**
 * Finds the top-level `model` in the start of a JSON text; undefined: not found complete. The text is not validated.
 */
export function modelInJson(start: Buffer): string | undefined {
  const json = start.toString('utf8');
  let depth = 0;
  let isKey = false;
  for (let at = 0; at < json.length; at++) {
    switch (json[at]) {
      case '{':
      case '[':
        depth++;
        isKey = depth === 1;
        break;
      case '}':
      case ']':
        depth--;
        break;
      case ',':
        isKey = depth === 1;
        break;
      case '"': {
        const end = endOfText(json, at);
        if (end < 0) return undefined;
        if (depth === 1 && isKey) {
          isKey = false;
          if (textAt(json, at, end) === 'model') return valueBehind(json, end + 1);
        }
        at = end;
        break;
      }
      default:
    }
  }
  return undefined;
}

/** Index of the closing quote; -1: cut off. */
function endOfText(json: string, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    const sign = json[at];
    if (sign === '\\') at++;
    else if (sign === '"') return at;
  }
  return -1;
}

function textAt(json: string, start: number, end: number): string | undefined {
  if (end - start > MAX_NAME_LENGTH) return undefined;
  try {
    return String(JSON.parse(json.slice(start, end + 1)));
  } catch {
    return undefined;
  }
}

function valueBehind(json: string, from: number): string | undefined {
  const [all] = /^\s*:\s*(?=")/.exec(json.slice(from, from + MAX_NAME_LENGTH)) ?? [];
  if (all === undefined) return undefined;
  const start = from + all.length;
  const end = endOfText(json, start);
  return end < 0 ? undefined : textAt(json, start, end);
}
