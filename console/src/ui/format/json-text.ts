/**
 * Validates a JSON object of strings (`{"gpt-4": "gpt-4o"}`). Returns an error code with the line, e.g. `json.comma:3`,
 * for `useFieldMessage`; undefined if valid or empty.
 */
export function jsonProblem(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  const reader = { text, at: 0, line: 1 };
  const problem = objectProblem(reader);
  return problem && `json.${problem}:${reader.line}`;
}

type Problem = 'start' | 'open' | 'name' | 'quote' | 'colon' | 'value' | 'comma' | 'extra' | 'end';

interface Reader {
  text: string;
  at: number;
  line: number;
}

function objectProblem(reader: Reader): Problem | undefined {
  if (!take(reader, '{')) return 'start';
  if (take(reader, '}')) return rest(reader);
  for (;;) {
    const pair = pairProblem(reader);
    if (pair) return pair;
    if (take(reader, ',')) {
      const { line } = reader;
      if (next(reader) !== '}') continue;
      // Report the line of the superfluous comma.
      reader.line = line;
      return 'extra';
    }
    if (take(reader, '}')) return rest(reader);
    return ended(reader, 'open', 'comma');
  }
}

function pairProblem(reader: Reader): Problem | undefined {
  if (next(reader) !== '"') return ended(reader, 'open', 'name');
  if (!string(reader)) return 'quote';
  if (!take(reader, ':')) return ended(reader, 'open', 'colon');
  if (next(reader) !== '"') return ended(reader, 'open', 'value');
  return string(reader) ? undefined : 'quote';
}

/** A missing token is reported at the last line with content, not at an empty one after it. */
function ended(reader: Reader, atEnd: Problem, otherwise: Problem): Problem {
  if (next(reader) !== undefined) return otherwise;
  reader.line = reader.text.trimEnd().split('\n').length;
  return atEnd;
}

const rest = (reader: Reader): Problem | undefined => (next(reader) === undefined ? undefined : 'end');

/** The next character that is not whitespace. */
function next(reader: Reader): string | undefined {
  for (; reader.at < reader.text.length; reader.at++) {
    const character = reader.text[reader.at];
    if (character === '\n') reader.line++;
    if (character !== undefined && !' \t\n\r'.includes(character)) return character;
  }
  return undefined;
}

function take(reader: Reader, character: string): boolean {
  if (next(reader) !== character) return false;
  reader.at++;
  return true;
}

/** Skips a string literal; false if JSON does not allow it. */
function string(reader: Reader): boolean {
  // oxlint-disable-next-line no-control-regex -- JSON forbids them in texts
  const found = /^"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/.exec(reader.text.slice(reader.at));
  reader.at += found?.[0].length ?? 0;
  return found !== null;
}
