import { expect, test } from 'vitest';
import { ranked } from './palette-item.ts';

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
