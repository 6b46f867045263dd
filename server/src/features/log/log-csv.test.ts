import { logApi } from '@relay-hub/contract';
import { beforeAll, expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { addChannel, hubForSuite } from '#testing/hub.ts';
import { insertLogs, logRow } from '#testing/log-rows.ts';
import type { TestPerson } from '#testing/people.ts';
import { addPerson } from '#testing/people.ts';

const ROWS = 1234;
const at = 1_770_091_445;

onEveryDatabase('the log as a file', (make) => {
  const hub = hubForSuite(make);
  let ann: TestPerson;
  let ben: TestPerson;

  beforeAll(async () => {
    ann = await addPerson(hub());
    ben = await addPerson(hub());
    const channel = await addChannel(hub(), 'http://127.0.0.1:9', { name: '=SUM(1;2)' });
    const of = (who: TestPerson, n: number, more: object = {}) =>
      logRow({ request_id: `r${n}`, user_id: who.id, username: who.username, created_at: at + n, ...more });
    await insertLogs(hub().server.deps.db, [
      ...Array.from({ length: ROWS }, (_, n) => of(ann, n, { model_name: n % 2 === 0 ? 'even' : 'odd' })),
      of(ben, 5000, {
        token_name: '@laptop',
        channel_id: channel,
        quota: 250_000,
        prompt_tokens: 900,
        completion_tokens: 100,
        request_time: 2500,
        is_stream: true,
        failed: true,
        metadata: JSON.stringify({
          group_name: 'vip',
          group_ratio: 0.8,
          input_ratio: 1.25,
          output_ratio: 5,
          cached_tokens: 300,
          first_response: 500,
          outcome: 'broken',
          price_version: 7,
          status: 502,
          error: 'stream_broken',
          attempts: [
            {
              channel_id: 1,
              channel_name: '',
              status: 200,
              start: 0,
              ms: 9,
              result: 'timeout',
              message: 'no byte for 60 s',
            },
          ],
          usage_mark: 'implausible',
        }),
      }),
      of(ben, 5001, {
        type: 1,
        quota: 500,
        channel_id: 0,
        content: '-10%',
        model_name: '',
        token_name: '',
        token_id: 0,
      }),
      of(ben, 5002, {
        quota: 13_001,
        prompt_tokens: 1000,
        completion_tokens: 0,
        metadata: JSON.stringify({
          price_type: 'tokens',
          group_ratio: 1,
          input_ratio: 1.5005,
          output_ratio: 5,
          rules: [
            { effect: 'multiply', over: 900, modes: ['fast', 'priority'], input: 2, output: 1.5 },
            { effect: 'replace', valid_from: 1, input: 1.5005, output: 6, kinds: { cached_tokens_ratio: 0.1 } },
          ],
          fees: [{ event: 'web_search', count: 2, fee: 5 }],
          served: { modes: ['priority'], region: 'us' },
          unpriced: ['speed', 'tools.maps'],
          attempts: [
            {
              channel_id: 1,
              channel_name: '',
              status: 200,
              start: 0,
              ms: 9,
              result: 'ok',
              cost: { credits: '12.5', by: 'provider' },
            },
          ],
        }),
      }),
    ]);
  });

  const linesOf = (text: string): string[] => text.replace('\uFEFF', '').trimEnd().split('\r\n');

  test('has every row once, in the order of time', async () => {
    const lines = linesOf(await hub().root.download(logApi.download, { query: { order: 'created_at' } }));
    const ids = lines.slice(1).map((line) => /,(r\d+),/.exec(line)?.[1]);
    expect(ids).toEqual([...Array.from({ length: ROWS }, (_, n) => `r${n}`), 'r5000', 'r5001', 'r5002']);
  });

  test('has the rows that a filter finds, newest first', async () => {
    const query = { model_name: 'od*', end_timestamp: at + 1001 };
    const lines = linesOf(await hub().root.download(logApi.download, { query }));
    expect(lines).toHaveLength(1 + 501);
    expect(lines[1]).toContain(',r1001,');
    expect(lines.at(-1)).toContain(',r1,');
  });

  test.each([{ order: 'created_at' }, { model_name: 'od*', log_type: 2 }])(
    'in parts it has the same rows, and headings once: %o',
    async (query) => {
      const whole = await hub().root.download(logApi.download, { query });
      let text = '';
      let after = '';
      let parts = 0;
      do {
        const part = await hub().root.try(logApi.download, { query: { ...query, after, limit: 300 } });
        text += (part.body as { data?: string }).data;
        after = part.headers.get('x-next') ?? '';
        parts++;
      } while (after !== '');
      expect(text).toBe(whole);
      expect(parts).toBe(Math.floor((linesOf(whole).length - 1) / 300) + 1);
    },
  );

  test('an own part has no other rows', async () => {
    const { body, headers } = await ann.client.try(logApi.ownDownload, { query: { limit: 100, order: 'created_at' } });
    expect(linesOf((body as { data?: string }).data ?? '')).toHaveLength(101);
    expect(headers.get('x-next')).toMatch(/^\d+-\d+$/);
    expect(await ann.client.try(logApi.ownDownload, { query: { limit: 100_001 } })).toMatchObject({
      status: 400,
      body: { field: 'limit' },
    });
  });

  test('contains every fact of a call, and no cell that a spreadsheet would evaluate', async () => {
    const query = { request_id: 'r5000', time_zone: 'Asia/Shanghai', language: 'en-US' };
    const lines = linesOf(await hub().root.download(logApi.download, { query }));
    expect(lines).toEqual([
      'Time (Asia/Shanghai),Type,User,Channel,Token,Group,Model,Credits,USD,Input tokens,Cached tokens,Output tokens,' +
        'Duration (ms),First byte (ms),Tokens per second,Stream,Outcome,Status,Error code,Reason,Calls,First occurrence,' +
        'Usage check,Attempts,Input ratio,Output ratio,Group ratio,' +
        'Price version,Source IP,Request ID,Detail,Token ID,' +
        'Served tier,Region,Price rules,Events with a fee,Fee credits,Options without a price,Tokens of other models,Cost (credits),Margin (credits)',
      `2026-02-03 13:27:25,Call,${ben.username},"'=SUM(1;2)",'@laptop,vip,gpt-4o,250000,0.5,900,300,100,` +
        '2500,500,50,true,Interrupted,502,stream_broken,timeout,1,,Implausible,1,1.25,5,0.8,7,10.0.0.1,r5000,no byte for 60 s,1,,,,,,,,,',
    ]);
  });

  test('has the tier served, the rules that held, and events with their fees', async () => {
    const query = { request_id: 'r5002', language: 'en-US' };
    const [, line] = linesOf(await hub().root.download(logApi.download, { query }));
    expect(line).toContain(',13001,0.026002,1000,');
    expect(line).toMatch(
      new RegExp(
        ',priority,us,"over 900, modes fast\\|priority: x2 x1.5; valid_from 1: =1.5005 =6 cached_tokens_ratio 0.1",' +
          'web_search 2,10000,speed tools.maps,,12.5,12988.5$',
      ),
    );
  });

  test('leaves cells empty for rows that are not calls', async () => {
    const query = { request_id: 'r5001', language: 'zh-CN' };
    const [heading, line] = linesOf(await hub().root.download(logApi.download, { query }));
    expect(heading).toMatch(/^时间 \(UTC\),类型,用户,渠道,/);
    expect(line).toMatch(/^2026-02-03 05:27:26,充值,person-\d+,,,,,500,0\.001,(,){19}10\.0\.0\.1,r5001,'-10%,(,){9}$/);
  });

  test('an own one is of own rows, and names no channel', async () => {
    const text = await ann.client.download(logApi.ownDownload);
    expect(linesOf(text)).toHaveLength(1 + ROWS);
    expect(text).not.toContain('SUM');
    expect(linesOf(text)[0]).not.toMatch(/渠道|Channel|User|用户|成本|毛利/);
    expect(await ann.client.try(logApi.download)).toMatchObject({ status: 403 });
  });
});
