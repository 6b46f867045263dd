import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '#config.ts';
import { isLocked } from '#db/outage.ts';

/**
 * Makes a data directory with SQLite this process's alone until `release`, or until the process ends, however that is:
 * SQLite's lock of an empty file belongs to the process. Throws `ConfigError` if another process has it.
 */
export function lockFolder(dataDir: string): { release(): void } {
  const lock = new DatabaseSync(path.join(dataDir, 'server.lock'), { timeout: 0 });
  try {
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    if (!isLocked(error)) throw error;
    throw new ConfigError(
      `Another process${holder(dataDir)} serves ${dataDir} (DATA_DIR) already, and SQLite is for one at a time. End that ` +
        'process, use another DATA_DIR, or set DATABASE_URL: several processes can share one PostgreSQL.',
    );
  }
  return {
    release() {
      if (lock.isOpen) lock.close();
    },
  };
}

/** The id of the process with the newest heartbeat; empty if it cannot be read. */
function holder(dataDir: string): string {
  try {
    const db = new DatabaseSync(path.join(dataDir, 'relay-hub.db'), { readOnly: true });
    const node = db.prepare('select host, pid from nodes order by seen_time desc limit 1').get();
    db.close();
    return node === undefined ? '' : ` (${String(node['host']).split(' ')[0]} ${String(node['pid'])})`;
  } catch {
    // The database is not there yet, or in use: the message is complete without it.
    return '';
  }
}
