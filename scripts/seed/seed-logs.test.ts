import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openStorage } from '../../server/src/db/open.ts';
import { checkBooks } from '../../server/src/features/books/check-books.ts';
import { journalFolder } from '../../server/src/quota/journal.ts';
import { onEveryDatabase } from '../../testing/databases.ts';

const root = path.join(import.meta.dirname, '../..');

onEveryDatabase('a seeded log', (make) => {
  test('writes the requested rows, with balanced accounting', async () => {
    const database = await make();
    const { dataDir, databaseUrl } = database;
    const env = { ...process.env, DATA_DIR: dataDir, ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }) };
    const args = [
      path.join(root, 'scripts/seed/seed-logs.ts'),
      '--rows',
      '3000',
      '--users',
      '9',
      '--days',
      '7',
      '--yes',
    ];
    execFileSync(process.execPath, args, { env, stdio: 'pipe' });
    const storage = openStorage({ dataDir, databaseUrl });
    try {
      const { balanced, checks, rows } = await checkBooks(storage, journalFolder(dataDir));
      expect({ balanced, rows, differences: checks.flatMap(({ differences }) => differences) }).toEqual({
        balanced: true,
        rows: 3000,
        differences: [],
      });
      const days = await storage.db.selectFrom('usage_days').selectAll().execute();
      expect(days.length).toBeGreaterThanOrEqual(4);
    } finally {
      await storage.close();
      await database.remove();
    }
  }, 60_000);
});
