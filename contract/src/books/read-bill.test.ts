import { expect, test } from 'vitest';
import { type BillFormat, type BillLine, modelKey, readBill } from './read-bill.ts';

type Row = [format: BillFormat, text: string, lines: Partial<BillLine>[]];

/** Columns of the providers' exports; sums by hand. */
const files: [string, ...Row][] = [
  [
    'OpenAI’s costs: quoted decimals, tiers and cached input are of one model, and other items keep their text',
    'openai',
    'start_time_iso,line_item,amount_value,quantity\n' +
      '2026-11-20T00:00:00Z,"gpt-5.5-2026-04-23, cached input",0.043125,345000\n' +
      '2026-11-20T00:00:00Z,"priority | gpt-5.5-2026-04-23, output, long context",0.1,2000\n' +
      '2026-11-20T00:00:00Z,web search tool calls,0.02,2\n',
    [
      { date: '2026-11-20', model: 'gpt-5.5-2026-04-23', cost: 0.143125, input: 345000, output: 2000, rows: 2 },
      { model: 'web search tool calls', cost: 0.02, input: null },
    ],
  ],
  [
    'OpenAI’s usage has no money',
    'openai',
    'start_time,end_time,start_time_iso,end_time_iso,model,num_model_requests,input_tokens,output_tokens\n' +
      '1,2,2026-11-20T00:00:00Z,x,gpt-4o,3,1000,50\n1,2,2026-11-20T01:00:00Z,x,gpt-4o,1,500,5\n',
    [{ model: 'gpt-4o', requests: 4, input: 1500, output: 55, cost: null }],
  ],
  [
    'Anthropic’s costs by token type',
    'anthropic',
    'usage_date_utc,model,workspace,api_key,usage_type,context_window,token_type,cost_usd,list_price_usd\n' +
      '2026-11-20,Claude Sonnet 4.6,Default,hub,message,≤ 200k,input_cache_read,1.87,1.87\n' +
      '2026-11-20,Claude Sonnet 4.6,Default,hub,message,≤ 200k,output,0.13,0.13\n',
    [{ model: 'Claude Sonnet 4.6', cost: 2, rows: 2 }],
  ],
  [
    'Anthropic’s usage: input excludes what caches read and write',
    'anthropic',
    'usage_date_utc,model_version,usage_input_tokens_no_cache,usage_input_tokens_cache_write_5m,usage_input_tokens_cache_write_1h,usage_input_tokens_cache_read,usage_output_tokens\n' +
      '2026-11-20,claude-sonnet-4-20250514,1,20,300,4000,7\n',
    [{ input: 4321, output: 7 }],
  ],
  [
    'OpenRouter’s activity',
    'openrouter',
    'Date,Slug,Usage,BYOK Usage,Requests,Prompt Tokens,Completion Tokens,Reasoning Tokens\n2026-11-20,anthropic/claude-sonnet-4.6,0.5,0,2,10,20,0\n',
    [{ model: 'anthropic/claude-sonnet-4.6', cost: 0.5, requests: 2, input: 10, output: 20 }],
  ],
  [
    'DeepSeek’s amounts: price × tokens, a byte order mark and CRLF',
    'deepseek',
    '\uFEFFuser_id,start_time_iso,end_time_iso,model,api_key_name,api_key,type,price,amount\r\n' +
      'u1,2026-11-20T08:00:00Z,x,deepseek-v4,hub,sk,input_cache_miss_tokens,0.0000002,1834021\r\n' +
      'u1,2026-11-20T08:00:00Z,x,deepseek-v4,hub,sk,output_tokens,0.000001,10\r\n' +
      'u1,2026-11-20T08:00:00Z,x,deepseek-v4,hub,sk,request_count,,3\r\n',
    [{ cost: 0.3668142, input: 1834021, output: 10, requests: 3 }],
  ],
  [
    'Aliyun’s bill in Chinese',
    'aliyun',
    '账单日期,实例ID,应付金额\n20261120,qwen-max;text,"1,234.50"\n,小计,1\n',
    [{ date: '2026-11-20', model: 'qwen-max;text', cost: 1234.5 }],
  ],
  [
    'any other table, by its headings',
    'other',
    'Day;Model name;Total cost;Calls\n11/20/2026;m;3;4\n',
    [{ date: '2026-11-20', model: 'm', cost: 3, requests: 4 }],
  ],
];

test.each(files)('%s', (_, format, text, lines) => {
  const bill = readBill(text);
  expect(bill?.format).toBe(format);
  expect(bill?.lines).toMatchObject(lines);
  expect((bill?.lines ?? []).reduce((sum, { rows }) => sum + rows, bill?.skipped ?? 0)).toBe(bill?.rows);
});

test('columns can be chosen', () => {
  const columns = { date: ['b'], model: ['a'], cost: ['c', 'd'], requests: [], input: [], output: [] };
  expect(readBill('a,b,c,d\nm,2026-01-02,1,2\n', columns)?.lines).toMatchObject([{ model: 'm', cost: 3 }]);
  expect(readBill('no table')).toBeUndefined();
});

test.each([
  ['anthropic/claude-sonnet-4.6', 'claude-sonnet-4-6'],
  ['Claude Sonnet 4.6', 'claude-sonnet-4-6'],
  ['claude-sonnet-4-6-20260514', 'claude-sonnet-4-6'],
  ['gpt-5.5-2026-04-23', 'gpt-5-5'],
  ['mistral-large-latest', 'mistral-large'],
])('%s is compared as %s', (name, key) => {
  expect(modelKey(name)).toBe(key);
});
