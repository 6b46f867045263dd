import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStorage } from './open.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'relay-hub-open-'));
  // As a folder that was there before, and that everybody may look into.
  chmodSync(dataDir, 0o755);
});
afterEach(() => rmSync(dataDir, { recursive: true }));

test.runIf(process.platform !== 'win32').each([false, true])(
  'nobody but its owner reads the database, nor its log; there before: %s',
  async (isOld) => {
    const file = path.join(dataDir, 'relay-hub.db');
    if (isOld) for (const each of [file, `${file}-wal`, `${file}-shm`]) writeFileSync(each, '', { mode: 0o644 });
    const storage = openStorage({ databaseUrl: undefined, dataDir });
    try {
      await sql`create table t (a integer)`.execute(storage.db);
      const modes = ['', '-wal', '-shm'].map((end) => statSync(file + end).mode & 0o777);
      expect(modes).toEqual([0o600, 0o600, 0o600]);
    } finally {
      await storage.close();
    }
  },
);
