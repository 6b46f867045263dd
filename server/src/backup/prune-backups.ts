import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { archiveName } from './write-backup.ts';

export interface Retention {
  /** Number of archives to keep; 0: all. */
  count: number;
  /** Days for which an archive is kept; 0: forever. The newest archive is always kept. */
  days: number;
}

/** Removes old archives of one installation from a folder. Returns their paths. */
export async function pruneBackups(
  folder: string,
  databaseId: string,
  { count, days }: Retention,
  now: number,
): Promise<string[]> {
  const shape = archiveName(databaseId);
  const found = (await readdir(folder))
    .flatMap((name) => {
      const [, time] = shape.exec(name) ?? [];
      return time === undefined ? [] : [{ name, time }];
    })
    .toSorted((a, b) => (a.time < b.time ? 1 : a.time > b.time ? -1 : 0));
  const oldest = new Date((now - days * 86_400) * 1000).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const removed: string[] = [];
  for (const [index, { name, time }] of found.entries()) {
    const tooMany = count > 0 && index >= count;
    const tooOld = days > 0 && time < oldest;
    if (index === 0 || (!tooMany && !tooOld)) continue;
    const file = path.join(folder, name);
    await rm(file, { force: true });
    removed.push(file);
  }
  return removed;
}
