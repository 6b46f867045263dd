import { expect, test } from 'vitest';
import { newSqlite } from '#testing/databases.ts';
import { startProcess } from '#testing/process.ts';
import { lockFolder } from './folder-lock.ts';

test('a second process on one SQLite folder is refused with the reason, and a killed one blocks nobody', async () => {
  const database = await newSqlite();
  const server = await startProcess(database);
  try {
    const second = await startProcess(database).catch((error: unknown) => String(error));
    expect(second).toContain(`${server.child.pid}) serves ${database.dataDir} (DATA_DIR) already`);
    expect(second).not.toContain('    at ');
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    await server.kill();
    const lock = lockFolder(database.dataDir);
    expect(() => lockFolder(database.dataDir)).toThrow('Another process');
    lock.release();
    lockFolder(database.dataDir).release();
  } finally {
    await server.kill();
    await database.remove();
  }
});
