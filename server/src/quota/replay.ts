import type { Kysely } from 'kysely';
import { isOutage } from '#db/outage.ts';
import type { Tables } from '#db/tables.ts';
import type { BatchItem, BatchRunner, ReturnItem, SettleItem } from './batch-items.ts';
import { RELEASED } from './batch-items.ts';
import type { Intent } from './journal-lines.ts';
import { tokenIn } from './limit-use.ts';
import { keepRefused, readJournal, removeJournal } from './journal.ts';

const BATCH = 512;
/** Attempts to write a settlement alone before it is set aside for an operator. */
const PATIENCE = 3;

/**
 * Replays the journal of a dead process: settlements are charged, open calls released free of charge with a log row,
 * leases returned. Settlements that the database refuses are set aside, so that neither others nor a start wait for
 * them. Safe to interrupt and repeat, also by two processes at once. Returns the numbers of each.
 */
export async function replay(
  { db, run, folder, now }: { db: Kysely<Tables>; run: BatchRunner; folder: string; now(): number },
  node: string,
): Promise<{ settled: number; released: number; refused: number }> {
  const { settlements, open, files } = readJournal(folder, node);
  const refused: SettleItem[] = [];
  for (let start = 0; start < settlements.length; start += BATCH)
    refused.push(...(await charge(run, node, settlements.slice(start, start + BATCH))));
  const releases = await releasesOf(db, await withoutRow(db, open), now());
  refused.push(...(await close(db, run, node, releases)));
  for (const settlement of refused) keepRefused(folder, settlement);
  removeJournal(files);
  return { settled: settlements.length, released: releases.length, refused: refused.length };
}

/** Charges settlements; returns those that the database refuses. Throws on an outage. */
async function charge(run: BatchRunner, node: string, items: readonly SettleItem[]): Promise<SettleItem[]> {
  const tries = items.length === 1 ? PATIENCE : 1;
  for (let made = 0; made < tries; made++) {
    try {
      await run({ node, items, lines: [] });
      return [];
    } catch (error) {
      if (isOutage(error)) throw error;
      await run({ node, items: [], lines: [] });
    }
  }
  if (items.length === 1) return [...items];
  const refused: SettleItem[] = [];
  for (const item of items) refused.push(...(await charge(run, node, [item])));
  return refused;
}

/** Open calls that have a log row were settled while the disk was full, without the journal. */
async function withoutRow(db: Kysely<Tables>, open: readonly Intent[]): Promise<Intent[]> {
  const known = new Set<string>();
  for (let start = 0; start < open.length; start += BATCH) {
    const ids = open.slice(start, start + BATCH).map(({ requestId }) => requestId);
    const rows = await db.selectFrom('logs').where('request_id', 'in', ids).select('request_id').execute();
    for (const row of rows) known.add(row.request_id);
  }
  return open.filter(({ requestId }) => !known.has(requestId));
}

/** Returns the leases of a dead process whose journal is not on this machine. */
export async function giveBackLeases(db: Kysely<Tables>, run: BatchRunner, node: string): Promise<void> {
  const items = await leasesOf(db, node);
  if (items.length > 0) await run({ node, items, lines: [] });
}

async function close(
  db: Kysely<Tables>,
  run: BatchRunner,
  node: string,
  releases: SettleItem[],
): Promise<SettleItem[]> {
  const closeWith = async (released: SettleItem[]) => {
    const items: BatchItem[] = [...released, ...(await leasesOf(db, node))];
    await run({ node, items, lines: [], closes: true });
  };
  try {
    await closeWith(releases);
    return [];
  } catch (error) {
    if (isOutage(error)) throw error;
    // One release may be at fault. Those written now have log rows, which a repetition will find.
    const refused = await charge(run, node, releases);
    await closeWith([]);
    return refused;
  }
}

async function leasesOf(db: Kysely<Tables>, node: string): Promise<ReturnItem[]> {
  const leases = await db
    .selectFrom('leases')
    .where('node', '=', node)
    .select(['user_id', 'token_id', 'credits'])
    .orderBy('user_id')
    .orderBy('token_id')
    .execute();
  const limits = await db
    .selectFrom('limit_leases')
    .where('node', '=', node)
    .select(['user_id', 'scope', 'name', 'starts', 'amount'])
    .orderBy('user_id')
    .execute();
  return [
    ...leases.map(({ user_id: userId, token_id: tokenId, credits }) => ({
      kind: 'return' as const,
      userId,
      tokenId,
      user: tokenId === 0 ? credits : 0,
      token: tokenId === 0 ? 0 : credits,
    })),
    ...limits.map(({ user_id: userId, ...share }) => ({
      kind: 'return' as const,
      userId,
      tokenId: tokenIn([share]),
      user: 0,
      token: 0,
      limits: [share],
    })),
  ];
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
