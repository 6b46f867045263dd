import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';
import type { Storage } from '#db/open.ts';
import type { BatchRunner } from '#quota/batch-items.ts';
import { script as bookScript } from '#quota/book-statements.ts';
import { Book, type Reservation, type Settlement } from '#quota/book.ts';
import { PendingSums } from '#quota/pending-sums.ts';
import { openRecall } from '#quota/recall.ts';
import { addUpBefore } from './caught-up.ts';

export const NOW = 1_800_000_000;

const quiet = { error: () => {}, warn: () => {} };

/** A folder for journals, removed after the suite. */
export function folderForSuite(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'relay-hub-journal-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

let nodes = 0;

/** A book over a storage, as a separate node. `run` replaces the way to the database. */
export function bookOf(
  storage: Storage,
  folder: string,
  node = `node-${++nodes}`,
  run: BatchRunner = storage.prepare(bookScript),
): Book {
  addUpBefore(storage.db, new PendingSums(storage, quiet));
  return new Book({ run, recall: openRecall(storage.db, node), folder, node, log: quiet });
}

export const callOf = (
  requestId: string,
  { userId, tokenId, limited = false }: { userId: number; tokenId: number; limited?: boolean },
  reserved: number,
): Reservation => ({ requestId, userId, tokenId, limited, reserved, priceVersion: 1, model: 'gpt-4o' });

export const settlementOf = (requestId: string, credits: number, more: Partial<Settlement> = {}): Settlement => ({
  requestId,
  channelId: 0,
  credits,
  now: NOW,
  failed: false,
  channelError: '',
  log: {
    content: '',
    username: 'user',
    tokenName: 'token',
    model: 'gpt-4o',
    promptTokens: 1,
    completionTokens: 2,
    cachedTokens: 0,
    requestTimeMs: 3,
    isStream: false,
    sourceIp: '',
    metadata: '{"outcome":"answered"}',
  },
  ...more,
});
