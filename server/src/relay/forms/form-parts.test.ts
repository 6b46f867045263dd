import { expect, test } from 'vitest';
import { FormParts } from './form-parts.ts';

const TYPE = 'multipart/form-data; boundary=cut';
const field = (name: string, value: string) => `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`;
const file = (value: string) =>
  `Content-Disposition: form-data; name="file"; filename="a"\r\nContent-Type: audio/mpeg\r\n\r\n${value}`;
const formOf = (...parts: string[]) => `${parts.map((part) => `--cut\r\n${part}\r\n`).join('')}--cut--\r\n`;

/** The parts of a body that arrives in chunks of `size` bytes, with the text between them. */
function partsOf(body: string, size: number) {
  const bytes = Buffer.from(body);
  const form = new FormParts(TYPE);
  for (let at = 0; at < bytes.length; at += size) form.push(bytes.subarray(at, at + size));
  form.end();
  return form.parts.map(({ start, end, kept, ...names }) => ({
    ...names,
    value: bytes.toString('utf8', start, end),
    kept: kept.toString(),
  }));
}

const sound = `a\r\n--cu\r\n--cut${'\r\n--cu'.repeat(30)}`.replace('--cut\r', '--cu\r');
const whole = formOf(field('model', 'höre'), field('empty', ''), file(sound), field('prompt', 'x\r\n\r\ny'));

test.each([1, 2, 3, 7, 64, 100_000])('a form is the same in pieces of %i bytes', (size) => {
  expect(partsOf(whole, size)).toEqual([
    { name: 'model', filename: undefined, value: 'höre', kept: 'höre' },
    { name: 'empty', filename: undefined, value: '', kept: '' },
    { name: 'file', filename: 'a', value: sound, kept: sound.slice(0, 64) },
    { name: 'prompt', filename: undefined, value: 'x\r\n\r\ny', kept: 'x\r\n\r\ny' },
  ]);
});

test('a part without a value is empty', () => {
  expect(partsOf('--cut\r\nContent-Disposition: form-data; name="a"\r\n\r\n--cut--', 5)).toMatchObject([
    { name: 'a', value: '', kept: '' },
  ]);
});

test.each<[string, string, string]>([
  ['nothing', '', 'does not start with its boundary'],
  ['something before the first boundary', `x\r\n${whole}`, 'does not start with its boundary'],
  ['no end', whole.slice(0, -6), 'ends before its last boundary'],
  ['a head without end', `--cut\r\n${'x'.repeat(9000)}`, 'headers are too long'],
  ['a long head', formOf(`X: ${'x'.repeat(9000)}\r\n${field('a', 'b')}`), 'headers are too long'],
  ['a boundary that goes on', '--cutter\r\n', 'text after a boundary'],
  ['more parts than a hundred', formOf(...Array<string>(101).fill(field('x', 'y'))), 'more than 100 parts'],
  ['too long fields', formOf(...Array<string>(9).fill(field('x', 'y'.repeat(150_000)))), 'longer than 1024 KiB'],
])('what has %s is refused, however it is cut', (_, body, message) => {
  for (const size of [1000, 64_000]) expect(() => partsOf(body, size)).toThrow(message);
});
