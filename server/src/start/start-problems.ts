import { codeOf } from '#caught-error.ts';
import { setTimeout as rest } from 'node:timers/promises';
import { sql, type Kysely } from 'kysely';
import { type Config, ConfigError } from '#config.ts';
import type { Storage } from '#db/open.ts';
import { reasonOf } from '#db/outage.ts';
import type { Tables } from '#db/tables.ts';

/** Timeout of the database's first answer. */
const PATIENCE_MS = 15_000;

/** Waits until the database answers. Throws a `ConfigError` that names DATABASE_URL. */
export async function reach(db: Kysely<Tables>, config: Config, patienceMs = PATIENCE_MS): Promise<void> {
  if (config.databaseUrl === undefined) return;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`nothing answered within ${Math.ceil(patienceMs / 1000)} seconds`)),
      patienceMs,
    );
  });
  try {
    await Promise.race([sql`select 1`.execute(db), late]);
  } catch (error) {
    throw new ConfigError(`The database at DATABASE_URL cannot be used: ${reasonOf(error)}.`);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits briefly for work that a silent database may block. */
export async function soon(done: Promise<unknown>, momentMs = 2_000): Promise<void> {
  await Promise.race([done, rest(momentMs, undefined, { ref: false })]);
}

/** Closes a database, waiting only briefly if it does not answer. */
export const closeSoon = (storage: Pick<Storage, 'close'>, momentMs?: number): Promise<void> =>
  soon(storage.close(), momentMs);

/** Translates a listen error to a `ConfigError` about PORT or HOST; returns other errors unchanged. */
export function listenProblem(error: unknown, { port, host }: Config): unknown {
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return new ConfigError(`PORT ${port} is in use by another program. End that, or set PORT to a free one.`);
    case 'EACCES':
      return new ConfigError(`PORT ${port} may not be used by this account. Set PORT to one above 1023.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new ConfigError(`HOST ${host} is no address of this machine.`);
    default:
      return error;
  }
}
