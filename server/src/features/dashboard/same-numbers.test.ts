import { analyticsApi, channelApi, dashboardApi, logApi, type LogMetadata } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite, upstreamForSuite } from '#testing/hub.ts';
import { insertLogs, logRow } from '#testing/log-rows.ts';
import { inMidHour } from '#testing/mid-hour.ts';
import { WallClock } from '#roll-ups/wall-clock.ts';

const HOUR_S = 3600;

onEveryDatabase('the same question on several screens', (make) => {
  inMidHour();
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();

  test.each(['Asia/Kolkata', 'America/New_York'])('has the same number in %s', async (zone) => {
    const { root, server } = hub();
    const { db, now } = server.deps;
    for (const table of ['logs', 'attempts_by_channel'] as const) await db.deleteFrom(table).execute();
    const ids = [await addChannel(hub(), upstream().url), await addChannel(hub(), upstream().url)];
    const attempt = (channel: number, result: string): NonNullable<LogMetadata['attempts']>[number] => ({
      channel_id: channel,
      channel_name: '',
      status: 200,
      start: 0,
      ms: 1,
      result,
    });
    // Every fifth call succeeded on the second channel, and every seventh failed there as well.
    const rows = Array.from({ length: 200 }, (_, at) => {
      const rescued = at % 5 === 0;
      const failed = at % 7 === 0;
      const last = attempt(ids[rescued || failed ? 1 : 0]!, failed ? 'connect_failed' : 'ok');
      const attempts = rescued || failed ? [attempt(ids[0]!, 'connect_failed'), last] : [last];
      return logRow({
        request_id: `${zone}-${at}`,
        user_id: 1 + (at % 3),
        created_at: now() - at * 0.9 * HOUR_S - (at % 60),
        channel_id: last.channel_id,
        failed,
        quota: failed ? 0 : 100 + at,
        model_name: at % 2 ? 'gpt-4o' : 'o3',
        metadata: JSON.stringify({ attempts }),
      });
    }).map((row) => ({ ...row, created_at: Math.floor(row.created_at) }));
    await insertLogs(db, rows);

    const clock = WallClock.of(zone)!;
    const query = { time_zone: zone };
    const week = await root.call(dashboardApi.hub, { query });
    const sum = (of: 'requests' | 'failures' | 'quota') => week.days.reduce((all, { total }) => all + total[of], 0);
    for (const [days, requests, failures, quota] of [
      [1, week.days.at(-1)!.total.requests, week.days.at(-1)!.total.failures, week.days.at(-1)!.total.quota],
      [7, sum('requests'), sum('failures'), sum('quota')],
    ] as const) {
      const expected = { requests, failures, quota };
      expect(requests).toBeGreaterThan(0);
      const { total } = await root.call(analyticsApi.usage, { query: { ...query, days } });
      expect(total, `analytics, ${days} days`).toMatchObject(expected);
      const from = clock.dayOf(now(), 1 - days);
      const log = await root.call(logApi.totals, { query: { start_timestamp: from, end_timestamp: now() + HOUR_S } });
      expect(log, `the log, ${days} days`).toMatchObject(expected);
    }

    const first = now() - (now() % HOUR_S) - 23 * HOUR_S;
    const dayOfCalls = { start_timestamp: first, end_timestamp: now() + HOUR_S };
    const log = await root.call(logApi.totals, { query: dayOfCalls });
    const health = await root.call(channelApi.health);
    const attempts = health.flatMap(({ hours }) => hours);
    const all = (of: 'requests' | 'failures') => attempts.reduce((total, hour) => total + hour[of], 0);
    // Each successful call has exactly one successful attempt.
    expect(all('requests') - all('failures')).toBe(log.requests - log.failures);
    const rescues = rows.filter(({ created_at: at, metadata }) => at >= first && metadata?.includes('connect_failed'));
    expect(all('failures')).toBe(rescues.length + log.failures);
  });
});
