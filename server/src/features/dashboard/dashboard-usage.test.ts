import { expect, test } from 'vitest';
import { WallClock } from '#roll-ups/wall-clock.ts';
import { writeRefusals } from '#refusals/write-refusals.ts';
import { databaseForSuite } from '#testing/database-for-suite.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { insertLogs, logRow } from '#testing/log-rows.ts';
import { dashboardUsage } from './dashboard-usage.ts';

const utc = (text: string): number => Date.parse(`${text}Z`) / 1000;
/** 14:30 in Shanghai, which is eight hours ahead. */
const now = utc('2026-11-20T06:30:00');
const [ann, ben] = [1, 2];

const calls = [
  // Today there; the last one is in the unfinished hour.
  { user_id: ann, time: '2026-11-19T16:00:00', quota: 5 },
  { user_id: ben, time: '2026-11-20T05:59:59', quota: 7, model_name: 'o3' },
  { user_id: ann, time: '2026-11-20T06:10:00', quota: 11 },
  // Yesterday there: one before the current hour, one right after it, one in the evening.
  { user_id: ann, time: '2026-11-19T05:59:59', quota: 100 },
  { user_id: ann, time: '2026-11-19T06:00:00', quota: 200, failed: true },
  { user_id: ben, time: '2026-11-19T15:59:59', quota: 400 },
  // The first of the seven days, and one before it.
  { user_id: ben, time: '2026-11-13T16:00:00', quota: 3 },
  { user_id: ben, time: '2026-11-13T15:59:59', quota: 1000 },
];

onEveryDatabase('the usage on the dashboard', (make) => {
  const db = databaseForSuite(make);
  const usage = (userId?: number, zone = 'Asia/Shanghai') => dashboardUsage(db(), { userId }, WallClock.of(zone)!, now);

  test('is shown by day of the time zone, and compared up to the same hour of each day', async () => {
    await insertLogs(
      db(),
      calls.map(({ time, ...row }, at) => logRow({ ...row, request_id: `call-${at}`, created_at: utc(time) })),
    );
    const { time_zone, days, models } = await usage();
    expect(time_zone).toBe('Asia/Shanghai');
    expect(days.map(({ date }) => date)).toEqual([
      '2026-11-14',
      '2026-11-15',
      '2026-11-16',
      '2026-11-17',
      '2026-11-18',
      '2026-11-19',
      '2026-11-20',
    ]);
    const [yesterday, today] = days.slice(-2);
    expect(today).toMatchObject({
      start: utc('2026-11-19T16:00:00'),
      until: utc('2026-11-20T06:00:00'),
      total: { requests: 3, quota: 23 },
      so_far: { requests: 2, quota: 12 },
    });
    expect(yesterday).toMatchObject({
      until: utc('2026-11-19T06:00:00'),
      total: { requests: 3, failures: 1, quota: 700 },
      so_far: { requests: 1, failures: 0, quota: 100 },
    });
    expect(days[0]).toMatchObject({ total: { quota: 3 }, so_far: { quota: 3 } });
    expect(models.find(({ model }) => model === 'o3')).toEqual({
      model: 'o3',
      requests: [0, 0, 0, 0, 0, 0, 1],
      quota: [0, 0, 0, 0, 0, 0, 7],
      tokens: [0, 0, 0, 0, 0, 0, 2],
    });
  });

  test('calls that the server could not serve are counted beside the requests, those of callers’ faults are not', async () => {
    const refused = (time: string, status: number, count: number) => ({
      user_id: ann,
      token_id: 1,
      hour: utc(time) - (utc(time) % 3600),
      reason: status < 500 ? 'limit_reached' : 'no_available_channel',
      model_name: 'o3',
      many_models: false,
      code: '',
      status,
      count,
      first_time: utc(time),
      first_request_id: `${time} ${status}`,
      created_at: utc(time),
      request_id: `${time} ${status}`,
      username: 'ann',
      token_name: 't',
      group_name: '',
      endpoint: '/v1/chat/completions',
      source_ip: '',
      message: '',
      needed: 0,
    });
    await writeRefusals(db(), [
      refused('2026-11-20T05:10:00', 503, 4),
      refused('2026-11-20T06:10:00', 503, 2),
      refused('2026-11-20T05:10:00', 429, 9),
      refused('2026-11-19T07:00:00', 503, 1),
    ]);
    const [yesterday, today] = (await usage()).days.slice(-2);
    expect(today).toMatchObject({ total: { requests: 3, unserved: 6 }, so_far: { unserved: 4 } });
    expect(yesterday).toMatchObject({ total: { unserved: 1 }, so_far: { unserved: 0 } });
    expect((await usage(ben)).days.at(-1)).toMatchObject({ total: { unserved: 0 } });
  });

  test('one user has their own numbers, and another zone has other days', async () => {
    expect((await usage(ann)).days.at(-1)).toMatchObject({ total: { quota: 16 }, so_far: { quota: 5 } });
    const { days } = await usage(undefined, 'UTC');
    expect(days.map(({ total }) => total.quota)).toEqual([0, 0, 0, 0, 0, 705, 18]);
    expect(days.at(-1)).toMatchObject({ date: '2026-11-20', so_far: { quota: 7 } });
  });
});
