import { expect, test } from 'vitest';
import { typeOfBase64 } from './media-type.ts';
import { mimeOf, sourceOf } from './sources.ts';
import { dialectIds, overTheNetwork, wires, models } from './testing/bridge.ts';
import { dialects } from './codecs.ts';
import { neutral, user } from './testing/neutral-request.ts';

test.each([
  ['data:image/png;base64,iVBO', { mime: 'image/png', base64: 'iVBO' }],
  ['data:text/plain;charset=utf-8;base64,aGk=', { mime: 'text/plain', base64: 'aGk=' }],
  ['data:text/plain,a%20b', { mime: 'text/plain', base64: Buffer.from('a b').toString('base64') }],
  ['data:text/plain,100%', { mime: 'text/plain', base64: Buffer.from('100%').toString('base64') }],
  ['data:;base64,iVBO', { mime: 'application/octet-stream', base64: 'iVBO' }],
  ['https://x/y.png', { url: 'https://x/y.png' }],
])('%s', (url, source) => {
  expect(sourceOf(url)).toEqual(source);
});

test.each([
  ['a.PDF', 'application/pdf'],
  ['https://x/y.jpeg?size=1#top', 'image/jpeg'],
  ['https://x.png/y', undefined],
  ['noend', undefined],
])('the type that %s tells', (name, mime) => {
  expect(mimeOf(name)).toBe(mime);
});

const png = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1').toString('base64');
const jpeg = Buffer.from('\xff\xd8\xff\xe0\0\x10JFIF', 'latin1').toString('base64');
const pdf = Buffer.from('%PDF-1.7\n%').toString('base64');

test.each([
  ['a PNG that is called JPEG', png, 'image/jpeg', 'image/png'],
  ['a JPEG by its wrong name', jpeg, 'image/jpg', 'image/jpeg'],
  ['a JPEG of unknown type', jpeg, 'application/octet-stream', 'image/jpeg'],
  ['a PDF that is called a picture', pdf, 'image/png', 'application/pdf'],
  ['capitals', 'AAAA', 'image/PNG; x=1', 'image/png'],
  ['a wrong name without known bytes', 'AAAA', 'image/jpg', 'image/jpeg'],
  ['a sound of an older name', 'AAAA', 'audio/x-wav', 'audio/wav'],
  ['a sound in capitals', 'AAAA', 'audio/MP3', 'audio/mp3'],
])('the type by the bytes: %s', (_, base64, declared, mime) => {
  expect(typeOfBase64(base64, declared)).toBe(mime);
});

/** The block that a vendor of Messages gets for a picture that a caller of this dialect sends. */
function block(dialect: (typeof dialectIds)[number], base64: string, mime: string): unknown {
  const picture = { type: 'image' as const, source: { mime, base64 } };
  const body = wires[dialect].writeRequest(neutral({ messages: [user(picture)], maxOutput: 9 }), {
    model: models[dialect],
  });
  const request = dialects[dialect].readRequest(overTheNetwork(body), { model: 'm' });
  const [{ content } = { content: [] }] = wires.anthropic.writeRequest(request, { model: models.anthropic })[
    'messages'
  ] as { content: unknown[] }[];
  return content[0];
}

test.each(dialectIds)('a caller of %s sends pictures under any type, and documents as pictures', (dialect) => {
  const source = (media_type: string, data: string) => ({ type: 'base64', media_type, data });
  expect(block(dialect, jpeg, 'image/jpg')).toEqual({ type: 'image', source: source('image/jpeg', jpeg) });
  expect(block(dialect, png, 'image/jpeg')).toEqual({ type: 'image', source: source('image/png', png) });
  expect(block(dialect, pdf, 'image/png')).toEqual({ type: 'document', source: source('application/pdf', pdf) });
});
