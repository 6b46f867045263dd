import { expect, test } from 'vitest';
import { mimeOf, sourceOf } from './sources.ts';

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
