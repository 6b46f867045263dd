import { appendFileSync, existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { folderForSuite } from '#testing/book-items.ts';
import { Journal, nodesWithJournals, readJournal } from './journal.ts';

const folder = folderForSuite();
const intent = (requestId: string) => ({
  requestId,
  userId: 1,
  tokenId: 2,
  reserved: 3,
  priceVersion: 4,
  model: 'a "model" 模型\n',
});
const settlement = (requestId: string, seq: number) => JSON.stringify({ kind: 'settle', seq, requestId });

test('what was written is read again: settlements in order, and the calls without one', () => {
  const journal = new Journal(folder, 'one');
  for (const id of ['a', 'b', 'c']) journal.open(intent(id));
  journal.settle(settlement('b', journal.nextSeq()));
  journal.settle(settlement('a', journal.nextSeq()));
  const read = readJournal(folder, 'one');
  expect(read.settlements).toMatchObject([
    { seq: 1, requestId: 'b' },
    { seq: 2, requestId: 'a' },
  ]);
  expect(read.open).toEqual([intent('c')]);
  expect(statSync(read.files[0]!).mode & 0o777).toBe(0o600);
  journal.close();
  expect(nodesWithJournals(folder)).toContain('one');
});

test('a line that was cut in two by a killed process never counted', () => {
  const journal = new Journal(folder, 'torn');
  journal.open(intent('a'));
  appendFileSync(readJournal(folder, 'torn').files[0]!, settlement('a', 1).slice(0, 20));
  expect(readJournal(folder, 'torn')).toMatchObject({ settlements: [], open: [{ requestId: 'a' }] });
  journal.close();
});

test('a file goes when all of it is in the books, and a long call keeps the one in which it began', async () => {
  const journal = new Journal(folder, 'long');
  const filesOf = () => readdirSync(folder).filter((name) => name.startsWith('long.'));
  const long = journal.open(intent('long'));
  const pad = 'x'.repeat(1024 * 1024);
  for (let i = 0; i < 40; i++) {
    const opened = journal.open(intent(`r${i}`));
    journal.applied(opened);
    const seq = journal.nextSeq();
    journal.applied(journal.settle(JSON.stringify({ kind: 'settle', seq, requestId: `r${i}`, pad })).segment);
  }
  await expect.poll(filesOf).toHaveLength(2);
  expect(existsSync(path.join(folder, 'long.1.journal'))).toBe(true);
  expect(readJournal(folder, 'long').open).toEqual([intent('long')]);
  journal.applied(long);
  await expect.poll(filesOf).toHaveLength(1);
  journal.close();
  expect(filesOf()).toEqual([]);
});

test('a folder that is not there has no journals', () => {
  expect(nodesWithJournals(path.join(folder, 'none'))).toEqual([]);
});
