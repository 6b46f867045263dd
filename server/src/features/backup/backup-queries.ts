import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Backup } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import type { Tables } from '#db/tables.ts';
import type { Deps } from '#deps.ts';

const SHOWN = 50;

/** The latest backups, newest first. */
export async function listBackups(db: Kysely<Tables>): Promise<Backup[]> {
  const rows = await db
    .selectFrom('backups')
    .leftJoin('users', 'users.id', 'backups.actor_id')
    .select([
      'backups.id',
      'cause',
      'users.username as actor',
      'state',
      'percent',
      'started_time',
      'ended_time',
      'host',
      'file',
      'bytes',
      'encrypted',
      'error',
    ])
    .orderBy('backups.id', 'desc')
    .limit(SHOWN)
    .execute();
  return rows.map((row) => ({ ...row, actor: row.actor ?? '', here: row.file !== '' && existsSync(row.file) }));
}

/** The folder of archives on this node. */
export const backupFolder = ({ config, live }: Pick<Deps, 'config' | 'live'>): string =>
  live.settings.BackupFolder || path.join(config.dataDir, 'backups');
