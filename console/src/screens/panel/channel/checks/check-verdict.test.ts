import { checkStatus, type CheckedModel } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { passesAll, verdictOf } from './check-verdict.ts';

const { failed, passed, unknown } = checkStatus;
const results = (...statuses: number[]) => statuses.map((status) => ({ name: 'answer', status, remark: '' }));

test.each([
  [[passed, unknown], 'passed'],
  [[passed, failed], 'failed'],
  [[unknown], 'unknown'],
  [[], 'unknown'],
])('results %j are %s', (statuses, verdict) => {
  expect(verdictOf({ results: results(...statuses) })).toBe(verdict);
});

test.each([
  [[[passed], [unknown]], true],
  [[[passed], [failed]], false],
  // Not a chat model: nothing was tested.
  [[[unknown]], false],
])('a model with the results %j passes all: %s', (processes, all) => {
  const process: CheckedModel['process'] = processes.map((statuses) => ({
    name: 'basic',
    results: results(...statuses),
    response: null,
  }));
  expect(passesAll({ model: 'm', process })).toBe(all);
});
