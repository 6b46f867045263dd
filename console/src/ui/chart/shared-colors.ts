import { seriesColor } from './series.ts';

/**
 * A colour for each id: the same in every chart that draws it, and different from the others in that chart. `charts`
 * are the ids that each chart draws, largest first.
 */
export function sharedColors(charts: readonly (readonly string[])[]): Map<string, string> {
  const ranks = new Map<string, number>();
  const longest = Math.max(0, ...charts.map(({ length }) => length));
  // By rank, so that the largest of every chart have the strongest colours.
  const byRank = Array.from({ length: longest }, (_, rank) => charts.flatMap((ids) => ids.slice(rank, rank + 1)));
  for (const id of byRank.flat()) {
    if (ranks.has(id)) continue;
    const beside = charts.filter((ids) => ids.includes(id)).flat();
    const taken = new Set(beside.map((other) => ranks.get(other)));
    let rank = 0;
    while (taken.has(rank)) rank++;
    ranks.set(id, rank);
  }
  return new Map([...ranks].map(([id, rank]) => [id, seriesColor(rank)]));
}
