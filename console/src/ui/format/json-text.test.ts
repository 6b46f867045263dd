import { expect, test } from 'vitest';
import { jsonProblem } from './json-text.ts';

test.each(['', '  \n', '{}', '{ }', '{"a":"b"}', '{\n  "a": "b",\n  "c": "+d"\n}\n', '{"\\u4e2d\\"": "\\n"}'])(
  'accepts %j',
  (text) => expect(jsonProblem(text)).toBeUndefined(),
);

test.each([
  ['{ "gpt-4-turbo": "gpt-4o",\n  "chat-latest": "+gpt-4.1"', 'json.open:2'],
  ['{ "a": "b",\n  "c": "d"\n\n', 'json.open:2'],
  ['{', 'json.open:1'],
  ['{"a"', 'json.open:1'],
  ['{"a":', 'json.open:1'],
  ['["a"]', 'json.start:1'],
  ['\n"a"', 'json.start:2'],
  ['{a: "b"}', 'json.name:1'],
  ["{'a': 'b'}", 'json.name:1'],
  ['{\n  "a: "b"}', 'json.colon:2'],
  ['{\n  "a": "b\n}', 'json.quote:2'],
  ['{"a" "b"}', 'json.colon:1'],
  ['{"a":\n 1}', 'json.value:2'],
  ['{"a": {"b": "c"}}', 'json.value:1'],
  ['{"a": "b"\n "c": "d"}', 'json.comma:2'],
  ['{"a": "b",\n}', 'json.extra:1'],
  ['{"a": "b"}\n{', 'json.end:2'],
  ['{"a": "\\x"}', 'json.quote:1'],
])('finds what is wrong in %j', (text, problem) => expect(jsonProblem(text)).toBe(problem));

test('agrees with JSON.parse on whether a text is right', () => {
  for (const text of ['{"a":"b"}', '{"a":"b",}', '{"a" : "b" , "c":"d"}', '{"a":"\t"}', '{"":""}', '{{}}']) {
    let parses = true;
    try {
      JSON.parse(text);
    } catch {
      parses = false;
    }
    expect(jsonProblem(text) === undefined, text).toBe(parses);
  }
});
