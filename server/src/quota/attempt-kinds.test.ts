import type { Attempt } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { attemptsIn, kindOfAttempt } from './attempt-kinds.ts';

const attempt = (given: Partial<Attempt>): Attempt => ({
  channel_id: 1,
  channel_name: 'one',
  status: 0,
  start: 0,
  ms: 1,
  result: 'ok',
  ...given,
});

test.each<[string, Partial<Attempt>]>([
  ['ok', { status: 200 }],
  ['connect', { result: 'connect_failed' }],
  ['timeout', { result: 'first_token_timeout' }],
  ['caller', { result: 'first_token_timeout', next: 'client_gone' }],
  ['key', { result: 'upstream_status', status: 401 }],
  ['key', { result: 'key_unusable' }],
  ['rate', { result: 'upstream_status', status: 429 }],
  ['model', { result: 'upstream_status', status: 404 }],
  ['server', { result: 'upstream_status', status: 503 }],
  ['server', { result: 'upstream_status', status: 302 }],
  ['request', { result: 'upstream_status', status: 400 }],
  ['request', { result: 'upstream_status', status: 413 }],
  ['broken', { result: 'stream_broken', status: 200 }],
  ['reply', { result: 'bad_reply', status: 200 }],
  ['caller', { result: 'client_gone' }],
  ['other', { result: 'a code of a later version' }],
  ['request', { result: 'upstream_status', status: 403, cause: 'content' }],
  ['key', { result: 'upstream_status', status: 429, cause: 'billing' }],
  ['model', { result: 'upstream_status', status: 404, cause: 'route' }],
  ['request', { result: 'upstream_status', status: 404, cause: 'request' }],
  ['reply', { result: 'bad_reply', status: 200, cause: 'broken' }],
  ['broken', { result: 'stream_broken', status: 200, cause: 'broken' }],
  ['caller', { result: 'connect_failed', cause: 'ours' }],
])('an attempt is counted as %s: %o', (kind, given) => {
  expect(kindOfAttempt(attempt(given))).toBe(kind);
});

test('the last attempt of a call that did not fail is counted as ok, and a row without attempts as its outcome', () => {
  const attempts = [
    attempt({ result: 'upstream_status', status: 500 }),
    attempt({ channel_id: 2, result: 'client_gone' }),
  ];
  expect(attemptsIn({ channelId: 2, failed: false, attempts })).toEqual([
    [1, 'server'],
    [2, 'ok'],
  ]);
  expect(attemptsIn({ channelId: 3, failed: false, attempts: undefined })).toEqual([[3, 'ok']]);
  expect(attemptsIn({ channelId: 3, failed: true, attempts: [] })).toEqual([[3, 'other']]);
  expect(attemptsIn({ channelId: 0, failed: true, attempts: undefined })).toEqual([]);
});
