import pino from 'pino';
import { expect, test } from 'vitest';
import type { Db } from '#db/tables.ts';
import { Meter } from '#metrics/meter.ts';
import { UsageWatch } from './usage-watch.ts';

test('unusual usage of a channel is logged once an hour, with the number of calls in between, and always counted', () => {
  const lines: { channel: number; request: string; before: number }[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[number]) });
  const meter = new Meter();
  let now = 1_800_000_000;
  // Unusual usage reaches neither the database nor the notices.
  const watch = new UsageWatch({ db: {} as Db, log, meter, notices: { add: () => {} }, now: () => now });
  let calls = 0;
  const note = (channelId: number) =>
    watch.note({ requestId: `call-${++calls}`, channelId, model: 'm', mark: 'unusual', findings: [] });
  for (const channel of [1, 1, 1, 2]) note(channel);
  now += 3600;
  note(1);
  expect(lines.map(({ channel, request, before }) => [channel, request, before])).toEqual([
    [1, 'call-1', 0],
    [2, 'call-4', 0],
    [1, 'call-5', 2],
  ]);
  expect(meter.doubts.unusual).toBe(5);
});
