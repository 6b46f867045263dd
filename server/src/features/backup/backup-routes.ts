import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { backupApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import * as z from 'zod/mini';
import { BackupError } from '#backup/backup-error.ts';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { serve, serveFile } from '#http/serve.ts';
import { ensureProved, ensureProvedBrowser } from '#http/session/recent-proof.ts';
import { keyOpens } from '#start/first-start.ts';
import type { Secrets } from '#secrets.ts';
import { backupFolder, listBackups } from './backup-queries.ts';
import { nextSlot } from './backup-schedule.ts';
import { orderBackup } from './order-backup.ts';

/** Seconds in which a download has to begin. */
const VALID_S = 60;

const ticketContent = z.object({ backup: z.int(), user: z.int(), passphrase: z.string(), until: z.int() });
type BackupTicket = Omit<z.infer<typeof ticketContent>, 'until'>;

/**
 * A text for a download address that only this installation can read, on every node. A browser cannot send the passphrase
 * with a download that it writes to disk.
 */
const makeTicket = (secrets: Secrets, content: BackupTicket, now: number): string =>
  secrets.encrypt(JSON.stringify({ ...content, until: now + VALID_S }));

/** Throws `backup.ticket` for another text, another user's and an old one. */
function readTicket(secrets: Secrets, text: string, user: number, now: number): BackupTicket {
  const read = ticketContent.safeParse(decrypted(secrets, text));
  ensure(read.success && read.data.user === user && read.data.until >= now, 'backup.ticket');
  return read.data;
}

function decrypted(secrets: Secrets, text: string): unknown {
  try {
    return JSON.parse(secrets.decrypt(text));
  } catch {
    return undefined;
  }
}

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
