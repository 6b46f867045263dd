import { expect, test } from 'vitest';
import { suggestFilters } from './suggest-filters.ts';

const known = {
  rows: [],
  models: ['gpt-4o', 'gpt-4o-mini', 'o3', 'gpt-*'],
  channels: [{ id: 7, name: 'openai-us-east' }],
  tokens: [{ id: 12, name: 'liu’s laptop', key: 'Ab3d••••wXy9' }],
};
// The server finds tokens for a text; it has found this one for "liu" only.
const filters = (text: string, admin = true) =>
  suggestFilters(text, admin, text === 'liu' ? known : { ...known, tokens: [] }).map(
    ({ filter, value }) => `${filter}=${value}`,
  );

test('the format of an id or an address decides', () => {
  expect(filters('202611201113133520661253dvdNLse')[0]).toBe('request_id=202611201113133520661253dvdNLse');
  expect(filters('203.0.113.24')[0]).toBe('source_ip=203.0.113.24');
  expect(filters('2001:db8::1')[0]).toBe('source_ip=2001:db8::1');
});

test('known names come first, the best match at the top, each once', () => {
  expect(filters('gpt-4o').slice(0, 3)).toEqual(['model_name=gpt-4o', 'model_name=gpt-4o-mini', 'token_name=gpt-4o']);
  expect(filters('us-east')).toContain('channel_id=7');
  expect(filters('  ')).toEqual([]);
});

test('users are offered only what they may filter by', () => {
  expect(filters('liu', false)).toEqual(['token_id=12', 'model_name=liu', 'token_name=liu', 'request_id=liu']);
  expect(filters('203.0.113.24', false)[0]).toBe('model_name=203.0.113.24');
});
