import { expect, test } from 'vitest';
import { chatAddress, shownLinks } from './chat-links.ts';

const link = (name: string, more: object = {}) => ({ name, url: `https://${name}.example/`, show: true, ...more });

test('only shown links, highest sort first, those without one last', () => {
  const json = JSON.stringify([
    link('none'),
    link('one', { sort: 1 }),
    link('hidden', { show: false, sort: 9 }),
    link('two', { sort: 2 }),
  ]);
  expect(shownLinks(json).map(({ name }) => name)).toEqual(['two', 'one', 'none']);
});

test.each([
  ['no JSON', ''],
  ['no list', '{}'],
  ['no address', '[{"name":"x","show":true}]'],
  ['a script', '[{"name":"x","url":"javascript:alert(1)","show":true}]'],
  ['a bare word', '[{"name":"x","url":"chat","show":true}]'],
])('%s offers nothing', (_, json) => {
  expect(shownLinks(json)).toEqual([]);
});

test('key and address are put in everywhere, the address encoded', () => {
  const url = 'app://join?a={server}&k={key}#{key}';
  expect(chatAddress({ name: 'x', url }, 'sk-$&1', 'https://hub.example')).toBe(
    'app://join?a=https%3A%2F%2Fhub.example&k=sk-$&1#sk-$&1',
  );
});
