import type { Usage } from '@relay-hub/contract';

export function addUsage(one: Usage, other: Usage): Usage {
  const sum = { ...one };
  for (const kind of Object.keys(sum) as (keyof Usage)[]) sum[kind] += other[kind]; // a usage has no other members
  return sum;
}
