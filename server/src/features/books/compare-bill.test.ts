import { expect, test } from 'vitest';
import { WallClock } from '#roll-ups/wall-clock.ts';
import { databaseForSuite } from '#testing/database-for-suite.ts';
import { onEveryDatabase } from '#testing/databases.ts';
import { compareBill } from './compare-bill.ts';

const at = (text: string): number => Date.parse(`${text}:00:00Z`) / 1000;
const DOLLAR = 500_000 * 1000;

onEveryDatabase('a provider’s bill', (make) => {
  const db = databaseForSuite(make);

  /** Ours, in dollars; the charge is twice the cost. */
  async function addUsage(
    day: string,
    model: string,
    dollars: number | null,
    more: { calls?: number; channel?: number } = {},
  ) {
    const { calls = 10, channel = 7 } = more;
    await db()
      .insertInto('usage_by_channel')
      .values({
        hour: at(day),
        channel_id: channel,
        model_name: model,
        request_count: calls + 1,
        failed_count: 1,
        quota: (dollars ?? 1) * 1_000_000,
        prompt_tokens: calls * 1000,
        completion_tokens: calls * 10,
        cached_tokens: 0,
        request_time: 1,
        cost: (dollars ?? 0) * DOLLAR,
        costed: dollars === null ? 0 : dollars * 1_000_000,
      })
      .execute();
  }

  const line = (date: string, model: string, cost: number | null, calls: number | null = 10) => ({
    date,
    model,
    cost,
    requests: calls,
    input: calls === null ? null : calls * 1000,
    output: calls === null ? null : calls * 10,
    rows: 1,
  });

  test('each planted difference is found, named and ranked, and all lines add up to both sums', async () => {
    const day = '2026-11-20';
    await addUsage(`${day}T03`, 'claude-sonnet-4-6', 2);
    await addUsage(`${day}T04`, 'dearer', 4);
    await addUsage(`${day}T05`, 'used-elsewhere', 1);
    await addUsage(`${day}T05`, 'drained', 3, { calls: 20 });
    await addUsage(`${day}T06`, 'unpriced', null);
    await addUsage(`${day}T07`, 'unbilled', 0.5);
    await addUsage(`${day}T08`, 'cents', 0.004);
    await addUsage(`${day}T23`, 'late', 1);
    await addUsage('2026-11-21T01', 'late', 3);
    await addUsage(`${day}T09`, 'dearer', 100, { channel: 8 });
    const lines = [
      line(day, 'Claude Sonnet 4.6', 2),
      line(day, 'dearer', 6),
      line(day, 'used-elsewhere', 4, 40),
      line(day, 'drained', 1.5, 10),
      line(day, 'unpriced', 0.25),
      line(day, 'image-tool', 0.75, null),
      line(day, 'cents', 0),
      line(day, 'late', 0.25, 2),
      line('2026-11-21', 'late', 3.75, 18),
    ];
    const clock = WallClock.of('UTC')!;
    const report = await compareBill(db(), { lines, channel_ids: [7, 7], rate: 1, unit: 0.01 }, clock);
    expect(report).toMatchObject({ from: day, to: '2026-11-21', bill: 18.5, ours: 14.504, line_count: 10 });
    expect(report.lines.map(({ model, difference, cause, factor }) => [model, difference, cause, factor])).toEqual([
      ['used-elsewhere', 3, 'more', null],
      ['dearer', 2, 'price', 1.5],
      ['drained', -1.5, 'fewer', null],
      ['image-tool', 0.75, 'only_bill', null],
      ['late', -0.75, 'day', null],
      ['late', 0.75, 'day', null],
      ['unbilled', -0.5, 'only_here', null],
      ['unpriced', 0.25, 'unknown_cost', null],
      ['cents', -0.004, 'rounding', null],
      ['Claude Sonnet 4.6', 0, 'none', null],
    ]);
    expect(report.lines.reduce((sum, { difference }) => sum + difference, 0)).toBeCloseTo(report.bill - report.ours, 9);
    expect(report.causes.reduce((sum, { difference }) => sum + difference, 0)).toBeCloseTo(
      report.bill - report.ours,
      9,
    );
    expect(report.lines[0]!.models).toEqual(['used-elsewhere']);
  });

  test('days are those of the bill’s zone, and amounts in its currency', async () => {
    const clock = WallClock.of('Asia/Shanghai')!;
    const lines = [line('2026-11-21', 'late', 7, 10), line('2026-11-22', 'late', null, null)];
    const {
      lines: [first],
    } = await compareBill(db(), { lines, channel_ids: [7], rate: 0.14, unit: 0.01 }, clock);
    // 23:00 of the 20th in UTC, and 01:00 of the 21st, are the 21st in Shanghai: 4 dollars here, 0.98 in the bill.
    expect(first).toMatchObject({
      date: '2026-11-21',
      ours: { cost: 4, requests: 20 },
      bill: { cost: 0.98 },
      difference: -3.02,
    });
  });
});
