import type { Usage } from '@relay-hub/contract';
import { kindsOf } from './counts.ts';

export function addUsage(one: Usage, other: Usage): Usage {
  const sum = { ...one };
  for (const kind of kindsOf(sum)) sum[kind] += other[kind];
  return sum;
}
