import { logType } from '@relay-hub/contract';
import { readCommand, whole, yes } from '../../server/src/process/command-line.ts';
import { sealDays } from '../../server/src/roll-ups/seal-days.ts';
import { SeedBooks } from './seed-books.ts';
import { callAt, noteAt } from './seed-calls.ts';
import { Chance } from './chance.ts';
import { openSeeded } from './open-seeded.ts';
import { addWorld } from './seed-world.ts';

const {
  rows,
  days,
  users,
  yes: isConfirmed,
} = readCommand({
  name: 'tool seed:logs',
  about:
    'Fills a new database (DATA_DIR or DATABASE_URL) with a long log for measurements: rows of realistic size with ledger ' +
    'entries, roll-ups and balances that add up. Writes in bulk, without the relay; one to two minutes per million rows.',
  options: {
    rows: whole('<number>', 'default: 1000000', 1_000_000, 1),
    days: whole('<number>', 'default: 60', 60, 1),
    users: whole('<number>', 'default: 200', 200, 1),
    yes,
  },
});

const DAY_S = 86_400;
const ROWS_A_COMMIT = 5000;
const TOPUP = 250_000_000;
const LATEST_S = 600;

const now = Math.floor(Date.now() / 1000);
const since = now - days * DAY_S;
const { secrets, storage } = await openSeeded(isConfirmed, since);
const { db } = storage;

const chance = new Chance(20_261_120);
const world = await addWorld(db, secrets, chance, { users, since });
const books = await SeedBooks.open(db);

const startMs = performance.now();
const times = hourly(since, now);
let at = since;
for (let n = 0; n < rows; n++) {
  at = times(n / rows);
  addOne(at);
  if ((n + 1) % ROWS_A_COMMIT !== 0) continue;
  await books.write(db, at);
  if ((n + 1) % 100_000 === 0) process.stderr.write(`${n + 1} rows, ${seconds()} s\n`);
}
await books.write(db, at);
await books.close(db);
await sealDays(db, now);
await storage.close();
process.stdout.write(`${rows} rows of ${users} users over ${days} days in ${seconds()} s\n`);

function addOne(time: number): void {
  const luck = chance.next();
  if (luck < 0.003) return addNote(time, luck);
  // Another node or a retried settlement: rows are not strictly ordered by time.
  const call = callAt(world, chance, luck > 0.998 ? time - chance.between(1, LATEST_S) : time);
  if (books.balanceOf(call.user_id) < call.quota) {
    books.addTopup(call.user_id, TOPUP, `seed:${call.request_id}`, time);
  }
  books.add(call);
}

function addNote(time: number, luck: number): void {
  const type = luck < 0.001 ? logType.topup : luck < 0.002 ? logType.manage : logType.system;
  const caller = chance.pickBusy(world.callers);
  if (type === logType.topup) books.addTopup(caller.userId, TOPUP, `seed:note:${time}:${luck}`, time);
  books.add(noteAt(caller, chance, { at: time, type, content: type === logType.topup ? '在线充值 $500' : 'seed' }));
}

/** Maps a share of all rows to a time: more calls by day than by night, the newest just now. */
function hourly(from: number, to: number): (share: number) => number {
  const hours = Math.ceil((to - from) / 3600);
  const sums: number[] = [];
  let sum = 0;
  for (let hour = 0; hour < hours; hour++)
    sums.push((sum += 1 + 0.8 * Math.sin(((from / 3600 + hour) % 24) * (Math.PI / 12)) + hour / hours));
  let hour = 0;
  return (share) => {
    while (hour < hours - 1 && sums[hour]! < share * sum) hour++;
    const before = sums[hour - 1] ?? 0;
    const into = (share * sum - before) / (sums[hour]! - before);
    return Math.min(to - 1, Math.floor(from + (hour + into) * 3600));
  };
}

function seconds(): string {
  return ((performance.now() - startMs) / 1000).toFixed(1);
}
