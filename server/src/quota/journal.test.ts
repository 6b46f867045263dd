import { closeSync, existsSync, readdirSync, readlinkSync, statSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { folderForSuite, settlementOf } from '#testing/book-items.ts';
import type { SettleItem } from './batch-items.ts';
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
const settlement = (requestId: string, seq: number, metadata = '{"a tab":"\\t"}'): SettleItem => {
  const { log, ...rest } = settlementOf(requestId, 5);
  const covers = { user: { take: 0, back: 0 }, token: null };
  return { kind: 'settle', seq, userId: 1, tokenId: 2, ...covers, ...rest, log: { ...log, metadata } };
};

test('what was written is read again: settlements in order, and the calls without one', () => {
  const journal = new Journal(folder, 'one');
  for (const id of ['a', 'b', 'c']) journal.open(intent(id));
  journal.settle(settlement('b', journal.nextSeq()));
  journal.settle(settlement('a', journal.nextSeq()));
  expect(nodesWithJournals(folder)).not.toContain('one');
  journal.write();
  const read = readJournal(folder, 'one');
  expect(read.settlements).toEqual([settlement('b', 1), settlement('a', 2)]);
  expect(read.open).toEqual([intent('c')]);
  expect(statSync(read.files[0]!).mode & 0o777).toBe(0o600);
  journal.close();
  expect(nodesWithJournals(folder)).toContain('one');
});

test('a line that was cut in two by a killed process never counted', () => {
  const journal = new Journal(folder, 'torn');
  journal.open(intent('a'));
  const line = journal.settle(settlement('a', 1));
  journal.write();
  const file = readJournal(folder, 'torn').files[0]!;
  for (let end = line.to - 2; end > line.from; end--) {
    truncateSync(file, end);
    expect(readJournal(folder, 'torn')).toMatchObject({ settlements: [], open: [{ requestId: 'a' }] });
  }
  journal.close();
});

test('a file goes when all of it is in the books, and a long call keeps the one in which it began', async () => {
  const journal = new Journal(folder, 'long');
  const filesOf = () => readdirSync(folder).filter((name) => name.startsWith('long.'));
  const long = journal.open(intent('long'));
  journal.write();
  const pad = JSON.stringify('x'.repeat(1024 * 1024));
  for (let i = 0; i < 40; i++) {
    const opened = journal.open(intent(`r${i}`));
    const ended = journal.settle(settlement(`r${i}`, journal.nextSeq(), pad));
    journal.write();
    for (const line of [opened, ended]) journal.applied(line);
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

test('what was in the books before it was written is not written any more, and keeps no file', () => {
  const journal = new Journal(folder, 'early');
  const opened = journal.open(intent('a'));
  journal.write();
  const ended = journal.settle(settlement('a', journal.nextSeq()));
  expect(ended.item).toBeDefined();
  for (const line of [opened, ended]) journal.applied(line);
  journal.write();
  expect(readJournal(folder, 'early').settlements).toEqual([]);
  journal.close();
  expect(nodesWithJournals(folder)).not.toContain('early');
});

test('what cannot be written is said so; a settlement is kept for the books', () => {
  const journal = new Journal(folder, 'full');
  journal.open(intent('a'));
  journal.write();
  // A file that is closed takes nothing, as a full disk does.
  closeSync(fdOf('full'));
  const ended = journal.settle(settlement('a', journal.nextSeq()));
  expect(() => journal.write()).toThrow('EBADF');
  expect(ended.item).toMatchObject({ requestId: 'a' });
  journal.write();
});

/** The descriptor under which this process has a node's file open. */
function fdOf(node: string): number {
  const name = readdirSync(folder).find((file) => file.startsWith(`${node}.`))!;
  const fds = readdirSync('/proc/self/fd').map(Number);
  return fds.find((fd) => linkOf(fd) === path.join(folder, name))!;
}

function linkOf(fd: number): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return '';
  }
}
