import {
  closeSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { folderForSuite, settlementOf } from '#testing/book-items.ts';
import type { SettleItem } from './batch-items.ts';
import { Journal, nodesWithJournals, readJournal } from './journal.ts';
import { KeptRoom } from './kept-room.ts';

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

test('a journal reads back its settlements in order, and its open calls', () => {
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

test('files of an earlier version, with settlements as objects, are read', () => {
  const kept = { ...settlement('old', 1), earlierErrors: [[7, 'gone']] as [number, string][] };
  const { log, ...rest } = kept;
  const lines = [
    JSON.stringify(['old', 1, 2, 3, 4, 'm']),
    `${JSON.stringify({ ...rest, log: { ...log, metadata: '' } })}\t${log.metadata}`,
    JSON.stringify(['open', 1, 2, 3, 4, 'm']),
    `${JSON.stringify({ ...rest, requestId: 'open', log: { ...log, metadata: '' } })}\t{"cut`,
  ];
  writeFileSync(path.join(folder, 'earlier.1.journal'), lines.join('\n'));
  const { settlements, open } = readJournal(folder, 'earlier');
  expect(settlements).toEqual([kept]);
  expect(open.map(({ requestId }) => requestId)).toEqual(['open']);
});

test('a settlement survives writing and reading unchanged', () => {
  const journal = new Journal(folder, 'whole');
  const told: SettleItem = {
    ...settlement('a', journal.nextSeq()),
    user: { take: 5, back: 6 },
    token: { take: 7, back: 8 },
    failed: true,
    channelError: 'a\tb\n"c" 模型',
    earlierErrors: [
      [3, 'one\ttwo'],
      [4, ''],
    ],
  };
  journal.settle(told);
  journal.write();
  expect(readJournal(folder, 'whole').settlements).toEqual([told]);
  journal.close();
});

test('a line truncated by a killed process is ignored', () => {
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

test('a file is deleted when all its lines are committed; a long call keeps the file of its intent', async () => {
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
  await expect.poll(filesOf, { message: 'files of the journal' }).toHaveLength(2);
  expect(existsSync(path.join(folder, 'long.1.calls'))).toBe(true);
  expect(readJournal(folder, 'long').open).toEqual([intent('long')]);
  journal.applied(long);
  await expect.poll(filesOf, { message: 'files of the journal' }).toHaveLength(1);
  journal.close();
  expect(filesOf()).toEqual([]);
});

test('a folder that is not there has no journals', () => {
  expect(nodesWithJournals(path.join(folder, 'none'))).toEqual([]);
});

test('a line committed before it was written is not written, and keeps no file', () => {
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

test('on a full disk, settlements use the reserved space, and no call starts until there is space again', () => {
  const own = path.join(folder, 'kept');
  const journal = new Journal(own, 'kept');
  journal.open(intent('a'));
  journal.open(intent('b'));
  journal.write();
  const room = path.join(own, 'reserve');
  expect(existsSync(room)).toBe(true);
  // A file that is closed takes nothing, as a full disk does.
  closeSync(fdOf('kept', own));
  const ended = journal.settle(settlement('a', journal.nextSeq()));
  const begun = journal.open(intent('c'));
  expect(() => journal.write()).toThrow('EBADF');
  expect([ended.segment, begun.segment].map((segment) => segment !== undefined)).toEqual([true, false]);
  expect(existsSync(room)).toBe(false);
  mkdirSync(room);
  const refused = journal.open(intent('d'));
  journal.settle(settlement('b', journal.nextSeq()));
  expect(() => journal.write()).toThrow('no room');
  expect(refused.segment).toBeUndefined();
  const left = readJournal(own, 'kept');
  expect(left.settlements.map(({ requestId }) => requestId)).toEqual(['a', 'b']);
  expect(left.open).toEqual([]);
});

test('the reserve is created again when the disk has space, checked at intervals', () => {
  const own = path.join(folder, 'room');
  let nowMs = 0;
  const room = new KeptRoom(own, () => nowMs);
  expect(room.isKept()).toBe(false);
  mkdirSync(own);
  expect(room.isKept()).toBe(false);
  nowMs += 5_000;
  expect(room.isKept()).toBe(true);
  expect(statSync(path.join(own, 'reserve'))).toMatchObject({ size: 4 * 1024 * 1024 });
  room.give();
  expect(existsSync(path.join(own, 'reserve'))).toBe(false);
  expect(room.isKept()).toBe(false);
  nowMs += 5_000;
  expect(room.isKept()).toBe(true);
  // One that a crash has cut is none.
  truncateSync(path.join(own, 'reserve'), 5);
  expect(new KeptRoom(own).isKept()).toBe(true);
  expect(statSync(path.join(own, 'reserve'))).toMatchObject({ size: 4 * 1024 * 1024 });
});

test('a failed write throws; a settlement stays queued', () => {
  const own = path.join(folder, 'full');
  const journal = new Journal(own, 'full');
  journal.open(intent('a'));
  journal.write();
  closeSync(fdOf('full', own));
  rmSync(own, { recursive: true });
  const ended = journal.settle(settlement('a', journal.nextSeq()));
  expect(() => journal.write()).toThrow('ENOENT');
  expect(ended.item).toMatchObject({ requestId: 'a' });
  journal.write();
});

/** The descriptor under which this process has a node's file open. */
function fdOf(node: string, own: string): number {
  const name = readdirSync(own).find((file) => file.startsWith(`${node}.`))!;
  const fds = readdirSync('/proc/self/fd').map(Number);
  return fds.find((fd) => linkOf(fd) === path.join(own, name))!;
}

function linkOf(fd: number): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return '';
  }
}
