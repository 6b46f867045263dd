import { priceApi } from '@relay-hub/contract';
import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addCaller, rowsOf, type TestCaller, userOf } from '#testing/callers.ts';
import { newSqlite } from '#testing/databases.ts';
import { addChannel, addToken, hubForSuite } from '#testing/hub.ts';
import { rawUpstreamForSuite, sendJson } from '#testing/network/raw-upstream.ts';
import { post } from '#testing/relay-calls.ts';
import { type BodyKind, checkNames } from './member-names.ts';

const readOf = (json: string, kind?: BodyKind): string => {
  try {
    JSON.parse(json);
    checkNames(json, kind);
    return 'accepted';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('names of members', () => {
  test.each<[json: string, one: string, other: string]>([
    ['{"model":"a","Model":"b"}', 'model', 'Model'],
    [String.raw`{"model":"a","mode\u004c":"b"}`, 'model', 'modeL'],
    ['{"max_tokens":1,"max_toKens":9}', 'max_tokens', 'max_toKens'],
    ['{"max_tokens":1,"max_tokenſ":9}', 'max_tokens', 'max_tokenſ'],
    ['{"x":[{"own":1,"OWN":2}]}', 'own', 'OWN'],
    ['{"été":1,"ÉTÉ":2}', 'été', 'ÉTÉ'],
    ['{"x":{},"y":[],"X":1}', 'x', 'X'],
    ['{"model":"a","x":"}{\\"","MODEL":"b"}', 'model', 'MODEL'],
    ['{"tools":[{"function":{"parameters":{}},"Function":{}}]}', 'function', 'Function'],
    // Values in a map of the caller's names are the protocol's again.
    ['{"prompt":{"variables":{"a":{"file_id":"x","FILE_ID":"y"}}}}', 'file_id', 'FILE_ID'],
    // Only below the body itself are these the caller's.
    ['{"parameters":{"sampleCount":1,"SampleCount":4}}', 'sampleCount', 'SampleCount'],
    ['{"session":{"audio":{"input":{"format":{},"Format":{}}}}}', 'format', 'Format'],
  ])('%s is refused for what differs in case', (json, one, other) => {
    expect(readOf(json)).toBe(
      `'${one}' and '${other}' are the same name to some servers. Send one of them in an object.`,
    );
  });

  test.each([
    ['{"Model":"a"}', 'Model', 'model'],
    ['{"Model":"b","model":"a"}', 'Model', 'model'],
    [String.raw`{"\u004dodel":"a"}`, 'Model', 'model'],
    ['{"input":[{"type":"input_file","File_ID":"x"}]}', 'File_ID', 'file_id'],
    ['{"ſtream":true}', 'ſtream', 'stream'],
    ['{"API_BASE":"x"}', 'API_BASE', 'api_base'],
  ])('%s is refused for a name that the relay reads otherwise', (json, name, other) => {
    expect(readOf(json)).toBe(`'${name}' is the same name as '${other}' to some servers. Write '${other}'.`);
  });

  test.each([
    ['{"model":"a","model":"a"}', 'model'],
    [String.raw`{"model":"a","m\u006fdel":"b"}`, 'model'],
    ['{"previous_response_id":"a","previous_response_id":null}', 'previous_response_id'],
    ['{"metadata":{"a":1,"a":2}}', 'a'],
    ['{"tools":[{"input_schema":{"properties":{"id":{},"id":{}}}}]}', 'id'],
    [String.raw`{"x":{"\ud800":1,"\udfff":2}}`, '\ufffd'],
  ])('%s is refused for two equal names', (json, name) => {
    expect(readOf(json)).toBe(`'${name}' is given twice in one object.`);
  });

  test.each([
    '{"model":"a","messages":[{"role":"user","content":"Model"},{"role":"user","content":"model"}]}',
    '{"tools":[{"type":"function","function":{"parameters":{"properties":{"id":{},"ID":{},"Model":{"type":"x"}}}}}]}',
    '{"tools":[{"input_schema":{"properties":{"id":{"Type":1},"ID":{}}},"input_examples":[{"id":1,"ID":2}]}]}',
    '{"messages":[{"content":[{"type":"tool_use","input":{"Model":1,"id":2,"ID":3}}]}]}',
    '{"contents":[{"parts":[{"functionCall":{"args":{"a":1,"A":2}}},{"functionResponse":{"response":{"Name":1}}}]}]}',
    '{"text":{"format":{"schema":{"properties":{"Name":{}}}}}}',
    '{"metadata":{"Model":"x","a":1,"A":2},"logit_bias":{"1":1}}',
    '{"prompt":{"variables":{"Name":"x","name":"y"}}}',
    '{"documents":[{"Title":"a","title":"b"}],"headers":{"Authorization":"x","authorization":"y"}}',
    '{"unknownField":1,"Another":2,"temperature":1,"Top":3}',
    '{"filename":1,"x":{"fileName":1}}',
    '[{"a":1},{"A":2}]',
    '"model"',
    '{}',
  ])('%s is accepted', (json) => {
    expect(readOf(json)).toBe('accepted');
  });

  test('of Google’s dialect can be spelled with underscores, but not twice', () => {
    const both = '{"generationConfig":{"maxOutputTokens":1},"generation_config":{"maxOutputTokens":9}}';
    expect(readOf(both, 'google')).toMatch(/'generationConfig' and 'generation_config' are the same name/);
    expect(readOf(both)).toBe('accepted');
    expect(readOf('{"generation_config":{"max_output_tokens":1,"topK":2}}', 'google')).toBe('accepted');
    expect(readOf('{"generationConfig":{"maxoutputtokens":1}}', 'google')).toMatch(
      /is the same name as 'maxOutputTokens'/,
    );
  });

  test('of a task are the protocol’s in its metadata, which is merged into the order', () => {
    const json = '{"seconds":"4","metadata":{"Seconds":"12"}}';
    expect(readOf(json)).toBe('accepted');
    expect(readOf(json, 'task')).toMatch(/'Seconds' is the same name as 'seconds'/);
  });

  test('are equal wherever Unicode folds their letters to the same', () => {
    for (let code = 0x80; code < 0x3000; code++) {
      const letter = String.fromCodePoint(code);
      for (const other of new Set([letter.toLowerCase(), letter.toUpperCase()])) {
        if (other === letter || !new RegExp(`^${letter}$`, 'iu').test(other)) continue;
        expect(readOf(JSON.stringify({ [`x${letter}`]: 1, [`x${other}`]: 2 }))).toMatch(/are the same name/);
      }
    }
    expect(readOf('{"xſ":1,"xs":2}')).toMatch(/are the same name/);
    expect(readOf('{"x\u212a":1,"xk":2}')).toMatch(/are the same name/);
  });

  test('are read as a parser reads them, in any JSON', () => {
    const name = fc.constantFrom(
      'a',
      'A',
      'b',
      'ſ',
      's',
      'K',
      '\u212a',
      '"',
      '\\',
      'é',
      'É',
      'parameters',
      '',
      '{',
      '😀',
    );
    const { value } = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom('1', 'null', '"a"', '"\\"}{,\\\\"', '[]', '{}', '"é"'),
        fc.array(tie('value'), { maxLength: 3 }).map((list) => `[ ${list.join(' , ')} ]`),
        fc
          .array(fc.tuple(name, fc.boolean(), tie('value')), { maxLength: 30 })
          .map((members) => `{${members.map(([key, escaped, one]) => `${quoted(key, escaped)} :${one}`).join(',')}}`),
      ),
    }));
    fc.assert(
      fc.property(value, (json) => {
        expect(readOf(json) === 'accepted', json).toBe(isUnambiguous(json));
      }),
      { numRuns: 500 },
    );
  });

  test('of deeply nested and of very large objects are checked in time that grows with the body', () => {
    const deep = 200_000;
    expect(readOf(`${'{"x":['.repeat(deep)}{"a":1,"A":2}${']}'.repeat(deep)}`)).toMatch(/'a' and 'A'/);
    const members = Array.from({ length: 200_000 }, (_, i) => `"k${i}":1`);
    expect(readOf(`{${members.join(',')}}`)).toBe('accepted');
    expect(readOf(`{${members.join(',')},"K77":1}`)).toMatch(/'k77' and 'K77'/);
  });
});

const quoted = (name: string, escaped: boolean): string =>
  escaped
    ? `"${Array.from({ length: name.length }, (_, i) => `\\u${name.charCodeAt(i).toString(16).padStart(4, '0')}`).join('')}"`
    : JSON.stringify(name);

/** The same rule, by a parser that keeps all members; for names that the relay does not read. */
function isUnambiguous(json: string): boolean {
  let clear = true;
  let at = 0;
  const skip = () => {
    while (/[\s,:]/.test(json[at] ?? '')) at++;
  };
  const text = (): string => {
    const [found = ''] = /^"(?:[^"\\]|\\.)*"/.exec(json.slice(at)) ?? [];
    at += found.length;
    return JSON.parse(found) as string;
  };
  const value = (isCallers: boolean, isBody: boolean): void => {
    skip();
    if (json[at] === '{' || json[at] === '[') {
      const end = json[at] === '{' ? '}' : ']';
      const names = new Set<string>();
      at++;
      for (skip(); json[at] !== end; skip()) {
        let below = isCallers;
        if (end === '}') {
          const name = text();
          const known = isCallers ? name : name.toLowerCase().replaceAll('ſ', 's');
          if (names.has(known)) clear = false;
          names.add(known);
          below ||= !isBody && name === 'parameters';
        }
        value(below, false);
      }
      at++;
    } else if (json[at] === '"') text();
    else at += /^[\w.+-]+/.exec(json.slice(at))![0].length;
  };
  value(false, true);
  return clear;
}

describe('a body with two meanings', () => {
  const hub = hubForSuite(newSqlite);
  const raw = rawUpstreamForSuite();
  const db = () => hub().server.deps.db;
  let who: TestCaller;
  let rootKey = '';

  beforeAll(async () => {
    const models = 'gpt-4o,gemini-2.5-flash,claude-sonnet-4-5,dall-e-2,tts-1,text-embedding-3-small,veo-3';
    const id = await addChannel(hub(), raw().url, { type: 1, models });
    await addChannel(hub(), raw().url, { type: 14, models: 'claude-sonnet-4-5' });
    await addChannel(hub(), raw().url, { type: 25, models: 'gemini-2.5-flash' });
    for (const model of ['vector_store', 'vector_store_search', 'container', 'fine_tuning/gpt-4o'])
      await hub().root.call(priceApi.create, {
        body: {
          model,
          channel_type: 1,
          type: /search|container/.test(model) ? 'times' : 'tokens',
          input: 1,
          output: 0,
          extra_ratios: {},
        },
      });
    rootKey = `${(await addToken(hub())).key}#${id}`;
  });
  beforeEach(async () => {
    who = await addCaller(db());
    raw().requests.length = 0;
    raw().reply = (response) => sendJson(response, {});
  });

  const anthropic = { 'anthropic-version': '2023-06-01' };
  const contents = '"contents":[{"parts":[{"text":"hi"}]}]';

  test.each<[path: string, json: string, one: string, other: string, init?: RequestInit]>([
    [
      '/v1/chat/completions',
      '"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"Model":"o1"',
      'model',
      'Model',
    ],
    ['/v1/chat/completions', '"model":"gpt-4o","messages":[{"role":"user"}],"n":1,"n":9', 'n', 'n'],
    [
      '/v1/completions',
      '"model":"gpt-4o","prompt":"hi","max_tokens":1,"MAX_TOKENS":100000',
      'max_tokens',
      'MAX_TOKENS',
    ],
    ['/v1/embeddings', '"model":"text-embedding-3-small","input":"a","Input":"b"', 'input', 'Input'],
    ['/v1/images/generations', '"model":"dall-e-2","prompt":"a","n":1,"N":10', 'n', 'N'],
    ['/v1/images/edits', '"model":"dall-e-2","prompt":"a","images":["x"],"Images":[]', 'images', 'Images'],
    ['/v1/audio/speech', '"model":"tts-1","voice":"alloy","input":"a","Input":"b"', 'input', 'Input'],
    ['/v1/rerank', '"model":"gpt-4o","query":"a","documents":["a"],"Model":"b"', 'model', 'Model'],
    ['/v1/moderations', '"input":"a","Model":"gpt-4o"', 'Model', 'model'],
    [
      '/v1/responses',
      '"model":"gpt-4o","input":"a","Previous_Response_Id":"r"',
      'Previous_Response_Id',
      'previous_response_id',
    ],
    [
      '/v1/responses',
      '"model":"gpt-4o","input":"a","conversation":"c","conversation":null',
      'conversation',
      'conversation',
    ],
    ['/v1/responses/compact', '"model":"gpt-4o","input":"a","MODEL":"b"', 'model', 'MODEL'],
    ['/v1/responses/input_tokens', '"model":"gpt-4o","input":"a","MODEL":"b"', 'model', 'MODEL'],
    [
      '/v1/messages',
      '"model":"claude-sonnet-4-5","max_tokens":1,"messages":[],"Max_Tokens":9',
      'max_tokens',
      'Max_Tokens',
    ],
    ['/claude/v1/messages/count_tokens', '"model":"a","messages":[],"Model":"b"', 'model', 'Model'],
    [
      '/v1/messages/batches',
      '"requests":[{"custom_id":"a","params":{"model":"a","Model":"b"}}]',
      'model',
      'Model',
      { headers: anthropic },
    ],
    [
      '/gemini/v1beta/models/gemini-2.5-flash:generateContent',
      `${contents},"generationConfig":{},"generation_config":{}`,
      'generationConfig',
      'generation_config',
    ],
    ['/gemini/v1beta/models/gemini-2.5-flash:countTokens', `${contents},"Contents":[]`, 'contents', 'Contents'],
    [
      '/gemini/v1beta/models/gemini-2.5-flash:embedContent',
      '"content":{"parts":[]},"Content":{}',
      'content',
      'Content',
    ],
    ['/gemini/v1beta/models/gemini-2.5-flash:batchGenerateContent', '"batch":{},"Batch":{}', 'batch', 'Batch'],
    [
      '/gemini/v1beta/models/veo-3:predictLongRunning',
      '"instances":[{}],"parameters":{"sampleCount":1,"SampleCount":4}',
      'sampleCount',
      'SampleCount',
    ],
    [
      '/gemini/v1beta/models/veo-3:fetchPredictOperation',
      '"operationName":"a","OperationName":"b"',
      'operationName',
      'OperationName',
    ],
    ['/gemini/v1beta/cachedContents', '"model":"a","Model":"b"', 'model', 'Model'],
    ['/gemini/v1beta/interactions', '"model":"veo-3","input":"a","Model":"b"', 'model', 'Model'],
    ['/recraftAI/v1/images/generations', '"prompt":"a","n":1,"N":6', 'n', 'N'],
    ['/v1/videos', '"model":"veo-3","prompt":"a","seconds":"4","Seconds":"12"', 'seconds', 'Seconds'],
    ['/v1/video/generations', '"model":"veo-3","prompt":"a","metadata":{"Seconds":"12"}', 'Seconds', 'seconds'],
    ['/kling/v1/videos/text2video', '"prompt":"a","duration":"5","Duration":"10"', 'duration', 'Duration'],
    ['/jimeng/?Action=CVSync2AsyncSubmitTask', '"req_key":"a","Req_Key":"b"', 'req_key', 'Req_Key'],
    ['/jimeng/?Action=CVSync2AsyncGetResult', '"task_id":"a","Task_Id":"b"', 'task_id', 'Task_Id'],
    ['/mj/submit/imagine', '"prompt":"a","botType":"MID_JOURNEY","BotType":"NIJI"', 'botType', 'BotType'],
    ['/mj/task/list-by-condition', '"ids":[],"Ids":[]', 'ids', 'Ids'],
    ['/suno/submit/music', '"prompt":"a","mv":"chirp-v3","MV":"chirp-v5"', 'mv', 'MV'],
    ['/suno/fetch', '"ids":[],"IDs":[]', 'ids', 'IDs'],
    [
      '/v1/conversations',
      '"items":[{"type":"message","content":[{"file_id":"a","File_Id":"b"}]}]',
      'file_id',
      'File_Id',
    ],
    ['/v1/vector_stores', '"file_ids":[],"FILE_IDS":["a"]', 'file_ids', 'FILE_IDS'],
    ['/v1/containers', '"name":"a","memory_limit":"1g","Memory_Limit":"64g"', 'memory_limit', 'Memory_Limit'],
    ['/v1/batches', '"input_file_id":"a","Input_File_Id":"b"', 'input_file_id', 'Input_File_Id'],
    [
      '/v1/fine_tuning/jobs',
      '"model":"gpt-4o","training_file":"a","Training_File":"b"',
      'training_file',
      'Training_File',
    ],
    ['/v1/realtime/client_secrets', '"session":{"model":"gpt-4o","Model":"b"}', 'model', 'Model'],
  ])('is refused by %s: {%s}', async (path, json, one, other, init) => {
    const answer = await post(hub(), who.key, `{${json}}`, path, init);
    expect(answer.text).toMatch(
      one === other ? `'${one}' is given twice` : new RegExp(`'(${one}|${other})'.*'(${one}|${other})'`),
    );
    expect(answer.status).toBe(400);
    expect(raw().requests).toEqual([]);
    expect(await userOf(db(), who)).toMatchObject({ balance: 1_000_000, used_quota: 0 });
    expect(await rowsOf(db(), who)).toEqual([]);
  });

  test('is refused by an account that an administrator reaches; forms and uploads pass as they are', async () => {
    const answer = await post(hub(), rootKey, '{"model":"a","Model":"b"}', '/v1/assistants');
    expect(answer.status).toBe(400);
    expect(answer.text).toContain("'model' and 'Model'");
    const form = new FormData();
    form.append('file', new Blob(['{"a":1,"a":2}']), 'a.jsonl');
    const sent = await fetch(`${hub().url}/v1/files`, {
      method: 'POST',
      headers: { authorization: `Bearer ${rootKey}` },
      body: form,
    });
    expect(sent.status).toBe(200);
    expect(raw().requests.map(({ url }) => url)).toEqual(['/v1/files']);
  });

  test.each(['/v1/assistants?a=1', '/v1/threads'])('with one meaning reaches %s byte by byte', async (path) => {
    const body = '{ "name":"über",  "metadata":{"a":1,"A":1e2} }';
    expect((await post(hub(), rootKey, body, path)).status).toBe(200);
    expect(raw().requests.at(-1)).toMatchObject({ url: path, body: Buffer.from(body) });
  });
});
