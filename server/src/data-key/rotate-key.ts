import type { Kysely, Transaction } from 'kysely';
import { sql } from 'kysely';
import { isPostgres } from '#db/dialect-differences.ts';
import { encryptedColumns } from '#db/encrypted-columns.ts';
import type { Tables } from '#db/tables.ts';
import type { RegisteredNode } from '#db/tables/site.ts';
import { cipherShape, type Secrets } from '#secrets.ts';

/** The data key cannot be changed now. Nothing was changed. */
export class RotationError extends Error {}

type Column = (typeof encryptedColumns)[number];

const A_PAGE = 500;
/** Large tables that no code writes secrets to. */
const neverSecret = /^(?:logs|logs_.*|ledger|kysely_.*)$/;

/**
 * Re-encrypts every stored secret with `to` instead of `from`, in one transaction. Returns the number of secrets.
 * Throws `RotationError` while a server uses the database, when a secret cannot be decrypted, and when a column outside
 * the list holds one.
 */
export async function rotateKey(
  db: Kysely<Tables>,
  from: Secrets,
  to: Secrets,
  isAlive: (node: RegisteredNode) => boolean,
): Promise<number> {
  return db.transaction().execute(async (trx) => {
    // A server that starts meanwhile waits for this lock and then finds that its key is no longer valid.
    if (isPostgres(trx)) await sql`lock table nodes in exclusive mode`.execute(trx);
    await refuseWhileRunning(trx, isAlive);
    let count = 0;
    const renew = renewer(from, to);
    for (const column of encryptedColumns) count += await rotateColumn(trx, column, renew);
    await refuseLeftovers(trx, from);
    return count;
  });
}

async function refuseWhileRunning(trx: Transaction<Tables>, isAlive: (node: RegisteredNode) => boolean): Promise<void> {
  const running = (await trx.selectFrom('nodes').selectAll().execute()).filter(isAlive);
  if (running.length === 0) return;
  const names = running.map(({ host, pid }) => `${host.split(' ')[0]} ${pid}`).join(', ');
  throw new RotationError(
    `${running.length} process(es) are running on this database (${names}). Stop them first; a killed process expires after a minute.`,
  );
}

/** Equal ciphertexts stay equal, so undo can still detect unchanged rows. */
type Renew = (cipher: string) => string | undefined;

function renewer(from: Secrets, to: Secrets): Renew {
  const known = new Map<string, string>();
  return (cipher) => {
    const before = known.get(cipher);
    if (before !== undefined) return before;
    const plain = opened(cipher, from);
    if (plain === undefined) return undefined;
    const next = to.encrypt(plain);
    known.set(cipher, next);
    return next;
  };
}

async function rotateColumn(trx: Transaction<Tables>, column: Column, renew: Renew): Promise<number> {
  const { table, key, column: name } = column;
  const [keyRef, valueRef, tableRef] = [sql.ref(key), sql.ref(name), sql.table(table)];
  let count = 0;
  for (let after: string | number | undefined; ;) {
    const beyond = after === undefined ? sql`` : sql`and ${keyRef} > ${after}`;
    const { rows } = await sql<{ key: string | number; value: string }>`
      select ${keyRef} as key, ${valueRef} as value from ${tableRef}
      where cast(${valueRef} as text) <> '' ${beyond} order by ${keyRef} limit ${A_PAGE}`.execute(trx);
    for (const row of rows) {
      const text = typeof row.value === 'string' ? row.value : JSON.stringify(row.value);
      const next = encryptedAnew(text, column, renew);
      if (next === text) continue;
      await sql`update ${tableRef} set ${valueRef} = ${next} where ${keyRef} = ${row.key}`.execute(trx);
      count++;
    }
    after = rows.at(-1)?.key;
    if (rows.length < A_PAGE) return count;
  }
}

function encryptedAnew(text: string, { table, column, form }: Column, renew: Renew): string {
  if (form === 'whole') {
    const next = renew(text);
    if (next === undefined)
      throw new RotationError(
        `A secret in ${table}.${column} cannot be decrypted with the current key. Nothing was changed.`,
      );
    return next;
  }
  // Text that only looks like a ciphertext stays unchanged.
  return text.replace(cipherShape, (cipher) =>
    form === 'some' && cipher !== text ? cipher : (renew(cipher) ?? cipher),
  );
}

function opened(cipher: string, secrets: Secrets): string | undefined {
  try {
    return secrets.decrypt(cipher);
  } catch {
    return undefined;
  }
}

/** Searches every text column for values that the old key still decrypts. */
async function refuseLeftovers(trx: Transaction<Tables>, from: Secrets): Promise<void> {
  for (const { name, columns } of await trx.introspection.getTables()) {
    if (neverSecret.test(name)) continue;
    for (const column of columns.filter(({ dataType }) => /text|char|json/i.test(dataType))) {
      const value = sql`cast(${sql.ref(column.name)} as text)`;
      const { rows } = await sql<{
        value: string;
      }>`select ${value} as value from ${sql.table(name)} where ${value} like '%v1.%'`.execute(trx);
      for (const { value: text } of rows)
        for (const [cipher] of text.matchAll(cipherShape))
          if (opened(cipher, from) !== undefined)
            throw new RotationError(
              `${name}.${column.name} holds a secret but is not in the list of encrypted columns. Nothing was changed.`,
            );
    }
  }
}
