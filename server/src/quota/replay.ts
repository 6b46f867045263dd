import type { Kysely } from 'kysely';
import type { Tables } from '#db/tables.ts';
import type { BatchItem, BatchRunner, ReturnItem, SettleItem } from './batch-items.ts';
import { RELEASED } from './batch-items.ts';
import type { Intent } from './journal.ts';
import { readJournal, removeJournal } from './journal.ts';

const BATCH = 512;

/**
 * Brings into the books what a dead process has left in its journal: what it had settled is charged; of the calls that
 * it left open nothing is known but what was reserved, so they are released free of charge, with a row that says so;
 * its leases go back. Safe to break off and to repeat, also by two processes at once. Returns how many of each.
 */
export async function replay(
  { db, run, folder, now }: { db: Kysely<Tables>; run: BatchRunner; folder: string; now(): number },
  node: string,
): Promise<{ settled: number; released: number }> {
  const { settlements, open, files } = readJournal(folder, node);
  for (let start = 0; start < settlements.length; start += BATCH)
    await run({ node, items: settlements.slice(start, start + BATCH), lines: [] });
  await close(db, run, node, await releasesOf(db, open, now()));
  removeJournal(files);
  return { settled: settlements.length, released: open.length };
}

/** Gives back what a dead process had leased, when its journal is not here. */
export async function giveBackLeases(db: Kysely<Tables>, run: BatchRunner, node: string): Promise<void> {
  const items = await leasesOf(db, node);
  if (items.length > 0) await run({ node, items, lines: [] });
}

async function close(db: Kysely<Tables>, run: BatchRunner, node: string, releases: SettleItem[]): Promise<void> {
  const items: BatchItem[] = [...releases, ...(await leasesOf(db, node))];
  await run({ node, items, lines: [], closes: true });
}

async function leasesOf(db: Kysely<Tables>, node: string): Promise<ReturnItem[]> {
  const leases = await db
    .selectFrom('leases')
    .where('node', '=', node)
    .select(['user_id', 'token_id', 'credits'])
    .orderBy('user_id')
    .orderBy('token_id')
    .execute();
  return leases.map(({ user_id: userId, token_id: tokenId, credits }) => ({
    kind: 'return',
    userId,
    tokenId,
    user: tokenId === 0 ? credits : 0,
    token: tokenId === 0 ? 0 : credits,
  }));
}

async function releasesOf(db: Kysely<Tables>, open: readonly Intent[], now: number): Promise<SettleItem[]> {
  if (open.length === 0) return [];
  const ids = [...new Set(open.map(({ tokenId }) => tokenId))];
  const names = new Map<number, { username: string; tokenName: string }>();
  for (let start = 0; start < ids.length; start += BATCH) {
    const rows = await db
      .selectFrom('tokens')
      .innerJoin('users', 'users.id', 'tokens.user_id')
      .where('tokens.id', 'in', ids.slice(start, start + BATCH))
      .select(['tokens.id', 'tokens.name as tokenName', 'users.username'])
      .execute();
    for (const { id, ...name } of rows) names.set(id, name);
  }
  return open.map((call) => releaseOf(call, names.get(call.tokenId), now));
}

const releaseOf = (
  { requestId, userId, tokenId, reserved, priceVersion, model }: Intent,
  name: { username: string; tokenName: string } | undefined,
  now: number,
): SettleItem => ({
  kind: 'settle',
  seq: RELEASED,
  requestId,
  userId,
  tokenId,
  channelId: 0,
  credits: 0,
  user: { take: 0, back: 0 },
  token: null,
  now,
  failed: true,
  channelError: '',
  log: {
    content: '',
    username: name?.username ?? '',
    tokenName: name?.tokenName ?? '',
    model,
    promptTokens: 0,
    completionTokens: 0,
    cachedTokens: 0,
    requestTimeMs: 0,
    isStream: false,
    sourceIp: '',
    metadata: JSON.stringify({ outcome: 'released', price_version: priceVersion, reserved }),
  },
});
