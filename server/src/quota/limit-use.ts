import type { CountShare } from './batch-items.ts';

/** How much a finished call counts towards a limit, by the limit's name. A call in progress counts only until its end. */
export function countedBy(
  name: string,
  credits: number,
  { promptTokens, completionTokens }: { promptTokens: number; completionTokens: number },
): number {
  const measure = name.slice(0, name.indexOf(':'));
  if (measure === 'credits') return credits;
  if (measure === 'tokens') return promptTokens + completionTokens;
  return measure === 'requests' ? 1 : 0;
}

/** The periods in which a call counts: the first share of each limit. */
export function countedIn(shares: readonly CountShare[]): [name: string, starts: number][] {
  const first = new Map<string, number>();
  for (const { name, starts } of shares) if (!first.has(name) && !name.startsWith('calls:')) first.set(name, starts);
  return [...first];
}
