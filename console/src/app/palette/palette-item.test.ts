import { expect, test } from 'vitest';
import { matches, ranked } from './palette-item.ts';

const channel = (name: string, tag = '', address = '') => ({
  record: name,
  name,
  fields: [['Tag', tag] as const, ['Base URL', address] as const],
});

test('a name that begins with the text comes first, then a word of it, then other places and fields', () => {
  const found = [
    channel('azure', '', 'https://openai.azure.com'),
    channel('reopened'),
    channel('tagged', 'open'),
    channel('my-open'),
    channel('Openai-spare'),
    channel('by-id'),
  ];
  expect(ranked('open', found)).toEqual([
    { record: 'Openai-spare' },
    { record: 'my-open' },
    { record: 'reopened' },
    { record: 'tagged', by: 'Tag: open' },
    { record: 'azure', by: 'Base URL: https://openai.azure.com' },
    { record: 'by-id' },
  ]);
});

test('names are found whatever separates their parts, and the whole name is first', () => {
  expect(matches('gpt4o mini', 'gpt-4o-mini')).toBe(true);
  expect(matches('gpt5', 'gpt-4o-mini')).toBe(false);
  const models = ['gpt-4o-mini', 'my-gpt-4o', 'gpt-4o', 'chat-gpt-4o-latest'].map((name) => channel(name));
  expect(ranked('gpt4o', models).map(({ record }) => record)).toEqual([
    'gpt-4o',
    'gpt-4o-mini',
    'my-gpt-4o',
    'chat-gpt-4o-latest',
  ]);
});
