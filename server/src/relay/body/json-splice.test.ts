import fc from 'fast-check';
import { expect, test } from 'vitest';
import { spliceMembers } from './json-splice.ts';

const splice = (json: string, changes: Record<string, string>) => spliceMembers(Buffer.from(json), changes).toString();

test.each([
  ['{"model":"a","n":1}', '{"model":"b","n":1}'],
  ['{ "model" : "a" , "n" : 1 }', '{ "model" : "b" , "n" : 1 }'],
  ['{"n":1,"model":{"deep":["x",{}]}}', '{"n":1,"model":"b"}'],
  ['{"model":null}\n', '{"model":"b"}\n'],
  ['\t{\r\n"model":\r\n-1.5e3\r\n}', '\t{\r\n"model":\r\n"b"\r\n}'],
  ['{}', '{"model":"b"}'],
  ['{ }', '{ "model":"b"}'],
  ['{"n":[]}', '{"n":[],"model":"b"}'],
  ['{"model":"a","x":1,"model":"c"}', '{"model":"b","x":1,"model":"b"}'],
  ['{"mod\\u0065l":"a"}', '{"mod\\u0065l":"b"}'],
  ['{"x":{"model":"inner"},"y":["model","a"],"model":"a"}', '{"x":{"model":"inner"},"y":["model","a"],"model":"b"}'],
  ['{"q":"\\"model\\":\\"no\\"","model":"a"}', '{"q":"\\"model\\":\\"no\\"","model":"b"}'],
  ['{"path":"c:\\\\","model":"a\\\\"}', '{"path":"c:\\\\","model":"b"}'],
  ['{"a:b":1,"model":"a"}', '{"a:b":1,"model":"b"}'],
  [
    '{"seed":9007199254740993,"t":1.0,"big":1e400,"model":"a"}',
    '{"seed":9007199254740993,"t":1.0,"big":1e400,"model":"b"}',
  ],
  [
    '{"constructor":1,"__proto__":{"x":1},"toString":"y","model":"a"}',
    '{"constructor":1,"__proto__":{"x":1},"toString":"y","model":"b"}',
  ],
  ['{"text":"Grüße 世界 👋🏽 \\ud83d\\udc4b","model":"a"}', '{"text":"Grüße 世界 👋🏽 \\ud83d\\udc4b","model":"b"}'],
])('%s', (json, expected) => {
  expect(splice(json, { model: '"b"' })).toBe(expected);
});

test('several members, there and not there', () => {
  expect(splice('{"a":1,"b":2}', { b: '[3]', c: '{}', d: 'null' })).toBe('{"a":1,"b":[3],"c":{},"d":null}');
});

test('bytes that are no UTF-8 stay as they are', () => {
  const json = Buffer.concat([Buffer.from('{"x":"'), Buffer.of(0xff, 0xfe), Buffer.from('","model":"a"}')]);
  const expected = Buffer.concat([Buffer.from('{"x":"'), Buffer.of(0xff, 0xfe), Buffer.from('","model":"b"}')]);
  expect(spliceMembers(json, { model: '"b"' })).toEqual(expected);
});

const key = fc.oneof(
  fc.constantFrom('model', 'stream_options', 'a', 'constructor', '__proto__', 'toString'),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
);
const space = fc.constantFrom('', ' ', '\n', '\t \r\n');
/** A JSON object with blanks, escapes and duplicate keys. */
const objectText = fc
  .array(fc.tuple(key, fc.boolean(), fc.jsonValue({ maxDepth: 3 }), space, space), { maxLength: 8 })
  .map((members) =>
    members.map(([name, escaped, value, before, after]) => {
      const quoted = escaped
        ? `"${Array.from(name, (c) => (c.length === 1 ? `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}` : c)).join('')}"`
        : JSON.stringify(name);
      return { name, text: [`${before}${quoted}${after}:${before}`, JSON.stringify(value), after] as const };
    }),
  );

test('changed members have their value, and everything else keeps every byte', () => {
  fc.assert(
    fc.property(objectText, space, (members, blank) => {
      const text = `${blank}{${members.map((member) => member.text.join('')).join(',')}${blank}}${blank}`;
      const changed = splice(text, { model: '"new"' });
      const inPlace = members
        .map(({ name, text: [before, value, after] }) => before + (name === 'model' ? '"new"' : value) + after)
        .join(',');
      const added = members.some(({ name }) => name === 'model') ? '' : `${members.length > 0 ? ',' : ''}"model":"new"`;
      expect(changed).toBe(`${blank}{${inPlace}${blank}${added}}${blank}`);
      expect(JSON.parse(changed)).toEqual({ ...JSON.parse(text), model: 'new' });
    }),
    { numRuns: 500 },
  );
});
