import * as z from 'zod/mini';
import { ensure } from '#errors.ts';
import type { Secrets } from '#secrets.ts';

/** Seconds in which a download has to begin. */
const VALID_S = 60;

const ticket = z.object({ backup: z.int(), user: z.int(), passphrase: z.string(), until: z.int() });
export type BackupTicket = Omit<z.infer<typeof ticket>, 'until'>;

/**
 * A text for a download address that only this installation can read, on every node. A browser cannot send the passphrase
 * with a download that it writes to disk.
 */
export const makeTicket = (secrets: Secrets, content: BackupTicket, now: number): string =>
  secrets.encrypt(JSON.stringify({ ...content, until: now + VALID_S }));

/** Throws `backup.ticket` for another text, another user's and an old one. */
export function readTicket(secrets: Secrets, text: string, user: number, now: number): BackupTicket {
  const read = ticket.safeParse(decrypted(secrets, text));
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
