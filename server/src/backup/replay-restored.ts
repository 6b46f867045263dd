import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import type { Storage } from '#db/open.ts';
import { watchOpenCalls } from '#jobs/open-calls.ts';
import { script as bookScript } from '#quota/book-statements.ts';
import { forgetOwnRun } from './recorded-backup.ts';

/**
 * Charges what the restored journals hold and releases the open calls, as the first start would do, and forgets the
 * backup that made the copy.
 */
export async function replayRestored({ db, prepare }: Storage, dataDir: string): Promise<void> {
  const calls = await watchOpenCalls({
    config: { dataDir },
    db,
    log: pino({ level: 'silent' }),
    nodeId: randomUUID(),
    now: () => Math.floor(Date.now() / 1000),
    runBook: prepare(bookScript),
  });
  await calls.stop(true);
  await forgetOwnRun(db);
}
