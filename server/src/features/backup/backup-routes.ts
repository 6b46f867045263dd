import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { backupApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import { BackupError } from '#backup/backup-error.ts';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { serve, serveFile } from '#http/serve.ts';
import { ensureProved, ensureProvedBrowser } from '#http/session/recent-proof.ts';
import { keyOpens } from '#start/first-start.ts';
import { backupFolder, listBackups } from './backup-queries.ts';
import { nextSlot } from './backup-schedule.ts';
import { makeTicket, readTicket } from './backup-ticket.ts';
import { orderBackup } from './order-backup.ts';

/** Backups in the console, for the super administrator. */
export function backupRoutes(app: FastifyInstance, deps: Deps): void {
  const { config, db, live, now, secrets } = deps;

  serve(app, deps, backupApi.list, async () => ({
    backups: await listBackups(db),
    next_time: nextSlot(live.settings, now()),
    folder: backupFolder(deps),
  }));

  serve(app, deps, backupApi.start, async (_, { viewer }) => {
    const run = await orderBackup(deps, { cause: 'console', actorId: viewer.id, slot: null });
    ensure(run, 'backup.running');
    return { id: run.id };
  });

  serve(app, deps, backupApi.link, async ({ params: { id }, body: { passphrase } }, { viewer, request }) => {
    await ensureProved(request, deps);
    await openable(await fileOf(id));
    const ticket = makeTicket(secrets, { backup: id, user: viewer.id, passphrase }, now());
    return { address: `${config.basePath}${backupApi.download.path}?ticket=${encodeURIComponent(ticket)}` };
  });

  serveFile(app, deps, backupApi.download, async ({ query: { ticket } }, { viewer, request }) => {
    await ensureProved(request, deps);
    const { backup, passphrase } = readTicket(secrets, ticket, viewer.id, now());
    const { file, encrypted } = await openable(await fileOf(backup));
    const { downloadBackup } = await import('#backup/download-backup.ts');
    return {
      name: `${path.basename(file).replace(/\.age$/, '')}.age`,
      pieces: downloadBackup(file, { stored: stored(encrypted), passphrase, secretKey: config.secretKey }),
    };
  });

  serve(app, deps, backupApi.remove, async ({ params: { id } }, { request }) => {
    await ensureProvedBrowser(request, deps);
    const { file } = await fileOf(id);
    await rm(file, { force: true });
    await db.updateTable('backups').set({ file: '' }).where('id', '=', id).execute();
  });

  const stored = (encrypted: boolean) => (encrypted ? live.settings.BackupPassphrase : undefined);

  /** Throws `record.not_found`, and `backup.elsewhere` if this node does not have the file. */
  async function fileOf(id: number): Promise<{ file: string; encrypted: boolean }> {
    const row = await db
      .selectFrom('backups')
      .where('id', '=', id)
      .select(['file', 'host', 'encrypted'])
      .executeTakeFirst();
    ensure(row, 'record.not_found');
    ensure(row.file !== '' && existsSync(row.file), 'backup.elsewhere', { host: row.host });
    return row;
  }

  /** Throws `backup.unreadable` if the archive has another passphrase or data key than the present ones. */
  async function openable(found: { file: string; encrypted: boolean }) {
    const { peekArchive } = await import('#backup/download-backup.ts');
    try {
      const { key_check: check } = await peekArchive(found.file, stored(found.encrypted));
      if (!found.encrypted && check !== '' && !keyOpens(config.secretKey, check))
        throw new BackupError('The data key was changed since it was made.');
      return found;
    } catch (error) {
      if (!(error instanceof BackupError)) throw error;
      throw new AppError('backup.unreadable', { reason: error.message });
    }
  }
}
