import { expect, test } from 'vitest';
import type { ChatRequest, Part } from './chat.ts';
import { mimeOf, remoteUrls, sourceOf, withFetched } from './sources.ts';
import { wires } from './testing/bridge.ts';
import { neutral } from './testing/neutral-request.ts';

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

const picture = (url: string): Extract<Part, { type: 'image' }> => ({ type: 'image', source: { url } });
const pdf: Part = { type: 'file', source: { url: 'https://x/a.pdf' }, mime: 'application/pdf' };
const csv: Part = { type: 'file', source: { url: 'https://x/a.csv' }, mime: 'text/csv' };
const video: Part = { type: 'file', source: { url: 'https://youtu.be/x' }, mime: 'video/mp4' };
const result: Part = { type: 'tool_result', id: 'a', content: [picture('https://x/b.png')] };
const inline: Part = { type: 'image', source: { mime: 'image/png', base64: 'iVBO' } };

const request: ChatRequest = neutral({
  messages: [
    {
      role: 'user',
      parts: [
        picture('https://x/a.png'),
        picture('https://x/a.png'),
        picture('ftp://x/a.png'),
        inline,
        pdf,
        csv,
        video,
      ],
    },
    { role: 'tool', parts: [result] },
  ],
});

test.each<[keyof typeof wires, string[]]>([
  ['openai', ['https://x/a.pdf', 'https://x/a.csv', 'https://youtu.be/x']],
  ['responses', []],
  ['anthropic', ['https://x/a.csv', 'https://youtu.be/x']],
  ['gemini', ['https://x/a.png', 'https://x/a.pdf', 'https://x/a.csv', 'https://x/b.png']],
])('for %s the relay fetches what the wire takes as bytes only', (wire, urls) => {
  expect(remoteUrls(request, wires[wire].fetches)).toEqual(urls);
});

test('what was fetched stands in place of its address, and nothing else changes', () => {
  const bytes = { mime: 'image/png', base64: 'AAAA' };
  const { messages } = withFetched(
    request,
    new Map([
      ['https://x/b.png', bytes],
      ['https://x/a.pdf', bytes],
    ]),
  );
  expect(messages[1]!.parts).toEqual([{ ...result, content: [{ type: 'image', source: bytes }] }]);
  expect(messages[0]!.parts.slice(0, 4)).toEqual(request.messages[0]!.parts.slice(0, 4));
  expect(messages[0]!.parts[4]).toEqual({ ...pdf, source: bytes });
});
