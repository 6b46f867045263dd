import { checkStatus, type channelChecks, type CheckedModel } from '@relay-hub/contract';

export type CheckName = (typeof channelChecks)[number];
export type CheckProcess = CheckedModel['process'][number];
export type Verdict = 'passed' | 'failed' | 'unknown';

/** Failed if any result did, passed if one did and none failed. */
export function verdictOf({ results }: Pick<CheckProcess, 'results'>): Verdict {
  const has = (wanted: number): boolean => results.some(({ status }) => status === wanted);
  if (has(checkStatus.failed)) return 'failed';
  return has(checkStatus.passed) ? 'passed' : 'unknown';
}

/** Whether a model passed some check and failed none. */
export function passesAll({ process }: CheckedModel): boolean {
  const verdicts = process.map(verdictOf);
  return verdicts.includes('passed') && !verdicts.includes('failed');
}
